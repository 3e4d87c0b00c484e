"""The web server: `pechvogel serve`. Reads requests, asks the hub, writes JSON; the page is in `web`.

Anybody who has a game's link can look at it. Acting needs the token that a person got when sitting down.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Annotated, Any, TypeAlias, TypeVar

from fastapi import FastAPI, Header, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import AfterValidator
from starlette.exceptions import HTTPException

from pechvogel import __version__
from pechvogel.agents.games import DEFAULT
from pechvogel.play import fair
from pechvogel.play.games import Offer, offer, offers, on_page
from pechvogel.play.guard import OPENING, Guard, Limiter, Network, Openers, error_answer
from pechvogel.play.hub import Hub, Live
from pechvogel.play.me import add_me
from pechvogel.play.pages import add_pages, wants_page
from pechvogel.play.pechvogel.trainer import add_trainer
from pechvogel.play.requests import (
    AGENTS,
    SETTINGS,
    Act,
    BrowserNumber,
    Call,
    Commitment,
    Join,
    OpenRoom,
    Refusal,
    StandIn,
    TakeBack,
    Throw,
    Wish,
)
from pechvogel.play.room import WISHES, Opening, RoomError, clean_name, hash_token, new_id, new_series
from pechvogel.tabletop.position import PositionError
from pechvogel_env.rules import NUM_DICE

CHECKPOINT = 10  # seconds
KEEP_ALIVE = 15.0  # seconds between signs of life on a stream
MOST_ONLOOKERS = 99  # that are told of
PIECE = 32_768  # characters of a stream that are sent at once, or one event
RETRY = 5  # seconds after which those who were sent away may try again

T = TypeVar("T")


def create_app(
    hub: Hub,
    *,
    rate: float = 50.0,
    games_per_address: int = 50,
    names: Collection[str] = (),
    proxies: Sequence[Network] = (),
    first_game: str = DEFAULT,
) -> FastAPI:
    """The application around a hub; `names` are those under which it is reached, besides addresses and localhost.

    `first_game` is the one that a newcomer sees first.
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await hub.tidy(expire=True)
        cleaner = asyncio.create_task(_clean(hub))
        yield
        cleaner.cancel()
        await hub.close()

    app = FastAPI(
        title="Pechvogel",
        version=__version__,
        summary="People against agents. Everything in this game is public; acting needs a seat's token.",
        lifespan=lifespan,
        responses={
            status: {"model": Refusal, "description": "a sentence that says why not"} for status in ("4XX", "5XX")
        },
        docs_url=None,
        redoc_url=None,
    )
    app.state.hub = hub
    app.add_middleware(Guard, limiter=Limiter(rate, max(4 * rate, OPENING)), names=names, proxies=proxies)
    _add_errors(app)
    _add_health(app, hub)
    add_pages(app, hub, proxies)
    _add_rooms(app, hub, Openers(games_per_address, lambda name: hub.stage(name), lambda: hub.clock()), first_game)
    _add_play(app, hub)
    add_me(app, hub)
    add_trainer(app)
    return app


async def _clean(hub: Hub) -> None:
    for seconds in itertools.count(CHECKPOINT, CHECKPOINT):
        await asyncio.sleep(CHECKPOINT)
        await hub.tidy(expire=seconds % 3600 == 0)


# ------------------------------------------------------------------------------------------------ errors


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(RoomError)
    async def refused(_: Request, error: RoomError) -> JSONResponse:
        headers = {"Retry-After": str(RETRY)} if error.status == 503 else None
        return error_answer(error.status, str(error), error.code, headers, error.facts)

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:]) or "the request"
        return error_answer(422, f"{where}: {first['msg']}")

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        if error.status_code == 404 and wants_page(request):
            found: Response = app.state.no_page(request)
            return found
        return error_answer(error.status_code, str(error.detail))

    @app.exception_handler(Exception)
    async def failed(_: Request, error: Exception) -> JSONResponse:
        return error_answer(
            500, "something went wrong on the server; your game is safe, please load the page again", "failed"
        )


# ------------------------------------------------------------------------------------------------ health


def _add_health(app: FastAPI, hub: Hub) -> None:
    @app.get("/healthz")
    async def healthz(response: Response) -> dict[str, str]:
        """The server is there, and can store games; 503 and what is wrong, if it can't."""
        trouble: str | None = getattr(hub, "trouble", None)
        if trouble is None:
            return {"status": "ok", "version": __version__}
        response.status_code = 503
        return {"status": "trouble", "version": __version__, "error": trouble}


