"""The PettingZoo environment: PettingZoo's own tests, and everything that its spec page promises."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pettingzoo.test import api_test, render_test, seed_test

from lucky_loser_env import lucky_loser_v0
from tests.pechvogel.test_env import ANYTHING, play

ALL_SETTINGS: list[dict[str, Any]] = [
    {"num_players": 2},
    {"num_players": 3, "row_lengths": (3, 3, 4, 4, 5, 5), "reward": "score"},
    {"num_players": 4, "skip_forced": False},
    {"num_players": 2, "row_lengths": [1] * 6, "skip_forced": False, "reward": "score"},
    {"num_players": 3, "row_lengths": (8,) * 6, "max_turns": 5},
]
each_setting = pytest.mark.parametrize("settings", ALL_SETTINGS, ids=lambda s: "-".join(map(str, s.values())))
both_kinds = pytest.mark.parametrize("make", [lucky_loser_v0.env, lucky_loser_v0.raw_env])


@each_setting
@both_kinds
def test_api(make: Any, settings: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    api_test(make(**settings), num_cycles=300)


@each_setting
@both_kinds
def test_seeds(make: Any, settings: dict[str, Any]) -> None:
    seed_test(lambda: make(**settings), num_cycles=300)


def test_render(capsys: pytest.CaptureFixture[str]) -> None:
    render_test(lambda render_mode: lucky_loser_v0.env(num_players=3, render_mode=render_mode))
    assert "player_0" in capsys.readouterr().out


def test_registered() -> None:
    env = pettingzoo.make("aec", "pechvogel/lucky-loser-v0", num_players=4)
    env.reset(seed=1)
    assert env.num_agents == 4 and str(env) == "lucky_loser_v0"
    again = lucky_loser_v0.env(num_players=4)
    again.reset(seed=1)
    assert play(env, random.Random(2)) == play(again, random.Random(2))


@each_setting
def test_masks_agents_and_infos(settings: dict[str, Any]) -> None:
    env = lucky_loser_v0.raw_env(**settings)
    env.reset(seed=3)
    rng = random.Random(3)
    assert (env.state() == env.observe("player_0")["observation"]).all()
    while not any(env.terminations.values()) and not any(env.truncations.values()):
        for agent in env.agents:
            observation = env.observe(agent)
            mask = observation["action_mask"]
            assert mask.dtype == np.int8 and mask.shape == (49,)
            assert mask.any() == (agent == env.agent_selection)
            assert (env.infos[agent]["action_mask"] == mask).all()
            assert env.observation_space(agent).contains(observation)
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()
        assert len(legal) >= (1 if settings.get("skip_forced") is False else 2)
        assert env.agent_selection == f"player_{env.position().to_act}"
        env.step(rng.choice(legal))
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.agents)


def test_skip_forced_plays_the_same_game() -> None:
    """L8: somebody who can form no group is not asked, or is asked and does nothing."""
    asked = [0, 0]
    for seed in range(5):
        quick, slow = (
            lucky_loser_v0.raw_env(row_lengths=(1,) * 6, skip_forced=skip, max_turns=90) for skip in (True, False)
        )
        rng = random.Random(seed)
        actions: dict[int, int] = {}
        quick.reset(seed=seed)
        while not any(quick.terminations.values()):
            legal = np.flatnonzero(quick.infos[quick.agent_selection]["action_mask"]).tolist()
            actions[quick.position().turn] = action = rng.choice(legal)
            asked[0] += 1
            quick.step(action)
        slow.reset(seed=seed)
        while not any(slow.terminations.values()):
            asked[1] += 1
            slow.step(actions.get(slow.position().turn, 0))
        assert slow.rewards == quick.rewards and slow.position() == quick.position()
        assert slow.record()["sha256"] == quick.record()["sha256"]
    assert asked[1] >= asked[0]


def test_rewards_reach_every_seat() -> None:
    """L15."""
    for seed in range(10):
        env = lucky_loser_v0.env(num_players=3)
        env.reset(seed=seed)
        rewards: dict[str, list[float]] = {agent: [] for agent in env.agents}
        for agent, action, reward in play(env, random.Random(seed)):
            rewards[agent].append(reward)
            assert reward == 0 or action is None
        assert sum(sum(values) for values in rewards.values()) == pytest.approx(0, abs=1e-6)
        assert max(sum(values) for values in rewards.values()) > 0


def test_truncation() -> None:
    """L16: counted from `reset`."""
    env = lucky_loser_v0.raw_env(num_players=3, max_turns=4)
    env.reset(seed=1, options={"position": {"turn": 100}})
    history = play(env, random.Random(1))
    assert [reward for _, action, reward in history if action is None] == [0, 0, 0]
    assert env.position().turn == 104 and env.position().phase == "throw"


def test_first_player_and_dice() -> None:
    env = lucky_loser_v0.raw_env(num_players=4)
    for seat in range(4):
        env.reset(seed=1, options={"first_player": seat, "dice": [1, 2, 3, 4]})
        assert env.agent_selection == f"player_{seat}"
        assert env.position().first == seat and env.position().last_throw == [1, 2, 3, 4]


@both_kinds
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_keep_the_whole_game(make: Any, duplicate: Any) -> None:
    for script in ([], [3, 3, 4, 5, 6, 1, 1] * 30):
        env = make(num_players=3)
        env.reset(seed=8, options={"dice": script})
        play(env, random.Random(1), steps=25)
        twin = duplicate(env)
        before = env.unwrapped.position()
        assert twin.unwrapped.position() == before
        theirs = play(twin, random.Random(2))
        assert env.unwrapped.position() == before, "the copy is not independent"
        assert play(env, random.Random(2)) == theirs
        env.reset()
        twin.reset()
        assert play(env, random.Random(3)) == play(twin, random.Random(3))


# ------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"num_players": 1}, "num_players must be from 2 to 4, not 1"),
        ({"num_players": 5}, "num_players must be from 2 to 4, not 5"),
        ({"row_lengths": (4,) * 5}, "row_lengths must be 6 whole numbers, one for each row, not "),
        ({"row_lengths": 4}, "row_lengths must be 6 whole numbers"),
        ({"row_lengths": (4, 4, 4, 4, 4, 0)}, r"row_lengths\[5\] must be from 1 to 8, not 0"),
        ({"row_lengths": (4, 4, 4, 4, 4, "4")}, r"row_lengths\[5\] must be a whole number"),
        ({"reward": "fame"}, "reward must be 'win' or 'score', not 'fame'"),
        ({"max_turns": 0}, "max_turns must be from 1"),
        ({"skip_forced": "no"}, "skip_forced must be True or False, not 'no'"),
        ({"render_mode": "hologram"}, "render_mode must be None or one of"),
    ],
)
@both_kinds
def test_wrong_settings(make: Any, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(**settings)


@pytest.mark.parametrize("action", [1, 48, 49, -1, 10**30, 2.5, "nothing", None])
def test_an_illegal_action_is_named_and_changes_nothing(action: Any) -> None:
    env = lucky_loser_v0.raw_env()
    env.reset(seed=1, options={"first_player": 0, "dice": [2, 2, 2, 2]})
    before = env.position(), pickle.dumps(env._game)
    legal = r"legal are 0 \(nothing\), 2 \(\{6\}\), 4 \(\{8\}\)"
    with pytest.raises(ValueError, match=rf"action .* is illegal for player_0; {legal}"):
        env.step(action)
    assert (env.position(), pickle.dumps(env._game)) == before
    env.step(2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dice": [6, 1, 7]}, r"dice\[2\] is 7: a die shows 1, 2, 3, 4, 5 or 6"),
        ({"dice": 7}, "dice must be a list"),
        ({"first_player": 2}, "first_player must be from 0 to 1, not 2"),
        ({"position": {"turn": -1}}, "position: turn must be from 0"),
        ({"position": "nonsense"}, "position: as a whole must be JSON or nine parts"),
    ],
)
def test_wrong_options_leave_the_game_as_it_was(options: dict[str, Any], message: str) -> None:
    env = lucky_loser_v0.raw_env()
    env.reset(seed=1)
    before = env.position()
    with pytest.raises(ValueError, match=message):
        env.reset(seed=2, options=options)
    assert env.position() == before


@hypothesis_settings(max_examples=200, deadline=None)
@given(name=st.sampled_from(["first_player", "dice", "position"]), value=ANYTHING, seed=ANYTHING)
def test_any_option_is_accepted_or_a_value_error(name: str, value: Any, seed: Any) -> None:
    env = lucky_loser_v0.raw_env(num_players=3)
    env.reset(seed=1)
    before = env.position()
    for arguments in ({"seed": 2, "options": {name: value}}, {"seed": seed}):
        try:
            env.reset(**arguments)
        except ValueError:
            assert env.position() == before
        else:
            env.reset(seed=1)


def test_an_illegal_action_in_the_wrapped_environment_is_a_loss(caplog: pytest.LogCaptureFixture) -> None:
    env = lucky_loser_v0.env(num_players=3)
    env.reset(seed=1, options={"dice": [2, 2, 2, 2]})
    sinner = env.agent_selection
    env.step(1)
    assert all(env.terminations.values())
    rewards = {agent: reward for agent, _, reward in play(env, random.Random(1))}
    assert rewards == {agent: -1.0 if agent == sinner else 0.0 for agent in env.possible_agents}


def test_step_before_reset() -> None:
    raw = lucky_loser_v0.raw_env()
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"call reset\(\) first"):
        raw.step(0)
    for early in (raw.position, raw.state, raw.scores, lambda: raw.observe("player_0")):
        with pytest.raises(ValueError, match=r"call reset\(\) first"):
            early()
    with pytest.raises(ValueError, match="only finished games are recorded"):
        raw.record()
