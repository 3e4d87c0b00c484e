"""What the rest of a turn is worth, from what its ends are worth: every throw by its exact probability (see `search`).

The order of decisions in a turn is written here, and once more in the solver (`train.pechvogel.solve.kernel`, for two
players, many counts at once) and in its best response, on purpose: tests compare each with the others.

An end's row of `values` has the rewards of every seat, and after them whatever else shall be known: nobody decides by
that, but it is backed up as rewards are (so a 1 in one row becomes the chance of that end).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pechvogel.agents.pechvogel.turn import ends
from pechvogel.agents.pechvogel.turn.ends import NUM_BOARDS, NUM_ENDS, Starts, board_of, end_node, end_of, group_of
from pechvogel.tabletop.arrays import Floats, Ints
from pechvogel.tabletop.compile import compiled
from pechvogel_env import dice, rules
from pechvogel_env.rules import FIRST_VALUE, MAX_PLAYERS, NUM_VALUES, RAVENS_LIMIT, Action, Phase, States, clockwise

# What a throw can come to, numbered: the boards on which the turn goes on, then the ends. Throws with the same
# consequences stand together, so a board has a dozen outcomes at most, and 666 first throws need no look at their ends.
NUM_OUTCOMES = NUM_BOARDS + NUM_ENDS
_NUM_TO_COME = np.zeros(NUM_BOARDS, np.int64)
_TO_COME = np.zeros((NUM_BOARDS, NUM_OUTCOMES), np.int64)
_CHANCES = np.zeros((NUM_BOARDS, NUM_OUTCOMES))
_EMPTY = np.zeros(NUM_BOARDS)  # the chance of a throw that adds nothing
NOT_SHOWN = -1


def _outcome(targets: int, ravens: int) -> int:
    end = end_of(targets, ravens)
    return int(board_of(targets, ravens) if end < 0 else NUM_BOARDS + end)


def _list_outcomes() -> None:
    for board in range(NUM_BOARDS):
        targets, ravens = board // RAVENS_LIMIT + 1, board % RAVENS_LIMIT
        chances = np.zeros(NUM_OUTCOMES)
        for throw in dice.reduced_outcomes(rules.NUM_DICE - targets - ravens):
            if throw.targets + throw.ravens == 0:
                _EMPTY[board] = throw.probability
            else:
                chances[_outcome(targets + throw.targets, ravens + throw.ravens)] += throw.probability
        to_come = np.flatnonzero(chances)
        _NUM_TO_COME[board] = len(to_come)
        _TO_COME[board, : len(to_come)] = to_come
        _CHANCES[board, : len(to_come)] = chances[to_come]


def _list_first_throws() -> tuple[Ints, Floats, Floats]:
    """Outcomes of first throws by the target chosen, with their chances; and the chances of throws without a choice."""
    outcomes, chances = [], []
    without_choice = np.zeros((NUM_VALUES, NUM_ENDS))  # the ruling after R9
    for throw in dice.outcomes(rules.NUM_DICE):
        ravens, *shown = throw.counts
        if ravens < RAVENS_LIMIT:
            outcomes.append([_outcome(count, ravens) if count else NOT_SHOWN for count in shown])
            chances.append(throw.probability)
        elif ravens == RAVENS_LIMIT and max(shown) == rules.TARGETS_NEEDED:
            without_choice[int(np.argmax(shown)), ends.END_BOTH] += throw.probability
        else:
            without_choice[0, ends.END_RAVENS if ravens == RAVENS_LIMIT else ends.END_MANY_RAVENS] += throw.probability
    return np.array(outcomes), np.array(chances), without_choice


_list_outcomes()
_FIRST, _FIRST_CHANCES, _WITHOUT_CHOICE = _list_first_throws()


@compiled
def best_end(starts: Starts, i: int, node: int, values: Floats, seat: int) -> int:
    """The row that the active player chooses among the ends of a node; the first of equal ones."""
    best = starts[i, node]
    for row in range(best + 1, starts[i, node + 1]):
        if values[row, seat] > values[best, seat]:
            best = row
    return best


@compiled
def _joined(s: Any, throws: Floats, board: int, reduced: int, group: int, first: int, starter: int) -> int:
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
        seat = clockwise(s, seat)
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
def _groups_by_starter(s: Any, throws: Floats, board: int, reduced: int, first: int, groups: Ints) -> None:
    """groups[seat]: who frustrates in the end if this opponent starts; 0 if they can't, or stand before `first`."""
    n = s.num_players
    for distance in range(1, n):
        seat = (s.active + distance) % n
        groups[seat] = 0
        if s.frustrations[seat] > 0 and distance >= (first - s.active + n) % n:
            groups[seat] = _joined(s, throws, board, reduced, 1 << (distance - 1), clockwise(s, seat), seat)


