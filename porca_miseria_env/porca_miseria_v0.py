"""Porca Miseria for PettingZoo: `parallel_env()`; `env()` with the usual wrappers and `raw_env()` without, for AEC."""

from __future__ import annotations

import copy
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv

from pechvogel.tabletop.aec import (
    ILLEGAL_REWARD,
    RENDER_MODES,
    Observation,
    TableEnv,
    check_render_mode,
    draw,
    spaces_of,
    wrapped,
)
from pechvogel.tabletop.seeds import SeedSeries
from porca_miseria_env import observation, render
from porca_miseria_env.game import Game, check_settings
from porca_miseria_env.record import RECORDS
from porca_miseria_env.rules import BLUR, NUM_ACTIONS, TAP_CARDS, TICKS
from porca_miseria_env.scene import Scene, scene_of
from porca_miseria_env.view import View

# Of everybody: observations, rewards, terminations, truncations, infos.
Step: TypeAlias = tuple[
    dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
]


def env(**kwargs: Any) -> AECEnv[str, Observation, int]:
    """The environment with PettingZoo's wrappers: an illegal action ends the game with a loss."""
    return wrapped(raw_env(**kwargs))


def _start(game: Game, seed: int, options: dict[str, Any]) -> None:
    chance = options.get("chance")
    game.reset(seed, options.get("first_dealer"), () if chance is None else chance)


