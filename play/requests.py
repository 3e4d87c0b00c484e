"""What can be asked of the server: the bodies of requests, checked."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from lucky_loser_env.rules import ROW_LENGTHS
from pechvogel.agents.games import DEFAULT
from pechvogel.play.games import offers
from pechvogel.play.room import CALLS_OUT
from pechvogel_env.rules import MAX_COPIES, NUM_DICE

# What any game allows; what it does not allow is refused by its table.
MIN_PLAYERS = min(one.kind.players[0] for one in offers())
MAX_PLAYERS = max(one.kind.players[-1] for one in offers())
MOST_ACTIONS = max(len(one.kind.actions) for one in offers())
SETTINGS = {name for one in offers() for name in one.kind.settings}
AGENTS = {one.name: one.part("opponents").AGENTS for one in offers()}


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


Number = Annotated[str, Field(pattern="^[0-9a-f]{1,64}$", description="chosen by the browser, mixed into the dice")]
Name = Annotated[str, Field(max_length=200)]


class Refusal(_Strict):
    """What comes back when something can't be done; nothing has changed then."""

    error: str
    code: str | None = None
    facts: dict[str, Any] | None = None


class SeatWish(_Strict):
    """Who is to sit at a place: the person who opens the room, somebody who is invited, or an agent."""

    kind: Literal["me", "open", "agent"]
    agent: str | None = Field(
        None, description="for agents: " + "; ".join(f"{game}: {', '.join(specs)}" for game, specs in AGENTS.items())
    )


class OpenRoom(_Strict):
    """A new game; the settings of a game are fields of the same names, and those of others are refused."""

    game: Literal[tuple(AGENTS)] = DEFAULT  # type: ignore[valid-type]
    seats: list[SeatWish] = Field(min_length=MIN_PLAYERS, max_length=MAX_PLAYERS)
    name: Name = "?"
    copies: int = Field(MAX_COPIES, ge=1, le=MAX_COPIES)
    italian_reading: bool = False
    row_lengths: list[int] = Field(list(ROW_LENGTHS), min_length=len(ROW_LENGTHS), max_length=len(ROW_LENGTHS))
    first_player: int | None = Field(None, ge=0, le=MAX_PLAYERS - 1)
    position: str | None = Field(None, max_length=2000, description="where to start, in one line or as JSON")
    real_dice: bool = False
    coach: bool = False
    take_back: bool = False
    series: int = Field(1, ge=1, le=9, description="so many games in a row, whose points are added up")
    pace: float = Field(1.5, ge=0.5, le=5, description="seconds for a decision, where only agents play")


class Join(_Strict):
    """Sit down at an open place."""

    name: Name = "?"
    seat: int | None = Field(None, ge=0, le=MAX_PLAYERS - 1)


class Commitment(_Strict):
    """What holds a person's browser to its number: the SHA-256 of pechvogel-number-1/PROMISE/SEAT/NUMBER."""

    commitment: str = Field(pattern="^[0-9a-f]{64}$")


class BrowserNumber(_Strict):
    """What a person's browser adds to the dice, once it has seen the promise and everybody's commitment."""

    number: Number


class Act(_Strict):
    """A decision; `played` is the room's when it was made, so that it counts once and for the right question.

    `after` is for one that is sent again because no answer came: if it had arrived after all, that is no refusal.
    """

    action: int = Field(ge=0, lt=MOST_ACTIONS)
    played: int = Field(ge=0)
    after: int | None = Field(None, ge=0, description="the room's `events` when it was made")


class Throw(_Strict):
    """Real dice."""

    faces: list[int] = Field(min_length=1, max_length=NUM_DICE, description="in Pechvogel, 0 is the raven")
    played: int = Field(ge=0)


class TakeBack(_Strict):
    """Undo one's last decision."""

    played: int = Field(ge=0)


class Wish(_Strict):
    """Agree to the coach or to taking back, or no longer."""

    what: Literal["coach", "take_back"]
    on: bool


class Call(_Strict):
    """Something that a player calls out."""

    what: Literal[CALLS_OUT]  # type: ignore[valid-type]


class StandIn(_Strict):
    """Let an agent play for somebody who is away, or at a place that nobody took."""

    seat: int = Field(ge=0, le=MAX_PLAYERS - 1)
    agent: str | None = Field(None, description="the usual one if none is named")
