// Finished games that were looked at, as they were shown: a few of them can be looked at without a connection.
// They never change. Where a browser has no store for pages (plain http from elsewhere), nothing is kept.

const NAME = "pechvogel-games";
const MOST = 20; // games; then the oldest go

const address = (room) => `/kept/${encodeURIComponent(room)}`;

/** Do something with the store; undefined if there is none, or it fails: then there is nothing. */
async function withStore(work) {
  try {
    return await work(await globalThis.caches.open(NAME));
  } catch {
    return undefined;
  }
}

/** Keep a game: its last state, and its review. */
export const shelve = (room, game) =>
  withStore(async (store) => {
    await store.delete(address(room));
    await store.put(address(room), new Response(JSON.stringify(game)));
    const all = await store.keys();
    await Promise.all(all.slice(0, -MOST).map((request) => store.delete(request)));
  });

export const shelved = (room) => withStore(async (store) => (await store.match(address(room)))?.json());

export const unshelve = (room) => withStore((store) => store.delete(address(room)));

export const clearShelf = () => withStore(() => globalThis.caches.delete(NAME));
