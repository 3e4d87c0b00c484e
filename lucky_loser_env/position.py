"""A position: the readable view of a game without its dice, to and from JSON and one line of text, validated.

The JSON form has the field names of `Position`. A partial one is completed by `Position.complete`. The text form is
one word that is safe in URLs and logs; nine parts joined by "_". Counts of chips are single digits, with a, b and c for
10, 11 and 12:

    ll2x444444_ba8876_4_130000-000000-0.004000-001000-0_1_0_2356_group1_9
    |          |      | |                               | | |    |      turn: finished turns
    |          |      | |                               | | |    phase, and the seat that is asked
    |          |      | |                               | | last throw in order ("-": none)
    |          |      | |                               | seat that begins every round
    |          |      | |                               active seat
    |          |      | places by row, chips by row, points of bonus cards; a player each, joined by "."
    |          |      bonus cards left
    |          chips left by row 5..10
    players x row lengths
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from lucky_loser_env import rules
from lucky_loser_env.rules import BONUS, FACES, NOBODY, NUM_CARDS, NUM_DICE, NUM_ROWS, SUMS, Phase, States
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
    whole,
    whole_list,
)
from pechvogel.tabletop.position import PositionError as PositionError
from pechvogel.tabletop.untrusted import shown_value

GAME = "lucky-loser"
PHASES = tuple(phase.name.lower() for phase in Phase)
_NAMES = rules.STATE.names or ()
_DIGITS = "0123456789abc"  # of counts of chips


@dataclass
class Player(Fields):
    """What a player has."""

    places: list[int]  # by row 5..10: 0 no piece, 1 the first square, the row's length: the X
    chips: list[int]  # by row
    bonus: int  # points of the bonus cards taken


@dataclass
class Position(Fields):
    """Everything that the players see; see the module's text for the one-line form."""

    game: str  # "lucky-loser"
    num_players: int  # 2..4
    row_lengths: list[int]  # squares of the rows 5..10, the X included, 1..8 (L2)
    stacks: list[int]  # chips left by row; 0: closed
    bonus: list[int]  # bonus cards left, the top one first
    players: list[Player]
    active: int  # seat whose turn it is
    first: int  # seat that begins every round (L14)
    last_throw: list[int]  # faces in the order thrown; empty before the throw
    phase: str  # one of PHASES
    to_act: int | None  # seat that is asked; None in "throw" and "over"
    turn: int  # finished turns

    # ------------------------------------------------------------------------------ out

    def to_dict(self) -> dict[str, Any]:
        """The JSON form as plain dicts and lists."""
        lists = {name: list(getattr(self, name)) for name in ("row_lengths", "stacks", "bonus", "last_throw")}
        players = [{"places": [*p.places], "chips": [*p.chips], "bonus": p.bonus} for p in self.players]
        return {**vars(self), **lists, "players": players}

    def to_json(self) -> str:
        """The JSON form on one line."""
        return json.dumps(self.to_dict())

    def to_text(self) -> str:
        """The one-line form for URLs and logs."""

        def digits(numbers: list[int]) -> str:
            return "".join(_DIGITS[number] for number in numbers)

        return "_".join(
            [
                f"ll{self.num_players}x{digits(self.row_lengths)}",
                digits(self.stacks),
                str(len(self.bonus)),
                ".".join(f"{digits(p.places)}-{digits(p.chips)}-{p.bonus}" for p in self.players),
                str(self.active),
                str(self.first),
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
        row_lengths: tuple[int, ...] = rules.ROW_LENGTHS,
        first_player: int = 0,
    ) -> Position:
        """As `parse`, but missing fields are filled in as in a fresh game.

        `stacks` and `bonus` with what the players don't hold, `phase` with "throw", `first` with `first_player`;
        `active` and `turn` by each other, and if both are missing, with `first` and 0.
        """
        source = as_mapping(source, cls, _from_line)
        found: dict[str, Any] = {
            "game": GAME,
            "num_players": num_players,
            "row_lengths": list(row_lengths),
            "first": first_player,
            "last_throw": [],
            "phase": "throw",
            **source,
        }
        if isinstance(found["row_lengths"], tuple):
            found["row_lengths"] = list(found["row_lengths"])
        check_same(found, num_players=num_players, row_lengths=list(row_lengths))
        blank = {"places": [0] * NUM_ROWS, "chips": [0] * NUM_ROWS, "bonus": 0}
        found["players"] = complete_players(found.get("players", [{}] * num_players), blank)
        players = _players(found["players"], num_players, list(row_lengths))
        held = [sum(player.chips[row] for player in players) for row in range(NUM_ROWS)]
        found.setdefault("stacks", [max(0, rules.chips_in_box(num_players, r) - held[r]) for r in range(NUM_ROWS)])
        found.setdefault("bonus", list(BONUS[sum(min(player.chips) for player in players) :]))
        first = whole("first", found["first"], 0, num_players - 1)
        if "active" not in found:
            found["active"] = (first + whole("turn", found.get("turn", 0), 0, MAX_COUNT)) % num_players
        active = whole("active", found["active"], 0, num_players - 1)
        found.setdefault("turn", (active - first) % num_players)
        found.setdefault("to_act", active if found["phase"] == "group" else None)
        return _build(found)


# ---------------------------------------------------------------------------------- to and from a state


def position_of(states: States, i: int) -> Position:
    """The position of game `i`."""
    s = dict(zip(_NAMES, states[i].item(), strict=True))  # one by one, fields are read ten times slower
    places, chips, bonus = s["places"].tolist(), s["chips"].tolist(), s["bonus"].tolist()
    thrown = s["thrown"]
    return Position(
        game=GAME,
        num_players=s["num_players"],
        row_lengths=s["row_lengths"].tolist(),
        stacks=s["stacks"].tolist(),
        bonus=list(BONUS[s["cards"] :]),
        players=[Player(places[p], chips[p], bonus[p]) for p in range(s["num_players"])],
        active=s["active"],
        first=s["first"],
        last_throw=[] if thrown == rules.NO_THROW else [rules.face_of(thrown, die) for die in range(NUM_DICE)],
        phase=PHASES[s["phase"]],
        to_act=None if s["to_act"] == NOBODY else s["to_act"],
        turn=s["turn"],
    )


def load(position: Position, states: States, i: int) -> None:
    """Set game `i` to a valid position."""
    s = states.view(np.recarray)[i]
    s.num_players = position.num_players
    s.phase = PHASES.index(position.phase)
    s.active = position.active
    s.to_act = NOBODY if position.to_act is None else position.to_act
    s.first = position.first
    s.cards = NUM_CARDS - len(position.bonus)
    faces = [face - FACES[0] for face in position.last_throw]
    s.thrown = sum(face * rules.NUM_FACES**die for die, face in enumerate(faces)) if faces else rules.NO_THROW
    s.turn = position.turn
    s.row_lengths[:] = position.row_lengths
    s.stacks[:] = position.stacks
    for name in ("places", "chips", "sets", "bonus"):
        s[name][:] = 0
    for seat, player in enumerate(position.players):
        s.places[seat] = player.places
        s.chips[seat] = player.chips
        s.sets[seat] = min(player.chips)
        s.bonus[seat] = player.bonus


# ---------------------------------------------------------------------------------- reading


def _from_line(text: str) -> Mapping[str, Any]:
    line = Line(text, 9, "nine")

    def digits(run: str) -> list[int]:
        return [] if run == "-" else [_DIGITS.index(digit) for digit in run]

    setting = line.part(0, "num_players", r"ll(\d)x(\d{6})")
    left = int(line.part(2, "bonus", r"[0-4]")[0])
    players = [
        {"places": digits(entry[1]), "chips": digits(entry[2]), "bonus": int(entry[3])}
        for entry in line.entries(3, "players", r"(\d{6})-([0-9a-c]{6})-(\d{1,3})")
    ]
    phase = line.part(7, "phase", r"([a-z]+)(\d?)")
    return {
        "game": GAME,
        "num_players": int(setting[1]),
        "row_lengths": digits(setting[2]),
        "stacks": digits(line.part(1, "stacks", r"[0-9a-c]{6}")[0]),
        "bonus": list(BONUS[NUM_CARDS - left :]),
        "players": players,
        "active": int(line.part(4, "active", r"\d")[0]),
        "first": int(line.part(5, "first", r"\d")[0]),
        "last_throw": digits(line.part(6, "last_throw", r"-|\d+")[0]),
        "phase": phase[1],
        "to_act": int(phase[2]) if phase[2] else None,
        "turn": int(line.part(8, "turn", r"\d{1,10}")[0]),
    }


def _build(source: Mapping[str, Any]) -> Position:
    """Check types and ranges field by field, then what the rules allow together."""
    check_names(source, Position)
    if source["game"] != GAME:
        raise PositionError("game", f"is {shown_value(source['game'])}, but this reads positions of {GAME!r}")
    n = whole("num_players", source["num_players"], rules.MIN_PLAYERS, rules.MAX_PLAYERS)
    lengths = whole_list("row_lengths", source["row_lengths"], NUM_ROWS, 1, rules.MAX_LENGTH)
    position = Position(
        game=GAME,
        num_players=n,
        row_lengths=lengths,
        stacks=whole_list("stacks", source["stacks"], NUM_ROWS, 0, rules.CHIPS[0]),
        bonus=whole_list("bonus", source["bonus"], None, BONUS[-1], BONUS[0]),
        players=_players(source["players"], n, lengths),
        active=whole("active", source["active"], 0, n - 1),
        first=whole("first", source["first"], 0, n - 1),
        last_throw=whole_list("last_throw", source["last_throw"], None, FACES[0], FACES[-1]),
        phase=phase_name(source["phase"], PHASES),
        to_act=seat_or_none("to_act", source["to_act"], n),
        turn=whole("turn", source["turn"], 0, MAX_COUNT),
    )
    _check_rows(position)
    _check_bonus(position)
    _check_asked(position)
    _check_end(position)
    return position


def _players(value: Any, num_players: int, lengths: list[int]) -> list[Player]:
    players = []
    for name, entry in player_entries(value, num_players, Player, "places, chips and bonus"):
        places = whole_list(f"{name}.places", entry["places"], NUM_ROWS, 0, rules.MAX_LENGTH)
        for row, place in enumerate(places):
            whole(f"{name}.places[{row}]", place, 0, lengths[row])
        chips = whole_list(f"{name}.chips", entry["chips"], NUM_ROWS, 0, rules.CHIPS[0])
        players.append(Player(places, chips, whole(f"{name}.bonus", entry["bonus"], 0, sum(BONUS))))
    return players


# ---------------------------------------------------------------------------------- what the rules allow


def _check_rows(p: Position) -> None:
    """L3: all chips are somewhere; L10: the X holds one piece, which has a chip; L12: closed rows are empty."""
    for row, sum_ in enumerate(SUMS):
        box = rules.chips_in_box(p.num_players, row)
        held = sum(player.chips[row] for player in p.players)
        if held > box:
            raise PositionError("players", f"hold {held} chips of value {sum_}, more than {box} (L3)", "chips")
        if p.stacks[row] != box - held:
            sentence = f"is {p.stacks[row]}, but with {held} at the players {box - held} of {box} are left (L3)"
            raise PositionError(f"stacks[{row}]", sentence, "chips")
        on_x = [seat for seat, player in enumerate(p.players) if player.places[row] == p.row_lengths[row]]
        if not p.stacks[row]:
            for seat, player in enumerate(p.players):
                if player.places[row]:
                    raise PositionError(
                        f"players[{seat}].places[{row}]", f"must be 0: row {sum_} is closed (L12)", "closed"
                    )
        elif len(on_x) > 1:
            raise PositionError("players", f"have {len(on_x)} pieces on the X of row {sum_}, not one (L10)", "crowded")
        for seat in on_x:
            if p.stacks[row] and not p.players[seat].chips[row]:
                sentence = f"must be at least 1, with a piece on the X of row {sum_} (L10)"
                raise PositionError(f"players[{seat}].chips[{row}]", sentence, "no_chip")


def _check_bonus(p: Position) -> None:
    """L4, L13: cards are taken from the top, one for each set of six different chips while there are cards."""
    taken = NUM_CARDS - len(p.bonus)
    if taken < 0 or p.bonus != list(BONUS[taken:]):
        raise PositionError("bonus", f"must be the last of {list(BONUS)}, not {shown_value(p.bonus)} (L4)", "bonus")
    sets = [min(player.chips) for player in p.players]
    if taken != min(sum(sets), NUM_CARDS):
        sentence = f"shows {taken} cards taken, but the players have {sum(sets)} sets of six different chips (L13)"
        raise PositionError("bonus", sentence, "sets")
    for owners in product(range(p.num_players), repeat=taken):
        points, cards = [0] * p.num_players, [0] * p.num_players
        for card, owner in enumerate(owners):
            points[owner] += BONUS[card]
            cards[owner] += 1
        fits = all(have <= sets[seat] for seat, have in enumerate(cards))  # with the sum above, equal while cards last
        if fits and points == [player.bonus for player in p.players]:
            return
    have = [player.bonus for player in p.players]
    raise PositionError("players", f"can't have {have} points of {taken} bonus cards and {sets} sets (L13)", "bonus")


def _check_asked(p: Position) -> None:
    if p.phase != "group":
        if p.to_act is not None:
            raise PositionError("to_act", f"must be null in phase {p.phase!r}", "asked")
        if p.last_throw:
            raise PositionError("last_throw", f"must be empty in phase {p.phase!r}", "dice")
        return
    if p.to_act != p.active:
        raise PositionError("to_act", "must be the active player in phase 'group'", "asked")
    if len(p.last_throw) != NUM_DICE:
        raise PositionError("last_throw", f"must be four dice in phase 'group', not {len(p.last_throw)} (L6)", "dice")


def _check_end(p: Position) -> None:
    """L14: everybody's turn comes once in a round, and the game ends after one."""
    if (p.first + p.turn) % p.num_players != p.active:
        expected = (p.first + p.turn) % p.num_players
        raise PositionError(
            "turn", f"is {p.turn}, and player {p.first} began, so {expected} is active, not {p.active}", "turn"
        )
    ended = p.active == p.first and (p.stacks.count(0) >= rules.ROWS_TO_END or not p.bonus)
    if ended != (p.phase == "over"):
        sentence = f"is {p.phase!r}, but the game {'has' if ended else 'has not'} ended (L14)"
        raise PositionError("phase", sentence, "end")
