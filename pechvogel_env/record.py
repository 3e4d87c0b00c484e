"""Recorded games: one JSON line each, from which the whole game is rebuilt and verified.

    {"format": "pechvogel-game-1", "num_players": 2, "copies": 3, "italian_reading": false, "max_turns": null,
     "position": null, "first_player": 0, "seed": 7, "scripted": 0, "dice": [...], "actions": [...],
     "scores": [12, 30], "sha256": "..."}

`dice` are all faces in the order thrown; the first `scripted` of them were given, the others must be those of the seed.
`actions` are the decisions, forced actions left out. `position` is where the game started, unless it was a fresh one.
`sha256` is over the other fields as compact JSON with sorted keys. A game of `pechvogel serve` also has a `proof` of
where its seed came from, which `play.fair` checks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pechvogel.tabletop.record import MAX_LINE as MAX_LINE
from pechvogel.tabletop.record import PROOF as PROOF
from pechvogel.tabletop.record import DiceRecords
from pechvogel.tabletop.record import RecordError as RecordError
from pechvogel.tabletop.record import append as append
from pechvogel.tabletop.record import digest as _digest  # noqa: F401  tests seal records by it
from pechvogel_env.game import Game

FORMAT = "pechvogel-game-1"


def _make(settings: Mapping[str, Any]) -> Game:
    copies, italian_reading = settings["copies"], settings["italian_reading"]
    return Game(settings["num_players"], copies, italian_reading, max_turns=settings["max_turns"], keep_dice=True)


RECORDS = DiceRecords(FORMAT, ("copies", "italian_reading"), _make)
of_game, steps, verify, read = RECORDS.of_game, RECORDS.steps, RECORDS.verify, RECORDS.read
