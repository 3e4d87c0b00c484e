"""A game of Pechvogel at a table; `play.table` has what is the same for every game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from pechvogel.play import table
from pechvogel.play.table import Seeds as Seeds
from pechvogel.play.table import Step as Step
from pechvogel.play.table import TableError as TableError
from pechvogel_env import record, rules
from pechvogel_env.dice import script, throw_of
from pechvogel_env.game import play_passes
from pechvogel_env.kind import KIND
from pechvogel_env.position import Position, load, position_of
from pechvogel_env.rules import Phase, States


class Table(table.Table):
    """See `play.table`. Turns may end by passes (R20 ends the game)."""

    kind = KIND
    rules: ClassVar[Any] = rules
    recorded: ClassVar[Any] = record
    over_phase = int(Phase.OVER)
    faces = frozenset("034567")

    def _lay(self) -> None:
        if self.start is None:
            copies, italian_reading = self.variant["copies"], self.variant["italian_reading"]
            rules.new_game(self.states, 0, self.num_players, copies, italian_reading, self.first_player)
        else:
            load(self.start, self.states, 0)

    @staticmethod
    def position_of(states: States) -> Position:
        """What players see of a state."""
        return position_of(states, 0)

    def _due(self) -> int:
        return int(rules.dice_to_throw(self.states, 0))

    def seeded(self, seed: int) -> list[int]:
        """The dice of a seed for the throw that is next."""
        turn, throws = int(self.states["turn"][0]), int(self.states["throws"][0])
        return throw_of(seed, turn, throws, self._due())

    def _script(self, faces: Sequence[int]) -> list[int]:
        return [int(face) for face in script(faces)]

    def _pass(self, before: States) -> bool:
        return bool(play_passes(self.states, 0, before))
