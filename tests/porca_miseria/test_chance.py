"""Chance: a pure function of the seed with the right distributions, or given; single pieces and compiled play agree."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from pechvogel.tabletop.bits import action_list
from porca_miseria_env import chance, rules
from porca_miseria_env.belief import likelihood
from porca_miseria_env.game import Game
from porca_miseria_env.rules import SHOWN, Action
from tests.porca_miseria.tables import Table


def fits(found: Counter[Any], expected: dict[Any, float]) -> bool:
    """Chi-squared within five of its standard deviations, over what is expected at least five times."""
    total = sum(found.values())
    assert set(found) <= set(expected), "what can't be was drawn"
    cells = [(found[key], total * p) for key, p in expected.items() if total * p >= 5]
    squared = sum((seen - wanted) ** 2 / wanted for seen, wanted in cells)
    return abs(squared - (len(cells) - 1)) < 5 * math.sqrt(2 * len(cells))


def by_convolution(count: int, blur: float) -> dict[int, float]:
    """How likely `count` symbols are counted so often (P16), symbol by symbol."""
    chances = {0: 1.0}
    for _ in range(count):
        longer: dict[int, float] = {}
        for glance, p in chances.items():
            for more, q in ((0, blur), (1, 1 - 2 * blur), (2, blur)):
                longer[glance + more] = longer.get(glance + more, 0.0) + p * q
        chances = longer
    return chances


@pytest.mark.parametrize("blur", [0.0, 0.1, 0.25, 0.45])
def test_the_odds_of_glances(blur: float) -> None:
    """P16."""
    table = Table(3, blur=blur)
    for count in range(1, 9):
        expected = by_convolution(count, blur)
        for glance in range(17):
            found = likelihood(table.states[0], count, glance)
            assert found == pytest.approx(expected.get(glance, 0.0), abs=1e-9)
    if blur == 0.1:
        assert likelihood(table.states[0], 8, 8) == pytest.approx(0.3321351, abs=1e-9)
        assert likelihood(table.states[0], 1, 1) == pytest.approx(0.8, abs=1e-9)
    if blur == 0:
        assert likelihood(table.states[0], 8, 8) == 1, "the first glance is the truth"


@pytest.mark.parametrize("blur", [0.1, 0.3])
def test_glances_have_these_odds_and_are_independent(blur: float) -> None:
    """P16."""
    card = next(k for k in range(54) if sorted(SHOWN[k]) == [1, 4, 8])
    rows = []
    for seed in range(2000):
        table = Table(5, blur=blur).turn(card)
        glances = np.zeros((5, 3), np.int8)
        chance.put_glances(table.states, 0, np.uint64(seed), glances)
        rows.append(glances)
    seen = np.array(rows, float)  # (seeds, seats, symbols)
    for symbol in range(3):
        expected = by_convolution(int(SHOWN[card, symbol]), blur)
        assert fits(Counter(seen[:, :, symbol].astype(int).ravel().tolist()), expected)
    correlations = np.corrcoef(seen.reshape(len(seen), -1).T) - np.eye(15)
    assert np.abs(correlations).max() < 5 / math.sqrt(len(seen))


def test_without_blur_everybody_sees_the_truth() -> None:
    """P16."""
    game = Game(4, blur=0.0, max_cards=20)
    game.reset(5)
    while game.bits:
        if game.view(0)["card"] == "symbols":
            for seat in range(4):
                assert game.view(seat)["glances"][-1] == SHOWN[game.states["card"][0]].tolist()
        game.step(Action.WAIT)


@pytest.mark.parametrize("num_players", range(3, 9))
def test_all_orders_of_hands_are_equally_likely(num_players: int) -> None:
    """P14."""
    orders = [
        tuple(chance.order_of(seed, turn, tick, num_players))
        for seed in range(200)
        for turn in range(5)
        for tick in range(4)
    ]
    assert all(sorted(order) == list(range(num_players)) for order in orders)
    if num_players <= 5:
        every = list(itertools.permutations(range(num_players)))
        assert fits(Counter(orders), {order: 1 / len(every) for order in every})
    pairs = list(itertools.permutations(range(num_players), 2))
    for first, second in ((0, 1), (0, num_players - 1), (num_players - 2, num_players - 1)):
        found = Counter((order[first], order[second]) for order in orders)
        assert fits(found, {pair: 1 / len(pairs) for pair in pairs})


def test_cards_and_loot_are_drawn_evenly_from_the_pile() -> None:
    """P18."""
    states = rules.new_states(1, 3)
    rules.new_game(states, 0, 0)
    turned = Counter(int(chance.card_of(states, 0, np.uint64(seed))) for seed in range(6000))
    assert fits(turned, dict.fromkeys(range(63), 1 / 63))
    pile = [0, 3, 7, 20, 40, 61, 62]
    bits = sum(1 << card for card in pile)
    keys = [np.uint64(chance.tick_key(np.uint64(seed), 2, 1)) for seed in range(3000)]
    for seat in (0, 7):
        loot = Counter(int(chance.loot_of(bits, key, seat)) for key in keys)
        assert fits(loot, dict.fromkeys(pile, 1 / 7))
    first = [int(chance.loot_of(bits, key, 0)) for key in keys]
    second = [int(chance.loot_of(bits, key, 1)) for key in keys]
    assert fits(Counter(zip(first, second, strict=True)), dict.fromkeys(itertools.product(pile, pile), 1 / 49))


def test_chance_is_a_pure_function_of_seed_card_tick_and_player() -> None:
    """P18: Whatever happened before: the same pile, card number and tick give the same."""
    one, other = Table(4, first_dealer=0).turn(5), Table(4, first_dealer=3).turn(5)
    one.tick(*[Action.WAIT] * 4)
    other.tick(*[Action.WAIT] * 4)
    other.states["loot"][0, 0] = 3
    glances = [np.zeros((4, 3), np.int8) for _ in range(3)]
    chance.put_glances(one.states, 0, np.uint64(9), glances[0])
    chance.put_glances(other.states, 0, np.uint64(9), glances[1])
    chance.put_glances(other.states, 0, np.uint64(10), glances[2])
    assert (glances[0] == glances[1]).all() and (glances[0] != glances[2]).any()
    assert chance.order_of(7, 3, 1, 8) == chance.order_of(7, 3, 1, 8)
    assert len({tuple(chance.order_of(7, turn, tick, 8)) for turn in range(9) for tick in range(9)}) == 81


MASK, G = 2**64 - 1, 0x9E3779B97F4A7C15


def mix(x: int) -> int:
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def test_seeded_chance_is_as_it_is_described() -> None:
    """Fixed for v0: the formulas of `chance.py`, once more."""
    for seed in (0, 7, MASK):
        game = played(Game(5, max_cards=6, keep_chance=True), seed)
        pile = list(range(63))
        for number, card in enumerate(game.cards[:1]):
            card_key = mix((seed + (number + 1) * G) & MASK)
            assert card["card"] == pile.pop(len(pile) * (card_key >> 32) >> 32)
            for tick, told in enumerate(card["ticks"]):
                tick_key = mix((card_key + (tick + 1) * G) & MASK)
                left, order, x = list(range(5)), [], tick_key >> 32
                while left:
                    x = tick_key & 0xFFFFFFFF if len(order) == 4 else x
                    x *= len(left)
                    order.append(left.pop(x >> 32))
                    x &= 0xFFFFFFFF
                assert told["order"] == order
                for seat, glance in enumerate(told["glances"]):
                    eyes = mix((tick_key + (2 * seat + 1) * G) & MASK)
                    hand = mix((tick_key + (2 * seat + 2) * G) & MASK)
                    words = (eyes >> 33, eyes & 0x7FFFFFFF, hand & 0x7FFFFFFF)
                    for symbol, word in enumerate(words):
                        odds = by_convolution(int(SHOWN[card["card"], symbol]), 0.1)
                        up_to = [sum(p for g, p in odds.items() if g <= most) for most in range(17)]
                        assert glance[symbol] == next(g for g in range(17) if word < up_to[g] * 2**31)
                winners = [seat for seat in order if told["actions"][seat]]
                if told["loot"]:
                    hands = {seat: mix((tick_key + (2 * seat + 2) * G) & MASK) >> 32 for seat in winners}
                    assert told["loot"][0] in {pile[len(pile) * word >> 32] for word in hands.values()}
                for loot in told["loot"]:
                    pile.remove(loot)


def played(game: Game, seed: int, **options: Any) -> Game:
    rng = random.Random(seed)
    game.reset(seed, **options)
    while game.bits:
        game.step(rng.choice(action_list(game.bits)))
    return game


@pytest.mark.parametrize("num_players", [3, 5, 8])
def test_piece_by_piece_it_is_what_compiled_play_draws(num_players: int) -> None:
    for seed in range(4):
        settings = {"num_players": num_players, "max_cards": 40, "moving_numbers": seed % 2 == 1}
        fast, slow = played(Game(**settings), seed), played(Game(**settings, keep_chance=True), seed)
        assert fast.states.tobytes() == slow.states.tobytes() and fast.actions == slow.actions
        given = played(Game(**settings), seed, first_dealer=fast.first_player, cards=slow.cards)
        assert given.states.tobytes() == fast.states.tobytes()
        assert len(slow.cards) == fast.states["turn"][0]


def test_given_chance_is_used_while_it_lasts() -> None:
    game = Game(3, keep_chance=True)
    tick = {"glances": [[1, 4, 2], [0, 8, 1], [2, 3, 4]], "order": [2, 0, 1], "loot": [33]}
    game.reset(3, 0, [{"card": 1, "ticks": [tick]}, {"card": 62}, {"card": 1, "ticks": []}])
    assert [game.view(seat)["glances"] for seat in range(3)] == [[[1, 4, 2]], [[0, 8, 1]], [[2, 3, 4]]]
    for action in (Action.WAIT, Action.WAIT, Action.PIG):  # 3+6: any is right
        game.step(action)
    assert game.view(0)["loot"] == [0, 0, 1] and game.states["tops"][0, 2] == 33
    while game.states["turn"][0] < 1:
        game.step(Action.WAIT)
    assert game.view(1)["card"] == "tap" and game.view(1)["turned"] == [{"card": 1, "shows": [1, 4, 2]}]
    while game.states["turn"][0] < 2:
        game.step(Action.WAIT)
    assert game.cards[2]["card"] != 1, "that card is in the jackpot: the seed decides"


def test_given_chance_that_does_not_fit_is_left_to_the_seed() -> None:
    seeded = played(Game(3, max_cards=3, keep_chance=True), 4)
    impossible = [{"card": card["card"], "ticks": [{"glances": [[16] * 3] * 3}] * 6} for card in seeded.cards]
    given = played(Game(3, max_cards=3, keep_chance=True), 4, cards=impossible)
    assert given.cards == seeded.cards


@pytest.mark.parametrize(
    ("cards", "sentence"),
    [
        ("cards", "chance must be a list of cards"),
        ({"card": 1}, "chance must be a list of cards"),
        (5, "chance must be a list of cards"),
        ([5], r"chance\[0\] must be an object"),
        ([{"card": 63}], r"chance\[0\].card must be from -1 to 62"),
        ([{"card": 1, "ticks": 3}], r"chance\[0\].ticks must be a list"),
        ([{"card": 1, "ticks": [{}] * 13}], r"chance\[0\].ticks must be a list of up to 12"),
        ([{}, {"card": 1, "ticks": ["x"]}], r"chance\[1\].ticks\[0\] must be an object"),
        ([{"ticks": [{"glances": [[1, 1, 1]]}]}], "a glance for each of 3 seats"),
        ([{"ticks": [{"glances": [[1, 1], [1, 1], [1, 1]]}]}], "glances must be a list of 3 whole numbers"),
        ([{"ticks": [{"glances": 5}]}], "glances must be a list of 3 whole numbers"),
        ([{"ticks": [{"glances": [[17, 0, 0]] * 3}]}], "glances must be from 0 to 16"),
        ([{"ticks": [{"order": [0, 1, 1]}]}], "order must have every seat once"),
        ([{"ticks": [{"order": [0, 1, 3]}]}], "order must be from 0 to 2"),
        ([{"ticks": [{"loot": [63]}]}], "loot must be from 0 to 62"),
        ([{"ticks": [{"loot": 3}]}], "loot must be a list"),
    ],
)
def test_given_chance_that_can_be_none(cards: Any, sentence: str) -> None:
    game = Game(3)
    game.reset(1)
    before = game.states.tobytes(), game.seed
    with pytest.raises(ValueError, match=sentence):
        game.reset(2, 0, cards)
    assert (game.states.tobytes(), game.seed) == before
