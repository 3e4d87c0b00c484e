"""Learning what a position between turns is worth, by self-play.

    pechvogel train champion-2 --out runs/mine

Every turn of every game is searched exactly (`agents.turn`), with the network at its ends. So a position has two
values: what the network says, and what its turn is worth by what the network says after it, all dice of the turn
considered; the network learns the second. Later turns of the same game correct it, as in TD(lambda):

    target[t] = turn[t] + trace * (target[t + 1] - network[t + 1])

As `turn` is a mean over all dice, no luck is in these targets: only what the network did not know about itself. The
search that gives a turn's value plays it, too, so each turn costs one batch of evaluations.

Two threads each play half of the tables; what they do does not depend on each other, so results depend on nothing but
the config.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from pechvogel.agents.base import Agent
from pechvogel.agents.pechvogel import value
from pechvogel.agents.pechvogel.heuristic import HeuristicAgent
from pechvogel.agents.pechvogel.planner import PlannerAgent
from pechvogel.agents.pechvogel.turn.ends import count_ends, expand, new_starts
from pechvogel.agents.pechvogel.value import POINTS, ValueNet, by_seat, features, num_features, rewards
from pechvogel.tabletop.compile import compiled
from pechvogel.train.config import ValueConfig
from pechvogel.train.loop import Data, Loop
from pechvogel.train.pechvogel.turn_play import play_turns
from pechvogel_env import rules
from pechvogel_env.dice import game_seed, mix, seeded_first_player
from pechvogel_env.rules import MAX_PLAYERS, Phase, States

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
            rows = features(self.states, config.copies)
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
        work = rules.new_states(1)
        scripted = np.zeros((len(self.states), MAX_PLAYERS), bool)
        _script_seats(self.seeds, self.config.heuristic, self.config.players, scripted)
        for at in range(0, len(self.states), AT_ONCE):
            some = slice(at, at + AT_ONCE)
            states = self.states[some]
            starts = new_starts(states)
            ends = rules.new_states(count_ends(states, starts))
            expand(states, starts, ends)
            values = np.zeros((len(ends), MAX_PLAYERS))
            values[:, : self.config.players] = rewards(_outputs(net, features(ends, self.config.copies)), ends)
            play_turns(
                states,
                starts,
                ends,
                values,
                self.seeds[some],
                keys[some],
                self.config.explore,
                scripted[some],
                worth[some],
                work,
            )

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


@compiled
def _script_seats(seeds: NDArray[np.uint64], share: float, players: int, scripted: NDArray[np.bool_]) -> None:
    """In a share of the games, all seats but one; which, only the game's seed decides."""
    for i in range(len(seeds)):
        word = game_seed(~seeds[i], -1, 0)
        if float(word >> np.uint64(11)) * 2.0**-53 < share:
            scripted[i, :players] = True
            scripted[i, np.int64(mix(word) % np.uint64(players))] = False


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


class Trainer(Loop[ValueConfig]):
    """A run of this learner."""

    unit = "turns"
    evaluation_seed = 30_000_000

    def __init__(self, config: ValueConfig, folder: Path) -> None:
        torch.set_num_threads(1)  # each half of the tables has a thread
        torch.manual_seed(config.seed)
        super().__init__(config, folder, make_network(config))
        self.pool = ThreadPoolExecutor(HALVES)
        middle = -(-config.tables // HALVES)
        self.halves = [
            Tables(config, range(at, min(at + middle, config.tables))) for at in range(0, config.tables, middle)
        ]

    def play(self) -> tuple[Data, float]:
        """A few turns at every table."""
        played = list(self.pool.map(lambda half: half.play(self.network, self.config.rollout), self.halves))
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

    def opponents(self) -> list[Agent]:
        """The scripted agents that are worth playing."""
        return [HeuristicAgent(), PlannerAgent()]

    def agent(self) -> Agent:
        """The turn search with this evaluation."""
        champion = PlannerAgent(as_value_net(self.averaged, self.config).evaluate)
        champion.name = "champion"
        return champion

    def tables(self) -> dict[str, NDArray[Any]]:
        """The games of both halves."""
        return {
            f"half.{number}.{name}": array
            for number, half in enumerate(self.halves)
            for name, array in (
                ("states", half.states.view(np.uint8)),
                ("episodes", half.episodes),
                ("seeds", half.seeds),
            )
        }

    def save(self, path: Path, card: dict[str, Any]) -> None:
        """As `champion` reads it."""
        value.save(as_value_net(self.averaged, self.config), path, card)
