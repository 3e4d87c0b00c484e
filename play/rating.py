"""How strong somebody is: from results against opponents of known strength, and from what decisions cost.

Both are posteriors over strength on a grid, in levels: 4.0 is somebody as strong as level 4. Opponents don't have to be
rated along with people, as in Elo or Glicko: they are programs whose strengths and losses have been measured
(`Scale`), so a game is an observation with known chances, and Bayes' rule on a grid is exact, short and needs no
library. Before the first game all strengths of the grid are equally likely; nobody can be better than perfect play,
and that is where it ends. People change: before each game the posterior is blurred a little (DRIFT).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pechvogel.tabletop.arrays import Floats

STEP = 0.1  # levels
BELOW = 5.0  # levels below the first one at which the grid begins
ABOVE = 0.2  # levels above the last one, where perfect play is
DRIFT = 0.05  # levels that somebody's strength changes per game, as a standard deviation
RECENT = 50  # games, of which what decisions cost tells how strong somebody is now
LONGEST = 300  # games that are looked at: older ones have been blurred away
INACCURACY = 1e-4  # of the measured losses, as a share of the win per decision
CREDIBLE = 0.9


class Rated(NamedTuple):
    """A finished game, as far as it tells how strong somebody is."""

    opponent: str
    result: float  # share of the win
    decisions: int
    cost: float  # share of the win that all of them lost
    judge: str  # who said so


@dataclass(frozen=True, eq=False)
class Scale:
    """Opponents in the order of their strength, which has been measured: a level is a place in this order, from 1."""

    levels: tuple[str, ...]
    strengths: Mapping[str, float]  # logits of winning against each other; also of opponents that are no levels
    losses: Mapping[str, Mapping[str, tuple[float, float]]]  # by judge and opponent: per decision, spread over games

    @classmethod
    def read(cls, path: Path, levels: Sequence[str]) -> Scale:
        """From what `pechvogel levels --calibrate` has written."""
        agents = json.loads(path.read_text(encoding="utf-8"))["agents"]
        losses: dict[str, dict[str, tuple[float, float]]] = {}
        for name, row in agents.items():
            for judge, loss in row["loss"].items():
                losses.setdefault(judge, {})[name] = (loss["mean"], loss["spread"])
        losses.setdefault("exact", losses["champion"])  # not measured: they are the same but for the champion's errors
        return cls(tuple(levels), {name: row["strength"] for name, row in agents.items()}, losses)

    @cached_property
    def grid(self) -> Floats:
        """Strengths that somebody may have, in levels."""
        return np.arange(1 - BELOW, len(self.levels) + ABOVE + STEP / 2, STEP)

    @cached_property
    def _known(self) -> Floats:
        return np.array([self.strengths[level] for level in self.levels])

    @property
    def _slope(self) -> float:
        """Logits that a level makes on average; so it goes on below the first and above the last."""
        return float(self._known[-1] - self._known[0]) / (len(self._known) - 1)

    @cached_property
    def logits(self) -> Floats:
        """The grid on the scale of strengths."""
        last = len(self.levels)
        inside = np.interp(self.grid, np.arange(1, last + 1), self._known)
        return inside + self._slope * (self.grid - np.clip(self.grid, 1, last))

    def level_of(self, name: str) -> float:
        """An opponent's strength in levels."""
        strength, known = self.strengths[name], self._known
        inside = float(np.interp(strength, known, np.arange(1, len(known) + 1)))
        return inside + float(strength - np.clip(strength, known[0], known[-1])) / self._slope

    def chances(self, opponent: str) -> Floats:
        """Of winning, by strength."""
        return 1 / (1 + np.exp(self.strengths[opponent] - self.logits))

    @cached_property
    def loss(self) -> Mapping[str, tuple[Floats, Floats]]:
        """By judge, what decisions lose on average, by strength, and how much that varies from game to game."""
        found = {}
        for judge, measured in self.losses.items():
            # Levels choose as people do, by what seems good; of the others, only the weakest says what is below them.
            rows = sorted(
                (self.level_of(name), *loss)
                for name, loss in measured.items()
                if name in self.levels or self.level_of(name) < 1 - BELOW
            )
            at, mean, spread = np.array(rows).T
            found[judge] = (np.interp(self.grid, at, mean), np.interp(self.grid, at, spread))
        return found

    @cached_property
    def blur(self) -> Floats:
        """What the time of a game does to a posterior: a step of a random walk on the grid."""
        side = DRIFT**2 / (2 * STEP**2)
        steps = np.eye(len(self.grid)) * (1 - 2 * side)
        steps += side * (np.eye(len(self.grid), k=1) + np.eye(len(self.grid), k=-1))
        steps[0, 0] += side
        steps[-1, -1] += side
        return steps


