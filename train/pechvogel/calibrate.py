"""What a person's rating is measured against: `pechvogel levels --calibrate`.

Two things about every opponent that a page offers, at two players: how strong it is, from games against its neighbours
(a Bradley-Terry model on the scale of logits, the champion at 0), and what its decisions lose on average, by the
champion's own evaluation and, where a solution table is installed, by exact values. `play/pechvogel/strengths.json` is
what this wrote.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from rich import box
from rich.console import Console
from rich.progress import MofNCompleteColumn
from rich.table import Table

from pechvogel.agents import registry
from pechvogel.agents.pechvogel import judges
from pechvogel.agents.pechvogel.champion import TOP, ChampionAgent
from pechvogel.agents.pechvogel.turn.search import TurnSearch
from pechvogel.tabletop.arrays import Floats, Ints
from pechvogel.tabletop.rewards import win_share
from pechvogel.tabletop.seeds import check_seed, game_seed
from pechvogel.train.arena.match import MAX_TURNS
from pechvogel.train.arena.statistics import ELO, fit_ratings
from pechvogel.train.arena.workers import worker_pool
from pechvogel.train.progress import bar
from pechvogel_env.kind import KIND

LEVELS = (*[f"champion:level={level}" for level in range(1, TOP)], "champion")
NEAR = 3  # levels play those that are no further away, and the champion
OTHERS = {"random": (1, 2, 3), "heuristic": (2, 5, 8, 10), "planner": (2, 5, 8, 10), "ppo": (2, 5, 8, 10)}
AT_ONCE = 500  # games
EXACTLY = 4  # one in so many games of a level against itself is judged by exact values, which take longer
TABLE = KIND.variant(2)


@dataclass
class Played:
    """What came out of games of two, a row per game and a column per side. The second side began in every other one."""

    shares: Floats  # of the win
    decisions: Ints
    lost: Floats  # share of the win that all decisions lost together


Games: TypeAlias = dict[tuple[str, str], Played]  # of each pair


def play(sides: Sequence[tuple[str, str]], seed: int, number: int, judge: TurnSearch | None = None) -> Played:
    """A game for each pair of agents. `seed` and `number` fix dice and agents; without a judge, the champion prices."""
    count = len(sides)
    champion = ChampionAgent()
    agents = {spec: registry.make(spec, KIND.name) for pair in sides for spec in pair}
    for agent in (champion, *agents.values()):
        registry.prepare(agent, TABLE)
    batch = KIND.batch(TABLE, count, max_turns=MAX_TURNS, auto_reset=False)
    seeds = np.array([game_seed(np.uint64(seed), number, k) for k in range(count)], np.uint64)
    first = np.arange(count) % 2  # the side that sits on seat 0, which begins
    batch.reset(seeds=seeds, first_players=np.zeros(count, np.int64))
    rngs = [np.random.default_rng([seed, number, k]) for k in range(count)]
    played = Played(np.zeros((count, 2)), np.zeros((count, 2), np.int64), np.zeros((count, 2)))
    actions = np.zeros(count, np.int64)
    while len(live := batch.live()):
        side = (batch.buffers.to_act[live] + first[live]) % 2
        states, masks = batch.shown(live), batch.buffers.masks[live]
        values = champion.action_values_batch(states)  # all levels choose by these
        specs = np.array([sides[game][which] for game, which in zip(live, side, strict=True)])
        for spec in np.unique(specs):
            mine, agent = np.flatnonzero(specs == spec), agents[str(spec)]
            of_mine = [rngs[game] for game in live[mine]]
            if isinstance(agent, ChampionAgent):
                actions[live[mine]] = agent.choose(values[mine], of_mine)
            else:
                actions[live[mine]] = agent.act_batch(states[mine], masks[mine], of_mine)  # type: ignore[attr-defined]
        prices = values if judge is None else judge.action_values(states)
        lost = np.nanmax(prices, axis=1) - prices[np.arange(len(live)), actions[live]]
        played.lost[live, side] += win_share(lost, 2) - win_share(0.0, 2)
        played.decisions[live, side] += 1
        batch.step(actions)
        for game in np.flatnonzero(batch.buffers.dones):
            points = batch.buffers.scores[game]
            if first[game]:
                points = points[::-1]
            played.shares[game] = np.where(points == points.max(), 1 / (points == points.max()).sum(), 0.0)
    return played


def pairs() -> list[tuple[str, str]]:
    """Who plays whom."""
    close = [(LEVELS[i], LEVELS[j]) for j in range(TOP) for i in range(j) if j - i <= NEAR or j == TOP - 1]
    return close + [(other, LEVELS[level - 1]) for other, levels in OTHERS.items() for level in levels]


def calibrate(games: int, seed: int) -> dict[str, Any]:
    """Measure it all; the result is what `--json` writes."""
    check_seed(seed)
    table = judges.find(TABLE, None)
    met, exact = pairs(), [] if table is None else [(level, level) for level in LEVELS]
    jobs = [*_parts(met, games, seed, 0, None), *_parts(exact, max(2, games // EXACTLY), seed, len(met), table)]
    by_pair: dict[tuple[str, str], list[Played]] = {pair: [] for pair in met}
    exactly: dict[tuple[str, str], list[Played]] = {pair: [] for pair in exact}
    with bar(MofNCompleteColumn()) as progress, worker_pool(os.cpu_count() or 1) as pool:
        task = progress.add_task("games", total=sum(job.games for job in jobs))
        for job, played in zip(jobs, pool.map(_play_part, jobs), strict=True):
            (by_pair if job.table is None else exactly)[job.pair].append(played)
            progress.advance(task, job.games)
    head = {"game": KIND.name, "players": 2, "games": games, "seed": seed}
    return head | summarize(_join(by_pair), _join(exactly))


class _Part(NamedTuple):
    """What a worker plays at a time."""

    pair: tuple[str, str]
    games: int
    seed: int
    number: int
    table: str | None


def _parts(met: Sequence[tuple[str, str]], games: int, seed: int, first: int, table: str | None) -> list[_Part]:
    """So many games of every pair, some at a time."""
    return [
        _Part(pair, min(AT_ONCE, games - start), seed, 1000 * number + start // AT_ONCE, table)
        for number, pair in enumerate(met, start=first)
        for start in range(0, games, AT_ONCE)
    ]


def _play_part(part: _Part) -> Played:
    judge = None if part.table is None else judges.make(part.table)
    return play([part.pair] * part.games, part.seed, part.number, judge)


def summarize(joined: Games, exactly: Games) -> dict[str, Any]:
    """Strengths and losses, from all games of each pair, and from those that exact values have priced."""
    names = list(dict.fromkeys([*LEVELS, *OTHERS]))
    wins, games = _blocks(names, joined)
    ratings, errors = fit_ratings(wins, games)
    strengths = (ratings - ratings[names.index("champion")]) / ELO
    chance = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    losses = {name: {"champion": _loss(name, joined), "exact": _loss(name, exactly)} for name in names}
    agents = {
        name: {
            "strength": round(float(strengths[k]), 4),
            "error": round(float(errors[k] / ELO), 4),
            "loss": {judge: loss for judge, loss in losses[name].items() if loss is not None},
        }
        for k, name in enumerate(names)
    }
    rows = [
        {
            "agent": a,
            "against": b,
            "win_share": round(float(played.shares[:, 0].mean()), 4),
            "model": round(float(chance[names.index(a), names.index(b)]), 4),
        }
        for (a, b), played in joined.items()
    ]
    return {"agents": agents, "pairs": rows}


def _join(parts: Mapping[tuple[str, str], Sequence[Played]]) -> Games:
    """All games of each pair."""
    columns = ("shares", "decisions", "lost")
    return {
        pair: Played(*(np.concatenate([getattr(part, column) for part in played]) for column in columns))
        for pair, played in parts.items()
    }


def _blocks(names: list[str], joined: Games) -> tuple[Floats, Floats]:
    """Wins and games as `fit_ratings` wants them, in sets of a few games, which are independent."""
    wins, games = [], []
    for (a, b), played in joined.items():
        i, j = names.index(a), names.index(b)
        for part in np.array_split(played.shares, max(1, len(played.shares) // 50)):
            won, met = np.zeros((len(names),) * 2), np.zeros((len(names),) * 2)
            won[i, j], won[j, i] = part[:, 0].sum(), part[:, 1].sum()
            met[i, j] = met[j, i] = len(part)
            wins.append(won)
            games.append(met)
    return np.array(wins), np.array(games)


def _loss(name: str, joined: Games) -> dict[str, Any] | None:
    """What an agent's decisions lose on average, and how much that varies from game to game."""
    mine = [
        (played.lost[:, side], played.decisions[:, side])
        for pair, played in joined.items()
        for side in (0, 1)
        if pair[side] == name
    ]
    if not mine:
        return None
    lost, decisions = (np.concatenate(column) for column in zip(*mine, strict=True))
    mean = lost.sum() / decisions.sum()
    off = (lost - mean * decisions) / decisions.mean()
    return {"mean": float(f"{mean:.4g}"), "spread": float(f"{off.std():.4g}"), "games": len(lost)}


def show(result: dict[str, Any]) -> None:
    """Print the result as a table."""
    title = f"{result['games']:,} games per pair, seed {result['seed']}"
    table = Table(title=title, box=box.SIMPLE_HEAD)
    for column in ("agent", "strength", "loss per decision", "exactly"):
        table.add_column(column, justify="left" if column == "agent" else "right")
    for name, row in result["agents"].items():
        losses = [row["loss"].get(judge) for judge in ("champion", "exact")]
        cells = ["" if loss is None else f"{loss['mean']:.3%} ± {loss['spread']:.3%}" for loss in losses]
        table.add_row(name, f"{row['strength']:+.2f} ± {1.96 * row['error']:.2f}", *cells)
    table.caption = "strength: logits, the champion has 0; loss: of the win share, ± from game to game"
    Console().print(table)
