"""What an agent is.

Anything with `name` and `act(position, mask, rng) -> int`. Optional, and used where they are there:

- `act_batch(states, masks, rngs) -> int array`: many games at once. `states` is an array of the game's states; where
  information is hidden, observations instead.
- `action_probabilities(position, mask)`: a float per action, for agents that sample.
- `action_values(position)`: a float per action on the scale of `reward="win"` for whoever decides, NaN where illegal;
  `action_values_batch(states)` for many games at once.

`position` is what whoever decides may know. `rng` is the game's own generator: an agent that uses no other plays
reproducibly. Ties go to the lowest action.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pechvogel.tabletop.arrays import Ints, Ints8


@runtime_checkable
class Agent(Protocol):
    """What everybody's agent must have."""

    name: str

    def act(self, position: Any, mask: Ints8, rng: np.random.Generator) -> int:
        """Choose a legal action (mask 1) for `position.to_act`."""
        ...


class BatchAgent(ABC):
    """An agent that decides many games at once; `act` is a batch of one."""

    name = "agent"

    @abstractmethod
    def act_batch(self, states: NDArray[Any], masks: Ints8, rngs: Sequence[np.random.Generator]) -> Ints:
        """One action per game."""

    def act(self, position: Any, mask: Ints8, rng: np.random.Generator) -> int:
        """Choose an action."""
        return int(self.act_batch(position.states(), mask[None, :], [rng])[0])
