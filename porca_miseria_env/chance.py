"""Chance: the seeded one of a game (P18), and what somebody gives instead, as the `cards` of a record.

Everything that chance decides is a pure function of (game seed, how many cards were turned before this one, tick,
player), fixed for `_v0`. With 64-bit arithmetic that wraps around, G = 0x9E3779B97F4A7C15 and `mix`, the finaliser of
SplitMix64 (`tabletop.seeds`):

    card_key(seed, card)    = mix(seed + (card + 1) G)                 card: how many were turned before, tick: from 0
    tick_key(seed, c, tick) = mix(card_key(seed, c) + (tick + 1) G)
    eyes(seed, c, t, seat)  = mix(tick_key(seed, c, t) + (2 seat + 1) G)
    hand(seed, c, t, seat)  = mix(tick_key(seed, c, t) + (2 seat + 2) G)

- Of n cards in the pile, in ascending order, card number floor(n h / 2^32) is turned: h is the upper half of `card_key`.
- The order of hands: of the seats that are left, in ascending order, number floor(k x) is next; k is how many are
  left. x starts as the upper half of `tick_key`, over 2^32, and becomes the rest, k x - floor(k x), each time; for the
  fifth hand the lower half takes its place.
- Glances: a symbol that is shown `count` times is counted g times, the least with u < P(at most g) 2^31
  (`rules.glance_odds`). u is the upper 31 bits of `eyes` for the mushroom, its lower 31 for the pig, and the lower 31
  of `hand` for the sweep.
- Of n cards in the pile, a right hand wins number floor(n h / 2^32): h is the upper half of `hand`.

So single and batch play, any number of threads, replays and tables with rotated seats meet the same chance. What has
2^32 equal parts is off by less than 2^-25 of a probability.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pechvogel.tabletop.bits import count_actions, nth_action
from pechvogel.tabletop.compile import inlined
from pechvogel.tabletop.seeds import G, mix
from porca_miseria_env.rules import MAX_GLANCE, ODDS_BITS, SHOWN

_HALF = np.uint64(32)
_LOW = np.uint64(2**32 - 1)
_LOW_ODDS = np.uint64(2**ODDS_BITS - 1)
_HIGH_ODDS = np.uint64(64 - ODDS_BITS)
_BITS_PER_SEAT = 4  # an order of hands is packed into one number, the first hand lowest
_SEATS_IN_ORDER = np.int64(0x76543210)
_FROM_UPPER_HALF = 4  # hands


@inlined
def card_key(seed: Any, turn: int) -> Any:
    """The random 64-bit word behind a card; `turn` is how many were turned before."""
    return mix(np.uint64(seed) + np.uint64(turn + 1) * G)


@inlined
def tick_key(seed: Any, turn: int, tick: int) -> Any:
    """The random word behind a tick."""
    return mix(card_key(seed, turn) + np.uint64(tick + 1) * G)


@inlined
def _eyes(key: Any, seat: int) -> Any:
    return mix(key + np.uint64(2 * seat + 1) * G)


@inlined
def _hand(key: Any, seat: int) -> Any:
    return mix(key + np.uint64(2 * seat + 2) * G)


@inlined
def _one_of(pile: int, word: Any) -> int:
    """A card of the pile, by the upper half of a word."""
    return nth_action(pile, np.int64((word >> _HALF) * np.uint64(count_actions(pile)) >> _HALF))


@inlined
def seeded_card(s: Any, seed: Any) -> int:
    """The card that is turned."""
    return _one_of(s.pile, card_key(seed, s.turn))


@inlined
def seeded_loot(s: Any, key: Any, seat: int) -> int:
    """The card that a right hand wins."""
    return _one_of(s.pile, _hand(key, seat))


@inlined
def draw_glances(s: Any, key: Any) -> None:
    """Write everybody's glance at the symbol card that lies there (P16)."""
    for seat in range(s.num_players):
        eyes = _eyes(key, seat)
        _draw_glance(s, seat, 0, eyes >> _HIGH_ODDS)
        _draw_glance(s, seat, 1, eyes & _LOW_ODDS)
        _draw_glance(s, seat, 2, _hand(key, seat) & _LOW_ODDS)


@inlined
def _draw_glance(s: Any, seat: int, symbol: int, word: Any) -> None:
    u = np.uint32(word)
    shown = SHOWN[s.card, symbol]
    glance = 0
    for g in range(MAX_GLANCE):  # a sum and no way out of the loop: so it takes several at once
        glance += u >= s.odds[shown, g]
    s.glances[s.tick, seat, symbol] = glance


@inlined
def seeded_order(key: Any, num_players: int) -> int:
    """The order in which hands take effect (P14): seats, packed."""
    left = _SEATS_IN_ORDER
    order = np.int64(0)
    x = key >> _HALF
    for place in range(num_players):
        if place == _FROM_UPPER_HALF:
            x = key & _LOW
        x *= np.uint64(num_players - place)
        at = _BITS_PER_SEAT * np.int64(x >> _HALF)
        x &= _LOW
        order |= ((left >> at) & 15) << (_BITS_PER_SEAT * place)
        left = (left & ((1 << at) - 1)) | ((left >> (at + _BITS_PER_SEAT)) << at)
    return order


@inlined
def seat_in(order: int, place: int) -> int:
    """The seat at a place of a packed order."""
    return (order >> (_BITS_PER_SEAT * place)) & 15


def order_of(seed: int, turn: int, tick: int, num_players: int) -> list[int]:
    """The seeded order of hands in a tick, as seats."""
    order = int(seeded_order(tick_key(np.uint64(seed), turn, tick), num_players))
    return [int(seat_in(order, place)) for place in range(num_players)]
