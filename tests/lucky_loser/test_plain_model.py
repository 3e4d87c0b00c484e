"""The engine against the independent plain model: the same dice and actions, every position compared."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from lucky_loser_env import rules
from lucky_loser_env.game import Game
from pechvogel.tabletop.bits import action_list
from tests.lucky_loser.plain_model import ACTIONS, PlainGame
from tests.pechvogel.test_plain_model import first_difference

FACES = [1, 2, 3, 4, 5, 6]
FAIR = [1, 1, 1, 1, 1, 1]
MANY_ONES = [6, 1, 1, 1, 1, 1]
TWO_NUMBERS = [1, 1, 1, 1, 6, 6]  # crowded rows 5 and 6: chips by the handful, rows that close
MAX_TURNS = 300


@dataclass
class Table:
    num_players: int
    row_lengths: list[int]
    skip_forced: bool
    weights: list[int]
    eager: bool  # forms as many groups as possible: games with many chips


def random_table(rng: random.Random) -> Table:
    top = rng.choice([1, 2, 4, 8])
    usual = rng.random() < 0.3
    return Table(
        num_players=rng.randint(2, 4),
        row_lengths=[4] * 6 if usual else [rng.randint(1, top) for _ in range(6)],
        skip_forced=rng.random() < 0.5,
        weights=rng.choice([FAIR, MANY_ONES, TWO_NUMBERS]),
        eager=rng.random() < 0.5,
    )


def compare_game(seed: int) -> int:
    """Play one random game on both sides; returns the number of decisions compared."""
    rng = random.Random(seed)
    table = random_table(rng)
    first_player = rng.randrange(table.num_players)
    plain = PlainGame(table.num_players, table.row_lengths, first_player)
    dice = rng.choices(FACES, table.weights, k=MAX_TURNS * 4)
    engine = Game(table.num_players, table.row_lengths, table.skip_forced, MAX_TURNS)
    engine.reset(seed, first_player, dice)
    decisions = 0
    while True:
        while plain.phase == "throw" and plain.turn < MAX_TURNS:
            plain.throw(dice[4 * plain.turn :][:4])
            if table.skip_forced and len(plain.legal_actions()) == 1:
                plain.act(plain.legal_actions()[0])
        where = f"seed {seed}, {table}, decision {decisions}"
        difference = first_difference(engine.position().to_dict(), plain.position())
        assert difference is None, f"{where}: {difference}"
        legal = plain.legal_actions()
        assert action_list(engine.bits) == legal, f"{where}: legal actions differ"
        assert engine.scores() == plain.scores(), f"{where}: scores differ"
        if not engine.bits:
            break
        action = rng.choice(legal[-3:] if table.eager else legal)
        decisions += len(legal) > 1
        plain.act(action)
        engine.step(action)
    assert engine.winners() == plain.winners() and engine.over == (plain.phase == "over")
    if engine.over:
        assert engine.rewards("win") == pytest.approx(plain.win_rewards())
        assert engine.rewards("score") == pytest.approx(plain.score_rewards())
    else:
        assert engine.rewards("win") == [0.0] * table.num_players
    return decisions


def compare_decisions(at_least: int, first_seed: int) -> None:
    compared, seed = 0, first_seed
    while compared < at_least:
        compared += compare_game(seed)
        seed += 1


def test_both_have_the_same_actions() -> None:
    assert list(rules.GROUPS) == ACTIONS


def test_engine_agrees_with_the_plain_model() -> None:
    compare_decisions(20_000, first_seed=0)


@pytest.mark.slow
def test_engine_agrees_with_the_plain_model_over_a_million_decisions() -> None:
    compare_decisions(1_000_000, first_seed=1_000_000)
