// A game on the page: what it does with the stream, when it shows what, and what it sends.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import {
  agent,
  click,
  find,
  main,
  offline,
  open,
  person,
  position,
  refuse,
  sent,
  serve,
  settle,
  state,
  Stream,
  submit,
  texts,
  type,
  withWords,
} from "./browser.js";
import { REVIEW } from "./finished.js";
import { begin, begun, leave, page, posted, visit, went } from "./visit.js";
import { games, keepGame } from "../../play/pechvogel/web/js/api.js";
import { isLost } from "../../play/pechvogel/web/js/connection.js";
import { commitment } from "../../play/pechvogel/web/js/fair.js";
import { GamePage } from "../../play/pechvogel/web/js/game.js";
import { remember } from "../../play/pechvogel/web/js/words.js";

beforeEach(() => open("/game/r1"));
afterEach(leave);

const onBoard = () => [...document.querySelectorAll(".slots .die:not(.away)")];
const asked = () =>
  [...document.querySelectorAll(".actions button")].map((one) =>
    texts(".words, .share", one).filter(Boolean).join(" · "),
  );
const press = (value, more) => {
  const event = new window.KeyboardEvent("keydown", { key: value, bubbles: true, cancelable: true, ...more });
  document.addEventListener("keydown", (one) => page.key(one), { once: true });
  document.body.dispatchEvent(event);
  return event;
};

// ------------------------------------------------------------------ coming in

test("a game that is gone says so, and is forgotten", async () => {
  await visit({}, null);
  keepGame("r1", { seat: 0, token: "t" });
  serve({ "GET /api/rooms/r1": refuse(404, {}) });
  await new GamePage("r1", main(), () => {}).start();
  assert.deepEqual(texts("h1, a", main()), ["This game does not exist any more.", "New game"]);
  assert.equal(games().r1, undefined);
});

test("a server that is away loses no game", async () => {
  keepGame("r1", { seat: 0, token: "t" });
  serve({ "GET /api/rooms/r1": offline });
  await new GamePage("r1", main(), () => {}).start();
  assert.deepEqual(texts("h1, a", main()), ["Without a connection this game can’t be shown.", "New game", "Me"]);
  assert.equal(games().r1.token, "t");
});

test("a player is asked when what happened has come, and is told so", async () => {
  await visit();
  assert.equal(Stream.last.path, "/api/rooms/r1/events?after=-1");
  begin();
  await settle();
  assert.equal(find("#ask-title").textContent, "Which number is your target?");
  assert.deepEqual(asked(), ["Target 3", "Target 4", "Target 7"]);
  assert.deepEqual(texts("kbd"), ["1", "2", "3"]);
  assert.deepEqual(texts(".log li"), ["The game begins.", "You throw 7, 7, 3, raven, 4, 4, 7."]);
  assert.deepEqual(texts("#news p"), ["You decide: Which number is your target?"], "what is long past is not read out");
  assert.equal(document.activeElement, find(".actions button"));
});

test("events of a game that was just opened are all shown and read out", async () => {
  await visit({}, { seat: 0, token: "t" });
  assert.equal(main().children.length, 0, "nothing is shown before its time");
  begin();
  await settle();
  assert.deepEqual(texts("#news p"), [
    "The game begins.",
    "You throw 7, 7, 3, raven, 4, 4, 7.",
    "You decide: Which number is your target?",
  ]);
  assert.equal(games().r1.visited, true);
});

test("a number that the server misses is sent again", async () => {
  await visit({ begun: false, missing_numbers: [0] });
  assert.deepEqual(posted(), [["/api/rooms/r1/number", { number: "77" }]]);
});

// ------------------------------------------------------------------ the stream

test("what a stream tells twice happens once", async () => {
  await begun();
  begin();
  await settle();
  assert.equal(texts(".log li").length, 2);
});

test("an older state is no news", async () => {
  await begun();
  Stream.last.send("state", state({ events: 1, legal: [0] }));
  await settle();
  assert.equal(asked().length, 3);
});

test("nobody is asked before all has come that the state knows of", async () => {
  await begun();
  const next = state({ events: 4, played: 1, legal: [6, 5], position: position({ phase: "reduce", target: 7 }) });
  Stream.last.send("state", next);
  await settle();
  assert.deepEqual([asked(), texts(".ask p")], [[], ["…"]]);
  const target = { phase: "target", active: 0, target: null, num_players: 2, frustraters: [] };
  const fact = { seat: 0, position: next.position, scores: [0, 0] };
  Stream.last.tell({ number: 2, kind: "action", action: 4, forced: false, asked: target, ...fact });
  await settle();
  assert.deepEqual(asked(), []);
  Stream.last.tell({ number: 3, kind: "throw", faces: [7, 3], ...fact });
  await settle();
  assert.deepEqual(asked(), ["Reduce frustration", "Keep the throw"]);
});

