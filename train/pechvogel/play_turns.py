"""Whole turns played out by the turn search, with what they were worth: for learning from self-play.

The search of a turn's start knows what to do at every decision of that turn, so a turn is searched once, not once per
decision.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pechvogel.agents.pechvogel.heuristic import choose
from pechvogel.agents.pechvogel.turn import ends as turn_ends
from pechvogel.agents.pechvogel.turn.ends import NUM_BOARDS, NUM_GROUPS, Starts, apply, bits_of, end_node, end_of
from pechvogel.agents.pechvogel.turn.values import back_up_state, best_end, first_throw, throw_values
from pechvogel.tabletop.arrays import Floats, Seeds, Truths
from pechvogel.tabletop.bits import random_action
from pechvogel.tabletop.compile import compiled
from pechvogel.tabletop.seeds import mix
from pechvogel_env.game import MAX_LEGAL, go_on
from pechvogel_env.rules import FIRST_VALUE, MAX_PLAYERS, NUM_ACTIONS, NUM_VALUES, Action, Phase, States

_UNIT = 2.0**-53  # from 53 random bits to a number below 1


@compiled
def play_turns(
    states: States,
    starts: Starts,
    ends: States,
    values: Floats,
    seeds: Seeds,
    keys: Seeds,
    explore: float,
    scripted: Truths,
    worth: Floats,
    work: States,
) -> None:
    """Play one turn of every game with its seeded dice, and note in `worth` what it was worth before it began.

    All games are between turns. A decision is any legal action with the chance `explore` (by `keys`, one per game and
    turn), else the best; so is a take with its discard. `work` is room for one state.

    Seats that are `scripted` do what `heuristic` would. What that changes for everybody, compared with the best action,
    is added to `worth`: so it stays, on average over turns, what the turn is worth with these players, with far less
    luck in it than the turn's result has.
    """
    width = values.shape[1]
    throws = np.zeros((NUM_VALUES, NUM_BOARDS, 2, NUM_GROUPS, width))
    after_reduction = np.zeros((NUM_VALUES, NUM_BOARDS, NUM_GROUPS, width))
    kept = np.zeros(width)
    result = np.zeros((NUM_ACTIONS, width))
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
            bits = go_on(s, seeds[j], True, stop, True)
            if bits == 0:
                break
            key = mix(key + np.uint64(1))
            exploring = float(key >> np.uint64(11)) * _UNIT < explore
            key = mix(key + np.uint64(1))
            if s.phase == Phase.TAKE or s.phase == Phase.DISCARD:  # the latter where there was one steal, and no take
                node = end_node(
                    starts, s.target - FIRST_VALUE, end_of(s.targets, s.ravens), s.reduced, turn_ends.group_of(s)
                )
                row = best_end(starts, j, node, values, s.active)
                if exploring:
                    row = _any_end(starts, j, node, key)
                elif scripted[j, s.to_act]:
                    best_row = row
                    row = starts[j, node] + _number_of_end(states, j, work)
                    for k in range(s.num_players):
                        worth[j, k] += values[row, k] - values[best_row, k]
                states[j] = ends[row]
                break
            if exploring:
                apply(s, random_action(bits, key, MAX_LEGAL))
                continue
            back_up_state(s, 0, j, starts, values, throws, after_reduction, kept, result, of_actions, of_state)
            best = -1
            for action in range(NUM_ACTIONS):
                if bits >> action & 1 and (best < 0 or of_actions[0, action] > of_actions[0, best]):
                    best = action
            if scripted[j, s.to_act]:
                action = choose(s)
                for k in range(s.num_players):
                    worth[j, k] += result[action, k] - result[best, k]
                best = action
            apply(s, best)


@compiled
def _any_end(starts: Starts, j: int, node: int, key: Any) -> int:
    first, num = starts[j, node], starts[j, node + 1] - starts[j, node]
    return first + np.int64((key >> np.uint64(32)) * np.uint64(num) >> np.uint64(32))


@compiled
def _number_of_end(states: States, j: int, work: States) -> int:
    """Which of the ends that a take can lead to, in the order of actions, `heuristic` would choose."""
    work[0] = states[j]
    w = work[0]
    number = 0
    if w.phase == Phase.TAKE:
        bits, action = bits_of(w), choose(w)
        discards = 0
        for value in range(NUM_VALUES):
            discards += w.middle[value] > 0
        for other in range(action):
            if bits >> other & 1:
                number += 1 if other == Action.TAKE else discards
        if action == Action.TAKE:
            return number
        apply(w, action)
    discard = choose(w)
    for other in range(Action.DISCARD_3, discard):
        number += bits_of(w) >> other & 1
    return number
