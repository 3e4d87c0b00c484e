"""The page about oneself in a real browser: a game that ends is remembered, the private link, files, four languages."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
from tests.load import Server
from tests.visitors import LANGUAGES, Visitor, browser, server

__all__ = ["browser", "server"]  # fixtures


def some_games(count: int) -> list[dict[str, Any]]:
    """A month of somebody who gets better."""
    rng = random.Random(3)
    kinds = ("target", "frustrate_missed", "frustrate_needless", "reduce_missed", "steal_needless", "discard")
    games = []
    for number in range(count):
        errors = {kind: round(rng.random() ** 2 * 0.1 * (1 - number / 90), 5) for kind in kinds}
        games.append(
            {
                "room": f"example-{number:05}",
                "at": 1_790_000_000 + 40_000 * number,
                "game": "pechvogel",
                "players": 2,
                "opponents": [rng.choice(["champion:level=3", "champion:level=4", "champion:level=5", "person"])],
                "result": rng.choice([1.0, 0.0, 1.0, 0.0, 0.5]),
                "score": rng.randrange(-5, 45),
                "decisions": 46,
                "cost": round(sum(errors.values()), 5),
                "luck": round(rng.uniform(-0.5, 0.5), 5),
                "errors": errors,
                "judge": "champion",
                "counts": number % 7 != 0,
            }
        )
    return games


PLAY = """async () => {
  const [[room, { seat, token }]] = Object.entries(JSON.parse(localStorage['pechvogel.games']));
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
  for (let k = 0; k < 3000; k++) {
    const state = await (await fetch(`/api/rooms/${room}`)).json();
    if (state.over) return;
    const body = JSON.stringify({ action: state.legal.at(-1), played: state.played });
    if (state.to_act === seat) await fetch(`/api/rooms/${room}/act`, { method: 'POST', headers, body });
    else await new Promise((wake) => setTimeout(wake, 20));
  }
}"""  # all decisions of a game, without watching every throw


def until(visitor: Visitor, script: str) -> None:
    """Wait for something on the page; its policy lets nobody else wait there."""
    deadline = time.monotonic() + 30
    while not visitor.page.evaluate(script):
        assert time.monotonic() < deadline, script
        visitor.page.wait_for_timeout(50)


def put(visitor: Visitor, games: list[dict[str, Any]]) -> None:
    """As a browser that has played these games."""
    text = json.dumps(json.dumps({"games": games}))
    visitor.page.add_init_script(f"localStorage['pechvogel.memory'] ??= {text}")


def test_a_new_visitor_plays_after_one_click_and_is_remembered(browser: Any, server: Server) -> None:
    ann = Visitor(browser, server)
    ann.visit()
    assert ann.page.locator("#seats select").input_value() == "even"
    ann.page.click("#play")
    ann.page.wait_for_selector(".actions button")  # asked already
    ann.page.evaluate(PLAY)
    ann.page.wait_for_selector("[data-key='review']")
    until(ann, "JSON.parse(localStorage['pechvogel.memory'] ?? '{}').games?.length === 1")
    until(ann, "JSON.parse(localStorage['pechvogel.rating'] ?? 'null') !== null")
    ann.visit("/me")
    ann.page.wait_for_selector(".games a")
    assert ann.page.locator(".games a").count() == 1 and ann.page.locator(".headline").count() == 3
    ann.leave()


@pytest.mark.parametrize("wide", [390, 1280])
def test_the_page_fits_and_can_be_read_by_all(browser: Any, server: Server, wide: int) -> None:
    for language in LANGUAGES:
        scheme = "dark" if language == "fr" else "light"
        size = {"width": wide, "height": 844 if wide == 390 else 800}
        ann = Visitor(browser, server, language, viewport=size, color_scheme=scheme)
        put(ann, some_games(60))
        ann.visit("/me")
        ann.page.wait_for_selector(".figure circle.results")
        ann.check_width()
        ann.check_access()
        ann.keep(f"me-{wide}-{language}")
        ann.leave()


def test_a_private_link_in_two_browsers(browser: Any, server: Server) -> None:
    ann, other = Visitor(browser, server), Visitor(browser, server)
    put(ann, some_games(70))
    ann.visit("/me")
    ann.page.click("#make-link")
    link = ann.page.locator("#private-link").input_value()
    assert link.startswith(f"{server.url}/me#")
    put(other, [{**some_games(1)[0], "room": "another-00001"}])
    other.visit(link.removeprefix(server.url))
    other.page.wait_for_selector("#adopt")
    assert "#" not in other.page.url and "70" in other.page.locator("dialog").inner_text()
    other.page.click("#adopt")
    until(other, "JSON.parse(localStorage['pechvogel.memory']).games.length === 71")
    ann.visit("/me")
    until(ann, "JSON.parse(localStorage['pechvogel.memory']).games.length === 71")
    ann.page.click("#delete-all")
    ann.page.click("#really-delete")
    ann.page.wait_for_selector(".figure", state="detached")
    other.visit("/me")
    until(other, "document.querySelector('#alert').textContent.includes('does not exist any more')")
    assert other.page.evaluate("JSON.parse(localStorage['pechvogel.memory']).games.length") == 71
    other.errors = [error for error in other.errors if "404" not in error]
    for visitor in (ann, other):
        visitor.leave()


def test_games_go_through_a_file(browser: Any, server: Server, tmp_path: Path) -> None:
    ann = Visitor(browser, server)
    put(ann, some_games(5))
    ann.visit("/me")
    with ann.page.expect_download() as waiting:
        ann.page.click("#export")
    path = tmp_path / "games.json"
    waiting.value.save_as(path)
    assert json.loads(path.read_text())["games"] == some_games(5)
    bob = Visitor(browser, server)
    bob.visit("/me")
    bob.page.wait_for_selector("#import")
    bob.page.set_input_files("#import-file", path)
    until(bob, "document.querySelector('#alert').textContent.startsWith('New games: 5')")
    (tmp_path / "wrong.json").write_text("[" * 1000)
    bob.page.set_input_files("#import-file", tmp_path / "wrong.json")
    until(bob, "document.querySelector('#alert').textContent.startsWith('This is no file')")
    assert bob.page.locator(".games a").count() == 5
    for visitor in (ann, bob):
        visitor.leave()
