"""The rest of a turn, exactly: what every action is worth, given what positions between turns are worth.

One piece of code for every agent that looks ahead: the planner (a hand-made evaluation), learned evaluations and the
solver's table. Three steps, so that an evaluation sees many positions at once:

    expand    all positions in which the turn can end, by the engine's own rules
    evaluate  their values for every player, from outside
    back up   every throw with its exact probability, every decision chosen best for whoever decides

What makes a turn small: once the target is set, only the numbers of targets and ravens on the board matter, whether the
active player has reduced, and who has frustrated. A repeated throw leads back to the same board with fewer rights left,
and an empty throw is simply thrown again (a geometric series), so there are no cycles. How a turn ends depends on the
target's value, on what lies on the board only by five *ends* (below), and on who spent frustrations.

Ties between equal values go to the lowest action, as everywhere: so players pass.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

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
    _apply,
    _clockwise,
    _keep_throw,
    _legal_bits,
    _may_frustrate,
    _may_reduce,
    _shown,
)

# What positions between turns (or after the end) are worth: for each state a row, for each seat a reward="win".
Evaluation: TypeAlias = Callable[[States], NDArray[np.float64]]

# How a board can end a turn: (targets, ravens) that stand for all boards with the same consequences (R10-R12).
ENDS = ((4, 0), (5, 0), (4, 3), (1, 3), (1, 4))
END_TARGETS, END_GREEDY, END_BOTH, END_RAVENS, END_MANY_RAVENS = range(5)
NUM_ENDS = len(ENDS)
NUM_GROUPS = 2 ** (MAX_PLAYERS - 1)  # sets of opponents who have frustrated; bit k: the (k+1)-th seat clockwise
NUM_NODES = NUM_VALUES * NUM_ENDS * 2 * NUM_GROUPS

# Probabilities of (targets, ravens) for a number of dice, and the first throws as counts with probabilities.
_REDUCED = np.zeros((NUM_DICE + 1, NUM_DICE + 1, NUM_DICE + 1))
for _n in range(NUM_DICE + 1):
    for _outcome in dice.reduced_outcomes(_n):
        _REDUCED[_n, _outcome.targets, _outcome.ravens] = _outcome.probability
_FIRST_COUNTS = np.array([outcome.counts for outcome in dice.outcomes(NUM_DICE)], np.int8)
_FIRST_PROBABILITIES = np.array([outcome.probability for outcome in dice.outcomes(NUM_DICE)])


class TurnSearch:
    """Exact values of actions and positions in a turn, from an evaluation of positions between turns."""

    def __init__(self, evaluate: Evaluation) -> None:
        self.evaluate = evaluate

    def action_values(self, states: States) -> NDArray[np.float64]:
        """For each game the value of every action for whoever is asked; NaN where illegal."""
        return self._search(states)[0]

    def values(self, states: States) -> NDArray[np.float64]:
        """For each game what it is worth to every seat, whatever it waits for; a row of five, NaN for empty seats."""
        return self._search(states)[1]

    def _search(self, states: States) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        num = len(states)
        starts = np.zeros((num, NUM_NODES + 1), np.int64)
        total = _count_ends(states, starts)
        ends = rules.new_states(total)
        _expand(states, starts, ends)
        values = np.zeros((total, MAX_PLAYERS))
        if total:
            evaluated = self.evaluate(ends)
            values[:, : evaluated.shape[1]] = evaluated
        of_actions = np.full((num, NUM_ACTIONS), np.nan)
        of_states = np.full((num, MAX_PLAYERS), np.nan)
        _back_up(states, starts, values, of_actions, of_states)
        return of_actions, of_states


# ------------------------------------------------------------------------------------------------ expand
# The engine's steps are made to be inlined; here one compiled copy of each is enough, and compiles far sooner.


@compiled
def _do(s: Any, action: int) -> None:
    _apply(s, action)


@compiled
def _bits(s: Any) -> int:
    return _legal_bits(s)


@compiled
def _keep(s: Any) -> None:
    _keep_throw(s)


@compiled
def _node(value: int, end: int, reduced: int, group: int) -> int:
    return ((value * NUM_ENDS + end) * 2 + reduced) * NUM_GROUPS + group


@compiled
def _group_of(s: Any) -> int:
    """The opponents whose frustrations lie on the board, as bits."""
    group = 0
    for k in range(s.num_frustraters):
        distance = s.frustraters[k] - s.active
        if distance < 0:
            distance += s.num_players
        group |= 1 << (distance - 1)
    return group


@compiled
def _possible(s: Any, reduced: int, group: int) -> bool:
    """Whether the turn can come to this: who spends a frustration must have one, and nothing is undone."""
    if reduced < s.reduced or (reduced > s.reduced and s.frustrations[s.active] == 0):
        return False
    now = _group_of(s)
    if group & now != now or (now != 0 and s.phase != Phase.JOIN and group != now):
        return False
    for k in range(s.num_players - 1):
        if (group & ~now) >> k & 1:
            seat = (s.active + 1 + k) % s.num_players
            if s.frustrations[seat] == 0:
                return False
    return group < 1 << (s.num_players - 1)


@compiled
def _end_board(states: States, i: int, value: int, end: int, reduced: int, group: int, work: States) -> None:
    """work[0]: game i with the board of that end, the throw kept: it waits for a take, or its turn is over."""
    work[0] = states[i]
    w = work[0]
    if w.phase == Phase.TAKE or w.phase == Phase.DISCARD:
        return
    w.frustrations[w.active] -= reduced - w.reduced
    w.reduced = reduced
    now = _group_of(w)
    for k in range(w.num_players - 1):
        if (group & ~now) >> k & 1:
            seat = (w.active + 1 + k) % w.num_players
            w.frustrations[seat] -= 1
            w.frustraters[w.num_frustraters] = seat
            w.num_frustraters += 1
    w.target = value + FIRST_VALUE
    w.targets = ENDS[end][0]
    w.ravens = ENDS[end][1]
    _keep(w)


@compiled
def _finish(work: States, ends: States, at: int) -> int:
    """Write every position in which work[0] can end its turn to ends[at...]; returns how many there are.

    Without room (an empty `ends`) it only counts them.
    """
    write = len(ends) > 0
    count = 0
    if work[0].phase != Phase.TAKE and work[0].phase != Phase.DISCARD:
        if write:
            ends[at] = work[0]
        return 1
    for first in range(NUM_ACTIONS):
        if not _bits(work[0]) >> first & 1:
            continue
        work[1] = work[0]
        _do(work[1], first)
        if work[1].phase != Phase.DISCARD:
            if write:
                ends[at + count] = work[1]
            count += 1
            continue
        for second in range(NUM_ACTIONS):
            if _bits(work[1]) >> second & 1:
                if write:
                    work[2] = work[1]
                    _do(work[2], second)
                    ends[at + count] = work[2]
                count += 1
    return count


@compiled
def _enumerate(states: States, starts: NDArray[np.int64], ends: States) -> int:
    """Go through all ends of all turns; starts[i, node]..starts[i, node + 1] are those of one node."""
    work = np.empty(3, states.dtype)
    at = 0
    for i in range(len(states)):
        s = states[i]
        starts[i, 0] = at
        direct = s.phase == Phase.TAKE or s.phase == Phase.DISCARD
        for node in range(NUM_NODES):
            group = node % NUM_GROUPS
            reduced = node // NUM_GROUPS % 2
            end = node // (NUM_GROUPS * 2) % NUM_ENDS
            value = node // (NUM_GROUPS * 2 * NUM_ENDS)
            if direct:
                wanted = node == 0
            else:
                wanted = s.phase != Phase.OVER and _possible(s, reduced, group)
                if end >= END_RAVENS:
                    wanted = wanted and value == 0  # without four targets the target does not matter
                elif s.target != NO_TARGET:
                    wanted = wanted and value == s.target - FIRST_VALUE
            if wanted:
                _end_board(states, i, value, end, reduced, group, work)
                at += _finish(work, ends, at)
            starts[i, node + 1] = at
    return at


@compiled
def _count_ends(states: States, starts: NDArray[np.int64]) -> int:
    return _enumerate(states, starts, states[:0])


@compiled
def _expand(states: States, starts: NDArray[np.int64], ends: States) -> None:
    _enumerate(states, starts, ends)


# ------------------------------------------------------------------------------------------------ back up


@compiled
def _best_end(starts: NDArray[np.int64], i: int, node: int, values: NDArray[np.float64], seat: int) -> int:
    """The row that the active player chooses among the ends of a node; the first of equal ones."""
    best = starts[i, node]
    for row in range(best + 1, starts[i, node + 1]):
        if values[row, seat] > values[best, seat]:
            best = row
    return best


@compiled
def _end_of(targets: int, ravens: int) -> int:
    """Which end a board is, or -1 if the turn goes on (R9)."""
    if targets >= TARGETS_NEEDED:
        if ravens >= RAVENS_LIMIT:
            return END_BOTH
        return END_GREEDY if targets > TARGETS_NEEDED else END_TARGETS
    if ravens >= RAVENS_LIMIT:
        return END_MANY_RAVENS if ravens > RAVENS_LIMIT else END_RAVENS
    return -1


@compiled
def _end_node(value: int, end: int, reduced: int, group: int) -> int:
    return _node(0 if end >= END_RAVENS else value, end, reduced, group)


@compiled
def _joined(s: Any, throws: NDArray[np.float64], board: int, reduced: int, group: int, first: int, starter: int) -> int:
    """The group that comes out when `group` has frustrated and the seats from `first` to `starter` may join.

    `throws[board, reduced, group]` is what repeating the throw is worth with that group.
    """
    n = s.num_players
    now = _group_of(s)
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
def _board(targets: int, ravens: int) -> int:
    """Boards before a later throw, 1..3 targets and 0..2 ravens, numbered."""
    return (targets - 1) * RAVENS_LIMIT + ravens


NUM_BOARDS = (TARGETS_NEEDED - 1) * RAVENS_LIMIT


@compiled
def _throw_values(
    s: Any,
    i: int,
    value: int,
    starts: NDArray[np.int64],
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
            if not _possible(s, reduced, group):
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
                        end = _end_of(t, r)
                        if end >= 0:
                            row = _best_end(starts, i, _end_node(value, end, reduced, group), values, active)
                            for k in range(n):
                                kept[k] = values[row, k]
                        else:
                            for k in range(n):
                                kept[k] = throws[_board(t, r), reduced, group, k]
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
                                and _possible(s, 1, group)
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
def _back_up(
    states: States,
    starts: NDArray[np.int64],
    values: NDArray[np.float64],
    of_actions: NDArray[np.float64],
    of_states: NDArray[np.float64],
) -> None:
    throws = np.zeros((NUM_BOARDS, 2, NUM_GROUPS, MAX_PLAYERS))
    after_reduction = np.zeros((NUM_BOARDS, NUM_GROUPS, MAX_PLAYERS))
    by_target = np.zeros((NUM_VALUES, NUM_BOARDS, MAX_PLAYERS))
    kept = np.zeros(MAX_PLAYERS)
    result = np.zeros((NUM_ACTIONS, MAX_PLAYERS))
    for i in range(len(states)):
        s = states[i]
        n, active, phase = s.num_players, s.active, s.phase
        if phase == Phase.OVER:
            rules._write_win_rewards(s, of_states, i)
            continue
        if phase == Phase.TAKE or phase == Phase.DISCARD:
            _back_up_ends(s, i, starts, values, of_actions, of_states)
            continue
        if s.target == NO_TARGET and (phase == Phase.THROW or phase == Phase.TARGET):
            for value in range(NUM_VALUES):
                _throw_values(s, i, value, starts, values, throws, after_reduction)
                by_target[value] = throws[:, 0, 0]
            if phase == Phase.THROW:
                _first_throw(s, i, starts, values, by_target, of_states)
                continue
            for value in range(NUM_VALUES):
                shown = _shown(s, value + FIRST_VALUE)
                if shown > 0:
                    _target_value(s, i, value, shown, s.ravens, starts, values, by_target, result[value])
            _choose(s, i, result, of_actions, of_states)
            continue
        group, reduced = _group_of(s), s.reduced
        value = 0 if s.target == NO_TARGET else s.target - FIRST_VALUE  # no target: three ravens at once
        if s.target != NO_TARGET:
            _throw_values(s, i, value, starts, values, throws, after_reduction)
        if phase == Phase.THROW:
            board = _board(s.targets, s.ravens)
            for k in range(n):
                if s.after_reduction == 1:
                    of_states[i, k] = after_reduction[board, group, k]
                else:
                    of_states[i, k] = throws[board, reduced, group, k]
            continue
        # Somebody is asked about the last throw; `board` is the one before it.
        end = _end_of(s.targets, s.ravens)
        for k in range(n):
            if end >= 0:
                kept[k] = values[_best_end(starts, i, _end_node(value, end, reduced, group), values, active), k]
            else:
                kept[k] = throws[_board(s.targets, s.ravens), reduced, group, k]
        board = _board(s.targets - _shown(s, s.target), s.ravens - _shown(s, 0)) if s.num_thrown < NUM_DICE else 0
        _answer_values(s, board, throws, after_reduction, kept, result)
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
    n, reduced, group = s.num_players, s.reduced, _group_of(s)
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
    bits = _bits(s)
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
    starts: NDArray[np.int64],
    values: NDArray[np.float64],
    of_actions: NDArray[np.float64],
    of_states: NDArray[np.float64],
) -> None:
    """Take and discard: the ends stand in the order of the actions that lead to them."""
    row = starts[i, 0]
    discards = 0
    for value in range(NUM_VALUES):
        discards += s.middle[value] > 0
    bits = _bits(s)
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
    i: int,
    value: int,
    targets: int,
    ravens: int,
    starts: NDArray[np.int64],
    values: NDArray[np.float64],
    by_target: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """What it is worth to choose a target after the first throw, which nobody can answer (R18)."""
    end = _end_of(targets, ravens)
    for k in range(s.num_players):
        if end >= 0:
            out[k] = values[_best_end(starts, i, _end_node(value, end, 0, 0), values, s.active), k]
        else:
            out[k] = by_target[value, _board(targets, ravens), k]


@compiled
def _first_throw(
    s: Any,
    i: int,
    starts: NDArray[np.int64],
    values: NDArray[np.float64],
    by_target: NDArray[np.float64],
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
            row = _best_end(starts, i, _end_node(value, end, 0, 0), values, active)
            for k in range(n):
                best[k] = values[row, k]
        else:
            for v in range(NUM_VALUES):
                if _FIRST_COUNTS[throw, v + 1] > 0:
                    _target_value(s, i, v, _FIRST_COUNTS[throw, v + 1], ravens, starts, values, by_target, out)
                    if not chosen or out[active] > best[active]:
                        chosen = True
                        best[:] = out
        for k in range(n):
            of_states[i, k] += _FIRST_PROBABILITIES[throw] * best[k]
