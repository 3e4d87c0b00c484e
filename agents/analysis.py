"""What every action in a position is worth, ranked: what is the same for every game of `pechvogel analyse`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pechvogel.tabletop.arrays import Floats
from pechvogel.tabletop.rewards import win_share


def ranked(values: Floats, names: Sequence[str], num_players: int) -> list[dict[str, Any]]:
    """Every legal action with its value for whoever decides, best first; `costs` is the share of the win it loses.

    `values` has one for every action, NaN where illegal, on the scale of reward="win".
    """
    legal = [int(action) for action in np.flatnonzero(~np.isnan(values))]
    best = sorted(legal, key=lambda action: (-values[action], action))
    shares = {action: win_share(float(values[action]), num_players) for action in best}
    return [
        {
            "action": action,
            "name": names[action],
            "value": float(values[action]),
            "win_share": shares[action],
            "loss": float(values[best[0]] - values[action]),
            "costs": shares[best[0]] - shares[action],
        }
        for action in best
    ]


def summary(position: Any, actions: list[dict[str, Any]], values: Callable[[], Floats], source: str) -> dict[str, Any]:
    """What `--json` writes: what a position is worth, and its actions as `ranked` has them.

    The value is that for whoever decides. Between decisions it is that for the player at turn, and only then `values`
    is asked what the position is worth to every seat.
    """
    seat = position.active if position.to_act is None else position.to_act
    value = actions[0]["value"] if actions else float(values()[seat])
    return {
        "value": value,
        "win_share": win_share(value, position.num_players),
        "seat": seat,
        "source": source,
        "actions": actions,
    }
