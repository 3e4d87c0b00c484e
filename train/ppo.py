"""Self-play training with sb3-contrib's MaskablePPO, on hundreds of tables at once.

    pechvogel train ppo-2 --out runs/mine
    pechvogel train --resume runs/mine

An update is stable-baselines3's own (collect, train), so that a checkpoint can be taken between two of them: network,
optimiser, running games, league and all generators.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger

from pechvogel.agents import policy
from pechvogel.agents.base import Agent
from pechvogel.agents.policy import Policy, PolicyAgent
from pechvogel.tabletop.rewards import win_share
from pechvogel.train.config import CHECKPOINT, PpoConfig
from pechvogel.train.loop import Arrays, Loop, check_like, count, part
from pechvogel.train.selfplay import League, Opponent, Sampled, Scripted, SelfPlayVecEnv

OWN = ("current", "past")  # members of a league that are no agents: the learner, and snapshots of it


def network(config: PpoConfig) -> dict[str, Any]:
    """Policy and critic: apart, of the same shape."""
    return {"net_arch": config.hidden, "activation_fn": torch.nn.Tanh}


class PpoLearner(Loop[PpoConfig]):
    """A run of this learner: the model, its tables and its league."""

    unit = "steps"
    evaluation_seed = 20_000_000

    def __init__(self, config: PpoConfig, folder: Path) -> None:
        super().__init__(config, folder)
        self.scripted = {spec: self._scripted(spec) for spec in config.league if spec not in OWN}
        self.snapshots: list[Policy] = []
        self.taken = 0  # snapshots so far
        self.league = League()
        self.env = SelfPlayVecEnv(config.tables, self.league, self.variant, alike=config.alike, seed=config.seed)
        self.model = MaskablePPO(
            "MlpPolicy",
            self.env,
            n_steps=config.rollout,
            batch_size=config.minibatch,
            n_epochs=config.epochs,
            learning_rate=lambda left: config.learning_rate * (0.1 + 0.9 * left),
            ent_coef=config.entropy,
            clip_range=config.clip,
            gamma=1.0,
            gae_lambda=config.gae_lambda,
            policy_kwargs=network(config),
            seed=config.seed,
            device=self.device,
        )
        self.optimizer = self.model.policy.optimizer
        if config.start and not (folder / CHECKPOINT).exists():  # a run that goes on has weights of its own
            self._begin_with(self.make_agent(config.start))
        self._renew_league()
        self.model.set_logger(Logger(None, []))  # it notes what it measures; the loop writes it
        _, self.callback = self.model._setup_learn(config.steps)

    def _scripted(self, spec: str) -> Scripted:
        agent = self.make_agent(spec)
        if not hasattr(agent, "act_batch"):
            raise ValueError(f"agent {spec!r} has no act_batch, which training needs")
        return Scripted(agent)

    def update(self) -> dict[str, float]:
        """Play, learn from it, and show the new policy to the league."""
        model, config = self.model, self.config
        model.collect_rollouts(self.env, self.callback, model.rollout_buffer, config.rollout)
        model._update_current_progress_remaining(model.num_timesteps, config.steps)
        before = self.policy() if self.updates < config.critic_first else None
        model.train()
        if before is not None:
            self._set_policy(before)
        self.done = model.num_timesteps
        self.updates += 1
        if self.updates % config.snapshot_every == 0:
            if len(self.snapshots) < config.snapshots:
                self.snapshots.append(self.policy())
            else:
                self.snapshots[self.taken % config.snapshots] = self.policy()  # the oldest goes
            self.taken += 1
        self._renew_league()
        measured = {name: float(value) for name, value in model.logger.name_to_value.items()}
        model.logger.dump()  # forgets them
        return measured

    def status(self, measured: dict[str, float]) -> str:
        """How it does in its league."""
        results = [info["r"] for info in self.model.ep_info_buffer or []]
        return f"league {win_share(float(np.mean(results)), self.config.players) if results else 0:.0%}"

    def _renew_league(self) -> None:
        """Who sits in the other seats until the next update; without snapshots, the learner sits in for its past."""
        shares, kept = self.config.league, len(self.snapshots)
        past = shares.get("past", 0.0)
        members: dict[Opponent, float] = {Sampled(self.policy()): shares.get("current", 0.0) + (0 if kept else past)}
        members |= {opponent: shares[spec] for spec, opponent in self.scripted.items()}
        members |= {Sampled(snapshot): past / kept for snapshot in self.snapshots}
        self.league.renew(members)

    # ------------------------------------------------------------------------------ the policy

    def policy(self) -> Policy:
        """The network as it is now, as plain arrays."""
        weights = {name: tensor.cpu().numpy().copy() for name, tensor in self.model.policy.state_dict().items()}
        return Policy([(weights[f"{layer}.weight"], weights[f"{layer}.bias"]) for layer in self._layers()])

    def _layers(self) -> list[str]:
        """The policy's layers, as stable-baselines3 names them."""
        return [*[f"mlp_extractor.policy_net.{2 * k}" for k in range(len(self.config.hidden))], "action_net"]

    def _set_policy(self, new: Policy) -> None:
        weights = self.model.policy.state_dict()
        with torch.no_grad():
            for name, (weight, bias) in zip(self._layers(), new.layers, strict=True):
                weights[f"{name}.weight"].copy_(torch.from_numpy(weight))
                weights[f"{name}.bias"].copy_(torch.from_numpy(bias))

    def _begin_with(self, agent: Agent) -> None:
        if not isinstance(agent, PolicyAgent):
            raise ValueError(f"start must be ppo or ppo:weights=FILE, not {self.config.start!r}")
        found = agent.policy(self.variant)
        sizes = [len(bias) for _, bias in found.layers[:-1]]
        if sizes != self.config.hidden:
            raise ValueError(f"hidden must be {sizes}, as in the weights to begin with, not {self.config.hidden}")
        self._set_policy(found)

    def agent(self) -> Agent:
        """The policy's favourite actions."""
        return PolicyAgent.of(self.policy(), self.variant)

    def save(self, path: Path, about: dict[str, Any]) -> None:
        """As `ppo` reads it."""
        policy.save(self.policy(), path, about)

    # ------------------------------------------------------------------------------ checkpoints

    def modules(self) -> dict[str, torch.nn.Module]:
        """Policy and critic are one module to stable-baselines3."""
        return {"policy": self.model.policy}

    def tables(self) -> Arrays:
        """The games, and who sits at them."""
        env = self.env
        seating = {"seats": env.seats, "members": env.members, "lengths": env.lengths}
        return {f"env.{name}": array for name, array in (env.batch.arrays() | seating).items()}

    def generators(self) -> dict[str, np.random.Generator]:
        """What seats opponents, and samples their actions."""
        return {"env": self.env.rng}

    def further(self) -> tuple[Arrays, dict[str, Any]]:
        """Snapshots, and what stable-baselines3 draws from and counts."""
        state: Any = np.random.get_state()  # noqa: NPY002  stable-baselines3 draws from it
        kind, words, place, has_gauss, gauss = state
        tensors: Arrays = {
            f"snapshot.{number}.{name}": array
            for number, snapshot in enumerate(self.snapshots)
            for name, array in snapshot.tensors().items()
        }
        tensors |= {"torch_rng": torch.get_rng_state().numpy(), "numpy_rng": words}
        tensors["episode_starts"] = np.asarray(self.model._last_episode_starts, np.uint8)
        notes = {"taken": self.taken, "snapshots": len(self.snapshots), "model_updates": self.model._n_updates}
        return tensors, {**notes, "numpy_rng": [kind, place, has_gauss, gauss]}

    def restore_further(self, tensors: Arrays, notes: dict[str, Any]) -> None:
        """The inverse of `further`."""
        model = self.model
        kept = range(count(notes, "snapshots", self.config.snapshots))
        for number in kept:
            for name, array in self.policy().tensors().items():
                check_like(f"snapshot {number}", tensors[f"snapshot.{number}.{name}"], array)
        self.snapshots = [Policy.from_tensors(part(tensors, f"snapshot.{number}.")) for number in kept]
        self.taken = count(notes, "taken")
        torch.set_rng_state(torch.from_numpy(tensors["torch_rng"]))
        kind, place, has_gauss, gauss = notes["numpy_rng"]
        check_like("numpy_rng", tensors["numpy_rng"], np.zeros(624, np.uint32))
        np.random.set_state((kind, tensors["numpy_rng"], place, has_gauss, gauss))  # noqa: NPY002
        model._last_obs = self.env.buffers.observations.copy()
        check_like("episode_starts", tensors["episode_starts"], np.zeros(self.config.tables, np.uint8))
        model._last_episode_starts = tensors["episode_starts"].astype(bool)
        model.num_timesteps, model._n_updates = self.done, count(notes, "model_updates")
        self._renew_league()
