"""The rules, number by number."""

from __future__ import annotations

import random

import numpy as np
import pytest

from pechvogel.tabletop.bits import action_list
from porca_miseria_env import rules
from porca_miseria_env.game import Game
from porca_miseria_env.rules import NUMBERS, SHOWN, Action, Phase
from porca_miseria_env.view import view_of
from tests.porca_miseria.tables import Table, bits_of, card_showing, hidden_of

WAIT, MUSHROOM, PIG, SWEEP, TAP = Action
TAP_CARD = 62  # the last one


def is_right(table: Table, seat: int) -> list[bool]:
    """Whether a seat may take mushroom, pig and sweep."""
    return [bool(rules.is_right(table.states[0], seat, symbol)) for symbol in range(3)]


# ------------------------------------------------------------------------------------------------ cards and numbers


def test_the_cards() -> None:
    """P1, P2."""
    assert SHOWN.shape == (63, 3) and len({tuple(card) for card in SHOWN.tolist()}) == 63
    assert all(len(set(card)) == 3 and 1 <= min(card) <= max(card) <= 8 for card in SHOWN.tolist())
    assert SHOWN[0].tolist() == [1, 2, 3] and SHOWN[1].tolist() == [1, 4, 2] and SHOWN[2].tolist() == [2, 1, 5]
    assert SHOWN[55].tolist() == [6, 8, 7]  # set {6, 7, 8}, order 021
    assert SHOWN[56].tolist() == [2, 3, 1]  # set {1, 2, 3} once more, in the order number (56 + 1) mod 6 = 3: 120
    table = Table(tap_cards=9)
    assert [bool(rules.is_tap(table.states[0], card)) for card in (0, 53, 54, 62)] == [False, False, True, True]
    assert [int(rules.tap_symbol(table.states[0], card)) for card in (54, 55, 56, 57)] == [0, 1, 2, 0]
    for tap_cards in (0, 63):
        assert rules.is_tap(Table(tap_cards=tap_cards).states[0], 62) == (tap_cards == 63)
    assert bits_of(int(table.states["pile"][0])) == list(range(63)) and table.hidden()["jackpot"] == []


@pytest.mark.parametrize("num_players", range(3, 9))
def test_each_number_has_one_owner(num_players: int) -> None:
    """P3."""
    owned = [number for place in range(num_players) for number in bits_of(int(NUMBERS[num_players, place]))]
    assert sorted(owned) == list(range(1, 9))
    for card in range(63):
        table = Table(num_players, tap_cards=0).turn(card)
        for symbol in range(3):
            owners = [seat for seat in range(num_players) if is_right(table, seat)[symbol]]
            free = [seat for seat in range(num_players) if all(is_right(table, seat))]
            assert len(set(owners) - set(free)) <= 1
        assert sum(sum(is_right(table, seat)) for seat in range(num_players)) >= 3


def test_numbers_start_with_the_first_dealer_and_may_move() -> None:
    """P3, P4."""
    for moving in (False, True):
        table = Table(3, first_dealer=1, moving_numbers=moving, ticks=1)
        assert view_of(table.states, 0, 0)["lucky_numbers"] == [[3, 6], [1, 4, 7], [2, 5, 8]]
        table.turn(0).tick(WAIT, WAIT, WAIT)
        view = view_of(table.states, 0, 0)
        assert view["dealer"] == 2
        assert view["lucky_numbers"] == ([[2, 5, 8], [3, 6], [1, 4, 7]] if moving else [[3, 6], [1, 4, 7], [2, 5, 8]])


# ------------------------------------------------------------------------------------------------ symbol cards


def test_y1() -> None:
    """P5."""
    table = Table(8, tap_cards=0)
    card = next(k for k in range(63) if sorted(SHOWN[k]) == [3, 4, 6])
    table.turn(card)
    for seat in range(8):
        expected = [SHOWN[card, symbol] == seat + 1 for symbol in range(3)] if seat + 1 in (3, 4, 6) else [True] * 3
        assert is_right(table, seat) == expected


