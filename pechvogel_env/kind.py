"""Pechvogel as all that is shared sees it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pechvogel.tabletop.checks import check_truths, check_whole
from pechvogel.tabletop.kind import Habit, OpenKind, Parts, Setting, Variant
from pechvogel_env import observation, pechvogel_v0, rules
from pechvogel_env.batch import Batch, Buffers
from pechvogel_env.game import Game, random_games
from pechvogel_env.rules import MAX_COPIES, MAX_PLAYERS, MIN_PLAYERS, Action, Phase
from pechvogel_env.solo import SoloEnv


class Pechvogel(OpenKind[Game]):
    """See `tabletop.kind`."""

    name = "pechvogel"
    environment = "pechvogel_v0"
    players = range(MIN_PLAYERS, MAX_PLAYERS + 1)
    settings = {
        "copies": Setting(
            MAX_COPIES,
            lambda name, value: check_whole(name, value, 1, MAX_COPIES),
            f"markers per value, 1 to {MAX_COPIES}",
            "{} copies",
        ),
        "italian_reading": Setting(
            False,
            lambda name, value: check_truths(**{name: value}),
            "the Italian booklet's rule Q3",
            "the Italian reading",
        ),
    }
    actions = tuple(action.name.lower().replace("_", " ") for action in Action)
    phases = tuple(phase.name.lower() for phase in Phase)
    habits = {
        "reduce": Habit("reduces", Phase.REDUCE, [Action.REDUCE]),
        "frustrate": Habit("frustrates", Phase.FRUSTRATE, [Action.FRUSTRATE]),
        "join": Habit("joins", Phase.JOIN, [Action.FRUSTRATE]),
        "steal": Habit("steals", Phase.TAKE, [Action.STEAL_1, Action.STEAL_2, Action.STEAL_3, Action.STEAL_4]),
    }
    parts = Parts(
        Game,
        Batch,
        Buffers.allocate,
        observation.size,
        observation.observe,
        {"raw_env": pechvogel_v0.raw_env, "env": pechvogel_v0.env, "solo": SoloEnv},
    )

    def variant_of(self, states: rules.States) -> Variant:
        """What is played in some games; the reading (Q3) aside, for which agents need no weights of their own."""
        return self.variant(int(states["num_players"][0]), copies=int(states["copies"][0]))

    def random_games(self, variant: Variant, num_games: int) -> Callable[[int], int]:
        """Games of random actions in compiled code."""
        states = rules.new_states(num_games)
        copies, italian_reading = variant["copies"], variant["italian_reading"]
        return lambda seed: random_games(states, variant.num_players, copies, italian_reading, np.uint64(seed))


KIND = Pechvogel()
