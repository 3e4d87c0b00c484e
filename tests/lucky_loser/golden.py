"""Golden playthroughs: whole games in text, kept in tests/lucky_loser/golden and compared at every test run.

`make golden` writes them anew; read the difference before you commit it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from lucky_loser_env import observation
from lucky_loser_env.game import Game
from lucky_loser_env.rules import ACTION_NAMES
from pechvogel.tabletop.bits import action_list

FOLDER = Path(__file__).parent / "golden"

PLAYTHROUGHS: dict[str, dict[str, Any]] = {
    "2_players": {"num_players": 2, "seed": 1},
    "2_players_short_rows_every_step": {
        "num_players": 2, "row_lengths": (1, 2, 1, 2, 1, 2), "skip_forced": False, "seed": 2,
    },
    "3_players_rising_rows": {"num_players": 3, "row_lengths": (3, 3, 4, 4, 5, 5), "seed": 3},
    "4_players": {"num_players": 4, "seed": 4},
}  # fmt: skip


def playthrough(seed: int, **settings: Any) -> Iterator[str]:
    """The lines of one game with random actions: every position, what was legal, what was done."""
    yield "# " + ", ".join(f"{name}={value}" for name, value in {**settings, "seed": seed}.items())
    game = Game(**settings)
    game.reset(seed)
    rng = np.random.default_rng(seed)
    while game.bits:
        legal = action_list(game.bits)
        action = int(rng.choice(legal))
        names = " ".join(ACTION_NAMES[a] for a in legal)
        yield f"{game.position().to_text()}  [{names}]  player_{game.to_act}: {ACTION_NAMES[action]}"
        game.step(action)
    yield game.position().to_text()
    yield f"scores {game.scores()}, rewards {[round(x, 4) for x in game.rewards('win')]}"
    shown = observation.decode(game.observe(0), 0, game.num_players)
    yield f"observed {shown.to_text()}"


def text_of(name: str) -> str:
    """A playthrough as the text of its file."""
    return "\n".join(playthrough(**PLAYTHROUGHS[name])) + "\n"


def main() -> None:
    """Write all playthroughs."""
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python -m tests.lucky_loser.golden --write")
    FOLDER.mkdir(exist_ok=True)
    for name in PLAYTHROUGHS:
        (FOLDER / f"{name}.txt").write_text(text_of(name), encoding="utf-8")


if __name__ == "__main__":
    main()