class Rating:
    """One person's, game by game."""

    def __init__(self, scale: Scale) -> None:
        self.scale = scale
        self.by_results: Floats = np.full(len(scale.grid), 1 / len(scale.grid))
        self.results = 0  # games that count for it
        self.path: list[float] = []  # the rating after each of them
        self._recent: list[Rated] = []

    def add(self, game: Rated) -> None:
        """After a game. Results against opponents whose strength nobody has measured don't count, decisions do."""
        if game.opponent in self.scale.strengths:
            won = self.scale.chances(game.opponent)
            likely = won**game.result * (1 - won) ** (1 - game.result)
            blurred = self.scale.blur @ self.by_results
            self.by_results = blurred * likely / (blurred * likely).sum()
            self.results += 1
            self.path.append(self._mean(self.by_results))
        if game.decisions and game.judge in self.scale.losses:
            self._recent = [*self._recent, game][-RECENT:]

    @property
    def by_costs(self) -> Floats:
        """What decisions have cost lately: their mean, which varies as the levels' does."""
        logs = np.zeros(len(self.scale.grid))
        for judge in {game.judge for game in self._recent}:
            games = [game for game in self._recent if game.judge == judge]
            seen = sum(game.cost for game in games) / sum(game.decisions for game in games)
            mean, spread = self.scale.loss[judge]
            deviation = np.sqrt(spread**2 / len(games) + INACCURACY**2)
            logs -= 0.5 * ((seen - mean) / deviation) ** 2 + np.log(deviation)
        likely = np.exp(logs - logs.max())
        return np.asarray(likely / likely.sum())

    @property
    def together(self) -> Floats:
        """Both: luck with the dice and decisions say different things about the same strength."""
        product = self.by_results * self.by_costs
        # Where the two contradict each other utterly, results are what counts.
        return np.asarray(product / product.sum()) if product.sum() > 1e-12 else self.by_results

    def _mean(self, posterior: Floats) -> float:
        return float(posterior @ self.scale.grid)

    def _estimate(self, posterior: Floats, games: int) -> dict[str, Any] | None:
        if not games:
            return None
        sums = np.cumsum(posterior)
        ends = np.searchsorted(sums, [(1 - CREDIBLE) / 2, (1 + CREDIBLE) / 2])
        low, high = map(float, self.scale.grid[np.minimum(ends, len(sums) - 1)])
        return {"level": self._mean(posterior), "low": low, "high": high, "games": games}

    @property
    def level(self) -> int:
        """The level of equal strength, or the nearest to it."""
        return min(len(self.scale.levels), max(1, round(self._mean(self.together))))

    def show(self) -> dict[str, Any]:
        """All of it, as JSON."""
        best = self.scale.levels[-1]
        share = float(self.together @ self.scale.chances(best))
        return {
            "levels": len(self.scale.levels),
            "results": self._estimate(self.by_results, self.results),
            "costs": self._estimate(self.by_costs, len(self._recent)),
            "together": self._estimate(self.together, self.results + len(self._recent)),
            "opponent": self.scale.levels[self.level - 1],
            "against_best": share,
            "path": [round(level, 2) for level in self.path],
        }


def rate(scale: Scale, games: Iterable[Rated]) -> Rating:
    """Somebody's games, the oldest first."""
    rating = Rating(scale)
    for game in games:
        rating.add(game)
    return rating
