"""Lucky Loser in the terminal: see `play.terminal`."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from lucky_loser_env.kind import KIND
from lucky_loser_env.position import Position
from lucky_loser_env.rules import SUMS
from pechvogel.play import terminal
from pechvogel.play.games import offer
from pechvogel.play.lucky_loser.events import choices
from pechvogel.play.terminal import ME as ME
from pechvogel.play.terminal import PlayerQuitsError as PlayerQuitsError

COLOURS = ("red", "blue", "yellow", "green")  # of seats
LETTERS = "ABCD"  # of pieces
EMPTY = "\N{MIDDLE DOT}"


class TerminalGame(terminal.TerminalGame):
    """One person and agents at a table."""

    game = offer(KIND.name)

    def _choices(self, position: Position) -> list[tuple[int, str]]:
        found = choices(self.table.states, self.table.legal())
        return [(one["action"], self.words.choice(one)) for one in found]

    def _picture(self, position: Position) -> RenderableType:
        words = self.words
        rows = Grid(box=None, padding=(0, 1), show_edge=False)
        rows.add_column(words.say("row"), justify="right")
        longest = max(position.row_lengths)
        for _ in range(longest):
            rows.add_column("", min_width=1 + position.num_players, no_wrap=True)
        rows.add_column(words.say("stack"), justify="right")
        for row, value in enumerate(SUMS):
            rows.add_row(str(value), *self._squares(position, row, longest), _stack(position.stacks[row]))
        people = Grid(box=None, padding=(0, 1), show_edge=False)
        people.add_column("")
        people.add_column(words.say("score"), justify="right")
        for value in SUMS:
            people.add_column(str(value), justify="right")
        people.add_column(words.say("bonus"), justify="right")
        for seat, player in enumerate(position.players):
            name = Text(f"{LETTERS[seat]} {words.name(seat)}", style=COLOURS[seat])
            name.stylize("bold" if seat == position.active else "")
            chips = [str(count) if count else EMPTY for count in player.chips]
            people.add_row(name, str(self.table.scores()[seat]), *chips, str(player.bonus) if player.bonus else EMPTY)
        cards = ", ".join(map(str, position.bonus)) or words.say("bonus.none")
        parts: list[RenderableType] = [rows, Text(f"{words.say('bonus')}: {cards}\n", style="italic"), people]
        if position.last_throw:
            lucky = f"  {words.say('lucky')}!" if position.last_throw.count(1) > 1 else ""
            dice = Text("  ".join(map(str, position.last_throw)), style="bold")
            parts += [Text(), Text.assemble((f"{words.say('throw')}: ", "italic"), dice, lucky)]
        return Group(*parts)

    def _squares(self, position: Position, row: int, longest: int) -> list[Text]:
        """The squares of a row with the pieces on them; the last is the X."""
        length, found = position.row_lengths[row], []
        for place in range(1, longest + 1):
            on = [seat for seat, player in enumerate(position.players) if player.places[row] == place]
            sign = "" if place > length else "X" if place == length else str(place)
            text = Text(sign, style="bold" if sign == "X" else "dim")
            for seat in on:
                text.append(LETTERS[seat], style=f"bold {COLOURS[seat]}")
            found.append(text if position.stacks[row] else Text("-" if sign else "", style="dim"))
        return found


def _stack(count: int) -> Text:
    return Text(str(count)) if count else Text("-", style="dim")
