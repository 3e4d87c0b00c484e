"""Luck apart from skill in Lucky Loser: see `agents.luck`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lucky_loser_env.rules import NUM_ACTIONS, Phase, States
from pechvogel.agents import luck
from pechvogel.agents.luck import Split as Split
from pechvogel.agents.lucky_loser.turn import TurnSearch, ends_of
from pechvogel.tabletop.bits import action_list


def split(search: TurnSearch, before: States, after: States, actions: Sequence[int | None]) -> Split:
    """The steps of a game, in order: the position before and after each, and the action; None stands for a throw."""
    n = int(before["num_players"][0])
    values = search.values(luck.side_by_side(before, after))[:, :n]
    asked = before["phase"] == Phase.GROUP
    accounts = np.full((len(before), NUM_ACTIONS, n), np.nan)
    of_actions = np.full((len(before), NUM_ACTIONS), np.nan)
    if asked.any():
        ends = ends_of(before[asked])
        worth = search.evaluate(ends.states)[:, :n]
        for k, number in enumerate(np.flatnonzero(asked)):
            accounts[number, action_list(int(ends.bits[k]))] = worth[ends.starts[k] : ends.starts[k + 1]]
            of_actions[number] = accounts[number, :, before["to_act"][number]]
    return luck.split(before, actions, before["phase"] == Phase.THROW, values, of_actions, accounts)
