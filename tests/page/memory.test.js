// What a browser remembers of finished games, the private link, and the page about it.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { click, find, main, offline, open, refuse, sent, serve, settle, state, texts, withWords } from "./browser.js";
import { keepGame } from "../../play/pechvogel/web/js/api.js";
import * as deck from "../../play/pechvogel/web/js/deck.js";
import { showMe } from "../../play/pechvogel/web/js/me.js";
import * as memory from "../../play/pechvogel/web/js/memory.js";
import { recall, remember } from "../../play/pechvogel/web/js/words.js";

const RATING = {
  levels: 10,
  results: { level: 4.2, low: 2.5, high: 6, games: 2 },
  costs: { level: 5, low: 4, high: 6, games: 2 },
  together: { level: 4.8, low: 4, high: 5.6, games: 4 },
  opponent: "champion:level=5",
  against_best: 0.31,
  path: [3.5, 4.2],
};
const SEAT = {
  game: "pechvogel",
  players: 2,
  opponents: ["champion:level=3"],
  result: 1,
  score: 20,
  decisions: 40,
  cost: 0.2,
  luck: 0.25,
  errors: { target: 0.15, discard: 0.05 },
  judge: "champion",
  counts: true,
};
const game = (number, more = {}) => ({ room: `room-${number}000`, at: 1000 + number, ...SEAT, ...more });
const posted = (path) => sent.filter((request) => request.method === "POST" && request.path === path);

beforeEach(async () => {
  await open("/me");
  serve({ "POST /api/rating": RATING });
});

test("a game that ends is remembered once, with the rating that follows", async () => {
  keepGame("room-1000", { seat: 1, token: "t" });
  serve({ "GET /api/rooms/room-1000/summary": [{}, SEAT] });
  await memory.collect("room-1000");
  await memory.collect("room-1000");
  await memory.collect("room-2000"); // somebody else's
  assert.deepEqual(
    memory.remembered().map(({ room, cost }) => [room, cost]),
    [["room-1000", 0.2]],
  );
  assert.deepEqual(posted("/api/rating")[0].content, { games: [["champion:level=3", 1, 40, 0.2, "champion"]] });
  assert.equal(memory.evenOpponent(), "champion:level=5");
  assert.equal(sent.length, 2);
});

test("what could not be summed up is remembered later", async () => {
  keepGame("room-1000", { seat: 0, token: "t" });
  serve({ "GET /api/rooms/room-1000": state({ over: true }), "GET /api/rooms/room-1000/summary": offline });
  await memory.collectAll();
  assert.deepEqual(memory.remembered(), []);
  serve({ "GET /api/rooms/room-1000/summary": [SEAT, {}] });
  await memory.collectAll();
  assert.equal(memory.remembered().length, 1);
});

test("only games that count are rated, the last 300 of them", async () => {
  memory.keep([
    game(1, { counts: false }),
    ...Array.from({ length: 310 }, (_, k) => game(1000 + k, { result: k < 10 ? 0 : 1 })),
  ]);
  await memory.rate();
  const { games } = posted("/api/rating")[0].content;
  assert.equal(games.length, 300);
  assert.ok(games.every(([, result]) => result === 1));
  assert.ok(JSON.stringify({ games }).length < 16_384);
});

test("a rating that can't be had leaves the last one", async () => {
  memory.keep([game(1)]);
  await memory.rate();
  serve({ "POST /api/rating": refuse(503, { code: "coach_busy" }) });
  assert.deepEqual(await memory.rate(), RATING);
});

test("a browser keeps 2000 games, and none that is none", () => {
  memory.keep(Array.from({ length: 2005 }, (_, k) => game(1000 + k)));
  assert.equal(memory.remembered().length, 2000);
  assert.equal(memory.remembered()[0].room, "room-1005000");
  remember("memory", { games: [game(1), { ...game(2), luck: null }, null, 7, "x"] });
  assert.deepEqual(memory.remembered(), [game(1)]);
  remember("memory", { games: "nonsense" });
  assert.deepEqual(memory.remembered(), []);
});

