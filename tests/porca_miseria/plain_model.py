"""A plain model of Porca Miseria: the rules once more, long-hand, to compare the compiled engine with.

It shares no code with the engine (`porca_miseria_env`) on purpose: it was written from the rules page (P1-P18) and from
the form of views alone, so that a mistake is unlikely to be made twice. It uses the standard library only and favours
obviousness over speed: cards are objects, piles are lists of them.

A tick is one call: `play_tick` is told everybody's choice, the order of hands and the loot that is drawn; before it
`turn_card` is told the card, and `glance` what everybody sees. So chance is an input.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

SYMBOLS = ["mushroom", "pig", "sweep"]
WAIT, MUSHROOM, PIG, SWEEP, TAP = 0, 1, 2, 3, 4
TAKES = {MUSHROOM: "mushroom", PIG: "pig", SWEEP: "sweep"}

# P3, as the page lists them: for the first dealer and the others clockwise.
LUCKY_NUMBERS = {
    3: [[1, 4, 7], [2, 5, 8], [3, 6]],
    4: [[1, 5], [2, 6], [3, 7], [4, 8]],
    5: [[1, 6], [2, 7], [3, 8], [4], [5]],
    6: [[1, 7], [2, 8], [3], [4], [5], [6]],
    7: [[1, 8], [2], [3], [4], [5], [6], [7]],
    8: [[1], [2], [3], [4], [5], [6], [7], [8]],
}


@dataclass
class PlainCard:
    number: int
    counts: dict[str, int] | None  # of a symbol card
    symbol: str | None  # of a tap card
    followed: bool = False  # P17: everybody can tell where it is, outside the pile

    def is_tap(self) -> bool:
        return self.counts is None


@dataclass
class PlainPlayer:
    loot: list[PlainCard] = field(default_factory=list)  # the top is the end
    lucky_loot: list[str] = field(default_factory=list)  # P11: lucky cards that were paid
    glances: list[list[int]] = field(default_factory=list)  # at the card that lies there


def make_cards(tap_cards: int) -> list[PlainCard]:
    """P1, P2."""
    sets = []
    for a in range(1, 9):
        for b in range(a + 1, 9):
            for c in range(b + 1, 9):
                sets.append([a, b, c])
    orders = ["012", "021", "102", "120", "201", "210"]
    cards = []
    for k in range(63 - tap_cards):
        numbers = sets[k % 56]
        order = orders[(k + k // 56) % 6]
        counts = {}
        for symbol, place in zip(SYMBOLS, order, strict=True):
            counts[symbol] = numbers[int(place)]
        cards.append(PlainCard(k, counts, None))
    for k in range(tap_cards):
        cards.append(PlainCard(63 - tap_cards + k, None, SYMBOLS[k % 3]))
    return cards


class PlainGame:
    """One game. Seats are 0, 1, ... clockwise, so the player on the left of seat 0 is seat 1."""

    def __init__(
        self,
        num_players: int,
        tap_cards: int = 9,
        ticks: int = 6,
        blur: float = 0.1,
        moving_numbers: bool = False,
        first_dealer: int = 0,
    ) -> None:
        self.num_players = num_players
        self.tap_cards = tap_cards
        self.ticks = ticks
        self.blur = blur
        self.moving_numbers = moving_numbers
        self.first_dealer = first_dealer
        self.dealer = first_dealer
        self.players = [PlainPlayer() for _ in range(num_players)]
        self.pile = make_cards(tap_cards)
        self.jackpot: list[PlainCard] = []  # the oldest first
        self.middle = list(SYMBOLS)
        self.card: PlainCard | None = None
        self.tick = 0
        self.taken: list[tuple[int, str, bool]] = []
        self.hands: list[int] = []  # the lowest first
        self.turned: list[PlainCard] = []
        self.over = False

    # ---------------------------------------------------------------- what can be read off the table

    def lucky_numbers(self, seat: int) -> list[int]:
        has_the_one = self.dealer if self.moving_numbers else self.first_dealer  # P3
        return LUCKY_NUMBERS[self.num_players][(seat - has_the_one) % self.num_players]

    def is_right(self, seat: int, symbol: str) -> bool:
        """P5."""
        assert self.card is not None and self.card.counts is not None
        numbers = self.lucky_numbers(seat)
        if self.card.counts[symbol] in numbers:
            return True
        return not any(count in numbers for count in self.card.counts.values())

    def legal_actions(self, seat: int) -> list[int]:
        """P13."""
        if self.card is None:
            return []
        if self.card.is_tap():
            return [WAIT, TAP] if self.hands.count(seat) < 2 else [WAIT]
        return [WAIT] + [action for action, symbol in TAKES.items() if symbol in self.middle]

    def scores(self) -> list[int]:
        return [len(player.loot) + len(player.lucky_loot) for player in self.players]

    def winners(self) -> list[int]:
        """P12."""
        return [seat for seat, score in enumerate(self.scores()) if score == max(self.scores())]

    # ---------------------------------------------------------------- a card

    def turn_card(self, number: int) -> None:
        """P4."""
        (card,) = [card for card in self.pile if card.number == number]
        self.pile.remove(card)
        self.card = card

    def glance(self, glances: list[list[int]]) -> None:
        """P16."""
        for player, seen in zip(self.players, glances, strict=True):
            player.glances.append(list(seen))

    def play_tick(self, actions: list[int], order: list[int], loot: list[int]) -> None:
        """P13, P14, P15: everybody's choice, the order of hands, and the cards that right hands draw."""
        assert self.card is not None
        if self.card.is_tap():
            self.play_tap_tick(actions, order)
        else:
            self.play_symbol_tick(actions, order, list(loot))

    def play_symbol_tick(self, actions: list[int], order: list[int], loot: list[int]) -> None:
        pile_could_not_pay = False
        for seat in order:
            if actions[seat] == WAIT:
                continue
            symbol = TAKES[actions[seat]]
            if symbol not in self.middle:
                continue  # P14: a faster hand was there
            self.middle.remove(symbol)  # P6
            right = self.is_right(seat, symbol)
            self.taken.append((seat, symbol, right))
            if not right:
                self.pay_penalty(seat)
            elif self.pile:
                number = loot.pop(0)
                (card,) = [card for card in self.pile if card.number == number]
                self.pile.remove(card)
                self.players[seat].loot.append(card)  # P7
            else:
                self.players[seat].lucky_loot.append(symbol)  # P11
                pile_could_not_pay = True
        assert not loot, "more loot was given than was won"
        if pile_could_not_pay:
            self.finish_card(to_jackpot=True)
            self.over = True  # P11: the jackpot is not cut
        elif not self.middle or self.tick == self.ticks - 1:
            self.finish_card(to_jackpot=True)
            self.before_next_card()
        else:
            self.tick += 1

    def pay_penalty(self, seat: int) -> None:
        """P7: three cards from the top; together, the lower number counts as the older one."""
        player = self.players[seat]
        lost = []
        while player.loot and len(lost) < 3:
            lost.append(player.loot.pop())
        if not all(card.followed for card in lost):
            for card in lost:
                card.followed = False  # which of them is where in the jackpot can't be told any more
        self.jackpot += sorted(lost, key=lambda card: card.number)

    def play_tap_tick(self, actions: list[int], order: list[int]) -> None:
        hands_before = len(self.hands)
        tapped = TAP in actions
        for seat in order:
            if actions[seat] == TAP:
                self.hands.append(seat)
                places = [place for place, owner in enumerate(self.hands) if owner == seat]
                if len(places) == 2 and any(self.hands[k] != seat for k in range(places[0], places[1])):
                    self.win_tap_card(seat)  # P10: a sandwich; P14: later hands do nothing
                    return
        if self.tick == self.ticks - 1 or (hands_before > 0 and not tapped):  # P15
            if self.hands:
                self.win_tap_card(self.hands[0])
            else:
                self.finish_card(to_jackpot=True)  # P10: nobody put a hand down
                self.before_next_card()
        else:
            self.tick += 1

    def win_tap_card(self, seat: int) -> None:
        assert self.card is not None
        self.players[seat].loot += self.jackpot  # oldest first
        self.players[seat].loot.append(self.card)
        self.jackpot = []
        self.finish_card(to_jackpot=False)
        self.before_next_card()

    def finish_card(self, to_jackpot: bool) -> None:
        """P8, P4."""
        assert self.card is not None
        if to_jackpot:
            self.jackpot.append(self.card)
        self.card.followed = True
        self.turned.append(self.card)
        self.card = None
        self.tick = 0
        paid = [symbol for player in self.players for symbol in player.lucky_loot]
        self.middle = [symbol for symbol in SYMBOLS if symbol not in paid]
        self.taken = []
        self.hands = []
        for player in self.players:
            player.glances = []
        self.dealer = (self.dealer + 1) % self.num_players

    def before_next_card(self) -> None:
        """P9, P11."""
        while len(self.jackpot) > 5:
            card = self.jackpot.pop(0)
            card.followed = False
            self.pile.append(card)
        self.over = not self.pile

    # ---------------------------------------------------------------- what is seen

    def view(self, seat: int) -> dict[str, Any]:
        """P16, P17."""
        lies = None if self.card is None else "tap" if self.card.is_tap() else "symbols"
        everywhere = itertools.chain(self.jackpot, *(player.loot for player in self.players))
        return {
            "game": "porca-miseria",
            "num_players": self.num_players,
            "settings": {
                "tap_cards": self.tap_cards,
                "ticks": self.ticks,
                "blur": self.blur,
                "moving_numbers": self.moving_numbers,
            },
            "seat": seat,
            "dealer": self.dealer,
            "lucky_numbers": [self.lucky_numbers(player) for player in range(self.num_players)],
            "card": lies,
            "symbol": None if self.card is None else self.card.symbol,
            "tick": self.tick,
            "glances": self.players[seat].glances,
            "middle": list(self.middle),
            "hands": list(self.hands),
            "taken": [list(hand) for hand in self.taken],
            "loot": self.scores(),
            "pile": len(self.pile),
            "jackpot": len(self.jackpot),
            "turned": [
                {"card": card.number, "shows": list(card.counts.values()) if card.counts else card.symbol}
                for card in self.turned[-256:]
            ],
            "elsewhere": sorted(card.number for card in everywhere if card.followed),
        }

    def hidden(self) -> dict[str, Any]:
        """What nobody sees."""
        return {
            "card": -1 if self.card is None else self.card.number,
            "pile": sorted(card.number for card in self.pile),
            "jackpot": [card.number for card in self.jackpot],
            "loot": [[card.number for card in player.loot] for player in self.players],
            "lucky": [len(player.lucky_loot) for player in self.players],
        }

    def count_cards(self) -> int:
        """What must always be 63."""
        return (
            len(self.pile)
            + len(self.jackpot)
            + (self.card is not None)
            + sum(len(player.loot) for player in self.players)
        )
