"""Porca Miseria as all that is shared sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pechvogel.tabletop.arrays import Floats32
from pechvogel.tabletop.checks import check_truths, check_whole
from pechvogel.tabletop.kind import Habit, Parts, PartsKind, Setting, Variant
from porca_miseria_env import observation, porca_miseria_v0, rules
from porca_miseria_env.batch import Batch, Buffers
from porca_miseria_env.game import RANDOM_CARDS, Game, random_games
from porca_miseria_env.rules import (
    BLUR,
    MAX_BLUR,
    MAX_PLAYERS,
    MAX_TICKS,
    MIN_PLAYERS,
    NUM_CARDS,
    TAP_CARDS,
    TICKS,
    Action,
    Phase,
)
from porca_miseria_env.solo import SoloEnv
from porca_miseria_env.view import GAME


def _number(value: Any) -> Any:
    """A whole number counts as a number, too; what is none stays, for a check to refuse."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


class PorcaMiseria(PartsKind[Game]):
    """See `tabletop.kind`."""

    name = GAME
    environment = "porca_miseria_v0"
    players = range(MIN_PLAYERS, MAX_PLAYERS + 1)
    settings = {
        "tap_cards": Setting(
            TAP_CARDS,
            lambda name, value: check_whole(name, value, 0, NUM_CARDS),
            f"tap cards among the {NUM_CARDS} cards",
            "{} tap cards",
        ),
        "ticks": Setting(
            TICKS,
            lambda name, value: check_whole(name, value, 1, MAX_TICKS),
            f"how long a card is looked at, 1 to {MAX_TICKS}",
            "{} ticks",
        ),
        "blur": Setting(
            BLUR,
            rules.check_blur,
            f"how likely a symbol is overlooked, and how likely it is counted twice, 0 to {MAX_BLUR}",
            "blur {}",
            _number,
        ),
        "moving_numbers": Setting(
            False,
            lambda name, value: check_truths(**{name: value}),
            "lucky numbers move on with the dealer",
            "moving numbers",
        ),
    }
    actions = rules.ACTION_NAMES
    phases = tuple(phase.name.lower() for phase in Phase)
    habits = {
        "wait": Habit("waits at a symbol card", Phase.SYMBOLS, [Action.WAIT]),
        "take": Habit("takes a lucky card", Phase.SYMBOLS, [Action.MUSHROOM, Action.PIG, Action.SWEEP]),
        "tap": Habit("taps", Phase.TAP, [Action.TAP]),
    }
    perfect_information = False
    simultaneous = True
    max_turns = "max_cards"  # a turn of this game is a card
    parts = Parts(
        Game,
        Batch,
        Buffers.allocate,
        observation.size,
        observation.observe,
        {
            "raw_env": porca_miseria_v0.raw_env,
            "env": porca_miseria_v0.env,
            "parallel_env": porca_miseria_v0.parallel_env,
            "solo": SoloEnv,
        },
    )

    def variant_of(self, states: Floats32) -> Variant:
        """What is played in some games, by what is observed there."""
        return self.variant(observation.num_players_of(states), **observation.settings_of(states[0]))

    def observe(self, states: Floats32) -> Floats32:
        """Observations are all that is shown."""
        return states

    def random_games(self, variant: Variant, num_games: int) -> Callable[[int], int]:
        """Games of random actions in compiled code."""
        states = rules.new_states(num_games, variant.num_players, **variant.settings)
        return lambda seed: random_games(states, RANDOM_CARDS, np.uint64(seed))


KIND = PorcaMiseria()
