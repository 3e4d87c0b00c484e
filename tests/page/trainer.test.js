// The trainer: puzzles without answers until one has chosen, the puzzle of the day, and one's own mistakes again.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { beforeEach, test } from "node:test";
import {
  choose,
  click,
  find,
  main,
  offline,
  open,
  position,
  refuse,
  sent,
  serve,
  settle,
  texts,
  withWords,
} from "./browser.js";
import * as deck from "../../play/pechvogel/web/js/deck.js";
import { TrainerPage } from "../../play/pechvogel/web/js/trainer.js";
import { casesTable, reasonLine } from "../../play/pechvogel/web/js/why.js";

const ids = ["00000001", "00000002", "00000003"];
const themes = ["frustrate", "target", "target"];
const LIST = { puzzles: ids.map((id, k) => ({ id, theme: themes[k], level: k + 1, players: 2 })) };
const ASKED = position({
  copies: 2,
  middle: [2, 2, 2, 2, 2],
  active: 1,
  to_act: 0,
  phase: "frustrate",
  target: 7,
  targets: 4,
  last_throw: [7, 7, 0],
});
const cases = [
  { end: "marker", chance: 1, points: 0, win_share: 0.4, active_points: 7, over: 0, stolen: 0, frustrated: 0 },
];
const reason = { action: 7, other: 5, difference: 0.1, end: "marker", by: "chance", amount: 0.1, kind: "rarer" };
const row = (action, win_share, costs) => ({
  action,
  win_share,
  costs,
  cases,
  reason: { ...reason, chances: [0.2, 0.9], share: 0.3 },
});
const ROWS = [row(7, 0.5, 0), row(5, 0.4, 0.1)];
const went = [];
let page;

const questionOf = (id) => ({
  id,
  theme: themes[ids.indexOf(id)],
  level: 3,
  judge: "exact",
  position: ASKED,
  scores: [3, 14],
  legal: [5, 7],
});
const server = () => ({
  "GET /api/puzzles": LIST,
  ...Object.fromEntries(ids.map((id) => [`GET /api/puzzles/${id}`, questionOf(id)])),
  ...Object.fromEntries(
    ids.map((id) => [
      `POST /api/puzzles/${id}`,
      ({ action }) => ({ right: action === 7, actions: ROWS, falls: ["heuristic", "champion:level=1"], text: "a b" }),
    ]),
  ),
});

async function visit(path, more = {}, prepare = () => {}) {
  await open(path);
  prepare();
  serve({ ...server(), ...more });
  page = new TrainerPage(main(), (to) => went.push(to));
  await page.start();
}
test("without a connection the trainer says so, instead of an empty page", async () => {
  await visit("/train", { "GET /api/puzzles": offline });
  assert.deepEqual(texts("h1, a", main()), ["No connection to the server. Trying again …", "New game", "Me"]);
});

const today = () => deck.dayOf();
const daily = () => ids[deck.ofDay(today(), 3)];
const paths = () => sent.map(({ method, path }) => `${method} ${path}`);
const key = (name) => page.key({ key: name, target: main() });
beforeEach(() => (went.length = 0));

test("the puzzle of the day comes first, with nothing that gives the answer away", async () => {
  await visit("/train");
  assert.deepEqual(paths(), ["GET /api/puzzles", `GET /api/puzzles/${daily()}`]);
  assert.ok(find(".puzzle").textContent.startsWith("Puzzle of the day · hard"));
  assert.ok(find(".puzzle").textContent.includes("2 players · Markers of each value: 2"), "a smaller game says so");
  assert.deepEqual(texts(".puzzle .actions button span"), ["Don't frustrate", "Frustrate"]);
  assert.equal(main().innerHTML.includes("50.0%"), false);
  assert.equal(find(".why"), null);
});

