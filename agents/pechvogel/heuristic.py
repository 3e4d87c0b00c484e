"""Rules of thumb that a good casual player uses: a worthy yardstick that thinks no further than this turn.

What a turn promises is reckoned in points: the chance of four targets times what the marker brings, minus the chance of
three ravens times what a frustration costs. The chances are those of a turn in which nobody interferes.

- Target: the number that promises most, so three 4s are better than one 7.
- Reduce: if repeating the throw promises more than keeping it; getting rid of a frustration counts half a point.
- Frustrate: if the throw helped the active player more than the risk: whoever frustrates in vain gets the frustration
  back and one more. At larger tables the harm done to one of many counts less.
- Join: if three ravens are more likely than not.
- Marker: steal from whoever has most points if that is possible, else take from the middle.
- Discard: the lowest value; the high ones are worth fighting for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pechvogel.agents.base import BatchAgent
from pechvogel.tabletop.arrays import Floats, Ints, Ints8
from pechvogel.tabletop.compile import compiled
from pechvogel_env import dice, rules
from pechvogel_env.rules import FIRST_VALUE, RAVEN, RAVENS_LIMIT, TARGETS_NEEDED, Action, Phase, States, count_face

FRUSTRATION_WORTH = 2.0  # points that an own frustration costs in passing: less than at the end, it has its uses
RELIEF = 0.5  # points that spending a frustration is worth in itself


def _chances() -> tuple[Floats, Floats]:
    """By targets 0..4 and ravens 0..3 on the board: the chance of four targets, and that of three ravens."""
    success = np.zeros((TARGETS_NEEDED + 1, RAVENS_LIMIT + 1))
    ravens_out = np.zeros((TARGETS_NEEDED + 1, RAVENS_LIMIT + 1))
    success[TARGETS_NEEDED, :] = 1
    ravens_out[:, RAVENS_LIMIT] = 1
    for t in range(TARGETS_NEEDED - 1, -1, -1):
        for r in range(RAVENS_LIMIT - 1, -1, -1):
            again = 0.0
            for outcome in dice.reduced_outcomes(rules.NUM_DICE - t - r):
                if outcome.targets == outcome.ravens == 0:
                    again = outcome.probability
                    continue
                at = min(t + outcome.targets, TARGETS_NEEDED), min(r + outcome.ravens, RAVENS_LIMIT)
                success[t, r] += outcome.probability * success[at]
                ravens_out[t, r] += outcome.probability * ravens_out[at]
            success[t, r] /= 1 - again
            ravens_out[t, r] /= 1 - again
    return success, ravens_out


_SUCCESS, _RAVENS = _chances()


def chances(targets: int, ravens: int) -> tuple[float, float]:
    """With so much on the board: the chance of four targets and that of three ravens, if nobody interferes."""
    at = min(targets, TARGETS_NEEDED), min(ravens, RAVENS_LIMIT)
    return float(_SUCCESS[at]), float(_RAVENS[at])


class HeuristicAgent(BatchAgent):
    """See the module's text."""

    name = "heuristic"

    def act_batch(self, states: States, masks: Ints8, rngs: Sequence[np.random.Generator]) -> Ints:
        """One action per game; the generators are not used."""
        actions = np.empty(len(states), np.int64)
        _choose_all(states, actions)
        return actions


@compiled
def _choose_all(states: States, actions: Ints) -> None:
    for i in range(len(states)):
        actions[i] = choose(states[i])


@compiled
def choose(s: Any) -> int:
    """The action of whoever is asked."""
    bits = rules.legal_of(s)
    best, best_worth = -1, -1e9
    for action in range(rules.NUM_ACTIONS):
        if bits >> action & 1:
            worth = _worth(s, action)
            if worth > best_worth:
                best, best_worth = action, worth
    return best


@compiled
def _worth(s: Any, action: int) -> float:
    """Points by which actions are compared; 0 for passing."""
    if s.phase == Phase.TARGET:
        value = action - Action.TARGET_3
        return _promise(s, value, count_face(s, value + FIRST_VALUE), s.ravens)
    if action == Action.PASS:
        return 0.0
    if action == Action.REDUCE:
        return _promise_before(s) + RELIEF - _promise_now(s)
    if action == Action.FRUSTRATE:
        ravens = _RAVENS[s.targets - count_face(s, s.target), s.ravens - count_face(s, RAVEN)]
        risk = rules.FRUSTRATION_COST * (1 - ravens) - rules.FRUSTRATION_COST * ravens
        if s.phase == Phase.JOIN:
            return -risk
        if s.frustrations[s.active] > 0:
            risk += rules.FRUSTRATION_COST * (1 - ravens)  # the active player would hand over one of theirs
        return (_promise_now(s) - _promise_before(s)) * 2 / s.num_players - risk
    if action == Action.TAKE:
        return -1e6
    if action <= Action.STEAL_4:
        return rules.score_of(s, (s.active + 1 + action - Action.STEAL_1) % s.num_players)
    return -action  # the lowest discard


@compiled
def _promise_now(s: Any) -> float:
    return _promise(s, s.target - FIRST_VALUE, s.targets, s.ravens)


@compiled
def _promise_before(s: Any) -> float:
    """Before the last throw, which would be repeated."""
    return _promise(s, s.target - FIRST_VALUE, s.targets - count_face(s, s.target), s.ravens - count_face(s, RAVEN))


@compiled
def _promise(s: Any, value: int, targets: int, ravens: int) -> float:
    """Points that a board promises to the active player."""
    points = 0.0
    if s.middle[value] > 0:
        points = value + FIRST_VALUE
    for seat in range(s.num_players):
        if seat != s.active and s.markers[seat, value] > 0:
            points = (value + FIRST_VALUE) * (1 + 1 / (s.num_players - 1))  # the victim loses it, too
    t, r = min(targets, TARGETS_NEEDED), min(ravens, RAVENS_LIMIT)
    promise = _SUCCESS[t, r] * points - _RAVENS[t, r] * FRUSTRATION_WORTH
    if (targets > TARGETS_NEEDED or ravens > RAVENS_LIMIT) and s.murphy != s.active:
        promise -= (rules.MURPHY_COST - rules.FRUSTRATION_COST) * s.frustrations[s.active]
    return promise
