"""The coach: what each action is worth, by the best evaluation at hand (`agents.lucky_loser.analysis`).

Win shares are of the player who decides.
"""

from __future__ import annotations

from typing import Any

from lucky_loser_env import rules
from lucky_loser_env.position import Position
from pechvogel.agents.lucky_loser import analysis
from pechvogel.tabletop.rewards import win_share


def advise(position: Position) -> dict[str, Any]:
    """Every legal action with its win share, best first."""
    if position.to_act is None:
        raise ValueError("nobody is asked now")
    search, source = analysis.evaluation(position)
    return {"seat": position.to_act, "source": source, "actions": analysis.ranked(position, search)}


def analyse(position: Position) -> dict[str, Any]:
    """All that the coach can say about a position."""
    search, source = analysis.evaluation(position)
    states, n = position.states(), position.num_players
    return {
        "position": position.to_dict(),
        "text": position.to_text(),
        "scores": [int(rules.score(states, 0, seat)) for seat in range(n)],
        "shares": [win_share(float(value), n) for value in search.values(states)[0, :n]],
        "source": source,
        "advice": None if position.to_act is None else advise(position),
    }
