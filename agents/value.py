"""What a position between turns is worth, learned: a small network, run with NumPy alone; the same for every game.

It sees the table from the player at turn, seat by seat clockwise, and says two things about every seat: its share of
the win, and its final score. `train.value` trains it; a game's `champion` plays with it. What it sees of a position is
the game's own: `agents.GAME.value`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pechvogel.agents import card
from pechvogel.agents.card import Layers
from pechvogel.tabletop.arrays import Floats, Floats32
from pechvogel.tabletop.kind import Variant

CARD_FORMAT = "pechvogel-value-1"
AT_ONCE = 4096  # rows of a layer that stay in a core's cache


class ValueNet(ABC):
    """Layers with rectifiers between them; the last gives a logit and a score for every seat, the player at turn first.

    `evaluate` says what positions between turns, or after the end, are worth.
    """

    def __init__(self, layers: Layers, players: int) -> None:
        self.layers, self.players = layers, players
        self._turned = [(np.ascontiguousarray(weight.T), bias) for weight, bias in layers]

    @abstractmethod
    def features(self, states: NDArray[Any]) -> Floats32:
        """Positions between turns as the network sees them."""

    @abstractmethod
    def rewards(self, outputs: Floats32, states: NDArray[Any]) -> Floats:
        """What outputs for positions mean: a reward="win" for every seat; games that are over have their result."""

    @abstractmethod
    def check(self, states: NDArray[Any]) -> None:
        """ValueError if these are no positions that it has learned about."""

    def outputs(self, states: NDArray[Any]) -> Floats32:
        """[state, 2 * players]: logits of shares, then scores in the game's own units; the player at turn first."""
        out = np.empty((len(states), 2 * self.players), np.float32)
        for at in range(0, len(states), AT_ONCE):
            hidden = self.features(states[at : at + AT_ONCE])
            for k, (weight, bias) in enumerate(self._turned):
                hidden = hidden @ weight
                hidden += bias
                if k < len(self._turned) - 1:
                    np.maximum(hidden, 0, out=hidden)
            out[at : at + AT_ONCE] = hidden
        return out

    def evaluate(self, states: NDArray[Any]) -> Floats:
        """Rewards of every seat; games that are over have their result."""
        if len(states) == 0:
            return np.zeros((0, self.players))
        self.check(states)
        return self.rewards(self.outputs(states), states)


SomeNet = TypeVar("SomeNet", bound=ValueNet)


def save(net: ValueNet, path: Path, about: Mapping[str, Any]) -> None:
    """Write weights and card."""
    card.save(path, card.named(net.layers), about, CARD_FORMAT)


def load(
    path: Path, game: str, num_inputs: Callable[[Variant], int], make: Callable[[Layers, Variant], SomeNet]
) -> tuple[SomeNet, dict[str, Any]]:
    """Read weights and their card; ValueError if anything is missing, damaged or does not fit."""
    tensors, about = card.load(path, CARD_FORMAT)
    variant = card.variant_of(about)
    if variant.game != game:
        raise ValueError(f"weights {path}: they are for {variant.game}, not for {game}")
    try:
        return make(card.layers_of(tensors, num_inputs(variant), 2 * variant.num_players), variant), about
    except ValueError as error:
        raise ValueError(f"weights {path}: they are not those of an evaluation of this version ({error})") from None
