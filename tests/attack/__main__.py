"""The command.

make attack                                        # everything, in minutes, on loopback addresses only
python -m tests.attack --only tokens,races --quick
python -m tests.attack --seed 7 --json attack.json
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from tests.attack import KINDS
from tests.attack.rows import Row, Setting


def attacked(kinds: list[str], seed: int, quick: bool) -> Iterator[tuple[str, Row]]:
    """Rows of these kinds of attack, as they come."""
    look = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with (
        Progress(*look, console=Console(stderr=True), transient=True) as progress,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as root,
    ):
        task = progress.add_task("")

        def say(head: str, what: str) -> None:
            progress.update(task, description=f"{head}, {escape(what)}")

        for number, kind in enumerate(kinds, 1):
            folder = Path(root) / kind
            folder.mkdir()
            told = partial(say, f"{number} of {len(kinds)}: {kind}")
            told("...")
            began = time.monotonic()
            try:
                for row in KINDS[kind](Setting(folder, seed, quick, told)):
                    yield kind, row
            except Exception as error:  # of the attack itself: then nothing is known to hold
                yield kind, Row("the rest", 0, f"broke off: {type(error).__name__}: {error}", False)
            if not progress.console.is_terminal:  # no spinner there: a line
                progress.console.print(f"{kind}: done in {time.monotonic() - began:.0f} s")


def show(found: list[tuple[str, Row]], seconds: float, seed: int) -> None:
    """The table."""
    table = Table(title=f"The attack with seed {seed}, in {seconds / 60:.1f} minutes", show_lines=True)
    for heading in ("kind", "what was tried"):
        table.add_column(heading)
    table.add_column("times", justify="right")
    table.add_column("what happened")
    table.add_column("held")
    for kind, row in found:
        held = "yes" if row.held else "[bold red]NO[/]"
        table.add_row(kind, escape(row.tried), f"{row.times:,}", escape(row.happened), held)
    Console(width=None if sys.stdout.isatty() else 140).print(table)


def main(words: list[str] | None = None) -> int:
    """Exit code 1 if anything did not hold."""
    parser = argparse.ArgumentParser(prog="python -m tests.attack", description="Attack everything, on loopback only.")
    parser.add_argument("--only", metavar="KINDS", help=f"some of {','.join(KINDS)}")
    parser.add_argument("--quick", action="store_true", help="a small part of every kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the table there")
    given = parser.parse_args(words)
    kinds = list(KINDS) if given.only is None else given.only.split(",")
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        parser.error(f"there is no kind {unknown[0]!r}; there are {', '.join(KINDS)}")
    began = time.monotonic()
    found: list[tuple[str, Row]] = []
    try:
        for kind, row in attacked(kinds, given.seed, given.quick):
            found.append((kind, row))
            if not row.held:
                print(f"{kind}: {row.tried}: {row.happened}", file=sys.stderr, flush=True)
    except KeyboardInterrupt:  # what is known by now is shown
        found.append(("", Row("the rest", 0, "stopped", False)))
    seconds = time.monotonic() - began
    show(found, seconds, given.seed)
    held = all(row.held for _, row in found)
    if given.json is not None:
        rows = [{"kind": kind, **asdict(row)} for kind, row in found]
        about = {"seed": given.seed, "quick": given.quick, "seconds": round(seconds, 1), "held": held, "rows": rows}
        given.json.write_text(json.dumps(about, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
