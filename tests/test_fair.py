"""Dice that nobody can have chosen: promise, commitments, numbers; and whoever does not show theirs loses the seat."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import httpx2
import pytest

pytest.importorskip("fastapi")
from fastapi.testclient import TestClient

from pechvogel.cli import main
from pechvogel.play import fair
from pechvogel.play.hub import Hub
from pechvogel.play.pechvogel.opponents import STAND_IN
from pechvogel.play.room import Opening, Room, RoomError
from pechvogel_env import record
from tests.load import Server
from tests.rooms import BOT, ME, OPEN, PEOPLE, Clock, Player, client, clock, join, sit_down

__all__ = ["client", "clock"]  # fixtures


def guest(client: TestClient, room: str, name: str, number: str) -> Player:
    """Somebody who has sat down, and whose browser has sent nothing yet."""
    found = client.post(f"/api/rooms/{room}/join", json={"name": name})
    assert found.status_code == 201, found.text
    return Player(client, room, found.json()["seat"], found.json()["token"], number)


def table_of(client: TestClient, *seats: dict[str, Any], **more: Any) -> list[Player]:
    """Everybody has sat down; nobody's browser has sent anything."""
    found = client.post("/api/rooms", json={"seats": list(seats), **more}).json()
    host = Player(client, found["room"], found["seat"], found["token"], "a0")
    free = sum(seat == OPEN for seat in seats)
    return [host, *(guest(client, host.room, f"guest {k}", f"b{k}") for k in range(free))]


def play(*people: Player) -> dict[str, Any]:
    """To the end; the record, verified."""
    seats = {person.seat: person for person in people}
    one = people[0]
    while not (state := one.wait(lambda state: state["over"] or state["to_act"] in seats))["over"]:
        done = seats[state["to_act"]].post("act", action=state["legal"][-1], played=state["played"])
        assert done.status_code == 200, done.text
    found = record.verify(json.loads(one.get("/record").text))
    fair.verify(found)
    return found


def on_disk(person: Player) -> None:
    """What everybody has been told is what a killed server would find again."""
    hub: Hub = person.client.app.state.hub  # type: ignore[attr-defined]
    loaded = hub.store.load(person.room)
    assert loaded is not None
    assert json.loads(json.dumps(loaded[0].show())) == person.look()


# ------------------------------------------------------------------------------ commit, then show


def test_nobody_shows_a_number_before_all_have_committed_to_one(client: TestClient) -> None:
    ann, bob = table_of(client, ME, OPEN, BOT)
    assert ann.look()["missing_commitments"] == [0, 1] and ann.look()["missing_numbers"] == []
    assert ann.post("number", number="a0").status_code == 409
    committed = ann.commit()
    assert committed.status_code == 200 and committed.json()["missing_commitments"] == [1]
    assert ann.commit().status_code == 200, "an answer may get lost: the same once more changes nothing"
    assert ann.commit("a1").status_code == 409, "but another number is refused"
    assert ann.post("number", number="a0").status_code == 409, "Bob could still choose his"
    on_disk(ann)
    state = bob.commit().json()
    assert state["missing_commitments"] == [] and state["missing_numbers"] == [0, 1] and not state["begun"]
    assert state["commitments"][:2] == [fair.commitment(state["promise"], seat, f"{'ab'[seat]}0") for seat in (0, 1)]
    assert ann.post("number", number="a1").status_code == 409, "she has committed to another"
    assert ann.post("number", number="a0").json()["missing_numbers"] == [1]
    assert ann.post("number", number="a0").status_code == 200
    assert '"a0"' not in ann.get().text, "nobody is told before all are there"
    on_disk(ann)
    promised = ann.look()["promise"]
    assert bob.post("number", number="b0").json()["begun"]
    proof = play(ann, bob)["proof"]
    assert proof["promise"] == promised and proof["numbers"] == ["a0", "b0", None] and proof["abandoned"] == []
    assert proof["commitments"] == state["commitments"] and proof["drawn"] is True


def test_one_person_needs_no_commitment(client: TestClient) -> None:
    (ann,) = table_of(client, ME, BOT)
    state = ann.look()
    assert state["missing_commitments"] == [] and state["missing_numbers"] == [0] and state["commitments"] == [None] * 2
    assert ann.commit().status_code == 409
    assert ann.post("number", number="a0").json()["begun"]
    proof = play(ann)["proof"]
    assert proof["commitments"] == [None, None] and proof["numbers"] == ["a0", None]