test("what ended a turn lies on the board until that was seen", async () => {
  remember("pace", "normal");
  await begun({ position: position({ target: 7, targets: 3, ravens: 2, last_throw: [0, 5] }) });
  mock.timers.enable({ apis: ["setTimeout"] });
  const turn = { active: 0, targets: 0, ravens: 3, frustrations: [1, 0], murphy: null };
  const after = position({ active: 1, phase: "throw", last_throw: [] });
  Stream.last.tell({ number: 2, kind: "end", seat: 0, position: after, scores: [-3, 0], turn });
  await settle();
  assert.deepEqual(texts(".ask p"), ["Three ravens: the turn is over, and you get a frustration."]);
  assert.equal(find(".tray h2").textContent, "throw: You");
  assert.equal(onBoard().length, 5);
  assert.deepEqual(texts(".points"), ["0 points", "−3 points"]);
  Stream.last.send("state", state({ events: 3, to_act: 1, position: after, scores: [-3, 0] }));
  mock.timers.tick(1.5 * 700 - 1);
  await settle();
  assert.equal(find(".tray h2").textContent, "throw: You");
  mock.timers.tick(1);
  await settle();
  assert.equal(find(".tray h2").textContent, "throw: Bruno");
  assert.equal(onBoard().length, 0);
});

test("what dice show is told when they have landed, and the board changes then", async () => {
  await begun();
  remember("pace", "fast");
  mock.timers.enable({ apis: ["setTimeout"] });
  const thrown = position({ target: 7, targets: 4, last_throw: [7, 7, 3, 4, 5] });
  Stream.last.tell({ number: 2, kind: "throw", seat: 0, faces: [7, 7, 3, 4, 5], position: thrown, scores: [0, 0] });
  await settle();
  assert.equal(document.querySelectorAll(".tray .rolling").length, 5);
  assert.equal(find(".asked").dataset.seat, "0");
  assert.equal(onBoard().length, 2);
  const told = () => [texts(".ask p"), texts(".log li").length, find(".board p.unseen").textContent];
  const [asking, lines, words] = told();
  assert.deepEqual([asking, lines, /7, 7, 3, 4, 5/.test(words)], [["You: the dice are rolling …"], 2, false]);
  assert.doesNotMatch(find("#news").textContent, /7, 7, 3, 4, 5/);
  mock.timers.tick(250);
  await settle();
  assert.equal(document.querySelectorAll(".rolling").length, 0);
  assert.equal(onBoard().length, 4);
  assert.deepEqual(told(), [["You throw 7, 7, 3, 4, 5."], 3, "throw: 7, 7, 3, 4, 5; target: 4 × 7; ravens: 0"]);
  assert.match(find("#news").textContent, /7, 7, 3, 4, 5/);
});

test("many events can be skipped", async () => {
  await begun();
  remember("pace", "slow");
  mock.timers.enable({ apis: ["setTimeout"] });
  for (let k = 2; k < 12; k++) {
    Stream.last.tell({ number: k, kind: "throw", seat: 1, faces: [k % 5], position: position(), scores: [0, 0] });
  }
  await settle();
  mock.timers.tick(1400);
  await settle();
  await click(withWords("Skip ahead"));
  assert.equal(texts(".log li").length, 3);
  mock.timers.tick(700); // what is being shown has its time
  await settle();
  assert.equal(texts(".log li").length, 12);
});

test("a lost connection is told, and a new stream goes on where the last one ended", async () => {
  await begun();
  mock.timers.enable({ apis: ["setTimeout"] });
  Stream.last.onerror();
  assert.ok(isLost());
  mock.timers.tick(5000);
  assert.equal(Stream.all.length, 1, "the browser tries again by itself");
  assert.ok(isLost(), "it is told for as long as it lasts");
  Stream.last.close();
  Stream.last.onerror();
  mock.timers.tick(2000);
  assert.deepEqual([Stream.all.length, Stream.last.path], [2, "/api/rooms/r1/events?after=1"]);
  Stream.last.send("state", state());
  assert.ok(!isLost());
});

test("a deleted game is gone for all who watch it", async () => {
  await begun();
  Stream.last.send("gone");
  assert.deepEqual(texts("h1", main()), ["The game was deleted."]);
  assert.equal(games().r1, undefined);
  assert.equal(Stream.last.readyState, Stream.CLOSED);
});

// ------------------------------------------------------------------ decisions

test("a decision is sent once, with the number of what was played", async () => {
  await begun({ played: 5 });
  serve({ "POST /api/rooms/r1/act": state({ events: 2 }) });
  const seven = withWords("Target 7", ".actions span").parentElement;
  seven.click();
  seven.click();
  await settle();
  assert.deepEqual(posted(), [["/api/rooms/r1/act", { action: 4, played: 5 }]]);
  assert.equal(sent.at(-1).headers.Authorization, "Bearer t");
  await click(find("[data-action='0']"));
  assert.equal(posted().length, 2);
});

