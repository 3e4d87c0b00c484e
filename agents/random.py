"""The agent that plays any legal action: a floor for every comparison."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pechvogel_env.position import Position
from pechvogel_env.solo import random_opponent


class RandomAgent:
    """All legal actions are equally likely."""

    name = "random"

    def act(self, position: Position, mask: NDArray[np.int8], rng: np.random.Generator) -> int:
        """Choose an action."""
        return random_opponent(position, mask, rng)
