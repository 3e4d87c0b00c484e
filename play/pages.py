"""The page's own addresses: the page with a preview of what is there, its manifest, its service worker, pictures."""

from __future__ import annotations

import asyncio
import hashlib
import html
import json
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi.responses import HTMLResponse, Response
from fastapi.staticfiles import StaticFiles

from pechvogel.agents.games import DEFAULT
from pechvogel.play.games import offers
from pechvogel.play.guard import Network, is_proxy
from pechvogel.play.hub import Hub
from pechvogel.play.pechvogel import preview
from pechvogel.play.pechvogel.trainer import PuzzleId, puzzles
from pechvogel.play.pechvogel.words import LANGUAGES, Words
from pechvogel.play.preview import HIGH, WIDE, Preview
from pechvogel.play.room import RoomError
from pechvogel_env.position import Position, PositionError

WEB = Path(__file__).parent / "pechvogel" / "web"
# What other games bring to the page; browsers load it when it is played.
OTHERS = {one.name: Path(__file__).parent / one.folder / "web" for one in offers() if one.name != DEFAULT}
TITLE = "<title>Pechvogel</title>"  # in index.html, where a preview is put
NO_CACHE = {"Cache-Control": "no-cache"}
A_DAY = {"Cache-Control": "public, max-age=86400"}  # a picture is always the same
IMAGE: dict[int | str, dict[str, Any]] = {200: {"content": {"image/png": {}}}}

Language = Annotated[str | None, Query(pattern=f"^({'|'.join(LANGUAGES)})$")]


def add_pages(app: FastAPI, hub: Hub, proxies: Sequence[Network] = ()) -> None:
    """Add these requests to the application."""
    pictures = preview.Pictures()

    def answer(request: Request, found: Preview, status: int = 200) -> HTMLResponse:
        text = (WEB / "index.html").read_text(encoding="utf-8")
        text = text.replace(TITLE, _head(found, _origin(request, proxies)), 1)
        return HTMLResponse(text, status, NO_CACHE)

    def plain(request: Request, status: int = 200) -> HTMLResponse:
        return answer(request, preview.of_page(_words(request)), status)

    app.state.no_page = lambda request: plain(request, 404)

    @app.get("/", include_in_schema=False)
    @app.get("/me", include_in_schema=False)
    @app.get("/explore", include_in_schema=False)
    async def page(request: Request) -> HTMLResponse:
        return plain(request)

    @app.get("/game/{room}", include_in_schema=False)
    async def game(request: Request, room: str) -> HTMLResponse:
        try:
            live = await hub.live(room)
        except RoomError as error:  # the page says why, in its reader's language
            return plain(request, 404 if error.status == 404 else 200)
        words = live.room.opening.offer.part("preview").words_of(_words(request).language)
        return answer(request, preview.of_game(words, room, live.room))

    @app.get("/position", include_in_schema=False)
    async def position(request: Request, p: str = "") -> HTMLResponse:
        try:
            return answer(request, preview.of_position(_words(request), p))
        except ValueError:  # none, or one that the page says what is wrong with
            return plain(request)

    @app.get("/train", include_in_schema=False)
    async def train(request: Request, p: str = "") -> HTMLResponse:
        try:
            return answer(request, preview.of_puzzle(_words(request), p))
        except KeyError:
            return plain(request)

    @app.get("/manifest.webmanifest", include_in_schema=False)
    async def manifest(request: Request, language: Language = None) -> Response:
        found = preview.manifest(_words(request, language))
        return Response(json.dumps(found, ensure_ascii=False), media_type="application/manifest+json", headers=NO_CACHE)

    @app.get("/worker.js", include_in_schema=False)
    async def worker(language: Language = "en") -> Response:
        """Without a connection it has the page's files; a change of any of them changes it, so that browsers notice."""
        version, files = await asyncio.to_thread(_files)
        others = {f"/web/words/{other}.json" for other in LANGUAGES if other != language}
        wanted = ["/", *(path for path in files if path not in others)]
        facts = json.dumps({"version": f"{version}-{language}", "files": wanted})
        text = (WEB / "js" / "worker.js").read_text(encoding="utf-8")
        return Response(f"self.PAGE = {facts};\n{text}", media_type="text/javascript", headers=NO_CACHE)

    async def drawn(request: Request, found: Any, of: ModuleType = preview) -> Response:
        picture: bytes | None = pictures.find(found)
        if picture is None:
            picture = bytes(await hub.think(request.state.who, lambda: of.draw(found)))
            pictures.keep(found, picture)
        return Response(picture, media_type="image/png", headers=A_DAY)

    @app.get("/api/preview/game/{room}", response_class=Response, responses=IMAGE)
    async def game_picture(request: Request, room: str) -> Response:
        """The end of a finished game, for previews of its link."""
        found = (await hub.live(room)).room
        if found.table is None or not found.table.over:
            raise RoomError(409, "the game is not over yet", "not_over")
        return await drawn(request, found.table.position(), found.opening.offer.part("preview"))

    @app.get("/api/preview/position", response_class=Response, responses=IMAGE)
    async def position_picture(
        request: Request, p: Annotated[str, Query(max_length=preview.LONGEST, description="in one line or as JSON")]
    ) -> Response:
        """A position, for previews of its link."""
        try:
            found = Position.parse(p)
        except PositionError as error:
            facts = {"field": error.field, **error.facts}
            raise RoomError(422, str(error), f"position_{error.code}", facts) from None
        except ValueError as error:
            raise RoomError(422, f"position: {error}") from None
        return await drawn(request, found)

    @app.get("/api/preview/puzzle/{puzzle}", response_class=Response, responses=IMAGE)
    async def puzzle_picture(request: Request, puzzle: PuzzleId) -> Response:
        """A puzzle, for previews of its link; its answer can't be seen."""
        found = puzzles().get(puzzle)
        if found is None:
            raise RoomError(404, f"there is no puzzle {puzzle}", "no_puzzle")
        return await drawn(request, Position.parse(found["position"]))

    for name, folder in OTHERS.items():  # before the page's own, whose folder they are in
        app.mount(f"/web/{name}", StaticFiles(directory=folder, check_dir=False), name=name)
    app.mount("/web", StaticFiles(directory=WEB, check_dir=False), name="web")


