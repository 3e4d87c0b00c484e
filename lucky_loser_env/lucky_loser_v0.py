"""Lucky Loser for PettingZoo: `env()` with the usual wrappers, `raw_env()` without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pettingzoo import AECEnv

from lucky_loser_env import observation, render
from lucky_loser_env.game import Game, check_settings
from lucky_loser_env.position import Position
from lucky_loser_env.record import RECORDS
from lucky_loser_env.rules import ROW_LENGTHS
from pechvogel.tabletop.aec import RENDER_MODES, DiceEnv, Observation, wrapped


def env(**kwargs: Any) -> AECEnv[str, Observation, int]:
    """The environment with PettingZoo's wrappers: an illegal action ends the game with a loss."""
    return wrapped(raw_env(**kwargs))


class raw_env(DiceEnv[Position]):  # noqa: N801  PettingZoo's name for it
    """Lucky Loser, a dice race for 2 to 4 players (rules: docs/lucky-loser.md).

    | spec                | value                                                                       |
    |---------------------|-----------------------------------------------------------------------------|
    | Agents              | `player_0` ... `player_3`, in seating order, clockwise                      |
    | Action space        | `Discrete(49)`, the same for every number of players                        |
    | Observation space   | `Dict(observation=Box(0, 1, (37 + 28 n,), float32), action_mask=Box(0, 1, (49,), int8))` |
    | State space         | `Box(0, 1, (37 + 28 n,), float32)`: what `player_0` observes                |
    | Information         | perfect; chance: the dice                                                   |
    | Rewards             | at the end only, for all players at once                                    |

    A turn is one throw of four dice and one decision: which groups its player forms. With `skip_forced=True` whoever
    can form no group is not asked.

    ### Observation

    `observe(agent)` is relative to the observing seat. Block k below is the k-th seat clockwise from the observer
    (k = 0: the observer) and starts at 37 + 28 k. The vector determines the position, except the count of turns.
    `observation.decode` reads it.

    | index         | name                 | meaning                                                            |
    |---------------|----------------------|--------------------------------------------------------------------|
    | 0-5           | `row_lengths`        | squares of the rows 5..10, divided by 8                            |
    | 6-11          | `stacks`             | chips left by row, divided by 12                                   |
    | 12-17         | `closed`             | 1 each: the row is closed                                          |
    | 18-22         | `bonus_left`         | one-hot: bonus cards left, 0..4                                    |
    | 23            | `ending`             | 1: the game ends after this round                                  |
    | 24-26         | `phase`              | one-hot: group, throw, over                                        |
    | 27-32         | `faces_thrown`       | last throw: how many 1s, ..., 6s, divided by 4                     |
    | 33-36         | `last_throw`         | last throw in order, divided by 6; 0: no die                       |
    | block + 0-5   | `places`             | places by row (0: no piece), divided by 8                          |
    | block + 6-11  | `on_x`               | 1 each: their piece is on the X of the row                         |
    | block + 12-17 | `chips`              | chips by row, divided by 12                                        |
    | block + 18-23 | `lacking`            | 1 each: a chip of this row is lacking for their next set           |
    | block + 24    | `bonus`              | points of bonus cards, divided by 42                               |
    | block + 25    | `score`              | points (at most 200), divided by 200                               |
    | block + 26    | `active`             | 1: it is their turn                                                |
    | block + 27    | `first`              | 1: they begin every round                                          |

    `action_mask` has a 1 for every legal action; it is all zero for agents who are not asked. The same mask is in
    `infos[agent]["action_mask"]`.

    ### Actions

    An action is the groups that a player forms, as a multiset of sums: by the number of groups, then by the sums.

    | id    | action                                                                                        |
    |-------|-----------------------------------------------------------------------------------------------|
    | 0     | nothing                                                                                       |
    | 1-6   | one group: {5}, {6}, {7}, {8}, {9}, {10}                                                      |
    | 7-27  | two groups: {5,5}, {5,6}, ... {5,10}, {6,6}, ... {10,10}                                      |
    | 28-43 | three groups, at most one of them above 6: {5,5,5}, {5,5,6}, ... {5,5,10}, {5,6,6}, ... {6,6,10} |
    | 44-48 | four groups: {5,5,5,5}, {5,5,5,6}, {5,5,6,6}, {5,6,6,6}, {6,6,6,6}                            |

    An illegal action is a `ValueError` that names it and the legal ones, and changes nothing; in `env()` it ends the
    game, and whoever did it gets -1, the others 0 (PettingZoo's `TerminateIllegalWrapper`).

    ### Rewards

    `reward="win"`, zero-sum: with k of n players tied for the best score, each of them gets
    (1/k - 1/n) n/(n-1) and everyone else -1/(n-1). So a sole win is +1; with two players a loss is -1 and a tie 0. The
    *win share* is ((n-1) reward + 1)/n: 1 for a sole win, 1/k for a tie of k, 0 for a loss. `reward="score"`: one's own
    score minus the mean of the others'.

    ### End

    The game terminates for all after the round in which three or more rows are closed or all bonus cards are taken
    (L14). With `max_turns` it is truncated for all after so many turns, counted from `reset`, with rewards 0 (L16).

    ### Arguments

    | argument          | default | meaning                                                                     |
    |-------------------|---------|-----------------------------------------------------------------------------|
    | `num_players`     | 2       | 2 to 4                                                                      |
    | `row_lengths`     | (4, 4, 4, 4, 4, 4) | squares of the rows 5 to 10, the X included, 1 to 8 each         |
    | `reward`          | "win"   | "win" or "score"                                                            |
    | `skip_forced`     | True    | whoever has exactly one legal action is not asked; it is played for them    |
    | `max_turns`       | None    | truncate after so many turns                                                |
    | `render_mode`     | None    | "ansi" (text), "rgb_array" (picture), "human" (text, printed at every step) |

    `reset(seed, options)`: the same seed gives the same dice, whatever the players do: they are a function of (seed,
    turn). Without a seed, a series of resets goes on from the last one that had a seed. Options:

    - `first_player`: the seat that starts; else the seed decides.
    - `dice`: a flat list of faces 1..6, consumed die by die; then the seeded dice go on.
    - `position`: start from a position (object, dict, JSON or one-line text). A partial one is completed: `stacks` and
      `bonus` with what the players don't hold, `phase` with "throw", `first` and `active` with `first_player`, the rest
      as in a fresh game.

    `env.unwrapped.position()` gives the position at any decision, `env.unwrapped.record()` a finished game to keep.
    `copy.deepcopy` and `pickle` keep the whole game, coming dice included.

    ### Version history

    * v0: first version.
    """

    records = RECORDS
    pictures = render

    metadata = {
        "name": "lucky_loser_v0",
        "render_modes": RENDER_MODES,
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        num_players: int = 2,
        row_lengths: Sequence[int] = ROW_LENGTHS,
        reward: str = "win",
        skip_forced: bool = True,
        max_turns: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        check_settings(num_players, row_lengths, reward, max_turns)
        game = Game(num_players, row_lengths, skip_forced, max_turns)
        super().__init__(game, reward, observation.size(num_players), render_mode)
