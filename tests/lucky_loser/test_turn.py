"""A turn, exactly: against a search by hand over all 1296 throws in their order."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from lucky_loser_env import rules
from lucky_loser_env.batch import Batch, Buffers
from lucky_loser_env.rules import MAX_PLAYERS, NUM_ACTIONS, Phase, States
from pechvogel.agents.lucky_loser.turn import TurnSearch, ends_of
from pechvogel.tabletop.bits import action_list


def positions(players: int, num: int, seed: int = 3, row_lengths: tuple[int, ...] = rules.ROW_LENGTHS) -> States:
    """Positions in which somebody is asked, of random games."""
    buffers = Buffers.allocate(64, players)
    batch = Batch(buffers, num_players=players, row_lengths=row_lengths, seed=seed)
    rng = np.random.default_rng(seed)
    found: list[States] = []
    while sum(map(len, found)) < num:
        chances = np.where(buffers.masks != 0, rng.random(buffers.masks.shape), -1)
        batch.step(chances.argmax(axis=1))
        if rng.random() < 0.1:
            found.append(batch.states[rng.random(64) < 0.3].copy())
    return np.concatenate(found)[:num]


def between_turns(states: States) -> States:
    """The same before their throws."""
    before = states.copy()
    before["phase"], before["to_act"], before["thrown"] = Phase.THROW, rules.NOBODY, rules.NO_THROW
    return before


def arbitrary(states: States) -> np.ndarray:
    """Some evaluation that depends on everything, and has no ties."""
    told = np.concatenate(
        [
            states[name].astype(float).reshape(len(states), np.prod(states[name].shape[1:], dtype=int))
            for name in ("stacks", "places", "chips", "bonus")
        ],
        axis=1,
    )
    rng = np.random.default_rng(5)
    return np.sin(told @ rng.normal(size=(told.shape[1], MAX_PLAYERS)))


@pytest.mark.parametrize(("players", "row_lengths"), [(2, (4,) * 6), (3, (4,) * 6), (4, (1, 2, 3, 4, 5, 8))])
def test_values_are_those_of_a_search_by_hand(players: int, row_lengths: tuple[int, ...]) -> None:
    asked = positions(players, 6, row_lengths=row_lengths)
    search = TurnSearch(arbitrary)
    found = search.values(between_turns(asked))
    for i in range(len(asked)):
        wanted = np.zeros(MAX_PLAYERS)
        for dice in product(rules.FACES, repeat=rules.NUM_DICE):
            thrown = between_turns(asked[i : i + 1])
            rules.apply_dice(thrown, 0, np.array(dice, np.int8))
            after = []
            for action in action_list(int(rules.legal_bits(thrown, 0))):
                after.append(thrown.copy())
                rules.apply(after[-1], 0, action)
            values = arbitrary(np.concatenate(after))
            wanted += values[np.argmax(values[:, asked["active"][i]])] / rules.NUM_THROWS
        assert found[i, :players] == pytest.approx(wanted[:players], abs=1e-9)
        assert np.isnan(found[i, players:]).all()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_an_action_is_worth_the_position_after_it(players: int) -> None:
    asked = positions(players, 200)
    values = TurnSearch(arbitrary).action_values(asked)
    assert values.shape == (200, NUM_ACTIONS)
    for i in range(0, 200, 7):
        legal = action_list(int(rules.legal_bits(asked, i)))
        assert np.flatnonzero(~np.isnan(values[i])).tolist() == legal
        for action in legal:
            after = asked[i : i + 1].copy()
            rules.apply(after, 0, action)
            assert values[i, action] == pytest.approx(arbitrary(after)[0, asked["active"][i]])


def test_a_turn_ends_in_at_most_49_positions_and_equal_ones_go_to_the_lowest_action() -> None:
    start = rules.new_states(1)
    rules.new_game(start, 0, 2, rules.ROW_LENGTHS, 0)
    assert len(ends_of(start).states) == NUM_ACTIONS
    asked = positions(2, 50)
    same = TurnSearch(lambda states: np.zeros((len(states), MAX_PLAYERS))).action_values(asked)
    assert (np.nanargmax(same, axis=1) == [action_list(int(rules.legal_bits(asked, i)))[0] for i in range(50)]).all()
    over = asked[:1].copy()
    over["phase"] = Phase.OVER
    rewards = np.zeros((1, MAX_PLAYERS))
    rules.write_win_rewards(over, 0, rewards, 0)
    assert len(ends_of(over).states) == 0
    assert TurnSearch(arbitrary).values(over)[0, :2] == pytest.approx(rewards[0, :2])
