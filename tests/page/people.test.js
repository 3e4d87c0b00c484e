// People together: notices, calls, onlookers, results and series, rematches with the same seats, games of agents alone.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import {
  agent,
  choose,
  click,
  find,
  main,
  open,
  person,
  refuse,
  serve,
  settle,
  state,
  Stream,
  submit,
  texts,
  withWords,
} from "./browser.js";
import { begun as visited, leave, page, posted, went } from "./visit.js";
import { forgetGame, games } from "../../play/pechvogel/web/js/api.js";
import { showLobby } from "../../play/pechvogel/web/js/lobby.js";
import { places, sumsBefore } from "../../play/pechvogel/web/js/people.js";
import { remember } from "../../play/pechvogel/web/js/words.js";

const PAIR = { seats: [person("Ann"), person("Bob")] };
const ended = (more = {}) => ({
  ...PAIR,
  over: true,
  to_act: null,
  legal: [],
  winners: [0],
  scores: [12, 7],
  owner: 0,
  ...more,
});

beforeEach(() => open("/game/r1"));
afterEach(() => {
  leave();
  delete navigator.setAppBadge;
  delete navigator.clearAppBadge;
});

const begun = (server, seat = 0) => visited(server, seat === null ? null : { seat, token: "t", visited: true });

// ------------------------------------------------------------------ whose turn it is

test("the title and the icon say that we are asked, and no longer when we are not", async () => {
  const badges = [];
  navigator.setAppBadge = async (count) => badges.push(count);
  navigator.clearAppBadge = async () => badges.push(0);
  await begun();
  assert.equal(document.title, "● Your turn – Pechvogel");
  Stream.last.send("state", state({ to_act: 1, events: 2, played: 1 }));
  await settle();
  assert.equal(document.title, "Pechvogel");
  Stream.last.send("state", state({ played: 2 }));
  await settle();
  page.stop();
  assert.equal(document.title, "Pechvogel", "whoever goes elsewhere is not called");
  assert.deepEqual(badges, [1, 0, 1, 0]);
});

test("a browser that may not show badges plays on", async () => {
  navigator.setAppBadge = () => Promise.reject(new Error("not allowed"));
  await begun();
  await settle();
  assert.equal(document.title, "● Your turn – Pechvogel");
});

// ------------------------------------------------------------------ calls and onlookers

test("a call is seen at its seat for a moment, and read out", async () => {
  await begun(PAIR);
  mock.timers.enable({ apis: ["setTimeout"] });
  Stream.last.send("call", { seat: 1, what: "well_played" });
  const shown = () => texts(".bubble.call.shown");
  assert.deepEqual(shown(), ["Well played!"]);
  assert.equal(find(".bubble.call.shown").closest(".seat").dataset.seat, "1");
  assert.equal(texts("#news p").at(-1), "Bob: Well played!");
  mock.timers.tick(4000);
  assert.deepEqual(shown(), []);
});

test("what is no call is not shown, and others can be muted", async () => {
  await begun(PAIR);
  const before = texts("#news p").length;
  Stream.last.send("call", { seat: 1, what: "<b>free text</b>" });
  Stream.last.send("call", { seat: 7, what: "hello" });
  remember("mute", true);
  Stream.last.send("call", { seat: 1, what: "hello" });
  assert.deepEqual([texts(".bubble.call.shown"), texts("#news p").length], [[], before]);
  Stream.last.send("call", { seat: 0, what: "hello" });
  assert.deepEqual(texts(".bubble.call.shown"), ["Hello!"], "one's own is heard by the others, too");
});

test("calls are for tables of several people, and not too many", async () => {
  await begun();
  assert.equal(find(".calls"), null, "agents don't listen");
  forgetGame("r1");
  await begun(PAIR, null);
  assert.equal(find(".calls"), null, "nor do onlookers call");
  await begun(PAIR);
  assert.equal(document.querySelectorAll(".calls button").length, 6);
  assert.equal(find(".calls").getAttribute("aria-label"), "Call out to the others");
  serve({ "POST /api/rooms/r1/call": () => new Response(null, { status: 204 }) });
  await click(withWords("Thanks!"));
  await click(withWords("Ouch!"));
  assert.deepEqual(posted(), [["/api/rooms/r1/call", { what: "thanks" }]]);
});

test("on a phone, calls open by a button, and close when something was called", async () => {
  await begun(PAIR);
  serve({ "POST /api/rooms/r1/call": () => new Response(null, { status: 204 }) });
  const folded = () => [find(".call-box").matches(".open"), find(".call-opener").getAttribute("aria-expanded")];
  assert.deepEqual(folded(), [false, "false"]);
  await click(find(".call-opener"));
  assert.deepEqual(folded(), [true, "true"]);
  await click(withWords("Thanks!"));
  assert.deepEqual(folded(), [false, "false"]);
});

test("onlookers are counted, and say that they are some", async () => {
  await begun();
  assert.ok(!Stream.last.path.includes("looking"));
  const crowd = () => texts(".noted .badge");
  assert.deepEqual(crowd(), []);
  Stream.last.send("onlookers", 1);
  assert.deepEqual(crowd(), ["1 onlooker"]);
  Stream.last.send("onlookers", 3);
  assert.deepEqual(crowd(), ["3 onlookers"]);
  Stream.last.send("onlookers", 0);
  assert.deepEqual(crowd(), []);
  forgetGame("r1");
  await begun({}, null);
  assert.ok(Stream.last.path.endsWith("&looking=true"));
});