class raw_env(TableEnv[Game]):  # noqa: N801  PettingZoo's name for it
    """Porca Miseria, a card game of eyes and hands for 3 to 8 players (rules: docs/porca-miseria.md).

    | spec                | value                                                                       |
    |---------------------|-----------------------------------------------------------------------------|
    | Agents              | `player_0` ... `player_7`, in seating order, clockwise                      |
    | Action space        | `Discrete(5)`                                                               |
    | Observation space   | `Dict(observation=Box(0, 1, (60 + 23 n,), float32), action_mask=Box(0, 1, (5,), int8))` |
    | State space         | `Box(0, 1, (n (60 + 23 n),), float32)`: what all players observe, one after the other |
    | Information         | hidden: what the card shows, glances, the others' choices; chance: cards, glances, hands |
    | Rewards             | at the end only, for all players at once                                    |

    A card is looked at for some ticks; in each of them all players decide at the same time. `parallel_env` is made for
    that. In the AEC environment the players are asked one after another, from `player_0` on, and nobody sees what
    others have chosen before all have. Everybody acts in every tick, also where only *wait* is legal.

    ### Observation

    `observe(agent)` is relative to the observing seat. Block k below is the k-th seat clockwise from the observer
    (k = 0: the observer) and starts at 60 + 23 k. It shows nothing that the seat must not know (P16, P17), and stays
    the same while the players are asked for a tick. `chances` is what follows from own glances, cards that were turned
    and the hands that were right or wrong (`belief.py`).

    | index         | name                 | meaning                                                            |
    |---------------|----------------------|--------------------------------------------------------------------|
    | 0-1           | `card`               | 1: a symbol card lies there; 1: a tap card                         |
    | 2-13          | `tick`               | one-hot: the tick, from the first                                  |
    | 14            | `ticks_left`         | ticks after this one, divided by 12                                |
    | 15-17         | `middle`             | 1 each: mushroom, pig, sweep are in the middle                     |
    | 18-20         | `last_glance`        | own glance of this tick, divided by 16                             |
    | 21-23         | `mean_glance`        | mean of own glances at this card, divided by 16                    |
    | 24-47         | `evidence`           | by symbol: how likely own glances make 1..8 of it                  |
    | 48-50         | `chances`            | how likely each lucky card is right for the observer               |
    | 51            | `pile`               | cards in the pile, divided by 66                                   |
    | 52            | `jackpot`            | cards in the jackpot, divided by 15                                |
    | 53-54         | `known`              | symbol cards, tap cards known not to be in the pile, divided by 66 |
    | 55            | `hands`              | hands on the tap card, divided by 16                               |
    | 56            | `tap_cards`          | tap cards in this game, divided by 66                              |
    | 57            | `ticks`              | ticks of a card in this game, divided by 12                        |
    | 58            | `blur`               | the blur of this game                                              |
    | 59            | `moving_numbers`     | 1: lucky numbers move on with the dealer                           |
    | block + 0-7   | `numbers`            | 1 each: has the lucky number 1..8                                  |
    | block + 8     | `loot`               | loot cards, divided by 66                                          |
    | block + 9-11  | `at_stake`           | 1 each: at least 1, 2, 3 loot cards, which a wrong hand costs      |
    | block + 12    | `dealer`             | 1: the dealer                                                      |
    | block + 13-15 | `right`              | 1 each: has rightly taken mushroom, pig, sweep of this card        |
    | block + 16-18 | `wrong`              | 1 each: has wrongly taken mushroom, pig, sweep of this card        |
    | block + 19-20 | `hands`              | 1 each: has at least 1, 2 hands on the tap card                    |
    | block + 21    | `lowest`             | 1: has the lowest hand on the tap card                             |
    | block + 22    | `covered`            | 1: has one hand there, with another's on top: one more is a sandwich |

    `action_mask` has a 1 for every legal action; it is all zero for agents who are not asked. The same mask is in
    `infos[agent]["action_mask"]`.

    ### Actions

    | id | action   | legal                                                             |
    |----|----------|-------------------------------------------------------------------|
    | 0  | wait     | always                                                            |
    | 1  | mushroom | on a symbol card, while its lucky card is in the middle           |
    | 2  | pig      | ...                                                               |
    | 3  | sweep    | ...                                                               |
    | 4  | tap      | on a tap card, with fewer than two hands on it                    |

    An illegal action is a `ValueError` that names it and the legal ones, and changes nothing; in `env()` it ends the
    game, and whoever did it gets -1, the others 0 (PettingZoo's `TerminateIllegalWrapper`).

    ### Rewards

    `reward="win"`, zero-sum: with k of n players tied for the most loot, each of them gets
    (1/k - 1/n) n/(n-1) and everyone else -1/(n-1). So a sole win is +1. The *win share* is ((n-1) reward + 1)/n: 1 for
    a sole win, 1/k for a tie of k, 0 for a loss. `reward="score"`: one's own loot minus the mean of the others'.

    ### End

    The game terminates for all when the pile can't pay loot, or is empty before a card is turned (P11). With
    `max_cards` it is truncated for all after so many cards, with rewards 0.

    ### Arguments

    | argument          | default | meaning                                                                     |
    |-------------------|---------|-----------------------------------------------------------------------------|
    | `num_players`     | 3       | 3 to 8                                                                      |
    | `tap_cards`       | 9       | how many of the 63 cards are tap cards, 0 to 63 (P1)                        |
    | `ticks`           | 6       | how long a card is looked at, 1 to 12 (P13)                                 |
    | `blur`            | 0.1     | how likely a symbol is overlooked, and how likely it counts twice, 0 to 0.45 (P16) |
    | `moving_numbers`  | False   | lucky numbers move on with the dealer (P3)                                  |
    | `reward`          | "win"   | "win" or "score"                                                            |
    | `max_cards`       | None    | truncate after so many cards                                                |
    | `render_mode`     | None    | "ansi" (text), "rgb_array" (picture), "human" (text, printed at every step) |

    `reset(seed, options)`: all chance is a function of (seed, number of the card, tick, player), whatever the players
    do (`chance.py`). Without a seed, a series of resets goes on from the last one that had a seed. Options:

    - `first_dealer`: the seat that deals first; else the seed decides.
    - `chance`: the `cards` of a record: their chance is used while it lasts, their actions are not; then the seed goes
      on, as it does wherever given chance can't be (a card that is not in the pile, say) or is left out.

    `env.unwrapped.view(seat)` is what a seat may know, as JSON (`view.py`); `env.unwrapped.record()` is a finished game
    to keep, with all chance and actions. Pictures are for onlookers: they show what the card really shows, and what
    everybody has seen of it. `copy.deepcopy` and `pickle` keep the whole game, coming chance included.

    ### Version history

    * v0: first version.
    """

    records = RECORDS
    pictures = render

    metadata = {
        "name": "porca_miseria_v0",
        "render_modes": RENDER_MODES,
        "is_parallelizable": False,  # masks are of whoever is asked: `parallel_env` has everybody's
        "render_fps": 2,
    }

    def __init__(
        self,
        num_players: int = 3,
        tap_cards: int = TAP_CARDS,
        ticks: int = TICKS,
        blur: float = BLUR,
        moving_numbers: bool = False,
        reward: str = "win",
        max_cards: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        check_settings(num_players, tap_cards, ticks, blur, moving_numbers, reward, max_cards)
        game = Game(num_players, tap_cards, ticks, blur, moving_numbers, skip_forced=False, max_cards=max_cards)
        super().__init__(game, reward, observation.size(num_players), render_mode)
        self.state_space = spaces.Box(0.0, 1.0, (num_players * observation.size(num_players),), np.float32)

    def _start(self, seed: int, options: dict[str, Any]) -> None:
        _start(self._game, seed, options)

    def _pictured(self) -> Scene:
        return scene_of(self._game.states, 0)

    def state(self) -> NDArray[np.float32]:
        """What all players observe, one after the other: for training in common, not for a player."""
        return self._game.observe_all().ravel()


class parallel_env(ParallelEnv[str, Observation, int]):  # noqa: N801  PettingZoo's name for it
    """Porca Miseria with all players acting at once, in every tick; everything else is as at `raw_env`.

    `step` takes an action of every player, also of those who can only wait; a missing one, or one that is not in the
    action space, is a `ValueError` that names it, and changes nothing. As in `env()`, an illegal action ends the game:
    whoever did it gets -1, the others 0, and `info["illegal"]` says so. `infos` have the same masks as observations.
    """

    metadata = raw_env.metadata

    def __init__(
        self,
        num_players: int = 3,
        tap_cards: int = TAP_CARDS,
        ticks: int = TICKS,
        blur: float = BLUR,
        moving_numbers: bool = False,
        reward: str = "win",
        max_cards: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        check_settings(num_players, tap_cards, ticks, blur, moving_numbers, reward, max_cards)
        check_render_mode(render_mode)
        self.reward, self.render_mode = reward, render_mode
        self._game = Game(num_players, tap_cards, ticks, blur, moving_numbers, skip_forced=False, max_cards=max_cards)
        self._seeds = SeedSeries()
        self._masks: NDArray[np.int8] = np.zeros((num_players, NUM_ACTIONS), np.int8)
        self.possible_agents = [f"player_{seat}" for seat in range(num_players)]
        self.agents: list[str] = []
        size = observation.size(num_players)
        self.observation_spaces, self.action_spaces = spaces_of(self.possible_agents, size, NUM_ACTIONS)
        self.state_space = spaces.Box(0.0, 1.0, (num_players * size,), np.float32)

    # ------------------------------------------------------------------------------ PettingZoo's interface

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same object for the same agent at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The same object for the same agent at every call."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Start a game. Options that are not this environment's are ignored; wrong ones are a ValueError."""
        seeds = copy.copy(self._seeds)  # kept only if all goes well
        _start(self._game, seeds.next(seed), options or {})
        self._seeds = seeds
        self.agents = self.possible_agents[:]
        return self._shown()

    def step(self, actions: dict[str, int]) -> Step:
        """Carry out everybody's action of this tick."""
        agents = self.agents
        if not agents:
            raise gymnasium.error.ResetNeeded("there is no game to step: call reset() first")
        try:
            chosen = [actions[agent] for agent in agents]
        except KeyError as missing:
            raise ValueError(f"there is no action of {missing.args[0]}: everybody acts in every tick") from None
        game = self._game
        try:
            game.step_all(chosen, self._masks)
        except ValueError:
            return self._forfeit(chosen)
        observations, infos = self._shown()
        if game.bits:
            rewards = dict.fromkeys(agents, 0.0)
            terminations = dict.fromkeys(agents, False)
            truncations = dict.fromkeys(agents, False)
        else:
            rewards = dict(zip(agents, game.rewards(self.reward), strict=True))
            terminations = dict.fromkeys(agents, game.over)
            truncations = dict.fromkeys(agents, not game.over)
            self.agents = []
        return observations, rewards, terminations, truncations, infos

    def _forfeit(self, chosen: list[Any]) -> Step:
        """The game ends by illegal actions; ValueError if one of them is none at all."""
        agents, spaces_ = self.agents, self.action_spaces
        for seat, action in enumerate(chosen):
            if not spaces_[agents[seat]].contains(action):
                raise ValueError(
                    f"action {action!r} of {agents[seat]} is not in the action space {spaces_[agents[seat]]}"
                )
        offenders = {agent for seat, agent in enumerate(agents) if not self._masks[seat, chosen[seat]]}
        observations, infos = self._shown()
        self._masks[:] = 0
        for agent in agents:
            observations[agent]["action_mask"][:] = 0
            infos[agent]["illegal"] = agent in offenders
        self.agents = []
        rewards = {agent: ILLEGAL_REWARD if agent in offenders else 0.0 for agent in agents}
        return observations, rewards, dict.fromkeys(agents, True), dict.fromkeys(agents, False), infos

    def _shown(self) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Everybody's observation and mask, in fresh arrays."""
        rows, masks = self._game.observe_all(), self._game.masks()
        self._masks = masks.copy()  # ours: whoever writes into theirs changes nothing
        observations, infos = {}, {}
        for agent, row, mask in zip(self.possible_agents, rows, masks, strict=True):
            observations[agent] = {"observation": row, "action_mask": mask}
            infos[agent] = {"action_mask": mask}
        if self.render_mode == "human":
            self.render()
        return observations, infos

    def state(self) -> NDArray[np.float32]:
        """What all players observe, one after the other: for training in common, not for a player."""
        return self._game.observe_all().ravel()

    def render(self) -> Any:
        """A picture for onlookers, as `render_mode` says."""
        return draw(render, self.render_mode, scene_of(self._game.states, 0), self._game.scores())

    def close(self) -> None:
        """Nothing to release."""

    # ------------------------------------------------------------------------------ beyond PettingZoo

    def view(self, seat: int) -> View:
        """What a seat may know, as JSON."""
        return self._game.view(seat)

    @property
    def game_seed(self) -> int:
        """The seed of the game being played: `reset` with it plays the same chance."""
        return self._game.seed

    def scores(self) -> list[int]:
        """Loot of every player as things stand."""
        return self._game.scores()

    def record(self) -> dict[str, Any]:
        """The finished game with all chance and actions, in the format of `record.py`."""
        return RECORDS.of_game(self._game)
