// Without a connection: what is said, shown, kept and sent later; the worker that has the page's files.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, mock, test } from "node:test";
import vm from "node:vm";
import { REVIEW } from "./finished.js";
import { click, find, main, offline, open, refuse, sent, serve, settle, state, Stream, texts } from "./browser.js";
import { keepGame } from "../../play/pechvogel/web/js/api.js";
import { isLost, report, watch } from "../../play/pechvogel/web/js/connection.js";
import { GamePage } from "../../play/pechvogel/web/js/game.js";
import { showLobby } from "../../play/pechvogel/web/js/lobby.js";
import { drawMissing } from "../../play/pechvogel/web/js/missing.js";
import { clearShelf, shelve, shelved, unshelve } from "../../play/pechvogel/web/js/shelf.js";
import { drop, keepUnsent, sendAll, unsent } from "../../play/pechvogel/web/js/unsent.js";
import { LANGUAGES, loadWords, recall } from "../../play/pechvogel/web/js/words.js";

let page = null;

/** A browser's store of answers, by address. */
class Store {
  all = new Map();

  async put(address, answer) {
    this.all.set(address, answer);
  }

  async match(address) {
    return this.all.get(address)?.clone();
  }

  async keys() {
    return [...this.all.keys()];
  }

  async delete(address) {
    return this.all.delete(address);
  }
}
let stores = new Map();

beforeEach(async () => {
  await open("/game/r1");
  stores = new Map();
  globalThis.caches = {
    open: async (name) => stores.get(name) ?? stores.set(name, new Store()).get(name),
    delete: async (name) => stores.delete(name),
    keys: async () => [...stores.keys()],
  };
  report(true);
});
afterEach(() => {
  page?.stop();
  page = null;
  mock.timers.reset();
  mock.restoreAll();
  delete globalThis.caches;
});

const posted = () => sent.filter(({ method }) => method === "POST").map(({ path, content }) => [path, content]);

async function asked(server = {}) {
  serve({ "GET /api/agents": { agents: ["champion"], only: {} }, "GET /api/rooms/r1": state(server) });
  keepGame("r1", { seat: 0, token: "t", visited: true, promise: "a1b2", number: "77" });
  page = new GamePage("r1", main(), () => {});
  await page.start();
  const now = state(server);
  Stream.last.tell({ number: 0, kind: "begin" });
  Stream.last.tell({ number: 1, kind: "throw", seat: 0, faces: now.position.last_throw, position: now.position });
  Stream.last.send("state", now);
  await settle();
}

test("what can't be reached is noticed, looked for, and told when it is back", async () => {
  const told = [];
  mock.timers.enable({ apis: ["setTimeout"] });
  watch((lost) => told.push(lost));
  serve({ "GET /healthz": offline });
  report(false);
  report(false);
  for (const wait of [2000, 4000, 8000]) {
    mock.timers.tick(wait);
    await settle();
  }
  assert.deepEqual([told, isLost(), sent.length], [[true], true, 3]);
  serve({ "GET /healthz": { status: "ok" } });
  window.dispatchEvent(new window.Event("online"));
  mock.timers.tick(0);
  await settle();
  assert.deepEqual([told, isLost()], [[true, false], false]);
  window.dispatchEvent(new window.Event("offline"));
  assert.deepEqual(told, [true, false, true]);
  watch(() => {});
});

test("a decision without a connection is kept, told, not offered again, and sent once", async () => {
  await asked();
  serve({ "POST /api/rooms/r1/act": offline });
  await click(find(".actions button"));
  const [first] = posted();
  assert.deepEqual(unsent(), { r1: { ...first[1], after: 2 } });
  assert.ok(find(".ask").textContent.includes("“Target 3” is kept here"), find(".ask").textContent);
  assert.equal(find(".actions button"), null);
  await page.answers.choose(1);
  assert.equal(posted().length, 1, "there is one answer to a question");
  const { action, played } = unsent().r1;
  assert.deepEqual(await sendAll(), { sent: [], refused: [] }, "still nobody there");
  assert.ok(unsent().r1);
  serve({ "POST /api/rooms/r1/act": state({ to_act: 1, played: 1 }) });
  const both = await Promise.all([sendAll(), sendAll()]);
  assert.deepEqual(both[0], { sent: ["r1"], refused: [] });
  assert.deepEqual(posted().slice(2), [["/api/rooms/r1/act", { action, played, after: 2 }]]);
  assert.deepEqual([unsent(), await sendAll()], [{}, { sent: [], refused: [] }]);
});

