"""Positions: the same game after any round trip; impossible ones are refused with the field that is wrong."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lucky_loser_env import rules
from lucky_loser_env.game import Game
from lucky_loser_env.position import Position, PositionError, load, position_of
from pechvogel.tabletop.bits import action_list

PAGE = (Path(__file__).parent.parent.parent / "docs" / "lucky-loser.md").read_text(encoding="utf-8")
EXAMPLE: dict[str, Any] = json.loads(re.findall(r"```json\n(.*?)```", PAGE, re.S)[0])
LINE = "ll2x444444_ba8876_4_130000-000000-0.004000-001000-0_1_0_2356_group1_9"


def test_the_page_shows_the_three_forms() -> None:
    position = Position.parse(EXAMPLE)
    assert position.to_text() == LINE and f"`{LINE}`" in PAGE
    assert Position.parse(LINE) == Position.parse(position.to_json()) == Position.parse(position) == position
    assert position["phase"] == "group" and "turn" in position and dict(position)["active"] == 1
    assert list(position) == list(EXAMPLE) == list(position.to_dict())


def test_round_trips() -> None:
    for seed in range(12):
        rng = random.Random(seed)
        n = 2 + seed % 3
        game = Game(n, [rng.randint(1, 1 + seed) if seed < 8 else 4 for _ in range(6)], rng.random() < 0.5, 150)
        game.reset(seed)
        while True:
            position = game.position()
            for form in (position.to_dict(), position.to_json(), position.to_text(), position):
                assert Position.parse(form) == position
            states = rules.new_states(1)
            states.view(np.uint8)[:] = 77  # nothing may be left of what was there
            load(position, states, 0)
            assert position_of(states, 0) == position
            assert all((states[name][0] == game.states[name][0]).all() for name in rules.STATE.names)
            if not game.bits:
                break
            game.step(rng.choice(action_list(game.bits)))


def test_a_game_goes_on_the_same_from_its_position() -> None:
    game, twin = Game(3), Game(3)
    game.reset(5)
    rng = random.Random(5)
    for _ in range(30):
        game.step(rng.choice(action_list(game.bits)))
    twin.reset(5, position=game.position().to_text())
    while game.bits:
        assert twin.position() == game.position() and twin.bits == game.bits
        action = rng.choice(action_list(game.bits))
        game.step(action)
        twin.step(action)
    assert twin.position() == game.position() and twin.over


def test_a_partial_position_is_completed() -> None:
    def complete(**fields: Any) -> Position:
        return Position.complete(fields, num_players=3, first_player=1)

    blank = complete()
    assert (blank.first, blank.active, blank.turn, blank.phase, blank.to_act) == (1, 1, 0, "throw", None)
    assert blank.stacks == [11, 10, 9, 8, 7, 6] and blank.bonus == [15, 12, 9, 6] and blank.row_lengths == [4] * 6
    some = complete(players=[{"chips": [1] * 6, "bonus": 15}, {}, {"places": [3, 0, 0, 0, 0, 0]}])
    assert some.stacks == [10, 9, 8, 7, 6, 5] and some.bonus == [12, 9, 6]
    assert complete(active=0).turn == 2 and complete(turn=5).active == 0 and complete(first=2).active == 2
    assert complete(phase="group", last_throw=[1, 2, 3, 4]).to_act == 1


def changed(**changes: Any) -> dict[str, Any]:
    return {**EXAMPLE, **changes}


def with_player(seat: int, **changes: Any) -> dict[str, Any]:
    players = [dict(player) for player in EXAMPLE["players"]]
    players[seat].update(changes)
    return changed(players=players)


ENDED = {
    "stacks": [11, 10, 8, 0, 0, 0],
    "players": [{**EXAMPLE["players"][0], "chips": [0, 0, 0, 8, 7, 6]}, EXAMPLE["players"][1]],
    "turn": 10,
    "active": 0,
}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (5, "as a whole must be an object"),
        ("{}", "game is missing"),
        ('{"game": 1', "as a whole can't be read"),
        ("a_b", "as a whole must be JSON or nine parts joined by '_', and this has 2"),
        (LINE.replace("group1", "Group1"), "phase is written as 'Group1', which is not its text form"),
        (LINE.replace("130000-", "13000-"), "players has an entry '13000-000000-0'"),
        (changed(luck=1), "'luck' is no field; the fields are game, num_players"),
        (changed(game="pechvogel"), "game is 'pechvogel', but this reads positions of 'lucky-loser'"),
        (changed(num_players=5), "num_players must be from 2 to 4, not 5"),
        (changed(row_lengths=[4] * 5), "row_lengths must have 6 entries, not 5"),
        (changed(row_lengths=[4, 4, 4, 4, 4, 9]), r"row_lengths\[5\] must be from 1 to 8, not 9"),
        (changed(row_lengths=[2] * 6), r"players\[0\].places\[1\] must be from 0 to 2, not 3"),
        (changed(players=EXAMPLE["players"][:1]), "players must be a list of 2 players"),
        (with_player(0, luck=1), r"players\[0\] must have exactly the fields places, chips and bonus"),
        (changed(phase="target"), "phase is 'target', but must be one of group, throw, over"),
        (changed(stacks=[11, 10, 9, 8, 7, 6]), r"stacks\[2\] is 9, but with 1 at the players 8 of 9 are left \(L3\)"),
        (with_player(0, chips=[12, 0, 0, 0, 0, 0]), r"players hold 12 chips of value 5, more than 11 \(L3\)"),
        (with_player(0, places=[1, 3, 4, 0, 0, 0]), r"players have 2 pieces on the X of row 7, not one \(L10\)"),
        (with_player(0, places=[4, 3, 0, 0, 0, 0]), r"players\[0\].chips\[0\] must be at least 1, .* \(L10\)"),
        (
            changed(**ENDED | {"players": [ENDED["players"][0], ENDED["players"][1] | {"places": [0, 0, 0, 1, 0, 0]}]}),
            r"players\[1\].places\[3\] must be 0: row 8 is closed \(L12\)",
        ),
        (changed(bonus=[12, 9, 6]), r"bonus shows 1 cards taken, but the players have 0 sets"),
        (changed(bonus=[15, 9, 6]), r"bonus must be the last of \[15, 12, 9, 6\]"),
        (with_player(0, bonus=15), r"players can't have \[15, 0\] points of 0 bonus cards and \[0, 0\] sets \(L13\)"),
        (changed(to_act=0), "to_act must be the active player in phase 'group'"),
        (changed(to_act=None), "to_act must be the active player in phase 'group'"),
        (changed(phase="throw", to_act=None), "last_throw must be empty in phase 'throw'"),
        (changed(phase="throw", last_throw=[]), "to_act must be null in phase 'throw'"),
        (changed(last_throw=[1, 2, 3]), r"last_throw must be four dice in phase 'group', not 3 \(L6\)"),
        (changed(last_throw=[1, 2, 3, 7]), r"last_throw\[3\] must be from 1 to 6, not 7"),
        (changed(turn=8), "turn is 8, and player 0 began, so 0 is active, not 1"),
        (changed(**ENDED, to_act=0), r"phase is 'group', but the game has ended \(L14\)"),
        (changed(phase="over", last_throw=[], to_act=None), r"phase is 'over', but the game has not ended \(L14\)"),
    ],
)  # fmt: skip
def test_impossible_positions_are_refused(source: Any, message: str) -> None:
    with pytest.raises(PositionError, match=f"^position: {message}") as error:
        Position.parse(source)
    assert "\n" not in str(error.value)


def test_bonus_points_of_several_cards() -> None:
    """L13: 15 points may be the first card, or the last two."""
    chips = [[2] * 6, [2] * 6]
    fields = {"players": [{"chips": c, "bonus": b} for c, b in zip(chips, (27, 15), strict=True)], "phase": "over"}
    assert Position.complete(fields, num_players=2).bonus == []
    fields["players"][0]["bonus"], fields["players"][1]["bonus"] = 33, 9
    with pytest.raises(PositionError, match=r"players can't have \[33, 9\] points of 4 bonus cards and \[2, 2\] sets"):
        Position.complete(fields, num_players=2)


def test_a_position_of_another_table_is_refused() -> None:
    game = Game(3)
    with pytest.raises(ValueError, match="position: num_players is 2, but this game has 3"):
        game.reset(1, position=EXAMPLE)
    game = Game(2, (3,) * 6)
    with pytest.raises(ValueError, match=r"position: row_lengths is \[4, 4, 4, 4, 4, 4\], but this game has \[3, 3"):
        game.reset(1, position=EXAMPLE)
    over = {**EXAMPLE, **ENDED, "phase": "over", "to_act": None, "last_throw": []}
    with pytest.raises(ValueError, match="there is nothing left to play"):
        Game(2).reset(1, position=over)