@compiled
def _answer_opponents(
    s: Any, throws: Floats, board: int, reduced: int, groups: Ints, kept: Floats, out: Floats
) -> None:
    """What a throw is worth when opponents may frustrate it, with the `groups` of `_groups_by_starter`.

    `board` is the one before that throw, to which a repeat leads back.
    """
    n, width = s.num_players, throws.shape[-1]
    for k in range(width):
        out[k] = kept[k]
    for distance in range(n - 1, 0, -1):
        seat = (s.active + distance) % n
        group = groups[seat]
        if group > 0 and throws[board, reduced, group, seat] > out[seat]:
            for k in range(width):
                out[k] = throws[board, reduced, group, k]


@compiled
def throw_values(
    s: Any, i: int, value: int, starts: Starts, values: Floats, throws: Floats, after_reduction: Floats
) -> None:
    """throws[board, reduced, group]: what it is worth to everybody that this board is about to be thrown on.

    `after_reduction` is the same for the throw right after a reduction, which the Italian reading protects (Q3).
    """
    n, active, width = s.num_players, s.active, values.shape[1]
    kept = np.empty(width)
    answered = np.empty(width)
    total = np.empty(width)
    unanswered = np.empty(width)
    rows = np.empty(NUM_ENDS, np.int64)
    groups = np.empty(MAX_PLAYERS, np.int64)
    for group in range((1 << (n - 1)) - 1, -1, -1):  # group 0 last: frustrating leads from it to the others
        for reduced in range(1, -1, -1):
            if not ends.possible(s, reduced, group):
                continue
            may_reduce = reduced == 0 and ends.possible(s, 1, group)
            for end in range(NUM_ENDS):
                rows[end] = best_end(starts, i, end_node(starts, value, end, reduced, group), values, active)
            for board in range(NUM_BOARDS - 1, -1, -1):
                if group == 0:
                    _groups_by_starter(s, throws, board, reduced, clockwise(s, active), groups)
                total[:] = 0.0
                unanswered[:] = 0.0
                for which in range(_NUM_TO_COME[board]):
                    outcome, chance = _TO_COME[board, which], _CHANCES[board, which]
                    end = outcome - NUM_BOARDS
                    for k in range(width):
                        kept[k] = values[rows[end], k] if end >= 0 else throws[outcome, reduced, group, k]
                        answered[k] = kept[k]
                    if end != ends.END_GREEDY and end != ends.END_MANY_RAVENS:  # R18
                        if group == 0:
                            _answer_opponents(s, throws, board, reduced, groups, kept, answered)
                        if may_reduce and after_reduction[board, group, active] > answered[active]:
                            for k in range(width):
                                answered[k] = after_reduction[board, group, k]
                    for k in range(width):
                        total[k] += chance * answered[k]
                        unanswered[k] += chance * kept[k]
                empty = _EMPTY[board]
                for k in range(width):
                    throws[board, reduced, group, k] = total[k] / (1.0 - empty)
                    if reduced == 1:
                        after_reduction[board, group, k] = throws[board, 1, group, k]
                        if s.italian_reading == 1 and group == 0:  # Q3; after an empty throw it is over
                            after_reduction[board, group, k] = unanswered[k] + empty * throws[board, 1, group, k]


