"""Pechvogel as all that is shared sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pechvogel.tabletop.arrays import Floats32
from pechvogel.tabletop.checks import check_truths, check_whole
from pechvogel.tabletop.kind import Habit, Kind, Setting, Variant
from pechvogel_env import observation, pechvogel_v0, rules
from pechvogel_env.batch import Batch, Buffers
from pechvogel_env.game import Game, random_games
from pechvogel_env.rules import MAX_COPIES, MAX_PLAYERS, MIN_PLAYERS, Action, Phase
from pechvogel_env.solo import SoloEnv


class Pechvogel(Kind):
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
    perfect_information = True

    def variant_of(self, states: rules.States) -> Variant:
        """What is played in some games; the reading (Q3) aside, for which agents need no weights of their own."""
        return self.variant(int(states["num_players"][0]), copies=int(states["copies"][0]))

    def game(self, variant: Variant, **options: Any) -> Game:
        """One game, step by step."""
        return Game(variant.num_players, **variant.settings, **options)

    def batch(self, variant: Variant, num_games: int, **options: Any) -> Batch:
        """Many games at once."""
        buffers = Buffers.allocate(num_games, variant.num_players)
        return Batch(buffers, num_players=variant.num_players, **variant.settings, **options)

    def observation_size(self, variant: Variant) -> int:
        """How many numbers an observation has."""
        return observation.size(variant.num_players)

    def observe(self, states: rules.States) -> Floats32:
        """What whoever is asked sees."""
        out = np.empty((len(states), observation.size(int(states["num_players"][0]))), np.float32)
        observation.observe(states, np.arange(len(states)), 0, len(states), states["to_act"].copy(), out)
        return out

    def make(self, name: str, variant: Variant, **options: Any) -> Any:
        """An environment."""
        factory = SoloEnv if name == "solo" else getattr(pechvogel_v0, name)
        return factory(num_players=variant.num_players, **variant.settings, **options)

    def random_games(self, variant: Variant, num_games: int) -> Callable[[int], int]:
        """Games of random actions in compiled code."""
        states = rules.new_states(num_games)
        copies, italian_reading = variant["copies"], variant["italian_reading"]
        return lambda seed: random_games(states, variant.num_players, copies, italian_reading, np.uint64(seed))


KIND = Pechvogel()
