"""Seeds: of a game, of a batch or series of games, and who starts; all public functions of each other.

With 64-bit arithmetic that wraps around, `mix` is the finaliser of SplitMix64, a counter-based generator: what a seed
gives for a number does not depend on what was asked before.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from pechvogel.tabletop.compile import inlined

MAX_SEED = 2**64 - 1

G = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_FIRST_PLAYER_SALT = np.uint64(0x5045434856473031)  # keeps who starts independent of the dice
_S30, _S27, _S31 = np.uint64(30), np.uint64(27), np.uint64(31)


@inlined
def mix(x: Any) -> Any:
    """The finaliser of SplitMix64: a bijection of 64-bit words that looks random."""
    x = (x ^ (x >> _S30)) * _M1
    x = (x ^ (x >> _S27)) * _M2
    return x ^ (x >> _S31)


@inlined
def seeded_first_player(seed: Any, num_players: int) -> Any:
    """Who starts where nobody says so."""
    return np.int64(mix(np.uint64(seed) ^ _FIRST_PLAYER_SALT) % np.uint64(num_players))


@inlined
def game_seed(seed: Any, game: int, episode: int) -> Any:
    """The seed of episode `episode` of game `game` in a batch (or series) with seed `seed`."""
    key = mix(np.uint64(seed) ^ G)
    key = mix(key + np.uint64(game + 1) * _M1)
    return mix(key + np.uint64(episode + 1) * _M2)


def check_seed(seed: int) -> int:
    """A seed is a whole number that fits into 64 bits."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise ValueError(f"seed must be a whole number, not {seed!r}")
    if not 0 <= seed <= MAX_SEED:
        raise ValueError(f"seed must be from 0 to 2**64 - 1, not {seed}")
    return int(seed)


class SeedSeries:
    """The seeds of a series of games: each a given one, or else the next after the last that was given."""

    def __init__(self) -> None:
        self._seed: int | None = None
        self._episode = 0

    def next(self, seed: int | None) -> int:
        """The seed of the next game."""
        if seed is not None:
            self._seed, self._episode = check_seed(seed), 0
            return self._seed
        if self._seed is None:
            self._seed = int.from_bytes(os.urandom(8), "little")
        self._episode += 1
        return int(game_seed(np.uint64(self._seed), 0, self._episode))
