// The table: one set of pieces, which go where the position says, and as few of them as possible.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { agent, click, find, main, open, person, position, texts } from "./browser.js";
import { habits, passes } from "../../play/pechvogel/web/js/habits.js";
import { difference, still } from "../../play/pechvogel/web/js/motion.js";
import * as sound from "../../play/pechvogel/web/js/sound.js";
import { Table } from "../../play/pechvogel/web/js/table.js";
import { coachStyle, doubtful } from "../../play/pechvogel/web/js/tutor.js";
import { recall, remember } from "../../play/pechvogel/web/js/words.js";

const SEATS = [person("Ann"), agent("champion:level=3"), agent("champion:level=3")];
const player = (markers = [0, 0, 0, 0, 0], frustrations = 0) => ({ markers, frustrations });
let table = null;

beforeEach(async () => {
  await open();
  table = new Table();
  main().replaceChildren(table.element);
});

const show = (more, motion) => {
  const now = position({ num_players: 3, players: [player(), player(), player()], ...more });
  table.show({ position: now, scores: [0, 0, 0], seats: SEATS, mine: 0, asked: null }, motion);
};
const faces = (selector) => [...document.querySelectorAll(selector)].map((one) => Number(one.dataset.face));
const onBoard = () => faces(".slots .die:not(.away)");
const inTray = () => faces(".tray .die:not(.away)");
const all = () => [...document.querySelectorAll(".die.piece")];

test("there are seven dice, whatever happens to them", () => {
  show({ last_throw: [7, 7, 3, 0, 4, 4, 5], ravens: 1 });
  assert.deepEqual([onBoard(), inTray()], [[0], [7, 7, 3, 4, 4, 5]]);
  const before = new Set(all());
  show({ target: 7, targets: 2, ravens: 1, last_throw: [7, 7, 3, 0, 4, 4, 5] });
  assert.deepEqual(
    [onBoard(), inTray()],
    [
      [7, 7, 0],
      [3, 4, 4, 5],
    ],
  );
  show({ target: 7, targets: 4, ravens: 3, last_throw: [7, 7, 0, 0] });
  assert.deepEqual([onBoard(), inTray()], [[7, 7, 7, 7, 0, 0, 0], []]);
  assert.equal(all().length, 7);
  assert.ok(all().every((die) => before.has(die)));
});

test("while dice roll, the board has what was there before; a repeated throw takes its dice back", () => {
  const thrown = { target: 7, targets: 3, ravens: 1, last_throw: [7, 0, 4, 5, 5] };
  show({ last_throw: [3, 4, 5, 6, 6, 7, 7] });
  show({ target: 7, targets: 2, last_throw: [3, 4, 5, 6, 6, 7, 7] });
  show(thrown);
  const stays = [...document.querySelectorAll(".slots .die")].slice(0, 2);
  show({ ...thrown, targets: 2, ravens: 2, last_throw: [0, 0, 3, 3, 6] }, { rolling: true });
  assert.deepEqual(
    [onBoard(), inTray()],
    [
      [7, 7],
      [0, 0, 3, 3, 6],
    ],
  );
  assert.deepEqual(
    [...document.querySelectorAll(".slots .die:not(.away)")],
    stays,
    "those of earlier throws lie still",
  );
  show({ ...thrown, targets: 2, ravens: 2, last_throw: [0, 0, 3, 3, 6] });
  assert.deepEqual(
    [onBoard(), inTray()],
    [
      [7, 7, 0, 0],
      [3, 3, 6],
    ],
  );
  assert.equal(faces(".slots .fresh").length, 2, "what was thrown last can be told");
});

test("dice that were not taken stay where they fell", () => {
  show({ last_throw: [7, 6, 3, 5, 4, 4, 7] });
  const where = () => [...document.querySelectorAll(".tray .die:not(.away)")].map((die) => [die.shows, die.parentNode]);
  const before = where();
  show({ target: 7, targets: 2, last_throw: [7, 6, 3, 5, 4, 4, 7] });
  assert.deepEqual(where(), before.slice(1, -1));
});

test("between turns nobody's dice lie there", () => {
  show({ target: 7, targets: 4, last_throw: [7, 3, 3, 3] });
  show({ active: 1, last_throw: [], phase: "throw" });
  assert.deepEqual([onBoard(), inTray()], [[], []]);
});

test("more than enough targets or ravens have their places", () => {
  show({ target: 4, targets: 6, ravens: 0, last_throw: [4, 4, 4, 3] });
  assert.equal(onBoard().length, 6);
  show({ target: null, targets: 0, ravens: 7, last_throw: [0, 0, 0, 0, 0, 0, 0] });
  assert.equal(onBoard().length, 7);
});

test("one marker moves, from the middle to its owner, to a thief, into the box", () => {
  show({});
  const sevens = () => [...document.querySelectorAll(".marker.v7")];
  const places = () => sevens().map((one) => one.parentNode.closest(".seat")?.dataset.seat ?? one.parentNode.className);
  const before = sevens();
  show({ middle: [3, 3, 3, 3, 2], players: [player(), player([0, 0, 0, 0, 1]), player()] });
  assert.deepEqual(places().sort(), ["1", "stack s7", "stack s7"]);
  show({ middle: [3, 3, 3, 3, 2], players: [player([0, 0, 0, 0, 1]), player(), player()] });
  assert.deepEqual(places().sort(), ["0", "stack s7", "stack s7"]);
  show({ middle: [3, 3, 3, 3, 1], players: [player([0, 0, 0, 0, 1]), player(), player()] });
  assert.deepEqual(places().sort(), ["0", "box", "stack s7"]);
  assert.equal(find(".boxed").textContent, "1");
  const boxed = find(".box .marker");
  show({ middle: [3, 3, 3, 3, 0], players: [player([0, 0, 0, 0, 1]), player([0, 0, 0, 0, 1]), player()] });
  assert.deepEqual(places().sort(), ["0", "1", "box"]);
  assert.equal(find(".box .marker"), boxed, "what is in the box stays there");
  assert.deepEqual(new Set(sevens()), new Set(before));
});

