"""Thousands of games stepped by one compiled call, in arrays that the caller owns.

    buffers = Buffers.allocate(4096, num_players=2)
    batch = Batch(buffers, num_players=2, seed=7)
    while training:
        actions[:] = policy(buffers.observations, buffers.masks)   # for whoever acts: buffers.to_act
        batch.step(actions)                                        # fills the buffers again

Game i, episode k has the dice of the seed `game_seed(seed, i, k)` (`tabletop.seeds`), whatever the number of games and
threads: `pechvogel_v0` reset with that seed plays the same game.
"""

from __future__ import annotations

from typing import Any

from pechvogel.tabletop import batch as tabletop
from pechvogel.tabletop.batch import count_games
from pechvogel.tabletop.bits import random_actions as random_actions  # for who steps a batch by hand
from pechvogel.tabletop.checks import check_truths
from pechvogel.tabletop.compile import inlined
from pechvogel.tabletop.stepping import OpenBatch, compiled_steps
from pechvogel_env import observation, rules
from pechvogel_env.game import check_settings, go_on
from pechvogel_env.position import Position, position_of
from pechvogel_env.rules import NUM_ACTIONS, RESULTS, Phase, start_game
from pechvogel_env.rules import write_scores as write_scores  # for who looks at some games of a batch


class Buffers(tabletop.Buffers):
    """What a step writes; a row per game."""

    @classmethod
    def allocate(cls, num_games: int, num_players: int = 2) -> Buffers:
        """Fresh arrays of the right shapes."""
        return cls.of_sizes(num_games, num_players, observation.size(num_players), NUM_ACTIONS)


@inlined
def _begin(s: Any, first_player: int) -> None:
    start_game(s, s.num_players, s.copies, s.italian_reading == 1, first_player)


@inlined
def _is_over(s: Any) -> bool:
    return s.phase == Phase.OVER


class Batch(OpenBatch):
    """Many games at once. Finished games start again by themselves unless `auto_reset` is False.

    `threads` splits every step over that many threads; games don't depend on it. It pays from some thousand games on.
    """

    steps = compiled_steps(
        __name__,
        begin=_begin,
        act=rules.act,
        go_on=go_on,
        is_over=_is_over,
        put_scores=RESULTS.put_scores,
        put_win_rewards=RESULTS.put_win_rewards,
        put_score_rewards=RESULTS.put_score_rewards,
        put_observations=observation.put_observations,
    )
    results = RESULTS
    over_phase = Phase.OVER

    def __init__(
        self,
        buffers: tabletop.Buffers,
        *,
        num_players: int = 2,
        copies: int = 3,
        reward: str = "win",
        skip_forced: bool = True,
        italian_reading: bool = False,
        max_turns: int | None = None,
        seed: int = 0,
        threads: int = 1,
        auto_reset: bool = True,
    ) -> None:
        check_settings(num_players, copies, reward, max_turns)
        check_truths(skip_forced=skip_forced, italian_reading=italian_reading)
        self.copies, self.italian_reading = copies, italian_reading
        states = rules.new_states(count_games(buffers))
        states["num_players"], states["copies"], states["italian_reading"] = num_players, copies, italian_reading
        super().__init__(
            buffers,
            states,
            observation.size(num_players),
            NUM_ACTIONS,
            num_players=num_players,
            reward=reward,
            skip_forced=skip_forced,
            max_turns=max_turns,
            seed=seed,
            threads=threads,
            auto_reset=auto_reset,
        )

    def _position(self, game: int) -> Position:
        return position_of(self.states, game)