# ------------------------------------------------------------------------------------------------ rooms


State: TypeAlias = dict[str, Any]
GameName = Annotated[str, AfterValidator(on_page), Query(description=f"one of {', '.join(AGENTS)}")]
RoomName = Annotated[str, "the unguessable part of a game's link"]
Token = Annotated[str | None, Header(description="Bearer and the token that was given at the seat")]


def _state(live: Live) -> Response:
    """A room as everybody sees it."""
    return Response(live.state(), media_type="application/json")


def _token(authorization: str | None) -> str | None:
    kind, _, token = (authorization or "").partition(" ")
    return token if kind.lower() == "bearer" and token else None


def _seat(live: Live, authorization: str | None) -> int:
    seat = live.room.seat_of(_token(authorization))
    if seat is None:
        raise RoomError(403, "only players can do that: this link lets you look", "only_players")
    return seat


def _add_rooms(app: FastAPI, hub: Hub, openers: Openers, first_game: str) -> None:
    async def open_for(who: str, opening: Opening) -> str:
        with openers.opening(who) as allowed:
            if not allowed:
                sentence = f"{openers.most} games from your address are open; please finish or delete one first"
                raise RoomError(429, sentence, "yours_full")
            name = await hub.open(opening)
            openers.note(who, name)
        return name

    @app.get("/api/games")
    async def games() -> dict[str, Any]:
        """What can be played: names, how many can play, and what actions are called, by number."""
        found = [
            {"name": one.name, "title": one.title, "players": list(one.kind.players), "actions": one.kind.actions}
            for one in offers()
        ]
        return {"games": found, "first": first_game}

    @app.get("/api/agents")
    async def agents(game: GameName = DEFAULT) -> dict[str, Any]:
        """Who can be played against; `only` has, for those who can't play every game, which: players and copies;

        `strength` is what they win against the champion at two players, where that has been measured.
        """
        opponents = offer(game).part("opponents")
        only = opponents.limited()
        return {
            "agents": [spec for spec in opponents.AGENTS if only.get(spec, True)],
            "only": only,
            "strength": opponents.strengths(),
            "stand_in": opponents.STAND_IN,
            "away_seconds": hub.away_seconds,
        }

    @app.post("/api/rooms", status_code=201)
    async def open_room(wish: OpenRoom, request: Request) -> dict[str, Any]:
        """Open a room, and sit down if a seat says `me`; where all are agents, they play while somebody listens."""
        if sum(seat.kind == "me" for seat in wish.seats) > 1:
            raise RoomError(422, "you can sit at one place only")
        unattended = all(seat.kind == "agent" for seat in wish.seats)
        if unattended and (wish.real_dice or wish.series > 1):
            raise RoomError(422, "real dice and series need a person at one place at least, or room for one")
        if wish.position is not None and wish.series > 1:
            raise RoomError(422, "a series begins with whole games, not from a position")
        token = new_id()
        seats: list[dict[str, Any]] = []
        for seat in wish.seats:
            if seat.kind == "agent":
                seats.append({"kind": "agent", "agent": _check_agent(wish.game, seat.agent)})
            elif seat.kind == "me":
                seats.append({"kind": "person", "name": clean_name(wish.name), "token": hash_token(token)})
            else:
                seats.append({"kind": "open"})
        position = None if wish.position is None else _position(offer(wish.game), wish.position).to_dict()
        opening = Opening(
            num_players=len(seats),
            seats=tuple(seats),
            secret="" if wish.real_dice else fair.new_secret().hex(),
            game=wish.game,
            **_settings(wish),
            first_player=wish.first_player,
            position=position,
            wishes=tuple(what for what in WISHES if getattr(wish, what)),
            commit=True,
            series=new_series(wish.series, len(seats)) if wish.series > 1 else None,
            pace=wish.pace if unattended else 0.0,
        )
        await _check_agents(hub, opening)
        name = await open_for(request.state.who, opening)
        live = await hub.live(name)
        mine = live.room.seat_of(token)
        return {"room": name, "seat": mine, "token": None if mine is None else token, "state": live.room.show()}

    @app.get("/api/rooms/{room}", response_model=State)
    async def look(room: RoomName) -> Response:
        """Everything that can be seen; the coming dice can't."""
        return _state(await hub.live(room))

    @app.post("/api/rooms/{room}/join", status_code=201)
    async def join(room: RoomName, wish: Join) -> dict[str, Any]:
        """Sit down at an open place."""
        live = await hub.live(room)
        free = [number for number, seat in enumerate(live.room.seats) if seat.kind == "open"]
        if not free:
            raise RoomError(409, "all seats are taken; you can look on", "seats_taken")
        seat, token = free[0] if wish.seat is None else wish.seat, new_id()
        move = {"do": "join", "seat": seat, "name": clean_name(wish.name), "token": hash_token(token)}
        live = await hub.move(room, move)
        return {"seat": seat, "token": token, "state": json.loads(live.state())}

    @app.post("/api/rooms/{room}/commitment", response_model=State)
    async def commitment(room: RoomName, wish: Commitment, authorization: Token = None) -> Response:
        """At a table of several people: be held to a number, having seen the promise, before anybody shows one."""
        live = await hub.live(room)
        seat = _seat(live, authorization)
        if live.room.commitments.get(seat) == wish.commitment:  # sent again, as the answer was lost
            return _state(live)
        return _state(await hub.move(room, {"do": "commit", "seat": seat, "commitment": wish.commitment}))

    @app.post("/api/rooms/{room}/number", response_model=State)
    async def number(room: RoomName, wish: BrowserNumber, authorization: Token = None) -> Response:
        """Mix a number into the dice, having seen promise and commitments: then nobody can have chosen them."""
        live = await hub.live(room)
        seat = _seat(live, authorization)
        if live.room.numbers.get(seat) == wish.number:
            return _state(live)
        return _state(await hub.move(room, {"do": "number", "seat": seat, "number": wish.number}))

    @app.delete("/api/rooms/{room}", status_code=204)
    async def delete(room: RoomName, authorization: Token = None) -> Response:
        """Delete a game: whoever opened it can, or any player if they have gone; while several play, nobody."""
        live = await hub.live(room)
        seat = _seat(live, authorization)
        table = live.room.table
        if table is not None and not table.over and not live.room.alone:
            sentence = "the others are still playing; the game can be deleted when it is over"
            raise RoomError(409, sentence, "still_playing")
        owner = live.room.opener if table is None else live.room.owner
        if seat != owner and (table is None or owner is not None):
            raise RoomError(403, "only whoever opened a game can delete it", "not_yours")
        await hub.delete(room)
        return Response(status_code=204)

    @app.get(
        "/api/rooms/{room}/events", response_class=Response, responses={200: {"content": {"text/event-stream": {}}}}
    )
    async def events(
        room: RoomName,
        request: Request,
        after: Annotated[int, Query(ge=-1, description="the last event that was seen")] = -1,
        looking: Annotated[bool, Query(description="somebody without a seat, who counts as an onlooker")] = False,
        last_event_id: Annotated[str | None, Header()] = None,
    ) -> StreamingResponse:
        """A stream of what happens (server-sent events), beginning after an event that was seen."""
        if last_event_id is not None and re.fullmatch("[0-9]{1,9}", last_event_id):
            after = int(last_event_id)
        live = await hub.live(room)
        await request.state.turn()
        telling = _stream(hub, room, live, after, request.state.turn, looking)
        return StreamingResponse(telling, media_type="text/event-stream")

    @app.post("/api/rooms/{room}/rematch", status_code=201)
    async def rematch(room: RoomName, request: Request, authorization: Token = None) -> dict[str, Any]:
        """The same table again, or the next game of a series: everybody has the same seat there, and the same token."""
        live = await hub.live(room)
        seat, old, token = _seat(live, authorization), live.room, _token(authorization)

        async def seated(name: str) -> dict[str, Any]:
            new = (await hub.live(name)).room
            mine = new.seat_of(token)
            return {"room": name, "seat": mine, "token": None if mine is None else token, "state": new.show()}

        gone = old.rematch
        if old.rematch is not None:
            with suppress(RoomError):  # it may have been deleted
                return await seated(old.rematch)
        if old.table is None or not old.table.over:
            raise RoomError(409, "the game is not over yet", "not_over")
        opening = old.again(seat, "" if old.real_dice else fair.new_secret().hex())
        await _check_agents(hub, opening)
        if old.rematch != gone:
            raise RoomError(409, "somebody else was faster; please try again", "faster")
        name = await open_for(request.state.who, opening)
        live = await hub.live(room)
        if live.room.rematch != gone:
            await hub.delete(name)
            raise RoomError(409, "somebody else was faster; please try again", "faster")
        await hub.move(room, {"do": "rematch", "room": name})
        return await seated(name)


