"""What came out of a tournament, in the figures that `--json` writes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

import numpy as np

from pechvogel.tabletop.arrays import Floats, Ints
from pechvogel.tabletop.kind import Habit, Kind
from pechvogel.train.arena.match import Results
from pechvogel.train.arena.statistics import Z95, fit_ratings, mean_and_interval, mean_over_lineups

Lineup = tuple[str, ...]
Played = Sequence[tuple[int, Results]]  # an agent's chunks, with its place in each


def summarize(kind: Kind, lineups: Sequence[Lineup], results: Sequence[Sequence[Results]]) -> dict[str, Any]:
    """All figures, from the chunks of every line-up."""
    names = list(dict.fromkeys(name for lineup in lineups for name in lineup))
    chunks = [chunk for of_lineup in results for chunk in of_lineup]
    wins, games = _who_came_before_whom(names, lineups, results)
    ratings, errors = fit_ratings(wins, games)
    agents = []
    for name, rating, error in zip(names, ratings, errors, strict=True):
        played = [
            (place, chunk)
            for lineup, of_lineup in zip(lineups, results, strict=True)
            for place, other in enumerate(lineup)
            if other == name
            for chunk in of_lineup
        ]
        shares = {  # of every block, by line-up and how many seats the agent has in it
            (number, lineup.count(name)): _shares(name, lineup, of_lineup)
            for number, (lineup, of_lineup) in enumerate(zip(lineups, results, strict=True))
            if name in lineup
        }
        share, interval = mean_over_lineups(shares)
        strength = {"rating": float(rating), "rating_error": float(error)}
        agents.append({"name": name, "win_share": share, "ci95": interval, **strength, **_sums(kind, played)})
    return {
        "agents": agents,
        "pairs": _pairs(names, wins, games),
        "lineups": [_lineup(kind, *both) for both in zip(lineups, results, strict=True)],
        "mean_turns": float(np.concatenate([chunk.turns.ravel() for chunk in chunks]).mean()),
        "truncated": sum(chunk.truncated for chunk in chunks),
        "messages": list(dict.fromkeys(message for chunk in chunks for message in chunk.messages)),
    }


def _places(name: str, lineup: Lineup) -> list[int]:
    return [place for place, other in enumerate(lineup) if other == name]


def _shares(name: str, lineup: Lineup, chunks: Sequence[Results]) -> Floats:
    """Of the win, per seat that an agent has, in every block."""
    return np.concatenate([chunk.shares[:, :, _places(name, lineup)].mean(axis=(1, 2)) for chunk in chunks])


def _sums(kind: Kind, played: Played) -> dict[str, Any]:
    games = sum(chunk.ranks[:, :, place].size for place, chunk in played)
    forfeits = sum(int(chunk.forfeits[:, :, place].sum()) for place, chunk in played)
    decisions = sum(int(chunk.choices[place].sum()) for place, chunk in played) + forfeits
    return {
        "games": games,
        "mean_score": float(sum(chunk.scores[:, :, place].sum() for place, chunk in played) / games),
        "mean_rank": float(sum(chunk.ranks[:, :, place].sum() for place, chunk in played) / games),
        "ms_per_decision": 1000 * float(sum(chunk.seconds[place] for place, chunk in played)) / max(1, decisions),
        "forfeits": forfeits,
        "regret": _regret(kind, played),
    }


def _who_came_before_whom(
    names: list[str], lineups: Sequence[Lineup], results: Sequence[Sequence[Results]]
) -> tuple[Floats, Floats]:
    """By block and pair of agents: in how many games the first came out before the second (ties half), of how many."""
    wins, games = [], []
    for lineup, chunks in zip(lineups, results, strict=True):
        for chunk in chunks:
            before = np.zeros((len(chunk.ranks), len(names), len(names)))
            met = np.zeros_like(before)
            for place, other_place in permutations(range(len(lineup)), 2):
                i, j = names.index(lineup[place]), names.index(lineup[other_place])
                if i != j:
                    mine, theirs = chunk.ranks[:, :, place], chunk.ranks[:, :, other_place]
                    before[:, i, j] += ((mine < theirs) + 0.5 * (mine == theirs)).sum(axis=1)
                    met[:, i, j] += mine.shape[1]
            wins.append(before)
            games.append(met)
    return np.concatenate(wins), np.concatenate(games)


def _pairs(names: list[str], wins: Floats, games: Floats) -> list[dict[str, Any]]:
    """For every pair: how often the first comes out before the second, ties half."""
    rows = []
    for i, j in permutations(range(len(names)), 2):
        together = games[:, i, j] > 0
        if together.any():
            mean, interval = mean_and_interval(wins[together, i, j] / games[together, i, j])
            rows.append({"agent": names[i], "against": names[j], "ahead": mean, "ci95": interval})
    return rows


def _lineup(kind: Kind, lineup: Lineup, chunks: Sequence[Results]) -> dict[str, Any]:
    """One table: win shares and habits by name, and how long its games were."""
    rows = []
    for name in dict.fromkeys(lineup):
        places = _places(name, lineup)
        share, interval = mean_and_interval(_shares(name, lineup, chunks))
        choices = np.sum([chunk.choices[places].sum(axis=0) for chunk in chunks], axis=0)
        rows.append(
            {
                "name": name,
                "seats": len(places),
                "win_share": share,
                "ci95": interval,
                "mean_score": float(np.concatenate([chunk.scores[:, :, places] for chunk in chunks]).mean()),
                "habits": _habits(choices, kind.habits),
            }
        )
    turns = np.concatenate([chunk.turns.ravel() for chunk in chunks])
    return {
        "lineup": list(lineup),
        "games": len(turns),
        "agents": rows,
        "mean_turns": float(turns.mean()),
        "turns": np.bincount(turns).tolist(),  # turns[k]: games that took k turns
    }


def _regret(kind: Kind, played: Played) -> dict[str, Any] | None:
    """Mean value lost per decision, in all and by kind of decision; None where the game is not solved."""
    parts = np.concatenate([chunk.regret[:, place] for place, chunk in played])
    parts = parts[parts[:, :, 1].any(axis=1)]  # blocks that were judged
    lost, count = parts.sum(axis=0).T
    if not count.sum():
        return None
    mean = lost.sum() / count.sum()
    # The error of a ratio, from blocks, which are independent.
    off = parts[:, :, 0].sum(axis=1) - mean * parts[:, :, 1].sum(axis=1)
    half = Z95 * math.sqrt(float((off**2).sum()) * len(off) / max(1, len(off) - 1)) / count.sum()
    half = half if len(off) > 1 else math.nan
    return {
        "mean": float(mean),
        "ci95": [float(mean - half), float(mean + half)],
        "decisions": int(count.sum()),
        "by_kind": {
            name: {"mean": float(lost[phase] / count[phase]), "decisions": int(count[phase])}
            for phase, name in enumerate(kind.phases)
            if count[phase]
        },
    }


def _habits(choices: Ints, habits: Mapping[str, Habit]) -> dict[str, list[int]]:
    """How often an agent did something: [times, chances], where a chance is a decision with this among its options."""
    return {
        name: [int(choices[habit.phase, habit.actions].sum()), int(choices[habit.phase].sum())]
        for name, habit in habits.items()
    }
