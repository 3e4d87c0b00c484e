"""Perfect play in two-player games, from the table that `pechvogel solve` makes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pechvogel.agents.base import BatchAgent, states_of
from pechvogel.agents.pechvogel import solution
from pechvogel.agents.pechvogel.solution import Solution
from pechvogel.agents.pechvogel.turn.search import TurnSearch
from pechvogel_env.position import Position
from pechvogel_env.rules import States


class OptimalAgent(BatchAgent):
    """The best action by the exact value of every action; ties go to the lowest.

    Without `table`, the one for the game at hand is looked for where `pechvogel solve` puts it.
    """

    name = "optimal"

    def __init__(self, table: str | None = None) -> None:
        self._only = None if table is None else Solution(Path(table))
        self._found: dict[int, TurnSearch] = {}  # by copies

    def act_batch(
        self, states: States, masks: NDArray[np.int8], rngs: Sequence[np.random.Generator]
    ) -> NDArray[np.int64]:
        """One action per game; the generators are not used."""
        return np.nanargmax(self.action_values_batch(states), axis=1)

    def action_values(self, position: Position) -> NDArray[np.float64]:
        """The exact value of every legal action for whoever decides."""
        return self.action_values_batch(states_of(position))[0]

    def action_values_batch(self, states: States) -> NDArray[np.float64]:
        """The same for many games at once."""
        return self.search(states).action_values(states)

    def search(self, states: States) -> TurnSearch:
        """The search with the table of these games; ValueError if there is none."""
        if (states["num_players"] != 2).any():
            raise ValueError("only two-player games are solved; with more players there is no table")
        copies = int(states["copies"][0])
        if copies not in self._found:
            table = self._only or Solution(solution.find(copies))
            self._found[copies] = TurnSearch(table.evaluate)
        return self._found[copies]
