"""The PettingZoo environment: PettingZoo's own tests, and everything that its spec page promises."""

from __future__ import annotations

import copy
import pickle
import random
import warnings
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.test.state_test import state_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from pechvogel_env import pechvogel_v0
from pechvogel_env.rules import Action

ALL_SETTINGS = [
    {"num_players": num_players, "copies": copies, "reward": reward, "skip_forced": skip_forced, **more}
    for num_players, copies, reward, skip_forced, more in [
        (2, 3, "win", True, {}),
        (3, 3, "win", True, {}),
        (4, 3, "win", True, {}),
        (5, 3, "win", True, {}),
        (2, 1, "score", False, {}),
        (3, 2, "score", False, {"italian_reading": True}),
        (4, 1, "win", False, {"max_turns": 5}),
        (5, 2, "score", True, {"italian_reading": True, "max_turns": 20}),
    ]
]
each_setting = pytest.mark.parametrize("settings", ALL_SETTINGS, ids=lambda s: "-".join(map(str, s.values())))
both_kinds = pytest.mark.parametrize("make", [pechvogel_v0.env, pechvogel_v0.raw_env])


def play(env: Any, rng: random.Random, steps: int = 10**9) -> list[Any]:
    """Play random legal actions; returns (agent, action, reward) of every step, dead ones included."""
    history = []
    while env.agents and len(history) < steps:
        observation, reward, termination, truncation, _ = env.last()
        action = None if termination or truncation else rng.choice(np.flatnonzero(observation["action_mask"]).tolist())
        history.append((env.agent_selection, action, reward))
        env.step(action)
    return history


# ------------------------------------------------------------------------------- PettingZoo's own tests


