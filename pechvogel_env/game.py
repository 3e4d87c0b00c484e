"""A game in progress: the rules, the dice, and whose decision comes next.

`go_on` is the compiled heart that single games, batches and replays share: it throws dice and plays forced
actions until somebody has to decide. `Game` is the Python view of one game, on which the environments stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pechvogel.tabletop.bits import action_list, lowest_action, mask_of, random_action
from pechvogel.tabletop.checks import check_one_of, check_truths, check_whole
from pechvogel.tabletop.compile import compiled
from pechvogel.tabletop.guards import check_array, check_writeable, checked
from pechvogel.tabletop.rewards import REWARDS
from pechvogel.tabletop.seeds import check_seed, game_seed, mix, seeded_first_player
from pechvogel_env import observation, rules
from pechvogel_env.dice import fill_throw, throw_of
from pechvogel_env.dice import script as check_script
from pechvogel_env.position import Position, load, position_of
from pechvogel_env.rules import MAX_COPIES, MAX_PLAYERS, MIN_PLAYERS, NUM_ACTIONS, Action, Phase, States, act, land

NEVER = 2**31 - 1  # a turn that is never reached: no truncation
DICE_NEXT = -1
NO_ACTION = -1
MAX_LEGAL = 5  # nobody ever has more legal actions: five targets, markers or discards
_FIRST = np.zeros(1, np.int64)  # the only game of an array of one


@compiled
def go_on(s: Any, seed: Any, skip_forced: bool, stop_turn: int, throw: bool) -> int:
    """Throw the seeded dice, and play forced actions if `skip_forced`, until somebody is asked.

    Returns the legal actions as bits; 0 when the game is over or `stop_turn` turns are finished. With `throw` False
    it returns DICE_NEXT where the dice are next, for callers who have dice of their own.

    It takes the record and no array: counting an array's references would cost as much as the rules.
    """
    while True:
        if s.phase == Phase.THROW:
            if s.target == rules.NO_TARGET and s.turn >= stop_turn:
                return 0
            if not throw:
                return DICE_NEXT
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
    rules.check_game(states, i)
    check_writeable("states", states)
    rules.check_game(before, 0)
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
    check_one_of("reward", reward, REWARDS)
    if max_turns is not None:
        check_whole("max_turns", max_turns, 1, NEVER)


class Game:
    """One game that waits for a decision, is over, or was truncated."""

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
        check_truths(italian_reading=italian_reading, skip_forced=skip_forced)
        self.num_players = num_players
        self.copies = copies
        self.italian_reading = bool(italian_reading)
        self.skip_forced = bool(skip_forced)
        self.max_turns = max_turns
        self.states = rules.new_states(1)
        self.started = False
        self.bits = 0  # legal actions of whoever is asked; 0: the game has ended
        self.seed = 0
        self.start: Position | None = None  # where it was not a fresh game
        self.first_player = 0
        self.actions: list[int] = []  # real decisions only, whatever `skip_forced`: enough to rebuild
        self.script: NDArray[np.int8] = np.empty(0, np.int8)
        self._seed = np.uint64(0)
        # Handed to compiled code at every decision, so made once.
        self._seats = [np.array([seat], np.int8) for seat in range(num_players)]
        self._to_act = self.states["to_act"]
        self._size = observation.size(num_players)
        self.scripted = 0  # how many of the dice so far came from the script
        self.keep_dice = keep_dice  # slower: for records and replays
        self.dice: list[int] = []  # with `keep_dice`: all faces so far, in the order thrown
        self._stop_turn = NEVER

    def reset(
        self,
        seed: int,
        first_player: int | None = None,
        dice: Sequence[int] = (),
        position: Position | Mapping[str, Any] | str | None = None,
    ) -> None:
        """Start anew. Nothing changes if an argument is wrong (ValueError)."""
        seed = check_seed(seed)
        script = check_script(dice)
        if first_player is None:
            first_player = int(seeded_first_player(np.uint64(seed), self.num_players))
        check_whole("first_player", first_player, 0, self.num_players - 1)
        start = None
        if position is not None:
            start = Position.complete(
                position,
                num_players=self.num_players,
                copies=self.copies,
                italian_reading=self.italian_reading,
                first_player=int(first_player),
            )
            if start.phase == "over":
                raise ValueError("position: phase is 'over', and there is nothing left to play")
        self.seed, self.start, self.first_player = seed, start, int(first_player)
        self.script, self.actions, self.dice = script, [], []
        self._seed = np.uint64(seed)
        self.scripted = 0
        self.started = True
        if start is None:
            rules.new_game(self.states, 0, self.num_players, self.copies, self.italian_reading, first_player)
        else:
            load(start, self.states, 0)
        turn = int(self.states["turn"][0])
        self._stop_turn = NEVER if self.max_turns is None else min(NEVER, turn + self.max_turns)
        self._go_on(NO_ACTION)

    def step(self, action: int) -> None:
        """Carry out an action of whoever is asked; ValueError, and nothing changed, if it is illegal."""
        bits = self.bits
        try:
            number = index(action)
        except TypeError:
            number = NO_ACTION
        if not 0 <= number < NUM_ACTIONS or not bits >> number & 1:
            raise ValueError(self._illegal(action))
        if bits & (bits - 1):
            self.actions.append(number)
        self._go_on(number)

    def _go_on(self, action: int) -> None:
        """To the next decision: with scripted dice while they last, then with the seeded ones."""
        seed, skip_forced, stop_turn = self._seed, self.skip_forced, self._stop_turn
        while self.keep_dice or self.scripted < len(self.script):
            bits = _advance(self.states, 0, action, seed, skip_forced, stop_turn, False)
            if bits != DICE_NEXT:
                self.bits = bits
                return
            action = NO_ACTION
            turn, throws = int(self.states["turn"][0]), int(self.states["throws"][0])
            faces = np.array(throw_of(self.seed, turn, throws, rules.dice_to_throw(self.states, 0)), np.int8)
            given = self.script[self.scripted :][: len(faces)]
            faces[: len(given)] = given
            self.scripted += len(given)
            rules.apply_dice(self.states, 0, faces)
            if self.keep_dice:
                self.dice += faces.tolist()
        self.bits = _advance(self.states, 0, action, seed, skip_forced, stop_turn, True)

    def _illegal(self, action: Any) -> str:
        if not self.bits:
            return f"action {action!r} is illegal: the game has ended"
        known = isinstance(action, (int, np.integer)) and 0 <= action < NUM_ACTIONS
        name = f"{int(action)} ({Action(action).name.lower()})" if known else repr(action)
        legal = ", ".join(f"{a} ({Action(a).name.lower()})" for a in action_list(self.bits))
        return f"action {name} is illegal for player_{self.to_act}; legal are {legal}"

    @property
    def to_act(self) -> int | None:
        """The seat that is asked, or None when the game has ended."""
        return int(self._to_act[0]) if self.bits else None

    @property
    def over(self) -> bool:
        """Ended by the rules (R20)."""
        return bool(self.states["phase"][0] == Phase.OVER)

    @property
    def truncated(self) -> bool:
        """Ended by `max_turns` (Q7)."""
        return self.bits == 0 and not self.over

    def _check_started(self) -> None:
        if not self.started:
            raise ValueError("there is no game yet: call reset() first")

    def settings(self) -> dict[str, Any]:
        """Everything but the players' actions and scripted dice that makes this game what it is."""
        return {
            "num_players": self.num_players,
            "copies": self.copies,
            "italian_reading": self.italian_reading,
            "max_turns": self.max_turns,
            "position": None if self.start is None else self.start.to_dict(),
            "first_player": self.first_player,
            "seed": self.seed,
        }

    def position(self) -> Position:
        """The position as it is now."""
        self._check_started()
        return position_of(self.states, 0)

    def mask(self) -> NDArray[np.int8]:
        """The legal actions of whoever is asked, as a fresh mask."""
        return mask_of(self.bits, NUM_ACTIONS).copy()

    def observe(self, seat: int) -> NDArray[np.float32]:
        """What a seat sees, as a fresh vector."""
        self._check_started()
        out = np.empty((1, self._size), np.float32)
        observation.put_observations(self.states, _FIRST, 0, 1, self._seats[seat], out)
        return out[0]

    def scores(self) -> list[int]:
        """Points of every player as things stand (R21)."""
        self._check_started()
        return [int(rules.score(self.states, 0, seat)) for seat in range(self.num_players)]

    def winners(self) -> list[int]:
        """The seats tied for the best score as things stand: the non-losers (R22)."""
        bits = rules.winners(self.states, 0)
        return [seat for seat in range(self.num_players) if bits >> seat & 1]

    def rewards(self, kind: str) -> list[float]:
        """Rewards of every player by the position as it stands; zeros if it was truncated."""
        out = np.zeros((1, self.num_players), np.float64)
        if not self.truncated:
            write = rules.write_win_rewards if kind == "win" else rules.write_score_rewards
            write(self.states, 0, out, 0)
        return [float(x) for x in out[0]]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_to_act"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._to_act = self.states["to_act"]  # a view, which a copy would cut off
