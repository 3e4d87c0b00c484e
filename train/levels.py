"""How strong the champion's levels are: `pechvogel levels`; with `--fit`, which temperatures would space them evenly.

Every level plays against the champion itself at two players. Levels should be evenly spaced in what they win, from
LOWEST at level 1 to an even share at the top.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from pechvogel.agents.games import DEFAULT, kind_of
from pechvogel.agents.levels import TOP
from pechvogel.train.arena import tournament

LOWEST = 0.20
GRID = (0.006, 0.01, 0.015, 0.02, 0.026, 0.033, 0.04, 0.05, 0.06, 0.07, 0.085)


def wanted(level: int) -> float:
    """What a level should win against the champion."""
    return LOWEST + (0.5 - LOWEST) * (level - 1) / (TOP - 1)


def temperatures(game: str) -> tuple[float, ...]:
    """Those of the levels of a game's champion, from 1."""
    champion = importlib.import_module(f"pechvogel.agents.{game.replace('-', '_')}.champion")
    return champion.TEMPERATURES  # type: ignore[no-any-return]


def measure(games: int, seed: int, game: str = DEFAULT) -> dict[str, Any]:
    """Every level below the top against the champion."""
    rows = _against_champion([f"champion:level={level}" for level in range(1, TOP)], games, seed, game)
    for level, row in enumerate(rows, start=1):
        row |= {"level": level, "wanted": wanted(level), "temperature": temperatures(game)[level - 1]}
    return {"games": rows[0]["games"], "seed": seed, "levels": rows}


def fit(games: int, seed: int, game: str = DEFAULT) -> dict[str, Any]:
    """Temperatures that would space the levels evenly, from what a grid of temperatures wins."""
    rows = _against_champion([f"champion:temperature={temperature}" for temperature in GRID], games, seed, game)
    # Hotter is weaker; chance may have it otherwise for neighbours.
    shares = np.minimum.accumulate([0.5, *[row["win_share"] for row in rows]])
    if shares[-1] > LOWEST:
        raise ValueError(
            f"even the hottest temperature wins {shares[-1]:.1%}, above {LOWEST:.0%}; GRID needs hotter ones"
        )
    logs = [math.log(GRID[0] / 4), *map(math.log, GRID)]
    fitted = [float(np.exp(np.interp(-wanted(level), -shares, logs))) for level in range(1, TOP)]
    measured = [{"temperature": t, "win_share": r["win_share"]} for t, r in zip(GRID, rows, strict=True)]
    return {"games": rows[0]["games"], "seed": seed, "grid": measured, "temperatures": [round(t, 4) for t in fitted]}


def _against_champion(specs: Sequence[str], games: int, seed: int, game: str) -> list[dict[str, Any]]:
    variant = kind_of(game).variant(2)
    setup = tournament.Setup(["champion", *specs], variant, games=games, seed=seed, first_against_rest=True)
    rows = []
    for lineup in tournament.run(setup)["lineups"]:
        low, high = lineup["agents"][0]["ci95"]
        share = 1 - lineup["agents"][0]["win_share"]
        rows.append({"games": lineup["games"], "win_share": share, "ci95": [1 - high, 1 - low]})
    return rows


def show(result: dict[str, Any]) -> None:
    """Print the result as a table."""
    title = f"against the champion, {result['games']:,} games each, seed {result['seed']}"
    table = Table(title=title, box=box.SIMPLE_HEAD)
    if "levels" in result:
        for column in ("level", "temperature", "wanted", "win share"):
            table.add_column(column, justify="right")
        for row in result["levels"]:
            half = 50 * (row["ci95"][1] - row["ci95"][0])
            share = f"{row['win_share']:.1%} ± {half:.1f}"
            table.add_row(str(row["level"]), f"{row['temperature']:g}", f"{row['wanted']:.1%}", share)
    else:
        for column in ("temperature", "win share"):
            table.add_column(column, justify="right")
        for row in result["grid"]:
            table.add_row(f"{row['temperature']:g}", f"{row['win_share']:.1%}")
        table.caption = "evenly spaced levels: " + ", ".join(map(str, result["temperatures"]))
    Console().print(table)
