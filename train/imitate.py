"""Learning to do at once what a search would find: a policy that imitates an agent with values.

    pechvogel train apprentice-2 --out runs/mine

The apprentice plays all seats, and its teacher says about every decision what each action is worth: so the apprentice
learns about the positions that it gets into itself, not only about those of perfect games (DAgger). It learns a softmax
over the teacher's values, so that it is the less sure the less a choice matters. The result is a policy of the same
kind as `ppo`'s, and plays as `ppo:weights=FILE`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch

from pechvogel.agents import policy
from pechvogel.agents.base import Agent
from pechvogel.agents.games import kind_of
from pechvogel.agents.policy import Policy, PolicyAgent
from pechvogel.tabletop.arrays import Floats32
from pechvogel.tabletop.seeds import game_seed
from pechvogel.train.config import ImitationConfig
from pechvogel.train.loop import HALVES, Arrays, Data, FittedLoop
from pechvogel.train.networks import layers_of, make_network


class Tables:
    """Some of the games, at decisions of the apprentice."""

    def __init__(self, config: ImitationConfig, teacher: Any, half: int) -> None:
        num = (config.tables + half) // HALVES
        self.rollout = config.rollout
        self.teacher = teacher
        seed = int(game_seed(np.uint64(config.seed), half, 0))
        self.batch = kind_of(config.game).batch(config.variant, max(1, num), seed=seed)
        self.rng = np.random.default_rng([config.seed, half])

    def play(self, apprentice: Policy) -> dict[str, Floats32]:
        """So many decisions at every table: what was seen, and what the teacher thinks each action is worth."""
        seen, masks, values, lost = [], [], [], []
        games, buffers = np.arange(self.batch.num_games), self.batch.buffers
        for _ in range(self.rollout):
            seen.append(buffers.observations.copy())
            masks.append(buffers.masks.copy())
            logits = apprentice.logits(seen[-1], masks[-1])
            worth = self.teacher.action_values_batch(self.batch.shown(games))
            favourites = np.argmax(logits, axis=1)[:, None]
            lost.append(np.nanmax(worth, axis=1) - np.take_along_axis(worth, favourites, axis=1)[:, 0])
            values.append(np.where(np.isnan(worth), -np.inf, worth))
            self.batch.step(np.argmax(logits + self.rng.gumbel(size=logits.shape), axis=1))
        return {
            "seen": np.concatenate(seen),
            "masks": np.concatenate(masks).astype(np.float32),
            "values": np.concatenate(values).astype(np.float32),
            "lost": np.concatenate(lost).astype(np.float32),
        }


class ImitationLearner(FittedLoop[ImitationConfig]):
    """A run of this learner."""

    unit = "decisions"
    evaluation_seed = 40_000_000

    def __init__(self, config: ImitationConfig, folder: Path) -> None:
        kind = kind_of(config.game)
        sizes = [kind.observation_size(config.variant), *config.hidden, len(kind.actions)]
        super().__init__(config, folder, lambda: make_network(sizes, torch.nn.Tanh))
        teacher = self.make_agent(config.teacher)
        if not hasattr(teacher, "action_values_batch"):
            raise ValueError(f"teacher {config.teacher!r} can't say what actions are worth (action_values_batch)")
        self.halves = [Tables(config, teacher, half) for half in range(min(HALVES, config.tables))]

    def play(self) -> tuple[Data, float]:
        """A few decisions at every table; the error is what the apprentice's favourites lose."""
        apprentice = Policy(layers_of(self.network))
        played = list(self.pool.map(lambda half: half.play(apprentice), self.halves))
        data = {key: torch.from_numpy(np.concatenate([part[key] for part in played])) for key in played[0]}
        return data, float(data.pop("lost").mean())

    def loss(self, data: Data) -> tuple[torch.Tensor, float]:
        """The surprise at what the teacher would play."""
        illegal = data["masks"] == 0
        chances = torch.softmax(data["values"] / self.config.temperature, dim=1)
        logits = self.network(data["seen"]).masked_fill(illegal, -torch.inf)
        logs = torch.log_softmax(logits, dim=1).masked_fill(illegal, 0.0)
        surprise = -(chances * logs).sum(dim=1).mean()
        return surprise, float(surprise.detach())

    def agent(self) -> Agent:
        """The policy's favourite actions."""
        return PolicyAgent.of(Policy(layers_of(self.averaged)), self.variant)

    def tables(self) -> Arrays:
        """The games of both halves."""
        return {
            f"half.{number}.{name}": array
            for number, half in enumerate(self.halves)
            for name, array in half.batch.arrays().items()
        }

    def generators(self) -> dict[str, np.random.Generator]:
        """With those that choose among the apprentice's actions."""
        return super().generators() | {f"half_{number}": half.rng for number, half in enumerate(self.halves)}

    def save(self, path: Path, about: dict[str, Any]) -> None:
        """As `ppo` reads it."""
        policy.save(Policy(layers_of(self.averaged)), path, about)
