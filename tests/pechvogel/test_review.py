"""Reviews of finished games: luck, decisions and drift add up; made in pieces, so that nobody waits for another's."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pechvogel.agents import registry
from pechvogel.agents.pechvogel.solution import Solution
from pechvogel.play import review as module
from pechvogel.play.pechvogel.review import MARKS, Review, mark_of, review
from pechvogel.play.pechvogel.table import Table
from pechvogel_env.position import Position

PARTS = ("luck", "skill", "others", "drift")


def played(players: int, spec: str = "heuristic", seed: int = 1, copies: int = 3) -> Table:
    """A game of agents, to its end."""
    table, agent = Table(players, lambda _: seed, copies=copies, first_player=0), registry.make(spec)
    rng = np.random.default_rng(seed)
    while table.to_act is not None:
        table.act(table.to_act, int(agent.act(table.position(), table.mask(), rng)))
    return table


@pytest.mark.parametrize("players", [2, 3, 5])
def test_luck_skill_and_drift_add_up(players: int) -> None:
    table = played(players, "random")
    found = review(table)
    shares = np.array(found["shares"])
    assert shares.shape == (len(table.steps) + 1, players) and len(found["steps"]) == len(table.steps)
    assert shares.sum(axis=1) == pytest.approx(1.0, abs=1e-5)
    winners = table.winners()
    assert shares[-1] == pytest.approx([(seat in winners) / len(winners) for seat in range(players)])
    assert sum(np.array(found[part]) for part in PARTS) == pytest.approx(shares[-1] - shares[0], abs=2e-6)
    assert sum(found["luck"]) == pytest.approx(0, abs=1e-9), "what one wins by the dice, others lose"
    assert sum(found["drift"]) == pytest.approx(0, abs=1e-6)
    for seat in range(players):
        costs = [row["costs"] for row in found["decisions"] if row["seat"] == seat]
        assert found["skill"][seat] == pytest.approx(-sum(costs), abs=1e-9) and min(costs) >= 0
    drift = np.sum([step.get("drift", [0.0] * players) for step in found["steps"]], axis=0)
    assert drift == pytest.approx(found["drift"], abs=1e-6 * len(table.steps))
    assert all("drift" not in step or "turn" in step or players == 2 for step in found["steps"]), (
        "at ends of turns only"
    )


def test_exact_values_have_no_drift(solved: Solution) -> None:
    found = review(played(2, "random", seed=3, copies=1))
    assert found["source"].startswith("exact")
    assert found["drift"] == pytest.approx([0, 0], abs=1e-5)
    assert abs(found["luck"][0]) > 0.01 and found["skill"][0] < 0


def test_what_is_told_of_a_decision() -> None:
    table = played(3)
    found = review(table)
    chosen = [number for number, step in enumerate(table.steps) if step.kind == "action" and not step.forced]
    assert [row["step"] for row in found["decisions"]] == chosen
    for row in found["decisions"]:
        step = table.steps[row["step"]]
        position = Position.parse(row["position"])
        assert (position.to_act, position.turn, position.phase) == (row["seat"], row["turn"], row["phase"])
        actions = [action for action, _ in row["actions"]]
        shares = [share for _, share in row["actions"]]
        assert row["action"] == step.action in actions and row["best"] == actions[0]
        assert shares == sorted(shares, reverse=True) and len(shares) > 1
        assert row["costs"] == pytest.approx(shares[0] - dict(row["actions"])[step.action], abs=2e-6)
        assert row["mark"] == mark_of(row["costs"])
    for number, step in enumerate(found["steps"]):
        assert Position.parse(step["position"]).to_dict() == table.position_of(table.steps[number].after).to_dict()


def test_marks() -> None:
    assert list(MARKS) == ["?!", "?", "??"] and list(MARKS.values()) == sorted(MARKS.values())
    assert [mark_of(costs) for costs in (0, 0.0099, 0.01, 0.0199, 0.02, 0.0399, 0.04, 1)] == [
        None,
        None,
        "?!",
        "?!",
        "?",
        "?",
        "??",
        "??",
    ]


def test_pieces_make_the_same_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    for players in (2, 4):  # at two, the champion sees some positions better than the search before
        table = played(players)
        whole = review(table)
        for size in (9, 10_000):
            monkeypatch.setattr(module, "PIECE", size)
            making, pieces = Review(table), 0
            with pytest.raises(ValueError, match="not made yet"):
                making.whole()
            while making.go_on() is None:
                pieces += 1
            assert pieces == -(-len(table.steps) // size) - 1
            assert making.go_on() == making.text, "it is made once"
            found = json.loads(making.text or "")
            for part in PARTS:
                assert found[part] == pytest.approx(whole[part], abs=1e-6)
            assert found["shares"] == [pytest.approx(row, abs=2e-6) for row in whole["shares"]]
            assert [row["step"] for row in found["decisions"]] == [row["step"] for row in whole["decisions"]]


# ------------------------------------------------------------------------------ on the server


@pytest.fixture
def hub_and_room(tmp_path: Path) -> Any:
    pytest.importorskip("fastapi")
    from fastapi.testclient import TestClient

    from pechvogel.play.hub import Hub
    from pechvogel.play.server import create_app
    from pechvogel.play.store import Store
    from tests.rooms import BOT, LOCAL, ME, sit_down

    hub = Hub(Store(tmp_path / "games.sqlite"))
    with TestClient(create_app(hub, rate=10_000), LOCAL) as client:
        me = sit_down(client, ME, *[BOT] * 4)
        me.play_to_the_end()
        yield client, hub, me


def test_others_are_answered_while_a_game_is_reviewed(hub_and_room: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    client, hub, me = hub_and_room
    monkeypatch.setattr(module, "PIECE", 8)
    position = Position.complete({}, num_players=2, copies=3)
    done: list[str] = []

    async def note(name: str, work: Any) -> None:
        await work
        done.append(name)

    async def ask() -> None:
        await hub.analyse(position)  # what it needs is loaded by now
        await asyncio.gather(note("review", hub.review(me.room, "a")), note("advice", hub.analyse(position, "b")))

    client.portal.call(ask)
    assert done == ["advice", "review"], "somebody had to wait for another's review"


def test_a_review_is_made_once_for_all_and_goes_on_for_those_who_stay(
    hub_and_room: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, hub, me = hub_and_room
    monkeypatch.setattr(module, "PIECE", 16)
    looks: list[int] = []
    look = Review._look

    def counted(self: Review, first: int, *more: Any) -> None:
        looks.append(first)
        look(self, first, *more)

    monkeypatch.setattr(Review, "_look", counted)

    async def ask() -> list[str]:
        gone, *stay = [asyncio.create_task(hub.review(me.room, name)) for name in "abc"]
        while len(looks) < 3:
            await asyncio.sleep(0.001)
        gone.cancel()
        return list(await asyncio.gather(*stay))

    first, second = client.portal.call(ask)
    assert first == second and looks == sorted(set(looks)), "pieces were made twice"
    answer = me.get("/review")
    assert answer.headers["content-type"] == "application/json" and answer.text == first
    assert len(looks) == len(set(looks))


def test_a_game_that_goes_on_has_no_review(hub_and_room: Any) -> None:
    from tests.rooms import BOT, ME, sit_down

    client, _, _ = hub_and_room
    running = sit_down(client, ME, BOT)
    assert running.get("/review").status_code == 409
