"""Lucky Loser in the rooms of the server: people, agents, fair and real dice, taking back, coach, review, records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
from fastapi.testclient import TestClient

from lucky_loser_env import record
from pechvogel.play import fair
from pechvogel.play.hub import Hub
from pechvogel.play.server import create_app
from pechvogel.play.store import Store
from tests.rooms import BOT, LOCAL, ME, OPEN, Player, client, clock, join, sit_down, stream

__all__ = ["client", "clock"]  # fixtures

GAME = {"game": "lucky-loser"}
SHORT = {**GAME, "row_lengths": [1, 1, 1, 1, 1, 1]}


def play_first(me: Player) -> dict[str, Any]:
    """To the end, always by what is listed first."""
    while not (state := me.asked())["over"]:
        done = me.post("act", action=state["choices"][0]["action"], played=state["played"])
        assert done.status_code == 200, done.text
    return state


def test_a_whole_game_with_its_proof_review_and_rematch(client: TestClient) -> None:
    me = sit_down(client, ME, BOT, {"kind": "agent", "agent": "random"}, **GAME)
    state = me.look()
    assert state["game"] == "lucky-loser" and state["row_lengths"] == [4] * 6 and "copies" not in state
    asked = me.asked()
    assert sorted(one["action"] for one in asked["choices"]) == asked["legal"]
    state = play_first(me)
    assert state["winners"] and state["choices"] == []
    kept = me.get("/record")
    assert "lucky-loser-" in kept.headers["content-disposition"]
    found = record.verify(json.loads(kept.text))
    fair.verify(found)
    assert found["scores"] == state["scores"] and found["proof"]["promise"] == state["promise"]
    review = me.get("/review").json()
    assert len(review["shares"]) == len(review["steps"]) + 1 and review["decisions"]
    for seat in range(3):
        change = review["shares"][-1][seat] - review["shares"][0][seat]
        parts = sum(review[part][seat] for part in ("luck", "skill", "others", "drift"))
        assert change == pytest.approx(parts, abs=1e-4)
    assert all(row["costs"] >= 0 for row in review["decisions"])
    kinds = {event["kind"] for event in stream(client, me.room)}
    assert {"begin", "throw", "action", "over"} <= kinds and "end" not in kinds
    told = me.get("/summary")
    assert told.status_code == 422 and "not remembered" in told.json()["error"]
    again = me.post("rematch").json()
    assert again["state"]["game"] == "lucky-loser" and again["seat"] == 0
    picture = client.get(f"/api/preview/game/{me.room}")
    assert picture.headers["content-type"] == "image/png" and len(picture.content) > 1000
    page = client.get(f"/game/{me.room}", headers={"Accept": "text/html", "Accept-Language": "de"}).text
    assert "Lucky Loser: ein Spiel für 3" in page


def test_two_people_and_an_agent(client: TestClient) -> None:
    ann = sit_down(client, ME, OPEN, BOT, name="Ann", take_back=True, coach=True, first_player=0, **SHORT)
    assert not ann.look()["begun"]
    bob = join(client, ann.room, "Bob")
    state = ann.asked()
    assert state["to_act"] == 0 and ann.get("/advice").status_code == 409, "both have to agree"
    assert ann.post("act", action=state["legal"][-1], played=state["played"]).status_code == 200
    assert bob.asked()["to_act"] == 1 and ann.post("take_back", played=bob.look()["played"]).status_code == 409
    for what in ("take_back", "coach"):
        assert bob.post("wish", what=what, on=True).status_code == 200
    advice = bob.get("/advice").json()
    legal = bob.look()["legal"]
    assert sorted(row["action"] for row in advice["actions"]) == legal and advice["actions"][0]["costs"] == 0
    back = ann.post("take_back", played=bob.look()["played"]).json()
    assert back["to_act"] == 0 and back["legal"] == state["legal"]
    while not (state := ann.look())["over"]:
        for person in (ann, bob):
            state = person.wait(lambda state: state["over"] or state["to_act"] in (0, 1))
            if state["to_act"] == person.seat:
                person.post("act", action=state["choices"][0]["action"], played=state["played"])
    found = json.loads(ann.get("/record").text)
    fair.verify(record.verify(found))
    assert found["proof"]["taken_back"] == 1 and len([1 for one in found["proof"]["numbers"] if one]) == 2


def test_real_dice(client: TestClient) -> None:
    me = sit_down(client, ME, BOT, real_dice=True, first_player=0, **SHORT)
    state = me.look()
    assert state["dice_due"] == 4
    for faces in ([1, 2, 3], [0, 1, 2, 3], [1, 2, 3, 7]):
        assert me.post("throw", faces=faces, played=state["played"]).status_code == 409
    state = me.post("throw", faces=[5, 5, 6, 6], played=0).json()
    assert state["to_act"] == 0 and state["choices"][0]["sums"] == [5, 5, 6, 6]
    assert state["choices"][0]["chips"] == [[5, 2], [6, 2]] and state["choices"][0]["points"] == 22


def test_what_is_refused(client: TestClient) -> None:
    def refused(status: int, sentence: str, *seats: dict[str, Any], **more: Any) -> None:
        answer = client.post("/api/rooms", json={"seats": list(seats), **more})
        assert answer.status_code == status and sentence in answer.json()["error"], answer.text

    refused(422, "game", ME, BOT, game="chess")
    refused(422, "copies is no setting of lucky-loser", ME, BOT, **GAME, copies=2)
    refused(422, "row_lengths is no setting of pechvogel", ME, BOT, row_lengths=[4] * 6)
    refused(422, "row_lengths[0] must be from 1 to 8", ME, BOT, **GAME, row_lengths=[9, 4, 4, 4, 4, 4])
    refused(422, "row_lengths", ME, BOT, **GAME, row_lengths=[4, 4])
    refused(422, "num_players must be from 2 to 4, not 5", ME, BOT, BOT, BOT, BOT, **GAME)
    refused(422, "there is no agent 'planner' here", ME, {"kind": "agent", "agent": "planner"}, **GAME)
    refused(422, "position", ME, BOT, **GAME, position="2x3_33333_00000f0.00000f0_-_0_---_-_-_throw_0")
    me = sit_down(client, ME, BOT, first_player=0)
    state = me.asked()
    assert state["game"] == "pechvogel" and "choices" not in state
    assert me.post("act", action=30, played=state["played"]).status_code == 422, "Pechvogel has fewer actions"


def test_what_can_be_played(client: TestClient) -> None:
    found = client.get("/api/games").json()
    assert [one["name"] for one in found["games"]] == ["pechvogel", "lucky-loser"] and found["first"] == "pechvogel"
    assert found["games"][1]["players"] == [2, 3, 4] and len(found["games"][1]["actions"]) == 49
    agents = client.get("/api/agents", params=GAME).json()
    assert {"random", "heuristic"} <= set(agents["agents"]) and "planner" not in agents["agents"]
    assert client.get("/api/agents", params={"game": "chess"}).status_code == 422
    for path in ("js/game.js", "css/table.css", "words/de.json"):
        assert client.get(f"/web/lucky-loser/{path}").status_code == 200


def test_analysis_of_any_position(client: TestClient) -> None:
    me = sit_down(client, ME, BOT, first_player=0, **GAME)
    position = json.dumps(me.asked()["position"])
    found = client.get("/api/analyse", params={**GAME, "position": position}).json()
    assert found["advice"]["seat"] == 0 and sum(found["shares"]) == pytest.approx(1)
    assert client.get("/api/analyse", params={"position": position}).status_code == 422


def test_both_games_are_in_one_file_and_survive_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    rooms: dict[str, dict[str, Any]] = {}
    for _ in range(2):
        with TestClient(create_app(Hub(Store(path)), rate=10_000), LOCAL) as server:
            if rooms:
                for name, state in rooms.items():
                    assert server.get(f"/api/rooms/{name}").json() == state
            else:
                for wish in (GAME, {}):
                    me = sit_down(server, ME, OPEN, **wish)
                    join(server, me.room, "Bob")
                    rooms[me.room] = me.look()
    assert {state["game"] for state in rooms.values()} == {"pechvogel", "lucky-loser"}


def test_long_rooms_are_loaded_from_snapshots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pechvogel.play import hub as hubs
    from pechvogel.play import store

    for module in (hubs, store):
        monkeypatch.setattr(module, "EVERY", 8)
    path = tmp_path / "games.sqlite"
    with TestClient(create_app(Hub(Store(path)), rate=10_000), LOCAL) as server:
        me = sit_down(server, ME, BOT, first_player=0, take_back=True, **GAME)
        for _ in range(8):
            state = me.asked()
            me.post("act", action=state["choices"][0]["action"], played=state["played"])
        me.post("take_back", played=me.asked()["played"])
        state, events = me.asked(), list(stream(server, me.room))
    with TestClient(create_app(Hub(Store(path)), rate=10_000), LOCAL) as server:
        assert server.get(f"/api/rooms/{me.room}").json() == state
        assert list(stream(server, me.room)) == events
        again = Player(server, me.room, 0, None)
        again.headers = me.headers
        assert play_first(again)["over"]
