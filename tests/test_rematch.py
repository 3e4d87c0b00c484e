"""Two people at one table who ask for a rematch at the same moment."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

pytest.importorskip("fastapi")
from fastapi.testclient import TestClient

from pechvogel.play.hub import Hub
from pechvogel.play.room import Opening, hash_token
from tests.rooms import client, clock

__all__ = ["client", "clock"]  # fixtures

TOKENS = ("one", "two")


async def finished(hub: Hub) -> str:
    seats = tuple({"kind": "person", "name": token, "token": hash_token(token)} for token in TOKENS)
    name = await hub.open(Opening(2, seats, secret=bytes(32).hex(), copies=1))
    for seat in range(2):
        live = await hub.move(name, {"do": "number", "seat": seat, "number": "5"})
    while (table := live.room.table) is not None and not table.over:
        live = await hub.move(name, {"do": "act", "seat": table.to_act, "action": table.legal()[-1]})
    return name


def test_there_is_one_rematch(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is later finds the other's, and their own room does not stay."""
    hub: Hub = client.app.state.hub  # type: ignore[attr-defined]
    assert client.portal is not None
    room = client.portal.call(finished, hub)
    opened: list[str] = []
    whole = hub.open

    async def late(opening: Opening) -> str:
        await asyncio.sleep(0.3)  # so that both are on their way
        opened.append(await whole(opening))
        return opened[-1]

    monkeypatch.setattr(hub, "open", late)

    def ask(token: str) -> Any:
        return client.post(f"/api/rooms/{room}/rematch", json={}, headers={"Authorization": f"Bearer {token}"})

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(ask, TOKENS))
    assert sorted(answer.status_code for answer in answers) == [201, 409], [answer.text for answer in answers]
    (won,) = (answer.json()["room"] for answer in answers if answer.status_code == 201)
    assert client.get(f"/api/rooms/{room}").json()["rematch"] == won and len(opened) == 2
    assert {name: client.get(f"/api/rooms/{name}").status_code for name in opened} == {
        name: 200 if name == won else 404 for name in opened
    }
    (lost,) = (token for token, answer in zip(TOKENS, answers, strict=True) if answer.status_code == 409)
    assert ask(lost).json()["room"] == won
