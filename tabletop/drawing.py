"""Pictures of positions: a canvas of Pillow's, colours, and the words that all of them use.

Nothing here knows a rule. Pillow is imported with the first image.

Known limit: Pillow's built-in font has plain ASCII letters only, so images show "Jürgensen" as
"Jurgensen" and other scripts as "?".
"""

from __future__ import annotations

import functools
import os
import sys
import textwrap
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL import ImageFont

Names = Sequence[str] | None  # by seat; None: player_0 ...
Scores = Sequence[int] | None  # by seat; None: not shown


class Pictured(Protocol):
    """A position, as far as it is looked at here."""

    num_players: int
    phase: str
    to_act: int | None
    turn: int


# --- text ---
COLUMNS = 80
NAME_COLUMNS = 16

# --- image: every length is in units of a picture 640 wide, whatever its real width ---
UNITS_WIDE, UNITS_HIGH = 640, 480
SUPERSAMPLING = 2
MIN_WIDTH = 64  # below, boxes vanish
MARGIN, GAP = 16, 10
HEADER_HIGH = 44

TABLE, FELT, RECESS, SHADOW, HEADER = "#1d4d4f", "#28605f", "#1f5153", "#173f41", "#132f33"
INK, LIGHT, LIGHT_SOFT, PAPER, PAPER_SOFT = "#1b2a33", "#f3f7f5", "#a9c8c6", "#fbf7ee", "#e8e1d2"
ACTIVE, ASKED = "#f2b53a", "#3fd0f5"


# ---------------------------------------------------------------------------------- words


def names_of(position: Pictured, names: Names) -> list[str]:
    """Everybody's name."""
    if names is None:
        return [f"player_{seat}" for seat in range(position.num_players)]
    if len(names) != position.num_players:
        raise ValueError(f"{len(names)} names for {position.num_players} players")
    return list(names)


def turn_of(position: Pictured) -> str:
    """Which turn it is."""
    # `turn` counts finished turns; people call the one being played by the next number.
    return f"after {position.turn} turns" if position.phase == "over" else f"turn {position.turn + 1}"


def counts_in_line(counts: Sequence[int]) -> str:
    """Counts in columns, with dots for none."""
    return "   ".join(str(count) if count else "." for count in counts)


def listed(names: Sequence[str]) -> str:
    """Names with commas, and an "and" before the last."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def cut(text: str, length: int) -> str:
    """A text that is not too long."""
    return text if len(text) <= length else text[: length - 2] + ".."


def plain(text: str) -> str:
    """Letters without their accents, and "?" for whatever the built-in font lacks."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return bare.encode("ascii", "replace").decode()


def painter(color: bool | None, styles: Mapping[str, str]) -> Callable[[str, str], str]:
    """Paints text in a style; `color=None`: only if standard output is a terminal and NO_COLOR is unset."""
    if color is None:
        color = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return lambda text, style: f"\x1b[{styles[style]}m{text}\x1b[0m" if color else text


def wrapped_question(sentence: str, width: int = COLUMNS) -> list[str]:
    """A sentence in lines, names with hyphens whole."""
    return textwrap.wrap(sentence, width, break_on_hyphens=False)


# ---------------------------------------------------------------------------------- image


def canvas_of(width: int) -> Canvas:
    """A canvas so wide, and three quarters of that high; ValueError if it is too small."""
    if width < MIN_WIDTH:
        raise ValueError(f"width must be at least {MIN_WIDTH}, not {width}")
    return Canvas(width)


def draw_header(canvas: Canvas, position: Pictured, sentence: str) -> None:
    """Who is asked what, and the turn."""
    canvas.box(0, 0, UNITS_WIDE, HEADER_HIGH, HEADER)
    color = LIGHT if position.to_act is None else ASKED
    lines = wrapped_question(sentence, 72)
    for i, line in enumerate(lines):
        y = HEADER_HIGH / 2 + 18 * (i - (len(lines) - 1) / 2)
        canvas.text(MARGIN, y, line, 18 if len(lines) == 1 else 14, color, "l", fit=530)
    canvas.text(UNITS_WIDE - MARGIN, HEADER_HIGH / 2, turn_of(position), 13, LIGHT_SOFT, "r")


