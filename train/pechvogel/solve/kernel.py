"""What a turn of the two-player game is worth, for all counts of frustrations side by side.

A *row* is one number for every pair of counts (mine, the opponent's), 0 up to the cap each: all of them have the same
dice, the same boards and the same choices, so one pass over a turn works on whole rows, which the compiler turns into
vector instructions. Everything is seen by the player at turn, zero-sum.

The shape of a turn (which boards follow which, with which probability; what an end does to frustrations and Murphy)
is read off the engine when this module's tables are made: there is no second reading of the rules. What is written
here is the order of decisions, which the tests compare with `agents.pechvogel.turn` and thereby with the engine.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pechvogel.agents.pechvogel.solution import BEND, NUM_MURPHY, Codes
from pechvogel.agents.pechvogel.turn import ends as turn_ends
from pechvogel.agents.pechvogel.turn.ends import END_BOTH, END_GREEDY, END_MANY_RAVENS, ENDS, NUM_BOARDS, NUM_ENDS
from pechvogel.tabletop.arrays import Floats32, Ints, Truths
from pechvogel.tabletop.compile import compiled, inlined
from pechvogel_env import dice, rules
from pechvogel_env.rules import FIRST_VALUE, NOBODY, NUM_DICE, NUM_VALUES, RAVENS_LIMIT, TARGETS_NEEDED

NUM_FLAGS = 4  # 2 * (the player at turn has reduced) + (the opponent has frustrated)
THEIRS, MINE, BOTH = 1, 2, 3
NUM_TAKING_ENDS = 3  # the ends with four targets come first in ENDS
WORST = np.float32(4.0)  # beyond every value: what can't be chosen is worth minus this to whoever would choose it
STRIDE = 2  # sweeps between two leaps
LONGEST_LEAP = np.float32(20.0)  # of the last step
MAX_SWEEPS = 200
VECTOR = 16  # rows are padded to a multiple of this
Row = Floats32


class Turn(NamedTuple):
    """The shape of a turn, as arrays for the kernel."""

    cap: int
    lanes: int  # length of a row, padding included
    to_board: Floats32  # [board, next board]: probability, given that the throw is not empty
    to_end: Floats32  # [board, end]
    absorbed: Floats32  # [board, end]: where a turn that nobody interrupts ends
    after: NDArray[np.int32]  # [end, flags, murphy, lane]: where to look in an `extended` array
    first: Floats32  # [ravens, count of 3s, of 4s, of 5s, of 6s]: probability of a first throw
    ravens_at_once: Floats32  # [end]: of a first throw with three ravens or more; BOTH: for each value


def make_turn(cap: int) -> Turn:
    """Read the shape of a turn off the engine, for frustrations up to a cap."""
    to_board = np.zeros((NUM_BOARDS, NUM_BOARDS))
    to_end = np.zeros((NUM_BOARDS, NUM_ENDS))
    for board in range(NUM_BOARDS):
        targets, ravens = board // RAVENS_LIMIT + 1, board % RAVENS_LIMIT
        for outcome in dice.reduced_outcomes(NUM_DICE - targets - ravens):
            if outcome.targets + outcome.ravens:
                t, r = targets + outcome.targets, ravens + outcome.ravens
                end = turn_ends.end_of(t, r)
                if end >= 0:
                    to_end[board, end] += outcome.probability
                else:
                    to_board[board, turn_ends.board_of(t, r)] += outcome.probability
        total = to_board[board].sum() + to_end[board].sum()  # empty throws are thrown again
        to_board[board] /= total
        to_end[board] /= total
    absorbed = np.linalg.solve(np.eye(NUM_BOARDS) - to_board, to_end)

    first = np.zeros((RAVENS_LIMIT,) + (NUM_DICE + 1,) * (NUM_VALUES - 1))
    at_once = np.zeros(NUM_ENDS)
    for throw in dice.outcomes(NUM_DICE):
        ravens, *counts = throw.counts
        if ravens < RAVENS_LIMIT:
            first[(ravens, *counts[:-1])] += throw.probability
        else:
            end = turn_ends.end_of(max(counts) if ravens == RAVENS_LIMIT else 0, ravens)
            at_once[end] += throw.probability
    at_once[ENDS.index((4, 3))] /= NUM_VALUES
    single = np.float32
    lanes = -(-((cap + 1) ** 2) // VECTOR) * VECTOR
    return Turn(
        cap,
        lanes,
        to_board.astype(single),
        to_end.astype(single),
        absorbed.astype(single),
        _after_turn(cap, lanes),
        first.astype(single),
        at_once.astype(single),
    )


# An `extended` row has a place for one frustration more than the cap on either side, and two for what can't be chosen.
@compiled
def extended_size(cap: int) -> int:
    """Length of an array that holds what every end of a turn can lead to: [murphy, mine, theirs], then two."""
    return NUM_MURPHY * (cap + 2) ** 2 + 2


def _after_turn(cap: int, lanes: int) -> NDArray[np.int32]:
    """Let the engine end a turn in every way, and note where frustrations and Murphy are then."""
    side = cap + 2
    after = np.zeros((NUM_ENDS, NUM_FLAGS, NUM_MURPHY, lanes), np.int32)
    states = rules.new_states(1)
    seats = (NOBODY, 0, 1)
    for end, (targets, ravens) in enumerate(ENDS):
        for flags in range(NUM_FLAGS):
            reduced, frustrated = flags >> 1, flags & 1
            for murphy in range(NUM_MURPHY):
                for lane in range((cap + 1) ** 2):
                    mine, theirs = divmod(lane, cap + 1)
                    place = NUM_MURPHY * side * side
                    if mine < reduced:
                        place += 0  # I can't
                    elif theirs < frustrated:
                        place += 1  # they can't
                    else:
                        rules.new_game(states, 0, 2, 1, False, 0)
                        s = states[0]
                        s["target"], s["targets"], s["ravens"] = FIRST_VALUE, targets, ravens
                        s["middle"][0] = 0  # no marker of this value to take: the turn ends at once
                        s["murphy"], s["reduced"] = seats[murphy], reduced
                        s["frustrations"][0], s["frustrations"][1] = mine - reduced, theirs - frustrated
                        if frustrated:
                            s["frustraters"][0], s["num_frustraters"] = 1, 1
                        _keep(states)
                        who = seats.index(s["murphy"])
                        place = (who * side + s["frustrations"][0]) * side + s["frustrations"][1]
                    after[end, flags, murphy, lane] = place
    return after


@compiled
def _keep(states: rules.States) -> None:
    rules.keep_throw(states[0])


# ------------------------------------------------------------------------------------------------ rows


@inlined
def _write(out: Row, p: np.float32, x: Row) -> None:
    for k in range(len(out)):
        out[k] = p * x[k]


@inlined
def _add(out: Row, p: np.float32, x: Row) -> None:
    for k in range(len(out)):
        out[k] += p * x[k]


@inlined
def _add_kept(mine: Row, theirs: Row, p: np.float32, x: Row, y: Row, repeat: Row) -> None:
    """One of us can still repeat: `mine` grows by what the opponent makes of a throw, `theirs` by what I make of it."""
    for k in range(len(mine)):
        a, b, c = x[k], y[k], repeat[k]
        mine[k] += p * (a if a < c else c)
        theirs[k] += p * (b if b > c else c)


@inlined
def _add_answered(out: Row, p: np.float32, x: Row, frustrated: Row, reduced: Row) -> None:
    """I reduce or keep the throw; what I keep, the opponent frustrates or not (Q1)."""
    for k in range(len(out)):
        a, b, c = x[k], frustrated[k], reduced[k]
        a = a if a < b else b
        out[k] += p * (a if a > c else c)


@inlined
def _greatest(out: Row, x: Row, y: Row) -> None:
    for k in range(len(out)):
        a, b = x[k], y[k]
        out[k] = a if a > b else b


@inlined
def _add_greatest(out: Row, p: np.float32, x: Row, y: Row, z: Row) -> None:
    for k in range(len(out)):
        a, b, c = x[k], y[k], z[k]
        a = a if a > b else b
        out[k] += p * (a if a > c else c)


# ------------------------------------------------------------------------------------------------ a turn


@compiled
def later_throws(
    to_board: Floats32, to_end: Floats32, absorbed: Floats32, ends: Floats32, throws: Floats32, work: Floats32
) -> None:
    """throws[flags, board]: what it is worth that this board is about to be thrown on; `ends[end, flags]` is given."""
    repeat, mine, theirs, none = work[0], work[1], work[2], work[3]
    for board in range(NUM_BOARDS - 1, -1, -1):
        for k in range(len(repeat)):
            repeat[k] = 0
            mine[k] = 0
            theirs[k] = 0
            none[k] = 0
        for end in range(NUM_ENDS):
            _add(repeat, absorbed[board, end], ends[end, BOTH])
        for step in range(board + 1, NUM_BOARDS):
            p = to_board[board, step]
            if p > 0:
                _add_kept(mine, theirs, p, throws[MINE, step], throws[THEIRS, step], repeat)
        for end in range(NUM_ENDS):
            p = to_end[board, end]
            if end in (END_GREEDY, END_MANY_RAVENS):  # can't be answered (R18)
                _add(mine, p, ends[end, MINE])
                _add(theirs, p, ends[end, THEIRS])
            else:
                _add_kept(mine, theirs, p, ends[end, MINE], ends[end, THEIRS], repeat)
        for step in range(board + 1, NUM_BOARDS):
            p = to_board[board, step]
            if p > 0:
                _add_answered(none, p, throws[0, step], theirs, mine)
        for end in range(NUM_ENDS):
            p = to_end[board, end]
            if end in (END_GREEDY, END_MANY_RAVENS):
                _add(none, p, ends[end, 0])
            else:
                _add_answered(none, p, ends[end, 0], theirs, mine)
        for k in range(len(none)):
            throws[0, board, k] = none[k]
            throws[THEIRS, board, k] = theirs[k]
            throws[MINE, board, k] = mine[k]


@compiled
def first_throw(first: Floats32, choices: Floats32, work: Floats32, out: Row) -> None:
    """Add to `out` the best target after every first throw with fewer than three ravens.

    choices[ravens, value, count]: what it is worth to choose a value that was thrown so often; count 0 can't be chosen.
    """
    two, three = work[0], work[1]
    for ravens in range(RAVENS_LIMIT):
        n = NUM_DICE - ravens
        for a in range(n + 1):
            for b in range(n - a + 1):
                _greatest(two, choices[ravens, 0, a], choices[ravens, 1, b])
                for c in range(n - a - b + 1):
                    _greatest(three, two, choices[ravens, 2, c])
                    rest = n - a - b - c
                    for d in range(rest + 1):
                        p = first[ravens, a, b, c, d]
                        _add_greatest(out, p, three, choices[ravens, 3, d], choices[ravens, 4, rest - d])


@inlined
def _look_up(after: NDArray[np.int32], extended: Floats32, out: Row) -> None:
    for k in range(len(out)):
        out[k] = extended[after[k]]


@compiled
def extend(cap: int, values: Floats32, extended: Floats32) -> None:
    """What a turn that leads to a position is worth to the player whose turn it was.

    `values[murphy, lane]` is that position seen by the other player, who is at turn then. One frustration beyond the
    cap is what `agents.pechvogel.solution` says.
    """
    side = cap + 2
    for murphy in range(NUM_MURPHY):
        seen = 0 if murphy == 0 else 3 - murphy
        base = murphy * side * side
        for mine in range(cap + 1):
            for theirs in range(cap + 1):
                extended[base + mine * side + theirs] = -values[seen, theirs * (cap + 1) + mine]
        for k in range(cap + 1):
            row = base + k * side + cap
            extended[row + 1] = _beyond(extended[row], extended[row - 1])
            column = base + cap * side + k
            extended[column + side] = _beyond(extended[column], extended[column - side])
        extended[base + side * side - 1] = 0  # both beyond the cap: no turn leads there
    extended[NUM_MURPHY * side * side] = -WORST
    extended[NUM_MURPHY * side * side + 1] = WORST


@inlined
def _beyond(last: np.float32, before: np.float32) -> np.float32:
    value = last + np.float32(BEND) * (last - before)
    value = value if value < np.float32(1.0) else np.float32(1.0)
    return value if value > np.float32(-1.0) else np.float32(-1.0)


# ------------------------------------------------------------------------------------------------ arrangements


@compiled
def solve_pairs(
    turn: Turn,
    codes: Codes,
    values: Floats32,
    state: rules.States,
    pairs: Ints,
    tolerance: float,
    sweeps: Ints,
    changes: Floats32,
) -> None:
    """Solve arrangements, each together with the one in which the players have changed places.

    A turn that wins no marker leads from one to the other, so the two are swept in turns until nothing changes by more
    than the tolerance; a turn that wins one leads to arrangements that are solved already. Reads and writes `values`,
    notes the sweeps and the last change of every pair; `state` is room for one game.
    """
    size = extended_size(turn.cap)
    gains = np.empty((2, NUM_VALUES, size), np.float32)
    at_hand = np.empty((2, NUM_VALUES), np.bool_)
    nothing = np.empty(size, np.float32)
    ends = np.empty((NUM_VALUES, NUM_ENDS, NUM_FLAGS, turn.lanes), np.float32)
    throws = np.empty((NUM_FLAGS, NUM_BOARDS, turn.lanes), np.float32)
    choices = np.empty((RAVENS_LIMIT, NUM_VALUES, NUM_DICE + 1, turn.lanes), np.float32)
    choices[:, :, 0] = -WORST
    work = np.empty((4, turn.lanes), np.float32)
    out = np.empty(turn.lanes, np.float32)
    one = np.empty(size, np.float32)
    steps = np.empty((2, NUM_MURPHY, values.shape[2]), np.float32)
    digits = np.empty(NUM_VALUES, np.int64)
    sides = np.empty(2, np.int64)
    for number in range(len(pairs)):
        sides[0] = pairs[number]
        sides[1] = swapped_code(codes, sides[0], digits)
        num_sides = 1 if sides[0] == sides[1] else 2
        for side in range(num_sides):
            write_digits(codes, sides[side], digits)
            for value in range(NUM_VALUES):
                at_hand[side, value] = _gain(turn.cap, codes, values, digits, value, state, one, gains[side, value])
            _guess(codes, values, digits, values[sides[side]])
        # Where changing places changes nothing, the turn leads back to itself with the sign reversed, and sweeps would
        # swing to and fro: half a step goes to the middle.
        share = np.float32(0.5 if num_sides == 1 else 1.0)
        steps[:] = 0
        change = np.float32(2.0)
        while change > tolerance and sweeps[number] < MAX_SWEEPS:
            change = along = length = np.float32(0.0)
            for side in range(num_sides):
                extend(turn.cap, values[sides[num_sides - 1 - side]], nothing)
                for murphy in range(NUM_MURPHY):
                    _turn(turn, murphy, at_hand[side], gains[side], nothing, ends, throws, choices, work, out)
                    row = values[sides[side], murphy]
                    for k in range(len(row)):
                        step = out[k] - row[k]
                        change = max(change, abs(step))
                        step *= share
                        along += step * steps[side, murphy, k]
                        length += steps[side, murphy, k] ** 2
                        steps[side, murphy, k] = step
                        row[k] += step
            sweeps[number] += 1
            if sweeps[number] % STRIDE == 0 and change > tolerance and 0 < along < length:
                # Steps shrink by about the same factor from sweep to sweep: add up what is still to come.
                factor = along / length
                more = min(factor / (1 - factor), LONGEST_LEAP)
                for side in range(num_sides):
                    for murphy in range(NUM_MURPHY):
                        for k in range(steps.shape[2]):
                            value = values[sides[side], murphy, k] + more * steps[side, murphy, k]
                            values[sides[side], murphy, k] = min(max(value, np.float32(-1.0)), np.float32(1.0))
        changes[number] = change


@compiled
def _turn(
    turn: Turn,
    murphy: int,
    at_hand: Truths,
    gains: Floats32,
    nothing: Floats32,
    ends: Floats32,
    throws: Floats32,
    choices: Floats32,
    work: Floats32,
    out: Row,
) -> None:
    """What a turn is worth before its first throw, given what its ends lead to."""
    for end in range(NUM_TAKING_ENDS, NUM_ENDS):
        for flags in range(NUM_FLAGS):
            _look_up(turn.after[end, flags, murphy], nothing, ends[0, end, flags])
    _write(out, turn.ravens_at_once[turn_ends.END_RAVENS], ends[0, turn_ends.END_RAVENS, 0])
    _add(out, turn.ravens_at_once[END_MANY_RAVENS], ends[0, END_MANY_RAVENS, 0])
    for value in range(NUM_VALUES):
        leads_to = gains[value] if at_hand[value] else nothing
        of_value = ends[value]
        for end in range(NUM_TAKING_ENDS):
            for flags in range(NUM_FLAGS):
                _look_up(turn.after[end, flags, murphy], leads_to, of_value[end, flags])
        if value > 0:
            of_value[NUM_TAKING_ENDS:] = ends[0, NUM_TAKING_ENDS:]
        _add(out, turn.ravens_at_once[END_BOTH], of_value[END_BOTH, 0])
        later_throws(turn.to_board, turn.to_end, turn.absorbed, of_value, throws, work)
        for ravens in range(RAVENS_LIMIT):
            for targets in range(1, NUM_DICE - ravens + 1):
                choice = choices[ravens, value, targets]
                if targets < TARGETS_NEEDED:
                    choice[:] = throws[0, turn_ends.board_of(targets, ravens)]
                elif targets == TARGETS_NEEDED:
                    choice[:] = of_value[turn_ends.END_TARGETS, 0]
                else:
                    choice[:] = of_value[END_GREEDY, 0]
    first_throw(turn.first, choices, work, out)


@compiled
def _gain(
    cap: int,
    codes: Codes,
    values: Floats32,
    digits: Ints,
    value: int,
    state: rules.States,
    one: Floats32,
    best: Floats32,
) -> bool:
    """best: the best way to get a marker of a value (R10), whatever frustrations and Murphy are then; False: none."""
    found = False
    mine = digits[value]
    if codes.take[mine] >= 0:
        digits[value] = codes.take[mine]
        lead_to(cap, codes, values, digits, state, best)
        found = True
    if codes.steal[mine] >= 0:
        digits[value] = codes.steal[mine]
        for other in range(NUM_VALUES):
            kept = digits[other]
            if codes.discard[kept] >= 0:
                digits[other] = codes.discard[kept]
                if found:
                    lead_to(cap, codes, values, digits, state, one)
                    for k in range(len(one)):
                        best[k] = max(best[k], one[k])
                else:
                    lead_to(cap, codes, values, digits, state, best)
                    found = True
                digits[other] = kept
    digits[value] = mine
    return found


@compiled
def lead_to(cap: int, codes: Codes, values: Floats32, digits: Ints, state: rules.States, out: Floats32) -> None:
    """What a turn that leads to an arrangement is worth to the player whose turn it was."""
    code = 0
    left = 0
    for value in range(NUM_VALUES - 1, -1, -1):
        code = code * len(codes.swap) + codes.swap[digits[value]]
        left += codes.middle[digits[value]]
    if left > 0:
        extend(cap, values[code], out)
        return
    s = state[0]  # R20: the game is over; the engine says who has won
    s.num_players = 2
    for value in range(NUM_VALUES):
        s.markers[0, value] = codes.mine[digits[value]]
        s.markers[1, value] = codes.theirs[digits[value]]
    rewards = np.empty((1, 2), np.float32)
    for murphy in range(NUM_MURPHY):
        s.murphy = murphy - 1  # NOBODY, 0, 1
        for mine in range(cap + 2):
            for theirs in range(cap + 2):
                s.frustrations[0] = mine
                s.frustrations[1] = theirs
                rules.put_win_rewards(s, rewards, 0)
                out[(murphy * (cap + 2) + mine) * (cap + 2) + theirs] = rewards[0, 0]
    out[len(out) - 2] = -WORST
    out[len(out) - 1] = WORST


@compiled
def _guess(codes: Codes, values: Floats32, digits: Ints, out: Floats32) -> None:
    """Where the sweeps start: the mean of the same arrangement with one marker less in the middle."""
    out[:] = 0
    count = 0
    for value in range(NUM_VALUES):
        kept = digits[value]
        if codes.discard[kept] >= 0:
            digits[value] = codes.discard[kept]
            out += values[_number(codes, digits)]  # the game would be over: 0
            digits[value] = kept
            count += 1
    out /= np.float32(count)


@inlined
def write_digits(codes: Codes, code: int, digits: Ints) -> None:
    """An arrangement's code by value: who has how many of its markers."""
    for value in range(NUM_VALUES):
        digits[value] = code % len(codes.swap)
        code //= len(codes.swap)


@inlined
def swapped_code(codes: Codes, code: int, digits: Ints) -> int:
    """The arrangement in which the players have changed places."""
    write_digits(codes, code, digits)
    for value in range(NUM_VALUES):
        digits[value] = codes.swap[digits[value]]
    return _number(codes, digits)


@inlined
def _number(codes: Codes, digits: Ints) -> int:
    number = 0
    for value in range(NUM_VALUES - 1, -1, -1):
        number = number * len(codes.swap) + digits[value]
    return number