/** A click by a finger or a mouse. */
const tap = async (element, [x, y], began = performance.now()) => {
  page.answers.pressedAt = began;
  element.dispatchEvent(new window.MouseEvent("click", { detail: 1, clientX: x, clientY: y, bubbles: true }));
  await settle();
};

test("a click on the spot of the last answer is none until the new question has been seen", async () => {
  await begun();
  serve({ "POST /api/rooms/r1/act": state({ played: 1, events: 2 }) });
  await tap(find("[data-action='0']"), [50, 50]);
  assert.equal(posted().length, 1);
  await tap(find("[data-action='1']"), [52, 50], page.answers.askedAt + 100);
  assert.equal(posted().length, 1, "it was the second half of a double click");
  await tap(find("[data-action='1']"), [52, 50], page.answers.askedAt + 260);
  assert.equal(posted().length, 2, "by now it has been seen");
});

test("a quick click elsewhere is an answer", async () => {
  await begun();
  serve({ "POST /api/rooms/r1/act": state({ played: 1, events: 2 }) });
  await tap(find("[data-action='0']"), [50, 50]);
  await tap(find("[data-action='4']"), [250, 50], page.answers.askedAt + 1);
  assert.deepEqual(
    posted().map(([, { action }]) => action),
    [0, 4],
  );
});

test("the same key pressed twice at once answers one question", async () => {
  await begun();
  serve({ "POST /api/rooms/r1/act": state({ played: 1, events: 2 }) });
  press("1");
  await settle();
  press("1");
  await settle();
  assert.equal(posted().length, 1);
  press("2");
  await settle();
  assert.equal(posted().length, 2);
});

test("buttons stay the same elements as long as the question is the same", async () => {
  await begun();
  const before = find(".actions button");
  Stream.last.send("state", state());
  await settle();
  assert.equal(find(".actions button"), before, "a finger may be on it");
});

test("dice, markers and opponents can be clicked where that is the action", async () => {
  await begun();
  serve({ "POST /api/rooms/r1/act": state() });
  assert.deepEqual(
    [...document.querySelectorAll("[data-do]")].map((one) => [one.dataset.face, one.dataset.do]),
    [
      ["7", "4"],
      ["7", "4"],
      ["3", "0"],
      ["4", "1"],
      ["4", "1"],
      ["7", "4"],
    ],
  );
  await click(find("[data-do='4'] .top"));
  assert.deepEqual(posted(), [["/api/rooms/r1/act", { action: 4, played: 0 }]]);
  page.stop();
  const players = [
    { markers: [0, 0, 0, 0, 0], frustrations: 0 },
    { markers: [0, 0, 0, 0, 1], frustrations: 0 },
  ];
  const taking = position({ phase: "take", target: 7, targets: 4, last_throw: [7], middle: [3, 3, 3, 3, 2], players });
  await begun({ position: taking, legal: [8, 9] });
  assert.deepEqual(
    ["8", "9"].map((action) => document.querySelectorAll(`[data-do='${action}']`).length),
    [2, 2],
    "two in the middle; a marker and its owner's face",
  );
  await click(find(".others .marker[data-do='9']"));
  assert.deepEqual(posted().at(-1)[1], { action: 9, played: 0 });
});

test("digits choose actions, unless somebody types, holds the key, or reads a dialog", async () => {
  await begun();
  serve({ "POST /api/rooms/r1/act": state() });
  for (const more of [{ repeat: true }, { ctrlKey: true }, { metaKey: true }, { altKey: true }]) press("1", more);
  for (const other of ["0", "9", "a", "Enter"]) press(other);
  const dialog = document.createElement("dialog");
  document.body.append(dialog);
  dialog.showModal();
  press("1");
  dialog.remove();
  const field = document.body.appendChild(document.createElement("input"));
  field.addEventListener("keydown", (event) => page.key(event));
  field.dispatchEvent(new window.KeyboardEvent("keydown", { key: "1" }));
  field.remove();
  assert.deepEqual(posted(), []);
  assert.equal(press("2").defaultPrevented, true);
  await settle();
  assert.deepEqual(posted(), [["/api/rooms/r1/act", { action: 1, played: 0 }]]);
});

test("a refused decision is told, and another can be made", async () => {
  await begun();
  serve({ "POST /api/rooms/r1/act": refuse(409, { code: "gone_on" }) });
  await click(find(".actions button"));
  assert.equal(find("#alert").textContent, "The game has gone on in the meantime.");
  await click(find(".actions button"));
  assert.equal(posted().length, 2);
});

test("focus stays on its button when the page is drawn anew", async () => {
  await begun();
  find("[data-key='action-1']").focus();
  Stream.last.send("state", state());
  await settle();
  assert.equal(document.activeElement.dataset.key, "action-1");
});

// ------------------------------------------------------------------ the coach

