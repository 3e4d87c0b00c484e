"""Dice as an input: what a throw can be and how likely it is, and dice that somebody gives."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Outcome(NamedTuple):
    """One multiset of faces: `counts` in the order of the faces, and its probability ways / faces**n."""

    counts: tuple[int, ...]
    ways: int
    probability: float


@cache
def outcomes(num_dice: int, num_faces: int) -> tuple[Outcome, ...]:
    """Every throw of `num_dice` dice as a multiset of faces; the `ways` add up to num_faces**num_dice."""
    total = num_faces**num_dice
    result = []
    for counts in product(range(num_dice + 1), repeat=num_faces):
        if sum(counts) == num_dice:
            ways = math.factorial(num_dice)
            for count in counts:
                ways //= math.factorial(count)
            result.append(Outcome(counts, ways, ways / total))
    return tuple(result)


def script(faces: Sequence[int], known: Sequence[int], told: str) -> NDArray[np.int8]:
    """Check scripted dice: a flat list of faces, consumed die by die; `told` says which ones there are."""
    return np.fromiter(_checked(faces, known, told), np.int8)


def _checked(faces: Sequence[int], known: Sequence[int], told: str) -> Iterator[int]:
    try:
        listed = list(faces)
    except TypeError:
        raise ValueError(f"dice must be a list of faces, not {faces!r}") from None
    for k, face in enumerate(listed):
        if isinstance(face, (bool, np.bool_)) or not isinstance(face, (int, np.integer)) or face not in known:
            raise ValueError(f"dice[{k}] is {face!r}: a die shows {told}")
        yield int(face)
