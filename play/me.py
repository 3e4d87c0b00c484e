"""The part of the API that is about oneself: what is remembered of finished games, and how strong one is."""

from __future__ import annotations

import sqlite3
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Header, Query, Request
from fastapi.responses import Response
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from pechvogel.play.hub import Hub
from pechvogel.play.memory import DAY, Game, Makers
from pechvogel.play.pechvogel.summary import scale
from pechvogel.play.rating import LONGEST, Rated, rate
from pechvogel.play.room import RoomError, hash_token, new_id

AT_ONCE = 40  # games that are sent in one request: a body has 16 kB

Rounded = AfterValidator(lambda value: round(value, 6))
Room = Annotated[str, Field(pattern="^[A-Za-z0-9_-]{8,32}$")]
Opponent = Annotated[str, Field(pattern="^[a-z][a-z0-9_:=.]{0,39}$", description="an agent, or `person`")]
Kind = Annotated[str, Field(pattern="^[a-z][a-z_]{0,23}$")]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False), Rounded]
Cost = Annotated[float, Field(ge=0, le=1000, allow_inf_nan=False), Rounded]
Decisions = Annotated[int, Field(ge=0, le=5000)]
Link = Annotated[str | None, Header(description="Bearer and the secret part of a private link")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class FinishedGame(_Strict):
    """A finished game, from one player's side."""

    room: Room
    at: int = Field(ge=0, lt=1 << 33, description="seconds since 1970")
    game: Kind
    players: int = Field(ge=2, le=10)
    opponents: list[Opponent] = Field(min_length=1, max_length=9)
    result: Share
    score: int = Field(ge=-10_000, le=10_000)
    decisions: Decisions
    cost: Cost
    luck: Annotated[float, Field(ge=-1000, le=1000, allow_inf_nan=False), Rounded]
    errors: dict[Kind, Cost] = Field(max_length=16, description="what decisions cost, by kind of error")
    judge: Kind
    counts: bool = Field(description="for the rating")


class Remember(_Strict):
    """Some games for a memory; those that it knows already are replaced."""

    games: list[FinishedGame] = Field(min_length=1, max_length=AT_ONCE)


class Results(_Strict):
    """Games that count, the oldest first: opponent, result, decisions, what these cost, and by whose values."""

    games: list[tuple[Opponent, Share, Decisions, Cost, Literal["champion", "exact", "other"]]] = Field(
        max_length=LONGEST
    )


def add_me(app: FastAPI, hub: Hub) -> None:
    """Add these requests to the application."""
    makers, known = Makers(lambda: hub.clock()), scale()

    @app.get("/api/rooms/{room}/summary")
    async def summary(room: str, request: Request) -> list[dict[str, Any]]:
        """What can be remembered of a finished game, seat by seat."""
        return await hub.summary(room, request.state.who)

    @app.post("/api/rating")
    async def rating(wish: Results, request: Request) -> dict[str, Any]:
        """How strong somebody with these results is, and who would be an even opponent."""
        games = [Rated(*game) for game in wish.games]
        return await hub.think(request.state.who, lambda: rate(known, games).show())

    @app.post("/api/memory", status_code=201)
    async def make_memory(request: Request) -> dict[str, Any]:
        """Make a private link, under which games are remembered."""
        makers.check(request.state.who)
        token, now = new_id(), hub.clock()
        await hub.write(lambda: hub.store.memories.make(hash_token(token), now))
        return {"token": token, "keep_days": hub.memory_days}

    @app.get("/api/memory")
    async def read_memory(
        after: Annotated[str, Query(max_length=32, description="the last room that was read")] = "",
        authorization: Link = None,
    ) -> Response:
        """Some of the games that are remembered; `next`, unless it is null, is where the others begin."""
        token = _hash(authorization)
        try:
            games, last, touched = hub.store.memories.read(token, after)
        except sqlite3.Error:
            raise RoomError(503, "the file of games can't be read now; please try again", "failed") from None
        now = hub.clock()
        if touched < now - DAY:
            await hub.write(lambda: hub.store.memories.touch(token, now))
        following = "null" if last is None else f'"{last}"'
        text = f'{{"games":[{",".join(games)}],"next":{following},"keep_days":{hub.memory_days:g}}}'
        return Response(text, media_type="application/json")

    @app.post("/api/memory/games")
    async def remember(wish: Remember, authorization: Link = None) -> dict[str, int]:
        """Remember games."""
        token, now = _hash(authorization), hub.clock()
        games = [Game(game.room, game.at, game.model_dump_json()) for game in wish.games]
        return {"games": await hub.write(lambda: hub.store.memories.add(token, games, now))}

    @app.delete("/api/memory", status_code=204)
    async def forget(authorization: Link = None) -> Response:
        """Delete all that is remembered under this link, and the link."""
        token = _hash(authorization)
        await hub.write(lambda: hub.store.memories.forget(token))
        return Response(status_code=204)


def _hash(authorization: str | None) -> str:
    kind, _, token = (authorization or "").partition(" ")
    return hash_token(token if kind.lower() == "bearer" else "")
