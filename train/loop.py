"""The loop of a run that trains a network of our own: play, learn, evaluate now and then, and lose nothing.

A checkpoint is one file that is replaced as a whole, and a run that was killed and resumed ends with the same weights,
to the bit, as one that was not. What it plays and learns is the business of its learner (`value`, `imitate`).
"""

from __future__ import annotations

import json
import math
import time
from abc import ABC, abstractmethod
from copy import deepcopy
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from rich.progress import TextColumn
from safetensors.numpy import save as to_bytes
from torch.utils.tensorboard import SummaryWriter

from pechvogel.agents.base import Agent
from pechvogel.tabletop.files import replace_file, to_json
from pechvogel.train.arena.tournament import against_table
from pechvogel.train.config import CHECKPOINT, HISTORY, WEIGHTS, AnyConfig, OwnConfig, as_dict, ended
from pechvogel.train.progress import bar
from pechvogel_env import __version__

Data = dict[str, torch.Tensor]  # by name; a row per position
SomeConfig = TypeVar("SomeConfig", bound=OwnConfig)


def card_of(config: AnyConfig, steps: int, seconds: float, results: list[dict[str, Any]]) -> dict[str, Any]:
    """What a run says about the weights that it made."""
    return {
        "players": config.players,
        "copies": config.copies,
        "version": __version__,
        "config": as_dict(config),
        "steps": steps,
        "seconds": round(seconds),
        "results": results,
    }


