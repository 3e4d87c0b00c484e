"""The rest of a turn, exactly: what every action is worth, given what positions between turns are worth.

One piece of code for every agent that looks ahead: the planner (a hand-made evaluation), learned evaluations and the
solver's table. Three steps, so that an evaluation sees many positions at once:

    expand    all positions in which the turn can end, by the engine's own rules (`ends`)
    evaluate  their values for every player, from outside
    back up   every throw with its exact probability, every decision chosen best for whoever decides (`values`)

What makes a turn small: once the target is set, only the numbers of targets and ravens on the board matter, whether the
active player has reduced, and who has frustrated. A repeated throw leads back to the same board with fewer rights left,
and an empty throw is simply thrown again (a geometric series), so there are no cycles. How a turn ends depends on the
target's value, on what lies on the board only by five *ends* (below), and on who spent frustrations.

Ties between equal values go to the lowest action, as everywhere: so players pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np

from pechvogel.agents.pechvogel.turn.ends import count_ends, expand, group_turns, new_starts
from pechvogel.agents.pechvogel.turn.values import back_up
from pechvogel.tabletop.arrays import Floats, Ints
from pechvogel_env import rules
from pechvogel_env.rules import MAX_PLAYERS, NUM_ACTIONS, States

# What positions between turns (or after the end) are worth: for each state a row, for each seat a reward="win".
Evaluation: TypeAlias = Callable[[States], Floats]

AT_ONCE = 4096  # states, so that their ends don't fill the memory


class TurnSearch:
    """Exact values of actions and positions in a turn, from an evaluation of positions between turns."""

    def __init__(self, evaluate: Evaluation) -> None:
        self.evaluate = evaluate

    def action_values(self, states: States) -> Floats:
        """For each game the value of every action for whoever is asked; NaN where illegal."""
        return np.concatenate([found for found, _ in self._searches(states)])

    def values(self, states: States) -> Floats:
        """For each game what it is worth to every seat, whatever it waits for; a row of five, NaN for empty seats."""
        return np.concatenate([found for _, found in self._searches(states)])

    def _searches(self, states: States) -> Iterator[tuple[Floats, Floats]]:
        for at in range(0, max(1, len(states)), AT_ONCE):
            yield self.search(states[at : at + AT_ONCE])

    def search(self, states: States) -> tuple[Floats, Floats]:
        """Both, for as many games as fit into the memory."""
        num, turns = len(states), rules.new_states(len(states))
        first: Ints = np.zeros(num + 1, np.int64)
        num_turns = group_turns(states, turns, first)
        turns, first = turns[:num_turns], first[: num_turns + 1]
        starts = new_starts(turns)
        total = count_ends(turns, starts)
        ends = rules.new_states(total)
        expand(turns, starts, ends)
        values = np.zeros((total, MAX_PLAYERS))
        if total:
            evaluated = self.evaluate(ends)
            values[:, : evaluated.shape[1]] = evaluated
        of_actions = np.full((num, NUM_ACTIONS), np.nan)
        of_states = np.full((num, MAX_PLAYERS), np.nan)
        back_up(states, turns, first, starts, values, of_actions, of_states)
        return of_actions, of_states
