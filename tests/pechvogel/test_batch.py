"""The batch engine: the same games as single play, whatever the number of games and threads."""

from __future__ import annotations

import hashlib
import multiprocessing
import pickle
import tracemalloc
from typing import Any

import numpy as np
import pytest

from pechvogel.tabletop.bits import action_list, random_actions
from pechvogel.tabletop.seeds import game_seed
from pechvogel_env import rules
from pechvogel_env.batch import Batch, Buffers
from pechvogel_env.game import random_games
from pechvogel_env.pechvogel_v0 import raw_env


def make(num_games: int, **settings: Any) -> tuple[Batch, Buffers, np.ndarray]:
    buffers = Buffers.allocate(num_games, settings.get("num_players", 2))
    return Batch(buffers, **settings), buffers, np.zeros(num_games, np.int64)


def pick(mask: np.ndarray, number: int) -> int:
    legal = np.flatnonzero(mask)
    return int(legal[number % len(legal)])


SETTINGS = [
    {"num_players": 2},
    {"num_players": 3, "copies": 1, "reward": "score"},
    {"num_players": 4, "copies": 2, "italian_reading": True, "skip_forced": False},
    {"num_players": 5, "copies": 1, "max_turns": 12},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_single_and_batch_play_give_the_same_games(settings: dict[str, Any]) -> None:
    num_games = 6
    batch, buffers, actions = make(num_games, seed=9, **settings)
    envs = [raw_env(**settings) for _ in range(num_games)]
    episodes = [0] * num_games
    for i, env in enumerate(envs):
        env.reset(seed=int(game_seed(np.uint64(9), i, 0)))
    for number in range(700):
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
            assert ended == buffers.dones[i]
            assert buffers.truncations[i] == any(env.truncations.values())
            assert buffers.rewards[i].tolist() == pytest.approx(list(env.rewards.values()), abs=1e-6)
            if ended:
                assert buffers.scores[i].tolist() == env.scores()
                assert buffers.turns[i] == env.position().turn
                episodes[i] += 1
                env.reset(seed=int(game_seed(np.uint64(9), i, episodes[i])))
            else:
                assert not buffers.scores[i].any()
    assert min(episodes) >= 1


def history(num_games: int, threads: int, keep: int, steps: int = 400) -> str:
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
    assert history(64, 1, keep=5) == alone
    assert history(64, 2, keep=5) == alone
    assert history(67, 3, keep=5) == alone


def test_more_threads_than_games() -> None:
    assert history(2, 5, keep=2) == history(2, 1, keep=2)


def test_nothing_is_allocated_per_step() -> None:
    batch, _, actions = make(256)
    pointers = [array.ctypes.data for array in vars(batch.buffers).values()]
    for number in range(20):
        random_actions(batch.bits, np.uint64(number), actions)
        batch.step(actions)
    tracemalloc.start()
    for number in range(200):
        random_actions(batch.bits, np.uint64(number), actions)
        batch.step(actions)
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000, "an array of 256 games would be larger"
    assert kept < 20_000
    assert pointers == [array.ctypes.data for array in vars(batch.buffers).values()]


def test_an_illegal_action_changes_no_game() -> None:
    batch, buffers, actions = make(8, seed=1)
    actions[:] = [pick(mask, 0) for mask in buffers.masks]
    actions[5] = 17
    before = batch.states.tobytes(), [array.tobytes() for array in vars(buffers).values()]
    with pytest.raises(ValueError, match=r"action 17 of game 5 is illegal; legal are \["):
        batch.step(actions)
    for bad in (-1, 18, 10**12):
        actions[5] = bad
        with pytest.raises(ValueError, match="of game 5 is illegal"):
            batch.step(actions)
    assert (batch.states.tobytes(), [array.tobytes() for array in vars(buffers).values()]) == before
    with pytest.raises(ValueError, match="int64 array"):
        batch.step(actions[:3])
    with pytest.raises(ValueError, match="int64 array"):
        batch.step(actions.astype(np.int32))
    with pytest.raises(ValueError, match="int64 array, not list"):
        batch.step([0] * 8)  # type: ignore[arg-type]


def test_games_that_ended_stay_so_without_auto_reset() -> None:
    batch, buffers, actions = make(16, num_players=4, copies=1, seed=2, auto_reset=False)
    ended = np.zeros(16, int)
    for number in range(2000):
        random_actions(batch.bits, np.uint64(number), actions)
        batch.step(actions)
        ended += buffers.dones
        if not batch.bits.any():
            break
    assert (ended == 1).all()
    assert (buffers.to_act == -1).all() and not buffers.masks.any() and not buffers.observations.any()
    batch.step(actions)
    assert not buffers.dones.any() and not buffers.rewards.any()


def test_own_seeds_and_first_players() -> None:
    batch, buffers, _ = make(3)
    batch.reset(seeds=np.array([4, 4, 4], np.uint64), first_players=np.array([0, 1, 0]))
    assert batch.states["active"].tolist()[:2] == [0, 1]
    assert (buffers.observations[0] == buffers.observations[2]).all()
    assert (batch.states["last_throw"][0] == batch.states["last_throw"][1]).all()
    with pytest.raises(ValueError, match="first_players must be 3 seats"):
        batch.reset(first_players=np.array([0, 1, 2]))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"num_players": 6}, "num_players must be from 2 to 5, not 6"),
        ({"num_players": 1}, "num_players must be from 2 to 5, not 1"),
        ({"copies": 4}, "copies must be from 1 to 3, not 4"),
        ({"reward": "points"}, "reward must be 'win' or 'score'"),
        ({"max_turns": 0}, "max_turns must be"),
        ({"threads": 0}, "threads must be"),
        ({"italian_reading": "no"}, "italian_reading must be True or False, not 'no'"),
        ({"auto_reset": None}, "auto_reset must be True or False"),
        ({"num_players": 3}, "buffers.observations must be"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Batch(Buffers.allocate(4, 2), **settings)


def test_caller_owns_the_arrays() -> None:
    shared = np.zeros((4, 200), np.float32)
    buffers = Buffers.allocate(4)
    buffers.observations = shared[:, :79]
    with pytest.raises(ValueError, match="observations must be a contiguous array"):
        Batch(buffers)
    own = np.zeros((4, 79), np.float32)
    buffers.observations = own
    Batch(buffers)
    assert own.any()


def _play_in_child(batch: Batch, queue: Any) -> None:
    actions = np.zeros(batch.num_games, np.int64)
    for number in range(20):
        random_actions(batch.bits, np.uint64(number), actions)
        batch.step(actions)
    queue.put(batch.states.tobytes())


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_process_may_fork_after_using_threads() -> None:
    context = multiprocessing.get_context("fork")
    batch, _, actions = make(64, threads=2, seed=5)
    random_actions(batch.bits, np.uint64(0), actions)
    batch.step(actions)
    queue = context.Queue()
    child = context.Process(target=_play_in_child, args=(batch, queue))
    child.start()
    theirs = queue.get(timeout=60)
    child.join(60)
    assert child.exitcode == 0
    for number in range(20):
        random_actions(batch.bits, np.uint64(number), actions)
        batch.step(actions)
    assert batch.states.tobytes() == theirs
    batch.close()


# 10,000 games with random actions. The number changes if and only if some game does: then it is another `_v`.
FINGERPRINT = "1221146 d9d9a5e1a51383ef"


def test_fingerprint_of_ten_thousand_games() -> None:
    digest = hashlib.sha256()
    decisions = 0
    for num_players in range(2, 6):
        for italian_reading in (False, True):
            states = rules.new_states(1250)
            decisions += random_games(states, num_players, 3, italian_reading, np.uint64(num_players))
            for name in ("middle", "markers", "frustrations", "murphy", "turn", "active"):
                digest.update(np.ascontiguousarray(states[name]).tobytes())
    assert f"{decisions} {digest.hexdigest()[:16]}" == FINGERPRINT


def test_random_actions_are_uniform_over_the_legal_ones() -> None:
    bits = np.full(30_000, 0b100_0000_1110_0001, np.int32)
    actions = np.zeros(len(bits), np.int64)
    random_actions(bits, np.uint64(1), actions)
    counts = np.bincount(actions, minlength=18)
    legal = action_list(int(bits[0]))
    assert counts.sum() == counts[legal].sum()
    assert (np.abs(counts[legal] - 6000) < 4 * np.sqrt(30_000 * 0.2 * 0.8)).all()


@pytest.mark.parametrize("max_turns", [1, 2])
def test_games_truncated_before_any_decision_start_again(max_turns: int) -> None:
    batch, buffers, actions = make(300, max_turns=max_turns, seed=1)
    ended = 0
    for number in range(100):
        assert (buffers.to_act >= 0).all() and buffers.masks.any(axis=1).all()
        random_actions(batch.bits, np.uint64(number), actions)
        batch.step(actions)
        ended += int(buffers.dones.sum())
    assert ended > 1000


def test_a_refused_reset_changes_nothing() -> None:
    batch, buffers, _ = make(4, seed=1)
    before = batch.states.tobytes(), batch.seeds.tobytes(), buffers.observations.tobytes()
    for wrong in (
        {"seed": 5, "first_players": np.array([0, 0, 0, 9])},
        {"seed": -1},
        {"seeds": np.array([3], np.uint64)},
        {"seeds": np.array([1.5, 2, 3, 4])},
    ):
        with pytest.raises(ValueError, match="must be"):
            batch.reset(**wrong)
    assert (batch.states.tobytes(), batch.seeds.tobytes(), buffers.observations.tobytes()) == before
    batch.reset()
    assert batch.states.tobytes() == before[0], "without a seed, the last one counts again"


def test_a_batch_can_be_copied() -> None:
    batch, _, actions = make(32, threads=2, seed=3)
    random_actions(batch.bits, np.uint64(1), actions)
    batch.step(actions)
    twin = pickle.loads(pickle.dumps(batch))
    random_actions(batch.bits, np.uint64(2), actions)
    batch.step(actions)
    twin.step(actions)
    assert twin.states.tobytes() == batch.states.tobytes()
    batch.close()
    twin.close()


@pytest.mark.parametrize("threads", [1, 2])
def test_some_games_go_on_and_the_others_stay(threads: int) -> None:
    batch, buffers, actions = make(40, seed=6, threads=threads)
    twin, _, _ = make(40, seed=6)
    chosen = np.array([3, 39, 0, 17], np.int64)
    others = np.setdiff1d(np.arange(40), chosen)
    random_actions(batch.bits, np.uint64(1), actions)
    twin.step(actions)
    rows = {name: array[others].copy() for name, array in vars(buffers).items()}
    actions[others] = 99  # not looked at
    batch.step(actions, chosen)
    assert (batch.states[chosen] == twin.states[chosen]).all()
    assert all((array[others] == rows[name]).all() for name, array in vars(buffers).items())
    assert (buffers.observations[chosen] == twin.buffers.observations[chosen]).all()
    batch.step(actions, chosen[:0])
    assert (batch.states[chosen] == twin.states[chosen]).all()
    batch.close()
