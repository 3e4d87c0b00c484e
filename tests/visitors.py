"""People with a real browser (Chromium), and a server for them; without one their tests are skipped."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
from tests.load import Server

sync_api = pytest.importorskip("playwright.sync_api")
axe = pytest.importorskip("axe_playwright_python.sync_playwright")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
if CHROMIUM is None and "CI" not in os.environ:
    pytest.skip("there is no Chromium on this machine", allow_module_level=True)

ARTEFACTS = Path(__file__).parents[1] / "artefacts"
LANGUAGES = ("en", "de", "fr", "it")
SCREENS = {"phone": (390, 844), "laptop": (1280, 800), "wide": (1920, 1080)}

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
OPEN = """async (wish) => (await (await import('/web/js/api.js')).openRoom('/api/rooms', wish)).room"""
GO = "(path) => { history.pushState(null, '', path); dispatchEvent(new PopStateEvent('popstate')); }"


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


def on(screen: str, colours: str = "light") -> dict[str, Any]:
    """What a browser is told of its screen."""
    width, height = SCREENS[screen]
    size = {"width": width, "height": height}
    return {"viewport": size, "color_scheme": colours, "has_touch": screen == "phone"}


class Visitor:
    """Somebody with a browser of their own."""

    def __init__(self, browser: Any, server: Server, language: str = "en", **more: Any) -> None:
        # Workers keep files for when there is no connection: a test of its own has them.
        more = {"viewport": {"width": 1200, "height": 900}, "service_workers": "block", **more}
        self.context = browser.new_context(locale=language, **more)
        self.server, self.page = server, self.context.new_page()
        self.errors: list[str] = []
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.rng = random.Random(1)
        # At once, without a tutor, and with a coach that shows all values where somebody wants one.
        self.page.add_init_script(
            "localStorage.setItem('pechvogel.pace', '\"instant\"');"
            "localStorage.setItem('pechvogel.coach', '\"all\"');"
            "for (const key of ['pechvogel.lobby', 'pechvogel.lobby.lucky-loser'])"
            "  localStorage[key] ??= '{\"coach\": false}'"
        )

    def _note(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(f"{message.text} ({message.location['url']})")

    def visit(self, path: str = "/") -> None:
        self.page.goto(self.server.url + path)

    def begin(self, opponents: int = 1) -> None:
        """Two clicks."""
        self.visit()
        self.page.click(f"[data-count='{opponents}']")
        self.page.click("#play")
        self.page.wait_for_selector(".table")

    def choose(self) -> bool:
        """Click something that can be clicked; False if the game is over."""
        self.page.wait_for_selector(".actions button, [data-key='review']", timeout=20_000)
        if self.page.query_selector("[data-key='review']"):
            return False
        self.click_anything()
        return True

    def click_anything(self) -> None:
        """The page may be drawn anew at any moment: take what is there when we click."""
        self.page.evaluate(
            "(pick) => { const all = document.querySelectorAll('.actions button');"
            " all[Math.floor(pick * all.length)]?.click(); }",
            self.rng.random(),
        )

    def play_on(self, clicks: int = 10**6) -> None:
        deadline = time.monotonic() + 120
        for _ in range(clicks):
            if not self.choose():
                return
            assert time.monotonic() < deadline
            self.page.wait_for_timeout(5)

    def keep(self, name: str, *, whole: bool = True) -> None:
        ARTEFACTS.mkdir(exist_ok=True)
        self.page.screenshot(path=ARTEFACTS / f"{name}.png", full_page=whole)

    def check_width(self) -> None:
        wide = self.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= self.page.viewport_size["width"], "something is wider than the screen"

    def check_access(self) -> None:
        found = axe.Axe().run(self.page).response["violations"]
        serious = [rule for rule in found if rule["impact"] in ("serious", "critical")]
        assert not serious, [(rule["id"], [node["html"][:200] for node in rule["nodes"]]) for rule in serious]

    def open_game(self, **wish: Any) -> str:
        """A game as wished, in which we sit down; its name."""
        self.visit()
        self.page.wait_for_selector("#play")
        room: str = self.page.evaluate(OPEN, wish)
        self.page.evaluate(GO, f"/game/{room}")
        return room

    def watch_layout(self) -> None:
        """From now on, note what moves and what is not on the screen."""
        self.page.wait_for_selector(".table", timeout=20_000)
        self.page.evaluate(WATCH)

    def check_layout(self) -> dict[str, Any]:
        layout: dict[str, Any] = self.page.evaluate("() => window.layout")
        assert layout["moved"] == []
        assert layout["hidden"] == []
        return layout

    def leave(self) -> None:
        assert self.errors == []
        self.context.close()
