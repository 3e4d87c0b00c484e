"""Perfect play in two-player games, from the table that `pechvogel solve` makes."""

from __future__ import annotations

from pathlib import Path

from pechvogel.agents.pechvogel import solution
from pechvogel.agents.pechvogel.solution import Solution
from pechvogel.agents.pechvogel.turn.agent import SearchAgent
from pechvogel.agents.pechvogel.turn.search import TurnSearch
from pechvogel_env.rules import States


class OptimalAgent(SearchAgent):
    """The best action by the exact value of every action.

    Without `table`, the one for the game at hand is looked for where `pechvogel solve` puts it.
    """

    name = "optimal"

    def __init__(self, *, table: str | None = None) -> None:
        self._only = None if table is None else Solution(Path(table))
        self._found: dict[int, tuple[Solution, TurnSearch]] = {}  # by copies

    def search(self, states: States) -> TurnSearch:
        """The search with the table of these games; ValueError if there is none."""
        if (states["num_players"] != 2).any():
            raise ValueError("only two-player games are solved; with more players there is no table")
        copies = int(states["copies"][0])
        if copies not in self._found or not self._found[copies][0].sound:
            table = self._only or Solution(solution.find(copies))
            self._found[copies] = table, TurnSearch(table.evaluate)
        return self._found[copies][1]
