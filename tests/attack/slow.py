"""Connections that only keep the server busy: silent, slow, idle, or not reading what they asked for."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pechvogel.play import serve
from tests import wire
from tests.attack import waits
from tests.attack.children import USUAL, serving, stranger
from tests.attack.listeners import make_long_rooms
from tests.attack.rows import Row, Setting, Tally

HEAD = b"POST /api/rooms HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900\r\n"
LOOK = b"GET /api/rooms/long0 HTTP/1.1\r\nHost: localhost\r\n\r\n"
LISTEN = b"GET /api/rooms/long0/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
# What each kind sends first, what it sends every second after that, and after how many seconds it has no excuse.
KINDS: dict[str, tuple[bytes, bytes, float]] = {
    "connections that say nothing": (b"", b"", serve.HEAD_SECONDS),
    "heads that never end, a letter a second": (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ", b"x", serve.HEAD_SECONDS),
    "bodies that never come": (HEAD + b"\r\n", b"", serve.BODY_SECONDS),
    "bodies that never end, a letter a second": (HEAD + b"\r\n", b" ", serve.BODY_SECONDS),
    "connections that stay after an answer": (LOOK, b"", serve.IDLE_SECONDS),
    "a hundred questions each, and no answer read": (LOOK * 100, b"", serve.SLOW_SECONDS + serve.IDLE_SECONDS),
    "listeners that don't read": (LISTEN, b"", serve.SLOW_SECONDS),
}
SLACK = 10.0  # seconds, on a busy machine


def attack(given: Setting) -> Iterator[Row]:
    """All kinds at once, while somebody plays."""
    each = given.times(100, 10)
    make_long_rooms(given.folder / "games.sqlite", 1, given.times(5000, 1500))
    kinds = dict(list(KINDS.items())[:2]) if given.quick else KINDS
    seconds = max(limit for *_, limit in kinds.values()) + SLACK
    results = given.folder / "results.json"
    with serving(given.folder, *USUAL) as server:
        wire.status(server, "/api/rooms/long0")  # it takes a while to load
        with stranger(_hold, wire.Port(server.port), list(kinds), each, seconds, str(results)):
            found = waits.moves(server, min(seconds, 20), given.seed)
            deadline = time.monotonic() + seconds + 30
            while not results.exists() and time.monotonic() < deadline:
                given.say(f"{seconds:.0f} s")
                time.sleep(0.2)
        held = json.loads(results.read_text())
    for kind, ends in held.items():
        limit = KINDS[kind][2]
        tally = Tally(kind)
        for end in ends:
            tally.note(
                "it is still there" if end is None else None if end < limit + SLACK else f"cut off after {end:.0f} s"
            )
        known = [end for end in ends if end is not None]
        yield tally.row(f"cut off after {min(known):.0f} to {max(known):.0f} s" if known else "")
    yield waits.row("moves of a player meanwhile", each * len(kinds), found)


def _hold(server: wire.Port, kinds: list[str], each: int, seconds: float, results: str) -> None:
    """Open the connections, see how long the server keeps each of them, and write that down."""
    wire.many_files()
    began = time.monotonic()
    opened: list[tuple[str, socket.socket, tuple[str, int]]] = []
    for number, kind in enumerate(kinds):
        for _ in range(each):
            connection = wire.connect(server, f"127.0.1.{number + 1}", 4096)
            opened.append((kind, connection, connection.getsockname()))
            connection.setblocking(False)
            with suppress(OSError):
                connection.send(KINDS[kind][0])
    ends: dict[tuple[str, int], float | None] = {}
    while len(ends) < len(opened) and time.monotonic() - began < seconds:
        time.sleep(1)
        there = wire.established(server)
        for kind, connection, local in opened:
            if local in ends:
                continue
            if local not in there:
                ends[local] = time.monotonic() - began
            elif KINDS[kind][1]:
                with suppress(OSError):
                    connection.send(KINDS[kind][1])
    found = {kind: [ends.get(local) for other, _, local in opened if other == kind] for kind in kinds}
    path = Path(results)
    path.with_suffix(".new").write_text(json.dumps(found))
    path.with_suffix(".new").rename(path)
