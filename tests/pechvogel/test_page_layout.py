"""The table in a real browser: all that a decision needs is on the screen, and nothing moves but what is meant to.

The whole matrix of screens, colours, languages and players takes long:

    python -m pytest -m slow tests/pechvogel/test_page_layout.py
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright.sync_api")
from pechvogel_env.position import Position
from tests.load import Server
from tests.pechvogel.test_page import CHROMIUM, LANGUAGES, Visitor, sync_api

SCREENS = {"phone": (390, 844), "laptop": (1280, 800), "wide": (1920, 1080)}
OPPONENTS = ("champion:level=3", "heuristic", "champion", "champion:level=1")
QUESTIONS = 8  # that are looked at where a whole game would take too long

# After every change: what has moved since the last one, and, where somebody is asked, what is not on the screen.
# Positions are those of the layout, so that a shake (a robbery) or a piece on its way is no move of the table.
WATCH = r"""() => {
  const places = new Map();
  window.layout = { moved: [], hidden: [], questions: 0, changes: 0 };
  const place = (element) => {
    let [x, y] = [0, 0];
    for (let one = element; one; one = one.offsetParent) { x += one.offsetLeft; y += one.offsetTop; }
    return [x, y];
  };
  const name = (element) => `${element.tagName}.${element.className} ${element.textContent.slice(0, 30)}`;
  const fixed = () => [
    ...document.querySelectorAll('.felt, .felt *, .stage, .asking, .extras, .side, .side-top, .log-fold, .side-foot'),
  ].filter((one) => one instanceof HTMLElement && !one.closest('.piece, .bubble, .face, .slot > *, .box > *'));
  const inside = (box, of) => box.left >= of.left - 1 && box.top >= of.top - 1 && box.right <= of.right + 1
    && box.bottom <= of.bottom + 1 && box.width > 0 && box.height > 0;
  const look = () => {
    const table = document.querySelector('.table');
    if (!table) return;
    const { layout } = window;
    layout.changes += 1;
    for (const element of fixed()) {
      const [x, y] = place(element);
      const before = places.get(element);
      if (before && Math.hypot(x - before[0], y - before[1]) > 2) layout.moved.push([name(element), before, [x, y]]);
      places.set(element, [x, y]);
    }
    const buttons = [...table.querySelectorAll('.actions button')];
    if (!buttons.length || document.documentElement.scrollTop > 0) return;
    layout.questions += 1;
    const screen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    const card = table.querySelector('.ask').getBoundingClientRect();
    const must = [...table.querySelectorAll('.board, .tray, .middle, .ask h2, .seat, .slots .slot')];
    const dice = [...table.querySelectorAll('.die.piece:not(.away)')];
    if (dice.length !== 7) layout.hidden.push(`${dice.length} dice`);
    const homes = dice.map((die) => die.parentNode);
    for (const one of [...must, ...homes, ...buttons]) {
      if (!inside(one.getBoundingClientRect(), screen)) layout.hidden.push(name(one));
    }
    for (const one of buttons) {
      const box = one.getBoundingClientRect();
      if (!inside(box, card)) layout.hidden.push(`scrolled: ${name(one)}`);
      const words = one.querySelector('.words').getBoundingClientRect();
      if (!inside(words, box)) layout.hidden.push(`cut off: ${name(one)}`);
    }
    for (const one of table.querySelectorAll('.seat, .board, .tray')) {
      for (const piece of one.querySelectorAll('.piece:not(.away, .murphy), .count')) {
        if (piece.getAnimations().length === 0 && !inside(piece.getBoundingClientRect(), grown(one))) {
          layout.hidden.push(`${name(piece)} sticks out of ${name(one)}`);
        }
      }
    }
  };
  const grown = (element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    return { left: left - 4, top: top - 4, right: right + 4, bottom: bottom + 4 };
  };
  const all = { childList: true, subtree: true, characterData: true };
  new MutationObserver(look).observe(document.getElementById('main'), all);
}"""
OPEN = """async (body) => (await (await import('/web/js/api.js')).openRoom('/api/rooms', body)).room"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    found = Server(tmp_path_factory.mktemp("serve") / "games.sqlite", "--away", "0")
    yield found
    found.kill()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


class Player(Visitor):
    """A visitor with a screen, who sits down at a table of so many, with the coach on."""

    def __init__(self, browser: Any, server: Server, screen: str, colours: str = "light", **more: Any) -> None:
        width, height = SCREENS[screen]
        view = {"viewport": {"width": width, "height": height}, "color_scheme": colours, "has_touch": screen == "phone"}
        super().__init__(browser, server, **{**view, **more})

    def sit_down(self, players: int, position: str | None = None) -> None:
        self.visit()
        self.page.wait_for_selector("#play")
        seats = [{"kind": "me"}, *({"kind": "agent", "agent": agent} for agent in OPPONENTS[: players - 1])]
        wish = {"seats": seats, "name": "Annabella", "coach": True, "position": position}
        room = self.page.evaluate(OPEN, wish)
        self.page.evaluate(f"history.pushState(null, '', '/game/{room}'); dispatchEvent(new PopStateEvent('popstate'))")
        self.page.wait_for_selector(".table")
        self.page.evaluate(WATCH)

    def check_layout(self) -> dict[str, Any]:
        layout: dict[str, Any] = self.page.evaluate("() => window.layout")
        assert layout["moved"] == []
        assert layout["hidden"] == []
        return layout


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
