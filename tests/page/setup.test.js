// A position while it is being set up.

import assert from "node:assert/strict";
import { test } from "node:test";
import { position } from "./browser.js";
import { positionOf } from "../../play/pechvogel/web/js/line.js";
import * as setup from "../../play/pechvogel/web/js/setup.js";

const { draftOf, positionOfDraft } = setup;
const begin = (more = {}) => draftOf(position({ phase: "throw", to_act: null, last_throw: [], ...more }));
const three = begin({
  num_players: 3,
  middle: [3, 3, 3, 2, 0],
  players: [
    { markers: [0, 0, 0, 1, 1], frustrations: 2 },
    { markers: [0, 0, 0, 0, 0], frustrations: 1 },
    { markers: [0, 0, 0, 0, 2], frustrations: 4 },
  ],
  murphy: 2,
  active: 2,
});

test("whatever is loaded comes out as it was: every moment of a turn", () => {
  for (const line of [
    "2x3_33333_00000f0.00000f0_-_0_000_-_-_throw_0",
    "2x3_32233_01100f2.00000f3_0_1_000_-_6566764_target1_8",
    "2x3_32233_01100f2.00000f3_0_1_002_-_6506064_target1_8",
    "3x3_33332_00001f2.00000f1.00000f0_-_0_642_-_663_frustrate1_9",
    "3x3i_33332_00001f2.00000f1.00000f0_1_0_642_ra_663_reduce0_9",
    "4x2_22222_00000f2.00000f1.00000f0.00000f1_-_3_533_r0_5003_frustrate2_8",
    "3x3_33332_00001f2.00000f0.00000f1_-_0_642_1_663_join2_9",
    "3x3_33332_00001f2.00000f1.00000f0_-_0_642_-_663_take0_9",
    "3x3_33332_00001f2.00000f1.00000f0_-_0_743_-_7777000_take0_9",
    "3x3_33322_00011f2.00000f1.00000f0_-_0_642_r_663_discard0_9",
    "3x3_33332_00001f2.00000f1.00000f0_-_0_622_r1_-_throw_9",
    "2x1_00000_10101f0.01010f1_1_0_000_-_-_over_11",
  ]) {
    assert.deepEqual(positionOfDraft(draftOf(positionOf(line))), positionOf(line), line);
  }
});

test("what lies on the board is what lay there, and what of the throw goes there", () => {
  const draft = {
    ...setup.withMoment(begin(), "reduce"),
    target: 5,
    lying: { targets: 2, ravens: 1 },
    thrown: [5, 0, 3, 5],
  };
  const { target, targets, ravens, last_throw, phase, to_act } = positionOfDraft(draft);
  assert.deepEqual([target, targets, ravens, last_throw, phase, to_act], [5, 4, 2, [5, 0, 3, 5], "reduce", 0]);
  assert.equal(setup.diceThrown(draft), 4);
  assert.equal(setup.diceThrown(setup.withMoment(draft, "target")), 7);
});

test("what belongs to another moment does not come with it", () => {
  const draft = { ...three, reduced: true, after_reduction: true, frustraters: [0], thrown: [3, 4], target: 5 };
  for (const moment of ["begin", "over", "target"]) {
    const found = positionOfDraft(setup.withMoment(draft, moment));
    const { target, targets, reduced, frustraters, after_reduction } = found;
    assert.deepEqual([target, targets, reduced, frustraters, after_reduction], [null, 0, false, [], false], moment);
  }
  assert.deepEqual(positionOfDraft(setup.withMoment(draft, "throw")).last_throw, []);
  const calm = positionOfDraft({ ...setup.withMoment(draft, "throw"), reduced: false });
  assert.equal(calm.after_reduction, false);
});

test("another number of players keeps what is there", () => {
  const more = setup.withPlayers(three, 5);
  assert.deepEqual(more.players.slice(0, 3), three.players);
  assert.deepEqual(more.players.slice(3), Array(2).fill({ markers: [0, 0, 0, 0, 0], frustrations: 0 }));
  assert.deepEqual([more.middle, more.murphy, more.active], [three.middle, 2, 2]);
  const fewer = setup.withPlayers(three, 2);
  assert.deepEqual(fewer.players, three.players.slice(0, 2));
  assert.deepEqual(fewer.middle, [3, 3, 3, 2, 2], "the markers of whoever goes are in the middle again");
  assert.deepEqual([fewer.murphy, fewer.active, fewer.to_act], [null, 0, 1]);
  assert.deepEqual(setup.withPlayers({ ...three, frustraters: [0, 1], active: 2 }, 2).frustraters, [1]);
});

test("other copies: more lie in the middle, fewer are missing there first", () => {
  const fewer = setup.withCopies(three, 2);
  assert.deepEqual(fewer.middle, [2, 2, 2, 1, 0]);
  assert.deepEqual(
    fewer.players.map(({ markers }) => markers[4]),
    [1, 0, 1],
  );
  assert.deepEqual(setup.withCopies(fewer, 3).middle, [3, 3, 3, 2, 1]);
  assert.deepEqual(three.players[2].markers, [0, 0, 0, 0, 2], "the draft before is as it was");
});

test("markers come from the middle and go back there", () => {
  let draft = setup.withMarkers(begin(), 0, 4, 2);
  assert.deepEqual([draft.middle[4], draft.players[0].markers[4]], [1, 2]);
  draft = setup.withMarkers(draft, 1, 4, 9); // a slip of the finger
  assert.equal(draft.middle[4], 0);
  draft = setup.withMarkers(draft, 1, 4, 1);
  assert.equal(draft.middle[4], 0);
  draft = setup.withMarkers(draft, 0, 4, 0);
  assert.equal(draft.middle[4], 2);
  draft = setup.withMiddle(draft, 4, 1); // one is in the box
  assert.equal(setup.withMarkers(draft, 0, 4, 1).middle[4], 0);
  assert.equal(setup.withFrustrations(draft, 1, 5).players[1].frustrations, 5);
});

test("frustraters stand clockwise from whoever began", () => {
  const four = { ...begin({ num_players: 4 }), active: 1 };
  assert.deepEqual(setup.opponents(four), [2, 3, 0]);
  assert.deepEqual(setup.withFrustraters(four, [0, 2]).frustraters, [2, 0]);
  const begun = setup.withFrustraters(four, [0, 2], 0);
  assert.deepEqual(begun.frustraters, [0, 2]);
  assert.deepEqual(setup.withFrustraters(begun, [0, 2, 3]).frustraters, [0, 2, 3]);
  assert.deepEqual(setup.withFrustraters(begun, [2, 3]).frustraters, [2, 3]);
  assert.deepEqual(setup.withActive(begun, 2).frustraters, [0]);
  assert.equal(setup.withActive({ ...begun, to_act: 2 }, 2).to_act, 3);
});