def draw_panel(
    canvas: Canvas,
    box: tuple[float, float, float, float],
    name: str,
    score: int | None,
    lit: bool,
    asked: bool,
    indent: float = 9,
) -> None:
    """A player's sheet (x, top, wide, high) with its head; a "?" for whoever is asked."""
    x, top, wide, high = box
    if asked:
        canvas.box(x - 4, top - 4, wide + 8, high + 8, ASKED, 14)
    canvas.box(x, top, wide, high, ACTIVE if lit else PAPER_SOFT, 10)
    canvas.box(x, top + 30, wide, high - 30, PAPER, 10)
    canvas.box(x, top + 30, wide, 20, PAPER)
    room = wide - 9 - indent
    if score is not None:
        right = x + wide - (16 if asked else 9)  # the "?" sits in that corner
        canvas.text(right, top + 15, str(score), 15, INK, "r", bold=True)
        room = right - x - 9 - indent - 9 * len(str(score))
    canvas.text(x + indent, top + 15, name, 14, INK, "l", fit=room)
    if asked:
        canvas.circle(x + wide - 1, top - 2, 11, ASKED)
        canvas.text(x + wide - 1, top - 2, "?", 16, INK, bold=True)


class Canvas:
    """Pillow's drawing calls in the units of this module, larger than asked for smooth edges."""

    def __init__(self, width: int) -> None:
        from PIL import Image, ImageDraw

        self.scale = SUPERSAMPLING * width / UNITS_WIDE
        height = round(width * UNITS_HIGH / UNITS_WIDE)
        self.image = Image.new("RGB", (width * SUPERSAMPLING, height * SUPERSAMPLING), TABLE)
        self.draw = ImageDraw.Draw(self.image)

    def pixels(self) -> NDArray[np.uint8]:
        """The picture as an array."""
        return np.array(self.image.reduce(SUPERSAMPLING), dtype=np.uint8)

    def box(self, x: float, y: float, wide: float, high: float, fill: str, radius: float = 0) -> None:
        """A box, with round corners if it has a radius."""
        s = self.scale
        # Whole pixels, so that boxes with a common edge in units meet in the picture too.
        corners = (round(x * s), round(y * s), round((x + wide) * s) - 1, round((y + high) * s) - 1)
        self.draw.rounded_rectangle(corners, radius * s, fill)

    def circle(self, x: float, y: float, radius: float, fill: str) -> None:
        """A disc."""
        s = self.scale
        corners = ((x - radius) * s, (y - radius) * s, (x + radius) * s, (y + radius) * s)
        self.draw.ellipse(corners, fill)

    def line(self, points: list[tuple[float, float]], fill: str, line: float) -> None:
        """A line through points."""
        scaled = [(x * self.scale, y * self.scale) for x, y in points]
        self.draw.line(scaled, fill, max(1, round(line * self.scale)), joint="curve")

    def polygon(self, points: list[tuple[float, float]], fill: str) -> None:
        """A filled shape."""
        self.draw.polygon([(x * self.scale, y * self.scale) for x, y in points], fill)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        fill: str,
        align: str = "m",
        bold: bool = False,
        fit: float | None = None,
    ) -> None:
        """Text whose capitals are centred on y; a little smaller, then cut, to `fit` units."""
        font = font_of(size * self.scale)
        if fit is not None and font.getlength(text) > fit * self.scale:
            font, whole = font_of(size * 0.85 * self.scale), text
            while text and font.getlength(text) > fit * self.scale:
                whole = whole[:-1]
                text = whole + "…" if whole else ""
        baseline = y * self.scale + font.size * 0.36
        stroke = round(size * self.scale / 36) if bold else 0
        place = (x * self.scale, baseline)
        self.draw.text(place, text, fill, font, align + "s", stroke_width=stroke)


@functools.lru_cache(maxsize=256)
def font_of(size: float) -> ImageFont.FreeTypeFont:
    """Pillow's own font in a size."""
    from PIL import ImageFont

    font = ImageFont.load_default(size=max(1.0, round(size, 1)))
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise RuntimeError("drawing needs a Pillow that was built with FreeType")
    return font