def _settings(wish: OpenRoom) -> dict[str, Any]:
    """The settings of the game, as a room is opened with them; RoomError if some are another game's."""
    own = offer(wish.game).kind.settings
    for name in sorted(SETTINGS & wish.model_fields_set):
        if name not in own:
            raise RoomError(422, f"{name} is no setting of {wish.game}; there are {', '.join(own)}")
    found = {name: getattr(wish, name) for name in own}
    try:
        offer(wish.game).kind.variant(len(wish.seats), **found)
    except ValueError as error:
        raise RoomError(422, str(error)) from None
    return found if wish.game == DEFAULT else {"settings": found}


def _check_agent(game: str, spec: Any) -> str:
    """An agent that the server offers: nobody may name files or modules."""
    if spec not in AGENTS[game]:
        raise RoomError(422, f"there is no agent {spec!r} here; there are {', '.join(AGENTS[game])}", "no_agent")
    return str(spec)


async def _check_agents(hub: Hub, opening: Opening) -> None:
    for spec in {seat["agent"] for seat in opening.seats if seat["kind"] == "agent"}:
        await hub.check_agent(spec, opening)


async def _no_turn() -> None:
    """Nobody else waits."""


async def _stream(
    hub: Hub,
    name: str,
    live: Live,
    after: int,
    turn: Callable[[], Awaitable[None]] = _no_turn,
    looking: bool = False,
) -> AsyncIterator[str]:
    live.watchers += 1
    live.onlookers += looking
    hub.let_agents_play(name)
    try:
        sent, heard, state, onlookers = after + 1, live.heard, "", 0
        while not hub.closing:
            try:
                await hub.live(name)  # all who wait until it is loaded go on at the same moment: then each has its turn
                await turn()
                now = await hub.live(name)
            except RoomError as error:
                if error.status == 404:
                    yield "event: gone\ndata: {}\n\n"
                return  # the browser comes again, and finds what was missed
            if now is not live:  # it was loaded anew
                live.watchers -= 1
                live.onlookers -= looking
                live, heard, state = now, now.heard, ""
                live.watchers += 1
                live.onlookers += looking
                hub.let_agents_play(name)
            changed = live.changed
            piece, sent, all_told = _piece(live, sent, state)
            if all_told:
                state = live.state()
                piece += "".join(f"event: call\ndata: {call}\n\n" for number, call in live.calls if number >= heard)
                heard = live.heard
            if piece:
                yield piece  # waits while the listener does not read
            while all_told:
                # Not at once: if all heard of everybody who comes and goes, a thousand who do would be a million words.
                if min(live.onlookers, MOST_ONLOOKERS) != onlookers:
                    onlookers = min(live.onlookers, MOST_ONLOOKERS)
                    yield f"event: onlookers\ndata: {onlookers}\n\n"
                try:
                    await asyncio.wait_for(changed.wait(), KEEP_ALIVE)
                    break
                except (TimeoutError, asyncio.TimeoutError):  # two things before Python 3.11
                    yield ": still here\n\n"
    finally:
        live.watchers -= 1
        live.onlookers -= looking


