"""Rewards on the scale of reward="win", and the share of the win that they stand for.

Zero-sum: a sole win is +1, with two players a loss is -1. A share is 1 for a sole win, 1/k for a tie of k, else 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pechvogel.tabletop.arrays import Floats, Floats32
from pechvogel.tabletop.compile import inlined

REWARDS = ("win", "score")


@inlined
def reward_of(share: float, num_players: int) -> float:
    """From a share of the win to a reward."""
    return (share - 1.0 / num_players) * num_players / (num_players - 1)


def win_share(reward: Any, num_players: int) -> Any:
    """From a reward, or an array of them, to the share of the win."""
    return ((num_players - 1) * reward + 1) / num_players


@inlined
def put_rewards_of_logits(logits: Floats32, row: int, active: int, out: Floats) -> None:
    """A row of logits of shares, the player at turn first, as a row of rewards by seat."""
    n = out.shape[1]
    most = logits[row, 0]
    for k in range(1, n):
        most = max(most, logits[row, k])
    total = 0.0
    for k in range(n):
        total += np.exp(logits[row, k] - most)
    for k in range(n):
        seat = active + k
        if seat >= n:
            seat -= n
        out[row, seat] = reward_of(np.exp(logits[row, k] - most) / total, n)