test("what is exported can be imported; other files are refused, and wrong games in them", () => {
  memory.keep([game(1), game(2)]);
  const file = memory.exported();
  memory.clear();
  assert.deepEqual(memory.imported(file), { added: 2, refused: 0 });
  assert.deepEqual(memory.imported(file), { added: 0, refused: 0 });
  for (const wrong of ["", "{", "null", "[]", '{"format":"x","games":[]}', "x".repeat(5_000_001)]) {
    assert.equal(memory.imported(wrong), null);
  }
  const odd = [
    { ...game(3), room: "../x" },
    { ...game(3), opponents: ["<img src=x onerror=alert(1)>"] },
    { ...game(3), result: 2 },
    { ...game(3), at: 1e300 },
    { ...game(3), luck: "1" },
    JSON.parse(JSON.stringify(game(3)).replace('"errors":{', '"errors":{"__proto__":1,')),
    { ...game(3), errors: Object.fromEntries(Array.from({ length: 17 }, (_, k) => [`k${"_".repeat(k)}`, 1])) },
    [],
    null,
    { ...game(4), more: "is left away" },
  ];
  const found = memory.imported(JSON.stringify({ format: memory.FORMAT, games: odd }));
  assert.deepEqual(found, { added: 1, refused: 9 });
  assert.deepEqual(memory.remembered().at(-1), game(4));
});

test("what the trainer knows is exported, deleted and imported with the games", () => {
  keepGame("room-1000", { seat: 0, token: "t" });
  deck.note("0a1b2c3d", true, 20_000);
  deck.add("0a1b2c3d", { position: null }, 5);
  const file = memory.exported();
  const before = deck.kept();
  memory.clear();
  assert.deepEqual([deck.kept().tried, deck.due(), deck.isGathered("room-1000")], [{}, [], true]);
  deck.forget([]);
  assert.deepEqual(memory.imported(file), { added: 0, refused: 0 });
  assert.deepEqual(deck.kept(), { ...before, run: 0 });
  deck.note("0a1b2c3d", false);
  for (const train of [
    null,
    [],
    7,
    { ...before, cards: { x: { box: 99, due: 1 } } },
    { ...before, tried: { x: "y" } },
  ]) {
    memory.imported(JSON.stringify({ format: memory.FORMAT, games: [], train }));
  }
  assert.deepEqual(deck.kept(), { ...before, run: 0 }, "nonsense changes nothing, nor does a later answer");
});

test("a private link gets all games, in pieces, and each new one", async () => {
  memory.keep(Array.from({ length: 70 }, (_, k) => game(1000 + k)));
  serve({ "POST /api/memory": { token: "s".repeat(22), keep_days: 365 }, "POST /api/memory/games": { games: 1 } });
  await memory.makeLink();
  assert.deepEqual(
    posted("/api/memory/games").map(({ content }) => content.games.length),
    [30, 30, 10],
  );
  assert.equal(posted("/api/memory/games")[0].headers.Authorization, `Bearer ${"s".repeat(22)}`);
  assert.ok(posted("/api/memory/games").every(({ content }) => JSON.stringify(content).length < 16_384));
  keepGame("room-1", { seat: 0, token: "t" });
  keepGame("room-77000", { seat: 0, token: "t" });
  serve({ "GET /api/rooms/room-77000/summary": [SEAT, {}] });
  await memory.collect("room-77000");
  assert.equal(posted("/api/memory/games").at(-1).content.games.length, 1);
});

