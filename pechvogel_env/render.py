"""Pictures of a position: text for terminals (`ansi`, `human`) and pixels (`rgb_array`).

Nothing here knows a rule. A picture shows what the position says; scores are shown only if the
caller, who has asked the engine for them, passes them. Pillow is imported with the first image.

Known limit: Pillow's built-in font has plain ASCII letters only, so images show "Jürgensen" as
"Jurgensen" and other scripts as "?". The text picture shows names as they are.
"""

from __future__ import annotations

import functools
import os
import sys
import textwrap
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pechvogel_env.rules import FACES, NUM_DICE, RAVEN, RAVENS_LIMIT, TARGETS_NEEDED

if TYPE_CHECKING:
    from PIL import ImageFont

    from pechvogel_env.position import Position

Names = Sequence[str] | None  # by seat; None: player_0 ...
Scores = Sequence[int] | None  # by seat; None: not shown

VALUES = FACES[1:]

# --- text ---
COLUMNS = 80
NAME_COLUMNS = 16
STYLES = {"target": "1;32", "raven": "1;31", "active": "1;33", "asked": "1;36", "murphy": "1;35"}

# --- image: every length below is in units of a picture 640 wide, whatever its real width ---
UNITS_WIDE, UNITS_HIGH = 640, 480
SUPERSAMPLING = 2
MIN_WIDTH = 64  # below, boxes vanish
MARGIN, GAP = 16, 10
HEADER_HIGH = 44
DIE = 62
MIDDLE_BOX = (16, 148, 212, 306)
BOARD_BOX = (222, 148, 624, 306)
PANELS_TOP, PANELS_BOTTOM = 322, 466

TABLE, FELT, RECESS, SHADOW, HEADER = "#1d4d4f", "#28605f", "#1f5153", "#173f41", "#132f33"
INK, LIGHT, LIGHT_SOFT, PAPER, PAPER_SOFT = "#1b2a33", "#f3f7f5", "#a9c8c6", "#fbf7ee", "#e8e1d2"
ACTIVE, ASKED, FROWN, MURPHY, RAVEN_DIE = "#f2b53a", "#3fd0f5", "#d9534a", "#7a4fc9", "#a7b7c2"
VALUE_COLORS = {3: "#2f86c9", 4: "#2a9d6f", 5: "#c99a1b", 6: "#dd7530", 7: "#c4447a"}

# A raven in profile: x,y in hundredths of a square, y downwards.
RAVEN_BODY = (
    "0,34 3,27 10,22 20,19 26,14 33,12 41,14 47,19 52,26 60,31 68,38 76,48 84,60 93,72 100,86 "
    "94,88 90,94 84,88 76,79 68,77 58,78 48,76 39,70 32,61 29,56 29,50 25,49 27,43 23,41 24,36 "
    "19,32 10,31 4,32"
)
RAVEN_WING = "43,42 45,52 52,61 63,67 80,74 66,71 52,66 44,56"
RAVEN_LEGS = ("49,75 46,95 36,95", "59,76 58,95 48,95")
RAVEN_EYE = "33,21"


def question(position: Position, names: Names = None) -> str:
    """The sentence that says who is asked what."""
    who = _names(position, names)
    active = who[position.active]
    if position.phase == "over":
        return "The game is over."
    if position.phase == "throw" or position.to_act is None:
        return f"The dice are next: {active} throws."
    asks = {
        "target": "which number is the target?",
        "reduce": "spend a frustration to repeat the throw?",
        "frustrate": f"frustrate {active}'s throw?",
        "join": f"join {_listed([who[i] for i in position.frustraters])} against {active}'s throw?",
        "take": f"take the {position.target} marker from the middle or from whom?",
        "discard": "which marker from the middle goes into the box?",
    }
    return f"{who[position.to_act]} is asked: {asks[position.phase]}"


def human(position: Position, color: bool | None = None, names: Names = None, scores: Scores = None) -> None:
    """Print the text picture."""
    print(ansi(position, color, names, scores), flush=True)


