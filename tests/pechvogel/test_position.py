"""Positions: lossless at every decision, refused with a sentence that names the wrong field."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pechvogel.tabletop.bits import action_list
from pechvogel_env.game import Game
from pechvogel_env.position import Position, PositionError
from tests.pechvogel.plain_model import PlainGame

EXAMPLE: dict[str, Any] = {
    "num_players": 3,
    "copies": 3,
    "italian_reading": False,
    "middle": [3, 3, 3, 3, 2],
    "players": [
        {"markers": [0, 0, 0, 0, 1], "frustrations": 2},
        {"markers": [0, 0, 0, 0, 0], "frustrations": 1},
        {"markers": [0, 0, 0, 0, 0], "frustrations": 0},
    ],
    "murphy": None,
    "active": 0,
    "target": 6,
    "targets": 4,
    "ravens": 2,
    "reduced": False,
    "frustraters": [],
    "last_throw": [6, 6, 3],
    "after_reduction": False,
    "phase": "frustrate",
    "to_act": 1,
    "turn": 9,
}
TEXT = "3x3_33332_00001f2.00000f1.00000f0_-_0_642_-_663_frustrate1_9"


def random_positions(seed: int, games: int) -> list[Position]:
    """Every position at every step of random games, with and without forced steps, throws included."""
    rng = random.Random(seed)
    found = []
    for _ in range(games):
        players, copies, italian = rng.randint(2, 5), rng.randint(1, 3), rng.random() < 0.5
        plain = PlainGame(players, copies, italian, rng.randrange(players))
        while True:
            found.append(Position.parse(plain.position()))
            if plain.phase == "over" or plain.position()["turn"] > 60:
                break
            if plain.phase == "throw":
                plain.throw(rng.choices([0, 3, 4, 5, 6, 7], [3, 1, 1, 2, 2, 2], k=plain.dice_to_throw()))
            else:
                plain.act(rng.choice(plain.legal_actions()))
    return found


def test_every_possible_position_is_accepted_and_survives_every_form() -> None:
    positions = random_positions(1, 14)
    assert {position.phase for position in positions} == {
        "target", "reduce", "frustrate", "join", "take", "discard", "throw", "over",
    }  # fmt: skip
    for position in positions:
        assert Position.parse(position) == position
        assert Position.parse(position.to_dict()) == position
        assert Position.parse(position.to_json()) == position
        assert Position.parse(position.to_text()) == position


def test_the_documented_example() -> None:
    position = Position.parse(EXAMPLE)
    assert position.to_dict() == EXAMPLE
    assert position.to_text() == TEXT
    assert Position.parse(TEXT).to_dict() == EXAMPLE
    assert position.players[0].markers == position["players"][0]["markers"] == [0, 0, 0, 0, 1]
    assert json.loads(position.to_json()) == EXAMPLE
    assert "phase" in position and "colour" not in position and set(position.keys()) == set(EXAMPLE)


@pytest.mark.parametrize("skip_forced", [True, False])
def test_a_loaded_position_is_the_same_and_goes_on_the_same(skip_forced: bool) -> None:
    rng = random.Random(3)
    for seed in range(6):
        players = 2 + seed % 4
        game, other = (Game(players, 2, seed % 2 == 0, skip_forced) for _ in range(2))
        game.reset(seed)
        while game.bits:
            position = game.position()
            other.reset(99, position=position)
            assert other.position() == position
            assert other.bits == game.bits
            game.step(rng.choice(action_list(game.bits)))


def test_a_partial_position_is_completed() -> None:
    complete = Position.complete({}, num_players=4, copies=2, first_player=3)
    game = Game(4, 2)
    assert complete.active == 3 and complete.phase == "throw" and complete.to_act is None
    assert complete.middle == [2] * 5 and complete.turn == 0 and complete.last_throw == []
    held = {"players": [{"markers": [1, 0, 0, 0, 2]}, {"frustrations": 3}, {}, {}]}
    complete = Position.complete(held, num_players=4, copies=2)
    assert complete.middle == [1, 2, 2, 2, 0]
    assert complete.players[1].frustrations == 3 and complete.players[1].markers == [0] * 5
    game.reset(1, first_player=2, position=held)
    assert game.position().active == 2
    game.reset(1, first_player=2, position={"active": 1})
    assert game.position().active == 1
    taking = {"target": 6, "targets": 4, "ravens": 1, "last_throw": [6, 6, 6, 3, 4], "phase": "take"}
    assert Position.complete(taking, num_players=2, copies=3).to_act == 0


def test_italian_reading_of_a_position_is_kept() -> None:
    game = Game(2)
    game.reset(1, position={"italian_reading": True})
    assert game.position().italian_reading


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("num_players", {"num_players": 1}),
    ("num_players", {"num_players": 6}),
    ("num_players", {"num_players": "3"}),
    ("copies", {"copies": 0}),
    ("copies", {"copies": True}),
    ("italian_reading", {"italian_reading": 1}),
    ("middle", {"middle": [3, 3, 3, 3]}),
    ("middle", {"middle": "33332"}),
    ("middle[0]", {"middle": [4, 3, 3, 3, 2]}),
    ("middle[2]", {"middle": [3, 3, -1, 3, 2]}),
    ("middle[4]", {"middle": [3, 3, 3, 3, 3]}),
    ("middle", {"middle": [0, 0, 0, 0, 0]}),
    ("players", {"players": EXAMPLE["players"][:2]}),
    ("players", {"players": None}),
    ("players[1]", {"players": [EXAMPLE["players"][0], {"markers": [0] * 5}, EXAMPLE["players"][2]]}),
    ("players[0].frustrations", {"players": [{"markers": [0] * 5, "frustrations": -1}, *EXAMPLE["players"][1:]]}),
    ("players[0].markers[1]", {"players": [{"markers": [0, 4, 0, 0, 0], "frustrations": 0}, *EXAMPLE["players"][1:]]}),
    ("players", {"players": [{"markers": [2, 0, 0, 0, 0], "frustrations": 0}] * 3}),
    ("murphy", {"murphy": 3}),
    ("active", {"active": None}),
    ("active", {"active": 3}),
    ("target", {"target": 8}),
    ("target", {"target": None}),
    ("targets", {"targets": 8}),
    ("targets", {"targets": 2}),
    ("targets", {"targets": 7}),
    ("ravens", {"ravens": 5}),
    ("ravens", {"ravens": -1}),
    ("reduced", {"reduced": "no"}),
    ("after_reduction", {"after_reduction": True}),
    ("frustraters", {"frustraters": [0]}),
    ("frustraters", {"frustraters": [1, 1]}),
    ("frustraters", {"frustraters": 1}),
    ("frustraters[0]", {"frustraters": [5]}),
    ("last_throw", {"last_throw": []}),
    ("last_throw", {"last_throw": [6, 6]}),
    ("last_throw[1]", {"last_throw": [6, 2, 3]}),
    ("phase", {"phase": "sleep"}),
    ("phase", {"phase": ["throw"]}),
    ("phase", {"phase": "over", "to_act": None}),
    ("last_throw", {"phase": "target", "to_act": 0, "target": None}),
    ("targets", {"phase": "throw", "to_act": None}),
    ("targets", {"phase": "discard", "to_act": 0, "targets": 3, "last_throw": [6, 3, 3]}),
    ("players", {"phase": "discard", "to_act": 0}),
    ("frustraters", {"phase": "join"}),
    ("to_act", {"phase": "join", "frustraters": [1]}),
    ("to_act", {"to_act": None}),
    ("to_act", {"to_act": 0}),
    ("to_act", {"phase": "reduce"}),
    ("to_act", {"phase": "throw", "targets": 2, "last_throw": []}),
    ("turn", {"turn": -1}),
    ("turn", {"turn": 1.0}),
    ("'colour'", {"colour": "red"}),
]


@pytest.mark.parametrize(("field", "change"), WRONG, ids=[f"{k}-{field}" for k, (field, _) in enumerate(WRONG)])
def test_an_impossible_position_is_refused_by_the_name_of_its_field(field: str, change: dict[str, Any]) -> None:
    with pytest.raises(PositionError) as refusal:
        Position.parse({**EXAMPLE, **change})
    assert refusal.value.field == field
    assert str(refusal.value).startswith(f"position: {field} ")
    assert "\n" not in str(refusal.value)


def test_after_reduction_belongs_to_the_rethrow_only() -> None:  # Q3
    throw = {**EXAMPLE, "phase": "throw", "to_act": None, "targets": 2, "reduced": True, "after_reduction": True}
    Position.parse({**throw, "last_throw": []})
    with pytest.raises(PositionError, match="after_reduction is true, but the coming throw repeats nothing"):
        Position.parse({**throw, "targets": 3, "ravens": 1, "last_throw": [6, 3, 3, 4]})


FIRST_THROWS: list[tuple[str, dict[str, Any]]] = [
    ("ravens", {"phase": "target", "target": None, "ravens": 1, "targets": 0}),
    ("targets", {"phase": "target", "target": None, "ravens": 2, "targets": 1}),
    ("target", {"phase": "target", "target": 7, "ravens": 2, "targets": 1}),
    ("target", {"phase": "reduce", "target": None, "ravens": 2, "targets": 0}),
    ("target", {"phase": "reduce", "target": 4, "ravens": 2, "targets": 0}),
    ("targets", {"phase": "reduce", "target": 7, "ravens": 2, "targets": 2}),
    ("reduced", {"phase": "target", "target": None, "ravens": 2, "targets": 0, "reduced": True}),
    ("frustraters", {"phase": "target", "target": None, "ravens": 2, "targets": 0, "frustraters": [1]}),
]


@pytest.mark.parametrize(("field", "change"), FIRST_THROWS)
def test_impossible_first_throws(field: str, change: dict[str, Any]) -> None:
    first = {**EXAMPLE, "last_throw": [7, 0, 3, 3, 5, 6, 0], "to_act": 0, **change}
    with pytest.raises(PositionError) as refusal:
        Position.parse(first)
    assert refusal.value.field == field


def test_three_ravens_at_once_leave_no_target_to_choose() -> None:  # the ruling after R9
    ravens = {**EXAMPLE, "last_throw": [0, 0, 0, 5, 5, 5, 5], "to_act": 0, "ravens": 3, "targets": 4, "target": 5}
    Position.parse({**ravens, "phase": "reduce"})
    for change, field in [
        ({"phase": "target"}, "phase"),
        ({"phase": "reduce", "target": None}, "target"),
        ({"phase": "reduce", "last_throw": [0, 0, 0, 5, 5, 5, 6]}, "target"),
    ]:
        with pytest.raises(PositionError) as refusal:
            Position.parse({**ravens, **change})
        assert refusal.value.field == field


def test_join_is_refused_where_nobody_could_have_started() -> None:  # R18, Q3
    join = {**EXAMPLE, "phase": "join", "frustraters": [1], "to_act": 2}
    Position.parse(join)
    for change in (
        {"last_throw": [3, 4, 5], "targets": 2},  # empty
        {"last_throw": [6, 6, 6], "targets": 5},  # greedy
        {"italian_reading": True, "reduced": True, "after_reduction": True},
    ):
        with pytest.raises(PositionError, match="phase is 'join', but"):
            Position.parse({**join, **change})


def test_a_missing_field_is_named() -> None:
    for name in EXAMPLE:
        with pytest.raises(PositionError, match=f"position: {name} is missing"):
            Position.parse({key: value for key, value in EXAMPLE.items() if key != name})


@pytest.mark.parametrize(
    "text",
    ["", "x", "{", "{]", "[1, 2]", "null", "3x3", TEXT + "_0", TEXT.replace("663", "6x3"), TEXT.replace("f2", ""),
     TEXT.replace("frustrate1", "Frustrate1"), TEXT.replace("_-_0", "_9_0"), TEXT.replace("3x3", "9x3"),
     TEXT.replace("_9", "_99999999999999999999"), "{" * 100_000, TEXT.replace("642_-_", "642__"),
     '{"turn": ' + "9" * 6000 + "}"],
)  # fmt: skip
def test_malformed_text_is_refused(text: str) -> None:
    with pytest.raises(PositionError):
        Position.parse(text)


@pytest.mark.parametrize("source", [None, 3, [], b"", object()])
def test_what_is_no_position_is_refused(source: Any) -> None:
    with pytest.raises(PositionError, match="must be an object"):
        Position.parse(source)


def test_num_players_and_copies_must_be_the_games_own() -> None:
    game = Game(3, 3)
    game.reset(1)
    before = game.position()
    for change, field in (({"num_players": 2}, "num_players"), ({"copies": 2}, "copies")):
        with pytest.raises(PositionError) as refusal:
            game.reset(1, position=change)
        assert refusal.value.field == field
    assert game.position() == before


def test_a_finished_game_can_not_be_played_on() -> None:
    over = {"middle": [0] * 5, "phase": "over"}
    Position.complete(over, num_players=2, copies=3)
    with pytest.raises(ValueError, match="phase is 'over'"):
        Game(2).reset(1, position=over)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda children: st.lists(children, max_size=7) | st.dictionaries(st.text(max_size=8), children, max_size=4),
    max_leaves=10,
)


@settings(max_examples=400, deadline=None)
@given(field=st.sampled_from(sorted(EXAMPLE)), value=JSON_VALUES)
def test_any_value_in_any_field_is_accepted_or_refused_with_a_sentence(field: str, value: Any) -> None:
    try:
        position = Position.parse({**copy.deepcopy(EXAMPLE), field: value})
    except PositionError as refusal:
        assert str(refusal).startswith("position: ")
    else:
        assert Position.parse(position.to_text()) == position


@settings(max_examples=300, deadline=None)
@given(text=st.text(max_size=80) | st.from_regex(r"\d+x\d+i?(_[-\da-z.]{0,20}){9}", fullmatch=True))
def test_any_text_is_accepted_or_refused_with_a_sentence(text: str) -> None:
    try:
        Position.parse(text)
    except PositionError as refusal:
        assert str(refusal).startswith("position: ")


POSITIONS = random_positions(7, 12)


@settings(max_examples=400, deadline=None)
@given(
    position=st.sampled_from(POSITIONS),
    field=st.sampled_from(["targets", "ravens", "target", "phase", "to_act", "active", "last_throw", "frustraters"]),
    other=st.sampled_from(POSITIONS),
    script=st.lists(st.sampled_from([0, 3, 4, 5, 6, 7]), max_size=40),
    choices=st.lists(st.integers(0, 1000), max_size=60),
)
def test_whatever_is_accepted_can_be_played(
    position: Position, field: str, other: Position, script: list[int], choices: list[int]
) -> None:
    """Mix two possible positions: what validation lets through must keep every invariant in play."""
    mixed = {**position.to_dict(), field: copy.deepcopy(other[field])}
    game = Game(position.num_players, position.copies, skip_forced=False)
    try:
        game.reset(3, dice=script, position=mixed)
    except ValueError:
        return
    for choice in choices:
        if not game.bits:
            break
        now = game.position()
        assert Position.parse(now.to_dict()) == now
        assert now.targets + now.ravens <= 7
        legal = action_list(game.bits)
        game.step(legal[choice % len(legal)])


def test_numpy_numbers_are_welcome() -> None:
    numbers = {**EXAMPLE, "turn": np.int64(9), "middle": tuple(np.array([3, 3, 3, 3, 2]))}
    assert Position.parse(numbers).to_dict() == EXAMPLE
