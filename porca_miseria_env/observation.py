"""The observation vector: its named slices, written by compiled code.

It is relative to the observing seat (seat 0 of every slice by seat is the observer, then clockwise), lies in [0, 1],
and shows nothing that the seat must not know (P16, P17): it is a function of `view(seat)`, see `of_view`. It does not
depend on who is asked, so it stays the same while the choices of a tick are gathered. Its length depends on the number
of players only: `size(num_players)`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pechvogel.tabletop.arrays import Floats32, Ints, Ints8
from pechvogel.tabletop.bits import count_actions
from pechvogel.tabletop.compile import compiled, inlined
from pechvogel.tabletop.observation import Slice, compiled_observe, relative_seat, slices, who
from porca_miseria_env import rules
from porca_miseria_env.belief import put_chances, put_evidence
from porca_miseria_env.rules import (
    MAX_COUNT,
    MAX_GLANCE,
    MAX_HANDS,
    MAX_JACKPOT,
    MAX_TICKS,
    NO_CARD,
    NOBODY,
    NUM_CARDS,
    NUM_SYMBOLS,
    ONE,
    PENALTY,
    States,
)

# Where each slice starts. Slices that don't depend on the number of players come first.
_CARD = 0
_TICK = _CARD + 2
_TICKS_LEFT = _TICK + MAX_TICKS
_MIDDLE = _TICKS_LEFT + 1
_LAST_GLANCE = _MIDDLE + NUM_SYMBOLS
_MEAN_GLANCE = _LAST_GLANCE + NUM_SYMBOLS
_EVIDENCE = _MEAN_GLANCE + NUM_SYMBOLS
_CHANCES = _EVIDENCE + NUM_SYMBOLS * MAX_COUNT
_PILE = _CHANCES + NUM_SYMBOLS
_JACKPOT = _PILE + 1
_KNOWN = _JACKPOT + 1
_HANDS = _KNOWN + 2
_TAP_CARDS = _HANDS + 1
_TICKS = _TAP_CARDS + 1
_BLUR = _TICKS + 1
_MOVING_NUMBERS = _BLUR + 1
_SEATS = _MOVING_NUMBERS + 1
# Then one block per seat, the observer's first.
_SEAT_NUMBERS = 0
_SEAT_LOOT = _SEAT_NUMBERS + MAX_COUNT
_SEAT_AT_STAKE = _SEAT_LOOT + 1
_SEAT_DEALER = _SEAT_AT_STAKE + PENALTY
_SEAT_RIGHT = _SEAT_DEALER + 1
_SEAT_WRONG = _SEAT_RIGHT + NUM_SYMBOLS
_SEAT_HANDS = _SEAT_WRONG + NUM_SYMBOLS
_SEAT_LOWEST = _SEAT_HANDS + rules.HANDS_EACH
_SEAT_COVERED = _SEAT_LOWEST + 1
_SEAT_SIZE = _SEAT_COVERED + 1

_PER_TICK = np.float32(1 / MAX_TICKS)
_PER_GLANCE = np.float32(1 / MAX_GLANCE)
_PER_CARD = np.float32(1 / (NUM_CARDS + NUM_SYMBOLS))  # lucky cards can be loot, too
_PER_JACKPOT = np.float32(1 / MAX_JACKPOT)
_PER_HAND = np.float32(1 / MAX_HANDS)


@cache
def layout(num_players: int) -> tuple[Slice, ...]:
    """The slices of the vector for a number of players, in order, without gaps."""
    parts = [
        ("card", 2, "1: a symbol card lies there; 1: a tap card"),
        ("tick", MAX_TICKS, "one-hot: the tick, from the first"),
        ("ticks_left", 1, "ticks after this one, divided by 12"),
        ("middle", NUM_SYMBOLS, "1 each: mushroom, pig, sweep are in the middle"),
        ("last_glance", NUM_SYMBOLS, "own glance of this tick, divided by 16"),
        ("mean_glance", NUM_SYMBOLS, "mean of own glances at this card, divided by 16"),
        ("evidence", NUM_SYMBOLS * MAX_COUNT, "by symbol: how likely own glances make 1..8 of it"),
        ("chances", NUM_SYMBOLS, "how likely each lucky card is right for the observer"),
        ("pile", 1, "cards in the pile, divided by 66"),
        ("jackpot", 1, "cards in the jackpot, divided by 15"),
        ("known", 2, "symbol cards, tap cards known not to be in the pile, divided by 66"),
        ("hands", 1, "hands on the tap card, divided by 16"),
        ("tap_cards", 1, "tap cards in this game, divided by 66"),
        ("ticks", 1, "ticks of a card in this game, divided by 12"),
        ("blur", 1, "the blur of this game"),
        ("moving_numbers", 1, "1: lucky numbers move on with the dealer"),
    ]
    for seat in range(num_players):
        whose = who(seat)
        parts += [
            (f"{whose}.numbers", MAX_COUNT, "1 each: has the lucky number 1..8"),
            (f"{whose}.loot", 1, "loot cards, divided by 66"),
            (f"{whose}.at_stake", PENALTY, "1 each: at least 1, 2, 3 loot cards, which a wrong hand costs"),
            (f"{whose}.dealer", 1, "1: the dealer"),
            (f"{whose}.right", NUM_SYMBOLS, "1 each: has rightly taken mushroom, pig, sweep of this card"),
            (f"{whose}.wrong", NUM_SYMBOLS, "1 each: has wrongly taken mushroom, pig, sweep of this card"),
            (f"{whose}.hands", rules.HANDS_EACH, "1 each: has at least 1, 2 hands on the tap card"),
            (f"{whose}.lowest", 1, "1: has the lowest hand on the tap card"),
            (f"{whose}.covered", 1, "1: has one hand there, with another's on top: one more is a sandwich"),
        ]
    return slices(parts)


def size(num_players: int) -> int:
    """Length of the observation vector."""
    return _SEATS + num_players * _SEAT_SIZE


@compiled
def put_observations(states: States, games: Ints, start: int, stop: int, observers: Ints8, out: Floats32) -> None:
    """Write what `observers[i]` sees of game i into row i, for i in games[start..stop-1]; zeros for NOBODY."""
    for i in games[start:stop]:
        _put(states[i], observers[i], out, i)


@compiled
def put_all(states: States, i: int, out: Floats32) -> None:
    """What every seat sees of game `i`, a row each; this does not check."""
    for seat in range(len(out)):
        _put(states[i], seat, out, seat)


@inlined
def _put(s: Any, observer: int, out: Floats32, row: int) -> None:
    for k in range(out.shape[1]):
        out[row, k] = 0.0
    if observer == NOBODY:
        return
    n = s.num_players
    for symbol in range(NUM_SYMBOLS):
        out[row, _MIDDLE + symbol] = (s.middle >> symbol) & 1
    if s.card != NO_CARD:
        out[row, _TICK + s.tick] = 1.0
        out[row, _TICKS_LEFT] = (s.ticks - 1 - s.tick) * _PER_TICK
        if rules.is_tap(s, s.card):
            out[row, _CARD + 1] = 1.0
        else:
            out[row, _CARD] = 1.0
            for symbol in range(NUM_SYMBOLS):
                total = 0
                for tick in range(s.tick + 1):
                    total += s.glances[tick, observer, symbol]
                out[row, _LAST_GLANCE + symbol] = s.glances[s.tick, observer, symbol] * _PER_GLANCE
                out[row, _MEAN_GLANCE + symbol] = total * _PER_GLANCE / (s.tick + 1)
            put_evidence(s, observer, out, row, _EVIDENCE)
            put_chances(s, observer, _EVIDENCE, out, row, _CHANCES)
    out[row, _PILE] = count_actions(s.pile) * _PER_CARD
    out[row, _JACKPOT] = s.num_jackpot * _PER_JACKPOT
    symbols_known = count_actions(s.known & ((ONE << (NUM_CARDS - s.tap_cards)) - 1))
    out[row, _KNOWN] = symbols_known * _PER_CARD
    out[row, _KNOWN + 1] = (count_actions(s.known) - symbols_known) * _PER_CARD
    out[row, _HANDS] = s.num_hands * _PER_HAND
    out[row, _TAP_CARDS] = s.tap_cards * _PER_CARD
    out[row, _TICKS] = s.ticks * _PER_TICK
    out[row, _BLUR] = s.blur
    out[row, _MOVING_NUMBERS] = s.moving_numbers
    for seat in range(n):
        base = _SEATS + relative_seat(n, seat, observer) * _SEAT_SIZE
        numbers = rules.numbers_of(s, seat)
        for k in range(MAX_COUNT):
            out[row, base + _SEAT_NUMBERS + k] = (numbers >> (k + 1)) & 1
        loot = s.loot[seat]
        out[row, base + _SEAT_LOOT] = loot * _PER_CARD
        for k in range(PENALTY):
            out[row, base + _SEAT_AT_STAKE + k] = loot > k
        for k in range(rules.HANDS_EACH):
            out[row, base + _SEAT_HANDS + k] = s.hand_counts[seat] > k
        covered = (s.hand_counts[seat] == 1) & (s.first_hands[seat] < s.num_hands - 1)
        out[row, base + _SEAT_COVERED] = covered
    out[row, _SEATS + relative_seat(n, s.dealer, observer) * _SEAT_SIZE + _SEAT_DEALER] = 1.0
    if s.num_hands > 0:
        out[row, _SEATS + relative_seat(n, s.hands[0], observer) * _SEAT_SIZE + _SEAT_LOWEST] = 1.0
    for k in range(s.num_taken):
        base = _SEATS + relative_seat(n, s.takers[k], observer) * _SEAT_SIZE
        out[row, base + (_SEAT_RIGHT if s.right[k] else _SEAT_WRONG) + s.taken[k]] = 1.0


observe = compiled_observe(__name__, rules.CHECKS, put_observations, inlined(size))


def num_players_of(observations: NDArray[Any]) -> int:
    """For how many players observations are, by their length."""
    return int((observations.shape[-1] - _SEATS) // _SEAT_SIZE)


def settings_of(vector: NDArray[Any]) -> dict[str, Any]:
    """The settings of the game that an observation is of."""
    return {
        "tap_cards": round(float(vector[_TAP_CARDS] / _PER_CARD)),
        "ticks": round(float(vector[_TICKS] / _PER_TICK)),
        "blur": round(float(vector[_BLUR]), 6),  # as finely as numbers of 32 bits are
        "moving_numbers": bool(vector[_MOVING_NUMBERS]),
    }
