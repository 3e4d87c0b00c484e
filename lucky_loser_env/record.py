"""Recorded games: one JSON line each, from which the whole game is rebuilt and verified.

    {"format": "lucky-loser-game-1", "num_players": 2, "row_lengths": [4, 4, 4, 4, 4, 4], "max_turns": null,
     "position": null, "first_player": 0, "seed": 7, "scripted": 0, "dice": [...], "actions": [...],
     "scores": [112, 95], "sha256": "..."}

`dice` are all faces in the order thrown; the first `scripted` of them were given, the others must be those of the seed.
`actions` are the decisions, forced actions left out. `position` is where the game started, unless it was a fresh one.
`sha256` is over the other fields as compact JSON with sorted keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lucky_loser_env.game import Game
from pechvogel.tabletop.record import MAX_LINE as MAX_LINE
from pechvogel.tabletop.record import PROOF as PROOF
from pechvogel.tabletop.record import DiceRecords
from pechvogel.tabletop.record import RecordError as RecordError
from pechvogel.tabletop.record import append as append

FORMAT = "lucky-loser-game-1"


def _make(settings: Mapping[str, Any]) -> Game:
    return Game(settings["num_players"], settings["row_lengths"], max_turns=settings["max_turns"], keep_dice=True)


RECORDS = DiceRecords(FORMAT, ("row_lengths",), _make)
of_game, steps, verify, read = RECORDS.of_game, RECORDS.steps, RECORDS.verify, RECORDS.read
