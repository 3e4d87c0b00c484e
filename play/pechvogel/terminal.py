"""Pechvogel in the terminal: see `play.terminal`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.table import Table as Grid
from rich.text import Text

from pechvogel.play import terminal
from pechvogel.play.games import offer
from pechvogel.play.pechvogel import coach
from pechvogel.play.terminal import ME as ME
from pechvogel.play.terminal import PlayerQuitsError as PlayerQuitsError
from pechvogel_env.kind import KIND
from pechvogel_env.position import Position
from pechvogel_env.rules import FIRST_VALUE

COLOURS = {3: "yellow", 4: "green", 5: "blue", 6: "magenta", 7: "red"}


class TerminalGame(terminal.TerminalGame):
    """One person and agents at a table."""

    game = offer(KIND.name)

    def _choices(self, position: Position) -> list[tuple[int, str]]:
        return [(action, self.words.action(action, position)) for action in self.table.legal()]

    def _advised(self, row: Mapping[str, Any], best: bool, position: Position) -> str:
        words = self.words
        lines = [f"{super()._advised(row, best, position)} {words.reason(row['reason'], position)}"]
        if position.phase not in ("take", "discard"):  # those end the turn in one way only
            lines += [f"       {case}" for case in words.cases(row)]
        return "\n".join(lines)

    def _because(self, row: Mapping[str, Any], position: Position) -> str:
        told = next(found for found in coach.advise(position)["actions"] if found["action"] == row["action"])
        return str(self.words.reason(told["reason"], position))

    def _faces(self) -> str:
        return f" (0 = {self.words.say('raven')})"

    def _picture(self, position: Position) -> RenderableType:
        words = self.words
        grid = Grid.grid(padding=(0, 2))
        for seat, player in enumerate(position.players):
            name = Text(words.name(seat), style="bold" if seat == position.active else "")
            badges = []
            if player.frustrations:
                badges.append(f"{words.say('frustrations')}: {player.frustrations}")
            if position.murphy == seat:
                badges.append(words.say("murphy"))
            points = f"{self.table.scores()[seat]} {words.say('score')}"
            grid.add_row(name, points, _markers(player.markers), Text(", ".join(badges), style="red"))
        grid.add_row(Text(words.say("middle"), style="italic"), "", _markers(position.middle), "")
        if position.phase != "over":
            dice = " ".join("^" if face == 0 else str(face) for face in position.last_throw)
            target = "-" if position.target is None else f"{position.target} x {position.targets}"
            board = f"{words.say('target')}: {target}   {words.say('ravens')}: {position.ravens}"
            grid.add_row(Text(words.say("board"), style="italic"), "", board, "")
            grid.add_row(Text(words.say("throw"), style="italic"), "", dice, "")
        return grid


def _markers(counts: Sequence[int]) -> Text:
    text = Text()
    for k, count in enumerate(counts):
        text.append(f"{k + FIRST_VALUE} " * count, style=COLOURS[k + FIRST_VALUE])
    return text
