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
import math
import sqlite3
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pechvogel.agents import registry
from pechvogel.agents.games import DEFAULT
from pechvogel.play.games import REMEMBERED, offer, offers
from pechvogel.play.review import Review
from pechvogel.play.room import Opening, Room, RoomError, new_id
from pechvogel.play.store import EVERY, DamagedError, Store, gone
from pechvogel.tabletop.kind import Variant

log = logging.getLogger("pechvogel")

KEPT = 1000  # rooms in memory; others are read again when somebody comes
MAX_MOVES = 5_000  # of a room; a long game has a thousand
EXPIRED = 100  # rooms that are forgotten in one go
UNUSED = 600.0  # seconds after which a full server forgets games that have not begun and that nobody looks at
THINKERS = 2
FALLBACK = "heuristic"  # plays where an agent fails; every game has it
LONG = 1_000  # moves of a room that takes long to load: then short ones don't queue behind it
PAUSES = (0.1, 5.0)  # seconds between tries of agents while nothing can be stored: the first, and the longest
COACH_QUEUE = 32  # questions to the coach that wait or are being answered
COACH_EACH = 4  # of them from one address
SHOWN = 0.05  # seconds: games without people share twenty decisions a second
CALLS = 8  # calls of a room that a slow listener still hears
CALL_SECONDS = 3.0  # from one call of a seat to the next
DAY = 86_400.0

T = TypeVar("T")


def _not_stored() -> RoomError:
    return RoomError(503, "the game could not be stored; please try again", "failed")


