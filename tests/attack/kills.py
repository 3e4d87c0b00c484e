"""The server is killed again and again in the middle of games: nothing that was acknowledged is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from tests import load
from tests.attack.children import serving
from tests.attack.rows import Row, Setting, Tally


def attack(given: Setting) -> Iterator[Row]:
    """Clients go on as if nothing had happened; at the end all their decisions are in records that verify."""
    kills, games = given.times(100, 3), given.times(40, 10)
    with serving(given.folder) as server:
        # Pauses are short, so that a kill meets moves that are being stored, and rooms that are being loaded.
        think, pause = given.times(20, 2) / 10, (0.05, 0.8)
        played = asyncio.run(load.run(server, games, "heuristic", think, kills, given.seed, pause, given.say))
    lost = Tally("the server killed in the middle of games")
    for game in played:
        try:
            load.check(game)
            lost.note(None)
        except (AssertionError, ValueError) as error:
            lost.note(str(error))
    broken, moves = sum(game.broken for game in played), sum(len(game.acknowledged) for game in played)
    if not broken:
        lost.note("no kill interrupted anybody")
    found = lost.row(f"{moves:,} acknowledged decisions of {games} games, all there; records verify")
    yield Row(found.tried, kills, found.happened + f" ({broken:,} requests interrupted)", found.held)
