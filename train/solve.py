"""Two-player Pechvogel, solved: `pechvogel solve --copies 3`.

Every marker that is won takes exactly one out of the middle, so positions fall into layers by the number of markers in
the middle, which are solved from the last marker back. Within a layer, an arrangement of the markers is solved together
with the one in which the players have changed places; within a turn everything is exact (`solve_kernel`).

The values are written into the table's file from the start (as FILE.partial). After every layer a note says how far it
is complete, so a run that was killed goes on from there, with the same table to the bit in the end: no number depends
on another of its own layer, except within a pair, nor on the number of threads.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from agents import solution
from agents.optimal import OptimalAgent
from agents.solution import HEADER, Solution, make_codes
from pechvogel_env import rules
from pechvogel_env.batch import Batch, Buffers
from pechvogel_env.files import replace_file
from pechvogel_env.rules import MAX_COPIES, NUM_VALUES
from train.progress import bar
from train.solve_kernel import make_turn, solve_pairs

TOLERANCE = 3e-6  # single precision gives no more
PAIRS_AT_ONCE = 64
MIN_CAP, MAX_CAP = 2, 31
FEW = 2  # frustrations: positions with at most so many each are compared when the cap is checked


def solve(copies: int, cap: int, path: Path, threads: int | None = None) -> dict[str, Any]:
    """Solve a game into a table's file, going on where an earlier run was stopped; returns what `--json` writes."""
    if not 1 <= copies <= MAX_COPIES:
        raise ValueError(f"copies must be from 1 to {MAX_COPIES}, not {copies}")
    if not MIN_CAP <= cap <= MAX_CAP:
        raise ValueError(f"frustrations must be from {MIN_CAP} to {MAX_CAP}, not {cap}")
    if path.exists():
        raise ValueError(f"{path} is there already; choose another file with --out, or delete it")
    path.parent.mkdir(parents=True, exist_ok=True)
    run = _Run(copies, cap, path, threads or os.cpu_count() or 1)
    run.solve()
    return run.finish()


class _Run:
    def __init__(self, copies: int, cap: int, path: Path, threads: int) -> None:
        self.copies, self.cap, self.path, self.threads = copies, cap, path, threads
        self.partial = path.with_name(path.name + ".partial")
        self.note_path = path.with_name(path.name + ".partial.json")
        self.codes, self.turn = make_codes(copies), make_turn(cap)
        self.bytes = solution.data_bytes(copies, cap)
        self.note = {
            "copies": copies,
            "frustrations": cap,
            "layers": 0,
            "pair_sweeps": 0,
            "residual": 0.0,
            "seconds": 0.0,
        }
        if self.partial.exists() and self.note_path.exists():
            try:
                note = json.loads(self.note_path.read_text(encoding="utf-8"))
                same = all(note[key] == self.note[key] for key in ("copies", "frustrations"))
                # Killed while it was being sealed, it may have its checksums already.
                same = same and self.partial.stat().st_size >= HEADER + self.bytes
                if not same or note.keys() != self.note.keys():
                    raise ValueError
            except (ValueError, KeyError):
                raise ValueError(f"{self.partial} is of another game or damaged; delete it to begin anew") from None
            self.note = note
        else:
            self.note_path.unlink(missing_ok=True)  # of a table that is gone
            with open(self.partial, "wb") as file:
                file.truncate(HEADER + self.bytes)
        self.values = np.memmap(self.partial, np.float32, "r+", HEADER, solution.shape(copies, cap))
        self.left, self.pairs = self._arrangements()

    def _arrangements(self) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
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
                replace_file(self.note_path, json.dumps(self.note).encode())

    def _layer(
        self, pool: ThreadPoolExecutor, flat: NDArray[np.float32], pairs: NDArray[np.int64]
    ) -> Iterator[tuple[int, float, int]]:
        def work(some: NDArray[np.int64]) -> tuple[int, float, int]:
            sweeps, changes = np.zeros(len(some), np.int64), np.zeros(len(some), np.float32)
            solve_pairs(self.turn, self.codes, flat, rules.new_states(1), some, TOLERANCE, sweeps, changes)
            return int(sweeps.sum()), float(changes.max()), len(some)

        parts = [pairs[at : at + PAIRS_AT_ONCE] for at in range(0, len(pairs), PAIRS_AT_ONCE)]
        # A few at a time, so that Ctrl-C ends a run soon.
        for at in range(0, len(parts), 4 * self.threads):
            yield from pool.map(work, parts[at : at + 4 * self.threads])

    def finish(self) -> dict[str, Any]:
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
        self.note_path.unlink()
        return {**info, "seconds": self.note["seconds"], "bytes": self.path.stat().st_size, "file": str(self.path)}


