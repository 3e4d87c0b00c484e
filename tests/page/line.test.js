// Positions from their one-line form.

import assert from "node:assert/strict";
import { test } from "node:test";
import { positionOf } from "../../play/pechvogel/web/js/line.js";

test("all parts of a line are read", () => {
  assert.deepEqual(positionOf("3x2i_12101_00011f2.00000f12.10000f0_2_1_642_ra20_663_frustrate0_9"), {
    num_players: 3,
    copies: 2,
    italian_reading: true,
    middle: [1, 2, 1, 0, 1],
    players: [
      { markers: [0, 0, 0, 1, 1], frustrations: 2 },
      { markers: [0, 0, 0, 0, 0], frustrations: 12 },
      { markers: [1, 0, 0, 0, 0], frustrations: 0 },
    ],
    murphy: 2,
    active: 1,
    target: 6,
    targets: 4,
    ravens: 2,
    reduced: true,
    frustraters: [2, 0],
    last_throw: [6, 6, 3],
    after_reduction: true,
    phase: "frustrate",
    to_act: 0,
    turn: 9,
  });
});

test("what is not there is null, none or empty", () => {
  const found = positionOf("2x3_33333_00000f0.00000f0_-_0_000_-_-_throw_0");
  const { murphy, target, reduced, frustraters, last_throw, after_reduction, phase, to_act } = found;
  assert.deepEqual([murphy, target, to_act, phase], [null, null, null, "throw"]);
  assert.deepEqual([reduced, after_reduction, frustraters, last_throw], [false, false, [], []]);
});
