"""What people let a server remember of their games, without an account: lists of finished games behind private links.

Whoever has a link may read, change and delete what is behind it; nobody else knows that it is there. The server keeps
the hash of a link's token only. What is remembered is what browsers say: it is for their owners alone, and nothing
else depends on it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pechvogel.play.room import RoomError

TABLES = """
    CREATE TABLE memories (
        id INTEGER PRIMARY KEY,
        token TEXT NOT NULL UNIQUE,
        made REAL NOT NULL,
        touched REAL NOT NULL,
        games INTEGER NOT NULL DEFAULT 0
    );
    CREATE TABLE remembered (
        memory INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
        room TEXT NOT NULL,
        at INTEGER NOT NULL,
        game TEXT NOT NULL,
        PRIMARY KEY (memory, room)
    ) WITHOUT ROWID;
"""
MAX_MEMORIES = 20_000
MAX_GAMES = 2_000  # of a memory; then the oldest go
MAX_ALL = 1_000_000  # games of all memories together: about half a gigabyte
PER_DAY = 5  # memories that one address may make
CROWDED = 10_000  # addresses that are counted
PAGE = 100  # games that are read at once
DAY = 86_400.0


class Game(NamedTuple):
    """A finished game as it is kept."""

    room: str
    at: int  # seconds since 1970
    text: str  # all of it, as JSON


class Memories:
    """The tables. Writes come from the thread that writes, reads from the event loop's: both are short."""

    def __init__(self, db: sqlite3.Connection, reader: sqlite3.Connection) -> None:
        self._db, self._reader = db, reader

    def make(self, token: str, now: float) -> None:
        """A new one, by the hash of its token."""
        (count,) = self._db.execute("SELECT count(*) FROM memories").fetchone()
        if count >= MAX_MEMORIES:
            raise _full()
        self._db.execute("INSERT INTO memories (token, made, touched) VALUES (?, ?, ?)", (token, now, now))

    def add(self, token: str, games: Sequence[Game], now: float) -> int:
        """Remember games, or what is new about them; how many there are then. The oldest go if there are too many."""
        memory = self._id(token)
        (total,) = self._db.execute("SELECT coalesce(sum(games), 0) FROM memories").fetchone()
        if total + len(games) > MAX_ALL:
            raise _full()
        rows = [(memory, *game) for game in games]
        self._db.executemany("INSERT OR REPLACE INTO remembered (memory, room, at, game) VALUES (?, ?, ?, ?)", rows)
        (count,) = self._db.execute("SELECT count(*) FROM remembered WHERE memory = ?", (memory,)).fetchone()
        if count > MAX_GAMES:
            oldest = "SELECT room FROM remembered WHERE memory = ? ORDER BY at, room LIMIT ?"
            gone = self._db.execute(oldest, (memory, count - MAX_GAMES)).fetchall()
            self._db.executemany(
                "DELETE FROM remembered WHERE memory = ? AND room = ?", [(memory, room) for (room,) in gone]
            )
        count = min(int(count), MAX_GAMES)
        self._db.execute("UPDATE memories SET touched = ?, games = ? WHERE id = ?", (now, count, memory))
        return count

    def touch(self, token: str, now: float) -> None:
        """Somebody still wants it."""
        self._db.execute("UPDATE memories SET touched = ? WHERE token = ?", (now, token))

    def forget(self, token: str) -> None:
        """Delete it and all that it remembers."""
        self._db.execute("DELETE FROM memories WHERE id = ?", (self._id(token),))

    def expire(self, before: float, empty: float, most: int) -> int:
        """Delete those, so many at most, that nobody has touched since, or that were empty by then; how many."""
        old = "SELECT id FROM memories WHERE touched < ? OR (NOT games AND touched < ?) LIMIT ?"
        ids = self._db.execute(old, (before, empty, most)).fetchall()
        self._db.executemany("DELETE FROM memories WHERE id = ?", ids)
        return len(ids)

    def read(self, token: str, after: str) -> tuple[list[str], str | None, float]:
        """Some games, as JSON, after a room's name; the last name, if there may be more; when it was last touched."""
        row = self._reader.execute("SELECT id, touched FROM memories WHERE token = ?", (token,)).fetchone()
        if row is None:
            raise _unknown()
        games = self._reader.execute(
            "SELECT room, game FROM remembered WHERE memory = ? AND room > ? ORDER BY room LIMIT ?",
            (row[0], after, PAGE),
        ).fetchall()
        return [game for _, game in games], games[-1][0] if len(games) == PAGE else None, float(row[1])

    def _id(self, token: str) -> int:
        row = self._db.execute("SELECT id FROM memories WHERE token = ?", (token,)).fetchone()
        if row is None:
            raise _unknown()
        return int(row[0])


def _full() -> RoomError:
    return RoomError(503, "this server remembers too much already; your browser still does", "memory_full")


def _unknown() -> RoomError:
    sentence = "nothing is remembered under this link: it was deleted, has expired, or is incomplete"
    return RoomError(404, sentence, "no_memory")


class Makers:
    """Who has made memories lately: so many per day and address."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._made: dict[str, list[float]] = {}

    def check(self, who: str) -> None:
        """RoomError if this address has made too many; else one more is counted."""
        now = self._clock()
        if len(self._made) > CROWDED:
            self._made = {key: times for key, times in self._made.items() if now - times[-1] < DAY}
        times = [at for at in self._made.get(who, []) if now - at < DAY]
        if len(times) >= PER_DAY:
            raise RoomError(429, f"{PER_DAY} private links a day are enough for one address", "too_fast")
        self._made[who] = [*times, now]
