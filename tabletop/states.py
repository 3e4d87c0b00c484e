"""Games as records in an array: what compiled rules are given from Python, looked at before.

A game's dtype has at least the fields `num_players`, `phase`, `to_act` and `turn`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pechvogel.tabletop.checks import check_whole
from pechvogel.tabletop.compile import JIT
from pechvogel.tabletop.guards import check_array, check_whole_numbers, check_writeable


def records(num_games: int, dtype: np.dtype[np.void]) -> NDArray[np.void]:
    """Room for games."""
    states = np.zeros(num_games, dtype)
    # Compiled code reads fields as attributes; without numba only a recarray can, which is slower to hand over.
    return states if JIT else states.view(np.recarray)


class Checks:
    """For the functions of a game's rules (`tabletop.guards.checked`): what is wrong is a ValueError."""

    def __init__(self, dtype: np.dtype[np.void], num_actions: int) -> None:
        self.dtype, self.num_actions = dtype, num_actions

    def game(self, states: Any, i: Any) -> None:
        """Refuse what is no array of games, or no game's number in it."""
        check_array("states", states, self.dtype)
        if type(i) is not int or not 0 <= i < len(states):
            check_whole("i", i, 0, len(states) - 1)

    def change(self, states: Any, i: Any) -> None:
        """The same for a game that will change."""
        self.game(states, i)
        check_writeable("states", states)

    def throw(self, states: Any, i: Any, faces: Any) -> None:
        """Faces or their counts must be whole numbers; the rules look at the rest."""
        self.change(states, i)
        check_whole_numbers("a throw", faces)

    def action(self, states: Any, i: Any, action: Any) -> None:
        """An action must be one; the rules say whether it is legal."""
        self.change(states, i)
        whole = isinstance(action, (int, np.integer)) and not isinstance(action, bool)
        if not whole or not 0 <= action < self.num_actions:
            raise ValueError("that action is illegal: see legal_bits")

    def seat(self, states: Any, i: Any, seat: Any) -> None:
        """A seat must be one of the game."""
        self.game(states, i)
        check_whole("seat", seat, 0, int(states["num_players"][i]) - 1)

    def rewards(self, states: Any, i: Any, out: Any, row: Any) -> None:
        """Rewards go into a row of floats that is long enough."""
        self.game(states, i)
        num_players = int(states["num_players"][i])
        if not isinstance(out, np.ndarray) or out.dtype.kind != "f" or out.ndim != 2 or out.shape[1] < num_players:
            raise ValueError(f"out must be an array of floats with rows of {num_players}")
        check_writeable("out", out)
        check_whole("row", row, 0, len(out) - 1)

    def scores(self, states: Any, games: Any, scores: Any) -> None:
        """Points go into a row for each of some games."""
        check_array("states", states, self.dtype)
        check_array("games", games, np.int64)
        check_array("scores", scores, np.int32, 2)
        if len(games) != len(scores):
            raise ValueError(f"scores must have a row for each of {len(games)} games, not {len(scores)}")
        if not len(games):
            return
        if not 0 <= games.min() <= games.max() < len(states) or states["num_players"][games].max() > scores.shape[1]:
            raise ValueError("games must be numbers of states, with no more players than a row of scores has numbers")
        check_writeable("scores", scores)

    def observations(self, states: Any, games: Any, start: Any, stop: Any, observers: Any, out: Any) -> None:
        """Observations of games[start..stop-1] go into rows of out."""
        check_array("states", states, self.dtype)
        check_array("games", games, np.int64)
        check_array("observers", observers, np.int8)
        check_array("out", out, np.float32, 2)
        check_writeable("out", out)
        check_whole("stop", stop, 0, len(games))
        check_whole("start", start, 0, stop)
