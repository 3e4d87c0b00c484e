"""What a seat may know, and that it is shown nothing else, whatever it is handed."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from pechvogel.tabletop.bits import action_list
from porca_miseria_env import observation, porca_miseria_v0, rules
from porca_miseria_env.batch import Batch, Buffers
from porca_miseria_env.game import Game
from porca_miseria_env.rules import MAX_TICKS, NO_CARD, NUM_CARDS, SHOWN, Phase, States
from porca_miseria_env.view import observe, view_of
from tests.porca_miseria.tables import bits_of


def situations(games: int = 12) -> Iterator[Game]:
    """Games in which some have chosen and some have not, over all numbers of players and settings."""
    for seed in range(games):
        rng = random.Random(seed)
        settings = {"tap_cards": rng.choice([0, 9, 25]), "ticks": rng.randint(2, 12), "moving_numbers": seed % 2 == 1}
        game = Game(3 + seed % 6, blur=rng.choice([0.1, 0.3]), skip_forced=False, max_cards=25, **settings)
        game.reset(seed)
        while game.bits:
            if rng.random() < 0.02:
                yield game
            game.step(rng.choice(action_list(game.bits)))


def scrambled(states: States, seat: int, rng: np.random.Generator) -> States:
    """The same game with everything else where `seat` must not know it, as far as it agrees with what it knows."""
    other = states.copy()
    s = other.view(np.recarray)[0]
    n, tick, symbol_cards = int(s.num_players), int(s.tick), NUM_CARDS - int(s.tap_cards)
    # Which cards are where: all but those that everybody can follow, and the tap card that lies there.
    fixed = set(bits_of(int(s.known))) | ({int(s.card)} if s.card >= symbol_cards else set())
    free = [card for card in range(NUM_CARDS) if card not in fixed]
    number = np.arange(NUM_CARDS)
    number[free] = rng.permutation(free)
    if 0 <= s.card < symbol_cards:  # the card that lies there: what its hands and own glances allow
        own = s.glances[: tick + 1, seat]
        hands = [
            (int(rules.numbers_of(states[0], int(s.takers[k]))), int(s.taken[k]), bool(s.right[k]))
            for k in range(s.num_taken)
        ]
        possible = [
            card
            for card in free
            if card < symbol_cards
            and (own <= 2 * SHOWN[card]).all()
            and all(bool(rules.may_take(numbers, card, symbol)) == right for numbers, symbol, right in hands)
        ]
        wanted = int(rng.choice(possible))
        there = int(np.flatnonzero(number == wanted)[0])
        number[there], number[int(s.card)] = number[int(s.card)], wanted
        s.card = wanted
    renamed = lambda card: NO_CARD if card == NO_CARD else int(number[card])  # noqa: E731
    s.pile = sum(1 << renamed(card) for card in bits_of(int(states["pile"][0])))
    for k in range(s.num_jackpot):
        s.jackpot[k] = renamed(states["jackpot"][0, k])
    for card in range(NUM_CARDS):
        s.below[renamed(card)] = renamed(states["below"][0, card])
    for player in range(n):
        s.tops[player] = renamed(states["tops"][0, player])
    # Others' glances and choices; and whatever lies around from before.
    for player in range(8):
        if player != seat:
            s.glances[:, player] = rng.integers(0, 17, (MAX_TICKS, 3))
            s.choices[player] = rng.integers(0, 5)
    s.glances[tick + 1 :] = rng.integers(0, 17, (MAX_TICKS - tick - 1, 8, 3))
    s.to_act = rng.integers(0, n)
    s.jackpot[s.num_jackpot :] = rng.integers(0, NUM_CARDS, len(s.jackpot) - s.num_jackpot)
    s.hands[s.num_hands :] = rng.integers(0, n, len(s.hands) - s.num_hands)
    s.takers[s.num_taken :], s.taken[s.num_taken :] = 0, rng.integers(0, 3)
    return other


def observed(states: States, seat: int) -> bytes:
    out = np.empty((1, observation.size(int(states["num_players"][0]))), np.float32)
    observation.observe(states, np.zeros(1, np.int64), 0, 1, np.array([seat], np.int8), out)
    return out.tobytes()


def leaks(show: Callable[[States, int], Any], times: int = 3) -> bool:
    """Whether something depends on what the seat must not know."""
    rng = np.random.default_rng(1)
    for game in situations():
        for seat in range(game.num_players):
            shown = show(game.states, seat)
            for _ in range(times):
                if show(scrambled(game.states, seat, rng), seat) != shown:
                    return True
    return False


def test_nobody_is_shown_what_they_must_not_know() -> None:
    """P16, P17."""
    assert not leaks(lambda states, seat: (json.dumps(view_of(states, 0, seat)), observed(states, seat)))


@pytest.mark.parametrize("hidden", ["card", "pile", "jackpot", "below", "tops", "glances", "choices"])
def test_one_hidden_field_would_be_noticed(hidden: str) -> None:
    def show(states: States, seat: int) -> str:
        return json.dumps({**view_of(states, 0, seat), "leak": states[hidden][0].tolist()})

    assert leaks(show, times=1)


def test_a_single_hidden_number_would_be_noticed() -> None:
    """Also what is hardest to see: one glance of one neighbour, what the card shows of one symbol."""
    others: list[Callable[[States, int], Any]] = [
        lambda states, seat: int(states["glances"][0, states["tick"][0], (seat + 1) % 3, 0]),
        lambda states, seat: int(SHOWN[states["card"][0], 2]) if states["phase"][0] == Phase.SYMBOLS else 0,
        lambda states, seat: int(states["choices"][0, (seat + 1) % 3]),
        lambda states, seat: int(states["pile"][0]) & 1,
    ]
    for show in others:
        assert leaks(
            lambda states, seat, show=show: (json.dumps(view_of(states, 0, seat)), show(states, seat)), times=1
        )


def test_what_is_known_of_cards_does_not_depend_on_unknown_ones() -> None:
    """P17: two games with other loot, but the same that everybody sees: the same can be told of all cards then."""
    known = []
    for drawn in (33, 7):
        game = Game(3, ticks=1, tap_cards=9, keep_chance=True)
        take = {"order": [0, 1, 2], "loot": [drawn]}
        game.reset(1, 0, [{"card": 0}, {"card": 62}, {"card": 1, "ticks": [take]}, {"card": 3}, {"card": 5}])
        actions = [[0, 0, 0], [0, 0, 4], [0, 0, 2], [0, 0, 1], [0, 0, 0]]  # seat 2 (3+6) wins 0 and 62, then loot
        for tick in actions[:3]:
            for action in tick:
                game.step(action)
        assert game.view(0)["loot"] == [0, 0, 3]
        for action in actions[3]:
            game.step(action)
        known.append(game.view(1)["elsewhere"])
    assert known[0] == known[1]


def test_an_observation_is_a_function_of_the_view() -> None:
    for game in situations(12):
        for seat in range(game.num_players):
            assert observe(game.view(seat)).tobytes() == observed(game.states, seat) == game.observe(seat).tobytes()
            assert game.view(seat).states().tobytes() == observed(game.states, seat)


def test_a_view_is_json_with_all_its_fields() -> None:
    game = Game(3)
    game.reset(7)
    view = game.view(1)
    assert json.loads(json.dumps(view)) == view
    assert list(view) == [
        "game", "num_players", "settings", "seat", "dealer", "lucky_numbers", "card", "symbol", "tick", "glances",
        "middle", "hands", "taken", "loot", "pile", "jackpot", "turned", "elsewhere",
    ]  # fmt: skip
    assert view["settings"] == {"tap_cards": 9, "ticks": 6, "blur": 0.1, "moving_numbers": False}
    for seat in (-1, 3, True, None):
        with pytest.raises(ValueError, match="seat must be"):
            game.view(seat)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="there is no game yet"):
        Game(3).view(0)


def test_nothing_that_agents_are_handed_has_states() -> None:
    batch = Batch(Buffers.allocate(4, 3), num_players=3)
    games = np.arange(4)
    assert (batch.shown(games) == batch.buffers.observations).all() and batch.shown(games).dtype == np.float32
    assert batch.view(2, 1) == view_of(batch.states, 2, 1)
    env = porca_miseria_v0.raw_env()
    env.reset(seed=1)
    assert env.view(1) == env._game.view(1)


def test_the_choices_of_a_tick_stay_hidden_until_all_have_chosen() -> None:
    """P13."""
    env = porca_miseria_v0.raw_env(num_players=4)
    env.reset(seed=3)
    before = [(env.view(seat), env.observe(agent)["observation"].tobytes()) for seat, agent in enumerate(env.agents)]
    for seat, action in enumerate((1, 2, 3)):
        assert env.agent_selection == f"player_{seat}"
        env.step(action)
        now = [(env.view(s), env.observe(agent)["observation"].tobytes()) for s, agent in enumerate(env.agents)]
        assert now == before
    env.step(0)
    assert env.view(0) != before[0][0]


def test_a_long_game_keeps_the_last_cards() -> None:
    game = Game(3, ticks=1, max_cards=300)
    game.reset(1)
    while game.bits:
        game.step(0)
    assert len(game.view(0)["turned"]) == 256 and game.states["turn"][0] == 300
