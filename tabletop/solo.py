"""Gymnasium environments: one seat learns, the other seats are played by given callables. The same for every game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from pechvogel.tabletop.aec import ILLEGAL_REWARD, RENDER_MODES, TableEnv

P = TypeVar("P")

# The same as an agent's `act`: the position, the mask of legal actions, a generator; returns an action.
Opponent: TypeAlias = Callable[[Any, NDArray[np.int8], np.random.Generator], int]


def random_opponent(position: Any, mask: NDArray[np.int8], rng: np.random.Generator) -> int:
    """Any legal action, all equally likely."""
    return int(rng.choice(np.flatnonzero(mask)))


class SoloEnv(gymnasium.Env[NDArray[np.float32], int], Generic[P]):
    """One learner at a table of opponents.

    Observation, actions, rewards and end are those of the game's `raw_env` from the learner's seat; the observation is
    the plain vector, and the mask of legal actions is in `info["action_mask"]` and `action_masks()` (as sb3-contrib
    wants it). As in `env()`, an illegal action ends the game with the reward -1; `info["illegal"]` says so.

    Arguments beyond those of `raw_env`:

    - `opponents`: a callable for all other seats, or a list of them, clockwise from the learner. Called as
      `opponent(position, mask, rng)`, so an agent sits down by its `act`. Default: random.
    - `seat`: the learner's seat.
    - `rotate_seats`: move the learner one seat on with every reset.

    `info` has `action_mask` and `seat`, and at the end of a game `scores`.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 2}
    table: ClassVar[Callable[..., TableEnv[Any]]]  # a game's own `raw_env`

    def __init__(
        self,
        num_players: int = 2,
        opponents: Opponent | Sequence[Opponent] = random_opponent,
        seat: int = 0,
        rotate_seats: bool = False,
        **kwargs: Any,
    ) -> None:
        self._table: TableEnv[Any] = type(self).table(num_players=num_players, **kwargs)
        self.render_mode = self._table.render_mode
        callables = [opponents] * (num_players - 1) if callable(opponents) else list(opponents)
        if len(callables) != num_players - 1:
            raise ValueError(f"opponents must be one callable or {num_players - 1} of them, not {len(callables)}")
        if not all(callable(opponent) for opponent in callables):
            raise ValueError("opponents must be callables: opponent(position, mask, rng) -> action")
        if isinstance(seat, bool) or not isinstance(seat, int) or seat not in range(num_players):
            raise ValueError(f"seat must be from 0 to {num_players - 1}, not {seat!r}")
        self._opponents = callables
        self._first_seat = seat
        self._rotate_seats = rotate_seats
        self.seat = seat
        self._num_players = num_players
        self._resets = 0
        self._forfeited = False
        self._rng = np.random.default_rng(0)
        self.observation_space: spaces.Space[Any] = self._table.observation_spaces[self._learner]["observation"]
        self.action_space: spaces.Space[Any] = spaces.Discrete(self._table.action_spaces[self._learner].n)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start a game and play it up to the learner's first decision; options as in `raw_env`."""
        super().reset(seed=seed)
        self._table.reset(seed, options)
        if self._rotate_seats:
            self.seat = (self._first_seat + self._resets) % self._num_players
        self._resets += 1
        self._forfeited = False
        self._rng = np.random.default_rng(self._table.game_seed)
        self._play_opponents()
        while self._ended:  # with few `max_turns`, before the learner was asked at all: the next game
            self._table.reset(options=options)
            self._play_opponents()
        return self._observation(), self._info()

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """The learner's action, then the others' up to the learner's next decision or the end."""
        if not self._resets or self._ended:
            raise gymnasium.error.ResetNeeded("there is no game to step: call reset() first")
        if not self.action_space.contains(action):
            raise ValueError(f"action {action!r} is not in the action space {self.action_space}")
        if not self.action_masks()[action]:
            self._forfeited = True
            return self._observation(), ILLEGAL_REWARD, True, False, self._info()
        self._table.step(action)
        self._play_opponents()
        agent = self._learner
        return (
            self._observation(),
            self._table.rewards[agent],
            self._table.terminations[agent],
            self._table.truncations[agent],
            self._info(),
        )

    def action_masks(self) -> NDArray[np.bool_]:
        """The learner's legal actions, for sb3-contrib; all False once the game has ended."""
        if not self._resets:
            raise gymnasium.error.ResetNeeded("there is no game yet: call reset() first")
        return self._mask().astype(bool)

    def render(self) -> Any:
        """A picture of the position, as `render_mode` says."""
        return self._table.render()

    def position(self) -> P:
        """What the learner may know as things are now."""
        return self._table.view(self.seat)  # type: ignore[no-any-return]

    @property
    def _learner(self) -> str:
        return self._table.possible_agents[self.seat]

    @property
    def _ended(self) -> bool:
        table, learner = self._table, self._learner
        return self._forfeited or table.terminations[learner] or table.truncations[learner]

    def _mask(self) -> NDArray[np.int8]:
        mask: NDArray[np.int8] = self._table.infos[self._learner]["action_mask"]
        return np.zeros_like(mask) if self._forfeited else mask

    def _play_opponents(self) -> None:
        table = self._table
        while not self._ended and table.agent_selection != self._learner:
            seat = table.possible_agents.index(table.agent_selection)
            opponent = self._opponents[(seat - self.seat - 1) % self._num_players]
            mask = table.infos[table.agent_selection]["action_mask"]
            table.step(int(opponent(table.view(seat), mask, self._rng)))

    def _observation(self) -> NDArray[np.float32]:
        return self._table.observe(self._learner)["observation"]

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"action_mask": self._mask(), "seat": self.seat}
        if self._forfeited:
            info["illegal"] = True
        elif self._ended:
            info["scores"] = self._table.scores()
        return info
