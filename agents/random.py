"""The agent that plays any legal action: a floor for every comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pechvogel.agents.base import BatchAgent
from pechvogel.tabletop.arrays import Floats, Ints, Ints8


class RandomAgent(BatchAgent):
    """All legal actions are equally likely."""

    name = "random"

    def act_batch(self, states: NDArray[Any], masks: Ints8, rngs: Sequence[np.random.Generator]) -> Ints:
        """One action per game, each from the game's own generator."""
        draws = np.array([rng.random() for rng in rngs])
        ranks = np.cumsum(masks, axis=1)
        wanted = (draws * ranks[:, -1]).astype(np.int64) + 1
        return np.argmax(ranks == wanted[:, None], axis=1).astype(np.int64)

    def action_probabilities(self, position: Any, mask: Ints8) -> Floats:
        """The same for every legal action."""
        return mask / mask.sum()

    def action_probabilities_batch(self, states: NDArray[Any], masks: Ints8) -> Floats:
        """The same for many games at once."""
        return masks / masks.sum(axis=1, keepdims=True)
