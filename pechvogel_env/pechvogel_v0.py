"""Pechvogel for PettingZoo: `env()` with the usual wrappers, `raw_env()` without."""

from __future__ import annotations

import copy
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from pechvogel.tabletop.seeds import SeedSeries
from pechvogel_env import observation, record, render
from pechvogel_env.game import Game, check_settings
from pechvogel_env.position import Position
from pechvogel_env.rules import NUM_ACTIONS

Observation: TypeAlias = dict[str, NDArray[Any]]

RENDER_MODES = ["human", "ansi", "rgb_array"]
ILLEGAL_REWARD = -1.0  # what `env()` gives to whoever acts illegally: a loss

_NOT_ASKED: NDArray[np.int8] = np.zeros(NUM_ACTIONS, np.int8)
_NOT_ASKED.setflags(write=False)  # one array for everybody who is not asked


def env(**kwargs: Any) -> AECEnv[str, Observation, int]:
    """The environment with PettingZoo's wrappers: an illegal action ends the game with a loss."""
    wrapped: AECEnv[str, Observation, int] = raw_env(**kwargs)
    wrapped = wrappers.TerminateIllegalWrapper(wrapped, illegal_reward=ILLEGAL_REWARD)
    return _OrderEnforcing(_AssertOutOfBounds(wrapped))


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


