"""Porca Miseria for Gymnasium: one seat learns, the other seats are played by given callables."""

from __future__ import annotations

from typing import Any

from pechvogel.tabletop import solo
from pechvogel.tabletop.solo import Opponent as Opponent
from pechvogel.tabletop.solo import random_opponent as random_opponent
from porca_miseria_env import porca_miseria_v0
from porca_miseria_env.view import View


class SoloEnv(solo.SoloEnv[View]):
    """One learner at a table of opponents, `gymnasium.make("pechvogel/PorcaMiseria-v0")`.

    Observation, actions, rewards and end are those of `porca_miseria_v0` from the learner's seat, who acts in every
    tick. Opponents are handed their own view. What is beyond that (`opponents`, `seat`, `rotate_seats`, `info`) is
    described at `tabletop.solo.SoloEnv`.
    """

    table = porca_miseria_v0.raw_env

    def __init__(self, num_players: int = 3, **kwargs: Any) -> None:
        super().__init__(num_players, **kwargs)
