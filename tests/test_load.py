"""Many games at once through a server that is killed in the middle: nothing that was acknowledged is lost."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi")
from tests import load


@pytest.mark.parametrize(
    ("games", "think", "kills"),
    [(30, 0.05, 0), (30, 0.3, 2), pytest.param(50, 1.0, 20, marks=pytest.mark.slow)],
)
def test_nothing_is_lost(games: int, think: float, kills: int) -> None:
    played = load.measure(games, "heuristic", think, kills, seed=games)
    assert len(played) == games
    assert (sum(game.broken for game in played) > 0) == (kills > 0), "a kill must interrupt somebody"


def test_a_lost_move_would_be_noticed() -> None:
    (game,) = load.measure(1, "heuristic", 0.0, 0, seed=1)
    number, action = next(iter(game.acknowledged.items()))
    game.acknowledged[number] = action + 1
    with pytest.raises(AssertionError, match=f"decision {number} of .* was lost"):
        load.check(game)
