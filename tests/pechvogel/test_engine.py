"""The engine's own interface, and what holds in every game."""

from __future__ import annotations

import random

import numpy as np
import pytest

from pechvogel.tabletop.bits import action_list
from pechvogel_env import dice, rules
from pechvogel_env.game import MAX_LEGAL, Game
from pechvogel_env.position import Position, position_of
from pechvogel_env.rules import Action, Phase


def test_a_state_is_small() -> None:
    assert rules.STATE.itemsize <= 256


def thrown(counts: list[int]) -> np.ndarray:
    states = rules.new_states(1)
    rules.new_game(states, 0, 2, 3, False, 0)
    rules.apply_throw(states, 0, np.array(counts, np.int8))
    return states


def test_a_throw_by_counts_is_the_throw_by_dice() -> None:
    by_counts = thrown([2, 1, 0, 1, 0, 3])
    by_dice = rules.new_states(1)
    rules.new_game(by_dice, 0, 2, 3, False, 0)
    rules.apply_dice(by_dice, 0, np.array([0, 0, 3, 5, 7, 7, 7], np.int8))
    assert by_counts.tobytes() == by_dice.tobytes()
    assert action_list(rules.legal_bits(by_counts, 0)) == [Action.TARGET_3, Action.TARGET_5, Action.TARGET_7]


@pytest.mark.parametrize(
    "counts", [[7, 1, 0, 0, 0, 0], [6, 0, 0, 0, 0, 0], [8, -1, 0, 0, 0, 0], [7, 0, 0, 0, 0], [7, 0, 0, 0, 0, 0, 0]]
)
def test_a_throw_that_is_not_due_is_refused(counts: list[int]) -> None:
    states = rules.new_states(1)
    rules.new_game(states, 0, 2, 3, False, 0)
    before = states.tobytes()
    with pytest.raises(ValueError, match="not the counts of a throw that is due"):
        rules.apply_throw(states, 0, np.array(counts, np.int8))
    for faces in ([3] * 6, [3] * 8, [3] * 6 + [2], [3] * 6 + [8]):
        with pytest.raises(ValueError, match=r"that is due|a die shows"):
            rules.apply_dice(states, 0, np.array(faces, np.int8))
    assert states.tobytes() == before
    states = thrown([2, 1, 0, 1, 0, 3])
    with pytest.raises(ValueError, match="that is due"):
        rules.apply_throw(states, 0, np.array([2, 1, 0, 1, 0, 3], np.int8))


@pytest.mark.parametrize("action", [-1, 1, 5, 17, 18, 63, 64, 10**6])
def test_an_illegal_action_is_refused(action: int) -> None:
    states = thrown([2, 1, 0, 1, 0, 3])
    before = states.tobytes()
    with pytest.raises(ValueError, match="illegal"):
        rules.apply(states, 0, action)
    assert states.tobytes() == before
    rules.apply(states, 0, Action.TARGET_7)
    assert states["target"][0] == 7 and states["targets"][0] == 3


def test_chance_and_decisions_can_be_searched() -> None:
    """A planner's view: every throw with its probability, every action, no random numbers."""
    states = thrown([1, 1, 1, 1, 1, 2])
    rules.apply(states, 0, Action.TARGET_7)
    while states["phase"][0] != Phase.THROW:
        rules.apply(states, 0, Action.PASS)
    total = 0.0
    for outcome in dice.outcomes(rules.dice_to_throw(states, 0)):
        child = states.copy()
        rules.apply_throw(child, 0, np.array(outcome.counts, np.int8))
        assert child["targets"][0] == 2 + outcome.counts[5] and child["ravens"][0] == 1 + outcome.counts[0]
        total += outcome.probability
    assert total == pytest.approx(1)


def check_invariants(before: Position, now: Position) -> None:
    for value in range(5):
        held = sum(player.markers[value] for player in now.players)
        assert 0 <= held + now.middle[value] <= now.copies  # R2
        assert now.middle[value] <= before.middle[value], "nothing comes back to the middle"
    assert all(player.frustrations >= 0 for player in now.players)
    assert now.murphy is None or 0 <= now.murphy < now.num_players  # R4
    assert before.murphy is None or now.murphy is not None, "Murphy never goes away again"
    assert now.active not in now.frustraters and len(set(now.frustraters)) == len(now.frustraters)
    # What follows from seven dice.
    assert now.targets + now.ravens <= 7
    assert not (now.targets > 4 and now.ravens > 3)
    assert not (now.targets >= 4 and now.ravens >= 3) or (now.targets, now.ravens) == (4, 3)
    if now.phase == "throw":
        assert 7 - now.targets - now.ravens >= 2
    if now.phase == "discard":
        assert any(now.middle)
    assert sum(before.middle) - sum(now.middle) in (0, 1)
    assert (now.turn > before.turn) or sum(before.middle) == sum(now.middle)


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
@pytest.mark.parametrize("weights", [[1, 1, 1, 1, 1, 1], [3, 1, 1, 1, 1, 1], [5, 1, 1, 1, 1, 12]], ids=str)
def test_invariants(num_players: int, weights: list[int]) -> None:
    rng = random.Random(num_players)
    for seed in range(3):
        states = rules.new_states(1)
        rules.new_game(states, 0, num_players, 1 + seed, seed == 1, seed % num_players)
        now = position_of(states, 0)
        gains = 0
        while states["phase"][0] != Phase.OVER and now.turn < 300:
            if states["phase"][0] == Phase.THROW:
                faces = rng.choices(rules.FACES, weights, k=rules.dice_to_throw(states, 0))
                rules.apply_dice(states, 0, np.array(faces, np.int8))
            else:
                legal = action_list(rules.legal_bits(states, 0))
                assert 1 <= len(legal) <= MAX_LEGAL
                rules.apply(states, 0, rng.choice(legal))
            before, now = now, position_of(states, 0)
            check_invariants(before, now)
            gains += sum(before.middle) - sum(now.middle)
        if states["phase"][0] == Phase.OVER:
            assert gains == 5 * (1 + seed), "a game has exactly as many gains as markers"


def test_copies_of_a_game_are_independent() -> None:
    import copy

    game = Game(3)
    game.reset(1)
    twin = copy.deepcopy(game)
    twin.step(action_list(twin.bits)[0])
    assert twin.position() != game.position()
    assert twin.to_act == twin.position().to_act