def ansi(position: Position, color: bool | None = None, names: Names = None, scores: Scores = None) -> str:
    """A picture for a terminal of 80 columns, complete without colours.

    `color=None` colours only if standard output is a terminal and NO_COLOR is unset.
    """
    if color is None:
        color = sys.stdout.isatty() and "NO_COLOR" not in os.environ

    def paint(text: str, style: str) -> str:
        return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if color else text

    def die(face: int) -> str:
        if face == RAVEN:
            return f" {paint('R', 'raven')} "
        return paint(f"[{face}]", "target") if face == position.target else f" {face} "

    who = [_cut(name, NAME_COLUMNS) for name in _names(position, names)]
    rule, over = "-" * COLUMNS, position.phase == "over"
    heads = "   ".join(map(str, VALUES)) + "   frustrations" + ("" if scores is None else "   score")
    lines = [
        f"PECHVOGEL, {_turn(position)}",
        rule,
        f"   {'markers':<{NAME_COLUMNS}}   {heads}",
        f"   {'in the middle':<{NAME_COLUMNS}}   {_row(position.middle)}",
    ]
    for seat, (name, player) in enumerate(zip(who, position.players, strict=True)):
        asked, active = seat == position.to_act, seat == position.active and not over
        line = f"{'>' if active else ' '}{'?' if asked else ' '} {name:<{NAME_COLUMNS}}   "
        line += f"{_row(player.markers)}   {player.frustrations:>12}"
        if scores is not None:
            line += f"   {scores[seat]:>5}"
        if asked or active:
            line = paint(line, "asked" if asked else "active")
        lines.append(line + (paint("   MURPHY", "murphy") if seat == position.murphy else ""))
    lines.append(rule)
    if not over:
        target = position.target
        targets = "" if target is None else die(target) * position.targets
        targets += " _ " * (TARGETS_NEEDED - position.targets)
        ravens = die(RAVEN) * position.ravens + " _ " * (RAVENS_LIMIT - position.ravens)
        reduced = ", has reduced" if position.reduced else ""
        frustraters = _listed([who[seat] for seat in position.frustraters]) or "nobody"
        lines += [
            f"   > at turn    {paint(who[position.active], 'active')}{reduced}",
            f"   board        target {target or '-'}: {targets}   ravens: {ravens}".rstrip(),
            *textwrap.wrap(f"   frustrated   by {frustraters}", COLUMNS, subsequent_indent=" " * 16),
        ]
    throw = "".join(map(die, position.last_throw)) or " - "
    lines.append(f"   last throw  {throw}   (R: raven, [ ]: target)")
    sentence = textwrap.wrap(question(position, names), COLUMNS, break_on_hyphens=False)
    return "\n".join([*lines, rule, *(paint(line, "asked") for line in sentence)])


def rgb_array(
    position: Position,
    names: Names = None,
    scores: Scores = None,
    width: int = UNITS_WIDE,
    labels: bool = True,
) -> NDArray[np.uint8]:
    """A drawing as an array (3/4 width, width, 3), equally high for every position.

    Without `labels` it has numbers, pieces and names, but no words: readers of every language understand it.
    """
    if width < MIN_WIDTH:
        raise ValueError(f"width must be at least {MIN_WIDTH}, not {width}")
    who = [_plain(name) for name in _names(position, names)]
    canvas = _Canvas(width, labels)
    _draw_header(canvas, position, who)
    _draw_throw(canvas, position)
    _draw_middle(canvas, position)
    _draw_board(canvas, position, who)
    _draw_players(canvas, position, who, scores)
    return canvas.pixels()


