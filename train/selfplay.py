"""Tables for a learner: a stable-baselines3 `VecEnv` that sits directly on the batch engine.

Each game has one learner; the other seats are filled from a `League`, drawn anew for every episode, and the learner
moves one seat on with every episode. A step carries out the learner's action in all games, then plays the others, in
batches, until the learner is asked again or its game has ended: a game lost on someone else's move reaches the learner
as a loss.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from pechvogel.agents.base import BatchAgent
from pechvogel.agents.games import kind_of
from pechvogel.agents.policy import Policy
from pechvogel.tabletop.arrays import Floats, Floats32, Ints, Truths
from pechvogel.tabletop.batch import Batch
from pechvogel.tabletop.kind import Variant


class Opponent(Protocol):
    """Whoever can fill a seat: decides many games at once."""

    def choose(self, batch: Batch, games: Ints, rng: np.random.Generator) -> Ints:
        """One legal action for each of some games."""
        ...


class Sampled:
    """A policy as an opponent: actions are drawn from its probabilities."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    def choose(self, batch: Batch, games: Ints, rng: np.random.Generator) -> Ints:
        """From what whoever is asked sees."""
        return self.policy.sample(batch.buffers.observations[games], batch.buffers.masks[games], rng)


class Scripted:
    """An agent as an opponent."""

    def __init__(self, agent: BatchAgent) -> None:
        self.agent = agent

    def choose(self, batch: Batch, games: Ints, rng: np.random.Generator) -> Ints:
        """The agent's actions; all its games share one generator."""
        return self.agent.act_batch(batch.shown(games), batch.buffers.masks[games], [rng] * len(games))


class League:
    """Opponents with the shares in which they are drawn; its members may change between two games."""

    def __init__(self, members: Mapping[Opponent, float] | None = None) -> None:
        self.opponents: list[Opponent] = []
        self.shares: Floats = np.zeros(0)
        if members is not None:
            self.renew(members)

    def renew(self, members: Mapping[Opponent, float]) -> None:
        """Other members, or other shares."""
        shares = list(members.values())
        if not members or min(shares) < 0 or sum(shares) <= 0:
            raise ValueError(f"a league needs members, with shares that are not negative, nor all 0: {shares}")
        self.opponents = list(members)
        self.shares = np.array(shares, float) / sum(shares)

    def draw(self, rng: np.random.Generator, size: int) -> Ints:
        """Numbers of opponents, one for each seat that is to be filled."""
        return rng.choice(len(self.opponents), size=size, p=self.shares)


class SelfPlayVecEnv(VecEnv):
    """`num_games` tables with a learner at each; see the module's text.

    `alike` is the share of tables at which one member of the league fills all other seats.
    """

    def __init__(
        self,
        num_games: int,
        league: League,
        variant: Variant,
        *,
        reward: str = "win",
        alike: float = 0.0,
        seed: int = 0,
    ) -> None:
        if not 0 <= alike <= 1:
            raise ValueError(f"alike must be from 0 to 1, not {alike}")
        self.league, self.alike = league, alike
        kind = kind_of(variant.game)
        num_players = self.num_players = variant.num_players
        self.batch = kind.batch(variant, num_games, reward=reward, seed=seed)
        self.buffers = self.batch.buffers
        self.rng = np.random.default_rng([seed, num_games])
        self.seats = np.arange(num_games) % num_players  # the learner's
        self.members = np.zeros((num_games, num_players), np.int64)  # who fills each seat
        self.lengths = np.zeros(num_games, np.int64)  # the learner's decisions in the running episode
        self._actions = np.zeros(num_games, np.int64)
        self._rewards = np.zeros(num_games, np.float32)
        self._dones = np.zeros(num_games, bool)
        self._no_info: dict[str, Any] = {}
        box = spaces.Box(0.0, 1.0, (kind.observation_size(variant),), np.float32)
        super().__init__(num_games, box, spaces.Discrete(len(kind.actions)))

    # ------------------------------------------------------------------------------ stable-baselines3's interface

    def reset(self) -> Floats32:
        """Start all games anew, with the dice of the first time; opponents are drawn on."""
        self.batch.reset()
        self.seats[:] = np.arange(self.num_envs) % self.num_players
        self.lengths[:] = 0
        self._seat_opponents(np.arange(self.num_envs))
        self._play_opponents(np.arange(self.num_envs))
        return self.buffers.observations.copy()

    def step_async(self, actions: Ints) -> None:
        """Take the learner's actions."""
        self._actions[:] = actions

    def step_wait(self) -> tuple[Floats32, Floats32, Truths, list[dict[str, Any]]]:
        """Carry them out, and play the others up to the learner's next decision in every game."""
        games = np.arange(self.num_envs)
        self._rewards[:] = 0
        self._dones[:] = False
        self.lengths += 1
        infos = [self._no_info] * self.num_envs
        lengths = self.lengths.copy()
        self._step(games)
        self._play_opponents(games)
        for i in np.flatnonzero(self._dones):
            infos[i] = {"episode": {"r": float(self._rewards[i]), "l": int(lengths[i]), "t": 0.0}}
        return self.buffers.observations.copy(), self._rewards.copy(), self._dones.copy(), infos

    def action_masks(self) -> Truths:
        """The learner's legal actions, a row for every game."""
        return self.buffers.masks.astype(bool)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Only `action_masks`, which is all that MaskablePPO asks for."""
        if method_name != "action_masks":
            raise AttributeError(f"SelfPlayVecEnv has no method {method_name!r} per game")
        masks = self.action_masks()
        return [masks[i] for i in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The same for every game."""
        if attr_name == "render_mode":
            return [None for _ in self._get_indices(indices)]
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Games have nothing of their own to set."""
        raise AttributeError("the games of a SelfPlayVecEnv have no attributes of their own")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """There are no wrappers."""
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """End the batch's threads, if there are any."""
        self.batch.close()

    # ------------------------------------------------------------------------------ the others

    def _seat_opponents(self, games: Ints) -> None:
        members = self.league.draw(self.rng, len(games) * self.num_players).reshape(len(games), -1)
        if self.alike > 0:
            alike = self.rng.random(len(games)) < self.alike
            members[alike] = members[alike, :1]
        self.members[games] = members

    def _step(self, games: Ints) -> None:
        """Carry out `_actions` in some games, and note which of them have ended."""
        self.batch.step(self._actions, games)
        ended = games[self.buffers.dones[games]]
        if not len(ended):
            return
        # An episode that ends before its learner was ever asked is none of the learner's business.
        counted = ended[~self._dones[ended] & (self.lengths[ended] > 0)]
        self._rewards[counted] = self.buffers.rewards[counted, self.seats[counted]]
        self._dones[counted] = True
        self.lengths[ended] = 0
        self.seats[ended] = (self.seats[ended] + 1) % self.num_players
        self._seat_opponents(ended)

    def _play_opponents(self, games: Ints) -> None:
        """Until the learner is asked in all of these games."""
        buffers = self.buffers
        waiting = games[buffers.to_act[games] != self.seats[games]]
        while len(waiting):
            asked = self.members[waiting, buffers.to_act[waiting]]
            for number in np.unique(asked):
                some = waiting[asked == number]
                self._actions[some] = self.league.opponents[number].choose(self.batch, some, self.rng)
            self._step(waiting)
            waiting = waiting[buffers.to_act[waiting] != self.seats[waiting]]
