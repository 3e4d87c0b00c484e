"""The batch engine: the same games as single play, whatever the number of games and threads."""

from __future__ import annotations

import hashlib
import pickle
from typing import Any

import numpy as np
import pytest

from lucky_loser_env import rules
from lucky_loser_env.batch import Batch, Buffers
from lucky_loser_env.game import random_games
from lucky_loser_env.kind import KIND
from lucky_loser_env.lucky_loser_v0 import raw_env
from lucky_loser_env.rules import Phase
from pechvogel.tabletop.bits import random_actions
from pechvogel.tabletop.seeds import game_seed
from tests.pechvogel.test_batch import pick


def make(num_games: int, **settings: Any) -> tuple[Batch, Buffers, np.ndarray]:
    buffers = Buffers.allocate(num_games, settings.get("num_players", 2))
    return Batch(buffers, **settings), buffers, np.zeros(num_games, np.int64)


@pytest.mark.parametrize(
    "settings",
    [
        {"num_players": 2},
        {"num_players": 3, "row_lengths": (1, 2, 3, 1, 2, 3), "reward": "score"},
        {"num_players": 4, "row_lengths": [2] * 6, "skip_forced": False},
        {"num_players": 4, "max_turns": 12},
    ],
    ids=str,
)
def test_single_and_batch_play_give_the_same_games(settings: dict[str, Any]) -> None:
    num_games = 5
    batch, buffers, actions = make(num_games, seed=9, **settings)
    envs = [raw_env(**settings) for _ in range(num_games)]
    episodes = [0] * num_games
    for i, env in enumerate(envs):
        env.reset(seed=int(game_seed(np.uint64(9), i, 0)))
    for number in range(400):
        for i, env in enumerate(envs):
            agent = env.agent_selection
            assert agent == f"player_{buffers.to_act[i]}"
            seen = env.observe(agent)
            assert (seen["observation"] == buffers.observations[i]).all()
            assert (seen["action_mask"] == buffers.masks[i]).all()
            actions[i] = pick(buffers.masks[i], number * 7 + i)
        batch.step(actions)
        for i, env in enumerate(envs):
            env.step(actions[i])
            ended = any(env.terminations.values()) or any(env.truncations.values())
            assert ended == buffers.dones[i] and buffers.truncations[i] == any(env.truncations.values())
            assert buffers.rewards[i].tolist() == pytest.approx(list(env.rewards.values()), abs=1e-6)
            if ended:
                assert buffers.scores[i].tolist() == env.scores() and buffers.turns[i] == env.position().turn
                episodes[i] += 1
                env.reset(seed=int(game_seed(np.uint64(9), i, episodes[i])))
            else:
                assert not buffers.scores[i].any()
    assert min(episodes) >= 1


def history(num_games: int, threads: int, keep: int, steps: int = 300) -> str:
    """A fingerprint of everything that the first `keep` games write."""
    batch, buffers, actions = make(num_games, num_players=3, seed=3, threads=threads)
    digest = hashlib.sha256()
    for number in range(steps):
        random_actions(batch.bits, np.uint64(number), actions)
        batch.step(actions)
        for array in vars(buffers).values():
            digest.update(array[:keep].tobytes())
    batch.close()
    return digest.hexdigest()


def test_games_do_not_depend_on_their_number_or_on_threads() -> None:
    alone = history(5, 1, keep=5)
    assert history(64, 1, keep=5) == history(64, 2, keep=5) == history(67, 3, keep=5) == alone
    assert history(2, 5, keep=2) == history(2, 1, keep=2)


def test_an_illegal_action_changes_no_game() -> None:
    batch, buffers, actions = make(8, seed=1)
    actions[:] = [pick(mask, 0) for mask in buffers.masks]
    actions[5] = int(np.flatnonzero(buffers.masks[5] == 0)[0])
    before = [array.tobytes() for array in batch.arrays().values()]
    for wrong in (actions[5], 49, 63, 64, -1):
        actions[5] = wrong
        with pytest.raises(ValueError, match=rf"action {wrong} of game 5 is illegal; legal are \["):
            batch.step(actions)
    assert [array.tobytes() for array in batch.arrays().values()] == before