def _draw_header(canvas: _Canvas, position: Position, who: list[str]) -> None:
    if not canvas.labels:
        return
    canvas.box(0, 0, UNITS_WIDE, HEADER_HIGH, HEADER)
    color = LIGHT if position.to_act is None else ASKED
    sentence = question(position, [_cut(name, NAME_COLUMNS) for name in who])
    lines = textwrap.wrap(sentence, 72, break_on_hyphens=False)
    for i, line in enumerate(lines):
        y = HEADER_HIGH / 2 + 18 * (i - (len(lines) - 1) / 2)
        canvas.text(MARGIN, y, line, 18 if len(lines) == 1 else 14, color, "l", fit=530)
    canvas.text(UNITS_WIDE - MARGIN, HEADER_HIGH / 2, _turn(position), 13, LIGHT_SOFT, "r")


def _draw_throw(canvas: _Canvas, position: Position) -> None:
    """The dice of the last throw in the order thrown, or empty places for the dice to throw."""
    canvas.label(MARGIN, 60, "Last throw", 12, LIGHT_SOFT, "l")
    count = len(position.last_throw) or NUM_DICE - position.targets - position.ravens
    step = DIE + 14
    left = (UNITS_WIDE - count * step + 14) / 2
    for i in range(count):
        x = left + i * step
        if position.last_throw:
            _draw_die(canvas, x, 73, DIE, position.last_throw[i], position.target)
        else:
            canvas.box(x, 73, DIE, DIE, SHADOW, DIE / 6)


def _draw_middle(canvas: _Canvas, position: Position) -> None:
    left, top, right, bottom = MIDDLE_BOX
    canvas.box(left, top, right - left, bottom - top, FELT, 12)
    canvas.label(left + 14, top + 17, "Middle", 14, LIGHT, "l")
    center, apart = (left + right) / 2, 35
    _draw_markers(canvas, center, bottom - 46, apart, 30, position.middle, position.copies, RECESS)
    for i, count in enumerate(position.middle):
        ink = LIGHT if count else LIGHT_SOFT
        canvas.text(center + (i - 2) * apart, bottom - 13, f"x{count}", 13, ink)


def _draw_board(canvas: _Canvas, position: Position, who: list[str]) -> None:
    left, top, right, bottom = BOARD_BOX
    canvas.box(left, top, right - left, bottom - top, FELT, 12)
    title = "Board" if position.phase == "over" else f"Board of {who[position.active]}"
    canvas.label(left + 14, top + 17, title, 14, LIGHT, "l", fit=260)
    if position.reduced:
        canvas.label(right - 14, top + 17, "has reduced", 12, ACTIVE, "r")
    label = f"Target {position.target}" if position.target else "Target"
    rows = (
        (label, position.target, position.targets, TARGETS_NEEDED),
        ("Ravens", RAVEN, position.ravens, RAVENS_LIMIT),
    )
    size, step = 36, 41
    for row, (label, face, count, slots) in enumerate(rows):
        y = top + 34 + row * (size + 7)
        canvas.label(left + 14, y + size / 2, label, 12, LIGHT_SOFT, "l")
        for i in range(max(count, slots)):
            # Dice beyond what is needed stand apart: they are the greedy ones.
            x = left + 98 + i * step + (8 if i >= slots else 0)
            if i < count and face is not None:
                _draw_die(canvas, x, y, size, face, position.target)
            else:
                canvas.box(x, y, size, size, RECESS, size / 6)
    y = bottom - 20
    canvas.label(left + 14, y, "Frustrated by", 12, LIGHT_SOFT, "l")
    if not position.frustraters:
        canvas.label(left + 98, y, "nobody", 12, LIGHT_SOFT, "l")
    step = (right - left - 102) // max(3, len(position.frustraters))
    for i, seat in enumerate(position.frustraters):
        x = left + 98 + i * step
        _draw_frustration(canvas, x + 9, y, 9)
        canvas.text(x + 22, y, who[seat], 12, LIGHT, "l", fit=step - 26)


