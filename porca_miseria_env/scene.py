"""The whole table as an onlooker sees it who looks over everybody's shoulder: for pictures, never for agents."""

from __future__ import annotations

from dataclasses import dataclass

from porca_miseria_env.rules import SHOWN, SYMBOLS, Phase, States
from porca_miseria_env.view import view_of


@dataclass
class Scene:
    """What pictures show."""

    num_players: int
    phase: str  # "symbols", "tap", "card" (between cards) or "over"
    to_act: int | None  # None: everybody is asked at the same time
    turn: int  # cards that are over
    ticks: int
    tick: int  # from 0
    dealer: int
    lucky_numbers: list[list[int]]  # by seat
    shows: list[int]  # how often the symbol card shows mushroom, pig, sweep; else empty
    symbol: int | None  # of a tap card
    glances: list[list[int]]  # everybody's last one at a symbol card, by seat; else empty
    middle: list[int]  # lucky cards there
    hands: list[int]  # seats, the lowest hand first
    taken: list[tuple[int, int, bool]]  # seat, symbol, whether rightly
    loot: list[int]
    pile: int
    jackpot: int


def scene_of(states: States, i: int) -> Scene:
    """All of game `i`."""
    view, s = view_of(states, i, 0), states[i]
    n, card, tick = view["num_players"], int(s["card"]), view["tick"]
    phase = view["card"] or ("over" if s["phase"] == Phase.OVER else "card")
    symbols = phase == "symbols"
    return Scene(
        num_players=n,
        phase=phase,
        to_act=None,
        turn=int(s["turn"]),
        ticks=view["settings"]["ticks"],
        tick=tick,
        dealer=view["dealer"],
        lucky_numbers=view["lucky_numbers"],
        shows=SHOWN[card].tolist() if symbols else [],
        symbol=None if view["symbol"] is None else SYMBOLS.index(view["symbol"]),
        glances=s["glances"][tick, :n].tolist() if symbols else [],
        middle=[SYMBOLS.index(name) for name in view["middle"]],
        hands=view["hands"],
        taken=[(seat, SYMBOLS.index(name), right) for seat, name, right in view["taken"]],
        loot=view["loot"],
        pile=view["pile"],
        jackpot=view["jackpot"],
    )
