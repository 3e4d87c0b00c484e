"""The page's own addresses: previews of links, pictures, the page for addresses that don't exist, manifest, worker."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
from fastapi.testclient import TestClient
from PIL import Image

from pechvogel.play.guard import parse_proxy
from pechvogel.play.hub import Hub
from pechvogel.play.pages import WEB
from pechvogel.play.pechvogel import preview
from pechvogel.play.pechvogel.trainer import puzzles
from pechvogel.play.server import create_app
from pechvogel.play.store import Store
from pechvogel_env.position import Position

LOCAL = "http://localhost"
HTML = {"Accept": "text/html,application/xhtml+xml"}
LINE = "2x3_32233_01100f2.00000f3_0_1_000_-_6566764_target1_8"


class Head(HTMLParser):
    """What a crawler reads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.facts: dict[str, str] = {}
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        found = dict(attrs)
        name = found.get("property") or found.get("name")
        if tag == "meta" and name and found.get("content") is not None:
            self.facts[name] = str(found["content"])


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(create_app(Hub(Store(tmp_path / "games.sqlite"))), LOCAL) as found:
        yield found


def head(client: TestClient, path: str, **more: str) -> dict[str, str]:
    found = client.get(path, headers={**HTML, **more})
    assert found.status_code == 200 and found.headers["cache-control"] == "no-cache"
    assert found.headers["content-security-policy"].startswith("default-src 'self';")
    return Head(found.text).facts


def opened(client: TestClient, *others: dict[str, str], **more: Any) -> dict[str, Any]:
    body = {"seats": [{"kind": "me"}, *others], "name": "Secret Ann", "copies": 1, **more}
    found: dict[str, Any] = client.post("/api/rooms", json=body).json()
    return found


def play_out(client: TestClient, me: dict[str, Any]) -> None:
    path, headers = f"/api/rooms/{me['room']}", {"Authorization": f"Bearer {me['token']}"}
    client.post(f"{path}/number", json={"number": "7"}, headers=headers)
    for _ in range(3000):
        state = client.get(path).json()
        if state["over"]:
            return
        if state["to_act"] == me["seat"]:
            client.post(f"{path}/act", json={"action": state["legal"][0], "played": state["played"]}, headers=headers)
    raise AssertionError("the game has no end")


def test_a_page_for_addresses_that_do_not_exist(client: TestClient) -> None:
    for path in ("/nothing", "/game/nosuchroom", "/game/", "/me/too", "/%00", "/<script>"):
        found = client.get(path, headers=HTML)
        assert found.status_code == 404 and found.text.startswith("<!doctype html>"), path
        assert found.text.count("<script") == 1
    for path, headers in (("/nothing", {}), ("/api/nothing", HTML), ("/web/nothing.js", HTML)):
        found = client.get(path, headers=headers)
        assert found.status_code == 404 and "error" in found.json(), path
    assert client.post("/nothing", headers=HTML).status_code == 404


def test_links_have_previews_in_the_language_of_the_reader(client: TestClient) -> None:
    facts = head(client, "/")
    assert facts["og:image"] == f"{LOCAL}/web/icons/app-512.png" and client.get("/web/icons/app-512.png").is_success
    assert facts["twitter:card"] == "summary" and facts["og:description"] == facts["description"]
    titles = {
        tag: head(client, f"/position?p={LINE}", **{"Accept-Language": tag})["og:title"]
        for tag in ("de-CH,en;q=0.5", "fr", "it-IT", "en", "nl", "nl,de", "", "-", "d" * 9000)
    }
    assert titles["nl"] == titles["en"] == titles[""] == "Pechvogel: a position with 2 players"
    assert titles["nl,de"] == titles["de-CH,en;q=0.5"] == "Pechvogel: eine Stellung zu 2"
    assert len(set(titles.values())) == 4


def test_positions_and_puzzles_have_pictures_and_no_answers(client: TestClient) -> None:
    name = next(iter(puzzles()))
    for path in (f"/position?p={LINE}", f"/train?p={name}"):
        facts = head(client, path)
        assert facts["twitter:card"] == "summary_large_image" and facts["og:image"].startswith(f"{LOCAL}/api/preview/")
        found = client.get(facts["og:image"].removeprefix(LOCAL))
        assert found.headers["content-type"] == "image/png" and "max-age=86400" in found.headers["cache-control"]
        with Image.open(io.BytesIO(found.content)) as picture:
            assert picture.size == (int(facts["og:image:width"]), int(facts["og:image:height"]))
        assert len(found.content) < 60_000
    for path in ("/position", "/position?p=nonsense", f"/position?p={'9' * 5000}", "/train", "/train?p=00000000"):
        assert head(client, path)["og:image"].endswith("app-512.png"), path
    for path, status in (("position", 422), ("position?p=x", 422), (f"position?p={'9' * 2001}", 422),
                         ("puzzle/00000000", 404), ("puzzle/x", 422), ("game/nosuchroom", 404)):  # fmt: skip
        found = client.get(f"/api/preview/{path}")
        assert found.status_code == status and "error" in found.json(), path


