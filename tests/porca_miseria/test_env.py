"""The PettingZoo environments: compliance, seeds, rewards, options, errors; AEC and parallel play the same game."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test
from pettingzoo.test.state_test import state_test

import porca_miseria_env
from pechvogel.tabletop.rewards import win_share
from porca_miseria_env import porca_miseria_v0
from porca_miseria_env.rules import Action

each_number = pytest.mark.parametrize("num_players", range(3, 9))
each_kind = pytest.mark.parametrize("make", [porca_miseria_v0.raw_env, porca_miseria_v0.env], ids=["raw_env", "env"])
CARDS = 8


@each_number
def test_the_parallel_api(num_players: int, capsys: pytest.CaptureFixture[str]) -> None:
    parallel_api_test(porca_miseria_v0.parallel_env(num_players=num_players, max_cards=CARDS), num_cycles=300)


@each_number
@each_kind
def test_the_aec_api(make: Any, num_players: int, capsys: pytest.CaptureFixture[str]) -> None:
    api_test(make(num_players=num_players, max_cards=CARDS), num_cycles=200)


@each_number
def test_seeds(num_players: int) -> None:
    settings = {"num_players": num_players, "max_cards": CARDS}
    seed_test(lambda: porca_miseria_v0.env(**settings), num_cycles=100)
    parallel_seed_test(lambda: porca_miseria_v0.parallel_env(**settings), num_cycles=40)


def test_render_and_state(capsys: pytest.CaptureFixture[str]) -> None:
    render_test(lambda render_mode: porca_miseria_v0.env(max_cards=2, render_mode=render_mode))
    assert "player_0" in capsys.readouterr().out
    env = porca_miseria_v0.env(max_cards=3)
    state_test(env, porca_miseria_v0.parallel_env(max_cards=3))
    raw = porca_miseria_v0.raw_env(num_players=4)
    raw.reset(seed=1)
    seen = np.concatenate([raw.observe(agent)["observation"] for agent in raw.agents])
    assert (raw.state() == seen).all() and raw.state_space.contains(raw.state())


def test_registered() -> None:
    name = porca_miseria_env.AEC_ID
    aec = pettingzoo.make("aec", name, num_players=4)
    parallel = pettingzoo.make("parallel", name, num_players=4)
    assert name == "pechvogel/porca-miseria-v0"
    assert str(aec) == "porca_miseria_v0" and aec.possible_agents == parallel.possible_agents
    assert aec.action_space("player_0").n == parallel.action_space("player_0").n == 5
    solo = gymnasium.make("pechvogel/PorcaMiseria-v0", num_players=4)
    assert solo.observation_space.shape == (60 + 23 * 4,)


def legal(mask: np.ndarray, rng: random.Random) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


def play(env: Any, seed: int, **reset: Any) -> tuple[list[Any], dict[str, float]]:
    """A random game of a parallel environment: what all saw, and the last rewards."""
    rng = random.Random(seed)
    observations, infos = env.reset(seed=seed, **reset)
    history, rewards = [], {}
    while env.agents:
        history.append([observations[agent]["observation"].tobytes() for agent in env.agents])
        for agent in env.agents:
            assert (infos[agent]["action_mask"] == observations[agent]["action_mask"]).all()
            assert env.observation_space(agent).contains(observations[agent])
        assert not any(rewards.values())
        actions = {agent: legal(observations[agent]["action_mask"], rng) for agent in env.agents}
        observations, rewards, *_, infos = env.step(actions)
    return history, rewards


@each_number
def test_parallel_and_aec_play_the_same_game(num_players: int) -> None:
    settings = {"num_players": num_players, "max_cards": CARDS, "reward": "score"}
    parallel, raw = porca_miseria_v0.parallel_env(**settings), porca_miseria_v0.raw_env(**settings)
    for seed in range(2):
        history, rewards = play(parallel, seed)
        rng = random.Random(seed)
        raw.reset(seed=seed)
        ticks: list[list[bytes]] = []
        for agent in raw.agent_iter():
            observation, reward, termination, truncation, info = raw.last()
            if termination or truncation:
                assert reward == rewards[agent]
                raw.step(None)
                continue
            if agent == "player_0":
                ticks.append([raw.observe(other)["observation"].tobytes() for other in raw.agents])
            assert observation["observation"].tobytes() == ticks[-1][raw.agents.index(agent)]
            assert (info["action_mask"] == observation["action_mask"]).all()
            raw.step(legal(observation["action_mask"], rng))
        assert ticks == history and raw.record() == parallel.record()


def test_everybody_acts_in_every_tick() -> None:
    """Also where only waiting is legal: with two hands on a tap card."""
    env = porca_miseria_v0.parallel_env(tap_cards=63, ticks=5)
    observations, _ = env.reset(seed=1)
    for _ in range(2):
        observations, *_ = env.step({"player_0": 4, "player_1": 0, "player_2": 0})
    masks = [observations[agent]["action_mask"].tolist() for agent in env.agents]
    assert masks == [[1, 0, 0, 0, 0], [1, 0, 0, 0, 1], [1, 0, 0, 0, 1]]
    raw = porca_miseria_v0.raw_env(tap_cards=63, ticks=5)
    raw.reset(seed=1)
    for k in range(9):
        assert raw.agent_selection == f"player_{k % 3}"
        assert raw.observe(raw.agent_selection)["action_mask"][4] == (k != 6)
        raw.step(4 if k in (0, 3) else 0)


def test_rewards_and_the_end() -> None:
    """P11, P12."""
    over = 0
    for seed in range(6):
        env = porca_miseria_v0.parallel_env(num_players=8)
        _, rewards = play(env, seed)
        scores = env.scores()
        winners = [agent for agent, score in zip(env.possible_agents, scores, strict=True) if score == max(scores)]
        assert sum(rewards.values()) == pytest.approx(0)
        shares = {agent: win_share(reward, 8) for agent, reward in rewards.items()}
        expected = {agent: 1 / len(winners) if agent in winners else 0.0 for agent in env.possible_agents}
        assert shares == pytest.approx(expected, abs=1e-6)
        over += 1
    assert over == 6


def test_truncation() -> None:
    env = porca_miseria_v0.parallel_env(max_cards=3)
    env.reset(seed=1)
    while env.agents:
        _, rewards, terminations, truncations, _ = env.step(dict.fromkeys(env.agents, 0))
    assert set(rewards.values()) == {0.0} and all(truncations.values()) and not any(terminations.values())
    assert len(env.view(0)["turned"]) == 3
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step({})


def test_options() -> None:
    env = porca_miseria_v0.parallel_env(num_players=4, max_cards=CARDS)
    for dealer in range(4):
        env.reset(seed=5, options={"first_dealer": dealer, "color": "red"})
        assert env.view(0)["dealer"] == dealer and env.view(0)["lucky_numbers"][dealer] == [1, 5]
    assert len({env.reset(seed=seed) and env.view(0)["dealer"] for seed in range(30)}) == 4
    play(env, 3)
    cards = env.record()["cards"]
    for other in (porca_miseria_v0.parallel_env, porca_miseria_v0.raw_env):
        again = other(num_players=4, max_cards=CARDS)
        again.reset(seed=99, options={"chance": cards, "first_dealer": env.record()["first_dealer"]})
        assert again.view(2)["glances"] == ([cards[0]["ticks"][0]["glances"][2]] if cards[0]["card"] < 54 else [])
    before = again.view(0)
    for options, sentence in (
        ({"first_dealer": 4}, "first_dealer must be from 0 to 3"),
        ({"first_dealer": "me"}, "first_dealer must be a whole number"),
        ({"chance": "good"}, "chance must be a list"),
        ({"chance": [{"card": 99}]}, r"chance\[0\].card must be"),
    ):
        with pytest.raises(ValueError, match=sentence):
            again.reset(seed=1, options=options)
        assert again.view(0) == before


def test_a_series_goes_on_from_its_seed() -> None:
    def series(make: Any) -> list[int]:
        env = make(max_cards=2)
        env.reset(seed=11)
        seeds = [env.game_seed]
        for _ in range(3):
            env.reset()
            seeds.append(env.game_seed)
        return seeds

    assert series(porca_miseria_v0.parallel_env) == series(porca_miseria_v0.raw_env)
    assert len(set(series(porca_miseria_v0.raw_env))) == 4


@pytest.mark.parametrize("action", [-1, 4, 5, "pig", None, 1.5, np.int64(4)])
def test_an_illegal_action_is_named_and_changes_nothing(action: Any) -> None:
    raw = porca_miseria_v0.raw_env(tap_cards=0)
    raw.reset(seed=1)
    before = raw.view(0)
    with pytest.raises(ValueError, match=r"illegal for player_0; legal are 0 \(wait\), 1 \(mushroom\)"):
        raw.step(action)
    assert raw.view(0) == before


@pytest.mark.parametrize("action", [-1, 5, "pig", None, 1.5])
def test_what_is_no_action_changes_nothing(action: Any) -> None:
    env = porca_miseria_v0.parallel_env(tap_cards=0)
    env.reset(seed=1)
    before = env.view(0)
    with pytest.raises(ValueError, match=r"of player_1 is not in the action space Discrete\(5\)"):
        env.step({"player_0": 0, "player_1": action, "player_2": 0})
    with pytest.raises(ValueError, match="there is no action of player_2"):
        env.step({"player_0": 0, "player_1": 0})
    assert env.view(0) == before
    env.step(dict.fromkeys(env.agents, np.int64(0)))


def test_an_illegal_action_ends_a_parallel_game() -> None:
    env = porca_miseria_v0.parallel_env(tap_cards=0)
    env.reset(seed=1)
    observations, rewards, terminations, truncations, infos = env.step({"player_0": 4, "player_1": 0, "player_2": 4})
    assert rewards == {"player_0": -1.0, "player_1": 0.0, "player_2": -1.0} and env.agents == []
    assert all(terminations.values()) and not any(truncations.values())
    assert [info["illegal"] for info in infos.values()] == [True, False, True]
    assert not any(observation["action_mask"].any() for observation in observations.values())
    with pytest.raises(ValueError, match="only finished games are recorded"):
        env.record()
    env.reset(seed=1)
    assert len(env.agents) == 3


def test_an_illegal_action_in_the_wrapped_environment_is_a_loss(caplog: pytest.LogCaptureFixture) -> None:
    env = porca_miseria_v0.env(tap_cards=0)
    env.reset(seed=1)
    env.step(4)
    assert env.rewards == {"player_0": -1.0, "player_1": 0, "player_2": 0} and env.terminations["player_0"]


def test_masks_that_are_written_to_allow_nothing() -> None:
    env = porca_miseria_v0.parallel_env(tap_cards=0)
    observations, infos = env.reset(seed=1)
    observations["player_0"]["action_mask"][:] = infos["player_1"]["action_mask"][:] = 1
    *_, infos = env.step({"player_0": 4, "player_1": 0, "player_2": 0})
    assert infos["player_0"]["illegal"] and not env.agents


@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"]
)
@pytest.mark.parametrize("make", [porca_miseria_v0.parallel_env, porca_miseria_v0.raw_env, porca_miseria_v0.env])
def test_copies_keep_the_whole_game(make: Any, duplicate: Any) -> None:
    env = make(max_cards=CARDS)
    env.reset(seed=5)
    parallel = make is porca_miseria_v0.parallel_env

    def wait(table: Any, ticks: int) -> None:
        for _ in range(ticks if parallel else 3 * ticks):
            table.step(dict.fromkeys(table.agents, 0) if parallel else 0)

    wait(env, 2)
    twin = duplicate(env)
    before = env.unwrapped.view(1)
    wait(twin, 9)
    assert env.unwrapped.view(1) == before != twin.unwrapped.view(1)
    wait(env, 9)
    assert env.unwrapped.view(1) == twin.unwrapped.view(1)


@pytest.mark.parametrize("make", [porca_miseria_v0.parallel_env, porca_miseria_v0.raw_env])
def test_wrong_settings(make: Any) -> None:
    for settings, sentence in (
        ({"num_players": 2}, "num_players must be from 3 to 8"),
        ({"reward": "fame"}, "reward must be 'win' or 'score'"),
        ({"max_cards": 0}, "max_cards must be from 1"),
        ({"render_mode": "oil"}, "render_mode must be None or one of"),
    ):
        with pytest.raises(ValueError, match=sentence):
            make(**settings)


def test_before_reset() -> None:
    env = porca_miseria_v0.parallel_env()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step({})
    with pytest.raises(ValueError, match="there is no game yet"):
        env.view(0)
    with pytest.raises(ValueError, match="only finished games are recorded"):
        env.record()
    env.reset(seed=1)
    with pytest.raises(ValueError, match="only finished games are recorded"):
        env.record()


def test_waiting_is_always_legal_and_ends_nothing() -> None:
    env = porca_miseria_v0.parallel_env(max_cards=70)
    env.reset(seed=2)
    while env.agents:
        _, _, terminations, _, _ = env.step(dict.fromkeys(env.agents, int(Action.WAIT)))
    assert env.scores() == [0, 0, 0] and not any(terminations.values())
