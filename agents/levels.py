"""Levels of an agent that knows what actions are worth, for people: the same for every game.

Levels 1 to 9 are weaker than the agent itself: they choose among the good actions by a softmax over values. None of
them ever loses more than a few of its temperatures at one decision: a level errs a little all the time, as people do,
and does not play perfectly for a while to throw the game away then. A game's champion has the temperatures;
`pechvogel levels --fit` finds those that space levels evenly.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pechvogel.agents.base import BatchAgent
from pechvogel.tabletop.arrays import Floats, Ints, Ints8

TOP = 10  # the agent itself
BOUND = 4.0  # temperatures: actions that lose more are not considered


class LevelledAgent(BatchAgent):
    """The best action by its values, or with a level a weaker one."""

    temperatures: ClassVar[tuple[float, ...]]  # by level, from 1

    def __init__(self, level: int, temperature: float | None) -> None:
        if isinstance(level, bool) or not isinstance(level, int) or not 1 <= level <= TOP:
            raise ValueError(f"level must be a whole number from 1 to {TOP}, not {level!r}")
        if temperature is None:
            temperature = 0.0 if level == TOP else self.temperatures[level - 1]
        elif level != TOP:
            raise ValueError("a level has a temperature of its own; say level or temperature, not both")
        if isinstance(temperature, bool) or not isinstance(temperature, (int, float)) or not 0 <= temperature <= 10:
            raise ValueError(f"temperature must be from 0 to 10, not {temperature!r}")
        self.temperature = float(temperature)

    @abstractmethod
    def action_values_batch(self, states: NDArray[Any]) -> Floats:
        """The value of every legal action for whoever decides, a row per game; NaN where illegal."""

    def action_values(self, position: Any) -> Floats:
        """The same for one game."""
        return self.action_values_batch(position.states())[0]

    def act_batch(self, states: NDArray[Any], masks: Ints8, rngs: Sequence[np.random.Generator]) -> Ints:
        """One action per game; the generators are used below the top level only."""
        return self.choose(self.action_values_batch(states), rngs)

    def choose(self, values: Floats, rngs: Sequence[np.random.Generator]) -> Ints:
        """The same, where the values of all actions are known already."""
        if self.temperature == 0:
            return np.nanargmax(values, axis=1)
        preferences = self._preferences(values)
        return np.argmax(preferences + np.stack([rng.gumbel(size=values.shape[1]) for rng in rngs]), axis=1)

    def action_probabilities(self, position: Any, mask: Ints8) -> Floats:
        """What it would play, and how often."""
        return self.action_probabilities_batch(position.states(), mask[None, :])[0]

    def action_probabilities_batch(self, states: NDArray[Any], masks: Ints8) -> Floats:
        """The same for many games at once."""
        values = self.action_values_batch(states)
        if self.temperature == 0:
            return np.eye(values.shape[1])[np.nanargmax(values, axis=1)]
        chances = np.exp(self._preferences(values))
        return chances / chances.sum(axis=1, keepdims=True)

    def _preferences(self, values: Floats) -> Floats:
        """Logarithms of chances: minus infinity for illegal actions and for bad ones."""
        lost = (np.nanmax(values, axis=1, keepdims=True) - values) / self.temperature
        return np.where(np.isnan(values) | (lost > BOUND), -np.inf, -lost)