def wants_page(request: Request) -> bool:
    """Whether somebody looks for a page, who gets one also where there is nothing."""
    path = request.url.path
    ours = path.startswith(("/api/", "/web/")) or request.method != "GET"
    return not ours and "text/html" in request.headers.get("accept", "")


def _words(request: Request, language: str | None = None) -> Words:
    """In the language of the question, else of the browser, as far as we speak it."""
    wanted = [language or "", *re.findall(r"(?:^|,)\s*([a-z]{2})\b", request.headers.get("accept-language", "")[:200])]
    return preview.words_of(next((tag for tag in wanted if tag in LANGUAGES), "en"))


def _origin(request: Request, proxies: Sequence[Network]) -> str | None:
    """Where readers reach us, as pictures need whole addresses; None if that is no address."""
    host = request.headers.get("host", "")
    if not re.fullmatch(r"[A-Za-z0-9.-]+(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?", host):
        return None
    proxied = request.client is not None and is_proxy(request.client.host, proxies)
    secure = proxied and request.headers.get("x-forwarded-proto", "").strip().lower() == "https"
    return f"{'https' if secure else request.url.scheme}://{host}"


def _head(found: Preview, origin: str | None) -> str:
    """The title, and what others show of a link to here."""
    facts = {
        "description": found.text,
        "og:type": "website",
        "og:site_name": "Pechvogel",
        "og:title": found.title,
        "og:description": found.text,
        "twitter:card": "summary",
    }
    if origin is not None and found.picture is None:
        facts |= {"og:image": f"{origin}/web/icons/app-512.png", "og:image:width": "512", "og:image:height": "512"}
    elif origin is not None:
        size = {"og:image:width": str(WIDE), "og:image:height": str(HIGH)}
        facts |= {"twitter:card": "summary_large_image", "og:image": f"{origin}{found.picture}", **size}
    kinds = {name: "property" if name.startswith("og:") else "name" for name in facts}
    tags = [f'<meta {kinds[name]}="{name}" content="{html.escape(text)}" />' for name, text in facts.items()]
    return "\n    ".join([f"<title>{html.escape(found.title)}</title>", *tags])


@lru_cache(maxsize=1)
def _files() -> tuple[str, list[str]]:
    """The page's files that it can't be shown without, and a name for how all of them are when the server starts."""
    seal = hashlib.sha256()
    found = []
    for path in sorted(path for path in WEB.rglob("*") if path.is_file()):
        name = path.relative_to(WEB).as_posix()
        seal.update(f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
        if path.suffix != ".png" and name not in ("index.html", "js/worker.js", "explorer.json"):
            found.append(f"/web/{name}")
    return seal.hexdigest()[:16], found
