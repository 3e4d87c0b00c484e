"""A game of Lucky Loser at a table: steps, dice of people and of seeds, taking back, lines, records, what is told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lucky_loser_env import record, rules
from lucky_loser_env.dice import throw_of
from lucky_loser_env.kind import KIND
from lucky_loser_env.position import Position
from lucky_loser_env.rules import ACTION_OF
from pechvogel.play import fair
from pechvogel.play.lucky_loser.events import choices, show_step, what_changed
from pechvogel.play.lucky_loser.table import Table
from pechvogel.play.lucky_loser.words import Words
from pechvogel.play.table import TableError, copied

SECRET, NUMBERS = bytes(range(32)), ["ab", None, None, None]


def seeds(players: int) -> Any:
    return lambda taken_back: fair.seed(SECRET, NUMBERS[:players], taken_back)


def play(table: Table, seed: int, stop: int = 10**6) -> None:
    """Any actions, but never nothing where there is something else: else games would be long."""
    rng = np.random.default_rng(seed)
    while not table.over and len(table.decisions()) < stop:
        assert table.to_act is not None
        table.act(table.to_act, int(rng.choice([action for action in table.legal() if action] or [0])))


@pytest.mark.parametrize(("players", "lengths"), [(2, (4,) * 6), (3, (1, 2, 3, 4, 5, 8)), (4, (3,) * 6)])
def test_a_table_plays_the_engines_game(players: int, lengths: tuple[int, ...]) -> None:
    table = Table(players, lambda _: 7, row_lengths=lengths)
    play(table, players)
    game = KIND.game(KIND.variant(players, row_lengths=lengths), keep_dice=True)
    game.reset(7)
    for step in table.decisions():
        assert step.action is not None
        game.step(step.action)
    assert not game.bits and game.scores() == table.scores() and game.winners() == table.winners()
    assert game.dice == [face for step in table.steps for face in step.faces]
    kept = record.verify(table.record())
    assert kept["format"] == "lucky-loser-game-1" and kept["row_lengths"] == list(lengths) and not kept["scripted"]


def test_steps_lead_from_one_to_the_next() -> None:
    table = Table(3, lambda _: 3)
    play(table, 1)
    for step, following in zip(table.steps, table.steps[1:], strict=False):
        assert (step.after == following.before).all() and step.kind != following.kind
    assert {step.kind for step in table.steps} == {"throw", "action"}


def test_real_dice_and_what_is_refused() -> None:
    table = Table(2, None, first_player=1)
    assert table.dice_due == 4 and table.to_act is None and table.legal() == []
    for wrong in ([1, 2, 3], [1, 2, 3, 4, 5], [0, 1, 2, 3], [7, 1, 1, 1]):
        with pytest.raises(TableError):
            table.throw(wrong)
    with pytest.raises(TableError, match="the dice are next"):
        table.act(1, 0)
    table.throw([2, 3, 5, 6])
    assert table.to_act == 1 and table.dice_due == 0
    for seat, action in ((0, 0), (1, 49), (1, True), (1, ACTION_OF[5, 5, 5, 5])):
        with pytest.raises(TableError):
            table.act(seat, action)
    table.act(1, ACTION_OF[5, 5, 6])
    assert table.position().players[1].places == [2, 1, 0, 0, 0, 0]


def test_taken_back_decisions_get_other_dice() -> None:
    table = Table(2, seeds(2), first_player=0)
    play(table, 2, 6)
    before, line = table.position(), table.line()
    thrown = [step.faces for step in table.steps if step.kind == "throw"]
    table.take_back(0)
    assert table.to_act == 0 and table.taken_back == 1 and table.position() != before
    play(table, 2)
    again = [step.faces for step in table.steps if step.kind == "throw"]
    assert again[: len(thrown) - 2] == thrown[: len(thrown) - 2] and again[: len(thrown)] != thrown
    kept = record.verify(table.record())
    assert kept["scripted"] == len(kept["dice"])
    kept["proof"] = fair.proof(table, SECRET, NUMBERS[:2], drawn=False)
    fair.verify(kept)
    kept["proof"]["seeded"][-1] = 0
    with pytest.raises(record.RecordError):
        fair.verify(kept)
    assert line


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_line_gives_the_same_table(players: int) -> None:
    table = Table(players, seeds(players))
    play(table, players, 9)
    table.take_back(0)
    play(table, players, 25)
    again = Table(players, seeds(players), line=table.line(), taken_back=table.taken_back)
    assert (again.states == table.states).all() and again.legal() == table.legal()
    play(table, 5)
    play(again, 5)
    assert again.record() == table.record()
    for wrong in ("0:1237", "0:123", "1", f"{table.line()} 0"):
        with pytest.raises((TableError, ValueError)):
            Table(players, seeds(players), line=wrong)


def test_seeded_dice_are_the_engines() -> None:
    table = Table(2, None, first_player=0)
    for turn in range(4):
        assert table.seeded(99) == throw_of(99, turn)
        table.throw(table.seeded(99))
        assert table.to_act is not None
        table.act(table.to_act, 0)


# ------------------------------------------------------------------------------------------------ what is told


def test_what_groups_do_is_what_the_examples_say() -> None:
    """X1, X2 and X4 of the rules."""
    fresh = Table(2, None, first_player=0)
    fresh.throw([2, 3, 5, 6])
    found = {tuple(one["sums"]): one for one in choices(fresh.states, fresh.legal())}
    assert found[5, 5, 6]["squares"] == [[5, 2], [6, 1]] and found[5, 5, 6]["points"] == 0  # X1
    assert "chips" not in found[5, 5, 6] and "home" not in found[5, 5, 6]
    players = [
        {"places": [3, 4, 0, 0, 0, 0], "chips": [0, 1, 0, 0, 0, 0], "bonus": 0},
        {"places": [4, 0, 0, 0, 0, 0], "chips": [1, 0, 0, 0, 0, 0], "bonus": 0},
    ]
    position = {"players": players, "last_throw": [2, 3, 5, 6], "phase": "group", "active": 0, "first": 0, "turn": 2}
    red = Table(2, None, position=position)
    found = {tuple(one["sums"]): one for one in choices(red.states, red.legal())}
    assert found[5, 5, 6]["chips"] == [[5, 2], [6, 1]] and found[5, 5, 6]["home"] == [[5, 1]]  # X4
    assert found[5, 5, 6]["points"] == 16
    words = Words("en", ["", "Green"], mine=0)
    assert words.choice(found[5, 5, 6]) == "{5,5,6}: 2 chips of 5, chip of 6, sends home Green in row 5"
    assert words.choice(found[()]) == "no group"


def test_choices_are_all_legal_actions_and_those_that_pay_come_first() -> None:
    table, most = Table(4, lambda _: 11), 0
    rng = np.random.default_rng(1)
    while not table.over:
        found = choices(table.states, table.legal())
        assert sorted(one["action"] for one in found) == table.legal()
        points = [one["points"] for one in found]
        assert points == sorted(points, reverse=True) and found[-1]["points"] == 0
        for one in found:
            after = copied(table.states)
            rules.apply(after, 0, one["action"])
            assert {"action": one["action"], **what_changed(table.states, after, one["action"])} == one
        most = max(most, len(found))
        assert table.to_act is not None
        table.act(table.to_act, int(rng.choice(table.legal())))
    assert 15 < most <= rules.MAX_LEGAL


def test_closed_rows_and_bonus_cards_are_told() -> None:
    ours = {"places": [0] * 6, "chips": [1, 1, 1, 1, 1, 0], "bonus": 0}
    theirs = {"places": [0, 0, 0, 0, 0, 4], "chips": [0, 0, 0, 0, 0, 5], "bonus": 0}
    ours["places"] = [0, 0, 0, 0, 0, 3]
    position = {"players": [ours, theirs], "last_throw": [4, 6, 1, 3], "phase": "group", "active": 0, "first": 0}
    table = Table(2, None, position={**position, "turn": 4})
    table.act(0, ACTION_OF[(10,)])
    shown = show_step(table.steps[-1])
    assert shown["did"] == {"sums": [10], "points": 25, "chips": [[10, 1]], "closed": [10], "bonus": 15}
    words = Words("de", ["", "Grün"], mine=0)
    assert words.told({"kind": "action", **shown}) == [
        "Du bildest {10}: Chip der 10, Bonusplättchen mit 15 Punkten, schließt Reihe 10."
    ]
    assert table.position().stacks[5] == 0 and shown["scores"] == [60, 50]


def test_positions_start_tables() -> None:
    table = Table(2, lambda _: 5)
    play(table, 3, 8)
    text = table.position().to_text()
    again = Table(2, lambda _: 6, position=Position.parse(text))
    assert again.position().to_text() == text and again.to_act == table.to_act
