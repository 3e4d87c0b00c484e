"""The observation vector: its named slices, written by compiled code, and its decoding.

It is relative to the observing seat (seat 0 of every slice by seat is the observer, then clockwise), lies in
[0, 1], and determines the position except the count of turns; frustrations saturate at 31. Its length depends on
the number of players only: `size(num_players)`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from pechvogel.tabletop.arrays import Floats32, Ints, Ints8
from pechvogel.tabletop.compile import compiled, inlined
from pechvogel.tabletop.observation import Slice, compiled_observe, relative_seat, slices, who
from pechvogel_env import rules
from pechvogel_env.position import Player, Position
from pechvogel_env.rules import FACES, FIRST_VALUE, MAX_COPIES, NO_DIE, NOBODY, NUM_DICE, NUM_VALUES, Phase, States

MAX_FRUSTRATIONS = 31  # where the observed count saturates
FRUSTRATION_STEPS = (1, 2, 3, 5)  # thermometer beside the count: few frustrations matter most

_NUM_FACES = len(FACES)
_NUM_PHASES = len(Phase)
_NUM_STEPS = len(FRUSTRATION_STEPS)
_ONE_HOT_DICE = NUM_DICE + 1

# Where each slice starts. Slices that don't depend on the number of players come first.
_MIDDLE = 0
_TARGET = _MIDDLE + NUM_VALUES
_TARGETS = _TARGET + NUM_VALUES
_RAVENS = _TARGETS + _ONE_HOT_DICE
_REDUCED = _RAVENS + _ONE_HOT_DICE
_AFTER_REDUCTION = _REDUCED + 1
_PHASE = _AFTER_REDUCTION + 1
_FACES_THROWN = _PHASE + _NUM_PHASES
_LAST_THROW = _FACES_THROWN + _NUM_FACES
_COPIES = _LAST_THROW + NUM_DICE
_ITALIAN_READING = _COPIES + 1
_SEATS = _ITALIAN_READING + 1
# Then one block per seat, the observer's first.
_SEAT_MARKERS = 0
_SEAT_FRUSTRATIONS = _SEAT_MARKERS + NUM_VALUES
_SEAT_STEPS = _SEAT_FRUSTRATIONS + 1
_SEAT_MURPHY = _SEAT_STEPS + _NUM_STEPS
_SEAT_ACTIVE = _SEAT_MURPHY + 1
_SEAT_TO_ACT = _SEAT_ACTIVE + 1
_SEAT_FRUSTRATER = _SEAT_TO_ACT + 1
_SEAT_SIZE = _SEAT_FRUSTRATER + 1

_PER_MARKER = np.float32(1 / MAX_COPIES)
_PER_DIE = np.float32(1 / NUM_DICE)
_PER_FACE = np.float32(1 / _NUM_FACES)
_PER_FRUSTRATION = np.float32(1 / MAX_FRUSTRATIONS)
_PER_FRUSTRATER = np.float32(1 / (rules.MAX_PLAYERS - 1))


@cache
def layout(num_players: int) -> tuple[Slice, ...]:
    """The slices of the vector for a number of players, in order, without gaps."""
    parts = [
        ("middle", NUM_VALUES, "markers in the middle by value 3..7, divided by 3"),
        ("target", NUM_VALUES, "one-hot: the target 3..7; all zero: none"),
        ("targets", _ONE_HOT_DICE, "one-hot: target dice on the board, 0..7"),
        ("ravens", _ONE_HOT_DICE, "one-hot: ravens on the board, 0..7"),
        ("reduced", 1, "1: the active player has reduced in this turn"),
        ("after_reduction", 1, "1: the last throw repeats one that was reduced"),
        ("phase", _NUM_PHASES, "one-hot: " + ", ".join(phase.name.lower() for phase in Phase)),
        ("faces_thrown", _NUM_FACES, "last throw: how many ravens, 3s, ..., 7s, divided by 7"),
        ("last_throw", NUM_DICE, "last throw in order: raven 1/6, 3 2/6, ..., 7 6/6; 0: no die"),
        ("copies", 1, "markers per value in this game, divided by 3"),
        ("italian_reading", 1, "1: the Italian reading (Q3)"),
    ]
    for seat in range(num_players):
        whose = who(seat)
        parts += [
            (f"{whose}.markers", NUM_VALUES, "markers by value 3..7, divided by 3"),
            (f"{whose}.frustrations", 1, "frustrations (at most 31), divided by 31"),
            (f"{whose}.frustration_steps", _NUM_STEPS, "1 each: at least 1, 2, 3, 5 frustrations"),
            (f"{whose}.murphy", 1, "1: holds Murphy"),
            (f"{whose}.active", 1, "1: it is their turn"),
            (f"{whose}.to_act", 1, "1: they are asked"),
            (f"{whose}.frustrater", 1, "k/4: came k-th to frustrate this turn; 0: did not"),
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
        observer = observers[i]
        n = s.num_players
        for k in range(out.shape[1]):
            out[i, k] = 0.0
        if observer == NOBODY:
            continue
        for value in range(NUM_VALUES):
            out[i, _MIDDLE + value] = s.middle[value] * _PER_MARKER
        if s.target != rules.NO_TARGET:
            out[i, _TARGET + s.target - FIRST_VALUE] = 1.0
        out[i, _TARGETS + s.targets] = 1.0
        out[i, _RAVENS + s.ravens] = 1.0
        out[i, _REDUCED] = s.reduced
        out[i, _AFTER_REDUCTION] = s.after_reduction
        out[i, _PHASE + s.phase] = 1.0
        for k in range(NUM_DICE):
            face = s.last_throw[k]
            out[i, _LAST_THROW + k] = (rules.face_index(face) + (face != NO_DIE)) * _PER_FACE
        for index in range(_NUM_FACES):
            out[i, _FACES_THROWN + index] = rules.count_face(s, FACES[index]) * _PER_DIE
        out[i, _COPIES] = s.copies * _PER_MARKER
        out[i, _ITALIAN_READING] = s.italian_reading
        for seat in range(n):
            base = _SEATS + relative_seat(n, seat, observer) * _SEAT_SIZE
            for value in range(NUM_VALUES):
                out[i, base + _SEAT_MARKERS + value] = s.markers[seat, value] * _PER_MARKER
            frustrations = s.frustrations[seat]
            out[i, base + _SEAT_FRUSTRATIONS] = min(frustrations, MAX_FRUSTRATIONS) * _PER_FRUSTRATION
            for k in range(_NUM_STEPS):
                out[i, base + _SEAT_STEPS + k] = frustrations >= FRUSTRATION_STEPS[k]
        if s.murphy != NOBODY:
            out[i, _SEATS + relative_seat(n, s.murphy, observer) * _SEAT_SIZE + _SEAT_MURPHY] = 1.0
        out[i, _SEATS + relative_seat(n, s.active, observer) * _SEAT_SIZE + _SEAT_ACTIVE] = 1.0
        if s.to_act != NOBODY:
            out[i, _SEATS + relative_seat(n, s.to_act, observer) * _SEAT_SIZE + _SEAT_TO_ACT] = 1.0
        for k in range(s.num_frustraters):
            base = _SEATS + relative_seat(n, s.frustraters[k], observer) * _SEAT_SIZE
            out[i, base + _SEAT_FRUSTRATER] = (k + 1) * _PER_FRUSTRATER


observe = compiled_observe(__name__, rules.CHECKS, put_observations, _length_of)


def decode(vector: Floats32, observer: int, num_players: int) -> Position:
    """The position that an observation shows (its `turn` is 0: observations don't count turns)."""
    parts: dict[str, Any] = {part.name: vector[part.start : part.stop] for part in layout(num_players)}

    def count(name: str, per: int) -> list[int]:
        return [round(float(x) * per) for x in parts[name]]

    def one_hot(name: str) -> int | None:
        return int(np.argmax(parts[name])) if parts[name].any() else None

    players = []
    murphy = active = to_act = None
    frustraters: list[tuple[int, int]] = []
    for seat in range(num_players):
        whose = who((seat - observer) % num_players)
        players.append(
            Player(
                markers=count(f"{whose}.markers", MAX_COPIES),
                frustrations=count(f"{whose}.frustrations", MAX_FRUSTRATIONS)[0],
            )
        )
        murphy = seat if parts[f"{whose}.murphy"][0] else murphy
        active = seat if parts[f"{whose}.active"][0] else active
        to_act = seat if parts[f"{whose}.to_act"][0] else to_act
        order = count(f"{whose}.frustrater", rules.MAX_PLAYERS - 1)[0]
        if order:
            frustraters.append((order, seat))
    target = one_hot("target")
    return Position(
        num_players=num_players,
        copies=count("copies", MAX_COPIES)[0],
        italian_reading=bool(parts["italian_reading"][0]),
        middle=count("middle", MAX_COPIES),
        players=players,
        murphy=murphy,
        active=active or 0,
        target=None if target is None else target + FIRST_VALUE,
        targets=one_hot("targets") or 0,
        ravens=one_hot("ravens") or 0,
        reduced=bool(parts["reduced"][0]),
        frustraters=[seat for _, seat in sorted(frustraters)],
        last_throw=[FACES[k - 1] for k in count("last_throw", _NUM_FACES) if k],
        after_reduction=bool(parts["after_reduction"][0]),
        phase=Phase(one_hot("phase") or 0).name.lower(),
        to_act=to_act,
        turn=0,
    )
