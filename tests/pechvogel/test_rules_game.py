"""R20 to R22, the rulings Q1 to Q8, the booklet's examples E1 to E3, and what follows from seven dice."""

from __future__ import annotations

from collections import Counter

import pytest

from pechvogel_env import pechvogel_v0
from pechvogel_env.game import Game
from pechvogel_env.rules import Action
from tests.pechvogel.tables import (
    ALL_MAY_ANSWER,
    DISCARD,
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
    held,
    interview,
    legal,
    middle,
    play,
    play_forced,
    random_game,
    random_steps,
    start,
    turn_over,
    written,
)

# ------------------------------------------------------------------------------------------------ R20-R22: the end


def test_r20_the_game_ends_when_the_last_marker_is_taken(table: Table) -> None:
    game = table("7345", board=(7, 3, 0), holdings=("", "3", ""), middle="7")
    play_forced(game)
    p = game.position()
    assert game.over
    assert (game.to_act, legal(game), held(game), middle(game)) == (None, set(), ["7", "3", ""], "")
    assert (p.phase, p.to_act, p.target, p.targets, p.ravens, p.frustraters) == ("over", None, None, 0, 0, [])
    with pytest.raises(ValueError, match="ended"):
        game.step(PASS)


def test_r20_the_discard_of_the_last_marker_ends_it_too(table: Table) -> None:
    game = table("7345", board=(7, 3, 0), holdings=("", "7", ""), middle="3")
    play_forced(game)
    assert game.over
    assert (held(game), middle(game)) == (["7", "", ""], "")

    game = table("7345", board=(7, 3, 0), holdings=("", "7", ""), middle="7")
    play(game, (0, STEAL[1]))
    assert game.over
    assert (held(game), middle(game)) == (["7", "", ""], "")


@pytest.mark.parametrize("last", VALUES)
def test_r20_it_does_not_end_while_any_marker_is_left_in_the_middle(table: Table, last: int) -> None:
    other = 7 if last == 3 else last - 1
    game = table(f"{other}000", board=(other, 3, 0), middle=f"{other}{last}")
    turn_over(game, 1)
    assert (held(game)[0], middle(game)) == (str(other), str(last))
    turn_over(table("0003345", middle=str(last)), 1)
    turn_over(table(f"{other}000", board=(other, 3, 0), middle=str(last)), 1)  # nothing to be had


@pytest.mark.parametrize(
    ("markers", "count", "murphy", "score"),
    [
        ("", 0, False, 0),
        ("34567", 0, False, 25),
        ("34567", 0, True, 25),
        ("777666", 0, True, 39),
        ("34567", 1, False, 22),
        ("34567", 1, True, 18),
        ("3", 2, False, -3),
        ("3", 2, True, -11),
        ("", 100, True, -700),
    ],
)
@pytest.mark.parametrize("seat", [0, 1, 2])
def test_r21_markers_minus_three_or_with_murphy_seven_for_each_frustration(
    markers: str, count: int, murphy: bool, score: int, seat: int
) -> None:
    holdings, own, scores = ["", "", ""], [5, 5, 5], [-15, -15, -15]  # the others, without Murphy
    holdings[seat], own[seat], scores[seat] = markers, count, score
    game = ask_all("", holdings=holdings, frustrations=own, murphy=seat if murphy else None)
    assert game.scores() == scores


