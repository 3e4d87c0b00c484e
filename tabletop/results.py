"""Winners and rewards, by points: the same for every game that can count the points of a seat.

Templates: `compiled_results` compiles them for a game, with its own `score_of`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pechvogel.tabletop.arrays import Ints
from pechvogel.tabletop.compile import for_game
from pechvogel.tabletop.guards import checked
from pechvogel.tabletop.rewards import reward_of
from pechvogel.tabletop.states import Checks


class Results(NamedTuple):
    """What a game gets: first for records, inside compiled code; then for arrays, from Python."""

    put_scores: Callable[[Any, NDArray[np.int32], int], None]
    winners_of: Callable[[Any], int]
    put_win_rewards: Callable[[Any, NDArray[np.floating[Any]], int], None]
    put_score_rewards: Callable[[Any, NDArray[np.floating[Any]], int], None]
    score: Callable[[NDArray[np.void], int, int], int]
    winners: Callable[[NDArray[np.void], int], int]
    write_scores: Callable[[NDArray[np.void], Ints, NDArray[np.int32]], None]
    write_win_rewards: Callable[[NDArray[np.void], int, NDArray[np.floating[Any]], int], None]
    write_score_rewards: Callable[[NDArray[np.void], int, NDArray[np.floating[Any]], int], None]


def compiled_results(module: str, checks: Checks, own_score_of: Callable[[Any, int], int]) -> Results:
    """All of it for one game."""
    points = {"score_of": own_score_of}
    put_all = for_game(module, put_scores, points, inline=True)
    best = for_game(module, winners_of, points, inline=True)
    by_win = for_game(module, put_win_rewards, {"winners_of": best}, inline=True)
    by_score = for_game(module, put_score_rewards, points, inline=True)
    return Results(
        put_all,
        best,
        by_win,
        by_score,
        checked(checks.seat)(for_game(module, score, points)),
        checked(checks.game)(for_game(module, winners, {"winners_of": best})),
        checked(checks.scores)(for_game(module, write_scores, {"put_scores": put_all})),
        checked(checks.rewards)(for_game(module, write_win_rewards, {"put_win_rewards": by_win})),
        checked(checks.rewards)(for_game(module, write_score_rewards, {"put_score_rewards": by_score})),
    )


# ------------------------------------------------------------------------------------------------ a game's own


def score_of(s: Any, seat: int) -> int:
    """Points of one player."""
    raise NotImplementedError


# ------------------------------------------------------------------------------------------------ templates


def put_scores(s: Any, out: NDArray[np.int32], row: int) -> None:
    """Points of everybody, into a row."""
    for seat in range(s.num_players):
        out[row, seat] = score_of(s, seat)


def winners_of(s: Any) -> int:
    """All who are tied for the highest score, as bits 1 << seat."""
    best = score_of(s, 0)
    bits = 1
    for seat in range(1, s.num_players):
        points = score_of(s, seat)
        if points > best:
            best = points
            bits = 0
        bits |= (points == best) << seat
    return bits


def put_win_rewards(s: Any, out: NDArray[np.floating[Any]], row: int) -> None:
    """Zero-sum rewards into a row: the winners share the win, everyone else loses."""
    n = s.num_players
    bits = winners_of(s)
    tied = 0
    for seat in range(n):
        tied += (bits >> seat) & 1
    for seat in range(n):
        out[row, seat] = reward_of(((bits >> seat) & 1) / tied, n)


def put_score_rewards(s: Any, out: NDArray[np.floating[Any]], row: int) -> None:
    """Rewards by points into a row: one's own minus the mean of the others'."""
    n = s.num_players
    total = 0
    for seat in range(n):
        total += score_of(s, seat)
    for seat in range(n):
        own = score_of(s, seat)
        out[row, seat] = own - (total - own) / (n - 1)


def score(states: NDArray[np.void], i: int, seat: int) -> int:
    """Points of one player in game `i`."""
    return score_of(states[i], seat)


def winners(states: NDArray[np.void], i: int) -> int:
    """All who are tied for the highest score in game `i`, as bits 1 << seat."""
    return winners_of(states[i])


def write_scores(states: NDArray[np.void], games: Ints, scores: NDArray[np.int32]) -> None:
    """The points of everybody in some games as they stand, a row each."""
    for row in range(len(games)):
        put_scores(states[games[row]], scores, row)


def write_win_rewards(states: NDArray[np.void], i: int, out: NDArray[np.floating[Any]], row: int) -> None:
    """Zero-sum rewards of game `i`: the winners share the win, everyone else loses."""
    put_win_rewards(states[i], out, row)


def write_score_rewards(states: NDArray[np.void], i: int, out: NDArray[np.floating[Any]], row: int) -> None:
    """Rewards of game `i` by points: one's own minus the mean of the others'."""
    put_score_rewards(states[i], out, row)
