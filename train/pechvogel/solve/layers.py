"""Two-player Pechvogel, solved: `pechvogel solve --copies 3`.

Every marker that is won takes exactly one out of the middle, so positions fall into layers by the number of markers in
the middle, which are solved from the last marker back. Within a layer, an arrangement of the markers is solved together
with the one in which the players have changed places; within a turn everything is exact (`kernel`).

The values are written into the table's file from the start (as FILE.partial). After every layer a note says how far it
is complete, so a run that was killed goes on from there, with the same table to the bit in the end: no number depends
on another of its own layer, except within a pair, nor on the number of threads.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pechvogel.agents.pechvogel import solution
from pechvogel.agents.pechvogel.solution import HEADER, Solution, make_codes
from pechvogel.tabletop.arrays import Floats32, Ints, Ints8
from pechvogel.tabletop.files import lock, replace_file, to_json
from pechvogel.tabletop.untrusted import read_json
from pechvogel.train.pechvogel.solve.kernel import make_turn, solve_pairs
from pechvogel.train.progress import bar
from pechvogel_env import rules
from pechvogel_env.rules import MAX_COPIES, NUM_VALUES

TOLERANCE = 3e-6  # single precision gives no more
PAIRS_AT_ONCE = 64
MIN_CAP, MAX_CAP = 2, 31
NOTED = ("seconds", "threads", "memory")  # what solving took, kept beside the table
DEFAULT_CAPS = {1: 12, 2: 12, 3: 8}  # by copies: as many as it takes until they don't matter (docs/solution.md)


def refuse_cap(cap: int) -> None:
    """ValueError if frustrations can't be counted up to this."""
    if not MIN_CAP <= cap <= MAX_CAP:
        raise ValueError(f"frustrations must be from {MIN_CAP} to {MAX_CAP}, not {cap}")


def solve(copies: int, cap: int, path: Path, threads: int | None = None) -> dict[str, Any]:
    """Solve a game into a table's file, going on where an earlier run was stopped; returns what `--json` writes."""
    if not 1 <= copies <= MAX_COPIES:
        raise ValueError(f"copies must be from 1 to {MAX_COPIES}, not {copies}")
    refuse_cap(cap)
    for target in (path, note_of(path)):
        if target.exists():
            raise ValueError(f"{target} is there already; choose another file with --out, or delete it")
    path.parent.mkdir(parents=True, exist_ok=True)
    with _lock(path):
        run = _Run(copies, cap, path, threads or os.cpu_count() or 1)
        run.solve()
        run.finish()
    return describe(path)