def test_y2_and_y3() -> None:
    """P5."""
    for card in range(63):
        counts = SHOWN[card].tolist()
        for numbers in ([1, 5], [3, 7]):
            bits = sum(1 << number for number in numbers)
            expected = [count in numbers for count in counts] if set(counts) & set(numbers) else [True] * 3
            assert [bool(rules.may_take(bits, card, symbol)) for symbol in range(3)] == expected
    y2 = next(k for k in range(63) if sorted(SHOWN[k]) == [1, 3, 5])
    assert [bool(rules.may_take(1 << 1 | 1 << 5, y2, symbol)) for symbol in range(3)] == [c != 3 for c in SHOWN[y2]]


def test_the_first_hand_gets_a_lucky_card_and_the_others_nothing() -> None:
    """P6, P14."""
    card = card_showing(1, 4, 2)  # seats 0 (1+5), 1 (2+6), 2 (3+7), 3 (4+8)
    table = Table(4).turn(card).tick(MUSHROOM, MUSHROOM, MUSHROOM, WAIT, order=[1, 2, 0, 3])
    view = view_of(table.states, 0, 3)
    assert view["taken"] == [[1, "mushroom", False]] and view["middle"] == ["pig", "sweep"]
    assert table.loot == [0, 0, 0, 0]
    table.tick(WAIT, SWEEP, WAIT, PIG, order=[3, 0, 1, 2], loot=[10, 20])  # P7; a player may take several
    assert table.loot == [0, 1, 0, 1] and table.hidden()["loot"] == [[], [20], [], [10]]
    assert table.phase == Phase.CARD and table.hidden()["jackpot"] == [card]  # P8, P15


def test_a_wrong_hand_costs_three_cards_from_the_top() -> None:
    """P7."""
    table = Table(4, ticks=1)
    free = [k for k in range(54) if not {3, 7} & set(SHOWN[k].tolist())]  # Y3: all are right for seat 2
    for k, loot in enumerate((40, 50, 30, 20, 45)):
        table.turn(free[k]).tick(WAIT, WAIT, PIG, WAIT, loot=[loot])
    assert table.hidden()["loot"][2] == [40, 50, 30, 20, 45] and len(table.hidden()["jackpot"]) == 5
    wrong, another = card_showing(3, 1, 6), card_showing(7, 1, 2)
    table.turn(wrong).tick(WAIT, WAIT, PIG, WAIT)
    # Together, the lower number is the older one; then the jackpot is cut to five (P9), and the oldest go back.
    assert table.hidden()["loot"][2] == [40, 50]
    assert table.hidden()["jackpot"] == [free[4], 20, 30, 45, wrong]
    assert set(free[:4]) <= set(table.hidden()["pile"])
    table.turn(another).tick(WAIT, WAIT, PIG, WAIT)  # who has fewer gives all
    assert table.loot == [0, 0, 0, 0]


def test_cards_that_are_followed() -> None:
    """P17."""
    table = Table(3, ticks=1)
    table.turn(0).tick(WAIT, WAIT, WAIT).turn(1).tick(WAIT, WAIT, WAIT)
    assert view_of(table.states, 0, 0)["elsewhere"] == [0, 1]
    table.turn(TAP_CARD).tick(WAIT, TAP, WAIT)  # seat 1 wins all: 0, 1, 62, in this order
    assert table.hidden()["loot"][1] == [0, 1, TAP_CARD] and view_of(table.states, 0, 0)["elsewhere"] == [0, 1, 62]
    free = next(k for k in range(2, 54) if not {2, 5, 8} & set(SHOWN[k].tolist()))
    table.turn(free).tick(WAIT, PIG, WAIT, loot=[33])
    wrong = next(
        k for k in range(2, 54) if k not in (free, 33) and SHOWN[k, 0] in (2, 5, 8) and SHOWN[k, 1] not in (2, 5, 8)
    )
    table.turn(wrong).tick(WAIT, PIG, WAIT)  # loses 33, 62, 1: nobody can tell which of them is where
    assert table.hidden()["jackpot"] == [free, 1, 33, TAP_CARD, wrong]
    assert view_of(table.states, 0, 0)["elsewhere"] == sorted([0, free, wrong])
    assert [face["card"] for face in view_of(table.states, 0, 2)["turned"]] == [0, 1, TAP_CARD, free, wrong]


