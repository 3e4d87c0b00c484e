"""The dice: exact chances, seeded dice that are uniform, independent and a pure function, scripted dice."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from lucky_loser_env import dice
from lucky_loser_env.game import Game
from lucky_loser_env.rules import FACES
from pechvogel.tabletop.bits import action_list
from pechvogel.tabletop.seeds import mix
from tests.pechvogel.test_dice import chi_square


def test_outcomes_are_every_throw_with_its_exact_probability() -> None:
    """L1: 126 multisets, which stand for 1296 throws."""
    ways: dict[tuple[int, ...], int] = {}
    for faces in product(FACES, repeat=4):
        counts = tuple(faces.count(face) for face in FACES)
        ways[counts] = ways.get(counts, 0) + 1
    assert {outcome.counts: outcome.ways for outcome in dice.outcomes()} == ways and len(ways) == 126
    assert sum(outcome.probability for outcome in dice.outcomes()) == pytest.approx(1, abs=1e-12)


def test_seeded_dice_are_uniform_and_independent() -> None:
    throws = np.array([[dice.throw_of(s, t) for t in range(80)] for s in range(120)]) - 1  # 38,400 dice
    assert chi_square(np.bincount(throws.ravel(), minlength=6)) < 4
    pairs = {
        "dice of a throw": (throws[..., :-1], throws[..., 1:]),
        "turns of a game": (throws[:, :-1], throws[:, 1:]),
        "neighbouring seeds": (throws[:-1], throws[1:]),
    }
    for name, (a, b) in pairs.items():
        assert chi_square(np.bincount((a * 6 + b).ravel(), minlength=36)) < 4, f"{name} are not independent"


def test_the_documented_generator() -> None:
    golden = 0x9E3779B97F4A7C15
    for seed, turn in ((0, 0), (7, 3), (2**64 - 1, 100)):
        word = int(mix(np.uint64((seed + (turn + 1) * golden) % 2**64)))
        assert dice.throw_of(seed, turn) == [1 + word % 6**4 // 6**k % 6 for k in range(4)]


def test_dice_do_not_depend_on_what_players_do() -> None:
    thrown = []
    for choice in (0, -1):
        game = Game(2)
        game.reset(5)
        faces = {}
        while game.bits:
            position = game.position()
            faces[position.turn] = position.last_throw
            game.step(action_list(game.bits)[choice] if position.turn < 60 else action_list(game.bits)[-1])
        thrown.append(faces)
    common = thrown[0].keys() & thrown[1].keys()
    assert len(common) > 10 and all(thrown[0][t] == thrown[1][t] == dice.throw_of(5, t) for t in common)


def test_scripted_dice_come_first_then_the_seeded_ones() -> None:
    game = Game(2, skip_forced=False)
    game.reset(3, 0, [1, 2, 3, 4, 6, 6])
    assert game.position().last_throw == [1, 2, 3, 4]
    game.step(0)
    assert game.position().last_throw == [6, 6, *dice.throw_of(3, 1)[2:]] and game.scripted == 6
    game.step(0)
    assert game.position().last_throw == dice.throw_of(3, 2)


@pytest.mark.parametrize("wrong", [[0], [7], [1, True], [2.0], ["3"], 4, None])
def test_wrong_scripts(wrong: object) -> None:
    with pytest.raises(ValueError, match=r"a die shows 1, 2, 3, 4, 5 or 6|must be a list of faces"):
        dice.script(wrong)  # type: ignore[arg-type]


def test_who_starts_is_seeded() -> None:
    starts = []
    for seed in range(60):
        game = Game(4)
        game.reset(seed)
        starts.append(game.position().first)
    assert set(starts) == {0, 1, 2, 3}
