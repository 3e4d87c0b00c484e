// Dice that nobody can have chosen: what a browser keeps, what it sends when, and what it finds out afterwards.

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { beforeEach, test } from "node:test";
import { open, refuse, sent, serve } from "./browser.js";
import { fixDice, games, keepGame } from "../../play/pechvogel/web/js/api.js";
import * as fair from "../../play/pechvogel/web/js/fair.js";

const hash = (bytes) => createHash("sha256").update(bytes).digest("hex");
const SECRETS = ["00".repeat(32), "01".repeat(32)];
const [FIRST, SECOND] = SECRETS.map((secret) => hash(Buffer.from(secret, "hex")));
const OTHERS = fair.commitment(FIRST, 0, "aa");

beforeEach(async () => {
  await open("/game/r1");
  keepGame("r1", { seat: 1, token: "t" });
});

/** A table of two, before the first throw. */
const table = (more = {}) => ({
  begun: false,
  promise: FIRST,
  round: 0,
  drawn: true,
  commitments: [null, null],
  missing_commitments: [],
  missing_numbers: [],
  ...more,
});
const steps = () => sent.map(({ path, content }) => [path.split("/").at(-1), Object.values(content)[0]]);

test("SHA-256 is what others call that", () => {
  for (let length = 0; length < 200; length++) {
    const bytes = randomBytes(length);
    assert.equal(fair.sha256(bytes), hash(bytes));
  }
  assert.equal(
    fair.commitment("ab".repeat(32), 1, "5"),
    "6a66ab0642fc1aba5c1171458f329b8c1c7b427744ceedf379e41e739320013e",
    "the server's is the same",
  );
});

test("two numbers of a browser differ", () => assert.notEqual(fair.browserNumber(), fair.browserNumber()));

test("first the commitment is sent, and the number when all have committed", async () => {
  let mine;
  serve({
    "POST /api/rooms/r1/commitment": ({ commitment }) => {
      mine = commitment;
      return table({ commitments: [null, mine], missing_commitments: [0] });
    },
    "POST /api/rooms/r1/number": { begun: true },
  });
  await fixDice("r1", table({ missing_commitments: [0, 1] }));
  const { number } = games().r1.dice[0];
  assert.deepEqual(steps(), [["commitment", fair.commitment(FIRST, 1, number)]]);
  await fixDice("r1", table({ commitments: [OTHERS, mine], missing_numbers: [0, 1] }));
  assert.deepEqual(steps().slice(1), [["number", number]]);
  assert.deepEqual(games().r1.dice[0], { promise: FIRST, number, commitments: [OTHERS, mine] });
});

test("whoever commits last shows the number at once", async () => {
  serve({
    "POST /api/rooms/r1/commitment": ({ commitment }) =>
      table({ commitments: [OTHERS, commitment], missing_numbers: [0, 1] }),
    "POST /api/rooms/r1/number": table({ missing_numbers: [0] }),
  });
  assert.deepEqual(await fixDice("r1", table({ missing_commitments: [1] })), table({ missing_numbers: [0] }));
  assert.deepEqual(
    steps().map(([what]) => what),
    ["commitment", "number"],
  );
});

test("nothing is sent for another promise than the one that was kept", async () => {
  fair.keepPromise("r1", table());
  const other = table({ promise: SECOND, missing_commitments: [1], missing_numbers: [1] });
  assert.equal(fair.broken("r1", other), true);
  assert.equal(await fixDice("r1", other), null);
  assert.equal(fair.broken("r1", table({ drawn: false })), true, "nor if the dice no longer decide who begins");
  assert.equal(fair.broken("r1", table({ promise: SECOND, round: 1 })), false, "a new round has a new promise");
  assert.deepEqual(sent, []);
});

test("no number is shown where ours is not among the commitments, or others have changed", async () => {
  const revealing = (commitments) => table({ commitments, missing_numbers: [1] });
  keepGame("r1", { dice: { 0: { promise: FIRST, number: "bb" } } });
  const mine = fair.commitment(FIRST, 1, "bb");
  for (const wrong of [
    [OTHERS, null],
    [OTHERS, fair.commitment(FIRST, 1, "bc")],
  ]) {
    assert.equal(fair.broken("r1", revealing(wrong)), true);
    assert.equal(await fixDice("r1", revealing(wrong)), null);
  }
  assert.deepEqual(sent, []);
  serve({ "POST /api/rooms/r1/number": refuse(409, {}) });
  await fixDice("r1", revealing([OTHERS, mine]));
  assert.deepEqual(steps(), [["number", "bb"]]);
  assert.equal(fair.broken("r1", revealing([fair.commitment(FIRST, 0, "ab"), mine])), true);
});

