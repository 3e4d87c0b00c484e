"""Lucky Loser on the page, in a real browser: a game and its review, keyboard, phone, four languages, two people."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest

pytest.importorskip("fastapi")
from tests.load import Server
from tests.visitors import LANGUAGES, Visitor, browser, server

__all__ = ["browser", "server"]  # fixtures

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
MOST = 500_000  # bytes of a visit


def choose_game(visitor: Visitor, opponents: int = 1, agent: str = "heuristic") -> None:
    """In the lobby, against agents that are always there."""
    visitor.visit()
    visitor.page.click("[data-game='lucky-loser']")
    visitor.page.wait_for_selector("#game-rules")
    visitor.page.click(f"[data-count='{opponents}']")
    for select in visitor.page.query_selector_all("#seats select"):
        select.select_option(agent)


def begin(visitor: Visitor, opponents: int = 1, agent: str = "heuristic") -> None:
    choose_game(visitor, opponents, agent)
    visitor.page.click("#play")
    visitor.page.wait_for_selector(".rows-table", timeout=20_000)


def play_on(visitor: Visitor, decisions: int = 10**6) -> None:
    """By what is listed first: nobody plays for hours."""
    deadline = time.monotonic() + 180
    for _ in range(decisions):
        visitor.page.wait_for_selector(".choices button, [data-key='review']", timeout=30_000)
        if visitor.page.query_selector("[data-key='review']"):
            return
        visitor.page.evaluate("() => document.querySelector('.choices button')?.click()")
        visitor.page.wait_for_timeout(5)
        assert time.monotonic() < deadline


def test_a_whole_game_and_its_review(browser: Any, server: Server) -> None:
    ann = Visitor(browser, server)
    sizes: list[int] = []
    ann.page.on("response", lambda answer: sizes.append(int(answer.headers.get("content-length", 0))))
    begin(ann, 2)
    assert ann.page.locator(".lane").count() == 6 and ann.page.locator(".seat").count() == 3
    play_on(ann, 8)
    ann.page.wait_for_selector(".choices button, [data-key='review']")
    ann.check_access()
    ann.keep("lucky-loser-table", whole=False)
    play_on(ann)
    ann.keep("lucky-loser-over", whole=False)
    assert ann.page.locator(".ranking li").count() == 3
    assert 100_000 < sum(sizes) < MOST, "what the page and the game weigh"
    ann.page.click("[data-key='review']")
    ann.page.wait_for_selector(".sums", timeout=30_000)
    ann.check_access()
    ann.check_width()
    ann.keep("lucky-loser-review")
    assert ann.page.locator(".sums tbody tr").count() == 5
    ann.page.wait_for_selector(".fair .plus", timeout=20_000)  # the dice are those that were promised
    address = ann.page.url
    ann.page.click("[data-key='close']")
    ann.page.click("[data-key='rematch']")
    ann.page.wait_for_function("address => location.pathname !== new URL(address).pathname", arg=address)
    ann.page.wait_for_selector(".choices button", timeout=20_000)
    ann.leave()


def test_by_keyboard_alone_with_take_back_and_hint(browser: Any, server: Server) -> None:
    ann = Visitor(browser, server)
    choose_game(ann)
    ann.page.click("details summary")
    ann.page.check("#take-back")
    ann.page.focus("#play")
    ann.page.keyboard.press("Enter")
    ann.page.wait_for_selector(".choices button", timeout=20_000)
    ann.page.focus("body")
    for _ in range(3):
        asked = ann.page.get_attribute(".ask", "class")
        assert asked is not None
        ann.page.keyboard.press("1")
        ann.page.wait_for_timeout(400)
        ann.page.wait_for_selector(".choices button", timeout=20_000)
    ann.page.focus(".choices button")
    ann.page.keyboard.press("ArrowDown")
    assert ann.page.evaluate("[...document.querySelectorAll('.choices button')].indexOf(document.activeElement)") == 1
    assert ann.page.locator(".goal").count() > 0, "where it leads lights up"
    spoken = ann.page.locator("#news").inner_text()
    assert "You throw" in spoken and "You form" in spoken and "What do you make of your throw?" in spoken
    assert "Stack:" in ann.page.inner_text(".rows")
    ann.page.click("[data-key='hint']")
    ann.page.wait_for_selector(".choices .best", timeout=20_000)
    assert re.search(r"\d+\.\d% · best", ann.page.inner_text(".choices .best"))
    lines = ann.page.locator(".log li").count()
    ann.page.click("[data-key='take-back']")
    ann.page.wait_for_function(f"() => document.querySelectorAll('.log li').length > {lines}")
    assert "You take back" in ann.page.inner_text(".log")
    ann.page.keyboard.press("Escape")
    ann.page.click("#rules")
    assert "Lucky Loser combination" in ann.page.inner_text("dialog")
    ann.leave()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_on_a_phone(browser: Any, server: Server, language: str) -> None:
    dark = "dark" if language in ("de", "it") else "light"
    ann = Visitor(browser, server, language, color_scheme=dark, **PHONE)
    choose_game(ann, 3, "random")
    ann.check_width()
    ann.check_access()
    ann.page.tap("#play")
    play_on(ann, 12)
    ann.page.wait_for_selector(".choices button, [data-key='review']")
    ann.check_width()
    ann.check_access()
    ann.keep(f"lucky-loser-phone-{language}", whole=False)
    text = ann.page.inner_text("body")
    assert not re.search(r"\{[a-z]\w*\}|\b(undefined|null|false)\b|lucky-loser\.|\b(log|ask|did)\.\w+", text)
    ann.leave()


def test_real_dice_are_tapped_in(browser: Any, server: Server) -> None:
    ann = Visitor(browser, server)
    seats = [{"kind": "me"}, {"kind": "agent", "agent": "random"}]
    ann.open_game(game="lucky-loser", seats=seats, name="Ann", real_dice=True, first_player=0)
    ann.page.wait_for_selector("[data-key='face-6']", timeout=20_000)
    assert ann.page.locator(".ask .dotted").count() == 6
    for face in (5, 5, 6, 6):
        ann.page.click(f"[data-key='face-{face}']")
    ann.page.click("[data-key='done']")
    ann.page.wait_for_selector(".choices button", timeout=20_000)
    assert "5" in ann.page.inner_text(".choices button >> nth=0")
    assert ann.page.locator(".thrown .dotted").count() == 4
    ann.leave()


def test_two_people_by_an_invitation(browser: Any, server: Server) -> None:
    ann, bob = Visitor(browser, server), Visitor(browser, server, **PHONE)
    seats = [{"kind": "me"}, {"kind": "open"}]
    room = ann.open_game(game="lucky-loser", seats=seats, name="Ann", row_lengths=[1] * 6)
    ann.page.wait_for_selector("h1:has-text('Lucky Loser')")
    bob.visit(f"/game/{room}")
    bob.page.wait_for_selector("form button")
    bob.page.fill("form input", "Bob")
    bob.page.click("form button")
    deadline = time.monotonic() + 120
    while not (ann.page.query_selector(".ending") and bob.page.query_selector(".ending")):
        for person in (ann, bob):
            person.page.evaluate("() => document.querySelector('.choices button')?.click()")
            person.page.wait_for_timeout(20)
        assert time.monotonic() < deadline
    assert "Bob" in ann.page.inner_text(".ranking") and "Ann" in bob.page.inner_text(".ranking")
    ann.visit()
    ann.page.wait_for_selector("main ul.games a")
    assert "Lucky Loser" in ann.page.inner_text("main ul.games")
    for person in (ann, bob):
        person.leave()


def test_pechvogel_is_still_the_first_game(browser: Any, server: Server) -> None:
    ann = Visitor(browser, server)
    asked: list[str] = []
    ann.page.on("request", lambda request: asked.append(request.url))
    ann.begin()
    ann.page.wait_for_selector(".actions button", timeout=20_000)
    assert not [url for url in asked if "/lucky-loser/" in url], "what is not played is not loaded"
    ann.leave()
