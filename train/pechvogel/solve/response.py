"""The best response to an agent in the small game: exact, layer by layer, as the solution is.

The agent is asked at every position, so its policy is a table. What it is shown: throws sorted (ravens, then the
target, then the others), dice that neither are ravens nor show the target as the lowest other number, and never "this
throw repeats a reduced one", which matters in the Italian reading only.

The order of decisions in a turn stands here once more, as in `agents.pechvogel.turn.values` and in `kernel`, on
purpose: each is tested against the others.
"""

from __future__ import annotations

import os
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pechvogel.agents import registry
from pechvogel.agents.pechvogel import solution
from pechvogel.agents.pechvogel.solution import NUM_MURPHY, Codes, make_codes
from pechvogel.agents.pechvogel.turn import ends as turn_ends
from pechvogel.agents.pechvogel.turn.ends import END_BOTH, END_GREEDY, END_MANY_RAVENS, END_RAVENS, NUM_BOARDS, end_of
from pechvogel.tabletop.arrays import Floats, Floats32, Ints, Ints8
from pechvogel.tabletop.compile import compiled
from pechvogel.train.arena.workers import worker_pool
from pechvogel.train.pechvogel.solve import kernel
from pechvogel.train.pechvogel.solve.kernel import MINE, NUM_FLAGS, NUM_TAKING_ENDS, THEIRS, Turn, extend, lead_to
from pechvogel.train.pechvogel.solve.layers import refuse_cap
from pechvogel.train.progress import bar
from pechvogel_env import dice, rules
from pechvogel_env.kind import KIND
from pechvogel_env.position import position_of
from pechvogel_env.rules import NUM_ACTIONS, NUM_DICE, NUM_VALUES, RAVENS_LIMIT, TARGETS_NEEDED, Action, Phase, States

TOLERANCE = 2e-6
MAX_SWEEPS = 2000
PAIRS_AT_ONCE = 4
AGENT, RESPONDER = 0, 1  # who is at turn
COPIES = 1  # larger games have too many positions to ask at

# Throws after which there is something to decide: first throws with fewer than three ravens, and later throws by board.
FIRST = np.array([o.counts for o in dice.outcomes(NUM_DICE) if o.counts[0] < RAVENS_LIMIT], np.int8)
FIRST_CHANCE = np.array([o.probability for o in dice.outcomes(NUM_DICE) if o.counts[0] < RAVENS_LIMIT])
_later = [
    (
        turn_ends.board_of(t, r),
        o.targets,
        o.ravens,
        o.probability / (1 - (2 / 3) ** (NUM_DICE - t - r)),
    )  # empty ones: once more
    for t in range(1, TARGETS_NEEDED)
    for r in range(RAVENS_LIMIT)
    for o in dice.reduced_outcomes(NUM_DICE - t - r)
    if o.targets + o.ravens
]
LATER = np.array([words[:3] for words in _later], np.int64)  # board before, targets and ravens thrown
LATER_CHANCE = np.array([words[3] for words in _later])
LATER_START = np.searchsorted(LATER[:, 0], np.arange(NUM_BOARDS + 1))  # they stand in the order of boards


