"""Pictures of a scene: text for terminals (`ansi`, `human`) and pixels (`rgb_array`).

They are for onlookers: they show what the card really shows, and everybody's last glance at it. Nothing here knows a
rule. Images have names in plain ASCII letters only (`tabletop.drawing`); the text picture shows them as they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pechvogel.tabletop.drawing import (
    COLUMNS,
    FELT,
    GAP,
    HEADER,
    HEADER_HIGH,
    INK,
    LIGHT,
    LIGHT_SOFT,
    MARGIN,
    NAME_COLUMNS,
    PAPER,
    RECESS,
    SHADOW,
    UNITS_WIDE,
    Canvas,
    Names,
    Scores,
    canvas_of,
    cut,
    draw_panel,
    listed,
    names_of,
    painter,
    plain,
    wrapped_question,
)
from porca_miseria_env.rules import SYMBOLS

if TYPE_CHECKING:
    from porca_miseria_env.scene import Scene

# --- text ---
STYLES = {"right": "1;32", "wrong": "1;31", "dealer": "1;33", "asked": "1;36"}
LETTERS = "MPS"  # mushroom, pig, sweep

# --- image, in the units of `tabletop.drawing` ---
LUCKY_BOX = (16, 56, 186, 306)
CARD_BOX = (206, 56, 446, 306)
SIDE_BOX = (466, 56, 624, 306)
PANELS_TOP, PANELS_BOTTOM = 322, 466
CELLS = 5  # a card has so many rows and columns of places for symbols
CAP, SPOT, STEM = "#d23b2f", "#fdf6ec", "#f2e3c6"
PIG, SNOUT, NOSTRIL = "#f4a6b5", "#e27f95", "#8a3c4e"
SOOT, SKIN, HATBAND = "#23262b", "#e9c39b", "#d23b2f"
BACK, BACK_LIGHT, JACKPOT = "#7a4fc9", "#9a78dd", "#f2b53a"
RIGHT, WRONG, CUFF = "#3c9d5b", "#d9534a", "#3f8fd9"


def question(scene: Scene, names: Names = None) -> str:
    """The sentence that says what is going on."""
    who = names_of(scene, names)
    if scene.phase == "over":
        return "The game is over."
    if scene.phase == "card":
        return f"{who[scene.dealer]} turns the next card."
    tick = f"tick {scene.tick + 1} of {scene.ticks}"
    if scene.phase == "tap":
        lowest = f"the lowest hand is {who[scene.hands[0]]}'s" if scene.hands else "whose hand is first?"
        return f"A tap card, {tick}: {lowest}"
    return f"A symbol card, {tick}: who takes what?"


def counted(scene: Scene) -> str:
    """Which card it is."""
    # `turn` counts the cards that are over; people call the one that lies there by the next number.
    return f"after {scene.turn} cards" if scene.phase == "over" else f"card {scene.turn + 1}"


def human(scene: Scene, color: bool | None = None, names: Names = None, scores: Scores = None) -> None:
    """Print the text picture."""
    print(ansi(scene, color, names, scores), flush=True)


def ansi(scene: Scene, color: bool | None = None, names: Names = None, scores: Scores = None) -> str:
    """A picture for a terminal of 80 columns, complete without colours.

    `color=None` colours only if standard output is a terminal and NO_COLOR is unset.
    """
    paint = painter(color, STYLES)
    who = [cut(name, NAME_COLUMNS) for name in names_of(scene, names)]
    rule = "-" * COLUMNS
    score = "" if scores is None else "   score"
    lines = [f"PORCA MISERIA, {counted(scene)}", rule]
    lines.append(f"   {'lucky numbers':<{NAME_COLUMNS}}            last glance   hands{score}")
    for seat, name in enumerate(who):
        numbers = " ".join(map(str, scene.lucky_numbers[seat]))
        glance = " ".join(f"{letter}{n:<2}" for letter, n in zip(LETTERS, _glance(scene, seat), strict=False)) or "-"
        hands = scene.hands.count(seat) or "."
        dealer = seat == scene.dealer and scene.phase != "over"
        line = f"{'>' if dealer else ' '}  {name:<{NAME_COLUMNS}}   {numbers:<5}    {glance:<11}   {hands:>5}"
        if scores is not None:
            line += f"   {scores[seat]:>5}"
        lines.append((paint(line, "dealer") if dealer else line) + _taken_by(scene, seat, paint))
    lines.append(rule)
    lines.append(f"   card         {_face(scene)}")
    lines.append(f"   middle       {listed([SYMBOLS[symbol] for symbol in scene.middle]) or 'no lucky card'}")
    if scene.phase == "tap":
        order = " < ".join(who[seat] for seat in scene.hands) or "none"
        lines += [f"   {line}" for line in wrapped_question(f"hands        {order}", COLUMNS - 3)]
    lines.append(f"   pile {scene.pile}, jackpot {scene.jackpot}   (> dealer)")
    sentence = wrapped_question(question(scene, names))
    return "\n".join([*lines, rule, *(paint(line, "asked") for line in sentence)])


def _glance(scene: Scene, seat: int) -> list[int]:
    return scene.glances[seat] if scene.glances else []


def _taken_by(scene: Scene, seat: int, paint: Callable[[str, str], str]) -> str:
    """What a seat has taken of this card: "+pig" rightly, "-pig" wrongly."""
    found = [(symbol, right) for taker, symbol, right in scene.taken if taker == seat]
    return "".join("   " + paint(f"{'+' if r else '-'}{SYMBOLS[s]}", "right" if r else "wrong") for s, r in found)


def _face(scene: Scene) -> str:
    if scene.shows:
        return ", ".join(f"{count} {name}{'s' * (count > 1)}" for name, count in zip(SYMBOLS, scene.shows, strict=True))
    return "none" if scene.symbol is None else f"TAP! (a {SYMBOLS[scene.symbol]})"


# ---------------------------------------------------------------------------------- image


def rgb_array(
    scene: Scene,
    names: Names = None,
    scores: Scores = None,
    width: int = UNITS_WIDE,
) -> NDArray[np.uint8]:
    """A drawing as an array (3/4 width, width, 3), equally high for every scene."""
    canvas = canvas_of(width)
    who = [plain(name) for name in names_of(scene, names)]
    canvas.box(0, 0, UNITS_WIDE, HEADER_HIGH, HEADER)
    sentence = question(scene, [cut(name, NAME_COLUMNS) for name in who])
    canvas.text(MARGIN, HEADER_HIGH / 2, sentence, 18, LIGHT, "l", fit=510)
    canvas.text(UNITS_WIDE - MARGIN, HEADER_HIGH / 2, counted(scene), 13, LIGHT_SOFT, "r")
    _draw_lucky_cards(canvas, scene, who)
    _draw_card(canvas, scene, who)
    _draw_side(canvas, scene)
    _draw_players(canvas, scene, who, scores)
    return canvas.pixels()


def _draw_lucky_cards(canvas: Canvas, scene: Scene, who: list[str]) -> None:
    """The three places of the middle: a lucky card, or who has taken it."""
    left, top, right, bottom = LUCKY_BOX
    canvas.box(left, top, right - left, bottom - top, FELT, 12)
    canvas.text(left + 14, top + 17, "Lucky cards", 14, LIGHT, "l")
    takers = {symbol: (seat, rightly) for seat, symbol, rightly in scene.taken}
    high = 64
    for symbol, name in enumerate(SYMBOLS):
        y = top + 34 + symbol * (high + 6)
        x, wide = left + 14, 56
        if symbol in scene.middle:
            canvas.box(x, y + 3, wide, high, SHADOW, 8)
            canvas.box(x, y, wide, high, PAPER, 8)
            draw_symbol(canvas, x + wide / 2, y + high / 2, 40, symbol)
            canvas.text(x + wide + 12, y + high / 2, name, 13, LIGHT, "l")
            continue
        canvas.box(x, y, wide, high, RECESS, 8)
        if symbol in takers:
            seat, rightly = takers[symbol]
            _draw_mark(canvas, x + wide / 2, y + high / 2, 14, rightly)
            canvas.text(x + wide + 12, y + high / 2 - 9, who[seat], 13, LIGHT, "l", fit=right - x - wide - 20)
            canvas.text(x + wide + 12, y + high / 2 + 9, "right" if rightly else "wrong", 12, LIGHT_SOFT, "l")


def _draw_mark(canvas: Canvas, x: float, y: float, radius: float, rightly: bool) -> None:
    """A tick or a cross."""
    canvas.circle(x, y, radius, RIGHT if rightly else WRONG)
    u = radius * 0.45
    if rightly:
        canvas.line([(x - u, y), (x - u / 4, y + u * 0.8), (x + u * 1.1, y - u * 0.8)], LIGHT, radius / 4)
    else:
        canvas.line([(x - u, y - u), (x + u, y + u)], LIGHT, radius / 4)
        canvas.line([(x - u, y + u), (x + u, y - u)], LIGHT, radius / 4)


def _draw_card(canvas: Canvas, scene: Scene, who: list[str]) -> None:
    """The card that lies there, or its empty place."""
    left, top, right, bottom = CARD_BOX
    wide, high = right - left, bottom - top
    if not scene.shows and scene.symbol is None:
        canvas.box(left, top, wide, high, RECESS, 14)
        return
    canvas.box(left, top + 4, wide, high, SHADOW, 14)
    canvas.box(left, top, wide, high, PAPER, 14)
    if scene.shows:
        symbols = [symbol for symbol, count in enumerate(scene.shows) for _ in range(count)]
        size = min(wide, high) / CELLS
        for k, symbol in enumerate(symbols):
            cell = (3 + 7 * k) % CELLS**2  # scattered: every place once, neighbours rarely alike
            x, y = left + wide * (cell % CELLS + 0.5) / CELLS, top + high * (cell // CELLS + 0.5) / CELLS
            draw_symbol(canvas, x, y, size * 0.78, symbol)
        return
    assert scene.symbol is not None
    draw_symbol(canvas, left + wide / 2, top + 46, 56, scene.symbol)
    canvas.text(left + wide / 2, top + 96, "TAP!", 34, INK, bold=True)
    shown = scene.hands[-6:]  # the topmost ones
    for k, seat in enumerate(shown):  # the lowest hand lies lowest
        y = bottom - 18 - 21 * k
        _draw_hand(canvas, left + 26, y, wide - 52, who[seat], seat)
    if len(shown) < len(scene.hands):
        canvas.text(left + 14, bottom - 18, "...", 14, INK)
    if not scene.hands:
        canvas.text(left + wide / 2, bottom - 60, "no hand yet", 14, INK)


def _draw_hand(canvas: Canvas, x: float, y: float, wide: float, name: str, seat: int) -> None:
    """An arm that comes from the left or the right, by seat, with its owner's name."""
    canvas.box(x, y - 9, wide, 18, SKIN, 9)
    for k in range(3):
        edge = x + wide - 16 if seat % 2 == 0 else x + 4
        canvas.box(edge, y - 6 + 4.6 * k, 12, 1, STEM)
    canvas.box(x if seat % 2 == 0 else x + wide - 16, y - 9, 16, 18, CUFF, 4)
    canvas.text(x + wide / 2, y, name, 12, INK, fit=wide - 48)


