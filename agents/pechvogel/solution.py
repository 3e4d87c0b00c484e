"""The exact solution of a two-player game: a file with the value of every position between turns.

The file, all little-endian:

    bytes 0-15        b"PECHVOGEL-TABLE" and a line feed
    bytes 16-4091     JSON, padded with spaces: format, game, copies, frustrations (the cap), start_value, residual,
                      sweeps, chunk, checksums (SHA-256 of the checksums at the end)
    bytes 4092-4095   CRC-32 of the bytes before
    then              float32 values[arrangement, murphy, mine, theirs]
    at the end        uint32: the CRC-32 of every chunk of values, the last one may be short

A value is the expected reward="win" of the player at turn under best play by both. `mine` and `theirs` are frustrations
of the player at turn and of the opponent, 0 up to the cap; `murphy` is 0: nobody has it, 1: the player at turn, 2: the
opponent. An arrangement is a number of five digits, that of the value 3 lowest; a digit says how the markers of a value
lie: (in the middle, mine, theirs), numbered in lexicographic order, what is missing lies in the box.

Beyond the cap, every further frustration changes the value by three quarters of what the one before it did (as far as
1 and -1): what values near the cap do, and what the solver assumes, too. Where both players are beyond it, both are
first moved down together: the difference matters most.

The file is mapped into memory, so it opens at once however large it is; a chunk is checked when it is first used.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import weakref
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pechvogel.tabletop.arrays import Floats, Floats32, Ints, Ints8
from pechvogel.tabletop.checks import check_whole
from pechvogel.tabletop.compile import compiled
from pechvogel.tabletop.untrusted import parse_json, shown_value
from pechvogel_env import rules
from pechvogel_env.rules import MAX_COPIES, NOBODY, NUM_VALUES, Phase, States

MAGIC = b"PECHVOGEL-TABLE\n"
HEADER = 4096
CHUNK = 1 << 16
FORMAT = 1
GAME = "pechvogel_v0"
BEND = 0.75  # beyond the cap: the change of one frustration more, as a part of the change before
AT_ONCE = 1 << 25  # bytes of values that are checked in a moment
MAX_CAP = 255  # far beyond what is solved: a head that says more is none of ours
KEYS = ("format", "game", "copies", "frustrations", "start_value", "residual", "sweeps", "checksums")  # of a head
NUM_MURPHY = 3  # nobody, the player at turn, the opponent


class NoTableError(ValueError):
    """There is no table for this game; the sentence says how to make one."""


class DamagedTableError(ValueError):
    """Values of a table are not those that were solved; the sentence says where it lies."""


class Codes(NamedTuple):
    """How the markers of one value can lie: the digits of an arrangement."""

    middle: Ints8
    mine: Ints8
    theirs: Ints8
    number: Ints  # [middle, mine, theirs]: the digit
    swap: Ints  # the digit when the players change places
    take: Ints  # when I take one from the middle; -1: there is none
    steal: Ints  # when I steal one
    discard: Ints  # when one goes from the middle into the box


def make_codes(copies: int) -> Codes:
    """All digits for a number of copies."""
    ways = [
        (middle, mine, theirs)
        for middle in range(copies + 1)
        for mine in range(copies + 1 - middle)
        for theirs in range(copies + 1 - middle - mine)
    ]
    number = np.full((copies + 2,) * 3, -1, np.int64)  # one more, so that -1 leads to nothing
    for k, way in enumerate(ways):
        number[way] = k

    def after(middle: int, mine: int, theirs: int) -> Ints:
        return np.array([number[m + middle, a + mine, b + theirs] for m, a, b in ways], np.int64)

    in_middle, of_mine, of_theirs = np.array(ways, np.int8).T.copy()
    swap = np.array([number[m, b, a] for m, a, b in ways], np.int64)
    return Codes(in_middle, of_mine, of_theirs, number, swap, after(-1, 1, 0), after(0, 1, -1), after(-1, 0, 0))


def arrangements(codes: Codes) -> tuple[Ints, Ints]:
    """Of every arrangement: how many markers are left in the middle, and its number when the players change places."""
    powers = len(codes.swap) ** np.arange(NUM_VALUES)
    numbers = np.arange(len(codes.swap) ** NUM_VALUES)
    left, swapped = np.zeros_like(numbers), np.zeros_like(numbers)
    for power in powers:
        digit = numbers // power % len(codes.swap)
        left += codes.middle[digit]
        swapped += codes.swap[digit] * power
    return left, swapped


def start(codes: Codes, copies: int) -> int:
    """The arrangement in which a game starts: everything in the middle."""
    return int(codes.number[copies, 0, 0] * (len(codes.swap) ** np.arange(NUM_VALUES)).sum())


def shape(copies: int, cap: int) -> tuple[int, int, int, int]:
    """The shape of `values`."""
    return (len(make_codes(copies).swap) ** NUM_VALUES, NUM_MURPHY, cap + 1, cap + 1)


def data_bytes(copies: int, cap: int) -> int:
    """How many bytes the values take."""
    return math.prod(shape(copies, cap)) * np.dtype(np.float32).itemsize


class Solution:
    """A table, open for reading. ValueError says what is wrong with a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with open(path, "rb") as file:
                head = file.read(HEADER)
                self.info = _parse(head)
                self.copies, self.cap = self.info["copies"], self.info["frustrations"]
                size = data_bytes(self.copies, self.cap)
                num_chunks = -(-size // CHUNK)
                if os.fstat(file.fileno()).st_size != HEADER + size + 4 * num_chunks:
                    raise ValueError("it is incomplete")
                file.seek(HEADER + size)
                sums = file.read()
                self._state = (str(path.resolve()), os.fstat(file.fileno()).st_mtime_ns)
                self.values = np.memmap(file, np.float32, "r", HEADER, shape(self.copies, self.cap))
                self._bytes = np.memmap(file, np.uint8, "r", HEADER, (size,))
                self._file = os.dup(file.fileno())
                weakref.finalize(self, os.close, self._file)
        except OSError as error:
            raise ValueError(f"table {path}: it can't be read ({error.strerror})") from None
        except ValueError as error:
            raise ValueError(f"table {path}: {error}") from None
        if self._state in _damaged:
            raise DamagedTableError(_damaged[self._state])
        if hashlib.sha256(sums).hexdigest() != self.info["checksums"]:
            raise ValueError(f"table {path}: its checksums are damaged")
        self.start_value = float(self.info["start_value"])
        self._sums = np.frombuffer(sums, np.uint32)
        self._checked = np.zeros(num_chunks, bool)
        self._codes = make_codes(self.copies)

    def evaluate(self, states: States) -> Floats:
        """What positions between turns (or after the end) are worth to both seats: for `TurnSearch`."""
        if len(states) and not (
            (states["num_players"] == 2).all()
            and (states["copies"] == self.copies).all()
            and (states["italian_reading"] == 0).all()
        ):
            raise ValueError(
                f"table {self.path.name} is for two players with {self.copies} copies and without the Italian reading"
            )
        numbers = np.empty(len(states), np.int64)
        _arrangements(states, self._codes, numbers)
        self._check(numbers[states["phase"] != Phase.OVER])
        out = np.empty((len(states), 2))
        _evaluate(states, numbers, np.asarray(self.values), self.cap, out)
        return out

    @property
    def sound(self) -> bool:
        """Nobody has met damage in it, nor written into it since it was opened."""
        return self._state not in _damaged and not self._changed()

    def _changed(self) -> bool:
        """Somebody has written into the file; another one that took its place is no matter."""
        now = os.fstat(self._file)
        return now.st_mtime_ns != self._state[1] or now.st_size != HEADER + len(self._bytes) + self._sums.nbytes

    def verify(self) -> None:
        """Check every chunk; a large table takes a while."""
        self._check_chunks(np.arange(len(self._checked)))
        _verified.add(self._state)

    def verify_at_once(self) -> bool:
        """The same if it takes a moment only; whether every chunk has been checked."""
        if self._state not in _verified and len(self._bytes) <= AT_ONCE:
            self.verify()
        return self._state in _verified

    def _check(self, arrangements: Ints) -> None:
        """Check the chunks in which these arrangements lie."""
        row = self.values.strides[0]
        first, last = arrangements * row // CHUNK, ((arrangements + 1) * row - 1) // CHUNK
        self._check_chunks(np.unique(np.concatenate([first, last])))

    def _check_chunks(self, chunks: Ints) -> None:
        if self._changed():  # what was right need not be so any more, and what is gone can't even be looked at
            raise DamagedTableError(f"table {self.path}: it was changed while it was used")
        for chunk in chunks[~self._checked[chunks]]:
            if zlib.crc32(self._bytes[chunk * CHUNK : (chunk + 1) * CHUNK].data) != self._sums[chunk]:
                sentence = f"table {self.path}: it is damaged (chunk {chunk}); make it anew with `pechvogel solve`"
                _damaged[self._state] = sentence
                raise DamagedTableError(sentence)
            self._checked[chunk] = True


# Tables in which a damaged chunk was met, by their file and its age: who opens them again hears of it at once.
_damaged: dict[tuple[str, int], str] = {}
_verified: set[tuple[str, int]] = set()  # and those in which there is none


def _parse(head: bytes) -> dict[str, Any]:
    if head[: len(MAGIC)] != MAGIC:
        raise ValueError("it is no table of this project")
    if len(head) < HEADER or zlib.crc32(head[: HEADER - 4]) != int.from_bytes(head[HEADER - 4 :], "little"):
        raise ValueError("its head is damaged")
    try:
        info = parse_json(head[len(MAGIC) : HEADER - 4])
    except ValueError as error:
        raise ValueError(f"its head is damaged: {error}") from None
    if not isinstance(info, dict):
        raise ValueError("its head is damaged: it has no names")
    lacking = [key for key in KEYS if key not in info]
    if lacking:
        raise ValueError(f"its head is damaged: it lacks {', '.join(lacking)}")
    if info["format"] != FORMAT or info["game"] != GAME:
        found = f"{shown_value(info['format'])} for {shown_value(info['game'])}"
        raise ValueError(f"it is of format {found}, not {FORMAT} for {GAME}")
    check_whole("copies", info["copies"], 1, MAX_COPIES)
    check_whole("frustrations", info["frustrations"], 1, MAX_CAP)
    for key in ("start_value", "residual", "sweeps"):
        if isinstance(info[key], bool) or not isinstance(info[key], (int, float)):
            raise ValueError(f"its head is damaged: {key} must be a number, not {shown_value(info[key])}")
    if info.get("chunk", CHUNK) != CHUNK:
        raise ValueError(f"its head is damaged: chunk must be {CHUNK}, not {shown_value(info['chunk'])}")
    return info


def seal(path: Path, info: dict[str, Any]) -> None:
    """Turn a file with values in their place into a table: checksums to the end, the head last."""
    size = data_bytes(info["copies"], info["frustrations"])
    data = np.memmap(path, np.uint8, "r", HEADER, (size,))
    sums = np.array([zlib.crc32(data[at : at + CHUNK].data) for at in range(0, size, CHUNK)], np.uint32).tobytes()
    whole = {"format": FORMAT, "game": GAME, "chunk": CHUNK, **info, "checksums": hashlib.sha256(sums).hexdigest()}
    head = MAGIC + json.dumps(whole).encode()
    head = head.ljust(HEADER - 4)
    with open(path, "r+b") as file:
        file.truncate(HEADER + size)
        file.seek(HEADER + size)
        file.write(sums)
        file.seek(0)
        file.write(head + zlib.crc32(head).to_bytes(4, "little"))
        file.flush()
        os.fsync(file.fileno())


# ------------------------------------------------------------------------------------------------ where tables are


def folder() -> Path:
    """Where tables are kept: PECHVOGEL_TABLES, else the user's data folder."""
    from platformdirs import user_data_path

    named = os.environ.get("PECHVOGEL_TABLES")
    return Path(named) if named else user_data_path("pechvogel")


def file_name(copies: int, cap: int) -> str:
    """What `pechvogel solve` calls a table."""
    return f"copies-{copies}-frustrations-{cap}.table"


def find(copies: int) -> Path:
    """The table for a number of copies, the one with the highest cap if there are several."""
    if not 1 <= copies <= MAX_COPIES:
        raise ValueError(f"copies must be from 1 to {MAX_COPIES}, not {copies}")
    found = sorted(
        folder().glob(file_name(copies, 0).replace("-0.", "-*.")), key=lambda path: (len(path.name), path.name)
    )
    if not found:
        raise NoTableError(
            f"there is no table for {copies} cop{'y' if copies == 1 else 'ies'} in {folder()}; "
            f"make one with `pechvogel solve --copies {copies}`, or name one"
        )
    return found[-1]


# ------------------------------------------------------------------------------------------------ looking up


@compiled
def _arrangements(states: States, codes: Codes, out: Ints) -> None:
    """The numbers of arrangements, seen by the players at turn."""
    for i in range(len(states)):
        s = states[i]
        number = 0
        for value in range(NUM_VALUES - 1, -1, -1):
            digit = codes.number[s.middle[value], s.markers[s.active, value], s.markers[1 - s.active, value]]
            number = number * len(codes.swap) + digit
        out[i] = number


@compiled
def _evaluate(states: States, numbers: Ints, values: Floats32, cap: int, out: Floats) -> None:
    for i in range(len(states)):
        s = states[i]
        if s.phase == Phase.OVER:
            rules.put_win_rewards(s, out, i)
            continue
        murphy = 0 if s.murphy == NOBODY else 1 if s.murphy == s.active else 2
        table = values[numbers[i], murphy]
        mine, theirs = s.frustrations[s.active], s.frustrations[1 - s.active]
        beyond = max(0, min(mine, theirs) - cap)
        mine -= beyond
        theirs -= beyond
        if mine > cap:
            value = _bend(table[cap, theirs], table[cap - 1, theirs], mine - cap)
        elif theirs > cap:
            value = _bend(table[mine, cap], table[mine, cap - 1], theirs - cap)
        else:
            value = float(table[mine, theirs])
        out[i, s.active] = value
        out[i, 1 - s.active] = -value


@compiled
def _bend(last: float, before: float, beyond: int) -> float:
    """The value so many frustrations beyond the cap, from those at the cap and before it."""
    change = float(last - before)
    # The sum of a geometric series: change * BEND + change * BEND**2 + ... + change * BEND**beyond.
    value = float(last) + change * BEND * (1.0 - BEND ** float(beyond)) / (1.0 - BEND)
    return min(1.0, max(-1.0, value))
