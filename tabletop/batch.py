"""Many games stepped by one compiled call, in arrays that the caller owns: what is the same for every game.

A game's own `Batch` brings its states, and the compiled functions that start and step them.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter, is_
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from pechvogel.tabletop.arrays import Floats32, Ints, Ints8, Seeds, Truths
from pechvogel.tabletop.bits import action_list, first_illegal
from pechvogel.tabletop.checks import check_truths
from pechvogel.tabletop.guards import INT64, check_games, plain
from pechvogel.tabletop.seeds import check_seed, game_seed, seeded_first_player

if TYPE_CHECKING:
    from typing_extensions import Self

Games: TypeAlias = Ints  # numbers of games, all different
Shapes: TypeAlias = dict[str, tuple[tuple[int, ...], DTypeLike]]

NOBODY = -1
_shape = attrgetter("shape")


@dataclass
class Buffers:
    """What a step writes; a row per game. Pass your own arrays (shared memory, say), or let a game `allocate` them."""

    observations: Floats32  # (games, size): what the player to act sees; 0 if none
    masks: Ints8  # (games, actions): their legal actions
    to_act: Ints8  # (games,): their seat; -1 where a game has ended and stays so
    rewards: Floats32  # (games, players): of the episode that this step ended, else 0
    scores: NDArray[np.int32]  # (games, players): points of the episode that this step ended, else 0
    turns: NDArray[np.int32]  # (games,): turns of the episode that this step ended, else 0
    dones: Truths  # (games,): this step ended an episode, by the rules or by truncation
    truncations: Truths  # (games,): ... by truncation

    @classmethod
    def of_sizes(cls, num_games: int, num_players: int, size: int, num_actions: int) -> Self:
        """Fresh arrays."""
        wanted = shapes(num_games, num_players, size, num_actions)
        return cls(**{name: np.zeros(shape, dtype) for name, (shape, dtype) in wanted.items()})


# All of them in this order, for compiled code: it takes tuples, and those without names in half the time.
Rows: TypeAlias = tuple[NDArray[Any], ...]


def count_games(buffers: Buffers) -> int:
    """How many games buffers are for."""
    shape: tuple[int, ...] = getattr(getattr(buffers, "to_act", None), "shape", ())
    if len(shape) != 1 or shape[0] < 1:
        raise ValueError("a batch needs buffers (Buffers.allocate), and at least one game")
    return int(shape[0])


def shapes(num_games: int, num_players: int, size: int, num_actions: int) -> Shapes:
    """Shape and type of every buffer; `size` is that of an observation."""
    return {
        "observations": ((num_games, size), np.float32),
        "masks": ((num_games, num_actions), np.int8),
        "to_act": ((num_games,), np.int8),
        "rewards": ((num_games, num_players), np.float32),
        "scores": ((num_games, num_players), np.int32),
        "turns": ((num_games,), np.int32),
        "dones": ((num_games,), np.bool_),
        "truncations": ((num_games,), np.bool_),
    }


class Running(NamedTuple):
    """The games of a batch; a row per game."""

    states: NDArray[np.void]
    bits: Ints  # legal actions; 0 where a game has ended
    seeds: Seeds  # of the games being played
    episodes: Ints  # how many each game has finished since `reset`


class Batch(ABC):
    """Games side by side. Nobody but the batch itself writes into its states and bits."""

    def __init__(
        self,
        buffers: Buffers,
        wanted: Shapes,
        states: NDArray[np.void],
        num_players: int,
        seed: int,
        threads: int,
        auto_reset: bool,
    ) -> None:
        check_truths(auto_reset=auto_reset)
        if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
            raise ValueError(f"threads must be a whole number from 1 on, not {threads!r}")
        n = self.num_games = count_games(buffers)
        self.buffers, self.num_players = buffers, num_players
        self._wanted = wanted
        self._rows = _checked_rows(buffers, wanted)
        self._shapes = [*map(_shape, self._rows)]
        self.auto_reset, self.threads = auto_reset, threads
        self.running = Running(states, np.zeros(n, np.int64), np.zeros(n, np.uint64), np.zeros(n, np.int64))
        self.states, self.bits, self.seeds, self.episodes = self.running
        self._running = tuple(self.running)
        self.base_seed = np.uint64(0)
        self._all_games = np.arange(n)
        self._pool: ThreadPoolExecutor | None = None
        self._pool_owner = 0
        self.reset(seed)

    # ------------------------------------------------------------------------------ a game's own

    @abstractmethod
    def _start(self, first_players: Ints) -> None:
        """Start every game with its seed, up to its first decision."""

    @abstractmethod
    def _step_range(self, games: Games, start: int, stop: int, actions: Ints, check: bool) -> int:
        """Step games[start..stop-1]; with `check`, the first whose action is illegal, and nothing done, else -1."""

    @abstractmethod
    def _end(self, games: Games) -> None:
        """Let games be over."""

    @abstractmethod
    def shown(self, games: Games) -> NDArray[Any]:
        """What whoever is asked in these games may know, as `act_batch` takes it."""

    @abstractmethod
    def view(self, game: int, seat: int) -> Any:
        """What a seat may know of a game, as `act` takes it."""

    @abstractmethod
    def scores(self, games: Games) -> NDArray[np.int32]:
        """Points of everybody as things stand, a row for each of some games."""

    # ------------------------------------------------------------------------------ the same for all

    def reset(self, seed: int | None = None, *, seeds: Seeds | None = None, first_players: Ints | None = None) -> None:
        """Start every game anew: by one seed for all, or with seeds and first players of their own.

        Without a seed, the last one given counts again. If an argument is wrong (ValueError), the games go on.
        """
        n = self.num_games
        base_seed = self.base_seed if seed is None else np.uint64(check_seed(seed))
        if seeds is None:
            seeds = np.array([game_seed(base_seed, i, 0) for i in range(n)], np.uint64)
        seeds = np.asarray(seeds)
        if seeds.shape != (n,) or seeds.dtype != np.uint64:
            raise ValueError(f"seeds must be a uint64 array of shape ({n},), not {seeds.dtype} of {seeds.shape}")
        if first_players is None:
            first_players = np.array([seeded_first_player(s, self.num_players) for s in seeds], np.int64)
        first_players = np.asarray(first_players)
        whole = first_players.shape == (n,) and first_players.dtype.kind in "iu"  # a seat 0.9 is none
        if not whole or not ((first_players >= 0) & (first_players < self.num_players)).all():
            raise ValueError(f"first_players must be {n} seats from 0 to {self.num_players - 1}")
        first_players = plain(first_players.astype(np.int64))
        self.rows()
        self.base_seed = base_seed
        self.seeds[:] = seeds
        self.episodes[:] = 0
        b = self.buffers
        for array in (b.rewards, b.scores, b.turns, b.dones, b.truncations):
            array[...] = 0
        self._start(first_players)

    def step(self, actions: Ints, games: Games | None = None) -> None:
        """Carry out one action per game; ValueError, and no game changed, if one of them is illegal.

        With `games` (an int64 array of different numbers) only those go on; the others and their rows stay as they are.
        """
        if not isinstance(actions, np.ndarray):
            raise ValueError(f"actions must be an int64 array, not {type(actions).__name__}")
        if actions.shape != (self.num_games,) or actions.dtype != INT64:
            raise ValueError(
                f"actions must be an int64 array of shape ({self.num_games},), "
                f"not {actions.dtype} of shape {actions.shape}"
            )
        if not actions.flags.carray:
            actions = plain(actions)
        games = self._all_games if games is None else check_games(games, self.num_games)
        self.rows()
        alone = self.threads == 1
        if alone:
            illegal = self._step_range(games, 0, len(games), actions, True)
        else:
            illegal = first_illegal(self.bits, actions, games)
        if illegal >= 0:
            legal = action_list(int(self.bits[illegal]))
            raise ValueError(f"action {actions[illegal]} of game {illegal} is illegal; legal are {legal}")
        if alone:
            return
        edges = [len(games) * k // self.threads for k in range(self.threads + 1)]
        pool = self._workers()
        futures = [pool.submit(self._step_range, games, *edge, actions, False) for edge in pairwise(edges[1:])]
        self._step_range(games, 0, edges[1], actions, False)
        for future in futures:
            future.result()

    def rows(self) -> Rows:
        """The buffers for compiled code, checked again where the caller has put other arrays into them."""
        # The same arrays in the same shapes, which costs less than to look at all again.
        same = all(map(is_, vars(self.buffers).values(), self._rows))
        if not same or [*map(_shape, self._rows)] != self._shapes:
            self._rows = _checked_rows(self.buffers, self._wanted)
        return self._rows

    def live(self) -> Games:
        """The games in which somebody is asked."""
        return np.flatnonzero(self.bits)

    def retire(self, games: Games) -> None:
        """Nobody is asked in these games any more."""
        games = check_games(games, self.num_games)
        self._end(games)
        self.bits[games] = 0
        self.buffers.to_act[games] = NOBODY
        self.buffers.masks[games] = 0
        self.buffers.observations[games] = 0

    def phases(self, games: Games) -> Ints8:
        """What each of some games waits for, as the game numbers its phases."""
        return self.states["phase"][check_games(games, self.num_games)]

    def turns(self, games: Games) -> NDArray[np.int32]:
        """How many turns each of some games has finished."""
        return self.states["turn"][check_games(games, self.num_games)]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that the games consist of, for checkpoints; views, to be read and written."""
        return {
            **{f"buffers.{name}": array for name, array in vars(self.buffers).items()},
            **self.running._asdict(),
            "states": self.states.view(np.uint8),
        }

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


def _checked_rows(buffers: Buffers, wanted: Shapes) -> Rows:
    for name, (shape, dtype) in wanted.items():
        array = getattr(buffers, name, None)
        must = f"buffers.{name} must be a contiguous array of {np.dtype(dtype)} and shape {shape}"
        if not isinstance(array, np.ndarray):
            raise ValueError(f"{must}, not {type(array).__name__}")
        if array.shape != shape or array.dtype != dtype:
            raise ValueError(f"{must}, not {array.dtype} and {array.shape}")
        if not array.flags.carray:
            raise ValueError(f"{must} that can be written to")
    return tuple(getattr(buffers, name) for name in wanted)