@pytest.mark.parametrize(
    ("holdings", "frustrations", "scores", "rewards"),
    [
        (("", "7"), (0, 0), [3, 7], [-1, 1]),
        (("7", "7"), (0, 0), [10, 7], [1, -1]),
        (("7", "73"), (0, 0), [10, 10], [0, 0]),
        (("", ""), (2, 3), [-3, -9], [1, -1]),
        (("7", "", "5"), (0, 0, 0), [10, 0, 5], [1, -1 / 2, -1 / 2]),
        (("7", "73", "5"), (0, 0, 0), [10, 10, 5], [1 / 4, 1 / 4, -1 / 2]),
        (("", "3", "6"), (0, 0, 1), [3, 3, 3], [0, 0, 0]),
        (("", "", "", ""), (9, 1, 1, 1), [-24, -3, -3, -3], [-1 / 3, 1 / 9, 1 / 9, 1 / 9]),
        (("", "4", "7", "7", "5"), (0, 0, 0, 0, 0), [3, 4, 7, 7, 5], [-1 / 4, -1 / 4, 3 / 8, 3 / 8, -1 / 4]),
    ],
)
def test_r22_the_highest_score_wins_and_ties_share(
    holdings: tuple[str, ...], frustrations: tuple[int, ...], scores: list[int], rewards: list[float]
) -> None:
    # Seat 0 takes the last marker, a 3; whatever could be answered is not.
    n = len(holdings)
    game = ask_all("3445", players=n, board=(3, 3, 0), holdings=holdings, frustrations=frustrations, middle="3")
    interview(game, *[PASS] * n, TAKE)
    assert game.over
    assert game.scores() == scores
    assert game.rewards("win") == pytest.approx(rewards)


# ------------------------------------------------------------------------------------------------ Q1-Q8: rulings


def test_q1_the_active_player_speaks_first_and_a_pass_is_final_for_that_throw() -> None:
    game = ask_all("6334 634", board=(6, 2, 1), frustrations=(1, 1, 1))
    assert interview(game, PASS, PASS, PASS) == ALL_MAY_ANSWER
    assert (game.position().last_throw, board(game)) == (faces("634"), (6, 4, 1))
    assert interview(game, PASS, PASS, PASS) == ALL_MAY_ANSWER  # the new throw
    assert asked(game) == (0, "take", {TAKE})  # then it is too late


def test_q1_the_active_player_is_not_asked_again_when_opponents_frustrate(table: Table) -> None:
    game = table("6334 6345", board=(6, 3, 0), frustrations=(1, 1, 0))
    play(game, (0, PASS), (1, FRUSTRATE))
    assert game.position().last_throw == faces("6345")
    assert choice(game) == (0, {PASS, REDUCE})


def test_q2_start_is_asked_clockwise_and_join_from_the_starter_also_those_who_declined() -> None:
    game = ask_all("63345 63457", players=5, active=2, board=(6, 2, 0), frustrations=(1, 1, 1, 1, 1))
    both = {PASS, FRUSTRATE}
    assert interview(game, PASS, PASS, PASS, FRUSTRATE) == [
        (2, "reduce", {PASS, REDUCE}),
        (3, "frustrate", both),
        (4, "frustrate", both),
        (0, "frustrate", both),
    ]
    for answer, seat, joined in ((FRUSTRATE, 1, [0]), (PASS, 3, [0, 1]), (FRUSTRATE, 4, [0, 1])):
        assert game.position().frustraters == joined  # a joiner sees who has joined before
        assert interview(game, answer) == [(seat, "join", both)]
    assert asked(game) == (2, "reduce", {PASS, REDUCE})
    p = game.position()
    assert (p.frustraters, p.last_throw) == ([0, 1, 4], faces("63457"))
    assert frustrations(game) == [0, 0, 1, 1, 0]


@pytest.mark.parametrize(("starter", "others"), [(1, [2, 4]), (2, [4, 1]), (4, [1, 2])])
def test_q2_only_those_with_a_choice_are_asked_when_forced_steps_are_skipped(starter: int, others: list[int]) -> None:
    both = {PASS, FRUSTRATE}
    game = start("6334 6334 633", skip_forced=True, players=5, board=(6, 2, 1), frustrations=(0, 1, 1, 0, 1))
    for seat in (1, 2, 4):
        if seat < starter:
            assert interview(game, PASS) == [(seat, "frustrate", both)]
    assert interview(game, FRUSTRATE) == [(starter, "frustrate", both)]
    assert interview(game, PASS, PASS) == [(seat, "join", both) for seat in others]
    turn_over(game, 1)