class Live:
    """A room in memory."""

    def __init__(self, room: Room, now: float, moves: int = 0, saved: int = 0, told: int = 0) -> None:
        self.room = room
        self.moves = moves
        self.saved, self.told = saved, told  # how many moves and events are in snapshots
        self.asked_since = now  # since when the same decision is waited for
        self.changed = asyncio.Event()  # replaced at every change
        self.thinking: asyncio.Task[None] | None = None
        self.storing: asyncio.Future[Any] | None = None  # a change that is in memory, but not yet on the disk
        self.review: Review | None = None
        self.watchers = 0  # streams
        self.onlookers = 0  # of these, people without a seat, as they say themselves
        self.calls: deque[tuple[int, str]] = deque(maxlen=CALLS)  # what people called out last: nobody keeps it
        self.called: dict[int, float] = {}  # by seat, when
        self.heard = 0  # calls so far
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
        self._wake()

    def call(self, seat: int, what: str, now: float) -> None:
        """Let everybody who listens hear what somebody calls out; RoomError if they have only just called something."""
        if now - self.called.get(seat, -CALL_SECONDS) < CALL_SECONDS:
            raise RoomError(429, "you have only just called something out", "too_fast")
        self.called[seat] = now
        self.calls.append((self.heard, json.dumps({"seat": seat, "what": what}, separators=(",", ":"))))
        self.heard += 1
        self._wake()

    def _wake(self) -> None:
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
        memory_days: float = 365.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.store, self.clock = store, clock
        self.max_open, self.away_seconds, self.keep_days = max_open, away_seconds, keep_days
        self.memory_days = memory_days
        self._live: OrderedDict[str, Live] = OrderedDict()
        self._agents: dict[tuple[str, str], Any] = {}  # by game and specification
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
        self._shown_until = 0.0  # when the last decision comes that games without people have reserved
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
        watched = {other for other, live in self._live.items() if live.watchers}

        def opened() -> list[str]:
            unused: list[str] = []
            if self.store.count() >= self.max_open:  # whoever filled it with games that nobody plays locks out nobody
                unused = self.store.expire(-math.inf, now - UNUSED, EXPIRED, watched)
                if not unused:
                    raise RoomError(503, "too many games are open on this server; please come back later", "full")
            self.store.open_room(name, opening, now, room.stage)
            return unused

        for other in await self._write(opened):
            self._forget(other)
        self._keep(name, Live(room, now))
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
        except DamagedError as error:
            log.error("%s", error)
            raise RoomError(500, "this game can't be read any more: the file of games is damaged", "damaged") from None
        finally:
            del self._loading[name]
        if loaded is None:
            raise gone()
        room, moves, saved, told, missing = loaded
        self._keep(name, Live(room, self.clock(), moves, saved, told))
        if missing is not None:
            written = self._queue(lambda: self.store.add_snapshot(name, saved, missing, first=True))
            written.add_done_callback(lambda done: done.exception())  # the next one who loads it will try again
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
            raise RoomError(409, "this game has become too long", "too_long")
        room, number, now = live.room, live.moves, self.clock()
        live.state()  # what everybody sees until the move is stored
        awaited, stage = room.awaited, room.stage
        room.apply(move)
        changed = room.stage if room.stage != stage else None
        snapshot = room.snapshot(live.told) if number + 1 - live.saved >= EVERY else None

        def stored(done: asyncio.Future[Any]) -> None:
            live.storing = None
            if done.cancelled() or done.exception() is not None:
                if self._live.get(name) is live:
                    del self._live[name]  # what was not stored has not happened
            else:
                live.moves += 1
                if snapshot is not None:
                    live.saved, live.told = live.moves, len(room.events)
                if room.awaited != awaited:
                    live.asked_since = self.clock()
            live.notify()
            self.let_agents_play(name)

        live.storing = self._queue(lambda: self.store.add_move(name, number, move, now, changed, snapshot))
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

    async def expire_memories(self) -> int:
        """Forget some of the memories that nobody has used for long; those that stayed empty, after a day."""
        now, memories = self.clock(), self.store.memories
        gone: int = await self.write(lambda: memories.expire(now - self.memory_days * DAY, now - DAY, EXPIRED))
        return gone

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
            while expire and await self.expire_memories() == EXPIRED:
                pass
        except (sqlite3.Error, RoomError) as error:
            log.error("tidying up failed: %s", error)

    # ------------------------------------------------------------------------------ the file

    async def write(self, work: Callable[[], T]) -> T:
        """Change something in the file that is no room; when this returns, it is on the disk."""
        found: T = await self._write(work)
        return found

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
        """If an agent is asked in this room, let it think and act; where nobody plays or looks on, nothing happens."""
        live = self._live.get(name)
        if live is None or live.busy or live.moves >= MAX_MOVES or (live.room.unattended and not live.watchers):
            return
        if live.room.agent_to_act() is not None:
            live.thinking = asyncio.get_running_loop().create_task(self._play_agents(name, live))

    async def _play_agents(self, name: str, live: Live) -> None:
        while live is self._live.get(name) and live.moves < MAX_MOVES:
            if live.storing is not None:
                await live.settled()
                continue
            asked = live.room.agent_to_act()
            if asked is None:
                return
            if live.room.unattended:
                await self._take_time(live.room.opening.pace)
                if not live.watchers:
                    return  # whoever comes next lets them go on
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

    async def _take_time(self, pace: float) -> None:
        """Wait for a decision that only onlookers wait for: all such games together must not keep the server busy."""
        now = asyncio.get_running_loop().time()
        self._shown_until = max(now, self._shown_until) + SHOWN
        await asyncio.sleep(max(pace, self._shown_until - now))

    async def _play_agent(self, name: str, live: Live, seat: int, spec: str) -> None:
        """Let an agent decide, unless it is no longer asked by then."""
        table, played = live.room.table, live.room.played
        assert table is not None
        if live is not self._live.get(name) or live.storing is not None or live.room.agent_to_act() != (seat, spec):
            return
        # Agents draw from a generator that has nothing to do with the dice.
        words = hashlib.sha256(f"{live.room.opening.secret}/{name}/agents/{live.moves}".encode()).digest()
        rng = np.random.default_rng(list(words))
        position, mask, game = table.position(), table.mask(), live.room.opening.game
        try:
            loop = asyncio.get_running_loop()
            action = await loop.run_in_executor(self._thinkers, self._think, spec, position, mask, rng, game)
            if not 0 <= action < len(mask) or not mask[action]:
                raise ValueError(f"it chose {action}")
        except Exception:
            log.exception("agent %s failed", spec)
            action = int(registry.make(FALLBACK, game).act(position, mask, rng))
        await live.settled()
        if live is self._live.get(name) and live.room.played == played and live.room.agent_to_act() == (seat, spec):
            await self.move(name, {"do": "act", "seat": seat, "action": action})

    async def check_agent(self, spec: str, opening: Opening) -> None:
        """RoomError if an agent can't play such a game; it loads what it needs for it."""
        known = (spec, opening.variant)
        opponents = opening.offer.part("opponents")

        def check() -> None:
            opponents.check_playable(spec, known[1])
            registry.prepare(self._agent(spec, opening.game), known[1])

        if known not in self._checked or spec in opponents.CHANGING:
            try:
                await asyncio.get_running_loop().run_in_executor(self._thinkers, check)
            except RoomError:
                raise
            except ValueError as error:
                raise RoomError(422, str(error), "no_agent") from None
            self._checked.add(known)

    def _agent(self, spec: str, game: str) -> Any:
        agent = self._agents.get((game, spec))
        if agent is None:
            agent = self._agents[game, spec] = registry.make(spec, game)
        return agent

    def _think(self, spec: str, position: Any, mask: NDArray[np.int8], rng: np.random.Generator, game: str) -> int:
        return int(self._agent(spec, game).act(position, mask, rng))

    def warm_up(self) -> None:
        """Let the usual agents load and compile what they need, before somebody waits for them."""
        for game in offers():
            for players in game.kind.players:
                variant = game.kind.variant(players)
                for spec in (FALLBACK, game.part("opponents").stand_in(variant)):
                    registry.prepare(self._agent(spec, game.name), variant)

    # ------------------------------------------------------------------------------ coach

    async def advise(self, position: Any, who: str = "", game: str = DEFAULT) -> dict[str, Any]:
        """What the coach says about a position of a game."""
        return await self._ask_coach(who, lambda: offer(game).part("coach").advise(position))

    async def analyse(self, position: Any, who: str = "", game: str = DEFAULT) -> dict[str, Any]:
        """The same and more about any position."""
        return await self._ask_coach(who, lambda: offer(game).part("coach").analyse(position))

    def check_coach(self, who: str) -> None:
        """RoomError if too many wait for the coach, or this address alone asks too much at once."""
        if self._asking.total() >= COACH_QUEUE or self._asking[who] >= COACH_EACH:
            raise RoomError(503, "too many are waiting for the coach; please try again in a moment", "coach_busy")

    async def _ask_coach(self, who: str, work: Callable[[], T | None]) -> T:
        """In turn; what takes long comes in pieces, with others' in between, until there is an answer.

        Whoever is cancelled while waiting has never asked.
        """
        self.check_coach(who)
        self._asking[who] += 1
        try:
            while True:
                found = await asyncio.get_running_loop().run_in_executor(self._coaches, work)
                if found is not None:
                    return found
        finally:
            self._asking[who] -= 1
            if not self._asking[who]:
                del self._asking[who]

    async def review(self, name: str, who: str = "") -> str:
        """What the coach says about a finished game, as JSON."""
        live = await self.live(name)
        table = live.room.table
        if table is None or not table.over:
            raise RoomError(409, "the game is not over yet", "not_over")
        if live.review is None:
            # One for all who ask: each of them gets it on.
            live.review = live.room.opening.offer.part("review").Review(table)
        assert live.review is not None
        if live.review.text is not None:
            return live.review.text
        found: str = await self._ask_coach(who, live.review.go_on)
        return found

    async def summary(self, name: str, who: str = "") -> list[dict[str, Any]]:
        """What can be remembered of a finished game."""
        game = (await self.live(name)).room.opening.game
        if game not in REMEMBERED:
            raise RoomError(422, f"games of {game} are not remembered: there is no rating for it")
        await self.review(name, who)
        live = await self.live(name)
        if live.review is None or live.review.text is None:  # it was loaded anew in the meantime
            raise RoomError(503, "please try again in a moment", "coach_busy")
        found: list[dict[str, Any]] = live.room.opening.offer.part("summary").summarize(live.room, live.review)
        return found

    async def think(self, who: str, work: Callable[[], T]) -> T:
        """Let something be reckoned that takes a moment, as if it were a question to the coach."""
        return await self._ask_coach(who, work)

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
