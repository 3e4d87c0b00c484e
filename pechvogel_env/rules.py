"""The rules of Pechvogel, once, compiled. The numbers (R7, Q2, ...) refer to docs/rules.md.

There is no randomness here. A game alternates between two kinds of step: a *decision* (`apply`, an action of
whoever is asked) and a *throw* (`apply_throw` or `apply_dice`, what the dice show). Nothing is ever skipped: also
a player who can only pass is asked. Skipping forced actions and throwing dice is the business of `game.py`.

Games are records in a NumPy array of dtype `STATE`; public functions take the array and an index, which is the
cheapest way to call compiled code from Python. Functions on `s` take the record itself, do not check, and are what
other compiled code is made of: `start_game`, `legal_of`, `land`, `act`, `score_of`, ...
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pechvogel.tabletop.checks import check_truths, check_whole
from pechvogel.tabletop.compile import compiled, inlined
from pechvogel.tabletop.guards import checked
from pechvogel.tabletop.results import compiled_results
from pechvogel.tabletop.states import Checks, records

MIN_PLAYERS, MAX_PLAYERS = 2, 5
MAX_COPIES = 3  # markers of each value in the box (R2)
NUM_DICE = 7  # R1
NUM_VALUES = 5  # the values 3, 4, 5, 6, 7
FIRST_VALUE = 3
RAVEN = 0
FACES = (RAVEN, 3, 4, 5, 6, 7)  # R1
TARGETS_NEEDED = 4  # R9, R10
RAVENS_LIMIT = 3  # R9, R11
FRUSTRATION_COST = 3  # R21
MURPHY_COST = 7  # R21
NOBODY = -1
NO_DIE = -1
NO_TARGET = 8  # a face that no die shows
BITS_PER_FACE = 4  # in counts of a throw that are packed into one number


class Action(IntEnum):
    """Everything that anybody can ever do, the same for every number of players."""

    TARGET_3 = 0
    TARGET_4 = 1
    TARGET_5 = 2
    TARGET_6 = 3
    TARGET_7 = 4
    PASS = 5
    REDUCE = 6
    FRUSTRATE = 7
    TAKE = 8
    STEAL_1 = 9  # from the 1st opponent clockwise
    STEAL_2 = 10
    STEAL_3 = 11
    STEAL_4 = 12
    DISCARD_3 = 13
    DISCARD_4 = 14
    DISCARD_5 = 15
    DISCARD_6 = 16
    DISCARD_7 = 17


NUM_ACTIONS = len(Action)


class Phase(IntEnum):
    """What the game waits for. In the last two, nobody is asked."""

    TARGET = 0
    REDUCE = 1
    FRUSTRATE = 2
    JOIN = 3
    TAKE = 4
    DISCARD = 5
    THROW = 6
    OVER = 7


# One game. Seats are numbered clockwise from 0; values 3..7 have the indices 0..4.
STATE = np.dtype(
    [
        ("num_players", np.int8),  # 2..5
        ("copies", np.int8),  # markers per value at the start, 1..3
        ("italian_reading", np.int8),  # 1: the throw after a reduction can't be frustrated (Q3)
        ("phase", np.int8),  # a Phase
        ("active", np.int8),  # seat whose turn it is
        ("to_act", np.int8),  # seat that is asked, or NOBODY
        ("murphy", np.int8),  # seat that holds Murphy, or NOBODY (R4)
        ("target", np.int8),  # 3..7, or NO_TARGET
        ("targets", np.int8),  # target dice on the board, the last throw included
        ("ravens", np.int8),  # ravens on the board, the last throw included
        ("reduced", np.int8),  # 1: the active player has reduced in this turn (R14)
        ("after_reduction", np.int8),  # 1: the last (in THROW: the coming) throw repeats a reduced one
        ("num_frustraters", np.int8),  # how many of `frustraters` count; >0: R15 is used up
        ("num_thrown", np.int8),  # how many of `last_throw` count; 7 only for a first throw
        ("frustraters", np.int8, (MAX_PLAYERS - 1,)),  # seats, in the order in which they came
        ("last_throw", np.int8, (NUM_DICE,)),  # faces in the order thrown, then NO_DIE
        ("middle", np.int8, (NUM_VALUES,)),  # markers in the middle, by value
        ("markers", np.int8, (MAX_PLAYERS, NUM_VALUES)),  # markers by seat and value
        ("frustrations", np.int32, (MAX_PLAYERS,)),  # by seat, without those on the board
        ("thrown", np.int32),  # the last throw counted: four bits per face, the raven lowest, then 3..7
        ("turn", np.int32),  # finished turns
        ("throws", np.int32),  # throws made in this turn, repeats included
    ],
    align=True,
)

States: TypeAlias = NDArray[np.void]  # games: an array of dtype STATE, from `new_states`


def new_states(num_games: int) -> States:
    """Room for games; `new_game` or `position.load` fills it."""
    return records(num_games, STATE)


# ------------------------------------------------------------------------------------------------ checks

CHECKS = Checks(STATE, NUM_ACTIONS)


def _check_new(states: Any, i: Any, num_players: Any, copies: Any, italian_reading: Any, first_player: Any) -> None:
    CHECKS.change(states, i)
    check_whole("num_players", num_players, MIN_PLAYERS, MAX_PLAYERS)
    check_whole("copies", copies, 1, MAX_COPIES)
    check_truths(italian_reading=italian_reading)
    check_whole("first_player", first_player, 0, num_players - 1)


# ------------------------------------------------------------------------------------------------ start


@checked(_check_new)
@compiled
def new_game(states: States, i: int, num_players: int, copies: int, italian_reading: bool, first_player: int) -> None:
    """Set game `i` to the start of a game (R2-R5)."""
    start_game(states[i], num_players, copies, italian_reading, first_player)


@compiled
def start_game(s: Any, num_players: int, copies: int, italian_reading: bool, first_player: int) -> None:
    """The start of a game (R2-R5)."""
    s.num_players = num_players
    s.copies = copies
    s.italian_reading = 1 if italian_reading else 0
    s.murphy = NOBODY
    s.turn = 0
    for value in range(NUM_VALUES):
        s.middle[value] = copies
    for seat in range(MAX_PLAYERS):
        s.frustrations[seat] = 0
        for value in range(NUM_VALUES):
            s.markers[seat, value] = 0
    start_turn(s, first_player)


@inlined
def start_turn(s: Any, seat: int) -> None:
    """An empty board, and the dice in front of `seat` (R5, R6)."""
    s.active = seat
    s.target = NO_TARGET
    s.targets = 0
    s.ravens = 0
    s.reduced = 0
    s.num_frustraters = 0
    s.throws = 0
    _clear_throw(s)
    _await_throw(s)


@inlined
def _clear_throw(s: Any) -> None:
    for k in range(NUM_DICE):
        s.last_throw[k] = NO_DIE
    s.num_thrown = 0
    s.thrown = 0


@inlined
def _await_throw(s: Any) -> None:
    s.phase = Phase.THROW
    s.to_act = NOBODY
    s.after_reduction = 0


# ------------------------------------------------------------------------------------------------ legal


@checked(CHECKS.game)
@compiled
def legal_bits(states: States, i: int) -> int:
    """The legal actions of whoever is asked, as bits 1 << action; 0 in THROW and OVER."""
    return legal_of(states[i])


@inlined
def legal_of(s: Any) -> int:
    """The legal actions of whoever is asked, as bits."""
    # Sums of shifted truths instead of branches: dice are unpredictable, and so would the branches be.
    phase = s.phase
    bits = 0
    if phase == Phase.TARGET:  # R6: a number that was thrown
        for value in range(NUM_VALUES):
            bits |= (count_face(s, value + FIRST_VALUE) > 0) << (value + Action.TARGET_3)
    elif phase == Phase.REDUCE:
        bits = (1 << Action.PASS) | (may_reduce(s) << Action.REDUCE)
    elif phase == Phase.FRUSTRATE:
        bits = (1 << Action.PASS) | (may_frustrate(s) << Action.FRUSTRATE)
    elif phase == Phase.JOIN:  # R15: everyone with a frustration
        bits = (1 << Action.PASS) | ((s.frustrations[s.to_act] > 0) << Action.FRUSTRATE)
    elif phase == Phase.TAKE:
        bits = _marker_bits(s)
    elif phase == Phase.DISCARD:  # R10: one marker of their choice from the middle
        for value in range(NUM_VALUES):
            bits |= (s.middle[value] > 0) << (value + Action.DISCARD_3)
    return bits


@inlined
def may_reduce(s: Any) -> bool:
    """R14: the active player, once in their turn."""
    return (s.frustrations[s.active] > 0) & (s.reduced == 0) & answerable(s)


@inlined
def may_frustrate(s: Any) -> bool:
    """R15: an opponent, once per turn in all; Q3: not after a reduction in the Italian reading."""
    safe = (s.italian_reading == 1) & (s.after_reduction == 1)
    return (s.frustrations[s.to_act] > 0) & (s.num_frustraters == 0) & (not safe) & answerable(s)


@inlined
def answerable(s: Any) -> bool:
    """Whether the last throw may be answered by any frustration at all (R18)."""
    first = s.num_thrown == NUM_DICE  # (a): later throws have fewer dice
    greedy = (s.targets > TARGETS_NEEDED) | (s.ravens > RAVENS_LIMIT)  # (b)
    empty = count_face(s, RAVEN) + count_face(s, s.target) == 0  # (c)
    return (not first) & (not greedy) & (not empty)


@inlined
def _marker_bits(s: Any) -> int:
    """Where the active player can get a marker of the target's value (R10); 0: nowhere."""
    value = s.target - FIRST_VALUE
    bits = (s.middle[value] > 0) << Action.TAKE
    seat = s.active
    for distance in range(1, s.num_players):
        seat = clockwise(s, seat)
        bits |= (s.markers[seat, value] > 0) << (distance - 1 + Action.STEAL_1)
    return bits


