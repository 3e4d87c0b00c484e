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
from typing import NamedTuple

import numpy as np

from pechvogel.agents.pechvogel.turn.search import AT_ONCE, TurnSearch
from pechvogel.tabletop.arrays import Floats
from pechvogel.tabletop.rewards import win_share
from pechvogel_env.rules import Phase, States


class Split(NamedTuple):
    """A game, or a part of it; `n` players, `m` steps. All numbers are shares of the win."""

    shares: Floats  # [m + 1, n]: before each step, and after the last
    luck: Floats  # [m, n]
    skill: Floats  # [m, n]: of the seat that decides, else 0
    others: Floats  # [m, n]: of the other seats
    drift: Floats  # [m, n]
    actions: Floats  # [m, 18]: what each action was worth to whoever decides; NaN where illegal and at throws


def split(search: TurnSearch, before: States, after: States, actions: Sequence[int | None]) -> Split:
    """The steps of a game, in order: the position before and after each, and the action of those that are decisions.

    None stands for a throw, and for what happens by itself. Between two steps, too, things may happen by themselves
    (passes without an alternative).
    """
    n = int(before["num_players"][0])
    line = np.repeat(before, 2)  # one turn's positions side by side, as they are searched together then
    line[1::2] = after
    found = [search.look_ahead(line[at : at + AT_ONCE], everybody=True) for at in range(0, len(line), AT_ONCE)]
    worth = win_share(np.concatenate([part.of_states[:, :n] for part in found]), n)
    start, end = worth[::2], worth[1::2]
    of_actions = win_share(np.concatenate([part.of_actions for part in found])[::2], n)
    accounts = win_share(np.concatenate([part.accounts for part in found])[::2], n)
    shares = np.concatenate([start, end[-1:]])
    luck, skill, others = (np.zeros(start.shape) for _ in range(3))
    for k, action in enumerate(actions):
        if action is not None:
            change = accounts[k, action] - accounts[k, np.nanargmax(of_actions[k])]
            mine = np.arange(n) == before["to_act"][k]
            skill[k], others[k] = np.where(mine, change, 0.0), np.where(mine, 0.0, change)
        elif before["phase"][k] == Phase.THROW:
            luck[k] = end[k] - start[k]
    drift = np.diff(shares, axis=0) - luck - skill - others
    return Split(shares, luck, skill, others, drift, of_actions)
