"""What an attack is given, and what it hands back: rows of a table."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias


@dataclass(frozen=True)
class Row:
    """Something that was tried."""

    tried: str
    times: int
    happened: str
    held: bool


@dataclass(frozen=True)
class Setting:
    """How an attack is run."""

    folder: Path  # its own, empty
    seed: int
    quick: bool  # a small part of everything
    say: Callable[[str], None] = lambda _: None  # how far it has come

    def rng(self, name: str) -> random.Random:
        """A generator for some part, whatever else is drawn elsewhere."""
        return random.Random(f"{self.seed}/{name}")

    def times(self, whole: int, quick: int) -> int:
        """How often to try something."""
        return quick if self.quick else whole


Attack: TypeAlias = Callable[[Setting], Iterator[Row]]


class Tally:
    """How often something was tried, and what was wrong then."""

    def __init__(self, tried: str) -> None:
        self.tried = tried
        self.times = 0
        self.faults: Counter[str] = Counter()

    def note(self, fault: str | None) -> None:
        """One more try."""
        self.times += 1
        if fault is not None:
            self.faults[fault] += 1

    def row(self, happened: str) -> Row:
        """`happened` if nothing was wrong, and something was tried; else what was."""
        if self.times and not self.faults:
            return Row(self.tried, self.times, happened, True)
        wrong = "; ".join(f"{count} times: {fault}" for fault, count in self.faults.most_common(5))
        return Row(self.tried, self.times, wrong or "nothing was tried", False)