def _draw_players(canvas: _Canvas, position: Position, who: list[str], scores: Scores) -> None:
    over, top, high = position.phase == "over", PANELS_TOP, PANELS_BOTTOM - PANELS_TOP
    step = (UNITS_WIDE - 2 * MARGIN + GAP) / position.num_players
    wide = step - GAP
    for seat, player in enumerate(position.players):
        x, asked = MARGIN + seat * step, seat == position.to_act
        ahead = scores is not None and scores[seat] == max(scores)
        lit = ahead if over else seat == position.active
        if asked:
            canvas.box(x - 4, top - 4, wide + 8, high + 8, ASKED, 14)
        canvas.box(x, top, wide, high, ACTIVE if lit else PAPER_SOFT, 10)
        canvas.box(x, top + 30, wide, high - 30, PAPER, 10)
        canvas.box(x, top + 30, wide, 20, PAPER)
        room = wide - 18
        if scores is not None:
            right = x + wide - (16 if asked else 9)  # the "?" sits in that corner
            canvas.text(right, top + 15, str(scores[seat]), 15, INK, "r", bold=True)
            room = right - x - 18 - 9 * len(str(scores[seat]))
        canvas.text(x + 9, top + 15, who[seat], 14, INK, "l", fit=room)
        center, apart = x + wide / 2, min(40, (wide - 12) / len(VALUES))
        _draw_markers(canvas, center, top + 86, apart, 19, player.markers, position.copies, PAPER_SOFT)
        _draw_frustrations(canvas, center, top + 111, wide, player.frustrations)
        if seat == position.murphy:
            canvas.box(center - 48, top + 124, 96, 16, MURPHY, 8)
            canvas.text(center, top + 132, "MURPHY", 11, LIGHT, bold=True)
        if asked:
            canvas.circle(x + wide - 1, top - 2, 11, ASKED)
            canvas.text(x + wide - 1, top - 2, "?", 16, INK, bold=True)


def _draw_frustrations(canvas: _Canvas, x: float, y: float, wide: float, count: int) -> None:
    """As many tokens as fit, else one and their number."""
    if count * 19 <= wide - 16:
        for i in range(count):
            _draw_frustration(canvas, x + (i - (count - 1) / 2) * 19, y, 8)
    else:
        _draw_frustration(canvas, x - 15, y, 8)
        canvas.text(x - 3, y, f"x{count}", 15, INK, "l", bold=True)


def _draw_die(canvas: _Canvas, x: float, y: float, size: float, face: int, target: int | None) -> None:
    """Targets have the colour of their value, ravens lie on grey; all others stay pale."""
    fill = RAVEN_DIE if face == RAVEN else VALUE_COLORS[face] if face == target else PAPER
    canvas.box(x, y + size / 16, size, size, SHADOW, size / 6)
    canvas.box(x, y, size, size, fill, size / 6)
    if face != RAVEN:
        ink = LIGHT if face == target else INK
        canvas.text(x + size / 2, y + size / 2, str(face), size * 0.62, ink, bold=True)
        return
    left, top, side = x + size * 0.12, y + size * 0.1, size * 0.78

    def placed(points: str) -> list[tuple[float, float]]:
        pairs = (point.split(",") for point in points.split())
        return [(left + int(u) / 100 * side, top + int(v) / 100 * side) for u, v in pairs]

    for leg in RAVEN_LEGS:
        canvas.line(placed(leg), INK, size / 26)
    canvas.polygon(placed(RAVEN_BODY), INK)
    canvas.polygon(placed(RAVEN_WING), fill)
    canvas.circle(*placed(RAVEN_EYE)[0], size / 40, fill)


def _draw_markers(
    canvas: _Canvas,
    x: float,
    y: float,
    gap: float,
    size: float,
    counts: list[int],
    copies: int,
    dot: str,
) -> None:
    """A stack per value around x, growing upwards from y, with dots for markers elsewhere."""
    for column, (value, count) in enumerate(zip(VALUES, counts, strict=True)):
        for row in range(copies):
            at = (x + (column - 2) * gap, y - row * (size + 2))
            if row < count:
                canvas.circle(*at, size / 2, VALUE_COLORS[value])
                canvas.text(*at, str(value), size * 0.6, LIGHT, bold=True)
            else:
                canvas.circle(*at, size / 6, dot)


