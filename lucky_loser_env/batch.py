"""Thousands of games stepped by one compiled call, in arrays that the caller owns.

    buffers = Buffers.allocate(4096, num_players=2)
    batch = Batch(buffers, num_players=2, seed=7)
    while training:
        actions[:] = policy(buffers.observations, buffers.masks)   # for whoever acts: buffers.to_act
        batch.step(actions)                                        # fills the buffers again

Game i, episode k has the dice of the seed `game_seed(seed, i, k)` (`tabletop.seeds`), whatever the number of games and
threads: `lucky_loser_v0` reset with that seed plays the same game.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lucky_loser_env import observation, rules
from lucky_loser_env.game import check_settings, go_on
from lucky_loser_env.position import Position, position_of
from lucky_loser_env.rules import NUM_ACTIONS, RESULTS, ROW_LENGTHS, Phase
from pechvogel.tabletop import batch as tabletop
from pechvogel.tabletop.batch import count_games
from pechvogel.tabletop.bits import random_actions as random_actions  # for who steps a batch by hand
from pechvogel.tabletop.compile import inlined
from pechvogel.tabletop.stepping import OpenBatch, compiled_steps


class Buffers(tabletop.Buffers):
    """What a step writes; a row per game."""

    @classmethod
    def allocate(cls, num_games: int, num_players: int = 2) -> Buffers:
        """Fresh arrays of the right shapes."""
        return cls.of_sizes(num_games, num_players, observation.size(num_players), NUM_ACTIONS)


@inlined
def _is_over(s: Any) -> bool:
    return s.phase == Phase.OVER


class Batch(OpenBatch):
    """Many games at once. Finished games start again by themselves unless `auto_reset` is False.

    `threads` splits every step over that many threads; games don't depend on it. It pays from some thousand games on.
    """

    steps = compiled_steps(
        __name__,
        begin=rules.begin,
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
        row_lengths: Sequence[int] = ROW_LENGTHS,
        reward: str = "win",
        skip_forced: bool = True,
        max_turns: int | None = None,
        seed: int = 0,
        threads: int = 1,
        auto_reset: bool = True,
    ) -> None:
        check_settings(num_players, row_lengths, reward, max_turns)
        self.row_lengths = tuple(int(length) for length in row_lengths)
        states = rules.new_states(count_games(buffers))
        states["num_players"], states["row_lengths"] = num_players, self.row_lengths
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
