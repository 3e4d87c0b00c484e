"""What the rest of a turn is worth, from what its ends are worth: every throw by its exact probability (see `turn`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.turn_ends import (
    END_BOTH,
    END_MANY_RAVENS,
    END_RAVENS,
    NUM_BOARDS,
    NUM_GROUPS,
    Starts,
    bits_of,
    board_of,
    end_node,
    end_of,
    group_of,
    possible,
)
from pechvogel_env import dice, rules
from pechvogel_env._compile import compiled
from pechvogel_env.rules import (
    FIRST_VALUE,
    MAX_PLAYERS,
    NO_TARGET,
    NUM_ACTIONS,
    NUM_DICE,
    NUM_VALUES,
    RAVENS_LIMIT,
    TARGETS_NEEDED,
    Action,
    Phase,
    States,
    _clockwise,
    _may_frustrate,
    _may_reduce,
    _shown,
)

# Probabilities of (targets, ravens) for a number of dice, and the first throws as counts with probabilities.
_REDUCED = np.zeros((NUM_DICE + 1, NUM_DICE + 1, NUM_DICE + 1))
for _n in range(NUM_DICE + 1):
    for _outcome in dice.reduced_outcomes(_n):
        _REDUCED[_n, _outcome.targets, _outcome.ravens] = _outcome.probability
_FIRST_COUNTS = np.array([outcome.counts for outcome in dice.outcomes(NUM_DICE)], np.int8)
_FIRST_PROBABILITIES = np.array([outcome.probability for outcome in dice.outcomes(NUM_DICE)])


@compiled
def best_end(starts: Starts, i: int, node: int, values: NDArray[np.float64], seat: int) -> int:
    """The row that the active player chooses among the ends of a node; the first of equal ones."""
    best = starts[i, node]
    for row in range(best + 1, starts[i, node + 1]):
        if values[row, seat] > values[best, seat]:
            best = row
    return best


@compiled
def _joined(s: Any, throws: NDArray[np.float64], board: int, reduced: int, group: int, first: int, starter: int) -> int:
    """The group that comes out when `group` has frustrated and the seats from `first` to `starter` may join.

    `throws[board, reduced, group]` is what repeating the throw is worth with that group.
    """
    n = s.num_players
    now = group_of(s)
    asked = np.empty(MAX_PLAYERS, np.int64)
    num_asked = 0
    seat = first
    while seat != starter:
        distance = (seat - s.active + n) % n
        if seat != s.active and not group >> (distance - 1) & 1:
            has_one = s.frustrations[seat] > 0 if not now >> (distance - 1) & 1 else False
            if has_one:
                asked[num_asked] = seat
                num_asked += 1
        seat = _clockwise(s, seat)
    # Backwards from the last who is asked: what each set of earlier joiners leads to.
    outcome = np.empty(1 << num_asked, np.int64)
    for joiners in range(1 << num_asked):
        outcome[joiners] = group
        for k in range(num_asked):
            if joiners >> k & 1:
                outcome[joiners] |= 1 << ((asked[k] - s.active + n) % n - 1)
    for k in range(num_asked - 1, -1, -1):
        for joiners in range(1 << k):
            without, joined = outcome[joiners], outcome[joiners | 1 << k]
            if throws[board, reduced, joined, asked[k]] > throws[board, reduced, without, asked[k]]:
                outcome[joiners] = joined
    return outcome[0]


@compiled
def _answer_opponents(
    s: Any,
    throws: NDArray[np.float64],
    board: int,
    reduced: int,
    first: int,
    kept: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """What a throw is worth when the opponents from `first` on may frustrate it.

    `board` is the one before that throw, to which a repeat leads back.
    """
    n = s.num_players
    for seat in range(n):
        out[seat] = kept[seat]
    for distance in range(n - 1, (first - s.active + n) % n - 1, -1):
        seat = (s.active + distance) % n
        if s.frustrations[seat] > 0:
            group = _joined(s, throws, board, reduced, 1 << (distance - 1), _clockwise(s, seat), seat)
            if throws[board, reduced, group, seat] > out[seat]:
                for k in range(n):
                    out[k] = throws[board, reduced, group, k]


@compiled
def throw_values(
    s: Any,
    i: int,
    value: int,
    starts: Starts,
    values: NDArray[np.float64],
    throws: NDArray[np.float64],
    after_reduction: NDArray[np.float64],
) -> None:
    """throws[board, reduced, group]: what it is worth to everybody that this board is about to be thrown on.

    `after_reduction` is the same for the throw right after a reduction, which the Italian reading protects (Q3).
    """
    n, active = s.num_players, s.active
    kept = np.empty(MAX_PLAYERS)
    answered = np.empty(MAX_PLAYERS)
    total = np.empty(MAX_PLAYERS)
    unanswered = np.empty(MAX_PLAYERS)
    for group in range((1 << (n - 1)) - 1, -1, -1):  # group 0 last: frustrating leads from it to the others
        for reduced in range(1, -1, -1):
            if not possible(s, reduced, group):
                continue
            for board in range(NUM_BOARDS - 1, -1, -1):
                targets, ravens = board // RAVENS_LIMIT + 1, board % RAVENS_LIMIT
                num_dice = NUM_DICE - targets - ravens
                total[:] = 0.0
                unanswered[:] = 0.0
                for more_targets in range(num_dice + 1):
                    for more_ravens in range(num_dice + 1 - more_targets):
                        if more_targets + more_ravens == 0:
                            continue
                        probability = _REDUCED[num_dice, more_targets, more_ravens]
                        t, r = targets + more_targets, ravens + more_ravens
                        end = end_of(t, r)
                        if end >= 0:
                            row = best_end(starts, i, end_node(starts, value, end, reduced, group), values, active)
                            for k in range(n):
                                kept[k] = values[row, k]
                        else:
                            for k in range(n):
                                kept[k] = throws[board_of(t, r), reduced, group, k]
                        greedy = t > TARGETS_NEEDED or r > RAVENS_LIMIT
                        if greedy:  # R18
                            for k in range(n):
                                answered[k] = kept[k]
                        else:
                            if group == 0:
                                _answer_opponents(s, throws, board, reduced, _clockwise(s, active), kept, answered)
                            else:
                                for k in range(n):
                                    answered[k] = kept[k]
                            if (
                                reduced == 0
                                and possible(s, 1, group)
                                and after_reduction[board, group, active] > answered[active]
                            ):
                                for k in range(n):
                                    answered[k] = after_reduction[board, group, k]
                        for k in range(n):
                            total[k] += probability * answered[k]
                            unanswered[k] += probability * kept[k]
                empty = _REDUCED[num_dice, 0, 0]
                for k in range(n):
                    throws[board, reduced, group, k] = total[k] / (1.0 - empty)
                    if reduced == 1:
                        after_reduction[board, group, k] = throws[board, 1, group, k]
                        if s.italian_reading == 1 and group == 0:  # Q3; after an empty throw it is over
                            after_reduction[board, group, k] = unanswered[k] + empty * throws[board, 1, group, k]


@compiled
def back_up(
    states: States,
    turns: States,
    first: NDArray[np.int64],
    starts: Starts,
    values: NDArray[np.float64],
    of_actions: NDArray[np.float64],
    of_states: NDArray[np.float64],
) -> None:
    """Values of actions and states, from what the ends of their turns are worth."""
    throws = np.zeros((NUM_VALUES, NUM_BOARDS, 2, NUM_GROUPS, MAX_PLAYERS))
    after_reduction = np.zeros((NUM_VALUES, NUM_BOARDS, NUM_GROUPS, MAX_PLAYERS))
    known = np.zeros(NUM_VALUES, np.bool_)  # targets for which `throws` are those of this turn
    kept = np.zeros(MAX_PLAYERS)
    result = np.zeros((NUM_ACTIONS, MAX_PLAYERS))
    for j in range(len(turns)):
        known[:] = False
        for i in range(first[j], first[j + 1]):
            s = states[i]
            if s.phase == Phase.OVER:
                rules._write_win_rewards(s, of_states, i)
                continue
            if s.phase == Phase.TAKE or s.phase == Phase.DISCARD:
                _back_up_ends(s, i, j, starts, values, of_actions, of_states)
                continue
            any_target = s.target == NO_TARGET and (s.phase == Phase.THROW or s.phase == Phase.TARGET)
            for value in range(NUM_VALUES):
                if not known[value] and (any_target or s.target == value + FIRST_VALUE):
                    throw_values(turns[j], j, value, starts, values, throws[value], after_reduction[value])
                    known[value] = True
            back_up_state(s, i, j, starts, values, throws, after_reduction, kept, result, of_actions, of_states)


@compiled
def back_up_state(
    s: Any,
    i: int,
    j: int,
    starts: Starts,
    values: NDArray[np.float64],
    throws: NDArray[np.float64],
    after_reduction: NDArray[np.float64],
    kept: NDArray[np.float64],
    result: NDArray[np.float64],
    of_actions: NDArray[np.float64],
    of_states: NDArray[np.float64],
) -> None:
    """State i, which belongs to turn j; kept and result are room to work in."""
    n, active, phase, reduced, group = s.num_players, s.active, s.phase, s.reduced, group_of(s)
    if s.target == NO_TARGET and phase == Phase.THROW:
        first_throw(s, i, j, starts, values, throws, of_states)
        return
    if phase == Phase.TARGET:
        for value in range(NUM_VALUES):
            shown = _shown(s, value + FIRST_VALUE)
            if shown > 0:
                _target_value(s, j, value, shown, s.ravens, starts, values, throws, result[value])
        _choose(s, i, result, of_actions, of_states)
        return
    value = 0 if s.target == NO_TARGET else s.target - FIRST_VALUE  # no target: three ravens at once
    if phase == Phase.THROW:
        board = board_of(s.targets, s.ravens)
        for k in range(n):
            if s.after_reduction == 1:
                of_states[i, k] = after_reduction[value, board, group, k]
            else:
                of_states[i, k] = throws[value, board, reduced, group, k]
        return
    # Somebody is asked about the last throw; `board` is the one before it.
    end = end_of(s.targets, s.ravens)
    for k in range(n):
        if end >= 0:
            kept[k] = values[best_end(starts, j, end_node(starts, value, end, reduced, group), values, active), k]
        else:
            kept[k] = throws[value, board_of(s.targets, s.ravens), reduced, group, k]
    board = board_of(s.targets - _shown(s, s.target), s.ravens - _shown(s, 0)) if s.num_thrown < NUM_DICE else 0
    _answer_values(s, board, throws[value], after_reduction[value], kept, result)
    _choose(s, i, result, of_actions, of_states)


@compiled
def _answer_values(
    s: Any,
    board: int,
    throws: NDArray[np.float64],
    after_reduction: NDArray[np.float64],
    kept: NDArray[np.float64],
    result: NDArray[np.float64],
) -> None:
    """What each answer to the last throw is worth to everybody: result[action]."""
    n, reduced, group = s.num_players, s.reduced, group_of(s)
    if s.phase == Phase.JOIN:
        starter = s.frustraters[0]
        after = _clockwise(s, s.to_act)
        bit = 1 << ((s.to_act - s.active + n) % n - 1)
        without = _joined(s, throws, board, reduced, group, after, starter)
        joined = without
        if s.frustrations[s.to_act] > 0:
            joined = _joined(s, throws, board, reduced, group | bit, after, starter)
        for k in range(n):
            result[Action.PASS, k] = throws[board, reduced, without, k]
            result[Action.FRUSTRATE, k] = throws[board, reduced, joined, k]
        return
    for k in range(n):
        result[Action.PASS, k] = kept[k]
    if s.phase == Phase.REDUCE:
        if _may_be_frustrated(s):
            _answer_opponents(s, throws, board, reduced, _clockwise(s, s.active), kept, result[Action.PASS])
        if _may_reduce(s):
            for k in range(n):
                result[Action.REDUCE, k] = after_reduction[board, group, k]
    else:
        if _may_be_frustrated(s):
            following = _clockwise(s, s.to_act)
            if following != s.active:
                _answer_opponents(s, throws, board, reduced, following, kept, result[Action.PASS])
        if _may_frustrate(s):
            bit = 1 << ((s.to_act - s.active + n) % n - 1)
            chosen = _joined(s, throws, board, reduced, bit, _clockwise(s, s.to_act), s.to_act)
            for k in range(n):
                result[Action.FRUSTRATE, k] = throws[board, reduced, chosen, k]


@compiled
def _may_be_frustrated(s: Any) -> bool:
    """Whether the rules let any opponent who has a frustration answer the last throw."""
    safe = s.italian_reading == 1 and s.after_reduction == 1
    return bool(s.num_frustraters == 0 and not safe and rules._answerable(s))


@compiled
def _choose(
    s: Any,
    i: int,
    result: NDArray[np.float64],
    of_actions: NDArray[np.float64],
    of_states: NDArray[np.float64],
) -> None:
    """Write the values of the legal actions, and what the best of them is worth to everybody."""
    bits = bits_of(s)
    best = -1
    for action in range(NUM_ACTIONS):
        if bits >> action & 1:
            of_actions[i, action] = result[action, s.to_act]
            if best < 0 or result[action, s.to_act] > result[best, s.to_act]:
                best = action
    for k in range(s.num_players):
        of_states[i, k] = result[best, k]


@compiled
def _back_up_ends(
    s: Any,
    i: int,
    j: int,
    starts: Starts,
    values: NDArray[np.float64],
    of_actions: NDArray[np.float64],
    of_states: NDArray[np.float64],
) -> None:
    """Take and discard: the ends stand in the order of the actions that lead to them."""
    row = starts[j, 0]
    discards = 0
    for value in range(NUM_VALUES):
        discards += s.middle[value] > 0
    bits = bits_of(s)
    best = -1
    best_row = row
    for action in range(NUM_ACTIONS):
        if not bits >> action & 1:
            continue
        ways = discards if Action.STEAL_1 <= action <= Action.STEAL_4 else 1
        chosen = row
        for k in range(row + 1, row + ways):
            if values[k, s.active] > values[chosen, s.active]:
                chosen = k
        row += ways
        of_actions[i, action] = values[chosen, s.active]
        if best < 0 or values[chosen, s.active] > values[best_row, s.active]:
            best, best_row = action, chosen
    for k in range(s.num_players):
        of_states[i, k] = values[best_row, k]


@compiled
def _target_value(
    s: Any,
    j: int,
    value: int,
    targets: int,
    ravens: int,
    starts: Starts,
    values: NDArray[np.float64],
    throws: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """What it is worth to choose a target after the first throw, which nobody can answer (R18)."""
    end = end_of(targets, ravens)
    for k in range(s.num_players):
        if end >= 0:
            out[k] = values[best_end(starts, j, end_node(starts, value, end, 0, 0), values, s.active), k]
        else:
            out[k] = throws[value, board_of(targets, ravens), 0, 0, k]


@compiled
def first_throw(
    s: Any,
    i: int,
    j: int,
    starts: Starts,
    values: NDArray[np.float64],
    throws: NDArray[np.float64],
    of_states: NDArray[np.float64],
) -> None:
    """What a turn is worth before it begins: the best target after every first throw."""
    n, active = s.num_players, s.active
    best = np.zeros(MAX_PLAYERS)
    out = np.zeros(MAX_PLAYERS)
    for k in range(n):
        of_states[i, k] = 0.0
    for throw in range(len(_FIRST_PROBABILITIES)):
        ravens = _FIRST_COUNTS[throw, 0]
        chosen = False
        if ravens >= RAVENS_LIMIT:  # the ruling after R9
            end = END_RAVENS if ravens == RAVENS_LIMIT else END_MANY_RAVENS
            value = 0
            for v in range(NUM_VALUES):
                if ravens == RAVENS_LIMIT and _FIRST_COUNTS[throw, v + 1] == TARGETS_NEEDED:
                    end = END_BOTH
                    value = v
            row = best_end(starts, j, end_node(starts, value, end, 0, 0), values, active)
            for k in range(n):
                best[k] = values[row, k]
        else:
            for v in range(NUM_VALUES):
                if _FIRST_COUNTS[throw, v + 1] > 0:
                    _target_value(s, j, v, _FIRST_COUNTS[throw, v + 1], ravens, starts, values, throws, out)
                    if not chosen or out[active] > best[active]:
                        chosen = True
                        best[:] = out
        for k in range(n):
            of_states[i, k] += _FIRST_PROBABILITIES[throw] * best[k]
