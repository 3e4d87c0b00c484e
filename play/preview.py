"""What a shared link to a game shows before it is opened: a title, a sentence, and a picture. The same for every game.

Nothing here names a person: whoever sees a preview may not have been meant to open the link.
"""

from __future__ import annotations

import io
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from pechvogel.play.games import Offer
from pechvogel.play.room import Room
from pechvogel.play.words import Words
from pechvogel.tabletop.drawing import UNITS_HIGH, UNITS_WIDE

WIDE, HIGH = UNITS_WIDE, UNITS_HIGH
NAMES = "ABCDE"  # of players, as on the page of a position
KEPT = 100  # pictures, of about 12 kB


@dataclass(frozen=True)
class Preview:
    """What is said of a link; `picture` is an address of this server."""

    title: str
    text: str
    picture: str | None = None


def of_game(words: Words, name: str, room: Room) -> Preview:
    """A game, by how far it is; only one that is over has a picture: others would be out of date."""
    title = words.say("preview.game", players=len(room.seats))
    if room.table is not None and room.table.over:
        scores = " : ".join(map(str, room.table.scores()))
        return Preview(title, words.say("preview.over", scores=scores), f"/api/preview/game/{name}")
    free = any(seat.kind == "open" for seat in room.seats)
    return Preview(title, words.say("preview.free" if free else "preview.running"))


# ------------------------------------------------------------------------------------------------ pictures


class Pictures:
    """The last few pictures that were drawn, as PNG."""

    def __init__(self, most: int = KEPT) -> None:
        self.most = most
        self._kept: OrderedDict[str, bytes] = OrderedDict()

    def find(self, position: Any) -> bytes | None:
        """One that was drawn before."""
        found = self._kept.get(position.to_text())
        if found is not None:
            self._kept.move_to_end(position.to_text())
        return found

    def keep(self, position: Any, picture: bytes) -> None:
        """Another one; the one that nobody has asked for longest goes."""
        self._kept[position.to_text()] = picture
        while len(self._kept) > self.most:
            self._kept.popitem(last=False)


def drawn(offer: Offer, position: Any) -> bytes:
    """A picture of a position as PNG, without words; it takes some hundredths of a second."""
    from PIL import Image  # with the first picture

    states, score = position.states(), offer.engine("rules").score
    seats = range(position.num_players)
    scores = [int(score(states, 0, seat)) for seat in seats]
    names = NAMES[: position.num_players]
    pixels = offer.engine("render").rgb_array(position, names, scores, WIDE, labels=False)
    file = io.BytesIO()
    Image.fromarray(pixels).quantize(128).save(file, "PNG", optimize=True)
    return file.getvalue()
