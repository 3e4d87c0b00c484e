"""What learning the value of positions needs from Lucky Loser: games between turns, and turns played out by a search.

See `train.value`.
"""

from __future__ import annotations

import numpy as np

from lucky_loser_env import rules
from lucky_loser_env.dice import seeded_throw
from lucky_loser_env.rules import NUM_ACTIONS, Phase, States, land, legal_of
from pechvogel.agents.base import Agent
from pechvogel.agents.lucky_loser import value
from pechvogel.agents.lucky_loser.champion import ChampionAgent
from pechvogel.agents.lucky_loser.heuristic import choose
from pechvogel.agents.lucky_loser.turn import best_row, ends_of, expect, rank
from pechvogel.agents.lucky_loser.value import POINTS, ValueNet, features, rewards
from pechvogel.tabletop.arrays import Floats, Floats32, Ints, Seeds, Truths
from pechvogel.tabletop.bits import random_among_many
from pechvogel.tabletop.compile import compiled
from pechvogel.tabletop.seeds import mix
from pechvogel.train import turns
from pechvogel.train.config import ValueConfig
from pechvogel.train.turns import Outputs

AT_ONCE = 128  # turns searched together
_UNIT = 2.0**-53  # from 53 random bits to a number below 1

num_inputs, evaluation, save = value.num_inputs, value.ValueNet, value.save


def agent(net: ValueNet) -> Agent:
    """Who plays with an evaluation."""
    return ChampionAgent.of(net)


class Turns(turns.Turns):
    """See `train.turns`."""

    def __init__(self, config: ValueConfig, numbers: range) -> None:
        super().__init__(config, numbers, rules.new_states(len(numbers)))

    def new_game(self, i: int, first_player: int) -> None:
        """See `train.turns`, as for the others."""
        rules.new_game(self.states, i, self.variant.num_players, self.variant["row_lengths"], first_player)

    def features(self) -> Floats32:
        """All that counts between turns."""
        return features(self.states)

    def rewards(self, outputs: Floats32) -> Floats:
        """Of every seat."""
        return rewards(outputs, self.states)

    def play_turn(self, outputs: Outputs, keys: Seeds, scripted: Truths, worth: Floats) -> None:
        """By the search of turns, some at a time."""
        work = rules.new_states(1)
        for at in range(0, len(self.states), AT_ONCE):
            some = slice(at, at + AT_ONCE)
            states = self.states[some]
            ends = ends_of(states)
            values = rewards(outputs(features(ends.states)), ends.states)
            explore, seeds, out = self.config.explore, self.seeds[some], worth[some]
            play_turns(states, *ends, values, seeds, keys[some], explore, scripted[some], out, work)

    def over(self) -> Truths:
        """By their phase."""
        over: Truths = self.states["phase"] == Phase.OVER
        return over

    def scores(self, games: Ints) -> Floats:
        """In units of POINTS."""
        out = np.zeros((len(games), self.variant.num_players), np.int32)
        rules.write_scores(self.states, games, out)
        return out / POINTS


@compiled
def play_turns(
    states: States,
    bits: Ints,
    starts: Ints,
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

    All games are between turns; see `train.turns`. `work` is room for one state.
    """
    actions, rows = np.zeros(NUM_ACTIONS, np.int64), np.zeros(NUM_ACTIONS, np.int64)
    for j in range(len(states)):
        s = states[j]
        num = rank(values, starts[j], bits[j], s.active, actions, rows)
        work[0] = states[j]
        expect(work[0], values, actions, rows, worth, j)
        land(s, seeded_throw(seeds[j], s.turn))
        legal = legal_of(s)
        row = best_row(legal, actions, rows)
        key = mix(keys[j] + np.uint64(1))
        exploring = float(key >> np.uint64(11)) * _UNIT < explore
        if exploring or scripted[j, s.active]:
            action = random_among_many(legal, mix(key + np.uint64(1))) if exploring else choose(s)
            best = row
            for k in range(num):
                if actions[k] == action:
                    row = rows[k]
            if not exploring:
                for k in range(s.num_players):
                    worth[j, k] += values[row, k] - values[best, k]
        states[j] = ends[row]