def test_whoever_is_left_alone_is_still_held_to_a_commitment(client: TestClient) -> None:
    found = client.post("/api/rooms", json={"seats": [ME, OPEN], "first_player": 1}).json()
    ann = Player(client, found["room"], 0, found["token"], "a0")
    assert ann.commit().status_code == 200 and ann.look()["missing_numbers"] == []
    assert ann.post("stand_in", seat=1, agent="heuristic").json()["missing_numbers"] == [0]
    assert ann.post("number", number="a1").status_code == 409
    assert ann.post("number", number="a0").json()["begun"]
    assert play(ann)["proof"]["drawn"] is False


def test_real_dice_need_nothing(client: TestClient) -> None:
    ann, _ = table_of(client, ME, OPEN, real_dice=True)
    state = ann.look()
    assert state["begun"] and state["promise"] is None and state["commitments"] is None and not state["drawn"]
    assert ann.post("commitment", commitment="0" * 64).status_code == 409


@pytest.mark.parametrize("bad", ["", "0" * 63, "G" * 64, "A" * 64, "0" * 65, 5, None])
def test_a_commitment_is_a_hash(client: TestClient, bad: Any) -> None:
    ann, _ = table_of(client, ME, OPEN)
    assert ann.post("commitment", commitment=bad).status_code == 422
    assert Player(client, ann.room, 0, None).post("commitment", commitment="0" * 64).status_code == 403


# ------------------------------------------------------------------------------ somebody is late


def test_whoever_does_not_show_their_number_loses_the_seat(client: TestClient, clock: Clock) -> None:
    ann, bob, cid = table_of(client, ME, OPEN, OPEN)
    for person in (ann, bob, cid):
        person.commit()
    first = ann.look()
    ann.post("number", number="a0")
    bob.post("number", number="b0")
    clock.now += 119
    refused = ann.post("stand_in", seat=2)
    assert refused.status_code == 409 and refused.json()["code"] == "not_yet"
    clock.now += 2
    assert cid.post("stand_in", seat=2).status_code == 409, "nor may the late ones decide that"
    assert ann.post("stand_in", seat=1).status_code == 409, "Bob's number is there"
    state = ann.post("stand_in", seat=2, agent="random").json()
    on_disk(ann)
    assert state["round"] == 1 and state["promise"] != first["promise"] and not state["begun"]
    assert state["commitments"] == [None] * 3 and state["missing_commitments"] == [0, 1]
    assert state["seats"][2]["kind"] == "agent" and state["seats"][2]["agent"] == STAND_IN
    # Who has seen what a number would do, and keeps it back, must not gain by it.
    for done in (cid.commit(), cid.post("number", number="b1"), cid.post("return")):
        assert done.status_code == 403
    clock.now += 119
    ann.number = bob.number = "5"
    ann.fix_dice()
    assert ann.post("stand_in", seat=1).status_code == 409, "patience begins anew"
    on_disk(ann)
    bob.fix_dice()
    ann.fix_dice()
    proof = play(ann, bob)["proof"]
    assert proof["numbers"] == ["5", "5", None] and proof["promise"] == state["promise"]
    (abandoned,) = proof["abandoned"]
    assert abandoned["promise"] == first["promise"] and abandoned["commitments"] == first["commitments"]
    assert abandoned["numbers"] == ["a0", "b0", None]


def test_all_who_are_late_lose_their_seats_at_once(client: TestClient, clock: Clock) -> None:
    people = table_of(client, ME, OPEN, OPEN, OPEN)
    for person in people:
        person.commit()
    clock.now += 121
    assert people[1].post("stand_in", seat=2).status_code == 409, "nobody has shown a number"
    people[1].post("number", number="b0")
    state = people[1].post("stand_in", seat=0).json()
    assert [seat["kind"] for seat in state["seats"]] == ["agent", "person", "agent", "agent"]
    assert state["missing_commitments"] == [] and state["missing_numbers"] == [1], "one person is alone"
    assert people[1].post("number", number="c").json()["begun"]
    found = play(people[1])
    assert len(found["proof"]["abandoned"]) == 1