# ------------------------------------------------------------------------------------------------ throws


@checked(CHECKS.game)
@compiled
def dice_to_throw(states: States, i: int) -> int:
    """How many dice the coming throw has (R6, R8, R16): all that don't lie on the board."""
    return dice_left(states[i])


@inlined
def dice_left(s: Any) -> int:
    """How many dice don't lie on the board."""
    return NUM_DICE - s.targets - s.ravens


@checked(CHECKS.throw)
@compiled
def apply_throw(states: States, i: int, counts: NDArray[np.int8]) -> None:
    """Throw by counts of faces, raven first, then 3..7; ValueError unless they add up to `dice_to_throw`."""
    s = states[i]
    if s.phase != Phase.THROW or len(counts) != len(FACES) or counts.min() < 0 or counts.sum() != dice_left(s):
        raise ValueError("those are not the counts of a throw that is due: see dice_to_throw")
    _clear_throw(s)
    thrown = 0
    k = 0
    for index in range(len(FACES)):
        thrown += int(counts[index]) << (BITS_PER_FACE * index)
        for _ in range(counts[index]):
            s.last_throw[k] = FACES[index]
            k += 1
    land(s, k, thrown)


@checked(CHECKS.throw)
@compiled
def apply_dice(states: States, i: int, dice: NDArray[np.int8]) -> None:
    """Throw by faces in the order thrown; ValueError unless there are as many as `dice_to_throw`."""
    s = states[i]
    if s.phase != Phase.THROW or len(dice) != dice_left(s):
        raise ValueError("those are not the dice of a throw that is due: see dice_to_throw")
    for k in range(len(dice)):
        if not (dice[k] == RAVEN or FIRST_VALUE <= dice[k] < FIRST_VALUE + NUM_VALUES):
            raise ValueError("a die shows 0 (the raven), 3, 4, 5, 6 or 7")
    _clear_throw(s)
    thrown = 0
    for k in range(len(dice)):
        s.last_throw[k] = dice[k]
        thrown += 1 << (BITS_PER_FACE * face_index(int(dice[k])))
    land(s, len(dice), thrown)


