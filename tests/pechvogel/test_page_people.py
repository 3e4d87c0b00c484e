"""People together in a real browser: a short series of two, what they call out, and agents whom somebody watches."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright.sync_api")
from tests.load import Server
from tests.pechvogel.test_page import CHROMIUM, Visitor, sync_api
from tests.pechvogel.test_page_layout import SCREENS, WATCH

SHORT = """async (wish) => (await (await import('/web/js/api.js')).openRoom('/api/rooms', wish)).room"""
GO = "(path) => { history.pushState(null, '', path); dispatchEvent(new PopStateEvent('popstate')); }"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    found = Server(tmp_path_factory.mktemp("serve") / "games.sqlite")
    yield found
    found.kill()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


def on(screen: str) -> dict[str, Any]:
    width, height = SCREENS[screen]
    return {"viewport": {"width": width, "height": height}, "has_touch": screen == "phone"}


def check_layout(person: Visitor) -> None:
    layout = person.page.evaluate("() => window.layout")
    assert layout["moved"] == [] and layout["hidden"] == []


def test_two_people_play_a_series(browser: Any, server: Server) -> None:
    """One at a desk, one with a phone; they call, see the result, and go on to the next game, each at their seat."""
    ann, bob = Visitor(browser, server, **on("laptop")), Visitor(browser, server, "de", **on("phone"))
    ann.visit()
    ann.page.wait_for_selector("#play")
    wish = {"seats": [{"kind": "me"}, {"kind": "open"}], "name": "Ann", "copies": 1, "series": 3}
    room = ann.page.evaluate(SHORT, wish)
    ann.page.evaluate(GO, f"/game/{room}")
    bob.visit(f"/game/{room}")
    bob.page.fill("#join-name", "Bob")
    bob.page.click("form button")
    for person in (ann, bob):
        person.page.wait_for_selector(".table", timeout=20_000)
        person.page.evaluate(WATCH)
    ann.page.wait_for_function("() => document.title.startsWith('●') || document.querySelector('.ask h2')")
    titles = [person.page.title() for person in (ann, bob)]
    assert sum(title.startswith("●") for title in titles) == 1, titles
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
        check_layout(person)
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
    ann.page.wait_for_selector(".table", timeout=20_000)
    ann.page.evaluate(WATCH)
    ann.page.wait_for_selector(".noted .badge")  # we are the onlooker
    before = ann.page.locator(".log li").count()
    ann.page.wait_for_function("(before) => document.querySelectorAll('.log li').length > before + 3", arg=before)
    check_layout(ann)
    assert ann.page.query_selector(".actions button") is None and not ann.page.title().startswith("●")
    ann.check_access()
    ann.keep("people-watching", whole=False)
    assert ann.errors == []
    ann.leave()
