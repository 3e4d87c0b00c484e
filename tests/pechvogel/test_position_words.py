"""What is wrong with a position is said in the reader's language: every refusal has a code, and words for it."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
from fastapi.testclient import TestClient

import pechvogel_env.position
from pechvogel_env.position import Position, PositionError
from tests.rooms import BOT, ME, client, clock, sit_down

__all__ = ["client", "clock"]  # fixtures
WORDS = Path(__file__).parents[2] / "play/pechvogel/web/words"
FRESH = Position.complete({}, num_players=3, copies=3).to_dict()
LATER = {
    **FRESH,
    "phase": "frustrate",
    "to_act": 1,
    "target": 5,
    "targets": 3,
    "ravens": 1,
    "last_throw": [5, 3, 4, 4],
}


def test_every_code_has_words() -> None:
    assert pechvogel_env.position.__file__ is not None
    tree = ast.parse(Path(pechvogel_env.position.__file__).read_text(encoding="utf-8"))
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "PositionError"
    ]
    codes = {call.args[2].value for call in calls if len(call.args) > 2 and isinstance(call.args[2], ast.Constant)}
    assert len(codes) > 15
    for language in ("en", "de", "fr", "it"):
        words = json.loads((WORDS / f"{language}.json").read_text(encoding="utf-8"))
        assert {f"error.position_{code}" for code in codes | {"other"}} <= set(words), language
        for call in calls:
            if len(call.args) > 2 and isinstance(call.args[2], ast.Constant):
                facts = dict.fromkeys([keyword.arg for keyword in call.keywords if keyword.arg], 1)
                words[f"error.position_{call.args[2].value}"].format(field="", **facts)  # nothing is missing


@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        (
            "markers",
            {**FRESH, "middle": [3, 3, 3, 3, 2], "players": [{"markers": [0, 0, 0, 0, 2], "frustrations": 0}] * 3},
        ),
        ("markers_left", {**FRESH, "phase": "over"}),
        ("middle_empty", {**FRESH, "middle": [0] * 5}),
        ("number", {**FRESH, "active": 3}),
        ("asked", {**LATER, "to_act": 0}),
        ("dice", {**LATER, "last_throw": [5, 3, 4, 4, 6]}),
        ("board", {**LATER, "ravens": 4}),
        ("no_throw", {**LATER, "last_throw": []}),
        ("later_throw", {**LATER, "phase": "throw", "to_act": None, "targets": 4}),
        ("four_needed", {**LATER, "phase": "take", "to_act": 0}),
        ("no_starter", {**LATER, "phase": "join", "to_act": 2}),
        ("frustraters", {**LATER, "frustraters": [0]}),
        ("first_throw", {**FRESH, "reduced": True}),
        ("line", "3x3_1"),
        ("line", '{"phase": "throw"}'),
        ("other", {**FRESH, "colour": 1}),
    ],
)
def test_the_api_says_what_is_wrong(client: TestClient, code: str, wrong: Any) -> None:
    text = wrong if isinstance(wrong, str) else json.dumps(wrong)
    with pytest.raises(PositionError) as refused:
        Position.parse(text)
    assert refused.value.code == code
    answer = client.get("/api/analyse", params={"position": text})
    assert answer.status_code == 422
    found = answer.json()
    assert found["code"] == f"position_{code}" and found["error"] == str(refused.value)
    assert found["facts"] == {"field": refused.value.field, **refused.value.facts}


def test_other_refusals_have_no_facts(client: TestClient) -> None:
    me = sit_down(client, ME, BOT)
    assert set(me.post("act", action=17, played=99).json()) == {"error", "code"}
