"""Pictures of a position: text for terminals (`ansi`, `human`) and pixels (`rgb_array`).

Nothing here knows a rule. A picture shows what the position says; scores are shown only if the
caller, who has asked the engine for them, passes them. Images have names in plain ASCII letters only
(`tabletop.drawing`); the text picture shows them as they are.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pechvogel.tabletop.drawing import (
    ACTIVE,
    COLUMNS,
    FELT,
    GAP,
    INK,
    LIGHT,
    LIGHT_SOFT,
    MARGIN,
    NAME_COLUMNS,
    PAPER,
    PAPER_SOFT,
    RECESS,
    SHADOW,
    Canvas,
    Names,
    Scores,
    canvas_of,
    counts_in_line,
    cut,
    draw_header,
    draw_panel,
    listed,
    names_of,
    painter,
    plain,
    turn_of,
    wrapped_question,
)
from pechvogel.tabletop.drawing import UNITS_HIGH as UNITS_HIGH
from pechvogel.tabletop.drawing import UNITS_WIDE as UNITS_WIDE
from pechvogel_env.rules import FACES, NUM_DICE, RAVEN, RAVENS_LIMIT, TARGETS_NEEDED

if TYPE_CHECKING:
    from pechvogel_env.position import Position

VALUES = FACES[1:]

# --- text ---
STYLES = {"target": "1;32", "raven": "1;31", "active": "1;33", "asked": "1;36", "murphy": "1;35"}

# --- image, in the units of `tabletop.drawing` ---
DIE = 62
MIDDLE_BOX = (16, 148, 212, 306)
BOARD_BOX = (222, 148, 624, 306)
PANELS_TOP, PANELS_BOTTOM = 322, 466

FROWN, MURPHY, RAVEN_DIE = "#d9534a", "#7a4fc9", "#a7b7c2"
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
    who = names_of(position, names)
    active = who[position.active]
    if position.phase == "over":
        return "The game is over."
    if position.phase == "throw" or position.to_act is None:
        return f"The dice are next: {active} throws."
    asks = {
        "target": "which number is the target?",
        "reduce": "spend a frustration to repeat the throw?",
        "frustrate": f"frustrate {active}'s throw?",
        "join": f"join {listed([who[i] for i in position.frustraters])} against {active}'s throw?",
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
    paint = painter(color, STYLES)

    def die(face: int) -> str:
        if face == RAVEN:
            return f" {paint('R', 'raven')} "
        return paint(f"[{face}]", "target") if face == position.target else f" {face} "

    who = [cut(name, NAME_COLUMNS) for name in names_of(position, names)]
    rule, over = "-" * COLUMNS, position.phase == "over"
    heads = "   ".join(map(str, VALUES)) + "   frustrations" + ("" if scores is None else "   score")
    lines = [
        f"PECHVOGEL, {turn_of(position)}",
        rule,
        f"   {'markers':<{NAME_COLUMNS}}   {heads}",
        f"   {'in the middle':<{NAME_COLUMNS}}   {counts_in_line(position.middle)}",
    ]
    for seat, (name, player) in enumerate(zip(who, position.players, strict=True)):
        asked, active = seat == position.to_act, seat == position.active and not over
        line = f"{'>' if active else ' '}{'?' if asked else ' '} {name:<{NAME_COLUMNS}}   "
        line += f"{counts_in_line(player.markers)}   {player.frustrations:>12}"
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
        frustraters = listed([who[seat] for seat in position.frustraters]) or "nobody"
        lines += [
            f"   > at turn    {paint(who[position.active], 'active')}{reduced}",
            f"   board        target {target or '-'}: {targets}   ravens: {ravens}".rstrip(),
            *textwrap.wrap(f"   frustrated   by {frustraters}", COLUMNS, subsequent_indent=" " * 16),
        ]
    throw = "".join(map(die, position.last_throw)) or " - "
    lines.append(f"   last throw  {throw}   (R: raven, [ ]: target)")
    return "\n".join([*lines, rule, *(paint(line, "asked") for line in wrapped_question(question(position, names)))])


def rgb_array(
    position: Position,
    names: Names = None,
    scores: Scores = None,
    width: int = UNITS_WIDE,
) -> NDArray[np.uint8]:
    """A drawing as an array (3/4 width, width, 3), equally high for every position."""
    canvas = canvas_of(width)
    who = [plain(name) for name in names_of(position, names)]
    draw_header(canvas, position, question(position, [cut(name, NAME_COLUMNS) for name in who]))
    _draw_throw(canvas, position)
    _draw_middle(canvas, position)
    _draw_board(canvas, position, who)
    _draw_players(canvas, position, who, scores)
    return canvas.pixels()


def _draw_throw(canvas: Canvas, position: Position) -> None:
    """The dice of the last throw in the order thrown, or empty places for the dice to throw."""
    canvas.text(MARGIN, 60, "Last throw", 12, LIGHT_SOFT, "l")
    count = len(position.last_throw) or NUM_DICE - position.targets - position.ravens
    step = DIE + 14
    left = (UNITS_WIDE - count * step + 14) / 2
    for i in range(count):
        x = left + i * step
        if position.last_throw:
            _draw_die(canvas, x, 73, DIE, position.last_throw[i], position.target)
        else:
            canvas.box(x, 73, DIE, DIE, SHADOW, DIE / 6)


def _draw_middle(canvas: Canvas, position: Position) -> None:
    left, top, right, bottom = MIDDLE_BOX
    canvas.box(left, top, right - left, bottom - top, FELT, 12)
    canvas.text(left + 14, top + 17, "Middle", 14, LIGHT, "l")
    center, apart = (left + right) / 2, 35
    _draw_markers(canvas, center, bottom - 46, apart, 30, position.middle, position.copies, RECESS)
    for i, count in enumerate(position.middle):
        ink = LIGHT if count else LIGHT_SOFT
        canvas.text(center + (i - 2) * apart, bottom - 13, f"x{count}", 13, ink)


def _draw_board(canvas: Canvas, position: Position, who: list[str]) -> None:
    left, top, right, bottom = BOARD_BOX
    canvas.box(left, top, right - left, bottom - top, FELT, 12)
    title = "Board" if position.phase == "over" else f"Board of {who[position.active]}"
    canvas.text(left + 14, top + 17, title, 14, LIGHT, "l", fit=260)
    if position.reduced:
        canvas.text(right - 14, top + 17, "has reduced", 12, ACTIVE, "r")
    label = f"Target {position.target}" if position.target else "Target"
    rows = (
        (label, position.target, position.targets, TARGETS_NEEDED),
        ("Ravens", RAVEN, position.ravens, RAVENS_LIMIT),
    )
    size, step = 36, 41
    for row, (label, face, count, slots) in enumerate(rows):
        y = top + 34 + row * (size + 7)
        canvas.text(left + 14, y + size / 2, label, 12, LIGHT_SOFT, "l")
        for i in range(max(count, slots)):
            # Dice beyond what is needed stand apart: they are the greedy ones.
            x = left + 98 + i * step + (8 if i >= slots else 0)
            if i < count and face is not None:
                _draw_die(canvas, x, y, size, face, position.target)
            else:
                canvas.box(x, y, size, size, RECESS, size / 6)
    y = bottom - 20
    canvas.text(left + 14, y, "Frustrated by", 12, LIGHT_SOFT, "l")
    if not position.frustraters:
        canvas.text(left + 98, y, "nobody", 12, LIGHT_SOFT, "l")
    step = (right - left - 102) // max(3, len(position.frustraters))
    for i, seat in enumerate(position.frustraters):
        x = left + 98 + i * step
        _draw_frustration(canvas, x + 9, y, 9)
        canvas.text(x + 22, y, who[seat], 12, LIGHT, "l", fit=step - 26)


def _draw_players(canvas: Canvas, position: Position, who: list[str], scores: Scores) -> None:
    over, top, high = position.phase == "over", PANELS_TOP, PANELS_BOTTOM - PANELS_TOP
    step = (UNITS_WIDE - 2 * MARGIN + GAP) / position.num_players
    wide = step - GAP
    for seat, player in enumerate(position.players):
        x, asked = MARGIN + seat * step, seat == position.to_act
        ahead = scores is not None and scores[seat] == max(scores)
        lit = ahead if over else seat == position.active
        score = None if scores is None else scores[seat]
        draw_panel(canvas, (x, top, wide, high), who[seat], score, lit, asked)
        center, apart = x + wide / 2, min(40, (wide - 12) / len(VALUES))
        _draw_markers(canvas, center, top + 86, apart, 19, player.markers, position.copies, PAPER_SOFT)
        _draw_frustrations(canvas, center, top + 111, wide, player.frustrations)
        if seat == position.murphy:
            canvas.box(center - 48, top + 124, 96, 16, MURPHY, 8)
            canvas.text(center, top + 132, "MURPHY", 11, LIGHT, bold=True)


def _draw_frustrations(canvas: Canvas, x: float, y: float, wide: float, count: int) -> None:
    """As many tokens as fit, else one and their number."""
    if count * 19 <= wide - 16:
        for i in range(count):
            _draw_frustration(canvas, x + (i - (count - 1) / 2) * 19, y, 8)
    else:
        _draw_frustration(canvas, x - 15, y, 8)
        canvas.text(x - 3, y, f"x{count}", 15, INK, "l", bold=True)


def _draw_die(canvas: Canvas, x: float, y: float, size: float, face: int, target: int | None) -> None:
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
    canvas: Canvas,
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


def _draw_frustration(canvas: Canvas, x: float, y: float, radius: float) -> None:
    """A red token with a sad face."""
    canvas.circle(x, y, radius, FROWN)
    for side in (-1, 1):
        canvas.circle(x + side * radius * 0.36, y - radius * 0.22, radius * 0.15, LIGHT)
    mouth = ((-0.45, 0.58), (-0.22, 0.36), (0.22, 0.36), (0.45, 0.58))
    canvas.line([(x + radius * u, y + radius * v) for u, v in mouth], LIGHT, radius * 0.2)
