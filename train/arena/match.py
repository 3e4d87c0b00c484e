"""Games between agents, many at once: every game of a batch that is somebody's turn is decided by one call.

A *line-up* is an agent for each place of the table. A *block* is one sequence of dice, played once for every rotation
of the line-up, so that luck with the dice falls on everybody alike.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pechvogel.agents.base import Agent
from pechvogel.agents.games import kind_of
from pechvogel.agents.registry import is_legal
from pechvogel.tabletop.arrays import Floats, Ints
from pechvogel.tabletop.kind import Variant
from pechvogel.tabletop.seeds import game_seed

PATIENCE = 3  # slow decisions in a row of games, after which the rest of them is forfeited
MAX_TURNS = 2000  # then a game is scored as it stands (R21, R22) and counted as truncated


@dataclass
class Results:
    """What came out, by (block, rotation, place of the line-up); `games` is blocks times rotations."""

    shares: Floats  # of the win
    scores: Floats
    ranks: Floats  # 1 is best, ties share the mean of their ranks
    forfeits: Ints  # 0 or 1
    turns: Ints  # (block, rotation)
    truncated: int
    seconds: Floats  # by place: time spent deciding
    choices: Ints  # (place, phase, action): how often it was chosen where there was a choice
    regret: Floats  # (block, place, phase, 2): value lost, over how many decisions; 0 without a judge
    messages: list[str]  # why games were forfeited, each kind once


class Judge(Protocol):
    """Whoever knows the exact values of actions."""

    def action_values(self, states: NDArray[Any]) -> Floats:
        """For each game the value of every action for whoever is asked; NaN where illegal."""
        ...


class Match:
    """Some blocks of a line-up. The result depends on nothing but the arguments.

    A judge prices all decisions in every so many-th block.
    """

    def __init__(
        self,
        agents: Sequence[Agent],
        variant: Variant,
        seed: int,
        lineup: int,
        blocks: range,
        time_limit: float,
        judge: Judge | None = None,
        judge_every: int = 1,
    ) -> None:
        self.agents, self.blocks, self.time_limit = agents, blocks, time_limit
        self.judge = judge
        self.too_slow = False  # the last answer
        n = self.n = len(agents)
        num_games = len(blocks) * n
        kind = kind_of(variant.game)
        self.batch = kind.batch(variant, num_games, max_turns=MAX_TURNS, auto_reset=False)
        self.buffers = self.batch.buffers
        seeds = np.array([game_seed(np.uint64(seed), lineup, block) for block in blocks], np.uint64)
        self.rotation = np.tile(np.arange(n), len(blocks))  # place k sits on seat (k + rotation) mod n
        # Seat 0 starts in every rotation, so the dice meet the same seats turn by turn.
        self.batch.reset(seeds=np.repeat(seeds, n), first_players=np.zeros(num_games, np.int64))
        self.rngs = [
            np.random.default_rng([seed, lineup, block, rotation]) for block in blocks for rotation in range(n)
        ]
        self.forfeiter = np.full(num_games, -1)  # the place that forfeited
        self.scores = np.zeros((num_games, n))
        self.turns = np.zeros(num_games, np.int64)
        self.truncated = 0
        self.seconds = np.zeros(n)
        self.choices = np.zeros((n, len(kind.phases), len(kind.actions)), np.int64)
        self.judged = np.repeat([block % judge_every == 0 for block in blocks], n)
        self.regret = np.zeros((len(blocks), n, len(kind.phases), 2))
        self.messages: dict[str, None] = {}

    def play(self) -> Results:
        """Play them all to the end."""
        actions = np.zeros(self.batch.num_games, np.int64)
        while True:
            live = self.batch.live()
            if not len(live):
                return self._results()
            place = (self.buffers.to_act[live] - self.rotation[live]) % self.n
            for k in range(self.n):
                games = live[place == k]
                if len(games):
                    actions[games] = self._decide(k, games)
            self.batch.step(actions)
            for i in np.flatnonzero(self.buffers.dones):
                self.scores[i] = self.buffers.scores[i]
                self.turns[i] = self.buffers.turns[i]
                self.truncated += int(self.buffers.truncations[i])

    def _decide(self, place: int, games: Ints) -> Ints:
        """Actions of one agent in many games; games that it forfeits are taken off the table."""
        agent: Any = self.agents[place]
        if hasattr(agent, "act_batch"):
            states, masks = self.batch.shown(games), self.buffers.masks[games]
            rngs = [self.rngs[i] for i in games]
            answer = self._ask(place, len(games), lambda: agent.act_batch(states, masks, rngs))
            if not isinstance(answer, _Failure) and np.shape(answer) != (len(games),):
                answer = _Failure(f"answered {len(games)} games with an array of the shape {np.shape(answer)}")
            if isinstance(answer, _Failure) and len(games) > 1:
                return self._decide_one_by_one(place, games)
            answers: Any = [answer] * len(games) if isinstance(answer, _Failure) else answer
        else:
            answers = [self._act(place, int(i)) for i in games]
        actions = np.zeros(len(games), np.int64)
        for k, i in enumerate(games):
            answer = answers[k]
            if not isinstance(answer, _Failure) and not is_legal(answer, self.buffers.masks[i]):
                answer = _Failure(f"played {answer!r}, which is illegal")
            if isinstance(answer, _Failure):
                self._forfeit(place, int(i), answer.why)
            else:
                actions[k] = int(answer)
        answered = self.forfeiter[games] < 0
        np.add.at(self.choices[place], (self.batch.phases(games[answered]), actions[answered]), 1)
        if self.judge is not None:
            self._price(place, games[answered & self.judged[games]], actions[answered & self.judged[games]])
        return actions

    def _decide_one_by_one(self, place: int, games: Ints) -> Ints:
        """One game is to blame for a failure: the others go on. Who is slow again and again is not waited for."""
        actions = np.zeros(len(games), np.int64)
        slow = 0
        for k, i in enumerate(games):
            if slow < PATIENCE:
                actions[k : k + 1] = self._decide(place, games[k : k + 1])
                slow += self.too_slow
            else:
                self._forfeit(place, int(i), self._slowness())
        return actions

    def _slowness(self) -> str:
        return f"took longer than {self.time_limit:g} s for a decision"

    def _price(self, place: int, games: Ints, actions: Ints) -> None:
        """Note what decisions have lost against the best ones."""
        assert self.judge is not None
        phases, values = self.batch.phases(games), self.judge.action_values(self.batch.shown(games))
        lost = np.nanmax(values, axis=1) - values[np.arange(len(games)), actions] if len(games) else np.zeros(0)
        where = (games // self.n, phases)
        np.add.at(self.regret[:, place, :, 0], where, lost)
        np.add.at(self.regret[:, place, :, 1], where, 1)

    def _act(self, place: int, i: int) -> Any:
        position, mask = self.batch.view(i, int(self.buffers.to_act[i])), self.buffers.masks[i].copy()
        return self._ask(place, 1, lambda: self.agents[place].act(position, mask, self.rngs[i]))

    def _ask(self, place: int, count: int, ask: Callable[[], Any]) -> Any:
        """An agent's answer, or why there is none."""
        start = time.perf_counter()
        self.too_slow = False
        answer: Any = None
        try:
            with _Alarm(self.time_limit * count):
                answer = ask()
        except _TooSlow:
            self.too_slow = True
        except (Exception, SystemExit) as error:  # somebody's own agent may fail in any way
            answer = _Failure(f"crashed: {type(error).__name__}: {error}")
        elapsed = time.perf_counter() - start
        self.seconds[place] += elapsed
        self.too_slow = self.too_slow or elapsed > self.time_limit * count
        return _Failure(self._slowness()) if self.too_slow else answer

    def _forfeit(self, place: int, i: int, why: str) -> None:
        self.messages.setdefault(f"{self.agents[place].name} {why}")
        self.forfeiter[i] = place
        game = np.array([i])
        self.scores[i], self.turns[i] = self.batch.scores(game)[0], self.batch.turns(game)[0]
        self.batch.retire(game)

    def _results(self) -> Results:
        n, shape = self.n, (len(self.blocks), self.n, self.n)
        games = np.arange(len(self.rotation))
        by_place = np.stack([self.scores[games, (k + self.rotation) % n] for k in range(n)], axis=1)
        forfeits = np.zeros_like(by_place, dtype=np.int64)
        lost = self.forfeiter >= 0
        forfeits[games[lost], self.forfeiter[lost]] = 1
        ranked = np.where(forfeits == 1, -np.inf, by_place)  # a forfeit comes last, the others share
        ranked = np.where(lost[:, None] & (forfeits == 0), 0.0, ranked)
        better = (ranked[:, None, :] > ranked[:, :, None]).sum(axis=2)
        equal = (ranked[:, None, :] == ranked[:, :, None]).sum(axis=2)
        shares = np.where(better == 0, 1.0 / equal, 0.0)
        return Results(
            shares=shares.reshape(shape),
            scores=by_place.reshape(shape),
            ranks=(better + (equal + 1) / 2).reshape(shape),
            forfeits=forfeits.reshape(shape),
            turns=self.turns.reshape(shape[:2]),
            truncated=self.truncated,
            seconds=self.seconds,
            choices=self.choices,
            regret=self.regret,
            messages=list(self.messages),
        )


@dataclass
class _Failure:
    """Instead of an action: why there is none."""

    why: str


class _TooSlow(BaseException):  # not an Exception, which an agent might catch; never leaves this module
    pass


class _Alarm:
    """Interrupts Python code that runs too long; only a main thread on Unix can, elsewhere time is only measured."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.armed = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()

    def __enter__(self) -> None:
        if self.armed:
            self.before = signal.signal(signal.SIGALRM, self._ring)
            signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def __exit__(self, *_: object) -> None:
        if self.armed:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self.before)

    @staticmethod
    def _ring(signum: int, frame: Any) -> None:
        raise _TooSlow
