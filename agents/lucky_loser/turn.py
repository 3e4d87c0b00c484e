"""A turn, exactly: what every action is worth, given what positions between turns are worth.

A turn is one throw and one decision, so there is little to search: whatever the dice show, a turn ends in one of at
most 49 positions. Three steps, so that an evaluation sees many of them at once:

    expand    the positions in which the turn can end, by the engine's own rules
    evaluate  their values for every player, from outside
    back up   each of the 126 throws with its exact probability, the best position for whoever decides

Ties between equal values go to the lowest action, as everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial, prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from lucky_loser_env import rules
from lucky_loser_env.rules import (
    FACES,
    MAX_PLAYERS,
    NUM_ACTIONS,
    NUM_DICE,
    NUM_FACES,
    NUM_THROWS,
    SORTED_THROWS,
    Phase,
    States,
    act,
    land,
    legal_of,
    open_to,
)
from pechvogel.tabletop.arrays import Floats, Ints
from pechvogel.tabletop.bits import count_actions
from pechvogel.tabletop.compile import compiled, inlined

# What positions between turns (or after the end) are worth: for each state a row, for each seat a reward="win".
Evaluation: TypeAlias = Callable[[States], Floats]

AT_ONCE = 4096  # states, so that their ends don't fill the memory

# All throws without their order, as `rules.land` takes them, and how likely each is.
THROWS = np.array(
    [sum((face - FACES[0]) * NUM_FACES**die for die, face in enumerate(dice)) for dice in SORTED_THROWS], np.int64
)
CHANCES = np.array(
    [factorial(NUM_DICE) / prod(factorial(dice.count(face)) for face in FACES) / NUM_THROWS for dice in SORTED_THROWS]
)


class Ends(NamedTuple):
    """The positions in which the turns of some games can end."""

    bits: Ints  # by game: the actions that lead to them; before the throw, those that any dice allow
    starts: Ints  # by game, and one more: where its ends begin, one for each of its actions, in their order
    states: States


def ends_of(states: States) -> Ends:
    """All of them; none for games that are over."""
    bits, starts = np.empty(len(states), np.int64), np.empty(len(states) + 1, np.int64)
    found = rules.new_states(_count_ends(states, bits, starts))
    _expand(states, bits, found)
    return Ends(bits, starts, found)


@compiled
def _count_ends(states: States, bits: Ints, starts: Ints) -> int:
    starts[0] = 0
    for i in range(len(states)):
        s = states[i]
        bits[i] = 0
        if s.phase == Phase.GROUP:
            bits[i] = legal_of(s)
        elif s.phase == Phase.THROW:
            bits[i] = open_to(s, s.active)
        starts[i + 1] = starts[i] + count_actions(bits[i])
    return starts[len(states)]


@compiled
def _expand(states: States, bits: Ints, ends: States) -> None:
    row = 0
    for i in range(len(states)):
        for action in range(NUM_ACTIONS):
            if bits[i] >> action & 1:
                ends[row] = states[i]
                act(ends[row], action)
                row += 1


@inlined
def rank(values: Floats, start: int, bits: int, seat: int, actions: Ints, rows: Ints) -> int:
    """Actions and the rows of their ends, best first for a seat; equal ones in their order. Returns how many."""
    num = 0
    for action in range(NUM_ACTIONS):
        if bits >> action & 1:
            row = start + num
            at = num
            while at > 0 and values[rows[at - 1], seat] < values[row, seat]:
                actions[at] = actions[at - 1]
                rows[at] = rows[at - 1]
                at -= 1
            actions[at] = action
            rows[at] = row
            num += 1
    return num


@inlined
def best_row(legal: int, actions: Ints, rows: Ints) -> int:
    """The best end among those of legal actions, by what `rank` has found."""
    k = 0
    while not legal >> actions[k] & 1:
        k += 1
    return rows[k]


@inlined
def expect(s: Any, values: Floats, actions: Ints, rows: Ints, out: Floats, i: int) -> None:
    """What a turn is worth to everybody before its throw, into row `i`; `s` is spoilt for that."""
    for k in range(s.num_players):
        out[i, k] = 0.0
    for number in range(len(THROWS)):
        land(s, THROWS[number])
        row = best_row(legal_of(s), actions, rows)
        for k in range(s.num_players):
            out[i, k] += CHANCES[number] * values[row, k]


@compiled
def _back_up(
    states: States, bits: Ints, starts: Ints, values: Floats, of_actions: Floats, of_states: Floats, work: States
) -> None:
    actions, rows = np.zeros(NUM_ACTIONS, np.int64), np.zeros(NUM_ACTIONS, np.int64)
    for i in range(len(states)):
        s = states[i]
        if s.phase == Phase.OVER:
            rules.put_win_rewards(s, of_states, i)
            continue
        rank(values, starts[i], bits[i], s.active, actions, rows)
        if s.phase == Phase.THROW:
            work[0] = states[i]
            expect(work[0], values, actions, rows, of_states, i)
            continue
        for k in range(starts[i + 1] - starts[i]):
            of_actions[i, actions[k]] = values[rows[k], s.active]
        for k in range(s.num_players):
            of_states[i, k] = values[rows[0], k]


class TurnSearch:
    """Exact values of actions and positions in a turn, from an evaluation of positions between turns."""

    def __init__(self, evaluate: Evaluation) -> None:
        self.evaluate = evaluate

    def action_values(self, states: States) -> Floats:
        """For each game the value of every action for whoever is asked; NaN where illegal."""
        return np.concatenate([self._search(part)[0] for part in _parts(states)])

    def values(self, states: States) -> Floats:
        """For each game what it is worth to every seat, whatever it waits for; a row of four, NaN for empty seats."""
        return np.concatenate([self._search(part)[1] for part in _parts(states)])

    def _search(self, states: States) -> tuple[Floats, Floats]:
        ends = ends_of(states)
        of_actions = np.full((len(states), NUM_ACTIONS), np.nan)
        of_states = np.full((len(states), MAX_PLAYERS), np.nan)
        values = self.evaluate(ends.states)
        _back_up(states, ends.bits, ends.starts, values, of_actions, of_states, rules.new_states(1))
        return of_actions, of_states


def _parts(states: States) -> list[States]:
    return [states[at : at + AT_ONCE] for at in range(0, max(1, len(states)), AT_ONCE)]
