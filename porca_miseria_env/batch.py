"""Thousands of games stepped by one compiled call, in arrays that the caller owns.

    buffers = Buffers.allocate(4096, num_players=3)
    batch = Batch(buffers, num_players=3, seed=7)
    while training:
        actions[:] = policy(buffers.observations, buffers.masks)   # for whoever acts: buffers.to_act
        batch.step(actions)                                        # fills the buffers again

The seats of a tick are asked one after another, and nobody is shown what others have chosen before all have. Game i,
episode k has the chance of the seed `game_seed(seed, i, k)` (`tabletop.seeds`), whatever the number of games and
threads: `porca_miseria_v0` reset with that seed plays the same game.
"""

from __future__ import annotations

from typing import Any

from pechvogel.tabletop import batch as tabletop
from pechvogel.tabletop.batch import count_games
from pechvogel.tabletop.bits import random_actions as random_actions  # for who steps a batch by hand
from pechvogel.tabletop.compile import inlined
from pechvogel.tabletop.stepping import HiddenBatch, compiled_steps
from porca_miseria_env import observation, rules
from porca_miseria_env.game import check_settings, go_on
from porca_miseria_env.rules import BLUR, NUM_ACTIONS, RESULTS, TAP_CARDS, TICKS, Phase
from porca_miseria_env.view import View, view_of


class Buffers(tabletop.Buffers):
    """What a step writes; a row per game."""

    @classmethod
    def allocate(cls, num_games: int, num_players: int = 3) -> Buffers:
        """Fresh arrays of the right shapes."""
        return cls.of_sizes(num_games, num_players, observation.size(num_players), NUM_ACTIONS)


@inlined
def _is_over(s: Any) -> bool:
    return s.phase == Phase.OVER


class Batch(HiddenBatch):
    """Many games at once. Finished games start again by themselves unless `auto_reset` is False.

    With `skip_forced`, whoever can only wait is not asked. `threads` splits every step over that many threads; games
    don't depend on it. It pays from some thousand games on.
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
        num_players: int = 3,
        tap_cards: int = TAP_CARDS,
        ticks: int = TICKS,
        blur: float = BLUR,
        moving_numbers: bool = False,
        reward: str = "win",
        skip_forced: bool = True,
        max_cards: int | None = None,
        seed: int = 0,
        threads: int = 1,
        auto_reset: bool = True,
    ) -> None:
        check_settings(num_players, tap_cards, ticks, blur, moving_numbers, reward, max_cards)
        super().__init__(
            buffers,
            rules.new_states(count_games(buffers), num_players, tap_cards, ticks, blur, moving_numbers),
            observation.size(num_players),
            NUM_ACTIONS,
            num_players=num_players,
            reward=reward,
            skip_forced=skip_forced,
            max_turns=max_cards,
            seed=seed,
            threads=threads,
            auto_reset=auto_reset,
        )

    def _view(self, game: int, seat: int) -> View:
        return view_of(self.states, game, seat)
