"""The observation vector: its named slices, written by compiled code, and its decoding.

It is relative to the observing seat (seat 0 of every slice by seat is the observer, then clockwise), lies in [0, 1],
and determines the position except the count of turns. Its length depends on the number of players only:
`size(num_players)`. Some slices say again what others do, in a form that is easier to learn from.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from lucky_loser_env import rules
from lucky_loser_env.position import GAME, Player, Position
from lucky_loser_env.rules import (
    BONUS,
    CHIPS,
    FACES,
    MAX_LENGTH,
    NO_THROW,
    NOBODY,
    NUM_CARDS,
    NUM_DICE,
    NUM_FACES,
    NUM_ROWS,
    Phase,
    States,
)
from pechvogel.tabletop.arrays import Floats32, Ints, Ints8
from pechvogel.tabletop.compile import compiled, inlined
from pechvogel.tabletop.observation import Slice, compiled_observe, relative_seat, slices, who

MAX_SCORE = 200  # where the observed score saturates

_NUM_PHASES = len(Phase)
_ALL_POINTS = sum(BONUS)

# Where each slice starts. Slices that don't depend on the number of players come first.
_ROW_LENGTHS = 0
_STACKS = _ROW_LENGTHS + NUM_ROWS
_CLOSED = _STACKS + NUM_ROWS
_BONUS_LEFT = _CLOSED + NUM_ROWS
_ENDING = _BONUS_LEFT + NUM_CARDS + 1
_PHASE = _ENDING + 1
_FACES_THROWN = _PHASE + _NUM_PHASES
_LAST_THROW = _FACES_THROWN + NUM_FACES
_SEATS = _LAST_THROW + NUM_DICE
# Then one block per seat, the observer's first.
_SEAT_PLACES = 0
_SEAT_ON_X = _SEAT_PLACES + NUM_ROWS
_SEAT_CHIPS = _SEAT_ON_X + NUM_ROWS
_SEAT_LACKING = _SEAT_CHIPS + NUM_ROWS
_SEAT_BONUS = _SEAT_LACKING + NUM_ROWS
_SEAT_SCORE = _SEAT_BONUS + 1
_SEAT_ACTIVE = _SEAT_SCORE + 1
_SEAT_FIRST = _SEAT_ACTIVE + 1
_SEAT_SIZE = _SEAT_FIRST + 1

_PER_SQUARE = np.float32(1 / MAX_LENGTH)
_PER_CHIP = np.float32(1 / CHIPS[0])
_PER_DIE = np.float32(1 / NUM_DICE)
_PER_FACE = np.float32(1 / NUM_FACES)
_PER_BONUS_POINT = np.float32(1 / _ALL_POINTS)
_PER_POINT = np.float32(1 / MAX_SCORE)


@cache
def layout(num_players: int) -> tuple[Slice, ...]:
    """The slices of the vector for a number of players, in order, without gaps."""
    parts = [
        ("row_lengths", NUM_ROWS, "squares of the rows 5..10, divided by 8"),
        ("stacks", NUM_ROWS, "chips left by row, divided by 12"),
        ("closed", NUM_ROWS, "1 each: the row is closed"),
        ("bonus_left", NUM_CARDS + 1, "one-hot: bonus cards left, 0..4"),
        ("ending", 1, "1: the game ends after this round"),
        ("phase", _NUM_PHASES, "one-hot: " + ", ".join(phase.name.lower() for phase in Phase)),
        ("faces_thrown", NUM_FACES, "last throw: how many 1s, ..., 6s, divided by 4"),
        ("last_throw", NUM_DICE, "last throw in order, divided by 6; 0: no die"),
    ]
    for seat in range(num_players):
        whose = who(seat)
        parts += [
            (f"{whose}.places", NUM_ROWS, "places by row (0: no piece), divided by 8"),
            (f"{whose}.on_x", NUM_ROWS, "1 each: their piece is on the X of the row"),
            (f"{whose}.chips", NUM_ROWS, "chips by row, divided by 12"),
            (f"{whose}.lacking", NUM_ROWS, "1 each: a chip of this row is lacking for their next set"),
            (f"{whose}.bonus", 1, "points of bonus cards, divided by 42"),
            (f"{whose}.score", 1, "points (at most 200), divided by 200"),
            (f"{whose}.active", 1, "1: it is their turn"),
            (f"{whose}.first", 1, "1: they begin every round"),
        ]
    return slices(parts)


def size(num_players: int) -> int:
    """Length of the observation vector."""
    return _SEATS + num_players * _SEAT_SIZE


@inlined
def _length_of(num_players: int) -> int:
    return _SEATS + num_players * _SEAT_SIZE


@compiled
def put_observations(states: States, games: Ints, start: int, stop: int, observers: Ints8, out: Floats32) -> None:
    """As `observe`, without looking at what it is given.

    The loop stands in here, and not around a function for one game: handing an array to a function counts as a
    reference, which would cost more than the row, and threads would fight for the count.
    """
    for i in games[start:stop]:
        s = states[i]
        observer = int(observers[i])
        n = int(s.num_players)
        for k in range(out.shape[1]):
            out[i, k] = 0.0
        if observer == NOBODY:
            continue
        for row in range(NUM_ROWS):
            out[i, _ROW_LENGTHS + row] = s.row_lengths[row] * _PER_SQUARE
            out[i, _STACKS + row] = s.stacks[row] * _PER_CHIP
            out[i, _CLOSED + row] = s.stacks[row] == 0
        out[i, _BONUS_LEFT + NUM_CARDS - s.cards] = 1.0
        out[i, _ENDING] = rules.ends(s)
        out[i, _PHASE + s.phase] = 1.0
        if s.thrown != NO_THROW:
            rest = int(s.thrown)
            for die in range(NUM_DICE):
                face = rest % NUM_FACES
                rest //= NUM_FACES
                out[i, _FACES_THROWN + face] += _PER_DIE
                out[i, _LAST_THROW + die] = (face + 1) * _PER_FACE
        for seat in range(n):
            base = _SEATS + relative_seat(n, seat, observer) * _SEAT_SIZE
            for row in range(NUM_ROWS):
                place, chips = s.places[seat, row], s.chips[seat, row]
                out[i, base + _SEAT_PLACES + row] = place * _PER_SQUARE
                out[i, base + _SEAT_ON_X + row] = place == s.row_lengths[row]
                out[i, base + _SEAT_CHIPS + row] = chips * _PER_CHIP
                out[i, base + _SEAT_LACKING + row] = chips == s.sets[seat]
            out[i, base + _SEAT_BONUS] = s.bonus[seat] * _PER_BONUS_POINT
            out[i, base + _SEAT_SCORE] = min(rules.score_of(s, seat), MAX_SCORE) * _PER_POINT
            out[i, base + _SEAT_ACTIVE] = s.active == seat
            out[i, base + _SEAT_FIRST] = s.first == seat


observe = compiled_observe(__name__, rules.CHECKS, put_observations, _length_of)


def decode(vector: Floats32, observer: int, num_players: int) -> Position:
    """The position that an observation shows; observations don't count turns, so its `turn` is the least possible."""
    parts: dict[str, Any] = {part.name: vector[part.start : part.stop] for part in layout(num_players)}

    def count(name: str, per: int) -> list[int]:
        return [round(float(x) * per) for x in parts[name]]

    players = []
    active = first = 0
    for seat in range(num_players):
        whose = who((seat - observer) % num_players)
        places, chips = count(f"{whose}.places", MAX_LENGTH), count(f"{whose}.chips", CHIPS[0])
        players.append(Player(places, chips, count(f"{whose}.bonus", _ALL_POINTS)[0]))
        active = seat if parts[f"{whose}.active"][0] else active
        first = seat if parts[f"{whose}.first"][0] else first
    phase = Phase(int(np.argmax(parts["phase"])))
    return Position(
        game=GAME,
        num_players=num_players,
        row_lengths=count("row_lengths", MAX_LENGTH),
        stacks=count("stacks", CHIPS[0]),
        bonus=list(BONUS[NUM_CARDS - int(np.argmax(parts["bonus_left"])) :]),
        players=players,
        active=active,
        first=first,
        last_throw=[FACES[k - 1] for k in count("last_throw", NUM_FACES) if k],
        phase=phase.name.lower(),
        to_act=active if phase == Phase.GROUP else None,
        turn=(active - first) % num_players,
    )
