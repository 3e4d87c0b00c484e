"""Rules of thumb."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lucky_loser_env import rules
from lucky_loser_env.rules import BONUS, GROUPS, NUM_ACTIONS, NUM_CARDS, NUM_ROWS, SUMS, States, ends, score_of
from pechvogel.agents.base import BatchAgent
from pechvogel.tabletop.arrays import Floats, Ints, Ints8
from pechvogel.tabletop.compile import compiled

_COUNTS = np.array([[groups.count(value) for value in SUMS] for groups in GROUPS], np.int64)

# chips expected from holding an X (per unit chance), near 1,2,3 fractions, few, set q1..q5, harm, leader, end, tempo
W0 = np.array([4.0, 0.6, 0.4, 0.2, 3.0, 0.5, 0.3, 0.2, 0.1, 0.05, 0.7, 0.5, 8.0, 0.0])
CHANCE = np.array([0.853, 0.924, 0.782, 0.820, 0.801, 0.795])


class HeuristicAgent(BatchAgent):
    """See the module's text."""

    name = "heuristic"

    def __init__(self, weights: Any = None) -> None:
        self.w = W0 if weights is None else np.asarray(weights, float)

    def act_batch(self, states: States, masks: Ints8, rngs: Sequence[np.random.Generator]) -> Ints:
        """One action per game; the generators are not used."""
        actions = np.empty(len(states), np.int64)
        _choose_all(states, actions, self.w)
        return actions


@compiled
def _choose_all(states: States, actions: Ints, w: Floats) -> None:
    for i in range(len(states)):
        actions[i] = choose_w(states[i], w)


@compiled
def choose(s: Any) -> int:
    return choose_w(s, W0)


@compiled
def choose_w(s: Any, w: Floats) -> int:
    """The action of whoever is asked."""
    bits = rules.legal_of(s)
    best, best_worth = -1, -1e9
    for action in range(NUM_ACTIONS):
        if bits >> action & 1:
            worth = _worth(s, action, w)
            if worth > best_worth:
                best, best_worth = action, worth
    return best


@compiled
def _promise(row: int, away: int, left: int, w: Floats) -> float:
    """Points that a piece so many groups away from its X promises, with so many chips left."""
    if left <= 0:
        return 0.0
    near = 1.0 if away == 0 else (w[away] if away <= 3 else 0.0)
    return w[0] * CHANCE[row] * SUMS[row] * near * min(left, w[4]) / w[4]


@compiled
def _set_promise(lacking: int, cards: int, w: Floats) -> float:
    if cards >= NUM_CARDS or lacking > 5:
        return 0.0
    return BONUS[cards] * w[4 + lacking]


@compiled
def _worth(s: Any, action: int, w: Floats) -> float:
    me = s.active
    n = s.num_players
    mine = score_of(s, me)
    best_other = -1
    for seat in range(n):
        if seat != me:
            best_other = max(best_other, score_of(s, seat))
    points = 0.0
    worth = 0.0
    lacking_before = 0
    lacking = 0
    complete = True
    closed = 0
    for row in range(NUM_ROWS):
        groups = _COUNTS[action, row]
        left = s.stacks[row]
        place, length = s.places[me, row], s.row_lengths[row]
        chips = max(0, place + groups - max(place, length - 1))
        after = left - chips
        closed += after == 0
        lacks = s.chips[me, row] == s.sets[me]
        lacking_before += lacks
        lacking += lacks and chips == 0
        if groups == 0:
            continue
        points += SUMS[row] * chips
        there = min(place + groups, length)
        worth += _promise(row, length - there, after, w)
        if place > 0:
            worth -= _promise(row, length - place, left, w)
        for seat in range(n):
            if seat != me and s.places[seat, row] > 0:
                home = after == 0 or (chips > 0 and place < length and s.places[seat, row] == length)
                change = _promise(row, length - s.places[seat, row], left, w)
                if not home:
                    change -= _promise(row, length - s.places[seat, row], after, w)
                share = w[10] / (n - 1)
                if score_of(s, seat) == best_other:
                    share += w[11] / (n - 1)
                worth += share * change
    cards = s.cards
    if lacking == 0:
        points += BONUS[cards] if cards < NUM_CARDS else 0
        cards += 1
        # the next set
        for row in range(NUM_ROWS):
            groups = _COUNTS[action, row]
            place, length = s.places[me, row], s.row_lengths[row]
            chips = max(0, place + groups - max(place, length - 1))
            lacking += s.chips[me, row] + chips == s.sets[me] + 1
    worth += _set_promise(lacking, cards, w) - _set_promise(lacking_before, s.cards, w)
    if (closed >= rules.ROWS_TO_END or cards >= NUM_CARDS) and not ends(s):
        lead = mine + points - best_other
        worth += w[12] if lead > 0 else -w[12]
    return points + worth