def test_a_round_is_abandoned_once() -> None:
    seats = tuple({"kind": "person", "name": name, "token": name} for name in "ab")
    room = Room(Opening(2, seats, secret="00" * 32, commit=True))
    abandon = {"do": "abandon", "round": 0, "secret": "01" * 32, "agent": "heuristic"}
    for move in (
        abandon,
        {"do": "commit", "seat": 0, "commitment": fair.commitment(str(room.promise), 0, "5")},
        {"do": "commit", "seat": 1, "commitment": fair.commitment(str(room.promise), 1, "5")},
        abandon,
        {"do": "number", "seat": 1, "number": "5"},
        abandon,
    ):
        before = room.show()
        if move is abandon and not room.numbers:
            with pytest.raises(RoomError, match="late"):
                room.apply(move)
            assert room.show() == before
        else:
            room.apply(move)
    with pytest.raises(RoomError, match="late"):
        room.apply(abandon)
    told = [json.loads(event) for event in room.events]
    assert [event["names"] for event in told if event["kind"] == "abandoned"] == [["a"]]


def test_a_request_about_one_round_does_not_end_the_next() -> None:
    seats = tuple({"kind": "person", "name": name, "token": name} for name in "abc")
    room = Room(Opening(3, seats, secret="00" * 32, commit=True))
    abandon = {"do": "abandon", "round": 0, "secret": "01" * 32, "agent": "heuristic"}
    for people, shown in (((0, 1, 2), (0, 1)), ((0, 1), (0,))):
        for seat in people:
            commitment = fair.commitment(str(room.promise), seat, "5")
            room.apply({"do": "commit", "seat": seat, "commitment": commitment})
        for seat in shown:
            room.apply({"do": "number", "seat": seat, "number": "5"})
        if room.abandoned:
            with pytest.raises(RoomError, match="late"):
                room.apply(abandon)
        else:
            room.apply(abandon)
    assert len(room.abandoned) == 1 and room.seats[1].kind == "person"


# ------------------------------------------------------------------------------ before that


def test_a_guest_does_not_delete_what_has_not_begun(client: TestClient) -> None:
    ann = sit_down(client, ME, OPEN, OPEN)
    bob = join(client, ann.room, "Bob")
    refused = client.delete(f"/api/rooms/{ann.room}", headers=bob.headers)
    assert refused.status_code == 403 and refused.json()["code"] == "not_yours"
    assert ann.get().status_code == 200
    assert client.delete(f"/api/rooms/{ann.room}", headers=ann.headers).status_code == 204
    done = client.post("/api/rooms", json={"seats": [OPEN, OPEN]}).json()
    bob = join(client, done["room"], "Bob")
    assert client.delete(f"/api/rooms/{done['room']}", headers=bob.headers).status_code == 403


def test_a_host_who_sends_nothing_does_not_block_a_table(client: TestClient, clock: Clock) -> None:
    found = client.post("/api/rooms", json={"seats": [ME, OPEN, OPEN]}).json()
    host = Player(client, found["room"], 0, found["token"])
    clock.now += 121
    assert host.post("stand_in", seat=0).status_code == 409, "somebody's number must be in the dice"
    bob = join(client, host.room, "Bob")
    assert bob.post("stand_in", seat=0).status_code == 409, "Bob has just come"
    clock.now += 121
    assert bob.post("stand_in", seat=1).status_code == 409, "his commitment is there"
    assert bob.post("stand_in", seat=0, agent="random").status_code == 200
    state = bob.look()
    assert state["seats"][0]["agent"] == STAND_IN and state["seats"][0]["kind"] == "person"
    assert state["missing_commitments"] == [] and not state["begun"]
    assert bob.post("stand_in", seat=2, agent="heuristic").json()["missing_numbers"] == [1]
    assert host.commit().status_code == 409 and host.post("number", number="9").status_code == 409
    late = host.post("return")
    assert late.status_code == 409 and late.json()["code"] == "fixing_dice", "it would be too late to add a number"
    bob.fix_dice()
    assert bob.look()["begun"]
    assert host.post("number", number="77").status_code == 409, "the dice are fixed"
    assert host.post("return").status_code == 200 and host.look()["seats"][0]["agent"] is None
    assert play(host, bob)["proof"]["numbers"] == [None, "77", None]


