"""The engine's own interface, and what holds in every game."""

from __future__ import annotations

import copy
import random

import numpy as np
import pytest

from lucky_loser_env import dice, rules
from lucky_loser_env.game import Game
from lucky_loser_env.position import Position, position_of
from lucky_loser_env.rules import ACTION_OF, CHIPS, ROW_LENGTHS, Phase
from pechvogel.tabletop.bits import action_list


def fresh(num_players: int = 2) -> np.ndarray:
    states = rules.new_states(1)
    rules.new_game(states, 0, num_players, ROW_LENGTHS, 0)
    return states


def test_a_state_is_small() -> None:
    assert rules.STATE.itemsize <= 80


def test_a_throw_by_counts_is_the_throw_by_dice() -> None:
    by_counts, by_dice = fresh(), fresh()
    rules.apply_throw(by_counts, 0, np.array([1, 0, 2, 0, 0, 1], np.int8))
    rules.apply_dice(by_dice, 0, np.array([1, 3, 3, 6], np.int8))
    assert by_counts.tobytes() == by_dice.tobytes()
    assert position_of(by_dice, 0).last_throw == [1, 3, 3, 6]


def test_a_throw_that_is_not_due_is_refused() -> None:
    states = fresh()
    before = states.tobytes()
    for counts in ([4, 1, 0, 0, 0, 0], [3, 0, 0, 0, 0, 0], [5, -1, 0, 0, 0, 0], [4, 0, 0, 0, 0], [4, 0, 0, 0, 0, 0, 0]):
        with pytest.raises(ValueError, match="not the counts of a throw of four dice that is due"):
            rules.apply_throw(states, 0, np.array(counts, np.int8))
    for faces in ([3] * 3, [3] * 5, [3, 3, 3, 0], [3, 3, 3, 7]):
        with pytest.raises(ValueError, match=r"that is due|a die shows"):
            rules.apply_dice(states, 0, np.array(faces, np.int8))
    assert states.tobytes() == before
    rules.apply_dice(states, 0, np.array([3] * 4, np.int8))
    with pytest.raises(ValueError, match="that is due"):
        rules.apply_dice(states, 0, np.array([3] * 4, np.int8))


@pytest.mark.parametrize("action", [-1, 1, 48, 49, 63, 64, 10**6, True, 1.0, None])
def test_an_illegal_action_is_refused(action: int) -> None:
    states = fresh()
    rules.apply_dice(states, 0, np.array([3, 3, 4, 4], np.int8))
    before = states.tobytes()
    with pytest.raises(ValueError, match="illegal"):
        rules.apply(states, 0, action)
    assert states.tobytes() == before
    rules.apply(states, 0, ACTION_OF[(7, 7)])
    assert states["places"][0, 0, 2] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((5, ROW_LENGTHS, 0), "num_players must be from 2 to 4, not 5"),
        ((2, (4,) * 5, 0), "row_lengths must be 6 whole numbers"),
        ((2, (4,) * 5 + (9,), 0), r"row_lengths\[5\] must be from 1 to 8, not 9"),
        ((2, [4] * 6, 0), "row_lengths must be a tuple"),
        ((2, ROW_LENGTHS, 2), "first_player must be from 0 to 1, not 2"),
    ],
)
def test_a_game_that_can_not_be_is_refused(arguments: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rules.new_game(rules.new_states(1), 0, *arguments)


def test_chance_and_decisions_can_be_searched() -> None:
    """A planner's view: every throw with its probability, every action, no random numbers."""
    states = fresh()
    total = 0.0
    for outcome in dice.outcomes():
        child = states.copy()
        rules.apply_throw(child, 0, np.array(outcome.counts, np.int8))
        for action in action_list(rules.legal_bits(child, 0)):
            after = child.copy()
            rules.apply(after, 0, action)
            assert after["turn"][0] == 1 and after["phase"][0] == Phase.THROW
        total += outcome.probability
    assert total == pytest.approx(1) and len(dice.outcomes()) == 126


def check_invariants(before: Position, now: Position) -> None:
    fewer = now.num_players < 4
    for row in range(6):
        held = sum(player.chips[row] for player in now.players)
        assert held + now.stacks[row] == CHIPS[row] - fewer, "no chip is lost (L3)"
        assert now.stacks[row] <= before.stacks[row]
        on_x = [player for player in now.players if player.places[row] == now.row_lengths[row]]
        assert len(on_x) <= 1 and all(player.chips[row] for player in on_x)  # L10
        assert now.stacks[row] or not any(player.places[row] for player in now.players)  # L12
    assert sum(player.bonus for player in now.players) + sum(now.bonus) == 42  # L4
    assert now.turn in (before.turn, before.turn + 1)


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("row_lengths", [(4,) * 6, (1,) * 6, (8, 1, 2, 3, 5, 7)], ids=str)
def test_invariants(num_players: int, row_lengths: tuple[int, ...]) -> None:
    rng = random.Random(num_players)
    for seed in range(3):
        states = rules.new_states(1)
        rules.new_game(states, 0, num_players, row_lengths, seed % num_players)
        now = position_of(states, 0)
        while states["phase"][0] != Phase.OVER:
            if states["phase"][0] == Phase.THROW:
                rules.apply_dice(states, 0, np.array(rng.choices(rules.FACES, k=4), np.int8))
            else:
                legal = action_list(rules.legal_bits(states, 0))
                assert legal[0] == 0 and len(legal) <= rules.MAX_LEGAL
                rules.apply(states, 0, rng.choice(legal))
            before, now = now, position_of(states, 0)
            check_invariants(before, now)
            assert Position.parse(now) == now, "what play leads to is a valid position"
        assert now.turn % num_players == 0, "everybody has had the same number of turns (L14)"
        assert now.stacks.count(0) >= 3 or not now.bonus


def test_copies_of_a_game_are_independent() -> None:
    game = Game(3)
    game.reset(1)
    twin = copy.deepcopy(game)
    twin.step(action_list(twin.bits)[-1])
    assert twin.position() != game.position()
    assert twin.to_act == twin.position().to_act
