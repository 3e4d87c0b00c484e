"""Lucky Loser as all that is shared sees it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lucky_loser_env import lucky_loser_v0, observation, rules
from lucky_loser_env.batch import Batch, Buffers
from lucky_loser_env.game import Game, random_games
from lucky_loser_env.position import GAME, PHASES
from lucky_loser_env.rules import (
    ACTION_NAMES,
    GROUPS,
    MAX_GROUPS,
    MAX_PLAYERS,
    MIN_PLAYERS,
    NOTHING,
    ROW_LENGTHS,
    Phase,
)
from lucky_loser_env.solo import SoloEnv
from pechvogel.tabletop.kind import Habit, OpenKind, Parts, Setting, Variant, numbers


class LuckyLoser(OpenKind[Game]):
    """See `tabletop.kind`."""

    name = GAME
    environment = "lucky_loser_v0"
    players = range(MIN_PLAYERS, MAX_PLAYERS + 1)
    settings = {
        "row_lengths": Setting(
            ROW_LENGTHS,
            rules.check_row_lengths,
            f"squares of the rows 5 to 10, the X included, 1 to {rules.MAX_LENGTH} each",
            "rows of {}",
            numbers,
        ),
    }
    actions = ACTION_NAMES
    phases = PHASES
    habits = {
        "nothing": Habit("forms nothing", Phase.GROUP, [NOTHING]),
        "one": Habit("forms one group", Phase.GROUP, [a for a, sums in enumerate(GROUPS) if len(sums) == 1]),
        "many": Habit(
            "forms three or four", Phase.GROUP, [a for a, g in enumerate(GROUPS) if len(g) >= MAX_GROUPS - 1]
        ),
    }
    parts = Parts(
        Game,
        Batch,
        Buffers.allocate,
        observation.size,
        observation.observe,
        {"raw_env": lucky_loser_v0.raw_env, "env": lucky_loser_v0.env, "solo": SoloEnv},
    )

    def variant_of(self, states: rules.States) -> Variant:
        """What is played in some games."""
        return self.variant(int(states["num_players"][0]), row_lengths=tuple(states["row_lengths"][0].tolist()))

    def random_games(self, variant: Variant, num_games: int) -> Callable[[int], int]:
        """Games of random actions in compiled code."""
        states = rules.new_states(num_games)
        return lambda seed: random_games(states, variant.num_players, variant["row_lengths"], np.uint64(seed))


KIND = LuckyLoser()
