"""The Gymnasium environment: one seat learns, given callables play the others."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import pechvogel_env
from pechvogel_env.position import Position
from pechvogel_env.solo import SoloEnv, random_opponent


def play(env: Any, rng: np.random.Generator, **reset: Any) -> list[Any]:
    observation, info = env.reset(**reset)
    history = [observation.tolist()]
    while True:
        mask = env.unwrapped.action_masks()
        assert mask.dtype == bool and (mask == info["action_mask"].astype(bool)).all()
        assert mask.any()
        observation, reward, termination, truncation, info = env.step(int(rng.choice(np.flatnonzero(mask))))
        history.append((observation.tolist(), reward))
        if termination or truncation:
            assert not env.unwrapped.action_masks().any()
            return [*history, termination, info["scores"], info["seat"]]
        assert reward == 0


@pytest.mark.parametrize("settings", [{}, {"num_players": 5}, {"num_players": 3, "seat": 2, "skip_forced": False}])
def test_gymnasiums_checker(settings: dict[str, Any]) -> None:
    env = gymnasium.make(pechvogel_env.SOLO_ID, render_mode="rgb_array", **settings)
    check_env(env.unwrapped)


def test_registered() -> None:
    env = gymnasium.make(pechvogel_env.SOLO_ID, num_players=3)
    assert env.action_space == gymnasium.spaces.Discrete(18)
    first = play(env, np.random.default_rng(1), seed=5)
    assert play(env, np.random.default_rng(1), seed=5) == first
    assert play(env, np.random.default_rng(1)) != first


def test_rewards_are_the_learners() -> None:
    wins = 0
    env = SoloEnv(copies=1)
    for seed in range(40):
        *_, (_, reward), termination, scores, seat = play(env, np.random.default_rng(seed), seed=seed)
        assert termination and seat == 0
        assert reward == np.sign(scores[0] - scores[1])
        wins += reward > 0
    assert 5 < wins < 35


def test_opponents_sit_clockwise_from_the_learner() -> None:
    seen: set[tuple[str, int]] = set()

    def named(name: str) -> Any:
        def act(position: Position, mask: np.ndarray, rng: np.random.Generator) -> int:
            assert position.to_act is not None
            seen.add((name, position.to_act))
            return random_opponent(position, mask, rng)

        return act

    env = SoloEnv(num_players=4, opponents=[named("left"), named("across"), named("right")], seat=2, copies=1)
    play(env, np.random.default_rng(1), seed=1)
    assert seen == {("left", 3), ("across", 0), ("right", 1)}


def test_seats_rotate_if_asked() -> None:
    env = SoloEnv(num_players=3, seat=1, rotate_seats=True, copies=1)
    assert [play(env, np.random.default_rng(1), seed=1)[-1] for _ in range(5)] == [1, 2, 0, 1, 2]


def test_truncation_and_options() -> None:
    env = SoloEnv(max_turns=3)
    history = play(env, np.random.default_rng(1), seed=1, options={"first_player": 0, "dice": [7, 7, 0, 0, 3, 4, 5]})
    assert history[-3] is False and history[-4][1] == 0
    env.reset(seed=1, options={"first_player": 0, "dice": [7, 7, 0, 0, 3, 4, 5]})
    assert env.position().last_throw == [7, 7, 0, 0, 3, 4, 5]


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="num_players must be from 2 to 5, not 6"):
        SoloEnv(num_players=6)
    with pytest.raises(ValueError, match="opponents must be one callable or 2 of them, not 1"):
        SoloEnv(num_players=3, opponents=[random_opponent])
    for seat in (2, 1.0, True):
        with pytest.raises(ValueError, match="seat must be from 0 to 1"):
            SoloEnv(seat=seat)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="opponents must be callables"):
        SoloEnv(opponents=[3])  # type: ignore[list-item]
    with pytest.raises(gymnasium.error.ResetNeeded):
        SoloEnv().action_masks()
    env = SoloEnv(copies=1)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    env.reset(seed=1)
    before = env.position()
    for action in (18, -1, 1.5, None):
        with pytest.raises(ValueError, match="is not in the action space"):
            env.step(action)  # type: ignore[arg-type]
    assert env.position() == before
    play(env, np.random.default_rng(1), seed=1)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


def test_a_game_that_ends_before_the_learner_is_asked_is_skipped() -> None:
    env = SoloEnv(num_players=5, max_turns=3, seat=4)
    for seed in range(60):
        env.reset(seed=seed)
        assert env.action_masks().any()


def test_an_illegal_action_is_a_loss() -> None:
    env = SoloEnv(num_players=3)
    env.reset(seed=1)
    _, reward, termination, truncation, info = env.step(int(np.flatnonzero(~env.action_masks())[0]))
    assert (reward, termination, truncation, info["illegal"]) == (-1.0, True, False, True)
    assert not env.action_masks().any()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    _, info = env.reset(seed=1)
    assert env.action_masks().any() and "illegal" not in info


def test_an_opponents_illegal_action_is_reported() -> None:
    env = SoloEnv(opponents=lambda position, mask, rng: 17)
    with pytest.raises(ValueError, match=r"action 17 \(discard_7\) is illegal"):
        play(env, np.random.default_rng(1), seed=1)


def test_maskable_ppo_can_learn_on_it() -> None:
    contrib = pytest.importorskip("sb3_contrib")
    model = contrib.MaskablePPO("MlpPolicy", SoloEnv(copies=1), n_steps=64, batch_size=32, n_epochs=1, seed=1)
    model.learn(128)
    env = SoloEnv(copies=1)
    observation, _ = env.reset(seed=1)
    action, _ = model.predict(observation, action_masks=env.action_masks(), deterministic=True)
    assert env.action_masks()[int(action)]
