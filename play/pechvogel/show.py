"""A game in the terminal, drawn as it goes: agents at play, or a recorded game."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from rich.console import Console

from pechvogel.agents.random import RandomAgent
from pechvogel.play.pechvogel.words import Words
from pechvogel.play.show import ranking
from pechvogel.tabletop.kind import Variant
from pechvogel_env import render
from pechvogel_env.game import Game
from pechvogel_env.kind import KIND
from pechvogel_env.position import Position

CLEAR = "\x1b[H\x1b[2J"


class Screen:
    """Draws positions one below the other, or, on a terminal and with a delay, in place."""

    def __init__(self, delay: float, names: Sequence[str]) -> None:
        self.delay = delay
        self.names = names
        self._in_place = delay > 0 and sys.stdout.isatty()

    def draw(self, game: Game, action: int | None) -> None:
        """Show the game before a decision, and the decision."""
        if self._in_place:
            print(CLEAR, end="")
        print(render.ansi(game.position(), names=self.names, scores=game.scores()))
        if action is not None:
            assert game.to_act is not None
            print(f"  -> {self.names[game.to_act]}: {KIND.actions[action]}\n", flush=True)
            time.sleep(self.delay)


def result(game: Game, names: Sequence[str]) -> str:
    """Who won, in a sentence."""
    if game.truncated:
        return f"Stopped after {game.position().turn} turns."
    winners = [names[seat] for seat in game.winners()]
    points = ", ".join(f"{name} {score}" for name, score in zip(names, game.scores(), strict=True))
    verb = "wins" if len(winners) == 1 else "share the win"
    return f"{' and '.join(winners)} {verb}: {points}."


def watch(variant: Variant, seed: int, draw: Callable[[Game, int | None], None]) -> Game:
    """Let random agents play a whole game."""
    game = KIND.game(variant)
    game.reset(seed)
    agent = RandomAgent()
    rng = np.random.default_rng(seed)
    while game.bits:
        action = agent.act(game.position(), game.mask(), rng)
        draw(game, action)
        game.step(action)
    draw(game, None)
    return game


def analysis(position: Position, result: dict[str, Any]) -> None:
    """Print what `agents.pechvogel.analysis.analyse` found, under a picture of the position."""
    console = Console()
    print(render.ansi(position))
    ranking(result, console)
    words = Words("en", [f"player_{seat}" for seat in range(position.num_players)])
    for row in result["actions"]:
        console.print(words.action(row["action"], position), style="bold", markup=False)
        for line in words.cases(row):
            console.print(f"  {line}", markup=False)
        if row["reason"] is not None and row is not result["actions"][0]:
            console.print(f"  {words.reason(row['reason'], position)}", markup=False, soft_wrap=True)