const better = (action, other) => ({ kind: "likelier", action, other, end: "marker", chances: [0.8, 0.5] });
const ADVICE = {
  seat: 0,
  source: "champion",
  actions: [
    { action: 4, win_share: 0.51, costs: 0, reason: better(4, 1), cases: [] },
    { action: 1, win_share: 0.48, costs: 0.03, reason: better(4, 1), cases: [] },
    { action: 0, win_share: 0.4, costs: 0.11, reason: better(4, 0), cases: [] },
  ],
};

test("a hint prices every action, and tells the best one", async () => {
  await begun();
  serve({ "POST /api/rooms/r1/hint": ADVICE });
  await click(withWords("Hint"));
  assert.deepEqual(asked(), ["Target 3 · 40.0%", "Target 4 · 48.0%", "Target 7 · 51.0%"]);
  assert.equal(texts(".advice")[1], "costs 3.0%. “Target 7” ends with a marker more often: 80% instead of 50%.");
  assert.match(find(".best .advice").textContent, /^best\. “Target 7” ends/);
  assert.equal(texts("#news p").at(-1), "best: Target 7");
  assert.equal(find("[data-key='hint']"), null);
  assert.match(find(".ask").textContent, /Coach: estimated by the champion$/);
});

test("where all have agreed, the coach speaks by itself, if that is wanted", async () => {
  remember("coach", "all");
  serve({ "GET /api/rooms/r1/advice": ADVICE });
  await begun({ agreed: { coach: true, take_back: false } });
  assert.deepEqual(asked(), ["Target 3 · 40.0%", "Target 4 · 48.0%", "Target 7 · 51.0%"]);
  assert.equal(sent.at(-1).headers.Authorization, "Bearer t");
});

test("the coach is asked once per decision, and a decision ends the question", async () => {
  remember("coach", "all");
  serve({ "GET /api/rooms/r1/advice": () => new Promise(() => {}), "POST /api/rooms/r1/act": state() });
  await begun({ agreed: { coach: true, take_back: false } });
  Stream.last.send("state", state({ agreed: { coach: true, take_back: false } }));
  await settle();
  const questions = sent.filter(({ path }) => path.endsWith("/advice"));
  assert.equal(questions.length, 1);
  assert.equal(questions[0].signal.aborted, false);
  await click(find(".actions button"));
  assert.equal(questions[0].signal.aborted, true);
});

const COACHED = { agreed: { coach: true, take_back: false } };

test("the tutor is silent until a choice costs more than the threshold; then one may choose again", async () => {
  serve({ "GET /api/rooms/r1/advice": ADVICE, "POST /api/rooms/r1/act": state({ ...COACHED }) });
  await begun(COACHED);
  assert.deepEqual(texts(".advice"), [], "values are not shown");
  await click(find("[data-action='1']"));
  assert.deepEqual(posted(), []);
  assert.deepEqual(texts(".really h2, .really p:not(.extras)"), [
    "Really?",
    "“Target 4” would cost you 3.0% of the win.",
    "“Target 7” ends with a marker more often: 80% instead of 50%.",
  ]);
  assert.equal(document.querySelectorAll("[data-do]").length, 0, "the dice wait, too");
  await click(find("[data-key='again']"));
  assert.equal(asked().length, 3);
  await click(find("[data-action='4']"));
  assert.deepEqual(posted(), [["/api/rooms/r1/act", { action: 4, played: 0 }]], "the best is never doubted");
  await click(find("[data-action='0']"));
  await click(find("[data-key='anyway']"));
  assert.deepEqual(posted().at(-1), ["/api/rooms/r1/act", { action: 0, played: 0 }]);
});

test("what was chosen is seen at once, while the tutor still thinks", async () => {
  let answer = null;
  serve({ "GET /api/rooms/r1/advice": () => new Promise((wake) => (answer = () => wake(Response.json(ADVICE)))) });
  await begun(COACHED);
  await click(find("[data-action='1']"));
  assert.deepEqual(texts(".actions .chosen .words"), ["Target 4"]);
  assert.equal(find(".ask").getAttribute("aria-busy"), "true");
  answer();
  await settle();
  assert.equal(find(".really h2").textContent, "Really?");
  await click(find("[data-key='again']"));
  assert.equal(find(".actions .chosen"), null, "then all are open again");
  assert.equal(find(".ask").getAttribute("aria-busy"), null);
});

test("a threshold that is higher lets more pass", async () => {
  remember("coach", "5");
  serve({ "GET /api/rooms/r1/advice": ADVICE, "POST /api/rooms/r1/act": state({ ...COACHED }) });
  await begun(COACHED);
  await click(find("[data-action='1']"));
  assert.equal(posted().length, 1);
  await click(find("[data-action='0']"));
  assert.equal(posted().length, 1);
});

