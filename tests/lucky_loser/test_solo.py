"""The Gymnasium environment: one seat learns, given callables play the others."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import lucky_loser_env
from lucky_loser_env.position import Position
from lucky_loser_env.solo import SoloEnv, random_opponent
from tests.pechvogel.test_solo import play


@pytest.mark.parametrize("settings", [{}, {"num_players": 4}, {"num_players": 3, "seat": 2, "row_lengths": (2,) * 6}])
def test_gymnasiums_checker(settings: dict[str, Any]) -> None:
    env = gymnasium.make(lucky_loser_env.SOLO_ID, render_mode="rgb_array", **settings)
    check_env(env.unwrapped)


def test_registered() -> None:
    env = gymnasium.make("pechvogel/LuckyLoser-v0", num_players=3)
    assert env.action_space == gymnasium.spaces.Discrete(49)
    first = play(env, np.random.default_rng(1), seed=5)
    assert play(env, np.random.default_rng(1), seed=5) == first
    assert play(env, np.random.default_rng(1)) != first


def test_rewards_are_the_learners() -> None:
    wins = 0
    env = SoloEnv()
    for seed in range(20):
        *_, (_, reward), termination, scores, seat = play(env, np.random.default_rng(seed), seed=seed)
        assert termination and seat == 0 and reward == np.sign(scores[0] - scores[1])
        wins += reward > 0
    assert 2 < wins < 18


def test_opponents_see_positions() -> None:
    seen = []

    def opponent(position: Position, mask: np.ndarray, rng: np.random.Generator) -> int:
        seen.append(position.to_act)
        return random_opponent(position, mask, rng)

    env = SoloEnv(num_players=3, opponents=opponent, seat=1)
    play(env, np.random.default_rng(1), seed=1)
    assert set(seen) == {0, 2} and env.position().phase == "over"


def test_an_illegal_action_is_a_loss() -> None:
    env = SoloEnv()
    env.reset(seed=1, options={"dice": [2, 2, 2, 2], "first_player": 0})
    _, reward, termination, _, info = env.step(1)
    assert reward == -1 and termination and info["illegal"]
