// How a position looks.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { agent, find, open, person, position, texts } from "./browser.js";
import * as draw from "../../play/pechvogel/web/js/draw.js";

beforeEach(() => open());

const SEATS = [person("Ann"), agent("champion"), agent("heuristic"), agent("champion")];
const classes = (selector, within) => [...within.querySelectorAll(selector)].map((one) => [...one.classList].join(" "));

test("a die shows a number or a raven, and says it", () => {
  const [five, raven] = [draw.die(5, { kind: "hit" }), draw.die(0)];
  assert.deepEqual([five.textContent, five.getAttribute("aria-label"), five.className.trim()], ["5", "5", "die hit"]);
  assert.deepEqual([find("svg path", raven) !== null, raven.getAttribute("aria-label")], [true, "raven"]);
});

test("names: mine, a person's, an agent's, and those of siblings for agents that are the same", () => {
  const names = (mine) => SEATS.map((_, seat) => draw.seatName(SEATS, seat, mine));
  assert.deepEqual(names(null), ["Ann", "Corvin", "Paula", "Cora"]);
  assert.equal(names(0)[0], "You");
  assert.equal(draw.seatName([{ kind: "open" }], 0), "A person, by link");
  assert.equal(draw.agentName("champion:level=4"), "Wanda · Champion, level 4");
});

test("a person for whom an agent stands in keeps their name", () => {
  const seats = [person("Ann", { agent: "champion" }), agent("champion")];
  assert.deepEqual([draw.seatName(seats, 0), draw.seatName(seats, 1)], ["Ann", "Corvin"]);
  assert.deepEqual([draw.seatLine(seats, 0), draw.seatLine(seats, 1)], ["an agent plays", "Champion"]);
});

test("players stand in the order of turns, whoever looks coming last", () => {
  const four = position({ num_players: 4 });
  const order = (mine) => texts(".who .name", draw.players(four, [0, 0, 0, 0], SEATS, mine, null));
  assert.deepEqual(order(null), ["Ann", "Corvin", "Paula", "Cora"]);
  assert.deepEqual(order(2), ["Cora", "Ann", "Corvin", "You"]);
});

test("a player has points, markers, frustrations and Murphy", () => {
  const players = [
    { markers: [2, 0, 0, 0, 1], frustrations: 2 },
    { markers: [0, 0, 0, 0, 0], frustrations: 0 },
  ];
  const list = draw.players(position({ players, murphy: 0, active: 1 }), [-1, 0], SEATS.slice(0, 2), 0, 0);
  const [other, me] = list.children;
  assert.deepEqual(texts(".who .name, .who .points", me), ["You", "-1 points"]);
  assert.deepEqual(texts(".marker", me), ["3", "3", "7"]);
  assert.deepEqual(texts(".unseen", list), ["score markers: none", "score markers: 2 × 3, 1 × 7"]);
  assert.deepEqual(texts(".badge", me), ["frustrations: 2", "Murphy"]);
  assert.deepEqual(texts(".badge", other), ["on turn"]);
  assert.deepEqual([other.dataset.seat, me.dataset.seat], ["1", "0"]);
  assert.deepEqual(classes(".player", list), ["player active", "player asked"]);
});

test("nobody is at turn when the game is over, and who is away can be seen", () => {
  const seats = [person("Ann", { agent: "champion" }), person("Bob")];
  const list = draw.players(position({ phase: "over" }), [0, 0], seats, null, null);
  assert.deepEqual(texts(".badge", list), ["an agent plays"]);
});

test("the middle shows what is there and what is gone", () => {
  const section = draw.middle(position({ copies: 2, middle: [2, 1, 0, 0, 2] }));
  assert.equal(find(".unseen", section).textContent, "2 × 3, 1 × 4, 2 × 7");
  assert.deepEqual(texts(".marker:not(.gone)", section), ["3", "3", "4", "7", "7"]);
  assert.equal(texts(".marker", section).length, 10);
});

test("the board has targets from the left, ravens from the right, and places between; the rest is thrown", () => {
  const thrown = { target: 7, targets: 3, ravens: 1, last_throw: [7, 0, 4, 5, 5], frustraters: [1], phase: "join" };
  const section = draw.board(position(thrown), SEATS.slice(0, 2), 0);
  const [loose, board] = section.querySelectorAll(".dice");
  assert.equal(find("h2", section).textContent, "board: You");
  assert.deepEqual(texts(".pip", loose), ["4", "5", "5"]);
  assert.deepEqual(
    [...board.children].map((one) => one.className.trim()),
    ["die hit", "die hit", "die hit fresh", "slot for-target", "slot for-raven", "slot for-raven", "die bad fresh"],
  );
  assert.equal(section.querySelectorAll(".die").length, 7, "seven dice, each once");
  assert.deepEqual(texts("p > span", section), ["target: 7", "ravens: 1", "Corvin"]);
  assert.equal(section.querySelectorAll(".token").length, 1);
});

test("before a target is chosen there are places only", () => {
  const section = draw.board(position({ last_throw: [] }), SEATS.slice(0, 2), null);
  assert.deepEqual([section.querySelectorAll(".slot").length, section.querySelectorAll(".die").length], [7, 0]);
  assert.equal(texts("p > span", section)[0], "target: –");
});

test("more than enough target dice take the places of ravens", () => {
  const section = draw.board(position({ target: 3, targets: 6, last_throw: [3, 3, 5] }), SEATS.slice(0, 2), 0);
  assert.equal(section.querySelectorAll(".on-board .die.hit").length, 6);
  assert.equal(section.querySelectorAll(".on-board > *").length, 7);
});

test("a die to tap on is a button with a name", () => {
  const button = draw.dieButton(0, { "data-key": "face-0", disabled: true });
  assert.deepEqual(
    [button.type, button.getAttribute("aria-label"), button.dataset.key, button.disabled],
    ["button", "raven", "face-0", true],
  );
});
