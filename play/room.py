"""A room: a table, who sits at it, and what they have agreed on.

Everything that ever changes a room is a *move*, a small dict. A room is rebuilt from what it was opened with and its
moves, so storing these is storing the room (`store`). People are known by tokens, of which a room keeps hashes only.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pechvogel.play import fair
from pechvogel.play.pechvogel.events import scores_of, show_step
from pechvogel.play.pechvogel.table import Seeds, Table, TableError
from pechvogel.tabletop.kind import Variant
from pechvogel_env.kind import KIND
from pechvogel_env.position import position_of
from pechvogel_env.record import PROOF

WISHES = ("coach", "take_back")
MAX_NAME = 24
BLANK = "\u115f\u1160\u2800\u3164\uffa0"  # letters that look like nothing


class RoomError(ValueError):
    """A request that can't be fulfilled; nothing has changed. `status` is what HTTP calls it.

    What a person may meet has a `code`, by which the page finds the words of their language.
    """

    def __init__(self, status: int, sentence: str, code: str | None = None) -> None:
        super().__init__(sentence)
        self.status, self.code = status, code


@dataclass
class Seat:
    """A place at the table."""

    kind: str  # "person", "agent", or "open": a place that is kept for a person
    name: str = ""
    agent: str | None = None  # who plays: an agent's specification; for persons, their stand-in
    token: str | None = None  # the hash of a person's token
    wishes: set[str] = field(default_factory=set)


def hash_token(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def new_id() -> str:
    """A name that can't be guessed: 128 random bits, of a room or of a person."""
    return secrets.token_urlsafe(16)


def clean_name(name: Any) -> str:
    """A person's name: one short line of visible characters."""
    if not isinstance(name, str):
        raise RoomError(422, "a name must be text")
    visible = ""
    for c in unicodedata.normalize("NFC", name):
        kind = unicodedata.category(c)[0]
        piled = kind == "M" and all(unicodedata.category(last)[0] == "M" for last in visible[-2:])
        if c == " " or not (kind in "CZ" or c in BLANK or piled):
            visible += c
    return " ".join(visible.split())[:MAX_NAME].strip() or "?"


@dataclass(frozen=True)
class Opening:
    """What a room is opened with; as JSON, the first thing that is stored."""

    num_players: int
    seats: tuple[Mapping[str, Any], ...]  # {"kind": "person", "name", "token"}, {"kind": "agent", "agent"}, ...
    secret: str  # hexadecimal; "" with real dice
    copies: int = 3
    italian_reading: bool = False
    first_player: int | None = None
    position: Mapping[str, Any] | None = None
    wishes: tuple[str, ...] = ()  # of whoever opened the room

    @property
    def variant(self) -> Variant:
        """What is played; ValueError if it can't be."""
        return KIND.variant(self.num_players, copies=self.copies, italian_reading=self.italian_reading)


