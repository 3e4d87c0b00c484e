"""A game of Lucky Loser at a table; `play.table` has what is the same for every game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from lucky_loser_env import record, rules
from lucky_loser_env.dice import script, throw_of
from lucky_loser_env.kind import KIND
from lucky_loser_env.position import Position, load, position_of
from lucky_loser_env.rules import FACES, NUM_DICE, Phase, States
from pechvogel.play import table


class Table(table.Table):
    """See `play.table`. A turn is one throw (L6) and one decision."""

    kind = KIND
    rules: ClassVar[Any] = rules
    recorded: ClassVar[Any] = record
    over_phase = int(Phase.OVER)
    faces = frozenset(map(str, FACES))

    def _lay(self) -> None:
        if self.start is None:
            rules.new_game(self.states, 0, self.num_players, self.variant["row_lengths"], self.first_player)
        else:
            load(self.start, self.states, 0)

    @staticmethod
    def position_of(states: States) -> Position:
        """What players see of a state."""
        return position_of(states, 0)

    def _due(self) -> int:
        return NUM_DICE

    def seeded(self, seed: int) -> list[int]:
        """The dice of a seed for the throw that is next."""
        return throw_of(seed, int(self.states["turn"][0]))

    def _script(self, faces: Sequence[int]) -> list[int]:
        return [int(face) for face in script(faces)]
