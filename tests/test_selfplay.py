"""The learner's tables: every decision is the learner's, every result reaches it, everything is reproducible."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")

from pechvogel.agents.pechvogel.heuristic import HeuristicAgent
from pechvogel.agents.random import RandomAgent
from pechvogel.train.selfplay import League, Scripted, SelfPlayVecEnv
from pechvogel_env import observation
from pechvogel_env.kind import KIND


def make(
    num_games: int = 32, heuristic: float = 0.0, num_players: int = 2, copies: int = 3, **settings: Any
) -> SelfPlayVecEnv:
    league = League({Scripted(RandomAgent()): 1 - heuristic, Scripted(HeuristicAgent()): heuristic})
    return SelfPlayVecEnv(num_games, league, KIND.variant(num_players, copies=copies), **settings)


def any_legal(env: SelfPlayVecEnv, number: int) -> np.ndarray:
    masks = env.action_masks()
    ranks = masks.cumsum(axis=1)
    return (ranks == (number % ranks[:, -1:]) + 1).argmax(axis=1)


@pytest.mark.parametrize("num_players", [2, 3, 5])
def test_the_learner_is_asked_and_nobody_else(num_players: int) -> None:
    env = make(num_players=num_players, copies=1, heuristic=0.5)
    observations = env.reset()
    for number in range(150):
        assert (env.buffers.to_act == env.seats).all()
        assert env.action_masks().any(axis=1).all()
        for i in range(0, 32, 7):
            shown = observation.decode(observations[i], int(env.seats[i]), num_players)
            assert shown.to_act == env.seats[i]
        observations, _, _, _ = env.step(any_legal(env, number))
        assert env.observation_space.contains(observations[0])


def test_every_result_reaches_the_learner_whoever_ends_the_game() -> None:
    env = make(64, num_players=3, copies=1)
    env.reset()
    rewards: list[float] = []
    seats_before = env.seats.copy()
    ended_elsewhere = 0
    for number in range(400):
        finals: dict[int, tuple[float, int]] = {}
        step = env.batch.step

        def spy(
            actions: np.ndarray, games: Any, step: Any = step, finals: Any = finals, seats: Any = seats_before
        ) -> None:
            before = env.buffers.to_act.copy()
            step(actions, games)
            for i in games[env.buffers.dones[games]]:
                finals.setdefault(int(i), (float(env.buffers.rewards[i, seats[i]]), int(before[i])))

        env.batch.step = spy  # type: ignore[method-assign]
        _, reward, dones, infos = env.step(any_legal(env, number))
        env.batch.step = step  # type: ignore[method-assign]
        assert set(np.flatnonzero(dones)) == set(finals)
        for i, (final, mover) in finals.items():
            assert reward[i] == pytest.approx(final)
            assert infos[i]["episode"]["r"] == pytest.approx(final) and infos[i]["episode"]["l"] > 0
            ended_elsewhere += mover != seats_before[i]
            assert env.seats[i] == (seats_before[i] + 1) % 3
            rewards.append(final)
        assert (reward[~dones] == 0).all()
        seats_before = env.seats.copy()
    assert len(rewards) > 200 and ended_elsewhere > 50
    assert np.mean(rewards) == pytest.approx(0, abs=0.25)


def test_the_same_seed_gives_the_same_games() -> None:
    def history() -> list[bytes]:
        env = make(heuristic=0.3, seed=4)
        env.reset()
        return [b"".join(part.tobytes() for part in env.step(any_legal(env, k))[:3]) for k in range(100)]

    first = history()
    assert history() == first
    env = make(heuristic=0.3, seed=5)
    env.reset()
    assert b"".join(part.tobytes() for part in env.step(any_legal(env, 0))[:3]) != first[0]


def test_a_good_player_wins_at_these_tables() -> None:
    env = make(256, seed=1)
    env.reset()
    agent, rngs = HeuristicAgent(), [np.random.default_rng(0)] * 256
    results: list[float] = []
    while len(results) < 1500:
        _, rewards, dones, _ = env.step(agent.act_batch(env.batch.states, env.buffers.masks, rngs))
        results += rewards[dones].tolist()
    assert 0.91 < (np.mean(results) + 1) / 2 < 0.975  # 94.4% in the tournament


def test_maskable_ppo_learns_on_it() -> None:
    """Who knows nothing is even with `random`; a few seconds later it is well ahead."""
    contrib = pytest.importorskip("sb3_contrib")
    env = make(64, copies=1, seed=2)
    model = contrib.MaskablePPO(
        "MlpPolicy", env, n_steps=32, batch_size=512, n_epochs=4, learning_rate=0.003, stats_window_size=300, seed=1
    )
    shares = []
    for steps in (1, 25):
        model.learn(64 * 32 * steps)
        shares.append((np.mean([info["r"] for info in model.ep_info_buffer]) + 1) / 2)
    assert shares[0] < 0.57 and shares[1] > 0.6


@pytest.mark.parametrize("shares", [[], [0.0], [-1.0], [-1.0, 2.0]])
def test_an_impossible_league_is_refused(shares: list[float]) -> None:
    with pytest.raises(ValueError, match="league"):
        League({Scripted(RandomAgent()): share for share in shares})


def test_tables_of_one_kind() -> None:
    for share in (0.0, 0.5, 1.0):
        env = make(2000, num_players=4, heuristic=0.5, alike=share, seed=3)
        env.reset()
        one_kind = (env.members == env.members[:, :1]).all(axis=1).mean()
        # By chance four seats are of one kind at one table in eight.
        assert one_kind == pytest.approx(share + (1 - share) / 8, abs=0.04)
        assert env.members.mean() == pytest.approx(0.5, abs=0.04)
    with pytest.raises(ValueError, match="alike must be from 0 to 1"):
        make(alike=2)