def test_a_host_who_comes_back_before_the_dice_are_fixed_is_waited_for(client: TestClient, clock: Clock) -> None:
    found = client.post("/api/rooms", json={"seats": [ME, OPEN, OPEN]}).json()
    host = Player(client, found["room"], 0, found["token"])
    bob = join(client, host.room, "Bob")
    clock.now += 121
    assert bob.post("stand_in", seat=0).status_code == 200
    assert host.post("return").json()["missing_commitments"] == [0]
    join(client, host.room, "Cid")
    assert not bob.look()["begun"]
    host.fix_dice()
    for person in PEOPLE[host.room]:
        person.fix_dice()
    assert host.look()["begun"]


def test_rooms_of_before_go_on_as_they_began() -> None:
    """Their numbers came without commitments, the guest's together with the guest."""
    seats = ({"kind": "person", "name": "Ann", "token": "t"}, {"kind": "open"}, {"kind": "open"})
    room = Room(Opening(3, seats, secret="00" * 32))
    room.apply({"do": "join", "seat": 1, "name": "Bob", "token": "u", "number": "77"})
    assert room.missing_numbers() == {0} and room.show()["commitments"] is None
    room.apply({"do": "number", "seat": 0, "number": "5"})
    room.apply({"do": "join", "seat": 2, "name": "Cid", "token": "v"})
    assert room.missing_numbers() == {2} and not room.missing_commitments()
    room.apply({"do": "number", "seat": 2, "number": "6"})
    rng = random.Random(1)
    while room.table is not None and not room.table.over:
        room.apply({"do": "act", "seat": room.table.to_act, "action": rng.choice(room.table.legal())})
    found = record.verify(room.record())
    fair.verify(found)
    assert found["proof"]["numbers"] == ["5", "77", "6"] and "commitments" not in found["proof"]


def test_a_snapshot_has_the_rounds_of_the_dice() -> None:
    seats = tuple({"kind": "person", "name": name, "token": name} for name in "abc")
    opening = Opening(3, seats, secret="00" * 32, commit=True)
    room = Room(opening)
    for seat in range(3):
        commitment = fair.commitment(str(room.promise), seat, "5")
        room.apply({"do": "commit", "seat": seat, "commitment": commitment})
    room.apply({"do": "number", "seat": 1, "number": "5"})
    room.apply({"do": "number", "seat": 2, "number": "5"})
    room.apply({"do": "abandon", "round": 0, "secret": "01" * 32, "agent": "heuristic"})
    room.apply({"do": "commit", "seat": 1, "commitment": fair.commitment(str(room.promise), 1, "6")})
    again = Room(opening, room.snapshot())
    for one in (room, again):
        one.apply({"do": "commit", "seat": 2, "commitment": fair.commitment(str(one.promise), 2, "7")})
        one.apply({"do": "number", "seat": 1, "number": "6"})
        one.apply({"do": "number", "seat": 2, "number": "7"})
        assert one.table is not None
    assert again.show() == room.show() and again.events == room.events
    assert vars(again)["abandoned"] == room.abandoned and again.secret == room.secret


# ------------------------------------------------------------------------------ proofs


@pytest.fixture(scope="module")
def proven() -> dict[str, Any]:
    """A game of three, of whom one did not show a number."""
    seats = tuple({"kind": "person", "name": name, "token": name} for name in "abc")
    room = Room(Opening(3, seats, secret="00" * 32, copies=1, commit=True))
    for number, people in enumerate(((0, 1, 2), (0, 2))):
        for seat in people:
            commitment = fair.commitment(str(room.promise), seat, f"{number}{seat}")
            room.apply({"do": "commit", "seat": seat, "commitment": commitment})
        for seat in (0, 2):
            room.apply({"do": "number", "seat": seat, "number": f"{number}{seat}"})
        if number == 0:
            room.apply({"do": "abandon", "round": 0, "secret": "01" * 32, "agent": "heuristic"})
    rng = random.Random(1)
    while room.table is not None and not room.table.over:
        room.apply({"do": "act", "seat": room.table.to_act, "action": rng.choice(room.table.legal())})
    found = record.verify(room.record())
    fair.verify(found)
    return found


