"""Learning what a position between turns is worth, by self-play.

    pechvogel train configs/champion-2.yaml --out runs/mine

Every turn of every game is searched exactly (`agents.turn`), with the network at its ends. So a position has two
values: what the network says, and what its turn is worth by what the network says after it, all dice of the turn
considered; the network learns the second. Later turns of the same game correct it, as in TD(lambda):

    target[t] = turn[t] + trace * (target[t + 1] - network[t + 1])

As `turn` is a mean over all dice, no luck is in these targets: only what the network did not know about itself. The
search that gives a turn's value plays it, too, so each turn costs one batch of evaluations.

Two threads each play half of the tables; what they do does not depend on each other, so results depend on nothing but
the config. A checkpoint is one file that is replaced as a whole, and a run that was killed and resumed ends with the
same weights, to the bit, as one that was not.
"""

from __future__ import annotations

import json
import math
import time
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from rich.progress import TextColumn
from safetensors.numpy import save as to_bytes
from torch.utils.tensorboard import SummaryWriter

from agents.heuristic import HeuristicAgent
from agents.planner import PlannerAgent
from agents.turn_ends import count_ends, expand, new_starts
from agents.value import POINTS, ValueNet, by_seat, features, num_features, rewards, save
from pechvogel_env import __version__, rules
from pechvogel_env._compile import compiled
from pechvogel_env.dice import game_seed, seeded_first_player
from pechvogel_env.files import replace_file, to_json
from pechvogel_env.rules import MAX_PLAYERS, Phase, States
from train.config import CHECKPOINT, HISTORY, WEIGHTS, ValueConfig, as_dict
from train.progress import bar
from train.tournament import against_table
from train.turn_play import play_turns

EVALUATION_SEED = 30_000_000  # evaluations use dice of their own
HALVES = 2  # of the tables, each played by a thread
AT_ONCE = 128  # turns searched together
LONGEST = 500  # turns, after which a game is given up: players who explore may never end it


class Tables:
    """Some of the games, between turns."""

    def __init__(self, config: ValueConfig, numbers: range) -> None:
        self.config = config
        self.numbers = np.array(numbers, np.int64)
        self.states = rules.new_states(len(numbers))
        self.episodes = np.zeros(len(numbers), np.int64)
        self.seeds = np.zeros(len(numbers), np.uint64)
        _new_games(self.states, np.arange(len(numbers)), self.numbers, self.episodes, self.seeds, config)

    def play(self, net: torch.nn.Module, rollout: int) -> dict[str, NDArray[np.float32]]:
        """Play so many turns at every table; returns inputs and targets, [turn, table, ...]."""
        config, num = self.config, len(self.states)
        n = config.players
        inputs = np.empty((rollout, num, num_features(n, config.copies)), np.float32)
        said = np.empty((rollout + 1, num, n))
        said_scores = np.empty((rollout + 1, num, n), np.float32)
        turns = np.empty((rollout, num, MAX_PLAYERS))
        active = np.empty((rollout, num), np.int64)
        ended = np.zeros((rollout, num), bool)
        scores = np.zeros((rollout, num, n), np.float32)
        for t in range(rollout + 1):
            rows = features(self.states)
            outputs = _outputs(net, rows)
            said[t] = rewards(outputs, self.states)
            said_scores[t] = by_seat(outputs[:, n:], self.states["active"])
            if t == rollout:
                break
            inputs[t], active[t] = rows, self.states["active"]
            self._play_turn(net, turns[t])
            over = self.states["phase"] == Phase.OVER
            given_up = ~over & (self.states["turn"] >= LONGEST)
            ended[t] = over | given_up
            again = np.flatnonzero(ended[t])
            scores[t, again] = _final_scores(self.states[again], n)
            self.episodes[again] += 1
            _new_games(self.states, again, self.numbers, self.episodes, self.seeds, config)
        targets, score_targets = self._targets(said, said_scores, turns[:, :, :n], ended, scores)
        return {
            "inputs": inputs,
            "shares": _from_seat(((n - 1) * targets + 1) / n, active).astype(np.float32),
            "scores": _from_seat(score_targets, active).astype(np.float32),
            "errors": np.abs(turns[:, :, :n] - said[:-1]).mean(axis=2).astype(np.float32),
        }

    def _play_turn(self, net: torch.nn.Module, worth: NDArray[np.float64]) -> None:
        keys = np.empty(len(self.states), np.uint64)
        _turn_keys(self.seeds, self.states, keys)
        for at in range(0, len(self.states), AT_ONCE):
            some = slice(at, at + AT_ONCE)
            states = self.states[some]
            starts = new_starts(states)
            ends = rules.new_states(count_ends(states, starts))
            expand(states, starts, ends)
            values = np.zeros((len(ends), MAX_PLAYERS))
            values[:, : self.config.players] = rewards(_outputs(net, features(ends)), ends)
            play_turns(states, starts, ends, values, self.seeds[some], keys[some], self.config.explore, worth[some])

    def _targets(
        self,
        said: NDArray[np.float64],
        said_scores: NDArray[np.float32],
        turns: NDArray[np.float64],
        ended: NDArray[np.bool_],
        scores: NDArray[np.float32],
    ) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """By seat, backwards in time. A game that has ended needs no correction: its end was known exactly."""
        trace = self.config.trace
        targets, score_targets = np.empty_like(turns), np.empty_like(scores)
        later = np.zeros_like(turns[0])  # target minus what the network said, one turn later
        later_scores = said_scores[-1]
        for t in range(len(turns) - 1, -1, -1):
            going_on = ~ended[t][:, None]
            targets[t] = turns[t] + trace * np.where(going_on, later, 0.0)
            later = targets[t] - said[t]
            # Scores have no exact turn: plain TD(lambda) on what happened.
            after = (1 - trace) * said_scores[t + 1] + trace * later_scores
            score_targets[t] = np.where(going_on, after, scores[t])
            later_scores = score_targets[t]
        return np.clip(targets, -1 / (turns.shape[2] - 1), 1), score_targets


