// What happened, what is asked and why an action is good, in sentences. That the terminal has the same ones is tested in
// tests/pechvogel/test_sentences.py.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { agent, open, person, position } from "./browser.js";
import {
  actionWords,
  because,
  happened,
  question,
  reason,
  sourceWords,
} from "../../play/pechvogel/web/js/sentences.js";

beforeEach(() => open());

const SEATS = [person("Ann"), agent("champion"), person("Bob")];
const three = (more) => position({ num_players: 3, ...more });
const told = (event, mine = 0) => happened(event, SEATS, mine);

test("actions as buttons", () => {
  const words = (action, phase, mine = 0) => actionWords(action, three({ phase, target: 7, active: 0 }), SEATS, mine);
  assert.equal(words(0, "target"), "Target 3");
  assert.equal(words(4, "target"), "Target 7");
  assert.deepEqual(
    ["reduce", "frustrate", "join"].map((phase) => words(5, phase)),
    ["Keep the throw", "Don't frustrate", "Stay out"],
  );
  assert.equal(words(6, "reduce"), "Reduce frustration");
  assert.deepEqual([words(7, "frustrate"), words(7, "join")], ["Frustrate", "Join in"]);
  assert.equal(words(8, "take"), "From the middle");
  assert.deepEqual([words(9, "take"), words(10, "take")], ["Steal from Champion", "Steal from Bob"]);
  assert.equal(words(10, "take", 2), "Steal from you");
  assert.deepEqual([words(13, "discard"), words(17, "discard")], ["A 3 into the box", "A 7 into the box"]);
});

test("whom a thief robs is counted from the thief on", () => {
  assert.equal(actionWords(9, three({ phase: "take", active: 2 }), SEATS, null), "Steal from Ann");
});

test("questions and the rule behind them", () => {
  const asked = three({ phase: "join", active: 0, frustraters: [1, 2] });
  assert.equal(question(asked, SEATS, null), "Join Champion and Bob against Ann's throw?");
  assert.match(because(asked), /^Everybody with a frustration may join\..*\(R15\)$/);
});

test("a throw, and an action that was taken", () => {
  assert.deepEqual(told({ kind: "throw", seat: 2, faces: [3, 0, 7] }), ["Bob: throw 3, raven, 7."]);
  const asked = { phase: "frustrate", active: 0, target: 7, num_players: 3, frustraters: [] };
  assert.deepEqual(told({ kind: "action", seat: 1, action: 7, asked }), [
    "Champion: frustrate you; the throw is repeated.",
  ]);
  assert.deepEqual(told({ kind: "action", seat: 1, action: 7, asked }, 2), [
    "Champion: frustrate Ann; the throw is repeated.",
  ]);
  assert.deepEqual(told({ kind: "action", seat: 2, action: 7, asked: { ...asked, phase: "join" } }), ["Bob: join in."]);
  const take = { ...asked, phase: "take" };
  assert.deepEqual(told({ kind: "action", seat: 0, action: 10, asked: take }, 2), ["Ann: steal a 7 from you."]);
  assert.deepEqual(told({ kind: "action", seat: 0, action: 10, asked: take }), ["You: steal a 7 from Bob."]);
});

test("what a turn's end brings", () => {
  const turn = { active: 0, targets: 0, ravens: 4, frustrations: [2, -1, 0], murphy: 0 };
  assert.deepEqual(told({ kind: "throw", seat: 0, faces: [0], turn }).slice(1), [
    "You: 4 ravens, the turn is over.",
    "You: frustrations +2.",
    "Champion: frustrations -1.",
    "You: Murphy, for being greedy.",
  ]);
  const empty = { active: 2, targets: 4, ravens: 0, frustrations: [0, 0, 0], murphy: null };
  const nothing = ["Bob: 4 target dice, but there is no such marker to take."];
  assert.deepEqual(told({ kind: "end", seat: 2, turn: empty }), nothing);
  const action = { kind: "action", seat: 2, action: 8, asked: { phase: "take", target: 7 }, turn: empty };
  assert.deepEqual(told(action), ["Bob: a 7 from the middle."], "a marker was taken, so there was one");
});

test("what a room tells", () => {
  assert.deepEqual(told({ kind: "begin" }), ["The game begins."]);
  assert.deepEqual(told({ kind: "seats" }), []);
  assert.deepEqual(told({ kind: "taken_back", seat: 2 }), ["Bob: last decision taken back."]);
  assert.deepEqual(told({ kind: "taken_back", seat: 2, other_dice: true }), [
    "Bob: last decision taken back.",
    "Other dice will come.",
  ]);
  assert.deepEqual(told({ kind: "over", winners: [0, 2], scores: [12, 3, 12] }), [
    "The game is over. You and Bob: 12 points.",
  ]);
});

test("why an action is good", async () => {
  const why = { kind: "target", value: 7, shown: 3, targets: 0.814, ravens: 0.065 };
  assert.equal(reason(why), "With 3 × 7: four of them in 81% of such turns, three ravens in 7%.");
  assert.equal(reason({ kind: "discard", value: 5, left: 0 }), "Then 0 × 5 are left in the middle.");
  await open("/", "de");
  assert.equal(reason(why), "Mit 3 × 7: vier davon in 81\u00a0% solcher Züge, drei Raben in 7\u00a0%.");
});

test("how sure the coach is", () => {
  assert.deepEqual(["exact (table)", "champion"].map(sourceWords), ["exact", "estimated by the champion"]);
});
