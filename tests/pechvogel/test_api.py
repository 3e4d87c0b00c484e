"""The API against its own description: whatever is sent, the server answers as its OpenAPI says, never with a 5xx."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest

pytest.importorskip("fastapi")
pytest.importorskip("schemathesis")
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from pechvogel.play.hub import Hub
from pechvogel.play.server import create_app
from tests import load
from tests.load import Server

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


class Rooms:
    """Games in all their states, with their tokens; opened anew when a test has deleted one."""

    def __init__(self, url: str) -> None:
        self.client = httpx2.Client(base_url=url, timeout=60)
        self.rooms: dict[str, tuple[str, str]] = {}

    def all(self) -> list[tuple[str, str]]:
        """Their names and tokens."""
        for kind in ("waiting", "running", "real dice", "over"):
            known = self.rooms.get(kind)
            if known is None or self.client.get(f"/api/rooms/{known[0]}").status_code == 404:
                self.rooms[kind] = asyncio.run(self._over()) if kind == "over" else self._open(kind)
        return list(self.rooms.values())

    def _open(self, kind: str) -> tuple[str, str]:
        other = {"kind": "open"} if kind == "waiting" else {"kind": "agent", "agent": "heuristic"}
        wish: dict[str, Any] = {"seats": [{"kind": "me"}, other], "coach": True, "take_back": True}
        wish["real_dice"] = kind == "real dice"
        answer = self.client.post("/api/rooms", json=wish)
        assert answer.status_code == 201, answer.text
        found = answer.json()
        headers = {"Authorization": f"Bearer {found['token']}"}
        if kind == "running":
            self.client.post(f"/api/rooms/{found['room']}/number", json={"number": "1"}, headers=headers)
        return found["room"], found["token"]

    async def _over(self) -> tuple[str, str]:
        async with httpx2.AsyncClient(base_url=self.client.base_url, timeout=60) as client:
            game = await load.open_game(client, "heuristic")
            await load.play(client, game, random.Random(1))
        return game.room, game.headers["Authorization"].removeprefix("Bearer ")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    found = Server(Path(tmp_path_factory.mktemp("api")) / "games.sqlite", "--away", "0")
    yield found
    found.kill()


@pytest.fixture(scope="module")
def rooms(server: Server) -> Iterator[Rooms]:
    found = Rooms(server.url)
    yield found
    found.client.close()


# All that is described, but the stream of a game, which never ends. Nothing is asked of the hub for that.
described = schemathesis.openapi.from_dict(create_app(cast(Hub, None)).openapi()).exclude(path_regex="/events$")


@described.parametrize()
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_whatever_is_sent(case: Any, server: Server, rooms: Rooms) -> None:
    case.call_and_validate(base_url=server.url, checks=CHECKS)
    if "room" not in (case.path_parameters or {}):
        return
    for room, token in rooms.all():
        case.path_parameters["room"] = room
        headers = {"Authorization": f"Bearer {token}"}
        case.call_and_validate(base_url=server.url, checks=CHECKS, headers=headers)
