"""Learning to do at once what a search would find: a policy that imitates an agent with values.

    pechvogel train apprentice-2 --out runs/mine

The apprentice plays all seats, and its teacher says about every decision what each action is worth: so the apprentice
learns about the positions that it gets into itself, not only about those of perfect games (DAgger). It learns a softmax
over the teacher's values, so that it is the less sure the less a choice matters. The result is a policy of the same
kind as `ppo`'s, and plays as `ppo:weights=FILE`.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from pechvogel.agents import policy as ppo
from pechvogel.agents import registry
from pechvogel.agents.base import Agent
from pechvogel.agents.pechvogel.heuristic import HeuristicAgent
from pechvogel.agents.pechvogel.planner import PlannerAgent
from pechvogel.agents.policy import Policy, PpoAgent
from pechvogel.train.config import ImitationConfig
from pechvogel.train.loop import Data, Loop
from pechvogel.train.selfplay import arrays_of
from pechvogel_env import observation
from pechvogel_env.batch import Batch, Buffers
from pechvogel_env.dice import game_seed
from pechvogel_env.rules import NUM_ACTIONS

HALVES = 2  # of the tables, each played by a thread


class Tables:
    """Some of the games, at decisions of the apprentice."""

    def __init__(self, config: ImitationConfig, teacher: Any, half: int) -> None:
        num = (config.tables + half) // HALVES
        self.rollout = config.rollout
        self.teacher = teacher
        self.buffers = Buffers.allocate(max(1, num), config.players)
        seed = int(game_seed(np.uint64(config.seed), half, 0))
        self.batch = Batch(self.buffers, num_players=config.players, copies=config.copies, seed=seed)
        self.rng = np.random.default_rng([config.seed, half])

    def play(self, policy: Policy) -> dict[str, NDArray[np.float32]]:
        """So many decisions at every table: what was seen, and what the teacher thinks each action is worth."""
        seen, masks, values, lost = [], [], [], []
        for _ in range(self.rollout):
            seen.append(self.buffers.observations.copy())
            masks.append(self.buffers.masks.copy())
            logits = policy.logits(seen[-1], masks[-1])
            worth = self.teacher.action_values_batch(self.batch.states)
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


def make_network(config: ImitationConfig) -> torch.nn.Sequential:
    """As `agents.ppo.Policy` runs it."""
    sizes = [observation.size(config.players), *config.hidden, NUM_ACTIONS]
    layers: list[torch.nn.Module] = []
    for k in range(len(sizes) - 1):
        layers += [torch.nn.Linear(sizes[k], sizes[k + 1]), torch.nn.Tanh()]
    return torch.nn.Sequential(*layers[:-1])


def as_policy(network: torch.nn.Module) -> Policy:
    """The network as plain arrays."""
    arrays = [tensor.detach().numpy().copy() for tensor in network.state_dict().values()]
    return Policy(list(zip(arrays[::2], arrays[1::2], strict=True)))


class Trainer(Loop[ImitationConfig]):
    """A run of this learner."""

    unit = "decisions"
    evaluation_seed = 40_000_000

    def __init__(self, config: ImitationConfig, folder: Path) -> None:
        torch.set_num_threads(1)  # each half of the tables has a thread
        torch.manual_seed(config.seed)
        super().__init__(config, folder, make_network(config))
        teacher = registry.make(config.teacher)
        registry.prepare(teacher, config.players, config.copies)
        if not hasattr(teacher, "action_values_batch"):
            raise ValueError(f"teacher {config.teacher!r} can't say what actions are worth (action_values_batch)")
        self.pool = ThreadPoolExecutor(HALVES)
        self.halves = [Tables(config, teacher, half) for half in range(min(HALVES, config.tables))]

    def play(self) -> tuple[Data, float]:
        """A few decisions at every table; the error is what the apprentice's favourites lose."""
        policy = as_policy(self.network)
        played = list(self.pool.map(lambda half: half.play(policy), self.halves))
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

    def opponents(self) -> list[Agent]:
        """The scripted agents that are worth playing."""
        return [HeuristicAgent(), PlannerAgent()]

    def agent(self) -> Agent:
        """The policy's favourite actions."""
        return PpoAgent.of(as_policy(self.averaged), self.config.players, self.config.copies)

    def tables(self) -> dict[str, NDArray[Any]]:
        """The games of both halves."""
        return {
            f"half.{number}.{name}": array
            for number, half in enumerate(self.halves)
            for name, array in arrays_of(half.batch).items()
        }

    def generators(self) -> dict[str, np.random.Generator]:
        """With those that choose among the apprentice's actions."""
        return super().generators() | {f"half_{number}": half.rng for number, half in enumerate(self.halves)}

    def save(self, path: Path, card: dict[str, Any]) -> None:
        """As `ppo` reads it."""
        ppo.save(as_policy(self.averaged), path, card)