@compiled
def back_up(
    states: States,
    turns: States,
    first: Ints,
    starts: Starts,
    values: Floats,
    of_actions: Floats,
    of_states: Floats,
    accounts: Floats,
) -> None:
    """Values of actions and states, from what the ends of their turns are worth.

    `accounts` gets whole rows, by state and action; an empty one gets nothing.
    """
    width = values.shape[1]
    throws = np.zeros((NUM_VALUES, NUM_BOARDS, 2, ends.NUM_GROUPS, width))
    after_reduction = np.zeros((NUM_VALUES, NUM_BOARDS, ends.NUM_GROUPS, width))
    known = np.zeros(NUM_VALUES, np.bool_)  # targets for which `throws` are those of this turn
    kept = np.zeros(width)
    result = np.zeros((rules.NUM_ACTIONS, width))
    for j in range(len(turns)):
        known[:] = False
        for i in range(first[j], first[j + 1]):
            s = states[i]
            if s.phase == Phase.OVER:
                rules.put_win_rewards(s, of_states, i)
                continue
            if s.phase == Phase.TAKE or s.phase == Phase.DISCARD:
                _back_up_ends(s, i, j, starts, values, result, of_actions, of_states)
                _put_accounts(s, i, result, accounts)
                continue
            for value in range(NUM_VALUES):
                if s.phase == Phase.TARGET:
                    needed = rules.count_face(s, value + FIRST_VALUE) > 0
                elif s.target == rules.NO_TARGET:
                    needed = s.phase == Phase.THROW
                else:
                    needed = s.target == value + FIRST_VALUE
                if needed and not known[value]:
                    throw_values(turns[j], j, value, starts, values, throws[value], after_reduction[value])
                    known[value] = True
            back_up_state(s, i, j, starts, values, throws, after_reduction, kept, result, of_actions, of_states)
            _put_accounts(s, i, result, accounts)


@compiled
def _put_accounts(s: Any, i: int, result: Floats, accounts: Floats) -> None:
    if len(accounts) > 0:
        bits = ends.bits_of(s)
        for action in range(rules.NUM_ACTIONS):
            if bits >> action & 1:
                accounts[i, action] = result[action]


@compiled
def back_up_state(
    s: Any,
    i: int,
    j: int,
    starts: Starts,
    values: Floats,
    throws: Floats,
    after_reduction: Floats,
    kept: Floats,
    result: Floats,
    of_actions: Floats,
    of_states: Floats,
) -> None:
    """State i, which belongs to turn j; kept and result are room to work in."""
    n, active, phase, reduced, group = s.num_players, s.active, s.phase, s.reduced, group_of(s)
    if s.target == rules.NO_TARGET and phase == Phase.THROW:
        first_throw(s, i, j, starts, values, throws, of_states)
        return
    if phase == Phase.TARGET:
        for value in range(NUM_VALUES):
            shown = rules.count_face(s, value + FIRST_VALUE)
            if shown > 0:
                _target_value(s, j, value, shown, s.ravens, starts, values, throws, result[value])
        _choose(s, i, result, of_actions, of_states)
        return
    value = 0 if s.target == rules.NO_TARGET else s.target - FIRST_VALUE  # no target: three ravens at once
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
    if end >= 0:
        kept[:] = values[best_end(starts, j, end_node(starts, value, end, reduced, group), values, active)]
    else:
        kept[:] = throws[value, board_of(s.targets, s.ravens), reduced, group]
    board = (
        board_of(s.targets - rules.count_face(s, s.target), s.ravens - rules.count_face(s, 0))
        if s.num_thrown < rules.NUM_DICE
        else 0
    )
    _answer_values(s, board, throws[value], after_reduction[value], kept, result)
    _choose(s, i, result, of_actions, of_states)


@compiled
def _answer_values(s: Any, board: int, throws: Floats, after_reduction: Floats, kept: Floats, result: Floats) -> None:
    """What each answer to the last throw is worth to everybody: result[action]."""
    n, reduced, group, width = s.num_players, s.reduced, group_of(s), throws.shape[-1]
    if s.phase == Phase.JOIN:
        starter = s.frustraters[0]
        after = clockwise(s, s.to_act)
        bit = 1 << ((s.to_act - s.active + n) % n - 1)
        without = _joined(s, throws, board, reduced, group, after, starter)
        joined = without
        if s.frustrations[s.to_act] > 0:
            joined = _joined(s, throws, board, reduced, group | bit, after, starter)
        for k in range(width):
            result[Action.PASS, k] = throws[board, reduced, without, k]
            result[Action.FRUSTRATE, k] = throws[board, reduced, joined, k]
        return
    for k in range(width):
        result[Action.PASS, k] = kept[k]
    groups = np.zeros(MAX_PLAYERS, np.int64)
    if s.phase == Phase.REDUCE:
        if _may_be_frustrated(s):
            _groups_by_starter(s, throws, board, reduced, clockwise(s, s.active), groups)
            _answer_opponents(s, throws, board, reduced, groups, kept, result[Action.PASS])
        if rules.may_reduce(s):
            for k in range(width):
                result[Action.REDUCE, k] = after_reduction[board, group, k]
    else:
        if _may_be_frustrated(s):
            following = clockwise(s, s.to_act)
            if following != s.active:
                _groups_by_starter(s, throws, board, reduced, following, groups)
                _answer_opponents(s, throws, board, reduced, groups, kept, result[Action.PASS])
        if rules.may_frustrate(s):
            bit = 1 << ((s.to_act - s.active + n) % n - 1)
            chosen = _joined(s, throws, board, reduced, bit, clockwise(s, s.to_act), s.to_act)
            for k in range(width):
                result[Action.FRUSTRATE, k] = throws[board, reduced, chosen, k]


