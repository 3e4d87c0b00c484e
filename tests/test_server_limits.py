"""What anybody can take from the server: time of the coach, memory, connections, games; and pages from elsewhere."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
from fastapi.testclient import TestClient

from pechvogel.play import guard, serve
from pechvogel.play import server as server_module
from pechvogel.play.hub import COACH_EACH, COACH_QUEUE, Hub
from pechvogel.play.room import Opening
from pechvogel.play.server import create_app
from pechvogel.play.store import Store
from tests.load import Server
from tests.rooms import BOT, LOCAL, ME, OPEN, Clock, client, clock, sit_down
from tests.wire import answer, ask, connect, established, hung_up, memory, more, status, until

__all__ = ["client", "clock"]  # fixtures

LONG = 3000  # events of a long game, of a kilobyte each
LISTENERS = 100
CONNECTIONS = 150

# The server with less patience, a coach who waits for a file, and long games for those who play with one copy.
PATCHES = f"""
import json, pathlib, sys, time
from pechvogel.play import room, serve
from pechvogel.play.pechvogel import coach
serve.HEAD_SECONDS = serve.BODY_SECONDS = 2.0
serve.SLOW_SECONDS = 4.0
serve.MAX_CONNECTIONS = {CONNECTIONS}
folder = pathlib.Path(sys.argv.pop())

def think(position):
    with open(folder / "asked", "a") as asked:
        print("x", file=asked)
    while not (folder / "go").exists():
        time.sleep(0.01)
    return {{}}

coach.analyse = coach.advise = think
begin = room.Room.__init__

def begin_long(self, opening):
    begin(self, opening)
    while opening.copies == 1 and len(self.events) < {LONG}:
        event = {{"number": len(self.events), "kind": "practice", "more": "x" * 1000}}
        self.events.append(json.dumps(event))

