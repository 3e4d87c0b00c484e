"""What every action in a position is worth, by the best evaluation at hand: `pechvogel analyse --game lucky-loser`."""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from lucky_loser_env import rules
from lucky_loser_env.kind import KIND
from lucky_loser_env.position import Position
from lucky_loser_env.rules import MAX_PLAYERS, SUMS, Phase, States
from pechvogel.agents import analysis as shared
from pechvogel.agents.lucky_loser.champion import ChampionAgent
from pechvogel.agents.lucky_loser.turn import TurnSearch
from pechvogel.tabletop.arrays import Floats

BY_CHAMPION = "estimated: this turn is exact, what comes after it is a learned evaluation (champion)"
BY_POINTS = "estimated: this turn is exact, what comes after it is judged by points and squares alone"
SCALE = 30.0  # points that make a lead worth about three quarters of the win
NEAR = 0.6  # of a chip, what a piece just before the X is worth
_champion = lru_cache(maxsize=1)(ChampionAgent)


def evaluation(position: Position) -> tuple[TurnSearch, str]:
    """The best search for a position, and a sentence on where its values come from."""
    with suppress(ValueError):  # no weights for such a game
        return _champion().search(position.states()), BY_CHAMPION
    return TurnSearch(evaluate_by_points), BY_POINTS


def evaluate_by_points(states: States) -> Floats:
    """What positions between turns are worth to every seat, by points and by how far pieces have come."""
    n = int(states["num_players"][0]) if len(states) else MAX_PLAYERS
    near = states["places"] / states["row_lengths"][:, None, :]
    points = states["bonus"] + (states["chips"] + NEAR * near) @ np.array(SUMS, float)
    points = np.where(np.arange(MAX_PLAYERS) < n, points, -np.inf)
    shares = np.exp((points - points.max(axis=1, keepdims=True)) / SCALE)
    shares /= shares.sum(axis=1, keepdims=True)
    values = np.asarray((n * shares - 1) / (n - 1))
    for i in np.flatnonzero(states["phase"] == Phase.OVER):
        rules.write_win_rewards(states, int(i), values, int(i))
    return values


def ranked(position: Position, search: TurnSearch) -> list[dict[str, Any]]:
    """Every legal action with its value for whoever decides, best first."""
    return shared.ranked(search.action_values(position.states())[0], KIND.actions, position.num_players)


def analyse(position: Position, table: None = None) -> dict[str, Any]:
    """What a position and its actions are worth; the result is what `--json` writes.

    Values are on the scale of reward="win" for whoever decides (between decisions: for the player at turn).
    """
    search, source = evaluation(position)
    actions = ranked(position, search)
    return shared.summary(position, actions, lambda: search.values(position.states())[0], source)


def open_table(path: Path) -> None:
    """No game of it is solved."""
    raise ValueError(f"{path}: there are no solution tables for {KIND.name}, which is not solved")
