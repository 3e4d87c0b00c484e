"""PettingZoo environments: what is the same for every game. A game's `raw_env` brings its settings and spec page."""

from __future__ import annotations

import copy
from abc import abstractmethod
from typing import Any, ClassVar, Generic, Protocol, TypeAlias, TypeVar

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from pechvogel.tabletop.game import DiceGame, Game, Shown
from pechvogel.tabletop.record import Records
from pechvogel.tabletop.seeds import SeedSeries

Observation: TypeAlias = dict[str, NDArray[Any]]
G = TypeVar("G", bound=Game)
P = TypeVar("P", bound=Shown)

RENDER_MODES = ["human", "ansi", "rgb_array"]
ILLEGAL_REWARD = -1.0  # what `env()` gives to whoever acts illegally: a loss


class Pictures(Protocol):
    """A game's drawings of its positions: its module `render`."""

    def ansi(self, position: Any, *, scores: Any = None) -> str:
        """As text."""

    def human(self, position: Any, *, scores: Any = None) -> None:
        """As text, printed."""

    def rgb_array(self, position: Any, *, scores: Any = None) -> NDArray[np.uint8]:
        """As pixels."""


def wrapped(raw: AECEnv[str, Observation, int]) -> AECEnv[str, Observation, int]:
    """The environment with PettingZoo's wrappers: an illegal action ends the game with a loss."""
    raw = wrappers.TerminateIllegalWrapper(raw, illegal_reward=ILLEGAL_REWARD)
    return _OrderEnforcing(_AssertOutOfBounds(raw))


class _AssertOutOfBounds(wrappers.AssertOutOfBoundsWrapper[str, Observation, int]):
    def last(self, observe: bool = True) -> Any:
        """Hand on: PettingZoo's would fetch each of five attributes through every wrapper below."""
        return self.env.last(observe)


class _OrderEnforcing(wrappers.OrderEnforcingWrapper[str, Observation, int]):
    def last(self, observe: bool = True) -> Any:
        """Hand on, as above, once there is a game."""
        return self.env.last(observe) if self._has_reset else super().last(observe)

    def __str__(self) -> str:
        return str(self.env)


def spaces_of(
    agents: list[str], size: int, num_actions: int
) -> tuple[dict[str, spaces.Dict[Any]], dict[str, spaces.Discrete]]:
    """Everybody's spaces: of observations with masks, and of actions."""
    observations = {
        agent: spaces.Dict(
            {
                "observation": spaces.Box(0.0, 1.0, (size,), np.float32),
                "action_mask": spaces.Box(0, 1, (num_actions,), np.int8),
            }
        )
        for agent in agents
    }
    return observations, {agent: spaces.Discrete(num_actions) for agent in agents}


def check_render_mode(render_mode: str | None) -> None:
    """Refuse what can't be drawn."""
    if render_mode is not None and render_mode not in RENDER_MODES:
        raise ValueError(f"render_mode must be None or one of {RENDER_MODES}, not {render_mode!r}")


def draw(pictures: Pictures, render_mode: str | None, position: Any, scores: Any) -> Any:
    """A picture as a `render_mode` says."""
    if render_mode is None:
        gymnasium.logger.warn("render() needs a render_mode: 'human', 'ansi' or 'rgb_array'")
        return None
    if render_mode == "rgb_array":
        return pictures.rgb_array(position, scores=scores)
    if render_mode == "ansi":
        return pictures.ansi(position, scores=scores)
    pictures.human(position, scores=scores)
    return None


