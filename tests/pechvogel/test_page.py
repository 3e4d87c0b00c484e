"""The page in a real browser: whole games, keyboard, phone, four languages, a killed server, two people, the review."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
from tests.load import Server
from tests.visitors import LANGUAGES, Visitor, browser, server

__all__ = ["browser", "server"]  # fixtures


@pytest.mark.parametrize("players", [2, 3, 5])
def test_a_whole_game_and_its_review(browser: Any, server: Server, players: int) -> None:
    ann = Visitor(browser, server)
    ann.begin(players - 1)
    assert ann.page.locator(".seat").count() == players
    ann.play_on(8)
    ann.keep(f"table-{players}")
    ann.play_on()
    ann.keep(f"over-{players}")
    ann.page.click("[data-key='review']")
    ann.page.wait_for_selector(".analysis", timeout=20_000)
    ann.keep(f"review-{players}")
    ann.check_access()
    assert ann.page.locator(".strip polyline").count() == players
    assert ann.page.locator(".sums tbody tr").count() == 5
    ann.leave()


def test_two_clicks_and_the_same_browser_finds_its_game_again(browser: Any, server: Server) -> None:
    ann = Visitor(browser, server)
    ann.begin()
    address = ann.page.url
    ann.play_on(5)
    ann.visit()
    ann.page.wait_for_selector("main ul a")
    ann.page.click("main ul a")
    ann.page.wait_for_selector(".actions button")
    assert ann.page.url == address
    ann.play_on()
    ann.page.click("[data-key='rematch']")
    ann.page.wait_for_function("address => location.href !== address", arg=address)
    ann.page.wait_for_selector(".actions button")
    ann.leave()


def test_by_keyboard_alone(browser: Any, server: Server) -> None:
    ann = Visitor(browser, server)
    ann.visit()
    ann.page.wait_for_selector("#play")
    for _ in range(40):
        ann.page.keyboard.press("Tab")
        if ann.page.evaluate("document.activeElement.id") == "play":
            break
    ann.page.keyboard.press("Enter")
    deadline = time.monotonic() + 120
    while not ann.page.query_selector("[data-key='review']"):
        ann.page.wait_for_selector(".actions button, [data-key='review']", timeout=20_000)
        ann.page.keyboard.press(ann.rng.choice("1222"))
        ann.page.keyboard.press("1")
        ann.page.wait_for_timeout(10)
        assert time.monotonic() < deadline
    spoken = ann.page.locator("#news").inner_text()
    assert "throw" in spoken and "game is over" in spoken
    ann.leave()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_on_a_phone(browser: Any, server: Server, language: str) -> None:
    dark = language in ("de", "it")
    phone = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "color_scheme": "dark" if dark else "light"}
    ann = Visitor(browser, server, language, **phone)
    ann.visit()
    ann.page.wait_for_selector("#play")
    assert ann.page.evaluate("document.documentElement.lang") == language
    ann.page.click("details summary")
    ann.check_width()
    ann.check_access()
    ann.keep(f"lobby-phone-{language}")
    for button in ("#rules", "#tour", "#settings"):
        ann.page.click("#menu")
        ann.page.click(button)
        ann.page.wait_for_selector("dialog[open]")
        ann.check_width()
        ann.check_access()
        for pick in (0, 3, 0, 0, 1, 0) if button == "#tour" else ():  # a wrong target first
            ann.page.click(f"dialog .row button >> nth={pick}")
            ann.check_width()
        assert not re.search(r"\b(false|null|undefined)\b", ann.page.inner_text("dialog"))
        ann.page.keyboard.press("Escape")
    ann.page.click("[data-count='2']")
    ann.page.tap("#play")
    ann.play_on(6)
    ann.page.wait_for_selector(".actions button, [data-key='review']")
    if ann.page.query_selector("[data-key='hint']"):
        ann.page.click("[data-key='hint']")
        ann.page.wait_for_selector(".advice", timeout=20_000)
    ann.check_width()
    ann.check_access()
    ann.keep(f"table-phone-{language}")
    text = ann.page.inner_text("body")
    assert not re.search(r"\{\w+\}|\b(log|ask|act|why|lobby|review)\.\w+", text), "a word is missing"
    ann.play_on()
    ann.page.click("[data-key='review']")
    ann.page.wait_for_selector(".analysis", timeout=20_000)
    ann.page.locator(".analysis ~ div summary").click()
    ann.check_width()
    ann.check_access()
    narrow = "() => [...document.querySelectorAll('.scroll')].every(e => e.scrollWidth <= e.clientWidth + 1)"
    assert ann.page.evaluate(narrow), "a table is wider than the phone"
    ann.keep(f"review-phone-{language}")
    ann.leave()


def test_a_server_that_is_killed_loses_nothing(browser: Any, tmp_path: Path) -> None:
    server = Server(tmp_path / "games.sqlite", "--away", "0")
    ann = Visitor(browser, server)
    ann.begin(2)
    try:
        for _ in range(3):
            ann.play_on(4)
            ann.page.wait_for_selector(".actions button")
            state = "fetch(location.pathname.replace('/game/', '/api/rooms/')).then((found) => found.json())"
            while (before := ann.page.evaluate(state))["to_act"] != 0 and not before["over"]:
                ann.page.wait_for_timeout(20)  # agents are still thinking
            server.kill()
            ann.page.wait_for_function("() => document.getElementById('offline').textContent !== ''", timeout=20_000)
            server.start()
            ann.page.wait_for_function("() => document.getElementById('offline').textContent === ''", timeout=30_000)
            assert ann.page.evaluate(state) == before
        ann.play_on()
    finally:
        server.kill()
    # The browser notes that it could not connect; nothing else may go wrong.
    assert all("ERR_CONNECTION_REFUSED" in error or "net::ERR" in error for error in ann.errors), ann.errors


def test_a_lost_number_a_dialog_and_a_reload(browser: Any, server: Server) -> None:
    ann = Visitor(browser, server)
    ann.visit()
    ann.page.route("**/number", lambda route: route.abort())
    ann.page.click("#play")
    ann.page.wait_for_selector(".hash")
    ann.page.unroute("**/number")
    ann.errors.clear()
    ann.page.reload()
    ann.page.wait_for_selector(".actions button", timeout=20_000)
    assert "game begins" in ann.page.inner_text(".log")
    ann.page.click("#rules")
    before = ann.page.inner_text(".log")
    ann.page.keyboard.press("1")
    ann.page.wait_for_timeout(300)
    assert ann.page.inner_text(".log") == before, "a key has acted through a dialog"
    ann.page.keyboard.press("Escape")
    ann.play_on(3)
    ann.page.wait_for_selector(".actions button, [data-key='review']")
    before = ann.page.inner_text(".log")
    ann.page.reload()
    ann.page.wait_for_selector(".log li")
    assert ann.page.inner_text(".log").splitlines()[:3] == before.splitlines()[:3]
    ann.leave()


def test_two_people_at_one_table(browser: Any, server: Server) -> None:
    ann, bob, onlooker = (Visitor(browser, server) for _ in range(3))
    ann.visit()
    ann.page.select_option("#seats select", "person")
    ann.page.click("#play")
    ann.page.wait_for_selector("[data-key='copy']")
    link = ann.page.url.removeprefix(server.url)
    bob.visit(link)
    bob.page.fill("#join-name", "Bob")
    bob.page.click("form button")
    bob.page.wait_for_selector(".table")
    onlooker.visit(link)
    onlooker.page.wait_for_selector(".table")
    assert ann.page.query_selector("a[href^='/position']") is None, "it would show what the coach says"
    ann.page.check("[data-key='wish-coach']")
    bob.page.wait_for_selector("text=wished by")
    assert ann.page.query_selector(".advice") is None
    bob.page.check("[data-key='wish-coach']")
    for person in (ann, bob):
        person.page.wait_for_selector("text=practice game")
    deadline = time.monotonic() + 120
    while not ann.page.query_selector("[data-key='review']"):
        for person in (ann, bob):
            person.click_anything()
            person.page.wait_for_timeout(5)
        assert onlooker.page.query_selector(".actions button") is None
        assert time.monotonic() < deadline
    for person in (bob, onlooker):
        person.page.wait_for_selector("[data-key='review']", timeout=20_000)
    assert "Bob" in ann.page.inner_text(".felt") and onlooker.page.query_selector("[data-key='rematch']") is None
    for person in (ann, bob, onlooker):
        assert "by link" not in person.page.inner_text(".log"), "all seats were taken when the first dice fell"
    ann.page.click("[data-key='rematch']")
    bob.page.wait_for_selector(f"a[href^='/game/']:not([href='{link}'])", timeout=20_000)
    for person in (ann, bob, onlooker):
        person.leave()


def test_coach_taking_back_and_real_dice(browser: Any, server: Server) -> None:
    ann = Visitor(browser, server)
    ann.visit()
    ann.page.click("details summary")
    for box in ("#coach", "#take-back"):
        ann.page.check(box)
    ann.page.click("#play")
    ann.page.wait_for_selector(".advice", timeout=20_000)
    assert ann.page.locator(".actions button.best").count() == 1
    ann.check_access()
    ann.keep("coach")
    ann.choose()
    ann.page.wait_for_function("() => document.querySelector('.log').textContent.includes('You choose')")
    ann.page.wait_for_selector(".actions button")
    ann.page.click("[data-key='take-back']")
    ann.page.wait_for_function("() => document.querySelector('.log').textContent.includes('take back')")
    ann.visit()
    ann.page.click("details summary")
    ann.page.check("#real-dice")
    ann.page.click("#play")
    ann.page.wait_for_selector("[data-key='face-7']")
    for face in (7, 7, 0, 0, 3, 4, 5):
        ann.page.click(f"[data-key='face-{face}']")
    ann.keep("real-dice")
    ann.page.click("[data-key='done']")
    ann.page.wait_for_function("() => document.querySelectorAll('.felt .die:not(.away)').length === 7")
    ann.leave()


def test_positions_by_link(browser: Any, server: Server) -> None:
    ann = Visitor(browser, server)
    ann.begin()
    ann.page.wait_for_selector(".actions button")
    ann.page.click("aside a[href^='/position']")
    ann.page.wait_for_selector("table")
    ann.check_access()
    ann.keep("position")
    address = ann.page.url
    bob = Visitor(browser, server, "de")
    bob.visit(address.removeprefix(server.url))
    bob.page.wait_for_selector("table")
    bob.page.click("[data-key='play-found']")
    bob.page.wait_for_selector(".actions button", timeout=20_000)
    bob.page.wait_for_timeout(500)
    assert bob.page.query_selector(".advice, .best") is None, "the coach is silent"
    bob.visit("/position?p=nonsense")
    bob.page.wait_for_selector(".minus")
    assert all("422" in error for error in bob.errors) and bob.errors
    bob.errors.clear()
    for person in (ann, bob):
        person.leave()


def test_a_position_is_set_up(browser: Any, server: Server) -> None:
    ann = Visitor(browser, server)
    ann.visit("/position")
    ann.page.wait_for_selector(".counts")
    ann.page.click("[data-key='analyse']")
    ann.page.wait_for_selector("text=A: 50.")  # before the first throw, nearly even
    ann.page.fill("[aria-label='A: 7']", "1")
    assert ann.page.input_value("[aria-label='middle of the table: 7']") == "2"
    ann.page.fill("[aria-label='B: frustrations']", "1")
    ann.page.select_option("[data-key='moment']", "target")
    for face in (7, 7, 0, 0, 3, 4, 5):
        ann.page.click(f"[data-key='face-{face}']")
    ann.page.click("[data-key='analyse']")
    ann.page.wait_for_selector("text=Target 7")
    ann.check_access()
    ann.keep("position-editor")
    ann.page.fill("[aria-label='middle of the table: 7']", "3")
    ann.page.click("[data-key='analyse']")
    ann.page.wait_for_selector(".minus:has-text('There are only 3 markers of value 7.')")
    assert all("422" in error for error in ann.errors) and ann.errors
    ann.errors.clear()
    ann.leave()


def test_games_that_are_gone_say_so(browser: Any, server: Server) -> None:
    ann = Visitor(browser, server)
    ann.visit("/game/nosuchgame")
    ann.page.wait_for_selector("h1")
    assert "does not exist" in ann.page.inner_text("main")
    assert all("404" in error for error in ann.errors)


# Notes everything that the page ever shows: points, what they consist of, the dice, and what was told.
WATCH = r"""() => {
  window.seen = [];
  const note = () => {
    const table = document.querySelector('.table');
    if (!table) return;
    const players = [...table.querySelectorAll('.seat')].map((one) => ({
      points: Number(one.querySelector('.points').firstChild.textContent.replace('\u2212', '-')),
      markers: [...one.querySelectorAll('.stack .marker')].map((marker) => Number(marker.textContent)),
      frustrations: Number(one.dataset.frustrations),
      tokens: one.querySelectorAll('.tokens .piece').length,
      murphy: one.querySelector('.murphy') !== null,
    }));
    const thrown = / throws? ((?:[3-7]|raven)(?:, (?:[3-7]|raven))*)\.$/;
    const lines = [...table.querySelectorAll('.log li')].map((line) => thrown.exec(line.textContent));
    const faces = [...table.querySelectorAll('.die.fresh:not(.away)')].map((die) => Number(die.dataset.face));
    const words = (lines.filter(Boolean).at(-1)?.[1] ?? '').split(', ');
    const told = words.map((face) => (face === 'raven' ? 0 : Number(face)));
    const dice = table.querySelectorAll('.die.piece').length;
    const asked = table.querySelector('.actions') !== null;
    window.seen.push({ players, thrown: faces.sort(), told: told.sort(), dice, asked });
  };
  new MutationObserver(note).observe(document.getElementById('main'), { childList: true, subtree: true });
}"""


def test_what_is_shown_belongs_together(browser: Any, server: Server) -> None:
    """At a pace at which people watch: points fit what lies there, and nobody is asked before the dice were shown."""
    ann = Visitor(browser, server)
    ann.page.add_init_script("localStorage.setItem('pechvogel.pace', '\"fast\"')")
    ann.begin(2)
    ann.page.evaluate(WATCH)
    deadline = time.monotonic() + 25
    while time.monotonic() < deadline and not ann.page.query_selector("[data-key='review']"):
        ann.page.evaluate("() => document.querySelectorAll('.actions button')[0]?.click()")
        ann.page.wait_for_timeout(10)
    seen = ann.page.evaluate("() => window.seen")
    assert len(seen) > 30 and {row["asked"] for row in seen} == {True, False}
    for row in seen:
        for player in row["players"]:
            cost = 7 if player["murphy"] else 3
            assert player["points"] == sum(player["markers"]) - cost * player["frustrations"], row
            assert player["tokens"] == min(6, player["frustrations"]), row
        assert row["dice"] <= 7, "one set of seven dice"
        if row["asked"]:
            assert row["told"] == row["thrown"], row
    ann.leave()


def test_one_gesture_is_one_answer(browser: Any, server: Server) -> None:
    ann = Visitor(browser, server)
    ann.visit()
    ann.page.wait_for_selector("#play")
    sent: list[str] = []
    ann.page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)

    def acts() -> int:
        return sum(url.endswith("/act") for url in sent)

    ann.page.dblclick("#play")
    ann.page.wait_for_selector(".actions button")
    assert sum(url.endswith("/api/rooms") for url in sent) == 1
    for _ in range(5):
        ann.page.wait_for_selector(".actions button")
        before = acts()
        ann.page.locator(".actions button").first.dblclick()
        ann.page.wait_for_timeout(300)
        assert acts() == before + 1
    ann.page.wait_for_selector(".actions button")
    before = acts()
    for k in range(9):  # a key that is held down
        repeated = f"new KeyboardEvent('keydown', {{ key: '1', repeat: {str(k > 0).lower()}, bubbles: true }})"
        ann.page.evaluate(f"() => document.dispatchEvent({repeated})")
        ann.page.wait_for_timeout(40)
    assert acts() == before + 1
    ann.leave()


def test_a_review_has_an_address_and_gives_decisions_back(browser: Any, server: Server) -> None:
    ann = Visitor(browser, server)
    ann.begin(1)
    ann.play_on()
    ann.page.click("[data-key='review']")
    ann.page.wait_for_selector(".analysis", timeout=20_000)
    assert ann.page.url.endswith("?review")
    ann.page.wait_for_selector(".fair .plus:has-text('this browser has kept')")
    assert ann.page.get_by_text("differs").count() == 0
    ann.page.click("[data-whose='1']")
    ann.page.wait_for_selector("[data-whose='1'][aria-pressed='true']")
    if ann.page.locator(".mistakes button").count():
        ann.page.locator(".mistakes button").first.click()
        moment = ann.page.url
        ann.page.click("[data-key='play-from']")
        ann.page.wait_for_selector(".actions button", timeout=20_000)  # the other's decision is ours now
        ann.page.go_back()
        ann.page.wait_for_selector(".analysis", timeout=20_000)
        assert ann.page.url == moment
    ann.page.go_back()
    ann.page.wait_for_selector("[data-key='review']")
    ann.leave()


def test_a_visit_weighs_little_and_nothing_comes_from_elsewhere(browser: Any, server: Server) -> None:
    ann = Visitor(browser, server)
    answers: list[Any] = []
    ann.page.on("requestfinished", lambda request: answers.append(request))
    ann.begin(4)
    ann.page.wait_for_selector(".actions button")
    assert all(request.url.startswith(server.url) for request in answers)
    sizes = [request.sizes()["responseBodySize"] for request in answers]
    assert 20_000 < sum(sizes) < 500_000 and len(sizes) > 10
    ann.leave()


def test_a_decision_that_does_not_wait_for_the_coach(browser: Any, server: Server) -> None:
    """What the coach was asked before it is not asked any more: the server would have to refuse it."""
    ann = Visitor(browser, server)
    ann.begin()
    held: list[Any] = []
    ann.page.route("**/advice", lambda route: route.continue_() if held else held.append(route))
    ann.page.wait_for_selector(".actions button")
    ann.page.check("[data-key='wish-coach']")
    deadline = time.monotonic() + 20
    while not held:
        ann.page.wait_for_timeout(10)
        assert time.monotonic() < deadline
    given_up: list[str] = []
    ann.page.on("requestfailed", lambda request: given_up.append(request.url))
    with ann.page.expect_response("**/act"):
        ann.click_anything()
    assert given_up == [held[0].request.url]
    ann.page.wait_for_selector(".advice, [data-key='review']", timeout=20_000)
    ann.leave()
