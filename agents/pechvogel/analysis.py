"""What every action in a position is worth, by the best evaluation at hand: `pechvogel analyse`."""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from typing import Any

import numpy as np

from pechvogel.agents.pechvogel import solution
from pechvogel.agents.pechvogel.champion import ChampionAgent
from pechvogel.agents.pechvogel.planner import evaluate_by_points
from pechvogel.agents.pechvogel.solution import NoTableError, Solution
from pechvogel.agents.pechvogel.turn.search import TurnSearch
from pechvogel.tabletop.rewards import win_share
from pechvogel_env.kind import KIND
from pechvogel_env.position import Position

# Read once: a coach asks often.
_open = lru_cache(maxsize=4)(Solution)
_champion = lru_cache(maxsize=1)(ChampionAgent)


def evaluation(position: Position, table: Solution | None = None) -> tuple[TurnSearch, str]:
    """The best search for a position, and a sentence on where its values come from."""
    if table is None and position.num_players == 2 and not position.italian_reading:
        with suppress(NoTableError):
            table = _open(solution.find(position.copies))
    if table is not None:
        most = max(player.frustrations for player in position.players)
        source = f"exact: table {table.path.name}"
        if most >= table.cap:
            source = f"estimated: beyond the {table.cap} frustrations up to which table {table.path.name} counts"
        return TurnSearch(table.evaluate), source
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
    values = search.action_values(position.states())[0]
    legal = [int(action) for action in np.flatnonzero(~np.isnan(values))]
    best = sorted(legal, key=lambda action: (-values[action], action))
    shares = {action: win_share(float(values[action]), position.num_players) for action in best}
    return [
        {
            "action": action,
            "name": KIND.actions[action],
            "value": float(values[action]),
            "win_share": shares[action],
            "loss": float(values[best[0]] - values[action]),
            "costs": shares[best[0]] - shares[action],
        }
        for action in best
    ]


def analyse(position: Position, table: Solution | None = None) -> dict[str, Any]:
    """What a position and its actions are worth; the result is what `--json` writes.

    Values are on the scale of reward="win" for whoever decides (between decisions: for the player at turn).
    """
    search, source = evaluation(position, table)
    seat = position.active if position.to_act is None else position.to_act
    actions = ranked(position, search)
    value = actions[0]["value"] if actions else float(search.values(position.states())[0, seat])
    return {
        "value": value,
        "win_share": win_share(value, position.num_players),
        "seat": seat,
        "source": source,
        "actions": actions,
    }
