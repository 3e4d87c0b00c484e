"""Legal actions as bits: bit `a` of a number says whether action `a` is legal. A game has up to 63 actions."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from pechvogel.tabletop.arrays import Ints, Ints8
from pechvogel.tabletop.checks import check_whole
from pechvogel.tabletop.compile import compiled, inlined
from pechvogel.tabletop.guards import check_array, check_whole_numbers, check_writeable, checked
from pechvogel.tabletop.seeds import check_seed, game_seed

# 2**k % 67 is different for every k < 66, so a lone bit finds its action by one look-up.
_ACTION_OF_BIT = np.zeros(67, np.int8)
_ACTION_OF_BIT[[(1 << action) % 67 for action in range(63)]] = range(63)
# For `nth_action`, which counts in 64 bits without a sign: masks, shifts, and the n-th lone bit of a byte.
_PAIRS, _FOURS, _EIGHTS = (np.uint64(mask) for mask in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F))
_EACH_BYTE, _TOP_BITS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_U1, _U2, _U4, _U7, _U8, _U53, _U255 = (np.uint64(number) for number in (1, 2, 4, 7, 8, 53, 255))
_NTH_OF_BYTE = np.array(
    [[([b for b in range(8) if byte >> b & 1] + [0] * 8)[n] for n in range(8)] for byte in range(256)], np.int8
)
_ONE = np.zeros(1, np.int64)  # the only game of an array of one


@inlined
def lowest_action(bits: int) -> int:
    """The lowest action among legal bits."""
    return _ACTION_OF_BIT[(bits & -bits) % 67]


@inlined
def count_actions(bits: int) -> int:
    """How many bits there are, without a loop: in pairs, in fours, then all of them."""
    pairs = bits - ((bits >> 1) & 0x5555555555555555)
    fours = (pairs & 0x3333333333333333) + ((pairs >> 2) & 0x3333333333333333)
    return ((((fours + (fours >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101) >> 56) & 0x7F


@inlined
def nth_action(bits: int, n: Any) -> int:
    """The n-th action among legal bits, counted from 0: its byte by sums of all bytes at once, then a look-up."""
    x, rank = np.uint64(bits), np.uint64(n)
    pairs = x - ((x >> _U1) & _PAIRS)
    fours = (pairs & _FOURS) + ((pairs >> _U2) & _FOURS)
    up_to = ((fours + (fours >> _U4)) & _EIGHTS) * _EACH_BYTE  # in each byte: how many bits up to its end
    passed = (((rank * _EACH_BYTE) | _TOP_BITS) - up_to) & _TOP_BITS  # a bit for each byte that ends before
    place = (((passed >> _U7) * _EACH_BYTE) >> _U53) & ~_U7
    before = ((up_to << _U8) >> place) & _U255
    return np.int64(place) + _NTH_OF_BYTE[(x >> place) & _U255, rank - before]


@inlined
def random_among_many(bits: int, key: Any) -> int:
    """As `random_action`, for games with many legal actions at once."""
    return nth_action(bits, np.int64((key >> np.uint64(32)) * np.uint64(count_actions(bits)) >> np.uint64(32)))


@inlined
def random_action(bits: int, key: Any, most: int) -> int:
    """A legal action, all equally likely for random 64-bit keys; `most` is how many are ever legal at once."""
    skip = np.int64((key >> np.uint64(32)) * np.uint64(count_actions(bits)) >> np.uint64(32))
    for k in range(most - 1):  # a fixed number of steps: a loop that ends somewhere would be mispredicted
        bits = bits & (bits - 1) if k < skip else bits
    return lowest_action(bits)


def _check_random(bits: Any, seed: Any, actions: Any) -> None:
    check_whole_numbers("bits", bits)
    check_array("actions", actions, np.int64)
    if len(actions) != len(bits):
        raise ValueError(f"actions must have a number for each of {len(bits)} games, not {len(actions)}")
    check_writeable("actions", actions)
    check_seed(seed)


@checked(_check_random)
@compiled
def random_actions(bits: Ints, seed: Any, actions: Ints) -> None:
    """A random legal action for every game, a function of the seed; 0 where a game has ended."""
    for i in range(len(bits)):
        actions[i] = random_among_many(bits[i], game_seed(seed, i, 0)) if bits[i] else 0


def _check_games_of(bits: Any, games: Any) -> None:
    check_array("bits", bits, np.int64)
    check_array("games", games, np.int64)
    if len(games) and not 0 <= games.min() <= games.max() < len(bits):
        raise ValueError(f"games must be from 0 to {len(bits) - 1}")


def _check_actions(bits: Any, actions: Any, games: Any) -> None:
    _check_games_of(bits, games)
    check_array("actions", actions, np.int64)
    if len(actions) != len(bits):
        raise ValueError(f"actions must have a number for each of {len(bits)} games, not {len(actions)}")


@checked(_check_actions)
@compiled
def first_illegal(bits: Ints, actions: Ints, games: Ints) -> int:
    """The first of some games whose action is illegal, or -1. Games that have ended take any action."""
    for i in games:
        if bits[i] != 0 and not (0 <= actions[i] < 63 and (bits[i] >> actions[i]) & 1):
            return int(i)
    return -1


def _check_masks(bits: Any, games: Any, start: Any, stop: Any, masks: Any) -> None:
    _check_games_of(bits, games)
    for name, place in (("start", start), ("stop", stop)):
        check_whole(name, place, 0, len(games))
    check_array("masks", masks, np.int8, 2)
    if len(masks) != len(bits) or masks.shape[1] > 63:
        raise ValueError(f"masks must have a row of up to 63 actions for each of {len(bits)} games")
    check_writeable("masks", masks)


@checked(_check_masks)
@compiled
def write_masks(bits: Ints, games: Ints, start: int, stop: int, masks: Ints8) -> None:
    """Spread the legal bits of the games games[start..stop-1] over their rows of action masks."""
    for i in games[start:stop]:
        legal = bits[i]
        for action in range(masks.shape[1]):
            masks[i, action] = (legal >> action) & 1


def action_list(bits: int) -> list[int]:
    """Legal bits as ascending action ids."""
    return [action for action in range(int(bits).bit_length()) if bits >> action & 1]


@lru_cache(maxsize=1 << 14)
def mask_of(bits: int, num_actions: int) -> Ints8:
    """Legal bits as an action mask; a shared array, not to be written to."""
    masks = np.zeros((1, num_actions), np.int8)
    write_masks(np.array([bits], np.int64), _ONE, 0, 1, masks)
    masks.setflags(write=False)
    return masks[0]
