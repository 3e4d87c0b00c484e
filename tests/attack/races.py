"""Requests that arrive at the same moment: one of them counts, the others are refused, and nothing is torn."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from typing import Any

import httpx2

from tests import load
from tests.attack.children import serving
from tests.attack.rows import Row, Setting, Tally
from tests.load import Server

AT_ONCE = 8
SEATS = {"me": {"kind": "me"}, "open": {"kind": "open"}, "bot": {"kind": "agent", "agent": "heuristic"}}


def attack(given: Setting) -> Iterator[Row]:
    """Each kind of race, many times."""
    with serving(given.folder) as server:
        for race in (_same_move, _rematch, _join, _delete):
            given.say(race.__name__.strip("_"))
            yield asyncio.run(race(server, given))
    folder = given.folder / "few"
    folder.mkdir()
    with serving(folder, "--games-per-address", "3") as server:
        yield asyncio.run(_open(server, given))


@asynccontextmanager
async def _browsers(server: Server, number: int = AT_ONCE) -> AsyncIterator[list[httpx2.AsyncClient]]:
    """Each with a connection of its own that is there already."""
    clients = [httpx2.AsyncClient(base_url=server.url, timeout=60, verify=False) for _ in range(number)]
    try:
        await asyncio.gather(*(client.get("/healthz") for client in clients))
        yield clients
    finally:
        for client in clients:
            await client.aclose()


def _statuses(answers: list[Any]) -> list[int]:
    return sorted(answer.status_code for answer in answers)


async def _asked(client: httpx2.AsyncClient, game: load.Game) -> dict[str, Any]:
    for _ in range(4000):
        state: dict[str, Any] = (await client.get(f"/api/rooms/{game.room}")).json()
        if state["over"] or state["to_act"] == game.seat:
            return state
        await asyncio.sleep(0.005)
    raise RuntimeError("nobody was asked any more")


async def _same_move(server: Server, given: Setting) -> Row:
    tally = Tally(f"the same decision, or another one, sent {AT_ONCE} times at once")
    rng = given.rng("moves")
    async with _browsers(server) as clients:
        while tally.times < given.times(300, 10):
            game = await load.open_game(clients[0], "heuristic")
            while not (state := await _asked(clients[0], game))["over"]:
                bodies = [{"action": rng.choice(state["legal"]), "played": state["played"]} for _ in clients]
                path = f"/api/rooms/{game.room}/act"
                answers = await asyncio.gather(
                    *(
                        client.post(path, json=body, headers=game.headers)
                        for client, body in zip(clients, bodies, strict=True)
                    )
                )
                right = _statuses(answers) == [200] + [409] * (AT_ONCE - 1)
                tally.note(None if right else f"answers {_statuses(answers)}")
                for answer, body in zip(answers, bodies, strict=True):
                    if answer.status_code == 200:
                        game.acknowledged[body["played"]] = body["action"]
            game.record = (await clients[0].get(f"/api/rooms/{game.room}/record")).json()
            load.check(game)
    return tally.row("one was done and acknowledged, the others refused; records verify")


async def _finished(client: httpx2.AsyncClient) -> load.Game:
    game = await load.open_game(client, "heuristic", copies=1)
    while not (state := await _asked(client, game))["over"]:
        body = {"action": state["legal"][-1], "played": state["played"]}
        (await client.post(f"/api/rooms/{game.room}/act", json=body, headers=game.headers)).raise_for_status()
    return game


def _rooms(server: Server) -> int:
    with closing(sqlite3.connect(server.log.with_name("games.sqlite"))) as db:
        return int(db.execute("SELECT count(*) FROM rooms").fetchone()[0])


async def _rematch(server: Server, given: Setting) -> Row:
    tally = Tally(f"{AT_ONCE} times a rematch at once")
    async with _browsers(server) as clients:
        for _ in range(given.times(20, 2)):
            game = await _finished(clients[0])
            before = _rooms(server)
            path = f"/api/rooms/{game.room}/rematch"
            answers = await asyncio.gather(*(client.post(path, headers=game.headers) for client in clients))
            made = [answer.json() for answer in answers if answer.status_code == 201]
            shown = (await clients[0].get(f"/api/rooms/{game.room}")).json()["rematch"]
            seats = {(found["seat"], found["token"]) for found in made}
            if set(_statuses(answers)) - {201, 409}:
                tally.note(f"answers {_statuses(answers)}")
            elif len(seats) != 1 or {found["room"] for found in made} != {shown}:
                tally.note(f"{len(seats)} seats, in {len({found['room'] for found in made})} rooms")
            else:
                tally.note(None if _rooms(server) == before + 1 else "rooms were left over")
    return tally.row("one new room, the same seat in it for all who were not refused")


async def _join(server: Server, given: Setting) -> Row:
    tally = Tally(f"{AT_ONCE} people who sit down at one open place at once")
    async with _browsers(server) as clients:
        for number in range(given.times(60, 5)):
            wish = {"seats": [SEATS["me"], SEATS["open"]], "real_dice": bool(number % 2)}
            room = (await clients[0].post("/api/rooms", json=wish)).raise_for_status().json()["room"]
            path = f"/api/rooms/{room}/join"
            answers = await asyncio.gather(*(client.post(path, json={"name": "Bob"}) for client in clients))
            right = _statuses(answers) == [201] + [409] * (AT_ONCE - 1)
            tally.note(None if right else f"answers {_statuses(answers)}")
    return tally.row("one got the seat, the others were told that it is taken")


async def _delete(server: Server, given: Setting) -> Row:
    tally = Tally("a game deleted while others act in it, listen, join, look")
    async with _browsers(server) as clients:
        for _ in range(given.times(100, 5)):
            game = await load.open_game(clients[0], "heuristic")
            state = await _asked(clients[0], game)
            path, headers = f"/api/rooms/{game.room}", game.headers
            act = {"action": next(iter(state["legal"]), 0), "played": state["played"]}
            answers = await asyncio.gather(
                clients[0].post(f"{path}/act", json=act, headers=headers),
                clients[1].delete(path, headers=headers),
                clients[2].delete(path, headers=headers),
                clients[3].get(path),
                clients[4].post(f"{path}/join", json={"name": "Bob"}),
                clients[5].get(f"{path}/events?after=1000000"),
                clients[6].post(f"{path}/wish", json={"what": "coach", "on": True}, headers=headers),
                clients[7].post(f"{path}/rematch", headers=headers),
            )
            bad = [status for status in _statuses(answers) if status >= 500]
            gone = (await clients[0].get(path)).status_code == 404
            tally.note(f"answers {bad}" if bad else None if gone else "it is still there")
        health = await clients[0].get("/healthz")
        if health.status_code != 200:
            tally.note(f"/healthz: {health.text}")
    return tally.row("it is gone, nobody got an error of the server, listeners were let go")


async def _open(server: Server, given: Setting) -> Row:
    tally = Tally("12 games opened at once by an address that may have 3")
    async with _browsers(server, 12) as clients:
        for _ in range(given.times(20, 3)):
            wish = {"seats": [SEATS["me"], SEATS["bot"]]}
            answers = await asyncio.gather(*(client.post("/api/rooms", json=wish) for client in clients))
            right = _statuses(answers) == [201] * 3 + [429] * 9
            tally.note(None if right else f"answers {_statuses(answers)}")
            for found in (answer.json() for answer in answers if answer.status_code == 201):
                headers = {"Authorization": f"Bearer {found['token']}"}
                (await clients[0].delete(f"/api/rooms/{found['room']}", headers=headers)).raise_for_status()
    return tally.row("3 were opened, 9 refused")
