"""Many games at once through the real server, by scripted clients, as the page would play them.

    make load                                     # 500 games, then 20 times `kill -9` in the middle of 50 others
    python -m tests.load --games 100 --think 0.5 --kills 3

Every client listens to its game's stream and answers when it is asked, after a moment's thought. At the end everything
that was acknowledged must be in the recorded game, whose dice and proof are checked. Nothing here asserts a speed: the
table says what was measured.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
from rich.console import Console
from rich.table import Table

from pechvogel.play import fair
from pechvogel_env import record

TROUBLE = (httpx2.TransportError, json.JSONDecodeError)  # of a server that is being killed


class Server:
    """`pechvogel serve` in a process of its own, which may be killed and started again."""

    def __init__(self, games: Path, *options: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [sys.executable, "-m", "pechvogel", "serve", "--port", str(self.port), "--games", str(games)]
        self.command = [*command, "--rate", "100000", "--games-per-address", "100000", *options]
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = games.with_suffix(".log")
        self.start()

    def start(self) -> None:
        """Returns when it answers."""
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if "http://" not in line:
            raise RuntimeError(f"the server did not start; try it: {' '.join(self.command)}")

    def kill(self) -> None:
        """As the machine would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()


@dataclass
class Game:
    """What one client saw."""

    room: str = ""
    seat: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    think: float = 0.0  # mean seconds before a decision
    acknowledged: dict[int, int] = field(default_factory=dict)  # decisions by their number in the game
    seconds: list[float] = field(default_factory=list)  # from an action to its acknowledgement
    agents: list[float] = field(default_factory=list)  # from an acknowledgement to an agent's next decision
    broken: int = 0  # requests that a kill has interrupted
    errors: list[str] = field(default_factory=list)
    record: dict[str, Any] | None = None


async def open_game(client: httpx2.AsyncClient, agent: str, **more: Any) -> Game:
    """Sit down against an agent."""
    wish = {"seats": [{"kind": "me"}, {"kind": "agent", "agent": agent}], "name": "load", **more}
    found = (await client.post("/api/rooms", json=wish)).raise_for_status().json()
    game = Game(found["room"], found["seat"], {"Authorization": f"Bearer {found['token']}"})
    path = f"/api/rooms/{game.room}/number"
    (await client.post(path, json={"number": "ab12"}, headers=game.headers)).raise_for_status()
    return game


async def states(client: httpx2.AsyncClient, game: Game) -> AsyncIterator[dict[str, Any]]:
    """The game's stream; a new one after every interruption."""
    while True:
        try:
            async with client.stream("GET", f"/api/rooms/{game.room}/events?after=1000000") as stream:
                stream.raise_for_status()
                kind = ""
                async for line in stream.aiter_lines():
                    if line.startswith("event: "):
                        kind = line.removeprefix("event: ")
                    elif line.startswith("data: ") and kind == "state":
                        yield json.loads(line.removeprefix("data: "))
                    elif not line:
                        kind = ""
        except TROUBLE:
            game.broken += 1
        await asyncio.sleep(0.2)


async def play(client: httpx2.AsyncClient, game: Game, rng: random.Random) -> None:
    """To the end, with random actions."""
    since: float | None = None
    async for state in states(client, game):
        if since is not None and state["played"] > max(game.acknowledged, default=-1) + 1:
            game.agents.append(time.perf_counter() - since)
            since = None
        if state["over"]:
            break
        if state["to_act"] != game.seat or state["played"] in game.acknowledged:
            continue
        await asyncio.sleep(rng.uniform(0, 2 * game.think))
        body = {"action": rng.choice(state["legal"]), "played": state["played"]}
        began = time.perf_counter()
        while True:
            try:
                answer = await client.post(f"/api/rooms/{game.room}/act", json=body, headers=game.headers)
                break
            except TROUBLE:  # it may have been stored or not: ask again, which does no harm
                game.broken += 1
                await asyncio.sleep(0.2)
        if answer.status_code == 200:
            now = time.perf_counter()
            game.seconds.append(now - began)
            game.acknowledged[body["played"]] = body["action"]
            after = answer.json()
            since = now if not after["over"] and after["to_act"] != game.seat else None
        elif not (answer.status_code == 409 and game.broken):  # what was stored, but not answered, before a kill
            game.errors.append(f"{answer.status_code} {answer.text}")
    while game.record is None:
        try:
            game.record = (await client.get(f"/api/rooms/{game.room}/record")).raise_for_status().json()
        except TROUBLE:
            game.broken += 1
            await asyncio.sleep(0.2)


