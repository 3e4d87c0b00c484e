"""Positions, the readable view of a game: reading them from JSON and lines of text, and what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from pechvogel.tabletop.untrusted import parse_json, shown_value

MAX_TEXT = 1 << 16  # characters
MAX_COUNT = 10**8  # of turns, and of whatever has no bound: far beyond play, and scores still fit into 32 bits


class PositionError(ValueError):
    """An impossible or malformed position; the message starts with the name of the wrong field.

    What somebody may get wrong who sets one up has a `code`, and the `facts` for a sentence in their language.
    """

    def __init__(self, field: str, problem: str, code: str = "other", **facts: Any) -> None:
        super().__init__(f"position: {field} {problem}")
        self.field, self.code, self.facts = field, code, facts


class Fields:
    """For a dataclass that reads like its JSON form, too: position["phase"], "phase" in position, dict(position)."""

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __iter__(self) -> Iterator[str]:
        return iter(names_of(type(self)))

    def keys(self) -> list[str]:
        """The names of the fields."""
        return list(self)


def names_of(form: type) -> list[str]:
    """The names of the fields of a position."""
    return [field.name for field in fields(form)]


# ---------------------------------------------------------------------------------- reading


class Line:
    """The one-line form, cut into its parts."""

    def __init__(self, text: str, number: int, told: str) -> None:
        self.parts = text.split("_")
        if len(self.parts) != number:
            sentence = f"must be JSON or {told} parts joined by '_', and this has {len(self.parts)}"
            raise PositionError("as a whole", sentence, "line")

    def part(self, k: int, name: str, pattern: str) -> re.Match[str]:
        """Part `k`, which must look like this."""
        match = re.fullmatch(pattern, self.parts[k], re.ASCII)
        if match is None:
            raise PositionError(name, f"is written as {shown_value(self.parts[k])}, which is not its text form", "line")
        return match

    def entries(self, k: int, name: str, pattern: str) -> Iterator[re.Match[str]]:
        """The entries of part `k`, joined by ".", each of which must look like this."""
        for entry in self.parts[k].split("."):
            match = re.fullmatch(pattern, entry, re.ASCII)
            if match is None:
                raise PositionError(name, f"has an entry {shown_value(entry)}, which is not its text form", "line")
            yield match


def as_mapping(source: Any, form: type, from_line: Callable[[str], Mapping[str, Any]]) -> Mapping[str, Any]:
    """Any form of a position as named fields: an object, a dict, JSON text, or the one-line text."""
    if isinstance(source, form):
        return source.to_dict()  # type: ignore[attr-defined,no-any-return]
    if isinstance(source, str):
        text = source.strip()
        if not text.startswith("{"):
            return from_line(text)
        try:
            found = parse_json(text, MAX_TEXT)
        except ValueError as error:
            raise PositionError("as a whole", f"can't be read: {error}", "line") from None
        assert isinstance(found, dict)
        return found
    if not isinstance(source, Mapping):
        raise PositionError("as a whole", f"must be an object with named fields, not {shown_value(source)}")
    return source


def check_whole_position(source: Mapping[str, Any], form: type) -> None:
    """Refuse a position that lacks a field."""
    for name in names_of(form):
        if name not in source:
            raise PositionError(name, "is missing", "line")


def check_names(source: Mapping[str, Any], form: type) -> None:
    """Refuse a position with a field that there is not."""
    names = names_of(form)
    for name in source:
        if name not in names:
            raise PositionError(shown_value(name), f"is no field; the fields are {', '.join(names)}")


def check_same(whole: Mapping[str, Any], **ours: Any) -> None:
    """Refuse a position of another variant."""
    for name, value in ours.items():
        if whole[name] != value:
            raise PositionError(name, f"is {shown_value(whole[name])}, but this game has {value}")


def complete_players(players: Any, blank: Mapping[str, Any]) -> Any:
    """Players with all their fields; what is wrong with them is said later."""
    if isinstance(players, (list, tuple)):
        return [{**blank, **player} if isinstance(player, Mapping) else player for player in players]
    return players


# ---------------------------------------------------------------------------------- values


def whole(name: str, value: Any, low: int, high: int) -> int:
    """A whole number."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise PositionError(name, f"must be a whole number, not {shown_value(value)}", "number", low=low, high=high)
    if not low <= value <= high:
        sentence = f"must be from {low} to {high}, not {shown_value(int(value))}"
        raise PositionError(name, sentence, "number", low=low, high=high)
    return int(value)


def truth(name: str, value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise PositionError(name, f"must be true or false, not {shown_value(value)}")
    return value


def whole_list(name: str, value: Any, length: int | None, low: int, high: int) -> list[int]:
    """A list of whole numbers; None: of any length."""
    if not isinstance(value, (list, tuple)):
        raise PositionError(name, f"must be a list, not {shown_value(value)}")
    if length is not None and len(value) != length:
        raise PositionError(name, f"must have {length} entries, not {len(value)}")
    return [whole(f"{name}[{k}]", entry, low, high) for k, entry in enumerate(value)]


def seat_or_none(name: str, value: Any, num_players: int) -> int | None:
    """A seat, or nobody's."""
    return None if value is None else whole(name, value, 0, num_players - 1)


def phase_name(value: Any, phases: Sequence[str]) -> str:
    """One of the phases."""
    if value not in phases:
        raise PositionError("phase", f"is {shown_value(value)}, but must be one of {', '.join(phases)}")
    return str(value)


def player_entries(value: Any, num_players: int, form: type, told: str) -> list[tuple[str, Mapping[str, Any]]]:
    """Everybody's entry with its name in sentences; `told` lists the fields that each must have."""
    if not isinstance(value, (list, tuple)) or len(value) != num_players:
        raise PositionError("players", f"must be a list of {num_players} players")
    entries = []
    for seat, entry in enumerate(value):
        name = f"players[{seat}]"
        if not isinstance(entry, Mapping) or set(entry) != set(names_of(form)):
            raise PositionError(name, f"must have exactly the fields {told}")
        entries.append((name, entry))
    return entries
