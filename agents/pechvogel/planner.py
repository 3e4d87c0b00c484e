"""The planner: this turn exactly, what comes after it by a simple hand-made evaluation.

The evaluation looks at points: what everybody would score if the game ended now, except that frustrations weigh less
while many markers are left (they can still be used), and that Murphy weighs on whoever holds it even without
frustrations. Shares of the win follow from the differences by a softmax that gets sharper as the middle empties.
"""

from __future__ import annotations

import numpy as np

from pechvogel.agents.pechvogel.turn.agent import SearchAgent
from pechvogel.agents.pechvogel.turn.search import Evaluation, TurnSearch
from pechvogel.tabletop.arrays import Floats
from pechvogel.tabletop.compile import compiled
from pechvogel.tabletop.rewards import reward_of
from pechvogel_env import rules
from pechvogel_env.rules import FIRST_VALUE, FRUSTRATION_COST, MAX_PLAYERS, MURPHY_COST, NUM_VALUES, Phase, States

EARLY_FRUSTRATION = 0.5  # points that a frustration costs while the middle is full; 3 (or 7) when it is empty
MURPHY_WORTH = 2.0  # points that holding Murphy costs while the middle is full
SHARPNESS = 0.35  # of the softmax over points when the middle is empty ...
SPREAD = 1.6  # ... and how much it widens with every marker that is left


class PlannerAgent(SearchAgent):
    """The best action of an exact search of the turn, by an evaluation that can be replaced."""

    name = "planner"

    def __init__(self, evaluate: Evaluation | None = None) -> None:
        self._search = TurnSearch(evaluate or evaluate_by_points)

    def search(self, states: States) -> TurnSearch:
        """The same for every game."""
        return self._search


def evaluate_by_points(states: States) -> Floats:
    """Rewards of every seat, by points and how many markers are left."""
    out = np.zeros((len(states), MAX_PLAYERS))
    _evaluate(states, out)
    return out


@compiled
def _evaluate(states: States, out: Floats) -> None:
    points = np.zeros(MAX_PLAYERS)
    for i in range(len(states)):
        s = states[i]
        n = s.num_players
        if s.phase == Phase.OVER:
            rules.put_win_rewards(s, out, i)
            continue
        left = 0
        for value in range(NUM_VALUES):
            left += s.middle[value]
        early = left / (NUM_VALUES * s.copies)
        best = -1e9
        for seat in range(n):
            cost = MURPHY_COST if s.murphy == seat else FRUSTRATION_COST
            cost = early * EARLY_FRUSTRATION + (1 - early) * cost
            points[seat] = -cost * s.frustrations[seat] - (early * MURPHY_WORTH if s.murphy == seat else 0.0)
            for value in range(NUM_VALUES):
                points[seat] += (value + FIRST_VALUE) * s.markers[seat, value]
            best = max(best, points[seat])
        scale = SHARPNESS / (1 + SPREAD * np.sqrt(left))
        total = 0.0
        for seat in range(n):
            points[seat] = np.exp((points[seat] - best) * scale)
            total += points[seat]
        for seat in range(n):
            out[i, seat] = reward_of(points[seat] / total, n)
