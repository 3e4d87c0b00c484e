"""A server with a solution table that is damaged, deleted or made anew while it runs."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("fastapi")
from fastapi.testclient import TestClient

from pechvogel.agents.pechvogel import solution
from pechvogel.agents.pechvogel.optimal import OptimalAgent
from pechvogel.agents.pechvogel.solution import HEADER, DamagedTableError, Solution
from pechvogel_env.position import Position
from tests.rooms import ME, Clock, client, clock, sit_down

__all__ = ["client", "clock"]  # fixtures

CAP = 2
SIZE = solution.data_bytes(1, CAP)
PERFECT = {"kind": "agent", "agent": "optimal"}
START = "2x1_11111_00000f0.00000f0_-_0_000_-_-_throw_0"


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of a game in which everything is worth nothing."""
    folder = tmp_path / "tables"
    folder.mkdir()
    monkeypatch.setenv("PECHVOGEL_TABLES", str(folder))
    return make(folder / solution.file_name(1, CAP))


def make(path: Path) -> Path:
    fresh = path.with_suffix(".new")
    fresh.write_bytes(bytes(HEADER + SIZE))
    info = {"copies": 1, "frustrations": CAP, "start_value": 0.0, "residual": 0.0, "sweeps": 1.0}
    solution.seal(fresh, info)
    fresh.replace(path)
    return path


def flip(path: Path) -> None:
    """A bit of every chunk, in the file as it is."""
    with open(path, "r+b") as file:
        for at in range(HEADER, HEADER + SIZE, solution.CHUNK):
            file.seek(at)
            found = file.read(1)[0]
            file.seek(at)
            file.write(bytes([found ^ 64]))


def cut(path: Path) -> None:
    """What is mapped and cut off can't even be looked at: a signal would end the process."""
    os.truncate(path, HEADER + 100)


@pytest.mark.parametrize("damage", [flip, cut, Path.unlink, lambda path: path.write_bytes(b"")])
def test_a_table_that_is_damaged_under_the_server(
    client: TestClient, clock: Clock, table: Path, damage: object
) -> None:
    def offered() -> bool:
        found = client.get("/api/agents")
        assert found.status_code == 200
        return "optimal" in found.json()["agents"]

    me = sit_down(client, ME, PERFECT, copies=1, first_player=1)
    assert offered() and me.asked()["events"] > 1
    damage(table)  # type: ignore[operator]
    assert not offered()
    for _ in range(2):
        refused = client.post("/api/rooms", json={"seats": [ME, PERFECT], "copies": 1})
        assert refused.status_code == 422 and "table" in refused.json()["error"]
    me.play_to_the_end()  # somebody else plays for it, if it can't
    assert me.get("/review").status_code == 200
    make(table)
    assert offered(), "made anew, it is there again"
    sit_down(client, ME, PERFECT, copies=1, first_player=1).asked()


def test_what_was_right_is_not_believed_for_ever(table: Path) -> None:
    states = Position.parse(START).states()
    used, named = OptimalAgent(), OptimalAgent(table=str(table))
    before = [agent.search(states).values(states)[:, :2] for agent in (used, named)]
    found = Solution(table)
    found.verify()
    mtime = table.stat().st_mtime_ns
    flip(table)
    os.utime(table, ns=(mtime + 10**6, mtime + 10**6))  # clocks of files may be coarse
    with pytest.raises(DamagedTableError, match="changed while it was used"):
        found.evaluate(states)
    for agent in (used, named):
        with pytest.raises(DamagedTableError):
            agent.search(states).values(states)
    make(table)  # another file in its place
    assert np.array_equal(used.search(states).values(states)[:, :2], before[0])
    with pytest.raises(DamagedTableError):
        named.search(states).values(states)  # that was the one it had


def test_a_table_that_takes_anothers_place_is_no_damage(table: Path) -> None:
    states = Position.parse(START).states()
    found = Solution(table)
    make(table)
    assert not found.evaluate(states).any() and found.sound
    table.unlink()
    assert not found.evaluate(states).any()
