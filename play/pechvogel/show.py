"""What `pechvogel analyse` shows of a position."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from pechvogel.play.pechvogel.words import Words
from pechvogel.play.show import ranking
from pechvogel_env import render
from pechvogel_env.position import Position


def analysis(position: Position, result: dict[str, Any]) -> None:
    """Print what `agents.pechvogel.analysis.analyse` found, under a picture of the position."""
    console = Console()
    print(render.ansi(position))
    ranking(result, console)
    words = Words("en", [f"player_{seat}" for seat in range(position.num_players)])
    for row in result["actions"]:
        console.print(words.action(row["action"], position), style="bold", markup=False)
        for line in words.cases(row):
            console.print(f"  {line}", markup=False)
        if row["reason"] is not None and row is not result["actions"][0]:
            console.print(f"  {words.reason(row['reason'], position)}", markup=False, soft_wrap=True)
