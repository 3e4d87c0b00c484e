"""How a turn can end: all positions to which the rest of a turn leads, by the engine's own rules (see `turn`)."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pechvogel.tabletop.arrays import Ints
from pechvogel.tabletop.compile import compiled
from pechvogel_env import rules
from pechvogel_env.rules import FIRST_VALUE, NUM_ACTIONS, NUM_VALUES, RAVENS_LIMIT, TARGETS_NEEDED, Phase, States, act

# How a board can end a turn: (targets, ravens) that stand for all boards with the same consequences (R10-R12).
ENDS = ((4, 0), (5, 0), (4, 3), (1, 3), (1, 4))
END_TARGETS, END_GREEDY, END_BOTH, END_RAVENS, END_MANY_RAVENS = range(5)
NUM_ENDS = len(ENDS)
NUM_GROUPS = 2 ** (rules.MAX_PLAYERS - 1)  # sets of opponents who have frustrated; bit k: the (k+1)-th seat clockwise
NUM_BOARDS = (TARGETS_NEEDED - 1) * RAVENS_LIMIT

# The ends of a turn are kept side by side, those of one *node* together: a target's value, an end, whether the active
# player has reduced, and who has frustrated. `starts[turn, node]` to `starts[turn, node + 1]` are their rows.
Starts: TypeAlias = NDArray[np.int32]


# The engine's steps are made to be inlined; here one compiled copy of each is enough, and compiles far sooner.


@compiled
def board_of(targets: int, ravens: int) -> int:
    """Boards before a later throw, 1..3 targets and 0..2 ravens, numbered."""
    return (targets - 1) * RAVENS_LIMIT + ravens


@compiled
def end_of(targets: int, ravens: int) -> int:
    """Which end a board is, or -1 if the turn goes on (R9)."""
    if targets >= TARGETS_NEEDED:
        if ravens >= RAVENS_LIMIT:
            return END_BOTH
        return END_GREEDY if targets > TARGETS_NEEDED else END_TARGETS
    if ravens >= RAVENS_LIMIT:
        return END_MANY_RAVENS if ravens > RAVENS_LIMIT else END_RAVENS
    return -1


@compiled
def apply(s: Any, action: int) -> None:
    """Carry out an action."""
    act(s, action)


@compiled
def bits_of(s: Any) -> int:
    """The legal actions of whoever is asked."""
    return rules.legal_of(s)


@compiled
def _keep(s: Any) -> None:
    rules.keep_throw(s)


def new_starts(states: States) -> Starts:
    """Room for the nodes of turns; they have as many as the largest table has groups of opponents."""
    most = int(states["num_players"].max()) if len(states) else 2
    return np.zeros((len(states), NUM_VALUES * NUM_ENDS * 2 * (1 << (most - 1)) + 1), np.int32)


@compiled
def _num_groups(starts: Starts) -> int:
    return starts.shape[1] // (NUM_VALUES * NUM_ENDS * 2)


@compiled
def end_node(starts: Starts, value: int, end: int, reduced: int, group: int) -> int:
    """The node of an end; without four targets the target does not matter."""
    if end >= END_RAVENS:
        value = 0
    return ((value * NUM_ENDS + end) * 2 + reduced) * _num_groups(starts) + group


@compiled
def group_of(s: Any) -> int:
    """The opponents whose frustrations lie on the board, as bits."""
    group = 0
    for k in range(s.num_frustraters):
        distance = s.frustraters[k] - s.active
        if distance < 0:
            distance += s.num_players
        group |= 1 << (distance - 1)
    return group


@compiled
def possible(s: Any, reduced: int, group: int) -> bool:
    """Whether the turn can come to this: who spends a frustration must have one, and nothing is undone."""
    if reduced < s.reduced or (reduced > s.reduced and s.frustrations[s.active] == 0):
        return False
    now = group_of(s)
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
    now = group_of(w)
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
        if not bits_of(work[0]) >> first & 1:
            continue
        work[1] = work[0]
        apply(work[1], first)
        if work[1].phase != Phase.DISCARD:
            if write:
                ends[at + count] = work[1]
            count += 1
            continue
        for second in range(NUM_ACTIONS):
            if bits_of(work[1]) >> second & 1:
                if write:
                    work[2] = work[1]
                    apply(work[2], second)
                    ends[at + count] = work[2]
                count += 1
    return count


@compiled
def _enumerate(states: States, starts: Starts, ends: States) -> int:
    """Go through all ends of all turns."""
    work = np.empty(3, states.dtype)
    num_groups = _num_groups(starts)
    at = 0
    for i in range(len(states)):
        s = states[i]
        starts[i, 0] = at
        direct = s.phase == Phase.TAKE or s.phase == Phase.DISCARD
        for node in range(starts.shape[1] - 1):
            group = node % num_groups
            reduced = node // num_groups % 2
            end = node // (num_groups * 2) % NUM_ENDS
            value = node // (num_groups * 2 * NUM_ENDS)
            if direct:
                wanted = node == 0
            else:
                wanted = s.phase != Phase.OVER and possible(s, reduced, group)
                if end >= END_RAVENS:
                    wanted = wanted and value == 0
                elif s.target != rules.NO_TARGET:
                    wanted = wanted and value == s.target - FIRST_VALUE
                elif s.phase == Phase.TARGET:
                    wanted = wanted and rules.count_face(s, value + FIRST_VALUE) > 0
            if wanted:
                _end_board(states, i, value, end, reduced, group, work)
                at += _finish(work, ends, at)
            starts[i, node + 1] = at
    return at


@compiled
def count_ends(states: States, starts: Starts) -> int:
    """Fill `starts`; returns how many ends there are."""
    return _enumerate(states, starts, states[:0])


@compiled
def expand(states: States, starts: Starts, ends: States) -> None:
    """Write all ends."""
    _enumerate(states, starts, ends)


# ------------------------------------------------------------------------------------------------ one turn, many states


@compiled
def group_turns(states: States, turns: States, first: Ints) -> int:
    """Find states of the same turn that stand one after the other; returns how many turns there are.

    turns[j] is what has to be expanded for states[first[j]:first[j + 1]]: the state itself where it stands alone, else
    the start of their turn.
    """
    num = 0
    together = False  # whether the last turn can be that of the next state, too
    work = np.empty(1, states.dtype)
    for i in range(len(states)):
        work[0] = states[i]
        inside = work[0].phase <= Phase.FRUSTRATE or work[0].phase == Phase.THROW
        if inside:
            _back_to_start(work[0])
        if inside and together and _same_turn(work[0], turns[num - 1]):
            continue
        together = inside
        turns[num] = work[0]
        first[num] = i
        num += 1
    first[num] = len(states)
    for j in range(num):
        if first[j + 1] - first[j] == 1:
            turns[j] = states[first[j]]
    return num


@compiled
def _back_to_start(s: Any) -> None:
    """Everybody has their frustrations back, and the board is empty."""
    s.frustrations[s.active] += s.reduced
    for k in range(s.num_frustraters):
        s.frustrations[s.frustraters[k]] += 1
    rules.start_turn(s, s.active)


def turn_starts(states: States) -> States:
    """The positions in which these turns began."""
    starts = states.copy()
    _all_back_to_start(starts)
    return starts


@compiled
def _all_back_to_start(states: States) -> None:
    for i in range(len(states)):
        _back_to_start(states[i])


@compiled
def _same_turn(a: Any, b: Any) -> bool:
    if a.num_players != b.num_players or a.copies != b.copies or a.italian_reading != b.italian_reading:
        return False
    if a.active != b.active or a.murphy != b.murphy or a.turn != b.turn:
        return False
    for value in range(NUM_VALUES):
        if a.middle[value] != b.middle[value]:
            return False
    for seat in range(a.num_players):
        if a.frustrations[seat] != b.frustrations[seat]:
            return False
        for value in range(NUM_VALUES):
            if a.markers[seat, value] != b.markers[seat, value]:
                return False
    return True