@pytest.mark.parametrize(("players", "copies", "seed", "italian"), GAMES)
def test_q1_q2_the_order_of_questions_about_every_throw(players: int, copies: int, seed: int, italian: bool) -> None:
    starts = 0
    questions: list[tuple[str, int | None]] = []
    starter = None
    for before, _, action, after in random_game(players, copies, seed, italian):
        if before.phase not in ("reduce", "frustrate", "join"):
            continue
        questions.append((before.phase, before.to_act))
        if (before.phase, action) == ("frustrate", FRUSTRATE):
            starter = before.to_act
        if after.phase in ("frustrate", "join"):
            continue
        # That was the last question about this throw.
        expected = [("reduce", before.active)]
        if action != REDUCE:
            expected += [("frustrate", (before.active + k) % players) for k in range(1, players)]
            if starter is not None:
                starts += 1
                del expected[expected.index(("frustrate", starter)) + 1 :]
                around = [(starter + k) % players for k in range(1, players)]
                expected += [("join", seat) for seat in around if seat != before.active]
        assert questions == expected
        questions, starter = [], None
    if copies > 1:
        assert starts > 0


@pytest.mark.parametrize("italian", [False, True])
def test_q3_in_the_italian_reading_only_the_rethrow_of_a_reduction_is_safe(italian: bool) -> None:
    game = ask_all("6334 6334 634", players=2, board=(6, 2, 1), frustrations=(1, 1), italian_reading=italian)
    assert interview(game, REDUCE, PASS, PASS, PASS, PASS) == [
        (0, "reduce", {PASS, REDUCE}),
        (0, "reduce", {PASS}),
        (1, "frustrate", {PASS} if italian else {PASS, FRUSTRATE}),
        (0, "reduce", {PASS}),
        (1, "frustrate", {PASS, FRUSTRATE}),  # later throws are not protected
    ]


def test_q3_the_german_reading_is_the_default() -> None:
    for game in (Game(), pechvogel_v0.raw_env()):
        game.reset(0)
        assert game.position().italian_reading is False


def test_q3_in_the_italian_reading_a_frustrated_throw_can_still_be_reduced(table: Table) -> None:
    game = table("6334 6345 6357", board=(6, 3, 0), frustrations=(2, 1, 1), italian_reading=True)
    play(game, (0, PASS), (1, FRUSTRATE), (2, PASS), (0, REDUCE))
    turn_over(game, 1)
    assert frustrations(game) == [0, 2, 1]


def test_q4_the_extra_frustration_must_be_given_and_nobody_is_asked() -> None:
    game = ask_all("6334", board=(6, 3, 0), frustrations=(5, 0, 0), frustraters=[1, 2], reduced=True)
    assert interview(game, PASS, PASS, PASS, TAKE) == [*PASS_ONLY, (0, "take", {TAKE})]
    assert asked(game)[:2] == (1, "target")
    assert frustrations(game) == [3, 2, 2]


@pytest.mark.parametrize(
    ("before", "dice", "frustraters", "after", "murphy", "scores"),
    [
        ((6, 3, 2), "60", [], [2, 0, 0], None, [0, 0, 0]),  # R11
        ((6, 3, 2), "60", [1, 2], [3, 0, 0], None, [-3, 0, 0]),
        ((6, 3, 0), "6633", [], [1, 0, 0], 0, [-1, 0, 0]),  # R12
        ((6, 3, 0), "6333", [1, 2], [0, 2, 2], None, [6, -6, -6]),  # R13
        ((6, 3, 0), "6633", [2], [0, 0, 2], 0, [6, 0, -6]),
    ],
)
def test_q5_the_turn_that_empties_the_middle_is_resolved_before_scoring(
    table: Table,
    before: tuple[int, int, int],
    dice: str,
    frustraters: list[int],
    after: list[int],
    murphy: int | None,
    scores: list[int],
) -> None:
    game = table(dice, board=before, middle="6", frustrations=(1, 0, 0), frustraters=frustraters, reduced=True)
    play_forced(game)
    assert game.over
    assert (frustrations(game), game.position().murphy, game.scores()) == (after, murphy, scores)