class Room:
    """One game with its people and agents."""

    def __init__(self, opening: Opening) -> None:
        self.opening = opening
        self.seats = [Seat(**_seat(seat)) for seat in opening.seats]
        self.numbers: dict[int, str] = {}
        self.table: Table | None = None  # once everybody is there
        # What has happened, as JSON: a server has thousands of rooms, and millions of small objects would make Python's
        # garbage collector stop it for half a second now and then.
        self.events: list[str] = []
        self.practice = opening.position is not None
        self.rematch: str | None = None  # the room in which this table plays again
        self.played = 0  # decisions, throws and take-backs: what a player's request refers to
        self._shown = 0  # steps of the table that are events already
        # The seat of whoever opened the room; None if they only made places for others.
        self.opener = next((number for number, seat in enumerate(self.seats) if seat.kind == "person"), None)
        if self.opener is not None:
            self.seats[self.opener].wishes |= set(opening.wishes)
        self._lay(None)  # what can't be played is refused now, not when the last player comes
        self._begin_if_complete()

    # ------------------------------------------------------------------------------ who is who

    @property
    def real_dice(self) -> bool:
        """People throw their own dice."""
        return not self.opening.secret

    def seat_of(self, token: str | None) -> int | None:
        """The seat of whoever has this token."""
        if token is None:
            return None
        hashed = hash_token(token)
        for number, seat in enumerate(self.seats):
            if seat.token is not None and hmac.compare_digest(seat.token, hashed):
                return number
        return None

    def _people(self) -> set[int]:
        return {number for number, seat in enumerate(self.seats) if seat.kind == "person"}

    def missing_numbers(self) -> set[int]:
        """The people, but those for whom an agent stands in, without whose number the dice can't be fixed."""
        if self.table is not None or self.real_dice:
            return set()
        return {seat for seat in self._people() - set(self.numbers) if self.seats[seat].agent is None}

    def _numbers(self) -> list[str | None]:
        return [self.numbers.get(seat) for seat in range(len(self.seats))]

    def agent_to_act(self) -> tuple[int, str] | None:
        """The seat and the agent that decide now, if it is an agent's turn to decide."""
        if self.table is None or self.table.to_act is None:
            return None
        seat = self.table.to_act
        agent = self.seats[seat].agent
        return None if agent is None else (seat, agent)

    @property
    def stage(self) -> tuple[bool, bool]:
        """Whether the game has begun, and whether it is over."""
        return self.table is not None, self.table is not None and self.table.over

    def waited_for(self) -> int | None:
        """The seat that has to decide, or to throw real dice."""
        if self.table is None or self.table.over:
            return None
        return int(self.table.states["active"][0]) if self.table.dice_due else self.table.to_act

    @property
    def alone(self) -> bool:
        """One person at most."""
        return len(self._people()) <= 1

    def agreed(self, wish: str) -> bool:
        """Whether all people at the table want it."""
        people = [seat for seat in self.seats if seat.kind == "person"]
        return bool(people) and all(wish in seat.wishes for seat in people)

    # ------------------------------------------------------------------------------ moves

    def apply(self, move: Mapping[str, Any]) -> None:
        """Carry out a move, or raise RoomError and change nothing."""
        moves: dict[str, Callable[..., None]] = {
            "join": self._join,
            "number": self._number,
            "act": self._act,
            "throw": self._throw,
            "take_back": self._take_back,
            "wish": self._wish,
            "hint": self._hint,
            "stand_in": self._stand_in,
            "return": self._return,
            "rematch": self._rematch,
        }
        try:
            moves[move["do"]](**{key: value for key, value in move.items() if key != "do"})
        except TableError as error:
            raise RoomError(409, str(error)) from None

    def _join(self, seat: int, name: str, token: str, number: str) -> None:
        if not 0 <= seat < len(self.seats) or self.seats[seat].kind != "open":
            raise RoomError(409, "that seat is taken", "seats_taken")
        self.seats[seat] = Seat("person", name, token=token)
        self.numbers[seat] = number
        self._tell("seats")
        self._begin_if_complete()

    def _number(self, seat: int, number: str) -> None:
        if seat in self.numbers:
            raise RoomError(409, "your number is known already")
        if self.table is not None and not self.real_dice:
            raise RoomError(409, "the game has begun without your number")
        self.numbers[seat] = number
        self._begin_if_complete()

    def _act(self, seat: int, action: int) -> None:
        self._playing().act(seat, action)
        self.played += 1
        self._tell_steps()

    def _throw(self, seat: int, faces: Sequence[int]) -> None:
        table, thrower = self._playing(), self.waited_for()
        # Somebody has to throw for agents; people throw for themselves.
        if table.dice_due and thrower != seat and thrower is not None and self.seats[thrower].agent is None:
            raise RoomError(409, "it is not your throw")
        table.throw(faces)
        self.played += 1
        self._tell_steps()

    def _take_back(self, seat: int) -> None:
        table = self._playing()
        if not self.agreed("take_back"):
            raise RoomError(409, "not everybody at the table has agreed to taking back", "not_agreed")
        if table.over:
            raise RoomError(409, "the game is over")
        try:
            table.take_back(seat)
        except TableError as error:
            raise RoomError(409, str(error), "nothing_to_take_back") from None
        self.played += 1
        self._shown = len(table.steps)
        self._note_practice()
        facts = {"position": table.position().to_dict(), "scores": table.scores(), "other_dice": not self.real_dice}
        self._tell("taken_back", seat=seat, **facts)

    def _wish(self, seat: int, what: str, on: bool) -> None:
        if what not in WISHES:
            raise RoomError(422, f"there is no wish {what!r}; there are {', '.join(WISHES)}")
        wishes = self.seats[seat].wishes
        (wishes.add if on else wishes.discard)(what)
        if self.table is not None and self.agreed("coach"):
            self._note_practice()
        self._tell("seats")

    def _hint(self, seat: int) -> None:
        """Somebody asks the coach about one decision: practice, and at a table of several people all must agree."""
        if self._playing().to_act != seat:
            raise RoomError(409, "you are not asked now")
        if len(self._people()) > 1 and not self.agreed("coach"):
            raise RoomError(409, "not everybody at the table has agreed to a coach", "not_agreed")
        self._note_practice()

    def _stand_in(self, seat: int, agent: str) -> None:
        if not 0 <= seat < len(self.seats) or self.seats[seat].agent is not None:
            raise RoomError(409, "an agent plays there already")
        # Nobody can play before all are there; but the number of one must not keep all others waiting for ever.
        stuck = seat in self.missing_numbers() and self.numbers
        if self.table is None and self.seats[seat].kind == "person" and not stuck:
            raise RoomError(409, "somebody sits there, and the game has not begun")
        if self.seats[seat].kind == "open":
            self.seats[seat] = Seat("agent", agent=agent)
        else:
            self.seats[seat].agent = agent
        self._tell("seats")
        self._begin_if_complete()

    def _return(self, seat: int) -> None:
        if self.seats[seat].kind != "person" or self.seats[seat].agent is None:
            raise RoomError(409, "nobody stands in for you")
        self.seats[seat].agent = None
        self._tell("seats")

    def _rematch(self, room: str) -> None:
        if self.table is None or not self.table.over:
            raise RoomError(409, "the game is not over yet")
        self.rematch = room
        self._tell("rematch", room=room)

    # ------------------------------------------------------------------------------ what happens

    def _playing(self) -> Table:
        if self.table is None:
            raise RoomError(409, "the game has not begun: somebody is missing")
        return self.table

    def _begin_if_complete(self) -> None:
        """When nobody is missing, and the dice are fixed: by our secret, and by a number of every person's."""
        if self.table is not None or self.missing_numbers() or any(seat.kind == "open" for seat in self.seats):
            return
        secret = bytes.fromhex(self.opening.secret)
        numbers = self._numbers()
        self.table = self._lay(None if self.real_dice else lambda taken_back: fair.seed(secret, numbers, taken_back))
        if self.agreed("coach"):
            self._note_practice()
        start = self.table.steps[0].before if self.table.steps else self.table.states
        self._tell("begin", position=position_of(start, 0).to_dict(), scores=scores_of(start))
        self._tell_steps()

    def _lay(self, seeds: Seeds | None) -> Table:
        opening = self.opening
        return Table(
            opening.num_players,
            seeds,
            copies=opening.copies,
            italian_reading=opening.italian_reading,
            first_player=opening.first_player,
            position=opening.position,
        )

    def _note_practice(self) -> None:
        if not self.practice:
            self.practice = True
            self._tell("practice")

    def _tell(self, kind: str, **facts: Any) -> None:
        if kind == "seats":
            facts = {"seats": self.show_seats()}
        event = {"number": len(self.events), "kind": kind, **facts}
        self.events.append(json.dumps(event, separators=(",", ":")))

    def _tell_steps(self) -> None:
        table = self._playing()
        for step in table.steps[self._shown :]:
            self._tell(step.kind, **show_step(step))
        self._shown = len(table.steps)
        if table.over:
            self._tell("over", scores=table.scores(), winners=table.winners())

    # ------------------------------------------------------------------------------ what is shown

    def show_seats(self) -> list[dict[str, Any]]:
        """Everybody at the table, for everybody."""
        return [
            {"kind": seat.kind, "name": seat.name, "agent": seat.agent, "wishes": sorted(seat.wishes)}
            for seat in self.seats
        ]

    def show(self) -> dict[str, Any]:
        """The room as it is now, for everybody: all in this game is public, the dice to come are not."""
        table, opening = self.table, self.opening
        shown: dict[str, Any] = {
            "num_players": opening.num_players,
            "copies": opening.copies,
            "italian_reading": opening.italian_reading,
            "real_dice": self.real_dice,
            "first_player": opening.first_player,  # None: the dice decide
            "promise": None if self.real_dice else fair.promise(bytes.fromhex(opening.secret)),
            "practice": self.practice,
            "seats": self.show_seats(),
            "agreed": {wish: self.agreed(wish) for wish in WISHES},
            "events": len(self.events),
            "played": self.played,
            "begun": table is not None,
            "missing_numbers": sorted(self.missing_numbers()),
            "rematch": self.rematch,
            "over": table is not None and table.over,
            "position": None if table is None else table.position().to_dict(),
            "scores": None if table is None else table.scores(),
            "to_act": None if table is None else table.to_act,
            "legal": [] if table is None else table.legal(),
            "dice_due": 0 if table is None else table.dice_due,
        }
        if table is not None and table.over:
            shown["winners"] = table.winners()
        return shown

    def record(self) -> dict[str, Any]:
        """The finished game, with the proof of its dice."""
        found = self._playing().record()
        if not self.real_dice:
            drawn = self.opening.first_player is None and self.opening.position is None
            found[PROOF] = fair.proof(self._playing(), bytes.fromhex(self.opening.secret), self._numbers(), drawn)
        return found


def _seat(seat: Mapping[str, Any]) -> dict[str, Any]:
    return {key: seat[key] for key in ("kind", "name", "agent", "token") if seat.get(key) is not None}
