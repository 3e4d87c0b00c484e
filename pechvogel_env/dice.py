"""The dice: what a throw can be and how likely it is, and the seeded dice of a game.

The seeded dice are a pure function of (game seed, number of the turn, number of the throw within the turn), fixed
for `_v0`. With 64-bit arithmetic that wraps around and G = 0x9E3779B97F4A7C15:

    mix(x)                  = the finaliser of SplitMix64 (`tabletop.seeds`)
    word(seed, turn, throw) = mix(mix(seed + (turn + 1) G) + (throw + 1) G)
    die k of that throw     = FACES[digit k, lowest first, of (word mod 6^7) in base 6]

(6^7 does not divide 2^64; the probabilities are off by less than 2e-14.) A throw of n dice shows the first n of its
seven. So single and batch play, any number of threads, replays and tables with rotated seats see the same dice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pechvogel.tabletop import dice
from pechvogel.tabletop.compile import inlined
from pechvogel.tabletop.dice import Outcome as Outcome
from pechvogel.tabletop.seeds import G, check_seed, mix
from pechvogel.tabletop.seeds import game_seed as game_seed  # part of what is fixed for _v0
from pechvogel.tabletop.seeds import seeded_first_player as seeded_first_player
from pechvogel_env.rules import BITS_PER_FACE, FACES, NO_DIE, NUM_DICE

_THROWS = np.uint64(len(FACES) ** NUM_DICE)
_FOUR_DICE = np.uint32(len(FACES) ** 4)
# The faces of four dice by their number in base 6: two look-ups are cheaper than seven divisions.
_FACES_OF_FOUR = np.array([faces[::-1] for faces in product(FACES, repeat=4)], np.int8)
# The packed counts of the first k of them, by k and number.
_COUNTS_OF_FOUR = np.array(
    [
        [sum(1 << BITS_PER_FACE * FACES.index(face) for face in faces[:k]) for faces in _FACES_OF_FOUR.tolist()]
        for k in range(5)
    ],
    np.int32,
)

# ------------------------------------------------------------------------------------- chance, explicitly


class ReducedOutcome(NamedTuple):
    """What matters once the target is known: how many dice show it, and how many ravens fall."""

    targets: int
    ravens: int
    ways: int
    probability: float


def outcomes(num_dice: int) -> tuple[Outcome, ...]:
    """Every throw of `num_dice` dice as a multiset of faces, raven first; the `ways` add up to 6**num_dice."""
    _check_num_dice(num_dice)
    return dice.outcomes(num_dice, len(FACES))


@cache
def reduced_outcomes(num_dice: int) -> tuple[ReducedOutcome, ...]:
    """Every throw of `num_dice` dice as (targets, ravens); the `ways` add up to 6**num_dice."""
    _check_num_dice(num_dice)
    total = len(FACES) ** num_dice
    others = len(FACES) - 2
    result = []
    for targets in range(num_dice + 1):
        for ravens in range(num_dice + 1 - targets):
            ways = (
                math.comb(num_dice, targets)
                * math.comb(num_dice - targets, ravens)
                * others ** (num_dice - targets - ravens)
            )
            result.append(ReducedOutcome(targets, ravens, ways, ways / total))
    return tuple(result)


def _check_num_dice(num_dice: int) -> None:
    if not 0 <= num_dice <= NUM_DICE:
        raise ValueError(f"a throw has 0 to {NUM_DICE} dice, not {num_dice}")


# ------------------------------------------------------------------------------------- seeded dice


@inlined
def word(seed: Any, turn: int, throw: int) -> Any:
    """The random 64-bit word behind one throw."""
    turn_key = mix(np.uint64(seed) + np.uint64(turn + 1) * G)
    return mix(turn_key + np.uint64(throw + 1) * G)


@inlined
def fill_throw(dice: NDArray[np.int8], num_dice: int, seed: Any, turn: int, throw: int) -> int:
    """Write the seeded dice of a throw, then NO_DIE up to seven; returns their packed counts."""
    number = np.uint32(word(seed, turn, throw) % _THROWS)
    low = number % _FOUR_DICE
    high = number // _FOUR_DICE
    for k in range(4):
        dice[k] = _FACES_OF_FOUR[low, k] if k < num_dice else NO_DIE
    for k in range(4, NUM_DICE):
        dice[k] = _FACES_OF_FOUR[high, k - 4] if k < num_dice else NO_DIE
    return _COUNTS_OF_FOUR[min(num_dice, 4), low] + _COUNTS_OF_FOUR[max(num_dice - 4, 0), high]


def throw_of(seed: int, turn: int, throw: int, num_dice: int = NUM_DICE) -> list[int]:
    """The seeded dice of a throw, as a list of faces; a throw of n dice shows the first n of its seven."""
    dice = np.empty(NUM_DICE, np.int8)
    fill_throw(dice, NUM_DICE, np.uint64(check_seed(seed)), turn, throw)
    return [int(face) for face in dice[:num_dice]]


# ------------------------------------------------------------------------------------- scripted dice


def script(faces: Sequence[int]) -> NDArray[np.int8]:
    """Check scripted dice: a flat list of faces (0 = raven, 3..7), consumed die by die."""
    return dice.script(faces, FACES, "0 (the raven), 3, 4, 5, 6 or 7")
