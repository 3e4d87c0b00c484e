"""A decision whose answer was lost on its way is sent again, and counts once."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("fastapi")
from fastapi.testclient import TestClient

from tests.rooms import BOT, ME, OPEN, client, clock, join, sit_down, stream

__all__ = ["client", "clock"]  # fixtures


def decisions(client: TestClient, room: str, seat: int) -> list[int]:
    chosen = [event for event in stream(client, room) if event["kind"] == "action" and not event["forced"]]
    return [event["action"] for event in chosen if event["seat"] == seat]


def test_what_had_arrived_is_no_refusal_and_counts_once(client: TestClient) -> None:
    me = sit_down(client, ME, BOT)
    state = me.asked()
    body: dict[str, Any] = {"action": state["legal"][0], "played": state["played"]}
    again = {**body, "after": state["events"]}
    assert me.post("act", **again).status_code == 200, "it had not arrived"
    me.asked()
    done = decisions(client, me.room, me.seat)
    for _ in range(3):
        found = me.post("act", **again)
        assert found.status_code == 200 and found.json()["played"] > state["played"]
    assert decisions(client, me.room, me.seat) == done, "nothing was done twice"
    refused = me.post("act", **body)
    assert refused.status_code == 409 and refused.json()["code"] == "gone_on"
    other = {**again, "action": state["legal"][1]}
    assert me.post("act", **other).json()["code"] == "gone_on", "another decision was made"
    late = {**again, "after": state["events"] + 1}
    assert me.post("act", **late).json()["code"] == "gone_on", "what came after that was something else"
    assert me.post("act", **{**again, "after": 10**6}).json()["code"] == "gone_on"
    assert me.post("act", **{**again, "after": -1}).status_code == 422
    ahead = {**again, "played": 10**6}
    assert me.post("act", **ahead).json()["code"] == "gone_on", "nobody can have seen that yet"
    assert client.post(f"/api/rooms/{me.room}/act", json=again).status_code == 403
    assert decisions(client, me.room, me.seat) == done


def test_a_decision_of_somebody_else_is_not_taken_for_ours(client: TestClient) -> None:
    ann = sit_down(client, ME, OPEN, name="Ann")
    bob = join(client, ann.room, "Bob")
    first = ann.wait(lambda state: state["to_act"] is not None)
    asked, other = (ann, bob) if first["to_act"] == ann.seat else (bob, ann)
    body = {"action": first["legal"][0], "played": first["played"], "after": first["events"]}
    assert asked.post("act", **body).status_code == 200
    assert other.post("act", **body).json()["code"] == "gone_on"
    assert asked.post("act", **body).status_code == 200