test("a right answer is told with its reason, and counts for the day", async () => {
  await visit("/train");
  await click(withWords("Frustrate2", "button"));
  assert.deepEqual(sent.at(-1).content, { action: 7 });
  assert.equal(find(".puzzle h2").textContent, "Right!");
  assert.equal(document.activeElement, find(".puzzle h2"));
  assert.ok(find(".why p").textContent.length > 20);
  assert.deepEqual(texts(".values tbody .number:nth-child(2)"), ["50.00%", "40.00%"]);
  assert.ok(find(".puzzle").textContent.includes("Wrong here, too: Casual player and Champion, level 1."));
  assert.equal(find(".puzzle a").getAttribute("href"), "/position?p=a%20b");
  assert.deepEqual(deck.kept().days, { [today()]: true });
  assert.deepEqual(deck.kept().cards, {});
  assert.ok(find(".train-head").textContent.includes("Right at once: 1 of 1"));
  assert.ok(find(".train-head").textContent.includes("Days in a row: 1"));
});

test("a wrong answer says what it costs, and comes again", async () => {
  await visit("/train");
  key("1");
  await settle();
  assert.equal(find(".puzzle h2").textContent, "Not quite.");
  assert.ok(find(".puzzle").textContent.includes("“Frustrate” wins 50.0%; “Don't frustrate” wins 10.0% less."));
  assert.deepEqual(deck.kept().days, { [today()]: false });
  assert.deepEqual(Object.keys(deck.kept().cards), [daily()]);
  assert.deepEqual([deck.due().length, deck.due(Date.now() + deck.AGAIN).length], [0, 1]);
  key("1"); // has been answered
  await settle();
  assert.equal(paths().filter((path) => path.startsWith("POST")).length, 1);
});

test("the next one is one that was not tried; keys do it all", async () => {
  await visit("/train");
  for (let k = 0; k < 3; k++) {
    key("2");
    await settle();
    key("n");
    await settle();
  }
  const shown = paths().filter((path) => path.startsWith("GET /api/puzzles/"));
  assert.equal(new Set(shown.slice(0, 3)).size, 3);
  assert.equal(shown.length, 4, "when all were tried, they begin again");
  assert.deepEqual(deck.score(ids), { tried: 3, right: 3 });
});

test("themes and levels are chosen by the address", async () => {
  await visit("/train?theme=target&level=3");
  assert.equal(paths()[1], "GET /api/puzzles/00000003");
  choose(find("#theme"), "frustrate");
  choose(find("#level"), "");
  assert.deepEqual(went, ["/train?theme=frustrate&level=3", "/train?theme=target"]);
  await visit("/train?theme=join");
  assert.equal(find("[role=status]").textContent, "There is no puzzle like that.");
});

test("a puzzle has a link; one that is unknown is told", async () => {
  await visit("/train?p=00000002");
  assert.equal(paths()[1], "GET /api/puzzles/00000002");
  await visit("/train?p=zzz", { "GET /api/puzzles/zzz": refuse(404, { error: "no", code: "no_puzzle" }) });
  assert.equal(find("[role=status]").textContent, "There is no such puzzle (any more).");
});

const GAME = { seat: 0, token: "t", at: 5 };
const decision = (more) => ({ seat: 0, position: "line", action: 5, best: 7, costs: 0.1, turn: 4, ...more });

test("mistakes of finished games of this browser come again, the dearest first", async () => {
  const decisions = [
    decision({ position: "cheap", costs: 0.019 }),
    decision({ position: "theirs", seat: 1 }),
    ...[1, 2, 3, 4, 5, 6].map((k) => decision({ position: `p${k}`, costs: k / 10 })),
  ];
  const games = { over: GAME, running: { ...GAME, at: 6 }, gone: GAME, looked: { at: 9 } };
  const answers = {
    "GET /api/rooms/over/review": { decisions },
    "GET /api/rooms/running/review": refuse(409, { error: "the game is not over yet" }),
  };
  await visit("/train", answers, () => localStorage.setItem("pechvogel.games", JSON.stringify(games)));
  assert.deepEqual(Object.keys(deck.kept().cards).sort(), ["p2", "p3", "p4", "p5", "p6"]);
  assert.deepEqual(deck.kept().rooms.sort(), ["gone", "over"], "one that is not over is looked at later");
  assert.equal(find("a[href='/train?mine']").textContent, "Your mistakes 5");
});

