"""Long rooms are loaded from snapshots: the same rooms as their moves make, and the moves are what counts."""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3
import zlib
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pechvogel.play import hub as hubs
from pechvogel.play import store
from pechvogel.play.hub import Hub, Live
from pechvogel.play.pechvogel.table import Table
from pechvogel.play.room import Opening, Room, RoomError
from pechvogel.play.store import Loaded, Store

ANN = {"kind": "person", "name": "Ann", "token": "t"}
AGENT = {"kind": "agent", "agent": "heuristic"}
OPEN = {"kind": "open"}
SECRET = bytes(range(32)).hex()
EVERY = 20


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Snapshots also of short rooms, and agents that leave the moves to us."""
    for module in (store, hubs):
        monkeypatch.setattr(module, "EVERY", EVERY)
    monkeypatch.setattr(Hub, "let_agents_play", lambda *_: None)


# ------------------------------------------------------------------------------ rooms, and whether they are the same


def openings() -> dict[str, Opening]:
    """Rooms of several kinds."""
    position = {"players": [{"frustrations": 3}, {"frustrations": 2}, {}], "turn": 4, "active": 1}
    return {
        "seeded": Opening(2, (ANN, AGENT), SECRET, wishes=("take_back",)),
        "people": Opening(4, (ANN, OPEN, AGENT, OPEN), SECRET, italian_reading=True, wishes=("take_back", "coach")),
        "real": Opening(3, (ANN, AGENT, OPEN), "", wishes=("take_back",)),
        "position": Opening(3, (OPEN, ANN, AGENT), SECRET, position=position, wishes=("take_back",)),
    }


def some_move(room: Room, rng: random.Random) -> dict[str, Any]:
    """A move that may or may not be possible; all kinds of them."""
    seat, table = rng.randrange(len(room.seats)), room.table
    if table is None:
        return rng.choice(
            [
                {"do": "number", "seat": seat, "number": f"{rng.getrandbits(64):x}"},
                {"do": "join", "seat": seat, "name": "Bob", "token": f"{seat}", "number": f"{rng.getrandbits(64):x}"},
                {"do": "wish", "seat": seat, "what": rng.choice(["coach", "take_back"]), "on": rng.random() < 0.7},
            ]
        )
    if rng.random() < 0.25:
        return rng.choice(
            [
                {"do": "take_back", "seat": seat},
                {"do": "wish", "seat": seat, "what": rng.choice(["coach", "take_back"]), "on": rng.random() < 0.8},
                {"do": "hint", "seat": seat},
                {"do": "stand_in", "seat": seat, "agent": "random"},
                {"do": "return", "seat": seat},
                {"do": "rematch", "room": f"{rng.getrandbits(64):x}"},
            ]
        )
    if table.dice_due:
        faces = [rng.choice([0, 3, 4, 5, 6, 7]) for _ in range(table.dice_due)]
        return {"do": "throw", "seat": room.waited_for(), "faces": faces}
    if table.to_act is None:
        return {"do": "wish", "seat": seat, "what": "coach", "on": True}
    return {"do": "act", "seat": table.to_act, "action": rng.choice(table.legal())}


def plain(value: Any) -> Any:
    """All that a room consists of, so that it can be compared; nothing that it has is left out."""
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, Table):
        return {key: plain(part) for key, part in vars(value).items() if key != "seeds"}
    if hasattr(value, "__slots__"):
        return [plain(getattr(value, name)) for name in value.__slots__]
    return value


def assert_same(found: Room, wanted: Room) -> None:
    assert found is not wanted
    ours, theirs = ({key: plain(value) for key, value in vars(room).items()} for room in (found, wanted))
    assert ours.keys() == theirs.keys()
    for key in theirs:
        assert ours[key] == theirs[key], key
    assert found.show() == wanted.show()
    if wanted.stage[1]:
        assert found.record() == wanted.record()


def fully_replayed(file: Store, name: str) -> Room:
    (opening,) = file._db.execute("SELECT opening FROM rooms WHERE id = ?", (name,)).fetchone()
    room = Room(store._read_opening(opening))
    for (move,) in file._db.execute("SELECT move FROM moves WHERE room = ? ORDER BY number", (name,)):
        room.apply(json.loads(move))
    return room


def load(file: Store, name: str) -> Loaded:
    loaded = file.load(name)
    assert loaded is not None
    return loaded


async def play(hub: Hub, name: str, moves: int, rng: random.Random) -> Live:
    live = await hub.live(name)
    for _ in range(20 * moves):
        if live.moves >= moves:
            break
        try:
            live = await hub.move(name, some_move(live.room, rng))
        except RoomError:
            continue
    assert live.moves >= moves
    return live


@pytest.mark.parametrize("kind", openings())
def test_a_loaded_room_is_the_one_that_its_moves_make(tmp_path: Path, kind: str) -> None:
    async def run() -> None:
        hub = Hub(Store(tmp_path / "games.sqlite"))
        rng = random.Random(kind)
        name = await hub.open(openings()[kind])
        for moves in (19, 20, 97, 180):  # also where there is a snapshot and no move since, and at the end
            live = await play(hub, name, moves, rng)
            loaded = load(hub.store, name)
            assert loaded.moves == live.moves == moves and loaded.saved == moves // EVERY * EVERY == live.saved
            assert loaded.missing is None and loaded.told == live.told
            wanted = fully_replayed(hub.store, name)
            assert_same(loaded.room, wanted)
            assert_same(live.room, wanted)
            # Coming dice, too: whatever is done next has the same outcome in both.
            future = random.Random(moves)
            for _ in range(40):
                move = some_move(wanted, future)
                results = []
                for room in (loaded.room, wanted):
                    try:
                        results.append(room.apply(move))
                    except RoomError as error:
                        results.append(str(error))
                assert results[0] == results[1]
            assert_same(loaded.room, wanted)
            hub._live.clear()  # the next moves are made in a room that was loaded
        await hub.close()

    asyncio.run(run())


def test_a_snapshot_right_after_a_take_back_knows_of_it(tmp_path: Path) -> None:
    """No throw since then says so: the coming dice are others all the same."""

    async def run() -> None:
        hub = Hub(Store(tmp_path / "games.sqlite"))
        name = await hub.open(openings()["seeded"])
        live = await hub.move(name, {"do": "number", "seat": 0, "number": "a1"})
        while live.moves < EVERY - 1 or live.room.table is None or live.room.table.to_act != 0:
            table = live.room.table
            assert table is not None and not table.over
            if live.moves < EVERY - 1:
                live = await hub.move(name, {"do": "act", "seat": table.to_act, "action": table.legal()[-1]})
        live = await hub.move(name, {"do": "take_back", "seat": 0})
        loaded = load(hub.store, name)
        assert loaded.saved == loaded.moves == EVERY
        assert_same(loaded.room, fully_replayed(hub.store, name))
        await hub.close()

    asyncio.run(run())


def test_finished_games_are_the_same(tmp_path: Path) -> None:
    async def run() -> None:
        hub = Hub(Store(tmp_path / "games.sqlite"))
        name = await hub.open(openings()["seeded"])
        rng = random.Random(1)
        while not (live := await play(hub, name, (await hub.live(name)).moves + 1, rng)).room.stage[1]:
            pass
        await hub.move(name, {"do": "rematch", "room": "another"})
        assert live.moves > EVERY and live.room.table is not None and live.room.table.taken_back
        loaded = load(hub.store, name)
        assert loaded.saved
        assert_same(loaded.room, live.room)
        assert_same(loaded.room, fully_replayed(hub.store, name))
        await hub.close()

    asyncio.run(run())


# ------------------------------------------------------------------------------ what is played again


def applied(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The moves that rooms carry out from now on."""
    found: list[Any] = []
    apply = Room.apply

    def counted(room: Room, move: Any) -> None:
        found.append(move)
        apply(room, move)

    monkeypatch.setattr(Room, "apply", counted)
    return found


