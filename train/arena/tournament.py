"""Who is better, and by how much: tournaments on paired dice with rotated seats.

What comes out is in `summary`, how its intervals and ratings are made in `statistics`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from itertools import combinations, permutations
from typing import Any, NamedTuple

from rich.progress import MofNCompleteColumn

from pechvogel.agents import registry
from pechvogel.agents.base import Agent
from pechvogel.agents.games import DEFAULT, kind_of
from pechvogel.tabletop.kind import Variant
from pechvogel.tabletop.seeds import check_seed
from pechvogel.train.arena.match import Judge, Match, Results
from pechvogel.train.arena.statistics import mean_and_interval
from pechvogel.train.arena.summary import summarize
from pechvogel.train.arena.workers import worker_pool
from pechvogel.train.progress import bar

BLOCKS_AT_ONCE = 128  # that one worker plays; fixed, so that batches don't depend on the number of cores


@dataclass
class Setup:
    """What is to be played."""

    specs: list[str]
    variant: Variant = field(default_factory=lambda: kind_of(DEFAULT).variant(2))
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
        check_seed(self.seed)
        players = self.variant.num_players
        if self.games < 1:
            raise ValueError(f"games must be at least 1, not {self.games}")
        if not 0 < self.time_limit < math.inf:
            raise ValueError(f"the time limit must be above 0 and finite, not {self.time_limit}")
        if self.one_against_rest or self.first_against_rest:
            if len(set(self.specs)) < 2:
                raise ValueError("one against the rest needs at least two different agents")
            pairs = permutations(dict.fromkeys(self.specs), 2)
            return [(a, *[b] * (players - 1)) for a, b in pairs if self.one_against_rest or a == self.specs[0]]
        if len(self.specs) == players:
            return [tuple(self.specs)]
        distinct = list(dict.fromkeys(self.specs))
        if len(distinct) < players:
            raise ValueError(
                f"a table of {players} needs {players} agents (the same may sit twice), "
                f"or more of them, not {len(self.specs)}"
            )
        return list(combinations(distinct, players))

    @property
    def blocks(self) -> int:
        """Sequences of dice per line-up."""
        return -(-self.games // self.variant.num_players)


def run(setup: Setup) -> dict[str, Any]:
    """Play the tournament; the result is what `--json` writes."""
    lineups, variant = setup.lineups(), setup.variant
    for spec in dict.fromkeys(setup.specs):  # a wrong name, or one that can't play this game, is an error right away
        registry.prepare(registry.make(spec, variant.game), variant)
    results: list[list[Results]] = [[] for _ in lineups]
    total = len(lineups) * setup.blocks * variant.num_players
    with bar(MofNCompleteColumn()) as progress:
        task = progress.add_task("games", total=total)
        for lineup, result in _play(setup, lineups):
            results[lineup].append(result)
            progress.advance(task, result.turns.size)
    kind = kind_of(variant.game)
    head = {"players": variant.num_players, **kind.told(variant), "games": total, "seed": setup.seed}
    return head | summarize(kind, lineups, results)


def against_table(agent: Agent, opponent: Agent, variant: Variant, games: int, seed: int) -> dict[str, Any]:
    """One of an agent at a table of another, as evaluations during training have it."""
    players = variant.num_players
    blocks = range(-(-games // players))
    results = Match([agent, *[opponent] * (players - 1)], variant, seed, 0, blocks, 60.0).play()
    share, interval = mean_and_interval(results.shares[:, :, 0].mean(axis=1))
    return {"against": opponent.name, "games": len(blocks) * players, "win_share": share, "ci95": interval}


class _Chunk(NamedTuple):
    """What a worker plays at a time."""

    variant: Variant
    seed: int
    number: int  # of the line-up
    lineup: tuple[str, ...]
    blocks: range
    time_limit: float
    table: str | None
    judge_every: int


def _play(setup: Setup, lineups: Sequence[tuple[str, ...]]) -> Iterator[tuple[int, Results]]:
    """All chunks in order, played here or by worker processes: the results are the same."""
    judges = registry.judges(setup.variant.game)
    table = judges and judges.find(setup.variant, setup.table)
    jobs = [
        _Chunk(setup.variant, setup.seed, number, lineup, blocks, setup.time_limit, table, setup.judge_every)
        for number, lineup in enumerate(lineups)
        for start in range(0, setup.blocks, BLOCKS_AT_ONCE)
        for blocks in [range(start, min(start + BLOCKS_AT_ONCE, setup.blocks))]
    ]
    if setup.workers == 1 or len(jobs) == 1:
        for job in jobs:
            yield job.number, _play_chunk(job)
        return
    with worker_pool(min(setup.workers, len(jobs))) as pool:
        try:
            for job, result in zip(jobs, pool.map(_play_chunk, jobs), strict=True):
                yield job.number, result
        except BrokenProcessPool:
            raise ValueError("a process that played games has died; is it one of the agents that ends it?") from None


_agents: dict[tuple[str, Variant], Agent] = {}  # made once per process
_judges: dict[str, Judge] = {}


def _play_chunk(job: _Chunk) -> Results:
    for spec in job.lineup:
        if (spec, job.variant) not in _agents:
            agent = _agents[spec, job.variant] = registry.make(spec, job.variant.game)
            registry.prepare(agent, job.variant)  # outside the clock
    if job.table is not None and job.table not in _judges:
        _judges[job.table] = registry.judges(job.variant.game).make(job.table)
    judge = None if job.table is None else _judges[job.table]
    agents = [_agents[spec, job.variant] for spec in job.lineup]
    return Match(agents, job.variant, job.seed, job.number, job.blocks, job.time_limit, judge, job.judge_every).play()
