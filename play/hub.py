"""All rooms of a server: loaded when needed, changed one move at a time, with agents that answer by themselves.

Everything here runs in the event loop's thread, except agents, coach and reviews, which think in threads of their own,
and the file of games, which is read and written in others. A move is stored before anybody hears of it: while it is
written, whoever names its room waits (`Hub.live`). Moves that come while others are written are written together next.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import sqlite3
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pechvogel.agents import registry
from pechvogel.agents.pechvogel.heuristic import HeuristicAgent
from pechvogel.play.pechvogel import coach
from pechvogel.play.pechvogel.opponents import STAND_IN
from pechvogel.play.room import Opening, Room, RoomError, new_id
from pechvogel.play.store import Store
from pechvogel.tabletop.kind import Variant
from pechvogel_env.kind import KIND
from pechvogel_env.position import Position

log = logging.getLogger("pechvogel")

KEPT = 1000  # rooms in memory; others are read again when somebody comes
MAX_MOVES = 5_000  # of a room; a long game has a thousand, and all are played again when a room is loaded
EXPIRED = 100  # rooms that are forgotten in one go
THINKERS = 2
LONG = 1_000  # moves of a room that takes long to load: then short ones don't queue behind it
PAUSES = (0.1, 5.0)  # seconds between tries of agents while nothing can be stored: the first, and the longest
COACH_QUEUE = 32  # questions to the coach that wait or are being answered
COACH_EACH = 4  # of them from one address
DAY = 86_400.0


def _not_stored() -> RoomError:
    return RoomError(503, "the game could not be stored; please try again", "failed")


class Live:
    """A room in memory."""

    def __init__(self, room: Room, moves: int, now: float) -> None:
        self.room = room
        self.moves = moves
        self.asked_since = now  # since when the same decision is waited for
        self.changed = asyncio.Event()  # replaced at every change
        self.thinking: asyncio.Task[None] | None = None
        self.storing: asyncio.Future[Any] | None = None  # a change that is in memory, but not yet on the disk
        self.review: dict[str, Any] | None = None
        self.watchers = 0
        self._state: str | None = None

    def state(self) -> str:
        """What everybody sees, as JSON; written once for all who look. What is not stored yet is not in it."""
        if self._state is None:
            self._state = json.dumps(self.room.show(), separators=(",", ":"))
        return self._state

    @property
    def busy(self) -> bool:
        """An agent thinks about it, or it is being stored."""
        return self.storing is not None or (self.thinking is not None and not self.thinking.done())

    async def settled(self) -> None:
        """Wait until nothing is being stored, for good or ill; whoever is cancelled here cancels nothing else."""
        while self.storing is not None:
            await asyncio.wait([self.storing])

    def notify(self) -> None:
        """Wake everybody who waits for news."""
        self._state = None
        self.changed.set()
        self.changed = asyncio.Event()


class Hub:
    """Rooms by name."""

    def __init__(
        self,
        store: Store,
        *,
        max_open: int = 5000,
        away_seconds: float = 120.0,
        keep_days: float = 30.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.store, self.clock = store, clock
        self.max_open, self.away_seconds, self.keep_days = max_open, away_seconds, keep_days
        self._live: OrderedDict[str, Live] = OrderedDict()
        self._agents: dict[str, Any] = {}
        self._checked: set[tuple[str, Variant]] = set()  # agents that can play such games
        self.closing = False
        self.trouble: str | None = None  # why nothing could be stored, until something can be
        self._pause = PAUSES[0]
        self._trying = asyncio.Lock()  # while there is trouble, one agent at a time sees whether it is over
        self._loading: dict[str, asyncio.Task[None]] = {}
        self._waiting: list[tuple[Callable[[], Any], asyncio.Future[Any]]] = []  # to be written
        self._writing: asyncio.Task[None] | None = None
        self._writer = ThreadPoolExecutor(1, "writer")
        self._loaders = (ThreadPoolExecutor(1, "loader"), ThreadPoolExecutor(1, "long"))
        self._thinkers = ThreadPoolExecutor(THINKERS, "thinker")
        self._coaches = ThreadPoolExecutor(1, "coach")
        self._asking: Counter[str] = Counter()  # questions to the coach, by who waits for them

    # ------------------------------------------------------------------------------ rooms

    async def open(self, opening: Opening) -> str:
        """Open a room; its name can't be guessed."""
        try:
            room = Room(opening)
        except RoomError:
            raise
        except ValueError as error:
            raise RoomError(422, str(error)) from None
        name, now = new_id(), self.clock()

        def opened() -> None:
            if self.store.count() >= self.max_open:
                raise RoomError(503, "too many games are open on this server; please come back later", "full")
            self.store.open_room(name, opening, now, room.stage)

        await self._write(opened)
        self._keep(name, Live(room, 0, now))
        self.let_agents_play(name)
        return name

    async def live(self, name: str) -> Live:
        """A room that somebody has named, as it is stored; nothing is being changed in it when this returns."""
        while True:
            found = self._live.get(name)
            if found is None:
                await self._load(name)
            elif found.storing is not None:
                await found.settled()
            else:
                self._live.move_to_end(name)
                return found

    async def _load(self, name: str) -> None:
        """Once for all who ask at the same time, and to its end, whoever of them goes away."""
        task = self._loading.get(name)
        if task is None:
            task = self._loading[name] = asyncio.get_running_loop().create_task(self._replay(name))
            task.add_done_callback(lambda done: done.cancelled() or done.exception())  # perhaps nobody waits any more
        await asyncio.shield(task)

    async def _replay(self, name: str) -> None:
        try:
            loader = self._loaders[self.store.length(name) > LONG]
            loaded = await asyncio.get_running_loop().run_in_executor(loader, self.store.load, name)
        except (sqlite3.Error, OSError) as error:
            log.error("the file of games failed: %s", error)
            raise _not_stored() from None
        finally:
            del self._loading[name]
        if loaded is None:
            raise RoomError(404, "there is no such game: it was deleted, has expired, or the link is incomplete")
        self._keep(name, Live(*loaded, self.clock()))
        self.let_agents_play(name)

    def _keep(self, name: str, live: Live) -> None:
        self._live[name] = live
        if len(self._live) > KEPT:
            idle = [key for key, one in self._live.items() if not one.watchers and not one.busy and key != name]
            for other in idle[: len(self._live) - KEPT]:
                del self._live[other]

    async def move(self, name: str, move: Mapping[str, Any]) -> Live:
        """Carry out a move and store it; RoomError, and nothing has changed, if it can't be.

        What somebody has seen in a room that `live` gave them still holds, unless they have awaited something since.
        """
        live = await self.live(name)
        if live.moves >= MAX_MOVES:
            raise RoomError(409, "this game has become too long")
        room, number, now = live.room, live.moves, self.clock()
        live.state()  # what everybody sees until the move is stored
        played, stage = room.played, room.stage
        room.apply(move)
        changed = room.stage if room.stage != stage else None

        def stored(done: asyncio.Future[Any]) -> None:
            live.storing = None
            if done.cancelled() or done.exception() is not None:
                if self._live.get(name) is live:
                    del self._live[name]  # what was not stored has not happened
            else:
                live.moves += 1
                if room.played != played or changed is not None:
                    live.asked_since = self.clock()
            live.notify()
            self.let_agents_play(name)

        live.storing = self._queue(lambda: self.store.add_move(name, number, move, now, changed))
        live.storing.add_done_callback(stored)  # whether or not somebody still waits for it
        await asyncio.shield(live.storing)
        return live

    def stage(self, name: str) -> tuple[bool, bool] | None:
        """Whether a game has begun, and whether it is over; None if there is no such game."""
        live = self._live.get(name)
        if live is not None:
            return live.room.stage
        try:
            return self.store.stage(name)
        except sqlite3.Error as error:
            log.error("the file of games failed: %s", error)
            raise _not_stored() from None

    async def delete(self, name: str) -> None:
        """Forget a room."""
        await self._write(lambda: self.store.delete(name))
        self._forget(name)

    def _forget(self, name: str) -> None:
        live = self._live.pop(name, None)
        if live is not None:
            live.notify()

    async def expire(self) -> int:
        """Forget some of the rooms that nobody has touched for long; those that never began, after a day."""
        now = self.clock()
        gone: list[str] = await self._write(lambda: self.store.expire(now - self.keep_days * DAY, now - DAY, EXPIRED))
        for name in gone:
            self._forget(name)
        return len(gone)

    async def tidy(self, expire: bool) -> None:
        """What has to be done now and then; a failure is noted, and tried again the next time."""
        loop = asyncio.get_running_loop()
        try:
            if self.trouble is not None:
                await self._write(self.store.probe)
            await asyncio.to_thread(self.store.checkpoint)
            await loop.run_in_executor(self._writer, self.store.shorten_log)
            while expire and await self.expire() == EXPIRED:
                pass
        except (sqlite3.Error, RoomError) as error:
            log.error("tidying up failed: %s", error)

    # ------------------------------------------------------------------------------ the file

    async def _write(self, work: Callable[[], Any]) -> Any:
        """Change the file; when this returns, the change is on the disk."""
        return await asyncio.shield(self._queue(work))

    def _queue(self, work: Callable[[], Any]) -> asyncio.Future[Any]:
        """Let the file be changed, in the order of the calls; RoomError if it can't be."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Any] = loop.create_future()
        self._waiting.append((work, done))
        if self._writing is None or self._writing.done():
            self._writing = loop.create_task(self._write_all())
        return done

    async def _write_all(self) -> None:
        """All that is waiting, in one go; then what has come in the meantime; until nothing has."""
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                works = [work for work, _ in batch]
                results = await loop.run_in_executor(self._writer, self.store.together, works)
            except Exception as error:
                if self.trouble != str(error):
                    log.error("the file of games failed: %s", error)
                self.trouble = str(error)
                self._pause = min(2 * self._pause, PAUSES[1])
                results = [error] * len(batch)
            else:
                if self.trouble is not None:
                    log.warning("the file of games works again")
                self.trouble, self._pause = None, PAUSES[0]
            for (_, done), result in zip(batch, results, strict=True):
                if isinstance(result, RoomError):
                    done.set_exception(result)
                elif isinstance(result, Exception):
                    done.set_exception(_not_stored())
                else:
                    done.set_result(result)

    # ------------------------------------------------------------------------------ agents

    def let_agents_play(self, name: str) -> None:
        """If an agent is asked in this room, let it think and act."""
        live = self._live.get(name)
        if live is not None and live.room.agent_to_act() is not None and not live.busy and live.moves < MAX_MOVES:
            live.thinking = asyncio.get_running_loop().create_task(self._play_agents(name, live))

    async def _play_agents(self, name: str, live: Live) -> None:
        while live is self._live.get(name) and live.moves < MAX_MOVES:
            if live.storing is not None:
                await live.settled()
                continue
            asked = live.room.agent_to_act()
            if asked is None:
                return
            try:
                if self.trouble is None:
                    await self._play_agent(name, live, *asked)
                    continue
                async with (
                    self._trying
                ):  # otherwise all would try, fail, be loaded anew and try again, as fast as they can
                    if self.trouble is not None:
                        await asyncio.sleep(self._pause)
                        await self._play_agent(name, live, *asked)
            except RoomError as error:
                log.error("an agent's move was lost: %s", error)
                return

    async def _play_agent(self, name: str, live: Live, seat: int, spec: str) -> None:
        """Let an agent decide, unless it is no longer asked by then."""
        table, played = live.room.table, live.room.played
        assert table is not None
        if live is not self._live.get(name) or live.storing is not None or live.room.agent_to_act() != (seat, spec):
            return
        # Agents draw from a generator that has nothing to do with the dice.
        words = hashlib.sha256(f"{live.room.opening.secret}/{name}/agents/{live.moves}".encode()).digest()
        rng = np.random.default_rng(list(words))
        position, mask = table.position(), table.mask()
        try:
            loop = asyncio.get_running_loop()
            action = await loop.run_in_executor(self._thinkers, self._think, spec, position, mask, rng)
            if not 0 <= action < len(mask) or not mask[action]:
                raise ValueError(f"it chose {action}")
        except Exception:
            log.exception("agent %s failed", spec)
            action = HeuristicAgent().act(position, mask, rng)
        await live.settled()
        if live is self._live.get(name) and live.room.played == played and live.room.agent_to_act() == (seat, spec):
            await self.move(name, {"do": "act", "seat": seat, "action": action})

    async def check_agent(self, spec: str, opening: Opening) -> None:
        """RoomError if an agent can't play such a game; it loads what it needs for it."""
        known = (spec, opening.variant)
        if spec == "optimal" and opening.italian_reading:
            raise RoomError(422, "perfect play is known without the Italian reading only")
        if known not in self._checked:
            try:
                agent = await asyncio.get_running_loop().run_in_executor(self._thinkers, self._agent, spec)
                await asyncio.get_running_loop().run_in_executor(self._thinkers, registry.prepare, agent, known[1])
            except ValueError as error:
                raise RoomError(422, str(error)) from None
            self._checked.add(known)

    def _agent(self, spec: str) -> Any:
        agent = self._agents.get(spec)
        if agent is None:
            agent = self._agents[spec] = registry.make(spec)
        return agent

    def _think(self, spec: str, position: Position, mask: NDArray[np.int8], rng: np.random.Generator) -> int:
        return int(self._agent(spec).act(position, mask, rng))

    def warm_up(self) -> None:
        """Let the usual agents load and compile what they need, before somebody waits for them."""
        for spec in ("heuristic", STAND_IN):
            for players in KIND.players:
                registry.prepare(self._agent(spec), KIND.variant(players))

    # ------------------------------------------------------------------------------ coach

    async def advise(self, position: Position, who: str = "") -> dict[str, Any]:
        """What the coach says about a position."""
        return await self._ask_coach(who, lambda: coach.advise(position))

    async def analyse(self, position: Position, who: str = "") -> dict[str, Any]:
        """The same and more about any position."""
        return await self._ask_coach(who, lambda: coach.analyse(position))

    def check_coach(self, who: str) -> None:
        """RoomError if too many wait for the coach, or this address alone asks too much at once."""
        if self._asking.total() >= COACH_QUEUE or self._asking[who] >= COACH_EACH:
            raise RoomError(503, "too many are waiting for the coach; please try again in a moment", "coach_busy")

    async def _ask_coach(self, who: str, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """In turn. Whoever is cancelled while waiting has never asked."""
        self.check_coach(who)
        self._asking[who] += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._coaches, work)
        finally:
            self._asking[who] -= 1
            if not self._asking[who]:
                del self._asking[who]

    async def review(self, name: str, who: str = "") -> dict[str, Any]:
        """What the coach says about a finished game."""
        live = await self.live(name)
        table = live.room.table
        if table is None or not table.over:
            raise RoomError(409, "the game is not over yet")
        if live.review is not None:
            return live.review

        def once() -> dict[str, Any]:  # for all who ask, as there is one coach
            if live.review is None:
                live.review = coach.review(table)
            return live.review

        return await self._ask_coach(who, once)

    def end_streams(self) -> None:
        """Let everybody who listens go."""
        self.closing = True
        for live in self._live.values():
            live.notify()

    async def close(self) -> None:
        """Stop thinking; everything is stored already."""
        self.end_streams()
        for live in self._live.values():
            if live.thinking is not None:
                live.thinking.cancel()
        self._thinkers.shutdown(wait=False, cancel_futures=True)
        self._coaches.shutdown(wait=False, cancel_futures=True)
        for loader in self._loaders:
            loader.shutdown(wait=False, cancel_futures=True)
        if self._writing is not None:
            await asyncio.wait([self._writing])
        self._writer.shutdown()
        self.store.close()