def test_what_others_may_know() -> None:
    batch = KIND.batch(KIND.variant(3), 8, seed=2, auto_reset=False)
    for number in range(40):
        actions = np.zeros(8, np.int64)
        random_actions(batch.bits, np.uint64(number), actions)
        batch.step(actions)
    games = np.array([1, 5])
    position = batch.view(5, 0)
    assert batch.phases(games)[1] == Phase[position.phase.upper()] and batch.turns(games)[1] == position.turn
    points = [sum(s * n for s, n in zip(rules.SUMS, p.chips, strict=True)) + p.bonus for p in position.players]
    assert batch.scores(games)[1].tolist() == points and (batch.shown(games) == batch.states[games]).all()
    assert (KIND.observe(batch.shown(games)) == batch.buffers.observations[games]).all()
    assert KIND.variant_of(batch.states) == KIND.variant(3)
    batch.retire(games)
    assert batch.live().tolist() == [0, 2, 3, 4, 6, 7] and not batch.buffers.masks[games].any()


def test_a_batch_can_be_copied() -> None:
    batch, _, actions = make(32, threads=2, seed=3)
    twin = pickle.loads(pickle.dumps(batch))
    random_actions(batch.bits, np.uint64(2), actions)
    batch.step(actions)
    twin.step(actions)
    assert twin.states.tobytes() == batch.states.tobytes()
    batch.close()
    twin.close()


def test_games_truncated_at_once_start_again() -> None:
    batch, buffers, actions = make(100, max_turns=1, seed=1)
    for number in range(50):
        assert (buffers.to_act >= 0).all() and buffers.masks.any(axis=1).all()
        random_actions(batch.bits, np.uint64(number), actions)
        batch.step(actions)
        assert buffers.dones.all() and buffers.truncations.all() and not buffers.rewards.any()


def test_variants() -> None:
    usual, short = KIND.variant(2), KIND.variant(2, row_lengths="3,3,4,4,5,5")
    assert usual["row_lengths"] == (4,) * 6 and short == KIND.variant(2, row_lengths=[3, 3, 4, 4, 5, 5])
    assert KIND.told(short) == {"row_lengths": [3, 3, 4, 4, 5, 5]} and len({usual, short}) == 2
    assert KIND.describe(short) == "2 players, rows of 3,3,4,4,5,5" and KIND.plain(short) == short
    for wrong in ("4,4", "4,4,4,4,4,x", "", "9,4,4,4,4,4", None, 4, [4] * 7):
        with pytest.raises(ValueError, match=r"^row_lengths"):
            KIND.variant(2, row_lengths=wrong)


def test_random_games_need_the_right_arrays() -> None:
    states = rules.new_states(2)
    with pytest.raises(ValueError, match="seed must be a number of uint64"):
        random_games(states, 2, (4,) * 6, 1)
    with pytest.raises(ValueError, match="row_lengths must be a tuple"):
        random_games(states, 2, [4] * 6, np.uint64(1))


# 6,000 games with random actions. The number changes if and only if some game does: then it is another `_v`.
FINGERPRINT = "534184 9f97a0b1f73e3ea3"


def test_fingerprint_of_six_thousand_games() -> None:
    digest = hashlib.sha256()
    decisions = 0
    for num_players in range(2, 5):
        for row_lengths in ((4,) * 6, (1, 2, 3, 5, 6, 8)):
            states = rules.new_states(1000)
            decisions += random_games(states, num_players, row_lengths, np.uint64(num_players))
            for name in ("stacks", "places", "chips", "bonus", "cards", "turn", "active", "first"):
                digest.update(np.ascontiguousarray(states[name]).tobytes())
    assert f"{decisions} {digest.hexdigest()[:16]}" == FINGERPRINT
