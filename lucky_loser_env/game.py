"""A game in progress: the rules, the dice, and whose decision comes next.

`go_on` is the compiled heart that single games, batches and replays share: it throws dice and plays forced
actions until somebody has to decide. `Game` is the Python view of one game, on which the environments stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lucky_loser_env import observation, rules
from lucky_loser_env.dice import script as check_script
from lucky_loser_env.dice import seeded_throw, throw_of
from lucky_loser_env.position import Position, load, position_of
from lucky_loser_env.rules import ACTION_NAMES, MAX_PLAYERS, MIN_PLAYERS, ROW_LENGTHS, Phase, States, act, land
from pechvogel.tabletop import game as tabletop
from pechvogel.tabletop.bits import lowest_action, random_among_many
from pechvogel.tabletop.checks import check_whole
from pechvogel.tabletop.compile import compiled
from pechvogel.tabletop.game import CHANCE_NEXT, NEVER, check_play
from pechvogel.tabletop.guards import check_array, check_writeable, checked
from pechvogel.tabletop.rewards import REWARDS
from pechvogel.tabletop.seeds import game_seed, mix, seeded_first_player


@compiled
def go_on(s: Any, seed: Any, skip_forced: bool, stop_turn: int, throw: bool) -> int:
    """Throw the seeded dice, and play forced actions if `skip_forced`, until somebody is asked.

    Returns the legal actions as bits; 0 when the game is over or `stop_turn` turns are finished. With `throw` False
    it returns CHANCE_NEXT where the dice are next, for callers who have dice of their own.
    """
    while True:
        if s.phase == Phase.THROW:
            if s.turn >= stop_turn:  # L16
                return 0
            if not throw:
                return CHANCE_NEXT
            land(s, seeded_throw(seed, s.turn))
        bits = rules.legal_of(s)
        if bits == 0 or not skip_forced or bits & (bits - 1) != 0:  # two or more legal actions
            return bits
        act(s, lowest_action(bits))


@compiled
def _advance(states: States, i: int, action: int, seed: Any, skip_forced: bool, stop_turn: int, throw: bool) -> int:
    """Carry out a legal action (none if it is negative) and go on to the next decision of game `i`."""
    s = states[i]
    if action >= 0:
        act(s, action)
    return go_on(s, seed, skip_forced, stop_turn, throw)


def _check_random_games(states: Any, num_players: Any, row_lengths: Any, seed: Any) -> None:
    check_array("states", states, rules.STATE)
    check_writeable("states", states)
    check_settings(num_players, row_lengths, REWARDS[0], None)
    if type(row_lengths) is not tuple:
        raise ValueError("row_lengths must be a tuple")
    if type(seed) is not np.uint64:  # others would be compiled for anew, and wrap around elsewhere
        raise ValueError(f"seed must be a number of uint64, not {type(seed).__name__}")


@checked(_check_random_games)
@compiled
def random_games(states: States, num_players: int, row_lengths: tuple[int, ...], seed: Any) -> int:
    """Play a whole game of random actions in every state, all a function of the seed.

    Returns the number of decisions.
    """
    decisions = 0
    for i in range(len(states)):
        s = states[i]
        dice_seed = game_seed(seed, i, 0)
        key = game_seed(seed, i, 1)  # the choices must not depend on the dice
        rules.settle(s, num_players, row_lengths)
        rules.begin(s, seeded_first_player(dice_seed, num_players))
        bits = go_on(s, dice_seed, True, NEVER, True)
        while bits:
            decisions += 1
            act(s, random_among_many(bits, mix(key + np.uint64(decisions))))
            bits = go_on(s, dice_seed, True, NEVER, True)
    return decisions


def check_settings(num_players: int, row_lengths: Sequence[int], reward: str, max_turns: int | None) -> None:
    """Refuse settings that no game can have, with a sentence that names the one that is wrong."""
    check_whole("num_players", num_players, MIN_PLAYERS, MAX_PLAYERS)
    rules.check_row_lengths("row_lengths", row_lengths)
    check_play(reward, max_turns)


class Game(tabletop.DiceGame[Position]):
    """One game that waits for a decision, is over (L14), or was truncated (L16)."""

    kernels = tabletop.Kernels(_advance, observation.put_observations, rules.RESULTS)
    action_names = ACTION_NAMES
    over_phase = Phase.OVER

    def __init__(
        self,
        num_players: int = 2,
        row_lengths: Sequence[int] = ROW_LENGTHS,
        skip_forced: bool = True,
        max_turns: int | None = None,
        keep_dice: bool = False,
    ) -> None:
        check_settings(num_players, row_lengths, REWARDS[0], max_turns)
        self.row_lengths = tuple(int(length) for length in row_lengths)
        size = observation.size(num_players)
        super().__init__(rules.new_states(1), size, num_players, skip_forced, max_turns, keep_dice)

    def _checked_script(self, dice: Sequence[int]) -> NDArray[np.int8]:
        return check_script(dice)

    def _completed(self, position: Any, first_player: int) -> Position:
        return Position.complete(
            position, num_players=self.num_players, row_lengths=self.row_lengths, first_player=first_player
        )

    def _begin(self, first_player: int) -> None:
        rules.new_game(self.states, 0, self.num_players, self.row_lengths, first_player)

    def _load(self, position: Position) -> None:
        load(position, self.states, 0)

    def _position(self) -> Position:
        return position_of(self.states, 0)

    def _seeded_throw(self) -> list[int]:
        return throw_of(self.seed, int(self.states["turn"][0]))

    def _throw(self, faces: NDArray[np.int8]) -> None:
        rules.apply_dice(self.states, 0, faces)

    def _own_settings(self) -> dict[str, Any]:
        return {"row_lengths": list(self.row_lengths)}
