"""The server: games through its API, who may do what, limits, and nothing that was acknowledged is ever lost."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
from fastapi.testclient import TestClient

from pechvogel.play import fair, store
from pechvogel.play.guard import Limiter
from pechvogel.play.hub import Hub
from pechvogel.play.pechvogel.opponents import AGENTS, STAND_IN
from pechvogel.play.room import Opening, Room, RoomError, clean_name
from pechvogel.play.server import create_app
from pechvogel.play.store import Store
from pechvogel_env import record
from tests.rooms import BOT, LOCAL, ME, OPEN, SPENDING, Clock, begin, client, clock, join, sit_down, stream

__all__ = ["client", "clock"]  # fixtures


@pytest.mark.parametrize("players", [2, 3, 5])
def test_a_whole_game_against_agents(client: TestClient, players: int) -> None:
    me = sit_down(client, ME, *[BOT] * (players - 1), name="Ann")
    promised = me.look()["promise"]
    state = me.play_to_the_end()
    assert state["over"] and len(state["scores"]) == players and state["winners"] and not state["practice"]
    done = me.get("/record")
    assert "attachment" in done.headers["content-disposition"]
    found = record.verify(json.loads(done.text))
    fair.verify(found)
    assert found["proof"]["promise"] == promised and found["scores"] == state["scores"]
    review = me.get("/review").json()
    shares = review["shares"]
    assert all(sum(row) == pytest.approx(1, abs=1e-3) for row in shares)
    assert shares[-1] == [pytest.approx((seat in state["winners"]) / len(state["winners"])) for seat in range(players)]
    for seat in range(players):
        moved = sum(review[part][seat] for part in ("luck", "skill", "others", "drift"))
        assert moved == pytest.approx(shares[-1][seat] - shares[0][seat], abs=1e-3)
        costs = sum(row["costs"] for row in review["decisions"] if row["seat"] == seat)
        assert review["skill"][seat] == pytest.approx(-costs)
    assert all(row["costs"] >= 0 for row in review["decisions"])


def test_a_stranger_can_look_but_not_act(client: TestClient) -> None:
    me = sit_down(client, ME, BOT)
    state = me.asked()
    body = {"action": state["legal"][0], "played": state["played"]}
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic x"}):
        for what, sent in (("act", body), ("take_back", {"played": 0}), ("wish", {"what": "coach", "on": True})):
            refused = client.post(f"/api/rooms/{me.room}/{what}", json=sent, headers=headers)
            assert refused.status_code == 403 and "lets you look" in refused.json()["error"]
        assert client.delete(f"/api/rooms/{me.room}", headers=headers).status_code == 403
        assert client.get(f"/api/rooms/{me.room}/advice", headers=headers).status_code == 403
    assert me.look() == state
    token = me.headers["Authorization"].removeprefix("Bearer ")
    everything = me.get().text + str(list(stream(client, me.room)))
    assert token not in everything and "token" not in everything and "secret" not in everything
    assert client.get("/api/rooms/nosuchroom").status_code == 404


def test_wrong_replayed_and_untimely_actions_change_nothing(client: TestClient) -> None:
    ann = sit_down(client, ME, OPEN, name="Ann")
    bob = join(client, ann.room, "Bob")
    state = ann.look()
    asked, other = (ann, bob) if state["to_act"] == ann.seat else (bob, ann)
    illegal = next(action for action in range(18) if action not in state["legal"])
    for player, action, played in [
        (asked, illegal, state["played"]),
        (other, state["legal"][0], state["played"]),
        (asked, state["legal"][0], state["played"] + 1),
    ]:
        assert player.post("act", action=action, played=played).status_code == 409
    assert ann.look() == state
    sent = {"action": state["legal"][0], "played": state["played"]}
    assert asked.post("act", **sent).status_code == 200
    after = ann.look()
    again = asked.post("act", **sent)
    assert again.status_code == 409 and "gone on" in again.json()["error"] and ann.look() == after
    for bad in (
        {"action": 99, "played": 0},
        {"action": "x", "played": 0},
        {"played": 0},
        {"action": 1, "played": 0, "z": 1},
    ):
        refused = asked.post("act", **bad)
        assert refused.status_code == 422 and set(refused.json()) == {"error"}
    assert ann.look() == after


def test_several_people_at_one_table(client: TestClient, clock: Clock) -> None:
    ann = sit_down(client, ME, OPEN, BOT, name="  Ann\x00\u202e  Lee ", coach=True, take_back=True)
    state = ann.look()
    assert not state["begun"] and state["position"] is None and state["seats"][0]["name"] == "Ann Lee"
    assert ann.post("act", action=0, played=0).status_code == 409
    bob = join(client, ann.room, "Bob")
    assert client.post(f"/api/rooms/{ann.room}/join", json={}).status_code == 409
    state = ann.wait(lambda state: state["begun"] and state["to_act"] in (0, 1))
    assert not state["agreed"]["coach"] and not state["practice"]
    asked, other = (ann, bob) if state["to_act"] == 0 else (bob, ann)
    assert asked.get("/advice").status_code == 409, "Bob has not agreed"
    # Both agree: the coach speaks, and the game is practice from then on.
    bob.post("wish", what="coach", on=True)
    state = ann.look()
    assert state["agreed"]["coach"] and state["practice"]
    advice = asked.get("/advice").json()
    assert {row["action"] for row in advice["actions"]} == set(state["legal"])
    assert other.get("/advice").status_code == 409
    bob.post("wish", what="coach", on=False)
    assert not ann.look()["agreed"]["coach"] and ann.look()["practice"]
    # Whoever is away for long enough is replaced by an agent, and may come back.
    assert other.post("stand_in", seat=asked.seat).status_code == 409
    clock.now += 121
    assert other.post("stand_in", seat=other.seat).status_code == 409, "they are not waited for"
    assert other.post("stand_in", seat=asked.seat, agent="random").status_code == 200
    state = other.asked()
    assert state["seats"][asked.seat]["agent"] == STAND_IN, "nobody chooses a weak agent for others"
    assert state["seats"][asked.seat]["kind"] == "person"
    assert asked.post("act", action=5, played=state["played"]).status_code == 409
    assert asked.post("return").status_code == 200
    assert ann.look()["seats"][asked.seat]["agent"] is None
    assert asked.post("return").status_code == 409


def test_an_open_seat_can_be_given_to_an_agent(client: TestClient) -> None:
    ann = sit_down(client, ME, OPEN)
    assert ann.post("stand_in", seat=4).status_code == 422
    assert ann.post("stand_in", seat=0).status_code == 409, "somebody sits there"
    assert ann.post("stand_in", seat=1, agent="random").status_code == 200
    ann.fix_dice()
    assert ann.play_to_the_end()["over"]


def test_taking_back(client: TestClient) -> None:
    me = sit_down(client, ME, BOT, take_back=True)
    for _ in range(3):
        state = me.asked()
        me.post("act", action=state["legal"][0], played=state["played"])
    state = me.asked()
    done = me.post("take_back", played=state["played"])
    assert done.status_code == 200 and done.json()["practice"] and done.json()["to_act"] == 0
    assert done.json()["played"] == state["played"] + 1
    end = me.play_to_the_end()
    assert me.post("take_back", played=end["played"]).status_code == 409
    found = record.verify(json.loads(me.get("/record").text))
    fair.verify(found)
    strict = sit_down(client, ME, BOT)
    state = strict.asked()
    strict.post("act", action=state["legal"][0], played=state["played"])
    assert strict.post("take_back", played=strict.asked()["played"]).status_code == 409, "not agreed"


def test_hints(client: TestClient) -> None:
    me = sit_down(client, ME, BOT)
    state = me.asked()
    assert me.get("/advice").status_code == 409 and not state["practice"]
    found = me.post("hint").json()
    assert {row["action"] for row in found["actions"]} == set(state["legal"]) and found["actions"][0]["costs"] == 0
    assert me.look()["practice"] and me.look()["played"] == state["played"]
    ann = sit_down(client, ME, OPEN)
    bob = join(client, ann.room, "Bob")
    asked = ann if ann.look()["to_act"] == ann.seat else bob
    assert asked.post("hint").status_code == 409, "two people must agree"


def test_real_dice(client: TestClient) -> None:
    me = sit_down(client, ME, BOT, real_dice=True, first_player=0)
    state = me.look()
    assert state["dice_due"] == 7 and state["promise"] is None and state["to_act"] is None
    for faces in ([3] * 6, [1] * 7):
        assert me.post("throw", faces=faces, played=0).status_code == 409
    state = me.post("throw", faces=[7, 7, 0, 0, 3, 4, 5], played=0).json()
    assert state["legal"] == [0, 1, 2, 4] and state["position"]["ravens"] == 2
    assert me.post("throw", faces=[3], played=state["played"]).status_code == 409


def test_positions_by_link(client: TestClient) -> None:
    me = sit_down(client, ME, BOT, BOT)
    state = me.asked()
    found = client.get("/api/analyse", params={"position": json.dumps(state["position"])}).json()
    assert found["position"] == state["position"] and {row["action"] for row in found["advice"]["actions"]} == set(
        state["legal"]
    )
    again = sit_down(client, ME, BOT, BOT, position=found["text"])
    state = again.asked()
    assert state["position"] == found["position"] and state["practice"]
    for wrong in ("nonsense", "{}", json.dumps({**found["position"], "ravens": 9})):
        assert client.get("/api/analyse", params={"position": wrong}).status_code == 422
        refused = client.post("/api/rooms", json={"seats": [ME, BOT, BOT], "position": wrong})
        assert refused.status_code == 422 and refused.json()["error"]
    refused = client.post("/api/rooms", json={"seats": [ME, BOT], "position": found["text"]})
    assert refused.status_code == 422, "three players' position at a table of two"


def test_rematch_and_delete(client: TestClient) -> None:
    me = sit_down(client, ME, BOT, name="Ann")
    assert me.post("rematch").status_code == 409
    me.play_to_the_end()
    again = begin(client, me.post("rematch").json())
    assert again.room != me.room and again.look()["begun"] and again.look()["seats"][0]["name"] == "Ann"
    assert [event["room"] for event in stream(client, me.room) if event["kind"] == "rematch"] == [again.room]
    assert me.look()["rematch"] == again.room
    once_more = me.post("rematch").json()
    assert once_more["room"] == again.room, "there is one rematch, not two"
    assert (once_more["seat"], once_more["token"]) == (0, again.headers["Authorization"].removeprefix("Bearer "))
    assert again.client.delete(f"/api/rooms/{again.room}", headers=again.headers).status_code == 204
    assert again.get().status_code == 404
    assert me.post("rematch").json()["room"] != again.room, "a deleted rematch can be opened anew"


def test_a_number_that_was_lost_can_be_sent_again(client: TestClient) -> None:
    opened = client.post("/api/rooms", json={"seats": [ME, BOT]}).json()
    assert opened["state"]["missing_numbers"] == [0] and not opened["state"]["begun"]
    me = begin(client, opened)
    assert me.look()["missing_numbers"] == [] and me.look()["begun"]


def test_perfect_play_is_offered_where_it_is_known(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PECHVOGEL_TABLES", str(tmp_path))
    perfect = {"kind": "agent", "agent": "optimal"}
    assert "optimal" not in client.get("/api/agents").json()["agents"]
    refused = client.post("/api/rooms", json={"seats": [ME, perfect]})
    assert refused.status_code == 422 and "pechvogel solve" in refused.json()["error"]
    for more, why in (
        ({"seats": [ME, perfect, BOT]}, "only two-player games"),
        ({"seats": [ME, perfect], "italian_reading": True}, "without the Italian reading"),
    ):
        refused = client.post("/api/rooms", json=more)
        assert refused.status_code == 422 and why in refused.json()["error"]


def test_the_stream_tells_everything_once(client: TestClient) -> None:
    me = sit_down(client, ME, BOT)
    state = me.play_to_the_end()
    hub: Hub = client.app.state.hub  # type: ignore[attr-defined]
    assert client.portal is not None
    client.portal.call(hub.delete, me.room + "x")  # nobody's: nothing happens

    def read(after: int) -> list[Any]:
        from pechvogel.play.server import _stream

        async def first() -> list[str]:
            heard = ""
            async for part in _stream(hub, me.room, await hub.live(me.room), after):
                heard += part
                if "event: state" in part:
                    break
            return heard.split("\n\n")[:-1]

        return asyncio.run(first())

    parts = read(-1)
    events = [json.loads(part.split("data: ", 1)[1]) for part in parts[:-1]]
    assert [event["number"] for event in events] == list(range(len(events)))
    assert events[0]["kind"] == "begin" and events[-1]["kind"] == "over"
    assert json.loads(parts[-1].split("data: ", 1)[1]) == me.look()
    assert len(read(len(events) - 3)) == 3 and len(read(10**9)) == 1
    turns = [event["turn"] for event in events if "turn" in event]
    assert len(turns) == state["position"]["turn"], "every turn's end is told"
    for seat in range(2):  # what came at turns' ends and what was spent adds up to what everybody has
        spent = [e for e in events if e["kind"] == "action" and e["seat"] == seat and e["action"] in SPENDING]
        has = state["position"]["players"][seat]["frustrations"]
        assert sum(turn["frustrations"][seat] for turn in turns) - len(spent) == has


def test_a_slow_listener_misses_nothing(tmp_path: Path) -> None:
    """What happens while an event is on its way comes next."""
    from pechvogel.play.server import _stream

    async def listen() -> list[int]:
        hub = Hub(Store(tmp_path / "games.sqlite"))
        seats = ({"kind": "agent", "agent": "heuristic"},) * 2
        name = await hub.open(Opening(2, seats, secret=bytes(32).hex()))
        heard: list[int] = []
        async for part in _stream(hub, name, await hub.live(name), -1):
            heard += [int(line.split()[1]) for line in part.splitlines() if line.startswith("id: ")]
            await asyncio.sleep(0.001)
            if '"over":true' in part:
                break
        await hub.close()
        return heard

    heard = asyncio.run(listen())
    assert heard == list(range(len(heard))) and len(heard) > 30


def test_bad_requests_get_a_sentence(client: TestClient) -> None:
    wrong: list[dict[str, Any]] = [
        {"seats": [ME]},
        {"seats": [ME] * 6},
        {"seats": [ME, ME]},
        {"seats": [ME, {"kind": "agent", "agent": "ppo:weights=/etc/passwd"}]},
        {"seats": [ME, {"kind": "agent", "agent": "os:system"}]},
        {"seats": [ME, {"kind": "agent"}]},
        {"seats": [ME, {"kind": "agent", "agent": "ppo"}, BOT], "copies": 2},
        {"seats": [ME, BOT], "copies": 4},
        {"seats": [ME, BOT], "number": "1"},
        {"seats": [ME, BOT], "first_player": 3},
        {},
    ]
    for body in wrong:
        done = client.post("/api/rooms", json=body)
        assert done.status_code == 422 and done.json().keys() - {"code"} == {"error"}, (body, done.text)
    assert client.post("/api/rooms", content=b"x" * 20_000).status_code == 413
    json_type = {"Content-Type": "application/json"}
    assert client.post("/api/rooms", content=b"{", headers=json_type).status_code == 422
    assert client.get("/nothing").status_code == 404 and "error" in client.get("/nothing").json()
    assert client.get("/healthz").json()["status"] == "ok"
    for spec in AGENTS:
        assert ":" not in spec or spec.startswith("champion:level=")


def test_the_page_needs_nothing_from_elsewhere(client: TestClient) -> None:
    page = client.get("/")
    assert page.status_code == 200 and "default-src 'self'" in page.headers["content-security-policy"]
    web = Path(store.__file__).parent / "pechvogel" / "web"
    files = [path for path in web.rglob("*") if path.is_file()]
    words = sorted((path for path in files if path.parent.name == "words"), key=lambda path: path.stat().st_size)
    weight = sum(path.stat().st_size for path in files if path not in words[:-1])  # browsers load one language
    assert len(words) == 4 and weight < 500_000
    for path in files:
        text = path.read_bytes().decode("latin-1")
        assert "http://" not in text.replace("http://www.w3.org", "") and "https://" not in text, path
        assert client.get(f"/web/{path.relative_to(web)}").status_code == 200


def test_too_much_is_refused(tmp_path: Path) -> None:
    hub = Hub(Store(tmp_path / "games.sqlite"), max_open=2)
    with TestClient(create_app(hub, rate=5), LOCAL) as client:
        for _ in range(2):
            sit_down(client, ME, BOT)
            assert client.post("/api/rooms", json={"seats": [ME, BOT]}).status_code == 429, "opening games costs more"
            time.sleep(1.9)
        assert client.post("/api/rooms", json={"seats": [ME, BOT]}).status_code == 503
        assert {client.get("/api/agents").status_code for _ in range(200)} == {200, 429}
        assert client.get("/healthz").status_code == 200
    limiter = Limiter(1.0, 2.0)
    assert [limiter.allows("a") for _ in range(3)] == [True, True, False] and limiter.allows("b")


def test_old_games_go(client: TestClient, clock: Clock) -> None:
    me = sit_down(client, ME, BOT)
    me.asked()
    hub: Hub = client.app.state.hub  # type: ignore[attr-defined]
    assert client.portal is not None
    clock.now += 29 * 86_400
    assert client.portal.call(hub.expire) == 0 and me.get().status_code == 200
    clock.now += 2 * 86_400
    assert client.portal.call(hub.expire) == 1 and me.get().status_code == 404
    waiting = sit_down(client, ME, OPEN)
    clock.now += 86_500
    assert client.portal.call(hub.expire) == 1, "a game that never began goes after a day"
    assert waiting.get().status_code == 404
    assert hub.store._db.execute("SELECT count(*) FROM moves").fetchone() == (0,)


# ------------------------------------------------------------------------------ what is kept


def opening(**more: Any) -> Opening:
    seats = ({"kind": "person", "name": "Ann", "token": "t"}, {"kind": "agent", "agent": "heuristic"})
    return Opening(2, seats, secret=bytes(range(32)).hex(), **more)


def test_a_room_is_its_moves(tmp_path: Path) -> None:
    file = Store(tmp_path / "games.sqlite")
    file.open_room("one", opening(wishes=("take_back",)), 1.0)
    room = Room(opening(wishes=("take_back",)))
    moves: list[dict[str, Any]] = [{"do": "number", "seat": 0, "number": "5"}]
    room.apply(moves[0])
    file.add_move("one", 0, moves[0], 2.0, (True, False))
    while room.table is not None and not room.table.over:
        seat = room.table.to_act
        move = {"do": "act", "seat": seat, "action": room.table.legal()[-1]}
        if len(moves) == 12:
            move = {"do": "take_back", "seat": 0}
        room.apply(move)
        file.add_move("one", len(moves), move, 2.0, room.stage)
        moves.append(move)
    file.close()
    file = Store(tmp_path / "games.sqlite")
    loaded = file.load("one")
    file.close()
    assert loaded is not None and loaded[1] == len(moves)
    assert loaded[0].show() == room.show() and loaded[0].events == room.events and loaded[0].record() == room.record()


def test_what_was_not_stored_has_not_happened(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    me = sit_down(client, ME, BOT)
    state = me.asked()
    hub: Hub = client.app.state.hub  # type: ignore[attr-defined]

    def full(*_: Any) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(hub.store, "add_move", full)
        refused = me.post("act", action=state["legal"][0], played=state["played"])
        assert refused.status_code == 503 and "could not be stored" in refused.json()["error"]
    assert me.look() == state
    assert me.post("act", action=state["legal"][0], played=state["played"]).status_code == 200


def test_files_of_games_are_brought_up_to_date_or_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "games.sqlite"
    first = Store(path)
    first.open_room("one", opening(), 1.0)
    with pytest.raises(ValueError, match="used by another server"):
        Store(path)
    first.close()
    assert path.stat().st_mode & 0o777 == 0o600, "it has the secrets of running games"
    monkeypatch.setattr(store, "MIGRATIONS", (*store.MIGRATIONS, "ALTER TABLE rooms ADD COLUMN note TEXT;"))
    newer = Store(path)
    assert newer.load("one") is not None
    newer.close()
    monkeypatch.undo()
    with pytest.raises(ValueError, match="newer version"):
        Store(path)
    (tmp_path / "text.sqlite").write_text("no database, but long enough to be looked at" * 10)
    with pytest.raises(ValueError, match="can't be used as a file of games"):
        Store(tmp_path / "text.sqlite")
    with closing(sqlite3.connect(tmp_path / "other.sqlite")) as other:
        other.execute("CREATE TABLE theirs (one INTEGER)")
    with pytest.raises(ValueError, match="another program's file"):
        Store(tmp_path / "other.sqlite")
    again = Store(path := tmp_path / "free.sqlite")
    with closing(sqlite3.connect(path)) as other:
        other.execute(f"PRAGMA user_version = {len(store.MIGRATIONS) + 1}")
    again.close()
    for _ in range(2):
        with pytest.raises(ValueError, match="newer version"):  # and not: used by another server, which is this one
            Store(path)


def test_a_file_of_the_first_version_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    with closing(sqlite3.connect(path)) as old:
        old.executescript(f"{store.MIGRATIONS[0]} PRAGMA user_version = 1;")
        row = ("one", 1.0, 1.0, json.dumps(dataclasses.asdict(opening())))
        old.execute("INSERT INTO rooms (id, opened, touched, opening) VALUES (?, ?, ?, ?)", row)
        old.execute('INSERT INTO moves VALUES (\'one\', 0, \'{"do": "number", "seat": 0, "number": "5"}\')')
        old.commit()
    newer = Store(path)
    loaded = newer.load("one")
    assert loaded is not None and loaded[0].table is not None and newer.count() == 1
    newer.close()


def test_the_log_goes_into_the_file_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "games.sqlite"
    hub = Hub(Store(path))
    hub.store.open_room("one", opening(), 1.0)  # long ago
    before = path.stat().st_size
    asyncio.run(hub.tidy(expire=False))
    assert path.stat().st_size > before and hub.store.load("one") is not None
    log = path.with_name("games.sqlite-wal")
    assert log.stat().st_size > 0
    with monkeypatch.context() as low:
        low.setattr(store, "LONG_LOG", 0)
        asyncio.run(hub.tidy(expire=False))
    assert log.stat().st_size == 0
    asyncio.run(hub.tidy(expire=True))
    assert hub.store.load("one") is None
    hub.store.close()
    asyncio.run(hub.tidy(expire=True))  # fails, which is noted, and hurts nobody


def test_names_are_one_short_line() -> None:
    assert clean_name("  A\n\tB  ") == "AB" and clean_name("") == "?" and len(clean_name("x" * 300)) == 24
    assert clean_name("Zoë Ñ 李 नमस्ते") == "Zoë Ñ 李 नमस्ते"
    assert clean_name("\u3164\u2800") == "?" and len(clean_name("Z" + "\u0315" * 20)) == 3
    with pytest.raises(RoomError):
        clean_name(5)
