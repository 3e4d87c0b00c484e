"""A room: a table, who sits at it, and what they have agreed on.

Everything that ever changes a room is a *move*, a small dict. A room is rebuilt from what it was opened with and its
moves, so storing these is storing the room (`store`); snapshots only make long rooms quicker to load. People are known
by tokens, of which a room keeps hashes only.
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

from pechvogel.agents.games import DEFAULT
from pechvogel.play import fair
from pechvogel.play.games import Offer, offer
from pechvogel.play.table import Seeds, Table, TableError
from pechvogel.tabletop.kind import Variant
from pechvogel.tabletop.record import PROOF

WISHES = ("coach", "take_back")
CALLS_OUT = ("hello", "well_played", "lucky", "ouch", "thanks", "your_turn")  # what people may say to each other
MAX_NAME = 24
BLANK = "\u115f\u1160\u2800\u3164\uffa0"  # letters that look like nothing


class RoomError(ValueError):
    """A request that can't be fulfilled; nothing has changed. `status` is what HTTP calls it.

    What a person may meet has a `code`, by which the page finds the words of their language, and `facts` for these.
    """

    def __init__(
        self, status: int, sentence: str, code: str | None = None, facts: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(sentence)
        self.status, self.code, self.facts = status, code, facts


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
    copies: int = 3  # this and the next are Pechvogel's settings, which stand here as they always have
    italian_reading: bool = False
    first_player: int | None = None
    position: Mapping[str, Any] | None = None
    wishes: tuple[str, ...] = ()  # of whoever opened the room
    commit: bool = False  # several people commit to their numbers before one is shown; in rooms of before they did not
    opener: int | None = None  # the seat of whoever opened the room, if it is not the first person's
    series: Mapping[str, Any] | None = (
        None  # {"games", "number", "points", "wins"}: the last two by seat, before this game
    )
    pace: float = 0.0  # seconds from one decision to the next, where only agents play and somebody looks on
    game: str = DEFAULT  # rooms of before there were others lack it
    settings: Mapping[str, Any] = field(default_factory=dict)  # of other games

    @property
    def offer(self) -> Offer:
        """What the game brings with it; ValueError if there is no such game."""
        return offer(self.game)

    @property
    def variant(self) -> Variant:
        """What is played; ValueError if it can't be."""
        kind = self.offer.kind
        own = {name: getattr(self, name) for name in kind.settings if hasattr(self, name)}
        return kind.variant(self.num_players, **{**own, **self.settings})


@dataclass(frozen=True)
class Snapshot:
    """A room after some of its moves: plain values that JSON can hold, and events as they are told."""

    state: Mapping[str, Any]
    events: list[str]


