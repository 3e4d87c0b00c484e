"""A tournament's result as tables, and as a picture."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from pechvogel.tabletop.files import replace_file
from pechvogel.train.arena.statistics import Z95


def show(result: dict[str, Any], game: str) -> None:
    """Print the result as tables; `game` says in words what was played."""
    console = Console()
    title = f"{result['games']:,} games, {game}, seed {result['seed']}"
    table = Table(
        title=title, box=box.SIMPLE_HEAD, caption="win share with its 95% interval, rating with its standard error"
    )
    table.add_column("agent", overflow="fold")
    forfeits = any(row["forfeits"] for row in result["agents"])
    priced = any(row["regret"] for row in result["agents"])
    if priced:
        table.caption = f"{table.caption}, regret in thousandths of the win reward per decision"
    columns = ("games", "win share", "score", "rank", "rating", *["regret"] * priced, "ms", *["forfeits"] * forfeits)
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    for row in sorted(result["agents"], key=lambda row: -row["rating"]):
        table.add_row(
            row["name"],
            f"{row['games']:,}",
            f"{row['win_share']:.1%} ± {50 * (row['ci95'][1] - row['ci95'][0]):.1f}",
            f"{row['mean_score']:.1f}",
            f"{row['mean_rank']:.2f}",
            f"{row['rating']:+.0f} ± {row['rating_error']:.0f}",
            *[f"{1000 * row['regret']['mean']:.1f}" if row["regret"] else ""] * priced,
            f"{row['ms_per_decision']:.3f}",
            *[str(row["forfeits"])] * forfeits,
        )
    console.print(table)
    names = [row["name"] for row in sorted(result["agents"], key=lambda row: -row["rating"])]
    ahead = {(row["agent"], row["against"]): row for row in result["pairs"]}
    if len(names) > 2 and ahead:
        table = Table(title="How often the row comes out before the column (ties half)")
        table.add_column("")
        for name in names:
            table.add_column(name, justify="right")
        for name in names:
            cells = [f"{ahead[name, other]['ahead']:.1%}" if (name, other) in ahead else "" for other in names]
            table.add_row(name, *cells)
        console.print(table)
    if len(result["lineups"]) > 1 or len(set(result["lineups"][0]["lineup"])) < result["players"]:
        table = Table(title=f"By table (an even share is {1 / result['players']:.1%})")
        table.add_column("table")
        table.add_column("win share per seat, with 95% interval")
        for row in result["lineups"]:
            parts = [
                f"{agent['name']} {agent['win_share']:.1%} " + "({:.1%} to {:.1%})".format(*agent["ci95"])
                for agent in row["agents"]
            ]
            table.add_row(", ".join(row["lineup"]), "; ".join(parts))
        console.print(table)
    if result["truncated"]:
        console.print(f"{result['truncated']} games were truncated and scored as they stood.")
    for message in result["messages"]:
        console.print(f"forfeited: {message}", style="red", markup=False)


def plot(result: dict[str, Any], path: str) -> None:
    """Win shares with their intervals, and ratings, as a PNG."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ValueError("--plot needs matplotlib: pip install 'pechvogel[train]'") from None
    rows = sorted(result["agents"], key=lambda row: row["rating"])
    names = [row["name"] for row in rows]
    figure = Figure(figsize=(9, 1.4 + 0.45 * len(rows)), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    for axis, key, low_high in (
        (left, "win_share", [row["ci95"] for row in rows]),
        (
            right,
            "rating",
            [[r["rating"] - Z95 * r["rating_error"], r["rating"] + Z95 * r["rating_error"]] for r in rows],
        ),
    ):
        middle = np.array([row[key] for row in rows])
        spans = np.abs(np.array(low_high).T - middle)
        axis.errorbar(middle, names, xerr=spans, fmt="o", color="#1d4d4f", ecolor="#dd7530", capsize=4)
        axis.grid(axis="x", alpha=0.3)
    left.axvline(1 / result["players"], color="grey", linestyle=":", label="even share")
    left.set_xlabel("win share, 95% interval")
    left.legend(loc="lower right")
    right.set_xlabel("rating (Elo), 95% interval")
    figure.suptitle(f"{result['games']:,} games, {result['players']} players, seed {result['seed']}")
    drawn = io.BytesIO()
    figure.savefig(drawn, format=Path(path).suffix[1:] or "png", dpi=120)
    replace_file(Path(path), drawn.getvalue())
