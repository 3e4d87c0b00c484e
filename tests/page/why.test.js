// Why one action is better than another, and how the turn can end. That the terminal has the same reasons, and that they
// are true, is tested in tests/pechvogel.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { agent, open, person, position } from "./browser.js";
import { casesTable, reasonLine } from "../../play/pechvogel/web/js/why.js";

beforeEach(() => open());

const SEATS = [person("Ann"), agent("champion")];
const own = position({ phase: "target", active: 1, to_act: 1, frustraters: [] });
const theirs = position({ phase: "frustrate", active: 0, to_act: 1, target: 6, frustraters: [] });
const line = (asked, reason, mine = 1) => {
  const [action, other] = asked === own ? [2, 3] : [7, 5];
  return reasonLine({ reason: { action, other, ...reason } }, null, asked, SEATS, mine);
};

test("the deciding reason in a line", () => {
  const steal = { kind: "steal", value: 5, from: 0, swing: 10, end: "marker" };
  assert.equal(line(own, steal), "“Target 5” can steal a 5 from Ann: a swing of 10 points.");
  assert.equal(line(own, steal, 0), "“Target 5” can steal a 5 from you: a swing of 10 points.");
  const now = (mine) =>
    reasonLine(
      { reason: { action: 9, other: 8, ...steal } },
      null,
      position({ phase: "take", active: 1, to_act: 1, target: 5 }),
      SEATS,
      mine,
    );
  assert.equal(now(1), "“Steal from Ann” is a swing of 10 points: Ann loses the 5.");
  assert.equal(now(0), "“Steal from you” is a swing of 10 points: you lose the 5.");
  const rarer = { kind: "rarer", end: "ravens", chances: [0.2, 0.5], share: 0.3, mean: 0.4 };
  assert.equal(line(own, rarer), "“Target 5” ends with three ravens less often: 20% instead of 50%.");
  assert.equal(
    line(theirs, { ...rarer, end: "marker" }),
    "With “Frustrate”, Ann ends with a marker less often: 20% instead of 50%.",
  );
  assert.equal(
    line(theirs, { ...rarer, end: "marker" }, 0),
    "With “Frustrate”, you end with a marker less often: 20% instead of 50%.",
  );
});

test("numbers are told apart", () => {
  const near = { kind: "rarer", end: "ravens", chances: [0.2004, 0.2012], share: 0.3, mean: 0.4 };
  assert.match(line(own, near), /20\.0% instead of 20\.1%/);
  const counts = (pair) => line(own, { kind: "mine_fewer", end: "marker", seat: 1, counts: pair });
  assert.match(counts([1, 2]), /\(1 instead of 2\)/);
  assert.match(counts([1.5, 2]), /\(1\.5 instead of 2\.0\)/);
  assert.match(counts([1.52, 1.54]), /\(1\.52 instead of 1\.54\)/);
});

test("without an alternative there is no reason", () => {
  assert.equal(reasonLine({ reason: null }, null, own, SEATS, 1), "");
});

test("the ends of a turn, each with its chance, points and win share", () => {
  const cases = [
    { end: "marker", chance: 0.6, points: 4.26, active_points: 4.26, win_share: 0.55, frustrated: 0.5 },
    { end: "ravens_murphy", chance: 0.4, points: -13, active_points: -13, win_share: 0.25, frustrated: 0 },
  ];
  const rows = (table, tag) => [...table.querySelectorAll(tag)].map((cell) => cell.textContent);
  const found = casesTable({ action: 2, cases }, own, SEATS, 1);
  assert.deepEqual(rows(found, "thead th"), ["End of the turn", "chance", "points", "win share"]);
  assert.deepEqual(rows(found, "tbody tr:first-child > *"), ["a marker", "60.0%", "+4.3", "55.0%"]);
  assert.deepEqual(rows(found, "tbody tr:last-child > *"), ["four or more ravens and Murphy", "40.0%", "-13", "25.0%"]);
  assert.equal(found.querySelector("p").textContent, "Somebody frustrates in 30% of these turns; that is counted in.");
  const other = casesTable({ action: 7, cases }, theirs, SEATS, 1);
  assert.deepEqual(rows(other, "thead th").slice(2, 4), ["points: Ann", "points: You"]);
  assert.equal(other.querySelector("p"), null, "whoever frustrates knows it");
});