@each_setting
@both_kinds
def test_api(make: Any, settings: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    api_test(make(**settings), num_cycles=300)


@each_setting
@both_kinds
def test_seeds(make: Any, settings: dict[str, Any]) -> None:
    seed_test(lambda: make(**settings), num_cycles=300)


@each_setting
def test_render(settings: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    render_test(lambda render_mode: pechvogel_v0.env(**settings, render_mode=render_mode))
    assert "player_0" in capsys.readouterr().out


def test_state(capsys: pytest.CaptureFixture[str]) -> None:
    env = pechvogel_v0.env(num_players=3)
    parallel = turn_based_aec_to_parallel(pechvogel_v0.env(num_players=3))
    state_test(env, parallel)
    env.reset(seed=1)
    assert (env.state() == env.observe("player_0")["observation"]).all()


def test_turn_based_aec_to_parallel() -> None:
    env = turn_based_aec_to_parallel(pechvogel_v0.env(num_players=3, copies=1))
    observations, infos = env.reset(seed=4)
    rng = random.Random(4)
    total = dict.fromkeys(env.possible_agents, 0.0)
    while env.agents:
        masks = {agent: infos[agent]["action_mask"] for agent in env.agents}
        assert sum(mask.any() for mask in masks.values()) == 1
        for agent, mask in masks.items():
            assert (observations[agent]["action_mask"] == mask).all()
        actions = {
            agent: rng.choice(np.flatnonzero(mask).tolist()) if mask.any() else None for agent, mask in masks.items()
        }
        observations, rewards, terminations, _, infos = env.step(actions)
        for agent, reward in rewards.items():
            total[agent] += reward
    assert all(terminations.values())
    assert sum(total.values()) == pytest.approx(0, abs=1e-6) and max(total.values()) > 0


def test_registered() -> None:
    env = pettingzoo.make("aec", "pechvogel/pechvogel-v0", num_players=4)
    env.reset(seed=1)
    assert env.num_agents == 4
    assert str(env) == "pechvogel_v0"
    again = pechvogel_v0.env(num_players=4)
    again.reset(seed=1)
    assert play(env, random.Random(2)) == play(again, random.Random(2))


# ------------------------------------------------------------------------------- masks, agents, infos


@each_setting
def test_masks_agents_and_infos(settings: dict[str, Any]) -> None:
    env = pechvogel_v0.raw_env(**settings)
    env.reset(seed=3)
    rng = random.Random(3)
    while not any(env.terminations.values()) and not any(env.truncations.values()):
        for agent in env.agents:
            observation = env.observe(agent)
            mask = observation["action_mask"]
            assert mask.dtype == np.int8 and mask.shape == (18,)
            assert mask.any() == (agent == env.agent_selection)
            assert env.infos[agent]["action_mask"] is env.infos[agent]["action_mask"]
            assert (env.infos[agent]["action_mask"] == mask).all()
            assert env.observation_space(agent).contains(observation)
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()
        assert len(legal) >= (2 if settings["skip_forced"] else 1)
        assert env.agent_selection == f"player_{env.position().to_act}"
        env.step(rng.choice(legal))
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.agents)


def test_observations_are_fresh_arrays() -> None:
    env = pechvogel_v0.raw_env()
    env.reset(seed=1)
    first = env.observe(env.agent_selection)
    kept = {name: array.copy() for name, array in first.items()}
    for array in first.values():
        array[:] = 1  # a user who normalises in place, say
    again = env.observe(env.agent_selection)
    assert all((again[name] == kept[name]).all() for name in kept)
    env.step(int(np.flatnonzero(kept["action_mask"])[0]))
    assert all((again[name] == kept[name]).all() for name in kept)


def test_skip_forced_plays_the_same_game() -> None:
    """Forced actions change nothing: what is asked with two or more options is asked in both modes."""
    for seed in range(5):
        quick, slow = (pechvogel_v0.raw_env(num_players=4, skip_forced=skip) for skip in (True, False))
        quick.reset(seed=seed)
        slow.reset(seed=seed)
        rng = random.Random(seed)
        while not any(quick.terminations.values()):
            while slow.infos[slow.agent_selection]["action_mask"].sum() == 1:
                slow.step(int(np.flatnonzero(slow.infos[slow.agent_selection]["action_mask"])[0]))
            assert slow.position() == quick.position()
            action = rng.choice(np.flatnonzero(quick.infos[quick.agent_selection]["action_mask"]).tolist())
            quick.step(action)
            slow.step(action)
        while not any(slow.terminations.values()):
            slow.step(int(np.flatnonzero(slow.infos[slow.agent_selection]["action_mask"])[0]))
        assert slow.rewards == quick.rewards
        assert slow.record()["sha256"] == quick.record()["sha256"]


# ------------------------------------------------------------------------------- rewards and the end

# One marker is left; player_0 takes it and the game ends: (players, copies=1, rewards by seat).
LAST_MARKER = {
    "middle": [0, 0, 0, 0, 1],
    "target": 7,
    "targets": 3,
    "ravens": 0,
    "active": 0,
}


def end_with(players: list[dict[str, Any]], reward: str) -> list[float]:
    env = pechvogel_v0.env(num_players=len(players), copies=1, reward=reward, skip_forced=False)
    env.reset(seed=1, options={"position": {**LAST_MARKER, "players": players}, "dice": [7, 3, 3, 3]})
    while not any(env.terminations.values()):
        legal = np.flatnonzero(env.last()[0]["action_mask"]).tolist()
        env.step(Action.TAKE if Action.TAKE in legal else Action.PASS)
    collected = {}
    while env.agents:
        collected[env.agent_selection] = env.last()[1]
        env.step(None)
    return [collected[f"player_{seat}"] for seat in range(len(players))]


def test_win_rewards() -> None:  # R22
    assert end_with([{}, {}], "win") == [1, -1]
    tie = [{}, {"markers": [1, 1, 0, 0, 0]}]  # 7 points each
    assert end_with(tie, "win") == [0, 0]
    assert end_with([{}, {}, {}], "win") == pytest.approx([1, -0.5, -0.5])
    assert end_with([*tie, {}], "win") == pytest.approx([0.25, 0.25, -0.5])
    lost = [{"frustrations": 1}, {"markers": [0, 0, 1, 0, 0]}, {}, {}, {}]  # 4 against 5
    assert end_with(lost, "win") == pytest.approx([-0.25, 1, -0.25, -0.25, -0.25])


def test_score_rewards() -> None:  # R21
    assert end_with([{}, {"frustrations": 2}], "score") == [13, -13]
    assert end_with([{}, {"markers": [1, 1, 0, 0, 0]}, {"frustrations": 1}], "score") == pytest.approx([5, 5, -10])


def test_rewards_reach_every_seat_when_the_game_ends_on_someone_elses_move() -> None:
    for seed in range(20):
        env = pechvogel_v0.env(num_players=3, copies=1)
        env.reset(seed=seed)
        rewards: dict[str, list[float]] = {agent: [] for agent in env.agents}
        for agent, action, reward in play(env, random.Random(seed)):
            rewards[agent].append(reward)
            assert reward == 0 or action is None
        assert sorted(rewards) == env.possible_agents
        assert sum(sum(values) for values in rewards.values()) == pytest.approx(0, abs=1e-6)
        assert max(sum(values) for values in rewards.values()) > 0


def test_truncation() -> None:  # Q7
    env = pechvogel_v0.raw_env(num_players=3, max_turns=4)
    env.reset(seed=1, options={"position": {"turn": 100}})
    history = play(env, random.Random(1))
    assert [reward for _, action, reward in history if action is None] == [0, 0, 0]
    assert env.position().turn == 104 and env.position().phase == "throw"
    env.reset(seed=1)
    while not any(env.truncations.values()):
        env.step(int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])[0]))
    assert all(env.truncations.values()) and not any(env.terminations.values())
    assert env.position().turn == 4


