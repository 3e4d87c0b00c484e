"""The coach: what each action is worth and why.

Values are those of the best evaluation at hand (`agents.pechvogel.analysis`): exact at two players where a table is
installed, else the strongest agent's. Win shares are of the player who decides.
"""

from __future__ import annotations

from typing import Any

from pechvogel.agents.pechvogel import analysis
from pechvogel.agents.pechvogel.explain import explain
from pechvogel.tabletop.rewards import win_share
from pechvogel_env import rules
from pechvogel_env.position import Position


def advise(position: Position) -> dict[str, Any]:
    """Every legal action with its win share, how the turn can end after it, and the reason for the best, best first."""
    if position.to_act is None:
        raise ValueError("nobody is asked now")
    search, source = analysis.evaluation(position)
    rows = explain(position, search, analysis.ranked(position, search))
    return {"seat": position.to_act, "source": source, "actions": rows}


def shares(position: Position) -> list[float]:
    """Everybody's win share."""
    values = analysis.evaluation(position)[0].values(position.states())[0]
    return [win_share(float(value), position.num_players) for value in values[: position.num_players]]


def analyse(position: Position) -> dict[str, Any]:
    """All that the coach can say about a position."""
    advice = None if position.to_act is None else advise(position)
    states = position.states()
    return {
        "position": position.to_dict(),
        "text": position.to_text(),
        "scores": [int(rules.score(states, 0, seat)) for seat in range(position.num_players)],
        "shares": shares(position),
        "source": analysis.evaluation(position)[1],
        "advice": advice,
    }
