"""Rooms on disk: what they were opened with and every move, in one SQLite file.

A move is acknowledged only after it was committed and is on the disk, so neither a killed server nor a power cut loses
anything that anybody was told; moves that come together share that wait (`together`). The file is in write-ahead
mode, and carries the number of its schema; older files are brought up to date when opened.

Long rooms also have snapshots, so that a load plays only the last moves again. The moves are what counts: a room whose
snapshots are damaged, missing or of another format is rebuilt from its moves, and gets new ones.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from pechvogel.play import memory
from pechvogel.play.room import Opening, Room, RoomError, Snapshot
from pechvogel.tabletop.untrusted import parse_json, shown

log = logging.getLogger("pechvogel")

# What brings a file from one version of the schema to the next; the number of steps is the version.
MIGRATIONS = (
    """
    CREATE TABLE rooms (
        id TEXT PRIMARY KEY,
        opened REAL NOT NULL,
        touched REAL NOT NULL,
        over INTEGER NOT NULL DEFAULT 0,
        opening TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX rooms_touched ON rooms (touched);
    CREATE TABLE moves (
        room TEXT NOT NULL REFERENCES rooms (id) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        move TEXT NOT NULL,
        PRIMARY KEY (room, number)
    ) WITHOUT ROWID;
    """,
    "DROP INDEX rooms_touched;",  # rooms expire once an hour; keeping it up to date with every move costs more
    """
    ALTER TABLE rooms ADD COLUMN begun INTEGER NOT NULL DEFAULT 1;
    CREATE INDEX rooms_playing ON rooms (over) WHERE NOT over;
    """,  # games that never began may go sooner; and those that are played are counted whenever one is opened
    """
    UPDATE rooms SET begun = 1 WHERE NOT begun
        AND NOT EXISTS (SELECT 1 FROM json_each(opening, '$.seats') WHERE json_extract(value, '$.kind') = 'open')
        AND json_extract(opening, '$.secret') = '';
    """,  # with real dice and nobody missing, games begin when they are opened
    """
    CREATE TABLE snapshots (
        room TEXT NOT NULL REFERENCES rooms (id) ON DELETE CASCADE,
        moves INTEGER NOT NULL,
        snapshot BLOB NOT NULL,
        PRIMARY KEY (room, moves)
    ) WITHOUT ROWID;
    """,
    memory.TABLES,
)
FORMAT = 1  # of snapshots; another number whenever they, or the events in them, change
EVERY = 500  # moves from one snapshot to the next; most games end before the first
MAX_SNAPSHOT = 1 << 26  # bytes
APPLICATION = 0x50564F47  # marks a file as ours
LONG_LOG = 256_000_000  # bytes, from which the write-ahead log is emptied, while all wait for the disk
PATIENCE = 0.25  # seconds that a write waits for another program's lock; everybody's moves wait with it
HOUR = 3600.0


class DamagedError(ValueError):
    """A room that nothing can be made of."""


def gone() -> RoomError:
    """What somebody hears who names a room that is not there."""
    return RoomError(404, "there is no such game: it was deleted, has expired, or the link is incomplete", "gone")


class Loaded(NamedTuple):
    """A room from the file."""

    room: Room
    moves: int
    saved: int  # of these moves, how many are in snapshots
    told: int  # ... and how many events
    missing: bytes | None  # a snapshot of all that should be stored, as there is none that is right


class Store:
    """The file. Used by one thread of one process at a time, but for `load`, `length`, `stage` and `checkpoint`."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(os.path.realpath(path))  # whatever links lead to it, there is one lock
        try:
            with ExitStack() as opened:  # what can't be used is not kept open, either
                self.path.touch(mode=0o600)  # it holds the secrets of games that are being played
                lock = _lock(self.path)
                if lock is not None:
                    opened.callback(os.close, lock)
                _keep_private(self.path)
                db = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
                self._db = opened.enter_context(closing(db))
                self._db.execute("PRAGMA journal_mode = WAL")
                self._db.execute("PRAGMA synchronous = FULL")  # what is committed survives a power cut, too
                self._db.execute("PRAGMA wal_autocheckpoint = 0")  # waits for the disk: see `checkpoint`
                self._db.execute("PRAGMA foreign_keys = ON")
                self._migrate()
                # For the thread that must not wait while another one writes.
                reader = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
                self._reader = opened.enter_context(closing(reader))
                self._db.execute(f"PRAGMA busy_timeout = {PATIENCE * 1000:.0f}")
                self.memories = memory.Memories(self._db, self._reader)
                self._opened = opened.pop_all()
        except (sqlite3.DatabaseError, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise ValueError(f"{path} can't be used as a file of games ({reason})") from None

    def _migrate(self) -> None:
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        (marked,) = self._db.execute("PRAGMA application_id").fetchone()
        tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone() != (0,)
        if marked not in (0, APPLICATION) or (tables and not version):
            raise ValueError(f"{self.path} is another program's file")
        self._db.execute(f"PRAGMA application_id = {APPLICATION}")
        if version > len(MIGRATIONS):
            raise ValueError(f"{self.path} was written by a newer version of this program")
        for number in range(version, len(MIGRATIONS)):
            self._db.executescript(f"BEGIN; {MIGRATIONS[number]} PRAGMA user_version = {number + 1}; COMMIT;")

    def close(self) -> None:
        """Put everything into the one file."""
        self._opened.close()

    def checkpoint(self) -> None:
        """Move what is safe in the log into the file. It waits for the disk, so another thread may do it."""
        with closing(sqlite3.connect(self.path)) as db:
            db.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def shorten_log(self) -> None:
        """Empty a log that has become long: under load there is always a newer move in it, so it never begins anew."""
        log = self.path.with_name(f"{self.path.name}-wal")
        if log.exists() and log.stat().st_size > LONG_LOG:
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def together(self, writes: Sequence[Callable[[], Any]]) -> list[Any]:
        """Carry out writes in one transaction; when this returns, all are on the disk, and when it raises, none is.

        What each of them returned, or the error with which it alone was refused.
        """
        results: list[Any] = []
        with _Transaction(self._db):
            for write in writes:
                try:
                    results.append(write())
                except (sqlite3.IntegrityError, RoomError) as error:
                    results.append(error)
        return results

    def probe(self) -> None:
        """Write something that changes nothing, to see whether it works."""
        self._db.execute("UPDATE rooms SET touched = touched WHERE id = (SELECT min(id) FROM rooms)")

    def open_room(self, name: str, opening: Opening, now: float, stage: tuple[bool, bool] = (False, False)) -> None:
        """Keep a new room; with real dice its game may have begun already."""
        text = json.dumps(asdict(opening), separators=(",", ":"))
        row = (name, now, now, text, *stage)
        columns = "id, opened, touched, opening, begun, over"
        self._db.execute(f"INSERT INTO rooms ({columns}) VALUES (?, ?, ?, ?, ?, ?)", row)

    def add_move(
        self,
        name: str,
        number: int,
        move: Mapping[str, Any],
        now: float,
        stage: tuple[bool, bool] | None,
        snapshot: Snapshot | None = None,
    ) -> None:
        """Keep a move; when this returns, it is safe. `stage`, if that has changed: the game has begun, is over.

        `snapshot` is the room with this move, and the events since the last one.
        """
        with _Transaction(self._db):
            text = json.dumps(move, separators=(",", ":"))
            try:
                self._db.execute("INSERT INTO moves (room, number, move) VALUES (?, ?, ?)", (name, number, text))
            except sqlite3.IntegrityError:
                if self._db.execute("SELECT 1 FROM rooms WHERE id = ?", (name,)).fetchone() is None:
                    raise gone() from None  # somebody was faster and has deleted it
                raise
            # Days count, and every page that is written makes the log longer.
            self._db.execute("UPDATE rooms SET touched = ? WHERE id = ? AND touched < ?", (now, name, now - HOUR))
            if stage is not None:
                self._db.execute("UPDATE rooms SET begun = ?, over = ? WHERE id = ?", (*stage, name))
            if snapshot is not None:
                self.add_snapshot(name, number + 1, _pack(snapshot), first=False)

    def add_snapshot(self, name: str, moves: int, snapshot: bytes, first: bool) -> None:
        """Keep what a room was like after so many moves; the `first` replaces all that were there."""
        with _Transaction(self._db):
            if first:
                self._db.execute("DELETE FROM snapshots WHERE room = ?", (name,))
            self._db.execute("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?)", (name, moves, snapshot))

    def load(self, name: str) -> Loaded | None:
        """A room as it was after its last move. It may take long: any thread may do it."""
        with closing(sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)) as db:
            db.execute("BEGIN")  # all as they are at one moment
            row = db.execute("SELECT opening FROM rooms WHERE id = ?", (name,)).fetchone()
            found = "SELECT moves, snapshot FROM snapshots WHERE room = ? ORDER BY moves"
            snapshots = db.execute(found, (name,)).fetchall()
            moves = [move for (move,) in db.execute("SELECT move FROM moves WHERE room = ? ORDER BY number", (name,))]
        if row is None:
            return None
        try:
            return _rebuild(name, _read_opening(row[0]), snapshots, moves)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise DamagedError(f"the room {name} can't be read: {shown(error)}") from None

    def delete(self, name: str) -> None:
        """Forget a room."""
        self._db.execute("DELETE FROM rooms WHERE id = ?", (name,))

    def expire(self, before: float, never_begun: float, most: int, spared: Collection[str] = ()) -> list[str]:
        """Forget rooms, so many at most, that nobody has touched since, or that had not begun by then; their names."""
        old = "SELECT id FROM rooms WHERE touched < ? OR (NOT begun AND touched < ?) LIMIT ?"
        with _Transaction(self._db):
            found = self._db.execute(old, (before, never_begun, most + len(spared)))
            names = [name for (name,) in found if name not in spared][:most]
            self._db.executemany("DELETE FROM rooms WHERE id = ?", [(name,) for name in names])
        return names

    def count(self) -> int:
        """How many games are being played."""
        (count,) = self._db.execute("SELECT count(*) FROM rooms WHERE NOT over").fetchone()
        return int(count)

    def length(self, name: str) -> int:
        """How many moves a room has."""
        (last,) = self._reader.execute("SELECT max(number) FROM moves WHERE room = ?", (name,)).fetchone()
        return 0 if last is None else int(last) + 1

    def stage(self, name: str) -> tuple[bool, bool] | None:
        """Whether a game has begun, and whether it is over; None if there is no such room."""
        row = self._reader.execute("SELECT begun, over FROM rooms WHERE id = ?", (name,)).fetchone()
        return None if row is None else (bool(row[0]), bool(row[1]))


# ------------------------------------------------------------------------------ rooms from rows


def _read_opening(text: str) -> Opening:
    opening = parse_json(text)
    return Opening(**{**opening, "seats": tuple(opening["seats"]), "wishes": tuple(opening["wishes"])})


def _rebuild(name: str, opening: Opening, snapshots: Sequence[tuple[int, bytes]], moves: Sequence[str]) -> Loaded:
    if snapshots:
        try:
            saved = snapshots[-1][0]
            if saved > len(moves):
                raise ValueError("moves are missing")
            room = Room(opening, _unpack([packed for _, packed in snapshots]))
            told = len(room.events)
        except Exception as error:  # whatever it is: the moves are there
            log.warning("the snapshots of room %s are not used: %s", name, shown(error))
        else:
            _play(room, moves[saved:])
            return Loaded(room, len(moves), saved, told, None)
    room = Room(opening)
    _play(room, moves)
    if len(moves) < EVERY:
        return Loaded(room, len(moves), 0, 0, None)
    return Loaded(room, len(moves), len(moves), len(room.events), _pack(room.snapshot()))


def _play(room: Room, moves: Sequence[str]) -> None:
    for move in moves:
        room.apply(parse_json(move))


def _pack(snapshot: Snapshot) -> bytes:
    """A line of JSON for the state, one for each event; compressed, which also brings a checksum."""
    state = json.dumps({"format": FORMAT, **snapshot.state}, separators=(",", ":"))
    return zlib.compress("\n".join([state, *snapshot.events]).encode(), 1)


def _unpack(packed: Sequence[bytes]) -> Snapshot:
    """The state of the last, and the events of all."""
    events: list[str] = []
    for part in packed:
        reader = zlib.decompressobj()
        text = reader.decompress(part, MAX_SNAPSHOT)
        if not reader.eof:
            raise ValueError("a snapshot is too large, or not whole")
        state, *more = text.decode().split("\n")
        events += more
    found = parse_json(state)
    if found.pop("format") != FORMAT:
        raise ValueError("they have another format")
    return Snapshot(found, events)


# ------------------------------------------------------------------------------ files and transactions


def _lock(path: Path) -> int | None:
    """Keep other servers away from the file, as long as this process lives and until what is returned is closed."""
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    file = os.open(path.with_name(f"{path.name}-lock"), os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        raise ValueError(f"{path} is used by another server") from None
    return file


def _keep_private(path: Path) -> None:
    """Let nobody but the owner read a file of games; whatever SQLite puts beside it later gets the same mode."""
    if os.name != "posix":
        return
    for file in (path, *(path.with_name(f"{path.name}-{kind}") for kind in ("wal", "shm"))):
        try:
            if file.stat().st_mode & 0o077:
                file.chmod(0o600)
                if file.stat().st_mode & 0o077:
                    raise PermissionError(None, "the file system has no such modes")
        except FileNotFoundError:
            pass
        except OSError as error:
            log.warning("others may read %s, and the secrets of games in it (%s)", file, error.strerror)


class _Transaction:
    """All or nothing; within another one, a part of that."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db
        self.outermost = not db.in_transaction

    def __enter__(self) -> None:
        if self.outermost:
            self.db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: Any, *_: Any) -> None:
        if not self.outermost:
            return
        try:
            if kind is None:
                self.db.execute("COMMIT")
        finally:
            if self.db.in_transaction:  # it may have been rolled back already, as when the disk is full
                self.db.execute("ROLLBACK")
