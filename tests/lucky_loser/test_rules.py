"""The rules, one by one, by their numbers; the examples X1 to X4."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from lucky_loser_env import rules
from lucky_loser_env.game import Game
from lucky_loser_env.position import Position
from lucky_loser_env.rules import ACTION_OF, CHIPS, GROUPS
from pechvogel.tabletop.bits import action_list

FREE = [0] * 6


def started(dice: list[int], *players: dict[str, Any], num_players: int = 2, **more: Any) -> Game:
    """A game in which player 0 has thrown; players from the first seat on, as far as they matter."""
    settings = {name: more.pop(name) for name in ("row_lengths", "max_turns") if name in more}
    game = Game(num_players, skip_forced=False, **settings)
    filled = [*players, *({} for _ in range(num_players - len(players)))]
    game.reset(1, 0, dice, {"players": filled, **more})
    return game


def at(**rows: int) -> list[int]:
    """Numbers by row: at(r5=2) is 2 in row 5."""
    return [rows.get(f"r{sum_}", 0) for sum_ in rules.SUMS]


def form(game: Game, *sums: int) -> Position:
    game.step(ACTION_OF[sums])
    return game.position()


def formable(dice: list[int]) -> set[tuple[int, ...]]:
    return {GROUPS[action] for action in action_list(started(dice).bits)}


# ------------------------------------------------------------------------------------------------ material


def test_l1_four_dice_from_1_to_6() -> None:
    with pytest.raises(ValueError, match="a die shows 1, 2, 3, 4, 5 or 6"):
        started([0, 1, 2, 3])
    assert started([1, 2, 3, 6]).position().last_throw == [1, 2, 3, 6]


def test_l2_six_rows_of_a_length_that_can_be_chosen() -> None:
    assert Game().row_lengths == (4, 4, 4, 4, 4, 4)
    for length in range(1, 9):
        game = started([5, 5, 5, 5], {"places": at(r5=length - 1)}, row_lengths=(length,) * 6)
        assert form(game, 5).players[0].chips == at(r5=1), "the last square is the X"


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_l3_chips(num_players: int) -> None:
    game = Game(num_players)
    game.reset(1)
    fewer = num_players < 4
    assert game.position().stacks == [12 - fewer, 11 - fewer, 10 - fewer, 9 - fewer, 8 - fewer, 7 - fewer]
    assert sum(game.position().stacks) == (51 if fewer else 57)


def test_l4_bonus_cards_from_the_top() -> None:
    assert started([1, 2, 3, 4]).position().bonus == [15, 12, 9, 6]


def test_l5_never_more_than_one_piece_in_a_row() -> None:
    game = started([5, 5, 5, 6], {"places": at(r5=1)})
    assert form(game, 5, 5).players[0].places == at(r5=3)


# ------------------------------------------------------------------------------------------------ a turn


def test_l6_a_turn_is_one_throw() -> None:
    game = started([5, 1, 1, 2, 6, 6, 6, 6])
    now = form(game, 5)
    assert (now.active, now.turn, now.last_throw) == (1, 1, [6, 6, 6, 6])


def test_l7_with_a_single_one_nothing_is_turned() -> None:
    assert formable([1, 2, 2, 2]) == {(), (5,), (6,), (7,)}  # 1+2+2, 2+2+2, all of them


def test_l7_one_of_the_ones_stays() -> None:
    two = formable([1, 1, 2, 2])
    assert (5, 6) in two  # 1+2+2, and a one that is turned to a 6
    assert (6, 6) not in two, "the one that stays, 2 and 2 make 5 at most"
    four = formable([1, 1, 1, 1])
    assert {(5, 5, 5), (6, 6, 6), (7, 10)} <= four and (10, 10) not in four
    assert not any(len(sums) == 4 for sums in four), "all of them turned"
    assert (5, 5, 6) in formable([1, 1, 6, 5]) and not any(len(sums) == 4 for sums in formable([1, 1, 5, 5]))


def test_l7_fewer_may_be_turned() -> None:
    assert (5,) in formable([1, 1, 1, 2])  # 1+1+1+2, none turned
    assert (5, 5) in formable([1, 1, 1, 3])  # 1+1+3, and one that is turned to a 5


def test_l8_groups() -> None:
    assert formable([6, 6, 6, 6]) == {(), (6,), (6, 6), (6, 6, 6), (6, 6, 6, 6)}
    assert formable([2, 2, 2, 2]) == {(), (6,), (8,)}
    assert formable([3, 4, 4, 4]) == {(), (7,), (8,), (7, 8)}
    assert {(5,), (9,), (10,), (5, 9)} <= formable([4, 1, 4, 5])


def test_l9_a_piece_is_placed_or_goes_on() -> None:
    game = started([2, 3, 6, 6], {"places": at(r6=2)})
    assert form(game, 5, 6).players[0].places == at(r5=1, r6=3)


def test_l9_nobody_must_form_a_group() -> None:
    now = form(started([6, 6, 6, 6]))
    assert now.players[0].places == FREE and now.turn == 1


def test_l10_numbered_squares_hold_many_and_the_x_holds_one() -> None:
    game = started([6, 6, 1, 1], {"places": at(r6=1)}, {"places": at(r6=3)}, {"places": at(r6=3)}, num_players=3)
    now = form(game, 6, 6)
    assert [player.places for player in now.players] == [at(r6=3)] * 3
    game = started([6, 6, 1, 1], {"places": at(r6=2)}, {"places": at(r6=4), "chips": at(r6=2)})
    now = form(game, 6, 6)
    assert now.players[0].places == at(r6=4) and now.players[0].chips == at(r6=1)
    assert now.players[1].places == FREE and now.players[1].chips == at(r6=2) and now.stacks[1] == 10 - 3


def test_l11_a_further_group_on_the_x_is_another_chip() -> None:
    game = started([6, 6, 6, 2], {"places": at(r6=4), "chips": at(r6=1)})
    assert form(game, 6, 6, 6).players[0].chips == at(r6=4)
    game = started([6, 6, 6, 2], {"places": at(r6=3)})
    assert form(game, 6, 6, 6).players[0].chips == at(r6=3), "also in the turn in which it got there"


def test_l12_the_last_chip_closes_the_row() -> None:
    held = at(r10=5)
    game = started([6, 4, 5, 5], {"places": at(r10=4), "chips": held}, {"places": at(r10=3, r5=1)})
    now = form(game, 10)
    assert now.stacks[5] == 0 and now.players[0].chips == at(r10=6)
    assert now.players[0].places == FREE and now.players[1].places == at(r5=1)
    again = started([6, 4, 5, 5], {"chips": at(r10=6)})
    assert not any(10 in GROUPS[action] for action in action_list(again.bits)), "no group counts there any more"


def test_l12_groups_that_would_do_nothing_are_not_formed() -> None:
    # One chip is left: on the X one group takes it, two would be one too many; from outside five would be.
    on_x = started([6, 4, 5, 5], {"places": at(r10=4), "chips": at(r10=5)})
    legal = {GROUPS[action] for action in action_list(on_x.bits)}
    assert (10,) in legal and (10, 10) not in legal and (5, 5, 10) in legal
    below = started([6, 4, 5, 5], {"places": at(r10=3), "chips": at(r10=5)})
    assert ACTION_OF[(10, 10)] not in action_list(below.bits) and ACTION_OF[(10,)] in action_list(below.bits)
    far = started([6, 4, 5, 5], {"places": at(r10=2), "chips": at(r10=5)})
    assert ACTION_OF[(10, 10)] in action_list(far.bits)


def test_l13_six_different_chips_bring_the_top_card() -> None:
    almost = at(r5=1, r6=1, r7=1, r8=1, r9=1)
    game = started([6, 4, 1, 2], {"places": at(r10=3), "chips": almost})
    now = form(game, 10)
    assert now.players[0].bonus == 15 and now.bonus == [12, 9, 6]
    assert game.scores()[0] == 5 + 6 + 7 + 8 + 9 + 10 + 15


def test_l13_several_sets_at_once_and_the_cards_run_out() -> None:
    player = {"places": at(r5=4), "chips": at(r5=1, r6=5, r7=5, r8=5, r9=5, r10=5), "bonus": 15}
    now = form(started([5, 5, 5, 5], player), 5, 5, 5, 5)
    assert now.players[0].bonus == 15 + 12 + 9 + 6 and now.bonus == []
    assert now.players[0].chips[0] == 5, "the fifth set finds no card"


def test_l13_the_chips_below_a_card_are_used_up() -> None:
    player = {"places": at(r5=4), "chips": at(r5=1, r6=1, r7=1, r8=1, r9=1, r10=1), "bonus": 15}
    assert form(started([5, 5, 5, 2], player), 5, 5, 5).players[0].bonus == 15


# ------------------------------------------------------------------------------------------------ the end

TWO_CLOSED = at(r9=7, r10=6)


def test_l14_the_round_is_played_to_its_end() -> None:
    player = {"places": at(r8=4), "chips": [*at(r8=7)[:4], 7, 6]}
    game = started([4, 4, 2, 1] + [2, 2, 2, 2] * 3, player, num_players=3)
    now = form(game, 8)
    assert now.stacks[3:] == [0, 0, 0] and now.phase == "group" and now.active == 1
    assert form(game).active == 2
    now = form(game)
    assert now.phase == "over" and now.turn == 3 and game.over and not game.bits


def test_l14_the_last_card_ends_the_game_too() -> None:
    player = {"places": at(r10=3), "chips": at(r5=4, r6=4, r7=4, r8=4, r9=4, r10=3), "bonus": 36}
    game = started([4, 6, 2, 1, 2, 2, 2, 2], player)
    assert form(game, 10).bonus == [] and game.bits
    assert form(game).phase == "over"


def test_l14_two_closed_rows_do_not() -> None:
    game = started([2, 2, 2, 2] * 2, {"chips": TWO_CLOSED})
    form(game)
    assert form(game).phase == "group"


def test_l15_points_and_ties() -> None:
    chips = {"chips": at(r5=2, r10=1)}
    game = started([2, 2, 2, 2], chips, {"chips": at(r10=2)}, {"chips": at(r6=3)}, num_players=3)
    assert game.scores() == [20, 20, 18] and game.winners() == [0, 1]
    assert game.rewards("win") == pytest.approx([0.25, 0.25, -0.5])
    assert game.rewards("score") == pytest.approx([1, 1, -2])


def test_l16_max_turns_truncates() -> None:
    game = Game(2, max_turns=3)
    game.reset(1, position={"turn": 10})
    while game.bits:
        game.step(0)
    assert game.position().turn == 13 and game.truncated and game.rewards("win") == [0, 0]
    player = {"chips": [0, 0, 0, 8, 7, 6]}
    ended = started([2, 2, 2, 2], player, active=1, turn=1, max_turns=1)
    ended.step(0)
    assert ended.over and not ended.truncated, "what ends by L14 on that turn has ended"


# ------------------------------------------------------------------------------------------------ what follows


def test_there_are_49_actions_in_their_order() -> None:
    assert len(GROUPS) == rules.NUM_ACTIONS == 49 and len(set(GROUPS)) == 49
    assert list(GROUPS) == sorted(GROUPS, key=lambda sums: (len(sums), sums))
    assert GROUPS[:2] == ((), (5,)) and GROUPS[6:9] == ((10,), (5, 5), (5, 6)) and GROUPS[48] == (6, 6, 6, 6)


def test_how_many_actions_a_throw_has() -> None:
    """L7, L8: 11.65 on average over the 1296 throws, at most 29, never the empty one alone."""
    counts = []
    states = rules.new_states(1)
    for dice in product(rules.FACES, repeat=4):
        rules.new_game(states, 0, 4, rules.ROW_LENGTHS, 0)
        rules.apply_dice(states, 0, np.array(dice, np.int8))
        counts.append(len(action_list(rules.legal_bits(states, 0))))
    assert np.mean(counts) == pytest.approx(11.65, abs=0.005)
    assert max(counts) == rules.MAX_LEGAL == 29 and min(counts) >= 2


def test_material() -> None:
    assert sum(CHIPS) == 57 and sum(rules.BONUS) == 42 and len(rules.SORTED_THROWS) == 126


# ------------------------------------------------------------------------------------------------ examples


def test_x1() -> None:
    found = formable([2, 3, 5, 6])
    assert {(5, 5, 6), (7, 9), (8, 8), (5, 6), (10,)} <= found
    assert form(started([2, 3, 5, 6]), 5, 5, 6).players[0].places == at(r5=2, r6=1)


def test_x2() -> None:
    now = form(started([5, 5, 5, 5], {}, {"places": at(r5=4), "chips": at(r5=1)}), 5, 5, 5, 5)
    assert now.players[0].places == at(r5=4) and now.players[0].chips == at(r5=1)
    assert now.players[1].places == FREE and now.players[1].chips == at(r5=1)


def test_x3() -> None:
    assert (7, 10) in formable([1, 1, 1, 5])


def test_x4() -> None:
    red = {"places": at(r6=4, r5=3), "chips": at(r6=1)}
    green = {"places": at(r5=4), "chips": at(r5=1)}
    now = form(started([5, 5, 6, 1], red, green), 5, 5, 6)
    assert now.players[0].chips == at(r5=2, r6=2) and now.players[0].places == at(r5=4, r6=4)
    assert now.players[1].places == FREE