def test_a_symbol_card_ends_when_all_are_taken_or_after_the_last_tick() -> None:
    """P13, P15."""
    table = Table(3, ticks=2).turn(0)
    table.tick(WAIT, WAIT, WAIT)
    assert table.phase == Phase.GLANCES and table.states["tick"][0] == 1
    table.tick(WAIT, WAIT, WAIT)
    assert table.phase == Phase.CARD and table.states["turn"][0] == 1
    table.turn(card_showing(1, 4, 2)).tick(MUSHROOM, SWEEP, PIG, loot=[50, 51, 52])
    assert table.phase == Phase.CARD and table.states["turn"][0] == 2
    assert action_list(int(rules.legal_bits(table.states, 0))) == []


def test_the_jackpot_keeps_the_five_youngest() -> None:
    """P8, P9."""
    table = Table(3, ticks=1)
    for card in (7, 3, 50, 20, 1, 30, 9):
        table.turn(card).tick(WAIT, WAIT, WAIT)
    assert table.hidden()["jackpot"] == [50, 20, 1, 30, 9] and {3, 7} <= set(table.hidden()["pile"])


# ------------------------------------------------------------------------------------------------ tap cards


def taps(*ticks: list[int], num_players: int = 3, limit: int = 12) -> Table:
    """A tap card after one symbol card: in each tick these seats tap, in this order."""
    table = Table(num_players, ticks=limit).turn(5)
    while table.phase != Phase.CARD:
        table.tick(*[WAIT] * num_players)
    table.turn(TAP_CARD)
    for seats in ticks:
        actions = [TAP if seat in seats else WAIT for seat in range(num_players)]
        table.tick(*actions, order=[*seats, *[seat for seat in range(num_players) if seat not in seats]])
    return table


A, B, C = 0, 1, 2


def test_y4() -> None:
    """P10."""
    sandwich = taps([A], [B], [A])
    assert sandwich.loot == [2, 0, 0] and sandwich.hidden()["loot"][A] == [5, TAP_CARD]
    assert sandwich.hidden()["jackpot"] == [] and sandwich.phase == Phase.CARD
    lowest = taps([A], [A], [B])
    assert lowest.phase == Phase.TAP and lowest.loot == [0, 0, 0], "no sandwich, and somebody may go on"
    assert lowest.tick(WAIT, WAIT, WAIT).loot == [2, 0, 0]
    assert taps([B, A, C], [A]).loot == [2, 0, 0]
    assert taps([B, A], [C, A, B]).loot == [2, 0, 0], "a hand after the sandwich does nothing (P14)"
    assert taps([B, A], [C, B, A]).loot == [0, 2, 0]


def test_two_hands_at_the_most() -> None:
    """P10, P13."""
    table = taps([A], [A])
    assert action_list(int(rules.legal_bits(table.states, 0))) == [WAIT]
    rules.apply(table.states, 0, WAIT)
    assert action_list(int(rules.legal_bits(table.states, 0))) == [WAIT, TAP]


def test_when_a_tap_card_ends() -> None:
    """P10, P15."""
    assert taps([], []).phase == Phase.TAP, "nobody has a hand there: it goes on"
    assert taps([], [B], []).loot == [0, 2, 0], "the lowest hand wins when nobody goes on"
    assert taps([], [B], [C, A], limit=3).loot == [0, 2, 0], "or after the last tick"
    nobody = taps([], limit=1)
    assert nobody.loot == [0, 0, 0] and nobody.hidden()["jackpot"] == [5, TAP_CARD]


