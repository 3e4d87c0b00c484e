"""Whole turns played out by the turn search, with what they were worth: for learning from self-play.

The search of a turn's start knows what to do at every decision of that turn, so a turn is searched once, not once per
decision.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.turn_ends import NUM_BOARDS, NUM_GROUPS, Starts, end_node, end_of, group_of
from agents.turn_values import back_up_state, best_end, first_throw, throw_values
from pechvogel_env._compile import compiled
from pechvogel_env.dice import mix
from pechvogel_env.game import _advance, random_action
from pechvogel_env.rules import FIRST_VALUE, MAX_PLAYERS, NUM_ACTIONS, NUM_VALUES, Phase, States, _apply

_UNIT = 2.0**-53  # from 53 random bits to a number below 1


@compiled
def play_turns(
    states: States,
    starts: Starts,
    ends: States,
    values: NDArray[np.float64],
    seeds: NDArray[np.uint64],
    keys: NDArray[np.uint64],
    explore: float,
    worth: NDArray[np.float64],
) -> None:
    """Play one turn of every game with its seeded dice, and note in `worth` what it was worth before it began.

    All games are between turns. A decision is any legal action with the chance `explore` (by `keys`, one per game and
    turn), else the best; so is a take with its discard.
    """
    throws = np.zeros((NUM_VALUES, NUM_BOARDS, 2, NUM_GROUPS, MAX_PLAYERS))
    after_reduction = np.zeros((NUM_VALUES, NUM_BOARDS, NUM_GROUPS, MAX_PLAYERS))
    kept = np.zeros(MAX_PLAYERS)
    result = np.zeros((NUM_ACTIONS, MAX_PLAYERS))
    of_actions = np.zeros((1, NUM_ACTIONS))
    of_state = np.zeros((1, MAX_PLAYERS))
    for j in range(len(states)):
        s = states[j]
        for value in range(NUM_VALUES):
            throw_values(s, j, value, starts, values, throws[value], after_reduction[value])
        first_throw(s, j, j, starts, values, throws, worth)
        key = keys[j]
        stop = s.turn + 1
        while True:
            bits = _advance(s, seeds[j], True, stop, True)
            if bits == 0:
                break
            key = mix(key + np.uint64(1))
            exploring = float(key >> np.uint64(11)) * _UNIT < explore
            key = mix(key + np.uint64(1))
            if s.phase == Phase.TAKE or s.phase == Phase.DISCARD:  # the latter where there was one steal, and no take
                states[j] = ends[_chosen_end(s, j, starts, values, exploring, key)]
                break
            if exploring:
                _apply(s, random_action(bits, key))
                continue
            back_up_state(s, 0, j, starts, values, throws, after_reduction, kept, result, of_actions, of_state)
            best = -1
            for action in range(NUM_ACTIONS):
                if bits >> action & 1 and (best < 0 or of_actions[0, action] > of_actions[0, best]):
                    best = action
            _apply(s, best)


@compiled
def _chosen_end(s: Any, j: int, starts: Starts, values: NDArray[np.float64], exploring: bool, key: Any) -> int:
    node = end_node(starts, s.target - FIRST_VALUE, end_of(s.targets, s.ravens), s.reduced, group_of(s))
    if exploring:
        first, num = starts[j, node], starts[j, node + 1] - starts[j, node]
        return first + np.int64((key >> np.uint64(32)) * np.uint64(num) >> np.uint64(32))
    return best_end(starts, j, node, values, s.active)
