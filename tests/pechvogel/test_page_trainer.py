"""The trainer and the explorer in a real browser: answered by keys, readable on a phone, in four languages."""

from __future__ import annotations

from typing import Any

import pytest

from pechvogel.play.pechvogel.trainer import puzzles
from tests.visitors import LANGUAGES, Visitor, browser, server

__all__ = ["browser", "server"]  # fixtures

SIZES = {"phone": {"width": 390, "height": 844}, "desktop": {"width": 1280, "height": 800}}


@pytest.mark.parametrize(("size", "language"), [("phone", "de"), ("desktop", "en")])
def test_a_puzzle_is_answered_by_keys(browser: Any, server: Any, size: str, language: str) -> None:
    ann = Visitor(browser, server, language, viewport=SIZES[size])
    ann.visit("/train")
    ann.page.wait_for_selector(".puzzle .actions button")
    assert ann.page.locator(".puzzle .values").count() == 0
    ann.check_width()
    ann.check_access()
    ann.keep(f"train-{size}")
    ann.page.keyboard.press("1")
    ann.page.wait_for_selector(".puzzle .values")
    assert ann.page.evaluate("document.activeElement.matches('.puzzle h2')")
    ann.page.locator(".puzzle details summary").first.click()
    ann.check_width()
    ann.check_access()
    ann.keep(f"train-{size}-answer")
    ann.page.keyboard.press("n")
    ann.page.wait_for_selector(".puzzle .actions button")
    ann.visit("/train")
    ann.page.wait_for_selector(".puzzle .actions button")
    done = ann.page.locator(".train-head .chip").first.inner_text()
    assert done[-1] in "✓✗", "this browser remembers that today's was answered"
    ann.leave()


@pytest.mark.parametrize("size", SIZES)
def test_dice_and_answers_are_on_the_screen_together(browser: Any, server: Any, size: str) -> None:
    """Also where there is most to show: five players, and the most actions."""
    ann = Visitor(browser, server, "de", viewport=SIZES[size])
    most = {}
    for puzzle in puzzles().values():
        kind = (int(puzzle["position"][0]), puzzle["theme"])
        if kind not in most or len(puzzle["actions"]) > len(most[kind]["actions"]):
            most[kind] = puzzle
    chosen = [puzzle for (players, _), puzzle in most.items() if players in (2, 5)]
    assert len(chosen) > 8
    for puzzle in chosen:
        ann.visit(f"/train?p={puzzle['id']}")
        ann.page.wait_for_selector(".puzzle .actions button")
        outside = ann.page.evaluate(
            "() => [...document.querySelectorAll('.felt .board, .puzzle h2, .puzzle .actions button')]"
            ".filter((one) => { const box = one.getBoundingClientRect();"
            " return box.top < 0 || box.bottom > innerHeight || box.left < 0 || box.right > innerWidth; })"
            ".map((one) => `${one.textContent} ${one.getBoundingClientRect().bottom}`)"
        )
        assert outside == [], (puzzle["theme"], puzzle["position"])
    ann.leave()


@pytest.mark.parametrize(("size", "language"), [*(("phone", language) for language in LANGUAGES), ("desktop", "en")])
def test_the_explorer_is_readable(browser: Any, server: Any, size: str, language: str) -> None:
    ann = Visitor(browser, server, language, viewport=SIZES[size])
    for subject in ("first", "frustrate"):
        ann.visit(f"/explore?subject={subject}")
        ann.page.wait_for_selector(".heat")
        ann.check_width()
    if language == "en":
        ann.check_access()
        ann.keep(f"explore-{size}")
    ann.page.select_option("[data-key='down']", "targets")
    assert ann.page.evaluate("document.activeElement.dataset.key") == "down"
    ann.leave()