# ------------------------------------------------------------------------------- seeds, copies, options


def test_the_same_seed_gives_the_same_game_and_resets_go_on_from_it() -> None:
    def three_games() -> list[Any]:
        env = pechvogel_v0.env(num_players=3)
        games = []
        for seed in (42, None, None):
            env.reset(seed=seed)
            games.append(play(env, random.Random(1)))
        return games

    first, second = three_games(), three_games()
    assert first == second
    assert first[0] != first[1] != first[2]
    unseeded = []
    for _ in range(2):
        env = pechvogel_v0.env(num_players=3)
        env.reset()
        unseeded.append(play(env, random.Random(1)))
    assert unseeded[0] != unseeded[1]


def test_first_player() -> None:  # R5
    env = pechvogel_v0.raw_env(num_players=5)
    for seat in range(5):
        env.reset(seed=1, options={"first_player": seat})
        assert env.agent_selection == f"player_{seat}"
    starts = set()
    for seed in range(60):
        env.reset(seed=seed, options={"dice": [3, 4, 5, 6, 7, 3, 4]})
        starts.add(env.agent_selection)
    assert len(starts) == 5


@both_kinds
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_keep_the_whole_game(make: Any, duplicate: Any) -> None:
    for script in ([], [3, 3, 4, 5, 6, 7, 7] * 30):
        env = make(num_players=3)
        env.reset(seed=8, options={"dice": script})
        play(env, random.Random(1), steps=25)
        twin = duplicate(env)
        assert twin.unwrapped.position() == env.unwrapped.position()
        before = env.unwrapped.position()
        theirs = play(twin, random.Random(2))
        assert env.unwrapped.position() == before, "the copy is not independent"
        assert play(env, random.Random(2)) == theirs
        env.reset()
        twin.reset()
        assert play(env, random.Random(3)) == play(twin, random.Random(3))


def test_a_failed_reset_has_no_effect_on_later_ones() -> None:
    games = []
    for fail in (False, True):
        env = pechvogel_v0.raw_env()
        env.reset(seed=5)
        if fail:
            for seed in (None, 77):
                with pytest.raises(ValueError, match="dice"):
                    env.reset(seed=seed, options={"dice": [9]})
        env.reset()
        games.append(env.game_seed)
    assert games[0] == games[1]


def test_unknown_options_are_ignored() -> None:
    env = pechvogel_v0.env()
    env.reset(seed=1, options={"weather": "rain"})
    assert env.agents