test("a game of an older page is known by its promise and number", async () => {
  keepGame("r1", { promise: FIRST, number: "77" });
  serve({ "POST /api/rooms/r1/number": {} });
  await fixDice("r1", { begun: false, promise: FIRST, missing_numbers: [1], commitments: null });
  assert.deepEqual(steps(), [["number", "77"]]);
  assert.equal(fair.numberOf("r1", {}), "77");
});

// ------------------------------------------------------------------ afterwards

const round = (secret, numbers, late = {}) => {
  const promise = hash(Buffer.from(secret, "hex"));
  const commitments = numbers.map((number, seat) =>
    number || late[seat] ? fair.commitment(promise, seat, number ?? late[seat]) : null,
  );
  return { promise, secret, commitments, numbers };
};
const [GIVEN_UP, LAST] = [round(SECRETS[0], ["aa", "bb", null], { 2: "cc" }), round(SECRETS[1], ["ad", "be", null])];
const PROOF = { ...LAST, drawn: true, taken_back: 2, abandoned: [GIVEN_UP] };
const KEPT = {
  seat: 1,
  token: "t",
  drawn: true,
  dice: {
    0: { promise: GIVEN_UP.promise, number: "bb", commitments: GIVEN_UP.commitments },
    1: { promise: LAST.promise, number: "be", commitments: LAST.commitments },
  },
};
const verdict = (proof, game = KEPT, more = {}) => fair.agrees(game, { proof }, { takenBack: 2, round: 1, ...more });

test("a proof agrees with what was kept", () => {
  assert.equal(verdict(PROOF), true);
  assert.equal(verdict(PROOF, { ...KEPT, dice: {} }), null, "who gave nothing compares nothing");
});

test("a forged proof is found", () => {
  const other = fair.commitment(LAST.promise, 0, "ff");
  const forged = {
    "who began": { drawn: false },
    "what was taken back": { taken_back: 1 },
    "the promise": { ...round("02".repeat(32), LAST.numbers) },
    "the secret": { secret: SECRETS[0] },
    "our number": { numbers: ["ad", "bf", null] },
    "another's number": { numbers: ["ff", "be", null] },
    "another's number and commitment": { numbers: ["ff", "be", null], commitments: [other, LAST.commitments[1], null] },
    "a number more": { numbers: ["ad", "be", "ff"] },
    "no commitments": { commitments: undefined },
    "no rounds": { abandoned: [] },
    "a round more": { abandoned: [GIVEN_UP, GIVEN_UP] },
    "our number in another round": { abandoned: [{ ...GIVEN_UP, numbers: ["aa", null, null] }] },
    "another's number in another round": { abandoned: [{ ...GIVEN_UP, numbers: ["ab", "bb", null] }] },
    "the secret of another round": { abandoned: [{ ...GIVEN_UP, secret: SECRETS[1] }] },
  };
  for (const [what, change] of Object.entries(forged)) {
    assert.notEqual(verdict({ ...PROOF, ...change }), true, what);
  }
  assert.equal(verdict(PROOF, KEPT, { round: 2 }), false, "a round that we have heard of is missing");
});

test("a game that was opened by an older server has no commitments", () => {
  const { promise, secret, numbers } = round(SECRETS[0], ["aa", "bb"]);
  const proof = { promise, secret, numbers, drawn: true, taken_back: 0 };
  const now = { takenBack: 0, round: 0 };
  assert.equal(fair.agrees({ seat: 1, promise, number: "bb" }, { proof }, now), true);
  assert.equal(fair.agrees({ seat: 1, promise, number: "bc" }, { proof }, now), false);
  const dice = { 0: { promise, number: "bb", commitments: null } };
  assert.equal(fair.agrees({ seat: 1, drawn: true, dice }, { proof }, now), true);
});