test("a decision whose moment has passed is not sent for another one, and that is told", async () => {
  keepGame("r1", { seat: 0, token: "t" });
  keepUnsent("r1", { action: 4, played: 7, after: 30 });
  keepUnsent("r2", { action: 4, played: 1, after: 3 }); // a game that this browser has forgotten
  serve({ "POST /api/rooms/r1/act": refuse(409, { error: "x", code: "gone_on" }) });
  const done = await sendAll();
  assert.deepEqual(done, { sent: [], refused: [{ room: "r1", why: "The game has gone on in the meantime." }] });
  assert.deepEqual([unsent(), posted().length], [{}, 1]);
  for (const status of [429, 503]) {
    keepUnsent("r1", { action: 4, played: 7, after: 30 });
    serve({ "POST /api/rooms/r1/act": refuse(status, { error: "x", code: "too_fast" }) });
    await sendAll();
    assert.ok(unsent().r1, "later");
  }
  drop("r1");
});

test("where nothing can be kept, a decision is refused as ever", async () => {
  await asked();
  serve({ "POST /api/rooms/r1/act": offline });
  mock.method(window.Storage.prototype, "setItem", () => {
    throw new Error("full");
  });
  await click(find(".actions button"));
  assert.ok(find("#alert").textContent.startsWith("No connection"));
  assert.equal(document.querySelectorAll(".actions button").length, 3, "it can be chosen again");
});

test("games are listed as they were last seen", async () => {
  keepGame("r1", { seat: 0, token: "t" });
  keepGame("r2", { seat: 0, token: "t" });
  serve({ "GET /api/rooms/r1": state({ over: true, scores: [12, 5] }), "GET /api/rooms/r2": refuse(404, {}) });
  await showLobby(main(), () => {});
  const before = texts("li a", main());
  assert.ok(!main().textContent.includes("as last seen"));
  serve({ "GET /api/rooms/r1": offline, "GET /api/agents": offline });
  await showLobby(main(), () => {});
  assert.deepEqual(texts("li a", main()), before);
  assert.ok(texts("li", main())[0].includes("over · 12 : 5 · as last seen"), texts("li", main())[0]);
  assert.deepEqual(Object.keys(recall("seen", {})), ["r1"]);
});

test("a finished game that was looked at can be looked at again", async () => {
  history.replaceState(null, "", "/game/r1?review");
  serve({ "GET /api/rooms/r1": state({ over: true, to_act: null }), "GET /api/rooms/r1/review": REVIEW });
  page = new GamePage("r1", main(), () => {});
  await page.start();
  await settle();
  assert.ok(find(".analysis"));
  page.stop();
  main().replaceChildren();
  serve({ "GET /api/rooms/r1": offline, "GET /api/rooms/r1/review": offline });
  page = new GamePage("r1", main(), () => {});
  await page.start();
  await settle();
  assert.ok(find(".analysis"), main().textContent);
});

test("few games are kept, the newest; they can be forgotten, and where there is no store nothing fails", async () => {
  for (let k = 0; k < 25; k++) await shelve(`r${k}`, { state: k });
  assert.deepEqual(
    [await shelved("r4"), await shelved("r5"), await shelved("r24")],
    [undefined, { state: 5 }, { state: 24 }],
  );
  await unshelve("r24");
  assert.equal(await shelved("r24"), undefined);
  await clearShelf();
  assert.equal(await shelved("r5"), undefined);
  delete globalThis.caches;
  await shelve("r1", {});
  assert.equal(await shelved("r1"), undefined);
});

test("a game that was opened since the list was seen is in it, and so are the opponents", async () => {
  serve({ "GET /api/agents": { agents: ["champion", "champion:level=3"], only: {} }, "GET /api/rooms/r1": state() });
  await showLobby(main(), () => {});
  keepGame("r1", { seat: 0, token: "t" });
  page = new GamePage("r1", main(), () => {});
  await page.start();
  page.stop();
  serve({ "GET /api/agents": offline, "GET /api/rooms/r1": offline });
  await showLobby(main(), () => {});
  assert.deepEqual(texts(".games a"), ["Bruno"]);
  assert.match(find(".games li").textContent, /as last seen/);
  assert.match(find("#seats option").textContent, /Bruno/, "somebody of our strength, not whoever is left");
});