@pytest.fixture
def long(tmp_path: Path) -> Path:
    """A file with a room, called "long", of 110 moves."""
    path = tmp_path / "games.sqlite"

    async def run() -> None:
        hub = Hub(Store(path))
        name = await hub.open(openings()["real"])
        await play(hub, name, 110, random.Random(5))
        await hub.close()

    asyncio.run(run())
    with closing(sqlite3.connect(path)) as db:
        for table, column in (("rooms", "id"), ("moves", "room"), ("snapshots", "room")):
            db.execute(f"UPDATE {table} SET {column} = 'long'")
        db.commit()
    return path


def snapshots(path: Path) -> dict[int, bytes]:
    with closing(sqlite3.connect(path)) as db:
        return dict(db.execute("SELECT moves, snapshot FROM snapshots WHERE room = 'long' ORDER BY moves"))


def change(path: Path, sql: str, *values: Any) -> None:
    with closing(sqlite3.connect(path)) as db:
        assert db.execute(sql, values).rowcount > 0
        db.commit()


def test_only_the_last_moves_are_played_again(long: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(snapshots(long)) == [20, 40, 60, 80, 100]
    file = Store(long)
    done = applied(monkeypatch)
    assert load(file, "long").moves == 110 and len(done) == 10
    file.close()


def test_every_event_is_stored_once(long: Path) -> None:
    file = Store(long)
    events = load(file, "long").room.events
    file.close()
    stored = [zlib.decompress(packed).decode().split("\n")[1:] for packed in snapshots(long).values()]
    whole = [event for part in stored for event in part]
    assert whole == events[: len(whole)] and len(whole) > 100


def open_and_load(path: Path) -> None:
    """As a server does: whoever asks for a room also brings its snapshots up to date."""

    async def run() -> None:
        hub = Hub(Store(path))
        live = await hub.live("long")
        assert_same(live.room, fully_replayed(hub.store, "long"))
        await hub.close()

    asyncio.run(run())


def test_rooms_of_older_files_get_snapshots(long: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "older.sqlite"
    with closing(sqlite3.connect(path)) as old, closing(sqlite3.connect(long)) as new:
        for number, step in enumerate(store.MIGRATIONS[:4]):
            old.executescript(f"{step} PRAGMA user_version = {number + 1};")
        columns = "id, opened, touched, opening, begun, over"
        for row in new.execute(f"SELECT {columns} FROM rooms"):
            old.execute(f"INSERT INTO rooms ({columns}) VALUES (?, ?, ?, ?, ?, ?)", row)
        old.executemany("INSERT INTO moves VALUES (?, ?, ?)", new.execute("SELECT room, number, move FROM moves"))
        old.commit()
    open_and_load(path)
    assert list(snapshots(path)) == [110]
    done = applied(monkeypatch)
    file = Store(path)
    assert load(file, "long").moves == 110 and not done
    file.close()


def damages(packed: bytes) -> list[Any]:
    rng = random.Random(1)
    flipped = []
    for _ in range(8):
        where, data = rng.randrange(len(packed)), bytearray(packed)
        data[where] ^= 1 << rng.randrange(8)
        flipped.append(bytes(data))
    state, *events = zlib.decompress(packed).decode().split("\n")
    found = json.loads(state)

    def rewritten(**changes: Any) -> bytes:
        return zlib.compress("\n".join([json.dumps({**found, **changes}), *events]).encode())

    return [
        *flipped,
        b"",
        packed[:-1],
        "text",
        b"nonsense",
        zlib.compress(b""),
        zlib.compress(b"\xff"),
        zlib.compress(b"[" * 100_000),
        zlib.compress(b"[]"),
        zlib.compress("\n".join([state, *events[:-1]]).encode()),
        rewritten(format=store.FORMAT + 1),
        rewritten(table={**found["table"], "line": found["table"]["line"] + " 99"}),
        rewritten(table={**found["table"], "line": "0:1234567"}),
        rewritten(table={**found["table"], "line": "0:"}),
        rewritten(table=7),
        rewritten(seats=None),
        rewritten(numbers=3),
    ]


def test_damaged_snapshots_are_not_used_but_replaced(long: Path, caplog: pytest.LogCaptureFixture) -> None:
    whole = snapshots(long)
    file = Store(long)
    wanted = fully_replayed(file, "long")
    file.close()
    tried = 0
    for moves in (100, 20):
        for damaged in damages(whole[moves]):
            if moves == 20 and isinstance(damaged, bytes) and damaged[:2] == b"\x78\x9c":
                continue  # of earlier ones, only the events count
            caplog.clear()
            change(long, "UPDATE snapshots SET snapshot = ? WHERE moves = ?", damaged, moves)
            file = Store(long)
            loaded = load(file, "long")
            file.close()
            assert loaded.missing is not None and "not used" in caplog.text, damaged
            assert_same(loaded.room, wanted)
            change(long, "UPDATE snapshots SET snapshot = ? WHERE moves = ?", whole[moves], moves)
            tried += 1
    assert tried > 25
    change(long, "UPDATE snapshots SET snapshot = ? WHERE moves = 60", b"damaged")
    open_and_load(long)
    assert list(snapshots(long)) == [110]
    change(long, "DELETE FROM snapshots")
    open_and_load(long)
    assert list(snapshots(long)) == [110]


def test_a_snapshot_that_is_missing_is_noticed(long: Path) -> None:
    for gone in (20, 60):
        change(long, "DELETE FROM snapshots WHERE moves = ?", gone)
        file = Store(long)
        loaded = load(file, "long")
        assert loaded.missing is not None
        assert_same(loaded.room, fully_replayed(file, "long"))
        file.close()
    change(long, "DELETE FROM moves WHERE number >= 90")  # younger than what is there
    open_and_load(long)
    assert list(snapshots(long)) == [90]


def test_snapshots_do_not_unfold_without_end(long: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MAX_SNAPSHOT", 1000)
    file = Store(long)
    loaded = load(file, "long")
    assert loaded.missing is not None
    assert_same(loaded.room, fully_replayed(file, "long"))
    file.close()


def test_snapshots_go_with_their_room(long: Path) -> None:
    file = Store(long)
    file.delete("long")
    file.close()
    assert snapshots(long) == {}


def test_a_damaged_room_is_one_sentence(long: Path) -> None:
    broken = [
        "{",
        "[]",
        "7",
        '{"do":"fly"}',
        '{"do":"wish","seat":99,"what":"coach","on":true}',
        '{"do":"wish"}',
        "9" * 99,
    ]
    for text in broken:
        change(long, "UPDATE moves SET move = ? WHERE number = 109", text)
        file = Store(long)
        with pytest.raises(store.DamagedError, match="long can't be read"):
            file.load("long")
        file.close()
    for text in ("{", "[]", "7", "{}", json.dumps({**asdict(openings()["real"]), "seats": 3})):
        change(long, "UPDATE rooms SET opening = ?", text)

        async def run() -> None:
            hub = Hub(Store(long))
            with pytest.raises(RoomError, match="can't be read any more"):
                await hub.live("long")
            await hub.close()

        asyncio.run(run())