# ------------------------------------------------------------------------------------------------ the end


def nearly_empty(pile: list[int], num_players: int = 3) -> Table:
    """A game of which only some cards are left in the pile; the others are loot of seat 2."""
    table = Table(num_players, ticks=2)
    table.states["pile"][0] = sum(1 << card for card in pile)
    below = -1
    for card in range(63):
        if card not in pile:
            table.states["below"][0, card] = below
            below = card
    table.states["tops"][0, 2] = below
    table.states["loot"][0, 2] = 63 - len(pile)
    return table


def test_the_game_ends_when_the_pile_cannot_pay() -> None:
    """P11, P12."""
    card = card_showing(1, 4, 2)  # seat 0 (1+4+7): mushroom, pig; seat 1 (2+5+8): sweep; seat 2 (3+6): any
    table = nearly_empty([card, 40]).turn(card).tick(PIG, WAIT, WAIT, loot=[40])
    assert table.phase == Phase.GLANCES, "it could pay, though nothing is left"
    table.tick(WAIT, SWEEP, MUSHROOM, order=[2, 1, 0])
    assert table.phase == Phase.OVER
    view = view_of(table.states, 0, 0)
    assert view["loot"] == [1, 1, 62] and view["middle"] == ["pig"] and view["dealer"] == 1
    assert table.hidden()["jackpot"] == [card] and table.hidden()["lucky"] == [0, 1, 1]
    assert view["taken"] == [] and view["card"] is None
    assert rules.winners(table.states, 0) == 1 << 2


def test_the_jackpot_is_not_cut_at_the_end() -> None:
    """P11."""
    card = card_showing(1, 4, 2)
    table = nearly_empty([card]).turn(card).tick(MUSHROOM, PIG, WAIT)
    assert table.phase == Phase.OVER and table.loot == [1, 0, 62]
    table = nearly_empty([card])
    table.states["num_jackpot"][0] = 7  # as wrong hands would have made it
    table.states["jackpot"][0, :7] = [50, 51, 52, 53, 54, 55, 56]
    table.turn(card).tick(MUSHROOM, WAIT, WAIT)
    assert table.phase == Phase.OVER and table.states["num_jackpot"][0] == 8 and table.states["pile"][0] == 0


def test_the_game_ends_when_nothing_is_left_to_turn() -> None:
    """P11."""
    card = card_showing(1, 4, 2)
    table = nearly_empty([card]).turn(card).tick(WAIT, WAIT, WAIT).tick(WAIT, WAIT, WAIT)
    assert table.phase == Phase.OVER and table.hidden()["jackpot"] == [card] and table.states["turn"][0] == 1
    six = nearly_empty([card])
    six.states["num_jackpot"][0], six.states["jackpot"][0, :5] = 5, [50, 51, 52, 53, 54]
    six.turn(card).tick(WAIT, WAIT, WAIT).tick(WAIT, WAIT, WAIT)
    assert six.phase == Phase.CARD and bits_of(int(six.states["pile"][0])) == [50]


def test_several_share_the_win() -> None:
    """P12."""
    table = Table(4)
    table.states["loot"][0, :4] = [7, 9, 9, 2]
    assert int(rules.winners(table.states, 0)) == 0b0110
    out = np.zeros((1, 4))
    rules.write_win_rewards(table.states, 0, out, 0)
    assert out[0] == pytest.approx([-1 / 3, 1 / 3, 1 / 3, -1 / 3])
    rules.write_score_rewards(table.states, 0, out, 0)
    assert out[0] == pytest.approx([7 - 20 / 3, 3, 3, 2 - 25 / 3])


# ------------------------------------------------------------------------------------------------ always