class raw_env(AECEnv[str, Observation, int]):  # noqa: N801  PettingZoo's name for it
    """Pechvogel, a dice game for 2 to 5 players (rules: docs/rules.md).

    | spec                | value                                                                       |
    |---------------------|-----------------------------------------------------------------------------|
    | Agents              | `player_0` ... `player_4`, in seating order, clockwise                      |
    | Action space        | `Discrete(18)`, the same for every number of players                        |
    | Observation space   | `Dict(observation=Box(0, 1, (51 + 14 n,), float32), action_mask=Box(0, 1, (18,), int8))` |
    | State space         | `Box(0, 1, (51 + 14 n,), float32)`: what `player_0` observes                |
    | Information         | perfect; chance: the dice                                                   |
    | Rewards             | at the end only, for all players at once                                    |

    `agent_selection` is whoever the rules ask, so it jumps to opponents and back: after a throw, opponents may
    interrupt the active player's turn. A *decision* is a point where somebody has two or more legal actions; with
    `skip_forced=True` nothing else is asked.

    ### Observation

    `observe(agent)` is relative to the observing seat. Block k below is the k-th seat clockwise from the observer
    (k = 0: the observer) and starts at 51 + 14 k. The vector determines the position, except the count of turns;
    frustrations saturate at 31. `observation.decode` reads it.

    | index         | name                 | meaning                                                            |
    |---------------|----------------------|--------------------------------------------------------------------|
    | 0-4           | `middle`             | markers in the middle by value 3..7, divided by 3                  |
    | 5-9           | `target`             | one-hot: the target 3..7; all zero: none                           |
    | 10-17         | `targets`            | one-hot: target dice on the board, 0..7                            |
    | 18-25         | `ravens`             | one-hot: ravens on the board, 0..7                                 |
    | 26            | `reduced`            | 1: the active player has reduced in this turn                      |
    | 27            | `after_reduction`    | 1: the last throw repeats one that was reduced                     |
    | 28-35         | `phase`              | one-hot: target, reduce, frustrate, join, take, discard, throw, over |
    | 36-41         | `faces_thrown`       | last throw: how many ravens, 3s, ..., 7s, divided by 7             |
    | 42-48         | `last_throw`         | last throw in order: raven 1/6, 3 2/6, ..., 7 6/6; 0: no die       |
    | 49            | `copies`             | markers per value in this game, divided by 3                       |
    | 50            | `italian_reading`    | 1: the Italian reading (Q3)                                        |
    | block + 0-4   | `markers`            | markers by value 3..7, divided by 3                                |
    | block + 5     | `frustrations`       | frustrations (at most 31), divided by 31                           |
    | block + 6-9   | `frustration_steps`  | 1 each: at least 1, 2, 3, 5 frustrations                           |
    | block + 10    | `murphy`             | 1: holds Murphy                                                    |
    | block + 11    | `active`             | 1: it is their turn                                                |
    | block + 12    | `to_act`             | 1: they are asked                                                  |
    | block + 13    | `frustrater`         | k/4: came k-th to frustrate this turn; 0: did not                  |

    `action_mask` has a 1 for every legal action; it is all zero for agents who are not asked. The same mask is in
    `infos[agent]["action_mask"]`.

    ### Actions

    | id    | action                                                          | who, when                         |
    |-------|-----------------------------------------------------------------|-----------------------------------|
    | 0-4   | target 3, 4, 5, 6, 7                                            | active player, after the first throw |
    | 5     | pass: keep the throw / don't frustrate / don't join             | anyone asked                      |
    | 6     | reduce: spend a frustration, repeat the throw (R14)             | active player                     |
    | 7     | frustrate: start, or join (R15)                                 | opponents                         |
    | 8     | take the marker from the middle                                 | active player                     |
    | 9-12  | steal from the 1st, 2nd, 3rd, 4th opponent clockwise            | active player                     |
    | 13-17 | discard a 3, 4, 5, 6, 7 from the middle (after a steal)         | active player                     |

    An illegal action is a `ValueError` that names it and the legal ones, and changes nothing; in `env()` it ends the
    game, and whoever did it gets -1, the others 0 (PettingZoo's `TerminateIllegalWrapper`).

    ### Rewards

    `reward="win"`, zero-sum: with k of n players tied for the best score, each of them gets
    (1/k - 1/n) n/(n-1) and everyone else -1/(n-1). So a sole win is +1; with two players a loss is -1 and a tie 0. The
    *win share* is ((n-1) reward + 1)/n: 1 for a sole win, 1/k for a tie of k, 0 for a loss. `reward="score"`: one's own
    score minus the mean of the others'.

    ### End

    The game terminates for all when a turn is resolved and no marker is left in the middle (R20). With `max_turns` it
    is truncated for all after so many turns, counted from `reset`, with rewards 0 (Q7).

    ### Arguments

    | argument          | default | meaning                                                                     |
    |-------------------|---------|-----------------------------------------------------------------------------|
    | `num_players`     | 2       | 2 to 5                                                                      |
    | `copies`          | 3       | markers per value, 1 to 3; 1 and 2 are small games for research             |
    | `reward`          | "win"   | "win" or "score"                                                            |
    | `skip_forced`     | True    | whoever has exactly one legal action is not asked; it is played for them    |
    | `italian_reading` | False   | the throw after a reduction can't be frustrated (Q3)                        |
    | `max_turns`       | None    | truncate after so many turns                                                |
    | `render_mode`     | None    | "ansi" (text), "rgb_array" (picture), "human" (text, printed at every step) |

    `reset(seed, options)`: the same seed gives the same dice, whatever the players do: they are a function of (seed,
    turn, throw). Without a seed, a series of resets goes on from the last one that had a seed. Options:

    - `first_player`: the seat that starts; else the seed decides.
    - `dice`: a flat list of faces (0 = raven, 3..7), consumed die by die; then the seeded dice go on.
    - `position`: start from a position (object, dict, JSON or one-line text). A partial one is completed: `middle` with
      what the players don't hold, `phase` with "throw", `active` with `first_player`, the rest as in a fresh game.

    `env.unwrapped.position()` gives the position at any decision, `env.unwrapped.record()` a finished game to keep.
    `copy.deepcopy` and `pickle` keep the whole game, coming dice included.

    ### Version history

    * v0: first version.
    """

    metadata = {
        "name": "pechvogel_v0",
        "render_modes": RENDER_MODES,
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        num_players: int = 2,
        copies: int = 3,
        reward: str = "win",
        skip_forced: bool = True,
        italian_reading: bool = False,
        max_turns: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        check_settings(num_players, copies, reward, max_turns)
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ValueError(f"render_mode must be None or one of {RENDER_MODES}, not {render_mode!r}")
        self.reward = reward
        self.render_mode = render_mode
        self._game = Game(num_players, copies, italian_reading, skip_forced, max_turns)
        self._seeds = SeedSeries()
        self.possible_agents = [f"player_{seat}" for seat in range(num_players)]
        self.agents: list[str] = []
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        size = (observation.size(num_players),)
        self.state_space = spaces.Box(0.0, 1.0, size, np.float32)
        self.action_spaces = {agent: spaces.Discrete(NUM_ACTIONS) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0.0, 1.0, size, np.float32),
                    "action_mask": spaces.Box(0, 1, (NUM_ACTIONS,), np.int8),
                }
            )
            for agent in self.possible_agents
        }

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
        dice = options.get("dice")
        self._game.reset(
            seeds.next(seed),
            first_player=options.get("first_player"),
            dice=() if dice is None else dice,
            position=options.get("position"),
        )
        self._seeds = seeds
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"action_mask": _NOT_ASKED} for agent in self.agents}
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
        self.infos[agent] = {"action_mask": _NOT_ASKED}
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
            "action_mask": self._game.mask() if asked else np.zeros(NUM_ACTIONS, np.int8),
        }

    def state(self) -> NDArray[np.float32]:
        """The whole table, as `player_0` observes it."""
        return self._game.observe(0)

    def render(self) -> Any:
        """A picture of the position, as `render_mode` says."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs a render_mode: 'human', 'ansi' or 'rgb_array'")
            return None
        position, scores = self.position(), self._game.scores()
        if self.render_mode == "rgb_array":
            return render.rgb_array(position, scores=scores)
        if self.render_mode == "ansi":
            return render.ansi(position, scores=scores)
        render.human(position, scores=scores)
        return None

    def close(self) -> None:
        """Nothing to release."""

    # ------------------------------------------------------------------------------ beyond PettingZoo

    def position(self) -> Position:
        """The position as it is now."""
        return self._game.position()

    @property
    def game_seed(self) -> int:
        """The seed of the game being played: `reset` with it plays the same dice."""
        return self._game.seed

    def scores(self) -> list[int]:
        """Points of every player as things stand (R21)."""
        return self._game.scores()

    def record(self) -> dict[str, Any]:
        """The finished game in the format of `record.py`, from which it can be rebuilt."""
        return record.of_game(self._game)
