// The service worker: without a connection, the page's own files come from here. With one, all of them come from the
// server, so that an upgrade never mixes old and new ones; what the server says about games is never kept here.
// `/worker.js` is this file, with `self.PAGE` before it: which files there are, and a name for how they are.

const PREFIX = "pechvogel-page-";
const { version, files } = self.PAGE;
const CACHE = PREFIX + version;

/** All files or none; then this worker takes over from an older one. */
async function keep() {
  const cache = await caches.open(CACHE);
  await cache.addAll(files.map((path) => new Request(path, { cache: "no-cache" })));
  await self.skipWaiting();
}

async function takeOver() {
  const others = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  await Promise.all(others.map((name) => caches.delete(name)));
  await self.clients.claim();
}

/** What the server says; if nobody answers, what was kept. Every page of ours is the same file. */
async function answer(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const cache = await caches.open(CACHE);
    const kept = await cache.match(request.mode === "navigate" ? "/" : request.url, { ignoreSearch: true });
    if (kept) return kept;
    throw error;
  }
}

self.addEventListener("install", (event) => event.waitUntil(keep()));
self.addEventListener("activate", (event) => event.waitUntil(takeOver()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin || pathname.startsWith("/api/")) return;
  if (request.mode === "navigate" || pathname.startsWith("/web/")) event.respondWith(answer(request));
});
