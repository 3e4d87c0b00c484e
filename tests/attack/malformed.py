"""Requests that no browser would send, drawn from a seed: each is refused or hung up on, and breaks nothing."""

from __future__ import annotations

import json
import random
import socket
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx2

from tests import wire
from tests.attack.children import serving
from tests.attack.rows import Row, Setting, Tally
from tests.load import Server
from tests.rooms import BOT, ME, OPEN, sit_down

SOON = 10.0  # seconds in which something must have come back
VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 10**9, 2**63, 10**30, 1.5, 1e308, "", "x", "\0", "é" * 300, "\ud800", "9" * 5000, [], {}, [[]],
    {"a": {}}, [0] * 1000, ["x"] * 6, [{"kind": "me"}] * 9, float("nan"), float("inf"),
)  # fmt: skip
BODIES: dict[str, dict[str, Any]] = {
    "/api/rooms": {
        "seats": [ME, BOT],
        "name": "x",
        "copies": 1,
        "first_player": 0,
        "position": None,
        "series": 3,
        "pace": 1,
    },
    "act": {"action": 5, "played": 0},
    "throw": {"faces": [7, 7, 0, 0, 3, 4, 5], "played": 0},
    "take_back": {"played": 0},
    "wish": {"what": "coach", "on": True},
    "number": {"number": "ab"},
    "join": {"name": "x", "seat": 1},
    "stand_in": {"seat": 1, "agent": "heuristic"},
    "call": {"what": "hello"},
    "hint": {},
    "return": {},
}
LINES = (
    b"GET", b"GET /", b"GET / HTTP/9.9", b"GET / HTTP/1.1 x", b" GET / HTTP/1.1", b"G\0T / HTTP/1.1", b"\r\n\r\n",
    b"GET http://evil.example/ HTTP/1.1", b"GET * HTTP/1.1", b"OPTIONS * HTTP/1.1", b"CONNECT localhost:1 HTTP/1.1",
    b"TRACE / HTTP/1.1", b"PRI * HTTP/2.0\r\n\r\nSM", b"GET /%ff%fe%00 HTTP/1.1", b"GET /\xff\xfe HTTP/1.1",
    b"PATCH /api/rooms HTTP/1.1", b"PUT /healthz HTTP/1.1", b"get / http/1.1", b"GET / HTTP/1.0", b"\x16\x03\x01\x02",
    b"GET /" + b"a/" * 3000 + b" HTTP/1.1", b"GET /?" + b"a=b&" * 5000 + b" HTTP/1.1",
)  # fmt: skip
HEADS = (
    b"Content-Length: -1", b"Content-Length: 99999999999999999999", b"Content-Length: 1e3", b"Content-Length: 5, 6",
    b"Content-Length: \xb2", b"Content-Length: 0x10", b"Transfer-Encoding: chunked", b"Transfer-Encoding: x, chunked",
    b"Host: evil.example", b"Host: ", b"Host: localhost, localhost", b"Host: [::1", b"Origin: http://[",
    b"Origin: null", b"no colon here", b": no name", b"X : space", b"X: a\r\n folded", b"X: \0", b"X: " + b"y" * 9000,
    b"Expect: 100-continue",
    b"Authorization: Bearer \xff", b"Authorization: " + b"B" * 8000, b"Last-Event-ID: \xb2", b"Last-Event-ID: -9",
    b"Content-Type: text/plain", b"Content-Type: application/json; charset=utf-32", b"Content-Encoding: gzip",
    b"X-Forwarded-For: x, y, 1.2.3.4.5, ::", b"Upgrade: websocket\r\nConnection: Upgrade", b"Upgrade: h2c",
    b"Range: bytes=" + b"0-1," * 2000, b"Range: bytes=9-1", b"If-Modified-Since: x", b"Connection: close, close",
    b"Cookie: " + b"a=b; " * 1500, b"\r\n".join(b"X%d: y" % k for k in range(900)),
)  # fmt: skip
POSITIONS = ("2x3_33332_00001f2.00000f1_-_0_642_663_-_frustrate.1_9", "2x1_11111_00000f0.00000f0_-_0_000_-_-_throw_0")


def attack(given: Setting) -> Iterator[Row]:
    """Each of them alone on a connection."""
    with serving(given.folder) as server:
        with httpx2.Client(base_url=server.url, timeout=60, verify=False) as client:
            rooms = [sit_down(client, ME, BOT, copies=1), sit_down(client, ME, OPEN, real_dice=True)]
        source = _Source(
            given.rng("malformed"), [(room.room, room.headers["Authorization"].encode()) for room in rooms]
        )
        for tried, draw, whole in (
            ("first lines and heads that are none", source.head, False),
            ("bodies that are no JSON, or JSON of wrong types, sizes and depths", source.body, True),
            ("questions with nonsense in their address", source.query, True),
            ("requests with bytes changed, missing or twice", source.damaged, False),
        ):
            given.say(tried)
            yield _try(tried, draw, whole, server, given)