class Room:
    """One game with its people and agents; as it was opened, or as it was at a snapshot with all its events."""

    def __init__(self, opening: Opening, snapshot: Snapshot | None = None) -> None:
        self.opening = opening
        self.seats = [Seat(**_seat(seat)) for seat in opening.seats]
        self.secret = opening.secret  # of this round: see `fair`
        self.commitments: dict[int, str] = {}
        self.numbers: dict[int, str] = {}
        self.abandoned: list[dict[str, Any]] = []  # rounds in which somebody did not show their number
        self.table: Table | None = None  # once everybody is there
        # What has happened, as JSON: a server has thousands of rooms, and millions of small objects would make Python's
        # garbage collector stop it for half a second now and then.
        self.events: list[str] = []
        self.practice = opening.position is not None
        self.rematch: str | None = None  # the room in which this table plays again
        self.played = 0  # decisions, throws and take-backs: what a player's request refers to
        self._shown = 0  # steps of the table that are events already
        # The seat of whoever opened the room; None if they only made places for others.
        first = next((number for number, seat in enumerate(self.seats) if seat.kind == "person"), None)
        self.opener = first if opening.opener is None else opening.opener
        if self.opener is not None:
            self.seats[self.opener].wishes |= set(opening.wishes)
        if snapshot is not None:
            self._restore(snapshot)
            return
        self._lay(None)  # what can't be played is refused now, not when the last player comes
        self._begin_if_complete()

    # ------------------------------------------------------------------------------ who is who

    @property
    def real_dice(self) -> bool:
        """People throw their own dice."""
        return not self.opening.secret

    @property
    def drawn(self) -> bool:
        """The dice decide who begins."""
        return not self.real_dice and self.opening.first_player is None and self.opening.position is None

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

    def _contributors(self) -> set[int]:
        """The people whose numbers belong into the dice: all but those for whom an agent stands in."""
        if self.table is not None or self.real_dice:
            return set()
        return {seat for seat in self._people() if self.seats[seat].agent is None}

    def _seats_open(self) -> bool:
        return any(seat.kind == "open" for seat in self.seats)

    def missing_commitments(self) -> set[int]:
        """The people who have to commit to a number, before anybody shows one; nobody, where one person is alone."""
        people = self._contributors()
        if not self.opening.commit or (len(people) == 1 and not self._seats_open()):
            return set()
        return people - set(self.commitments)

    @property
    def revealing(self) -> bool:
        """Everybody has committed to a number, and is to show it now."""
        return bool(self._contributors()) and not self._seats_open() and not self.missing_commitments()

    def missing_numbers(self) -> set[int]:
        """The people without whose number the dice can't be fixed."""
        if self.opening.commit and not self.revealing:
            return set()
        return self._contributors() - set(self.numbers)

    @property
    def awaited(self) -> tuple[Any, ...]:
        """What all wait for; whenever it changes, patience begins anew."""
        return self.played, self.stage, len(self.abandoned), self.revealing, len(self._people())

    @property
    def promise(self) -> str | None:
        """Of the dice; None if they are real, or nobody is there to add a number: then there is nothing to prove."""
        return None if self.real_dice or self.unattended else fair.promise(bytes.fromhex(self.secret))

    def _by_seat(self, values: Mapping[int, str]) -> list[str | None]:
        return [values.get(seat) for seat in range(len(self.seats))]

    def agent_to_act(self) -> tuple[int, str] | None:
        """The seat and the agent that decide now, if it is an agent's turn to decide."""
        if self.table is None or self.table.to_act is None:
            return None
        seat = self.table.to_act
        agent = self.seats[seat].agent
        return None if agent is None else (seat, agent)

    @property
    def stage(self) -> tuple[bool, bool]:
        """Whether the game has begun, and whether it is over. One without people never begins: it may go sooner."""
        return self.table is not None and not self.unattended, self.table is not None and self.table.over

    def waited_for(self) -> int | None:
        """The seat that has to decide, or to throw real dice."""
        if self.table is None or self.table.over:
            return None
        return int(self.table.states["active"][0]) if self.table.dice_due else self.table.to_act

    @property
    def unattended(self) -> bool:
        """Agents play each other, and nobody else will come."""
        return all(seat["kind"] == "agent" for seat in self.opening.seats)

    @property
    def owner(self) -> int | None:
        """The seat of whoever opened the room, if they are still at the table."""
        return self.opener if self.opener is not None and self.seats[self.opener].kind == "person" else None

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
            "commit": self._commit,
            "number": self._number,
            "act": self._act,
            "throw": self._throw,
            "take_back": self._take_back,
            "wish": self._wish,
            "hint": self._hint,
            "stand_in": self._stand_in,
            "abandon": self._abandon,
            "return": self._return,
            "rematch": self._rematch,
        }
        try:
            moves[move["do"]](**{key: value for key, value in move.items() if key != "do"})
        except TableError as error:
            raise RoomError(409, str(error), "not_now") from None

    def _join(self, seat: int, name: str, token: str, number: str | None = None) -> None:
        if not 0 <= seat < len(self.seats) or self.seats[seat].kind != "open":
            raise RoomError(409, "that seat is taken", "seats_taken")
        self.seats[seat] = Seat("person", name, token=token)
        if number is not None:  # in rooms of before
            self.numbers[seat] = number
        self._tell("seats")
        self._begin_if_complete()

    def _commit(self, seat: int, commitment: str) -> None:
        if seat in self.commitments:
            raise RoomError(409, "you have committed to a number already", "not_now")
        if seat not in self.missing_commitments():
            raise RoomError(409, "no commitment of yours is waited for", "not_now")
        self.commitments[seat] = commitment
        self._tell("seats")

    def _number(self, seat: int, number: str) -> None:
        if seat in self.numbers:
            raise RoomError(409, "your number is known already", "not_now")
        if self.table is not None and not self.real_dice:
            raise RoomError(409, "the game has begun without your number", "not_now")
        if self.opening.commit and seat not in self.missing_numbers():
            raise RoomError(409, "numbers are shown when everybody at the table has committed to one", "not_now")
        committed = self.commitments.get(seat)
        if committed is not None and committed != fair.commitment(str(self.promise), seat, number):
            raise RoomError(409, "you have committed to another number", "not_now")
        self.numbers[seat] = number
        if self.opening.commit and self.missing_numbers():
            self._tell("seats")
        self._begin_if_complete()

    def _act(self, seat: int, action: int) -> None:
        self._playing().act(seat, action)
        self.played += 1
        self._tell_steps()

    def _throw(self, seat: int, faces: Sequence[int]) -> None:
        table, thrower = self._playing(), self.waited_for()
        # Somebody has to throw for agents; people throw for themselves.
        if table.dice_due and thrower != seat and thrower is not None and self.seats[thrower].agent is None:
            raise RoomError(409, "it is not your throw", "not_now")
        table.throw(faces)
        self.played += 1
        self._tell_steps()

    def _take_back(self, seat: int) -> None:
        table = self._playing()
        if not self.agreed("take_back"):
            raise RoomError(409, "not everybody at the table has agreed to taking back", "not_agreed")
        if table.over:
            raise RoomError(409, "the game is over", "not_now")
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
            raise RoomError(409, "you are not asked now", "not_asked")
        if len(self._people()) > 1 and not self.agreed("coach"):
            raise RoomError(409, "not everybody at the table has agreed to a coach", "not_agreed")
        self._note_practice()

    def _stand_in(self, seat: int, agent: str) -> None:
        if not 0 <= seat < len(self.seats) or self.seats[seat].agent is not None:
            raise RoomError(409, "an agent plays there already", "not_now")
        # Nobody can play before all are there; but one who sends nothing must not keep all others waiting for ever.
        if self.opening.commit:
            stuck = seat in self.missing_commitments() and self.commitments
        else:
            stuck = seat in self.missing_numbers() and self.numbers
        if self.table is None and self.seats[seat].kind == "person" and not stuck:
            raise RoomError(409, "somebody sits there, and the game has not begun", "not_now")
        if self.seats[seat].kind == "open":
            self.seats[seat] = Seat("agent", agent=agent)
        else:
            self.seats[seat].agent = agent
        self._tell("seats")
        self._begin_if_complete()

    def _abandon(self, round: int, secret: str, agent: str) -> None:
        """Whoever has not shown their number loses the seat for good: they may have known what it would have done."""
        late = self.missing_numbers()
        if not self.opening.commit or round != len(self.abandoned) or not late or not self.numbers:
            raise RoomError(409, "nobody's number is late", "not_now")
        commitments, numbers = self._by_seat(self.commitments), self._by_seat(self.numbers)
        self.abandoned.append(fair.shown_round(bytes.fromhex(self.secret), commitments, numbers))
        names = [self.seats[seat].name for seat in sorted(late)]
        for seat in late:
            self.seats[seat] = Seat("agent", agent=agent)
        self.secret, self.commitments, self.numbers = secret, {}, {}
        self._tell("abandoned", names=names)
        self._tell("seats")

    def _return(self, seat: int) -> None:
        if self.seats[seat].kind != "person" or self.seats[seat].agent is None:
            raise RoomError(409, "nobody stands in for you", "not_now")
        if self.opening.commit and self.revealing:  # numbers may be known: it is too late to add one
            raise RoomError(409, "the others fix the dice just now; come back when the game has begun", "fixing_dice")
        self.seats[seat].agent = None
        self._tell("seats")

    def _rematch(self, room: str) -> None:
        if self.table is None or not self.table.over:
            raise RoomError(409, "the game is not over yet", "not_over")
        self.rematch = room
        self._tell("rematch", room=room)

    # ------------------------------------------------------------------------------ what happens

    def _playing(self) -> Table:
        if self.table is None:
            raise RoomError(409, "the game has not begun: somebody is missing", "not_now")
        return self.table

    def _begin_if_complete(self) -> None:
        """When nobody is missing, and the dice are fixed: by our secret, and by a number of every person's."""
        if self.table is not None or self._seats_open() or self.missing_commitments() or self.missing_numbers():
            return
        self.table = self._lay(self._seeds())
        if self.agreed("coach"):
            self._note_practice()
        start = self.table.steps[0].before if self.table.steps else self.table.states
        facts = {"position": self.table.position_of(start).to_dict(), "scores": self.table.scores_of(start)}
        self._tell("begin", **facts)
        self._tell_steps()

    def _seeds(self) -> Seeds | None:
        """Of the dice, once they are fixed."""
        if self.real_dice:
            return None
        secret, numbers = bytes.fromhex(self.secret), self._by_seat(self.numbers)
        return lambda taken_back: fair.seed(secret, numbers, taken_back)

    def _lay(self, seeds: Seeds | None, **line: Any) -> Table:
        opening = self.opening
        start: dict[str, Any] = {"first_player": opening.first_player, "position": opening.position}
        return opening.offer.table(opening.num_players, seeds, **start, **opening.variant.settings, **line)

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
        table, events = self._playing(), self.opening.offer.part("events")
        for step in table.steps[self._shown :]:
            self._tell(step.kind, **events.show_step(step))
        self._shown = len(table.steps)
        if table.over:
            self._tell("over", scores=table.scores(), winners=table.winners())

    # ------------------------------------------------------------------------------ snapshots

    def snapshot(self, told: int = 0) -> Snapshot:
        """All that moves have changed, and the events since the first `told`: so that nobody has to play them again."""
        table = self.table
        state = {
            "seats": [{**vars(seat), "wishes": sorted(seat.wishes)} for seat in self.seats],
            "secret": self.secret,
            "commitments": self._by_seat(self.commitments),
            "numbers": self._by_seat(self.numbers),
            "abandoned": self.abandoned,
            "practice": self.practice,
            "rematch": self.rematch,
            "played": self.played,
            "table": None if table is None else {"line": table.line(), "taken_back": table.taken_back},
            "events": len(self.events),
        }
        return Snapshot(state, self.events[told:])

    def _restore(self, snapshot: Snapshot) -> None:
        state = snapshot.state
        self.seats = [Seat(**{**seat, "wishes": set(seat["wishes"])}) for seat in state["seats"]]
        self.secret, self.abandoned = state["secret"], state["abandoned"]
        self.commitments, self.numbers = (
            {seat: text for seat, text in enumerate(state[name]) if text is not None}
            for name in ("commitments", "numbers")
        )
        self.practice, self.rematch, self.played = state["practice"], state["rematch"], state["played"]
        if state["table"] is not None:
            self.table = self._lay(self._seeds(), **state["table"])
            self._shown = len(self.table.steps)
        self.events = snapshot.events
        if len(self.events) != state["events"]:
            raise ValueError("events are missing")

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
            "game": opening.game,
            "num_players": opening.num_players,
            **opening.variant.settings,
            "real_dice": self.real_dice,
            "first_player": opening.first_player,  # None: the dice decide
            "drawn": self.drawn,
            "promise": self.promise,
            "round": len(self.abandoned),
            "commitments": self._by_seat(self.commitments) if opening.commit and not self.real_dice else None,
            "missing_commitments": sorted(self.missing_commitments()),
            "missing_numbers": sorted(self.missing_numbers()),
            "practice": self.practice,
            "seats": self.show_seats(),
            "owner": self.owner,
            "unattended": self.unattended,
            "series": self.series(),
            "agreed": {wish: self.agreed(wish) for wish in WISHES},
            "events": len(self.events),
            "played": self.played,
            "begun": table is not None,
            "rematch": self.rematch,
            "over": table is not None and table.over,
            "position": None if table is None else table.position().to_dict(),
            "scores": None if table is None else table.scores(),
            "to_act": None if table is None else table.to_act,
            "legal": [] if table is None else table.legal(),
            "dice_due": 0 if table is None else table.dice_due,
        }
        if table is not None:
            shown |= opening.offer.part("events").show_choices(table)
        if table is not None and table.over:
            shown["winners"] = table.winners()
        return shown

    def series(self) -> dict[str, Any] | None:
        """The series that this game belongs to: points and wins by seat, this game's as well when it is over."""
        if self.opening.series is None:
            return None
        shown, table = dict(self.opening.series), self.table
        if table is not None and table.over:
            scores, winners = table.scores(), table.winners()
            shown["points"] = [sum(pair) for pair in zip(shown["points"], scores, strict=True)]
            shown["wins"] = [count + (seat in winners) for seat, count in enumerate(shown["wins"])]
        return shown

    def again(self, seat: int, secret: str) -> Opening:
        """The same table once more, opened from a seat: everybody keeps theirs, with the token that they have.

        In a series it is the next game, and the next player clockwise begins; after the last one, a new series.
        """
        old, table, series, first = self.opening, self._playing(), self.series(), None
        if series is not None and series["number"] < series["games"]:
            series["number"] += 1
            first = (table.first_player + 1) % old.num_players
        elif series is not None:
            series = new_series(series["games"], old.num_players)
        places = [{"kind": one.kind, "name": one.name, "agent": one.agent, "token": one.token} for one in self.seats]
        places[seat]["agent"] = None  # whoever asks for it plays
        return Opening(
            num_players=old.num_players,
            seats=tuple(places),
            secret=secret,
            copies=old.copies,
            italian_reading=old.italian_reading,
            game=old.game,
            settings=old.settings,
            first_player=first,
            wishes=tuple(sorted(self.seats[seat].wishes)),
            commit=True,
            opener=seat,
            series=series,
        )

    def record(self) -> dict[str, Any]:
        """The finished game, with the proof of its dice."""
        found = self._playing().record()
        if self.promise is not None:
            secret, numbers = bytes.fromhex(self.secret), self._by_seat(self.numbers)
            commitments = self._by_seat(self.commitments) if self.opening.commit else None
            found[PROOF] = fair.proof(self._playing(), secret, numbers, self.drawn, commitments, self.abandoned)
        return found


def new_series(games: int, num_players: int) -> dict[str, Any]:
    """So many games in a row, before the first."""
    return {"games": games, "number": 1, "points": [0] * num_players, "wins": [0] * num_players}


def _seat(seat: Mapping[str, Any]) -> dict[str, Any]:
    return {key: seat[key] for key in ("kind", "name", "agent", "token") if seat.get(key) is not None}
