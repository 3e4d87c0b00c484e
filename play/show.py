"""What is shown in the terminal of every game."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table


def ranking(result: dict[str, Any], console: Console) -> None:
    """Print what `analyse` of a game found: every action with its value, best first."""
    table = Table(
        title=f"player_{result['seat']}: {result['value']:+.4f}, wins {result['win_share']:.2%}",
        caption=result["source"],
        box=box.SIMPLE_HEAD,
    )
    table.add_column("action")
    for column in ("value", "win share", "costs"):
        table.add_column(column, justify="right")
    for row in result["actions"]:
        costs = row["costs"]
        table.add_row(row["name"], f"{row['value']:+.4f}", f"{row['win_share']:.2%}", f"{costs:.2%}" if costs else "")
    console.print(table)