def best_response(spec: str, cap: int, workers: int | None = None) -> dict[str, Any]:
    """The best response's values in both seats, and their mean: the exploitability."""
    refuse_cap(cap)
    agent = registry.make(spec)
    registry.prepare(agent, KIND.variant(2, copies=COPIES))
    registry.check(agent, 2, copies=COPIES, games=1)  # what is wrong with it is an error before the work
    codes = make_codes(COPIES)
    left, swapped = solution.arrangements(codes)
    numbers = np.arange(len(left))
    values = np.zeros((2, len(numbers), NUM_MURPHY, (cap + 1) ** 2), np.float32)
    residual = 0.0
    with (
        bar() as progress,
        worker_pool(workers or os.cpu_count() or 1) as pool,
    ):
        task = progress.add_task("asking the agent", total=int(((numbers <= swapped) & (left > 0)).sum()))
        for layer in range(1, NUM_VALUES * COPIES + 1):
            pairs = numbers[(left == layer) & (numbers <= swapped)]
            parts = [pairs[at : at + PAIRS_AT_ONCE] for at in range(0, len(pairs), PAIRS_AT_ONCE)]
            solved = pool.map(_solve_part, ((spec, cap, part, values) for part in parts))
            try:
                for part, (result, change) in zip(parts, solved, strict=True):
                    both = np.unique(np.concatenate([part, swapped[part]]))
                    values[:, both] = result
                    residual = max(residual, change)
                    progress.advance(task, len(part))
            except BrokenProcessPool:
                raise ValueError(f"a process that asked {spec!r} has died; is it the agent that ends it?") from None
            except Exception as error:
                raise ValueError(f"agent {spec!r} failed when it was asked: {error}") from error
    start = solution.start(codes, COPIES)
    first, second = -float(values[AGENT, start, 0, 0]), float(values[RESPONDER, start, 0, 0])
    return {
        "agent": spec,
        "copies": COPIES,
        "frustrations": cap,
        "best_response_value": (first + second) / 2,
        "exploitability": (first + second) / 2,
        "agent_starts": first,
        "responder_starts": second,
        "residual": residual,
        "as_distribution": hasattr(agent, "action_probabilities"),
    }


_made: dict[str, Any] = {}  # by specification, once per process


def _solve_part(job: tuple[str, int, Ints, Floats32]) -> tuple[Floats32, float]:
    """Values of some pairs (both arrangements of each, in order of their numbers), for both roles; the last change."""
    spec, cap, pairs, values = job
    if spec not in _made:
        _made[spec] = registry.make(spec)
    turn, codes = kernel.make_turn(cap), make_codes(COPIES)
    _, swapped = solution.arrangements(codes)
    work = rules.new_states(1)
    done = []
    residual = 0.0
    for pair in pairs:
        sides = list(dict.fromkeys([int(pair), int(swapped[pair])]))
        policies = [tabulate(_made[spec], codes, cap, side) for side in sides]
        for _ in range(MAX_SWEEPS):
            change = 0.0
            for role in (AGENT, RESPONDER):
                for side, policy in zip(sides, policies, strict=True):
                    change = max(change, _sweep(turn, codes, role, side, *policy, work, values))
            if change < TOLERANCE:
                break
        residual = max(residual, change)
        done += sides
    return values[:, np.unique(done)], residual


# ------------------------------------------------------------------------------------------------ asking the agent


def tabulate(agent: Any, codes: Codes, cap: int, number: int) -> tuple[Floats32, Floats32, Floats32, Floats32]:
    """What the agent does at an arrangement, for all frustrations and Murphy, as probabilities.

    target[murphy, lane, first throw, value]; reduce and frustrate[murphy, lane, value, later throw, other flag];
    discard[murphy, lane, value, end, flags, value put into the box].
    """
    lanes = (cap + 1) ** 2
    shapes = (
        (NUM_MURPHY, lanes, len(FIRST), NUM_VALUES),
        (NUM_MURPHY, lanes, NUM_VALUES, len(LATER), 2),
        (NUM_MURPHY, lanes, NUM_VALUES, len(LATER), 2),
        (NUM_MURPHY, lanes, NUM_VALUES, NUM_TAKING_ENDS, NUM_FLAGS, NUM_VALUES),
    )
    target, reduce, frustrate, discard = (np.zeros(shape, np.float32) for shape in shapes)
    for kind, out, first_action, num_actions in (
        (Phase.TARGET, target, Action.TARGET_3, NUM_VALUES),
        (Phase.REDUCE, reduce, Action.REDUCE, 1),
        (Phase.FRUSTRATE, frustrate, Action.FRUSTRATE, 1),
        (Phase.DISCARD, discard, Action.DISCARD_3, NUM_VALUES),
    ):
        flat = out.reshape(-1, num_actions)
        states = rules.new_states(len(flat))
        where = np.empty(len(flat), np.int64)
        bits = np.empty(len(flat), np.int32)
        num = _questions(codes, cap, number, kind, FIRST, LATER, states, where, bits)
        forced = bits[:num] & (bits[:num] - 1) == 0
        chances = np.zeros((num, NUM_ACTIONS))
        masks = ((bits[:num, None] >> np.arange(NUM_ACTIONS)) & 1).astype(np.int8)
        chances[forced] = masks[forced]
        asked = np.flatnonzero(~forced)
        for at in range(0, len(asked), 20_000):
            some = asked[at : at + 20_000]
            chances[some] = probabilities(agent, states[some], masks[some])
        flat[where[:num]] = chances[:, first_action : first_action + num_actions]
    return target, reduce, frustrate, discard


