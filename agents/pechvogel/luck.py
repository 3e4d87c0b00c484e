"""Luck apart from skill in Pechvogel: see `agents.luck`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pechvogel.agents import luck
from pechvogel.agents.luck import Split as Split
from pechvogel.agents.pechvogel.turn.search import AT_ONCE, TurnSearch
from pechvogel_env.rules import Phase, States


def split(search: TurnSearch, before: States, after: States, actions: Sequence[int | None]) -> Split:
    """The steps of a game, in order: the position before and after each, and the action of those that are decisions.

    None stands for a throw, and for what happens by itself. Between two steps, too, things may happen by themselves
    (passes without an alternative).
    """
    n = int(before["num_players"][0])
    line = luck.side_by_side(before, after)
    found = [search.look_ahead(line[at : at + AT_ONCE], everybody=True) for at in range(0, len(line), AT_ONCE)]
    return luck.split(
        before,
        actions,
        before["phase"] == Phase.THROW,
        np.concatenate([part.of_states[:, :n] for part in found]),
        np.concatenate([part.of_actions for part in found])[::2],
        np.concatenate([part.accounts for part in found])[::2],
    )
