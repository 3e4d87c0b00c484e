"""Fair dice in real browsers: two of them at one table, one that is late, and a server that promises something else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
import httpx2

from pechvogel.play import fair
from pechvogel_env import record
from tests.load import Server
from tests.rooms import Player
from tests.visitors import Visitor, browser

__all__ = ["browser"]  # a fixture


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    found = Server(Path(tmp_path_factory.mktemp("fair")) / "games.sqlite", "--away", "0")
    yield found
    found.kill()


class Guest(Visitor):
    """Somebody whose requests for the dice are noted, in the order of all."""

    def __init__(self, browser: Any, server: Server, name: str, sent: list[tuple[str, str]]) -> None:
        super().__init__(browser, server)
        self.name = name
        kinds = ("commitment", "number")
        self.page.on(
            "requestfinished",
            lambda request: request.url.endswith(kinds) and sent.append((name, request.url.rsplit("/", 1)[1])),
        )

    def open_table(self) -> str:
        """The link to a table of two people, with few markers."""
        self.visit()
        self.page.select_option("#seats select", "person")
        self.page.click("details summary")
        self.page.select_option("#copies", "1")
        self.page.click("#play")
        self.page.wait_for_selector("[data-key='copy']")
        return self.page.url.removeprefix(self.server.url)

    def sit_down(self, link: str) -> None:
        self.visit(link)
        self.page.fill("#join-name", self.name)
        self.page.click("form button")

    def kept(self) -> dict[str, Any]:
        """What this browser knows of its only game."""
        games = json.loads(self.page.evaluate("localStorage.getItem('pechvogel.games')"))
        (found,) = games.values()
        return found


def test_two_browsers_fix_the_dice_of_one_table(browser: Any, server: Server) -> None:
    sent: list[tuple[str, str]] = []
    ann, bob = (Guest(browser, server, name, sent) for name in ("Ann", "Bob"))
    link = ann.open_table()
    bob.sit_down(link)
    for person in (ann, bob):
        person.page.wait_for_selector(".table", timeout=20_000)
    assert sorted(sent[:2]) == [("Ann", "commitment"), ("Bob", "commitment")], "before anybody shows a number"
    assert sorted(sent[2:]) == [("Ann", "number"), ("Bob", "number")]
    first, second = ann.kept()["dice"]["0"], bob.kept()["dice"]["0"]
    assert first["promise"] == second["promise"] and first["commitments"] == second["commitments"]
    assert first["number"] != second["number"]
    # The game itself is played without the page, which is quicker.
    room = link.removeprefix("/game/")
    with httpx2.Client(base_url=server.url, timeout=60) as client:
        people = [Player(client, room, seat, one.kept()["token"]) for seat, one in enumerate((ann, bob))]  # type: ignore[arg-type]
        while not (state := people[0].look())["over"]:
            done = people[state["to_act"]].post("act", action=state["legal"][-1], played=state["played"])
            assert done.status_code == 200, done.text
        proven = record.verify(json.loads(people[0].get("/record").text))
    fair.verify(proven)
    assert proven["proof"]["numbers"] == [first["number"], second["number"]]
    for person in (ann, bob):
        person.visit(f"{link}?review")
        person.page.wait_for_selector("text=The game's file has the promise, the fingerprints", timeout=20_000)
        person.leave()


def test_a_browser_that_does_not_show_its_number_loses_the_seat(browser: Any, server: Server) -> None:
    sent: list[tuple[str, str]] = []
    ann, bob = (Guest(browser, server, name, sent) for name in ("Ann", "Bob"))
    bob.page.route("**/number", lambda route: route.abort())
    link = ann.open_table()
    with bob.page.expect_event("requestfailed", lambda request: request.url.endswith("/number")):
        bob.sit_down(link)
    while ("Ann", "number") not in sent:
        ann.page.wait_for_timeout(20)
    ann.page.click("[data-key='stand-in']", timeout=20_000)
    for person in (ann, bob):
        person.page.wait_for_selector(".table", timeout=20_000)
    assert "Your browser did not show its number" in bob.page.inner_text("dialog")
    assert bob.page.query_selector(".actions button") is None
    dice = ann.kept()["dice"]
    assert dice["0"]["promise"] != dice["1"]["promise"] and dice["1"]["commitments"] == [None, None]
    assert "No number for the dice came" in ann.page.locator(".log").text_content()
    assert [one for one in sent if one[0] == "Ann"] == [("Ann", "commitment"), ("Ann", "number"), ("Ann", "number")]
    ann.leave()
    bob.context.close()


def test_a_promise_that_changes_is_refused(browser: Any, server: Server) -> None:
    sent: list[tuple[str, str]] = []
    ann, bob = (Guest(browser, server, name, sent) for name in ("Ann", "Bob"))
    link = ann.open_table()

    def lie(route: Any) -> None:
        answer = route.fetch()
        told = answer.json()
        told["state"]["promise"] = "0" * 64
        route.fulfill(response=answer, json=told)

    bob.page.route("**/join", lie)
    bob.sit_down(link)
    bob.page.wait_for_selector("text=The server has promised other dice than before")
    assert [one for one in sent if one[0] == "Bob"] == [], "nothing is sent for such dice"
    assert bob.kept()["dice"]["0"]["promise"] != "0" * 64
    for person in (ann, bob):
        person.leave()