class _Run:
    def __init__(self, copies: int, cap: int, path: Path, threads: int) -> None:
        self.copies, self.cap, self.path, self.threads = copies, cap, path, threads
        self.partial = path.with_name(path.name + ".partial")
        self.note_path = path.with_name(path.name + ".partial.json")
        self.codes, self.turn = make_codes(copies), make_turn(cap)
        self.bytes = solution.data_bytes(copies, cap)
        self.note: dict[str, Any] = {
            "copies": copies,
            "frustrations": cap,
            "layers": 0,
            "pair_sweeps": 0,
            "residual": 0.0,
            "seconds": 0.0,
            "threads": threads,
            "memory": 0,
        }
        if self.partial.exists() and self.note_path.exists():
            try:
                note = read_json(self.note_path)
                same = all(note[key] == self.note[key] for key in ("copies", "frustrations"))
                # Killed while it was being sealed, it may have its checksums already.
                same = same and self.partial.stat().st_size >= HEADER + self.bytes
                for key, ours in self.note.items():
                    same = same and type(note[key]) in (int, type(ours)) and note[key] >= 0
                if not same or note.keys() != self.note.keys() or note["layers"] > NUM_VALUES * copies:
                    raise ValueError
            except (ValueError, KeyError, TypeError, AttributeError):
                raise ValueError(f"{self.partial} is of another game or damaged; delete it to begin anew") from None
            self.note = note
        else:
            self.note_path.unlink(missing_ok=True)  # of a table that is gone
            self._make_room()
        self.values = np.memmap(self.partial, np.float32, "r+", HEADER, solution.shape(copies, cap))
        self.left, self.pairs = self._arrangements()

    def _make_room(self) -> None:
        """The whole file at once: a mapped file that finds the disk full later could only crash."""
        size = HEADER + self.bytes
        with open(self.partial, "wb") as file:
            try:
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(file.fileno(), 0, size)
                else:
                    file.truncate(size)
            except OSError as error:
                self.partial.unlink()
                raise ValueError(f"{self.partial}: no room for {size / 1e6:,.0f} MB ({error.strerror})") from None

    def _arrangements(self) -> tuple[Ints8, NDArray[np.int32]]:
        """Of one arrangement of every pair: how many markers are left in the middle, and its number."""
        left, swapped = solution.arrangements(self.codes)
        one = np.arange(len(left)) <= swapped
        return left[one].astype(np.int8), np.flatnonzero(one).astype(np.int32)

    def solve(self) -> None:
        last = NUM_VALUES * self.copies
        flat = np.asarray(self.values).reshape(len(self.values), solution.NUM_MURPHY, -1)
        with bar(keep=True) as progress, ThreadPoolExecutor(self.threads) as pool:
            done = int(np.isin(self.left, range(1, self.note["layers"] + 1)).sum())
            task = progress.add_task("", total=int((self.left > 0).sum()), completed=done)
            for layer in range(self.note["layers"] + 1, last + 1):
                start = time.monotonic()
                pairs = self.pairs[self.left == layer].astype(np.int64)
                progress.update(task, description=f"{layer} of {last} markers left, {len(pairs):,} pairs")
                for sweeps, change, count in self._layer(pool, flat, pairs):
                    self.note["pair_sweeps"] += sweeps
                    self.note["residual"] = max(self.note["residual"], change)
                    progress.advance(task, count)
                self.values.flush()
                self.note["layers"] = layer
                self.note["seconds"] += time.monotonic() - start
                self.note["memory"] = max(self.note["memory"], _peak_memory())
                replace_file(self.note_path, json.dumps(self.note).encode())
                if not progress.console.is_terminal:  # no bar there: a line
                    done += len(pairs)
                    spent = self.note["seconds"]
                    left = spent * (progress.tasks[0].total or 0) / done - spent
                    progress.console.print(
                        f"{layer} of {last} markers left: solved after {spent:,.0f} s, about {left:,.0f} s to go"
                    )

    def _layer(self, pool: ThreadPoolExecutor, flat: Floats32, pairs: Ints) -> Iterator[tuple[int, float, int]]:
        def work(some: Ints) -> tuple[int, float, int]:
            sweeps, changes = np.zeros(len(some), np.int64), np.zeros(len(some), np.float32)
            solve_pairs(self.turn, self.codes, flat, rules.new_states(1), some, TOLERANCE, sweeps, changes)
            return int(sweeps.sum()), float(changes.max()), len(some)

        parts = [pairs[at : at + PAIRS_AT_ONCE] for at in range(0, len(pairs), PAIRS_AT_ONCE)]
        waiting: deque[Future[tuple[int, float, int]]] = deque()
        for part in parts:
            if len(waiting) == 2 * self.threads:  # no more at a time, so that Ctrl-C ends a run soon
                yield waiting.popleft().result()
            waiting.append(pool.submit(work, part))
        for future in waiting:
            yield future.result()

    def finish(self) -> None:
        start = solution.start(self.codes, self.copies)
        info = {
            "copies": self.copies,
            "frustrations": self.cap,
            "start_value": float(self.values[start, 0, 0, 0]),
            "residual": self.note["residual"],
            "sweeps": self.note["pair_sweeps"] / int((self.left > 0).sum()),
        }
        self.values.flush()
        del self.values
        solution.seal(self.partial, info)
        self.partial.replace(self.path)
        replace_file(note_of(self.path), to_json({key: self.note[key] for key in NOTED}))
        self.note_path.unlink()


def _lock(path: Path) -> AbstractContextManager[None]:
    """Keep a second run off this table."""
    return lock(path.with_name(path.name + ".lock"), f"another run is solving into {path}")


def note_of(path: Path) -> Path:
    """Where the note on a table lies: what solving it took, and what a check of its cap found."""
    return path.with_name(path.name + ".json")


def describe(path: Path) -> dict[str, Any]:
    """What `solve` returned for a table that is there already; what its note says only if there is one."""
    table = Solution(path)
    keys = ("copies", "frustrations", "start_value", "residual", "sweeps")
    found = {key: table.info[key] for key in keys} | {"bytes": path.stat().st_size, "file": str(path)}
    return found | dict.fromkeys(NOTED) | _note(path)


def _note(path: Path) -> dict[str, Any]:
    try:
        note = read_json(note_of(path))
        if not isinstance(note, dict):
            raise ValueError
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        raise ValueError(f"{note_of(path)} is damaged; delete it (the table does not need it)") from None
    return note


def add_to_note(path: Path, more: dict[str, Any]) -> None:
    """Keep something that was found out about a table."""
    replace_file(note_of(path), to_json(_note(path) | more))


def _peak_memory() -> int:
    """The most memory that this process has used, in bytes; the mapped file is in it."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
