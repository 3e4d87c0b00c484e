"""Luck apart from skill: how a game's steps changed everybody's share of the win, split without a rest.

The share of a seat changes at every step by

    luck      of a throw: what it is worth after it minus what it was worth before, which is the exact expectation over
              all throws that could have fallen
    skill     of a decision: what the action chosen is worth to whoever decides minus what their best one is; never
              positive
    others    the same difference as it falls to everybody else
    drift     the evaluation's own: at the end of a turn the position is seen anew, one turn nearer to the game's end.
              It is nobody's luck or merit; with exact values there is none

and by nothing else, so the four add up from the first share to the last. A throw's luck has the expectation zero. What
one seat wins at a step, others lose.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pechvogel.tabletop.arrays import Floats
from pechvogel.tabletop.rewards import win_share


class Split(NamedTuple):
    """A game, or a part of it; `n` players, `m` steps. All numbers are shares of the win."""

    shares: Floats  # [m + 1, n]: before each step, and after the last
    luck: Floats  # [m, n]
    skill: Floats  # [m, n]: of the seat that decides, else 0
    others: Floats  # [m, n]: of the other seats
    drift: Floats  # [m, n]
    actions: Floats  # [m, actions]: what each was worth to whoever decides; NaN where illegal and at throws


def split(
    before: NDArray[Any],
    actions: Sequence[int | None],
    thrown: NDArray[Any],
    values: Floats,
    of_actions: Floats,
    accounts: Floats,
) -> Split:
    """The steps of a game, in order, by what a search of its positions has found; all values are rewards.

    `actions` has None for a throw, and for what happens by itself; `thrown` says which of these are throws. `values`
    [2 m, n] are what a position is worth to everybody, before and after each step by turns; `of_actions` [m, actions]
    what each action is worth to whoever decides; `accounts` [m, actions, n] the same for everybody.
    """
    n = int(before["num_players"][0])
    worth = win_share(values, n)
    start, end = worth[::2], worth[1::2]
    chances, kept = win_share(of_actions, n), win_share(accounts, n)
    shares = np.concatenate([start, end[-1:]])
    luck, skill, others = (np.zeros(start.shape) for _ in range(3))
    for k, action in enumerate(actions):
        if action is not None:
            change = kept[k, action] - kept[k, np.nanargmax(chances[k])]
            mine = np.arange(n) == before["to_act"][k]
            skill[k], others[k] = np.where(mine, change, 0.0), np.where(mine, 0.0, change)
        elif thrown[k]:
            luck[k] = end[k] - start[k]
    drift = np.diff(shares, axis=0) - luck - skill - others
    return Split(shares, luck, skill, others, drift, chances)


def side_by_side(before: NDArray[Any], after: NDArray[Any]) -> NDArray[Any]:
    """Positions before and after each step by turns: those of one turn are searched together then."""
    line = np.repeat(before, 2)
    line[1::2] = after
    return line