test("both sides are brought up to date; a link that is gone takes nothing along", async () => {
  remember("memory.link", "s".repeat(22));
  memory.keep([game(1), game(2)]);
  const pages = { "": { games: [game(2)], next: "room-2000" }, "room-2000": { games: [game(3)], next: null } };
  serve({
    "GET /api/memory": (_, path) => pages[new URLSearchParams(path.split("?")[1]).get("after")],
    "POST /api/memory/games": { games: 3 },
  });
  assert.ok(await memory.sync());
  assert.equal(memory.remembered().length, 3);
  assert.deepEqual(posted("/api/memory/games")[0].content, { games: [game(1)] });
  serve({ "GET /api/memory": refuse(503, { code: "failed" }) });
  assert.ok(await memory.sync());
  assert.ok(memory.link());
  serve({ "GET /api/memory": refuse(404, { code: "no_memory" }) });
  assert.equal(await memory.sync(), false);
  assert.equal(memory.link(), null);
  assert.equal(memory.remembered().length, 3);
});

test("deleted games stay deleted", async () => {
  remember("memory.link", "s".repeat(22));
  keepGame("room-1000", { seat: 0, token: "t" });
  memory.keep([game(1)]);
  serve({
    "DELETE /api/memory": () => new Response(null, { status: 204 }),
    "GET /api/rooms/room-1000": state({ over: true }),
    "GET /api/rooms/room-1000/summary": [SEAT, {}],
  });
  await memory.forget(true);
  keepGame("room-1000", { visited: true });
  await memory.collectAll();
  assert.deepEqual(memory.remembered(), []);
  assert.equal(memory.link(), null);
  assert.equal(memory.evenOpponent(), "champion:level=3");
});

test("sums by opponent, kind of error and over time", () => {
  const all = [
    game(1),
    game(2, { result: 0, cost: 0.4, decisions: 20, errors: { target: 0.05, discard: 0.35 } }),
    game(3, { opponents: ["planner", "heuristic"], result: 0.5 }),
    game(4, { opponents: ["heuristic", "planner"], result: 0, decisions: 0, cost: 0 }),
    game(5),
  ];
  assert.deepEqual(
    memory.byOpponent(all).map(({ games, won }) => [games, won]),
    [
      [3, 2],
      [2, 0.5],
    ],
  );
  assert.deepEqual(
    memory.byKind(all).map(({ kind }) => kind),
    ["target", "discard"],
  );
  const rates = memory.errorRates(all, 2);
  assert.equal(rates.length, 4);
  assert.equal(rates[1].rate, 0.02);
  assert.equal(rates[1].mean.toFixed(6), (0.6 / 60).toFixed(6));
});

// ------------------------------------------------------------------ the page

const went = [];
const show = async () => {
  await showMe(main(), (path) => went.push(path));
  await settle();
};

test("a new visitor is told what will be here, and plays with one click", async () => {
  serve({ "POST /api/rooms": { room: "r1", seat: 0, token: "t", state: { promise: "a1", missing_numbers: [] } } });
  await show();
  assert.ok(texts("p", main()).includes("Nothing yet. Your finished games appear here by themselves."));
  await click(find("#play-even"));
  assert.deepEqual(posted("/api/rooms")[0].content.seats[1], { kind: "agent", agent: "champion:level=3" });
  assert.deepEqual(went, ["/game/r1"]);
});

test("the page says how strong somebody is, what errors cost, and lists the games", async () => {
  memory.keep([game(1), game(2, { result: 0, opponents: ["person"], counts: false, errors: { strange: 0.3 } })]);
  await show();
  assert.deepEqual(texts(".headline", main()), ["Level 4.8", "0.50%", "+0.5"]);
  assert.ok(texts("p", main()).includes("Against the champion you would win about 31% of your games."));
  assert.deepEqual(texts(".games a", main()).length, 2);
  assert.ok(texts(".games li", main())[0].includes("lost"));
  assert.ok(texts(".games li", main())[0].includes("does not count"));
  assert.ok(texts(".bars li", main()).some((line) => line.startsWith("Another target was better")));
  assert.equal(main().querySelectorAll("svg[role=img][aria-label]").length, 4);
});

