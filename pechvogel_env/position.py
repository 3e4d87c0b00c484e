"""A position: the readable view of a game without its dice, to and from JSON and one line of text, validated.

The JSON form has the field names of `Position`. A partial one is completed by `Position.complete`. The text form is
one word that is safe in URLs and logs; ten parts joined by "_":

    3x3_33332_00001f2.00000f1.00000f0_-_0_642_-_663_frustrate1_9
    |   |     |                       | | |   | |   |          turn: finished turns
    |   |     |                       | | |   | |   phase, and the seat that is asked
    |   |     |                       | | |   | last throw in order, 0 = raven ("-": none)
    |   |     |                       | | |   "r" reduced, "a" after a reduction, then frustraters in order ("-": none)
    |   |     |                       | | target (0: none), targets, ravens
    |   |     |                       | active seat
    |   |     |                       seat with Murphy ("-": nobody)
    |   |     markers by value 3..7, "f", frustrations; a player each, joined by "."
    |   markers in the middle by value
    players x copies, "i" behind it for the Italian reading
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from pechvogel.tabletop.position import (
    MAX_COUNT,
    Fields,
    Line,
    as_mapping,
    check_names,
    check_same,
    check_whole_position,
    complete_players,
    phase_name,
    player_entries,
    seat_or_none,
    truth,
    whole,
    whole_list,
)
from pechvogel.tabletop.position import PositionError as PositionError
from pechvogel_env import rules
from pechvogel_env.rules import FACES, FIRST_VALUE, NOBODY, NUM_DICE, NUM_VALUES, RAVENS_LIMIT, Action, Phase, States

_NAMES = rules.STATE.names or ()
PHASES = tuple(phase.name.lower() for phase in Phase)
_ACTIVE_DECIDES = ("target", "reduce", "take", "discard")
_NOBODY_DECIDES = ("throw", "over")


@dataclass
class Player(Fields):
    """What a player has in front of them."""

    markers: list[int]  # by value 3..7
    frustrations: int  # without those lying on the board


@dataclass
class Position(Fields):
    """Everything that the players see; see the module's text for the one-line form."""

    num_players: int  # 2..5
    copies: int  # markers per value at the start, 1..3
    italian_reading: bool  # Q3
    middle: list[int]  # markers in the middle by value 3..7
    players: list[Player]
    murphy: int | None  # seat that holds Murphy
    active: int  # seat whose turn it is
    target: int | None  # 3..7
    targets: int  # target dice on the board, the last throw included
    ravens: int  # ravens on the board, the last throw included
    reduced: bool  # the active player has reduced in this turn
    frustraters: list[int]  # seats whose frustrations lie on the board, in the order in which they came
    last_throw: list[int]  # faces in the order thrown; empty before the first and once taken back
    after_reduction: bool  # the last (in "throw": the coming) throw repeats one that was reduced
    phase: str  # one of PHASES
    to_act: int | None  # seat that is asked; None in "throw" and "over"
    turn: int  # finished turns

    # ------------------------------------------------------------------------------ out

    def to_dict(self) -> dict[str, Any]:
        """The JSON form as plain dicts and lists."""
        lists = {name: list(getattr(self, name)) for name in ("middle", "frustraters", "last_throw")}
        players = [{"markers": list(player.markers), "frustrations": player.frustrations} for player in self.players]
        return {**vars(self), **lists, "players": players}

    def to_json(self) -> str:
        """The JSON form on one line."""
        return json.dumps(self.to_dict())

    def to_text(self) -> str:
        """The one-line form for URLs and logs."""

        def digits(numbers: list[int]) -> str:
            return "".join(map(str, numbers))

        flags = "r" * self.reduced + "a" * self.after_reduction + digits(self.frustraters)
        return "_".join(
            [
                f"{self.num_players}x{self.copies}" + "i" * self.italian_reading,
                digits(self.middle),
                ".".join(f"{digits(p.markers)}f{p.frustrations}" for p in self.players),
                "-" if self.murphy is None else str(self.murphy),
                str(self.active),
                digits([self.target or 0, self.targets, self.ravens]),
                flags or "-",
                digits(self.last_throw) or "-",
                self.phase + ("" if self.to_act is None else str(self.to_act)),
                str(self.turn),
            ]
        )

    def states(self) -> States:
        """An array of one state, for compiled code."""
        states = rules.new_states(1)
        load(self, states, 0)
        return states

    # ------------------------------------------------------------------------------ in

    @classmethod
    def parse(cls, source: Position | Mapping[str, Any] | str) -> Position:
        """A whole position from any of its forms: an object, a dict, JSON text or the one-line text."""
        source = as_mapping(source, cls, _from_line)
        check_whole_position(source, cls)
        return _build(source)

    @classmethod
    def complete(
        cls,
        source: Position | Mapping[str, Any] | str,
        *,
        num_players: int,
        copies: int,
        italian_reading: bool = False,
        first_player: int = 0,
    ) -> Position:
        """As `parse`, but missing fields are filled in as in a fresh game.

        `middle` with what the players don't hold, `phase` with "throw", `active` with `first_player`.
        """
        source = as_mapping(source, cls, _from_line)
        found: dict[str, Any] = {
            "num_players": num_players,
            "copies": copies,
            "italian_reading": italian_reading,
            "murphy": None,
            "active": first_player,
            "target": None,
            "targets": 0,
            "ravens": 0,
            "reduced": False,
            "frustraters": [],
            "last_throw": [],
            "after_reduction": False,
            "phase": "throw",
            "turn": 0,
            **source,
        }
        check_same(found, num_players=num_players, copies=copies)
        blank = {"markers": [0] * NUM_VALUES, "frustrations": 0}
        found["players"] = complete_players(found.get("players", [{}] * num_players), blank)
        if "middle" not in found:
            players = _players(found["players"], num_players, copies)
            found["middle"] = [
                max(0, copies - sum(player.markers[value] for player in players)) for value in range(NUM_VALUES)
            ]
        if "to_act" not in found:
            found["to_act"] = found["active"] if found["phase"] in _ACTIVE_DECIDES else None
        return _build(found)


