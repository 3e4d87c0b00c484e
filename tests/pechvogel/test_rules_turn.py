"""R1 to R13: material, a turn, and its end.

A test that asks for the fixture `table` runs twice: with forced questions skipped, and with every question asked.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from pechvogel_env import observation
from pechvogel_env.game import Game
from pechvogel_env.position import Position
from pechvogel_env.rules import Action
from tests.pechvogel.tables import (
    DISCARD,
    FACES,
    FRUSTRATE,
    GAMES,
    NEXT,
    PASS,
    PASS_ONLY,
    REDUCE,
    STEAL,
    TAKE,
    TARGET,
    VALUES,
    Table,
    ask_all,
    asked,
    board,
    choice,
    faces,
    frustrations,
    greedy,
    held,
    interview,
    middle,
    play,
    play_forced,
    random_game,
    random_steps,
    start,
    turn_over,
)

# ------------------------------------------------------------------------------------------------ R1-R5: material


def test_r1_seven_dice_with_six_equally_likely_faces() -> None:
    game = Game(2, skip_forced=False)
    seen: Counter[tuple[int, int]] = Counter()
    for seed in range(3000):
        game.reset(seed)
        throw = game.position().last_throw
        assert len(throw) == 7
        seen.update(enumerate(throw))
    assert set(seen) == {(die, face) for die in range(7) for face in FACES}
    assert all(abs(count - 500) < 5 * 20.4 for count in seen.values())  # five standard deviations


def test_r1_later_throws_are_as_fair() -> None:
    seen: Counter[int] = Counter()
    for seed in range(40):
        game = Game(3, keep_dice=True)
        list(random_steps(game, seed))
        seen.update(game.dice)
    mean = seen.total() / 6
    assert mean > 2000
    assert set(seen) == set(FACES)
    assert sum((count - mean) ** 2 / mean for count in seen.values()) < 25  # chi squared, p = 0.0001


@pytest.mark.parametrize("face", [1, 2, 8, -1])
def test_r1_no_die_shows_anything_else(face: int) -> None:
    with pytest.raises(ValueError, match="a die shows"):
        Game().reset(0, dice=[3, 4, face])


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_r2_r3_r4_at_the_start_everything_lies_in_the_middle(players: int) -> None:
    game = Game(players)
    game.reset(0, dice=faces(NEXT))
    assert middle(game) == "333444555666777"  # R2: fifteen markers
    assert held(game) == [""] * players
    assert frustrations(game) == [0] * players  # R3
    assert game.position().murphy is None  # R4


def test_r2_everything_is_public() -> None:
    game = Game(4, 1, skip_forced=False)
    for step in random_steps(game, 9):
        for seat in range(4):
            assert observation.decode(game.observe(seat), seat, 4) == replace(step.after, turn=0)


@pytest.mark.parametrize("already", [13, 1000])
def test_r3_the_supply_never_runs_out(table: Table, already: int) -> None:
    game = table("0003345", frustrations=(0, already, 0))
    turn_over(game, 1)
    assert frustrations(game) == [1, already, 0]


def test_r4_there_is_one_murphy_who_moves_from_player_to_player(table: Table) -> None:
    game = table("0000345")
    assert turn_over(game, 1).murphy == 0
    game = table("0000345 0000345")
    assert turn_over(game, 2).murphy == 1
    game = table("0000345 0003345")  # three ravens are not greedy
    assert turn_over(game, 2).murphy == 0


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_r5_turns_go_clockwise(table: Table, players: int) -> None:
    for turns in range(2 * players + 1):
        turn_over(table("0003345" * turns, players=players), turns % players)


def test_r5_the_first_player_is_chosen_or_drawn_from_the_seed() -> None:
    game = Game(5)
    for seat in range(5):
        game.reset(0, first_player=seat, dice=faces(NEXT))
        assert game.to_act == seat
    drawn: Counter[int | None] = Counter()
    for seed in range(1000):
        game.reset(seed, dice=faces(NEXT))
        drawn[game.to_act] += 1
    assert set(drawn) == {0, 1, 2, 3, 4}
    assert all(abs(count - 200) < 5 * 12.7 for count in drawn.values())


def rotated(p: Position, by: int) -> Position:
    def seat(old: int | None) -> int | None:
        return None if old is None else (old + by) % p.num_players

    return replace(
        p,
        players=[p.players[(new - by) % p.num_players] for new in range(p.num_players)],
        murphy=seat(p.murphy),
        active=seat(p.active),
        to_act=seat(p.to_act),
        frustraters=[seat(old) for old in p.frustraters],
    )


@pytest.mark.parametrize("first", [1, 2, 3])
def test_r5_nothing_else_depends_on_who_is_first(first: int) -> None:
    games = [random_steps(Game(4, 2, skip_forced=False), 11, first_player) for first_player in (0, first)]
    for plain, turned in zip(*games, strict=True):
        assert (plain.options, plain.action) == (turned.options, turned.action)
        assert rotated(plain.after, first) == turned.after


def test_r5_the_board_holds_the_opponents_frustrations_and_is_cleared_after_the_turn(table: Table) -> None:
    game = table("633 633 03", board=(6, 2, 2), frustrations=(2, 1, 1))
    play(game, (0, PASS), (1, FRUSTRATE), (2, FRUSTRATE))
    assert game.position().frustraters == [1, 2]
    assert frustrations(game) == [2, 0, 0]
    play(game, (0, PASS), (0, PASS))  # two throws that only the active player can still answer
    p = turn_over(game, 1)
    assert (p.frustraters, p.target, p.targets, p.ravens, p.reduced) == ([], None, 0, 0, False)


# ------------------------------------------------------------------------------------------------ R6-R9: a turn


def test_r6_the_target_is_any_number_that_was_thrown(table: Table) -> None:
    game = table("3355700")
    assert choice(game) == (0, {TARGET[3], TARGET[5], TARGET[7]})
    for wrong in (TARGET[4], TARGET[6], PASS):
        with pytest.raises(ValueError, match="illegal"):
            game.step(wrong)


@pytest.mark.parametrize(("value", "targets"), [(3, 2), (4, 1), (7, 3)])
def test_r6_all_dice_showing_the_target_go_to_the_board(value: int, targets: int) -> None:
    game = ask_all("7373470")
    assert interview(game, TARGET[value]) == [(0, "target", {TARGET[3], TARGET[4], TARGET[7]})]
    assert board(game) == (value, targets, 1)


def test_r6_a_target_without_alternative_is_asked_for_unless_forced_steps_are_skipped() -> None:
    assert asked(ask_all("5555500")) == (0, "target", {TARGET[5]})
    game = start("5555500", skip_forced=True)
    turn_over(game, 1)
    assert held(game) == ["5", "", ""]


@pytest.mark.parametrize(("players", "copies", "seed", "italian"), GAMES)
def test_r6_there_is_one_target_in_a_turn_and_it_never_changes(
    players: int, copies: int, seed: int, italian: bool
) -> None:
    chosen: dict[int, Action] = {}
    for before, _, action, _ in random_game(players, copies, seed, italian):
        if before.phase == "target":
            assert before.turn not in chosen
            chosen[before.turn] = action
        elif before.turn in chosen:
            assert before.target is not None
            assert TARGET[before.target] == chosen[before.turn]
        else:
            assert len(before.last_throw) == 7  # the ruling after R9
            assert before.ravens >= 3
    assert chosen


def test_r7_after_every_throw_ravens_and_targets_go_to_the_board_and_nothing_else() -> None:
    game = ask_all("5044667 50774 336", players=2)
    interview(game, TARGET[5])
    assert board(game) == (5, 1, 1)  # the ravens of the first throw too
    interview(game, PASS, PASS)
    assert (game.position().last_throw, board(game)) == (faces("50774"), (5, 2, 2))
    interview(game, PASS, PASS)
    assert (game.position().last_throw, board(game)) == (faces("336"), (5, 2, 2))


@pytest.mark.parametrize(("players", "copies", "seed", "italian"), GAMES)
def test_r7_r8_r9_r16_what_is_thrown_and_what_lands_on_the_board(
    players: int, copies: int, seed: int, italian: bool
) -> None:
    later_throws = repeats = 0
    for step in random_game(players, copies, seed, italian):
        before, _, action, after = step
        full = before.targets >= 4 or before.ravens >= 3
        if step.ends_turn or after.phase == "take":
            assert full  # R8: there is no other way to stop
        elif after.phase == "reduce" and before.phase != "target":
            later_throws += 1
            targets, ravens = before.targets, before.ravens
            if action in (REDUCE, FRUSTRATE) or before.phase == "join":
                repeats += 1
                targets -= before.last_throw.count(before.target)  # R16
                ravens -= before.last_throw.count(0)
                assert len(after.last_throw) == len(before.last_throw)
            else:
                assert not full  # R9
            assert len(after.last_throw) == 7 - targets - ravens >= 2  # R8
            assert after.targets == targets + after.last_throw.count(after.target)  # R7
            assert after.ravens == ravens + after.last_throw.count(0)
    assert later_throws > repeats > 0


def test_r8_a_throw_that_adds_nothing_is_simply_thrown_again(table: Table) -> None:
    game = table("34 67 33 34 50", board=(5, 3, 2), frustrations=(1, 1, 1))
    assert choice(game) == (0, {PASS, REDUCE})  # only now is there something to answer
    assert board(game) == (5, 4, 3)


def test_r8_there_is_no_choice_to_stop() -> None:
    game = ask_all("5034 03", board=(5, 2, 1))
    assert interview(game, PASS, PASS, PASS) == PASS_ONLY
    assert game.position().last_throw == faces("03")


@pytest.mark.parametrize(
    ("before", "dice"),
    [((5, 3, 0), "5334"), ((5, 1, 0), "555334"), ((5, 1, 2), "0344"), ((5, 3, 1), "003"), ((5, 3, 2), "50")],
)
def test_r9_four_targets_or_three_ravens_stop_the_throwing(
    table: Table, before: tuple[int, int, int], dice: str
) -> None:
    game = table(dice, board=before)
    turn_over(game, 1)  # no more dice were thrown
    assert held(game)[0] == ("5" if before[1] + dice.count("5") == 4 else "")
    assert frustrations(game)[0] == (1 if before[2] + dice.count("0") == 3 else 0)


@pytest.mark.parametrize(("before", "dice"), [((5, 3, 1), "334 003"), ((5, 1, 2), "5533 03"), ((5, 1, 2), "6666 0346")])
def test_r9_less_does_not_stop_it(table: Table, before: tuple[int, int, int], dice: str) -> None:
    game = table(dice, board=before)
    turn_over(game, 1)
    assert (held(game), frustrations(game)) == (["", "", ""], [1, 0, 0])


# The ruling on first throws with three or more ravens, after R9


@pytest.mark.parametrize("dice", ["0003345", "0403330", "6000665", "0000666", "0000345", "0006660", "0000000"])
def test_ruling_after_r9_three_ravens_at_once_end_the_turn_without_a_target(dice: str) -> None:
    game = ask_all(dice, frustrations=(2, 2, 2))
    assert board(game) == (None, 0, dice.count("0"))
    assert interview(game, PASS, PASS, PASS) == PASS_ONLY  # R18a
    p = turn_over(game, 1)
    assert (held(game), frustrations(game)) == (["", "", ""], [3, 2, 2])  # R11: one, however many ravens
    assert p.murphy == (0 if dice.count("0") > 3 else None)  # R12

    assert turn_over(start(dice, skip_forced=True, frustrations=(2, 2, 2)), 1) == p


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("pattern", ["000xxxx", "xxxx000", "x0x0x0x"])
def test_ruling_after_r9_three_ravens_and_four_alike_set_the_target(value: int, pattern: str) -> None:
    dice = pattern.replace("x", str(value))
    game = ask_all(dice, frustrations=(1, 1, 0))
    assert board(game) == (value, 4, 3)
    assert interview(game, PASS, PASS, PASS, TAKE) == [*PASS_ONLY, (0, "take", {TAKE})]
    p = turn_over(game, 1)
    assert (held(game)[0], frustrations(game)) == (str(value), [2, 1, 0])  # R10, R11
    assert p.murphy is None

    assert turn_over(start(dice, skip_forced=True, frustrations=(1, 1, 0)), 1) == p


def test_ruling_after_r9_that_marker_may_be_stolen_or_missing_as_ever(table: Table) -> None:
    game = table("0004444", holdings=("", "", "4"))
    assert choice(game) == (0, {TAKE, STEAL[2]})
    play(game, (0, STEAL[2]), (0, DISCARD[7]))
    turn_over(game, 1)
    assert (held(game), frustrations(game)) == (["4", "", ""], [1, 0, 0])

    game = table("0004444", holdings=("444", "", ""))
    turn_over(game, 1)
    assert (held(game), frustrations(game)) == (["444", "", ""], [1, 0, 0])


# ------------------------------------------------------------------------------------------------ R10: markers


def test_r10_four_targets_take_a_marker_from_the_middle(table: Table) -> None:
    game = table("7345", board=(7, 3, 0), holdings=("7", "6", "5"))
    turn_over(game, 1)
    assert (held(game), middle(game)) == (["77", "6", "5"], "33344455667")


def test_r10_one_marker_however_many_targets(table: Table) -> None:
    game = table("7777", board=(7, 3, 0))
    turn_over(game, 1)
    assert (held(game), middle(game)) == (["7", "", ""], "33344455566677")


def test_r10_stealing_is_possible_while_the_middle_still_has_that_value(table: Table) -> None:
    game = table("7345", board=(7, 3, 0), holdings=("", "7", "7"))
    assert choice(game) == (0, {TAKE, STEAL[1], STEAL[2]})
    play(game, (0, TAKE))
    turn_over(game, 1)
    assert (held(game), middle(game)) == (["7", "7", "7"], "333444555666")


@pytest.mark.parametrize("value", VALUES)  # also of the value just stolen
def test_r10_whoever_steals_puts_any_marker_of_the_middle_into_the_box(table: Table, value: int) -> None:
    game = table("7345", board=(7, 3, 0), holdings=("", "7", "7"))
    play(game, (0, STEAL[2]))
    assert choice(game) == (0, set(DISCARD.values()))
    play(game, (0, DISCARD[value]))
    turn_over(game, 1)
    assert (held(game), middle(game)) == (["7", "7", ""], "3334445556667".replace(str(value), "", 1))


@pytest.mark.parametrize("value", [3, 6])
def test_r10_only_what_lies_in_the_middle_can_be_discarded(table: Table, value: int) -> None:
    game = table("7345", board=(7, 3, 0), holdings=("4", "7", "5"), middle="3366")
    assert choice(game) == (0, {DISCARD[3], DISCARD[6]})  # the steal was forced
    play(game, (0, DISCARD[value]))
    turn_over(game, 1)
    assert (held(game), middle(game)) == (["47", "", "5"], "3366".replace(str(value), "", 1))


@pytest.mark.parametrize("active", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("distance", [2, 4])
def test_r10_the_player_chooses_whom_to_steal_from(table: Table, active: int, distance: int) -> None:
    markers = ["", "", "", "", ""]
    markers[(active + 2) % 5], markers[(active + 4) % 5] = "7", "77"
    game = table("7345", players=5, active=active, board=(7, 3, 0), holdings=markers)
    assert choice(game) == (active, {STEAL[2], STEAL[4]})  # no 7 is left in the middle
    play(game, (active, STEAL[distance]), (active, DISCARD[3]))
    turn_over(game, (active + 1) % 5)
    victim = (active + distance) % 5
    markers[active], markers[victim] = "7", markers[victim][1:]
    assert held(game) == markers


def test_r10_where_only_stealing_is_possible_the_player_must_steal_and_discard() -> None:
    setting: dict[str, Any] = {"board": (7, 3, 0), "holdings": ("77", "", "7"), "middle": "44"}
    game = ask_all("7345", **setting)
    assert interview(game, PASS, PASS, PASS, STEAL[2], DISCARD[4]) == [
        *PASS_ONLY,
        (0, "take", {STEAL[2]}),
        (0, "discard", {DISCARD[4]}),
    ]
    p = turn_over(game, 1)
    assert (held(game), middle(game)) == (["777", "", ""], "4")
    assert turn_over(start("7345", skip_forced=True, **setting), 1) == p


def test_r10_taking_is_not_optional(table: Table) -> None:
    game = table("7345", board=(7, 3, 0), holdings=("7", "7", ""))
    assert choice(game) == (0, {TAKE, STEAL[1]})
    for wrong in (PASS, STEAL[2], DISCARD[3]):
        with pytest.raises(ValueError, match="illegal"):
            game.step(wrong)
    game.step(STEAL[1])
    for wrong in (PASS, TAKE):
        with pytest.raises(ValueError, match="illegal"):
            game.step(wrong)


@pytest.mark.parametrize("holdings", [("", "", ""), ("7", "", ""), ("777", "", ""), ("7", "66", "3")])
def test_r10_without_such_a_marker_elsewhere_the_player_gets_nothing(holdings: tuple[str, ...]) -> None:
    setting: dict[str, Any] = {"board": (7, 3, 0), "holdings": holdings, "middle": "345"}
    game = ask_all("7345", **setting)
    assert interview(game, PASS, PASS, PASS) == PASS_ONLY
    assert asked(game)[:2] == (1, "target")  # there is no take to be asked about
    p = turn_over(game, 1)
    assert (held(game), middle(game)) == (list(holdings), "345")
    assert turn_over(start("7345", skip_forced=True, **setting), 1) == p


def test_r10_to_r13_are_resolved_in_this_order(table: Table) -> None:
    # While a take or a discard is decided, Murphy and frustrations have not moved yet.
    game = table("7734", board=(7, 3, 0), holdings=("", "7", ""), frustrations=(1, 2, 0), murphy=1, frustraters=[2])
    for action, markers in ((STEAL[1], ["", "7", ""]), (DISCARD[3], ["7", "", ""])):
        play_forced(game)
        p = game.position()
        assert (p.murphy, p.frustraters, frustrations(game), held(game)) == (1, [2], [1, 2, 0], markers)
        play(game, (0, action))
    p = turn_over(game, 1)
    assert (p.murphy, frustrations(game)) == (0, [0, 2, 2])


# ------------------------------------------------------------------------------------------------ R11-R13


@pytest.mark.parametrize(("dice", "ravens"), [("033", 3), ("003", 4), ("000", 5)])
def test_r11_three_ravens_bring_one_frustration_from_the_supply(table: Table, dice: str, ravens: int) -> None:
    game = table(dice, board=(6, 2, 2), frustrations=(0, 4, 4))
    if ravens == 3:  # else greedy: R18b
        play(game, (1, PASS), (2, PASS))
    turn_over(game, 1)
    assert frustrations(game) == [1, 4, 4]


@pytest.mark.parametrize("dice", ["033", "003"])
@pytest.mark.parametrize("frustraters", [[1], [2], [1, 2], [3, 1, 2], [4, 1, 2, 3]])
def test_r11_three_ravens_take_all_frustrations_of_the_board_and_none_from_the_supply(
    table: Table, dice: str, frustraters: list[int]
) -> None:
    game = table(dice, players=5, board=(6, 2, 2), frustrations=(0, 1, 2, 3, 4), frustraters=frustraters)
    turn_over(game, 1)
    assert frustrations(game) == [len(frustraters), 1, 2, 3, 4]


@pytest.mark.parametrize(("frustraters", "own"), [([], 1), ([2], 1), ([1, 2], 2)])
def test_r11_applies_together_with_r10(table: Table, frustraters: list[int], own: int) -> None:
    game = table("60", board=(6, 3, 2), frustraters=frustraters)
    turn_over(game, 1)
    assert (held(game), frustrations(game)) == (["6", "", ""], [own, 0, 0])  # and R13 does not apply


@pytest.mark.parametrize("murphy", [None, 0, 1, 2])
@pytest.mark.parametrize(
    ("before", "dice", "greed"),
    [
        ((6, 3, 0), "6634", True),
        ((6, 1, 0), "666666", True),
        ((6, 3, 2), "66", True),
        ((6, 3, 2), "00", True),
        ((6, 1, 2), "0000", True),
        ((6, 3, 0), "6334", False),
        ((6, 1, 2), "0334", False),
        ((6, 3, 2), "60", False),
        (None, "6666666", True),
        (None, "6666600", True),
        (None, "0000666", True),
        (None, "0003666", False),
        (None, "0006666", False),
    ],
)
def test_r12_greed_brings_murphy_from_wherever_it_is(
    table: Table, murphy: int | None, before: tuple[int, int, int] | None, dice: str, greed: bool
) -> None:
    game = table(dice, board=before, murphy=murphy)
    assert turn_over(game, 1).murphy == (0 if greed else murphy)


def test_r12_more_than_four_targets_bring_murphy_even_without_a_marker(table: Table) -> None:
    game = table("6634", board=(6, 3, 0), holdings=("666", "", ""), murphy=2)
    assert turn_over(game, 1).murphy == 0
    assert held(game) == ["666", "", ""]


def test_r13_frustraters_get_theirs_back_and_one_more(table: Table) -> None:
    game = table("6334 6334", players=4, board=(6, 3, 0), frustrations=(2, 1, 1, 3))
    play(game, (0, PASS), (1, PASS), (2, FRUSTRATE), (3, FRUSTRATE), (1, PASS))
    assert frustrations(game) == [2, 1, 0, 2]
    play(game, (0, PASS))
    turn_over(game, 1)
    assert frustrations(game) == [0, 1, 2, 4]  # both of the active player's are gone; seat 1 stayed out


@pytest.mark.parametrize("own", [0, 1, 2, 3, 4, 7])
@pytest.mark.parametrize("frustraters", [[3], [3, 4], [0, 1], [4, 1], [0, 1, 3], [3, 4, 0, 1]])
def test_r13_the_active_players_own_come_first_the_rest_from_the_supply(
    table: Table, own: int, frustraters: list[int]
) -> None:
    before = [5, 0, own, 1, 2]
    game = table("6633", players=5, active=2, board=(6, 3, 0), frustrations=before, frustraters=frustraters)
    turn_over(game, 3)
    after = [count + 2 * (seat in frustraters) for seat, count in enumerate(before)]
    after[2] = max(0, own - len(frustraters))
    assert frustrations(game) == after


@pytest.mark.parametrize(
    ("dice", "frustraters", "after"),
    [
        ("63", [1], [2, 2, 0]),
        ("66", [1], [2, 2, 0]),
        ("63", [], [3, 0, 0]),  # nobody frustrated
        ("60", [1], [4, 0, 0]),  # three ravens, though four targets
        ("03", [1], [4, 0, 0]),
        ("00", [1], [4, 0, 0]),
    ],
)
def test_r13_needs_somebody_who_frustrated_and_fewer_than_three_ravens(
    table: Table, dice: str, frustraters: list[int], after: list[int]
) -> None:
    game = table(dice, board=(6, 3, 2), frustrations=(3, 0, 0), frustraters=frustraters, reduced=True)
    turn_over(game, 1)
    assert frustrations(game) == after


@pytest.mark.parametrize(("players", "copies", "seed", "italian"), GAMES)
def test_r10_to_r13_at_the_end_of_every_turn(players: int, copies: int, seed: int, italian: bool) -> None:
    steps = random_game(players, copies, seed, italian)
    start_of_turn = steps[0].before
    paid = lost = 0
    for step in steps:
        if not step.ends_turn:
            continue
        before, _, action, after = step
        me = before.active
        expected = [player.frustrations for player in before.players]
        if before.ravens >= 3:
            lost += len(before.frustraters)
            expected[me] += len(before.frustraters) or 1  # R11
        else:
            paid += len(before.frustraters)
            expected[me] = max(0, expected[me] - len(before.frustraters))  # R13
            for seat in before.frustraters:
                expected[seat] += 2
        assert [player.frustrations for player in after.players] == expected
        assert after.murphy == (me if greedy(before) else before.murphy)  # R12

        was = [player.markers for player in start_of_turn.players]
        now = [player.markers for player in after.players]
        if action in (TAKE, *DISCARD.values()):  # R10
            value = before.target - 3
            assert before.targets >= 4
            assert (now[me][value], sum(now[me])) == (was[me][value] + 1, sum(was[me]) + 1)
            assert sum(after.middle) == sum(start_of_turn.middle) - 1
            victims = [seat for seat in range(players) if sum(now[seat]) < sum(was[seat])]
            assert len(victims) == (0 if action == TAKE else 1)
        else:
            assert (now, after.middle) == (was, start_of_turn.middle)
            if before.targets >= 4:  # then there was nothing to be had
                value = before.target - 3
                assert after.middle[value] == 0
                assert all(was[seat][value] == 0 for seat in range(players) if seat != me)
        start_of_turn = after
    if copies > 1:
        assert paid > 0
        assert lost > 0
