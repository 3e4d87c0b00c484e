"""What every action in a position is worth, by the best evaluation at hand: `pechvogel analyse`."""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from pechvogel.agents import analysis as shared
from pechvogel.agents.pechvogel import solution
from pechvogel.agents.pechvogel.champion import ChampionAgent
from pechvogel.agents.pechvogel.explain import explain
from pechvogel.agents.pechvogel.planner import evaluate_by_points
from pechvogel.agents.pechvogel.solution import DamagedTableError, NoTableError, Solution
from pechvogel.agents.pechvogel.turn.search import TurnSearch
from pechvogel.tabletop.arrays import Floats
from pechvogel_env.kind import KIND
from pechvogel_env.position import Position
from pechvogel_env.rules import States

_champion = lru_cache(maxsize=1)(ChampionAgent)


def evaluation(position: Position, table: Solution | None = None) -> tuple[TurnSearch, str]:
    """The best search for a position, and a sentence on where its values come from."""
    if table is not None:
        return TurnSearch(table.evaluate), _source(position, table)
    if position.num_players != 2 or position.italian_reading:
        return _without_table(position)
    try:
        path = solution.find(position.copies)
    except NoTableError:
        return _without_table(position)
    search, source = _without_table(position)
    try:
        found = _open(path, path.stat().st_mtime_ns)
        by_table = _TableSearch(found, search)
        if not found.verify_at_once():
            by_table.probe(position.states())
        return by_table, _source(position, found)
    except (ValueError, OSError):  # `Solution` says why; whoever only asks for advice need not know where files are
        return search, f"{source}, as table {path.name} is damaged"


@lru_cache(maxsize=4)
def _open(path: Path, changed: int) -> Solution:
    """A table, read once, as a coach asks often; and again when its file has changed."""
    return Solution(path)


def _source(position: Position, table: Solution) -> str:
    most = max(player.frustrations for player in position.players)
    if most >= table.cap:
        return f"estimated: beyond the {table.cap} frustrations up to which table {table.path.name} counts"
    return f"exact: table {table.path.name}"


class _TableSearch(TurnSearch):
    """By a table; once damage is met in it, by something else, with a word about it."""

    def __init__(self, table: Solution, otherwise: TurnSearch) -> None:
        super().__init__(self._evaluate)
        self._table, self._otherwise, self._damaged = table, otherwise, False

    def probe(self, states: States) -> None:
        """DamagedTableError if the table is damaged where these positions need it."""
        TurnSearch(self._table.evaluate).search(states)

    def _evaluate(self, states: States) -> Floats:
        if not self._damaged:
            try:
                return self._table.evaluate(states)
            except DamagedTableError as error:
                print(f"pechvogel: {error}", file=sys.stderr)
                self._damaged = True
        return self._otherwise.evaluate(states)


def _without_table(position: Position) -> tuple[TurnSearch, str]:
    with suppress(ValueError):
        return (
            _champion().search(position.states()),
            "estimated: this turn is exact, what comes after it is a learned evaluation (champion)",
        )
    return (
        TurnSearch(evaluate_by_points),
        "estimated: this turn is exact, what comes after it is a hand-made evaluation (planner)",
    )


def ranked(position: Position, search: TurnSearch) -> list[dict[str, Any]]:
    """Every legal action with its value for whoever decides, best first; `costs` is the share of the win it loses."""
    return shared.ranked(search.action_values(position.states())[0], KIND.actions, position.num_players)


def analyse(position: Position, table: Solution | None = None) -> dict[str, Any]:
    """What a position and its actions are worth; the result is what `--json` writes.

    Values are on the scale of reward="win" for whoever decides (between decisions: for the player at turn).
    """
    search, source = evaluation(position, table)
    actions = ranked(position, search)
    if actions:
        actions = explain(position, search, actions)
    return shared.summary(position, actions, lambda: search.values(position.states())[0], source)


def open_table(path: Path) -> Solution:
    """A table that somebody names; ValueError if it can't be used."""
    return Solution(path)
