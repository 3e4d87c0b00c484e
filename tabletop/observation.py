"""Observation vectors: named slices, and what is relative to whoever observes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pechvogel.tabletop.compile import inlined


class Slice(NamedTuple):
    """A named part of the vector: `vector[start:stop]`."""

    name: str
    start: int
    stop: int
    meaning: str


def slices(parts: Iterable[tuple[str, int, str]]) -> tuple[Slice, ...]:
    """From names, lengths and meanings: one after the other, without gaps."""
    found, start = [], 0
    for name, length, meaning in parts:
        found.append(Slice(name, start, start + length, meaning))
        start += length
    return tuple(found)


def who(relative: int) -> str:
    """What a seat is called in names of slices: 0 is the observer, then clockwise."""
    return "observer" if relative == 0 else f"opponent_{relative}"


@inlined
def relative_seat(num_players: int, seat: int, observer: int) -> int:
    """How far a seat is from the observer, clockwise."""
    return seat - observer if seat >= observer else seat - observer + num_players
