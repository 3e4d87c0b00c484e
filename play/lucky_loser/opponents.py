"""Which agents a server offers, and which games they can play."""

from __future__ import annotations

from functools import cache

from lucky_loser_env.kind import KIND
from pechvogel.agents import card, registry
from pechvogel.agents.levels import TOP
from pechvogel.tabletop.kind import Variant

STAND_IN = "champion"
OTHERWISE = "heuristic"  # where the champion has no weights
CHANGING = ()  # agents that are looked at anew for every game
_LEVELS = [f"champion:level={level}" for level in range(1, TOP)]
AGENTS = tuple(spec for name in registry.names(KIND.name) for spec in [*_LEVELS * (name == "champion"), name])


def stand_in(variant: Variant) -> str:
    """Who plays for people who have gone: nobody chooses a weak one for others."""
    return STAND_IN if variant in _weights(STAND_IN) else OTHERWISE


def check_playable(spec: str, variant: Variant) -> None:
    """ValueError if an agent can't play such a game, as far as it does not say so itself: they all do."""


def limited() -> dict[str, list[tuple[int, list[int]]]]:
    """Agents that can't play every game, with those that they can: players and row lengths."""
    only = {name: [(one.num_players, list(one["row_lengths"])) for one in _weights(name)] for name in ("ppo", STAND_IN)}
    return {spec: only[spec.partition(":")[0]] for spec in AGENTS if spec.partition(":")[0] in only}


def strengths() -> dict[str, float]:
    """What agents win of games for two against the champion: not measured on the page's scale yet."""
    return {}


@cache
def _weights(name: str) -> frozenset[Variant]:
    """The games for which weights of an agent come with the package."""
    return frozenset(card.in_repository(KIND.name, name))
