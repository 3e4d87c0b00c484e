"""A stranger's load while somebody else plays, with the limits that a server has by itself."""

from __future__ import annotations

import itertools
import random
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TypeAlias
from urllib.parse import quote

from tests import wire
from tests.attack import waits
from tests.attack.children import USUAL, serving, stranger
from tests.attack.listeners import listen, make_long_rooms
from tests.attack.rows import Row, Setting

LONG_ROOMS = 12
# Of five players with frustrations at hand: about as much as a coach can be made to think.
HARD = "5x3_33333_00000f9.00000f9.00000f9.00000f9.00000f9_-_0_000_-_-_throw_0"


def _ask(server: wire.Port, source: str, path: str, seconds: float, body: object = None) -> None:
    """One request, whatever comes of it."""
    with suppress(OSError, ValueError, IndexError), wire.connect(server, source) as connection:
        connection.settimeout(seconds)
        wire.ask(connection, path, body)
        wire.more(connection)


def load_long_rooms(server: wire.Port, seed: int) -> None:
    """One after another, each for the first time."""
    for number in range(LONG_ROOMS):
        _ask(server, "127.0.3.1", f"/api/rooms/long{number}", 60)


def ask_the_coach(server: wire.Port, seed: int) -> None:
    """Hard questions from several addresses, as many at once as wait for answers; most don't wait."""
    waiting: list[socket.socket] = []
    for number in itertools.count():
        with suppress(OSError):
            connection = wire.connect(server, f"127.0.4.{number % 20 + 1}")
            wire.ask(connection, f"/api/analyse?position={quote(HARD)}")
            waiting.append(connection)
        if len(waiting) > 60:
            waiting.pop(0).close()
        time.sleep(0.005)


def open_games(server: wire.Port, seed: int) -> None:
    """From many addresses, with agents that think at once, and with positions and tables of all sizes."""
    rng = random.Random(seed)
    for number in itertools.count():
        agents = [{"kind": "agent", "agent": rng.choice(("champion", "planner", "heuristic"))}] * rng.randrange(1, 5)
        wish = {"seats": [{"kind": "me"}, *agents], "real_dice": bool(rng.randrange(2))}
        _ask(server, f"127.0.5.{number % 200 + 1}", "/api/rooms", 5, wish)


def ask_for_nothing(server: wire.Port, seed: int) -> None:
    """Rooms that don't exist, as fast as one connection can."""
    for number in itertools.count():
        with (
            suppress(OSError, ValueError, IndexError),
            wire.connect(server, f"127.0.6.{number % 50 + 1}") as connection,
        ):
            for _ in range(20):
                wire.ask(connection, f"/api/rooms/none{number}")
                wire.answer(connection)


def listen_by_thousands(server: wire.Port, seed: int) -> None:
    """To a long game."""
    listen(server, 1000, seed)


Stranger: TypeAlias = Callable[[wire.Port, int], None]
KINDS: dict[str, Stranger] = {
    f"{LONG_ROOMS} of the longest games loaded, one after another": load_long_rooms,
    "a flood of hard questions to the coach": ask_the_coach,
    "games opened without end, from 200 addresses": open_games,
    "games asked for that don't exist, as fast as possible": ask_for_nothing,
    "1,000 hostile listeners": listen_by_thousands,
}


def attack(given: Setting) -> Iterator[Row]:
    """Each alone, then all together."""
    path = given.folder / "games.sqlite"
    given.say("making long games")
    make_long_rooms(path, LONG_ROOMS, given.times(5000, 1200))
    tries: dict[str, tuple[Stranger, ...]] = {"nothing, to compare with": ()}
    tries |= {kind: (work,) for kind, work in KINDS.items()}
    if given.quick:
        tries = dict(list(tries.items())[:3])
    else:
        tries["all of that together"] = tuple(KINDS.values())
    for tried, works in tries.items():
        seconds = given.times(15 if len(works) > 1 else 6, 3)
        given.say(f"{tried}, {seconds} s")
        with serving(given.folder, *USUAL) as server:  # another one each time: nothing is loaded
            attackers = _together(works, wire.Port(server.port), given.seed)
            found = waits.moves(server, seconds, given.seed, attackers=attackers)
            yield waits.row(f"{tried}, while somebody plays", len(works), found)


@contextmanager
def _together(works: tuple[Stranger, ...], server: wire.Port, seed: int) -> Iterator[None]:
    with ExitStack() as stack:
        for work in works:
            stack.enter_context(stranger(work, server, seed))
        yield
