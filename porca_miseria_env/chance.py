"""Chance: the seeded one of a game (P18), and what somebody gives instead, as the `cards` of a record.

Everything that chance decides is a pure function of (game seed, how many cards were turned before this one, tick,
player), fixed for `_v0`. With 64-bit arithmetic that wraps around, G = 0x9E3779B97F4A7C15 and `mix`, the finaliser of
SplitMix64 (`tabletop.seeds`):

    card_key(seed, card)    = mix(seed + (card + 1) G)                 card: how many were turned before, tick: from 0
    tick_key(seed, c, tick) = mix(card_key(seed, c) + (tick + 1) G)
    eyes(seed, c, t, seat)  = mix(tick_key(seed, c, t) + (2 seat + 1) G)
    hand(seed, c, t, seat)  = mix(tick_key(seed, c, t) + (2 seat + 2) G)

- Of n cards in the pile, in ascending order, number floor(n h / 2^32) is turned: h is the upper half of `card_key`.
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

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pechvogel.tabletop.bits import count_actions, nth_action
from pechvogel.tabletop.checks import check_whole
from pechvogel.tabletop.compile import compiled, inlined
from pechvogel.tabletop.seeds import G, mix
from pechvogel.tabletop.untrusted import shown_value
from porca_miseria_env.rules import (
    MAX_GLANCE,
    MAX_TICKS,
    NO_CARD,
    NUM_CARDS,
    NUM_SYMBOLS,
    ODDS_BITS,
    SHOWN,
    States,
    seats_with_loot,
)

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
def seeded_order(key: Any, num_players: int) -> Any:
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


# ------------------------------------------------------------------------------------- one by one, from Python


class Tick(NamedTuple):
    """Given chance of a tick; None: not given."""

    glances: NDArray[np.int8] | None = None
    order: list[int] | None = None
    loot: tuple[int, ...] = ()


class Card(NamedTuple):
    """Given chance of a card."""

    card: int = NO_CARD
    ticks: tuple[Tick, ...] = ()

    def tick(self, tick: int) -> Tick:
        """What is given for a tick."""
        return self.ticks[tick] if tick < len(self.ticks) else Tick()


NOTHING = Card()


def drawn_card(states: States, i: int, seed: Any, given: Card) -> int:
    """The card that is turned next: the given one if it is in the pile, else the seeded one."""
    if given.card != NO_CARD and int(states["pile"][i]) >> given.card & 1:
        return given.card
    return int(card_of(states, i, seed))


def drawn_glances(states: States, i: int, seed: Any, given: Tick) -> NDArray[np.int8]:
    """The glances that come next: the given ones if the card allows them, else the seeded ones."""
    n, card = int(states["num_players"][i]), int(states["card"][i])
    if given.glances is not None and (given.glances <= 2 * SHOWN[card]).all():
        return given.glances
    glances = np.zeros((n, NUM_SYMBOLS), np.int8)
    put_glances(states, i, seed, glances)
    return glances


def drawn_hands(states: States, i: int, seed: Any, given: Tick) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """The order of hands that comes next, and the loot: what is given as far as it goes, then the seeded one."""
    n, turn, tick = (int(states[name][i]) for name in ("num_players", "turn", "tick"))
    seats = order_of(int(seed), turn, tick, n) if given.order is None else given.order
    order = np.array(seats, np.int8)
    pile, loot, key = int(states["pile"][i]), list[int](), np.uint64(tick_key(np.uint64(seed), turn, tick))
    for seat in seats_with_loot(states, i, order):
        if not pile:
            break
        offered = given.loot[len(loot)] if len(loot) < len(given.loot) else NO_CARD
        fits = offered != NO_CARD and pile >> offered & 1
        card = offered if fits else int(loot_of(pile, key, int(seat)))
        pile &= ~(1 << card)
        loot.append(card)
    return order, np.array(loot, np.int8)


@compiled
def card_of(states: States, i: int, seed: Any) -> int:
    """The seeded card that is turned next in game `i`."""
    return seeded_card(states[i], seed)


@compiled
def put_glances(states: States, i: int, seed: Any, out: NDArray[np.int8]) -> None:
    """The seeded glances that come next in game `i`, a row for each seat."""
    s = states[i]
    draw_glances(s, tick_key(seed, s.turn, s.tick))
    for seat in range(s.num_players):
        for symbol in range(NUM_SYMBOLS):
            out[seat, symbol] = s.glances[s.tick, seat, symbol]


@compiled
def loot_of(pile: int, key: Any, seat: int) -> int:
    """The seeded card that a right hand of a seat wins."""
    return _one_of(pile, _hand(key, seat))


def order_of(seed: int, turn: int, tick: int, num_players: int) -> list[int]:
    """The seeded order of hands in a tick, as seats."""
    order = int(seeded_order(np.uint64(tick_key(np.uint64(seed), turn, tick)), num_players))
    return [int(seat_in(order, place)) for place in range(num_players)]


# ------------------------------------------------------------------------------------- given chance


def script(cards: Any, num_players: int) -> list[Card]:
    """Check given chance: the `cards` of a record. Actions are left out, and whatever is not there is not given."""
    if isinstance(cards, (str, bytes, Mapping)) or not isinstance(cards, Sequence):
        raise ValueError(f"chance must be a list of cards, as a record has them, not {shown_value(cards)}")
    return [_card(f"chance[{k}]", card, num_players) for k, card in enumerate(cards)]


def _card(name: str, card: Any, num_players: int) -> Card:
    if not isinstance(card, Mapping):
        raise ValueError(f"{name} must be an object with a card and its ticks, not {shown_value(card)}")
    number, ticks = card.get("card", NO_CARD), card.get("ticks", [])
    check_whole(f"{name}.card", number, NO_CARD, NUM_CARDS - 1)
    if not isinstance(ticks, (list, tuple)) or len(ticks) > MAX_TICKS:
        raise ValueError(f"{name}.ticks must be a list of up to {MAX_TICKS} ticks")
    return Card(int(number), tuple(_tick(f"{name}.ticks[{k}]", tick, num_players) for k, tick in enumerate(ticks)))


def _tick(name: str, tick: Any, num_players: int) -> Tick:
    if not isinstance(tick, Mapping):
        raise ValueError(f"{name} must be an object with glances, order and loot, not {shown_value(tick)}")
    glances, order, loot = tick.get("glances") or None, tick.get("order"), tick.get("loot", [])
    if glances is not None:
        counts = [_whole_list(f"{name}.glances", glance, NUM_SYMBOLS, 0, MAX_GLANCE) for glance in _listed(glances)]
        if len(counts) != num_players:
            raise ValueError(f"{name}.glances must be a glance for each of {num_players} seats")
        glances = np.array(counts, np.int8)
    if order is not None:
        order = _whole_list(f"{name}.order", order, num_players, 0, num_players - 1)
        if len(set(order)) != num_players:
            raise ValueError(f"{name}.order must have every seat once, not {shown_value(order)}")
    return Tick(glances, order, tuple(_whole_list(f"{name}.loot", loot, None, 0, NUM_CARDS - 1)))


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple, np.ndarray)) else [value]


def _whole_list(name: str, value: Any, length: int | None, low: int, high: int) -> list[int]:
    if not isinstance(value, (list, tuple, np.ndarray)) or (length is not None and len(value) != length):
        wanted = "" if length is None else f" of {length}"
        raise ValueError(f"{name} must be a list{wanted} whole numbers, not {shown_value(value)}")
    for number in value:
        check_whole(name, number, low, high)
    return [int(number) for number in value]