@inlined
def land(s: Any, num_thrown: int, thrown: int) -> None:
    """The dice in `last_throw` have fallen: put on the board what belongs there, and ask."""
    s.num_thrown = num_thrown
    s.thrown = thrown
    s.ravens += count_face(s, RAVEN)  # R7
    s.targets += count_face(s, s.target)  # R7
    s.throws += 1
    s.to_act = s.active
    s.phase = Phase.REDUCE  # Q1: the active player speaks first
    if s.target == NO_TARGET:
        if s.ravens < RAVENS_LIMIT:
            s.phase = Phase.TARGET  # R6
        elif s.ravens == RAVENS_LIMIT:  # the ruling after R9: three ravens and four alike
            _set_target(s, max(s.last_throw))  # only if all four are this number
            if s.targets < TARGETS_NEEDED:
                _set_target(s, NO_TARGET)


@inlined
def _set_target(s: Any, target: int) -> None:
    """Put all dice of the first throw that show the target on the board (R6)."""
    s.target = target
    s.targets = count_face(s, target)


@inlined
def count_face(s: Any, face: int) -> int:
    """How many dice of the last throw show a face; 0 for NO_TARGET."""
    return (s.thrown >> (BITS_PER_FACE * face_index(face))) & ((1 << BITS_PER_FACE) - 1)


@inlined
def face_index(face: int) -> int:
    """0 for the raven, 1..5 for the values 3..7; 6 for NO_TARGET."""
    return max(face - FIRST_VALUE + 1, 0)


@inlined
def _repeat_throw(s: Any) -> None:
    """Take back all dice of the last throw; they will be thrown again (R16)."""
    s.ravens -= count_face(s, RAVEN)
    s.targets -= count_face(s, s.target)
    _clear_throw(s)
    _await_throw(s)


# ------------------------------------------------------------------------------------------------ actions


@checked(CHECKS.action)
@compiled
def apply(states: States, i: int, action: int) -> None:
    """Carry out an action of whoever is asked; ValueError, and nothing changed, if it is illegal."""
    if not (0 <= action < NUM_ACTIONS and (legal_of(states[i]) >> action) & 1):
        raise ValueError("that action is illegal: see legal_bits")
    act(states[i], action)


