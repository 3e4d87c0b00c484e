"""A turn by brute force: the engine asked step by step, every throw, every decision."""

from __future__ import annotations

import numpy as np

from pechvogel.agents.pechvogel.turn.search import Evaluation
from pechvogel.tabletop.bits import action_list
from pechvogel_env import dice, rules
from pechvogel_env.rules import Phase


class BruteForce:
    """Values by asking the engine, with nothing remembered but positions that were seen.

    `evaluate` says what positions after that turn are worth to every seat.
    """

    def __init__(self, turn: int, evaluate: Evaluation) -> None:
        self.turn = turn
        self.evaluate = evaluate
        self.seen: dict[bytes, np.ndarray] = {}

    def value(self, states: np.ndarray) -> np.ndarray:
        if states["turn"][0] > self.turn:
            return self.evaluate(states)[0]
        key = states.copy()
        key["throws"] = 0
        if key.tobytes() not in self.seen:
            self.seen[key.tobytes()] = self.throw(states) if states["phase"][0] == Phase.THROW else self.decide(states)
        return self.seen[key.tobytes()]

    def action_values(self, states: np.ndarray) -> dict[int, np.ndarray]:
        result = {}
        for action in action_list(rules.legal_bits(states, 0)):
            child = states.copy()
            rules.apply(child, 0, action)
            result[action] = self.value(child)
        return result

    def decide(self, states: np.ndarray) -> np.ndarray:
        values = self.action_values(states)
        seat = states["to_act"][0]
        return values[max(values, key=lambda action: (values[action][seat], -action))]

    def throw(self, states: np.ndarray) -> np.ndarray:
        n = int(rules.dice_to_throw(states, 0))
        target = int(states["target"][0])
        total, again = np.zeros(int(states["num_players"][0])), 0.0
        if target == rules.NO_TARGET:
            throws = [(outcome.counts, outcome.probability) for outcome in dice.outcomes(n)]
        else:
            filler = 1 if target != 3 else 2  # a face that does not count
            throws = []
            for outcome in dice.reduced_outcomes(n):
                counts = [0] * 6
                counts[0] = outcome.ravens
                counts[target - 2] = outcome.targets
                counts[filler] = n - outcome.ravens - outcome.targets
                throws.append((tuple(counts), outcome.probability))
        for counts, probability in throws:
            child = states.copy()
            rules.apply_throw(child, 0, np.array(counts, np.int8))
            empty = target != rules.NO_TARGET and counts[0] == 0 and counts[target - 2] == 0
            if empty and not states["after_reduction"][0]:
                again += probability  # everybody passes, and the same board is thrown again
            else:
                total += probability * self.value(child)
        return total / (1 - again)