def _piece(live: Live, sent: int, state: str = "") -> tuple[str, int, bool]:
    """Some of what has happened since, how much has been told then, and whether that is all: the state comes last.

    Whoever has had this very `state` does not get it again.
    """
    events = live.room.events
    sent = min(sent, len(events))  # the room was loaded anew, or the number is nobody's
    parts: list[str] = []
    size = 0
    while sent < len(events) and size < PIECE:
        parts.append(f"id: {sent}\ndata: {events[sent]}\n\n")
        size += len(parts[-1])
        sent += 1
    all_told = sent == len(events)
    if all_told and live.state() is not state:
        parts.append(f"event: state\ndata: {live.state()}\n\n")
    return "".join(parts), sent, all_told


def _position(game: Offer, text: str) -> Any:
    try:
        return game.engine("position").Position.parse(text)
    except PositionError as error:
        facts = {"field": error.field, **error.facts}
        raise RoomError(422, str(error), f"position_{error.code}", facts) from None
    except ValueError as error:
        raise RoomError(422, f"position: {error}") from None


# ------------------------------------------------------------------------------------------------ play


async def _acting(hub: Hub, room: str, authorization: str | None, played: int) -> tuple[Live, int]:
    """Who does something in a game, as it was when they made up their mind."""
    live = await hub.live(room)
    seat = _seat(live, authorization)
    if played != live.room.played:
        raise RoomError(409, "the game has gone on in the meantime", "gone_on")
    return live, seat


