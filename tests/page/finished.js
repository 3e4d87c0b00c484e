// A short finished game and its review, as the server tells it: two turns, three decisions.

const START = "2x1_11111_00000f0.00000f0_-_0_000_-_-_throw_0";
const ASKED = "2x1_11111_00000f0.00000f0_-_0_002_-_7730045_target0_0";
const THROWN = "2x1_11111_00000f0.00000f0_-_0_722_-_-_throw_0";
const TURN = "2x1_11111_00000f1.00000f0_-_1_000_-_-_throw_1";
const SECOND = "2x1_11111_00000f1.00000f0_-_1_000_-_3334567_target1_1";
const LET = "2x1_11111_00000f1.00000f0_-_1_340_-_3567_frustrate0_1";
const OVER = "2x1_00000_00000f1.10000f0_-_0_000_-_-_over_2";

const asked = (phase, active, more = {}) => ({ phase, active, target: null, num_players: 2, frustraters: [], ...more });
const ended = (active, more) => ({ active, targets: 0, ravens: 0, frustrations: [0, 0], murphy: null, ...more });
const decision = (step, seat, turn, phase, position, actions, action, mark) => ({
  step,
  seat,
  turn,
  phase,
  position,
  actions,
  action,
  mark,
  best: actions[0][0],
  costs: actions[0][1] - actions.find(([one]) => one === action)[1],
});

export const REVIEW = {
  source: "estimated: champion",
  marks: { "?!": 0.01, "?": 0.02, "??": 0.04 },
  start: { position: START, scores: [0, 0] },
  steps: [
    { kind: "throw", seat: 0, faces: [7, 7, 3, 0, 0, 4, 5], position: ASKED, scores: [0, 0] },
    { kind: "action", seat: 0, action: 0, forced: false, asked: asked("target", 0), position: THROWN, scores: [0, 0] },
    { kind: "throw", seat: 0, faces: [0, 4, 5, 6], position: THROWN, scores: [0, 0] },
    {
      kind: "end",
      seat: 0,
      position: TURN,
      scores: [-3, 0],
      turn: ended(0, { ravens: 3, frustrations: [1, 0] }),
      drift: [0.02, -0.02],
    },
    { kind: "throw", seat: 1, faces: [3, 3, 3, 4, 5, 6, 7], position: SECOND, scores: [-3, 0] },
    { kind: "action", seat: 1, action: 0, forced: false, asked: asked("target", 1), position: SECOND, scores: [-3, 0] },
    { kind: "throw", seat: 1, faces: [3, 5, 6, 7], position: LET, scores: [-3, 0] },
    {
      kind: "action",
      seat: 0,
      action: 5,
      forced: false,
      asked: asked("frustrate", 1, { target: 3 }),
      position: LET,
      scores: [-3, 0],
    },
    {
      kind: "action",
      seat: 1,
      action: 8,
      forced: true,
      asked: asked("take", 1, { target: 3 }),
      position: OVER,
      scores: [-3, 3],
      turn: ended(1, { targets: 4 }),
    },
  ],
  shares: [
    [0.5, 0.5],
    [0.55, 0.45],
    [0.5, 0.5],
    [0.4, 0.6],
    [0.42, 0.58],
    [0.44, 0.56],
    [0.44, 0.56],
    [0.2, 0.8],
    [0, 1],
    [0, 1],
  ],
  decisions: [
    decision(
      1,
      0,
      0,
      "target",
      ASKED,
      [
        [4, 0.55],
        [1, 0.52],
        [0, 0.5],
      ],
      0,
      "??",
    ),
    decision(
      5,
      1,
      1,
      "target",
      SECOND,
      [
        [0, 0.56],
        [4, 0.5],
      ],
      0,
      null,
    ),
    decision(
      7,
      0,
      1,
      "frustrate",
      LET,
      [
        [7, 0.005],
        [5, 0],
      ],
      5,
      null,
    ),
  ],
  luck: [-0.27, 0.27],
  skill: [-0.055, 0],
  others: [0, 0.055],
  drift: [0.02, -0.02],
};