# ---------------------------------------------------------------------------------- to and from a state


def position_of(states: States, i: int) -> Position:
    """The position of game `i`."""
    s = dict(zip(_NAMES, states[i].item(), strict=True))  # one by one, fields are read ten times slower
    n = s["num_players"]
    markers, frustrations = s["markers"].tolist(), s["frustrations"].tolist()
    return Position(
        num_players=n,
        copies=s["copies"],
        italian_reading=bool(s["italian_reading"]),
        middle=s["middle"].tolist(),
        players=[Player(markers[p], frustrations[p]) for p in range(n)],
        murphy=None if s["murphy"] == NOBODY else s["murphy"],
        active=s["active"],
        target=None if s["target"] == rules.NO_TARGET else s["target"],
        targets=s["targets"],
        ravens=s["ravens"],
        reduced=bool(s["reduced"]),
        frustraters=s["frustraters"].tolist()[: s["num_frustraters"]],
        last_throw=s["last_throw"].tolist()[: s["num_thrown"]],
        after_reduction=bool(s["after_reduction"]),
        phase=PHASES[s["phase"]],
        to_act=None if s["to_act"] == NOBODY else s["to_act"],
        turn=s["turn"],
    )


def load(position: Position, states: States, i: int) -> None:
    """Set game `i` to a valid position.

    A position does not say how many throws its turn has had; loaded in the middle of a turn, the last throw counts
    as the first, so that the coming seeded dice are never those of the turn's first throw.
    """
    s = states.view(np.recarray)[i]
    s.num_players = position.num_players
    s.copies = position.copies
    s.italian_reading = position.italian_reading
    s.phase = PHASES.index(position.phase)
    s.active = position.active
    s.to_act = NOBODY if position.to_act is None else position.to_act
    s.murphy = NOBODY if position.murphy is None else position.murphy
    s.target = rules.NO_TARGET if position.target is None else position.target
    s.targets = position.targets
    s.ravens = position.ravens
    s.reduced = position.reduced
    s.after_reduction = position.after_reduction
    s.num_frustraters = len(position.frustraters)
    s.frustraters[: len(position.frustraters)] = position.frustraters
    s.num_thrown = len(position.last_throw)
    s.last_throw[:] = rules.NO_DIE
    s.last_throw[: len(position.last_throw)] = position.last_throw
    s.thrown = sum(1 << rules.BITS_PER_FACE * rules.face_index(face) for face in position.last_throw)
    s.middle[:] = position.middle
    s.markers[:] = 0
    s.frustrations[:] = 0
    for seat, player in enumerate(position.players):
        s.markers[seat] = player.markers
        s.frustrations[seat] = player.frustrations
    s.turn = position.turn
    s.throws = 1 if position.last_throw or position.target else 0


