"""What each game brings to the table: a folder beside this file for every game, with the same modules in each.

    table       a game, step by step (`Table`)
    events      what a page is told of a step (`show_step`), of what can be chosen (`show_choices`), of its words
    words       words and sentences in the game's languages (`Words`, `LANGUAGES`, `PAGE`)
    opponents   which agents a server offers (`AGENTS`), which games they can play, and who stands in for people
    coach       what actions are worth (`advise`, `analyse`, `show`)
    review      a finished game, looked at again (`Review`)
    preview     what a shared link shows
    summary     what is remembered of a finished game; only where levels have been measured
    terminal    a game in the terminal (`TerminalGame`)

All that is shared asks here; modules are loaded when they are used.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

from pechvogel.agents.games import DEFAULT, GAMES, kind_of
from pechvogel.play.table import Table
from pechvogel.tabletop.kind import Kind
from pechvogel.tabletop.record import read

REMEMBERED = (DEFAULT,)  # games of which results are remembered and rated


class Offer:
    """What a game brings to the table."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.folder = name.replace("-", "_")
        self.title = name.replace("-", " ").title()

    @cached_property
    def kind(self) -> Kind:
        """The game itself."""
        return kind_of(self.name)

    @cached_property
    def table(self) -> type[Table]:
        """A game from its start to its end."""
        found: type[Table] = self.part("table").Table
        return found

    def part(self, module: str) -> ModuleType:
        """A module of its folder."""
        return importlib.import_module(f"pechvogel.play.{self.folder}.{module}")

    def engine(self, module: str) -> ModuleType:
        """A module of the game's environment."""
        return importlib.import_module(f"{GAMES[self.name]}.{module}")

    def agents(self, module: str) -> ModuleType:
        """A module of the folder of its agents."""
        return importlib.import_module(f"pechvogel.agents.{self.folder}.{module}")


@cache
def offer(game: str) -> Offer:
    """A game by its name; ValueError if there is none."""
    kind_of(game)
    return Offer(game)


def offers() -> list[Offer]:
    """The games that can be played on the page."""
    return [one for one in map(offer, GAMES) if (Path(__file__).parent / one.folder / "web").is_dir()]


def on_page(game: str) -> str:
    """The name of a game that can be played on the page; ValueError for others."""
    if game not in (found := [one.name for one in offers()]):
        raise ValueError(f"{game!r} is not played on the page; there is {', '.join(found)}")
    return game


def of_record(record: Mapping[str, Any]) -> Offer:
    """The game that a record is of, by its format; Pechvogel's reader refuses what is of none."""
    found = record.get("format") if isinstance(record, Mapping) else None
    return next((one for one in map(offer, GAMES) if found == one.engine("record").FORMAT), offer(DEFAULT))


def read_records(path: Path) -> list[dict[str, Any]]:
    """All games of a file, verified, whichever they are."""
    return read(path, lambda record: of_record(record).engine("record").verify(record))
