"""The dice: what a throw can be and how likely it is, and the seeded dice of a game.

The seeded dice are a pure function of (game seed, number of the turn), fixed for `_v0`. With 64-bit arithmetic that
wraps around and G = 0x9E3779B97F4A7C15:

    mix(x)            = the finaliser of SplitMix64 (`tabletop.seeds`)
    word(seed, turn)  = mix(seed + (turn + 1) G)
    die k of the turn = 1 + digit k, lowest first, of (word mod 6^4) in base 6

(So the words of a game are SplitMix64's own sequence. 6^4 does not divide 2^64; the probabilities are off by less than
1e-16.) So single and batch play, any number of threads, replays and tables with rotated seats see the same dice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lucky_loser_env.rules import FACES, NUM_DICE, NUM_FACES, NUM_THROWS, face_of
from pechvogel.tabletop import dice
from pechvogel.tabletop.compile import inlined
from pechvogel.tabletop.dice import Outcome as Outcome
from pechvogel.tabletop.seeds import G, check_seed, mix
from pechvogel.tabletop.seeds import game_seed as game_seed  # part of what is fixed for _v0
from pechvogel.tabletop.seeds import seeded_first_player as seeded_first_player

_THROWS = np.uint64(NUM_THROWS)


def outcomes() -> tuple[Outcome, ...]:
    """Every throw as a multiset of the faces 1..6: all 126; the `ways` add up to 1296."""
    return dice.outcomes(NUM_DICE, NUM_FACES)


@inlined
def seeded_throw(seed: Any, turn: int) -> Any:
    """The number of the throw of a turn, as `rules.land` takes it."""
    return np.int64(mix(np.uint64(seed) + np.uint64(turn + 1) * G) % _THROWS)


def throw_of(seed: int, turn: int) -> list[int]:
    """The seeded dice of a turn, as a list of faces."""
    thrown = int(seeded_throw(np.uint64(check_seed(seed)), turn))
    return [face_of(thrown, die) for die in range(NUM_DICE)]


def script(faces: Sequence[int]) -> NDArray[np.int8]:
    """Check scripted dice: a flat list of faces 1..6, consumed die by die."""
    return dice.script(faces, FACES, "1, 2, 3, 4, 5 or 6")