def _try(tried: str, draw: Callable[[], bytes], whole: bool, server: Server, given: Setting) -> Row:
    tally, answers = Tally(tried), Counter[str]()
    for _ in range(given.times(250, 40)):
        request = draw()
        found = _send(server, request, SOON if whole else 0.3)
        answers[found] += 1
        fine = found == "hung up" or found[:1] in "1234" or found == "503"  # the coach may be busy
        tally.note(None if fine else f"{found} for {request[:200]!r}")
    if wire.status(server, "/healthz")[0] != 200:
        tally.note("the server is not well")
    log = server.log.read_text(encoding="utf-8", errors="replace")
    if "Traceback" in log or "Error" in log:
        tally.note(f"its log has errors: {log[-300:]!r}")
    return tally.row(", ".join(f"{name} {count}" for name, count in sorted(answers.items())))


def _send(server: Server, request: bytes, patience: float) -> str:
    """The status that came back, or what happened instead; after a while we say that nothing more will come."""
    got = b""
    with wire.connect(server) as connection:
        with suppress(OSError):  # it may have heard enough
            connection.sendall(request)
        try:
            connection.settimeout(patience)
            got = connection.recv(65_536)
        except TimeoutError:
            try:
                connection.settimeout(SOON)
                connection.shutdown(socket.SHUT_WR)
                got = connection.recv(65_536)
            except TimeoutError:
                return "silence"
            except OSError:
                pass
        except OSError:
            pass
    if not got:
        return "hung up"
    return got.split()[1].decode("latin-1") if got.startswith(b"HTTP/") and len(got.split()) > 1 else "nonsense"


@dataclass
class _Source:
    """Requests without end."""

    rng: random.Random
    rooms: list[tuple[str, bytes]]

    def _whole(self, path: str, content: bytes, method: str = "POST", *more: bytes) -> bytes:
        lines = [f"{method} {path} HTTP/1.1".encode(), b"Host: localhost", *more]
        lines += [b"Content-Type: application/json", b"Content-Length: %d" % len(content)] if content else []
        return b"\r\n".join([*lines, b"", content])

    def _place(self) -> tuple[str, bytes, dict[str, Any]]:
        what = self.rng.choice(list(BODIES))
        room, token = self.rng.choice(self.rooms)
        path = what if what.startswith("/") else f"/api/rooms/{room}/{what}"
        return path, b"Authorization: " + (token if self.rng.random() < 0.8 else b"Bearer x"), dict(BODIES[what])

    def head(self) -> bytes:
        line = self.rng.choice(LINES) if self.rng.random() < 0.4 else b"GET /api/agents HTTP/1.1"
        if self.rng.random() < 0.3:
            line = b"POST /api/rooms HTTP/1.1"
        heads = self.rng.choices(HEADS, k=self.rng.randrange(3))
        if self.rng.random() < 0.8:
            heads.insert(self.rng.randrange(len(heads) + 1), b"Host: localhost")
        return b"\r\n".join([line, *heads, b"", self.rng.choice((b"", b"{}", b"5\r\nhello\r\n0\r\n\r\n", b"\0" * 99))])

    def body(self) -> bytes:
        path, token, body = self._place()
        match self.rng.randrange(5):
            case 0:
                content = self.rng.choice(
                    (b"{", b"[" * 9000, b"\xff", b"null", b"NaN", b'"x"', b"1", b"{}x", b'{"a":' * 3000)
                )
            case 1:
                content = json.dumps(self.rng.choice(VALUES)).encode()
            case _:
                for _ in range(self.rng.randrange(1, 3)):
                    key = self.rng.choice([*body, "more"])
                    body[key] = self.rng.choice(VALUES)
                if body and not self.rng.randrange(4):
                    del body[self.rng.choice(list(body))]
                content = json.dumps(body).encode()
        return self._whole(path, content, "POST", token)

    def query(self) -> bytes:
        room, token = self.rng.choice(self.rooms)
        text = self.rng.choice(POSITIONS)
        at = self.rng.randrange(len(text))
        text = text[:at] + self.rng.choice(("", "9" * 30, "-", "\0", "x", "_", "é", "f", "1e9", "{")) + text[at + 1 :]
        odd = quote(str(self.rng.choice(VALUES))[:1800].encode("utf-8", "surrogatepass"))
        path = self.rng.choice(
            (
                f"/api/analyse?position={quote(text)}",
                f"/api/analyse?position={odd}",
                f"/api/analyse?position={quote(POSITIONS[1])}&throw={odd}",
                f"/api/analyse?position={quote(POSITIONS[1])}" + "&throw=0" * self.rng.randrange(12),
                f"/api/rooms/{room}/events?after={odd}",
                f"/api/rooms/{odd}",
                f"/api/rooms/{room}/{odd}",
                f"/web/{odd}",
                f"/game/{odd}",
            )
        )
        return self._whole(path, b"", "GET", b"Authorization: " + token)

    def damaged(self) -> bytes:
        path, token, body = self._place()
        data = bytearray(self._whole(path, json.dumps(body).encode(), "POST", token))
        for _ in range(self.rng.randrange(1, 6)):
            at = self.rng.randrange(len(data))
            match self.rng.randrange(4):
                case 0:
                    data[at] = self.rng.randrange(256)
                case 1:
                    del data[at : at + self.rng.randrange(1, 30)]
                case 2:
                    data[at:at] = data[at : at + self.rng.randrange(1, 60)]
                case _:
                    data[at:at] = self.rng.randbytes(self.rng.randrange(1, 9))
            if not data:
                break
        return bytes(data)
