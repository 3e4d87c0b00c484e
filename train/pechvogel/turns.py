"""What learning the value of positions needs from Pechvogel: games between turns, and turns played out by a search.

See `train.value`; `play_turns` has the compiled part.
"""

from __future__ import annotations

import numpy as np

from pechvogel.agents.base import Agent
from pechvogel.agents.pechvogel import value
from pechvogel.agents.pechvogel.champion import ChampionAgent
from pechvogel.agents.pechvogel.turn.ends import count_ends, expand, new_starts
from pechvogel.agents.pechvogel.value import POINTS, ValueNet, features, rewards
from pechvogel.tabletop.arrays import Floats, Floats32, Ints, Seeds, Truths
from pechvogel.train import turns
from pechvogel.train.config import ValueConfig
from pechvogel.train.pechvogel.play_turns import play_turns
from pechvogel.train.turns import Outputs
from pechvogel_env import rules
from pechvogel_env.batch import write_scores
from pechvogel_env.rules import MAX_PLAYERS, Phase

AT_ONCE = 128  # turns searched together

num_inputs, evaluation, save = value.num_inputs, value.of_layers, value.save


def agent(net: ValueNet) -> Agent:
    """Who plays with an evaluation."""
    return ChampionAgent.of(net)


class Turns(turns.Turns):
    """See `train.turns`."""

    def __init__(self, config: ValueConfig, numbers: range) -> None:
        super().__init__(config, numbers, rules.new_states(len(numbers)))

    def new_game(self, i: int, first_player: int) -> None:
        """See `train.turns`, as for the others."""
        rules.new_game(self.states, i, self.variant.num_players, self.variant["copies"], False, first_player)

    def features(self) -> Floats32:
        """All that counts between turns."""
        return features(self.states, self.variant["copies"])

    def rewards(self, outputs: Floats32) -> Floats:
        """Of every seat."""
        return rewards(outputs, self.states)

    def play_turn(self, outputs: Outputs, keys: Seeds, scripted: Truths, worth: Floats) -> None:
        """By the search of turns, some at a time."""
        work = rules.new_states(1)
        whole = np.zeros((len(self.states), MAX_PLAYERS))
        for at in range(0, len(self.states), AT_ONCE):
            some = slice(at, at + AT_ONCE)
            states = self.states[some]
            starts = new_starts(states)
            ends = rules.new_states(count_ends(states, starts))
            expand(states, starts, ends)
            values = rewards(outputs(features(ends, self.variant["copies"])), ends)
            explore = self.config.explore
            seeds, out = self.seeds[some], whole[some]
            play_turns(states, starts, ends, values, seeds, keys[some], explore, scripted[some], out, work)
        worth[...] = whole[:, : self.variant.num_players]

    def over(self) -> Truths:
        """By their phase."""
        over: Truths = self.states["phase"] == Phase.OVER
        return over

    def scores(self, games: Ints) -> Floats:
        """In units of POINTS."""
        out = np.zeros((len(games), self.variant.num_players), np.int32)
        write_scores(self.states, games, out)
        return out / POINTS