test("whoever sits down, or loses the seat, listens as what they are then", async () => {
  const free = { seats: [person("Ann"), { kind: "open", name: "", agent: null, wishes: [] }], begun: false };
  await begun({ ...free, position: null, scores: null }, null);
  const looking = Stream.last;
  assert.ok(looking.path.endsWith("&looking=true"));
  const now = state({ ...PAIR, begun: false, position: null, scores: null });
  serve({ "POST /api/rooms/r1/join": { seat: 1, token: "t", state: now } });
  await submit(find("form"));
  assert.equal(looking.readyState, Stream.CLOSED);
  assert.ok(!Stream.last.path.includes("looking"));
});

// ------------------------------------------------------------------ results, series, rematches

test("equal points share a place", () => {
  assert.deepEqual(
    places([5, 9, 5, -2]).map(({ seat, place }) => [seat, place]),
    [
      [1, 1],
      [0, 2],
      [2, 2],
      [3, 4],
    ],
  );
});

test("the result has places, points and where they come from", async () => {
  const players = [
    { markers: [1, 0, 1, 0, 1], frustrations: 1 },
    { markers: [0, 0, 0, 0, 1], frustrations: 0 },
  ];
  const now = state();
  await begun(ended({ position: { ...now.position, phase: "over", middle: [0, 0, 0, 0, 0], players } }));
  assert.deepEqual(texts(".ranking li"), ["1.AYou12 points15 − 3", "2.BBob7 points"]);
  assert.equal(find(".series"), null);
});

test("a series is shown at the table, without giving its end away, and at its result", async () => {
  const series = { games: 3, number: 2, points: [20, 25], wins: [0, 1] };
  await begun({ ...PAIR, series });
  assert.deepEqual(texts(".noted .badge"), ["Game 2 of 3"]);
  assert.deepEqual(texts(".seat .line").sort(), ["Σ 20", "Σ 25"]);
  const over = ended({ series: { ...series, points: [32, 32] } });
  assert.deepEqual(sumsBefore(over), [20, 25]);
  await begun(over);
  assert.deepEqual(texts(".ranking .sum"), ["Σ 32", "Σ 32"]);
  assert.equal(find(".series").textContent, "After game 2 of 3, 32 points lead: You and Bob.");
  assert.equal(find("[data-key='rematch']").textContent, "Next game");
  await begun(ended({ series: { ...series, number: 3, points: [40, 32] } }));
  assert.equal(find(".series").textContent, "The series of 3 games is over. The highest sum, 40 points: You.");
  assert.equal(find("[data-key='rematch']").textContent, "Rematch");
});

test("everybody has their seat in a rematch, by the token that they have", async () => {
  await begun(ended({ rematch: "r2" }), 1);
  assert.deepEqual([games().r2.seat, games().r2.token], [1, "t"]);
  assert.equal(withWords("Go there", "a").getAttribute("href"), "/game/r2");
  forgetGame("r1");
  await begun(ended({ rematch: "r3" }), null);
  assert.equal(games().r3, undefined, "an onlooker stays one");
});

test("only whoever opened a game can delete it; if they have gone, any player", async () => {
  const offered = async (owner, seat) => {
    await begun(ended({ owner }), seat);
    const found = find("[data-key='delete']");
    assert.ok(!found?.closest(".ask"), "it is away from the rematch");
    return Boolean(found);
  };
  assert.equal(await offered(0, 0), true);
  assert.equal(await offered(0, 1), false);
  assert.equal(await offered(null, 1), true);
});

// ------------------------------------------------------------------ agents among themselves

test("agents are watched, and once more", async () => {
  const seats = [agent("champion"), agent("heuristic")];
  await begun({ ...ended(), seats, unattended: true, copies: 2, italian_reading: false }, null);
  serve({ "POST /api/rooms": refuse(429, { code: "yours_full", facts: {} }) });
  await click(withWords("Watch another game"));
  assert.equal(withWords("Watch another game").disabled, false);
  serve({ "POST /api/rooms": { room: "r2", seat: null, token: null, state: {} } });
  await click(withWords("Watch another game"));
  assert.deepEqual(went, ["/game/r2"]);
  const wanted = { seats: seats.map((one) => ({ kind: "agent", agent: one.agent })) };
  assert.deepEqual(posted().at(-1), ["/api/rooms", { ...wanted, pace: 0.5, copies: 2, italian_reading: false }]);
  assert.equal(games().r2, undefined, "nobody has a seat there");
});

test("the lobby opens a series, or a game without people", async () => {
  await open();
  serve({
    "GET /api/agents": { agents: ["champion", "heuristic"], only: {} },
    "POST /api/rooms": { room: "r9", seat: 0, token: "t", state: { promise: "a", missing_numbers: [] } },
  });
  await showLobby(main(), (path) => went.push(path));
  await choose(find("#series"), "5");
  await submit(find("form"));
  assert.equal(posted().at(-1)[1].series, 5);
  await showLobby(main(), (path) => went.push(path));
  assert.equal(find("#series").value, "5", "it is remembered");
  await choose(find("#seats select"), "person");
  serve({ "POST /api/rooms": { room: "r8", seat: null, token: null, state: {} } });
  await click(find("#watch"));
  const [, wish] = posted().at(-1);
  assert.deepEqual(wish.seats, [
    { kind: "agent", agent: "champion" },
    { kind: "agent", agent: "champion" },
  ]);
  assert.deepEqual(went, ["/game/r9", "/game/r8"]);
});
