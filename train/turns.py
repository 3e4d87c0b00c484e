"""Games between turns, for learning what positions are worth (`value`): what is the same for every game.

A game's own `Turns` (`train.GAME.turns`) knows how its games begin, how the network sees them, and how to play a turn.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pechvogel.tabletop.arrays import Floats, Floats32, Ints, Ints8, Seeds, Truths
from pechvogel.tabletop.compile import compiled
from pechvogel.tabletop.seeds import game_seed, mix, seeded_first_player
from pechvogel.train.config import ValueConfig

LONGEST = 500  # turns, after which a game is given up: players who explore may never end it

Outputs = Callable[[Floats32], Floats32]  # a network's, for rows of features


class Turns(ABC):
    """Some games, between turns."""

    def __init__(self, config: ValueConfig, numbers: range, states: NDArray[np.void]) -> None:
        self.config, self.variant = config, config.variant
        self.numbers = np.array(numbers, np.int64)
        self.states = states
        self.episodes = np.zeros(len(numbers), np.int64)
        self.seeds = np.zeros(len(numbers), np.uint64)
        self._start(np.arange(len(numbers)))

    # ------------------------------------------------------------------------------ a game's own

    @abstractmethod
    def new_game(self, i: int, first_player: int) -> None:
        """Start a game anew."""

    @abstractmethod
    def features(self) -> Floats32:
        """As the network sees them."""

    @abstractmethod
    def rewards(self, outputs: Floats32) -> Floats:
        """What the network's outputs for these games mean, by seat."""

    @abstractmethod
    def play_turn(self, outputs: Outputs, keys: Seeds, scripted: Truths, worth: Floats) -> None:
        """One turn of every game, and what it was worth before it began.

        A decision is any legal action with the chance `config.explore` (by `keys`, one per game), else the best.
        `scripted` seats do what `heuristic` would. What that changes for everybody, compared with the best action, is
        added to `worth`: so it stays, on average over turns, what the turn is worth with these players, with far less
        luck in it than the turn's result has.
        """

    @abstractmethod
    def over(self) -> Truths:
        """Which games have ended."""

    @abstractmethod
    def scores(self, games: Ints) -> Floats:
        """Points of everybody in some games, in the units that are learned."""

    # ------------------------------------------------------------------------------ the same for all

    def _start(self, which: Ints) -> None:
        """New games; each has the seed of its number and episode."""
        for i in which:
            self.seeds[i] = game_seed(np.uint64(self.config.seed), int(self.numbers[i]), int(self.episodes[i]))
            self.new_game(int(i), int(seeded_first_player(self.seeds[i], self.variant.num_players)))

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """All that they consist of; views, to be read and written."""
        return {"states": self.states.view(np.uint8), "episodes": self.episodes, "seeds": self.seeds}

    @property
    def active(self) -> Ints8:
        """Whose turn it is, by game."""
        return self.states["active"]

    def play(self, outputs: Outputs, worth: Floats) -> None:
        """One turn of every game, and what it was worth before it began."""
        keys = np.empty(len(self.states), np.uint64)
        _turn_keys(self.seeds, self.states["turn"], keys)
        scripted = np.zeros((len(self.states), self.variant.num_players), bool)
        _script_seats(self.seeds, self.config.heuristic, scripted)
        self.play_turn(outputs, keys, scripted, worth)

    def renew(self, scores: Floats32) -> Truths:
        """Start games anew that have ended or take too long; which they were, and their scores."""
        ended: Truths = self.over() | (self.states["turn"] >= LONGEST)
        again = np.flatnonzero(ended)
        scores[again] = self.scores(again).astype(np.float32)
        self.episodes[again] += 1
        self._start(again)
        return ended


@compiled
def _turn_keys(seeds: Seeds, turns: NDArray[np.int32], keys: Seeds) -> None:
    """Random words for what is explored in a turn; they must not depend on its dice."""
    for i in range(len(seeds)):
        keys[i] = game_seed(~seeds[i], turns[i], 0)


@compiled
def _script_seats(seeds: Seeds, share: float, scripted: Truths) -> None:
    """In a share of the games, all seats but one; which, only the game's seed decides."""
    players = scripted.shape[1]
    for i in range(len(seeds)):
        word = game_seed(~seeds[i], -1, 0)
        if float(word >> np.uint64(11)) * 2.0**-53 < share:
            scripted[i] = True
            scripted[i, np.int64(mix(word) % np.uint64(players))] = False