class Loop(ABC, Generic[SomeConfig]):
    """A run: the network, its average over updates, and how far it has come."""

    unit = "steps"  # what a run is measured in: the key of its config that says how many
    evaluation_seed = 0  # evaluations use dice of their own

    def __init__(self, config: SomeConfig, folder: Path, network: torch.nn.Module) -> None:
        self.config, self.folder = config, folder
        self.network = network
        self.averaged = deepcopy(network)
        self.optimizer = torch.optim.Adam(network.parameters(), lr=config.learning_rate)
        self.shuffle = np.random.default_rng(config.seed)
        self.done = self.updates = 0
        self.goal: int = getattr(config, self.unit)
        self.seconds = 0.0
        self.history: list[dict[str, Any]] = []

    # ------------------------------------------------------------------------------ a learner's own

    @abstractmethod
    def play(self) -> tuple[Data, float]:
        """Positions to learn from, and the mean error that was found in them."""

    @abstractmethod
    def loss(self, data: Data) -> tuple[torch.Tensor, float]:
        """What is to become small, and what TensorBoard shows of it."""

    @abstractmethod
    def opponents(self) -> list[Agent]:
        """Who is played in evaluations."""

    @abstractmethod
    def agent(self) -> Agent:
        """Who plays them: the averaged network."""

    @abstractmethod
    def tables(self) -> dict[str, NDArray[Any]]:
        """All that the running games consist of; views, to be read and written."""

    @abstractmethod
    def save(self, path: Path, card: dict[str, Any]) -> None:
        """Write the averaged network with its card."""

    def generators(self) -> dict[str, np.random.Generator]:
        """All that is drawn from."""
        return {"shuffle": self.shuffle}

    # ------------------------------------------------------------------------------ the loop

    def train(self) -> None:
        """Play and learn until all is done; then write the weights with their card."""
        config = self.config
        if self.done >= self.goal and ended(self.folder):
            return
        saved = time.monotonic()
        with (
            # What a killed run has written after its checkpoint comes once more.
            SummaryWriter(str(self.folder / "tensorboard"), purge_step=self.done + 1) as writer,
            bar(TextColumn("{task.fields[status]}"), keep=True) as progress,
        ):
            task = progress.add_task("training", total=self.goal, completed=self.done, status="")
            while self.done < self.goal:
                began, before = time.monotonic(), self.done
                measured = self.update()
                if self.updates % config.evaluate_every == 0 or self.done >= self.goal:
                    measured |= self.evaluate()
                self.seconds += time.monotonic() - began
                speed = (self.done - before) / (time.monotonic() - began)
                latest = [f"{row['against']} {row['win_share']:.1%}" for row in self.latest()]
                status = [f"{speed:,.0f} {self.unit}/s", f"error {measured['train/error']:.4f}", *latest]
                progress.update(task, completed=self.done, status=", ".join(status))
                for name, value in {**measured, f"time/{self.unit}_per_second": speed}.items():
                    writer.add_scalar(name, value, self.done)
                if time.monotonic() - saved >= 60 * config.checkpoint_minutes or self.done >= self.goal:
                    writer.flush()
                    self.checkpoint()
                    saved = time.monotonic()
        self.write_weights()

    def update(self) -> dict[str, float]:
        """One round: play, then learn from it; returns what TensorBoard shows."""
        config = self.config
        data, error = self.play()
        num = len(next(iter(data.values())))
        progress = min(1.0, self.done / self.goal)
        rate = config.learning_rate * (0.01 + 0.99 * (1 + math.cos(math.pi * progress)) / 2)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        losses = []
        for _ in range(config.epochs):
            order = torch.from_numpy(self.shuffle.permutation(num))
            for at in range(0, num, config.minibatch):
                some = order[at : at + config.minibatch]
                losses.append(self._learn({name: rows[some] for name, rows in data.items()}))
        with torch.no_grad():
            share = min(config.average, self.updates / (self.updates + 10))
            for kept, new in zip(self.averaged.parameters(), self.network.parameters(), strict=True):
                kept.lerp_(new, 1 - share)
        self.done += num
        self.updates += 1
        return {"train/loss": float(np.mean(losses)), "train/error": error, "train/learning_rate": rate}

    def _learn(self, data: Data) -> float:
        loss, shown = self.loss(data)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        return shown

    def evaluate(self) -> dict[str, float]:
        """One of us, with the averaged weights, at a table of each opponent."""
        agent = self.agent()
        rows = [against_table(agent, other, self.config, self.evaluation_seed) for other in self.opponents()]
        self.history += [{"steps": self.done, **row} for row in rows]
        return {f"win_share/{row['against']}": row["win_share"] for row in rows}

    def latest(self) -> list[dict[str, Any]]:
        """The last evaluation."""
        return [row for row in self.history if row["steps"] == self.history[-1]["steps"]]

    def write_weights(self) -> None:
        """What was learned so far, with its card."""
        if not self.history or self.history[-1]["steps"] != self.done:  # ended early
            self.evaluate()
        replace_file(self.folder / HISTORY, to_json(self.history))
        self.save(self.folder / WEIGHTS, card_of(self.config, self.done, self.seconds, self.latest()))

    # ------------------------------------------------------------------------------ checkpoints

    def checkpoint(self) -> None:
        """Everything that the rest of the run depends on, in one file that is replaced as a whole."""
        tensors = {f"network.{name}": tensor.numpy() for name, tensor in self.network.state_dict().items()}
        tensors |= {f"averaged.{name}": tensor.numpy() for name, tensor in self.averaged.state_dict().items()}
        for number, state in self.optimizer.state_dict()["state"].items():
            for name, tensor in state.items():
                tensors[f"optimizer.{number}.{name}"] = tensor.numpy()
        tensors |= self.tables()
        notes = {
            "config": as_dict(self.config),
            self.unit: self.done,
            "updates": self.updates,
            "seconds": self.seconds,
            "history": self.history,
            **{name: rng.bit_generator.state for name, rng in self.generators().items()},
        }
        contiguous = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
        replace_file(self.folder / CHECKPOINT, to_bytes(contiguous, {"notes": json.dumps(notes)}))
        replace_file(self.folder / HISTORY, to_json(self.history))

    def restore(self, tensors: dict[str, NDArray[Any]], notes: dict[str, Any]) -> None:
        """The inverse of `checkpoint`."""

        def part(prefix: str) -> dict[str, torch.Tensor]:
            return {
                name[len(prefix) :]: torch.from_numpy(array)
                for name, array in tensors.items()
                if name.startswith(prefix)
            }

        self.network.load_state_dict(part("network."))
        self.averaged.load_state_dict(part("averaged."))
        optimizer = self.optimizer.state_dict()
        optimizer["state"] = {}
        for key, tensor in part("optimizer.").items():
            number, name = key.split(".")
            optimizer["state"].setdefault(int(number), {})[name] = tensor
        self.optimizer.load_state_dict(optimizer)
        for name, array in self.tables().items():
            array[...] = tensors[name]
        for name, rng in self.generators().items():
            rng.bit_generator.state = notes[name]
        self.done, self.updates = notes[self.unit], notes["updates"]
        self.seconds, self.history = notes["seconds"], notes["history"]
