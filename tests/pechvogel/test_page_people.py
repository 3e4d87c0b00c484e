"""People together in a real browser: a short series of two, what they call out, and agents whom somebody watches."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi")
from tests.load import Server
from tests.visitors import Visitor, browser, on

__all__ = ["browser"]  # a fixture


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Where nobody is taken for somebody who has gone away."""
    found = Server(tmp_path_factory.mktemp("serve") / "games.sqlite")
    yield found
    found.kill()


def test_two_people_play_a_series(browser: Any, server: Server) -> None:
    """One at a desk, one with a phone; they call, see the result, and go on to the next game, each at their seat."""
    ann, bob = Visitor(browser, server, **on("laptop")), Visitor(browser, server, "de", **on("phone"))
    room = ann.open_game(seats=[{"kind": "me"}, {"kind": "open"}], name="Ann", copies=1, series=3)
    bob.visit(f"/game/{room}")
    bob.page.fill("#join-name", "Bob")
    bob.page.click("form button")
    for person in (ann, bob):
        person.watch_layout()
    ann.page.wait_for_function("() => document.title.startsWith('●') || document.querySelector('.ask h2')")
    titles = [person.page.title() for person in (ann, bob)]
    assert sum(title.startswith("●") for title in titles) == 1, titles
    # On a phone, too, calls and onlookers are on the screen with the table.
    for selector in ("[data-key='calls']", ".noted .badge"):
        box = bob.page.locator(selector).first.bounding_box()
        assert box is not None and box["y"] + box["height"] < 60, selector
    bob.page.click("[data-key='calls']")
    bob.check_access()
    bob.page.click("[data-key='call-hello']")
    ann.page.wait_for_selector(".bubble.call.shown >> text=Hello!")
    ann.page.click("[data-key='call-well_played']")
    bob.page.wait_for_selector(".bubble.call.shown >> text=Gut gespielt!")
    assert "Ann: Gut gespielt!" in (bob.page.text_content("#news") or "")
    for person, name in ((ann, "desk"), (bob, "phone")):
        person.check_width()
        person.check_access()
        person.keep(f"people-{name}", whole=False)
    deadline = time.monotonic() + 90
    while not all(person.page.query_selector("[data-key='review']") for person in (ann, bob)):
        for person in (ann, bob):
            person.click_anything()
            person.page.wait_for_timeout(5)
        assert time.monotonic() < deadline
    for person, name in ((ann, "desk"), (bob, "phone")):
        person.check_layout()
        person.check_width()
        person.check_access()
        person.keep(f"people-result-{name}", whole=False)
    # Whoever has sat down looks on no longer.
    ann.page.wait_for_function("() => document.querySelector('.noted').textContent === 'Game 1 of 3'", timeout=20_000)
    assert ann.page.query_selector("[data-key='delete']") and not bob.page.query_selector("[data-key='delete']")
    bob.page.click("[data-key='rematch']")  # Bob opens it, Ann follows
    ann.page.click("text=Go there", timeout=20_000)
    for person, seat, badge in ((ann, 0, "Game 2 of 3"), (bob, 1, "Spiel 2 von 3")):
        person.page.wait_for_selector(f".noted >> text={badge}", timeout=20_000)
        assert person.page.evaluate("() => document.querySelector('.own .seat').dataset.seat") == str(seat)
    for person in (ann, bob):
        assert person.errors == []
        person.leave()


def test_agents_are_watched(browser: Any, server: Server) -> None:
    ann = Visitor(browser, server, **on("laptop"))
    ann.visit()
    ann.page.click("#watch")
    ann.watch_layout()
    ann.page.wait_for_selector(".noted .badge")  # we are the onlooker
    before = ann.page.locator(".log li").count()
    ann.page.wait_for_function("(before) => document.querySelectorAll('.log li').length > before + 3", arg=before)
    ann.check_layout()
    assert ann.page.query_selector(".actions button") is None and not ann.page.title().startswith("●")
    ann.check_access()
    ann.keep("people-watching", whole=False)
    assert ann.errors == []
    ann.leave()