def check(game: Game) -> None:
    """Everything that was acknowledged is there, and the record is sound."""
    assert not game.errors, game.errors
    assert game.record is not None, f"the game {game.room} has no end"
    fair.verify(record.verify(game.record))
    for number, action in game.acknowledged.items():
        assert game.record["actions"][number] == action, f"decision {number} of {game.room} was lost"


async def run(
    server: Server,
    games: int,
    agent: str,
    think: float,
    kills: int,
    seed: int,
    pause: tuple[float, float] = (1.0, 3.0),
    say: Callable[[str], None] = lambda _: None,
) -> list[Game]:
    """All games at once, and so many kills while they are played, each after a pause of so many seconds."""
    async with AsyncExitStack() as stack:
        # Each has a client of its own, as browsers do: one pool for all would be slower than the server.
        clients = [
            await stack.enter_async_context(httpx2.AsyncClient(base_url=server.url, timeout=60, verify=False))
            for _ in range(games)
        ]
        opened = [await open_game(client, agent) for client in clients]
        for game in opened:
            game.think = think
        playing = [
            asyncio.create_task(play(client, game, random.Random(f"{seed}/{number}")))
            for number, (client, game) in enumerate(zip(clients, opened, strict=True))
        ]
        rng = random.Random(seed)
        for number in range(kills):
            await asyncio.sleep(rng.uniform(*pause))
            if all(task.done() for task in playing):
                raise RuntimeError(f"all games were over before kill {number + 1}: more games, or more thought")
            server.kill()
            await asyncio.to_thread(server.start)
            say(f"kill {number + 1} of {kills}")
        if kills:
            for game in opened:  # nothing more will happen to them
                game.think = 0.0
        await asyncio.gather(*playing)
    return opened


def show(title: str, games: list[Game], seconds: float) -> None:
    """What was measured."""
    moves = np.concatenate([game.seconds for game in games]) * 1000
    agents = np.concatenate([game.agents for game in games]) * 1000
    table = Table(title=title, show_header=False)
    table.add_row("games, all there with every acknowledged decision", f"{len(games):,}")
    table.add_row("decisions of clients", f"{len(moves):,}")
    table.add_row("decisions of clients a second", f"{len(moves) / seconds:,.0f}")
    table.add_row("requests and streams that a kill interrupted", f"{sum(game.broken for game in games):,}")
    table.add_row("a decision, ms: median, 99th percentile, longest", _spread(moves))
    table.add_row("an agent's answer, ms: median, 99th percentile, longest", _spread(agents))
    Console().print(table)


def _spread(values: Any) -> str:
    return ", ".join(f"{value:.1f}" for value in (np.median(values), np.percentile(values, 99), values.max()))


def measure(games: int, agent: str, think: float, kills: int, seed: int, options: tuple[str, ...] = ()) -> list[Game]:
    """Play, check, and print."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder) / "games.sqlite", *options)
        try:
            began = time.perf_counter()
            played = asyncio.run(run(server, games, agent, think, kills, seed))
            seconds = time.perf_counter() - began
        finally:
            server.kill()
    for game in played:
        check(game)
    show(f"{games} games against {agent}, {think:g} s of thought, {kills} kills", played, seconds)
    return played


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description="Many games at once through the real server.")
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--agent", default="heuristic", help="who plays against the clients (default: heuristic)")
    parser.add_argument("--think", type=float, default=2.0, help="mean seconds of a client's thought (default: 2)")
    parser.add_argument("--kills", type=int, default=0, help="times to kill the server in the middle (default: 0)")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    measure(given.games, given.agent, given.think, given.kills, given.seed)


if __name__ == "__main__":
    main()