def test_a_proof_says_how_its_numbers_came(
    proven: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.jsonl"
    record.append(path, proven)
    assert main(["replay", str(path), "--verify"]) == 0
    said = capsys.readouterr().out
    assert "commitments: before any number; numbers not shown: player_1;" in said
    old = deepcopy(proven)
    del old["proof"]["commitments"], old["proof"]["abandoned"]
    fair.verify(old)
    other = tmp_path / "old.jsonl"
    record.append(other, old)
    assert main(["replay", str(other), "--verify"]) == 0
    assert "commitments: none; numbers not shown: none; who began" in capsys.readouterr().out


FORGED: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "another number": (lambda proof: proof["numbers"].__setitem__(0, "11"), "another number of player_0"),
    "a number more": (lambda proof: proof["numbers"].__setitem__(1, "11"), "player_1 that was not committed to"),
    "no number": (lambda proof: proof["numbers"].__setitem__(0, None), "fixed without a number"),
    "another commitment": (lambda proof: proof["commitments"].__setitem__(0, "0" * 64), "another number of player_0"),
    "no commitment": (lambda proof: proof["commitments"].__setitem__(0, None), "not committed to"),
    "no commitments": (lambda proof: proof.pop("commitments"), "no whole proof"),
    "another's commitment": (lambda proof: proof["commitments"].reverse(), "another number"),
    "no rounds": (lambda proof: proof.pop("abandoned"), "no whole proof"),
    "too many rounds": (lambda proof: proof["abandoned"].extend(proof["abandoned"] * 3), "no whole proof"),
    "a round twice": (lambda proof: proof["abandoned"].extend(proof["abandoned"]), "no whole proof"),
    "a round of nothing": (lambda proof: proof["abandoned"].append({}), "no whole proof"),
    "rounds of a wrong kind": (lambda proof: proof.__setitem__("abandoned", 5), "no whole proof"),
    "an abandoned secret": (lambda proof: proof["abandoned"][0].__setitem__("secret", "07" * 32), "another secret"),
    "an abandoned number": (lambda proof: proof["abandoned"][0]["numbers"].__setitem__(0, "1"), "another number"),
    "a round without need": (
        lambda proof: proof["abandoned"][0]["commitments"].__setitem__(1, None),
        "not fixed with all of them",
    ),
    "a round that nobody answered": (
        lambda proof: proof["abandoned"][0].__setitem__("numbers", [None] * 3),
        "not fixed with all of them",
    ),
    "a lost seat": (
        lambda proof: (
            proof["numbers"].__setitem__(1, "5"),
            proof["commitments"].__setitem__(1, fair.commitment(proof["promise"], 1, "5")),
        ),
        "lost their seat",
    ),
    "who began": (lambda proof: proof.__setitem__("drawn", None), "no whole proof"),
}


@pytest.mark.parametrize("what", FORGED)
def test_a_forged_proof_is_found(proven: dict[str, Any], what: str) -> None:
    forge, sentence = FORGED[what]
    forged = deepcopy(proven)
    forge(forged["proof"])
    assert forged != proven
    with pytest.raises(record.RecordError, match=sentence):
        fair.verify(record.verify(forged))


def test_a_commitment_holds_for_one_promise_one_seat_and_one_number() -> None:
    known = fair.commitment("ab" * 32, 1, "5")
    assert known == "6a66ab0642fc1aba5c1171458f329b8c1c7b427744ceedf379e41e739320013e"
    others = [
        fair.commitment("cd" * 32, 1, "5"),
        fair.commitment("ab" * 32, 0, "5"),
        fair.commitment("ab" * 32, 1, "6"),
    ]
    assert len({known, *others}) == 4


# ------------------------------------------------------------------------------ kills


def test_a_kill_in_the_middle_of_a_round_loses_nothing(tmp_path: Path) -> None:
    server = Server(tmp_path / "games.sqlite", "--away", "0")
    try:
        with httpx2.Client(base_url=server.url, timeout=60) as client:
            people = table_of(client, ME, OPEN, OPEN, copies=1)  # type: ignore[arg-type]
            ann, bob, _ = people

            def kill() -> None:
                before = ann.look()
                server.kill()
                server.start()
                assert ann.look() == before

            for person in people:
                person.commit()
            ann.post("number", number="a0")
            bob.post("number", number="b0")
            kill()
            assert ann.post("stand_in", seat=2).status_code == 200
            for person in (ann, bob, ann):
                person.fix_dice()
            proof = play(ann, bob)["proof"]
            assert proof["numbers"] == ["a0", "b0", None] and len(proof["abandoned"]) == 1
    finally:
        server.kill()