def probabilities(agent: Any, states: States, masks: Ints8) -> Floats:
    """How often an agent plays each action: the distribution that it is, else the action that it plays."""
    if hasattr(agent, "action_probabilities"):
        if hasattr(agent, "action_probabilities_batch"):
            chances = np.asarray(agent.action_probabilities_batch(states, masks))
        else:
            one_by_one = [agent.action_probabilities(position_of(states, i), masks[i]) for i in range(len(states))]
            chances = np.array(one_by_one)
        sums = chances.sum(axis=1)
        if chances.shape != masks.shape or not (chances >= 0).all() or (np.abs(sums - 1) > 1e-4).any():
            raise ValueError("its action_probabilities must be chances that add up to 1")
        if (chances[masks == 0] > 0).any():
            raise ValueError("its action_probabilities give chances to illegal actions")
        return chances
    rngs = [np.random.default_rng(0)] * len(states)
    if hasattr(agent, "act_batch"):
        actions = np.asarray(agent.act_batch(states, masks, rngs))
    else:
        actions = np.array([agent.act(position_of(states, i), masks[i], rngs[i]) for i in range(len(states))])
    inside = (actions >= 0) & (actions < NUM_ACTIONS)
    if not inside.all() or not (masks[np.arange(len(states)), actions] == 1).all():
        raise ValueError("it plays illegal actions; see pechvogel.agents.registry.check")
    return np.eye(NUM_ACTIONS)[actions]


@compiled
def _questions(
    codes: Codes,
    cap: int,
    number: int,
    kind: int,
    first: Ints8,
    later: Ints,
    states: States,
    where: Ints,
    bits: NDArray[np.int32],
) -> int:
    """All positions of a kind of decision: states, where they stand in the table of the policy, and legal actions."""
    digits = np.empty(NUM_VALUES, np.int64)
    counts = np.empty(len(rules.FACES), np.int8)
    kernel.write_digits(codes, number, digits)
    num = 0
    place = -1
    for murphy in range(NUM_MURPHY):
        for lane in range((cap + 1) ** 2):
            mine, theirs = lane // (cap + 1), lane % (cap + 1)
            if kind == Phase.TARGET:
                for throw in range(len(first)):
                    place += 1
                    _between(codes, digits, murphy, mine, theirs, states, num)
                    rules.apply_throw(states, num, first[throw])
                    num = _note(states, num, where, bits, place)
                continue
            for value in range(NUM_VALUES):
                if kind == Phase.DISCARD:
                    for end in range(NUM_TAKING_ENDS):
                        for flags in range(NUM_FLAGS):
                            place += 1
                            if mine < flags >> 1 or theirs < flags & 1:
                                continue
                            if codes.steal[digits[value]] < 0:
                                continue
                            _between(codes, digits, murphy, mine, theirs, states, num)
                            _set_board(
                                states, num, value, 5 if end == END_GREEDY else 4, 3 if end == END_BOTH else 0, flags
                            )
                            rules.keep_throw(states[num])
                            rules.apply(states, num, Action.STEAL_1)
                            num = _note(states, num, where, bits, place)
                    continue
                for throw in range(len(later)):
                    board, more_targets, more_ravens = later[throw]
                    targets, ravens = board // RAVENS_LIMIT + 1, board % RAVENS_LIMIT
                    for other in range(2):
                        place += 1
                        flags = other if kind == Phase.REDUCE else 2 * other
                        if mine < flags >> 1 or theirs < flags & 1:
                            continue
                        _between(codes, digits, murphy, mine, theirs, states, num)
                        _set_board(states, num, value, targets, ravens, flags)
                        counts[:] = 0
                        counts[0] = more_ravens
                        counts[value + 1] = more_targets
                        counts[2 if value == 0 else 1] = NUM_DICE - targets - ravens - more_targets - more_ravens
                        rules.apply_throw(states, num, counts)
                        if kind == Phase.FRUSTRATE:
                            rules.apply(states, num, Action.PASS)
                        num = _note(states, num, where, bits, place)
    return num


