"""The dice: exact chances, seeded dice that are uniform, independent and a pure function, scripted dice."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from pechvogel.tabletop.bits import action_list
from pechvogel_env import dice
from pechvogel_env.game import Game
from pechvogel_env.rules import FACES


@pytest.mark.parametrize("num_dice", range(8))
def test_outcomes_are_every_throw_with_its_exact_probability(num_dice: int) -> None:  # R1
    outcomes = dice.outcomes(num_dice)
    assert sum(outcome.ways for outcome in outcomes) == 6**num_dice
    assert len({outcome.counts for outcome in outcomes}) == len(outcomes)
    assert sum(outcome.probability for outcome in outcomes) == pytest.approx(1, abs=1e-12)


def test_outcomes_agree_with_throwing_all_dice() -> None:
    ways: dict[tuple[int, ...], int] = {}
    for faces in product(FACES, repeat=4):
        counts = tuple(faces.count(face) for face in FACES)
        ways[counts] = ways.get(counts, 0) + 1
    assert {outcome.counts: outcome.ways for outcome in dice.outcomes(4)} == ways


@pytest.mark.parametrize("num_dice", range(8))
def test_reduced_outcomes_are_the_outcomes_summed_up(num_dice: int) -> None:
    ways: dict[tuple[int, int], int] = {}
    for outcome in dice.outcomes(num_dice):
        key = (outcome.counts[1], outcome.counts[0])  # with 3 as the target
        ways[key] = ways.get(key, 0) + outcome.ways
    reduced = dice.reduced_outcomes(num_dice)
    assert {(outcome.targets, outcome.ravens): outcome.ways for outcome in reduced} == ways
    assert all(Fraction(o.ways, 6**num_dice) == Fraction(o.probability).limit_denominator(6**7) for o in reduced)


def test_there_is_no_throw_of_eight_dice() -> None:
    with pytest.raises(ValueError, match="0 to 7 dice"):
        dice.outcomes(8)
    with pytest.raises(ValueError, match="0 to 7 dice"):
        dice.reduced_outcomes(-1)


def seeded_throws(seeds: int, turns: int, throws: int) -> np.ndarray:
    """Face numbers 0..5, shape (seeds, turns, throws, 7)."""
    number = {face: k for k, face in enumerate(FACES)}
    return np.array(
        [
            [[[number[face] for face in dice.throw_of(s, t, k)] for k in range(throws)] for t in range(turns)]
            for s in range(seeds)
        ]
    )


def chi_square(counts: np.ndarray) -> float:
    """How many standard deviations the statistic lies above its mean, all cells being equally likely."""
    expected = counts.sum() / counts.size
    freedom = counts.size - 1
    return float((((counts - expected) ** 2).sum() / expected - freedom) / np.sqrt(2 * freedom))


def test_seeded_dice_are_uniform_and_independent() -> None:
    throws = seeded_throws(60, 40, 8)  # 19,200 throws, 134,400 dice
    assert chi_square(np.bincount(throws.ravel(), minlength=6)) < 4
    first, later = throws.reshape(-1, 7)[:, :-1], throws.reshape(-1, 7)[:, 1:]
    pairs = {
        "dice of a throw": (first, later),
        "throws of a turn": (throws[:, :, :-1], throws[:, :, 1:]),
        "turns of a game": (throws[:, :-1], throws[:, 1:]),
        "neighbouring seeds": (throws[:-1], throws[1:]),
    }
    for name, (a, b) in pairs.items():
        together = np.bincount((a * 6 + b).ravel(), minlength=36)
        assert chi_square(together) < 4, f"{name} are not independent"
    seeds, turns = throws.shape[:2]
    by_place = np.stack([np.bincount(throws[..., k].ravel(), minlength=6) for k in range(7)])
    assert all(chi_square(row) < 4 for row in by_place)
    ravens = (throws == 0).sum(axis=3).ravel()
    assert abs(ravens.mean() - 7 / 6) < 4 * np.sqrt(7 * 5 / 36 / ravens.size)
    assert ravens.size == seeds * turns * 8


def test_who_starts_is_uniform_and_seeded() -> None:  # R5
    for players in range(2, 6):
        starts = [int(dice.seeded_first_player(np.uint64(seed), players)) for seed in range(6000)]
        assert chi_square(np.bincount(starts, minlength=players)) < 4


def test_seeded_dice_are_the_documented_function() -> None:
    """The generator in plain Python, from the module's text; a change of it would be another `_v`."""
    mask, g = 2**64 - 1, 0x9E3779B97F4A7C15

    def mix(x: int) -> int:
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & mask
        x = (x ^ x >> 27) * 0x94D049BB133111EB & mask
        return x ^ x >> 31

    for seed, turn, throw in [(0, 0, 0), (7, 3, 2), (2**64 - 1, 1000, 40), (123456789, 12, 0)]:
        number = mix((mix((seed + (turn + 1) * g) & mask) + (throw + 1) * g) & mask) % 6**7
        faces = []
        for _ in range(7):
            faces.append(FACES[number % 6])
            number //= 6
        assert dice.throw_of(seed, turn, throw) == faces


def test_dice_depend_only_on_seed_turn_and_throw() -> None:
    """Two games with other actions see the same first throws, turn by turn."""

    def first_throws(choose: int) -> dict[int, list[int]]:
        game = Game(3, skip_forced=False)
        game.reset(seed=11)
        seen = {}
        while game.bits:
            position = game.position()
            if len(position.last_throw) == 7:
                seen[position.turn] = position.last_throw
            game.step(action_list(game.bits)[choose])
        return seen

    low, high = first_throws(0), first_throws(-1)
    shared = set(low) & set(high)
    assert len(shared) > 10
    assert all(low[turn] == high[turn] == dice.throw_of(11, turn, 0) for turn in shared)


def test_game_seeds_differ() -> None:
    seeds = {int(dice.game_seed(np.uint64(s), g, e)) for s in range(20) for g in range(20) for e in range(20)}
    assert len(seeds) == 8000


def test_scripted_dice_are_consumed_die_by_die_and_then_the_seeded_go_on() -> None:
    game = Game(2)
    game.reset(seed=5, first_player=0, dice=[7, 7, 0])
    assert game.position().last_throw == [7, 7, 0, *dice.throw_of(5, 0, 0)[3:]]


@pytest.mark.parametrize("face", [1, 2, 8, -1, "7", None, 3.0, True])
def test_a_face_that_does_not_exist_is_refused(face: object) -> None:
    game = Game(2)
    game.reset(seed=1)
    before = game.position()
    with pytest.raises(ValueError, match=r"dice\[1\]"):
        game.reset(seed=1, dice=[7, face])  # type: ignore[list-item]
    assert game.position() == before


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "7", True])
def test_a_seed_must_fit_into_64_bits(seed: object) -> None:
    with pytest.raises(ValueError, match="seed must be"):
        Game(2).reset(seed=seed)  # type: ignore[arg-type]
