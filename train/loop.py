"""The loop of every training run: play, learn, evaluate now and then, and lose nothing.

A checkpoint is one file with its SHA-256 that is replaced as a whole; the one before is kept, for the case that it is
damaged. A run that was killed and resumed ends with the same weights, to the bit, as one that was not. What it plays
and learns is the business of its learner (`ppo`, `value`, `imitate`).
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from rich.progress import TextColumn
from safetensors.numpy import save as to_bytes
from torch.utils.tensorboard import SummaryWriter

from pechvogel import __version__
from pechvogel.agents import card, registry
from pechvogel.agents.base import Agent
from pechvogel.agents.games import kind_of
from pechvogel.tabletop.files import replace_file, to_json
from pechvogel.train.arena.tournament import against_table
from pechvogel.train.config import CHECKPOINT, HISTORY, WEIGHTS, Config, ImitationConfig, ValueConfig, as_dict, ended
from pechvogel.train.networks import device_of
from pechvogel.train.progress import bar

Data = dict[str, torch.Tensor]  # by name; a row per position
Arrays = dict[str, NDArray[Any]]
SomeConfig = TypeVar("SomeConfig", bound=Config)
FittedConfig = TypeVar("FittedConfig", bound=ValueConfig | ImitationConfig)

BEFORE = "checkpoint-before.safetensors"  # the last checkpoint but one, beside CHECKPOINT
LARGEST = 2**53  # of what a checkpoint counts

HALVES = 2  # of the tables, each played by a thread


@contextmanager
def _errors_told_once() -> Iterator[None]:
    """TensorBoard's thread hands us its errors (a full disk), and we tell them: it need not print them as well."""
    hook = threading.excepthook
    threading.excepthook = lambda args: None if isinstance(args.exc_value, OSError) else hook(args)
    try:
        yield
    finally:
        threading.excepthook = hook


