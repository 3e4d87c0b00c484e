"""The smallest game, solved, and positions of it."""

from __future__ import annotations

import numpy as np

from pechvogel_env import rules

CAP = 6  # of the table in the fixture `solved`


def random_states(num: int, copies: int, most: int, seed: int) -> rules.States:
    """Positions between turns, all kinds alike: anything may lie anywhere."""
    rng = np.random.default_rng(seed)
    states = rules.new_states(num)
    for i in range(num):
        rules.new_game(states, i, 2, copies, False, int(rng.integers(2)))
        s = states[i]
        while True:
            for value in range(5):
                where = rng.multinomial(copies, [0.25] * 4)
                s["middle"][value], s["markers"][0, value], s["markers"][1, value] = where[:3]
            if s["middle"].sum():
                break
        s["murphy"] = rng.integers(-1, 2)
        s["frustrations"][:2] = rng.integers(0, most + 1, 2)
    return states
