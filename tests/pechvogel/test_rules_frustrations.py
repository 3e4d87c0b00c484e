"""R14 to R19: reducing and frustrating."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import Any

import pytest

from pechvogel_env.rules import Action
from tests.pechvogel.tables import (
    ALL_MAY_ANSWER,
    FRUSTRATE,
    GAMES,
    PASS,
    PASS_ONLY,
    REDUCE,
    TARGET,
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
    play,
    random_game,
    start,
    turn_over,
)

# ------------------------------------------------------------------------------------------------ R14-R19: frustrations


def test_r14_reducing_costs_a_frustration_and_repeats_the_throw() -> None:
    game = ask_all("6334 7034", board=(6, 2, 1), frustrations=(2, 0, 0))
    assert board(game) == (6, 3, 1)
    assert interview(game, REDUCE) == [(0, "reduce", {PASS, REDUCE})]
    assert (game.position().last_throw, board(game)) == (faces("7034"), (6, 2, 2))
    assert (frustrations(game), game.position().frustraters) == ([1, 0, 0], [])


def test_r14_the_frustration_goes_to_the_supply_and_not_to_the_board(table: Table) -> None:
    game = table("633 033", board=(6, 2, 2), frustrations=(3, 0, 0), frustraters=[1, 2])
    play(game, (0, REDUCE))
    turn_over(game, 1)
    assert frustrations(game) == [4, 0, 0]  # R11: 3 - 1 + the two of the opponents


def test_r14_only_once_in_a_turn(table: Table) -> None:
    game = table("6334 6334 633", board=(6, 2, 1), frustrations=(5, 0, 0))
    play(game, (0, REDUCE))  # afterwards there is nothing left to decide
    turn_over(game, 1)
    assert frustrations(game) == [4, 0, 0]


def test_r14_a_pass_keeps_the_right_for_later_throws(table: Table) -> None:
    game = table("6334 033", board=(6, 2, 1), frustrations=(1, 0, 0))
    play(game, (0, PASS))
    assert game.position().last_throw == faces("033")
    assert choice(game) == (0, {PASS, REDUCE})


def test_r14_what_opponents_put_on_the_board_cannot_be_used_to_reduce() -> None:
    game = ask_all("6334", board=(6, 2, 1), frustraters=[1, 2])
    assert asked(game) == (0, "reduce", {PASS})


def test_r14_r15_are_allowed_again_in_the_next_turn(table: Table) -> None:
    game = table("633 633 633  6600345 634 634", players=2, board=(6, 3, 1), frustrations=(3, 2))
    play(game, (0, REDUCE), (1, FRUSTRATE))
    assert (frustrations(game), held(game)) == ([1, 3], ["6", ""])  # R13
    play(game, (1, TARGET[6]))
    assert choice(game) == (1, {PASS, REDUCE})
    play(game, (1, REDUCE))
    assert choice(game) == (0, {PASS, FRUSTRATE})


def test_r15_once_per_turn_in_all_not_once_per_opponent(table: Table) -> None:
    game = table("6334 6334 633", players=4, board=(6, 2, 1), frustrations=(0, 1, 1, 1))
    play(game, (1, PASS), (2, FRUSTRATE), (3, PASS), (1, PASS))
    turn_over(game, 1)  # nobody was asked about the repeated throw or the one that followed
    assert frustrations(game) == [0, 1, 2, 1]


def test_r15_afterwards_those_who_stayed_out_can_only_pass() -> None:
    game = ask_all("6334 6334 633", players=4, board=(6, 2, 1), frustrations=(1, 3, 3, 3))
    interview(game, PASS, PASS, FRUSTRATE, PASS, PASS)
    for dice in ("6334", "633"):
        assert game.position().last_throw == faces(dice)
        assert interview(game, PASS, PASS, PASS, PASS) == [
            (0, "reduce", {PASS, REDUCE}),
            (1, "frustrate", {PASS}),
            (2, "frustrate", {PASS}),
            (3, "frustrate", {PASS}),
        ]


@pytest.mark.parametrize("joiners", [0, 1, 2, 3])
def test_r15_however_many_join_the_throw_is_repeated_once(table: Table, joiners: int) -> None:
    game = table("6334 6345", players=5, board=(6, 3, 0), frustrations=(0, 9, 9, 9, 9))
    answers = [FRUSTRATE] * joiners + [PASS] * (3 - joiners)
    play(game, (1, FRUSTRATE), *zip((2, 3, 4), answers, strict=True))
    turn_over(game, 1)
    assert frustrations(game) == [0, 10] + [10] * joiners + [9] * (3 - joiners)


def test_r15_everybody_adds_one_of_theirs_and_the_last_one_will_do(table: Table) -> None:
    game = table("6334 6033", board=(6, 2, 1), frustrations=(1, 5, 1))
    play(game, (0, PASS), (1, FRUSTRATE), (2, FRUSTRATE))
    assert (frustrations(game), game.position().frustraters) == ([1, 4, 0], [1, 2])


def test_r15_without_a_frustration_nobody_starts_or_joins() -> None:
    setting: dict[str, Any] = {"players": 4, "board": (6, 2, 1), "frustrations": (0, 0, 1, 0)}
    game = ask_all("6334 6334 633", **setting)
    assert interview(game, PASS, PASS, FRUSTRATE, PASS, PASS) == [
        (0, "reduce", {PASS}),
        (1, "frustrate", {PASS}),
        (2, "frustrate", {PASS, FRUSTRATE}),
        (3, "join", {PASS}),
        (1, "join", {PASS}),
    ]
    skipping = start("6334 6334 633", skip_forced=True, **setting)
    assert interview(skipping, FRUSTRATE) == [(2, "frustrate", {PASS, FRUSTRATE})]
    assert turn_over(skipping, 1) == turn_over(game, 1)
    assert frustrations(game) == [0, 0, 2, 0]


def test_r14_r15_reducing_is_the_active_players_and_frustrating_the_opponents() -> None:
    game = ask_all("6334", board=(6, 2, 1), frustrations=(1, 1, 1))
    for wrong, right in ((FRUSTRATE, PASS), (REDUCE, FRUSTRATE), (REDUCE, FRUSTRATE)):
        with pytest.raises(ValueError, match="illegal"):
            game.step(wrong)
        game.step(right)


@pytest.mark.parametrize("answer", [REDUCE, FRUSTRATE])
def test_r16_repeating_takes_back_exactly_the_dice_of_that_throw(answer: Action) -> None:
    own = (1, 0) if answer == REDUCE else (0, 1)
    game = ask_all("6033 60 33 06", players=2, board=(6, 2, 1), frustrations=own)
    interview(game, PASS, PASS)
    assert (game.position().last_throw, board(game)) == ([6, 0], (6, 4, 3))
    interview(game, *([REDUCE] if answer == REDUCE else [PASS, FRUSTRATE]))
    assert (game.position().last_throw, board(game)) == ([3, 3], (6, 3, 2))  # what 6033 brought still lies there
    interview(game, PASS, PASS)
    assert (game.position().last_throw, board(game)) == ([0, 6], (6, 4, 3))


def test_r16_a_repeated_throw_may_be_answered_by_what_is_still_allowed() -> None:
    setting: dict[str, Any] = {"players": 2, "board": (6, 2, 1), "frustrations": (2, 2)}
    assert interview(ask_all("6334 6345 6357", **setting), REDUCE, PASS, FRUSTRATE, PASS, PASS) == [
        (0, "reduce", {PASS, REDUCE}),
        (0, "reduce", {PASS}),
        (1, "frustrate", {PASS, FRUSTRATE}),
        (0, "reduce", {PASS}),
        (1, "frustrate", {PASS}),
    ]
    assert interview(ask_all("6334 6345 6357", **setting), PASS, FRUSTRATE, REDUCE, PASS, PASS) == [
        (0, "reduce", {PASS, REDUCE}),
        (1, "frustrate", {PASS, FRUSTRATE}),
        (0, "reduce", {PASS, REDUCE}),
        (0, "reduce", {PASS}),
        (1, "frustrate", {PASS}),
    ]


def test_r17_a_throw_answered_by_a_reduction_is_not_frustrated() -> None:
    game = ask_all("6334 6345", board=(6, 2, 1), frustrations=(1, 1, 1))
    interview(game, REDUCE)
    assert asked(game) == (0, "reduce", {PASS})  # about the new throw: nobody was asked in between
    assert game.position().last_throw == faces("6345")
    assert frustrations(game) == [0, 1, 1]


@pytest.mark.parametrize("dice", ["6633457", "6603457", "6003345", "6666345", "6666600"])
def test_r18a_the_first_throw_cannot_be_answered(dice: str) -> None:
    game = ask_all(dice, frustrations=(3, 3, 3))
    interview(game, TARGET[6])
    assert interview(game, PASS, PASS, PASS) == PASS_ONLY


@pytest.mark.parametrize(
    ("before", "dice"),
    [((6, 3, 0), "6634"), ((6, 1, 0), "666634"), ((6, 3, 2), "66"), ((6, 3, 2), "00"), ((6, 1, 2), "0034")],
)
def test_r18b_a_greedy_throw_cannot_be_answered(before: tuple[int, int, int], dice: str) -> None:
    game = ask_all(dice, board=before, frustrations=(3, 3, 3))
    assert interview(game, PASS, PASS, PASS) == PASS_ONLY
    assert turn_over(game, 1).murphy == 0


@pytest.mark.parametrize(
    ("before", "dice"), [((6, 1, 0), "345733"), ((6, 2, 2), "345"), ((6, 3, 2), "77"), ((6, 3, 0), "3333")]
)
def test_r18c_an_empty_throw_cannot_be_answered(before: tuple[int, int, int], dice: str) -> None:
    game = ask_all(dice, board=before, frustrations=(3, 3, 3))
    assert interview(game, PASS, PASS, PASS) == PASS_ONLY


@pytest.mark.parametrize("rethrow", ["333", "663"])
@pytest.mark.parametrize("answers", [[REDUCE], [PASS, PASS, FRUSTRATE, PASS]])
def test_r18_repeated_throws_that_are_empty_or_greedy_cannot_be_answered(answers: list[Action], rethrow: str) -> None:
    game = ask_all(f"633 {rethrow}", board=(6, 3, 1), frustrations=(3, 3, 3))
    interview(game, *answers)
    assert game.position().last_throw == faces(rethrow)
    assert interview(game, PASS, PASS, PASS) == PASS_ONLY


@pytest.mark.parametrize(
    ("before", "dice"), [((6, 1, 0), "633457"), ((6, 1, 0), "033457"), ((6, 2, 2), "633"), ((6, 3, 0), "0333")]
)
def test_r18_one_raven_or_one_target_can_be_answered(before: tuple[int, int, int], dice: str) -> None:
    game = ask_all(dice, board=before, frustrations=(1, 1, 1))
    assert interview(game, PASS, PASS, PASS) == ALL_MAY_ANSWER


@pytest.mark.parametrize(
    ("before", "dice"),
    [((6, 3, 0), "6345"), ((6, 1, 0), "666345"), ((6, 1, 2), "0345"), ((6, 1, 0), "000345"), ((6, 3, 2), "60")],
)
def test_r19_throws_that_would_end_the_turn_may_be_answered(before: tuple[int, int, int], dice: str) -> None:
    game = ask_all(dice, board=before, frustrations=(1, 1, 1))
    assert interview(game, PASS, PASS, PASS) == ALL_MAY_ANSWER


@pytest.mark.parametrize(("before", "dice", "marker"), [((6, 3, 0), "6345", "6"), ((6, 1, 2), "0345", "")])
def test_r19_an_answer_to_such_a_throw_keeps_the_turn_going(
    table: Table, before: tuple[int, int, int], dice: str, marker: str
) -> None:
    game = table(f"{dice} 3333 7777 {dice}", board=before, frustrations=(0, 1, 0))
    play(game, (1, FRUSTRATE))
    turn_over(game, 1)
    assert held(game) == [marker, "", ""]
    assert frustrations(game) == ([0, 2, 0] if marker else [1, 0, 0])


@pytest.mark.parametrize(("players", "copies", "seed", "italian"), GAMES)
def test_r14_to_r19_and_q3_who_may_answer_which_throw(players: int, copies: int, seed: int, italian: bool) -> None:
    answers: Counter[tuple[str, Action]] = Counter()
    for _, turn in groupby(random_game(players, copies, seed, italian), key=lambda step: step.before.turn):
        reduced = frustrated = after_reduction = False
        last = PASS
        for before, options, action, _ in turn:
            dice = before.last_throw
            may = len(dice) < 7 and not greedy(before) and (0 in dice or before.target in dice)  # R18, R19
            may &= before.players[before.to_act].frustrations > 0
            if before.phase == "reduce":
                after_reduction = last == REDUCE
                assert options == ({PASS, REDUCE} if may and not reduced else {PASS})  # R14
            elif before.phase == "frustrate":
                may &= not frustrated and not (italian and after_reduction)  # R15, Q3
                assert options == ({PASS, FRUSTRATE} if may else {PASS})
            elif before.phase == "join":
                assert options == ({PASS, FRUSTRATE} if may else {PASS})
            reduced |= action == REDUCE
            frustrated |= action == FRUSTRATE
            last = action
            answers[before.phase, action] += 1
    if copies > 1:
        assert answers["reduce", REDUCE] > 0
        assert answers["frustrate", FRUSTRATE] > 0
