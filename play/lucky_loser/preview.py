"""What a shared link shows before it is opened: see `play.preview`."""

from __future__ import annotations

from functools import lru_cache

from lucky_loser_env.kind import KIND
from lucky_loser_env.position import Position
from pechvogel.play.games import offer
from pechvogel.play.lucky_loser.words import Words
from pechvogel.play.preview import drawn


@lru_cache(maxsize=4)
def words_of(language: str) -> Words:
    """The words of a language."""
    return Words(language)


def draw(position: Position) -> bytes:
    """A picture of a position as PNG."""
    return drawn(offer(KIND.name), position)
