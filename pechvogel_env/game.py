"""A game in progress: the rules, the dice, and whose decision comes next.

`go_on` is the compiled heart that single games, batches and replays share: it throws dice and plays forced
actions until somebody has to decide. `Game` is the Python view of one game, on which the environments stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pechvogel.tabletop import game as tabletop
from pechvogel.tabletop.bits import lowest_action, random_action
from pechvogel.tabletop.checks import check_truths, check_whole
from pechvogel.tabletop.compile import compiled
from pechvogel.tabletop.game import CHANCE_NEXT, NEVER, check_play
from pechvogel.tabletop.guards import check_array, check_writeable, checked
from pechvogel.tabletop.rewards import REWARDS
from pechvogel.tabletop.seeds import game_seed, mix, seeded_first_player
from pechvogel_env import observation, rules
from pechvogel_env.dice import fill_throw, throw_of
from pechvogel_env.dice import script as check_script
from pechvogel_env.position import Position, load, position_of
from pechvogel_env.rules import MAX_COPIES, MAX_PLAYERS, MIN_PLAYERS, Action, Phase, States, act, land

MAX_LEGAL = 5  # nobody ever has more legal actions: five targets, markers or discards


@compiled
def go_on(s: Any, seed: Any, skip_forced: bool, stop_turn: int, throw: bool) -> int:
    """Throw the seeded dice, and play forced actions if `skip_forced`, until somebody is asked.

    Returns the legal actions as bits; 0 when the game is over or `stop_turn` turns are finished. With `throw` False
    it returns CHANCE_NEXT where the dice are next, for callers who have dice of their own.

    It takes the record and no array: counting an array's references would cost as much as the rules.
    """
    while True:
        if s.phase == Phase.THROW:
            if s.target == rules.NO_TARGET and s.turn >= stop_turn:
                return 0
            if not throw:
                return CHANCE_NEXT
            num_dice = rules.dice_left(s)
            land(s, num_dice, fill_throw(s.last_throw, num_dice, seed, s.turn, s.throws))
        if skip_forced:  # the commonest forced actions, without a detour over their bits
            if s.phase == Phase.REDUCE and not rules.may_reduce(s):
                rules.decline_to_reduce(s)
            while s.phase == Phase.FRUSTRATE and not rules.may_frustrate(s):
                rules.decline_to_start(s)
            if s.phase == Phase.THROW:
                continue
        bits = rules.legal_of(s)
        if bits == 0:
            if s.phase != Phase.THROW:
                return 0
        elif not skip_forced or bits & (bits - 1) != 0:  # two or more legal actions
            return bits
        else:
            act(s, lowest_action(bits))


@compiled
def _advance(states: States, i: int, action: int, seed: Any, skip_forced: bool, stop_turn: int, throw: bool) -> int:
    """Carry out a legal action (none if it is negative) and go on to the next decision of game `i`."""
    s = states[i]
    if action >= 0:
        act(s, action)
    return go_on(s, seed, skip_forced, stop_turn, throw)


def _check_passes(states: Any, i: Any, before: Any) -> None:
    rules.CHECKS.change(states, i)
    rules.CHECKS.game(before, 0)
    check_writeable("before", before)


@checked(_check_passes)
@compiled
def play_passes(states: States, i: int, before: States) -> bool:
    """Pass for all who can do nothing else, up to the end of the turn; whether it has ended by that.

    `before` gets the state before the last pass.
    """
    s = states[i]
    turn = s.turn
    while s.phase == Phase.REDUCE or s.phase == Phase.FRUSTRATE or s.phase == Phase.JOIN:
        bits = rules.legal_of(s)
        if bits & (bits - 1):
            return False
        before[0] = s
        act(s, lowest_action(bits))
        if s.turn != turn:
            return True
    return False


def _check_random_games(states: Any, num_players: Any, copies: Any, italian_reading: Any, seed: Any) -> None:
    check_array("states", states, rules.STATE)
    check_writeable("states", states)
    check_settings(num_players, copies, REWARDS[0], None)
    check_truths(italian_reading=italian_reading)
    if type(seed) is not np.uint64:  # others would be compiled for anew, and wrap around elsewhere
        raise ValueError(f"seed must be a number of uint64, not {type(seed).__name__}")


@checked(_check_random_games)
@compiled
def random_games(states: States, num_players: int, copies: int, italian_reading: bool, seed: Any) -> int:
    """Play a whole game of random actions in every state, all a function of the seed.

    Returns the number of decisions.
    """
    decisions = 0
    for i in range(len(states)):
        s = states[i]
        dice_seed = game_seed(seed, i, 0)
        key = game_seed(seed, i, 1)  # the choices must not depend on the dice
        rules.start_game(s, num_players, copies, italian_reading, seeded_first_player(dice_seed, num_players))
        bits = go_on(s, dice_seed, True, NEVER, True)
        while bits:
            decisions += 1
            act(s, random_action(bits, mix(key + np.uint64(decisions)), MAX_LEGAL))
            bits = go_on(s, dice_seed, True, NEVER, True)
    return decisions


def check_settings(num_players: int, copies: int, reward: str, max_turns: int | None) -> None:
    """Refuse settings that no game can have, with a sentence that names the one that is wrong."""
    check_whole("num_players", num_players, MIN_PLAYERS, MAX_PLAYERS)
    check_whole("copies", copies, 1, MAX_COPIES)
    check_play(reward, max_turns)


class Game(tabletop.DiceGame[Position]):
    """One game that waits for a decision, is over (R20), or was truncated (Q7)."""

    kernels = tabletop.Kernels(_advance, observation.put_observations, rules.RESULTS)
    action_names = tuple(action.name.lower() for action in Action)
    over_phase = Phase.OVER

    def __init__(
        self,
        num_players: int = 2,
        copies: int = 3,
        italian_reading: bool = False,
        skip_forced: bool = True,
        max_turns: int | None = None,
        keep_dice: bool = False,
    ) -> None:
        check_settings(num_players, copies, REWARDS[0], max_turns)
        check_truths(italian_reading=italian_reading)
        self.copies = copies
        self.italian_reading = bool(italian_reading)
        size = observation.size(num_players)
        super().__init__(rules.new_states(1), size, num_players, skip_forced, max_turns, keep_dice)

    def _checked_script(self, dice: Sequence[int]) -> NDArray[np.int8]:
        return check_script(dice)

    def _completed(self, position: Any, first_player: int) -> Position:
        return Position.complete(
            position,
            num_players=self.num_players,
            copies=self.copies,
            italian_reading=self.italian_reading,
            first_player=first_player,
        )

    def _begin(self, first_player: int) -> None:
        rules.new_game(self.states, 0, self.num_players, self.copies, self.italian_reading, first_player)

    def _load(self, position: Position) -> None:
        load(position, self.states, 0)

    def _position(self) -> Position:
        return position_of(self.states, 0)

    def _seeded_throw(self) -> list[int]:
        turn, throws = int(self.states["turn"][0]), int(self.states["throws"][0])
        return throw_of(self.seed, turn, throws, rules.dice_to_throw(self.states, 0))

    def _throw(self, faces: NDArray[np.int8]) -> None:
        rules.apply_dice(self.states, 0, faces)

    def _own_settings(self) -> dict[str, Any]:
        return {"copies": self.copies, "italian_reading": self.italian_reading}