def _draw_frustration(canvas: _Canvas, x: float, y: float, radius: float) -> None:
    """A red token with a sad face."""
    canvas.circle(x, y, radius, FROWN)
    for side in (-1, 1):
        canvas.circle(x + side * radius * 0.36, y - radius * 0.22, radius * 0.15, LIGHT)
    mouth = ((-0.45, 0.58), (-0.22, 0.36), (0.22, 0.36), (0.45, 0.58))
    canvas.line([(x + radius * u, y + radius * v) for u, v in mouth], LIGHT, radius * 0.2)


class _Canvas:
    """Pillow's drawing calls in the units of this module, larger than asked for smooth edges."""

    def __init__(self, width: int, labels: bool) -> None:
        from PIL import Image, ImageDraw

        self.labels = labels
        self.scale = SUPERSAMPLING * width / UNITS_WIDE
        height = round(width * UNITS_HIGH / UNITS_WIDE)
        self.image = Image.new("RGB", (width * SUPERSAMPLING, height * SUPERSAMPLING), TABLE)
        self.draw = ImageDraw.Draw(self.image)

    def pixels(self) -> NDArray[np.uint8]:
        return np.array(self.image.reduce(SUPERSAMPLING), dtype=np.uint8)

    def box(self, x: float, y: float, wide: float, high: float, fill: str, radius: float = 0) -> None:
        s = self.scale
        # Whole pixels, so that boxes with a common edge in units meet in the picture too.
        corners = (round(x * s), round(y * s), round((x + wide) * s) - 1, round((y + high) * s) - 1)
        self.draw.rounded_rectangle(corners, radius * s, fill)

    def circle(self, x: float, y: float, radius: float, fill: str) -> None:
        s = self.scale
        corners = ((x - radius) * s, (y - radius) * s, (x + radius) * s, (y + radius) * s)
        self.draw.ellipse(corners, fill)

    def line(self, points: list[tuple[float, float]], fill: str, line: float) -> None:
        scaled = [(x * self.scale, y * self.scale) for x, y in points]
        self.draw.line(scaled, fill, max(1, round(line * self.scale)), joint="curve")

    def polygon(self, points: list[tuple[float, float]], fill: str) -> None:
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
        font = _font(size * self.scale)
        if fit is not None and font.getlength(text) > fit * self.scale:
            font, whole = _font(size * 0.85 * self.scale), text
            while text and font.getlength(text) > fit * self.scale:
                whole = whole[:-1]
                text = whole + "…" if whole else ""
        baseline = y * self.scale + font.size * 0.36
        stroke = round(size * self.scale / 36) if bold else 0
        place = (x * self.scale, baseline)
        self.draw.text(place, text, fill, font, align + "s", stroke_width=stroke)

    def label(
        self, x: float, y: float, text: str, size: float, fill: str, align: str = "m", fit: float | None = None
    ) -> None:
        """Words in English, where there are any."""
        if self.labels:
            self.text(x, y, text, size, fill, align, fit=fit)


@functools.lru_cache(maxsize=256)
def _font(size: float) -> ImageFont.FreeTypeFont:
    from PIL import ImageFont

    font = ImageFont.load_default(size=max(1.0, round(size, 1)))
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise RuntimeError("drawing needs a Pillow that was built with FreeType")
    return font


def _names(position: Position, names: Names) -> list[str]:
    if names is None:
        return [f"player_{seat}" for seat in range(position.num_players)]
    if len(names) != position.num_players:
        raise ValueError(f"{len(names)} names for {position.num_players} players")
    return list(names)


def _turn(position: Position) -> str:
    # `turn` counts finished turns; people call the one being played by the next number.
    return f"after {position.turn} turns" if position.phase == "over" else f"turn {position.turn + 1}"


def _row(counts: Sequence[int]) -> str:
    return "   ".join(str(count) if count else "." for count in counts)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 2] + ".."


def _plain(text: str) -> str:
    """Letters without their accents, and "?" for whatever the built-in font lacks."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return bare.encode("ascii", "replace").decode()
