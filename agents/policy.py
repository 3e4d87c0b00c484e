"""A trained policy, run with NumPy alone: a small network from observation to action preferences.

Weights are a safetensors file with a JSON card beside it (`card`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pechvogel.agents import card
from pechvogel.agents.base import BatchAgent, states_of
from pechvogel_env import observation
from pechvogel_env.position import Position
from pechvogel_env.rules import NUM_ACTIONS, States

CARD_FORMAT = "pechvogel-policy-1"


class Policy:
    """Layers of weights with tanh between them; the last gives a logit for every action."""

    def __init__(self, layers: Sequence[tuple[NDArray[np.float32], NDArray[np.float32]]]) -> None:
        self.layers = list(layers)

    @classmethod
    def from_tensors(cls, tensors: Mapping[str, NDArray[np.float32]]) -> Policy:
        """From arrays named weight_0, bias_0, weight_1, ..."""
        return cls([(tensors[f"weight_{k}"], tensors[f"bias_{k}"]) for k in range(len(tensors) // 2)])

    def tensors(self) -> dict[str, NDArray[np.float32]]:
        """The inverse of `from_tensors`."""
        return card.named(self.layers)

    def logits(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.float32]:
        """Preferences, minus infinity where illegal."""
        hidden = observations
        for k, (weight, bias) in enumerate(self.layers):
            hidden = hidden @ weight.T + bias
            if k < len(self.layers) - 1:
                hidden = np.tanh(hidden)
        return np.where(masks != 0, hidden, -np.inf)

    def choose(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8], states: States, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Sampled actions (by Gumbel's trick), for the seats of a league."""
        logits = self.logits(observations, masks)
        return np.argmax(logits + rng.gumbel(size=logits.shape), axis=1)


class PpoAgent(BatchAgent):
    """The policy's favourite action, or with `sample` one drawn from its probabilities.

    Without `weights`, those of the repository for the game at hand are taken.
    """

    name = "ppo"

    def __init__(self, weights: str | None = None, sample: bool = False) -> None:
        if not isinstance(sample, bool):
            raise ValueError(f"sample must be true or false, not {sample!r}")
        self.sample = sample
        self._loaded: dict[tuple[int, int], Policy] = {}  # by players and copies
        self._only = None if weights is None else Path(weights)
        if self._only is not None:
            policy, about = load(self._only)
            self._loaded[about["players"], about["copies"]] = policy

    @classmethod
    def of(cls, policy: Policy, players: int, copies: int) -> PpoAgent:
        """An agent with weights that are in no file."""
        agent = cls()
        agent._loaded[players, copies] = policy
        return agent

    def act_batch(
        self, states: States, masks: NDArray[np.int8], rngs: Sequence[np.random.Generator]
    ) -> NDArray[np.int64]:
        """One action per game."""
        logits = self._logits(states, masks)
        if self.sample:
            logits = logits + np.stack([rng.gumbel(size=logits.shape[1]) for rng in rngs])
        return np.argmax(logits, axis=1)

    def action_probabilities(self, position: Position, mask: NDArray[np.int8]) -> NDArray[np.float64]:
        """What it would play, and how often."""
        return self.action_probabilities_batch(states_of(position), mask[None, :])[0]

    def action_probabilities_batch(self, states: States, masks: NDArray[np.int8]) -> NDArray[np.float64]:
        """The same for many games at once."""
        logits = self._logits(states, masks).astype(float)
        if not self.sample:
            return np.eye(logits.shape[1])[np.argmax(logits, axis=1)]
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        return chances / chances.sum(axis=1, keepdims=True)

    def _logits(self, states: States, masks: NDArray[np.int8]) -> NDArray[np.float32]:
        players, copies = int(states["num_players"][0]), int(states["copies"][0])
        policy = self.policy(players, copies)
        out = np.empty((len(states), observation.size(players)), np.float32)
        observation.observe(states, np.arange(len(states)), 0, len(states), states["to_act"].copy(), out)
        return policy.logits(out, masks)

    def policy(self, players: int, copies: int) -> Policy:
        """The weights for a game; ValueError if there are none."""
        if (players, copies) not in self._loaded:
            if self._only is not None:
                ((n, c),) = self._loaded
                raise ValueError(f"these weights are for {n} players and {c} copies, not for {players} and {copies}")
            path = card.WEIGHTS / f"ppo-{players}-{copies}.safetensors"
            if not path.is_file():
                raise ValueError(
                    f"there are no weights for {players} players and {copies} copies; train some with "
                    "`pechvogel train`, and name them: ppo:weights=FILE"
                )
            policy, about = load(path)
            card.for_game(about, path, players, copies)
            self._loaded[players, copies] = policy
        return self._loaded[players, copies]


def games() -> list[tuple[int, int]]:
    """The games for which the repository has weights: players and copies."""
    names = sorted(path.stem.split("-") for path in card.WEIGHTS.glob("ppo-*.safetensors"))
    return [(int(players), int(copies)) for _, players, copies in names]


def save(policy: Policy, path: Path, about: Mapping[str, Any]) -> None:
    """Write weights and card."""
    card.save(path, policy.tensors(), about, CARD_FORMAT)


def load(path: Path) -> tuple[Policy, dict[str, Any]]:
    """Read weights and their card; ValueError if anything is missing, damaged or does not fit."""
    tensors, about = card.load(path, CARD_FORMAT)
    try:
        return Policy(card.layers_of(tensors, observation.size(int(about["players"])), NUM_ACTIONS)), about
    except ValueError as error:
        raise ValueError(f"weights {path}: they are not those of a policy of this version ({error})") from None
