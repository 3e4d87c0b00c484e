"""People together: rematches with the same seats, series, calls, onlookers, and games without people."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
from fastapi.testclient import TestClient

from pechvogel.play import hub as hub_module
from pechvogel.play import server as server_module
from pechvogel.play.hub import CALL_SECONDS, Hub
from pechvogel.play.room import CALLS_OUT, Opening, hash_token
from pechvogel.play.server import _stream
from pechvogel.play.store import Store
from pechvogel_env import record
from tests.rooms import BOT, LOCAL, ME, OPEN, Clock, Player, client, clock, join, sit_down

__all__ = ["client", "clock"]  # fixtures


def the_hub(client: TestClient) -> Hub:
    found: Hub = client.app.state.hub  # type: ignore[attr-defined]
    return found


def play_together(*people: Player) -> dict[str, Any]:
    """To the end of a game."""
    while not (state := people[0].look())["over"]:
        mover = next((person for person in people if person.seat == state["to_act"]), None)
        if mover is None:
            time.sleep(0.005)
            continue
        done = mover.post("act", action=state["legal"][-1], played=state["played"])
        assert done.status_code == 200, done.text
    return state


def again(client: TestClient, *people: Player) -> list[Player]:
    """All go on to the rematch, one after the other, and their browsers fix the dice."""
    answers = [person.post("rematch").json() for person in people]
    assert len({answer["room"] for answer in answers}) == 1
    new = [
        Player(client, answer["room"], answer["seat"], answer["token"], person.number)
        for person, answer in zip(people, answers, strict=True)
    ]
    for person in [*new, *new]:
        person.fix_dice()
    return new


# ------------------------------------------------------------------------------ rematch and series


def test_everybody_keeps_their_seat_in_a_rematch(client: TestClient) -> None:
    ann = sit_down(client, ME, BOT, OPEN, name="Ann", copies=1)
    bob = join(client, ann.room, "Bob")
    play_together(ann, bob)
    new = again(client, bob, ann)  # Bob asks first
    assert [person.seat for person in new] == [2, 0]
    state = new[0].look()
    assert state["begun"] and [seat["name"] for seat in state["seats"]] == ["Ann", "", "Bob"]
    assert state["owner"] == 2, "whoever asked first has opened it"
    stranger = client.post(f"/api/rooms/{new[0].room}/join", json={"name": "Eve"})
    assert stranger.status_code == 409, "no seat is open to others"
    assert new[1].room != ann.room and play_together(*new)["over"]


def test_somebody_who_was_replaced_at_the_end_need_not_be_waited_for(client: TestClient, clock: Clock) -> None:
    ann = sit_down(client, ME, OPEN, name="Ann", copies=1)
    bob = join(client, ann.room, "Bob")
    while (state := ann.look())["to_act"] != bob.seat:
        assert ann.post("act", action=state["legal"][-1], played=state["played"]).status_code == 200
    clock.now += 121
    assert ann.post("stand_in", seat=bob.seat).status_code == 200
    ann.play_to_the_end()
    (new,) = again(client, ann)
    assert new.look()["begun"] and new.look()["seats"][1]["agent"]
    back = Player(client, new.room, bob.seat, bob.headers["Authorization"].removeprefix("Bearer "))
    assert back.post("return").status_code == 200, "the seat is still theirs"


def test_only_whoever_opened_a_game_deletes_it(client: TestClient) -> None:
    ann = sit_down(client, ME, OPEN, copies=1)
    bob = join(client, ann.room, "Bob")
    assert play_together(ann, bob)["owner"] == 0
    refused = client.delete(f"/api/rooms/{ann.room}", headers=bob.headers)
    assert refused.status_code == 403 and refused.json()["code"] == "not_yours"
    assert client.delete(f"/api/rooms/{ann.room}", headers=ann.headers).status_code == 204


def test_a_series_adds_up_and_passes_the_first_throw_on(tmp_path: Path, clock: Clock) -> None:
    def serve() -> TestClient:
        return TestClient(create(Hub(Store(tmp_path / "games.sqlite"), clock=clock)), LOCAL)

    create = server_module.create_app
    points, wins, first = [0, 0], [0, 0], None
    with serve() as client:
        me = sit_down(client, ME, BOT, series=3, copies=1)
        assert me.look()["series"] == {"games": 3, "number": 1, "points": [0, 0], "wins": [0, 0]}
    for number in (1, 2, 3):
        with serve() as client:  # a restart in between loses nothing
            me = Player(client, me.room, 0, me.headers["Authorization"].removeprefix("Bearer "))
            before = me.look()["series"]
            assert (before["number"], before["points"], before["wins"]) == (number, points, wins)
            state = me.play_to_the_end()
            begun = json.loads(me.get("/record").text)["first_player"]
            assert first is None or begun == (first + 1) % 2
            first = begun
            points = [a + b for a, b in zip(points, state["scores"], strict=True)]
            wins = [count + (seat in state["winners"]) for seat, count in enumerate(wins)]
            assert me.look()["series"] == {"games": 3, "number": number, "points": points, "wins": wins}
            (me,) = again(client, me)
    with serve() as client:
        found = client.get(f"/api/rooms/{me.room}").json()["series"]
        assert found == {"games": 3, "number": 1, "points": [0, 0], "wins": [0, 0]}, "then a new one begins"


def test_a_series_has_its_limits(client: TestClient) -> None:
    for more in ({"series": 0}, {"series": 10}, {"series": "x"}):
        assert client.post("/api/rooms", json={"seats": [ME, BOT], **more}).status_code == 422
    position = sit_down(client, ME, BOT).asked()["position"]
    wish = {"seats": [ME, BOT], "series": 3, "position": json.dumps(position)}
    assert client.post("/api/rooms", json=wish).status_code == 422


# ------------------------------------------------------------------------------ calls and onlookers


async def listen(hub: Hub, name: str, heard: list[str], looking: bool = False) -> None:
    async with aclosing(_stream(hub, name, await hub.live(name), -1, looking=looking)) as parts:
        async for part in parts:
            heard.append(part)


async def until(true: Any) -> None:
    for _ in range(400):
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not happen")


def test_calls_are_heard_by_all_and_kept_by_nobody(client: TestClient, clock: Clock) -> None:
    ann = sit_down(client, ME, OPEN)
    bob = join(client, ann.room, "Bob")
    before, hub = ann.look(), the_hub(client)
    heard: list[str] = []

    async def begin() -> asyncio.Task[None]:
        found = asyncio.create_task(listen(hub, ann.room, heard))
        await until(lambda: heard)
        return found

    assert client.portal is not None
    listening = client.portal.call(begin)
    states = "".join(heard).count("event: state")
    assert bob.post("call", what="hello").status_code == 204
    soon = bob.post("call", what="ouch")
    assert soon.status_code == 429 and soon.json()["code"] == "too_fast"
    assert ann.post("call", what="thanks").status_code == 204, "each seat has its own patience"
    clock.now += CALL_SECONDS
    assert bob.post("call", what="ouch").status_code == 204
    client.portal.call(until, lambda: "ouch" in "".join(heard))
    told = "".join(heard)
    assert [told.count(f'"what":"{what}"') for what in ("hello", "thanks", "ouch")] == [1, 1, 1]
    assert told.count("event: state") == states, "nothing else is told again"
    assert ann.look() == before, "and nothing has changed"
    client.portal.call(listening.cancel)


def test_strangers_and_free_text_are_not_heard(client: TestClient) -> None:
    ann = sit_down(client, ME, OPEN)
    assert client.post(f"/api/rooms/{ann.room}/call", json={"what": "hello"}).status_code == 403
    for body in ({}, {"what": "buy this"}, {"what": ["hello"]}, {"what": "hello", "text": "x"}):
        assert ann.post("call", **body).status_code == 422
    assert len(CALLS_OUT) == 6
    hub = the_hub(client)
    assert client.portal is not None
    assert not client.portal.call(hub.live, ann.room).calls


def test_onlookers_are_counted_in_time(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "KEEP_ALIVE", 0.05)
    monkeypatch.setattr(server_module, "MOST_ONLOOKERS", 3)
    me = sit_down(client, ME, BOT)
    hub = the_hub(client)
    me.asked()

    async def watch() -> tuple[str, str, int]:
        mine: list[str] = []
        tasks = [asyncio.create_task(listen(hub, me.room, mine))]
        tasks += [asyncio.create_task(listen(hub, me.room, [], looking=True)) for _ in range(5)]
        await until(lambda: "onlookers" in "".join(mine))
        for task in tasks[1:]:
            task.cancel()
        await until(lambda: "event: onlookers\ndata: 0\n" in "".join(mine))
        tasks[0].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        live = await hub.live(me.room)
        return "".join(mine), mine[0], live.onlookers + live.watchers

    assert client.portal is not None
    told, _, left = client.portal.call(watch)
    assert "event: onlookers\ndata: 3\n" in told and "data: 5\n" not in told and left == 0


# ------------------------------------------------------------------------------ games without people


def test_agents_play_each_other_only_while_somebody_looks(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = the_hub(client)
    wish = {"seats": [BOT, BOT], "copies": 1, "pace": 0.5}
    found = client.post("/api/rooms", json=wish).json()
    assert found["token"] is None and found["state"]["unattended"] and found["state"]["begun"]
    room = found["room"]

    async def watch(moves: int, faster: bool) -> int:
        heard: list[str] = []
        live = await hub.live(room)
        if faster:
            object.__setattr__(live.room.opening, "pace", 0.0)
            monkeypatch.setattr(hub_module, "SHOWN", 0.0)
        task = asyncio.create_task(listen(hub, room, heard, looking=True))
        await until(lambda: live.moves >= moves or live.room.stage[1])
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await live.settled()
        return live.moves

    async def moves() -> int:
        await asyncio.sleep(0.7)
        return (await hub.live(room)).moves

    assert client.portal is not None
    assert client.portal.call(moves) == 0, "nobody has come yet"
    begun = time.monotonic()
    played = client.portal.call(watch, 2, False)
    assert time.monotonic() - begun > 0.9, "at its pace"
    client.portal.call(moves)
    stopped = client.portal.call(moves)
    assert stopped <= played + 1 and client.portal.call(moves) == stopped, "and stops when nobody looks on"
    client.portal.call(watch, 5000, True)
    state = client.get(f"/api/rooms/{room}").json()
    assert state["over"] and state["winners"]
    done = record.verify(json.loads(client.get(f"/api/rooms/{room}/record").text))
    assert "proof" not in done and state["promise"] is None, "nobody has added a number to these dice"


def test_a_game_without_people_counts_and_goes_as_one_that_never_began(tmp_path: Path, clock: Clock) -> None:
    hub = Hub(Store(tmp_path / "games.sqlite"), clock=clock)
    with TestClient(server_module.create_app(hub, rate=10_000, games_per_address=2), LOCAL) as client:
        rooms = [client.post("/api/rooms", json={"seats": [BOT, BOT]}).json()["room"] for _ in range(2)]
        refused = client.post("/api/rooms", json={"seats": [BOT, BOT]})
        assert refused.status_code == 429 and refused.json()["code"] == "yours_full"
        clock.now += 86_401
        assert client.portal is not None
        assert client.portal.call(hub.expire) == 2
        assert [client.get(f"/api/rooms/{room}").status_code for room in rooms] == [404, 404]


@pytest.mark.parametrize("more", [{"real_dice": True}, {"series": 3}, {"pace": 0.1}, {"pace": 99}])
def test_what_games_without_people_cannot_have(client: TestClient, more: dict[str, Any]) -> None:
    assert client.post("/api/rooms", json={"seats": [BOT, BOT], **more}).status_code == 422


def test_games_without_people_share_what_the_server_gives_them(tmp_path: Path) -> None:
    hub = Hub(Store(tmp_path / "games.sqlite"))

    async def ten() -> float:
        begun = time.monotonic()
        await asyncio.gather(*(hub._take_time(0.01) for _ in range(10)))
        await hub.close()
        return time.monotonic() - begun

    assert asyncio.run(ten()) >= 10 * hub_module.SHOWN - 0.01


def test_rooms_of_before_have_no_series(client: TestClient) -> None:
    """What older versions stored lacks the new fields."""
    opening = Opening(2, ({"kind": "person", "name": "Ann", "token": hash_token("t")}, BOT), secret=bytes(32).hex())
    assert opening.series is None and opening.opener is None and not opening.pace
