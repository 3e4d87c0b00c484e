"""Who is better, and by how much: tournaments on paired dice with rotated seats.

Every sequence of dice is played by all rotations of a line-up (a *block*), and intervals come from the blocks, not from
single games: their means are independent, single games are not. An interval is the mean plus or minus 1.96 standard
errors of the block means.

Ratings are a Bradley-Terry model of "who came out before whom" (a tie counts half), fitted by maximum likelihood to all
pairs of differently named agents in all games, on the Elo scale (400 points are 10 to 1), with mean 0. Standard errors
are the sandwich estimate by blocks, as pairs within a block are not independent.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import combinations, permutations
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich import box
from rich.console import Console
from rich.progress import MofNCompleteColumn
from rich.table import Table

from pechvogel.agents import registry
from pechvogel.agents.base import Agent
from pechvogel.agents.pechvogel import solution
from pechvogel.agents.pechvogel.turn.search import TurnSearch
from pechvogel.train.arena.match import Results, play_blocks
from pechvogel.train.config import AnyConfig
from pechvogel.train.progress import bar
from pechvogel_env.dice import check_seed
from pechvogel_env.game import check_settings
from pechvogel_env.rules import Action, Phase

CHUNK = 128  # blocks that one worker plays at a time; fixed, so that batches don't depend on the number of cores
Z95 = 1.96
ELO = 400 / math.log(10)


@dataclass
class Setup:
    """What is to be played."""

    specs: list[str]
    players: int = 2
    copies: int = 3
    games: int = 1000  # per line-up, rounded up to whole rotations
    seed: int = 0
    one_against_rest: bool = False  # for every ordered pair: one A at a table of Bs
    first_against_rest: bool = False  # the same with the first agent as the only A
    time_limit: float = 5.0  # seconds per decision
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    table: str | None = None  # a solution that prices decisions; None: the one on this machine, if there is one
    judge_every: int = 8  # decisions are priced in every so many-th block

    def lineups(self) -> list[tuple[str, ...]]:
        """The tables that are played; a ValueError says what is missing."""
        check_settings(self.players, self.copies, "win", None)
        check_seed(self.seed)
        if self.games < 1:
            raise ValueError(f"games must be at least 1, not {self.games}")
        if not 0 < self.time_limit < math.inf:
            raise ValueError(f"the time limit must be above 0 and finite, not {self.time_limit}")
        if self.one_against_rest or self.first_against_rest:
            if len(set(self.specs)) < 2:
                raise ValueError("one against the rest needs at least two different agents")
            pairs = permutations(dict.fromkeys(self.specs), 2)
            return [(a, *[b] * (self.players - 1)) for a, b in pairs if self.one_against_rest or a == self.specs[0]]
        if len(self.specs) == self.players:
            return [tuple(self.specs)]
        distinct = list(dict.fromkeys(self.specs))
        if len(distinct) < self.players:
            raise ValueError(
                f"a table of {self.players} needs {self.players} agents (the same may sit twice), "
                f"or more of them, not {len(self.specs)}"
            )
        return list(combinations(distinct, self.players))

    def judge(self) -> str | None:
        """The table that prices decisions, if this game is solved on this machine."""
        if self.table is not None or self.players != 2:
            return self.table
        try:
            return str(solution.Solution(solution.find(self.copies)).path)
        except solution.NoTableError:
            return None
        except ValueError as error:  # a damaged one is no reason not to play
            print(f"pechvogel: no regret: {error}", file=sys.stderr)
            return None

    @property
    def blocks(self) -> int:
        """Sequences of dice per line-up."""
        return -(-self.games // self.players)


def run(setup: Setup) -> dict[str, Any]:
    """Play the tournament; the result is what `--json` writes."""
    lineups = setup.lineups()
    for spec in dict.fromkeys(setup.specs):  # a wrong name, or one that can't play this game, is an error right away
        registry.prepare(registry.make(spec), setup.players, setup.copies)
    results: list[list[Results]] = [[] for _ in lineups]
    with bar(MofNCompleteColumn()) as progress:
        task = progress.add_task("games", total=len(lineups) * setup.blocks * setup.players)
        for lineup, result in _play(setup, lineups):
            results[lineup].append(result)
            progress.advance(task, result.turns.size)
    return _summary(setup, lineups, results)


def against_table(agent: Agent, opponent: Agent, config: AnyConfig, seed: int) -> dict[str, Any]:
    """One of an agent at a table of another, as evaluations during training have it."""
    blocks = range(-(-config.evaluation_games // config.players))
    results = play_blocks([agent, *[opponent] * (config.players - 1)], config.copies, seed, 0, blocks, 60.0)
    share, interval = mean_and_interval(results.shares[:, :, 0].mean(axis=1))
    games = len(blocks) * config.players
    return {"against": opponent.name, "games": games, "win_share": share, "ci95": interval}


def _play(setup: Setup, lineups: Sequence[tuple[str, ...]]) -> Iterator[tuple[int, Results]]:
    """All chunks in order, played here or by worker processes: the results are the same."""
    jobs = [
        (number, lineup, range(start, min(start + CHUNK, setup.blocks)))
        for number, lineup in enumerate(lineups)
        for start in range(0, setup.blocks, CHUNK)
    ]
    table = setup.judge()
    arguments = [
        (setup.copies, setup.seed, number, lineup, blocks, setup.time_limit, table, setup.judge_every)
        for number, lineup, blocks in jobs
    ]
    if setup.workers == 1 or len(jobs) == 1:
        for job, words in zip(jobs, arguments, strict=True):
            yield job[0], _play_chunk(words)
        return
    with worker_pool(min(setup.workers, len(jobs))) as pool:
        try:
            for job, result in zip(jobs, pool.map(_play_chunk, arguments), strict=True):
                yield job[0], result
        except BrokenProcessPool:
            raise ValueError("a process that played games has died; is it one of the agents that ends it?") from None


@contextmanager
def worker_pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Processes for games: each with one thread for its matrices, as small ones spend more time waiting than summing.

    Spawned, not forked: agents may hold threads (torch does) that a fork would lose.
    """
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    before = {name: os.environ.get(name) for name in names}
    for name in names:
        os.environ.setdefault(name, "1")
    try:
        with ProcessPoolExecutor(workers, get_context("spawn"), initializer=_end_with_parent) as pool:
            yield pool
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]