def describe(path: Path) -> dict[str, Any]:
    """What `solve` would have returned for a table that is there already, except the time it took."""
    table = Solution(path)
    keys = ("copies", "frustrations", "start_value", "residual", "sweeps")
    found = {key: table.info[key] for key in keys}
    return {**found, "seconds": None, "bytes": path.stat().st_size, "file": str(path)}


def check_cap(path: Path, threads: int | None = None, games: int = 10_000, seed: int = 1) -> dict[str, Any]:
    """How much the cap matters: how often perfect players go beyond it, and what a lower one would change."""
    table = Solution(path)
    agent = OptimalAgent(str(path))
    beyond = _games_beyond(agent, table.copies, table.cap, games, seed)
    lower = max(MIN_CAP, table.cap - 2)
    # Beside the table, so that a run that is killed goes on with this one, too.
    other_path = path.with_name(f"{path.name}.cap-{lower}")
    if not other_path.exists():
        solve(table.copies, lower, other_path, threads)
    other = Solution(other_path)
    few = slice(0, min(lower, FEW) + 1)
    largest = total = 0.0
    rows = max(1, len(table.values) // 200)
    for at in range(0, len(table.values), rows):  # a part at a time: tables may be larger than the memory
        here = np.s_[at : at + rows, :, few, few]
        difference = np.abs(table.values[here] - other.values[here])
        largest, total = max(largest, float(difference.max())), total + float(difference.sum(dtype=float))
    change = abs(other.start_value - table.start_value)
    del other
    other_path.unlink()
    return {
        "games": games,
        "games_beyond": beyond,
        "lower_cap": lower,
        "start_value_change": change,
        "few": FEW,
        "mean_change": total / (len(table.values) * solution.NUM_MURPHY * (few.stop**2)),
        "largest_change": largest,
    }


def _games_beyond(agent: OptimalAgent, copies: int, cap: int, games: int, seed: int) -> int:
    """Games of perfect players in which somebody held more frustrations than the cap."""
    buffers = Buffers.allocate(games, 2)
    batch = Batch(buffers, num_players=2, copies=copies, seed=seed, auto_reset=False)
    most = np.zeros(games, np.int64)
    actions = np.zeros(games, np.int64)
    while (live := np.flatnonzero(batch.bits)).size:
        for at in range(0, len(live), 1000):
            some = live[at : at + 1000]
            actions[some] = agent.act_batch(batch.states[some], buffers.masks[some], [])
        batch.step(actions)
        most = np.maximum(most, batch.states["frustrations"][:, :2].max(axis=1))
    return int((most > cap).sum())


def show(result: dict[str, Any]) -> None:
    """Print the result as a table."""
    console = Console()
    table = Table(title=f"Two players, {result['copies']} copies: solved", show_header=False)
    share = (1 + result["start_value"]) / 2
    table.add_row("value of the game for the first player", f"{result['start_value']:+.5f} (wins {share:.3%})")
    table.add_row("frustrations, at most", str(result["frustrations"]))
    table.add_row("sweeps per position", f"{result['sweeps']:.1f}")
    table.add_row("largest remaining change", f"{result['residual']:.1e}")
    if result["seconds"] is not None:
        table.add_row("time", f"{result['seconds']:,.0f} s")
    table.add_row("size", f"{result['bytes'] / 1e6:,.1f} MB")
    if "cap" in result:
        cap = result["cap"]
        table.add_row(
            f"games of perfect players beyond {result['frustrations']} frustrations",
            f"{cap['games_beyond']:,} of {cap['games']:,}",
        )
        table.add_row(
            f"with at most {cap['lower_cap']} instead: change of the start value", f"{cap['start_value_change']:.1e}"
        )
        table.add_row(
            f"... of positions with at most {cap['few']} frustrations each",
            f"{cap['mean_change']:.1e} on average, {cap['largest_change']:.1e} at most",
        )
    console.print(table)
    console.print(f"The table: {result['file']}", markup=False, soft_wrap=True)
