"""The server in trouble: late and repeated requests, races, lost writes, listeners, people who wait, and floods."""

from __future__ import annotations

import asyncio
import http.client
import signal
import socket
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
from fastapi.testclient import TestClient

from pechvogel.play import guard
from pechvogel.play import hub as hubs
from pechvogel.play.hub import Hub
from pechvogel.play.room import Opening
from pechvogel.play.server import _stream, create_app
from pechvogel.play.store import Store
from tests.load import Server
from tests.rooms import BOT, LOCAL, ME, OPEN, Clock, client, clock, join, sit_down, stream

__all__ = ["client", "clock"]  # fixtures


def hub_of(client: TestClient) -> Hub:
    found: Hub = client.app.state.hub  # type: ignore[attr-defined]
    return found


# ------------------------------------------------------------------------------ late and repeated requests


def test_a_repeated_request_changes_nothing(client: TestClient) -> None:
    me = sit_down(client, ME, BOT, take_back=True)
    for _ in range(4):
        state = me.asked()
        me.post("act", action=state["legal"][0], played=state["played"])
    played = me.asked()["played"]
    assert me.post("take_back", played=played).status_code == 200
    after = me.look()
    assert me.post("take_back", played=played).status_code == 409 and me.look() == after
    dice = sit_down(client, ME, BOT, real_dice=True, first_player=0)
    throw: dict[str, Any] = {"faces": [7, 7, 0, 0, 3, 4, 5], "played": 0}
    state = dice.post("throw", **throw).json()
    state = dice.post("act", action=4, played=state["played"]).json()
    assert state["dice_due"] == 3
    assert dice.post("throw", faces=[3, 3, 3], played=0).status_code == 409 and dice.look() == state


