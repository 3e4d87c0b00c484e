"""The trainer's requests: puzzles are asked without their answers, and answered with reasons."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("fastapi")
from fastapi.testclient import TestClient

from pechvogel.play.pechvogel import trainer
from tests.rooms import client, clock

__all__ = ["client", "clock"]  # fixtures


def every(client: TestClient) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get("/api/puzzles").json()["puzzles"]
    return found


def test_all_puzzles_are_listed_with_what_they_are_about(client: TestClient) -> None:
    found = every(client)
    assert len(found) == len(trainer.puzzles()) >= 100
    for row in found:
        assert (
            set(row) == {"id", "theme", "level", "players"} and row["level"] in (1, 2, 3) and 2 <= row["players"] <= 5
        )


def test_a_question_has_no_answer_in_it(client: TestClient) -> None:
    for row in every(client)[::10]:
        asked = client.get(f"/api/puzzles/{row['id']}")
        assert asked.status_code == 200
        told = asked.json()
        assert set(told) == {"id", "theme", "level", "judge", "position", "scores", "legal"}
        assert told["legal"] == sorted(told["legal"]) and told["position"]["to_act"] is not None
        assert told["position"]["phase"] == told["theme"] == row["theme"]
        for word in ("win_share", "costs", "reason", "falls", "best", "right"):
            assert word not in asked.text


def test_an_answer_says_what_every_action_wins_and_why(client: TestClient) -> None:
    for row in every(client)[::25]:
        legal = client.get(f"/api/puzzles/{row['id']}").json()["legal"]
        told = {action: client.post(f"/api/puzzles/{row['id']}", json={"action": action}).json() for action in legal}
        (right,) = [action for action in legal if told[action]["right"]]
        rows = told[right]["actions"]
        assert rows[0]["action"] == right and sorted(one["action"] for one in rows) == legal
        assert all(one["cases"] and one["reason"]["kind"] for one in rows)
        assert told[right]["falls"] and told[right]["text"] == trainer.puzzles()[row["id"]]["position"]


def test_what_makes_no_sense_is_refused(client: TestClient) -> None:
    name = every(client)[0]["id"]
    legal = client.get(f"/api/puzzles/{name}").json()["legal"]
    wrong = next(action for action in range(18) if action not in legal)
    for method, path, body, status, sentence in (
        ("GET", "/api/puzzles/00000000", None, 404, "there is no puzzle 00000000"),
        ("POST", "/api/puzzles/00000000", {"action": 5}, 404, "there is no puzzle 00000000"),
        ("GET", "/api/puzzles/..", None, 404, ""),
        ("GET", "/api/puzzles/" + "a" * 4000, None, 422, "puzzle: "),
        ("POST", f"/api/puzzles/{name}", {"action": wrong}, 422, f"action {wrong} is not legal here"),
        ("POST", f"/api/puzzles/{name}", {"action": 18}, 422, "action: "),
        ("POST", f"/api/puzzles/{name}", {"action": "x"}, 422, "action: "),
        ("POST", f"/api/puzzles/{name}", {"action": 5, "more": 1}, 422, "more: "),
        ("POST", f"/api/puzzles/{name}", None, 422, ""),
    ):
        done = client.request(method, path, json=body)
        assert done.status_code == status and sentence in done.json()["error"], (path, body, done.text)
    large = client.post(f"/api/puzzles/{name}", content=json.dumps({"action": 5, "x": "y" * 20_000}))
    assert large.status_code in (413, 415)


def test_the_trainer_and_the_explorer_have_pages(client: TestClient) -> None:
    for path in ("/train", "/explore", "/train?theme=target"):
        assert client.get(path).headers["content-type"].startswith("text/html")
    figures = client.get("/web/explorer.json")
    assert figures.status_code == 200 and set(figures.json()) >= {"copies", "games", "first", "axes", "subjects"}
    assert client.get("/web/puzzles.json").status_code == 404, "answers are nobody's to download with the page"
