"""Lucky Loser for Gymnasium: one seat learns, the other seats are played by given callables."""

from __future__ import annotations

from lucky_loser_env import lucky_loser_v0
from lucky_loser_env.position import Position
from pechvogel.tabletop import solo
from pechvogel.tabletop.solo import Opponent as Opponent
from pechvogel.tabletop.solo import random_opponent as random_opponent


class SoloEnv(solo.SoloEnv[Position]):
    """One learner at a table of opponents, `gymnasium.make("pechvogel/LuckyLoser-v0")`.

    Observation, actions, rewards and end are those of `lucky_loser_v0` from the learner's seat. What is
    beyond that (`opponents`, `seat`, `rotate_seats`, `info`) is described at `tabletop.solo.SoloEnv`.
    """

    table = lucky_loser_v0.raw_env
