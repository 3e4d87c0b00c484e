"""What `pechvogel analyse` shows of a position."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from lucky_loser_env import render
from lucky_loser_env.position import Position
from pechvogel.play.show import ranking


def analysis(position: Position, result: dict[str, Any]) -> None:
    """Print what `agents.lucky_loser.analysis.analyse` found, under a picture of the position."""
    print(render.ansi(position))
    ranking(result, Console())