# ---------------------------------------------------------------------------------- reading


def _from_line(text: str) -> Mapping[str, Any]:
    line = Line(text, 10, "ten")

    def digits(run: str) -> list[int]:
        return [] if run == "-" else [int(digit) for digit in run]

    setting = line.part(0, "num_players", r"(\d)x(\d)(i?)")
    players = [
        {"markers": digits(entry[1]), "frustrations": int(entry[2])}
        for entry in line.entries(2, "players", r"(\d{5})f(\d{1,10})")
    ]
    murphy = line.part(3, "murphy", r"-|\d")[0]
    board = digits(line.part(5, "target", r"\d{3}")[0])
    flags = line.part(6, "frustraters", r"-|(?=.)(r?)(a?)(\d*)")
    phase = line.part(8, "phase", r"([a-z]+)(\d?)")
    return {
        "num_players": int(setting[1]),
        "copies": int(setting[2]),
        "italian_reading": setting[3] == "i",
        "middle": digits(line.part(1, "middle", r"\d{5}")[0]),
        "players": players,
        "murphy": None if murphy == "-" else int(murphy),
        "active": int(line.part(4, "active", r"\d")[0]),
        "target": board[0] or None,
        "targets": board[1],
        "ravens": board[2],
        "reduced": bool(flags[1]),
        "frustraters": digits(flags[3] or "-"),
        "last_throw": digits(line.part(7, "last_throw", r"-|\d+")[0]),
        "after_reduction": bool(flags[2]),
        "phase": phase[1],
        "to_act": int(phase[2]) if phase[2] else None,
        "turn": int(line.part(9, "turn", r"\d{1,10}")[0]),
    }


def _build(source: Mapping[str, Any]) -> Position:
    """Check types and ranges field by field, then what the rules allow together."""
    check_names(source, Position)
    n = whole("num_players", source["num_players"], rules.MIN_PLAYERS, rules.MAX_PLAYERS)
    copies = whole("copies", source["copies"], 1, rules.MAX_COPIES)
    phase = phase_name(source["phase"], PHASES)
    position = Position(
        num_players=n,
        copies=copies,
        italian_reading=truth("italian_reading", source["italian_reading"]),
        middle=whole_list("middle", source["middle"], NUM_VALUES, 0, copies),
        players=_players(source["players"], n, copies),
        murphy=seat_or_none("murphy", source["murphy"], n),
        active=whole("active", source["active"], 0, n - 1),
        target=_target(source["target"]),
        targets=whole("targets", source["targets"], 0, NUM_DICE),
        ravens=whole("ravens", source["ravens"], 0, NUM_DICE),
        reduced=truth("reduced", source["reduced"]),
        frustraters=whole_list("frustraters", source["frustraters"], None, 0, n - 1),
        last_throw=_faces(source["last_throw"]),
        after_reduction=truth("after_reduction", source["after_reduction"]),
        phase=phase,
        to_act=seat_or_none("to_act", source["to_act"], n),
        turn=whole("turn", source["turn"], 0, MAX_COUNT),
    )
    _check_markers(position)
    _check_asked(position)
    _check_board(position)
    _check_frustraters(position)
    return position


def _target(value: Any) -> int | None:
    return None if value is None else whole("target", value, FIRST_VALUE, FIRST_VALUE + NUM_VALUES - 1)


def _faces(value: Any) -> list[int]:
    faces = whole_list("last_throw", value, None, 0, FACES[-1])
    for k, face in enumerate(faces):
        if face not in FACES:
            raise PositionError(f"last_throw[{k}]", f"is {face}, but a die shows 0 (raven) or 3 to 7")
    return faces