@compiled
def _between(codes: Codes, digits: Ints, murphy: int, mine: int, theirs: int, states: States, i: int) -> None:
    """A position between turns: seat 0 is at turn."""
    rules.new_game(states, i, 2, 1, False, 0)
    s = states[i]
    for value in range(NUM_VALUES):
        s.middle[value] = codes.middle[digits[value]]
        s.markers[0, value] = codes.mine[digits[value]]
        s.markers[1, value] = codes.theirs[digits[value]]
    s.murphy = rules.NOBODY if murphy == 0 else murphy - 1
    s.frustrations[0] = mine
    s.frustrations[1] = theirs


@compiled
def _set_board(states: States, i: int, value: int, targets: int, ravens: int, flags: int) -> None:
    s = states[i]
    s.target = value + rules.FIRST_VALUE
    s.targets = targets
    s.ravens = ravens
    s.throws = 1
    s.reduced = flags >> 1
    s.frustrations[0] -= flags >> 1
    if flags & 1:
        s.frustrations[1] -= 1
        s.frustraters[0] = 1
        s.num_frustraters = 1


@compiled
def _note(states: States, num: int, where: Ints, bits: NDArray[np.int32], place: int) -> int:
    where[num] = place
    bits[num] = rules.legal_bits(states, num)
    return num + 1


# ------------------------------------------------------------------------------------------------ answering it


