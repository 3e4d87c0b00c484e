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
from pechvogel.agents.base import BatchAgent
from pechvogel.agents.games import kind_of
from pechvogel.tabletop.arrays import Floats, Floats32, Ints, Ints8
from pechvogel.tabletop.kind import Kind, Variant

CARD_FORMAT = "pechvogel-policy-1"


class Policy:
    """Layers of weights with tanh between them; the last gives a logit for every action."""

    def __init__(self, layers: Sequence[tuple[Floats32, Floats32]]) -> None:
        self.layers = list(layers)

    @classmethod
    def from_tensors(cls, tensors: Mapping[str, Floats32]) -> Policy:
        """From arrays named weight_0, bias_0, weight_1, ..."""
        return cls([(tensors[f"weight_{k}"], tensors[f"bias_{k}"]) for k in range(len(tensors) // 2)])

    def tensors(self) -> dict[str, Floats32]:
        """The inverse of `from_tensors`."""
        return card.named(self.layers)

    def logits(self, observations: Floats32, masks: Ints8) -> Floats32:
        """Preferences, minus infinity where illegal."""
        hidden = observations
        for k, (weight, bias) in enumerate(self.layers):
            hidden = hidden @ weight.T + bias
            if k < len(self.layers) - 1:
                hidden = np.tanh(hidden)
        return np.where(masks != 0, hidden, -np.inf)

    def sample(self, observations: Floats32, masks: Ints8, rng: np.random.Generator) -> Ints:
        """Actions drawn from its probabilities, by Gumbel's trick."""
        logits = self.logits(observations, masks)
        return np.argmax(logits + rng.gumbel(size=logits.shape), axis=1)


class PolicyAgent(BatchAgent):
    """The policy's favourite action, or with `sample` one drawn from its probabilities.

    Without `weights`, those of the repository for the game at hand are taken.
    """

    name = "ppo"
    kind: Kind

    def __init__(self, *, weights: str | None = None, sample: bool = False) -> None:
        if not isinstance(sample, bool):
            raise ValueError(f"sample must be true or false, not {sample!r}")
        self.sample = sample
        self._loaded: dict[Variant, Policy] = {}
        self._only = weights is not None
        if weights is not None:
            policy, about = load(Path(weights))
            known = card.variant_of(about)
            self._loaded[kind_of(known.game).plain(known)] = policy

    @classmethod
    def of(cls, policy: Policy, variant: Variant) -> PolicyAgent:
        """An agent with weights that are in no file."""
        agent = cls()
        agent.kind = kind_of(variant.game)
        agent._loaded[agent.kind.plain(variant)] = policy
        return agent

    def act_batch(self, states: NDArray[Any], masks: Ints8, rngs: Sequence[np.random.Generator]) -> Ints:
        """One action per game."""
        logits = self._logits(states, masks)
        if self.sample:
            logits = logits + np.stack([rng.gumbel(size=logits.shape[1]) for rng in rngs])
        return np.argmax(logits, axis=1)

    def action_probabilities(self, position: Any, mask: Ints8) -> Floats:
        """What it would play, and how often."""
        return self.action_probabilities_batch(position.states(), mask[None, :])[0]

    def action_probabilities_batch(self, states: NDArray[Any], masks: Ints8) -> Floats:
        """The same for many games at once."""
        logits = self._logits(states, masks).astype(float)
        if not self.sample:
            return np.eye(logits.shape[1])[np.argmax(logits, axis=1)]
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        return chances / chances.sum(axis=1, keepdims=True)

    def _logits(self, states: NDArray[Any], masks: Ints8) -> Floats32:
        return self.policy(self.kind.variant_of(states)).logits(self.kind.observe(states), masks)

    def policy(self, variant: Variant) -> Policy:
        """The weights for a game; ValueError if there are none."""
        variant = self.kind.plain(variant)
        if variant not in self._loaded:
            if self._only:
                (known,) = self._loaded
                game = kind_of(known.game).describe(known)
                raise ValueError(f"these weights are for {game}, not for {self.kind.describe(variant)}")
            path = card.in_repository(self.kind.name, "ppo").get(variant)
            if path is None:
                raise ValueError(
                    f"there are no weights for {self.kind.describe(variant)}; train some with `pechvogel train`, "
                    "and name them: ppo:weights=FILE"
                )
            self._loaded[variant] = load(path)[0]
        return self._loaded[variant]


def save(policy: Policy, path: Path, about: Mapping[str, Any]) -> None:
    """Write weights and card."""
    card.save(path, policy.tensors(), about, CARD_FORMAT)


def load(path: Path) -> tuple[Policy, dict[str, Any]]:
    """Read weights and their card; ValueError if anything is missing, damaged or does not fit."""
    tensors, about = card.load(path, CARD_FORMAT)
    variant = card.variant_of(about)
    kind = kind_of(variant.game)
    try:
        return Policy(card.layers_of(tensors, kind.observation_size(variant), len(kind.actions))), about
    except ValueError as error:
        raise ValueError(f"weights {path}: they are not those of a policy of this version ({error})") from None