room.Room.__init__ = begin_long
from pechvogel.cli import main
main()
"""


class Impatient(Server):
    """With these patches."""

    def start(self) -> None:
        self.folder = self.log.parent
        if "-m" in self.command:
            options = self.command[self.command.index("pechvogel") + 1 :]
            self.command = [sys.executable, "-c", PATCHES, *options, str(self.folder)]
        super().start()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Impatient]:
    if sys.platform != "linux":
        pytest.skip("needs many addresses of this machine, and /proc")
    folder = tmp_path_factory.mktemp("limits")
    options = ("--games-per-address", "3", "--proxy", "127.0.0.99", "--proxy", "10.0.0.0/8", "--name", "Birds.example")
    found = Impatient(folder / "games.sqlite", *options)
    yield found
    found.kill()


GAME = {"seats": [ME, BOT]}
POST = b"POST /api/rooms HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900\r\n"


# ------------------------------------------------------------------------------ the coach


def test_the_coach_answers_some_and_those_who_wait(server: Impatient, client: TestClient) -> None:
    me = sit_down(client, ME, BOT)
    path = "/api/analyse?position=" + json.dumps(me.asked()["position"]).replace(" ", "").replace('"', "%22")
    _, game = status(server, "/api/rooms", {"seats": [ME, BOT], "first_player": 0}, "127.0.0.2")
    room, token = f"/api/rooms/{game['room']}", {"Authorization": f"Bearer {game['token']}"}
    status(server, f"{room}/number", {"number": "1"}, "127.0.0.2", **token)
    asked = server.folder / "asked"
    with ExitStack() as stack:

        def wait(source: str) -> socket.socket:
            found = stack.enter_context(connect(server, source))
            ask(found, path)
            return found

        mine = [wait("127.0.0.2") for _ in range(COACH_EACH)]
        until(asked.exists)
        with connect(server, "127.0.0.2") as connection:
            ask(connection, path)
            code, head, said = answer(connection)
        assert code == 503 and said["code"] == "coach_busy" and "retry-after: " in head
        # A hint that can't be given does not make the game practice.
        refused, _ = status(server, f"{room}/hint", {}, "127.0.0.2", **token)
        assert refused == 503 and not status(server, room)[1]["practice"]
        # Others are not shut out by one who asks much, until many ask.
        others = [wait(f"127.0.1.{n // COACH_EACH + 1}") for n in range(COACH_QUEUE - COACH_EACH)]
        time.sleep(0.5)
        assert status(server, path, source="127.0.2.1")[0] == 503
        # Those who have gone are not thought for.
        for connection in (*mine[1:], *others):
            connection.close()
        time.sleep(0.5)
        last = wait("127.0.0.3")
        time.sleep(0.5)
        (server.folder / "go").touch()
        assert [answer(connection)[0] for connection in (mine[0], last)] == [200, 200]
    assert len(asked.read_text().split()) <= 3, "it thought for those who have gone"
    assert status(server, path)[0] == 200


# ------------------------------------------------------------------------------ listeners who don't read


def long_game(server: Server, source: str) -> str:
    code, found = status(server, "/api/rooms", {"seats": [ME, OPEN], "copies": 1}, source)
    assert code == 201, found
    return f"/api/rooms/{found['room']}/events"


def read_events(connection: socket.socket) -> list[int]:
    """Until the state has come."""
    got = b""
    while b"event: state" not in got[-9000:]:
        got += more(connection)
    return [int(line[4:]) for line in got.split(b"\n") if line.startswith(b"id: ")]


def test_listeners_that_do_not_read_cost_little_and_are_cut_off(server: Impatient) -> None:
    path = long_game(server, "127.0.0.4")
    with connect(server, "127.0.0.4") as reader:
        ask(reader, path)
        assert read_events(reader) == list(range(LONG))
        before = memory(server)
        with ExitStack() as stack:
            lazy = [stack.enter_context(connect(server, "127.0.0.4", 4096)) for _ in range(LISTENERS)]
            for connection in lazy:
                ask(connection, path)
            for connection in lazy:
                assert connection.recv(1)
            grown = memory(server) - before
            assert grown < 0.6 * LISTENERS, f"{grown:.0f} MB for {LISTENERS} listeners"
            time.sleep(5)
            got = b""
            with pytest.raises(OSError):  # it hung up: before the end came, when all that was on its way is read
                while b"event: state" not in got[-9000:]:
                    got += more(lazy[0])
            heard = [int(line[4:]) for line in got.split(b"\n")[:-2] if line.startswith(b"id: ")]
            assert heard == list(range(len(heard))) and len(heard) < LONG / 2
        with connect(server, "127.0.0.4") as again:
            ask(again, path, Last_Event_ID=str(heard[-1]))
            assert read_events(again) == list(range(heard[-1] + 1, LONG))
        assert not hung_up(reader, 0.2), "whoever has read stays"


# ------------------------------------------------------------------------------ idle connections


@pytest.mark.parametrize(
    ("first", "drip"),
    [
        (b"", b""),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ", b"x"),
        (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\r\n"),
        (POST, b""),
        (POST + b"\r\n", b" "),
    ],
)
def test_requests_that_never_become_whole_are_hung_up_on(server: Impatient, first: bytes, drip: bytes) -> None:
    with connect(server) as connection:
        connection.sendall(first)
        deadline = time.monotonic() + 15
        while not hung_up(connection, 0.3):
            assert time.monotonic() < deadline, "it waits for ever"
            try:
                connection.sendall(drip)
            except OSError:
                break


def test_answers_that_nobody_reads_do_not_keep_a_connection(server: Impatient) -> None:
    path = long_game(server, "127.0.0.5").removesuffix("/events")
    with connect(server, "127.0.0.5", 4096) as connection:
        for _ in range(300):  # more than all buffers hold
            ask(connection, path)
        until(lambda: connection.getsockname() not in established(server), 30)


def test_connections_of_one_address_are_counted(server: Impatient) -> None:
    with ExitStack() as stack:
        for _ in range(CONNECTIONS):
            connection = stack.enter_context(connect(server, "127.0.0.6"))
            ask(connection, "/healthz")
            assert answer(connection)[0] == 200
        with pytest.raises(OSError):
            status(server, "/healthz", source="127.0.0.6")
        assert status(server, "/healthz")[0] == 200, "others can come"
    until(lambda: _served(server, "127.0.0.6"))


def _served(server: Server, source: str) -> bool:
    try:
        return status(server, "/healthz", source=source)[0] == 200
    except OSError:
        return False


def test_some_connections_are_left_for_others() -> None:
    crowd = serve._Crowd(1000, [guard.parse_proxy("10.0.0.1")])
    assert [crowd.enter(f"2001:db8::{n:x}") for n in range(301)][-2:] == ["2001:db8::/64", None]
    assert all(crowd.enter("10.0.0.1") for _ in range(500)), "a proxy speaks for many"
    assert sum(crowd.enter(f"10.0.1.{n}") is not None for n in range(200)) == 100
    crowd.leave("10.0.0.1")
    assert crowd.enter("10.0.1.250") is not None


# ------------------------------------------------------------------------------ whose requests


@pytest.mark.parametrize(
    ("host", "who"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::7", "2001:db8:1:2::/64"),
        ("testclient", "testclient"),
    ],
)
def test_addresses_of_one_network_are_one_person(host: str, who: str) -> None:
    assert guard.whose(host) == who


def opened(server: Server, source: str, forwarded: list[str]) -> list[int]:
    return [status(server, "/api/rooms", GAME, source, X_Forwarded_For=way)[0] for way in forwarded]


def test_nobody_pretends_to_come_through_a_proxy(server: Impatient) -> None:
    assert opened(server, "127.0.0.1", [f"5.5.5.{n}" for n in range(4)]) == [201, 201, 201, 429]


def test_a_proxy_that_was_named_is_believed(server: Impatient) -> None:
    proxy = "127.0.0.99"
    assert opened(server, proxy, [f"6.6.6.{n}" for n in range(4)]) == [201] * 4
    invented = [f"7.7.7.{n}, 8.8.8.8, 10.1.2.3" for n in range(4)]  # the last one is a proxy of ours too
    assert opened(server, proxy, invented) == [201, 201, 201, 429]
    assert opened(server, proxy, ["[2001:db8::1]:99", "2001:db8::2", "2001:db8::3", "2001:db8::4"])[-1] == 429
    assert opened(server, proxy, ["unknown"] * 4)[-1] == 429, "the proxy's own"


def test_proxies_are_addresses() -> None:
    with pytest.raises(ValueError, match="--proxy must be an IP address"):
        guard.parse_proxy("nginx")


# ------------------------------------------------------------------------------ games of one address


def limited(tmp_path: Path, clock: Clock, most: int) -> TestClient:
    hub = Hub(Store(tmp_path / "games.sqlite"), clock=clock)
    return TestClient(create_app(hub, rate=10_000, games_per_address=most), LOCAL)


def test_games_that_nobody_plays_lock_out_nobody(tmp_path: Path, clock: Clock) -> None:
    hub = Hub(Store(tmp_path / "games.sqlite"), clock=clock, max_open=2)
    friends = {"seats": [ME, {"kind": "open"}]}
    with TestClient(create_app(hub, rate=10_000), LOCAL) as client:
        played = sit_down(client, ME, BOT)
        waits = client.post("/api/rooms", json=friends).json()["room"]
        clock.now += 590
        assert client.post("/api/rooms", json=friends).json()["code"] == "full"
        clock.now += 20
        hub._live[waits].watchers = 1
        assert client.post("/api/rooms", json=friends).json()["code"] == "full", "somebody waits there for a friend"
        hub._live[waits].watchers = 0
        assert client.post("/api/rooms", json=friends).status_code == 201
        assert client.get(f"/api/rooms/{waits}").status_code == 404
        assert played.get().status_code == 200, "what is being played stays"


def test_one_address_does_not_fill_the_server(tmp_path: Path, clock: Clock) -> None:
    with limited(tmp_path, clock, 2) as client:
        first, _ = (sit_down(client, ME, BOT) for _ in range(2))
        refused = client.post("/api/rooms", json={"seats": [ME, BOT]})
        assert refused.status_code == 429 and refused.json()["code"] == "yours_full"
        first.play_to_the_end()
        again = first.post("rematch")
        assert again.status_code == 201, "a finished game does not count"
        assert client.post("/api/rooms", json={"seats": [ME, BOT]}).status_code == 429
        token = {"Authorization": f"Bearer {again.json()['token']}"}
        assert client.delete(f"/api/rooms/{again.json()['room']}", headers=token).status_code == 204
        sit_down(client, ME, BOT)


def test_games_that_never_begin_count_for_an_hour(tmp_path: Path, clock: Clock) -> None:
    with limited(tmp_path, clock, 1) as client:
        sit_down(client, ME, OPEN)
        assert client.post("/api/rooms", json={"seats": [ME, BOT]}).status_code == 429
        clock.now += guard.WAITING + 1
        sit_down(client, ME, BOT)
        clock.now += guard.WAITING + 1
        assert client.post("/api/rooms", json={"seats": [ME, BOT]}).status_code == 429, "it has begun"


def test_games_that_are_being_opened_count() -> None:
    openers = guard.Openers(2, lambda name: (True, False), time.time)
    with openers.opening("a") as first, openers.opening("a") as second, openers.opening("a") as third:
        assert (first, second, third) == (True, True, False)
    with openers.opening("a") as first:
        assert first, "none of them was"


# ------------------------------------------------------------------------------ pages from elsewhere


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost", 200),
        ("LOCALHOST:8000", 200),
        ("127.0.0.1:8000", 200),
        ("[::1]:8000", 200),
        ("birds.example", 200),
        ("birds.example.:443", 200),
        ("evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost.evil.example:8000", 421),
        ("", 421),
    ],
)
def test_only_our_names_are_served(server: Impatient, host: str, expected: int) -> None:
    found, said = status(server, "/healthz", Host=host)
    assert found == expected and (found == 200 or "--name" in said["error"])


@pytest.mark.parametrize(
    ("expected", "headers"),
    [
        (422, {}),
        (422, {"Origin": "http://localhost:8000", "Host": "localhost:8000", "Sec_Fetch_Site": "same-origin"}),
        (422, {"Origin": "https://birds.example", "Host": "127.0.0.1:8000", "Sec_Fetch_Site": "same-origin"}),
        (403, {"Origin": "http://localhost:3000", "Host": "localhost:8000"}),
        (403, {"Origin": "http://127.0.0.1:3000", "Host": "127.0.0.1:8000"}),
        (403, {"Origin": "https://evil.example"}),
        (403, {"Origin": "null"}),
        (403, {"Origin": "http://[bad"}),
        (403, {"Sec_Fetch_Site": "cross-site"}),
        (403, {"Sec_Fetch_Site": "same-site"}),
        (415, {"Content_Type": "text/plain"}),
        (415, {"Content_Type": ""}),
        (422, {"Content_Type": "application/json; charset=utf-8"}),
    ],
)
def test_other_pages_do_not_act_here(server: Impatient, expected: int, headers: dict[str, str]) -> None:
    assert status(server, "/api/rooms", {"seats": []}, **headers)[0] == expected
    if expected == 403:
        assert status(server, "/api/rooms/none", method="DELETE", **headers)[0] == 403


def test_other_pages_do_not_ask_the_coach(server: Impatient) -> None:
    elsewhere = {"Sec_Fetch_Site": "cross-site"}
    assert status(server, "/api/agents", Sec_Fetch_Mode="no-cors", **elsewhere)[0] == 403
    assert status(server, "/api/agents", Sec_Fetch_Mode="navigate", **elsewhere)[0] == 200


# ------------------------------------------------------------------------------ health


def test_health_says_that_nothing_can_be_stored(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    assert client.get("/healthz").status_code == 200
    hub: Hub = client.app.state.hub  # type: ignore[attr-defined]
    monkeypatch.setattr(hub, "trouble", "database or disk is full", raising=False)
    found = client.get("/healthz")
    assert found.status_code == 503 and found.json()["status"] == "trouble" and "disk" in found.json()["error"]


# ------------------------------------------------------------------------------ turns


def test_others_do_not_wait_for_all_that_one_address_asks_for() -> None:
    done: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        done.append(scope["state"]["who"])
        for _ in range(3):  # pieces of a stream
            await scope["state"]["turn"]()
            done.append(scope["state"]["who"])

    guarded = guard.Guard(app, guard.Limiter(10_000, 10_000))

    async def ask(host: str) -> None:
        scope = {"type": "http", "path": "/api/agents", "method": "GET", "headers": [(b"host", b"localhost")]}
        await guarded({**scope, "client": (host, 1)}, None, None)  # type: ignore[arg-type]

    async def run() -> None:
        await asyncio.gather(*(ask("192.0.2.1") for _ in range(500)), ask("192.0.2.2"))

    asyncio.run(run())
    last = max(at for at, who in enumerate(done) if who == "192.0.2.2")
    assert done.count("192.0.2.2") == 4 and last < 20 * guard.AT_ONCE and len(done) == 4 * 501


def test_listeners_who_waited_for_a_room_have_their_turns_then(tmp_path: Path) -> None:
    """Not before: all would be told at the same moment, while everybody else waits."""

    async def run() -> list[str]:
        hub = Hub(Store(tmp_path / "games.sqlite"))
        name = await hub.open(Opening(2, (OPEN, OPEN), secret=bytes(32).hex()))
        live, order, load = await hub.live(name), [], hub._replay

        async def loaded(name: str) -> None:
            await load(name)
            order.append("loaded")

        async def turn() -> None:
            order.append("turn")

        hub._live.clear()
        hub._replay = loaded  # type: ignore[method-assign]
        async for _ in server_module._stream(hub, name, live, -1, turn):
            order.append("piece")
            hub.end_streams()
        await hub.close()
        return order

    assert asyncio.run(run()) == ["loaded", "turn", "piece"]