def test_an_agent_that_answers_too_late_changes_nothing(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its question was taken back while it was thinking, and another one is there now."""
    hub, waiting, may_answer = hub_of(client), threading.Event(), threading.Event()
    think, asked_about = hub._think, []

    def slowly(spec: str, position: Any, *more: Any) -> int:
        asked_about.append(position)
        if not waiting.is_set():
            waiting.set()
            may_answer.wait(20)
        return think(spec, position, *more)

    me = sit_down(client, ME, {"kind": "agent", "agent": "random"}, take_back=True, first_player=0)
    me.asked()
    monkeypatch.setattr(hub, "_think", slowly)

    def play_until_the_agent_is_asked() -> dict[str, Any]:
        while (state := me.look())["to_act"] == 0:
            me.post("act", action=state["legal"][0], played=state["played"])
        assert state["to_act"] == 1
        return state

    asked = play_until_the_agent_is_asked()
    assert waiting.wait(20) and len(asked_about) == 1
    assert me.post("take_back", played=asked["played"]).json()["to_act"] == 0
    again = play_until_the_agent_is_asked()
    may_answer.set()
    me.wait(lambda state: state["played"] > again["played"])
    assert len(asked_about) >= 2 and asked_about[1].to_dict() == again["position"], "it was asked anew"
    assert me.play_to_the_end()["over"]


def test_an_agent_that_fails_is_played_for(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> int:
        raise RuntimeError

    monkeypatch.setattr(hub_of(client), "_think", broken)
    assert sit_down(client, ME, BOT, copies=1).play_to_the_end()["over"]
    monkeypatch.setattr(hub_of(client), "_think", lambda *_: 17)  # no legal one, mostly
    assert sit_down(client, ME, BOT, copies=1).play_to_the_end()["over"]


@pytest.mark.parametrize(("players", "copies"), [(3, 2), (5, 1)])
def test_the_champion_plays_every_game_that_is_offered(
    client: TestClient, players: int, copies: int, caplog: pytest.LogCaptureFixture
) -> None:
    bots = [{"kind": "agent", "agent": "champion:level=3"}] * (players - 1)
    assert sit_down(client, ME, *bots, copies=copies).play_to_the_end()["over"]
    assert not caplog.records, "an agent failed"


# ------------------------------------------------------------------------------ people who wait


def test_waiting_for_the_others_is_not_being_away(client: TestClient, clock: Clock) -> None:
    ann = sit_down(client, ME, OPEN)
    clock.now += 200
    bob = join(client, ann.room, "Bob")
    asked = ann.look()["to_act"]
    other = bob if asked == ann.seat else ann
    assert other.post("stand_in", seat=asked).status_code == 409, "Bob has just come"
    clock.now += 121
    assert other.post("stand_in", seat=asked).status_code == 200


def test_every_decision_has_its_own_patience(client: TestClient, clock: Clock) -> None:
    ann = sit_down(client, ME, OPEN, first_player=0)
    bob = join(client, ann.room, "Bob")
    for _ in range(6):
        state = ann.look()
        asked, other = (ann, bob) if state["to_act"] == 0 else (bob, ann)
        clock.now += 100
        assert other.post("stand_in", seat=asked.seat).status_code == 409
        assert asked.post("act", action=state["legal"][0], played=state["played"]).status_code == 200


def test_nobody_throws_for_somebody_else(client: TestClient, clock: Clock) -> None:
    ann = sit_down(client, ME, OPEN, BOT, real_dice=True, first_player=1)
    bob = join(client, ann.room, "Bob")
    ravens = {"faces": [0] * 7, "played": 0}
    assert ann.post("throw", **ravens).status_code == 409 and ann.look()["played"] == 0
    clock.now += 121
    assert ann.post("stand_in", seat=1).status_code == 200, "Bob is away"
    assert ann.post("throw", **ravens).status_code == 200, "somebody has to throw for an agent"
    assert bob.post("throw", faces=[0] * 7, played=1).status_code == 200, "the third seat is an agent's"


def test_a_game_of_several_people_is_not_deleted_under_their_hands(client: TestClient) -> None:
    ann = sit_down(client, ME, OPEN)
    bob = join(client, ann.room, "Bob")
    gone = [person.client.delete(f"/api/rooms/{ann.room}", headers=person.headers) for person in (ann, bob)]
    assert [done.status_code for done in gone] == [409, 409] and ann.get().status_code == 200


def test_a_wish_that_is_there_already_is_not_stored(client: TestClient) -> None:
    me = sit_down(client, ME, BOT)
    me.asked()
    for on in (True, True, False, False):
        assert me.post("wish", what="coach", on=on).status_code == 200
    assert sum(event["kind"] == "seats" for event in stream(client, me.room)) == 2


def test_a_coach_that_is_agreed_on_later_makes_practice(client: TestClient) -> None:
    me = sit_down(client, ME, BOT)
    assert not me.asked()["practice"]
    assert me.post("wish", what="coach", on=True).json()["practice"]


def test_a_room_does_not_grow_for_ever(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    me = sit_down(client, ME, BOT)
    me.asked()
    monkeypatch.setattr(hubs, "MAX_MOVES", hub_of(client)._live[me.room].moves)
    refused = me.post("wish", what="coach", on=True)
    assert refused.status_code == 409 and "too long" in refused.json()["error"]


# ------------------------------------------------------------------------------ listeners


AGENTS_ONLY = ({"kind": "agent", "agent": "heuristic"}, {"kind": "person", "name": "Ann", "token": "t"})


async def listening(hub: Hub, name: str) -> tuple[asyncio.Task[list[str]], list[str]]:
    heard: list[str] = []

    async def listen() -> list[str]:
        async for part in _stream(hub, name, await hub.live(name), -1):
            heard.append(part)
        return heard

    task = asyncio.create_task(listen())
    await asyncio.sleep(0.05)
    return task, heard


@pytest.mark.parametrize("way", ["deleted", "expired"])
def test_listeners_hear_that_a_game_is_gone(tmp_path: Path, way: str) -> None:
    async def run() -> str:
        now = Clock()
        hub = Hub(Store(tmp_path / "games.sqlite"), clock=now)
        name = await hub.open(Opening(2, AGENTS_ONLY, secret=bytes(32).hex()))
        task, _ = await listening(hub, name)
        if way == "deleted":
            await hub.delete(name)
        else:
            now.now += 40 * 86_400
            assert await hub.expire() == 1
        heard = await asyncio.wait_for(task, 5)
        await hub.close()
        return heard[-1]

    assert asyncio.run(run()).startswith("event: gone")


def test_a_move_in_a_game_that_is_being_deleted(tmp_path: Path) -> None:
    """It is gone: nothing is wrong with the file, and trying again would not help."""

    async def run() -> None:
        hub = Hub(Store(tmp_path / "games.sqlite"))
        name = await hub.open(Opening(2, AGENTS_ONLY, secret=bytes(32).hex()))
        deleting = asyncio.create_task(hub.delete(name))
        await asyncio.sleep(0)
        with pytest.raises(hubs.RoomError, match="there is no such game") as refused:
            await hub.move(name, {"do": "wish", "seat": 1, "what": "coach", "on": True})
        await deleting
        assert refused.value.status == 404 and hub.trouble is None
        await hub.close()

    asyncio.run(run())


def test_a_write_that_fails_leaves_nobody_deaf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        hub = Hub(Store(tmp_path / "games.sqlite"))
        name = await hub.open(Opening(2, AGENTS_ONLY, secret=bytes(32).hex()))
        _, heard = await listening(hub, name)

        def failing(*_: Any) -> None:
            raise sqlite3.OperationalError("disk I/O error")

        with monkeypatch.context() as broken:
            broken.setattr(hub.store, "add_move", failing)
            with pytest.raises(hubs.RoomError, match="could not be stored"):
                await hub.move(name, {"do": "number", "seat": 1, "number": "5"})
        await asyncio.sleep(0.05)
        assert '"begun":false' in heard[-1] and (await hub.live(name)).watchers == 1
        await hub.move(name, {"do": "number", "seat": 1, "number": "5"})
        await asyncio.sleep(0.05)
        assert '"begun":true' in heard[-1]
        await hub.close()

    asyncio.run(run())


def test_a_file_that_can_not_be_read_for_a_moment_loses_nobody_their_seat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stream ends, and the browser comes again; only a game that is gone is forgotten."""

    async def run() -> list[str]:
        hub = Hub(Store(tmp_path / "games.sqlite"))
        name = await hub.open(Opening(2, AGENTS_ONLY, secret=bytes(32).hex()))
        task, _ = await listening(hub, name)

        def locked(*_: Any) -> None:
            raise sqlite3.OperationalError("database is locked")

        monkeypatch.setattr(hub.store, "load", locked)
        hub._live.pop(name).notify()
        heard = await asyncio.wait_for(task, 5)
        await hub.close()
        return heard

    assert not any("gone" in part for part in asyncio.run(run()))


def test_rooms_that_are_watched_stay_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hubs, "KEPT", 3)

    async def run() -> None:
        hub = Hub(Store(tmp_path / "games.sqlite"))
        watched = await hub.open(Opening(2, AGENTS_ONLY, secret=bytes(32).hex()))
        task, _ = await listening(hub, watched)
        live = await hub.live(watched)
        for _ in range(9):
            await hub.open(Opening(2, AGENTS_ONLY, secret=bytes(32).hex()))
        assert len(hub._live) == 3 and hub._live[watched] is live
        task.cancel()
        await hub.close()

    asyncio.run(run())


