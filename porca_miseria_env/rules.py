"""The rules of Porca Miseria, once, compiled. The numbers (P5, ...) refer to docs/porca-miseria.md.

There is no randomness here: chance is an input (P18). A game goes through five kinds of step:

- a card is turned (`turn_card`);
- on a symbol card, everybody glances at it (`look`; the glances are written first);
- the seats are asked one after another, though they decide at the same time: a choice (`act`) has no effect, and
  nobody is shown it, until all have chosen;
- then hands take effect in an order that is given: `lay_hand`, and `win_loot` where a hand was right;
- `end_tick` says what comes next.

Nothing is ever skipped: also a player who can only wait is asked. Skipping forced actions and drawing what chance
decides is the business of `game.py` and `chance.py`.

Games are records in a NumPy array of dtype `STATE`; public functions take the array and an index. Functions on `s`
take the record itself, do not check, and are what other compiled code is made of.
"""

from __future__ import annotations

from enum import IntEnum
from itertools import combinations, permutations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pechvogel.tabletop.bits import count_actions
from pechvogel.tabletop.checks import check_truths, check_whole
from pechvogel.tabletop.compile import compiled, inlined
from pechvogel.tabletop.guards import check_array, checked
from pechvogel.tabletop.results import compiled_results
from pechvogel.tabletop.states import Checks, records

MIN_PLAYERS, MAX_PLAYERS = 3, 8
NUM_CARDS = 63  # of the pile, symbol cards first, then tap cards (P1)
TAP_CARDS = 9  # P1: the usual ones
NUM_SYMBOLS = 3  # mushroom, pig, chimney sweep; also the lucky cards (P1)
MAX_COUNT = 8  # how often a card shows a symbol: 1 to 8 (P2); also the lucky numbers (P3)
MAX_TICKS, TICKS = 12, 6  # P13: the most, the usual ones
MAX_BLUR, BLUR = 0.45, 0.1  # P16: the most, the usual one
MAX_GLANCE = 2 * MAX_COUNT  # P16: every symbol counted twice
PENALTY = 3  # cards that a wrong hand costs (P7)
JACKPOT_CUT = 5  # P9
MAX_JACKPOT = JACKPOT_CUT + NUM_SYMBOLS * PENALTY + 1  # cut, then three wrong hands and the card itself
HANDS_EACH = 2  # P10
MAX_HANDS = HANDS_EACH * MAX_PLAYERS
KEPT_TURNED = 256  # how many of the last cards that were turned a state remembers
NOBODY = -1
NO_CARD = -1
NO_GLANCE = -1

SYMBOLS = ("mushroom", "pig", "sweep")


class Action(IntEnum):
    """Everything that anybody can ever do (P13)."""

    WAIT = 0
    MUSHROOM = 1
    PIG = 2
    SWEEP = 3
    TAP = 4


NUM_ACTIONS = len(Action)
ACTION_NAMES = tuple(action.name.lower() for action in Action)


class Phase(IntEnum):
    """What the game waits for: somebody's choice in the first two, chance in the next three."""

    SYMBOLS = 0  # a symbol card lies there
    TAP = 1  # a tap card lies there
    CARD = 2  # a card is turned next
    GLANCES = 3  # everybody glances next
    HANDS = 4  # hands take effect next
    OVER = 5