@pytest.mark.parametrize("frustraters", [[1, 2, 3], [2, 3, 1], [3, 1, 2]])
def test_q6_it_does_not_matter_whose_comes_from_the_supply(table: Table, frustraters: list[int]) -> None:
    game = table("6334", players=4, board=(6, 3, 0), frustrations=(1, 0, 1, 2), frustraters=frustraters, reduced=True)
    turn_over(game, 1)
    assert frustrations(game) == [0, 2, 3, 4]


def test_q7_nothing_bounds_a_turn_or_a_game(table: Table) -> None:
    turn_over(table("333" * 500 + "033", board=(6, 2, 2)), 1)
    game = table("0003345" * 999)
    turn_over(game, 0)
    assert frustrations(game) == [333, 333, 333]


def test_q7_truncation_is_not_the_end_of_the_game() -> None:
    env = pechvogel_v0.raw_env(num_players=3, max_turns=4)
    env.reset(seed=0, options={"first_player": 0, "dice": faces("0003345" * 3 + NEXT + "000034")})
    everybody = env.possible_agents
    assert env.agent_selection == "player_0"
    assert env.truncations == dict.fromkeys(everybody, False)
    env.step(TARGET[7])
    assert env.truncations == dict.fromkeys(everybody, True)
    assert env.terminations == dict.fromkeys(everybody, False)
    assert env.rewards == dict.fromkeys(everybody, 0)  # though the scores differ
    assert env.scores() == [-14, -3, -3]
    assert (env.position().turn, env.position().phase) == (4, "throw")


def test_q8_not_the_french_end_markers_elsewhere_on_the_table_do_not_count(table: Table) -> None:
    game = table("7345", board=(7, 3, 0), holdings=("33", "444", "5"), middle="7")
    play_forced(game)
    assert game.over
    assert held(game) == ["337", "444", "5"]


def test_q8_not_the_french_greed_only_dice_of_the_target_count() -> None:
    game = ask_all("666660 66333", board=(3, 1, 0), frustrations=(1, 1, 1))
    assert interview(game, PASS, PASS, PASS) == ALL_MAY_ANSWER  # five sixes, but the target is 3
    interview(game, PASS, PASS, PASS, TAKE)
    assert turn_over(game, 1).murphy is None


def test_q8_not_the_italian_reroll_all_dice_of_the_last_throw_are_thrown() -> None:
    game = ask_all("663034 443345", players=2, board=(6, 1, 0), frustrations=(1, 0))
    interview(game, REDUCE)  # six dice again, not only the three that lie beside the board
    assert (game.position().last_throw, board(game)) == (faces("443345"), (6, 1, 0))


# ------------------------------------------------------------------------------------------------ E1-E3: the booklet


def test_e1_a_good_turn_and_a_bad_one() -> None:
    env = pechvogel_v0.raw_env(num_players=3)
    env.reset(seed=7, options={"first_player": 0, "dice": faces("7700345 677 0003345" + NEXT)})
    assert env.agent_selection == "player_0"
    mask = env.observe("player_0")["action_mask"]
    assert {action for action in Action if mask[action]} == {TARGET[3], TARGET[4], TARGET[5], TARGET[7]}
    env.step(TARGET[7])  # all that follows is forced
    assert env.agent_selection == "player_2"
    p = env.position()
    assert (p.phase, p.last_throw) == ("target", faces(NEXT))
    assert [written(player.markers) for player in p.players] == ["7", "", ""]
    assert [player.frustrations for player in p.players] == [0, 1, 0]
    assert (written(p.middle), p.murphy) == ("33344455566677", None)


