"""The engine against the independent plain model: the same chance and actions, every view and all that is hidden."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from pechvogel.tabletop.bits import action_list
from porca_miseria_env import rules
from porca_miseria_env.game import Game
from porca_miseria_env.rules import Phase
from porca_miseria_env.view import view_of
from tests.porca_miseria.plain_model import TAKES, WAIT, PlainGame
from tests.porca_miseria.tables import hidden_of

MAX_CARDS = 60


@dataclass
class Setup:
    num_players: int
    tap_cards: int
    ticks: int
    blur: float
    moving_numbers: bool
    cleverness: float  # how often players take only what is right: games that end
    patience: float  # how often they wait


def random_setup(rng: random.Random) -> Setup:
    return Setup(
        num_players=rng.randint(3, 8),
        tap_cards=rng.choice([0, 9, 9, rng.randint(0, 63), 63]),
        ticks=rng.choice([1, 6, rng.randint(1, 12)]),
        blur=rng.choice([0.0, 0.1, 0.45, rng.uniform(0, 0.45)]),
        moving_numbers=rng.random() < 0.5,
        cleverness=rng.choice([0, 0.9, 1]),
        patience=rng.choice([0, 0.3, 0.8]),
    )


def first_difference(ours: dict[str, Any], theirs: dict[str, Any]) -> str | None:
    for name in theirs:
        if ours[name] != theirs[name]:
            return f"{name}: engine {ours[name]!r}, plain model {theirs[name]!r}"
    return None if ours.keys() == theirs.keys() else f"fields: {sorted(ours.keys() ^ theirs.keys())}"


def chosen(plain: PlainGame, seat: int, setup: Setup, rng: random.Random) -> int:
    legal = plain.legal_actions(seat)
    if rng.random() < setup.patience:
        return WAIT
    if rng.random() < setup.cleverness:
        legal = [action for action in legal if action not in TAKES or plain.is_right(seat, TAKES[action])]
    return rng.choice(legal)


def glances_of(plain: PlainGame, rng: random.Random) -> list[list[int]]:
    """P16, symbol by symbol."""
    assert plain.card is not None and plain.card.counts is not None
    return [
        [
            sum(rng.choices([0, 1, 2], [plain.blur, 1 - 2 * plain.blur, plain.blur], k=count))
            for count in plain.card.counts.values()
        ]
        for _ in range(plain.num_players)
    ]


def loot_of(plain: PlainGame, actions: list[int], order: list[int], rng: random.Random) -> list[int]:
    """As many cards of the pile as right hands will draw."""
    assert plain.card is not None
    if plain.card.is_tap():
        return []
    free, right = list(plain.middle), 0
    for seat in order:
        symbol = TAKES.get(actions[seat])
        if symbol in free:
            free.remove(symbol)
            right += plain.is_right(seat, symbol)
    numbers = [card.number for card in plain.pile]
    return rng.sample(numbers, min(right, len(numbers)))


def compare(where: str, plain: PlainGame, states: rules.States) -> None:
    for seat in range(plain.num_players):
        difference = first_difference(dict(view_of(states, 0, seat)), plain.view(seat))
        assert difference is None, f"{where}, view of {seat}: {difference}"
    difference = first_difference(hidden_of(states), plain.hidden())
    assert difference is None, f"{where}, hidden: {difference}"
    assert plain.count_cards() == 63, where  # cards are never lost


def compare_game(seed: int) -> int:
    """Play one random game on both sides; returns the number of decisions compared."""
    rng = random.Random(seed)
    setup = random_setup(rng)
    settings = (setup.tap_cards, setup.ticks, setup.blur, setup.moving_numbers)
    first_dealer = rng.randrange(setup.num_players)
    plain = PlainGame(setup.num_players, *settings, first_dealer)
    states = rules.new_states(1, setup.num_players, *settings)
    rules.new_game(states, 0, first_dealer)
    decisions, cards = 0, []
    while not plain.over and len(cards) < MAX_CARDS:
        where = f"seed {seed}, {setup}, card {len(cards)}"
        compare(where, plain, states)
        number = rng.choice(plain.pile).number
        cards.append({"card": number, "ticks": []})
        plain.turn_card(number)
        rules.apply_card(states, 0, number)
        while plain.card is not None:
            assert (states["phase"][0] == Phase.TAP) == plain.card.is_tap(), where
            glances: list[list[int]] = []
            if not plain.card.is_tap():
                glances = glances_of(plain, rng)
                plain.glance(glances)
                rules.apply_glances(states, 0, np.array(glances, np.int8))
            compare(where, plain, states)
            actions = []
            for seat in range(setup.num_players):
                legal = action_list(rules.legal_bits(states, 0))
                assert legal == plain.legal_actions(seat), f"{where}: legal actions of {seat} differ"
                decisions += len(legal) > 1
                actions.append(chosen(plain, seat, setup, rng))
                rules.apply(states, 0, actions[-1])
            order = rng.sample(range(setup.num_players), setup.num_players)
            loot = loot_of(plain, actions, order, rng)
            plain.play_tick(actions, order, loot)
            rules.apply_hands(states, 0, np.array(order, np.int8), np.array(loot, np.int8))
            cards[-1]["ticks"].append({"glances": glances, "order": order, "actions": actions, "loot": loot})
        if len(cards) == MAX_CARDS:
            compare(where, plain, states)
    assert (states["phase"][0] == Phase.OVER) == plain.over
    assert [int(rules.score(states, 0, seat)) for seat in range(setup.num_players)] == plain.scores()
    assert int(rules.winners(states, 0)) == sum(1 << seat for seat in plain.winners())
    # The same game once more, as everybody else plays it: by given chance.
    engine = Game(setup.num_players, *settings, skip_forced=False, max_cards=len(cards))
    engine.reset(seed, first_dealer, cards)
    for card in cards:
        for tick in card["ticks"]:
            engine.step_all(tick["actions"], engine.masks())
    assert not engine.bits and first_difference(dict(engine.view(0)), plain.view(0)) is None, f"seed {seed}"
    return decisions


def compare_decisions(at_least: int, first_seed: int) -> None:
    compared, seed = 0, first_seed
    while compared < at_least:
        compared += compare_game(seed)
        seed += 1


def test_engine_agrees_with_the_plain_model() -> None:
    compare_decisions(20_000, first_seed=0)


@pytest.mark.slow
def test_engine_agrees_with_the_plain_model_over_a_million_decisions() -> None:
    compare_decisions(1_000_000, first_seed=1_000_000)


def test_a_difference_is_named() -> None:
    game = PlainGame(3)
    ours, theirs = game.view(0), game.view(0)
    assert first_difference(ours, theirs) is None
    ours["jackpot"] = 1
    assert first_difference(ours, theirs) == "jackpot: engine 1, plain model 0"