@compiled
def _sweep(
    turn: Turn,
    codes: Codes,
    role: int,
    number: int,
    target: Floats32,
    reduce: Floats32,
    frustrate: Floats32,
    discard: Floats32,
    work: States,
    values: Floats32,
) -> float:
    """One sweep over an arrangement with the agent (or the responder) at turn; returns the largest change.

    Values are those of the player at turn; whoever is not the agent chooses best.
    """
    cap = turn.cap
    size = kernel.extended_size(cap)
    digits = np.empty(NUM_VALUES, np.int64)
    nothing = np.empty(size, np.float32)
    other = kernel.swapped_code(codes, number, digits)
    kernel.write_digits(codes, number, digits)
    theirs = values[1 - role]
    extend(cap, theirs[other], nothing)
    options = np.zeros((NUM_VALUES, NUM_VALUES, size), np.float32)
    ways = np.zeros(NUM_VALUES, np.int64)  # 0: no marker to be had, 1: taken, 2: stolen, with a choice of discards
    in_middle = np.zeros(NUM_VALUES, np.bool_)
    for value in range(NUM_VALUES):
        in_middle[value] = codes.discard[digits[value]] >= 0
    for value in range(NUM_VALUES):
        kept = digits[value]
        if codes.take[kept] >= 0:
            ways[value] = 1
            digits[value] = codes.take[kept]
            lead_to(cap, codes, theirs, digits, work, options[value, 0])
        elif codes.steal[kept] >= 0:
            ways[value] = 2
            digits[value] = codes.steal[kept]
            for gone in range(NUM_VALUES):
                before = digits[gone]
                if in_middle[gone]:
                    digits[gone] = codes.discard[before]
                    lead_to(cap, codes, theirs, digits, work, options[value, gone])
                    digits[gone] = before
        digits[value] = kept
    ends = np.empty((turn_ends.NUM_ENDS, NUM_FLAGS))
    at_once = np.empty((NUM_VALUES, NUM_DICE + 1, RAVENS_LIMIT))
    throws = np.empty((NUM_FLAGS, NUM_BOARDS))
    largest = 0.0
    for murphy in range(NUM_MURPHY):
        for lane in range((cap + 1) ** 2):
            total = 0.0
            for value in range(NUM_VALUES):
                for end in range(turn_ends.NUM_ENDS):
                    for flags in range(NUM_FLAGS):
                        place = turn.after[end, flags, murphy, lane]
                        if end >= NUM_TAKING_ENDS or ways[value] == 0 or place >= size - 2:
                            ends[end, flags] = nothing[place]
                        elif ways[value] == 1:
                            ends[end, flags] = options[value, 0, place]
                        elif role == AGENT:
                            mean = 0.0
                            for gone in range(NUM_VALUES):
                                mean += discard[murphy, lane, value, end, flags, gone] * options[value, gone, place]
                            ends[end, flags] = mean
                        else:
                            best = -9.0
                            for gone in range(NUM_VALUES):
                                if in_middle[gone]:
                                    best = max(best, options[value, gone, place])
                            ends[end, flags] = best
                if value == 0:
                    total += turn.ravens_at_once[END_RAVENS] * ends[END_RAVENS, 0]
                    total += turn.ravens_at_once[END_MANY_RAVENS] * ends[END_MANY_RAVENS, 0]
                total += turn.ravens_at_once[END_BOTH] * ends[END_BOTH, 0]
                _later_throws(role, reduce[murphy, lane, value], frustrate[murphy, lane, value], ends, throws)
                for count in range(1, NUM_DICE + 1):
                    for ravens in range(RAVENS_LIMIT):
                        if count < TARGETS_NEEDED:
                            at_once[value, count, ravens] = throws[0, turn_ends.board_of(count, ravens)]
                        else:
                            end = turn_ends.END_TARGETS if count == TARGETS_NEEDED else END_GREEDY
                            at_once[value, count, ravens] = ends[end, 0]
            for throw in range(len(FIRST)):
                ravens = FIRST[throw, 0]
                best, mean = -9.0, 0.0
                for value in range(NUM_VALUES):
                    count = FIRST[throw, value + 1]
                    if count > 0:
                        worth = at_once[value, count, ravens]
                        best = max(best, worth)
                        mean += target[murphy, lane, throw, value] * worth
                total += FIRST_CHANCE[throw] * (mean if role == AGENT else best)
            largest = max(largest, abs(total - values[role, number, murphy, lane]))
            values[role, number, murphy, lane] = total
    return largest


@compiled
def _later_throws(role: int, reduce: Floats32, frustrate: Floats32, ends: Floats, throws: Floats) -> None:
    """throws[flags, board]: what it is worth to the player at turn that this board is about to be thrown on."""
    for flags in range(NUM_FLAGS - 1, -1, -1):
        for board in range(NUM_BOARDS - 1, -1, -1):
            throws[flags, board] = 0.0
            targets, ravens = board // RAVENS_LIMIT + 1, board % RAVENS_LIMIT
            for throw in range(LATER_START[board], LATER_START[board + 1]):
                t, r = targets + LATER[throw, 1], ravens + LATER[throw, 2]
                end = end_of(t, r)
                worth = ends[end, flags] if end >= 0 else throws[flags, turn_ends.board_of(t, r)]
                if end not in (END_GREEDY, END_MANY_RAVENS):  # R18
                    if flags in (0, MINE):  # the opponent may frustrate ...
                        repeated = throws[flags | THEIRS, board]
                        if role == AGENT:
                            worth = min(worth, repeated)
                        else:
                            often = frustrate[throw, flags >> 1]
                            worth += often * (repeated - worth)
                    if flags in (0, THEIRS):  # ... and before that, the player at turn may reduce (Q1)
                        repeated = throws[flags | MINE, board]
                        if role == AGENT:
                            often = reduce[throw, flags & 1]
                            worth += often * (repeated - worth)
                        else:
                            worth = max(worth, repeated)
                throws[flags, board] += LATER_CHANCE[throw] * worth