def _is_done(live: Live, seat: int, wish: Act) -> bool:
    """Whether what happened next, after all that somebody had seen, was this very decision of theirs."""
    if wish.after is None or not wish.played < live.room.played:
        return False
    for text in live.room.events[wish.after :]:
        event = json.loads(text)
        if event["kind"] in ("action", "throw", "taken_back", "end"):
            return (event["kind"], event.get("seat"), event.get("action")) == ("action", seat, wish.action)
    return False


async def _while_there(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Work for somebody who waits for it; if they go, it is dropped."""

    async def gone() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    working, waiting = asyncio.create_task(work), asyncio.create_task(gone())
    try:
        await asyncio.wait((working, waiting), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise RoomError(499, "you have gone")  # nobody hears that
        return working.result()
    finally:
        working.cancel()
        waiting.cancel()


def _add_play(app: FastAPI, hub: Hub) -> None:
    @app.post("/api/rooms/{room}/act", response_model=State)
    async def act(room: RoomName, wish: Act, authorization: Token = None) -> Response:
        """Decide."""
        live = await hub.live(room)
        seat, actions = _seat(live, authorization), live.room.opening.offer.kind.actions
        if wish.action >= len(actions):
            raise RoomError(422, f"action: there are {len(actions)} actions, from 0")
        if live.room.played != wish.played and _is_done(live, seat, wish):
            return _state(live)
        live, seat = await _acting(hub, room, authorization, wish.played)
        if live.room.seats[seat].agent is not None:
            raise RoomError(409, "an agent plays for you; come back first", "stood_in")
        return _state(await hub.move(room, {"do": "act", "seat": seat, "action": wish.action}))

    @app.post("/api/rooms/{room}/throw", response_model=State)
    async def throw(room: RoomName, wish: Throw, authorization: Token = None) -> Response:
        """Say what the real dice show."""
        _, seat = await _acting(hub, room, authorization, wish.played)
        return _state(await hub.move(room, {"do": "throw", "seat": seat, "faces": wish.faces}))

    @app.post("/api/rooms/{room}/take_back", response_model=State)
    async def take_back(room: RoomName, wish: TakeBack, authorization: Token = None) -> Response:
        """Undo one's last decision, if all have agreed to that; other dice will come."""
        _, seat = await _acting(hub, room, authorization, wish.played)
        return _state(await hub.move(room, {"do": "take_back", "seat": seat}))

    @app.post("/api/rooms/{room}/wish", response_model=State)
    async def wish_for(room: RoomName, wish: Wish, authorization: Token = None) -> Response:
        """Agree to something, or no longer."""
        live = await hub.live(room)
        seat = _seat(live, authorization)
        if wish.on == (wish.what in live.room.seats[seat].wishes):
            return _state(live)
        return _state(await hub.move(room, {"do": "wish", "seat": seat, "what": wish.what, "on": wish.on}))

    @app.post("/api/rooms/{room}/stand_in", response_model=State)
    async def stand_in(room: RoomName, wish: StandIn, authorization: Token = None) -> Response:
        """Let an agent play where a person is away, or has sent nothing for the dice, or where nobody has sat down."""
        live = await hub.live(room)
        asking, now = _seat(live, authorization), live.room
        if wish.seat >= len(now.seats):
            raise RoomError(422, f"there is no seat {wish.seat}")
        game, stand_in = now.opening.game, now.opening.offer.part("opponents").stand_in(now.opening.variant)
        agent = stand_in if wish.agent is None else _check_agent(game, wish.agent)
        late, done = now.missing_commitments(), now.commitments
        if not late:
            late, done = now.missing_numbers(), now.numbers
        if now.table is not None or wish.seat in late:
            waited_for = wish.seat == now.waited_for() or (wish.seat in late and asking in done)
            if not waited_for or hub.clock() - live.asked_since < hub.away_seconds:
                sentence = f"an agent can stand in for a player who has kept all waiting {hub.away_seconds:g} s"
                raise RoomError(409, sentence, "not_yet")
            agent = stand_in  # nobody chooses a weak one for others
        move: dict[str, Any] = {"do": "stand_in", "seat": wish.seat, "agent": agent}
        if now.opening.commit and wish.seat in now.missing_numbers():
            secret = fair.new_secret().hex()
            move = {"do": "abandon", "round": len(now.abandoned), "secret": secret, "agent": agent}
        await hub.check_agent(agent, now.opening)
        return _state(await hub.move(room, move))

    @app.post("/api/rooms/{room}/call", status_code=204)
    async def call(room: RoomName, wish: Call, authorization: Token = None) -> Response:
        """Call something out, for all who listen now; nobody keeps it."""
        live = await hub.live(room)
        live.call(_seat(live, authorization), wish.what, hub.clock())
        return Response(status_code=204)

    @app.post("/api/rooms/{room}/return", response_model=State)
    async def come_back(room: RoomName, authorization: Token = None) -> Response:
        """Play oneself again."""
        seat = _seat(await hub.live(room), authorization)
        return _state(await hub.move(room, {"do": "return", "seat": seat}))

    @app.get("/api/rooms/{room}/advice")
    async def advice(room: RoomName, request: Request, authorization: Token = None) -> dict[str, Any]:
        """What the coach says about the decision at hand, to whoever decides, if all have agreed to a coach."""
        live = await hub.live(room)
        seat = _seat(live, authorization)
        table = live.room.table
        if table is None or table.to_act != seat:
            raise RoomError(409, "you are not asked now", "not_asked")
        if not live.room.agreed("coach"):
            raise RoomError(409, "not everybody at the table has agreed to a coach", "not_agreed")
        return await _while_there(request, hub.advise(table.position(), request.state.who, live.room.opening.game))

    @app.post("/api/rooms/{room}/hint")
    async def hint(room: RoomName, request: Request, authorization: Token = None) -> dict[str, Any]:
        """What the coach says about this one decision; from then on the game is practice."""
        seat = _seat(await hub.live(room), authorization)
        hub.check_coach(request.state.who)  # before the game becomes practice
        now = (await hub.move(room, {"do": "hint", "seat": seat})).room
        assert now.table is not None
        return await _while_there(request, hub.advise(now.table.position(), request.state.who, now.opening.game))

    @app.get("/api/rooms/{room}/review", response_model=State)
    async def review(room: RoomName, request: Request) -> Response:
        """A finished game, step by step: chances, what decisions cost, and what luck did."""
        found = await _while_there(request, hub.review(room, request.state.who))
        return Response(found, media_type="application/json")

    @app.get(
        "/api/rooms/{room}/record", response_class=Response, responses={200: {"content": {"application/jsonl": {}}}}
    )
    async def record(room: RoomName) -> Response:
        """A finished game as a line of a file for `pechvogel replay`."""
        live = await hub.live(room)
        if live.room.table is None or not live.room.table.over:
            raise RoomError(409, "the game is not over yet", "not_over")
        text = json.dumps(live.room.record(), separators=(",", ":")) + "\n"
        headers = {"Content-Disposition": f'attachment; filename="{live.room.opening.game}-{room[:8]}.jsonl"'}
        return Response(text, media_type="application/jsonl", headers=headers)

    @app.get("/api/analyse")
    async def analyse(
        request: Request,
        position: Annotated[str, Query(max_length=2000, description="in one line or as JSON")],
        throw: Annotated[
            list[int] | None, Query(max_length=NUM_DICE, description="dice that are thrown in it first; 0 is the raven")
        ] = None,
        game: GameName = DEFAULT,
    ) -> dict[str, Any]:
        """What the coach says about any position, and the position in full."""
        found = _position(offer(game), position)
        if throw:
            settings = {name: found[name] for name in ("num_players", *offer(game).kind.settings)}
            try:
                table = offer(game).table(seeds=None, position=found, **settings)
                table.throw(throw)
            except ValueError as error:
                raise RoomError(422, f"throw: {error}") from None
            found = table.position()
        return await _while_there(request, hub.analyse(found, request.state.who, game))