class TableEnv(AECEnv[str, Observation, int], Generic[G]):
    """A game around a table."""

    records: ClassVar[Records[Any]]
    pictures: Pictures

    def __init__(self, game: G, reward: str, observation_size: int, render_mode: str | None) -> None:
        super().__init__()
        check_render_mode(render_mode)
        self.reward = reward
        self.render_mode = render_mode
        self._game = game
        self._seeds = SeedSeries()
        self.possible_agents = [f"player_{seat}" for seat in range(game.num_players)]
        self.agents: list[str] = []
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        num_actions = len(game.action_names)
        self._not_asked: NDArray[np.int8] = np.zeros(num_actions, np.int8)
        self._not_asked.setflags(write=False)  # one array for everybody who is not asked
        self.state_space = spaces.Box(0.0, 1.0, (observation_size,), np.float32)
        self.observation_spaces, self.action_spaces = spaces_of(self.possible_agents, observation_size, num_actions)

    # ------------------------------------------------------------------------------ a game's own

    @abstractmethod
    def _start(self, seed: int, options: dict[str, Any]) -> None:
        """Start a game; ValueError, and nothing changed, if an option is wrong."""

    @abstractmethod
    def _pictured(self) -> Any:
        """What pictures show."""

    # ------------------------------------------------------------------------------ PettingZoo's interface

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same object for the same agent at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The same object for the same agent at every call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game. Options that are not this environment's are ignored; wrong ones are a ValueError."""
        options = options or {}
        seeds = copy.copy(self._seeds)  # kept only if all goes well
        self._start(seeds.next(seed), options)
        self._seeds = seeds
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"action_mask": self._not_asked} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._skip_agent_selection = None  # PettingZoo's own, left over from an illegal action
        self._ask()

    def step(self, action: int | None) -> None:
        """Carry out an action of `agent_selection`; None once the game has ended."""
        if not self.agents:
            raise gymnasium.error.ResetNeeded("there is no game to step: call reset() first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._game.step(action)  # type: ignore[arg-type]  # None is refused as an illegal action
        self.infos[agent] = {"action_mask": self._not_asked}
        self._ask()

    def _ask(self) -> None:
        """Show the new situation: whose decision it is, or the end with everybody's rewards."""
        seat = self._game.to_act
        if seat is not None:
            self.agent_selection = agent = self.possible_agents[seat]
            self.infos[agent] = {"action_mask": self._game.mask()}
        else:
            over = self._game.over
            self.terminations = dict.fromkeys(self.agents, over)
            self.truncations = dict.fromkeys(self.agents, not over)
            # All earlier rewards were 0, so there is nothing to clear, and these are the sums too.
            self.rewards = dict(zip(self.agents, self._game.rewards(self.reward), strict=True))
            self._cumulative_rewards = dict(self.rewards)
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """What an agent sees, in fresh arrays; their mask is all zero unless they are asked."""
        seat = self._seat_of[agent]
        asked = seat == self._game.to_act
        return {
            "observation": self._game.observe(seat),
            "action_mask": self._game.mask() if asked else np.zeros_like(self._not_asked),
        }

    def state(self) -> NDArray[np.float32]:
        """The whole table, as `player_0` observes it."""
        return self._game.observe(0)

    def render(self) -> Any:
        """A picture of the position, as `render_mode` says."""
        return draw(self.pictures, self.render_mode, self._pictured(), self._game.scores())

    def close(self) -> None:
        """Nothing to release."""

    # ------------------------------------------------------------------------------ beyond PettingZoo

    def view(self, seat: int) -> Any:
        """What a seat may know, as agents are handed it."""
        return self._game.view(seat)

    @property
    def game_seed(self) -> int:
        """The seed of the game being played: `reset` with it plays the same dice."""
        return self._game.seed

    def scores(self) -> list[int]:
        """Points of every player as things stand."""
        return self._game.scores()

    def record(self) -> dict[str, Any]:
        """The finished game in the format of its game's records, from which it can be rebuilt."""
        return self.records.of_game(self._game)


class DiceEnv(TableEnv[DiceGame[P]], Generic[P]):
    """A game with dice in which everything is public."""

    def _start(self, seed: int, options: dict[str, Any]) -> None:
        dice = options.get("dice")
        self._game.reset(
            seed,
            first_player=options.get("first_player"),
            dice=() if dice is None else dice,
            position=options.get("position"),
        )

    def _pictured(self) -> P:
        return self.position()

    def position(self) -> P:
        """The position as it is now."""
        return self._game.position()
