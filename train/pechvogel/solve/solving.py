"""Solving a game and checking its cap: `pechvogel solve`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from pechvogel.agents.pechvogel import solution
from pechvogel.tabletop.rewards import win_share
from pechvogel.tabletop.seeds import check_seed
from pechvogel.train.pechvogel.solve import caps, layers


def table_path(copies: int, cap: int | None, path: Path | None) -> tuple[Path, int]:
    """Where a table goes, and up to how many frustrations it counts, if nobody says so."""
    cap = layers.DEFAULT_CAPS.get(copies, layers.MIN_CAP) if cap is None else cap
    return path or solution.folder() / solution.file_name(copies, cap), cap


def run(
    copies: int,
    cap: int,
    path: Path,
    *,
    threads: int | None = None,
    check: str | None = None,
    check_games: int = 10_000,
    seed: int = 1,
) -> dict[str, Any]:
    """Solve, or take a table that is there if only its cap is to be checked; the result is what `--json` writes."""
    check_seed(seed)
    if check and path.exists():
        result = layers.describe(path)
        if (result["copies"], result["frustrations"]) != (copies, cap):
            raise ValueError(
                f"{path} is the table of {result['copies']} copies and {result['frustrations']} frustrations; "
                f"say so, or choose another file"
            )
    else:
        result = layers.solve(copies, cap, path, threads)
    if check:
        found = caps.check(solution.Solution(path), check == "all", check_games, seed, threads)
        result["cap"] = result.get("cap", {}) | found  # what was found by another cap stays
        layers.add_to_note(path, {"cap": result["cap"]})
    return result


def show(result: dict[str, Any]) -> None:
    """Print the result as a table."""
    console = Console()
    copies = f"{result['copies']} cop{'y' if result['copies'] == 1 else 'ies'}"
    table = Table(title=f"Two players, {copies}: solved", show_header=False)
    share = win_share(result["start_value"], 2)
    table.add_row("value of the game for the first player", f"{result['start_value']:+.5f} (wins {share:.3%})")
    table.add_row("frustrations, at most", str(result["frustrations"]))
    table.add_row("sweeps per position", f"{result['sweeps']:.1f}")
    table.add_row("largest remaining change", f"{result['residual']:.1e}")
    if result["seconds"] is not None:
        table.add_row("time", f"{result['seconds']:,.0f} s on {result['threads']} threads")
        table.add_row("memory, at most", f"{result['memory'] / 1e6:,.0f} MB")
    table.add_row("size of the table", f"{result['bytes'] / 1e6:,.1f} MB")
    if "cap" in result:
        caps.add_rows(table, result["cap"])
    console.print(table)
    console.print(f"The table: {result['file']}", markup=False, soft_wrap=True)
