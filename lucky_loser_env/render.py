"""Pictures of a position: text for terminals (`ansi`, `human`) and pixels (`rgb_array`).

Nothing here knows a rule. A picture shows what the position says; scores are shown only if the caller, who has asked
the engine for them, passes them. Images have names in plain ASCII letters only (`tabletop.drawing`); the text picture
shows them as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lucky_loser_env.rules import BONUS, NUM_DICE, NUM_ROWS, SUMS
from pechvogel.tabletop.drawing import (
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
    UNITS_WIDE,
    Canvas,
    Names,
    Scores,
    canvas_of,
    cut,
    draw_header,
    draw_panel,
    names_of,
    painter,
    plain,
    turn_of,
    wrapped_question,
)

if TYPE_CHECKING:
    from lucky_loser_env.position import Position

# --- text ---
STYLES = {"x": "1;32", "closed": "2", "active": "1;33", "asked": "1;36"}
SEAT_MARKS = "ABCD"  # pieces by seat

# --- image, in the units of `tabletop.drawing` ---
DIE = 50
BOARD_BOX = (16, 56, 494, 316)
SIDE_BOX = (504, 56, 624, 316)
ROW_HIGH = 40
STACK_LEFT = 128
PANELS_TOP, PANELS_BOTTOM = 334, 466
SEAT_COLORS = ("#d9534a", "#3f8fd9", "#e0a526", "#58a55c")
ROW_COLORS = ("#2f86c9", "#2a9d6f", "#c99a1b", "#dd7530", "#c4447a", "#7a4fc9")
CARD = "#f6e3a1"
PIPS = {  # in quarters of a die
    1: ((2, 2),),
    2: ((1, 1), (3, 3)),
    3: ((1, 1), (2, 2), (3, 3)),
    4: ((1, 1), (1, 3), (3, 1), (3, 3)),
    5: ((1, 1), (1, 3), (2, 2), (3, 1), (3, 3)),
    6: ((1, 1), (1, 2), (1, 3), (3, 1), (3, 2), (3, 3)),
}


def question(position: Position, names: Names = None) -> str:
    """The sentence that says who is asked what."""
    who = names_of(position, names)
    if position.phase == "over":
        return "The game is over."
    if position.to_act is None:
        return f"The dice are next: {who[position.active]} throws."
    return f"{who[position.to_act]} is asked: which groups?"


def human(position: Position, color: bool | None = None, names: Names = None, scores: Scores = None) -> None:
    """Print the text picture."""
    print(ansi(position, color, names, scores), flush=True)


def ansi(position: Position, color: bool | None = None, names: Names = None, scores: Scores = None) -> str:
    """A picture for a terminal of 80 columns, complete without colours.

    `color=None` colours only if standard output is a terminal and NO_COLOR is unset.
    """
    paint = painter(color, STYLES)
    who = [cut(name, NAME_COLUMNS) for name in names_of(position, names)]
    rule, over = "-" * COLUMNS, position.phase == "over"
    lines = [f"LUCKY LOSER, {turn_of(position)}", rule, "   row   chips left   squares, the last is the X"]
    for row, sum_ in enumerate(SUMS):
        squares = "  ".join(_square(position, row, place) for place in range(1, position.row_lengths[row] + 1))
        line = f"   {sum_:>3}   {position.stacks[row]:>10}   {squares}"
        lines.append(line if position.stacks[row] else paint(f"   {sum_:>3}   {'closed':>10}", "closed"))
    heads = "".join(f"{sum_:>4}" for sum_ in SUMS) + "   cards" + ("" if scores is None else "   score")
    lines += [rule, f"   {'chips':<{NAME_COLUMNS + 2}}   {heads}"]
    for seat, (name, player) in enumerate(zip(who, position.players, strict=True)):
        asked, active = seat == position.to_act, seat == position.active and not over
        line = f"{'>' if active else ' '}{'?' if asked else ' '} {SEAT_MARKS[seat]} {name:<{NAME_COLUMNS}}   "
        line += "".join(f"{count or '.':>4}" for count in player.chips) + f"   {player.bonus or '-':>5}"
        if scores is not None:
            line += f"   {scores[seat]:>5}"
        lines.append(paint(line, "asked" if asked else "active") if asked or active else line)
    cards = "  ".join(map(str, position.bonus)) or "none"
    throw = "  ".join(map(str, position.last_throw)) or "-"
    begins = f"{SEAT_MARKS[position.first]} begins every round"
    lines += [rule, f"   bonus cards  {cards:<12}   last throw  {throw:<12}   {begins}", rule]
    return "\n".join([*lines, *(paint(line, "asked") for line in wrapped_question(question(position, names)))])


def _square(position: Position, row: int, place: int) -> str:
    """Who stands there: the marks of the seats, else a dot or the X."""
    pieces = "".join(mark for mark, p in zip(SEAT_MARKS, position.players, strict=False) if p.places[row] == place)
    return f"[{pieces or 'X'}]" if place == position.row_lengths[row] else f"{pieces or '.':<4}"


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
    _draw_board(canvas, position)
    _draw_side(canvas, position)
    _draw_players(canvas, position, who, scores)
    return canvas.pixels()


def _draw_board(canvas: Canvas, position: Position) -> None:
    """The rows: their sum, the stack of chips, and the squares with the pieces on them."""
    left, top, right, bottom = BOARD_BOX
    canvas.box(left, top, right - left, bottom - top, FELT, 12)
    squares_left, squares_right = left + STACK_LEFT, right - 12
    for row in range(NUM_ROWS):
        y = top + 10 + row * ROW_HIGH + ROW_HIGH / 2
        stack = position.stacks[row]
        color = ROW_COLORS[row] if stack else RECESS
        canvas.circle(left + 26, y, 15, color)
        canvas.text(left + 26, y, str(SUMS[row]), 17, LIGHT if stack else LIGHT_SOFT, bold=True)
        if not stack:
            canvas.text(left + 50, y, "closed", 13, LIGHT_SOFT, "l")
            continue
        for k in range(stack):  # a pile, seen from the side
            canvas.box(left + 50 + 4 * k, y - 9, 3, 18, color, 1)
        canvas.text(left + 106, y, f"x{stack}", 13, LIGHT, "l")
        length = position.row_lengths[row]
        step = min(88.0, (squares_right - squares_left) / length)
        for place in range(1, length + 1):
            _draw_square(canvas, position, row, place, squares_left + (place - 1) * step, y, step - 4)


def _draw_square(canvas: Canvas, position: Position, row: int, place: int, x: float, y: float, wide: float) -> None:
    is_x = place == position.row_lengths[row]
    high = ROW_HIGH - 6
    canvas.box(x, y - high / 2, wide, high, ROW_COLORS[row] if is_x else RECESS, 6)
    canvas.text(x + wide / 2, y, "X" if is_x else str(place), 18 if is_x else 13, LIGHT if is_x else LIGHT_SOFT)
    here = [seat for seat, player in enumerate(position.players) if player.places[row] == place]
    apart = min(20.0, (wide - 4) / max(1, len(here)))
    for k, seat in enumerate(here):
        _draw_piece(canvas, x + wide / 2 + (k - (len(here) - 1) / 2) * apart, y, min(10.0, wide / 4 + 3), seat)


def _draw_piece(canvas: Canvas, x: float, y: float, radius: float, seat: int) -> None:
    canvas.circle(x, y + radius / 8, radius + 1.5, SHADOW)
    canvas.circle(x, y, radius, LIGHT)
    canvas.circle(x, y, radius - 1.6, SEAT_COLORS[seat])
    canvas.text(x, y, SEAT_MARKS[seat], radius * 1.2, LIGHT, bold=True)


def _draw_side(canvas: Canvas, position: Position) -> None:
    """The dice of the last throw, or empty places for them; the bonus cards, those that were taken pale."""
    left, top, right, bottom = SIDE_BOX
    canvas.box(left, top, right - left, bottom - top, FELT, 12)
    canvas.text(left + 10, top + 15, "Last throw", 12, LIGHT_SOFT, "l")
    for k in range(NUM_DICE):
        x, y = left + 7 + k % 2 * (DIE + 6), top + 27 + k // 2 * (DIE + 6)
        if position.last_throw:
            _draw_die(canvas, x, y, DIE, position.last_throw[k])
        else:
            canvas.box(x, y, DIE, DIE, SHADOW, DIE / 6)
    canvas.text(left + 10, top + 155, "Bonus cards", 12, LIGHT_SOFT, "l")
    for k, points in enumerate(BONUS):
        x, y = left + 10 + k % 2 * 52, top + 167 + k // 2 * 43
        there = points in position.bonus
        canvas.box(x, y, 48, 38, CARD if there else RECESS, 6)
        canvas.text(x + 24, y + 19, str(points), 18, INK if there else LIGHT_SOFT, bold=there)


def _draw_die(canvas: Canvas, x: float, y: float, size: float, face: int) -> None:
    canvas.box(x, y + size / 16, size, size, SHADOW, size / 6)
    canvas.box(x, y, size, size, PAPER, size / 6)
    for u, v in PIPS[face]:
        canvas.circle(x + size * u / 4, y + size * v / 4, size * 0.085, INK)


def _draw_players(canvas: Canvas, position: Position, who: list[str], scores: Scores) -> None:
    over, top, high = position.phase == "over", PANELS_TOP, PANELS_BOTTOM - PANELS_TOP
    step = (UNITS_WIDE - 2 * MARGIN + GAP) / position.num_players
    wide = step - GAP
    for seat, player in enumerate(position.players):
        x = MARGIN + seat * step
        ahead = scores is not None and scores[seat] == max(scores)
        lit = ahead if over else seat == position.active
        score = None if scores is None else scores[seat]
        draw_panel(canvas, (x, top, wide, high), who[seat], score, lit, seat == position.to_act, indent=32)
        _draw_piece(canvas, x + 17, top + 15, 9, seat)
        center, apart = x + wide / 2, min(40, (wide - 12) / NUM_ROWS)
        for row, count in enumerate(player.chips):
            at = center + (row - (NUM_ROWS - 1) / 2) * apart
            canvas.circle(at, top + 55, 10, ROW_COLORS[row] if count else PAPER_SOFT)
            canvas.text(at, top + 55, str(SUMS[row]), 11, LIGHT, bold=True)
            canvas.text(at, top + 77, f"x{count}" if count else "-", 13, INK)
        if player.bonus:
            canvas.box(center - 44, top + 92, 88, 18, CARD, 6)
            canvas.text(center, top + 101, f"bonus {player.bonus}", 12, INK, bold=True)
        if seat == position.first:
            canvas.text(center, top + 121, "begins every round", 11, INK, fit=wide - 10)
