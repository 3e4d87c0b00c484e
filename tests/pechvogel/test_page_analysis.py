"""The analysis board in a real browser: by keys, by mouse and by touch; on the screen together; links; trying again."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx2
import pytest

from tests.rooms import BOT, ME, Player, sit_down
from tests.visitors import Visitor, browser, server

__all__ = ["browser", "server"]  # fixtures

SIZES = {
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "color_scheme": "dark"},
    "desktop": {"viewport": {"width": 1280, "height": 800}},
    "large": {"viewport": {"width": 1920, "height": 1080}, "color_scheme": "dark"},
}
OUTSIDE = """() => [...document.querySelectorAll('.steps, .steps button, .felt, .felt .seat, .felt .die:not(.away)')]
  .map((one) => [one.className, one.getBoundingClientRect()])
  .filter(([, box]) => box.left < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1)
  .map(([name, box]) => `${name} ${box.left} ${box.right} ${box.bottom}`)"""


@pytest.fixture(scope="module")
def finished(server: Any) -> Player:
    """A game of five that is over: the last of all legal actions, so that there are mistakes."""
    me = sit_down(httpx2.Client(base_url=server.url, timeout=30), ME, BOT, BOT, BOT, BOT)  # type: ignore[arg-type]
    me.play_to_the_end()
    return me


def looking(browser: Any, server: Any, me: Player, size: str, language: str = "en") -> Visitor:
    """The same player in a browser of their own."""
    ann = Visitor(browser, server, language, **SIZES[size])
    token = me.headers["Authorization"].removeprefix("Bearer ")
    kept = json.dumps({me.room: {"seat": me.seat, "token": token, "visited": True, "at": 1}})
    ann.page.add_init_script(
        f"localStorage.getItem('pechvogel.games') ?? localStorage.setItem('pechvogel.games', {kept!r})"
    )
    return ann


def moment(ann: Visitor) -> int:
    return int(ann.page.inner_text(".where").split("/")[0])


def places(ann: Visitor) -> set[str]:
    """Where the table and the buttons are, in ten steps to and fro."""
    found = set()
    for k in range(20):
        ann.page.keyboard.press("ArrowLeft" if k < 10 else "ArrowRight")
        boxes = "['.felt', '.steps'].map((one) => document.querySelector(one).getBoundingClientRect().toJSON())"
        found.add(ann.page.evaluate(f"JSON.stringify({boxes})"))
    return found


def test_by_keys_mouse_and_link(browser: Any, server: Any, finished: Player) -> None:
    ann = looking(browser, server, finished, "desktop")
    ann.visit(f"/game/{finished.room}?review")
    ann.page.wait_for_selector(".analysis", timeout=20_000)
    for _ in range(12):
        ann.page.keyboard.press("ArrowRight")
    ann.page.keyboard.press("ArrowLeft")
    assert moment(ann) == 12
    assert ann.page.evaluate(OUTSIDE) == []
    assert len(places(ann)) == 1, "the table or the buttons move"
    strip = ann.page.locator(".strip .plot")
    box = strip.bounding_box()
    ann.page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + box["height"] / 2)
    half = moment(ann)
    assert half > 50
    ann.page.keyboard.press("Home")
    ann.page.keyboard.press("Shift+ArrowRight")
    ann.page.wait_for_selector(".panel .mark")
    assert re.search(r"[?&]step=\d+$", ann.page.url)
    ann.page.wait_for_selector(".panel .why .cases", timeout=20_000)
    ann.check_width()
    ann.check_access()
    ann.keep("analysis", whole=False)
    # Whoever has the link sees the same moment, but can't act.
    bob = Visitor(browser, server, "de", **SIZES["phone"])
    bob.visit(ann.page.url.removeprefix(server.url))
    bob.page.wait_for_selector(".panel .mark", timeout=20_000)
    assert moment(bob) == moment(ann)
    bob.leave()
    # Another action, in a game in which the coach is silent.
    other = ann.page.locator(".values tr:not(.chosen) [data-key^='try-']").first
    review = ann.page.url
    other.click()
    ann.page.wait_for_function("address => location.href !== address", arg=review)
    ann.page.wait_for_selector(".actions button, [data-key='review']", timeout=20_000)
    ann.page.wait_for_timeout(300)
    assert ann.page.query_selector(".advice, .actions .best") is None
    ann.page.go_back()
    ann.page.wait_for_selector(".panel .mark", timeout=20_000)
    assert ann.page.url == review
    ann.leave()


@pytest.mark.parametrize(("size", "language"), [("phone", "it"), ("large", "fr")])
def test_by_touch_and_in_other_languages(browser: Any, server: Any, finished: Player, size: str, language: str) -> None:
    ann = looking(browser, server, finished, size, language)
    ann.visit(f"/game/{finished.room}?review")
    ann.page.wait_for_selector(".analysis", timeout=20_000)
    tap = ann.page.tap if size == "phone" else ann.page.click
    for _ in range(5):
        tap("[data-key='on']")
    assert moment(ann) == 6
    plot = ann.page.locator(".plots .plot >> visible=true").first
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    press = ann.page.touchscreen.tap if size == "phone" else ann.page.mouse.click
    press(box["x"] + 0.6 * box["width"], box["y"] + box["height"] / 2)
    assert moment(ann) > 40
    ann.page.evaluate("scrollTo(0, 0)")
    tap("[data-key='mistake-back']")
    ann.page.wait_for_selector(".panel .why .cases", timeout=20_000)
    assert ann.page.evaluate(OUTSIDE) == []
    assert len(places(ann)) == 1, "the table or the buttons move"
    ann.page.wait_for_selector(".panel .why .cases", timeout=20_000)
    ann.check_width()
    ann.check_access()
    text = ann.page.inner_text("main")
    assert not re.search(r"\{\w+\}|\b(analysis|review|case|reason)\.\w+", text), "a word is missing"
    ann.keep(f"analysis-{size}")
    ann.page.check("[data-key='guessing']")
    ann.page.wait_for_selector(".panel .actions button")
    assert ann.page.query_selector(".values") is None
    ann.leave()


def test_a_board_is_set_up_on_a_phone(browser: Any, server: Any) -> None:
    ann = Visitor(browser, server, "de", **SIZES["phone"])
    ann.visit("/position")
    ann.page.fill("[data-key='markers-0-7']", "2")
    ann.page.select_option("[data-key='players']", "5")
    assert ann.page.input_value("[data-key='markers-0-7']") == "2", "changing the number of players wipes nothing"
    ann.page.fill("[data-key='frustrations-1']", "1")
    ann.page.select_option("[data-key='moment']", "frustrate")
    ann.page.select_option("[data-key='target']", "7")
    ann.page.select_option("[data-key='targets']", "2")
    ann.page.select_option("[data-key='ravens']", "1")
    for face in (7, 0, 3, 4):
        ann.page.tap(f"[data-key='face-{face}']")
    ann.page.tap("[data-key='analyse']")
    ann.page.wait_for_selector(".values")
    assert "_732_-_7034_frustrate1_" in ann.page.url
    ann.check_width()
    ann.check_access()
    ann.keep("position-phone")
    ann.page.fill("[data-key='middle-7']", "3")
    ann.page.tap("[data-key='analyse']")
    ann.page.wait_for_selector(".minus:has-text('Es gibt nur 3 Punktemarker mit dem Wert 7.')")
    assert all("422" in error for error in ann.errors) and ann.errors
    ann.errors.clear()
    ann.leave()