class Loop(ABC, Generic[SomeConfig]):
    """A run, and how far it has come."""

    unit: ClassVar[str]  # what a run is measured in: the key of its config that says how many
    evaluation_seed: ClassVar[int]  # evaluations use dice of their own

    def __init__(self, config: SomeConfig, folder: Path) -> None:
        # Small networks gain nothing from a second thread, and threads that wait for each other spin: one is faster,
        # leaves the other core to games or to another run, and gives the same sums on every machine.
        torch.set_num_threads(1)
        self.config, self.folder = config, folder
        self.device = device_of(config.device)
        self.variant = config.variant
        self.kind = kind_of(config.game)
        self.opponents = [self.make_agent(spec) for spec in config.evaluate_against]
        self.done = self.updates = 0
        self.goal: int = getattr(config, self.unit)
        self.seconds = 0.0
        self.history: list[dict[str, Any]] = []

    def make_agent(self, spec: str) -> Any:
        """An agent that can play this game."""
        agent = registry.make(spec, self.config.game)
        registry.prepare(agent, self.variant)
        return agent

    # ------------------------------------------------------------------------------ a learner's own

    optimizer: torch.optim.Optimizer

    @abstractmethod
    def update(self) -> dict[str, float]:
        """One round: play, then learn from it, and count both; returns what TensorBoard shows."""

    @abstractmethod
    def status(self, measured: dict[str, float]) -> str:
        """A word on an update, for the progress bar."""

    @abstractmethod
    def agent(self) -> Agent:
        """Who plays in evaluations: what was learned so far."""

    @abstractmethod
    def save(self, path: Path, about: dict[str, Any]) -> None:
        """Write what was learned with its card."""

    @abstractmethod
    def modules(self) -> dict[str, torch.nn.Module]:
        """All networks, by name."""

    @abstractmethod
    def tables(self) -> Arrays:
        """All that the running games consist of; views, to be read and written."""

    @abstractmethod
    def generators(self) -> dict[str, np.random.Generator]:
        """All that is drawn from."""

    def further(self) -> tuple[Arrays, dict[str, Any]]:
        """What else the rest of the run depends on: arrays, and notes."""
        return {}, {}

    def restore_further(self, tensors: Arrays, notes: dict[str, Any]) -> None:
        """The inverse of `further`, after all else is restored."""

    # ------------------------------------------------------------------------------ the loop

    def train(self) -> None:
        """Play and learn until all is done; then write the weights with their card."""
        config = self.config
        if self.done >= self.goal and ended(self.folder):
            return  # all is done, and the card may have results that are better than ours
        saved = time.monotonic()
        with (
            _errors_told_once(),
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
                status = [f"{speed:,.0f} {self.unit}/s", self.status(measured), *latest]
                progress.update(task, completed=self.done, status=", ".join(status))
                for name, value in {**measured, f"time/{self.unit}_per_second": speed}.items():
                    writer.add_scalar(name, value, self.done)
                if time.monotonic() - saved >= 60 * config.checkpoint_minutes or self.done >= self.goal:
                    writer.flush()
                    self.checkpoint()
                    saved = time.monotonic()
        self.write_weights()

    def evaluate(self) -> dict[str, float]:
        """One of us at a table of each opponent."""
        agent, games = self.agent(), self.config.evaluation_games
        rows = [against_table(agent, other, self.variant, games, self.evaluation_seed) for other in self.opponents]
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
        about = {
            **card.head(self.variant),
            "version": __version__,
            "config": as_dict(self.config),
            "steps": self.done,
            "seconds": round(self.seconds),
            "results": self.latest(),
        }
        self.save(self.folder / WEIGHTS, about)

    # ------------------------------------------------------------------------------ checkpoints

    def checkpoint(self) -> None:
        """Everything that the rest of the run depends on, in one file that is replaced as a whole."""
        further, more_notes = self.further()
        tensors = {name: array.view(np.uint8) for name, array in self.tables().items()} | further
        for module, network in self.modules().items():
            tensors |= {f"{module}.{name}": tensor.cpu().numpy() for name, tensor in network.state_dict().items()}
        for number, state in self.optimizer.state_dict()["state"].items():
            for name, tensor in state.items():
                tensors[f"optimizer.{number}.{name}"] = tensor.cpu().numpy()
        notes = {
            "config": as_dict(self.config),
            "done": self.done,
            "updates": self.updates,
            "seconds": self.seconds,
            "history": self.history,
            "generators": {name: rng.bit_generator.state for name, rng in self.generators().items()},
            **more_notes,
        }
        contiguous = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
        about = {"notes": json.dumps(notes)}
        about["sha256"] = digest(contiguous, about["notes"])
        _keep(self.folder / CHECKPOINT, self.folder / BEFORE)
        replace_file(self.folder / CHECKPOINT, to_bytes(contiguous, about))
        replace_file(self.folder / HISTORY, to_json(self.history))

    def restore(self, tensors: Arrays, notes: dict[str, Any]) -> None:
        """The inverse of `checkpoint`; ValueError and the like if it is of another run or by another hand."""
        self.done, self.updates = count(notes, "done"), count(notes, "updates")
        self.seconds, self.history = _number(notes, "seconds"), notes["history"]
        if not isinstance(self.history, list):
            raise ValueError("history must be a list")
        for row in self.history:
            count(row, "steps")
            _number(row, "win_share")
            if not isinstance(row["against"], str):
                raise ValueError("against must be a name")
        for module, network in self.modules().items():
            found = part(tensors, f"{module}.")
            for name, tensor in network.state_dict().items():
                check_like(f"{module}.{name}", found[name], tensor.cpu().numpy())
            network.load_state_dict({name: torch.from_numpy(array) for name, array in found.items()})
        optimizer = self.optimizer.state_dict()
        optimizer["state"] = self._optimizer_state(part(tensors, "optimizer."))
        self.optimizer.load_state_dict(optimizer)
        for name, array in self.tables().items():
            check_like(name, tensors[name], array.view(np.uint8))
            array.view(np.uint8)[...] = tensors[name]
        for name, rng in self.generators().items():
            rng.bit_generator.state = notes["generators"][name]
        self.restore_further(tensors, notes)

    def _optimizer_state(self, tensors: Arrays) -> dict[int, dict[str, torch.Tensor]]:
        parameters = [parameter for group in self.optimizer.param_groups for parameter in group["params"]]
        state: dict[int, dict[str, torch.Tensor]] = {}
        for number, parameter in enumerate(parameters):
            like = parameter.detach().cpu().numpy()
            found = part(tensors, f"{number}.")
            if found:  # Adam's: how many steps, and two averages
                wanted = {"step": np.zeros(1, np.float32), "exp_avg": like, "exp_avg_sq": like}
                for name, array in wanted.items():
                    check_like(f"optimizer.{number}.{name}", found[name], array)
                state[number] = {name: torch.from_numpy(array) for name, array in found.items()}
        if sum(map(len, state.values())) != len(tensors):
            raise ValueError("the optimizer has other parameters")
        return state


def digest(tensors: Arrays, notes: str) -> str:
    """The SHA-256 of all that a checkpoint says."""
    found = hashlib.sha256(notes.encode())
    for name, array in sorted(tensors.items()):
        found.update(f"\0{name} {array.dtype.str} {array.shape}\0".encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def _keep(path: Path, before: Path) -> None:
    """A second name for a file that is about to be replaced: at no moment is there none."""
    if not path.exists():
        return
    spare = before.with_name(f".{before.name}")
    spare.unlink(missing_ok=True)
    try:
        os.link(path, spare)
    except OSError:  # not every file system has links
        replace_file(before, path.read_bytes())
    else:
        spare.replace(before)


def count(notes: Any, key: str, most: int = LARGEST) -> int:
    """A whole number in notes."""
    value = notes[key]
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise ValueError(f"{key} must be a whole number from 0 to {most}")
    return value


def _number(notes: Any, key: str) -> float:
    value = notes[key]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= LARGEST:
        raise ValueError(f"{key} must be a number from 0 on")
    return float(value)


def check_like(name: str, array: NDArray[Any], like: NDArray[Any]) -> None:
    """Refuse an array of another shape or type, which assignments would stretch or convert."""
    if array.shape != like.shape or array.dtype != like.dtype:
        raise ValueError(f"{name} must be {like.dtype} of {like.shape}, not {array.dtype} of {array.shape}")


def part(tensors: Arrays, prefix: str) -> Arrays:
    """Those whose names begin so, without that beginning."""
    return {name[len(prefix) :]: array for name, array in tensors.items() if name.startswith(prefix)}


class FittedLoop(Loop[FittedConfig]):
    """A run that fits a network of our own to targets, and plays with its average over updates."""

    def __init__(self, config: FittedConfig, folder: Path, make_network: Callable[[], torch.nn.Module]) -> None:
        super().__init__(config, folder)
        torch.manual_seed(config.seed)
        self.network = make_network().to(self.device)
        self.averaged = deepcopy(self.network)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=config.learning_rate)
        self.shuffle = np.random.default_rng(config.seed)
        self.pool = ThreadPoolExecutor(HALVES)

    @abstractmethod
    def play(self) -> tuple[Data, float]:
        """Positions to learn from, and the mean error that was found in them."""

    @abstractmethod
    def loss(self, data: Data) -> tuple[torch.Tensor, float]:
        """What is to become small, and what TensorBoard shows of it."""

    def modules(self) -> dict[str, torch.nn.Module]:
        """The network and its average."""
        return {"network": self.network, "averaged": self.averaged}

    def generators(self) -> dict[str, np.random.Generator]:
        """What orders positions."""
        return {"shuffle": self.shuffle}

    def status(self, measured: dict[str, float]) -> str:
        """How far off the network was."""
        return f"error {measured['train/error']:.4f}"

    def update(self) -> dict[str, float]:
        """Play, learn in minibatches, and average."""
        config = self.config
        data, error = self.play()
        num = len(next(iter(data.values())))
        progress = min(1.0, self.done / self.goal)
        # To a hundredth along a cosine.
        rate = config.learning_rate * (0.01 + 0.99 * (1 + math.cos(math.pi * progress)) / 2)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        data = {name: rows.to(self.device) for name, rows in data.items()}
        losses = []
        for _ in range(config.epochs):
            order = torch.from_numpy(self.shuffle.permutation(num)).to(self.device)
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