@compiled
def _start(states: States, i: int, players: int, copies: int, first: int) -> None:
    rules._new_game(states[i], players, copies, False, first)


def _new_games(
    states: States,
    which: NDArray[np.int64],
    numbers: NDArray[np.int64],
    episodes: NDArray[np.int64],
    seeds: NDArray[np.uint64],
    config: ValueConfig,
) -> None:
    for i in which:
        seeds[i] = game_seed(np.uint64(config.seed), int(numbers[i]), int(episodes[i]))
        first = int(seeded_first_player(seeds[i], config.players))
        _start(states, int(i), config.players, config.copies, first)


def _final_scores(states: States, players: int) -> NDArray[np.float32]:
    out = np.zeros((len(states), players), np.int32)
    _write_all_scores(states, out)
    return (out / POINTS).astype(np.float32)


@compiled
def _write_all_scores(states: States, out: NDArray[np.int32]) -> None:
    for i in range(len(states)):
        rules._write_scores(states[i], out, i)


@compiled
def _turn_keys(seeds: NDArray[np.uint64], states: States, keys: NDArray[np.uint64]) -> None:
    """Random words for what is explored in a turn; they must not depend on its dice."""
    for i in range(len(states)):
        keys[i] = game_seed(~seeds[i], states[i].turn, 0)


def _from_seat(values: NDArray[Any], active: NDArray[Any]) -> NDArray[Any]:
    """From seats to "the player at turn first": the inverse of `by_seat`."""
    return by_seat(values, -active)


def _outputs(net: torch.nn.Module, rows: NDArray[np.float32]) -> NDArray[np.float32]:
    with torch.inference_mode():
        parts = [net(part) for part in torch.from_numpy(rows).split(4096)]
        return torch.cat(parts).numpy() if parts else np.zeros((0, 1), np.float32)


def make_network(config: ValueConfig) -> torch.nn.Sequential:
    """As `agents.value.ValueNet` runs it."""
    sizes = [num_features(config.players, config.copies), *config.hidden, 2 * config.players]
    layers: list[torch.nn.Module] = []
    for k in range(len(sizes) - 1):
        layers += [torch.nn.Linear(sizes[k], sizes[k + 1]), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1])


def as_value_net(network: torch.nn.Module, config: ValueConfig) -> ValueNet:
    """The network as plain arrays."""
    arrays = [tensor.detach().numpy().copy() for tensor in network.state_dict().values()]
    return ValueNet(list(zip(arrays[::2], arrays[1::2], strict=True)), config.players, config.copies)


