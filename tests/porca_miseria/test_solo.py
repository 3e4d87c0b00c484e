"""The Gymnasium environment: one seat learns, given callables play the others."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import porca_miseria_env
from porca_miseria_env.solo import SoloEnv
from porca_miseria_env.view import View


@pytest.mark.parametrize("settings", [{}, {"num_players": 8, "seat": 3}])
def test_gymnasiums_checker(settings: dict[str, Any]) -> None:
    env = gymnasium.make(porca_miseria_env.SOLO_ID, render_mode="rgb_array", max_cards=5, **settings)
    check_env(env.unwrapped)


def test_the_learner_acts_in_every_tick_and_opponents_get_their_own_views() -> None:
    seen: list[View] = []

    def opponent(view: View, mask: np.ndarray, rng: np.random.Generator) -> int:
        assert len(mask) == 5 and mask[0]
        seen.append(view)
        return 0

    env = SoloEnv(4, opponents=opponent, seat=2, max_cards=3, ticks=4)
    _, info = env.reset(seed=3)
    assert info["seat"] == 2 and env.position()["seat"] == 2
    steps, ended = 0, False
    while not ended:
        observation, reward, termination, truncation, info = env.step(0)
        assert env.observation_space.contains(observation)
        steps, ended = steps + 1, termination or truncation
    assert steps == 12 and reward == 0 and info["scores"] == [0, 0, 0, 0]
    assert {view["seat"] for view in seen} == {0, 1, 3} and len(seen) == 36
    assert all(len(view["glances"]) == (view["tick"] + 1 if view["card"] == "symbols" else 0) for view in seen)


def test_rewards_are_the_learners() -> None:
    env = SoloEnv(8, rotate_seats=True)
    rng = np.random.default_rng(1)
    for seed in range(4):
        env.reset(seed=seed)
        while True:
            action = int(rng.choice(np.flatnonzero(env.action_masks())))
            _, reward, termination, _, info = env.step(action)
            if termination:
                break
            assert reward == 0
        assert info["seat"] == seed
        best = max(info["scores"])
        assert (reward > 0) == (info["scores"][info["seat"]] == best)


def test_an_illegal_action_is_a_loss() -> None:
    env = SoloEnv(tap_cards=0)
    env.reset(seed=1)
    _, reward, termination, _, info = env.step(4)
    assert (reward, termination, info["illegal"]) == (-1.0, True, True)
