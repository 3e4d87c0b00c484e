"""Long rooms, and a thousand hostile listeners in one: they don't read, read a byte now and then, come and go."""

from __future__ import annotations

import itertools
import random
import socket
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from pechvogel.play.store import Store
from tests import wire
from tests.attack import waits
from tests.attack.children import USUAL, serving, stranger
from tests.attack.rows import Row, Setting
from tests.test_store import long_room

MOST = 1000  # MB


def make_long_rooms(path: Path, number: int, moves: int) -> None:
    """Rooms called long0, long1, ..., each of so many moves, with nothing that would make loading them quicker."""
    long_room(path, moves)
    with closing(sqlite3.connect(path)) as db:
        columns = {table: [row[1] for row in db.execute(f"PRAGMA table_info({table})")] for table in ("rooms", "moves")}
        for name in (f"long{k}" for k in range(number)):
            for table, key in (("rooms", "id"), ("moves", "room")):
                others = ", ".join(column for column in columns[table] if column != key)
                db.execute(
                    f"INSERT INTO {table} ({key}, {others}) SELECT ?, {others} FROM {table} WHERE {key} = 'long'",
                    (name,),
                )
        db.commit()
    Store(path).close()


def listen(server: wire.Port, number: int, seed: int) -> None:
    """So many at once, without end: a third never reads, a third reads a byte at a time, a third comes and goes."""
    wire.many_files()
    rng = random.Random(seed)

    def come(who: int) -> socket.socket | None:
        with suppress(OSError):
            found = wire.connect(server, f"127.0.2.{who % 3 + 1}", 4096)
            wire.ask(found, "/api/rooms/long0/events")
            found.setblocking(False)
            return found
        return None

    there = [come(who) for who in range(number)]
    for _ in itertools.count():
        for who in rng.sample(range(number), number // 10):
            one = there[who]
            if one is None or who % 3 == 2:
                if one is not None:
                    one.close()
                there[who] = come(who)
            elif who % 3 == 1:
                try:
                    if not one.recv(1):
                        there[who] = None
                except BlockingIOError:
                    pass
                except OSError:
                    there[who] = None
        time.sleep(0.5)


def attack(given: Setting) -> Iterator[Row]:
    """The server's memory while they are there, and a player's waits."""
    number, seconds = given.times(1000, 100), given.times(30, 4)
    make_long_rooms(given.folder / "games.sqlite", 1, given.times(5000, 1500))
    # As a user starts it: a forked one has more in memory than it needs.
    with serving(given.folder, *USUAL, forked=False) as server:
        wire.status(server, "/api/rooms/long0")
        before = wire.memory(server)
        with stranger(listen, wire.Port(server.port), number, given.seed):
            wire.until(lambda: len(wire.established(server)) > number * 0.9, 60)
            given.say(f"{number} listeners, {seconds} s")
            found = waits.moves(server, seconds, given.seed)
            there = len(wire.established(server))
        most = wire.memory(server, "VmHWM")
    tried = "hostile listeners of the longest game that there can be"
    happened = f"the server had {before:.0f} MB before, {most:.0f} MB at most; {there} were there at the end"
    yield Row(tried, number, happened, most < MOST and there > number / 2)
    yield waits.row("moves of a player meanwhile", number, found)
