"""A server for tests, and people who play on it as browsers do."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from pechvogel.play import fair
from pechvogel.play.hub import Hub
from pechvogel.play.server import create_app
from pechvogel.play.store import Store
from pechvogel_env.rules import Action

ME = {"kind": "me"}
OPEN = {"kind": "open"}
BOT = {"kind": "agent", "agent": "heuristic"}
LOCAL = "http://localhost"  # other names are not served
SPENDING = (Action.REDUCE, Action.FRUSTRATE)


class Clock:
    """Time that passes when told to."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def client(tmp_path: Path, clock: Clock) -> Iterator[TestClient]:
    hub = Hub(Store(tmp_path / "games.sqlite"), clock=clock)
    with TestClient(create_app(hub, rate=10_000), LOCAL, raise_server_exceptions=False) as found:
        yield found


class Player:
    """Somebody at a table, as a browser."""

    def __init__(self, client: TestClient, room: str, seat: int, token: str | None, number: str = "ab12") -> None:
        self.client, self.room, self.seat, self.number = client, room, seat, number
        self.headers = {} if token is None else {"Authorization": f"Bearer {token}"}

    def get(self, what: str = "") -> Any:
        return self.client.get(f"/api/rooms/{self.room}{what}", headers=self.headers)

    def post(self, do: str, **body: Any) -> Any:
        return self.client.post(f"/api/rooms/{self.room}/{do}", json=body, headers=self.headers)

    def look(self) -> dict[str, Any]:
        return self.get().json()

    def commit(self, number: str | None = None) -> Any:
        """To our number, or another, for the promise that is shown now."""
        committed = fair.commitment(self.look()["promise"], self.seat, number or self.number)
        return self.post("commitment", commitment=committed)

    def fix_dice(self) -> None:
        """Send what is missing of us."""
        if self.seat in self.look()["missing_commitments"]:
            assert self.commit().status_code == 200
        if self.seat in self.look()["missing_numbers"]:
            assert self.post("number", number=self.number).status_code == 200

    def wait(self, until: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            state = self.look()
            if until(state):
                return state
            time.sleep(0.005)
        raise AssertionError(f"nothing came of it: {state}")

    def asked(self) -> dict[str, Any]:
        """Wait until it is our decision, or the end."""
        return self.wait(lambda state: state["over"] or state["to_act"] == self.seat)

    def play_to_the_end(self) -> dict[str, Any]:
        while not (state := self.asked())["over"]:
            done = self.post("act", action=state["legal"][-1], played=state["played"])
            assert done.status_code == 200, done.text
        return state


def sit_down(client: TestClient, *seats: dict[str, Any], **more: Any) -> Player:
    done = client.post("/api/rooms", json={"seats": list(seats), **more})
    assert done.status_code == 201, done.text
    return begin(client, done.json())


def begin(client: TestClient, found: dict[str, Any]) -> Player:
    """Add our number to the dice, having seen their promise."""
    me = Player(client, found["room"], found["seat"], found["token"])
    PEOPLE[me.room] = [me]
    me.fix_dice()
    return me


PEOPLE: dict[str, list[Player]] = {}  # by room: their browsers hear it when somebody comes


def join(client: TestClient, room: str, name: str) -> Player:
    """Sit down; when everybody is there, the browsers fix the dice."""
    found = client.post(f"/api/rooms/{room}/join", json={"name": name})
    assert found.status_code == 201, found.text
    guest = Player(client, room, found.json()["seat"], found.json()["token"], number="77")
    people = PEOPLE.setdefault(room, [])
    people.append(guest)
    for person in (guest, *people):
        person.fix_dice()
    return guest


def stream(client: TestClient, room: str, after: int = -1) -> Iterator[dict[str, Any]]:
    """What has happened so far."""
    hub: Hub = client.app.state.hub  # type: ignore[attr-defined]
    assert client.portal is not None
    yield from map(json.loads, client.portal.call(hub.live, room).room.events[after + 1 :])