def _end_with_parent() -> None:
    """Worker processes would wait for work for ever if the one that gives it were killed."""
    parent = parent_process()
    if parent is not None:
        Thread(target=lambda: (parent.join(), os._exit(1)), daemon=True).start()


_agents: dict[str, Any] = {}  # made once per process
_judges: dict[str, TurnSearch] = {}


def _play_chunk(words: tuple[int, int, int, tuple[str, ...], range, float, str | None, int]) -> Results:
    copies, seed, number, lineup, blocks, time_limit, table, judge_every = words
    for spec in lineup:
        if spec not in _agents:
            _agents[spec] = registry.make(spec)
            registry.prepare(_agents[spec], len(lineup), copies)  # outside the clock
    if table is not None and table not in _judges:
        _judges[table] = TurnSearch(solution.Solution(Path(table)).evaluate)
    judge = None if table is None else _judges[table]
    agents = [_agents[spec] for spec in lineup]
    return play_blocks(agents, copies, seed, number, blocks, time_limit, judge, judge_every)


# ------------------------------------------------------------------------------------------------ statistics


def mean_and_interval(block_means: NDArray[np.float64]) -> tuple[float, list[float]]:
    """The mean of independent blocks with its 95% interval."""
    mean = float(block_means.mean())
    if len(block_means) < 2:
        return mean, [math.nan, math.nan]
    half = Z95 * float(block_means.std(ddof=1)) / math.sqrt(len(block_means))
    return mean, [mean - half, mean + half]


