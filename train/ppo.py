"""Self-play training with sb3-contrib's MaskablePPO, on hundreds of tables at once.

    pechvogel train ppo-2 --out runs/mine
    pechvogel train --resume runs/mine

The loop is stable-baselines3's own (collect, update), written out here so that a checkpoint can be taken between two
updates: network, optimiser, running games, league and all generators, in one safetensors file that is replaced as a
whole. A run that was killed and resumed ends with the same weights, to the bit, as one that was not.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from rich.progress import TextColumn
from safetensors.numpy import save as to_bytes
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import configure

from pechvogel.agents import registry
from pechvogel.agents.pechvogel.heuristic import HeuristicAgent
from pechvogel.agents.pechvogel.planner import PlannerAgent
from pechvogel.agents.policy import Policy, PpoAgent, save
from pechvogel.agents.random import RandomAgent
from pechvogel.tabletop.files import replace_file, to_json
from pechvogel.train.arena.tournament import against_table
from pechvogel.train.config import CHECKPOINT, HISTORY, WEIGHTS, Config, as_dict, ended
from pechvogel.train.loop import card_of
from pechvogel.train.progress import bar
from pechvogel.train.selfplay import League, Scripted, SelfPlayVecEnv, arrays_of

EVALUATION_SEED = 20_000_000  # evaluations use dice of their own, the same every time


def network(config: Config) -> dict[str, Any]:
    """Policy and critic: apart, of the same shape."""
    return {"net_arch": config.hidden, "activation_fn": torch.nn.Tanh}


class _CurrentPolicy:
    """The learner's own policy as an opponent; renewed after every update."""

    def __init__(self) -> None:
        self.policy: Policy | None = None

    def choose(self, *arguments: Any) -> NDArray[np.int64]:
        assert self.policy is not None
        return self.policy.choose(*arguments)


