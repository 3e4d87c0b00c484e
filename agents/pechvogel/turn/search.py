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
from typing import NamedTuple, TypeAlias

import numpy as np

from pechvogel.agents.pechvogel.turn.ends import Starts, count_ends, expand, group_turns, new_starts
from pechvogel.agents.pechvogel.turn.values import back_up
from pechvogel.tabletop.arrays import Floats, Ints
from pechvogel_env import rules
from pechvogel_env.rules import MAX_PLAYERS, NUM_ACTIONS, NUM_VALUES, States

# What positions between turns (or after the end) are worth: for each state a row, for each seat a reward="win".
Evaluation: TypeAlias = Callable[[States], Floats]

AT_ONCE = 4096  # states, so that their ends don't fill the memory


class Found(NamedTuple):
    """What a search says about games."""

    of_actions: Floats  # [game, action]: for whoever is asked; NaN where illegal
    of_states: Floats  # [game, seat]: a row of five, NaN for empty seats
    accounts: Floats  # [game, action, seat]: what actions are worth to everybody; empty unless asked for


class Foresight(NamedTuple):
    """How the turn of one game can end, and how likely each end is after each action if all play as the search does."""

    starts: Starts  # [0, node]: see `ends`
    ends: States
    values: Floats  # [end, seat]
    nodes: Ints  # those that are possible, counted without the target's value
    chances: Floats  # [action, node]; NaN where illegal


class TurnSearch:
    """Exact values of actions and positions in a turn, from an evaluation of positions between turns."""

    def __init__(self, evaluate: Evaluation) -> None:
        self.evaluate = evaluate

    def action_values(self, states: States) -> Floats:
        """For each game the value of every action for whoever is asked; NaN where illegal."""
        return np.concatenate([found.of_actions for found in self._searches(states)])

    def values(self, states: States) -> Floats:
        """For each game what it is worth to every seat, whatever it waits for; a row of five, NaN for empty seats."""
        return np.concatenate([found.of_states for found in self._searches(states)])

    def search(self, states: States) -> tuple[Floats, Floats]:
        """Both, for as many games as fit into the memory."""
        found = self.look_ahead(states)
        return found.of_actions, found.of_states

    def _searches(self, states: States) -> Iterator[Found]:
        for at in range(0, max(1, len(states)), AT_ONCE):
            yield self.look_ahead(states[at : at + AT_ONCE])

    def look_ahead(self, states: States, everybody: bool = False) -> Found:
        """All at once, for as many games as fit into the memory; `everybody`: with accounts."""
        num, turns = len(states), rules.new_states(len(states))
        first: Ints = np.zeros(num + 1, np.int64)
        num_turns = group_turns(states, turns, first)
        turns, first = turns[:num_turns], first[: num_turns + 1]
        starts, ends = _ends_of(turns)
        width = int(states["num_players"].max()) if num else MAX_PLAYERS
        values = np.zeros((len(ends), width))
        if len(ends):
            evaluated = self.evaluate(ends)
            values[:, : evaluated.shape[1]] = evaluated[:, :width]
        of_actions = np.full((num, NUM_ACTIONS), np.nan)
        of_states = np.full((num, MAX_PLAYERS), np.nan)
        accounts = np.full((num if everybody else 0, NUM_ACTIONS, width), np.nan)
        back_up(states, turns, first, starts, values, of_actions, of_states, accounts)
        return Found(of_actions, of_states, accounts)

    def foresee(self, states: States) -> Foresight:
        """How the turn of one game can end, where the dice have still a say in it, or opponents."""
        starts, ends = _ends_of(states)
        nodes = np.repeat(np.arange(starts.shape[1] - 1), np.diff(starts[0])) % (starts.shape[1] // NUM_VALUES)
        possible, place = np.unique(nodes, return_inverse=True)
        width = int(states["num_players"][0])
        values = np.zeros((len(ends), width + len(possible)))
        values[:, :width] = self.evaluate(ends)[:, :width]
        values[np.arange(len(ends)), width + place] = 1.0  # what is backed up from that are chances
        of_actions, of_states = np.full((1, NUM_ACTIONS), np.nan), np.full((1, MAX_PLAYERS), np.nan)
        accounts = np.full((1, NUM_ACTIONS, values.shape[1]), np.nan)
        back_up(states, states, np.array([0, 1]), starts, values, of_actions, of_states, accounts)
        return Foresight(starts, ends, values[:, :width], possible, accounts[0, :, width:])


def _ends_of(turns: States) -> tuple[Starts, States]:
    starts = new_starts(turns)
    ends = rules.new_states(count_ends(turns, starts))
    expand(turns, starts, ends)
    return starts, ends
