"""What learning the value of positions needs from Pechvogel: games between turns, and turns played out by a search.

See `train.value`; `play_turns` has the compiled part.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pechvogel.agents.base import Agent
from pechvogel.agents.card import Layers
from pechvogel.agents.pechvogel import value
from pechvogel.agents.pechvogel.champion import ChampionAgent
from pechvogel.agents.pechvogel.turn.ends import count_ends, expand, new_starts
from pechvogel.agents.pechvogel.value import POINTS, ValueNet, features, num_features, rewards
from pechvogel.tabletop.arrays import Floats, Floats32, Ints, Ints8, Seeds, Truths
from pechvogel.tabletop.compile import compiled
from pechvogel.tabletop.kind import Variant
from pechvogel.tabletop.seeds import game_seed, mix, seeded_first_player
from pechvogel.train.config import ValueConfig
from pechvogel.train.pechvogel.play_turns import play_turns
from pechvogel_env import rules
from pechvogel_env.batch import write_scores
from pechvogel_env.rules import MAX_PLAYERS, Phase, States

AT_ONCE = 128  # turns searched together
LONGEST = 500  # turns, after which a game is given up: players who explore may never end it

Outputs = Callable[[Floats32], Floats32]  # a network's, for rows of features

save = value.save


def num_inputs(variant: Variant) -> int:
    """How many numbers describe a position to the network."""
    return num_features(variant.num_players, variant["copies"])


def evaluation(layers: Layers, variant: Variant) -> ValueNet:
    """A network as plain arrays."""
    return ValueNet(layers, variant.num_players, variant["copies"])


def agent(net: ValueNet) -> Agent:
    """Who plays with an evaluation."""
    return ChampionAgent.of(net)


class Turns:
    """Some games, between turns."""

    def __init__(self, config: ValueConfig, numbers: range) -> None:
        self.config, self.variant = config, config.variant
        self.numbers = np.array(numbers, np.int64)
        self.states = rules.new_states(len(numbers))
        self.episodes = np.zeros(len(numbers), np.int64)
        self.seeds = np.zeros(len(numbers), np.uint64)
        self._start(np.arange(len(numbers)))

    def _start(self, which: Ints) -> None:
        """New games; each has the seed of its number and episode."""
        players, copies = self.variant.num_players, self.variant["copies"]
        for i in which:
            self.seeds[i] = game_seed(np.uint64(self.config.seed), int(self.numbers[i]), int(self.episodes[i]))
            first = int(seeded_first_player(self.seeds[i], players))
            rules.new_game(self.states, int(i), players, copies, False, first)

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """All that they consist of; views, to be read and written."""
        return {"states": self.states.view(np.uint8), "episodes": self.episodes, "seeds": self.seeds}

    @property
    def active(self) -> Ints8:
        """Whose turn it is, by game."""
        return self.states["active"]

    def features(self) -> Floats32:
        """As the network sees them."""
        return features(self.states, self.variant["copies"])

    def rewards(self, outputs: Floats32) -> Floats:
        """What the network's outputs for these games mean, by seat."""
        return rewards(outputs, self.states)

    def play(self, outputs: Outputs, worth: Floats) -> None:
        """One turn of every game, and what it was worth before it began."""
        copies, players = self.variant["copies"], self.variant.num_players
        keys = np.empty(len(self.states), np.uint64)
        _turn_keys(self.seeds, self.states, keys)
        work = rules.new_states(1)
        scripted = np.zeros((len(self.states), MAX_PLAYERS), bool)
        _script_seats(self.seeds, self.config.heuristic, players, scripted)
        whole = np.zeros((len(self.states), MAX_PLAYERS))
        for at in range(0, len(self.states), AT_ONCE):
            some = slice(at, at + AT_ONCE)
            states = self.states[some]
            starts = new_starts(states)
            ends = rules.new_states(count_ends(states, starts))
            expand(states, starts, ends)
            values = rewards(outputs(features(ends, copies)), ends)
            explore = self.config.explore
            seeds, out = self.seeds[some], whole[some]
            play_turns(states, starts, ends, values, seeds, keys[some], explore, scripted[some], out, work)
        worth[...] = whole[:, :players]

    def renew(self, scores: Floats32) -> Truths:
        """Start games anew that have ended or take too long; which they were, and their scores in units of POINTS."""
        over = self.states["phase"] == Phase.OVER
        ended: Truths = over | (self.states["turn"] >= LONGEST)
        again = np.flatnonzero(ended)
        out = np.zeros((len(again), self.variant.num_players), np.int32)
        write_scores(self.states, again, out)
        scores[again] = (out / POINTS).astype(np.float32)
        self.episodes[again] += 1
        self._start(again)
        return ended


@compiled
def _turn_keys(seeds: Seeds, states: States, keys: Seeds) -> None:
    """Random words for what is explored in a turn; they must not depend on its dice."""
    for i in range(len(states)):
        keys[i] = game_seed(~seeds[i], states[i].turn, 0)


@compiled
def _script_seats(seeds: Seeds, share: float, players: int, scripted: Truths) -> None:
    """In a share of the games, all seats but one; which, only the game's seed decides."""
    for i in range(len(seeds)):
        word = game_seed(~seeds[i], -1, 0)
        if float(word >> np.uint64(11)) * 2.0**-53 < share:
            scripted[i, :players] = True
            scripted[i, np.int64(mix(word) % np.uint64(players))] = False
