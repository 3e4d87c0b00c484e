"""The heuristic: what it knows, and that it is a worthy yardstick."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lucky_loser_env import rules
from lucky_loser_env.game import Game
from lucky_loser_env.kind import KIND
from lucky_loser_env.rules import GROUPS
from pechvogel.agents import registry
from pechvogel.agents.lucky_loser.heuristic import CHANCES, HeuristicAgent
from pechvogel.agents.random import RandomAgent
from pechvogel.train.arena.tournament import against_table
from tests.lucky_loser.greedy import Greedy


def chosen(dice: list[int], mine: list[int], theirs: list[int], **position: Any) -> tuple[int, ...]:
    """The groups that it forms with these dice; places of both players by row."""
    game = Game(2)
    players = [{"places": places, "chips": [int(place == 4) for place in places]} for places in (mine, theirs)]  # L10
    game.reset(1, dice=dice, position={"players": players, "active": 0, "first": 0, **position})
    return GROUPS[HeuristicAgent().act(game.position(), game.mask(), np.random.default_rng(0))]


def test_it_takes_chips() -> None:
    """The same dice bring the chip of the row in whose X a piece stands (L11)."""
    for row, value in ((0, 5), (3, 8), (4, 9), (5, 10)):
        on_x = [4 * (k == row) for k in range(6)]
        assert value in chosen([4, 5, 3, 5], on_x, [0] * 6)


def test_it_sends_others_home() -> None:
    """From the step before the X of row 8 (L10): where somebody stands there, rather than where nobody does."""
    step = [0, 0, 0, 3, 0, 3]
    assert chosen([2, 6, 2, 2], step, [0, 0, 0, 4, 0, 0]) == (8,)
    assert chosen([2, 6, 2, 2], step, [0, 0, 0, 0, 0, 4]) == (10,)


def test_chances_are_those_of_the_rules() -> None:
    found, states = np.zeros(rules.NUM_ROWS), rules.new_states(1)
    for number in range(rules.NUM_THROWS):
        rules.new_game(states, 0, 2, rules.ROW_LENGTHS, 0)
        dice = [rules.face_of(number, die) for die in range(rules.NUM_DICE)]
        rules.apply_dice(states, 0, np.array(dice, np.int8))
        found += [int(rules.legal_bits(states, 0)) >> (1 + row) & 1 for row in range(rules.NUM_ROWS)]
    assert found / rules.NUM_THROWS == pytest.approx(CHANCES, abs=6e-4)


def test_it_beats_greedy_and_random() -> None:
    """At least 62% against greedy are asked for; many games have 73%."""
    variant = KIND.variant(2)
    assert against_table(HeuristicAgent(), Greedy(), variant, 2000, 7)["ci95"][0] > 0.62
    assert against_table(HeuristicAgent(), RandomAgent(), variant, 400, 7)["win_share"] > 0.98
    assert against_table(Greedy(), RandomAgent(), variant, 400, 7)["win_share"] > 0.9, "greedy is no yardstick"


@pytest.mark.parametrize(("players", "row_lengths"), [(2, (4,) * 6), (3, (1, 2, 3, 4, 5, 8)), (4, (8,) * 6)])
def test_it_plays_every_game(players: int, row_lengths: tuple[int, ...]) -> None:
    registry.check(registry.make("heuristic", KIND.name), players, game=KIND.name, row_lengths=row_lengths)
