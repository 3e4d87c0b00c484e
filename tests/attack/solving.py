"""Solving is killed at any moment: the table has the same bits as one that was solved undisturbed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.attack.resumed import Work, killed, undisturbed
from tests.attack.rows import Row, Setting

TABLE = "small.table"


def attack(given: Setting) -> Iterator[Row]:
    """The smallest game, by one thread and by two."""
    for threads in (1, 2):
        if given.quick and threads > 1:
            break
        root = given.folder / f"threads-{threads}"
        root.mkdir()

        def words(folder: Path, threads: int = threads) -> list[str]:
            size = ["--copies", "1", "--frustrations", "3", "--threads", str(threads)]
            return ["solve", *size, "--out", str(folder / TABLE)]

        work = Work(words, words, f"{TABLE}.partial", TABLE)
        given.say("undisturbed")
        expected, seconds = undisturbed(work, root)
        found = killed(work, root, given.times(50, 3), seconds, given.rng(f"solving/{threads}"), expected, given.say)
        happened = found.wrong or (
            f"tables that came to their end: {found.ends}, each with the same bits as undisturbed;"
            f" kills while a note was written: {found.writing}"
        )
        tried = f"solving killed ({threads} {'threads' if threads > 1 else 'thread'})"
        yield Row(tried, found.kills, happened, not found.wrong and found.ends > 0)
