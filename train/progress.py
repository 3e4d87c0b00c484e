"""One look for every progress bar: what is done, how much of it, how long it still takes."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn


def bar(*more: ProgressColumn, keep: bool = False) -> Progress:
    """A bar on standard error, with more columns at its end; it goes away when all is done, unless kept."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:.0f}%"),
        TimeRemainingColumn(),
    )
    return Progress(*columns, *more, console=Console(stderr=True), transient=not keep)
