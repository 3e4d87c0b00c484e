"""The games of this house, by name."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pechvogel.tabletop.kind import Kind

GAMES = {  # the package of each
    "pechvogel": "pechvogel_env",
    "lucky-loser": "lucky_loser_env",
    "porca-miseria": "porca_miseria_env",
}
DEFAULT = "pechvogel"


def check_game(game: str) -> None:
    """ValueError if there is no such game; loads nothing."""
    if not isinstance(game, str) or game not in GAMES:
        raise ValueError(f"there is no game {game!r}; there is {', '.join(GAMES)}")


def kind_of(game: str) -> Kind:
    """A game by its name; ValueError if there is none."""
    check_game(game)
    return importlib.import_module(f"{GAMES[game]}.kind").KIND  # type: ignore[no-any-return]
