"""What every action in a position is worth, by the best evaluation at hand: `pechvogel analyse`."""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from typing import Any

import numpy as np

from pechvogel.agents.base import states_of
from pechvogel.agents.pechvogel import solution
from pechvogel.agents.pechvogel.champion import ChampionAgent
from pechvogel.agents.pechvogel.planner import PlannerAgent
from pechvogel.agents.pechvogel.solution import NoTableError, Solution
from pechvogel.agents.pechvogel.turn.search import TurnSearch
from pechvogel_env.position import Position
from pechvogel_env.rules import NUM_ACTIONS, Action

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
            _champion().search(states_of(position)),
            "estimated: this turn is exact, what comes after it is a learned evaluation (champion)",
        )
    return (
        PlannerAgent().search,
        "estimated: this turn is exact, what comes after it is a hand-made evaluation (planner)",
    )


def analyse(position: Position, table: Solution | None = None) -> dict[str, Any]:
    """Every legal action with its value, best first; the result is what `--json` writes.

    Values are on the scale of reward="win" for whoever decides (between decisions: for the player at turn).
    """
    search, source = evaluation(position, table)
    states = states_of(position)
    seat = position.active if position.to_act is None else position.to_act
    of_actions = search.action_values(states)[0]
    legal = [action for action in range(NUM_ACTIONS) if not np.isnan(of_actions[action])]
    best = sorted(legal, key=lambda action: (-of_actions[action], action))
    n = position.num_players
    actions = [
        {
            "action": action,
            "name": Action(action).name.lower().replace("_", " "),
            "value": float(of_actions[action]),
            "win_share": ((n - 1) * float(of_actions[action]) + 1) / n,
            "loss": float(of_actions[best[0]] - of_actions[action]),
        }
        for action in best
    ]
    value = actions[0]["value"] if actions else float(search.values(states)[0, seat])
    return {
        "value": value,
        "win_share": ((n - 1) * value + 1) / n,
        "seat": seat,
        "source": source,
        "actions": actions,
    }
