"""Puzzles: decisions in which one action is clearly best, and not everybody sees it: `pechvogel puzzles`.

Agents of all strengths play; a judge prices every decision: at two players the exact table, with more the champion. A
decision is a puzzle if its best action wins at least `GAP` more than the next, and if at least one of `FALLIBLE` falls
for another one; the more of them do, the harder it is (its level). Themes, answers and levels take turns, so that what
is right can't be guessed from what is usually right. Everything follows from the seed.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from rich.progress import Progress, TaskID

from pechvogel.agents import registry
from pechvogel.agents.pechvogel import analysis, solution
from pechvogel.agents.pechvogel.champion import ChampionAgent
from pechvogel.agents.pechvogel.explain import explain
from pechvogel.agents.pechvogel.solution import Solution
from pechvogel.agents.pechvogel.turn.search import TurnSearch
from pechvogel.tabletop.arrays import Ints, Ints8
from pechvogel.tabletop.files import replace_file
from pechvogel.tabletop.kind import Variant
from pechvogel.tabletop.rewards import win_share
from pechvogel.tabletop.seeds import check_seed, game_seed
from pechvogel.train.progress import bar
from pechvogel_env.kind import KIND
from pechvogel_env.position import position_of
from pechvogel_env.rules import MAX_COPIES, States

FORMAT = 1
GAP = 0.03  # share of the win between the best action and the next, at least
PLAYED_BY = ("heuristic", *(f"champion:level={level}" for level in (1, 3, 5, 7, 9)), "champion")
# What can be asked: with two players, nobody is there to join, and whoever can steal should, so that is no question.
THEMES_OF_TWO = ("target", "reduce", "frustrate", "discard")
THEMES = (*THEMES_OF_TWO, "join", "take")
FALLIBLE = ("heuristic", "planner", "ppo", "champion:level=1")
LEVELS = 3  # easy: one of them falls for it; then two; hard: three or all
OF_TWO = 0.8  # of the puzzles are for two players, the others evenly for more
MAX_COUNT = 10_000
GAMES = 128  # at once
ROUNDS = 40  # of so many games, in which themes that come up seldom may stay rare
MAX_TURNS = 400  # what a game without an end shows is of no use
DIGITS = 6

T = TypeVar("T")


@dataclass(frozen=True)
class Candidate:
    """A decision that may become a puzzle."""

    game: int  # in which it was found
    states: States
    answer: int  # what is right
    falls: tuple[str, ...]  # who chooses otherwise

    @property
    def theme(self) -> str:
        """What is asked."""
        return KIND.phases[int(self.states["phase"][0])]

    @property
    def level(self) -> int:
        """How hard it is."""
        return min(LEVELS, len(self.falls))


def make(count: int, seed: int, players: Sequence[int], copies: int, table: Path | None) -> dict[str, Any]:
    """So many puzzles, as their file holds them."""
    check_seed(seed)
    if not 1 <= count <= MAX_COUNT:
        raise ValueError(f"--count must be from 1 to {MAX_COUNT:,}, not {count}")
    # With more players, those who play and those who err know the whole game only.
    variants = {num: KIND.variant(num, copies=copies if num == 2 else MAX_COPIES) for num in sorted(set(players))}
    for variant in variants.values():
        for spec in (*PLAYED_BY, *FALLIBLE):
            registry.prepare(registry.make(spec), variant)
    judge = Solution(table or solution.find(copies)) if 2 in variants else None
    chosen: list[dict[str, Any]] = []
    with bar() as progress:
        for num, share in shares(count, sorted(variants)).items():
            task = progress.add_task(f"puzzles for {num} players", total=share)
            chosen += _Finder(variants[num], seed, judge).find(share, progress, task)
    order = np.random.default_rng([seed, 0]).permutation(len(chosen))
    return {
        "format": FORMAT,
        "seed": seed,
        "copies": copies,
        "table": None if judge is None else judge.path.name,
        "puzzles": [chosen[k] for k in order],
    }


def write(path: Path, found: dict[str, Any]) -> None:
    """The file: JSON, with a line for each puzzle."""
    head = json.dumps({key: value for key, value in found.items() if key != "puzzles"})
    lines = ",\n".join(json.dumps(puzzle, separators=(",", ":")) for puzzle in found["puzzles"])
    replace_file(path, f'{head[:-1]}, "puzzles": [\n{lines}\n]}}\n'.encode())


def summary(found: dict[str, Any]) -> str:
    """How many there are, by themes."""
    themes = Counter(puzzle["theme"] for puzzle in found["puzzles"])
    return ", ".join(f"{theme}: {count}" for theme, count in sorted(themes.items()))


def shares(count: int, players: Sequence[int]) -> dict[int, int]:
    """How many puzzles are for how many players."""
    more = [num for num in players if num > 2]
    of_two = 0 if 2 not in players else count if not more else round(OF_TWO * count)
    found = {2: of_two} | {num: (count - of_two + k) // len(more) for k, num in enumerate(more)}
    return {num: share for num, share in found.items() if share}


class _Finder:
    """Looks for puzzles for a number of players."""

    def __init__(self, variant: Variant, seed: int, table: Solution | None) -> None:
        self.variant, self.seed = variant, seed
        self.players: list[Any] = [registry.make(spec) for spec in PLAYED_BY]
        self.fallible: dict[str, Any] = {spec: registry.make(spec) for spec in FALLIBLE}
        if variant.num_players == 2:
            assert table is not None
            self.judge, self.search = "exact", TurnSearch(table.evaluate)
            # Up to here a turn ends within what the table counts: each may get two, and the values are exact.
            self.most = table.cap - 2
        else:
            fresh = KIND.batch(variant, 1).states
            self.judge, self.search = "champion", ChampionAgent().search(fresh)
            self.most = int(np.iinfo(fresh["frustrations"].dtype).max)

    def find(self, count: int, progress: Progress, task: TaskID) -> list[dict[str, Any]]:
        """So many puzzles; games are played until every theme has its share, or for ROUNDS."""
        pools: dict[str, list[Candidate]] = {}
        themes = THEMES_OF_TWO if self.variant.num_players == 2 else THEMES
        for number in range(ROUNDS):
            for candidate in self._candidates(number):
                if candidate.theme in themes:
                    pools.setdefault(candidate.theme, []).append(candidate)
            chosen = self._choose(pools, count)
            found = Counter(candidate.theme for candidate in chosen)
            progress.update(task, completed=sum(min(count // len(themes), found[theme]) for theme in themes))
            if len(chosen) == count and min(found[theme] for theme in themes) >= count // len(themes):
                break
        if len(chosen) < count:
            raise ValueError(
                f"{ROUNDS * GAMES:,} games have {len(chosen)} puzzles for {KIND.describe(self.variant)}, not {count}"
            )
        return [self._puzzle(candidate) for candidate in chosen]

    # ------------------------------------------------------------------------------ where they come from

    def _candidates(self, number: int) -> Iterator[Candidate]:
        """The puzzles in some games."""
        states, games = self._play(number)
        fits = states["frustrations"].max(axis=1) <= self.most
        states, games = states[fits], games[fits]
        values = np.round(win_share(self.search.action_values(states), self.variant.num_players), DIGITS)
        ranked = np.sort(np.nan_to_num(values, nan=-1.0), axis=1)
        clear = np.round(ranked[:, -1] - ranked[:, -2], DIGITS) >= GAP
        states, games, values = states[clear], games[clear], values[clear]
        if not len(states):
            return
        right = np.nanargmax(values, axis=1)
        masks = (~np.isnan(values)).astype(np.int8)
        wrong = {spec: self._ask(agent, states, masks, games) != right for spec, agent in self.fallible.items()}
        for k in range(len(states)):
            falls = tuple(spec for spec in self.fallible if wrong[spec][k])
            if falls:
                yield Candidate(int(games[k]), states[k : k + 1], int(right[k]), falls)

    def _play(self, number: int) -> tuple[States, Ints]:
        """All decisions of some games, and the games that they are of."""
        n, first = self.variant.num_players, number * GAMES
        seeds = np.array([game_seed(np.uint64(self.seed), n, first + k) for k in range(GAMES)], np.uint64)
        batch = KIND.batch(self.variant, GAMES, auto_reset=False, max_turns=MAX_TURNS)
        batch.reset(seeds=seeds)
        rngs = [np.random.default_rng([self.seed, n, first + k]) for k in range(GAMES)]
        seats = np.array([rng.integers(len(self.players), size=n) for rng in rngs])  # who sits where
        actions = np.zeros(GAMES, np.int64)
        found: list[States] = []
        games: list[Ints] = []
        while len(live := batch.live()):
            states, masks = batch.shown(live).copy(), batch.buffers.masks[live]
            found.append(states)
            games.append(live + first)
            who = seats[live, batch.buffers.to_act[live]]
            for k, agent in enumerate(self.players):
                mine = who == k
                if mine.any():
                    asked = [rngs[i] for i in live[mine]]
                    actions[live[mine]] = agent.act_batch(states[mine], masks[mine], asked)
            batch.step(actions)
        return np.concatenate(found), np.concatenate(games)

    def _ask(self, agent: Any, states: States, masks: Ints8, games: Ints) -> Ints:
        return np.asarray(agent.act_batch(states, masks, [np.random.default_rng([self.seed, int(g)]) for g in games]))

    # ------------------------------------------------------------------------------ which are taken

    def _choose(self, pools: dict[str, list[Candidate]], count: int) -> list[Candidate]:
        """Themes take turns, in each of them answers, and among these levels; one puzzle from a game."""
        by_theme = []
        for theme in sorted(pools):
            kinds: dict[int, dict[int, list[Candidate]]] = {}
            for candidate in pools[theme]:
                kinds.setdefault(candidate.answer, {}).setdefault(candidate.level, []).append(candidate)
            by_level = [[levels[k] for k in sorted(levels)] for _, levels in sorted(kinds.items())]
            by_theme.append(_take_turns([_take_turns(levels) for levels in by_level]))
        used: set[int] = set()
        chosen: list[Candidate] = []
        queues = [deque(candidates) for candidates in by_theme]
        while any(queues) and len(chosen) < count:
            for queue in queues:
                while queue and queue[0].game in used:
                    queue.popleft()
                if queue and len(chosen) < count:
                    chosen.append(queue.popleft())
                    used.add(chosen[-1].game)
        return chosen

    def _puzzle(self, candidate: Candidate) -> dict[str, Any]:
        position = position_of(candidate.states, 0)
        text = position.to_text()
        return {
            "id": hashlib.sha256(text.encode()).hexdigest()[:8],
            "position": text,
            "theme": candidate.theme,
            "level": candidate.level,
            "falls": list(candidate.falls),
            "judge": self.judge,
            "actions": [_row(row) for row in explain(position, self.search, analysis.ranked(position, self.search))],
        }


def _take_turns(lists: Sequence[Sequence[T]]) -> list[T]:
    """One of each, then the next of each, and so on."""
    longest = max(map(len, lists), default=0)
    return [one[k] for k in range(longest) for one in lists if k < len(one)]


def _row(row: dict[str, Any]) -> dict[str, Any]:
    """What the page shows of an action."""
    shown = {key: value for key, value in row.items() if key not in ("name", "value", "loss")}
    reason = {key: value for key, value in row["reason"].items() if key != "parts"}
    return {key: _rounded(value) for key, value in {**shown, "reason": reason}.items()}


def _rounded(part: Any) -> Any:
    if isinstance(part, dict):
        return {key: _rounded(value) for key, value in part.items()}
    if isinstance(part, list):
        return [_rounded(value) for value in part]
    return round(part, DIGITS) if isinstance(part, float) else part
