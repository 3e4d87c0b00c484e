"""How long somebody's moves take while others attack."""

from __future__ import annotations

import asyncio
import random
from contextlib import AbstractContextManager, nullcontext, suppress

import httpx2

from tests import load
from tests.attack.rows import Row
from tests.load import Server

LONGEST = 1.0  # seconds
AHEAD = 6  # games for each that is played at once, opened before anything else happens


def moves(
    server: Server, seconds: float, seed: int, games: int = 2, attackers: AbstractContextManager[object] | None = None
) -> list[float]:
    """Play so many games side by side for some time, one after another: seconds of every move.

    All are opened before the attackers come: who opens games without end may fill the server, and then nobody else can
    open one, but those who play go on.
    """
    opened: list[load.Game] = []
    found: list[load.Game] = []

    def client() -> httpx2.AsyncClient:
        return httpx2.AsyncClient(base_url=server.url, timeout=60, verify=False)

    async def open_all() -> None:
        async with client() as asks:
            for _ in range(games * AHEAD):
                opened.append(await load.open_game(asks, "heuristic"))
                await asyncio.sleep(0.25)  # within what one address may ask for

    async def play(number: int) -> None:
        async with client() as asks:
            while opened:
                game = opened.pop()
                game.think = 0.05
                found.append(game)
                await load.play(asks, game, random.Random(f"{seed}/{number}/{len(found)}"))

    async def run() -> None:
        with suppress(asyncio.TimeoutError, TimeoutError):
            await asyncio.wait_for(asyncio.gather(*(play(number) for number in range(games))), seconds)

    asyncio.run(open_all())
    with attackers or nullcontext():
        asyncio.run(run())
    errors = [error for game in found for error in game.errors]
    if errors:
        raise RuntimeError(f"a player's move was refused: {errors[0]}")
    return [wait for game in found for wait in game.seconds]


def row(tried: str, times: int, waits: list[float]) -> Row:
    """Whether nobody waited for more than a second."""
    if not waits:
        return Row(tried, times, "no move of the player came through", False)
    longest = max(waits)
    return Row(tried, times, f"{len(waits)} moves of a player, the longest {longest:.2f} s", longest < LONGEST)
