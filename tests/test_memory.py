"""What is remembered of people's games: summaries of games, private links, ratings; and what strangers can't do."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
from fastapi.testclient import TestClient

from pechvogel.play import memory
from pechvogel.play.hub import Hub
from pechvogel.play.pechvogel.summary import error_kind
from pechvogel.play.server import create_app
from pechvogel.play.store import MIGRATIONS, Store
from pechvogel_env.rules import Action
from tests.rooms import BOT, LOCAL, ME, OPEN, Clock, client, clock, join, sit_down

__all__ = ["client", "clock"]  # fixtures

DAY = 86_400.0


def game(number: int, **more: Any) -> dict[str, Any]:
    """One that a browser may remember."""
    return {
        "room": f"room-{number:08}",
        "at": 1000 + number,
        "game": "pechvogel",
        "players": 2,
        "opponents": ["champion:level=3"],
        "result": 1.0,
        "score": 31,
        "decisions": 40,
        "cost": 0.2,
        "luck": 0.31,
        "errors": {"target": 0.15, "frustrate_missed": 0.05},
        "judge": "champion",
        "counts": True,
        **more,
    }


class Link:
    """Somebody with a private link."""

    def __init__(self, client: TestClient, token: str | None = None) -> None:
        self.client = client
        self.token = token or client.post("/api/memory").json()["token"]
        self.headers = {"Authorization": f"Bearer {self.token}"}

    def add(self, *games: dict[str, Any]) -> Any:
        return self.client.post("/api/memory/games", json={"games": games}, headers=self.headers)

    def read(self, after: str = "") -> Any:
        return self.client.get("/api/memory", params={"after": after}, headers=self.headers)

    def all(self) -> list[dict[str, Any]]:
        found, after = [], ""
        while after is not None:
            answer = self.read(after).json()
            found += answer["games"]
            after = answer["next"]
        return found

    def delete(self) -> Any:
        return self.client.delete("/api/memory", headers=self.headers)


# ------------------------------------------------------------------------------------------------ finished games


def test_a_finished_game_is_summed_up(client: TestClient) -> None:
    me = sit_down(client, ME, {"kind": "agent", "agent": "champion:level=2"})
    assert client.get(f"/api/rooms/{me.room}/summary").status_code == 409, "it is not over"
    state = me.play_to_the_end()
    review, (mine, theirs) = me.get("/review").json(), me.get("/summary").json()
    assert mine["opponents"] == ["champion:level=2"] and theirs["opponents"] == ["person"]
    assert mine["result"] + theirs["result"] == 1 and mine["score"] == state["scores"][0]
    costs = [row["costs"] for row in review["decisions"] if row["seat"] == 0]
    assert mine["decisions"] == len(costs) and mine["cost"] == pytest.approx(sum(costs), abs=1e-5)
    assert sum(mine["errors"].values()) == pytest.approx(sum(costs), abs=1e-4)
    assert mine["luck"] == pytest.approx(review["luck"][0], abs=1e-5)
    assert mine["counts"] and not theirs["counts"] and mine["judge"] in ("champion", "exact")
    link = Link(client)
    kept = {**mine, "room": me.room, "at": 5}
    assert link.add(kept).json() == {"games": 1} and link.all() == [kept], "it is as a browser would keep it"


def test_what_counts_for_a_rating(client: TestClient, clock: Clock) -> None:
    def counts(player: Any) -> list[bool]:
        player.play_to_the_end()
        return [row["counts"] for row in player.get("/summary").json()]

    assert counts(sit_down(client, ME, BOT)) == [True, False]
    assert counts(sit_down(client, BOT, ME)) == [False, True]
    assert not any(counts(sit_down(client, ME, BOT, BOT))), "levels are measured at two players"
    assert not any(counts(sit_down(client, ME, BOT, copies=1)))
    assert not any(counts(sit_down(client, ME, BOT, italian_reading=True)))
    assert not any(counts(sit_down(client, ME, BOT, coach=True)))
    helped = sit_down(client, ME, BOT)
    helped.asked()
    assert helped.post("hint").status_code == 200
    assert not any(counts(helped))
    ann = sit_down(client, ME, OPEN, name="Ann")
    bob = join(client, ann.room, "Bob")
    away = next(seat for seat in (ann, bob) if seat.look()["to_act"] == seat.seat)
    other = bob if away is ann else ann
    clock.now += 1000
    assert other.post("stand_in", seat=away.seat).status_code == 200
    assert away.post("return").status_code == 200
    for _ in range(400):
        state = ann.look()
        if state["over"]:
            break
        player = (ann, bob)[state["to_act"]]
        assert player.post("act", action=state["legal"][-1], played=state["played"]).status_code == 200
    assert [row["counts"] for row in ann.get("/summary").json()] == [False, False], "an agent has played for one"
    assert ann.get("/summary").json()[0]["opponents"] == ["person"], "nobody's name is remembered"


@pytest.mark.parametrize(
    ("phase", "action", "best", "kind"),
    [
        ("target", 0, 4, "target"),
        ("reduce", Action.PASS, Action.REDUCE, "reduce_missed"),
        ("reduce", Action.REDUCE, Action.PASS, "reduce_needless"),
        ("frustrate", Action.PASS, Action.FRUSTRATE, "frustrate_missed"),
        ("frustrate", Action.FRUSTRATE, Action.PASS, "frustrate_needless"),
        ("join", Action.FRUSTRATE, Action.PASS, "join_needless"),
        ("take", Action.TAKE, Action.STEAL_1, "steal_missed"),
        ("take", Action.STEAL_1, Action.TAKE, "steal_needless"),
        ("take", Action.STEAL_1, Action.STEAL_2, "steal_victim"),
        ("discard", Action.DISCARD_3, Action.DISCARD_7, "discard"),
    ],
)
def test_kinds_of_errors(phase: str, action: int, best: int, kind: str) -> None:
    assert error_kind(phase, action, best) == kind


# ------------------------------------------------------------------------------------------------ private links


def test_a_link_remembers(client: TestClient) -> None:
    link = Link(client)
    assert link.read().json() == {"games": [], "next": None, "keep_days": 365}
    many = [game(number) for number in range(230)]
    for at in range(0, 230, 40):
        assert link.add(*many[at : at + 40]).status_code == 200
    assert link.all() == many
    assert link.add(game(3, score=-7)).json() == {"games": 230}, "a known game is replaced"
    assert link.all()[3]["score"] == -7
    other = Link(client)
    assert other.token != link.token and other.all() == []
    assert link.delete().status_code == 204
    assert link.read().status_code == 404 and link.add(game(1)).status_code == 404 and link.delete().status_code == 404
    assert other.read().status_code == 200


def test_the_server_keeps_no_token(client: TestClient, tmp_path: Path) -> None:
    link = Link(client)
    link.add(game(1))
    with closing(sqlite3.connect(tmp_path / "games.sqlite")) as db:
        everything = "\n".join(db.iterdump())
    assert link.token not in everything and "room-00000001" in everything
    assert len(link.token) >= 22, "128 bits"


def test_forged_links_open_nothing(client: TestClient) -> None:
    link = Link(client)
    link.add(game(1))
    for forged in (None, "", "Bearer", "Bearer ", "Bearer x", "Basic {}", "{}", "Bearer {}x", "Bearer {}, Bearer {}"):
        headers = {} if forged is None else {"Authorization": forged.format(link.token, link.token)}
        for answer in (
            client.get("/api/memory", headers=headers),
            client.post("/api/memory/games", json={"games": [game(2)]}, headers=headers),
            client.delete("/api/memory", headers=headers),
        ):
            assert answer.status_code == 404 and answer.json()["code"] == "no_memory", forged
    assert link.all() == [game(1)]


NONSENSE: list[dict[str, Any]] = [
    {"room": "../../etc"},
    {"room": "x"},
    {"room": "a" * 33},
    {"at": -1},
    {"at": 1e300},
    {"opponents": []},
    {"opponents": ["<script>"]},
    {"opponents": ["x"] * 10},
    {"result": 1.5},
    {"result": "NaN"},
    {"cost": -0.1},
    {"luck": 1e9},
    {"errors": {"__proto__": 1.0}},
    {"errors": {f"kind{'abcdefghijklmnopqrstuvwxyz'[k]}": 1.0 for k in range(17)}},
    {"errors": {"target": None}},
    {"more": 1},
    {"counts": None},
    {"score": 10**9},
]


def test_nonsense_is_not_remembered(client: TestClient) -> None:
    link = Link(client)
    for wrong in NONSENSE:
        answer = link.add(game(1), game(2, **wrong))
        assert answer.status_code == 422 and "error" in answer.json() and link.all() == [], wrong


def test_huge_and_broken_imports_are_refused(client: TestClient) -> None:
    link = Link(client)
    assert link.add(*[game(number) for number in range(41)]).status_code in (413, 422)
    headers = {**link.headers, "Content-Type": "application/json"}
    for body, status in [
        (b'{"games":[' + b" " * 20_000 + b"]}", 413),
        (b"[" * 10_000, 400),
        (b'{"games":[{}]}', 422),
        (b"\xff\xfe", 422),
        (b'{"games":' + json.dumps([game(1)]).replace("0.2", "1e999").encode() + b"}", 422),
        (b'{"games":' + json.dumps([game(1)]).replace("0.2", "NaN").encode() + b"}", 422),
    ]:
        answer = client.post("/api/memory/games", content=body, headers=headers)
        assert answer.status_code == status, (body[:30], answer.text)
    assert link.all() == []


def test_memories_are_bounded(client: TestClient, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    links = [Link(client) for _ in range(memory.PER_DAY)]
    refused = client.post("/api/memory")
    assert refused.status_code == 429 and refused.json()["code"] == "too_fast"
    monkeypatch.setattr(memory, "MAX_GAMES", 5)
    assert links[0].add(*[game(number, at=100 - number) for number in range(8)]).json() == {"games": 5}
    assert [row["at"] for row in links[0].all()] == [100, 99, 98, 97, 96], "the oldest have gone"
    monkeypatch.setattr(memory, "MAX_ALL", 7)
    assert links[1].add(game(1), game(2)).status_code == 200
    full = links[1].add(game(3))
    assert full.status_code == 503 and full.json()["code"] == "memory_full" and len(links[1].all()) == 2
    clock.now += DAY
    monkeypatch.setattr(memory, "MAX_MEMORIES", memory.PER_DAY)
    assert client.post("/api/memory").json()["code"] == "memory_full"


def test_links_expire_when_nobody_uses_them(client: TestClient, clock: Clock) -> None:
    hub: Hub = client.app.state.hub  # type: ignore[attr-defined]
    assert client.portal is not None
    empty, old, used = Link(client), Link(client), Link(client)
    old.add(game(1))
    used.add(game(1))
    clock.now += 2 * DAY
    assert client.portal.call(hub.expire_memories) == 1 and empty.read().status_code == 404, "it stayed empty"
    clock.now += 300 * DAY
    assert used.read().status_code == 200
    clock.now += 100 * DAY
    assert client.portal.call(hub.expire_memories) == 1
    assert old.read().status_code == 404 and used.all() == [game(1)]


def test_links_survive_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    with TestClient(create_app(Hub(Store(path)), rate=10_000), LOCAL) as before:
        link = Link(before)
        link.add(game(1))
    with TestClient(create_app(Hub(Store(path)), rate=10_000), LOCAL) as after:
        assert Link(after, link.token).all() == [game(1)]


def test_files_of_before_get_the_tables(tmp_path: Path) -> None:
    path, without = tmp_path / "games.sqlite", MIGRATIONS.index(memory.TABLES)
    with closing(sqlite3.connect(path)) as db:
        for step in MIGRATIONS[:without]:
            db.executescript(step)
        db.execute(f"PRAGMA user_version = {without}")
    store = Store(path)
    store.memories.make("hash", 1.0)
    assert store.memories.read("hash", "") == ([], None, 1.0)
    store.close()


def test_pages_from_elsewhere_can_do_nothing(client: TestClient) -> None:
    link = Link(client)
    for headers in (
        {"Origin": "https://elsewhere.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Host": "rebound.example"},
    ):
        for method, path in [
            ("POST", "/api/memory"),
            ("GET", "/api/memory"),
            ("DELETE", "/api/memory"),
            ("POST", "/api/rating"),
        ]:
            if method == "GET" and "Origin" in headers:
                continue  # browsers say where such a request comes from in another way
            answer = client.request(method, path, headers={**link.headers, **headers})
            assert answer.status_code in (403, 421), (method, path, headers)
    assert link.read().status_code == 200
    plain = client.post("/api/memory/games", content="{}", headers={**link.headers, "Content-Type": "text/plain"})
    assert plain.status_code == 415


def test_changing_a_memory_counts_for_ten_requests(tmp_path: Path) -> None:
    hub = Hub(Store(tmp_path / "games.sqlite"))
    with TestClient(create_app(hub, rate=1), LOCAL) as slow:  # ten requests at once
        assert slow.post("/api/memory").status_code == 201
        refused = slow.post("/api/memory")
        assert refused.status_code == 429 and "too many requests" in refused.json()["error"]


# ------------------------------------------------------------------------------------------------ ratings


def rated(client: TestClient, *rows: list[Any]) -> Any:
    return client.post("/api/rating", json={"games": list(rows)})


def test_a_rating_follows_results_and_costs(client: TestClient) -> None:
    nobody = rated(client).json()
    assert nobody["results"] is None and nobody["costs"] is None and nobody["opponent"] == "champion:level=3"
    strong = rated(client, *[["champion", 1, 40, 0.01, "champion"]] * 20).json()
    weak = rated(client, *[["champion:level=1", 0, 40, 0.4, "champion"]] * 20).json()
    assert strong["opponent"] == "champion" and weak["opponent"] == "champion:level=1"
    assert strong["results"]["level"] > 9 and weak["results"]["level"] < 1
    assert strong["costs"]["low"] > 8 and weak["costs"]["high"] < 1
    assert strong["results"]["games"] == strong["costs"]["games"] == len(strong["path"]) == 20
    people = rated(client, ["person", 1, 40, 0.2, "champion"], ["person", 0, 40, 0.2, "other"]).json()
    assert people["results"] is None and people["costs"]["games"] == 1, "nobody knows how strong people are"


def test_a_rating_is_bounded(client: TestClient) -> None:
    row = ["champion:level=3", 1, 40, 0.2, "champion"]
    assert rated(client, *[row] * 300).status_code == 200, "what a browser sends fits into a body"
    assert rated(client, *[["x", 1, 1, 0, "exact"]] * 301).status_code == 422
    for wrong in (
        ["champion:level=3", 2, 40, 0.2, "champion"],
        ["champion:level=3", 1, -1, 0.2, "champion"],
        ["champion:level=3", 1, 40, -5, "champion"],
        ["champion:level=3", 1, 40, 0.2, "somebody"],
        ["champion:level=3", 1, 40],
        {"opponent": "x"},
        ["../x", 1, 40, 0.2, "champion"],
    ):
        assert rated(client, wrong).status_code == 422
    assert client.post("/api/rating", json={"games": [], "more": 1}).status_code == 422
    for extreme in ([["champion", 0, 1, 1000, "champion"]] * 300, [["random", 0, 5000, 0, "champion"]] * 300):
        found = rated(client, *extreme).json()
        assert found["together"]["games"] and -5 < found["together"]["level"] < 11