@compiled
def _may_be_frustrated(s: Any) -> bool:
    """Whether the rules let any opponent who has a frustration answer the last throw."""
    safe = s.italian_reading == 1 and s.after_reduction == 1
    return bool(s.num_frustraters == 0 and not safe and rules.answerable(s))


@compiled
def _choose(s: Any, i: int, result: Floats, of_actions: Floats, of_states: Floats) -> None:
    """Write the values of the legal actions, and what the best of them is worth to everybody."""
    bits = ends.bits_of(s)
    best = -1
    for action in range(rules.NUM_ACTIONS):
        if bits >> action & 1:
            of_actions[i, action] = result[action, s.to_act]
            if best < 0 or result[action, s.to_act] > result[best, s.to_act]:
                best = action
    for k in range(s.num_players):
        of_states[i, k] = result[best, k]


@compiled
def _back_up_ends(
    s: Any, i: int, j: int, starts: Starts, values: Floats, result: Floats, of_actions: Floats, of_states: Floats
) -> None:
    """Take and discard: the ends stand in the order of the actions that lead to them."""
    row = starts[j, 0]
    discards = 0
    for value in range(NUM_VALUES):
        discards += s.middle[value] > 0
    bits = ends.bits_of(s)
    best = -1
    best_row = row
    for action in range(rules.NUM_ACTIONS):
        if not bits >> action & 1:
            continue
        ways = discards if Action.STEAL_1 <= action <= Action.STEAL_4 else 1
        chosen = row
        for k in range(row + 1, row + ways):
            if values[k, s.active] > values[chosen, s.active]:
                chosen = k
        row += ways
        of_actions[i, action] = values[chosen, s.active]
        result[action] = values[chosen]
        if best < 0 or values[chosen, s.active] > values[best_row, s.active]:
            best, best_row = action, chosen
    for k in range(s.num_players):
        of_states[i, k] = values[best_row, k]


@compiled
def _target_value(
    s: Any, j: int, value: int, targets: int, ravens: int, starts: Starts, values: Floats, throws: Floats, out: Floats
) -> None:
    """What it is worth to choose a target after the first throw, which nobody can answer (R18)."""
    end = end_of(targets, ravens)
    if end >= 0:
        out[:] = values[best_end(starts, j, end_node(starts, value, end, 0, 0), values, s.active)]
    else:
        out[:] = throws[value, board_of(targets, ravens), 0, 0]


@compiled
def first_throw(s: Any, i: int, j: int, starts: Starts, values: Floats, throws: Floats, of_states: Floats) -> None:
    """What a turn is worth before it begins: the best target after every first throw."""
    n, active = s.num_players, s.active
    worth = np.empty((NUM_VALUES, NUM_OUTCOMES, MAX_PLAYERS))
    for value in range(NUM_VALUES):
        for outcome in range(NUM_OUTCOMES):
            end = outcome - NUM_BOARDS
            if end < 0:
                for k in range(n):
                    worth[value, outcome, k] = throws[value, outcome, 0, 0, k]
            else:
                row = best_end(starts, j, end_node(starts, value, end, 0, 0), values, active)
                for k in range(n):
                    worth[value, outcome, k] = values[row, k]
    for k in range(n):
        of_states[i, k] = 0.0
        for value in range(NUM_VALUES):
            for end in range(NUM_ENDS):
                of_states[i, k] += _WITHOUT_CHOICE[value, end] * worth[value, NUM_BOARDS + end, k]
    for throw in range(len(_FIRST_CHANCES)):
        target = -1
        for value in range(NUM_VALUES):
            outcome = _FIRST[throw, value]
            if outcome != NOT_SHOWN and (
                target < 0 or worth[value, outcome, active] > worth[target, _FIRST[throw, target], active]
            ):
                target = value
        for k in range(n):
            of_states[i, k] += _FIRST_CHANCES[throw] * worth[target, _FIRST[throw, target], k]