test("a tutor that does not answer keeps nobody waiting for long", async () => {
  serve({ "GET /api/rooms/r1/advice": () => new Promise(() => {}), "POST /api/rooms/r1/act": state() });
  await begun(COACHED);
  mock.timers.enable({ apis: ["setTimeout"] });
  await click(find("[data-action='1']"));
  assert.deepEqual(posted(), []);
  mock.timers.tick(1500);
  await settle();
  assert.equal(posted().length, 1);
});

// ------------------------------------------------------------------ not asked needlessly

const frustrated = (more = {}, other = {}) => ({
  legal: [5, 7],
  position: position({
    phase: "frustrate",
    active: 1,
    target: 7,
    targets: 2,
    ravens: 1,
    last_throw: [7, 0, 4, 5, 5],
    turn: 6,
    ...more,
  }),
  ...other,
});

test("a turn that was let go asks no more, but the next one does", async () => {
  await begun(frustrated());
  serve({ "POST /api/rooms/r1/act": state(frustrated({}, { played: 1, events: 3 })) });
  await click(find("[data-key='let-go']"));
  assert.deepEqual(posted(), [["/api/rooms/r1/act", { action: 5, played: 0 }]]);
  serve({ "POST /api/rooms/r1/act": state(frustrated({ turn: 7 }, { played: 2, events: 3 })) });
  Stream.last.tell({ number: 2, kind: "practice" });
  await settle();
  await new Promise((wake) => setTimeout(wake, 20));
  await settle();
  assert.deepEqual(posted().at(-1), ["/api/rooms/r1/act", { action: 5, played: 1 }]);
  assert.equal(posted().length, 2);
  assert.deepEqual(asked(), ["Don't frustrate", "Frustrate"], "this is another turn");
});

test("the tutor asks back about a turn that is let go, and then it is asked again", async () => {
  const rows = [
    { action: 7, win_share: 0.6, costs: 0, reason: better(7, 5), cases: [] },
    { action: 5, win_share: 0.5, costs: 0.1, reason: better(7, 5), cases: [] },
  ];
  serve({ "GET /api/rooms/r1/advice": { ...ADVICE, actions: rows } });
  await begun(frustrated({}, COACHED));
  await click(find("[data-key='let-go']"));
  assert.deepEqual([texts("#ask-title"), posted()], [["Really?"], []]);
  await click(find("[data-key='again']"));
  assert.deepEqual([asked().length, posted()], [2, []]);
});

test("a click that came too early lets nothing go", async () => {
  await begun(frustrated());
  page.answers.last = { spot: [50, 50] };
  await tap(find("[data-key='let-go']"), [50, 50], page.answers.askedAt + 1);
  Stream.last.send("state", state(frustrated()));
  await settle();
  assert.deepEqual([asked().length, posted()], [2, []]);
});

test("whoever wants it passes by itself where three ravens lie, and is told so", async () => {
  remember("let_ravens", true);
  mock.timers.enable({ apis: ["setTimeout"] });
  await begun(frustrated({ ravens: 3 }));
  assert.deepEqual(texts(".ask p"), ["Passed for you: three ravens lie there."]);
  serve({ "POST /api/rooms/r1/act": state(frustrated({ ravens: 3, targets: 4 }, { played: 1 })) });
  mock.timers.tick(0);
  await settle();
  assert.deepEqual(posted(), [["/api/rooms/r1/act", { action: 5, played: 0 }]]);
  assert.equal(asked().length, 2, "with four targets they would get the marker");
});

test("at a table of several people a habit takes as long as a thought", async () => {
  remember("ask", "marker");
  mock.timers.enable({ apis: ["setTimeout"] });
  serve({ "POST /api/rooms/r1/act": state(frustrated({}, { seats: [person("Ann"), person("Bob")] })) });
  await begun(frustrated({}, { seats: [person("Ann"), person("Bob")] }));
  mock.timers.tick(599);
  await settle();
  assert.deepEqual(posted(), []);
  mock.timers.tick(1801);
  await settle();
  assert.equal(posted().length, 1);
});

test("what was taken back is asked again, whatever one's habits", async () => {
  remember("ask", "marker");
  await begun();
  const again = state(frustrated({}, { events: 3, played: 2 }));
  Stream.last.tell({ number: 2, kind: "taken_back", seat: 0, position: again.position, scores: [0, 0] });
  Stream.last.send("state", again);
  await settle();
  assert.deepEqual([asked().length, posted()], [2, []]);
});

test("a pass that is refused is asked after all", async () => {
  remember("ask", "marker");
  serve({ "POST /api/rooms/r1/act": refuse(409, { code: "gone_on" }) });
  await begun(frustrated());
  await new Promise((wake) => setTimeout(wake, 20));
  await settle();
  assert.deepEqual([posted().length, asked().length, find("#alert").textContent], [1, 2, ""]);
});

// ------------------------------------------------------------------ hints and the others

test("a hint that comes too late is not shown", async () => {
  let answer = null;
  serve({ "POST /api/rooms/r1/hint": () => new Promise((wake) => (answer = wake)) });
  await begun();
  await click(withWords("Hint"));
  Stream.last.send("state", state({ played: 1 }));
  answer(ADVICE);
  await settle();
  assert.deepEqual([asked().length, texts(".advice").length], [3, 0]);
});

