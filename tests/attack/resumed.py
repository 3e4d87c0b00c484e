"""Commands that are killed at any moment and started again, until they have been killed often enough."""

from __future__ import annotations

import hashlib
import itertools
import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.attack.children import Child

LONGEST = 120.0  # seconds of one life


@dataclass
class Work:
    """Something that goes on where it was killed, in a folder of its own."""

    begin: Callable[[Path], list[str]]
    go_on: Callable[[Path], list[str]]
    begun: str  # a file that is there when there is something to go on from
    result: str  # the file that it is all about


@dataclass
class Deaths:
    """What came of it."""

    kills: int = 0
    writing: int = 0  # of them, while a file was being written
    ends: int = 0  # works that came to their end
    wrong: str = ""  # what was wrong with one of them


def digest(path: Path) -> str:
    """Of all bytes of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def undisturbed(work: Work, root: Path) -> tuple[str, float]:
    """Its result, and how long it takes."""
    folder = root / "whole"
    folder.mkdir()
    Child(["--version"], root, root / "first.log").wait(LONGEST)  # the first one waits until everything is loaded
    began = time.monotonic()
    child = Child(work.begin(folder), root, root / "whole.log")
    if child.wait(LONGEST) != 0:
        child.kill()
        raise RuntimeError(f"it fails by itself: {(root / 'whole.log').read_text()[-300:]}")
    return digest(folder / work.result), time.monotonic() - began


def killed(
    work: Work, root: Path, kills: int, longest: float, rng: random.Random, expected: str, say: Callable[[str], None]
) -> Deaths:
    """Kill it so often, every third time when a file is being written; all that come to an end have the same result."""
    found, log = Deaths(), root / "killed.log"
    folder = root / "run-0"
    folder.mkdir()
    for lives in itertools.count():
        known = (folder / work.begun).exists()
        child = Child((work.go_on if known else work.begin)(folder), root, log)
        if found.kills < kills:
            before = _half_written(folder)
            _wait(child, folder, before, rng.uniform(0.0, 0.7 * longest), when_writing=not lives % 3)
            ended = child.poll() is not None
            child.kill()
            if not ended:
                found.kills += 1
                found.writing += bool(_half_written(folder) - before)
                say(f"kill {found.kills} of {kills}")
        else:
            child.wait(LONGEST)
            ended = child.poll() is not None
            child.kill()
        done = (folder / work.result).exists()
        if ended and not done and child.poll() != 0:
            found.wrong = f"exit code {child.poll()}: {log.read_text(encoding='utf-8')[-300:]}"
        elif ended and done:
            found.ends += 1
            if digest(folder / work.result) != expected:
                found.wrong = f"other bits after {found.kills} kills"
        if "damaged" in log.read_text(encoding="utf-8"):
            found.wrong = "a kill has damaged something"
        if found.wrong or (found.kills >= kills and ended):
            return found
        if done:
            folder = root / f"run-{found.ends}-{found.kills}"
            folder.mkdir()
    raise AssertionError  # it counts without end


def _half_written(folder: Path) -> set[str]:
    """Files that are written beside their place, and are not there yet."""
    names = (entry.name for entry in os.scandir(folder))
    return {name for name in names if name.startswith(".") and not name.endswith("lock")}


def _wait(child: Child, folder: Path, before: set[str], seconds: float, when_writing: bool) -> None:
    """For some time; and then, perhaps, until it writes."""
    deadline = time.monotonic() + LONGEST
    moment = time.monotonic() + seconds
    while child.poll() is None and time.monotonic() < deadline:
        if time.monotonic() >= moment and (not when_writing or _half_written(folder) - before):
            return
        time.sleep(0.0001 if time.monotonic() >= moment else 0.01)
