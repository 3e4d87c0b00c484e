"""Recorded games: one JSON line each, from which the whole game is rebuilt and verified. The same for every game.

A record of a game with dice has a `format`, the game's settings (`DiceGame.settings`), `scripted`, `dice`, `actions`,
`scores` and `sha256`. `dice` are all faces in the order thrown; the first `scripted` of them were given, the others
must be those of the seed. `actions` are the decisions, forced actions left out. `sha256` is over the other fields as
compact JSON with sorted keys; a `proof` of where the seed came from may stand beside them (`pechvogel serve`).
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

from pechvogel.tabletop.files import append_line
from pechvogel.tabletop.game import DiceGame, Game
from pechvogel.tabletop.untrusted import check_plain, parse_json, shown, shown_value

PROOF = "proof"
MAX_LINE = 1 << 22  # bytes: a hundred times the longest games

G = TypeVar("G", bound=Game)
D = TypeVar("D", bound=DiceGame[Any])


class RecordError(ValueError):
    """A record that is damaged, was tampered with, or does not lead to the end of a game."""


class Records(ABC, Generic[G]):
    """The records of a game: what is the same for every game."""

    def __init__(self, name: str, fields: tuple[str, ...]) -> None:
        """`name` of the format, and the `fields` beside it."""
        self.name = name
        self._fields = ("format", *fields, "scores", "sha256")

    # ------------------------------------------------------------------------------ a game's own

    @abstractmethod
    def _content(self, game: G) -> dict[str, Any]:
        """All fields of the record of a finished game, but for format, scores and checksum."""

    @abstractmethod
    def _replayed(self, record: Mapping[str, Any]) -> G:
        """The game that a record leads to, with all its decisions; RecordError, or whatever goes wrong on the way."""

    @abstractmethod
    def _check_chance(self, game: G, record: Mapping[str, Any]) -> None:
        """RecordError if a record has chance that its seed does not give."""

    # ------------------------------------------------------------------------------ the same for all

    def of_game(self, game: G) -> dict[str, Any]:
        """The record of a game that has ended."""
        if game.bits or not game.started:
            raise ValueError("the game has not ended yet: only finished games are recorded")
        record = {"format": self.name, **self._content(game), "scores": game.scores()}
        return {**record, "sha256": digest(record)}

    def verify(self, record: Any) -> dict[str, Any]:
        """Check everything: the checksum, all chance against the seed, every action, the end, the scores."""
        if not isinstance(record, dict):
            raise RecordError("is not a JSON object")
        try:
            check_plain(record)
        except ValueError as error:
            raise RecordError(f"can't be one of a game: {error}") from None
        if record.get("format") != self.name:
            raise RecordError(f"has the format {shown_value(record.get('format'))}, but this reads {self.name!r}")
        for name in self._fields:
            if name not in record:
                raise RecordError(f"lacks the field {name!r}")
        for name in record:
            if name not in (*self._fields, PROOF):
                raise RecordError(f"has an unknown field {shown_value(name)}")
        try:
            expected = digest(record)
        except (TypeError, ValueError):  # what no JSON has
            raise RecordError("is not a JSON object") from None
        if record["sha256"] != expected:
            raise RecordError("does not match its sha256: it was damaged or changed")
        try:
            game = self._replayed(record)
        except RecordError:
            raise
        except (ValueError, TypeError, ArithmeticError, LookupError) as error:
            raise RecordError(f"can't be replayed: {shown(error)}") from None
        if game.bits:
            raise RecordError(f"stops after {len(game.actions)} decisions, before the end of the game")
        self._check_chance(game, record)
        if game.scores() != record["scores"]:
            raise RecordError(f"says scores {shown_value(record['scores'])}, but the game ends {game.scores()}")
        written = self.of_game(game)
        for name in self._fields:
            if json.dumps(written[name], sort_keys=True) != json.dumps(record[name], sort_keys=True):
                raise RecordError(f"has {name!r} in a form that is not its own: {shown_value(record[name])}")
        return record

    def read(self, path: str | Path) -> list[dict[str, Any]]:
        """All games of a file, verified; RecordError names the line that is wrong."""
        return read(path, self.verify)


class DiceRecords(Records[D]):
    """The records of a game with dice in which everything is public."""

    def __init__(self, name: str, settings: tuple[str, ...], make: Callable[[Mapping[str, Any]], D]) -> None:
        """`name` of the format, the game's own `settings`, and how to `make` a game that keeps its dice of them."""
        self._make = make
        self._settings = ("num_players", *settings, "max_turns", "position", "first_player", "seed")
        super().__init__(name, (*self._settings, "scripted", "dice", "actions"))

    def _content(self, game: D) -> dict[str, Any]:
        replayed = self._start(game.settings(), game.script.tolist())
        for action in game.actions:
            replayed.step(action)
        actions = list(game.actions)
        return {**game.settings(), "scripted": game.scripted, "dice": replayed.dice, "actions": actions}

    def steps(self, record: Mapping[str, Any]) -> Iterator[tuple[D, int | None]]:
        """Replay a verified record: the game before each decision with the action taken; at last, None."""
        game = self._start({name: record[name] for name in self._settings}, record["dice"][: record["scripted"]])
        for action in record["actions"]:
            yield game, action
            game.step(action)
        yield game, None

    def _replayed(self, record: Mapping[str, Any]) -> D:
        scripted, dice, actions = record["scripted"], record["dice"], record["actions"]
        if not isinstance(dice, list) or not isinstance(actions, list):
            raise RecordError("must have lists of dice and actions")
        if isinstance(scripted, bool) or not isinstance(scripted, int) or not 0 <= scripted <= len(dice):
            raise RecordError(f"can't have {shown_value(scripted)} scripted dice among {len(dice)}")
        game = self._start({name: record[name] for name in self._settings}, dice[:scripted])
        for number, action in enumerate(actions, 1):
            if not game.bits:
                raise RecordError(f"goes on after the end of the game (decision {number})")
            game.step(action)
        return game

    def _check_chance(self, game: D, record: Mapping[str, Any]) -> None:
        dice = record["dice"]
        if game.dice != dice:
            wrong = next(
                (k for k, (a, b) in enumerate(zip(game.dice, dice, strict=False)) if a != b),
                min(len(game.dice), len(dice)),
            )
            raise RecordError(f"has dice that its seed does not give (die {wrong + 1} of {len(game.dice)})")

    def _start(self, settings: Mapping[str, Any], script: list[int]) -> D:
        """A game as it began, which keeps the dice that it throws."""
        game = self._make(settings)
        game.reset(settings["seed"], settings["first_player"], script, settings["position"])
        return game


def read(path: str | Path, verify: Callable[[Any], dict[str, Any]]) -> list[dict[str, Any]]:
    """All games of a file, verified; RecordError names the line that is wrong."""
    games = []
    with open(path, "rb") as file:
        for number, line in enumerate(iter(lambda: file.readline(MAX_LINE + 1), b""), 1):
            if not line.strip():
                continue
            try:
                games.append(verify(parse_json(line, MAX_LINE)))
            except RecordError as error:
                raise RecordError(f"{path}, line {number}: the record {error}") from None
            except ValueError:  # of JSON, of text that is no UTF-8, of endless lines and digits
                raise RecordError(
                    f"{path}, line {number}: the record is not whole JSON; was the file cut off?"
                ) from None
    if not games:
        raise RecordError(f"{path}: there is no recorded game in it")
    return games


def append(path: str | Path, record: Mapping[str, Any]) -> None:
    """Add a game to a file, as one line."""
    append_line(Path(path), json.dumps(record, separators=(",", ":")).encode())


def digest(record: Mapping[str, Any]) -> str:
    """What `sha256` must be."""
    fields = {name: value for name, value in record.items() if name not in ("sha256", PROOF)}
    text = json.dumps(fields, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
