// The moments of a finished game.

import assert from "node:assert/strict";
import { test } from "node:test";
import { REVIEW } from "./finished.js";
import { momentAt, momentsOf } from "../../play/pechvogel/web/js/moments.js";

const moments = momentsOf(REVIEW);
const near = (found, expected) =>
  assert.ok(
    found.every((share, k) => Math.abs(share - expected[k]) < 1e-9),
    `${found} is not ${expected}`,
  );

test("they are the beginning, every throw, every decision, and the end", () => {
  assert.deepEqual(
    moments.map(({ step }) => step),
    [null, 0, 1, 2, 4, 5, 6, 7, 9],
  );
  assert.deepEqual(
    moments.map(({ decision }) => decision?.action ?? null),
    [null, null, 0, null, null, 0, null, 5, null],
  );
  assert.deepEqual(
    moments.map(({ seat }) => seat),
    [null, 0, 0, 0, 1, 1, 1, 0, null],
  );
});

test("a throw is shown as it fell, a decision as it was asked; what follows by itself belongs to it", () => {
  assert.deepEqual(moments[1].position.last_throw, [7, 7, 3, 0, 0, 4, 5]);
  assert.equal(moments[2].position.phase, "target");
  assert.deepEqual(
    moments.map(({ events }) => events.map(({ kind }) => kind).join(" ")),
    ["", "throw", "action", "throw end", "throw", "action", "throw", "action action", ""],
  );
  assert.deepEqual(moments[3].scores, [0, 0], "the frustration comes after the throw");
  assert.deepEqual(moments[7].scores, [-3, 0]);
  assert.deepEqual([moments[8].position.phase, moments[8].scores], ["over", [-3, 3]]);
});

test("chances are those afterwards; luck, decisions and drift add up to their change", () => {
  near(moments[3].shares, [0.42, 0.58]);
  near(moments[3].own, [-0.1, 0.1]);
  near(moments[3].drift, [0.02, -0.02]);
  near(moments[2].own, [-0.05, 0.05]);
  assert.equal(moments[1].drift, null);
  near(moments.at(-1).luck, [0.05 - 0.1 + 0.02 - 0.24, -0.05 + 0.1 - 0.02 + 0.24]);
  for (const { own, drift, before, shares, events } of moments.slice(1, -1)) {
    const forced = events.length > 1 && events[1].kind === "action" ? [0, 0] : (drift ?? [0, 0]);
    near(
      own.map((share, k) => before[k] + share + forced[k]),
      shares,
    );
  }
});

test("an address means the last moment that is not later", () => {
  const found = [-5, 0, 1, 3, 4, 8, 9, 400].map((step) => moments[momentAt(moments, step)].step);
  assert.deepEqual(found, [null, 0, 1, 2, 4, 7, 9, 9]);
});
