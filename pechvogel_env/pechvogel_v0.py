"""Pechvogel for PettingZoo: `env()` with the usual wrappers, `raw_env()` without."""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv

from pechvogel.tabletop.aec import ILLEGAL_REWARD as ILLEGAL_REWARD
from pechvogel.tabletop.aec import RENDER_MODES, DiceEnv, Observation, wrapped
from pechvogel_env import observation, render
from pechvogel_env.game import Game, check_settings
from pechvogel_env.position import Position
from pechvogel_env.record import RECORDS


def env(**kwargs: Any) -> AECEnv[str, Observation, int]:
    """The environment with PettingZoo's wrappers: an illegal action ends the game with a loss."""
    return wrapped(raw_env(**kwargs))


class raw_env(DiceEnv[Position]):  # noqa: N801  PettingZoo's name for it
    """Pechvogel, a dice game for 2 to 5 players (rules: docs/rules.md).

    | spec                | value                                                                       |
    |---------------------|-----------------------------------------------------------------------------|
    | Agents              | `player_0` ... `player_4`, in seating order, clockwise                      |
    | Action space        | `Discrete(18)`, the same for every number of players                        |
    | Observation space   | `Dict(observation=Box(0, 1, (51 + 14 n,), float32), action_mask=Box(0, 1, (18,), int8))` |
    | State space         | `Box(0, 1, (51 + 14 n,), float32)`: what `player_0` observes                |
    | Information         | perfect; chance: the dice                                                   |
    | Rewards             | at the end only, for all players at once                                    |

    `agent_selection` is whoever the rules ask, so it jumps to opponents and back: after a throw, opponents may
    interrupt the active player's turn. A *decision* is a point where somebody has two or more legal actions; with
    `skip_forced=True` nothing else is asked.

    ### Observation

    `observe(agent)` is relative to the observing seat. Block k below is the k-th seat clockwise from the observer
    (k = 0: the observer) and starts at 51 + 14 k. The vector determines the position, except the count of turns;
    frustrations saturate at 31. `observation.decode` reads it.

    | index         | name                 | meaning                                                            |
    |---------------|----------------------|--------------------------------------------------------------------|
    | 0-4           | `middle`             | markers in the middle by value 3..7, divided by 3                  |
    | 5-9           | `target`             | one-hot: the target 3..7; all zero: none                           |
    | 10-17         | `targets`            | one-hot: target dice on the board, 0..7                            |
    | 18-25         | `ravens`             | one-hot: ravens on the board, 0..7                                 |
    | 26            | `reduced`            | 1: the active player has reduced in this turn                      |
    | 27            | `after_reduction`    | 1: the last throw repeats one that was reduced                     |
    | 28-35         | `phase`              | one-hot: target, reduce, frustrate, join, take, discard, throw, over |
    | 36-41         | `faces_thrown`       | last throw: how many ravens, 3s, ..., 7s, divided by 7             |
    | 42-48         | `last_throw`         | last throw in order: raven 1/6, 3 2/6, ..., 7 6/6; 0: no die       |
    | 49            | `copies`             | markers per value in this game, divided by 3                       |
    | 50            | `italian_reading`    | 1: the Italian reading (Q3)                                        |
    | block + 0-4   | `markers`            | markers by value 3..7, divided by 3                                |
    | block + 5     | `frustrations`       | frustrations (at most 31), divided by 31                           |
    | block + 6-9   | `frustration_steps`  | 1 each: at least 1, 2, 3, 5 frustrations                           |
    | block + 10    | `murphy`             | 1: holds Murphy                                                    |
    | block + 11    | `active`             | 1: it is their turn                                                |
    | block + 12    | `to_act`             | 1: they are asked                                                  |
    | block + 13    | `frustrater`         | k/4: came k-th to frustrate this turn; 0: did not                  |

    `action_mask` has a 1 for every legal action; it is all zero for agents who are not asked. The same mask is in
    `infos[agent]["action_mask"]`.

    ### Actions

    | id    | action                                                          | who, when                         |
    |-------|-----------------------------------------------------------------|-----------------------------------|
    | 0-4   | target 3, 4, 5, 6, 7                                            | active player, after the first throw |
    | 5     | pass: keep the throw / don't frustrate / don't join             | anyone asked                      |
    | 6     | reduce: spend a frustration, repeat the throw (R14)             | active player                     |
    | 7     | frustrate: start, or join (R15)                                 | opponents                         |
    | 8     | take the marker from the middle                                 | active player                     |
    | 9-12  | steal from the 1st, 2nd, 3rd, 4th opponent clockwise            | active player                     |
    | 13-17 | discard a 3, 4, 5, 6, 7 from the middle (after a steal)         | active player                     |

    An illegal action is a `ValueError` that names it and the legal ones, and changes nothing; in `env()` it ends the
    game, and whoever did it gets -1, the others 0 (PettingZoo's `TerminateIllegalWrapper`).

    ### Rewards

    `reward="win"`, zero-sum: with k of n players tied for the best score, each of them gets
    (1/k - 1/n) n/(n-1) and everyone else -1/(n-1). So a sole win is +1; with two players a loss is -1 and a tie 0. The
    *win share* is ((n-1) reward + 1)/n: 1 for a sole win, 1/k for a tie of k, 0 for a loss. `reward="score"`: one's own
    score minus the mean of the others'.

    ### End

    The game terminates for all when a turn is resolved and no marker is left in the middle (R20). With `max_turns` it
    is truncated for all after so many turns, counted from `reset`, with rewards 0 (Q7).

    ### Arguments

    | argument          | default | meaning                                                                     |
    |-------------------|---------|-----------------------------------------------------------------------------|
    | `num_players`     | 2       | 2 to 5                                                                      |
    | `copies`          | 3       | markers per value, 1 to 3; 1 and 2 are small games for research             |
    | `reward`          | "win"   | "win" or "score"                                                            |
    | `skip_forced`     | True    | whoever has exactly one legal action is not asked; it is played for them    |
    | `italian_reading` | False   | the throw after a reduction can't be frustrated (Q3)                        |
    | `max_turns`       | None    | truncate after so many turns                                                |
    | `render_mode`     | None    | "ansi" (text), "rgb_array" (picture), "human" (text, printed at every step) |

    `reset(seed, options)`: the same seed gives the same dice, whatever the players do: they are a function of (seed,
    turn, throw). Without a seed, a series of resets goes on from the last one that had a seed. Options:

    - `first_player`: the seat that starts; else the seed decides.
    - `dice`: a flat list of faces (0 = raven, 3..7), consumed die by die; then the seeded dice go on.
    - `position`: start from a position (object, dict, JSON or one-line text). A partial one is completed: `middle` with
      what the players don't hold, `phase` with "throw", `active` with `first_player`, the rest as in a fresh game.

    `env.unwrapped.position()` gives the position at any decision, `env.unwrapped.record()` a finished game to keep.
    `copy.deepcopy` and `pickle` keep the whole game, coming dice included.

    ### Version history

    * v0: first version.
    """

    metadata = {
        "name": "pechvogel_v0",
        "render_modes": RENDER_MODES,
        "is_parallelizable": False,
        "render_fps": 2,
    }

    records = RECORDS
    pictures = render

    def __init__(
        self,
        num_players: int = 2,
        copies: int = 3,
        reward: str = "win",
        skip_forced: bool = True,
        italian_reading: bool = False,
        max_turns: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        check_settings(num_players, copies, reward, max_turns)
        game = Game(num_players, copies, italian_reading, skip_forced, max_turns)
        super().__init__(game, reward, observation.size(num_players), render_mode)
