"""What a shared link shows before it is opened: a title, a sentence, and a picture of the position.

Nothing here names a person: whoever sees a preview may not have been meant to open the link.
"""

from __future__ import annotations

import io
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from pechvogel.play.pechvogel.trainer import puzzles
from pechvogel.play.pechvogel.words import Words
from pechvogel.play.room import Room
from pechvogel_env import render, rules
from pechvogel_env.position import Position

WIDE, HIGH = render.UNITS_WIDE, render.UNITS_HIGH
LONGEST = 2000  # characters of a position in an address
NAMES = "ABCDE"  # of players, as on the page of a position
KEPT = 100  # pictures, of about 12 kB


@dataclass(frozen=True)
class Preview:
    """What is said of a link; `picture` is an address of this server."""

    title: str
    text: str
    picture: str | None = None


@lru_cache(maxsize=4)
def words_of(language: str) -> Words:
    """The words of a language."""
    return Words(language)


def of_page(words: Words) -> Preview:
    """The page in general."""
    return Preview(words.say("title"), words.say("tagline"))


def of_game(words: Words, name: str, room: Room) -> Preview:
    """A game, by how far it is; only one that is over has a picture: others would be out of date."""
    title = words.say("preview.game", players=len(room.seats))
    if room.table is not None and room.table.over:
        scores = " : ".join(map(str, room.table.scores()))
        return Preview(title, words.say("preview.over", scores=scores), f"/api/preview/game/{name}")
    free = any(seat.kind == "open" for seat in room.seats)
    return Preview(title, words.say("preview.free" if free else "preview.running"))


def of_position(words: Words, text: str) -> Preview:
    """A position; ValueError if it is none."""
    if len(text) > LONGEST:
        raise ValueError(f"a position has up to {LONGEST:,} characters")
    position = Position.parse(text)
    title = words.say("preview.position", players=position.num_players)
    return Preview(title, words.say("preview.position.text"), f"/api/preview/position?{_query(position)}")


def of_puzzle(words: Words, name: str) -> Preview:
    """A puzzle, without its answer; KeyError if there is none."""
    title = words.say("preview.puzzle", theme=words.say(f"train.theme.{puzzles()[name]['theme']}"))
    return Preview(title, words.say("preview.puzzle.text"), f"/api/preview/puzzle/{name}")


def _query(position: Position) -> str:
    return urlencode({"p": position.to_text()})


# ------------------------------------------------------------------------------------------------ pictures


class Pictures:
    """The last few pictures that were drawn, as PNG."""

    def __init__(self, most: int = KEPT) -> None:
        self.most = most
        self._kept: OrderedDict[str, bytes] = OrderedDict()

    def find(self, position: Position) -> bytes | None:
        """One that was drawn before."""
        found = self._kept.get(position.to_text())
        if found is not None:
            self._kept.move_to_end(position.to_text())
        return found

    def keep(self, position: Position, picture: bytes) -> None:
        """Another one; the one that nobody has asked for longest goes."""
        self._kept[position.to_text()] = picture
        while len(self._kept) > self.most:
            self._kept.popitem(last=False)


def draw(position: Position) -> bytes:
    """A picture of a position as PNG, without words; it takes some hundredths of a second."""
    from PIL import Image  # with the first picture

    states = position.states()
    seats = range(position.num_players)
    scores: Sequence[int] = [int(rules.score(states, 0, seat)) for seat in seats]
    pixels = render.rgb_array(position, NAMES[: position.num_players], scores, WIDE, labels=False)
    file = io.BytesIO()
    Image.fromarray(pixels).quantize(128).save(file, "PNG", optimize=True)
    return file.getvalue()


def manifest(words: Words) -> Mapping[str, Any]:
    """What a system shows of the page when it is installed as an application."""

    def icon(name: str, sizes: str, kind: str, purpose: str = "any") -> dict[str, str]:
        return {"src": f"/web/icons/{name}", "sizes": sizes, "type": f"image/{kind}", "purpose": purpose}

    small = icon("app-192.png", "192x192", "png")
    shortcuts = (("train.title", "/train"), ("me", "/me"), ("explore.nav", "/explore"), ("lobby.position", "/position"))
    return {
        "id": "/",
        "start_url": "/",
        "scope": "/",
        "name": words.say("title"),
        "short_name": words.say("title"),
        "description": words.say("tagline"),
        "lang": words.language,
        "display": "standalone",
        "background_color": "#f6f1e7",
        "theme_color": "#1d4d4f",
        "categories": ["games"],
        "icons": [
            icon("app.svg", "any", "svg+xml"),
            small,
            icon("app-512.png", "512x512", "png"),
            icon("maskable-512.png", "512x512", "png", "maskable"),
        ],
        "shortcuts": [{"name": words.say(key), "url": url, "icons": [small]} for key, url in shortcuts],
    }