test("a hint that is refused changes nothing", async () => {
  await begun();
  serve({ "POST /api/rooms/r1/hint": refuse(409, { code: "not_agreed" }) });
  await click(withWords("Hint"));
  assert.equal(find("#alert").textContent, "Not everybody at the table has agreed to that.");
  assert.ok(withWords("Hint"));
});

test("advice that comes too late is not shown", async () => {
  let answer = null;
  serve({ "GET /api/rooms/r1/advice": () => new Promise((wake) => (answer = wake)) });
  await begun({ agreed: { coach: true, take_back: false } });
  Stream.last.send("state", state({ played: 1, agreed: { coach: false, take_back: false } }));
  answer(ADVICE);
  await settle();
  assert.deepEqual([asked().length, texts(".advice").length], [3, 0]);
});

test("with other people at the table there are no hints without their consent", async () => {
  await begun({ seats: [person("Ann"), person("Bob")] });
  assert.equal(find("[data-key='hint']"), null);
  assert.equal(find("aside a[href^='/position']"), null);
});

// ------------------------------------------------------------------ wishes, and the others

test("wishes are sent, and those of others shown", async () => {
  await begun({ seats: [person("Ann", { wishes: ["coach"] }), person("Bob", { wishes: ["take_back"] })] });
  const labels = texts("aside label");
  assert.deepEqual(labels, ["Coachwaiting for the others to agree", "Taking backwished by Bob"]);
  serve({ "POST /api/rooms/r1/wish": state() });
  await click(find("[data-key='wish-take_back']"));
  assert.deepEqual(posted(), [["/api/rooms/r1/wish", { what: "take_back", on: true }]]);
});

test("a decision is taken back where all have agreed", async () => {
  await begun({ played: 3, agreed: { coach: false, take_back: true }, practice: true });
  assert.deepEqual(texts("aside .badge"), ["practice game"]);
  serve({ "POST /api/rooms/r1/take_back": state() });
  await click(withWords("Take back"));
  assert.deepEqual(posted(), [["/api/rooms/r1/take_back", { played: 3 }]]);
  Stream.last.tell({ number: 2, kind: "taken_back", seat: 0, position: position(), scores: [0, 0] });
  assert.equal(page.takenBack, 1);
});

test("after a while, an agent may stand in for a person who is away", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1000 });
  await begun({ seats: [person("Ann"), person("Bob")], to_act: 1 });
  assert.deepEqual(texts(".ask h2, .ask button"), ["Bob decides …"]);
  mock.timers.tick(59_900);
  await settle();
  assert.deepEqual(texts(".ask button"), []);
  mock.timers.tick(200);
  await settle();
  serve({ "POST /api/rooms/r1/stand_in": state() });
  await click(withWords("Bob is away: let an agent play"));
  assert.deepEqual(posted(), [["/api/rooms/r1/stand_in", { seat: 1 }]]);
});

test("nobody stands in for an agent, however long it thinks", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1000 });
  await begun({ to_act: 1 });
  mock.timers.tick(100_000);
  await page.showQueue();
  assert.deepEqual(texts(".ask h2, .ask button"), ["Bruno decides …"]);
});

test("a long game's log keeps what is new", async () => {
  await begun();
  for (let k = 2; k < 322; k++) Stream.last.tell({ number: k, kind: "begin" });
  await settle();
  assert.equal(page.showing.lines.length, 200 + 21, "of more than 300 lines, 200 are kept");
  assert.equal(texts(".log li").length, 80);
});

test("who was replaced by an agent can come back", async () => {
  await begun({ seats: [person("Ann", { agent: "champion" }), agent("champion")] });
  assert.deepEqual(asked(), []);
  serve({ "POST /api/rooms/r1/return": state() });
  await click(withWords("Play myself again"));
  assert.deepEqual(posted(), [["/api/rooms/r1/return", undefined]]);
});

test("an onlooker sees, and is asked nothing", async () => {
  await begun({}, null);
  assert.deepEqual(texts(".ask h2, .ask p:not(.extras)"), ["Ann decides …", "You are watching."]);
  assert.deepEqual(texts("aside button, aside input, aside a"), ["Fair dice", "Link to this position"]);
  assert.equal(
    sent.some(({ path }) => path.endsWith("/advice")),
    false,
  );
});

// ------------------------------------------------------------------ real dice