def _draw_side(canvas: Canvas, scene: Scene) -> None:
    """Pile and jackpot, as stacks of backs."""
    left, top, right, bottom = SIDE_BOX
    canvas.box(left, top, right - left, bottom - top, FELT, 12)
    center = (left + right) / 2
    for y, name, count, color, light in (
        (top, "Pile", scene.pile, BACK, BACK_LIGHT),
        (top + 126, "Jackpot", scene.jackpot, JACKPOT, PAPER),
    ):
        canvas.text(left + 14, y + 17, name, 14, LIGHT, "l")
        canvas.text(right - 14, y + 17, str(count), 16, LIGHT, "r", bold=True)
        canvas.box(center - 36, y + 36, 72, 78, RECESS, 8)
        layers = min(count, 2 + count // 8)
        for k in range(layers):
            canvas.box(center - 36 + k, y + 36 - 1.5 * k, 72, 78, SHADOW, 8)
            canvas.box(center - 36 + k, y + 35 - 1.5 * k, 72, 77, color, 8)
        if layers:
            dx, dy = layers - 1, -1.5 * (layers - 1)
            canvas.box(center - 29 + dx, y + 42 + dy, 58, 63, light, 6)
            canvas.box(center - 26 + dx, y + 45 + dy, 52, 57, color, 5)
            canvas.text(center + dx, y + 73 + dy, "?", 34, light, bold=True)


def _draw_players(canvas: Canvas, scene: Scene, who: list[str], scores: Scores) -> None:
    over, top, high = scene.phase == "over", PANELS_TOP, PANELS_BOTTOM - PANELS_TOP
    step = (UNITS_WIDE - 2 * MARGIN + GAP) / scene.num_players
    wide = step - GAP
    for seat in range(scene.num_players):
        x = MARGIN + seat * step
        ahead = scores is not None and scores[seat] == max(scores)
        lit = ahead if over else seat == scene.dealer
        name = who[seat] if scene.num_players <= 5 or scores is None else who[seat].removeprefix("player_")
        draw_panel(canvas, (x, top, wide, high), name, None if scores is None else scores[seat], lit, False)
        center, numbers = x + wide / 2, scene.lucky_numbers[seat]
        apart = min(30.0, (wide - 8) / max(2, len(numbers)))
        for k, number in enumerate(numbers):
            at = center + (k - (len(numbers) - 1) / 2) * apart
            canvas.circle(at, top + 51, min(13.0, apart / 2 - 1), HEADER)
            canvas.text(at, top + 51, str(number), 15, LIGHT, bold=True)
        _draw_glance(canvas, center, top + 92, wide, _glance(scene, seat))
        took = [(symbol, rightly) for taker, symbol, rightly in scene.taken if taker == seat]
        for k, (symbol, rightly) in enumerate(took):
            at = center + (k - (len(took) - 1) / 2) * 20
            draw_symbol(canvas, at, top + 128, 17, symbol)
            _draw_mark(canvas, at + 7, top + 135, 4.5, rightly)
        if seat == scene.dealer and not over and not took:
            canvas.text(center, top + 130, "deals", 11, INK)


def _draw_glance(canvas: Canvas, x: float, y: float, wide: float, glance: list[int]) -> None:
    """What somebody has just counted."""
    if not glance:
        return
    apart = min(34.0, (wide - 6) / len(glance))
    for symbol, count in enumerate(glance):
        at = x + (symbol - 1) * apart
        draw_symbol(canvas, at, y - 9, min(20.0, apart - 2), symbol)
        canvas.text(at, y + 13, str(count), 14, INK)


# ---------------------------------------------------------------------------------- symbols


def draw_symbol(canvas: Canvas, x: float, y: float, size: float, symbol: int) -> None:
    """A mushroom, a pig or a chimney sweep, around a point."""
    (_draw_mushroom, _draw_pig, _draw_sweep)[symbol](canvas, x, y, size / 2)


def _draw_mushroom(canvas: Canvas, x: float, y: float, r: float) -> None:
    canvas.polygon([(x - 0.3 * r, y), (x + 0.3 * r, y), (x + 0.4 * r, y + 0.9 * r), (x - 0.4 * r, y + 0.9 * r)], STEM)
    arc = [(x - r * math.cos(a), y + 0.15 * r - 1.05 * r * math.sin(a)) for a in np.linspace(0, math.pi, 25)]
    canvas.polygon(arc, CAP)
    for u, v, radius in ((-0.5, -0.2, 0.15), (0.05, -0.55, 0.19), (0.52, -0.18, 0.14), (0.0, -0.05, 0.1)):
        canvas.circle(x + u * r, y + v * r, radius * r, SPOT)


def _draw_pig(canvas: Canvas, x: float, y: float, r: float) -> None:
    for side in (-1, 1):
        ear = ((0.35, -0.62), (0.92, -0.95), (0.82, -0.25))
        canvas.polygon([(x + side * u * r, y + v * r) for u, v in ear], SNOUT)
    canvas.circle(x, y + 0.05 * r, 0.86 * r, PIG)
    canvas.circle(x, y + 0.3 * r, 0.4 * r, SNOUT)
    for side in (-1, 1):
        canvas.circle(x + side * 0.36 * r, y - 0.22 * r, 0.11 * r, INK)
        canvas.circle(x + side * 0.15 * r, y + 0.3 * r, 0.1 * r, NOSTRIL)


def _draw_sweep(canvas: Canvas, x: float, y: float, r: float) -> None:
    shoulders = ((-0.75, 0.95), (-0.4, 0.3), (0.4, 0.3), (0.75, 0.95))
    canvas.polygon([(x + u * r, y + v * r) for u, v in shoulders], SOOT)
    canvas.circle(x, y + 0.02 * r, 0.42 * r, SKIN)
    canvas.box(x - 0.62 * r, y - 0.36 * r, 1.24 * r, 0.14 * r, SOOT)
    canvas.box(x - 0.38 * r, y - 0.98 * r, 0.76 * r, 0.68 * r, SOOT)
    canvas.box(x - 0.38 * r, y - 0.5 * r, 0.76 * r, 0.12 * r, HATBAND)
    for side in (-1, 1):
        canvas.circle(x + side * 0.15 * r, y - 0.04 * r, 0.06 * r, INK)
    canvas.line([(x - 0.14 * r, y + 0.2 * r), (x + 0.14 * r, y + 0.2 * r)], INK, 0.06 * r)
