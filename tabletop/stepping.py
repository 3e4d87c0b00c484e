"""Batches of games, and how they are started and stepped in compiled code.

The compiled part is templates of what is the same for every game: `compiled_steps` compiles them for one, with its own
functions. Arrays are handed to no function inside a loop: counting their references would cost more than the rules.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pechvogel.tabletop.arrays import Floats32, Ints, Ints8
from pechvogel.tabletop.batch import NOBODY, Batch, Buffers, Rows, shapes
from pechvogel.tabletop.bits import first_illegal, write_masks
from pechvogel.tabletop.checks import check_truths, check_whole
from pechvogel.tabletop.compile import for_game
from pechvogel.tabletop.game import NEVER, check_play
from pechvogel.tabletop.guards import check_games
from pechvogel.tabletop.results import Results
from pechvogel.tabletop.seeds import game_seed, seeded_first_player


class Steps(NamedTuple):
    """What a game's batch gets; see the templates for their arguments."""

    start_games: Callable[..., None]
    step_games: Callable[..., int]


def compiled_steps(module: str, **parts: Callable[..., Any]) -> Steps:
    """Both for one game; `parts` are the functions that a game brings."""
    starting = ("begin", "go_on", "put_observations")
    return Steps(
        for_game(module, start_games, {name: parts[name] for name in starting}),
        for_game(module, step_games, parts),
    )


class SteppedBatch(Batch):
    """Many games at once. Finished games start again by themselves unless `auto_reset` is False.

    `threads` splits every step over that many threads; games don't depend on it. It pays from some thousand games on.
    """

    steps: ClassVar[Steps]
    results: ClassVar[Results]
    over_phase: ClassVar[int]

    def __init__(
        self,
        buffers: Buffers,
        states: NDArray[np.void],
        observation_size: int,
        num_actions: int,
        *,
        num_players: int,
        reward: str,
        skip_forced: bool,
        max_turns: int | None,
        seed: int,
        threads: int,
        auto_reset: bool,
    ) -> None:
        check_play(reward, max_turns)
        check_truths(skip_forced=skip_forced)
        self.reward, self.skip_forced, self.max_turns = reward, skip_forced, max_turns
        wanted = shapes(len(states), num_players, observation_size, num_actions)
        super().__init__(buffers, wanted, states, num_players, seed, threads, auto_reset)

    @abstractmethod
    def _view(self, game: int, seat: int) -> Any:
        """What a seat may know of a game."""

    @property
    def _stop_turn(self) -> int:
        return NEVER if self.max_turns is None else self.max_turns

    def _start(self, first_players: Ints) -> None:
        settings = (self.base_seed, self.skip_forced, self._stop_turn, self.auto_reset)
        self.steps.start_games(self._running, first_players, self.rows(), *settings)

    def _step_range(self, games: Ints, start: int, stop: int, actions: Ints, check: bool) -> int:
        settings = (self.base_seed, self.reward == "score", self.skip_forced, self._stop_turn, self.auto_reset)
        return self.steps.step_games(games, start, stop, self._running, actions, self._rows, *settings, check)

    def view(self, game: int, seat: int) -> Any:
        """What a seat may know of a game."""
        check_whole("game", game, 0, self.num_games - 1)
        check_whole("seat", seat, 0, self.num_players - 1)
        return self._view(game, seat)

    def scores(self, games: Ints) -> NDArray[np.int32]:
        """Points of everybody as things stand, a row for each of some games."""
        games = check_games(games, self.num_games)
        out = np.zeros((len(games), self.num_players), np.int32)
        self.results.write_scores(self.states, games, out)
        return out

    def _end(self, games: Ints) -> None:
        self.states["phase"][games] = self.over_phase


class OpenBatch(SteppedBatch):
    """Games in which everything is public."""

    @abstractmethod
    def _position(self, game: int) -> Any:
        """The position of a game."""

    def _view(self, game: int, seat: int) -> Any:
        return self._position(game)

    def shown(self, games: Ints) -> NDArray[np.void]:
        """Everything is public: the states."""
        return self.states[check_games(games, self.num_games)]


class HiddenBatch(SteppedBatch):
    """Games in which players know different things."""

    def shown(self, games: Ints) -> Floats32:
        """What whoever is asked observes, and nothing more."""
        return self.buffers.observations[check_games(games, self.num_games)]