# ------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"num_players": 1}, "num_players must be from 2 to 5, not 1"),
        ({"num_players": 6}, "num_players must be from 2 to 5, not 6"),
        ({"num_players": 2.0}, "num_players must be a whole number"),
        ({"copies": 0}, "copies must be from 1 to 3, not 0"),
        ({"reward": "fame"}, "reward must be 'win' or 'score', not 'fame'"),
        ({"max_turns": -3}, "max_turns must be from 1"),
        ({"skip_forced": "no"}, "skip_forced must be True or False, not 'no'"),
        ({"italian_reading": 1}, "italian_reading must be True or False, not 1"),
        ({"render_mode": "hologram"}, "render_mode must be None or one of"),
    ],
)
@both_kinds
def test_wrong_settings(make: Any, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(**settings)


@pytest.mark.parametrize("action", [Action.REDUCE, Action.DISCARD_7, 18, -1, 10**30, 2.5, "pass", None])
def test_an_illegal_action_is_named_and_changes_nothing(action: Any) -> None:
    env = pechvogel_v0.raw_env()
    env.reset(seed=1, options={"first_player": 0, "dice": [3, 3, 4, 4, 5, 5, 0]})
    before = env.position(), pickle.dumps(env._game)
    legal = r"legal are 0 \(target_3\), 1 \(target_4\), 2 \(target_5\)"
    with pytest.raises(ValueError, match=rf"action .* is illegal for player_0; {legal}"):
        env.step(action)
    assert (env.position(), pickle.dumps(env._game)) == before
    env.step(Action.TARGET_4)
    assert env.position().turn >= 0


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@hypothesis_settings(max_examples=200, deadline=None)
@given(action=ANYTHING)
def test_any_action_is_legal_or_a_value_error(action: Any) -> None:
    env = pechvogel_v0.raw_env()
    env.reset(seed=1)
    before = env.position()
    legal = np.flatnonzero(env.infos[env.agent_selection]["action_mask"]).tolist()
    if isinstance(action, int) and action in legal:
        env.step(action)
    else:
        with pytest.raises(ValueError, match="is illegal"):
            env.step(action)
        assert env.position() == before


@hypothesis_settings(max_examples=300, deadline=None)
@given(name=st.sampled_from(["first_player", "dice", "position"]), value=ANYTHING, seed=ANYTHING)
def test_any_option_is_accepted_or_a_value_error(name: str, value: Any, seed: Any) -> None:
    env = pechvogel_v0.raw_env(num_players=3)
    env.reset(seed=1)
    before = env.position()
    for arguments in ({"seed": 2, "options": {name: value}}, {"seed": seed}):
        try:
            env.reset(**arguments)
        except ValueError:
            assert env.position() == before
        else:
            env.reset(seed=1)


def test_the_message_names_the_action() -> None:
    env = pechvogel_v0.raw_env()
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"action 6 \(reduce\) is illegal"):
        env.step(6)
    with pytest.raises(ValueError, match=r"action 18 is illegal"):
        env.step(18)


def test_an_illegal_action_in_the_wrapped_environment_is_a_loss(caplog: pytest.LogCaptureFixture) -> None:
    env = pechvogel_v0.env(num_players=3)
    env.reset(seed=1)
    sinner = env.agent_selection
    env.step(Action.REDUCE)
    assert all(env.terminations.values())
    rewards = {agent: reward for agent, _, reward in play(env, random.Random(1))}
    assert rewards == {agent: -1.0 if agent == sinner else 0.0 for agent in env.possible_agents}
    with pytest.raises(AssertionError, match="action is not in action space"):
        env.reset(seed=1)
        env.step(18)


def test_step_before_reset_and_after_the_end(caplog: pytest.LogCaptureFixture) -> None:
    raw, wrapped = pechvogel_v0.raw_env(copies=1), pechvogel_v0.env(copies=1)
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"call reset\(\) first"):
        raw.step(0)
    with pytest.raises(AssertionError, match="reset"):
        wrapped.step(0)
    with pytest.raises(AttributeError, match="before reset"):
        wrapped.last()
    for early in (raw.position, raw.state, raw.scores, lambda: raw.observe("player_0")):
        with pytest.raises(ValueError, match=r"call reset\(\) first"):
            early()
    with pytest.raises(ValueError, match="only finished games are recorded"):
        raw.record()
    for env in (raw, wrapped):
        env.reset(seed=1)
        play(env, random.Random(1))
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"call reset\(\) first"):
        raw.step(0)
    wrapped.step(0)
    assert "step() called after all agents are terminated" in caplog.text


def test_a_player_who_is_done_can_only_step_none() -> None:
    env = pechvogel_v0.raw_env(copies=1)
    env.reset(seed=1)
    while not any(env.terminations.values()):
        env.step(int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])[0]))
    with pytest.raises(ValueError, match="the only valid action is None"):
        env.step(0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dice": [7, 7, 9]}, r"dice\[2\] is 9: a die shows 0 \(the raven\), 3, 4, 5, 6 or 7"),
        ({"dice": 7}, "dice must be a list"),
        ({"first_player": 2}, "first_player must be from 0 to 1, not 2"),
        ({"first_player": "player_0"}, "first_player must be a whole number"),
        ({"position": {"targets": 9}}, "position: targets must be from 0 to 7, not 9"),
        ({"position": "nonsense"}, "position: as a whole must be"),
    ],
)
def test_wrong_options_leave_the_game_as_it_was(options: dict[str, Any], message: str) -> None:
    env = pechvogel_v0.raw_env()
    env.reset(seed=1)
    before = env.position()
    with pytest.raises(ValueError, match=message):
        env.reset(seed=2, options=options)
    assert env.position() == before
    env.step(int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])[0]))


def test_render_without_a_mode_warns() -> None:
    env = pechvogel_v0.raw_env()
    env.reset(seed=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert env.render() is None
    assert "render_mode" in str(caught[0].message)
