"""A game in the terminal, drawn as it goes: agents at play, or a recorded game. The same for every game."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from pechvogel.agents.games import kind_of
from pechvogel.agents.random import RandomAgent
from pechvogel.play.games import Offer
from pechvogel.tabletop.game import DiceGame
from pechvogel.tabletop.kind import Variant

CLEAR = "\x1b[H\x1b[2J"


class Screen:
    """Draws positions one below the other, or, on a terminal and with a delay, in place."""

    def __init__(self, game: Offer, delay: float, names: Sequence[str]) -> None:
        self.game = game
        self.delay = delay
        self.names = names
        self._in_place = delay > 0 and sys.stdout.isatty()

    def draw(self, game: DiceGame[Any], action: int | None) -> None:
        """Show the game before a decision, and the decision."""
        if self._in_place:
            print(CLEAR, end="")
        print(self.game.engine("render").ansi(game.position(), names=self.names, scores=game.scores()))
        if action is not None:
            assert game.to_act is not None
            print(f"  -> {self.names[game.to_act]}: {self.game.kind.actions[action]}\n", flush=True)
            time.sleep(self.delay)


def result(game: DiceGame[Any], names: Sequence[str]) -> str:
    """Who won, in a sentence."""
    if game.truncated:
        return f"Stopped after {game.position().turn} turns."
    winners = [names[seat] for seat in game.winners()]
    points = ", ".join(f"{name} {score}" for name, score in zip(names, game.scores(), strict=True))
    verb = "wins" if len(winners) == 1 else "share the win"
    return f"{' and '.join(winners)} {verb}: {points}."


def watch(variant: Variant, seed: int, draw: Callable[[DiceGame[Any], int | None], None]) -> DiceGame[Any]:
    """Let random agents play a whole game."""
    game: DiceGame[Any] = kind_of(variant.game).game(variant)
    game.reset(seed)
    agent = RandomAgent()
    rng = np.random.default_rng(seed)
    while game.bits:
        action = agent.act(game.position(), game.mask(), rng)
        draw(game, action)
        game.step(action)
    draw(game, None)
    return game


def ranking(result: dict[str, Any], console: Console) -> None:
    """Print what `analyse` of a game found: every action with its value, best first."""
    table = Table(
        title=f"player_{result['seat']}: {result['value']:+.4f}, wins {result['win_share']:.2%}",
        caption=result["source"],
        box=box.SIMPLE_HEAD,
    )
    table.add_column("action")
    for column in ("value", "win share", "costs"):
        table.add_column(column, justify="right")
    for row in result["actions"]:
        costs = row["costs"]
        table.add_row(row["name"], f"{row['value']:+.4f}", f"{row['win_share']:.2%}", f"{costs:.2%}" if costs else "")
    console.print(table)
