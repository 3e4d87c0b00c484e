"""The best response to an agent in the small game: exact, layer by layer, as the solution is.

The agent is asked at every position (`asking`), so its policy is a table. The order of decisions in a turn stands here
once more, as in `agents.pechvogel.turn.values` and in `kernel`, on purpose: each is tested against the others.
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
from pechvogel.agents.pechvogel.turn.ends import (
    END_BOTH,
    END_GREEDY,
    END_MANY_RAVENS,
    END_RAVENS,
    END_TARGETS,
    NUM_BOARDS,
    NUM_ENDS,
    board_of,
    end_of,
)
from pechvogel.tabletop.compile import compiled
from pechvogel.train.arena.workers import worker_pool
from pechvogel.train.pechvogel.solve.asking import FIRST, FIRST_CHANCE, LATER, LATER_CHANCE, LATER_START, tabulate
from pechvogel.train.pechvogel.solve.kernel import (
    MINE,
    NUM_FLAGS,
    NUM_TAKING_ENDS,
    THEIRS,
    Turn,
    extend,
    extended_size,
    lead_to,
    make_turn,
    swapped_code,
    write_digits,
)
from pechvogel.train.pechvogel.solve.layers import refuse_cap
from pechvogel.train.progress import bar
from pechvogel_env import rules
from pechvogel_env.kind import KIND
from pechvogel_env.rules import (
    NUM_DICE,
    NUM_VALUES,
    RAVENS_LIMIT,
    TARGETS_NEEDED,
    States,
)

TOLERANCE = 2e-6
MAX_SWEEPS = 2000
PAIRS_AT_ONCE = 4
AGENT, RESPONDER = 0, 1  # who is at turn
COPIES = 1  # larger games have too many positions to ask at


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


def _solve_part(job: tuple[str, int, NDArray[np.int64], NDArray[np.float32]]) -> tuple[NDArray[np.float32], float]:
    """Values of some pairs (both arrangements of each, in order of their numbers), for both roles; the last change."""
    spec, cap, pairs, values = job
    if spec not in _made:
        _made[spec] = registry.make(spec)
    turn, codes = make_turn(cap), make_codes(COPIES)
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


@compiled
def _sweep(
    turn: Turn,
    codes: Codes,
    role: int,
    number: int,
    target: NDArray[np.float32],
    reduce: NDArray[np.float32],
    frustrate: NDArray[np.float32],
    discard: NDArray[np.float32],
    work: States,
    values: NDArray[np.float32],
) -> float:
    """One sweep over an arrangement with the agent (or the responder) at turn; returns the largest change.

    Values are those of the player at turn; whoever is not the agent chooses best.
    """
    cap = turn.cap
    size = extended_size(cap)
    digits = np.empty(NUM_VALUES, np.int64)
    nothing = np.empty(size, np.float32)
    other = swapped_code(codes, number, digits)
    write_digits(codes, number, digits)
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
    ends = np.empty((NUM_ENDS, NUM_FLAGS))
    at_once = np.empty((NUM_VALUES, NUM_DICE + 1, RAVENS_LIMIT))
    throws = np.empty((NUM_FLAGS, NUM_BOARDS))
    largest = 0.0
    for murphy in range(NUM_MURPHY):
        for lane in range((cap + 1) ** 2):
            total = 0.0
            for value in range(NUM_VALUES):
                for end in range(NUM_ENDS):
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
                            at_once[value, count, ravens] = throws[0, board_of(count, ravens)]
                        else:
                            end = END_TARGETS if count == TARGETS_NEEDED else END_GREEDY
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
def _later_throws(
    role: int,
    reduce: NDArray[np.float32],
    frustrate: NDArray[np.float32],
    ends: NDArray[np.float64],
    throws: NDArray[np.float64],
) -> None:
    """throws[flags, board]: what it is worth to the player at turn that this board is about to be thrown on."""
    for flags in range(NUM_FLAGS - 1, -1, -1):
        for board in range(NUM_BOARDS - 1, -1, -1):
            throws[flags, board] = 0.0
            targets, ravens = board // RAVENS_LIMIT + 1, board % RAVENS_LIMIT
            for throw in range(LATER_START[board], LATER_START[board + 1]):
                t, r = targets + LATER[throw, 1], ravens + LATER[throw, 2]
                end = end_of(t, r)
                worth = ends[end, flags] if end >= 0 else throws[flags, board_of(t, r)]
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