# ------------------------------------------------------------------------------------------------ a game's own


def begin(s: Any, first_player: int) -> None:
    """Set a record to the start of a game with the settings that it has."""
    raise NotImplementedError


def act(s: Any, action: int) -> None:
    """Carry out a legal action."""
    raise NotImplementedError


def go_on(s: Any, seed: Any, skip_forced: bool, stop_turn: int, throw: bool) -> int:
    """To the next decision: its legal actions as bits; 0 at the end."""
    raise NotImplementedError


def is_over(s: Any) -> bool:
    """Whether the rules have ended a game."""
    raise NotImplementedError


def put_scores(s: Any, out: Any, row: int) -> None:
    """Points of everybody, into a row."""
    raise NotImplementedError


def put_win_rewards(s: Any, out: Any, row: int) -> None:
    """Rewards by who has won, into a row."""
    raise NotImplementedError


def put_score_rewards(s: Any, out: Any, row: int) -> None:
    """Rewards by points, into a row."""
    raise NotImplementedError


def put_observations(states: Any, games: Ints, start: int, stop: int, observers: Ints8, out: Floats32) -> None:
    """What observers[i] sees of game i into row i, for i in games[start..stop-1]."""
    raise NotImplementedError


# ------------------------------------------------------------------------------------------------ templates


def step_games(
    games: Ints,
    start: int,
    stop: int,
    running: tuple[Any, ...],
    actions: Ints,
    rows: Rows,
    base_seed: Any,
    by_score: bool,
    skip_forced: bool,
    max_turns: int,
    auto_reset: bool,
    check: bool,
) -> int:
    """Carry out one action in each of the games games[start..stop-1] and fill their rows of the buffers.

    With `check`, an illegal action is found before anything changes; returns its game, else -1.
    """
    states, bits, seeds, episodes = running
    observations, masks, to_act, rewards, scores, turns, dones, truncations = rows
    if check:
        illegal = first_illegal(bits, actions, games)
        if illegal >= 0:
            return illegal
    for i in games[start:stop]:
        if dones[i]:  # rows of an ended episode are cleared by the next step
            dones[i] = False
            truncations[i] = False
            turns[i] = 0
            for seat in range(rewards.shape[1]):
                rewards[i, seat] = 0
                scores[i, seat] = 0
        if bits[i] == 0:
            continue
        s = states[i]
        act(s, actions[i])
        legal = go_on(s, seeds[i], skip_forced, max_turns, True)
        if legal == 0:
            dones[i] = True
            turns[i] = s.turn
            put_scores(s, scores, i)
            if not is_over(s):
                truncations[i] = True  # rewards stay 0
            elif by_score:
                put_score_rewards(s, rewards, i)
            else:
                put_win_rewards(s, rewards, i)
            if auto_reset:
                # Until somebody is asked: with few `max_turns` a game may be truncated before.
                while legal == 0:
                    episodes[i] += 1
                    seeds[i] = game_seed(base_seed, i, episodes[i])
                    begin(s, seeded_first_player(seeds[i], s.num_players))
                    legal = go_on(s, seeds[i], skip_forced, max_turns, True)
        bits[i] = legal
        to_act[i] = s.to_act if legal else NOBODY
    write_masks(bits, games, start, stop, masks)
    put_observations(states, games, start, stop, to_act, observations)
    return -1


def start_games(
    running: tuple[Any, ...],
    first_players: Ints,
    rows: Rows,
    base_seed: Any,
    skip_forced: bool,
    max_turns: int,
    auto_reset: bool,
) -> None:
    """Start every game with its seed and first player, up to its first decision."""
    states, bits, seeds, episodes = running
    observations, masks, to_act = rows[:3]
    games = np.arange(len(states))
    for i in range(len(states)):
        s = states[i]
        begin(s, first_players[i])
        bits[i] = go_on(s, seeds[i], skip_forced, max_turns, True)
        while bits[i] == 0 and auto_reset:
            episodes[i] += 1
            seeds[i] = game_seed(base_seed, i, episodes[i])
            begin(s, seeded_first_player(seeds[i], s.num_players))
            bits[i] = go_on(s, seeds[i], skip_forced, max_turns, True)
        to_act[i] = s.to_act if bits[i] else NOBODY
    write_masks(bits, games, 0, len(states), masks)
    put_observations(states, games, 0, len(states), to_act, observations)