test("without a game that counts there is no number", async () => {
  memory.keep([game(1, { counts: false })]);
  await show();
  assert.ok(texts("p", main()).includes("No game that counts yet: see below which ones do."));
  assert.equal(posted("/api/rating").length, 0);
});

test("a link of somebody else gets nothing unless that is wanted", async () => {
  const secret = "x".repeat(22);
  memory.keep([game(1)]);
  history.replaceState(null, "", `/me#${secret}`);
  serve({ "GET /api/memory": { games: [game(2), game(3)], next: null }, "POST /api/memory/games": { games: 3 } });
  await show();
  assert.equal(location.href, "http://localhost/me", "it is a secret");
  assert.ok(find("dialog").textContent.includes("Games behind it: 2."));
  assert.equal(posted("/api/memory/games").length, 0);
  assert.equal(memory.link(), null);
  assert.equal(memory.remembered().length, 1);
  await click(withWords("No"));
  assert.equal(memory.link(), null);
  history.replaceState(null, "", `/me#${secret}`);
  await show();
  await click(find("#adopt"));
  assert.equal(memory.link(), secret);
  assert.equal(memory.remembered().length, 3);
  assert.deepEqual(posted("/api/memory/games")[0].content, { games: [game(1)] });
});

test("a link that nobody knows is said to be none", async () => {
  history.replaceState(null, "", `/me#${"x".repeat(22)}`);
  serve({ "GET /api/memory": refuse(404, { code: "no_memory" }) });
  await show();
  assert.ok(find("#alert").textContent.startsWith("There is nothing under this private link"));
  assert.equal(find("dialog"), null);
  for (const hash of ["", "#", "#x", "#../../api", `#${"x".repeat(65)}`]) assert.equal(memory.secretOf(hash), null);
});

test("a link is made, shown and deleted", async () => {
  memory.keep([game(1)]);
  serve({
    "POST /api/memory": { token: "s".repeat(22), keep_days: 365 },
    "POST /api/memory/games": { games: 1 },
    "GET /api/memory": { games: [game(1)], next: null },
    "DELETE /api/memory": () => new Response(null, { status: 204 }),
  });
  await show();
  await click(find("#make-link"));
  assert.equal(find("#private-link").value, `http://localhost/me#${"s".repeat(22)}`);
  await click(find("#delete-link"));
  assert.ok(sent.some(({ method, path }) => method === "DELETE" && path === "/api/memory"));
  assert.equal(find("#private-link"), null);
  assert.equal(memory.remembered().length, 1);
});

test("a server that remembers too much says so", async () => {
  memory.keep([game(1)]);
  serve({ "POST /api/memory": refuse(503, { code: "memory_full" }) });
  await show();
  await click(find("#make-link"));
  assert.ok(find("#alert").textContent.startsWith("This server can’t remember more games now"));
  assert.equal(recall("memory.link", null), null);
});

test("everything is deleted when that is confirmed", async () => {
  memory.keep([game(1)]);
  await show();
  await click(find("#delete-all"));
  await click(withWords("Keep it"));
  assert.equal(memory.remembered().length, 1);
  await click(find("#delete-all"));
  await click(find("#really-delete"));
  assert.deepEqual(memory.remembered(), []);
  assert.ok(find("#play-even"));
});

test("every kind of error has its words in every language", async () => {
  for (const language of ["en", "de", "fr", "it"]) {
    await open("/me", language);
    serve({ "POST /api/rating": RATING });
    const kinds = ["target", "reduce_missed", "steal_victim", "discard", "frustrate_needless"];
    memory.keep([game(1, { errors: Object.fromEntries(kinds.map((kind) => [kind, 0.1])) })]);
    await show();
    const lines = texts(".bars li", main());
    assert.equal(lines.length, 5);
    for (const kind of kinds) assert.ok(!lines.some((line) => line.startsWith(kind)), kind);
  }
});