def _over_lineups(shares: dict[tuple[int, int], NDArray[np.float64]]) -> tuple[float, list[float]]:
    """The mean over several line-ups, weighted by seats, with its interval: blocks vary within line-ups only."""
    weights = {key: key[1] * len(blocks) for key, blocks in shares.items()}
    total = sum(weights.values())
    mean = sum(weights[key] * float(blocks.mean()) for key, blocks in shares.items()) / total
    if min(map(len, shares.values())) < 2:
        return mean, [math.nan, math.nan]
    variance = sum((weights[key] / total) ** 2 * blocks.var(ddof=1) / len(blocks) for key, blocks in shares.items())
    half = Z95 * math.sqrt(float(variance))
    return mean, [mean - half, mean + half]


def fit_ratings(
    wins: NDArray[np.float64], games: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bradley-Terry ratings and their standard errors.

    `wins[b, i, j]`: in how many games of block b agent i came out before agent j (ties half); `games[b, i, j]`: of how
    many. A pseudo-game, half won by each side, is added to every pair that met, so that ratings stay finite.
    """
    count = wins.shape[1]
    total_wins, total_games = wins.sum(axis=0), games.sum(axis=0)
    met = total_games > 0
    total_wins, total_games = total_wins + 0.5 * met, total_games + met
    strength = np.zeros(count)
    for _ in range(100):
        chance = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
        gradient = (total_wins - total_games * chance).sum(axis=1)
        weight = total_games * chance * (1 - chance)
        information = np.diag(weight.sum(axis=1)) - weight
        step = np.linalg.pinv(information) @ gradient
        strength += step
        if np.abs(step).max() < 1e-10:
            break
    chance = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    scores = (wins - games * chance).sum(axis=2)  # each block's part of the gradient
    inverse = np.linalg.pinv(information)
    covariance = inverse @ (scores.T @ scores) @ inverse
    return strength * ELO, np.sqrt(np.maximum(np.diag(covariance), 0)) * ELO


def _summary(setup: Setup, lineups: Sequence[tuple[str, ...]], results: list[list[Results]]) -> dict[str, Any]:
    names = list(dict.fromkeys(name for lineup in lineups for name in lineup))
    # By line-up and the seats that an agent has in it: the shares of every block.
    shares: dict[str, dict[tuple[int, int], list[NDArray[np.float64]]]] = {name: {} for name in names}
    sums = {
        name: {"score": 0.0, "rank": 0.0, "games": 0, "forfeits": 0, "seconds": 0.0, "decisions": 0} for name in names
    }
    wins, games = [], []
    turns, truncated = [], 0
    messages: dict[str, None] = {}
    for number, (lineup, chunks) in enumerate(zip(lineups, results, strict=True)):
        for chunk in chunks:
            blocks = len(chunk.shares)
            before = np.zeros((blocks, len(names), len(names)))
            met = np.zeros_like(before)
            for place, name in enumerate(lineup):
                total = sums[name]
                total["score"] += chunk.scores[:, :, place].sum()
                total["rank"] += chunk.ranks[:, :, place].sum()
                total["games"] += chunk.ranks[:, :, place].size
                total["forfeits"] += int(chunk.forfeits[:, :, place].sum())
                total["seconds"] += chunk.seconds[place]
                total["decisions"] += int(chunk.choices[place].sum() + chunk.forfeits[:, :, place].sum())
                for other_place, other in enumerate(lineup):
                    if other != name:
                        mine, theirs = chunk.ranks[:, :, place], chunk.ranks[:, :, other_place]
                        i, j = names.index(name), names.index(other)
                        before[:, i, j] += ((mine < theirs) + 0.5 * (mine == theirs)).sum(axis=1)
                        met[:, i, j] += mine.shape[1]
            for name in dict.fromkeys(lineup):
                places = [place for place, other in enumerate(lineup) if other == name]
                shares[name].setdefault((number, len(places)), []).append(chunk.shares[:, :, places].mean(axis=(1, 2)))
            wins.append(before)
            games.append(met)
            turns.append(chunk.turns.ravel())
            truncated += chunk.truncated
            messages.update(dict.fromkeys(chunk.messages))
    all_wins, all_games = np.concatenate(wins), np.concatenate(games)
    ratings, errors = fit_ratings(all_wins, all_games)
    agents = []
    by_name: dict[str, list[tuple[int, Results]]] = {name: [] for name in names}
    for lineup, chunks in zip(lineups, results, strict=True):
        for place, name in enumerate(lineup):
            by_name[name] += [(place, chunk) for chunk in chunks]
    for i, name in enumerate(names):
        share, interval = _over_lineups({key: np.concatenate(parts) for key, parts in shares[name].items()})
        total = sums[name]
        agents.append(
            {
                "name": name,
                "games": total["games"],
                "win_share": share,
                "ci95": interval,
                "mean_score": total["score"] / total["games"],
                "mean_rank": total["rank"] / total["games"],
                "rating": float(ratings[i]),
                "rating_error": float(errors[i]),
                "ms_per_decision": 1000 * total["seconds"] / max(1, total["decisions"]),
                "forfeits": total["forfeits"],
                "regret": _regret(by_name[name]),
            }
        )
    return {
        "players": setup.players,
        "copies": setup.copies,
        "games": len(lineups) * setup.blocks * setup.players,
        "seed": setup.seed,
        "agents": agents,
        "pairs": _pairs(names, all_wins, all_games),
        "lineups": [_lineup_summary(lineup, chunks) for lineup, chunks in zip(lineups, results, strict=True)],
        "mean_turns": float(np.concatenate(turns).mean()),
        "truncated": truncated,
        "messages": list(messages),
    }


def _pairs(names: list[str], wins: NDArray[np.float64], games: NDArray[np.float64]) -> list[dict[str, Any]]:
    """For every pair: how often the first comes out before the second, ties half."""
    rows = []
    for i, j in permutations(range(len(names)), 2):
        together = games[:, i, j] > 0
        if together.any():
            mean, interval = mean_and_interval(wins[together, i, j] / games[together, i, j])
            rows.append({"agent": names[i], "against": names[j], "ahead": mean, "ci95": interval})
    return rows


def _lineup_summary(lineup: tuple[str, ...], chunks: list[Results]) -> dict[str, Any]:
    """One table: win shares and habits by name, and how long its games were."""
    rows = []
    for name in dict.fromkeys(lineup):
        places = [place for place, other in enumerate(lineup) if other == name]
        blocks = np.concatenate([chunk.shares[:, :, places].mean(axis=(1, 2)) for chunk in chunks])
        share, interval = mean_and_interval(blocks)
        rows.append(
            {
                "name": name,
                "seats": len(places),
                "win_share": share,
                "ci95": interval,
                "mean_score": float(np.concatenate([chunk.scores[:, :, places] for chunk in chunks]).mean()),
                "habits": _habits(np.sum([chunk.choices[places].sum(axis=0) for chunk in chunks], axis=0)),
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


def _regret(played: Sequence[tuple[int, Results]]) -> dict[str, Any] | None:
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
            phase.name.lower(): {"mean": float(lost[phase] / count[phase]), "decisions": int(count[phase])}
            for phase in Phase
            if count[phase]
        },
    }


HABITS = {
    "reduce": (Phase.REDUCE, [Action.REDUCE]),
    "frustrate": (Phase.FRUSTRATE, [Action.FRUSTRATE]),
    "join": (Phase.JOIN, [Action.FRUSTRATE]),
    "steal": (Phase.TAKE, [Action.STEAL_1, Action.STEAL_2, Action.STEAL_3, Action.STEAL_4]),
}


def _habits(choices: NDArray[np.int64]) -> dict[str, list[int]]:
    """How often an agent did something: [times, chances], where a chance is a decision with this among its options."""
    return {
        name: [int(choices[phase, actions].sum()), int(choices[phase].sum())]
        for name, (phase, actions) in HABITS.items()
    }


# ------------------------------------------------------------------------------------------------ showing


def show(result: dict[str, Any]) -> None:
    """Print the result as tables."""
    console = Console()
    title = f"{result['games']:,} games, {result['players']} players, {result['copies']} copies, seed {result['seed']}"
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
    figure.savefig(path, dpi=120)
