"""Observations: their layout, their spec page, and what they say about the card."""

from __future__ import annotations

import random

import numpy as np
import pytest

from pechvogel.tabletop.bits import action_list
from porca_miseria_env import observation
from porca_miseria_env.game import Game
from porca_miseria_env.porca_miseria_v0 import parallel_env, raw_env
from porca_miseria_env.rules import SHOWN, Action
from porca_miseria_env.view import View
from tests.porca_miseria.plain_model import LUCKY_NUMBERS, SYMBOLS
from tests.porca_miseria.test_chance import by_convolution
from tests.spec_page import actions_of, arguments_of, layout_of, layout_told


def part(vector: np.ndarray, name: str, num_players: int) -> list[float]:
    (found,) = [part for part in observation.layout(num_players) if part.name == name]
    return vector[found.start : found.stop].tolist()


@pytest.mark.parametrize("num_players", range(3, 9))
def test_layout_has_no_gaps(num_players: int) -> None:
    start = 0
    for piece in observation.layout(num_players):
        assert piece.start == start
        start = piece.stop
    assert start == observation.size(num_players) == 60 + 23 * num_players


def test_the_spec_page_is_that_of_the_code() -> None:
    assert layout_told(raw_env) == layout_of(observation.layout(3), 60)
    assert actions_of(raw_env) == {action.value: action.name.lower() for action in Action}
    told, code = arguments_of(raw_env)
    assert told == code and arguments_of(parallel_env, raw_env)[1] == code


def random_play(num_players: int, seed: int, **settings: object) -> Game:
    game = Game(num_players, max_cards=10, **settings)  # type: ignore[arg-type]
    game.reset(seed)
    return game


@pytest.mark.parametrize("num_players", range(3, 9))
def test_observations_lie_in_their_box_and_are_relative(num_players: int) -> None:
    rng = random.Random(num_players)
    for seed, blur in enumerate((0.0, 0.1, 0.45)):
        game = random_play(num_players, seed, blur=blur, ticks=12, moving_numbers=seed == 1)
        while game.bits:
            for seat in rng.sample(range(num_players), 1):
                vector, view = game.observe(seat), game.view(seat)
                assert np.isfinite(vector).all() and vector.min() >= 0 and vector.max() <= 1
                for relative in range(num_players):
                    whose = "observer" if relative == 0 else f"opponent_{relative}"
                    player = (seat + relative) % num_players
                    numbers = part(vector, f"{whose}.numbers", num_players)
                    assert [k + 1 for k in range(8) if numbers[k]] == view["lucky_numbers"][player]
                    assert round(part(vector, f"{whose}.loot", num_players)[0] * 66) == view["loot"][player]
                    assert part(vector, f"{whose}.dealer", num_players) == [view["dealer"] == player]
                    covered = view["hands"].count(player) == 1 and view["hands"][-1] != player
                    assert part(vector, f"{whose}.covered", num_players) == [covered]
            game.step(rng.choice(action_list(game.bits)))


def chances_by_hand(view: View) -> list[float]:
    """Bayes over all symbol cards that are not known to be elsewhere, from the view alone."""
    blur, n = view["settings"]["blur"], view["num_players"]
    odds = [by_convolution(count, blur) for count in range(9)]

    def right(player: int, counts: list[int], symbol: int) -> bool:
        numbers = view["lucky_numbers"][player]
        return counts[symbol] in numbers or not set(counts) & set(numbers)

    assert sorted(map(tuple, view["lucky_numbers"])) == sorted(map(tuple, LUCKY_NUMBERS[n]))
    total, rights = 0.0, [0.0] * 3
    for card in range(63 - view["settings"]["tap_cards"]):
        counts = SHOWN[card].tolist()
        if card in view["elsewhere"] or any(right(p, counts, SYMBOLS.index(s)) != r for p, s, r in view["taken"]):
            continue
        weight = 1.0
        for glance in view["glances"]:
            for count, seen in zip(counts, glance, strict=True):
                weight *= odds[count].get(seen, 0.0)
        total += weight
        for symbol in range(3):
            rights[symbol] += weight * right(view["seat"], counts, symbol)
    return [value / total for value in rights]


@pytest.mark.parametrize("num_players", [3, 6, 8])
def test_chances_are_those_of_bayes(num_players: int) -> None:
    rng, compared = random.Random(1), 0
    game = random_play(num_players, 5)
    while game.bits:
        view = game.view(game.to_act or 0)
        vector = game.observe(view["seat"])
        chances = part(vector, "chances", num_players)
        if view["card"] == "tap":
            assert chances == [0, 0, 0]
        else:
            assert chances == pytest.approx(chances_by_hand(view), abs=1e-4)
            evidence = np.array(part(vector, "evidence", num_players)).reshape(3, 8)
            assert evidence.sum(axis=1) == pytest.approx(np.ones(3), abs=1e-5)
            compared += 1
        game.step(rng.choice(action_list(game.bits)))
    assert compared > 50


def test_longer_looks_see_better() -> None:
    """What the game is about: the true counts get likelier with every tick."""
    truth = np.zeros(6)
    for seed in range(60):
        game = Game(3, tap_cards=0)
        game.reset(seed)
        for tick in range(6):
            evidence = np.array(part(game.observe(0), "evidence", 3)).reshape(3, 8)
            shown = SHOWN[game.states["card"][0]]
            truth[tick] += np.prod([evidence[symbol, shown[symbol] - 1] for symbol in range(3)])
            for _ in range(3):
                game.step(Action.WAIT)
    assert (np.diff(truth) > 0).all()


def test_settings_can_be_read_from_an_observation() -> None:
    settings = {"tap_cards": 17, "ticks": 11, "blur": 0.234, "moving_numbers": True}
    game = Game(5, **settings)  # type: ignore[arg-type]
    game.reset(1)
    vector = game.observe(2)
    assert observation.num_players_of(vector[None]) == 5 and observation.settings_of(vector) == settings