def _symbol_cards() -> list[list[int]]:
    """How often each symbol card shows mushroom, pig and sweep, if all 63 were symbol cards (P2)."""
    sets, orders = [*combinations(range(1, MAX_COUNT + 1), NUM_SYMBOLS)], [*permutations(range(NUM_SYMBOLS))]
    return [
        [sets[k % len(sets)][place] for place in orders[(k + k // len(sets)) % len(orders)]] for k in range(NUM_CARDS)
    ]


SHOWN = np.array(_symbol_cards(), np.int8)  # by symbol card and symbol
SHOWN_BITS = (1 << SHOWN.astype(np.int64)).sum(axis=1)  # the numbers that a symbol card shows, as bits 1 << number


def _lucky_numbers() -> NDArray[np.int64]:
    """Lucky numbers as bits 1 << number, by players and place; place 0 has the 1 (P3)."""
    numbers = np.zeros((MAX_PLAYERS + 1, MAX_PLAYERS), np.int64)
    for num_players in range(MIN_PLAYERS, MAX_PLAYERS + 1):
        for number in range(1, MAX_COUNT + 1):
            numbers[num_players, (number - 1) % num_players] |= 1 << number
    return numbers


NUMBERS = _lucky_numbers()
ONE = np.int64(1)  # to be shifted: without numba, a bare 1 would become as narrow as the numbers in states are
ALL_LUCKY = (1 << NUM_SYMBOLS) - 1  # all three lucky cards, as bits
ALL_CARDS = (1 << NUM_CARDS) - 1

ODDS_BITS = 31  # how finely the odds of glances are kept


def glance_odds(blur: float) -> NDArray[np.uint32]:
    """How likely glances are (P16): [count, g] is 2**31 times the probability that `count` symbols give at most g.

    Plain sums in one order: so it is the same on every machine.
    """
    odds = np.zeros((MAX_COUNT + 1, MAX_GLANCE), np.uint32)
    chances = [1.0]  # of 0, 1, 2, ... being counted
    for count in range(MAX_COUNT + 1):
        total = 0.0
        for glance in range(MAX_GLANCE):
            total += chances[glance] if glance < len(chances) else 0.0
            odds[count, glance] = (
                2**ODDS_BITS if glance >= 2 * count else min(round(total * 2**ODDS_BITS), 2**ODDS_BITS)
            )
        padded = [0.0, 0.0, *chances, 0.0, 0.0]
        chances = [  # one symbol more: overlooked, counted once, counted twice
            blur * padded[g + 2] + (1 - 2 * blur) * padded[g + 1] + blur * padded[g] for g in range(len(chances) + 2)
        ]
    return odds


# One game. Seats are numbered clockwise from 0. Cards are bits in `pile` and `known`, numbers elsewhere.
STATE = np.dtype(
    [
        ("num_players", np.int8),  # 3..8
        ("tap_cards", np.int8),  # how many of the 63 cards are tap cards: the last ones (P1)
        ("ticks", np.int8),  # how long a card is looked at, 1..12 (P13)
        ("moving_numbers", np.int8),  # 1: lucky numbers move on with the dealer (P3)
        ("blur", np.float64),  # 0..0.45 (P16)
        ("odds", np.uint32, (MAX_COUNT + 1, MAX_GLANCE)),  # `glance_odds` of the blur
        ("phase", np.int8),  # a Phase
        ("to_act", np.int8),  # seat that is asked, or NOBODY
        ("first_dealer", np.int8),  # seat (P3)
        ("dealer", np.int8),  # seat (P4)
        ("card", np.int8),  # the card that lies there, or NO_CARD
        ("tick", np.int8),  # 0..ticks-1; 0 between cards
        ("middle", np.int8),  # lucky cards in the middle, as bits 1 << symbol
        ("paid", np.int8),  # lucky cards that were paid as loot, as bits (P11); then this is the last tick
        ("num_taken", np.int8),  # how many of `takers`, `taken` and `right` count
        ("takers", np.int8, (NUM_SYMBOLS,)),  # seats whose hands took a lucky card of this symbol card, in order
        ("taken", np.int8, (NUM_SYMBOLS,)),  # ... which symbol
        ("right", np.int8, (NUM_SYMBOLS,)),  # ... 1: rightly (P5)
        ("num_hands", np.int8),  # how many of `hands` count
        ("hands_before", np.int8),  # how many there were before this tick
        ("sandwich", np.int8),  # seat that has made one, or NOBODY (P10)
        ("hands", np.int8, (MAX_HANDS,)),  # seats whose hands lie on the tap card, the lowest first
        ("hand_counts", np.int8, (MAX_PLAYERS,)),  # how many of them, by seat
        ("first_hands", np.int8, (MAX_PLAYERS,)),  # the place of a seat's first hand in `hands`, if it has one
        ("choices", np.int8, (MAX_PLAYERS,)),  # actions of this tick by seat, for those who have chosen
        ("glances", np.int8, (MAX_TICKS, MAX_PLAYERS, NUM_SYMBOLS)),  # at this symbol card, for ticks so far
        ("num_jackpot", np.int8),  # how many of `jackpot` count
        ("jackpot", np.int8, (MAX_JACKPOT,)),  # cards, the oldest first
        ("loot", np.int8, (MAX_PLAYERS,)),  # how many cards each seat has won, lucky cards included
        ("lucky", np.int8, (MAX_PLAYERS,)),  # ... how many of them are lucky cards (P11)
        ("tops", np.int8, (MAX_PLAYERS,)),  # the uppermost card of each seat's loot, or NO_CARD
        ("below", np.int8, (NUM_CARDS,)),  # for cards in loot: the one under it, or NO_CARD
        ("turned", np.int8, (KEPT_TURNED,)),  # card number k that was turned and is over stands at k mod KEPT_TURNED
        ("pile", np.int64),  # cards in the pile, as bits
        ("known", np.int64),  # cards of which everybody can tell that they are not in the pile (P17), as bits
        ("turn", np.int32),  # cards that were turned and are over
    ],
    align=True,
)

States: TypeAlias = NDArray[np.void]  # games: an array of dtype STATE, from `new_states`
CHECKS = Checks(STATE, NUM_ACTIONS)


# ------------------------------------------------------------------------------------------------ start


def check_blur(name: str, value: Any) -> None:
    """Refuse what is no probability from 0 to 0.45 (P16)."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.floating)):
        raise ValueError(f"{name} must be a number, not {value!r}")
    if not 0 <= value <= MAX_BLUR:
        raise ValueError(f"{name} must be from 0 to {MAX_BLUR}, not {value}")


def check_rules(num_players: Any, tap_cards: Any, ticks: Any, blur: Any, moving_numbers: Any) -> None:
    """Refuse settings that no game can have."""
    check_whole("num_players", num_players, MIN_PLAYERS, MAX_PLAYERS)
    check_whole("tap_cards", tap_cards, 0, NUM_CARDS)
    check_whole("ticks", ticks, 1, MAX_TICKS)
    check_blur("blur", blur)
    check_truths(moving_numbers=moving_numbers)


def new_states(
    num_games: int,
    num_players: int,
    tap_cards: int = TAP_CARDS,
    ticks: int = TICKS,
    blur: float = BLUR,
    moving_numbers: bool = False,
) -> States:
    """Games with these settings; `new_game` starts them."""
    check_rules(num_players, tap_cards, ticks, blur, moving_numbers)
    states = records(num_games, STATE)
    for name, value in (
        ("num_players", num_players),
        ("tap_cards", tap_cards),
        ("ticks", ticks),
        ("blur", blur),
        ("moving_numbers", moving_numbers),
        ("odds", glance_odds(float(blur))),
    ):
        states[name] = value
    return states


def _check_new(states: Any, i: Any, first_dealer: Any) -> None:
    CHECKS.change(states, i)
    check_whole("first_dealer", first_dealer, 0, int(states["num_players"][i]) - 1)


def _check_card(states: Any, i: Any, card: Any) -> None:
    CHECKS.change(states, i)
    check_whole("card", card, 0, NUM_CARDS - 1)


def _check_glances(states: Any, i: Any, glances: Any) -> None:
    CHECKS.change(states, i)
    check_array("glances", glances, np.int8, 2)
    if glances.shape[1] != NUM_SYMBOLS:
        raise ValueError(f"a glance is {NUM_SYMBOLS} counts, not {glances.shape[1]}")


def _check_hands(states: Any, i: Any, order: Any, loot: Any) -> None:
    CHECKS.change(states, i)
    check_array("order", order, np.int8)
    check_array("loot", loot, np.int8)


@checked(_check_new)
@compiled
def new_game(states: States, i: int, first_dealer: int) -> None:
    """Set game `i` to the start of a game with the settings that it has (P1, P3)."""
    begin(states[i], first_dealer)


@inlined
def begin(s: Any, first_dealer: int) -> None:
    """The start of a game with the settings that it has (P1, P3)."""
    s.first_dealer = first_dealer
    s.dealer = first_dealer
    s.turn = 0
    s.pile = ALL_CARDS
    s.known = 0
    s.paid = 0
    s.num_jackpot = 0
    for seat in range(MAX_PLAYERS):
        s.loot[seat] = 0
        s.lucky[seat] = 0
        s.tops[seat] = NO_CARD
    _clear_table(s)
    s.phase = Phase.CARD


@inlined
def _clear_table(s: Any) -> None:
    """Between cards the lucky cards are in the middle, less those that were paid, and no hands lie there."""
    s.card = NO_CARD
    s.tick = 0
    s.to_act = NOBODY
    s.middle = ALL_LUCKY & ~s.paid
    s.num_taken = 0
    s.num_hands = 0
    s.hands_before = 0
    s.sandwich = NOBODY
    for seat in range(MAX_PLAYERS):
        s.hand_counts[seat] = 0


# ------------------------------------------------------------------------------------------------ cards and glances


@checked(_check_card)
@compiled
def apply_card(states: States, i: int, card: int) -> None:
    """Turn a card (P4); ValueError unless one is due and this one is in the pile."""
    s = states[i]
    if s.phase != Phase.CARD or not (s.pile >> card) & 1:
        raise ValueError("that card can't be turned now: no card is due, or it is not in the pile")
    turn_card(s, card)


@inlined
def turn_card(s: Any, card: int) -> None:
    """The dealer turns a card of the pile, so that all see it at once (P4)."""
    s.card = card
    s.pile &= ~(ONE << card)
    if is_tap(s, card):
        _ask(s, Phase.TAP)
    else:
        s.phase = Phase.GLANCES


@inlined
def is_tap(s: Any, card: int) -> bool:
    """Whether a card is a tap card: the last ones are (P1)."""
    return card >= NUM_CARDS - s.tap_cards


@inlined
def tap_symbol(s: Any, card: int) -> int:
    """What a tap card shows, to no effect (P2)."""
    return (card - (NUM_CARDS - s.tap_cards)) % NUM_SYMBOLS


@checked(_check_glances)
@compiled
def apply_glances(states: States, i: int, glances: NDArray[np.int8]) -> None:
    """Everybody's glance, a row of three counts each; ValueError unless they are due and possible (P16)."""
    s = states[i]
    if s.phase != Phase.GLANCES or len(glances) != s.num_players:
        raise ValueError("those are not the glances of all players at a symbol card, or none are due")
    for seat in range(s.num_players):
        for symbol in range(NUM_SYMBOLS):
            if not 0 <= glances[seat, symbol] <= 2 * SHOWN[s.card, symbol]:
                raise ValueError("a glance counts a symbol at most twice as often as it is there")
    for seat in range(s.num_players):
        for symbol in range(NUM_SYMBOLS):
            s.glances[s.tick, seat, symbol] = glances[seat, symbol]
    look(s)


@inlined
def look(s: Any) -> None:
    """Everybody has glanced at the symbol card (P16): now they decide."""
    _ask(s, Phase.SYMBOLS)


@inlined
def _ask(s: Any, phase: int) -> None:
    s.phase = phase
    s.to_act = 0
    s.hands_before = s.num_hands


# ------------------------------------------------------------------------------------------------ choices


@checked(CHECKS.game)
@compiled
def legal_bits(states: States, i: int) -> int:
    """The legal actions of whoever is asked, as bits 1 << action; 0 where nobody is."""
    return legal_of(states[i])


@inlined
def legal_of(s: Any) -> int:
    """The legal actions of whoever is asked, as bits (P13)."""
    if s.phase == Phase.SYMBOLS:  # a lucky card that is still there
        return (1 << Action.WAIT) | (s.middle << Action.MUSHROOM)
    if s.phase == Phase.TAP:  # with a hand left
        return (1 << Action.WAIT) | ((s.hand_counts[s.to_act] < HANDS_EACH) << Action.TAP)
    return 0


@checked(CHECKS.action)
@compiled
def apply(states: States, i: int, action: int) -> None:
    """What whoever is asked chooses; ValueError, and nothing changed, if it is illegal."""
    if not (0 <= action < NUM_ACTIONS and (legal_of(states[i]) >> action) & 1):
        raise ValueError("that action is illegal: see legal_bits")
    act(states[i], action)


@inlined
def act(s: Any, action: int) -> None:
    """Keep a legal choice until all have chosen (P13): this does not check."""
    s.choices[s.to_act] = action
    s.to_act += 1
    if s.to_act == s.num_players:
        s.to_act = NOBODY
        s.phase = Phase.HANDS


# ------------------------------------------------------------------------------------------------ hands


@checked(_check_hands)
@compiled
def apply_hands(states: States, i: int, order: NDArray[np.int8], loot: NDArray[np.int8]) -> None:
    """Hands in an order of all seats, with the loot that right ones draw, in this order, while there is a pile.

    ValueError, and nothing changed, unless they are due, and this is such an order and just such loot.
    """
    s = states[i]
    if s.phase != Phase.HANDS or len(order) != s.num_players or not _fits(states, i, order, loot):
        raise ValueError("no hands are due, or that is no order of all seats, or not the loot that they draw")
    drawn = 0
    for seat in order:
        if lay_hand(s, seat):
            if s.pile == 0:
                keep_lucky_card(s, seat)
            else:
                win_loot(s, seat, loot[drawn])
                drawn += 1
    end_tick(s)


@compiled
def seats_with_loot(states: States, i: int, order: NDArray[np.int8]) -> NDArray[np.int8]:
    """The seats whose hands will be right and first (P5, P6), if hands take effect in this order."""
    s = states[i]
    seats = np.empty(NUM_SYMBOLS, np.int8)
    number = 0
    middle = s.middle
    for seat in order:
        symbol = s.choices[seat] - Action.MUSHROOM
        if 0 <= symbol < NUM_SYMBOLS and (middle >> symbol) & 1:
            middle &= ~(ONE << symbol)
            if is_right(s, seat, symbol):
                seats[number] = seat
                number += 1
    return seats[:number]


@inlined
def _fits(states: States, i: int, order: NDArray[np.int8], loot: NDArray[np.int8]) -> bool:
    """Whether this is an order of all seats, and the loot that right hands draw in it."""
    s = states[i]
    seats = 0
    for seat in order:
        if not 0 <= seat < s.num_players:
            return False
        seats |= ONE << seat
    due = len(seats_with_loot(states, i, order))
    pile = s.pile
    for card in loot:
        if not 0 <= card < NUM_CARDS or not (pile >> card) & 1:
            return False
        pile &= ~(ONE << card)
    return seats == (ONE << s.num_players) - 1 and len(loot) == min(due, count_actions(s.pile))


@inlined
def lay_hand(s: Any, seat: int) -> bool:
    """The hand of a seat takes effect, if it has one; whether it wins loot (P6, P7, P10, P14)."""
    action = s.choices[seat]
    if action == Action.WAIT:
        return False
    if action == Action.TAP:
        _lay_on_pile(s, seat)
        return False
    symbol = action - Action.MUSHROOM
    if not (s.middle >> symbol) & 1:  # P14: a faster hand has just taken it
        return False
    s.middle &= ~(ONE << symbol)  # P6
    right = is_right(s, seat, symbol)
    s.takers[s.num_taken] = seat
    s.taken[s.num_taken] = symbol
    s.right[s.num_taken] = right
    s.num_taken += 1
    if not right:
        _lose_loot(s, seat)
    return right


@inlined
def is_right(s: Any, seat: int, symbol: int) -> bool:
    """Whether a player may take the lucky card of a symbol (P5)."""
    return may_take(numbers_of(s, seat), s.card, symbol)


@inlined
def may_take(numbers: int, card: int, symbol: int) -> bool:
    """Whether lucky numbers allow to take the lucky card of a symbol of a symbol card (P5)."""
    return ((numbers >> np.int64(SHOWN[card, symbol])) & 1 != 0) | (numbers & SHOWN_BITS[card] == 0)


@inlined
def numbers_of(s: Any, seat: int) -> int:
    """The lucky numbers of a seat, as bits 1 << number (P3)."""
    place = seat - (s.dealer if s.moving_numbers else s.first_dealer)
    return NUMBERS[s.num_players, place if place >= 0 else place + s.num_players]


@inlined
def _lay_on_pile(s: Any, seat: int) -> None:
    """One more hand on the tap card (P10), unless a sandwich has just ended it (P14)."""
    if s.sandwich != NOBODY:
        return
    place = s.num_hands
    s.hands[place] = seat
    s.num_hands += 1
    s.hand_counts[seat] += 1
    if s.hand_counts[seat] == 1:
        s.first_hands[seat] = place
    elif place > s.first_hands[seat] + 1:  # P10: all that lie between are others'
        s.sandwich = seat


@inlined
def win_loot(s: Any, seat: int, card: int) -> None:
    """A right hand wins a card of the pile (P7)."""
    s.pile &= ~(ONE << card)
    _put_on_loot(s, seat, card)


@inlined
def keep_lucky_card(s: Any, seat: int) -> None:
    """The pile is empty: the lucky card that a right hand has just taken is its loot (P11)."""
    s.paid |= ONE << s.taken[s.num_taken - 1]
    s.lucky[seat] += 1
    s.loot[seat] += 1


@inlined
def _put_on_loot(s: Any, seat: int, card: int) -> None:
    s.below[card] = s.tops[seat]
    s.tops[seat] = card
    s.loot[seat] += 1


@inlined
def _lose_loot(s: Any, seat: int) -> None:
    """A wrong hand costs three cards from the top of the loot, which enter the jackpot together (P7).

    Of cards that came together the lower number is the older one. Where everybody knows some of them and not all,
    nobody can tell which is where: then all count as unknown (P17).
    """
    lost = min(s.loot[seat], PENALTY)  # who has fewer gives all
    start = s.num_jackpot
    cards = 0
    for _ in range(lost):
        card = s.tops[seat]
        s.tops[seat] = s.below[card]
        cards |= ONE << card
        place = s.num_jackpot
        while place > start and s.jackpot[place - 1] > card:
            s.jackpot[place] = s.jackpot[place - 1]
            place -= 1
        s.jackpot[place] = card
        s.num_jackpot += 1
    s.loot[seat] -= lost
    if s.known & cards != cards:
        s.known &= ~cards


# ------------------------------------------------------------------------------------------------ ends


@inlined
def end_tick(s: Any) -> None:
    """All hands of the tick have taken effect: look once more, or the card ends (P15)."""
    last = s.tick + 1 >= s.ticks
    if is_tap(s, s.card):
        if s.sandwich != NOBODY:
            _win_jackpot(s, s.sandwich)
        elif last or (s.num_hands > 0 and s.num_hands == s.hands_before):
            if s.num_hands > 0:
                _win_jackpot(s, s.hands[0])  # P10: the lowest hand
            else:
                _put_in_jackpot(s)  # P10: nobody put a hand down
        else:
            s.tick += 1
            _ask(s, Phase.TAP)
            return
    elif last or s.middle == 0 or s.paid != 0:
        _put_in_jackpot(s)  # P8
    else:
        s.tick += 1
        s.phase = Phase.GLANCES
        return
    _end_card(s)


@inlined
def _put_in_jackpot(s: Any) -> None:
    s.jackpot[s.num_jackpot] = s.card
    s.num_jackpot += 1


@inlined
def _win_jackpot(s: Any, seat: int) -> None:
    """The tap card and the whole jackpot, onto the loot: the oldest card first, then the tap card (P10)."""
    for k in range(s.num_jackpot):
        _put_on_loot(s, seat, s.jackpot[k])
    s.num_jackpot = 0
    _put_on_loot(s, seat, s.card)


@inlined
def _end_card(s: Any) -> None:
    """The table is cleared (P8), the dealer moves on (P4), the jackpot is cut (P9); the game may be over (P11)."""
    s.known |= ONE << s.card
    s.turned[s.turn % KEPT_TURNED] = s.card
    s.turn += 1
    s.dealer = s.dealer + 1 if s.dealer + 1 < s.num_players else 0
    _clear_table(s)
    if s.paid == 0:
        _cut_jackpot(s)
    s.phase = Phase.CARD if s.paid == 0 and s.pile != 0 else Phase.OVER


@inlined
def _cut_jackpot(s: Any) -> None:
    """Five cards stay in the jackpot; those that have been in it longest go back to the pile (P9)."""
    over = s.num_jackpot - JACKPOT_CUT
    if over <= 0:
        return
    back = 0
    for k in range(over):
        back |= ONE << s.jackpot[k]
    for k in range(JACKPOT_CUT):
        s.jackpot[k] = s.jackpot[k + over]
    s.num_jackpot = JACKPOT_CUT
    s.pile |= back
    s.known &= ~back


# ------------------------------------------------------------------------------------------------ results


@inlined
def score_of(s: Any, seat: int) -> int:
    """Points of one player: loot cards (P12)."""
    return s.loot[seat]


# P12: most loot cards win, and several with the most share the win. So it is in every game: `tabletop.results`.
RESULTS = compiled_results(__name__, CHECKS, score_of)
put_scores, winners_of, put_win_rewards, put_score_rewards = RESULTS[:4]
score, winners, write_scores, write_win_rewards, write_score_rewards = RESULTS[4:]