test("frustrations are tokens: at seats, on the board, and as many as are wanted from the supply", () => {
  const tokens = (selector) => document.querySelectorAll(`${selector} .token.piece`).length;
  show({ players: [player(), player([0, 0, 0, 0, 0], 9), player([0, 0, 0, 0, 0], 1)] });
  assert.deepEqual(
    [1, 2].map((seat) => tokens(`[data-seat='${seat}']`)),
    [6, 1],
  );
  assert.equal(find("[data-seat='1'] .count").textContent, "×9");
  show({ players: [player(), player([0, 0, 0, 0, 0], 1), player()], frustraters: [2] });
  assert.deepEqual([tokens("[data-seat='1']"), tokens("[data-seat='2']"), tokens(".board")], [1, 0, 1]);
});

test("Murphy sits with whoever was greedy", () => {
  show({});
  assert.ok(find(".edge .murphy"));
  show({ murphy: 2 });
  assert.ok(find("[data-seat='2'] .murphy"));
  assert.equal(document.querySelectorAll(".murphy").length, 1);
});

test("everything on the table is also there in words", () => {
  show({ target: 7, targets: 3, ravens: 1, last_throw: [7, 0, 4, 5, 5], frustraters: [2], murphy: 1 });
  assert.equal(find(".board p").textContent, "throw: 7, raven, 4, 5, 5; target: 3 × 7; ravens: 1; frustrations: Berta");
  assert.equal(find("[data-seat='1'] > .unseen").textContent, "score markers: none; frustrations: 0; Murphy");
  assert.equal(find(".middle p").textContent, "3 × 3, 3 × 4, 3 × 5, 3 × 6, 3 × 7");
  assert.deepEqual(texts(".seat .name"), ["Bruno", "Berta", "You"]);
});

test("a click on anybody's face or on the cloth is told, too", async () => {
  const clicks = [];
  table = new Table(
    (action) => clicks.push(`do ${action}`),
    (seat) => clicks.push(seat),
  );
  main().replaceChildren(table.element);
  show({ last_throw: [7, 7, 3, 6, 4, 4, 5] });
  table.offer([[4, { die: 7 }]]);
  await click(find("[data-seat='2'] .face"));
  await click(find(".tray"));
  await click(find(".die[data-do]"));
  assert.deepEqual(clicks, [2, null, "do 4"]);
});

test("an action and its pieces light up together", () => {
  show({ last_throw: [7, 7, 3, 6, 4, 4, 5] });
  table.offer([
    [4, { die: 7 }],
    [0, { die: 3 }],
  ]);
  table.light("4");
  assert.deepEqual(faces(".lit"), [7, 7]);
  table.light(null);
  assert.deepEqual(faces(".lit"), []);
});

// ------------------------------------------------------------------ habits, tutor, motion, sound

test("a page passes only where somebody said so, and only if that is legal", () => {
  const asked = (more) =>
    position({ phase: "frustrate", active: 1, target: 7, targets: 2, ravens: 1, turn: 5, ...more });
  const both = [5, 7];
  const none = { ask: "always", ravens: false };
  assert.equal(passes(asked(), both, null, none), null);
  assert.equal(passes(asked(), both, 5, none), "turn");
  assert.equal(passes(asked(), both, 4, none), null);
  assert.equal(passes(asked({ ravens: 3 }), both, null, { ...none, ravens: true }), "ravens");
  assert.equal(passes(asked({ ravens: 3, targets: 4 }), both, null, { ...none, ravens: true }), null);
  assert.equal(passes(asked(), both, null, { ...none, ask: "marker" }), "marker");
  assert.equal(passes(asked({ targets: 4 }), both, null, { ...none, ask: "marker" }), null);
  assert.equal(passes(asked({ phase: "join" }), both, 5, none), "turn");
  for (const phase of ["target", "reduce", "take", "discard"]) {
    assert.equal(passes(asked({ phase }), both, 5, { ask: "marker", ravens: true }), null, phase);
  }
  assert.equal(passes(asked(), [7], 5, none), null);
  assert.deepEqual(habits(), none, "off unless somebody wants it");
});

test("the tutor speaks above its threshold", () => {
  const advice = {
    actions: [
      { action: 4, costs: 0 },
      { action: 1, costs: 0.03 },
    ],
  };
  assert.equal(coachStyle(), "2");
  assert.equal(doubtful(advice, 4), null);
  assert.equal(doubtful(advice, 1).costs, 0.03);
  assert.equal(doubtful(advice, 1, "5"), null);
  assert.equal(doubtful(advice, 1, "all"), null);
  assert.equal(doubtful(null, 1), null);
  remember("coach", "nonsense");
  assert.equal(coachStyle(), "2");
});

test("where nothing can move, nothing does", () => {
  assert.equal(still(), true);
  const from = { left: 0, top: 0, width: 10, height: 10 };
  assert.deepEqual(difference(from, { left: 100, top: 50, width: 20, height: 20 }), { x: -105, y: -55, scale: 0.5 });
});

test("nothing is heard unless somebody wants it", () => {
  const opened = [];
  window.AudioContext = class {
    constructor() {
      opened.push(this);
    }
  };
  sound.play("turn");
  assert.equal(opened.length, 0);
  assert.equal(recall("sound", false), false);
  delete window.AudioContext;
});
