"""What tests of this game share: hidden things made visible, and games in which chance and actions are told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from porca_miseria_env import rules
from porca_miseria_env.rules import NO_CARD, Phase, States


def bits_of(number: int) -> list[int]:
    return [k for k in range(number.bit_length()) if number >> k & 1]


def hidden_of(states: States, i: int = 0) -> dict[str, Any]:
    """What nobody sees of a game."""
    s = states[i]
    loot = []
    for seat in range(s["num_players"]):
        stack, card = [], int(s["tops"][seat])
        while card != NO_CARD:
            stack.append(card)
            card = int(s["below"][card])
        loot.append(stack[::-1])
    return {
        "card": int(s["card"]),
        "pile": bits_of(int(s["pile"])),
        "jackpot": s["jackpot"][: s["num_jackpot"]].tolist(),
        "loot": loot,
        "lucky": s["lucky"][: s["num_players"]].tolist(),
    }


class Table:
    """A game on the rules alone: chance and actions are told step by step."""

    def __init__(self, num_players: int = 4, first_dealer: int = 0, **settings: Any) -> None:
        self.states = rules.new_states(1, num_players, **settings)
        self.num_players = num_players
        rules.new_game(self.states, 0, first_dealer)

    @property
    def phase(self) -> Phase:
        return Phase(self.states["phase"][0])

    def turn(self, card: int) -> Table:
        rules.apply_card(self.states, 0, card)
        return self

    def tick(self, *actions: int, order: Sequence[int] | None = None, loot: Sequence[int] = ()) -> Table:
        """A tick in which everybody sees the truth."""
        if self.phase == Phase.GLANCES:
            shown = rules.SHOWN[self.states["card"][0]]
            rules.apply_glances(self.states, 0, np.tile(shown, (self.num_players, 1)))
        for action in actions:
            rules.apply(self.states, 0, action)
        order = range(self.num_players) if order is None else order
        rules.apply_hands(self.states, 0, np.array(order, np.int8), np.array(loot, np.int8))
        return self

    @property
    def loot(self) -> list[int]:
        return self.states["loot"][0, : self.num_players].tolist()

    def hidden(self) -> dict[str, Any]:
        return hidden_of(self.states)


def card_showing(*counts: int, cards: int = 63) -> int:
    """The symbol card that shows so many mushrooms, pigs and sweeps."""
    return next(k for k in range(cards) if rules.SHOWN[k].tolist() == list(counts))
