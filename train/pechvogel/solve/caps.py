"""Whether it matters that a table counts frustrations up to a cap only: `pechvogel solve --check-cap`.

*By play*: players who play by the table play with the engine, which has no cap, and what they win is compared with
what the table says, at the start and at every stage of the game. Dice make that a rough comparison; a fine one takes
the luck out. A turn that begins in a position is worth, exactly, the mean of what the table says at its ends. Where
that differs from what the table says at the position, the table does not fit together: its *turn error*, which is
rounding within the cap. What such play is worth differs from the table by the sum of these errors over a game, on
average; so the mean of the sums is the error at the start, with far less noise than results have.

*By another cap*: the same game is solved with a cap that is two higher, and the two tables are compared at the start
and at all positions of the perfect games.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.table import Table

from pechvogel.agents.pechvogel.solution import Solution
from pechvogel.agents.pechvogel.turn.search import TurnSearch
from pechvogel.tabletop.arrays import Floats, Ints, Truths
from pechvogel.tabletop.seeds import check_seed
from pechvogel.train.pechvogel.solve import perfect
from pechvogel.train.pechvogel.solve.layers import MAX_CAP, note_of, solve
from pechvogel.train.pechvogel.solve.perfect import Games

GAMES = 10_000
HIGHER = 2


def by_play(table: Solution, games: Games) -> dict[str, Any]:
    """What perfect players win, against what the table says."""
    states = games.positions
    said = table.evaluate(states)[np.arange(len(states)), states["active"]]
    error = TurnSearch(table.evaluate).values(states)[np.arange(len(states)), states["active"]] - said
    # From the first player's side, who is on seat 0.
    sums = np.bincount(games.game, np.where(states["active"] == 0, error, -error))
    left = states["middle"].sum(axis=1)
    stages = {f"{count} marker{'s' * (count > 1)} left": left == count for count in range(int(left.max()), 0, -1)}
    stages[f"more than {table.cap} frustrations"] = states["frustrations"][:, :2].max(axis=1) > table.cap
    outcomes = games.outcomes()
    return {
        "games": len(games.turns),
        "games_beyond": int((games.most > table.cap).sum()),
        "positions": len(states),
        "start": _compare(said, outcomes, games.game, states["turn"] == 0),
        "stages": {name: _compare(said, outcomes, games.game, here) for name, here in stages.items() if here.any()},
        "start_error": float(sums.mean()),
        "start_error_half": float(1.96 * sums.std() / np.sqrt(len(sums))),
        "mean_turn_error": float(np.abs(error).mean()),
        "largest_turn_error": float(np.abs(error).max()),
    }


def by_another_cap(table: Solution, games: Games, threads: int | None = None) -> dict[str, Any]:
    """What a cap that is two higher changes. Solving with it takes longer than the table took."""
    cap = table.cap + HIGHER
    # Beside the table, so that a run that is killed goes on with this one, too.
    path = table.path.with_name(f"{table.path.name}.cap-{cap}")
    if not path.exists():
        solve(table.copies, cap, path, threads)
    other = Solution(path)
    change = np.abs(other.evaluate(games.positions)[:, 0] - table.evaluate(games.positions)[:, 0])
    result = {
        "frustrations": cap,
        "start_value_change": abs(other.start_value - table.start_value),
        "positions": len(change),
        "mean_change": float(change.mean()),
        "largest_change": float(change.max()),
    }
    del other
    path.unlink()
    note_of(path).unlink(missing_ok=True)
    return result


def check(table: Solution, another: bool, games: int, seed: int, threads: int | None = None) -> dict[str, Any]:
    """Both ways, or by play only."""
    check_seed(seed)
    if another and table.cap + HIGHER > MAX_CAP:
        raise ValueError(f"there is no cap above {table.cap} to compare with; check by play alone")
    played = perfect.play(table, games, seed)
    result = {"seed": seed, "by_play": by_play(table, played)}
    if another:
        result["by_another_cap"] = by_another_cap(table, played, threads)
    return result


def _compare(said: Floats, outcomes: Floats, game: Ints, here: Truths) -> dict[str, Any]:
    """Mean value by the table and by play of some positions; the interval counts games, not positions."""
    num = int(here.sum())
    difference = (outcomes - said)[here]
    mean = difference.mean()
    per_game = np.bincount(game[here], difference - mean)
    half = 1.96 * np.sqrt((per_game**2).sum()) / num
    return {"positions": num, "table": float(said[here].mean()), "play": float(outcomes[here].mean()), "half": half}


def add_rows(rows: Table, found: dict[str, Any]) -> None:
    """Say it in a table of two columns."""
    play = found["by_play"]
    start = play["start"]
    rows.add_row(
        f"games of perfect players beyond the cap ({play['games']:,}, seed {found['seed']})",
        f"{play['games_beyond']:,}",
    )
    rows.add_row("the first player's value in these games", f"{start['play']:+.4f} ± {start['half']:.4f}")
    rows.add_row(
        "... what it differs from the table by, luck taken out",
        f"{play['start_error']:+.1e} ± {play['start_error_half']:.1e}",
    )
    rows.add_row(
        f"turn errors at all {play['positions']:,} positions",
        f"{play['mean_turn_error']:.1e} on average, {play['largest_turn_error']:.1e} at most",
    )
    for name, stage in play["stages"].items():
        rows.add_row(
            f"{name}, {stage['positions']:,} positions: table, play",
            f"{stage['table']:+.4f}, {stage['play']:+.4f} ± {stage['half']:.4f}",
        )
    if "by_another_cap" in found:
        other = found["by_another_cap"]
        rows.add_row(
            f"with up to {other['frustrations']} frustrations: change at the start",
            f"{other['start_value_change']:.1e}",
        )
        rows.add_row(
            f"... at {other['positions']:,} positions of perfect games",
            f"{other['mean_change']:.1e} on average, {other['largest_change']:.1e} at most",
        )