test("real dice are tapped in by button and by key, and sent when all are there", async () => {
  await begun({ dice_due: 2, to_act: null, legal: [], position: position({ last_throw: [], phase: "throw" }) });
  assert.equal(find(".ask h2").textContent, "You: Throw 2 dice and tap in what they show.");
  const done = () => find("[data-key='done']");
  assert.equal(done().disabled, true);
  find("[data-key='face-7']").click();
  press("0");
  find("[data-key='face-3']").click(); // one too many
  assert.deepEqual(page.tapped, [7, 0]);
  find("[aria-label='7, Clear']").click();
  assert.deepEqual([page.tapped, done().disabled], [[0], true]);
  press("4");
  serve({ "POST /api/rooms/r1/throw": state() });
  await click(done());
  assert.deepEqual(posted(), [["/api/rooms/r1/throw", { faces: [0, 4], played: 0 }]]);
  assert.deepEqual(page.tapped, []);
});

test("what was tapped in can be cleared", async () => {
  await begun({ dice_due: 3, to_act: null, legal: [], position: position({ last_throw: [], phase: "throw" }) });
  find("[data-key='face-7']").click();
  find("[data-key='face-6']").click();
  find("[data-key='clear']").click();
  assert.deepEqual(page.tapped, []);
});

// ------------------------------------------------------------------ before and after

test("whoever opened a room gets a link for the others, and may fill seats with agents", async () => {
  const server = { begun: false, position: null, seats: [person("Ann"), { kind: "open", wishes: [] }], events: 0 };
  await visit(server);
  assert.equal(find("[data-key='link']").value, "http://localhost/game/r1");
  assert.deepEqual(texts("li", main()), ["You", "A person, by linkLet an agent play here"]);
  assert.deepEqual(texts(".hash", main()), ["", "a1b2", "77"]);
  document.execCommand = () => true;
  await click(find("[data-key='copy']"));
  assert.equal(find("[data-key='copy']").textContent, "Copied");
  serve({ "POST /api/rooms/r1/stand_in": state({ events: 0 }) });
  await click(withWords("Let an agent play here"));
  assert.deepEqual(posted(), [["/api/rooms/r1/stand_in", { seat: 1 }]]);
});

const WAITING = {
  begun: false,
  position: null,
  seats: [person("Ann"), { kind: "open", wishes: [] }],
  events: 0,
  drawn: true,
  round: 0,
  commitments: [null, null],
  missing_commitments: [0],
};
const SEATED = { ...WAITING, seats: [person("Ann"), person("Bob")], events: 1, missing_commitments: [0, 1] };

test("whoever comes by the link sits down with a name, and then commits to a number", async () => {
  await visit(WAITING, null);
  type(find("#join-name"), "Bob");
  Stream.last.send("state", state(WAITING));
  await settle();
  assert.equal(find("#join-name").value, "Bob", "what was typed stays when the page is drawn anew");
  serve({ "POST /api/rooms/r1/join": { seat: 1, token: "u", state: state(SEATED) } });
  await submit(find("form"));
  const [[, joined], [path]] = posted();
  assert.deepEqual([joined, path], [{ name: "Bob" }, "/api/rooms/r1/commitment"]);
  const { number } = games().r1.dice[0];
  assert.deepEqual(
    { ...games().r1, at: 0 },
    { seat: 1, token: "u", visited: true, at: 0, drawn: true, dice: { 0: { promise: "a1b2", number } } },
  );
  assert.equal(localStorage.getItem("pechvogel.name"), '"Bob"');
  await page.join("");
  assert.equal(posted().at(-1)[1].name ?? "Guest", "Guest");
});

test("a promise that differs from the one that was shown before sitting down is refused", async () => {
  for (const [language, words] of [
    ["en", "The server has promised other dice"],
    ["de", "Der Server hat andere Würfel versprochen"],
    ["fr", "Le serveur a promis d'autres dés"],
    ["it", "Il server ha promesso altri dadi"],
  ]) {
    await open("/game/r1", language);
    await visit(WAITING, null);
    serve({ "POST /api/rooms/r1/join": { seat: 1, token: "u", state: state({ ...SEATED, promise: "c3" }) } });
    await submit(find("form"));
    assert.deepEqual(
      posted().map(([path]) => path),
      ["/api/rooms/r1/join"],
      "nothing is sent for those dice",
    );
    assert.ok(find("h1").textContent.startsWith(words), language);
    assert.equal(games().r1.dice[0].promise, "a1b2", "the one that was shown is kept");
    await visit({ ...SEATED, promise: "c3" }, null);
    assert.ok(find("h1").textContent.startsWith(words), "also when the page is loaded again");
  }
});

test("what the dice lack is sent when the others have committed", async () => {
  const mine = commitment("a1b2", 0, "77");
  await visit({ ...SEATED, missing_commitments: [1], commitments: [mine, null] });
  assert.deepEqual(posted(), []);
  serve({ "POST /api/rooms/r1/number": state({ events: 3 }) });
  const all = { commitments: [mine, "ee"], missing_commitments: [], missing_numbers: [0, 1], events: 2 };
  Stream.last.send("state", state({ ...SEATED, ...all }));
  await settle();
  assert.deepEqual(posted(), [["/api/rooms/r1/number", { number: "77" }]]);
});