def test_event_ids_that_are_none(client: TestClient) -> None:
    hub = hub_of(client)
    me = sit_down(client, ME, BOT)
    me.asked()
    hub.end_streams()  # so that each stream ends at once
    for wrong in ("--5", "\xb2".encode("latin-1"), "9" * 5000, "-1", "7"):
        headers = {"Last-Event-ID": wrong}
        assert client.get(f"/api/rooms/{me.room}/events", headers=headers).status_code == 200


# ------------------------------------------------------------------------------ floods, on the real server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Any:
    found = Server(tmp_path_factory.mktemp("trouble") / "games.sqlite", "--rate", "10000")
    yield found
    found.kill()


def address(server: Server) -> tuple[str, int]:
    host, _, port = server.url.removeprefix("http://").partition(":")
    return host, int(port)


@pytest.mark.parametrize("encoding", ["chunked", "Chunked", "gzip, chunked"])
def test_bodies_without_a_length_are_refused(server: Server, encoding: str) -> None:
    with closing(http.client.HTTPConnection(*address(server), timeout=20)) as connection:
        connection.putrequest("POST", "/api/rooms")
        connection.putheader("Transfer-Encoding", encoding)
        connection.putheader("Content-Type", "application/json")
        connection.endheaders(b"5\r\nhello\r\n0\r\n\r\n")
        answer = connection.getresponse()
        assert answer.status in (400, 413), answer.read()


@pytest.mark.parametrize("flood", [b"GET /", b"GET / HTTP/1.1\r\nX: "])
def test_the_server_hangs_up_on_endless_heads(server: Server, flood: bytes) -> None:
    with socket.create_connection(address(server), timeout=20) as connection:
        connection.sendall(flood)
        sent = 0
        with pytest.raises(OSError):
            while sent < 50_000_000:
                sent += connection.send(b"x" * 65_536)
        assert sent < 20_000_000, "it took everything"
    assert http_status(server, "/healthz") == 200


def http_status(server: Server, path: str) -> int:
    with closing(http.client.HTTPConnection(*address(server), timeout=20)) as connection:
        connection.request("GET", path)
        return connection.getresponse().status


def test_listeners_of_one_address_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub(Store(tmp_path / "games.sqlite"))
    app = create_app(hub)
    with TestClient(app, LOCAL) as client:
        me = sit_down(client, ME, BOT)
        me.asked()
        hub.end_streams()
        assert client.get(f"/api/rooms/{me.room}/events").status_code == 200
        monkeypatch.setattr(guard, "MAX_STREAMS", 0)
        assert client.get(f"/api/rooms/{me.room}/events").status_code == 429


def test_files_of_the_page_are_asked_for_again(client: TestClient) -> None:
    for path in ("/", "/web/js/main.js", "/web/words/de.json"):
        assert client.get(path).headers["cache-control"] == "no-cache"
    assert client.get("/api/agents").headers["cache-control"] == "no-store"


def test_a_server_that_is_stopped_ends_at_once(tmp_path: Path) -> None:
    server = Server(tmp_path / "games.sqlite")
    connection = http.client.HTTPConnection(*address(server), timeout=20)
    body = '{"seats": [{"kind": "me"}, {"kind": "agent", "agent": "heuristic"}]}'
    connection.request("POST", "/api/rooms", body, {"Content-Type": "application/json"})
    room = connection.getresponse().read().decode().split('"room":"')[1].split('"')[0]
    connection.request("GET", f"/api/rooms/{room}/events")
    assert connection.getresponse().read(12) == b"event: state"
    server.process.send_signal(signal.SIGINT)
    server.process.communicate(timeout=20)
    connection.close()
    assert server.process.returncode in (0, 130)
    assert "Traceback" not in server.log.read_text(encoding="utf-8")
