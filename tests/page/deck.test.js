// What a trainer remembers: the thing of the day, days in a row, and mistakes that come again at growing intervals.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { open } from "./browser.js";
import * as deck from "../../play/pechvogel/web/js/deck.js";

beforeEach(() => open());

test("a day has a number of its own, by the calendar on the wall", () => {
  assert.equal(deck.dayOf(new Date(1970, 0, 1, 0, 5)), 0);
  assert.equal(deck.dayOf(new Date(1970, 0, 1, 23, 55)), 0);
  assert.equal(deck.dayOf(new Date(2024, 1, 29)) + 1, deck.dayOf(new Date(2024, 2, 1, 12)));
});

test("every thing has its day before one comes again", () => {
  const first = deck.dayOf(new Date(2026, 10, 18));
  const days = Array.from({ length: 500 }, (_, k) => deck.ofDay(first + k, 500));
  assert.equal(new Set(days).size, 500);
  assert.equal(deck.ofDay(first + 500, 500), days[0]);
});

test("days in a row end where one was wrong or missed; today may still come", () => {
  assert.equal(deck.streak({}, 10), 0);
  assert.equal(deck.streak({ 8: true, 9: true }, 10), 2);
  assert.equal(deck.streak({ 8: true, 9: true, 10: true }, 10), 3);
  assert.equal(deck.streak({ 8: true, 9: true, 10: false }, 10), 0);
  assert.equal(deck.streak({ 7: true, 9: true }, 10), 1);
  assert.equal(deck.streak({ 8: true }, 10), 0);
});

test("only the first answer counts", () => {
  deck.note("a", true, 10);
  deck.note("b", false);
  deck.note("b", true);
  deck.note("a", false, 10);
  assert.deepEqual(deck.score(["a", "b", "c"]), { tried: 2, right: 1 });
  const { days, run, best } = deck.kept();
  assert.deepEqual([days, run, best], [{ 10: true }, 0, 1]);
});

test("a mistake waits longer after every right answer, and then is learned", () => {
  let now = 1_000_000;
  deck.add("m", { position: "p" }, now);
  assert.deepEqual(deck.due(now), ["m"]);
  const waited = [];
  while (deck.kept().cards.m) {
    deck.answered("m", true, now);
    const card = deck.kept().cards.m;
    if (!card) break;
    assert.deepEqual(deck.due(card.due - 1), []);
    waited.push((card.due - now) / deck.DAY);
    now = card.due;
  }
  assert.deepEqual(waited, [1, 3, 7, 16, 35]);
  assert.deepEqual([deck.kept().learned, deck.due(now)], [1, []]);
});

test("one that is wrong again begins anew, soon", () => {
  deck.add("m", {}, 0);
  deck.answered("m", true, 0);
  deck.answered("m", true, deck.DAY);
  assert.equal(deck.kept().cards.m.box, 2);
  deck.answered("m", false, 5 * deck.DAY);
  assert.deepEqual(deck.kept().cards.m, { box: 0, due: 5 * deck.DAY + deck.AGAIN });
  deck.answered("nobody", true, 0);
  assert.deepEqual(Object.keys(deck.kept().cards), ["m"]);
});

test("the longest waiting comes first; what is there stays as it is", () => {
  deck.add("a", { costs: 1 }, 20);
  deck.add("b", {}, 10);
  deck.add("a", { costs: 2 }, 0);
  assert.deepEqual(deck.due(30), ["b", "a"]);
  assert.equal(deck.kept().cards.a.costs, 1);
  deck.remove("b");
  assert.deepEqual(deck.due(30), ["a"]);
});

test("it has an end: so many cards, so many games", () => {
  for (let k = 0; k < 320; k++) deck.add(`c${k}`, {}, 0);
  for (let k = 0; k < 520; k++) deck.gathered(`r${k}`);
  assert.equal(Object.keys(deck.kept().cards).length, 300);
  assert.deepEqual([deck.isGathered("r0"), deck.isGathered("r519")], [false, true]);
});