@pytest.mark.parametrize("num_players", range(3, 9))
def test_cards_are_never_lost(num_players: int) -> None:
    rng = random.Random(num_players)
    for seed in range(4):
        game = Game(num_players, tap_cards=[9, 0, 30, 63][seed], max_cards=60)
        game.reset(seed)
        while game.bits:
            hidden = hidden_of(game.states)
            cards = [*hidden["pile"], *hidden["jackpot"], *[card for stack in hidden["loot"] for card in stack]]
            assert sorted([*cards, hidden["card"]]) == list(range(63))
            stacks = [len(stack) + lucky for stack, lucky in zip(hidden["loot"], hidden["lucky"], strict=True)]
            assert game.states["loot"][0, :num_players].tolist() == stacks
            known = set(bits_of(int(game.states["known"][0])))
            assert not known & {*hidden["pile"], hidden["card"]}
            assert len(action_list(game.bits)) <= 4
            game.step(rng.choice(action_list(game.bits)))


def test_what_is_not_due_is_refused_and_changes_nothing() -> None:
    """P18."""
    table = Table(3)
    order, none = np.arange(3, dtype=np.int8), np.empty(0, np.int8)

    def refused(call: object, sentence: str) -> None:
        assert callable(call)
        before = table.states.tobytes()
        with pytest.raises(ValueError, match=sentence):
            call()
        assert table.states.tobytes() == before

    refused(lambda: rules.apply(table.states, 0, WAIT), "illegal")
    refused(lambda: rules.apply_glances(table.states, 0, np.ones((3, 3), np.int8)), "none are due")
    refused(lambda: rules.apply_hands(table.states, 0, order, none), "no hands are due")
    for card in (-1, 63, 1.5, True, None):
        refused(lambda card=card: rules.apply_card(table.states, 0, card), "card must be")
    table.turn(0)
    refused(lambda: rules.apply_card(table.states, 0, 1), "can't be turned now")
    for glances in (np.ones((2, 3), np.int8), np.ones((3, 2), np.int8), np.ones(3, np.int8), [[1, 1, 1]] * 3):
        refused(lambda glances=glances: rules.apply_glances(table.states, 0, glances), "glance")
    for wrong in (-1, 3):
        refused(
            lambda wrong=wrong: rules.apply_glances(table.states, 0, np.full((3, 3), wrong, np.int8)), "at most twice"
        )
    rules.apply_glances(table.states, 0, np.ones((3, 3), np.int8))
    for action in (-1, 4, 5, 63, "pig", None, True, 1.0):
        refused(lambda action=action: rules.apply(table.states, 0, action), "illegal")
    for action in (MUSHROOM, WAIT, WAIT):
        rules.apply(table.states, 0, action)
    for wrong_order in ([0, 1], [0, 1, 1], [0, 1, 3], [0, 1, -1]):
        refused(
            lambda o=wrong_order: rules.apply_hands(table.states, 0, np.array(o, np.int8), np.array([5], np.int8)),
            "no order of all seats",
        )
    for loot in ([], [0], [5, 6], [63], [-1]):
        refused(lambda loot=loot: rules.apply_hands(table.states, 0, order, np.array(loot, np.int8)), "not the loot")
    rules.apply_hands(table.states, 0, order, np.array([5], np.int8))
    assert table.loot == [1, 0, 0]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"num_players": 2}, "num_players must be from 3 to 8, not 2"),
        ({"num_players": 9}, "num_players must be from 3 to 8, not 9"),
        ({"tap_cards": 64}, "tap_cards must be from 0 to 63"),
        ({"tap_cards": -1}, "tap_cards must be from 0 to 63"),
        ({"ticks": 0}, "ticks must be from 1 to 12"),
        ({"ticks": 13}, "ticks must be from 1 to 12"),
        ({"blur": 0.46}, "blur must be from 0 to 0.45"),
        ({"blur": float("nan")}, "blur must be from 0 to 0.45"),
        ({"blur": "much"}, "blur must be a number"),
        ({"moving_numbers": 1}, "moving_numbers must be True or False"),
    ],
)
def test_settings_that_no_game_can_have(settings: dict, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        rules.new_states(1, **{"num_players": 3, **settings})
    with pytest.raises(ValueError, match=sentence):
        Game(**settings)
