"""Thousands of games stepped by one compiled call, in arrays that the caller owns.

    buffers = Buffers.allocate(4096, num_players=2)
    batch = Batch(buffers, num_players=2, seed=7)
    while training:
        actions[:] = policy(buffers.observations, buffers.masks)   # for whoever acts: buffers.to_act
        batch.step(actions)                                        # fills the buffers again

Game i, episode k has the dice of the seed `dice.game_seed(seed, i, k)`, whatever the number of games and threads:
`pechvogel_v0` reset with that seed plays the same game.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pechvogel.tabletop.compile import compiled
from pechvogel_env import observation, rules
from pechvogel_env.dice import check_seed, game_seed, seeded_first_player
from pechvogel_env.game import NEVER, _advance, action_list, check_settings, check_truths, random_action
from pechvogel_env.rules import (
    NOBODY,
    NUM_ACTIONS,
    Phase,
    States,
    _apply,
    _new_game,
    _write_score_rewards,
    _write_scores,
    _write_win_rewards,
)


@dataclass
class Buffers:
    """What a step writes; a row per game. Pass your own arrays (shared memory, say) or `allocate`."""

    observations: NDArray[np.float32]  # (games, size): what the player to act sees; 0 if none
    masks: NDArray[np.int8]  # (games, 18): their legal actions
    to_act: NDArray[np.int8]  # (games,): their seat; -1 where a game has ended and stays so
    rewards: NDArray[np.float32]  # (games, players): of the episode that this step ended, else 0
    scores: NDArray[np.int32]  # (games, players): points of the episode that this step ended, else 0
    turns: NDArray[np.int32]  # (games,): turns of the episode that this step ended, else 0
    dones: NDArray[np.bool_]  # (games,): this step ended an episode, by the rules or by truncation
    truncations: NDArray[np.bool_]  # (games,): ... by truncation

    @classmethod
    def allocate(cls, num_games: int, num_players: int = 2) -> Buffers:
        """Fresh arrays of the right shapes."""
        return cls(**{name: np.zeros(shape, dtype) for name, (shape, dtype) in _shapes(num_games, num_players).items()})


def _shapes(num_games: int, num_players: int) -> dict[str, tuple[tuple[int, ...], Any]]:
    return {
        "observations": ((num_games, observation.size(num_players)), np.float32),
        "masks": ((num_games, NUM_ACTIONS), np.int8),
        "to_act": ((num_games,), np.int8),
        "rewards": ((num_games, num_players), np.float32),
        "scores": ((num_games, num_players), np.int32),
        "turns": ((num_games,), np.int32),
        "dones": ((num_games,), np.bool_),
        "truncations": ((num_games,), np.bool_),
    }


@compiled
def first_illegal(bits: NDArray[np.int32], actions: NDArray[np.int64], games: NDArray[np.int64]) -> int:
    """The first of some games whose action is illegal, or -1. Games that have ended take any action."""
    for i in games:
        if bits[i] != 0 and not (0 <= actions[i] < NUM_ACTIONS and (bits[i] >> actions[i]) & 1):
            return int(i)
    return -1


@compiled
def random_actions(bits: NDArray[np.int32], seed: Any, actions: NDArray[np.int64]) -> None:
    """A random legal action for every game, a function of the seed; 0 where a game has ended."""
    for i in range(len(bits)):
        actions[i] = random_action(bits[i], game_seed(seed, i, 0)) if bits[i] else 0


@compiled
def step_games(
    games: NDArray[np.int64],
    start: int,
    stop: int,
    states: States,
    bits: NDArray[np.int32],
    seeds: NDArray[np.uint64],
    episodes: NDArray[np.int64],
    actions: NDArray[np.int64],
    observations: NDArray[np.float32],
    masks: NDArray[np.int8],
    to_act: NDArray[np.int8],
    rewards: NDArray[np.float32],
    scores: NDArray[np.int32],
    turns: NDArray[np.int32],
    dones: NDArray[np.bool_],
    truncations: NDArray[np.bool_],
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
        _apply(s, actions[i])
        legal = _advance(s, seeds[i], skip_forced, max_turns, True)
        if legal == 0:
            dones[i] = True
            turns[i] = s.turn
            _write_scores(s, scores, i)
            if s.phase != Phase.OVER:
                truncations[i] = True  # rewards stay 0 (Q7)
            elif by_score:
                _write_score_rewards(s, rewards, i)
            else:
                _write_win_rewards(s, rewards, i)
            if auto_reset:
                # Until somebody is asked: with few `max_turns` a game may be truncated before.
                while legal == 0:
                    episodes[i] += 1
                    seeds[i] = game_seed(base_seed, i, episodes[i])
                    first_player = seeded_first_player(seeds[i], s.num_players)
                    _new_game(s, s.num_players, s.copies, s.italian_reading == 1, first_player)
                    legal = _advance(s, seeds[i], skip_forced, max_turns, True)
        bits[i] = legal
        to_act[i] = s.to_act if legal else NOBODY
    rules.write_masks(bits, games, start, stop, masks)
    observation.observe(states, games, start, stop, to_act, observations)
    return -1


@compiled
def start_games(
    states: States,
    bits: NDArray[np.int32],
    seeds: NDArray[np.uint64],
    episodes: NDArray[np.int64],
    first_players: NDArray[np.int64],
    observations: NDArray[np.float32],
    masks: NDArray[np.int8],
    to_act: NDArray[np.int8],
    num_players: int,
    copies: int,
    italian_reading: bool,
    base_seed: Any,
    skip_forced: bool,
    max_turns: int,
    auto_reset: bool,
) -> None:
    """Start every game with its seed and first player, up to its first decision."""
    games = np.arange(len(states))
    for i in range(len(states)):
        s = states[i]
        _new_game(s, num_players, copies, italian_reading, first_players[i])
        bits[i] = _advance(s, seeds[i], skip_forced, max_turns, True)
        while bits[i] == 0 and auto_reset:
            episodes[i] += 1
            seeds[i] = game_seed(base_seed, i, episodes[i])
            _new_game(s, num_players, copies, italian_reading, seeded_first_player(seeds[i], num_players))
            bits[i] = _advance(s, seeds[i], skip_forced, max_turns, True)
        to_act[i] = s.to_act if bits[i] else NOBODY
    rules.write_masks(bits, games, 0, len(states), masks)
    observation.observe(states, games, 0, len(states), to_act, observations)


class Batch:
    """Many games at once. Finished games start again by themselves unless `auto_reset` is False.

    `threads` splits every step over that many threads; games don't depend on it. It pays from some thousand games on.
    """

    def __init__(
        self,
        buffers: Buffers,
        *,
        num_players: int = 2,
        copies: int = 3,
        reward: str = "win",
        skip_forced: bool = True,
        italian_reading: bool = False,
        max_turns: int | None = None,
        seed: int = 0,
        threads: int = 1,
        auto_reset: bool = True,
    ) -> None:
        check_settings(num_players, copies, reward, max_turns)
        check_truths(skip_forced=skip_forced, italian_reading=italian_reading, auto_reset=auto_reset)
        if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
            raise ValueError(f"threads must be a whole number from 1 on, not {threads!r}")
        self.num_games = len(buffers.to_act)
        if self.num_games < 1:
            raise ValueError("a batch needs at least one game")
        _check_buffers(buffers, self.num_games, num_players)
        self.buffers = buffers
        self.num_players, self.copies = num_players, copies
        self.reward, self.skip_forced, self.italian_reading = reward, skip_forced, italian_reading
        self.max_turns, self.auto_reset, self.threads = max_turns, auto_reset, threads
        n = self.num_games
        self.states = rules.new_states(n)
        self.bits = np.zeros(n, np.int32)  # legal actions as bits; 0 where a game has ended
        self.seeds = np.zeros(n, np.uint64)  # of the games being played
        self.episodes = np.zeros(n, np.int64)  # how many each game has finished since `reset`
        self._all_games = np.arange(n)
        self._pool: ThreadPoolExecutor | None = None
        self._pool_owner = 0
        self._base_seed = np.uint64(0)
        self.reset(seed)

    def reset(
        self,
        seed: int | None = None,
        *,
        seeds: NDArray[np.uint64] | None = None,
        first_players: NDArray[np.int64] | None = None,
    ) -> None:
        """Start every game anew: by one seed for all, or with seeds and first players of their own.

        Without a seed, the last one given counts again. If an argument is wrong (ValueError), the games go on.
        """
        n = self.num_games
        base_seed = self._base_seed if seed is None else np.uint64(check_seed(seed))
        if seeds is None:
            seeds = np.array([game_seed(base_seed, i, 0) for i in range(n)], np.uint64)
        seeds = np.asarray(seeds)
        if seeds.shape != (n,) or seeds.dtype != np.uint64:
            raise ValueError(f"seeds must be a uint64 array of shape ({n},), not {seeds.dtype} of {seeds.shape}")
        if first_players is None:
            first_players = np.array([seeded_first_player(s, self.num_players) for s in seeds], np.int64)
        first_players = np.ascontiguousarray(first_players, np.int64)
        if first_players.shape != (n,) or not ((first_players >= 0) & (first_players < self.num_players)).all():
            raise ValueError(f"first_players must be {n} seats from 0 to {self.num_players - 1}")
        self._base_seed = base_seed
        self.seeds[:] = seeds
        self.episodes[:] = 0
        b = self.buffers
        for array in (b.rewards, b.scores, b.turns, b.dones, b.truncations):
            array[...] = 0
        start_games(
            self.states,
            self.bits,
            self.seeds,
            self.episodes,
            first_players,
            b.observations,
            b.masks,
            b.to_act,
            self.num_players,
            self.copies,
            self.italian_reading,
            self._base_seed,
            self.skip_forced,
            self._stop_turn,
            self.auto_reset,
        )

    @property
    def _stop_turn(self) -> int:
        return NEVER if self.max_turns is None else self.max_turns

    def step(self, actions: NDArray[np.int64], games: NDArray[np.int64] | None = None) -> None:
        """Carry out one action per game; ValueError, and no game changed, if one of them is illegal.

        With `games` (an int64 array of different numbers) only those go on; the others and their rows stay as they are.
        """
        if games is None:
            games = self._all_games
        if not isinstance(actions, np.ndarray):
            raise ValueError(f"actions must be an int64 array, not {type(actions).__name__}")
        if actions.shape != (self.num_games,) or actions.dtype != np.int64:
            raise ValueError(
                f"actions must be an int64 array of shape ({self.num_games},), "
                f"not {actions.dtype} of shape {actions.shape}"
            )
        alone = self.threads == 1
        if alone:
            illegal = self._step_range(games, 0, len(games), actions, check=True)
        else:
            illegal = first_illegal(self.bits, actions, games)
        if illegal >= 0:
            legal = action_list(int(self.bits[illegal]))
            raise ValueError(f"action {actions[illegal]} of game {illegal} is illegal; legal are {legal}")
        if alone:
            return
        edges = [len(games) * k // self.threads for k in range(self.threads + 1)]
        futures = [self._workers().submit(self._step_range, games, *edge, actions) for edge in pairwise(edges[1:])]
        self._step_range(games, 0, edges[1], actions)
        for future in futures:
            future.result()

    def _step_range(
        self, games: NDArray[np.int64], start: int, stop: int, actions: NDArray[np.int64], check: bool = False
    ) -> int:
        b = self.buffers
        return step_games(
            games,
            start,
            stop,
            self.states,
            self.bits,
            self.seeds,
            self.episodes,
            actions,
            b.observations,
            b.masks,
            b.to_act,
            b.rewards,
            b.scores,
            b.turns,
            b.dones,
            b.truncations,
            self._base_seed,
            self.reward == "score",
            self.skip_forced,
            self._stop_turn,
            self.auto_reset,
            check,
        )

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_pool": None}  # threads are made anew where they are needed

    def _workers(self) -> ThreadPoolExecutor:
        """Our own threads: numba's would not survive a fork, and these are made anew after one."""
        if self._pool is None or self._pool_owner != os.getpid():
            self._pool = ThreadPoolExecutor(self.threads - 1, "pechvogel-batch")
            self._pool_owner = os.getpid()
        return self._pool

    def close(self) -> None:
        """End the threads, if there are any."""
        if self._pool is not None and self._pool_owner == os.getpid():
            self._pool.shutdown()
        self._pool = None


def _check_buffers(buffers: Buffers, num_games: int, num_players: int) -> None:
    for name, (shape, dtype) in _shapes(num_games, num_players).items():
        array = getattr(buffers, name)
        if array.shape != shape or array.dtype != dtype or not array.flags.c_contiguous:
            raise ValueError(
                f"buffers.{name} must be a contiguous array of {np.dtype(dtype)} and shape {shape}, "
                f"not {array.dtype} and {array.shape}"
            )
