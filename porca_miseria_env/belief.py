"""What a seat can conclude from all that it may know about the symbol card that lies there (P16, P17).

Exact but for one thing: before the glances, all symbol cards that nobody can tell to be elsewhere count as equally
likely, though a card that was turned and went back to the pile is likelier to be there than one that may be loot.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pechvogel.tabletop.arrays import Floats32
from pechvogel.tabletop.compile import inlined
from porca_miseria_env.rules import (
    MAX_COUNT,
    MAX_GLANCE,
    NUM_CARDS,
    NUM_SYMBOLS,
    ODDS_BITS,
    SHOWN,
    may_take,
    numbers_of,
)

_CERTAIN = np.float64(2**ODDS_BITS)


@inlined
def likelihood(s: Any, shown: int, glance: int) -> float:
    """How likely a glance counts so many where so many are shown (P16)."""
    up_to = s.odds[shown, glance] if glance < MAX_GLANCE else _CERTAIN
    below = s.odds[shown, glance - 1] if glance > 0 else 0.0
    return (up_to - below) / _CERTAIN


@inlined
def put_evidence(s: Any, seat: int, out: Floats32, row: int, start: int) -> None:
    """What a seat's own glances say about each symbol alone: how likely it is shown 1, ..., 8 times.

    Three times eight numbers that add up to 1, from out[row, start] on.
    """
    for symbol in range(NUM_SYMBOLS):
        first = start + MAX_COUNT * symbol
        for shown in range(1, MAX_COUNT + 1):
            product = 1.0
            for tick in range(s.tick + 1):
                product *= likelihood(s, shown, s.glances[tick, seat, symbol])
            out[row, first + shown - 1] = product
        total = 0.0
        for k in range(MAX_COUNT):
            total += out[row, first + k]
        for k in range(MAX_COUNT):
            out[row, first + k] = out[row, first + k] / total if total > 0.0 else 1.0 / MAX_COUNT


@inlined
def put_chances(s: Any, seat: int, evidence: int, out: Floats32, row: int, start: int) -> None:
    """How likely each lucky card is right for a seat (P5), in three numbers from out[row, start] on.

    By Bayes, from the evidence that `put_evidence` has written at out[row, evidence], from which cards are known to be
    elsewhere, and from whether the hands on this card so far were right.
    """
    numbers = numbers_of(s, seat)
    total = 0.0
    mushroom = 0.0
    pig = 0.0
    sweep = 0.0
    for card in range(NUM_CARDS - s.tap_cards):
        if (s.known >> card) & 1:
            continue
        weight = 1.0
        for symbol in range(NUM_SYMBOLS):
            weight *= out[row, evidence + MAX_COUNT * symbol + SHOWN[card, symbol] - 1]
        for k in range(s.num_taken):
            weight *= may_take(numbers_of(s, s.takers[k]), card, s.taken[k]) == (s.right[k] == 1)
        total += weight
        mushroom += weight * may_take(numbers, card, 0)
        pig += weight * may_take(numbers, card, 1)
        sweep += weight * may_take(numbers, card, 2)
    per = 1.0 / total if total > 0.0 else 0.0
    out[row, start] = min(mushroom * per, 1.0)
    out[row, start + 1] = min(pig * per, 1.0)
    out[row, start + 2] = min(sweep * per, 1.0)