def _players(value: Any, num_players: int, copies: int) -> list[Player]:
    players = []
    for name, entry in player_entries(value, num_players, Player, "markers and frustrations"):
        players.append(
            Player(
                whole_list(f"{name}.markers", entry["markers"], NUM_VALUES, 0, copies),
                whole(f"{name}.frustrations", entry["frustrations"], 0, MAX_COUNT),
            )
        )
    return players


# ---------------------------------------------------------------------------------- what the rules allow


def _check_markers(p: Position) -> None:
    """R2: no more markers of a value than the game has; R20: an empty middle ends the game."""
    for value in range(NUM_VALUES):
        held = sum(player.markers[value] for player in p.players)
        if held > p.copies:
            sentence = f"hold {held} markers of value {value + FIRST_VALUE}, more than {p.copies}"
            raise PositionError("players", sentence, "markers", value=value + FIRST_VALUE, copies=p.copies)
        if held + p.middle[value] > p.copies:
            raise PositionError(
                f"middle[{value}]",
                f"is {p.middle[value]}, but with {held} at the players there would be more than "
                f"{p.copies} markers of value {value + FIRST_VALUE}",
                "markers",
                value=value + FIRST_VALUE,
                copies=p.copies,
            )
    if p.phase == "over" and any(p.middle):
        raise PositionError("phase", "is 'over', but markers are left in the middle (R20)", "markers_left")
    if p.phase != "over" and not any(p.middle):
        raise PositionError("middle", f"is empty, so the game is over, but phase is {p.phase!r} (R20)", "middle_empty")


def _check_asked(p: Position) -> None:
    if p.phase in _NOBODY_DECIDES:
        if p.to_act is not None:
            raise PositionError("to_act", f"must be null in phase {p.phase!r}", "asked")
    elif p.to_act is None:
        raise PositionError("to_act", f"must say who is asked in phase {p.phase!r}", "asked")
    elif (p.to_act == p.active) != (p.phase in _ACTIVE_DECIDES):
        who = "the active player" if p.phase in _ACTIVE_DECIDES else "an opponent"
        raise PositionError("to_act", f"must be {who} in phase {p.phase!r}", "asked")


def _check_board(p: Position) -> None:
    """What can lie on the board, by R6-R10, before and after the last throw."""
    start_of_turn = p.phase == "over" or (p.phase == "throw" and p.target is None)
    first_throw = len(p.last_throw) == NUM_DICE
    if start_of_turn or first_throw:
        for name in ("reduced", "after_reduction", "frustraters"):
            if getattr(p, name):
                raise PositionError(name, "must be false or empty up to a turn's first throw (R18)", "first_throw")
    if p.after_reduction and not p.reduced:
        raise PositionError("after_reduction", "is true, but reduced is false")
    if start_of_turn:
        for name in ("target", "targets", "ravens", "last_throw"):
            if getattr(p, name):
                raise PositionError(name, "must be none or 0 while the board is empty", "board")
        return
    if p.phase == "throw":
        if not 1 <= p.targets < rules.TARGETS_NEEDED:
            raise PositionError("targets", f"must be 1 to 3 before a later throw, not {p.targets} (R8)", "later_throw")
        if p.ravens >= RAVENS_LIMIT:
            raise PositionError("ravens", f"must be 0 to 2 before a later throw, not {p.ravens} (R8)", "later_throw")
        if p.last_throw:
            _check_last_throw(p)
            if p.after_reduction:  # a reduced throw was taken back, and another one is not protected (Q3)
                raise PositionError("after_reduction", "is true, but the coming throw repeats nothing")
        return
    if p.phase == "target" and not first_throw:
        sentence = "must be the seven dice of a first throw in phase 'target'"
        raise PositionError("last_throw", sentence, "dice", count=NUM_DICE, given=len(p.last_throw))
    if not p.last_throw:
        raise PositionError("last_throw", f"must not be empty in phase {p.phase!r}", "no_throw")
    _check_last_throw(p)
    if p.phase in ("take", "discard") and p.targets < rules.TARGETS_NEEDED:
        raise PositionError("targets", f"must be at least 4 in phase {p.phase!r}, not {p.targets} (R10)", "four_needed")
    if p.phase == "take" and not _marker_to_be_had(p):
        sentence = f"is 'take', but no marker of value {p.target} is to be had (R10)"
        raise PositionError("phase", sentence, "no_marker", value=p.target)
    if p.phase == "discard" and not p.players[p.active].markers[(p.target or 0) - FIRST_VALUE]:
        sentence = "lack the marker that the active player has just stolen (R10)"
        raise PositionError("players", sentence, "not_stolen", value=p.target)