def test_e1_question_by_question() -> None:
    game = ask_all("7700345 677 0003345")
    assert interview(game, TARGET[7], PASS, PASS, PASS)[1:] == PASS_ONLY
    assert (game.position().last_throw, board(game)) == (faces("677"), (7, 4, 2))
    assert interview(game, PASS, PASS, PASS, TAKE) == [*PASS_ONLY, (0, "take", {TAKE})]
    assert board(game) == (None, 0, 3)
    assert interview(game, PASS, PASS, PASS) == [
        (1, "reduce", {PASS}),
        (2, "frustrate", {PASS}),
        (0, "frustrate", {PASS}),
    ]
    turn_over(game, 2)
    assert (held(game), frustrations(game)) == (["7", "", ""], [0, 1, 0])


@pytest.mark.parametrize(("d", "f"), [(1, 1), (1, 3), (4, 2)])
@pytest.mark.parametrize("k", [0, 1, 2])
def test_e2_frustration_reduction_greed(table: Table, k: int, d: int, f: int) -> None:
    seat_d, seat_f = (k + 1) % 3, (k + 2) % 3
    own = [0, 0, 0]
    own[k], own[seat_d], own[seat_f] = 2, d, f
    game = table("663 034 666", active=k, board=(6, 2, 2), frustrations=own)
    assert board(game) == (6, 4, 2)
    play(game, (k, PASS), (seat_d, FRUSTRATE), (seat_f, FRUSTRATE))
    assert (game.position().frustraters, board(game)) == ([seat_d, seat_f], (6, 2, 3))
    play(game, (k, REDUCE))
    p = turn_over(game, seat_d)  # five sixes: nobody could answer
    own[k], own[seat_d], own[seat_f] = 0, d + 1, f + 1
    assert frustrations(game) == own
    assert (held(game)[k], p.murphy, p.frustraters) == ("6", k, [])


def test_e3_scoring(table: Table) -> None:
    game = table("6345", board=(6, 3, 0), holdings=("77",), middle="6", frustrations=(3, 0, 0), murphy=0, reduced=True)
    play_forced(game)
    assert game.over
    assert held(game)[0] == "677"  # 20 points
    assert game.scores()[0] == -1


# ------------------------------------------------------------------------------------------------ what follows


@pytest.mark.parametrize("copies", [1, 2, 3])
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_a_full_game_has_exactly_five_gaining_turns_per_copy(players: int, copies: int) -> None:
    for seed in range(4):
        gaining = []
        for before, _, action, after in random_game(players, copies, seed, italian=False):
            if action in (TAKE, *STEAL.values()):
                gaining.append(before.turn)
            assert sum(before.middle) - sum(after.middle) == (action in (TAKE, *DISCARD.values()))
        assert len(gaining) == len(set(gaining)) == 5 * copies


@pytest.mark.parametrize(("players", "copies", "seed", "italian"), GAMES)
def test_skipping_forced_steps_changes_nothing_but_the_questions(
    players: int, copies: int, seed: int, italian: bool
) -> None:
    skipped = list(random_steps(Game(players, copies, italian, skip_forced=True), seed))
    chosen = [step for step in random_game(players, copies, seed, italian) if len(step.options) > 1]
    assert [step[:3] for step in skipped] == [step[:3] for step in chosen]


@pytest.mark.parametrize(("players", "copies", "seed", "italian"), GAMES)
def test_what_follows_from_seven_dice(players: int, copies: int, seed: int, italian: bool) -> None:
    ends: Counter[tuple[bool, bool]] = Counter()
    for step in random_game(players, copies, seed, italian):
        p = step.before
        if p.phase in ("take", "discard"):
            assert any(p.middle)
        if step.ends_turn:
            ends[p.targets >= 4, p.ravens >= 3] += 1
            assert not (p.targets > 4 and p.ravens > 3)
            assert p.targets < 4 or p.ravens < 3 or (p.targets, p.ravens) == (4, 3)
    assert set(ends) - {(True, True)} == {(True, False), (False, True)}