def test_a_game_says_how_far_it_is_and_names_nobody(client: TestClient) -> None:
    bot = {"kind": "agent", "agent": "random"}
    texts = {}
    for stage, room in (("free", opened(client, {"kind": "open"})), ("running", opened(client, bot)),
                        ("over", opened(client, bot))):  # fmt: skip
        if stage == "over":
            play_out(client, room)
        page = client.get(f"/game/{room['room']}", headers=HTML).text
        assert "Secret" not in page and room["token"] not in page
        facts = Head(page).facts
        texts[stage] = facts["og:description"]
        picture = client.get(f"/api/preview/game/{room['room']}")
        assert picture.status_code == (200 if stage == "over" else 409)
        assert facts["og:image"].endswith(f"game/{room['room']}" if stage == "over" else "app-512.png")
    assert texts["free"].startswith("A place is free") and texts["running"].startswith("It is being played")
    assert re.match(r"It is over, -?\d+ : -?\d+\.", texts["over"])


def test_nothing_of_a_request_becomes_markup(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    evil = '"><script>alert(1)</script><x a="'
    plain = Head(client.get("/", headers=HTML).text).tags
    for path in (f"/position?p={evil}", f"/train?p={evil}", f"/?p={evil}", f"/me?{evil}"):
        assert Head(client.get(path, headers={**HTML, "Accept-Language": evil}).text).tags == plain, path
    for host in (f"[::1]{evil}", "[::1]/x", "127.0.0.1:80:<b>"):  # the guard takes them for addresses
        found = client.get(f"/position?p={LINE}", headers={**HTML, "Host": host})
        assert "<b>" not in found.text and "alert(" not in found.text and "og:image" not in found.text, host
    monkeypatch.setattr(preview, "of_page", lambda words: preview.Preview(evil, evil, f"/{evil}"))
    found = Head(client.get("/", headers=HTML).text)
    assert [tag for tag in found.tags if tag not in ("meta",)] == [tag for tag in plain if tag not in ("meta",)]
    assert found.facts["og:title"] == found.facts["description"] == evil
    assert found.facts["og:image"] == f"{LOCAL}/{evil}"


def test_behind_a_proxy_pictures_have_its_scheme(tmp_path: Path) -> None:
    for proxies, scheme in (([parse_proxy("10.0.0.1")], "https"), ([], "http")):
        hub = Hub(Store(tmp_path / f"{scheme}.sqlite"))
        with TestClient(create_app(hub, proxies=proxies), LOCAL, client=("10.0.0.1", 5)) as client:
            assert head(client, "/", **{"X-Forwarded-Proto": "https"})["og:image"].startswith(f"{scheme}://localhost/")


def test_pictures_are_drawn_once_and_few_are_kept(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Position] = []

    def draw(position: Position) -> bytes:
        drawn.append(position)
        return b"picture"

    monkeypatch.setattr(preview, "draw", draw)
    for _ in range(3):
        assert client.get(f"/api/preview/position?p={LINE}").content == b"picture"
    assert len(drawn) == 1
    kept = preview.Pictures(2)
    positions = [Position.parse(LINE.removesuffix("8") + str(turn)) for turn in range(3)]
    for position in positions:
        kept.keep(position, b"x")
        assert kept.find(positions[0]) == b"x"
    assert [kept.find(position) for position in positions] == [b"x", None, b"x"]


def test_pages_of_games_count_for_the_limit(tmp_path: Path) -> None:
    with TestClient(create_app(Hub(Store(tmp_path / "games.sqlite")), rate=5), LOCAL) as client:
        assert {client.get("/game/nosuchroom", headers=HTML).status_code for _ in range(60)} == {404, 429}
        assert client.get("/", headers=HTML).status_code == 200


def test_the_manifest_speaks_four_languages(client: TestClient) -> None:
    found = {}
    for language in ("en", "de", "fr", "it"):
        answer = client.get(f"/manifest.webmanifest?language={language}")
        assert answer.headers["content-type"] == "application/manifest+json"
        found[language] = answer.json()
        sizes = {(icon["sizes"], icon["purpose"]) for icon in found[language]["icons"]}
        assert sizes == {("any", "any"), ("192x192", "any"), ("512x512", "any"), ("512x512", "maskable")}
        for icon in found[language]["icons"]:
            assert client.get(icon["src"]).headers["content-type"] == icon["type"]
        for shortcut in found[language]["shortcuts"]:
            assert client.get(shortcut["url"], headers=HTML).status_code == 200
    assert len({one["description"] for one in found.values()}) == 4 and {one["id"] for one in found.values()} == {"/"}
    assert client.get("/manifest.webmanifest", headers={"Accept-Language": "de"}).json() == found["de"]
    assert client.get("/manifest.webmanifest?language=xx").status_code == 422


def test_the_worker_knows_all_files_of_one_language(client: TestClient) -> None:
    answer = client.get("/worker.js?language=fr")
    assert (
        answer.headers["content-type"].startswith("text/javascript") and "no-cache" in answer.headers["cache-control"]
    )
    facts = json.loads(answer.text.partition("self.PAGE = ")[2].partition(";\n")[0])
    assert re.fullmatch("[0-9a-f]{16}-fr", facts["version"])
    words = [path for path in facts["files"] if "/words/" in path]
    assert words == ["/web/words/fr.json"] and facts["files"][0] == "/"
    sizes = [len(client.get(path).content) for path in facts["files"]]
    assert all(sizes) and sum(sizes) < 500_000
    used = {f"/web/js/{path.name}" for path in (WEB / "js").glob("*.js")} - {"/web/js/worker.js"}
    assert used < set(facts["files"]) and not any("api" in path.split("/") for path in facts["files"])
    assert client.get("/worker.js?language=de").text != answer.text