test("a mistake is asked again without its answer; one that is nearly as good is right", async () => {
  const advice = { actions: [row(7, 0.5, 0), row(5, 0.496, 0.004)] };
  const answers = {
    "GET /api/analyse": { position: ASKED, scores: [3, 14], text: "line", source: "estimated: x", advice },
  };
  await visit("/train?mine", answers, () => deck.add("line", { ...decision(), room: "r" }));
  assert.equal(paths()[1], "GET /api/analyse?position=line");
  assert.ok(find(".puzzle").textContent.startsWith("From a game of yours, turn 5"));
  assert.equal(main().innerHTML.includes("50.0%"), false);
  key("1");
  await settle();
  assert.equal(find(".puzzle h2").textContent, "Right!");
  assert.equal(deck.kept().cards.line.box, 1);
  assert.deepEqual(deck.kept().tried, {}, "only puzzles are scored");
});

test("all is forgotten on a second click, and mistakes of old games stay so", async () => {
  const games = { over: GAME };
  const answers = { "GET /api/rooms/over/review": { decisions: [decision()] } };
  await visit("/train", answers, () => localStorage.setItem("pechvogel.games", JSON.stringify(games)));
  key("2");
  await settle();
  const button = find("[data-key='forget']");
  await click(button);
  assert.equal(Object.keys(deck.kept().cards).length, 1);
  await click(button);
  assert.deepEqual([deck.kept().cards, deck.kept().tried, deck.kept().days], [{}, {}, {}]);
  await page.gather();
  assert.deepEqual(deck.kept().cards, {});
});

test("where nothing is due, or there is nothing yet, it says so", async () => {
  await visit("/train?mine");
  assert.ok(find("[role=status]").textContent.startsWith("No mistakes yet."));
  await visit("/train?mine", {}, () => deck.add("line", {}, Date.now() + 1e6));
  assert.ok(find("[role=status]").textContent.startsWith("Nothing is due now"));
  await click(withWords("Next puzzle"));
  assert.ok(find(".puzzle"));
});

test("a position that can't be analysed any more leaves the deck; a busy coach does not make it", async () => {
  const keep = () => deck.add("line", decision());
  await visit("/train?mine", { "GET /api/analyse": refuse(503, { error: "busy", code: "coach_busy" }) }, keep);
  assert.deepEqual(Object.keys(deck.kept().cards), ["line"]);
  await visit("/train?mine", { "GET /api/analyse": refuse(422, { error: "position: wrong" }) }, keep);
  assert.deepEqual(Object.keys(deck.kept().cards), []);
});

test("an answer that does not arrive can be given again", async () => {
  await visit("/train", { [`POST /api/puzzles/${daily()}`]: refuse(503, { error: "later", code: "full" }) });
  key("2");
  await settle();
  assert.ok(find("#alert").textContent);
  serve(server());
  key("2");
  await settle();
  assert.equal(find(".puzzle h2").textContent, "Right!");
});

test("every packaged puzzle can be told in all languages", async () => {
  const packaged = JSON.parse(readFileSync(new URL("../../play/pechvogel/puzzles.json", import.meta.url)));
  assert.ok(packaged.puzzles.length >= 500);
  for (const language of ["en", "de", "fr", "it"]) {
    await open("/train", language);
    for (const puzzle of packaged.puzzles) {
      const parts = puzzle.position.split("_");
      const [players, asking, active] = [parts[0][0], parts.at(-2).at(-1), parts[4]].map(Number);
      const seats = Array.from({ length: players }, (_, k) => ({ kind: "person", name: "ABCDE"[k], agent: null }));
      const shown = position({ num_players: players, to_act: asking, active, phase: puzzle.theme });
      for (const one of puzzle.actions) {
        const line = reasonLine(one, null, shown, seats, asking);
        const told = `${line} ${casesTable(one, shown, seats, asking).textContent}`;
        assert.ok(line.length > 10 && !/[{}]|undefined|NaN/.test(told), `${puzzle.position}: ${told}`);
      }
    }
  }
});

test("in four languages nothing is without words", async () => {
  for (const language of ["de", "fr", "it"]) {
    await open("/train", language);
    serve(server());
    page = new TrainerPage(main(), () => {});
    await page.start();
    key("1");
    await settle();
    assert.equal(/\{\w+\}/.test(main().textContent), false, main().textContent);
  }
});
