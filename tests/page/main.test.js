// Where the page begins: the header, and which part is shown for an address.

import assert from "node:assert/strict";
import { test } from "node:test";
import { choose, click, find, open, refuse, sent, serve, settle, state, Stream, texts, withWords } from "./browser.js";

await open("/position");
serve({
  "GET /api/agents": { agents: ["champion"], only: {} },
  "GET /api/rooms/r1": state({ events: 0 }),
  "GET /api/rooms/r2": refuse(404, {}),
});
await import("../../play/pechvogel/web/js/main.js");

const address = () => location.pathname + location.search;
const link = (href, more = {}) => {
  const element = document.getElementById("main").appendChild(document.createElement("a"));
  Object.assign(element, { href, ...more });
  return element;
};

test("the header is there, and so is the part of the address", () => {
  assert.deepEqual(texts("#top nav *"), ["New game", "Training", "Explore", "Me", "Rules", "First turn", "Settings"]);
  assert.equal(find("#skip").textContent, "Skip to the game");
  assert.equal(find("h1").textContent, "Set up a position");
});

test("links of the page lead on without loading it anew, and back", async () => {
  await click(withWords("New game", "a"));
  assert.deepEqual([address(), find("h1").textContent], ["/", "Pechvogel"]);
  await click(link("/game/r1"));
  assert.equal(address(), "/game/r1");
  assert.ok(find(".table"));
  history.back();
  await new Promise((wake) => window.addEventListener("popstate", wake, { once: true }));
  await settle();
  assert.deepEqual([address(), Boolean(find("#play"))], ["/", true]);
  assert.equal(Stream.last.readyState, Stream.CLOSED, "who left a game does not listen any more");
});

test("files, answers of the server and new windows are the browser's", async () => {
  const prevented = (element, more = {}) => {
    let found = null;
    const note = (event) => {
      found = event.defaultPrevented;
      event.preventDefault(); // jsdom can't load another page
    };
    window.addEventListener("click", note, { once: true });
    element.dispatchEvent(new window.MouseEvent("click", { bubbles: true, cancelable: true, ...more }));
    return found;
  };
  const api = link("/api/rooms/r1/record");
  assert.equal(prevented(api), false);
  assert.equal(prevented(link("/game/r1", { download: "x" })), false);
  for (const key of ["ctrlKey", "metaKey", "shiftKey"]) {
    assert.equal(prevented(link("/game/r1"), { [key]: true }), false, key);
  }
  assert.equal(prevented(find("#skip")), false);
  assert.equal(prevented(find("h1")), false);
  assert.equal(address(), "/");
  assert.equal(prevented(link("/game/r2")), true);
  await settle();
  assert.equal(find("h1").textContent, "This game does not exist any more.");
});

test("the trainer and the explorer have addresses of their own", async () => {
  serve({ "GET /api/puzzles": refuse(503, { error: "later" }) });
  await click(withWords("Training", "a"));
  assert.deepEqual([address(), Boolean(find(".trainer"))], ["/train", true]);
  await click(withWords("Explore", "a"));
  assert.deepEqual([address(), find("h1").textContent], ["/explore?subject=first", "The solved game"]);
});

test("keys go to the game that is shown", async () => {
  await click(link("/game/r1"));
  const before = sent.length;
  document.body.dispatchEvent(new window.KeyboardEvent("keydown", { key: "1", bubbles: true }));
  await settle();
  assert.equal(sent.length, before, "an onlooker has nothing to decide");
});

test("another language changes all that is shown", async () => {
  await click(find("#settings"));
  choose(find("#language"), "de");
  await settle();
  assert.equal(find("dialog"), null);
  assert.equal(find("#rules").textContent, "Regeln");
  assert.equal(document.documentElement.lang, "de");
  assert.equal(find(".ask h2").textContent, "Ann entscheidet …");
});
