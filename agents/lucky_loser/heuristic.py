"""Rules of thumb that a good casual player uses: a worthy yardstick that thinks no further than this turn.

What groups are worth is reckoned in points:

- Chips and bonus cards that they bring now count as they are.
- Pieces promise more: one on an X brings a chip with every group of its sum, as long as there are chips, and nobody
  sends it home. How much, depends on the row's value, on how likely a throw can form its sum, and on how many chips are
  left. The step before the X promises even more than the X itself: from there one takes a chip, too, sends home
  whoever has dared to go first, and can't be sent home oneself. Squares further away promise less.
- Whoever is sent home, or has a piece in a row that closes, loses what it promised; that is better than having it
  oneself, all the more if it hits the best of the others. At larger tables the harm done to one of many counts less.
- Chips that are lacking for the next set promise a part of the next bonus card: the fewer are lacking, the more.
- Closing the third row, or taking the last card, ends the game with this round: good if one is ahead, else bad.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lucky_loser_env.rules import (
    BONUS,
    GROUPS,
    NUM_ACTIONS,
    NUM_CARDS,
    NUM_ROWS,
    ROWS_TO_END,
    SUMS,
    States,
    ends,
    least_chips,
    legal_of,
    score_of,
)
from pechvogel.agents.base import BatchAgent
from pechvogel.tabletop.arrays import Ints, Ints8
from pechvogel.tabletop.compile import compiled, inlined

HOLD = 2.0  # chips that a piece on an X promises, if its sum could be formed in every turn
# ... and what a piece promises so many groups before it, compared with that; the rows are no longer.
NEAR = (1.0, 1.5, 0.7, 0.3, 0.15, 0.07, 0.03, 0.01)
PLENTY = 4  # chips in a stack: with fewer left, a piece promises less
LACKING = (0.0, 0.5, 0.2, 0.15, 0.1, 0.05, 0.0)  # how much of the next card a set promises that lacks so many chips
HARM = 1.5  # what a promise that others lose is worth, compared with one's own
LEADER = 0.5  # ... and more, if it is the best of the others
END = 10.0  # points for ending the game when ahead, or for not ending it
CHANCES = (0.853, 0.924, 0.782, 0.820, 0.801, 0.795)  # by row: that a throw can form its sum

# Groups by action and row.
_COUNTS = np.array([[groups.count(value) for value in SUMS] for groups in GROUPS], np.int64)


class HeuristicAgent(BatchAgent):
    """See the module's text."""

    name = "heuristic"

    def act_batch(self, states: States, masks: Ints8, rngs: Sequence[np.random.Generator]) -> Ints:
        """One action per game; the generators are not used."""
        actions = np.empty(len(states), np.int64)
        _choose_all(states, actions)
        return actions


@compiled
def _choose_all(states: States, actions: Ints) -> None:
    for i in range(len(states)):
        actions[i] = choose(states[i])


@compiled
def choose(s: Any) -> int:
    """The action of whoever is asked."""
    rival = -1  # the points of the best of the others
    for seat in range(s.num_players):
        if seat != s.active:
            rival = max(rival, score_of(s, seat))
    bits = legal_of(s)
    best, best_worth = -1, -1e9
    for action in range(NUM_ACTIONS):
        if bits >> action & 1:
            worth = _worth(s, action, rival)
            if worth > best_worth:
                best, best_worth = action, worth
    return best


@compiled
def _worth(s: Any, action: int, rival: int) -> float:
    """Points by which actions are compared; 0 for doing nothing."""
    me = s.active
    points, promises = 0, 0.0
    closed = 0
    sets, lacking = 99, 0  # after it: how many sets, and what the next one lacks
    for row in range(NUM_ROWS):
        groups = _COUNTS[action, row]
        chips = _chips(s, row, groups)
        points += SUMS[row] * chips
        closed += s.stacks[row] == chips
        if groups > 0:
            promises += _promised(s, row, groups, chips, rival)
        owned = s.chips[me, row] + chips
        if owned < sets:
            sets, lacking = owned, 0
        lacking += owned == sets
    cards = s.cards
    for _ in range(sets - s.sets[me]):
        if cards < NUM_CARDS:
            points += BONUS[cards]
            cards += 1
    promises += _card_share(lacking, cards) - _card_share(_lacking(s), s.cards)
    if (closed >= ROWS_TO_END or cards == NUM_CARDS) and not ends(s):
        promises += END if score_of(s, me) + points > rival else -END
    return points + promises


@inlined
def _chips(s: Any, row: int, groups: int) -> int:
    """Chips that groups of one sum bring to the player at turn (L10, L11)."""
    place = s.places[s.active, row]
    return max(0, place + groups - max(place, s.row_lengths[row] - 1))


@inlined
def _promise(row: int, away: int, left: int) -> float:
    """Points that a piece so many groups before its X promises, with so many chips left."""
    return HOLD * CHANCES[row] * SUMS[row] * NEAR[away] * min(left, PLENTY) / PLENTY


@inlined
def _promised(s: Any, row: int, groups: int, chips: int, rival: int) -> float:
    """How groups in a row change what the pieces in it promise: one's own, and those of the others."""
    me, n = s.active, s.num_players
    length, left = s.row_lengths[row], s.stacks[row]
    place = s.places[me, row]
    change = _promise(row, max(0, length - place - groups), left - chips)
    if place > 0:
        change -= _promise(row, length - place, left)
    for seat in range(n):
        theirs = s.places[seat, row]
        if seat == me or theirs == 0:
            continue
        lost = _promise(row, length - theirs, left)
        sent_home = chips > 0 and place < length and theirs == length
        if not sent_home:
            lost -= _promise(row, length - theirs, left - chips)
        weight = HARM + LEADER if score_of(s, seat) == rival else HARM
        change += lost * weight / (n - 1)
    return change


@inlined
def _lacking(s: Any) -> int:
    """Chips that the player at turn lacks for the next set."""
    lacking = 0
    for row in range(NUM_ROWS):
        lacking += s.chips[s.active, row] == least_chips(s, s.active)
    return lacking


@inlined
def _card_share(lacking: int, cards: int) -> float:
    """Points of the next card that a set promises."""
    return LACKING[lacking] * BONUS[cards] if cards < NUM_CARDS else 0.0
