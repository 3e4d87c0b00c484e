"""What every action in a position is worth, by the best evaluation at hand: `pechvogel analyse --game lucky-loser`."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from lucky_loser_env.kind import KIND
from lucky_loser_env.position import Position
from pechvogel.agents import analysis as shared
from pechvogel.agents.lucky_loser.champion import ChampionAgent

SOURCE = "estimated: this turn is exact, what comes after it is a learned evaluation (champion)"
_champion = lru_cache(maxsize=1)(ChampionAgent)


def analyse(position: Position, table: None = None) -> dict[str, Any]:
    """What a position and its actions are worth; the result is what `--json` writes.

    Values are on the scale of reward="win" for whoever decides (between decisions: for the player at turn).
    """
    states = position.states()
    search = _champion().search(states)
    actions = shared.ranked(search.action_values(states)[0], KIND.actions, position.num_players)
    return shared.summary(position, actions, lambda: search.values(states)[0], SOURCE)


def open_table(path: Path) -> None:
    """No game of it is solved."""
    raise ValueError(f"{path}: there are no solution tables for {KIND.name}, which is not solved")