test("an address of nobody has ways out, in every language", async () => {
  const titles = new Set();
  for (const language of LANGUAGES) {
    await open("/no/such/page", language);
    drawMissing(main());
    titles.add(find("h1").textContent);
    const ways = [...main().querySelectorAll("a")].map((link) => link.getAttribute("href"));
    assert.deepEqual(ways, ["/", "/train", "/explore", "/me", "/position"]);
  }
  assert.equal(titles.size, LANGUAGES.length);
});

test("words of a language that was never loaded are those of one that was", async () => {
  localStorage.setItem("pechvogel.language", '"fr"');
  const { fetch } = globalThis;
  globalThis.fetch = async (path) => {
    if (!path.endsWith("/de.json")) throw new TypeError("nobody answers");
    return fetch(path);
  };
  try {
    await loadWords();
    assert.equal(document.documentElement.lang, "de");
  } finally {
    globalThis.fetch = fetch;
  }
});

// ------------------------------------------------------------------ the worker

const WORKER = readFileSync(new URL("../../play/pechvogel/web/js/worker.js", import.meta.url), "utf8");

/** A worker with a network that answers or not; its listeners by event. */
function worker(network) {
  const on = {};
  const self = {
    PAGE: { version: "v2-en", files: ["/", "/web/js/main.js"] },
    location: { origin: "http://localhost" },
    clients: { claim: async () => {} },
    skipWaiting: async () => {},
    addEventListener: (kind, listener) => (on[kind] = listener),
  };
  const kept = { "/": "page", "http://localhost/web/js/main.js": "code" };
  const added = [];
  const names = ["pechvogel-page-v1-en", "pechvogel-page-v2-en", "pechvogel-games", "others"];
  const opened = {
    addAll: async (requests) => added.push(...requests.map(({ url }) => url)),
    match: async (address) => kept[address],
  };
  const cachesThere = {
    open: async (name) => {
      assert.equal(name, "pechvogel-page-v2-en");
      return opened;
    },
    keys: async () => names,
    delete: async (name) => names.splice(names.indexOf(name), 1),
  };
  class Asked {
    constructor(url, more) {
      Object.assign(this, { url, ...more });
    }
  }
  vm.runInNewContext(WORKER, { self, caches: cachesThere, fetch: network, URL, Request: Asked });
  const ask = (path, more = {}) => {
    let found = null;
    const request = { url: `http://localhost${path}`, method: "GET", mode: "cors", ...more };
    on.fetch({ request, respondWith: (answer) => (found = answer) });
    return found;
  };
  const happens = async (kind) => {
    let done = null;
    on[kind]({ waitUntil: (work) => (done = work) });
    await done;
  };
  return { ask, happens, names, added };
}

test("the worker keeps the files of its version, and only those", async () => {
  const there = worker(async () => "new");
  await there.happens("install");
  assert.deepEqual(there.added, ["/", "/web/js/main.js"]);
  await there.happens("activate");
  assert.deepEqual(there.names, ["pechvogel-page-v2-en", "pechvogel-games", "others"]);
});

test("the worker answers for files of the page, when nobody else does; never for the server's answers", async () => {
  const online = worker(async () => "new");
  assert.equal(await online.ask("/web/js/main.js"), "new");
  assert.equal(await online.ask("/game/r1", { mode: "navigate" }), "new");
  const alone = worker(offline);
  assert.equal(await alone.ask("/web/js/main.js"), "code");
  assert.equal(await alone.ask("/game/r1?review", { mode: "navigate" }), "page");
  await assert.rejects(alone.ask("/web/explorer.json"), TypeError);
  for (const there of [online, alone]) {
    assert.equal(there.ask("/api/rooms/r1"), null);
    assert.equal(there.ask("/api/rooms/r1/record", { mode: "navigate" }), null);
    assert.equal(there.ask("/web/js/main.js", { method: "POST" }), null);
    assert.equal(there.ask("/healthz"), null);
    assert.equal(there.ask("", { url: "http://elsewhere/web/js/main.js" }), null);
  }
});
