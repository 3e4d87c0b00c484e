"""The page without a connection, in a real browser: one's games are shown, decisions sent later."""

from __future__ import annotations

import time
from typing import Any

import pytest

pytest.importorskip("fastapi")
from tests.load import Server
from tests.visitors import Visitor, browser, server

__all__ = ["browser", "server"]  # fixtures

CACHED = """async () => {
  const names = (await caches.keys()).filter((name) => name.startsWith('pechvogel-page-'));
  const keys = names.length ? await (await caches.open(names[0])).keys() : [];
  return { names, paths: keys.map((request) => new URL(request.url).pathname) };
}"""


def until(visitor: Visitor, script: str, seconds: float = 30) -> Any:
    """Wait for something on the page; its policy lets nobody else wait there."""
    deadline = time.monotonic() + seconds
    while not (found := visitor.page.evaluate(script)):
        assert time.monotonic() < deadline, script
        visitor.page.wait_for_timeout(50)
    return found


def test_offline_the_page_is_there_and_decisions_are_sent_later(browser: Any, server: Server) -> None:
    ann = Visitor(browser, server, service_workers="allow")
    ann.begin()
    ann.page.wait_for_selector(".actions button")
    room = ann.page.url.rsplit("/", 1)[1]
    until(ann, "navigator.serviceWorker.ready.then((found) => found.active?.state === 'activated')")
    ann.visit()  # the list of games has seen the game
    ann.page.wait_for_selector(f"a[href='/game/{room}']")
    kept = ann.page.evaluate(CACHED)
    assert len(kept["names"]) == 1 and "/" in kept["paths"] and "/web/words/en.json" in kept["paths"]
    assert not any(path.startswith("/api/") for path in kept["paths"])
    ann.page.click(f"a[href='/game/{room}']")
    ann.page.wait_for_selector(".actions button")
    before = ann.page.evaluate(f"fetch('/api/rooms/{room}').then((found) => found.json())")

    ann.context.set_offline(True)
    ann.page.locator(".actions button").last.click()
    ann.page.get_by_text("is kept here").first.wait_for()
    assert ann.page.locator(".actions button").count() == 0
    until(ann, "document.querySelector('#offline').textContent.includes('connection is back: 1')")
    ann.visit()  # from the browser alone
    ann.page.wait_for_selector(f"a[href='/game/{room}']")
    assert ann.page.get_by_text("as last seen").count() == 1
    until(ann, "document.querySelector('#offline').textContent.startsWith('No connection')")
    ann.visit("/me")
    ann.page.get_by_text("How you are doing").wait_for()
    ann.visit(f"/game/{room}")
    ann.page.get_by_text("this game can\N{RIGHT SINGLE QUOTATION MARK}t be shown").wait_for()

    ann.context.set_offline(False)
    until(ann, "document.querySelector('#offline').textContent === ''")
    ann.page.wait_for_selector(".table")
    until(ann, "localStorage['pechvogel.unsent'] === '{}'")
    state = ann.page.evaluate(f"fetch('/api/rooms/{room}').then((found) => found.json())")
    assert state["played"] > before["played"]
    # What could not be reached was told by the browser, too; nothing else was wrong.
    assert [error for error in ann.errors if "ERR_INTERNET_DISCONNECTED" not in error] == []
    ann.context.close()


def test_an_address_of_nobody(browser: Any, server: Server) -> None:
    ann = Visitor(browser, server, "de")
    found = ann.page.goto(f"{server.url}/gibt/es/nicht")
    assert found is not None and found.status == 404
    ann.page.get_by_text("Unter dieser Adresse gibt es nichts.").wait_for()
    ann.page.click(".missing a[href='/me']")
    until(ann, "location.pathname === '/me'")
    ann.context.close()
