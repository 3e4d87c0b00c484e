"""What a seat may know of a game (P16, P17), as JSON: `view_of`; and back to a state that shows it the same.

    {"game": "porca-miseria", "num_players": 3,
     "settings": {"tap_cards": 9, "ticks": 6, "blur": 0.1, "moving_numbers": false},
     "seat": 0, "dealer": 1, "lucky_numbers": [[1, 4, 7], [2, 5, 8], [3, 6]], "card": "symbols", "symbol": null,
     "tick": 1, "glances": [[3, 5, 2], [2, 5, 2]], "middle": ["mushroom", "sweep"], "hands": [],
     "taken": [[2, "pig", true]], "loot": [4, 0, 9], "pile": 44, "jackpot": 5,
     "turned": [{"card": 17, "shows": [8, 5, 1]}, {"card": 60, "shows": "mushroom"}], "elsewhere": [17, 60]}

`card` is what lies there: "symbols", "tap", or null between cards and at the end; `symbol` is what a tap card shows.
`tick` counts from 0. `glances` are the seat's own at this card, a list of [mushroom, pig, sweep] for each tick so far.
`hands` are the seats whose hands lie on the tap card, the lowest first. `taken` are the hands that took a lucky card of
this symbol card, in order: seat, which one, whether rightly. `turned` are the cards that are over, in order, the last
256 of them. `elsewhere` are the cards of which everybody can tell that they are not in the pile: those that were turned
and could be followed since then.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pechvogel.tabletop.arrays import Floats32
from porca_miseria_env import observation, rules
from porca_miseria_env.rules import KEPT_TURNED, NO_CARD, NOBODY, NUM_CARDS, NUM_SYMBOLS, SHOWN, SYMBOLS, Phase, States

GAME = "porca-miseria"
CARDS = ("symbols", "tap")
SETTINGS = ("tap_cards", "ticks", "blur", "moving_numbers")
_NAMES = rules.STATE.names or ()
_ZERO = np.zeros(1, np.int64)
_SHOWN: list[list[int]] = SHOWN.tolist()


class View(dict[str, Any]):
    """A dict, with which an agent that decides many games at once can decide one."""

    def states(self) -> Floats32:
        """What `act_batch` takes: the observation of the seat, as one row."""
        return observe(self)[None, :]


def view_of(states: States, i: int, seat: int) -> View:
    """What a seat may know of game `i`."""
    s = dict(zip(_NAMES, states[i].item(), strict=True))  # one by one, fields are read ten times slower
    n, card, symbol_cards = s["num_players"], s["card"], NUM_CARDS - s["tap_cards"]
    lies, is_tap = card != NO_CARD, card >= symbol_cards
    one = s["dealer"] if s["moving_numbers"] else s["first_dealer"]  # who has the 1 (P3)
    turn, turned = s["turn"], s["turned"].tolist()
    return View(
        game=GAME,
        num_players=n,
        settings={**{name: s[name] for name in SETTINGS}, "moving_numbers": bool(s["moving_numbers"])},
        seat=seat,
        dealer=s["dealer"],
        lucky_numbers=[_numbers(int(rules.NUMBERS[n, (player - one) % n])) for player in range(n)],
        card=CARDS[is_tap] if lies else None,
        symbol=SYMBOLS[(card - symbol_cards) % NUM_SYMBOLS] if is_tap else None,
        tick=s["tick"],
        glances=s["glances"][: s["tick"] + 1, seat].tolist() if lies and not is_tap else [],
        middle=[name for symbol, name in enumerate(SYMBOLS) if s["middle"] >> symbol & 1],
        hands=s["hands"].tolist()[: s["num_hands"]],
        taken=[
            [taker, SYMBOLS[symbol], right == 1]
            for taker, symbol, right in zip(
                s["takers"].tolist()[: s["num_taken"]], s["taken"].tolist(), s["right"].tolist(), strict=False
            )
        ],
        loot=s["loot"].tolist()[:n],
        pile=int(s["pile"]).bit_count(),
        jackpot=s["num_jackpot"],
        turned=[_face(turned[k % KEPT_TURNED], symbol_cards) for k in range(max(0, turn - KEPT_TURNED), turn)],
        elsewhere=_numbers(s["known"]),
    )


def _numbers(bits: int) -> list[int]:
    return [number for number in range(bits.bit_length()) if bits >> number & 1]


def _face(card: int, symbol_cards: int) -> dict[str, Any]:
    if card < symbol_cards:
        return {"card": card, "shows": list(_SHOWN[card])}
    return {"card": card, "shows": SYMBOLS[(card - symbol_cards) % NUM_SYMBOLS]}


def observe(view: View) -> Floats32:
    """The observation of the seat whose view it is: so an observation shows nothing that a view does not."""
    out = np.empty((1, observation.size(view["num_players"])), np.float32)
    observation.observe(_state_of(view), _ZERO, 0, 1, np.array([view["seat"]], np.int8), out)
    return out.ravel()


def _state_of(view: View) -> States:
    """A state that shows the seat of a view the same; what it does not show is anything."""
    n, seat, settings = view["num_players"], view["seat"], view["settings"]
    states = rules.new_states(1, n, **settings)
    one = next(player for player, numbers in enumerate(view["lucky_numbers"]) if 1 in numbers)
    rules.new_game(states, 0, one)
    s = states.view(np.recarray)[0]
    s.dealer, s.tick, s.phase = view["dealer"], view["tick"], Phase.CARD
    if view["card"] is not None:
        s.card = 0 if view["card"] == "symbols" else NUM_CARDS - 1
        s.phase = Phase.SYMBOLS if view["card"] == "symbols" else Phase.TAP
    for tick, glance in enumerate(view["glances"]):
        s.glances[tick, seat] = glance
    s.middle = sum(1 << SYMBOLS.index(name) for name in view["middle"])
    s.num_hands = len(view["hands"])
    for place, player in enumerate(view["hands"]):
        s.hands[place] = player
        s.first_hands[player] = s.first_hands[player] if s.hand_counts[player] else place
        s.hand_counts[player] += 1
    s.num_taken = len(view["taken"])
    for k, (player, name, right) in enumerate(view["taken"]):
        s.takers[k], s.taken[k], s.right[k] = player, SYMBOLS.index(name), right
    s.loot[:n] = view["loot"]
    s.num_jackpot = view["jackpot"]
    s.pile = (1 << view["pile"]) - 1  # so many cards
    s.known = sum(1 << card for card in view["elsewhere"])
    s.to_act = NOBODY
    return states