def _check_last_throw(p: Position) -> None:
    """The last throw must be a part of what lies on the board."""
    ravens = p.last_throw.count(rules.RAVEN)
    if len(p.last_throw) == NUM_DICE:
        if p.ravens != ravens:
            raise PositionError("ravens", f"is {p.ravens}, but the first throw shows {ravens}", "board")
        if ravens >= RAVENS_LIMIT:
            others = sorted(set(p.last_throw) - {rules.RAVEN})
            alike = others[0] if ravens == RAVENS_LIMIT and len(others) == 1 else None
            if p.phase == "target":
                raise PositionError("phase", "is 'target', but three ravens end the turn at once", "three_ravens")
            if p.target != alike:
                sentence = f"must be {alike or 'null'} after this first throw (ruling after R9)"
                raise PositionError("target", sentence, "three_ravens")
        elif p.phase == "target":
            if p.target is not None:
                raise PositionError("target", "must be null while it is being chosen", "board")
        elif p.target is None:
            raise PositionError("target", f"must be set in phase {p.phase!r}", "no_target")
        shown = 0 if p.target is None else p.last_throw.count(p.target)
        if p.target is not None and not shown:
            sentence = f"is {p.target}, which the first throw does not show (R6)"
            raise PositionError("target", sentence, "not_shown", value=p.target)
        if p.targets != shown:
            raise PositionError("targets", f"is {p.targets}, but the first throw shows {shown}", "board")
        return
    if p.target is None:
        raise PositionError("target", "must be set after a turn's first throw", "no_target")
    before_targets = p.targets - p.last_throw.count(p.target)
    before_ravens = p.ravens - ravens
    if not 1 <= before_targets < rules.TARGETS_NEEDED:
        raise PositionError("targets", f"is {p.targets}, which does not fit the last throw (R7, R8)", "board")
    if not 0 <= before_ravens < RAVENS_LIMIT:
        raise PositionError("ravens", f"is {p.ravens}, which does not fit the last throw (R7, R8)", "board")
    dice = NUM_DICE - before_targets - before_ravens
    if len(p.last_throw) != dice:
        sentence = f"has {len(p.last_throw)} dice, but {dice} were thrown (R8)"
        raise PositionError("last_throw", sentence, "dice", count=dice, given=len(p.last_throw))


def _marker_to_be_had(p: Position) -> bool:
    states = rules.new_states(1)
    load(p, states, 0)
    return bool(rules.legal_bits(states, 0))


def _check_frustraters(p: Position) -> None:
    """R15, Q2: opponents, each once, clockwise from whoever started."""
    if not p.frustraters:
        if p.phase == "join":
            raise PositionError("frustraters", "must name who started in phase 'join'", "no_starter")
        return
    starter = p.frustraters[0]
    distances = [(seat - starter) % p.num_players for seat in p.frustraters]
    if p.active in p.frustraters:
        raise PositionError("frustraters", "must not include the active player", "frustraters")
    if any(later <= earlier for earlier, later in pairwise(distances)):
        raise PositionError("frustraters", "must be in clockwise order from the first, each once (Q2)", "frustraters")
    if p.phase != "join":
        return
    assert p.to_act is not None
    if (p.to_act - starter) % p.num_players <= distances[-1]:
        raise PositionError("to_act", "must come after those who have answered, clockwise (Q2)", "answered")
    # Whether the starter could start is a rule (R18, Q3): ask the engine, a moment earlier.
    states = rules.new_states(1)
    load(p, states, 0)
    states["phase"] = Phase.FRUSTRATE
    states["to_act"] = starter
    states["num_frustraters"] = 0
    states["frustrations"][0, starter] += 1
    if not rules.legal_bits(states, 0) >> Action.FRUSTRATE & 1:
        raise PositionError("phase", "is 'join', but the last throw can't be frustrated (R18, Q3)", "not_answerable")
