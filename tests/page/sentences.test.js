// What happened and what is asked, in sentences. That the terminal has the same ones is tested in
// tests/pechvogel/test_sentences.py.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { agent, open, person, position } from "./browser.js";
import { actionWords, because, happened, question, sourceWords } from "../../play/pechvogel/web/js/sentences.js";

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
  assert.deepEqual([words(9, "take"), words(10, "take")], ["Steal from Corvin", "Steal from Bob"]);
  assert.equal(words(10, "take", 2), "Steal from you");
  assert.deepEqual([words(13, "discard"), words(17, "discard")], ["A 3 into the box", "A 7 into the box"]);
});

test("whom a thief robs is counted from the thief on", () => {
  assert.equal(actionWords(9, three({ phase: "take", active: 2 }), SEATS, null), "Steal from Ann");
});

test("questions and the rule behind them", () => {
  const asked = three({ phase: "join", active: 0, to_act: 2, frustraters: [1] });
  assert.equal(question(asked, SEATS, null), "Join Corvin against Ann's throw?");
  assert.match(because(asked), /^Everybody with a frustration may join\..*one more\.$/);
});

test("somebody else's question has everybody's own names, also the reader's", () => {
  const asked = three({ phase: "frustrate", active: 0, to_act: 2 });
  assert.deepEqual(
    [0, 1, 2].map((mine) => question(asked, SEATS, mine)),
    Array(3).fill("Frustrate Ann's throw?"),
  );
});

test("a throw, and an action that was taken", () => {
  assert.deepEqual(told({ kind: "throw", seat: 2, faces: [3, 0, 7] }), ["Bob throws 3, raven, 7."]);
  assert.deepEqual(told({ kind: "throw", seat: 2, faces: [0] }, 2), ["You throw raven."]);
  const asked = { phase: "frustrate", active: 0, target: 7, num_players: 3, frustraters: [] };
  const action = (number, seat, mine, more = {}) =>
    told({ kind: "action", seat, action: number, asked: { ...asked, ...more } }, mine)[0];
  assert.equal(action(7, 1, 0), "Corvin frustrates you: you must repeat the throw.");
  assert.equal(action(7, 1, 2), "Corvin frustrates Ann: the throw must be repeated.");
  assert.equal(action(7, 1, 1), "You frustrate Ann: the throw must be repeated.");
  assert.equal(action(5, 1, 0), "Corvin does not frustrate.");
  assert.equal(action(5, 1, 1), "You do not frustrate.");
  assert.equal(action(7, 2, 0, { phase: "join" }), "Bob joins in.");
  assert.equal(action(8, 0, 1, { phase: "take" }), "Ann takes a 7 from the middle.");
  assert.equal(action(10, 0, 2, { phase: "take" }), "Ann steals a 7 from you.");
  assert.equal(action(10, 0, 0, { phase: "take" }), "You steal a 7 from Bob.");
  assert.equal(action(10, 0, null, { phase: "take" }), "Ann steals a 7 from Bob.");
});

test("what a turn's end brings, and why", () => {
  const ended = (more) => ({ active: 0, targets: 0, ravens: 0, frustrations: [0, 0, 0], frustraters: [], ...more });
  const end = (more, mine) =>
    told({ kind: "end", seat: 0, turn: { ...ended(more), murphy: more.murphy ?? null } }, mine);
  const only = { ravens: 3, frustrations: [1, 0, 0] };
  assert.deepEqual(end(only, 1), ["Three ravens: the turn is over, and Ann gets a frustration."]);
  assert.deepEqual(end({ ...only, frustraters: [2] }), [
    "Three ravens: the turn is over, and you get the frustration from the board.",
  ]);
  assert.deepEqual(end({ ravens: 4, frustrations: [2, 0, 0], frustraters: [1, 2], murphy: 0 }), [
    "Four ravens: the turn is over, and you get the 2 frustrations from the board.",
    "More than three ravens are greedy: you get Murphy.",
  ]);
  assert.deepEqual(end({ targets: 5, murphy: 0 }, 1), [
    "Five target dice, but there is no such marker that Ann could take.",
    "More than four target dice are greedy: Ann gets Murphy.",
  ]);
  const taken = { kind: "action", seat: 0, action: 8, asked: { phase: "take", target: 7 } };
  const failed = ended({ targets: 4, frustrations: [-1, 2, 2], frustraters: [2, 1], murphy: null });
  assert.deepEqual(told({ ...taken, turn: failed }, 1), [
    "Ann takes a 7 from the middle.",
    "Bob frustrated in vain: the frustration comes back with another one.",
    "Your frustration failed: it comes back with another one.",
    "Ann has to give a frustration for that.",
  ]);
});

test("events that were stored before they told who had frustrated", () => {
  const old = { active: 0, targets: 0, ravens: 3, murphy: null };
  const end = (more) => told({ kind: "end", seat: 0, turn: { ...old, ...more } });
  assert.deepEqual(end({ frustrations: [1, 0, 0] }), ["Three ravens: the turn is over, and you get a frustration."]);
  assert.deepEqual(end({ frustrations: [2, 0, 0] }), [
    "Three ravens: the turn is over, and you get the 2 frustrations from the board.",
  ]);
  assert.deepEqual(end({ ravens: 0, frustrations: [-1, 0, 2] }), [
    "Bob frustrated in vain: the frustration comes back with another one.",
    "You have to give a frustration for that.",
  ]);
});

test("what a room tells", () => {
  assert.deepEqual(told({ kind: "begin" }), ["The game begins."]);
  assert.deepEqual(told({ kind: "seats" }), []);
  assert.deepEqual(told({ kind: "taken_back", seat: 2 }), ["Bob takes back the last decision."]);
  assert.deepEqual(told({ kind: "taken_back", seat: 0, other_dice: true }), [
    "You take back your last decision.",
    "Other dice will come.",
  ]);
  const over = (winners, mine) => told({ kind: "over", winners, scores: [12, 12, 12] }, mine)[0];
  assert.equal(over([0], 0), "The game is over: you win with a score of 12.");
  assert.equal(over([0], 1), "The game is over: Ann wins with a score of 12.");
  assert.equal(over([0, 2], 0), "The game is over: you share the win with Bob, with a score of 12.");
  assert.equal(over([0, 2], null), "The game is over: Ann and Bob share the win with a score of 12.");
});

test("how sure the coach is", () => {
  assert.deepEqual(["exact (table)", "champion"].map(sourceWords), ["exact", "estimated by the champion"]);
});
