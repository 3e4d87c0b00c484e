"""Pechvogel for Gymnasium: one seat learns, the other seats are played by given callables."""

from __future__ import annotations

from pechvogel.tabletop import solo
from pechvogel.tabletop.solo import Opponent as Opponent
from pechvogel.tabletop.solo import random_opponent as random_opponent
from pechvogel_env import pechvogel_v0
from pechvogel_env.position import Position


class SoloEnv(solo.SoloEnv[Position]):
    """One learner at a table of opponents, `gymnasium.make("pechvogel/Pechvogel-v0")`.

    Observation, actions, rewards and end are those of `pechvogel_v0` from the learner's seat. What is
    beyond that (`opponents`, `seat`, `rotate_seats`, `info`) is described at `tabletop.solo.SoloEnv`.
    """

    table = pechvogel_v0.raw_env