class Trainer:
    """A run: the model, its tables and its league."""

    def __init__(self, config: Config, folder: Path) -> None:
        # Small networks gain nothing from a second thread, and threads that wait for each other spin: one is faster,
        # leaves the other core to another run, and gives the same sums on every machine.
        torch.set_num_threads(1)
        self.config, self.folder = config, folder
        self.current = _CurrentPolicy()
        self.scripted = [Scripted(agent) for agent in (HeuristicAgent(), PlannerAgent(), RandomAgent())]
        self.frozen = _agent(config.frozen, config) if config.frozen else None
        self.snapshots: list[Policy] = []
        self.taken = 0  # snapshots so far
        self.updates = 0
        self.seconds = 0.0
        self.history: list[dict[str, Any]] = []
        self.league = League([self.current], [1.0])
        self.env = SelfPlayVecEnv(
            config.tables,
            self.league,
            num_players=config.players,
            copies=config.copies,
            alike=config.alike,
            seed=config.seed,
        )
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
            device="cpu",
        )
        if config.start and not (folder / CHECKPOINT).exists():  # a run that goes on has weights of its own
            self._begin_with(_agent(config.start, config))
        self._renew_league()
        _, self.callback = self.model._setup_learn(config.steps)
        self.model.set_logger(configure(str(folder / "tensorboard"), ["tensorboard"]))

    # ------------------------------------------------------------------------------ the loop

    def train(self) -> None:
        """Collect and update until all steps are done; then write the weights with their card."""
        config, model = self.config, self.model
        if model.num_timesteps >= config.steps and ended(self.folder):
            return  # all is done, and the card may have results that are better than ours
        saved = time.monotonic()
        with bar(TextColumn("{task.fields[status]}"), keep=True) as progress:
            task = progress.add_task("training", total=config.steps, completed=model.num_timesteps, status="")
            while model.num_timesteps < config.steps:
                began, before = time.monotonic(), model.num_timesteps
                self.update()
                if self.updates % config.evaluate_every == 0 or model.num_timesteps >= config.steps:
                    self._evaluate()
                self.seconds += time.monotonic() - began
                speed = (model.num_timesteps - before) / (time.monotonic() - began)
                progress.update(task, completed=model.num_timesteps, status=self._status(speed))
                model.logger.record("time/steps_per_second", speed)
                model.logger.dump(model.num_timesteps)
                if time.monotonic() - saved >= 60 * config.checkpoint_minutes or model.num_timesteps >= config.steps:
                    self.checkpoint()
                    saved = time.monotonic()
        self.write_weights()

    def update(self) -> None:
        """One round: play, learn from it, and show the new policy to the league."""
        model = self.model
        model.collect_rollouts(self.env, self.callback, model.rollout_buffer, self.config.rollout)
        model._update_current_progress_remaining(model.num_timesteps, self.config.steps)
        before = self.policy() if self.updates < self.config.critic_first else None
        model.train()
        if before is not None:
            self._set_policy(before)
        self.updates += 1
        self._renew_league()

    def _status(self, speed: float) -> str:
        results = [info["r"] for info in self.model.ep_info_buffer or []]
        share = ((self.config.players - 1) * float(np.mean(results)) + 1) / self.config.players if results else 0.0
        recent = self.history[-1 if self.frozen else -2 :]
        latest = "".join(f", {row['against']} {row['win_share']:.1%}" for row in recent)
        return f"{speed:,.0f} steps/s, league {share:.0%}{latest}"

    def _renew_league(self) -> None:
        """Show the new policy to the league, and keep a snapshot now and then."""
        config = self.config
        self.current.policy = self.policy()
        if self.updates % config.snapshot_every == 0 and self.updates > 0:
            if len(self.snapshots) < config.snapshots:
                self.snapshots.append(self.policy())
            else:
                self.snapshots[self.taken % config.snapshots] = self.policy()  # the oldest goes
            self.taken += 1
        self._seat_league()

    def _seat_league(self) -> None:
        if self.frozen is not None:
            self.league.opponents, self.league.shares = [Scripted(self.frozen)], np.ones(1)
            return
        config, kept = self.config, len(self.snapshots)
        opponents = [self.current, *self.scripted, *self.snapshots]
        current = config.current + (0 if kept else config.past)
        shares = [current, config.heuristic, config.planner, config.random, *[config.past / max(1, kept)] * kept]
        self.league.opponents = opponents
        self.league.shares = np.array(shares) / sum(shares)

    def policy(self) -> Policy:
        """The network as it is now, as plain arrays."""
        weights = {name: tensor.numpy().copy() for name, tensor in self.model.policy.state_dict().items()}
        return Policy([(weights[f"{layer}.weight"], weights[f"{layer}.bias"]) for layer in self._layers()])

    def _layers(self) -> list[str]:
        """The policy's layers, as stable-baselines3 names them."""
        return [*[f"mlp_extractor.policy_net.{2 * k}" for k in range(len(self.config.hidden))], "action_net"]

    def _set_policy(self, policy: Policy) -> None:
        weights = self.model.policy.state_dict()
        with torch.no_grad():
            for name, (weight, bias) in zip(self._layers(), policy.layers, strict=True):
                weights[f"{name}.weight"].copy_(torch.from_numpy(weight))
                weights[f"{name}.bias"].copy_(torch.from_numpy(bias))

    def _begin_with(self, agent: Any) -> None:
        if not isinstance(agent, PpoAgent):
            raise ValueError(f"start must be ppo or ppo:weights=FILE, not {self.config.start!r}")
        policy = agent.policy(self.config.players, self.config.copies)
        sizes = [len(bias) for _, bias in policy.layers[:-1]]
        if sizes != self.config.hidden:
            raise ValueError(f"hidden must be {sizes}, as in the weights to begin with, not {self.config.hidden}")
        self._set_policy(policy)

    def _evaluate(self) -> None:
        """One of us at a table of each scripted agent."""
        config = self.config
        opponents: list[Any] = [RandomAgent(), HeuristicAgent()] if self.frozen is None else [self.frozen]
        us = PpoAgent.of(self.policy(), config.players, config.copies)
        for opponent in opponents:
            row = against_table(us, opponent, config, EVALUATION_SEED)
            self.model.logger.record(f"win_share/{opponent.name}", row["win_share"])
            self.history.append({"steps": int(self.model.num_timesteps), **row})

    def write_weights(self) -> None:
        """What was learned so far, with its card."""
        if not self.history or self.history[-1]["steps"] != self.model.num_timesteps:  # ended early
            self._evaluate()
        replace_file(self.folder / HISTORY, to_json(self.history))
        results = self.history[-1 if self.frozen else -2 :]
        card = card_of(self.config, int(self.model.num_timesteps), self.seconds, results)
        save(self.policy(), self.folder / WEIGHTS, card)

    # ------------------------------------------------------------------------------ checkpoints

    def checkpoint(self) -> None:
        """Everything that the rest of the run depends on, in one file that is replaced as a whole."""
        model, env = self.model, self.env
        tensors = {f"policy.{name}": tensor.numpy() for name, tensor in model.policy.state_dict().items()}
        for number, state in model.policy.optimizer.state_dict()["state"].items():
            for name, tensor in state.items():
                tensors[f"optimizer.{number}.{name}"] = tensor.numpy()
        for number, snapshot in enumerate(self.snapshots):
            for name, array in snapshot.tensors().items():
                tensors[f"snapshot.{number}.{name}"] = array
        tensors |= {f"env.{name}": array.view(np.uint8) for name, array in self._env_arrays().items()}
        tensors["torch_rng"] = torch.get_rng_state().numpy()
        kind, words, place, has_gauss, gauss = np.random.get_state()  # noqa: NPY002  stable-baselines3 draws from it
        tensors["numpy_rng"] = words
        tensors["episode_starts"] = model._last_episode_starts.astype(np.uint8)
        notes = {
            "config": as_dict(self.config),
            "steps": model.num_timesteps,
            "updates": self.updates,
            "model_updates": model._n_updates,
            "taken": self.taken,
            "seconds": self.seconds,
            "history": self.history,
            "env_rng": env.rng.bit_generator.state,
            "numpy_rng": [kind, place, has_gauss, gauss],
        }
        contiguous = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
        replace_file(self.folder / CHECKPOINT, to_bytes(contiguous, {"notes": json.dumps(notes)}))
        replace_file(self.folder / HISTORY, to_json(self.history))

    def restore(self, tensors: dict[str, NDArray[Any]], notes: dict[str, Any]) -> None:
        """The inverse of `checkpoint`."""
        model, env = self.model, self.env

        def part(prefix: str) -> dict[str, NDArray[Any]]:
            return {name[len(prefix) :]: array for name, array in tensors.items() if name.startswith(prefix)}

        model.policy.load_state_dict({name: torch.from_numpy(array) for name, array in part("policy.").items()})
        optimizer = model.policy.optimizer.state_dict()
        optimizer["state"] = {}
        for key, array in part("optimizer.").items():
            number, name = key.split(".")
            optimizer["state"].setdefault(int(number), {})[name] = torch.from_numpy(array)
        model.policy.optimizer.load_state_dict(optimizer)
        grouped: dict[int, dict[str, NDArray[Any]]] = {}
        for key, array in part("snapshot.").items():
            number, name = key.split(".")
            grouped.setdefault(int(number), {})[name] = array
        self.snapshots = [Policy.from_tensors(grouped[number]) for number in sorted(grouped)]
        for name, array in self._env_arrays().items():
            array.view(np.uint8)[...] = tensors[f"env.{name}"]
        env.rng.bit_generator.state = notes["env_rng"]
        torch.set_rng_state(torch.from_numpy(tensors["torch_rng"]))
        kind, place, has_gauss, gauss = notes["numpy_rng"]
        np.random.set_state((kind, tensors["numpy_rng"], place, has_gauss, gauss))  # noqa: NPY002
        model._last_obs = env.buffers.observations.copy()
        model._last_episode_starts = tensors["episode_starts"].astype(bool)
        model.num_timesteps, model._n_updates = notes["steps"], notes["model_updates"]
        self.updates, self.taken = notes["updates"], notes["taken"]
        self.seconds, self.history = notes["seconds"], notes["history"]
        self.current.policy = self.policy()
        self._seat_league()

    def _env_arrays(self) -> dict[str, NDArray[Any]]:
        """All that the tables consist of; views, to be read and written."""
        env = self.env
        return arrays_of(env.batch) | {"seats": env.seats, "members": env.members, "lengths": env.lengths}


def _agent(spec: str, config: Config) -> Any:
    """An agent that can play this game and decide many at once."""
    agent = registry.make(spec)
    registry.prepare(agent, config.players, config.copies)
    if not hasattr(agent, "act_batch"):
        raise ValueError(f"agent {spec!r} has no act_batch, which training needs")
    return agent
