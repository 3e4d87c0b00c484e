"""Which agents a server offers, and which games they can play."""

from __future__ import annotations

import math
from contextlib import suppress
from functools import cache

from pechvogel.agents import card, registry
from pechvogel.agents.pechvogel import solution
from pechvogel.agents.pechvogel.champion import TOP
from pechvogel.agents.pechvogel.solution import Solution
from pechvogel.play.pechvogel.summary import scale
from pechvogel.play.room import RoomError
from pechvogel.tabletop.kind import Variant
from pechvogel_env.kind import KIND
from pechvogel_env.rules import MAX_COPIES

STAND_IN = "champion"
CHANGING = ("optimal",)  # looked at anew for every game: a table may be damaged while we run
_LEVELS = [f"champion:level={level}" for level in range(1, TOP)]
AGENTS = tuple(spec for name in registry.names(KIND.name) for spec in [*_LEVELS * (name == "champion"), name])


def check_table(copies: int) -> None:
    """ValueError, unless there is a table for perfect play, without damage as far as that shows in a moment."""
    Solution(solution.find(copies)).verify_at_once()


def stand_in(variant: Variant) -> str:
    """Who plays for people who have gone: nobody chooses a weak one for others."""
    return STAND_IN


def check_playable(spec: str, variant: Variant) -> None:
    """ValueError if an agent can't play such a game, as far as it does not say so itself; this may read files."""
    if spec == "optimal" and variant["italian_reading"]:
        raise RoomError(422, "perfect play is known without the Italian reading only", "perfect_italian")
    if spec == "optimal" and variant.num_players == 2:
        check_table(variant["copies"])


def limited() -> dict[str, list[tuple[int, int]]]:
    """Agents that can't play every game, with those that they can: players and copies."""
    ppo = [(variant.num_players, variant["copies"]) for variant in card.in_repository(KIND.name, "ppo")]
    optimal = []
    for copies in range(1, MAX_COPIES + 1):
        with suppress(ValueError):  # there is none, or it can't be used
            check_table(copies)
            optimal.append((2, copies))
    return {"ppo": ppo, "optimal": optimal}


@cache
def strengths() -> dict[str, float]:
    """What agents win of games for two against the champion, as far as that has been measured; itself left out."""
    found = dict(scale().strengths)
    champion = found.pop(STAND_IN)
    return {spec: round(1 / (1 + math.exp(champion - strength)), 3) for spec, strength in found.items()}
