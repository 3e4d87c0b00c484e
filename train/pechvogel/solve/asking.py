"""What an agent does at every position of a small game: its policy, as a table of probabilities.

What an agent is shown: throws sorted (ravens, then the target, then the others), dice that neither are ravens nor show
the target as the lowest other number, and never "this throw repeats a reduced one", which matters in the Italian
reading only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pechvogel.agents.pechvogel.solution import NUM_MURPHY, Codes
from pechvogel.agents.pechvogel.turn.ends import (
    END_BOTH,
    END_GREEDY,
    NUM_BOARDS,
    board_of,
)
from pechvogel.tabletop.compile import compiled
from pechvogel.train.pechvogel.solve.kernel import (
    NUM_FLAGS,
    NUM_TAKING_ENDS,
    write_digits,
)
from pechvogel_env import dice, rules
from pechvogel_env.position import position_of
from pechvogel_env.rules import (
    FACES,
    FIRST_VALUE,
    NOBODY,
    NUM_ACTIONS,
    NUM_DICE,
    NUM_VALUES,
    RAVENS_LIMIT,
    TARGETS_NEEDED,
    Action,
    Phase,
    States,
)

# Throws after which there is something to decide: first throws with fewer than three ravens, and later throws by board.
FIRST = np.array([o.counts for o in dice.outcomes(NUM_DICE) if o.counts[0] < RAVENS_LIMIT], np.int8)
FIRST_CHANCE = np.array([o.probability for o in dice.outcomes(NUM_DICE) if o.counts[0] < RAVENS_LIMIT])
_later = [
    (board_of(t, r), o.targets, o.ravens, o.probability / (1 - (2 / 3) ** (NUM_DICE - t - r)))  # empty ones: once more
    for t in range(1, TARGETS_NEEDED)
    for r in range(RAVENS_LIMIT)
    for o in dice.reduced_outcomes(NUM_DICE - t - r)
    if o.targets + o.ravens
]
LATER = np.array([words[:3] for words in _later], np.int64)  # board before, targets and ravens thrown
LATER_CHANCE = np.array([words[3] for words in _later])
LATER_START = np.searchsorted(LATER[:, 0], np.arange(NUM_BOARDS + 1))  # they stand in the order of boards


def tabulate(agent: Any, codes: Codes, cap: int, number: int) -> tuple[NDArray[np.float32], ...]:
    """What the agent does at an arrangement, for all frustrations and Murphy, as probabilities.

    target[murphy, lane, first throw, value]; reduce and frustrate[murphy, lane, value, later throw, other flag];
    discard[murphy, lane, value, end, flags, value put into the box].
    """
    lanes = (cap + 1) ** 2
    shapes = (
        (NUM_MURPHY, lanes, len(FIRST), NUM_VALUES),
        (NUM_MURPHY, lanes, NUM_VALUES, len(LATER), 2),
        (NUM_MURPHY, lanes, NUM_VALUES, len(LATER), 2),
        (NUM_MURPHY, lanes, NUM_VALUES, NUM_TAKING_ENDS, NUM_FLAGS, NUM_VALUES),
    )
    target, reduce, frustrate, discard = (np.zeros(shape, np.float32) for shape in shapes)
    for kind, out, first_action, num_actions in (
        (Phase.TARGET, target, Action.TARGET_3, NUM_VALUES),
        (Phase.REDUCE, reduce, Action.REDUCE, 1),
        (Phase.FRUSTRATE, frustrate, Action.FRUSTRATE, 1),
        (Phase.DISCARD, discard, Action.DISCARD_3, NUM_VALUES),
    ):
        flat = out.reshape(-1, num_actions)
        states = rules.new_states(len(flat))
        where = np.empty(len(flat), np.int64)
        bits = np.empty(len(flat), np.int32)
        num = _questions(codes, cap, number, kind, FIRST, LATER, states, where, bits)
        forced = bits[:num] & (bits[:num] - 1) == 0
        chances = np.zeros((num, NUM_ACTIONS))
        masks = ((bits[:num, None] >> np.arange(NUM_ACTIONS)) & 1).astype(np.int8)
        chances[forced] = masks[forced]
        asked = np.flatnonzero(~forced)
        for at in range(0, len(asked), 20_000):
            some = asked[at : at + 20_000]
            chances[some] = probabilities(agent, states[some], masks[some])
        flat[where[:num]] = chances[:, first_action : first_action + num_actions]
    return target, reduce, frustrate, discard


def probabilities(agent: Any, states: States, masks: NDArray[np.int8]) -> NDArray[np.float64]:
    """How often an agent plays each action: the distribution that it is, else the action that it plays."""
    if hasattr(agent, "action_probabilities"):
        if hasattr(agent, "action_probabilities_batch"):
            chances = np.asarray(agent.action_probabilities_batch(states, masks))
        else:
            one_by_one = [agent.action_probabilities(position_of(states, i), masks[i]) for i in range(len(states))]
            chances = np.array(one_by_one)
        sums = chances.sum(axis=1)
        if chances.shape != masks.shape or not (chances >= 0).all() or (np.abs(sums - 1) > 1e-4).any():
            raise ValueError("its action_probabilities must be chances that add up to 1")
        if (chances[masks == 0] > 0).any():
            raise ValueError("its action_probabilities give chances to illegal actions")
        return chances
    rngs = [np.random.default_rng(0)] * len(states)
    if hasattr(agent, "act_batch"):
        actions = np.asarray(agent.act_batch(states, masks, rngs))
    else:
        actions = np.array([agent.act(position_of(states, i), masks[i], rngs[i]) for i in range(len(states))])
    inside = (actions >= 0) & (actions < NUM_ACTIONS)
    if not inside.all() or not (masks[np.arange(len(states)), actions] == 1).all():
        raise ValueError("it plays illegal actions; see pechvogel.agents.registry.check")
    return np.eye(NUM_ACTIONS)[actions]


@compiled
def _questions(
    codes: Codes,
    cap: int,
    number: int,
    kind: int,
    first: NDArray[np.int8],
    later: NDArray[np.int64],
    states: States,
    where: NDArray[np.int64],
    bits: NDArray[np.int32],
) -> int:
    """All positions of a kind of decision: states, where they stand in the table of the policy, and legal actions."""
    digits = np.empty(NUM_VALUES, np.int64)
    counts = np.empty(len(FACES), np.int8)
    write_digits(codes, number, digits)
    num = 0
    place = -1
    for murphy in range(NUM_MURPHY):
        for lane in range((cap + 1) ** 2):
            mine, theirs = lane // (cap + 1), lane % (cap + 1)
            if kind == Phase.TARGET:
                for throw in range(len(first)):
                    place += 1
                    _between(codes, digits, murphy, mine, theirs, states, num)
                    rules.apply_throw(states, num, first[throw])
                    num = _note(states, num, where, bits, place)
                continue
            for value in range(NUM_VALUES):
                if kind == Phase.DISCARD:
                    for end in range(NUM_TAKING_ENDS):
                        for flags in range(NUM_FLAGS):
                            place += 1
                            if mine < flags >> 1 or theirs < flags & 1:
                                continue
                            if codes.steal[digits[value]] < 0:
                                continue
                            _between(codes, digits, murphy, mine, theirs, states, num)
                            _set_board(
                                states, num, value, 5 if end == END_GREEDY else 4, 3 if end == END_BOTH else 0, flags
                            )
                            rules.keep_throw(states[num])
                            rules.apply(states, num, Action.STEAL_1)
                            num = _note(states, num, where, bits, place)
                    continue
                for throw in range(len(later)):
                    board, more_targets, more_ravens = later[throw]
                    targets, ravens = board // RAVENS_LIMIT + 1, board % RAVENS_LIMIT
                    for other in range(2):
                        place += 1
                        flags = other if kind == Phase.REDUCE else 2 * other
                        if mine < flags >> 1 or theirs < flags & 1:
                            continue
                        _between(codes, digits, murphy, mine, theirs, states, num)
                        _set_board(states, num, value, targets, ravens, flags)
                        counts[:] = 0
                        counts[0] = more_ravens
                        counts[value + 1] = more_targets
                        counts[2 if value == 0 else 1] = NUM_DICE - targets - ravens - more_targets - more_ravens
                        rules.apply_throw(states, num, counts)
                        if kind == Phase.FRUSTRATE:
                            rules.apply(states, num, Action.PASS)
                        num = _note(states, num, where, bits, place)
    return num


@compiled
def _between(
    codes: Codes, digits: NDArray[np.int64], murphy: int, mine: int, theirs: int, states: States, i: int
) -> None:
    """A position between turns: seat 0 is at turn."""
    rules.new_game(states, i, 2, 1, False, 0)
    s = states[i]
    for value in range(NUM_VALUES):
        s.middle[value] = codes.middle[digits[value]]
        s.markers[0, value] = codes.mine[digits[value]]
        s.markers[1, value] = codes.theirs[digits[value]]
    s.murphy = NOBODY if murphy == 0 else murphy - 1
    s.frustrations[0] = mine
    s.frustrations[1] = theirs


@compiled
def _set_board(states: States, i: int, value: int, targets: int, ravens: int, flags: int) -> None:
    s = states[i]
    s.target = value + FIRST_VALUE
    s.targets = targets
    s.ravens = ravens
    s.throws = 1
    s.reduced = flags >> 1
    s.frustrations[0] -= flags >> 1
    if flags & 1:
        s.frustrations[1] -= 1
        s.frustraters[0] = 1
        s.num_frustraters = 1


@compiled
def _note(states: States, num: int, where: NDArray[np.int64], bits: NDArray[np.int32], place: int) -> int:
    where[num] = place
    bits[num] = rules.legal_bits(states, num)
    return num + 1
