"""The rules of Lucky Loser, once, compiled. The numbers (L7, ...) refer to docs/lucky-loser.md.

There is no randomness here. A game alternates between two kinds of step: a *throw* (`apply_throw` or `apply_dice`,
what the dice show) and a *decision* (`apply`: which groups the player at turn forms). Nothing is ever skipped: also a
player who can form no group is asked. Skipping forced actions and throwing dice is the business of `game.py`.

Games are records in a NumPy array of dtype `STATE`; public functions take the array and an index. Functions on `s`
take the record itself, do not check, and are what other compiled code is made of: `begin`, `legal_of`, `land`, `act`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum
from itertools import combinations_with_replacement, product
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pechvogel.tabletop.checks import check_whole
from pechvogel.tabletop.compile import compiled, inlined
from pechvogel.tabletop.guards import checked
from pechvogel.tabletop.results import compiled_results
from pechvogel.tabletop.states import Checks, records

MIN_PLAYERS, MAX_PLAYERS = 2, 4
NUM_DICE = 4  # L1
FACES = (1, 2, 3, 4, 5, 6)  # L1
NUM_FACES = len(FACES)
NUM_THROWS = NUM_FACES**NUM_DICE  # in the order thrown
SUMS = (5, 6, 7, 8, 9, 10)  # L2: a row for each; also what a chip of that row is worth (L3)
NUM_ROWS = len(SUMS)
MAX_LENGTH = 8  # L2
ROW_LENGTHS = (4,) * NUM_ROWS  # L2: the usual ones
CHIPS = (12, 11, 10, 9, 8, 7)  # L3: by row, with four players
FEWER_CHIPS_BELOW = 4  # L3: with fewer players there is one fewer in every row
BONUS = (15, 12, 9, 6)  # L4: the top card first
NUM_CARDS = len(BONUS)
ROWS_TO_END = 3  # L14
LUCKY_FACE = 1  # L7
MAX_GROUPS = NUM_DICE  # a group has at least one die (L8)
NOBODY = -1
NO_THROW = -1


class Phase(IntEnum):
    """What the game waits for. In the last two, nobody is asked."""

    GROUP = 0
    THROW = 1
    OVER = 2


# ------------------------------------------------------------------------------------------------ actions


def _all_groups() -> Iterator[tuple[int, ...]]:
    """Every multiset of sums that four dice could have (L8), by the number of groups, then by the sums."""
    for number in range(MAX_GROUPS + 1):
        for sums in combinations_with_replacement(SUMS, number):
            # A die shows at most a 6: the larger sums need two of them.
            if sum(1 if sum_ <= FACES[-1] else 2 for sum_ in sums) <= NUM_DICE:
                yield sums


GROUPS = tuple(_all_groups())  # the actions: which groups a player forms, by id
NUM_ACTIONS = len(GROUPS)
assert NUM_ACTIONS == 49
NOTHING = 0  # the action without a group
MAX_LEGAL = 29  # nobody ever has more legal actions: a test counts
ACTION_OF = {sums: action for action, sums in enumerate(GROUPS)}
ACTION_NAMES = ("nothing", *("{" + ",".join(map(str, sums)) + "}" for sums in GROUPS[1:]))

_COUNTS = np.array([[sums.count(sum_) for sum_ in SUMS] for sums in GROUPS], np.int8)  # groups by action and row
# The actions, as bits, with at most so many groups in a row.
_AT_MOST = np.array(
    [
        [sum(1 << a for a in range(NUM_ACTIONS) if _COUNTS[a, row] <= most) for most in range(MAX_GROUPS + 1)]
        for row in range(NUM_ROWS)
    ],
    np.int64,
)


def _formed(dice: Sequence[int]) -> set[int]:
    """All that can be made of dice that are not turned (L8): each is left over, a new group, or in one with others."""
    made: set[tuple[int, ...]] = {()}
    for die in dice:
        alone = {(*sums, die) for sums in made}
        joined = {(*sums[:k], sums[k] + die, *sums[k + 1 :]) for sums in made for k in range(len(sums))}
        made |= {tuple(sorted(sums)) for sums in alone | joined}
    return {ACTION_OF[sums] for sums in made if sums in ACTION_OF}


def _turned(dice: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """L7: what the dice may show after ones were turned, at least one of which stays; the dice as they are, too."""
    ones = dice.count(LUCKY_FACE)
    others = dice[ones:]
    for turned in range(max(ones, 1)):
        for faces in combinations_with_replacement(FACES, turned):
            yield tuple(sorted((*(LUCKY_FACE,) * (ones - turned), *faces, *others)))


SORTED_THROWS = tuple(combinations_with_replacement(FACES, NUM_DICE))  # all 126
_PLAIN = {dice: sum(1 << action for action in _formed(dice)) for dice in SORTED_THROWS}
# The actions that a throw allows on open rows (L7, L8), as bits, by the number of the sorted throw.
_FORMABLE = np.array(
    [np.bitwise_or.reduce([_PLAIN[shown] for shown in _turned(dice)]) for dice in SORTED_THROWS], np.int64
)
# The number of the sorted throw, by the number of the throw in the order thrown: which digit is whose is all the same.
_SORTED = np.array([SORTED_THROWS.index(tuple(sorted(dice))) for dice in product(FACES, repeat=NUM_DICE)], np.uint8)

# ------------------------------------------------------------------------------------------------ state

# One game. Seats are numbered clockwise from 0; rows 5..10 have the indices 0..5.
STATE = np.dtype(
    [
        ("num_players", np.int8),  # 2..4
        ("phase", np.int8),  # a Phase
        ("active", np.int8),  # seat whose turn it is
        ("to_act", np.int8),  # seat that is asked: the active one in GROUP, else NOBODY
        ("first", np.int8),  # seat that begins every round (L14)
        ("cards", np.int8),  # bonus cards taken, 0..4 (L4)
        ("thrown", np.int16),  # the throw: digit k in base 6 is die k's face less one; or NO_THROW
        ("turn", np.int32),  # finished turns
        ("row_lengths", np.int8, (NUM_ROWS,)),  # squares of a row, the X included, 1..8 (L2)
        ("stacks", np.int8, (NUM_ROWS,)),  # chips left; 0: the row is closed (L12)
        ("places", np.int8, (MAX_PLAYERS, NUM_ROWS)),  # by seat and row: 0 no piece, 1 first square, the length: the X
        ("chips", np.int8, (MAX_PLAYERS, NUM_ROWS)),  # by seat and row
        ("sets", np.int8, (MAX_PLAYERS,)),  # of six different chips, by seat: the least of its chips (L13)
        ("bonus", np.int8, (MAX_PLAYERS,)),  # points of bonus cards, by seat
    ],
    align=True,
)

States: TypeAlias = NDArray[np.void]  # games: an array of dtype STATE, from `new_states`


def new_states(num_games: int) -> States:
    """Room for games; `new_game` or `position.load` fills it."""
    return records(num_games, STATE)


CHECKS = Checks(STATE, NUM_ACTIONS)


def check_row_lengths(name: str, value: Any) -> None:
    """Refuse what are not six lengths (L2)."""
    if not isinstance(value, (list, tuple)) or len(value) != NUM_ROWS:
        raise ValueError(f"{name} must be {NUM_ROWS} whole numbers, one for each row, not {value!r}")
    for row, length in enumerate(value):
        check_whole(f"{name}[{row}]", length, 1, MAX_LENGTH)


def _check_new(states: Any, i: Any, num_players: Any, row_lengths: Any, first_player: Any) -> None:
    CHECKS.change(states, i)
    check_whole("num_players", num_players, MIN_PLAYERS, MAX_PLAYERS)
    check_row_lengths("row_lengths", row_lengths)
    if type(row_lengths) is not tuple:
        raise ValueError("row_lengths must be a tuple")
    check_whole("first_player", first_player, 0, num_players - 1)


# ------------------------------------------------------------------------------------------------ start


@checked(_check_new)
@compiled
def new_game(states: States, i: int, num_players: int, row_lengths: tuple[int, ...], first_player: int) -> None:
    """Set game `i` to the start of a game (L2-L5)."""
    settle(states[i], num_players, row_lengths)
    begin(states[i], first_player)


@inlined
def settle(s: Any, num_players: int, row_lengths: tuple[int, ...]) -> None:
    """The settings of a game, which `begin` leaves as they are."""
    s.num_players = num_players
    for row in range(NUM_ROWS):
        s.row_lengths[row] = row_lengths[row]


@inlined
def begin(s: Any, first_player: int) -> None:
    """The start of a game with the settings that it has (L3-L5)."""
    for row in range(NUM_ROWS):
        s.stacks[row] = chips_in_box(s.num_players, row)
    for seat in range(MAX_PLAYERS):
        s.sets[seat] = 0
        s.bonus[seat] = 0
        for row in range(NUM_ROWS):
            s.places[seat, row] = 0
            s.chips[seat, row] = 0
    s.cards = 0
    s.turn = 0
    s.first = first_player
    _await_throw(s, first_player)


@inlined
def chips_in_box(num_players: int, row: int) -> int:
    """How many chips a row begins with (L3)."""
    return CHIPS[row] - (num_players < FEWER_CHIPS_BELOW)


@inlined
def _await_throw(s: Any, seat: int) -> None:
    s.active = seat
    s.to_act = NOBODY
    s.thrown = NO_THROW
    s.phase = Phase.THROW


# ------------------------------------------------------------------------------------------------ throws


@checked(CHECKS.throw)
@compiled
def apply_throw(states: States, i: int, counts: NDArray[np.int8]) -> None:
    """Throw by counts of the faces 1..6; ValueError unless a throw is due and they are of four dice (L6)."""
    s = states[i]
    if s.phase != Phase.THROW or len(counts) != NUM_FACES or counts.min() < 0 or counts.sum() != NUM_DICE:
        raise ValueError("those are not the counts of a throw of four dice that is due")
    number = 0
    for k in range(NUM_FACES):
        index = NUM_FACES - 1 - k  # the last die is the highest digit, so the lowest face comes first
        for _ in range(counts[index]):
            number = number * NUM_FACES + index
    land(s, number)


@checked(CHECKS.throw)
@compiled
def apply_dice(states: States, i: int, dice: NDArray[np.int8]) -> None:
    """Throw by faces in the order thrown; ValueError unless a throw is due and there are four of them (L6)."""
    s = states[i]
    if s.phase != Phase.THROW or len(dice) != NUM_DICE:
        raise ValueError("those are not the dice of a throw of four dice that is due")
    number = 0
    for k in range(NUM_DICE):
        face = int(dice[NUM_DICE - 1 - k])
        if not FACES[0] <= face <= FACES[-1]:
            raise ValueError("a die shows 1, 2, 3, 4, 5 or 6")
        number = number * NUM_FACES + face - FACES[0]
    land(s, number)


@inlined
def land(s: Any, thrown: int) -> None:
    """The dice have fallen: the player at turn is asked what to make of them (L6)."""
    s.thrown = thrown
    s.phase = Phase.GROUP
    s.to_act = s.active


@inlined
def face_of(thrown: int, die: int) -> int:
    """The face of a die, by the number of the throw."""
    return FACES[0] + thrown // NUM_FACES**die % NUM_FACES


# ------------------------------------------------------------------------------------------------ legal


@checked(CHECKS.game)
@compiled
def legal_bits(states: States, i: int) -> int:
    """The legal actions of whoever is asked, as bits 1 << action; 0 in THROW and OVER."""
    return legal_of(states[i])


@inlined
def legal_of(s: Any) -> int:
    """The legal actions of whoever is asked, as bits: what the dice allow (L7, L8) and the rows, too (L12)."""
    if s.phase != Phase.GROUP:
        return 0
    return _FORMABLE[_SORTED[s.thrown]] & open_to(s, s.active)


@inlined
def open_to(s: Any, seat: int) -> int:
    """The actions that the rows allow a player, whatever the dice: no group that would do nothing (L12)."""
    bits = -1
    for row in range(NUM_ROWS):
        # The last chip closes the row: more groups than take it are not formed.
        stack = s.stacks[row]
        most = stack + max(s.row_lengths[row] - s.places[seat, row], 1) - 1
        bits &= _AT_MOST[row, min(most, MAX_GROUPS) if stack > 0 else 0]
    return bits


# ------------------------------------------------------------------------------------------------ actions


@checked(CHECKS.action)
@compiled
def apply(states: States, i: int, action: int) -> None:
    """Form the groups of an action; ValueError, and nothing changed, if it is illegal."""
    if not (0 <= action < NUM_ACTIONS and (legal_of(states[i]) >> action) & 1):
        raise ValueError("that action is illegal: see legal_bits")
    act(states[i], action)


@inlined
def act(s: Any, action: int) -> None:
    """Form the groups of a legal action, which ends the turn: this does not check."""
    move(s, s.active, action)
    _end_turn(s)


@inlined
def move(s: Any, seat: int, action: int) -> None:
    """What groups bring to a player (L9-L13); the order of rows does not matter."""
    chips = 0
    for row in range(NUM_ROWS):
        chips += _advance(s, seat, row, _COUNTS[action, row])  # none, mostly: a branch would be mispredicted
    if chips > 0:
        _take_cards(s, seat)


@inlined
def _advance(s: Any, seat: int, row: int, groups: int) -> int:
    """Groups of one sum: squares, then chips, which are counted (L9-L12)."""
    length = s.row_lengths[row]
    place = s.places[seat, row]
    there = place + groups  # L9
    s.places[seat, row] = min(there, length)
    chips = there - max(place, length - 1)  # L10: one for getting onto the X; L11: another for every further group
    if chips <= 0:
        return 0
    if place < length:
        for other in range(s.num_players):  # L10: the X holds one piece only
            if other != seat and s.places[other, row] == length:
                s.places[other, row] = 0
    s.chips[seat, row] += chips
    s.stacks[row] -= chips
    if s.stacks[row] == 0:  # L12: the row is closed, and all pieces in it leave the game
        for other in range(s.num_players):
            s.places[other, row] = 0
    return chips


@inlined
def _take_cards(s: Any, seat: int) -> None:
    """L13: a bonus card for every new set of six different chips, while there are cards."""
    sets = least_chips(s, seat)
    while s.sets[seat] < sets:
        s.sets[seat] += 1
        if s.cards < NUM_CARDS:
            s.bonus[seat] += BONUS[s.cards]
            s.cards += 1


@inlined
def least_chips(s: Any, seat: int) -> int:
    """How many chips a player has of the row of which they have the fewest."""
    least = s.chips[seat, 0]
    for row in range(1, NUM_ROWS):
        least = min(least, s.chips[seat, row])
    return least


@inlined
def _end_turn(s: Any) -> None:
    """The dice go on clockwise; after the last player of a round the game may be over (L14)."""
    s.turn += 1
    _await_throw(s, clockwise(s, s.active))
    if s.active == s.first and ends(s):
        s.phase = Phase.OVER


@inlined
def clockwise(s: Any, seat: int) -> int:
    """The next seat."""
    return seat + 1 if seat + 1 < s.num_players else 0


@inlined
def ends(s: Any) -> bool:
    """Whether the game ends with this round: three rows are closed, or all bonus cards are taken (L14)."""
    closed = 0
    for row in range(NUM_ROWS):
        closed += s.stacks[row] == 0
    return (closed >= ROWS_TO_END) | (s.cards == NUM_CARDS)


# ------------------------------------------------------------------------------------------------ results


@inlined
def score_of(s: Any, seat: int) -> int:
    """Points of one player: chips and bonus cards (L15)."""
    points = int(s.bonus[seat])
    for row in range(NUM_ROWS):
        points += SUMS[row] * int(s.chips[seat, row])
    return points


# L15: most points win, and several with the most points share the win. So it is in every game: `tabletop.results`.
RESULTS = compiled_results(__name__, CHECKS, score_of)
put_scores, winners_of, put_win_rewards, put_score_rewards = RESULTS[:4]
score, winners, write_scores, write_win_rewards, write_score_rewards = RESULTS[4:]
