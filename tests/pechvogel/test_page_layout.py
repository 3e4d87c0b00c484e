"""The table in a real browser: all that a decision needs is on the screen, and nothing moves but what is meant to.

The whole matrix of screens, colours, languages and players takes long:

    python -m pytest -m slow tests/pechvogel/test_page_layout.py
"""

from __future__ import annotations

import itertools
import time
from typing import Any

import pytest

pytest.importorskip("fastapi")
from pechvogel_env.position import Position
from tests.load import Server
from tests.visitors import LANGUAGES, SCREENS, Visitor, browser, on, server

__all__ = ["browser", "server"]  # fixtures

OPPONENTS = ("champion:level=3", "heuristic", "champion", "champion:level=1")
QUESTIONS = 8  # that are looked at where a whole game would take too long


class Player(Visitor):
    """A visitor with a screen, who sits down at a table of so many, with the coach on."""

    def __init__(self, browser: Any, server: Server, screen: str, colours: str = "light", **more: Any) -> None:
        super().__init__(browser, server, **on(screen, colours), **more)

    def sit_down(self, players: int, position: str | None = None) -> None:
        seats = [{"kind": "me"}, *({"kind": "agent", "agent": agent} for agent in OPPONENTS[: players - 1])]
        self.open_game(seats=seats, name="Annabella", coach=True, position=position)
        self.watch_layout()


def play(player: Player, players: int, name: str, questions: int) -> None:
    """Some questions, a look at the screen, then, if there is time, the rest of the game."""
    player.sit_down(players)
    player.play_on(min(questions, QUESTIONS))
    if player.page.query_selector("[data-key='review']") is None:
        player.page.wait_for_selector(".actions button, [data-key='review']", timeout=20_000)
        player.page.wait_for_timeout(300)  # for the coach's words
    player.check_width()
    player.check_access()
    player.keep(f"layout-{name}", whole=False)
    player.play_on(max(0, questions - QUESTIONS))
    if player.page.query_selector("[data-key='review']"):
        player.check_access()
    layout = player.check_layout()
    assert layout["questions"] > 3 and layout["changes"] > 10
    assert player.errors == []


@pytest.mark.parametrize(
    ("screen", "colours", "language", "players"),
    [("phone", "light", "de", 5), ("phone", "dark", "fr", 2), ("laptop", "light", "it", 5), ("wide", "dark", "en", 3)],
)
def test_the_beginning_of_a_game(
    browser: Any, server: Server, screen: str, colours: str, language: str, players: int
) -> None:
    player = Player(browser, server, screen, colours, language=language)
    play(player, players, f"{screen}-{colours}-{language}-{players}", QUESTIONS)
    player.leave()


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("screen", SCREENS)
def test_whole_games(browser: Any, server: Server, screen: str, colours: str, language: str) -> None:
    player = Player(browser, server, screen, colours, language=language)
    for players in (2, 3, 5):
        play(player, players, f"{screen}-{colours}-{language}-{players}", 10**6)
    player.leave()


# Questions with as many answers as can be, and as much on the table: five targets, five discards.
RICH = {
    "num_players": 5,
    "copies": 3,
    "italian_reading": False,
    "middle": [1, 1, 1, 1, 1],
    "players": [{"markers": [0, 0, 0, 0, 1], "frustrations": 12}, *({"markers": [0] * 5, "frustrations": 9},) * 4],
    "active": 0,
    "to_act": 0,
    "murphy": 0,
    "target": None,
    "targets": 0,
    "reduced": False,
    "after_reduction": False,
    "frustraters": [],
    "turn": 40,
}
LONGEST = {
    "target": {**RICH, "phase": "target", "ravens": 2, "last_throw": [3, 4, 5, 6, 7, 0, 0]},
    "discard": {**RICH, "phase": "discard", "target": 7, "targets": 4, "ravens": 2, "last_throw": [7, 7, 0, 3]},
}


@pytest.mark.parametrize("language", ["de", "it", *(pytest.param(tag, marks=pytest.mark.slow) for tag in ("en", "fr"))])
def test_the_longest_questions_on_a_phone(browser: Any, server: Server, language: str) -> None:
    player = Player(browser, server, "phone", language=language)
    # The whole screen, and what is left of it where the browser shows its own bars.
    for (phase, position), height in itertools.product(LONGEST.items(), (844, 664)):
        player.page.set_viewport_size({"width": 390, "height": height})
        player.sit_down(5, Position.parse(position).to_text())
        player.page.wait_for_selector(".advice", timeout=20_000)
        assert player.page.locator(".actions button").count() == 5
        player.page.evaluate("() => document.querySelector('.table').append('')")  # look once more
        player.page.wait_for_timeout(50)
        player.keep(f"layout-longest-{phase}-{height}-{language}", whole=False)
        player.check_layout()
    player.leave()


def test_a_table_at_which_people_watch(browser: Any, server: Server) -> None:
    """At a pace at which pieces move, and with real clicks on dice and markers where these stand for an action."""
    player = Player(browser, server, "phone")
    player.page.add_init_script("localStorage.setItem('pechvogel.pace', '\"fast\"')")
    sent: list[Any] = []
    player.page.on("request", lambda one: sent.append(one.post_data_json) if one.url.endswith("/act") else None)
    player.sit_down(3)
    clicked, deadline = 0, time.monotonic() + 8
    while time.monotonic() < deadline and not player.page.query_selector("[data-key='review']"):
        piece = player.page.query_selector("[data-do]")
        if piece is None:
            player.page.evaluate("() => document.querySelector('.actions button')?.click()")
            player.page.wait_for_timeout(60)
            continue
        box, action, before = piece.bounding_box(), piece.get_attribute("data-do"), len(sent)
        if box is None or action is None:
            continue
        player.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        player.page.wait_for_timeout(60)
        if len(sent) > before:
            assert sent[before]["action"] == int(action)
            clicked += 1
    assert clicked > 0
    player.check_layout()
    player.leave()


def test_who_wants_no_motion_has_none(browser: Any, server: Server) -> None:
    player = Player(browser, server, "laptop", reduced_motion="reduce")
    player.page.add_init_script("localStorage.setItem('pechvogel.pace', '\"fast\"')")
    player.sit_down(2)
    for _ in range(20):
        moving = "() => document.getAnimations().filter((one) => one.playState === 'running').length"
        assert player.page.evaluate(moving) == 0
        player.page.evaluate("() => document.querySelector('.actions button')?.click()")
        player.page.wait_for_timeout(50)
    player.check_layout()
    player.leave()


@pytest.mark.parametrize("language", ["de"])
def test_reading_begins_at_the_beginning_on_a_phone(browser: Any, server: Server, language: str) -> None:
    player = Player(browser, server, "phone", language=language)
    for path, button in itertools.product(("/",), ("#rules", "#settings")):
        player.visit(path)
        player.page.click("#menu")
        player.page.click(button)
        player.page.wait_for_selector("dialog[open]")
        top = "() => document.querySelector('#dialog-title').getBoundingClientRect().top"
        assert player.page.evaluate("() => document.querySelector('dialog').scrollTop") == 0
        assert 0 <= player.page.evaluate(top) < 400
        player.check_width()
        player.keep(f"phone{button.replace('#', '-')}-{language}", whole=False)
    player.leave()
