"""What compiled code is given: a wrong array is refused with a sentence, and no game changes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from pechvogel.tabletop.bits import first_illegal, random_actions, write_masks
from pechvogel_env import observation, rules
from pechvogel_env.batch import Batch, Buffers, write_scores
from pechvogel_env.game import play_passes, random_games
from pechvogel_env.rules import Action

NUM = 6


def make(**options: Any) -> tuple[Batch, NDArray[np.int64]]:
    batch = Batch(Buffers.allocate(NUM, 2), seed=3, **options)
    actions = np.zeros(NUM, np.int64)
    random_actions(batch.bits, np.uint64(1), actions)
    return batch, actions


def content(batch: Batch) -> list[bytes]:
    return [array.tobytes() for array in batch.arrays().values()]


def refused(batch: Batch, act: Callable[[], Any], message: str) -> None:
    before = content(batch)
    with pytest.raises(ValueError, match=message) as error:
        act()
    assert "\n" not in str(error.value) and content(batch) == before


WRONG_GAMES = [
    (np.array([0, NUM]), "games are from 0 to 5, but games[1] is 6"),
    (np.array([10**12]), "games are from 0 to 5, but games[0] is 1000000000000"),
    (np.array([-1]), "games are from 0 to 5, but games[0] is -1"),
    (np.array([3, 1, 3]), "games must all be different, but games[2] is 3"),
    (np.array([2, 2]), "games must all be different, but games[1] is 2"),
    (np.array([0, 1], np.int32), "games must be an array of int64, not of int32 and shape (2,)"),
    (np.array([0.5, 1.0]), "games must be an array of int64, not of float64"),
    (np.array([True] * NUM), "games must be an array of int64, not of bool"),
    (np.array([[0, 1]]), "games must be an array of int64, not of int64 and shape (1, 2)"),
    ([0, 1], "games must be an array of int64, not list"),
    (2, "games must be an array of int64, not int"),
]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("games", "message"), WRONG_GAMES)
def test_games_that_are_none(games: Any, message: str, threads: int) -> None:
    batch, actions = make(threads=threads)
    looks = (batch.scores, batch.shown, batch.phases, batch.turns)
    for act in (lambda: batch.step(actions, games), lambda: batch.retire(games)):
        refused(batch, act, re.escape(message))
    for look in looks:
        refused(batch, lambda look=look: look(games), re.escape(message))
    batch.close()


def test_views_of_what_is_no_game_or_no_seat() -> None:
    batch, _ = make()
    assert batch.view(NUM - 1, 1).num_players == 2
    for game in (NUM, -1, 10**12, 0.5, None, True):
        refused(batch, lambda game=game: batch.view(game, 0), r"^game must be ")
    for seat in (2, -1, None):
        refused(batch, lambda seat=seat: batch.view(0, seat), r"^seat must be ")


def test_any_layout_of_the_right_numbers_is_taken() -> None:
    batch, actions = make()
    twin, _ = make()
    twin.step(actions)
    spread, fixed = np.zeros(2 * NUM, np.int64), actions.copy()
    spread[::2] = actions
    fixed.setflags(write=False)
    batch.step(spread[::2], np.arange(2 * NUM)[:NUM:2])  # games 0, 2, 4
    batch.step(fixed, np.array([5, 1, 3]))
    assert content(batch) == content(twin)


def test_actions_seeds_and_first_players() -> None:
    batch, actions = make()
    for wrong in (actions.astype(float), actions[:2], actions[None], None, actions.astype(">i8")):
        refused(batch, lambda wrong=wrong: batch.step(wrong), "actions must be an int64 array")
    for seeds in (np.zeros(NUM), np.zeros(NUM, np.int64), np.zeros(2, np.uint64), 3, "abc"):
        refused(batch, lambda seeds=seeds: batch.reset(seeds=seeds), "seeds must be a uint64 array")
    good = np.zeros(NUM, np.uint64)
    for first in (
        np.full(NUM, 0.9),
        np.full(NUM, 2),
        np.full(NUM, -1),
        [0],
        np.full(NUM, 2**63, np.uint64),
        [True] * 6,
    ):
        refused(
            batch, lambda first=first: batch.reset(seeds=good, first_players=first), "first_players must be 6 seats"
        )
    batch.reset(seeds=good, first_players=[1] * NUM)  # type: ignore[arg-type]
    assert (batch.states["turn"] == 0).all()


@pytest.mark.parametrize("name", list(vars(Buffers.allocate(1))))
def test_other_arrays_in_the_buffers_must_fit(name: str) -> None:
    batch, actions = make()
    right = getattr(batch.buffers, name)
    fixed = right.copy()
    fixed.setflags(write=False)
    spread = np.zeros((2 * NUM, *right.shape[1:]), right.dtype)[::2]
    for wrong in (right[:-1], right.astype(np.float16), fixed, spread, None, right[None]):
        setattr(batch.buffers, name, wrong)
        states = batch.states.tobytes()
        for act in (lambda: batch.step(actions), batch.reset):
            with pytest.raises(ValueError, match=f"buffers.{name} must be a contiguous array"):
                act()
        assert batch.states.tobytes() == states
        with pytest.raises(ValueError, match=r"^buffers.*must be|a batch needs buffers"):
            Batch(batch.buffers)
    other = right.copy()
    setattr(batch.buffers, name, other)
    twin, _ = make()
    twin.step(actions)
    batch.step(actions)
    assert content(batch) == content(twin) and other.tobytes() == getattr(twin.buffers, name).tobytes()


def test_a_buffer_that_was_given_another_shape() -> None:
    batch, actions = make()
    batch.buffers.rewards.resize((1, 2), refcheck=False)
    with pytest.raises(ValueError, match=r"buffers.rewards must be .* shape \(6, 2\), not float32 and \(1, 2\)"):
        batch.step(actions)


def one_game() -> rules.States:
    states = rules.new_states(2)
    rules.new_game(states, 0, 2, 3, False, 0)
    rules.apply_dice(states, 0, np.array([0, 0, 3, 5, 7, 7, 7], np.int8))
    return states


def of_rules(states: Any, i: Any) -> list[Callable[[], Any]]:
    """Every function on an array and an index, else rightly called."""
    out, throw = np.zeros((1, 2)), np.array([0, 0, 3, 5, 7, 7, 7], np.int8)
    return [
        lambda: rules.new_game(states, i, 2, 3, False, 0),
        lambda: rules.legal_bits(states, i),
        lambda: rules.dice_to_throw(states, i),
        lambda: rules.apply_throw(states, i, throw[:6]),
        lambda: rules.apply_dice(states, i, throw),
        lambda: rules.apply(states, i, Action.TARGET_7),
        lambda: rules.score(states, i, 0),
        lambda: rules.winners(states, i),
        lambda: rules.write_win_rewards(states, i, out, 0),
        lambda: rules.write_score_rewards(states, i, out, 0),
    ]


@pytest.mark.parametrize("number", range(len(of_rules(None, 0))))
def test_rules_refuse_what_is_no_game(number: int) -> None:
    states = one_game()
    before = states.tobytes()
    for i in (2, -1, 10**12, 2**70, 0.5, True, None, np.float64(0)):
        with pytest.raises(ValueError, match=r"^i must be "):
            of_rules(states, i)[number]()
    for wrong in (states[None], np.zeros(2), None, states["phase"], [0], np.zeros(2, rules.STATE.descr[:1])):
        with pytest.raises(ValueError, match=r"^states must be an array of"):
            of_rules(wrong, 0)[number]()
    assert states.tobytes() == before


def test_rules_refuse_other_arguments() -> None:
    states = one_game()
    before = states.tobytes()
    for call, message in (
        (lambda: rules.new_game(states, 1, 6, 3, False, 0), "num_players must be from 2 to 5, not 6"),
        (lambda: rules.new_game(states, 1, 2.5, 3, False, 0), "num_players must be a whole number"),  # type: ignore[arg-type]
        (lambda: rules.new_game(states, 1, 2, 9, False, 0), "copies must be from 1 to 3"),
        (lambda: rules.new_game(states, 1, 2, 3, "no", 0), "italian_reading must be True or False"),  # type: ignore[arg-type]
        (lambda: rules.new_game(states, 1, 2, 3, False, 2), "first_player must be from 0 to 1"),
        (lambda: rules.apply(states, 0, 2**70), "that action is illegal"),
        (lambda: rules.apply(states, 0, 4.0), "that action is illegal"),  # type: ignore[arg-type]
        (lambda: rules.score(states, 0, 2), "seat must be from 0 to 1"),
        (lambda: rules.apply_throw(states, 0, np.zeros(6)), "a throw must be an array of whole numbers"),  # type: ignore[arg-type]
        (lambda: rules.apply_dice(states, 0, [0] * 7), "a throw must be an array of whole numbers"),  # type: ignore[arg-type]
        (lambda: rules.write_win_rewards(states, 0, np.zeros((1, 1)), 0), "out must be an array of floats"),
        (lambda: rules.write_win_rewards(states, 0, np.zeros((1, 2), np.int64), 0), "out must be an array"),  # type: ignore[arg-type]
        (lambda: rules.write_score_rewards(states, 0, np.zeros((1, 2)), 1), "row must be from 0 to 0"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    assert states.tobytes() == before
    assert rules.score(states, i=0, seat=1) == 0, "names may be given"
    fixed = states.copy()
    fixed.setflags(write=False)
    with pytest.raises(ValueError, match="states must not be read-only"):
        rules.apply(fixed, 0, Action.TARGET_7)
    assert rules.legal_bits(fixed, 0) == rules.legal_bits(states, 0)


@pytest.mark.parametrize(
    "counts",
    [[7, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1, 1], [8, -1, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1], [2, 2, 1, 1, 1, 1], [0] * 6, []],
)
def test_counts_of_no_throw(counts: list[int]) -> None:
    """Each is wrong in one way: how many faces, a negative count, one die too few or too many."""
    states = rules.new_states(1)
    rules.new_game(states, 0, 2, 3, False, 0)
    before = states.tobytes()
    with pytest.raises(ValueError, match="not the counts of a throw that is due"):
        rules.apply_throw(states, 0, np.array(counts, np.int8))
    assert states.tobytes() == before
    rules.apply_throw(states, 0, np.array([2, 1, 1, 1, 1, 1], np.int8))
    before = states.tobytes()
    for again in ([2, 1, 1, 1, 1, 1], [0, 1, 1, 1, 1, 1]):  # a target is to be chosen
        with pytest.raises(ValueError, match="not the counts of a throw that is due"):
            rules.apply_throw(states, 0, np.array(again, np.int8))
    assert states.tobytes() == before


def test_observe_refuses_what_does_not_fit() -> None:
    states = one_game()
    games, seats, out = np.zeros(1, np.int64), np.zeros(1, np.int8), np.zeros((1, observation.size(2)), np.float32)
    right = {"states": states, "games": games, "start": 0, "stop": 1, "observers": seats, "out": out}
    for name, wrong, message in (
        ("states", np.zeros(1), "states must be an array of"),
        ("games", games + 5, "games must be numbers of states"),
        ("games", games - 1, "games must be numbers of states"),
        ("games", games.astype(float), "games must be an array of int64"),
        ("start", -1, "start must be from 0 to 1"),
        ("stop", 2, "stop must be from 0 to 1"),
        ("observers", seats + np.int8(2), "observers must be seats of their games"),
        ("observers", seats - np.int8(2), "observers must be seats of their games"),
        ("observers", seats.astype(int), "observers must be an array of int8"),
        ("observers", seats[:0], "games must be numbers of states"),
        ("out", out[:0], "games must be numbers of states"),
        ("out", out[:, 1:], "out must have rows as long as an observation"),
        ("out", out[0], "out must be an array of float32 with 2 dimensions"),
        ("out", out.astype(float), "out must be an array of float32"),
    ):
        with pytest.raises(ValueError, match=message):
            observation.observe(**{**right, name: wrong})  # type: ignore[arg-type]
        assert not out.any()
    observation.observe(**right)  # type: ignore[arg-type]
    assert out.any()


def test_random_actions_refuse_what_does_not_fit() -> None:
    batch, actions = make()
    fixed = actions.copy()
    fixed.setflags(write=False)
    before = actions.copy()
    for bits, seed, out, message in (
        (batch.bits, np.uint64(0), actions[:2], "actions must have a number for each of 6 games, not 2"),
        (batch.bits, np.uint64(0), actions.astype(float), "actions must be an array of int64"),
        (batch.bits, np.uint64(0), fixed, "actions must not be read-only"),
        (batch.bits.astype(float), np.uint64(0), actions, "bits must be an array of whole numbers"),
        (batch.bits, 0.5, actions, "seed must be a whole number"),
        (batch.bits, -1, actions, "seed must be from 0"),
    ):
        with pytest.raises(ValueError, match=message):
            random_actions(bits, seed, out)  # type: ignore[arg-type]
    assert (actions == before).all()


def test_functions_on_bits_refuse_what_does_not_fit() -> None:
    batch, actions = make()
    bits, games, masks = batch.bits, np.arange(NUM), np.zeros((NUM, 18), np.int8)
    fixed = masks.copy()
    fixed.setflags(write=False)
    for wrong, message in (
        ((bits, actions, games + 1), "games must be from 0 to 5"),
        ((bits, actions, games - 1), "games must be from 0 to 5"),
        ((bits, actions, games.astype(np.int32)), "games must be an array of int64"),
        ((bits, actions[:3], games), "actions must have a number for each of 6 games, not 3"),
        ((bits, actions.astype(float), games), "actions must be an array of int64"),
        ((bits.astype(np.int8), actions, games), "bits must be an array of int64"),
    ):
        with pytest.raises(ValueError, match=message):
            first_illegal(*wrong)
    for wrong_masks, message in (
        ((bits, games + 1, 0, NUM, masks), "games must be from 0 to 5"),
        ((bits, games, -1, NUM, masks), "start must be from 0 to 6"),
        ((bits, games, 0, NUM + 1, masks), "stop must be from 0 to 6"),
        ((bits, games, 0, NUM, masks[:3]), "masks must have a row"),
        ((bits, games, 0, NUM, masks[0]), "masks must be an array of int8 with 2 dimensions"),
        ((bits, games, 0, NUM, masks.astype(bool)), "masks must be an array of int8"),
        ((bits, games, 0, NUM, fixed), "masks must not be read-only"),
    ):
        with pytest.raises(ValueError, match=message):
            write_masks(*wrong_masks)
    assert not masks.any() and first_illegal(bits, actions, games) == -1
    write_masks(bits, games, 0, NUM, masks)
    assert (masks == batch.buffers.masks).all()


def test_scores_refuse_what_does_not_fit() -> None:
    batch, _ = make()
    games, out = np.arange(NUM), np.zeros((NUM, 2), np.int32)
    for wrong, message in (
        ((np.zeros(NUM), games, out), "states must be an array of"),
        ((batch.states, games + 1, out), "games must be numbers of states"),
        ((batch.states, games - 1, out), "games must be numbers of states"),
        ((batch.states, games, out[:3]), "scores must have a row for each of 6 games, not 3"),
        ((batch.states, games, out[:, :1]), "no more players than a row of scores has"),
        ((batch.states, games, out.astype(float)), "scores must be an array of int32"),
    ):
        with pytest.raises(ValueError, match=message):
            write_scores(*wrong)
    write_scores(batch.states, games[:0], out[:0])


def test_whole_games_refuse_what_does_not_fit() -> None:
    states, seed = rules.new_states(2), np.uint64(1)
    fixed = states.copy()
    fixed.setflags(write=False)
    for wrong, message in (
        ((np.zeros(2), 2, 3, False, seed), "states must be an array of"),
        ((fixed, 2, 3, False, seed), "states must not be read-only"),
        ((states, 6, 3, False, seed), "num_players must be from 2 to 5"),
        ((states, 2, 4, False, seed), "copies must be from 1 to 3"),
        ((states, 2, 3, 1, seed), "italian_reading must be True or False"),
        ((states, 2, 3, False, 1), "seed must be a number of uint64, not int"),
    ):
        with pytest.raises(ValueError, match=message):
            random_games(*wrong)
        assert not states["num_players"].any()
    assert random_games(states, 2, 3, False, seed) > 20
    for i, before, message in (
        (2, states, "i must be from 0 to 1"),
        (0, states[:0], "i must be"),
        (0, fixed, "read-only"),
    ):
        with pytest.raises(ValueError, match=message):
            play_passes(states, i, before)


ANY_ARRAY = arrays.arrays(
    st.sampled_from([np.int64, np.int32, np.uint64, np.float64, np.bool_, np.int8]),
    arrays.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=NUM + 1),
) | st.lists(st.integers(-2, NUM + 1), max_size=NUM + 1).map(lambda numbers: np.array(numbers, np.int64))


@settings(max_examples=300, deadline=None)
@given(ANY_ARRAY, ANY_ARRAY | st.none(), ANY_ARRAY, ANY_ARRAY)
def test_arbitrary_arrays(actions: Any, games: Any, seeds: Any, first_players: Any) -> None:
    """Each is carried out, or refused with nothing changed; nobody reads or writes where there is no game."""
    batch, legal = make()
    for act in (
        lambda: batch.step(actions, games),
        lambda: batch.step(legal, games),
        lambda: batch.reset(seeds=seeds, first_players=first_players),
        lambda: batch.reset(first_players=first_players),
        lambda: batch.retire(games),
    ):
        before = content(batch)
        try:
            act()
        except ValueError as error:
            assert "\n" not in str(error)
            assert content(batch) == before
        legal[:] = np.maximum(0, [int(bits).bit_length() - 1 for bits in batch.bits])
