"""What an agent is.

Anything with `name` and `act(position, mask, rng) -> int`. Optional, and used where they are there:

- `act_batch(states, masks, rngs) -> int array`: many games at once. `states` is an array of `rules.STATE`.
- `action_probabilities(position, mask) -> float[18]`: for agents that sample.
- `action_values(position) -> float[18]`: on the scale of `reward="win"` for whoever decides, NaN where illegal;
  `action_values_batch(states)` for many games at once.

`rng` is the game's own generator: an agent that uses no other plays reproducibly. Ties go to the lowest action.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pechvogel_env import rules
from pechvogel_env.position import Position, load
from pechvogel_env.rules import States


@runtime_checkable
class Agent(Protocol):
    """What everybody's agent must have."""

    name: str

    def act(self, position: Position, mask: NDArray[np.int8], rng: np.random.Generator) -> int:
        """Choose a legal action (mask 1) for `position.to_act`."""
        ...


class BatchAgent:
    """An agent that decides many games at once; `act` is a batch of one."""

    name = "agent"

    def act_batch(
        self, states: States, masks: NDArray[np.int8], rngs: Sequence[np.random.Generator]
    ) -> NDArray[np.int64]:
        """One action per game."""
        raise NotImplementedError

    def act(self, position: Position, mask: NDArray[np.int8], rng: np.random.Generator) -> int:
        """Choose an action."""
        return int(self.act_batch(states_of(position), mask[None, :], [rng])[0])


def states_of(position: Position) -> States:
    """A position as an array of one state."""
    states = rules.new_states(1)
    load(position, states, 0)
    return states