class Trainer:
    """A run: the network, its average, and its tables."""

    def __init__(self, config: ValueConfig, folder: Path) -> None:
        torch.set_num_threads(1)  # each half of the tables has a thread
        torch.manual_seed(config.seed)
        self.config, self.folder = config, folder
        self.network = make_network(config)
        self.averaged = deepcopy(self.network)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=config.learning_rate)
        self.shuffle = np.random.default_rng(config.seed)
        middle = -(-config.tables // HALVES)
        self.halves = [
            Tables(config, range(at, min(at + middle, config.tables))) for at in range(0, config.tables, middle)
        ]
        self.turns = self.updates = 0
        self.seconds = 0.0
        self.error = math.nan
        self.history: list[dict[str, Any]] = []

    def train(self) -> None:
        """Play and learn until all turns are done; then write the weights with their card."""
        config = self.config
        if self.turns >= config.turns and (self.folder / WEIGHTS).exists():
            return
        saved = time.monotonic()
        with (
            # What a killed run has written after its checkpoint comes once more.
            SummaryWriter(str(self.folder / "tensorboard"), purge_step=self.turns + 1) as writer,
            bar(TextColumn("{task.fields[status]}"), keep=True) as progress,
            ThreadPoolExecutor(HALVES) as pool,
        ):
            task = progress.add_task("training", total=config.turns, completed=self.turns, status="")
            while self.turns < config.turns:
                began, before = time.monotonic(), self.turns
                measured = self.update(pool)
                if self.updates % config.evaluate_every == 0 or self.turns >= config.turns:
                    measured |= self._evaluate()
                self.seconds += time.monotonic() - began
                speed = (self.turns - before) / (time.monotonic() - began)
                latest = "".join(f", {row['against']} {row['win_share']:.1%}" for row in self.history[-2:])
                status = f"{speed:,.0f} turns/s, error {self.error:.4f}{latest}"
                progress.update(task, completed=self.turns, status=status)
                for name, value in {**measured, "time/turns_per_second": speed}.items():
                    writer.add_scalar(name, value, self.turns)
                if time.monotonic() - saved >= 60 * config.checkpoint_minutes or self.turns >= config.turns:
                    writer.flush()
                    self.checkpoint()
                    saved = time.monotonic()
        self._write_weights()

    def update(self, pool: ThreadPoolExecutor) -> dict[str, float]:
        """One round: play a few turns at every table, then learn from them; returns what TensorBoard shows."""
        config = self.config
        played = list(pool.map(lambda half: half.play(self.network, config.rollout), self.halves))
        data = {
            key: torch.from_numpy(np.concatenate([part[key].reshape(-1, part[key].shape[-1]) for part in played]))
            for key in ("inputs", "shares", "scores")
        }
        self.error = float(np.mean([part["errors"].mean() for part in played]))
        num = len(data["inputs"])
        progress = min(1.0, self.turns / config.turns)
        rate = config.learning_rate * (0.01 + 0.99 * (1 + math.cos(math.pi * progress)) / 2)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        losses = []
        for _ in range(config.epochs):
            order = torch.from_numpy(self.shuffle.permutation(num))
            for at in range(0, num, config.minibatch):
                some = order[at : at + config.minibatch]
                losses.append(self._learn(data["inputs"][some], data["shares"][some], data["scores"][some]))
        with torch.no_grad():
            share = min(config.average, self.updates / (self.updates + 10))
            for kept, new in zip(self.averaged.parameters(), self.network.parameters(), strict=True):
                kept.lerp_(new, 1 - share)
        self.turns += num
        self.updates += 1
        return {"train/loss": float(np.mean(losses)), "train/error": self.error, "train/learning_rate": rate}

    def _learn(self, inputs: torch.Tensor, shares: torch.Tensor, scores: torch.Tensor) -> float:
        n = self.config.players
        outputs = self.network(inputs)
        surprise = -(shares * torch.log_softmax(outputs[:, :n], dim=1)).sum(dim=1).mean()
        miss = torch.nn.functional.smooth_l1_loss(outputs[:, n:], scores)
        loss = surprise + self.config.score_weight * miss
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        return float(surprise.detach())

    def _evaluate(self) -> dict[str, float]:
        """One of us, with the averaged weights, at a table of each scripted agent."""
        config = self.config
        champion = PlannerAgent(as_value_net(self.averaged, config).evaluate)
        champion.name = "champion"
        rows = [
            against_table(champion, opponent, config, EVALUATION_SEED)
            for opponent in (HeuristicAgent(), PlannerAgent())
        ]
        self.history += [{"steps": self.turns, **row} for row in rows]
        return {f"win_share/{row['against']}": row["win_share"] for row in rows}

    def _write_weights(self) -> None:
        card = {
            "players": self.config.players,
            "copies": self.config.copies,
            "version": __version__,
            "config": as_dict(self.config),
            "steps": self.turns,
            "seconds": round(self.seconds),
            "results": self.history[-2:],
        }
        save(as_value_net(self.averaged, self.config), self.folder / WEIGHTS, card)
        replace_file(self.folder / HISTORY, to_json(self.history))

    # ------------------------------------------------------------------------------ checkpoints

    def checkpoint(self) -> None:
        """Everything that the rest of the run depends on, in one file that is replaced as a whole."""
        tensors = {f"network.{name}": tensor.numpy() for name, tensor in self.network.state_dict().items()}
        tensors |= {f"averaged.{name}": tensor.numpy() for name, tensor in self.averaged.state_dict().items()}
        for number, state in self.optimizer.state_dict()["state"].items():
            for name, tensor in state.items():
                tensors[f"optimizer.{number}.{name}"] = tensor.numpy()
        for number, half in enumerate(self.halves):
            tensors[f"half.{number}.states"] = half.states.view(np.uint8)
            tensors[f"half.{number}.episodes"], tensors[f"half.{number}.seeds"] = half.episodes, half.seeds
        notes = {
            "config": as_dict(self.config),
            "turns": self.turns,
            "updates": self.updates,
            "seconds": self.seconds,
            "history": self.history,
            "shuffle": self.shuffle.bit_generator.state,
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
        for number, half in enumerate(self.halves):
            half.states.view(np.uint8)[...] = tensors[f"half.{number}.states"]
            half.episodes[...] = tensors[f"half.{number}.episodes"]
            half.seeds[...] = tensors[f"half.{number}.seeds"]
        self.turns, self.updates = notes["turns"], notes["updates"]
        self.seconds, self.history = notes["seconds"], notes["history"]
        self.shuffle.bit_generator.state = notes["shuffle"]
