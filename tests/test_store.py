"""What is kept, and what is not: the file of games, its locks and modes, full disks, and rooms that are loaded anew."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
from fastapi.testclient import TestClient

from pechvogel.play import hub as hubs
from pechvogel.play import store
from pechvogel.play.hub import Hub
from pechvogel.play.room import Opening, Room, RoomError
from pechvogel.play.server import _stream
from pechvogel.play.store import Store
from tests import disks
from tests.disks import fill
from tests.load import Server
from tests.rooms import BOT, ME, OPEN, Clock, client, clock, sit_down
from tests.wire import cpu

__all__ = ["client", "clock"]  # fixtures

DAY = 86_400
ANN = {"kind": "person", "name": "Ann", "token": "t"}
AGENT = {"kind": "agent", "agent": "heuristic"}
NUMBER = {"do": "number", "seat": 0, "number": "5"}
SECRET = bytes(range(32)).hex()


def opening(*seats: dict[str, str], secret: str = SECRET, **more: Any) -> Opening:
    found = seats or (ANN, AGENT)
    return Opening(len(found), found, secret=secret, **more)


def expire(client: TestClient) -> int:
    hub: Hub = client.app.state.hub  # type: ignore[attr-defined]
    assert client.portal is not None
    return client.portal.call(hub.expire)


async def until(what: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 20
    while not what():
        assert time.monotonic() < deadline, "nothing came of it"
        await asyncio.sleep(0.01)


# ------------------------------------------------------------------------------ how long games are kept


def test_games_with_real_dice_are_kept_as_long_as_others(client: TestClient, clock: Clock) -> None:
    me = sit_down(client, ME, BOT, real_dice=True)
    assert me.look()["begun"]
    clock.now += 29 * DAY
    assert expire(client) == 0 and me.get().status_code == 200
    clock.now += 2 * DAY
    assert expire(client) == 1 and me.get().status_code == 404
    waiting = sit_down(client, ME, OPEN, real_dice=True)
    clock.now += DAY + 1
    assert expire(client) == 1 and waiting.get().status_code == 404, "somebody was missing"


def test_games_with_real_dice_of_older_files_have_begun(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    rooms = {
        "real": opening(secret=""),
        "missing": opening(ANN, {"kind": "open"}, secret=""),
        "seeded": opening(),
    }
    with closing(sqlite3.connect(path)) as old:
        for number, step in enumerate(store.MIGRATIONS[:3]):
            old.executescript(f"{step} PRAGMA user_version = {number + 1};")
        for name, opened in rooms.items():
            text = json.dumps(asdict(opened))
            old.execute("INSERT INTO rooms (id, opened, touched, opening, begun) VALUES (?, 1, 1, ?, 0)", (name, text))
        old.commit()
    file = Store(path)
    assert {name: file.stage(name) for name in rooms} == {
        "real": (True, False),
        "missing": (False, False),
        "seeded": (False, False),
    }
    for name, opened in rooms.items():
        loaded = file.load(name)
        assert loaded is not None and loaded[0].stage == file.stage(name) == Room(opened).stage
    file.close()


# ------------------------------------------------------------------------------ the file


def test_a_link_does_not_evade_the_lock(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    path, link = tmp_path / "there" / "games.sqlite", tmp_path / "link.sqlite"
    link.symlink_to(path)
    (tmp_path / "folder").symlink_to(tmp_path / "there")
    for first, second in ((path, link), (link, path), (link, tmp_path / "folder" / "games.sqlite")):
        used = Store(first)
        with pytest.raises(ValueError, match="used by another server"):
            Store(second)
        used.close()
    around = tmp_path / "around.sqlite"
    around.symlink_to(around)
    with pytest.raises(ValueError, match="can't be used as a file of games"):
        Store(around)


def test_files_that_others_may_read_no_longer_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "games.sqlite"
    # As a server leaves it that was killed: with its log.
    script = "import os, sys; from pechvogel.play.store import Store; s = Store(sys.argv[1]); s.probe(); os._exit(0)"
    subprocess.run([sys.executable, "-c", script, str(path)], check=True)
    files = [path, *(path.with_name(f"{path.name}-{kind}") for kind in ("wal", "shm"))]

    def modes() -> set[int]:
        return {file.stat().st_mode & 0o777 for file in files}

    for file in files:
        file.chmod(0o644)
    with monkeypatch.context() as foreign:

        def refuse(*_: Any) -> None:
            raise PermissionError(1, "Operation not permitted")

        foreign.setattr(Path, "chmod", refuse)
        Store(path).close()
        assert sum("others may read" in line.getMessage() for line in caplog.records) == 3
    caplog.clear()
    path.chmod(0o644)
    used = Store(path)
    assert modes() == {0o600} and not caplog.records
    used.close()


def test_what_is_committed_is_on_the_disk(tmp_path: Path) -> None:
    file = Store(tmp_path / "games.sqlite")
    assert file._db.execute("PRAGMA synchronous").fetchone() == (2,), "FULL"
    assert file._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    file.close()


class Slow:
    """A file whose commits take a while, or fail."""

    def __init__(self, file: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sizes: list[int] = []
        self.may_go_on = threading.Event()
        self.may_go_on.set()
        self.broken: str | None = None
        self._together = file.together
        monkeypatch.setattr(file, "together", self.together)

    def together(self, writes: Sequence[Callable[[], Any]]) -> list[Any]:
        self.sizes.append(len(writes))
        self.may_go_on.wait(20)
        if self.broken is not None:
            raise sqlite3.OperationalError(self.broken)
        return self._together(writes)


def test_moves_of_many_rooms_share_a_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        hub = Hub(Store(tmp_path / "games.sqlite"))
        names = [await hub.open(opening(ANN, ANN)) for _ in range(20)]
        slow = Slow(hub.store, monkeypatch)
        slow.may_go_on.clear()
        before = [hub._live[name].room.show() for name in names]
        moves = [asyncio.create_task(hub.move(name, NUMBER)) for name in names]
        looks = [asyncio.create_task(hub.live(name)) for name in names]
        second = [asyncio.create_task(hub.move(name, {**NUMBER, "seat": 1})) for name in names]
        await asyncio.sleep(0.1)
        assert not any(task.done() for task in (*moves, *looks, *second)), "nothing is answered before it is stored"
        assert [json.loads(hub._live[name].state()) for name in names] == before, "nobody sees it before"
        moves[0].cancel()  # somebody hangs up: their move happens all the same
        slow.may_go_on.set()
        await asyncio.gather(*moves[1:], *looks, *second)
        assert sum(slow.sizes) == 40 and len(slow.sizes) <= 4, slow.sizes
        for name in names:
            loaded = hub.store.load(name)
            assert loaded is not None and loaded[1] == 2 and loaded[0].numbers == {0: "5", 1: "5"}
            assert loaded[0].show() == (await hub.live(name)).room.show()
        await hub.close()

    asyncio.run(run())


def test_a_commit_that_fails_has_not_happened_in_any_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        hub = Hub(Store(tmp_path / "games.sqlite"))
        names = [await hub.open(opening(ANN, ANN)) for _ in range(5)]
        slow = Slow(hub.store, monkeypatch)
        slow.broken = "database or disk is full"
        # The second move of each room waits for the first, and finds the room as it was before it.
        moves = [{**NUMBER, "seat": seat} for seat in (0, 1)]
        results = await asyncio.gather(
            *(hub.move(name, move) for name in names for move in moves), return_exceptions=True
        )
        assert all(isinstance(result, RoomError) and result.status == 503 for result in results)
        assert hub.trouble == "database or disk is full"
        for name in names:
            assert (await hub.live(name)).room.numbers == {}
        slow.broken = None
        await asyncio.gather(*(hub.move(name, move) for name in names for move in moves))
        assert hub.trouble is None and all([(await hub.live(name)).room.table for name in names])
        # What is wrong with one room is its own affair.
        hub.store.delete(names[0])
        wish = {"do": "wish", "seat": 0, "what": "coach", "on": True}
        results = await asyncio.gather(*(hub.move(name, wish) for name in names), return_exceptions=True)
        assert [isinstance(result, RoomError) for result in results] == [True] + [False] * 4 and hub.trouble is None
        with pytest.raises(RoomError, match="no such game"):
            await hub.live(names[0])
        await hub.close()

    asyncio.run(run())


def test_no_more_games_than_may_be_open_even_at_once(tmp_path: Path) -> None:
    async def run() -> None:
        hub = Hub(Store(tmp_path / "games.sqlite"), max_open=3)
        results = await asyncio.gather(*(hub.open(opening()) for _ in range(9)), return_exceptions=True)
        assert sum(isinstance(result, RoomError) for result in results) == 6 and hub.trouble is None
        await hub.close()

    asyncio.run(run())


def ask(server: Server, path: str, body: Any = None, token: str | None = None) -> tuple[int, Any, float]:
    """Status, answer, and seconds."""
    headers = {"Content-Type": "application/json"} | ({} if token is None else {"Authorization": f"Bearer {token}"})
    data = None if body is None else json.dumps(body).encode()
    began = time.perf_counter()
    try:
        with urllib.request.urlopen(urllib.request.Request(server.url + path, data, headers), timeout=60) as answer:
            status, text = answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            status, text = error.code, error.read()
    return status, json.loads(text), time.perf_counter() - began


@contextmanager
def serving(path: Path, *options: str) -> Iterator[Server]:
    server = Server(path, *options)
    try:
        yield server
    finally:
        server.kill()


def test_another_programs_lock_freezes_nobody(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    with serving(path) as server, closing(sqlite3.connect(path, isolation_level=None)) as other:
        _, me, _ = ask(server, "/api/rooms", {"seats": [ME, OPEN]})
        wish = {"commitment": "5" * 64}
        room, token = f"/api/rooms/{me['room']}", me["token"]
        other.execute("BEGIN IMMEDIATE")
        found: list[tuple[int, Any, float]] = []
        asking = threading.Thread(target=lambda: found.append(ask(server, f"{room}/commitment", wish, token)))
        asking.start()
        assert max(ask(server, "/api/agents")[2] for _ in range(5)) < 0.2
        asking.join()
        status, answer, seconds = found[0]
        assert status == 503 and "please try again" in answer["error"] and seconds < 2
        assert ask(server, room)[1]["missing_commitments"] == [0]
        other.execute("ROLLBACK")
        assert ask(server, f"{room}/commitment", wish, token)[0] == 200
        assert ask(server, room)[1]["missing_commitments"] == []


# ------------------------------------------------------------------------------ full disks


def test_agents_back_off_while_nothing_can_be_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def run() -> None:
        hub = Hub(Store(tmp_path / "games.sqlite"))
        names = [await hub.open(opening(AGENT, AGENT, secret="")) for _ in range(5)]
        listeners = []
        for name in names:

            async def listen(name: str = name) -> None:
                async for _ in _stream(hub, name, await hub.live(name), -1):
                    pass

            listeners.append(asyncio.create_task(listen()))
        slow = Slow(hub.store, monkeypatch)
        slow.broken = "database or disk is full"
        for name in names:
            with pytest.raises(RoomError):
                await hub.move(name, {"do": "throw", "seat": 0, "faces": [7, 7, 0, 0, 3, 4, 5]})
        slow.broken = None
        for name in names:
            await hub.move(name, {"do": "throw", "seat": 0, "faces": [7, 7, 0, 0, 3, 4, 5]})
            slow.broken = "database or disk is full"
            break
        await asyncio.sleep(2.5)
        tries = len(slow.sizes)
        assert hub.trouble == slow.broken and 8 <= tries <= 14, slow.sizes
        slow.broken = None
        await hub.tidy(expire=False)
        assert hub.trouble is None, "it is noticed without anybody's move"
        await until(lambda: hub._live[names[0]].moves > 1)
        await hub.close()
        await asyncio.gather(*listeners)

    asyncio.run(run())
    assert "works again" in caplog.text


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with disks.small_disk(tmp_path / "small") as path:
        if path is None:
            pytest.skip("needs a small disk that can be filled")
        yield path


def test_a_disk_that_is_full(small_disk: Path) -> None:
    with serving(small_disk / "games.sqlite") as server:
        _, me, _ = ask(server, "/api/rooms", {"seats": [ME, BOT]})
        room, token = f"/api/rooms/{me['room']}", me["token"]
        fill(small_disk / "filler")
        stream = urllib.request.urlopen(f"{server.url}{room}/events", timeout=60)
        before = ask(server, room)[1]
        # Some pages may still find room in what the log has already.
        status = 200
        for on in (True, False) * 20:
            status, answer, _ = ask(server, f"{room}/wish", {"what": "coach", "on": on}, token)
            if status != 200:
                break
            before = ask(server, room)[1]
        assert status == 503 and "please try again" in answer["error"]
        assert ask(server, room)[1] == before, "what was not stored has not happened"
        assert ask(server, f"{room}/number", {"number": "5"}, token)[0] == 503
        assert ask(server, "/api/rooms", {"seats": [ME, BOT]})[0] == 503
        (small_disk / "filler").unlink()
        assert ask(server, f"{room}/number", {"number": "5"}, token)[0] == 200
        stream.close()
        server.kill()
        server.start()
        assert ask(server, room)[1]["begun"]


def test_agents_on_a_full_disk_do_not_keep_the_server_busy(small_disk: Path) -> None:
    path = small_disk / "games.sqlite"
    with serving(path) as server:
        found = [ask(server, "/api/rooms", {"seats": [ME, BOT], "first_player": 1})[1]["room"] for _ in range(4)]
        rooms = [f"/api/rooms/{name}" for name in found]
        server.kill()
        file = Store(path)  # the person's number is stored, and the agent will begin when somebody comes
        for name in found:
            file.add_move(name, 0, NUMBER, time.time(), (True, False))
        file.close()
        server.start()
        fill(small_disk / "filler")
        streams = [urllib.request.urlopen(f"{server.url}{room}/events", timeout=60) for room in rooms]

        def wait(until: Callable[[], bool]) -> None:
            deadline = time.monotonic() + 30
            while not until():
                assert time.monotonic() < deadline, "nothing came of it"
                time.sleep(0.05)

        wait(lambda: ask(server, "/healthz")[0] == 503)
        assert "full" in ask(server, "/healthz")[1]["error"]
        began, used = time.monotonic(), cpu(server)
        time.sleep(3)
        assert (cpu(server) - used) / (time.monotonic() - began) < 0.3
        (small_disk / "filler").unlink()
        wait(lambda: all(ask(server, room)[1]["to_act"] == 0 for room in rooms))
        assert ask(server, "/healthz")[0] == 200
        for stream in streams:
            stream.close()


# ------------------------------------------------------------------------------ long rooms


def long_room(path: Path, moves: int, seats: tuple[dict[str, str], ...] = (ANN, ANN)) -> None:
    """A room, called "long", in which something was taken back again and again."""
    opened = opening(*seats, wishes=("take_back",))
    room, file = Room(opened), Store(path)
    done: list[dict[str, Any]] = []

    def do(**move: Any) -> None:
        room.apply(move)
        done.append(move)

    for seat in range(2):
        if room.table is None:
            do(do="number", seat=seat, number="5")
    do(do="wish", seat=1, what="take_back", on=True)
    while len(done) < moves:
        assert room.table is not None and room.table.to_act is not None
        seat = room.table.to_act
        do(do="act", seat=seat, action=room.table.legal()[0])
        if len(room.table.steps) > 30 and len(done) < moves:
            do(do="take_back", seat=seat)
    file.together([lambda: file.open_room("long", opened, time.time(), room.stage)])
    adds = [
        lambda number=number, move=move: file.add_move("long", number, move, time.time(), None)
        for number, move in enumerate(done)
    ]
    file.together(adds)
    file.close()


def test_the_server_answers_while_a_long_room_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    long_room(path, hubs.MAX_MOVES)
    with serving(path) as server:
        found: list[tuple[int, Any, float]] = []
        looking = [threading.Thread(target=lambda: found.append(ask(server, "/api/rooms/long"))) for _ in range(3)]
        for thread in looking:
            thread.start()
        waits = []
        while any(thread.is_alive() for thread in looking):
            waits.append(ask(server, "/api/agents")[2])
            time.sleep(0.02)
        for thread in looking:
            thread.join()
        assert [status for status, *_ in found] == [200] * 3
        print(f"loaded in {max(seconds for *_, seconds in found):.1f} s; meanwhile {max(waits):.3f} s at most")
        assert max(waits) < 1


def test_a_room_is_loaded_once_for_all_who_ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "games.sqlite"
    long_room(path, 200)

    async def run() -> None:
        hub = Hub(Store(path))
        load, loads = hub.store.load, []

        def counted(name: str) -> Any:
            loads.append(name)
            time.sleep(0.1)
            return load(name)

        monkeypatch.setattr(hub.store, "load", counted)
        asking = [asyncio.create_task(hub.live("long")) for _ in range(5)]
        await asyncio.sleep(0.02)
        asking[0].cancel()  # whoever came first goes away
        found = await asyncio.gather(*asking[1:])
        assert loads == ["long"] and len(set(map(id, found))) == 1 and not hub._loading
        nobody = await asyncio.gather(*(hub.live("nosuchroom") for _ in range(3)), return_exceptions=True)
        assert [getattr(error, "status", None) for error in nobody] == [404] * 3 and loads == ["long", "nosuchroom"]
        await hub.close()

    asyncio.run(run())


def test_short_rooms_do_not_wait_for_long_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hubs, "LONG", 100)
    path = tmp_path / "games.sqlite"
    long_room(path, 101)

    async def run() -> None:
        hub = Hub(Store(path))
        short = await hub.open(opening(ANN, ANN))
        hub._live.clear()
        load, may_go_on = hub.store.load, threading.Event()
        monkeypatch.setattr(hub.store, "load", lambda name: load(name) if name == short or may_go_on.wait(20) else None)
        slow = asyncio.create_task(hub.live("long"))
        await asyncio.sleep(0.05)
        await asyncio.wait_for(hub.live(short), 10)
        assert not slow.done()
        may_go_on.set()
        assert (await slow).moves == 101
        await hub.close()

    asyncio.run(run())


def test_rooms_that_are_too_long_can_be_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert hubs.MAX_MOVES == 5000
    monkeypatch.setattr(hubs, "MAX_MOVES", 50)
    path = tmp_path / "games.sqlite"
    long_room(path, 60, (ANN, {**ANN, "agent": "heuristic"}))

    async def run() -> None:
        hub = Hub(Store(path))
        live = await hub.live("long")
        assert live.moves == 60 and live.room.show()["begun"] and live.thinking is None
        with pytest.raises(RoomError, match="too long"):
            await hub.move("long", {"do": "wish", "seat": 0, "what": "coach", "on": True})
        await hub.close()

    asyncio.run(run())
