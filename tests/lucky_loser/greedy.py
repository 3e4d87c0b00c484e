"""The greedy player: most points of chips now, then the largest sum of its groups. A yardstick for `heuristic`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lucky_loser_env.rules import GROUPS, SUMS, States
from pechvogel.agents.base import BatchAgent

_COUNTS = np.array([[groups.count(value) for value in SUMS] for groups in GROUPS])  # by action and row


class Greedy(BatchAgent):
    """Ties go to the lowest action; to be named as tests.lucky_loser.greedy:Greedy."""

    name = "greedy"

    def act_batch(self, states: States, masks: Any, rngs: Sequence[np.random.Generator]) -> Any:
        """One action per game; the generators are not used."""
        places = states["places"][np.arange(len(states)), states["active"]].astype(int)[:, None, :]
        before_x = np.maximum(places, states["row_lengths"].astype(int)[:, None, :] - 1)
        chips = np.maximum(0, places + _COUNTS - before_x)
        worth = 1000 * (chips * SUMS).sum(axis=2) + (_COUNTS * SUMS).sum(axis=1)
        return np.argmax(np.where(masks != 0, worth, -1), axis=1)
