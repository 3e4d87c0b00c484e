"""An agent that plays what a search of the turn finds best."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from pechvogel.agents.base import BatchAgent
from pechvogel.agents.pechvogel.turn.search import TurnSearch
from pechvogel.tabletop.arrays import Floats, Ints, Ints8
from pechvogel_env.position import Position
from pechvogel_env.rules import States


class SearchAgent(BatchAgent):
    """The best action by the values of a search; ties go to the lowest."""

    @abstractmethod
    def search(self, states: States) -> TurnSearch:
        """The search for these games, all of the same variant; ValueError if there is none."""

    def act_batch(self, states: States, masks: Ints8, rngs: Sequence[np.random.Generator]) -> Ints:
        """One action per game; the generators are not used."""
        return np.nanargmax(self.action_values_batch(states), axis=1)

    def action_values(self, position: Position) -> Floats:
        """The value of every legal action for whoever decides."""
        return self.action_values_batch(position.states())[0]

    def action_values_batch(self, states: States) -> Floats:
        """The same for many games at once."""
        return self.search(states).action_values(states)
