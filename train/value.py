"""Learning what a position between turns is worth, by self-play.

    pechvogel train champion-2 --out runs/mine

Every turn of every game is searched exactly, with the network at its ends. So a position has two values: what the
network says, and what its turn is worth by what the network says after it, all dice of the turn considered; the network
learns the second. Later turns of the same game correct it, as in TD(lambda):

    target[t] = turn[t] + trace * (target[t + 1] - network[t + 1])

As `turn` is a mean over all dice, no luck is in these targets: only what the network did not know about itself. The
search that gives a turn's value plays it, too, so each turn costs one batch of evaluations.

Two threads each play half of the tables; what they do does not depend on each other, so results depend on nothing but
the config. What is the game's own is in `train.GAME.turns`.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from pechvogel.agents.base import Agent
from pechvogel.tabletop.arrays import Floats, Floats32, Truths
from pechvogel.tabletop.rewards import win_share
from pechvogel.train.config import ValueConfig
from pechvogel.train.loop import HALVES, Arrays, Data, FittedLoop
from pechvogel.train.networks import layers_of, make_network

ROWS_AT_ONCE = 4096


def by_seat(values: NDArray[Any], active: NDArray[Any]) -> NDArray[Any]:
    """From "the player at turn first" to seats; with -active, the inverse."""
    n = values.shape[-1]
    return np.take_along_axis(values, (np.arange(n) - active[..., None]) % n, axis=-1)


def rollout(games: Any, net: torch.nn.Module, config: ValueConfig) -> dict[str, Floats32]:
    """Play so many turns of some games; returns inputs and targets, [turn, game, ...]."""

    def outputs(rows: Floats32) -> Floats32:
        with torch.inference_mode():
            device = next(net.parameters()).device
            parts = [net(part.to(device)) for part in torch.split(torch.from_numpy(rows), ROWS_AT_ONCE)]
            return torch.cat(parts).cpu().numpy() if parts else np.zeros((0, 1), np.float32)

    n, num, length = config.players, len(games.active), config.rollout
    said = np.empty((length + 1, num, n))
    said_scores = np.empty((length + 1, num, n), np.float32)
    turns = np.empty((length, num, n))
    active = np.empty((length, num), np.int64)
    ended = np.zeros((length, num), bool)
    scores = np.zeros((length, num, n), np.float32)
    inputs = []
    for t in range(length + 1):
        rows = games.features()
        found = outputs(rows)
        said[t] = games.rewards(found)
        said_scores[t] = by_seat(found[:, n:], games.active)
        if t < length:
            inputs.append(rows)
            active[t] = games.active
            games.play(outputs, turns[t])
            ended[t] = games.renew(scores[t])
    targets, score_targets = lambda_targets(config.trace, said, said_scores, turns, ended, scores)
    return {
        "inputs": np.stack(inputs),
        "shares": by_seat(win_share(targets, n), -active).astype(np.float32),
        "scores": by_seat(score_targets, -active).astype(np.float32),
        "errors": np.abs(turns - said[:-1]).mean(axis=2).astype(np.float32),
    }


def lambda_targets(
    trace: float, said: Floats, said_scores: Floats32, turns: Floats, ended: Truths, scores: Floats32
) -> tuple[Floats, Floats32]:
    """By seat, backwards in time. A game that has ended needs no correction: its end was known exactly."""
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


class ValueLearner(FittedLoop[ValueConfig]):
    """A run of this learner."""

    unit = "turns"
    evaluation_seed = 30_000_000

    def __init__(self, config: ValueConfig, folder: Path) -> None:
        self.turns: Any = importlib.import_module(f"pechvogel.train.{config.game.replace('-', '_')}.turns")
        sizes = [self.turns.num_inputs(config.variant), *config.hidden, 2 * config.players]
        super().__init__(config, folder, lambda: make_network(sizes, torch.nn.ReLU))
        middle = -(-config.tables // HALVES)
        self.halves = [
            self.turns.Turns(config, range(at, min(at + middle, config.tables)))
            for at in range(0, config.tables, middle)
        ]

    def play(self) -> tuple[Data, float]:
        """A few turns at every table."""
        played = list(self.pool.map(lambda half: rollout(half, self.network, self.config), self.halves))
        data = {
            key: torch.from_numpy(np.concatenate([part[key].reshape(-1, part[key].shape[-1]) for part in played]))
            for key in ("inputs", "shares", "scores")
        }
        return data, float(np.mean([part["errors"].mean() for part in played]))

    def loss(self, data: Data) -> tuple[torch.Tensor, float]:
        """Of shares and, a little, of scores."""
        n = self.config.players
        outputs = self.network(data["inputs"])
        surprise = -(data["shares"] * torch.log_softmax(outputs[:, :n], dim=1)).sum(dim=1).mean()
        miss = torch.nn.functional.smooth_l1_loss(outputs[:, n:], data["scores"])
        return surprise + self.config.score_weight * miss, float(surprise.detach())

    def net(self) -> Any:
        """The averaged network as plain arrays."""
        return self.turns.evaluation(layers_of(self.averaged), self.variant)

    def agent(self) -> Agent:
        """Who plays with this evaluation."""
        return self.turns.agent(self.net())  # type: ignore[no-any-return]

    def tables(self) -> Arrays:
        """The games of both halves."""
        return {
            f"half.{number}.{name}": array
            for number, half in enumerate(self.halves)
            for name, array in half.arrays().items()
        }

    def save(self, path: Path, about: dict[str, Any]) -> None:
        """As `champion` reads it."""
        self.turns.save(self.net(), path, about)