test("an agent may stand in for somebody who sends nothing for the dice, after a while", async () => {
  mock.timers.enable({ apis: ["Date", "setTimeout"] });
  const seated = { ...SEATED, commitments: [commitment("a1b2", 0, "77"), null], missing_commitments: [1] };
  await visit(seated);
  assert.match(texts("li", main())[1], /^Bob.*missing$/);
  assert.equal(find("[data-key='stand-in']"), null);
  mock.timers.tick(60_100);
  serve({ "POST /api/rooms/r1/stand_in": state({ ...seated, events: 2 }) });
  page.draw();
  assert.equal(find("[data-key='stand-in']").textContent, "Bob is away: let an agent play");
  find("[data-key='stand-in']").click();
  mock.timers.reset();
  await settle();
  assert.deepEqual(posted(), [["/api/rooms/r1/stand_in", { seat: 1 }]]);
});

test("whoever did not show a number in time looks on", async () => {
  await visit({ ...SEATED, missing_commitments: [], missing_numbers: [] });
  Stream.last.tell({ number: 0, kind: "abandoned", names: ["Ann"] });
  Stream.last.send("state", state({ ...SEATED, seats: [agent("champion"), person("Bob")], round: 1, promise: "c3" }));
  await settle();
  assert.deepEqual([page.seat, page.token, games().r1], [null, null, undefined]);
  assert.match(find("dialog p").textContent, /^Your browser did not show its number/);
  assert.deepEqual(page.showing.lines, [
    "No number for the dice came from Ann. An agent plays there, and the dice are drawn anew.",
  ]);
});

const OVER = {
  over: true,
  to_act: null,
  legal: [],
  winners: [0],
  scores: [12, 5],
  position: position({ phase: "over" }),
};

test("a game that is over says who won, and leads on", async () => {
  const title = async (more) => {
    await open("/game/r1");
    await begun({ ...OVER, ...more });
    return find("#over-title").textContent;
  };
  assert.equal(await title({ winners: [0, 1] }), "You are a non-loser: you share the win.");
  assert.equal(await title({ winners: [1] }), "The win goes to Bruno.");
  assert.equal(await title({}), "You win!");
  await click(withWords("Review"));
  assert.deepEqual(went, ["/game/r1?review"]);
  assert.equal(withWords("Download the game", "a").getAttribute("href"), "/api/rooms/r1/record");
});

test("a review has an address of its own, and what happens elsewhere leaves it alone", async () => {
  await open("/game/r1?review");
  serve({ "GET /api/rooms/r1/review": REVIEW });
  await visit(OVER);
  assert.equal(find("h1").textContent, "Review");
  Stream.last.send("state", state(OVER));
  await settle();
  assert.equal(find("h1").textContent, "Review");
});

test("a game that goes on has no review yet", async () => {
  await open("/game/r1?review");
  await begun();
  assert.equal(asked().length, 3);
});

test("a rematch opens once", async () => {
  await begun(OVER);
  serve({ "POST /api/rooms/r1/rematch": refuse(409, { code: "still_playing" }) });
  await click(withWords("Rematch"));
  assert.equal(withWords("Rematch").disabled, false);
  serve({ "POST /api/rooms/r1/rematch": { room: "r2" } });
  await click(withWords("Rematch"));
  assert.deepEqual([withWords("Rematch").disabled, went], [true, ["/game/r2"]]);
});

test("a rematch that is open leads there", async () => {
  await begun({ ...OVER, rematch: "r2" });
  assert.equal(withWords("Go there", "a").getAttribute("href"), "/game/r2");
  assert.equal(find("[data-key='rematch']"), null);
});

test("an onlooker can neither delete a game nor ask for a rematch", async () => {
  await begun(OVER, null);
  assert.deepEqual(texts(".ask button, .ask a"), ["Review", "Download the game"]);
});

test("a game is deleted when asked twice", async () => {
  await begun();
  serve({ "DELETE /api/rooms/r1": refuse(409, { code: "still_playing" }) });
  await click(withWords("Delete the game"));
  assert.deepEqual(posted(), []);
  await click(withWords("Really delete it?"));
  assert.equal(find("#alert").textContent, "The others are still playing.");
  assert.equal(games().r1.token, "t");
  serve({ "DELETE /api/rooms/r1": () => new Response(null, { status: 204 }) });
  await click(withWords("Really delete it?"));
  assert.equal(games().r1, undefined);
});

test("the promise of the dice and this browser's number can be read", async () => {
  await begun();
  await click(withWords("Fair dice"));
  assert.deepEqual(texts("dialog .hash"), ["a1b2", "77"]);
});

test("a stopped page shows nothing more", async () => {
  await begun();
  page.stop();
  const before = main().innerHTML;
  Stream.last.tell({ number: 2, kind: "throw", seat: 0, faces: [3], position: position({ last_throw: [3] }) });
  await settle();
  assert.equal(main().innerHTML, before);
});
