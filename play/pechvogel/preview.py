"""What a shared link shows before it is opened: a title, a sentence, and a picture of the position.

Nothing here names a person: whoever sees a preview may not have been meant to open the link.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from pechvogel.play.games import offer
from pechvogel.play.pechvogel.trainer import puzzles
from pechvogel.play.pechvogel.words import Words
from pechvogel.play.preview import Pictures as Pictures
from pechvogel.play.preview import Preview as Preview
from pechvogel.play.preview import drawn
from pechvogel.play.preview import of_game as of_game
from pechvogel_env.kind import KIND
from pechvogel_env.position import Position

LONGEST = 2000  # characters of a position in an address


@lru_cache(maxsize=4)
def words_of(language: str) -> Words:
    """The words of a language."""
    return Words(language)


def of_page(words: Words) -> Preview:
    """The page in general."""
    return Preview(words.say("title"), words.say("tagline"))


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


def draw(position: Position) -> bytes:
    """A picture of a position as PNG."""
    return drawn(offer(KIND.name), position)


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