@inlined
def act(s: Any, action: int) -> None:
    """Carry out a legal action: this does not check."""
    phase = s.phase
    if phase == Phase.TARGET:
        _set_target(s, action - Action.TARGET_3 + FIRST_VALUE)
        s.phase = Phase.REDUCE
    elif phase == Phase.REDUCE:
        if action == Action.REDUCE:
            s.frustrations[s.active] -= 1  # R14: to the supply, never to the board
            s.reduced = 1
            _repeat_throw(s)
            s.after_reduction = 1  # R17 needs nothing more: nobody else is asked about that throw
        else:
            decline_to_reduce(s)
    elif phase == Phase.FRUSTRATE:
        if action == Action.FRUSTRATE:
            _put_frustration(s)
            s.phase = Phase.JOIN
            _ask_to_join(s)
        else:
            decline_to_start(s)
    elif phase == Phase.JOIN:
        if action == Action.FRUSTRATE:
            _put_frustration(s)
        _ask_to_join(s)
    elif phase == Phase.TAKE:
        value = s.target - FIRST_VALUE
        s.markers[s.active, value] += 1
        if action == Action.TAKE:
            s.middle[value] -= 1
            _end_turn(s)
        else:
            victim = s.active + 1 + action - Action.STEAL_1
            if victim >= s.num_players:
                victim -= s.num_players
            s.markers[victim, value] -= 1
            s.phase = Phase.DISCARD
    elif phase == Phase.DISCARD:
        s.middle[action - Action.DISCARD_3] -= 1  # R10: out of the game
        _end_turn(s)


@inlined
def clockwise(s: Any, seat: int) -> int:
    """The next seat."""
    return seat + 1 if seat + 1 < s.num_players else 0


@inlined
def decline_to_reduce(s: Any) -> None:
    """Then the opponents are asked, clockwise from the active player's left (Q1, Q2)."""
    s.phase = Phase.FRUSTRATE
    s.to_act = clockwise(s, s.active)


@inlined
def decline_to_start(s: Any) -> None:
    """Then the next opponent is asked; after the last, the throw is kept (Q2)."""
    s.to_act = clockwise(s, s.to_act)
    if s.to_act == s.active:
        keep_throw(s)


@inlined
def _put_frustration(s: Any) -> None:
    s.frustrations[s.to_act] -= 1
    s.frustraters[s.num_frustraters] = s.to_act
    s.num_frustraters += 1


@inlined
def _ask_to_join(s: Any) -> None:
    """Ask the next opponent, clockwise from the starter (Q2); after the last, repeat the throw."""
    seat = clockwise(s, s.to_act)
    if seat == s.active:
        seat = clockwise(s, seat)
    if seat == s.frustraters[0]:
        _repeat_throw(s)  # R15: once, however many joined
    else:
        s.to_act = seat


@inlined
def keep_throw(s: Any) -> None:
    """Nobody has the throw repeated: go on with the turn, or end it."""
    if s.targets >= TARGETS_NEEDED and _marker_bits(s) != 0:  # R9, R10
        s.phase = Phase.TAKE
        s.to_act = s.active
    elif s.targets >= TARGETS_NEEDED or s.ravens >= RAVENS_LIMIT:  # R9
        _end_turn(s)
    else:
        _await_throw(s)  # R8


@inlined
def _end_turn(s: Any) -> None:
    """Ravens, greed and frustrations at the end of the turn; then the dice go on (R11-R13, R20)."""
    active = s.active
    if s.ravens >= RAVENS_LIMIT:
        s.frustrations[active] += max(1, s.num_frustraters)  # R11
    else:
        for k in range(s.num_frustraters):  # R13: theirs back and one more, Q6
            s.frustrations[s.frustraters[k]] += 2
            if s.frustrations[active] > 0:
                s.frustrations[active] -= 1
    if s.targets > TARGETS_NEEDED or s.ravens > RAVENS_LIMIT:
        s.murphy = active  # R12
    s.turn += 1
    start_turn(s, clockwise(s, active))
    for value in range(NUM_VALUES):
        if s.middle[value] > 0:
            return
    s.phase = Phase.OVER  # R20, Q5


# ------------------------------------------------------------------------------------------------ results


@inlined
def score_of(s: Any, seat: int) -> int:
    """Points of one player (R21)."""
    points = 0
    for value in range(NUM_VALUES):
        points += (value + FIRST_VALUE) * s.markers[seat, value]
    cost = MURPHY_COST if s.murphy == seat else FRUSTRATION_COST
    return points - cost * s.frustrations[seat]


# R22: the highest score wins, and all who are tied for it are non-losers. So it is in every game: `tabletop.results`.
RESULTS = compiled_results(__name__, CHECKS, score_of)
put_scores, winners_of, put_win_rewards, put_score_rewards = RESULTS[:4]
score, winners, write_scores, write_win_rewards, write_score_rewards = RESULTS[4:]
