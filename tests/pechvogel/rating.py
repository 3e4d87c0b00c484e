"""Players of known level, rated as people are: `python -m tests.pechvogel.rating`.

Every level plays so many runs of games against whoever the rating says is of its strength, as somebody would who
always takes the opponent that the page proposes. These are real games with real agents; what their decisions cost is
judged by the champion. The rating must place them within one level of what they are.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pechvogel.play.pechvogel.summary import LEVELS, scale
from pechvogel.play.rating import Rated, Rating, Scale
from pechvogel.train.pechvogel import calibrate

BY_COSTS, BY_RESULTS = 30, 150  # games
ALL = range(1, len(LEVELS) + 1)
NEAR = 1.5  # levels: an estimate that is nearer is rounded to the level or one of its neighbours


@dataclass
class Run:
    """A player on its way."""

    level: int
    rating: Rating

    def off(self, posterior: Any) -> float:
        """How far the estimate is from the truth, in levels; nobody is placed outside of them."""
        return abs(float(np.clip(posterior @ self.rating.scale.grid, 1, len(LEVELS))) - self.level)


def simulate(runs: int, games: int, seed: int, levels: Sequence[int] = ALL) -> dict[str, Any]:
    """So many runs per level of so many games: how far off estimates are after every game, by run."""
    known = scale()
    players = [Run(level, Rating(known)) for level in levels for _ in range(runs)]
    by_results, by_costs, together = (np.zeros((games, len(players))) for _ in range(3))
    for number in range(games):
        pairs = [(LEVELS[player.level - 1], LEVELS[player.rating.level - 1]) for player in players]
        played = calibrate.play(pairs, seed, number)
        for k, (player, (_, opponent)) in enumerate(zip(players, pairs, strict=True)):
            row = (played.shares[k, 0], played.decisions[k, 0], played.lost[k, 0])
            player.rating.add(Rated(opponent, float(row[0]), int(row[1]), float(row[2]), "champion"))
            by_results[number, k] = player.off(player.rating.by_results)
            by_costs[number, k] = player.off(player.rating.by_costs)
            together[number, k] = player.off(player.rating.together)
    of_level = np.array([player.level for player in players])
    return {"levels": of_level, "results": by_results, "costs": by_costs, "together": together}


def placed(off: Any) -> float:
    """The part of runs that is placed within one level."""
    return float((off < NEAR).mean())


def by_chances(known: Scale, runs: int, games: int, seed: int) -> float:
    """The same by results alone, with results drawn from measured chances: thousands of runs in a moment."""
    rng = np.random.default_rng(seed)
    right = 0
    for level in ALL:
        for _ in range(runs):
            run = Run(level, Rating(known))
            for _ in range(games):
                opponent = LEVELS[run.rating.level - 1]
                chance = 1 / (1 + np.exp(known.strengths[opponent] - known.strengths[LEVELS[level - 1]]))
                run.rating.add(Rated(opponent, float(rng.random() < chance), 0, 0.0, "champion"))
            right += run.off(run.rating.by_results) < NEAR
    return right / (runs * len(LEVELS))


def main() -> None:
    """Simulate, and tell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20, help="per level")
    parser.add_argument("--games", type=int, default=BY_RESULTS, help="per run")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--json", help="write the figures into this file")
    arguments = parser.parse_args()
    found = simulate(arguments.runs, arguments.games, arguments.seed)
    print(f"{len(found['levels'])} runs; placed within one level (mean distance in levels):")
    print("games    by results      by costs      by both")
    for after in [n for n in (10, 20, BY_COSTS, 50, 100, BY_RESULTS, 300) if n <= arguments.games]:
        cells = [(placed(found[by][after - 1]), found[by][after - 1].mean()) for by in ("results", "costs", "together")]
        print(f"{after:5}" + "".join(f"   {share:6.1%} ({off:.2f})" for share, off in cells))
    print("level    by results after the last game, by costs after 30")
    for level in sorted(set(found["levels"].tolist())):
        mine = found["levels"] == level
        last, early = found["results"][-1][mine], found["costs"][min(BY_COSTS, arguments.games) - 1][mine]
        print(f"{level:5}   {placed(last):6.1%} ({last.mean():.2f})   {placed(early):6.1%} ({early.mean():.2f})")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({key: value.round(3).tolist() for key, value in found.items()}, file)


if __name__ == "__main__":
    main()
