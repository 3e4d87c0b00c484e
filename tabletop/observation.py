"""Observation vectors: named slices, and what is relative to whoever observes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from pechvogel.tabletop.arrays import Floats32, Ints, Ints8
from pechvogel.tabletop.batch import NOBODY
from pechvogel.tabletop.compile import for_game, inlined
from pechvogel.tabletop.guards import checked
from pechvogel.tabletop.states import Checks


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


# ------------------------------------------------------------------------------------------------ compiled for a game


def compiled_observe(
    module: str, checks: Checks, put_observations: Callable[..., None], length_of: Callable[[int], int]
) -> Callable[[Any, Ints, int, int, Ints8, Floats32], None]:
    """A game's `observe`, which looks at what it is given before it puts observations."""
    parts: dict[str, Callable[..., Any]] = {"put_observations": put_observations, "length_of": length_of}
    return checked(checks.observations)(for_game(module, observe, parts))


def length_of(num_players: int) -> int:
    """A game's own: how many numbers an observation has."""
    raise NotImplementedError


def put_observations(states: Any, games: Ints, start: int, stop: int, observers: Ints8, out: Floats32) -> None:
    """A game's own: as `observe`, without looking at what it is given."""
    raise NotImplementedError


def observe(states: Any, games: Ints, start: int, stop: int, observers: Ints8, out: Floats32) -> None:
    """Write what `observers[i]` sees of game i into row i, for i in games[start..stop-1]; zeros for NOBODY."""
    for i in games[start:stop]:
        if not 0 <= i < min(len(states), len(observers), len(out)):
            raise ValueError("games must be numbers of states that have an observer and a row of out")
        n = states[i].num_players
        if not NOBODY <= observers[i] < n:
            raise ValueError("observers must be seats of their games, or -1")
        if out.shape[1] != length_of(n):
            raise ValueError("out must have rows as long as an observation: see size")
    put_observations(states, games, start, stop, observers, out)
