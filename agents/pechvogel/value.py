"""What a position of Pechvogel between turns is worth, learned: what the network of `agents.value` sees of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from pechvogel.agents import value as learned
from pechvogel.agents.card import Layers
from pechvogel.tabletop.arrays import Floats, Floats32
from pechvogel.tabletop.compile import compiled
from pechvogel.tabletop.kind import Variant
from pechvogel.tabletop.rewards import put_rewards_of_logits
from pechvogel_env import rules
from pechvogel_env.kind import KIND
from pechvogel_env.rules import FRUSTRATION_COST, MURPHY_COST, NUM_VALUES, Phase, States

MANY = 8  # frustrations that are told apart; beyond them a number that grows
POINTS = 20.0  # scores are seen, and learned, in units of so many points
EXTRA = 4  # of a seat: frustrations as a number, Murphy, what Murphy costs, the score as it stands


def num_features(players: int, copies: int) -> int:
    """How many numbers describe a position to the network."""
    return NUM_VALUES * copies + 1 + players * (NUM_VALUES * copies + MANY + EXTRA)


def features(states: States, copies: int) -> Floats32:
    """Positions between turns as a network of so many copies sees them; all of one number of players."""
    out = np.zeros((len(states), num_features(int(states["num_players"][0]), copies)), np.float32)
    _features(states, copies, out)
    return out


@compiled
def _features(states: States, copies: int, out: Floats32) -> None:
    """Counts as rows of ones ("at least 1", "at least 2", ...), scores as numbers."""
    for i in range(len(states)):
        s = states[i]
        n = s.num_players
        row = out[i]
        at = 0
        left = 0
        for value in range(NUM_VALUES):
            count = s.middle[value]
            left += count
            for k in range(count):
                row[at + k] = 1
            at += copies
        row[at] = left / (NUM_VALUES * copies)
        at += 1
        for distance in range(n):
            seat = s.active + distance
            if seat >= n:
                seat -= n
            points = 0
            for value in range(NUM_VALUES):
                count = s.markers[seat, value]
                points += count * (value + rules.FIRST_VALUE)
                for k in range(count):
                    row[at + k] = 1
                at += copies
            frustrations = s.frustrations[seat]
            for k in range(min(frustrations, MANY)):
                row[at + k] = 1
            at += MANY
            murphy = s.murphy == seat
            row[at] = frustrations / MANY
            if murphy:
                row[at + 1] = 1
                row[at + 2] = frustrations / MANY
            row[at + 3] = (points - (MURPHY_COST if murphy else FRUSTRATION_COST) * frustrations) / POINTS
            at += EXTRA


class ValueNet(learned.ValueNet):
    """See `agents.value`; `evaluate` is an evaluation for `turn.search.TurnSearch`.

    It also takes games with fewer copies of each marker than it has learned from: to the rules, the missing ones lie in
    the box.
    """

    def __init__(self, layers: Layers, players: int, copies: int) -> None:
        super().__init__(layers, players)
        self.copies = copies

    def features(self, states: States) -> Floats32:
        """See `agents.value`."""
        return features(states, self.copies)

    def rewards(self, outputs: Floats32, states: States) -> Floats:
        """See `agents.value`."""
        return rewards(outputs, states)

    def check(self, states: States) -> None:
        """See `agents.value`."""
        if not ((states["num_players"] == self.players).all() and (states["copies"] <= self.copies).all()):
            raise ValueError(f"this evaluation is for {self.players} players and up to {self.copies} copies")


def rewards(outputs: Floats32, states: States) -> Floats:
    """What a network's outputs for positions mean: a reward="win" for every seat."""
    out = np.empty((len(states), outputs.shape[1] // 2))
    _rewards(outputs, states, out)
    return out


@compiled
def _rewards(outputs: Floats32, states: States, out: Floats) -> None:
    for i in range(len(states)):
        if states[i].phase == Phase.OVER:
            rules.put_win_rewards(states[i], out, i)
        else:
            put_rewards_of_logits(outputs, i, states[i].active, out)


CARD_FORMAT, save = learned.CARD_FORMAT, learned.save


def num_inputs(variant: Variant) -> int:
    """How many numbers describe a position to the network."""
    return num_features(variant.num_players, variant["copies"])


def of_layers(layers: Layers, variant: Variant) -> ValueNet:
    """A network as plain arrays."""
    return ValueNet(layers, variant.num_players, variant["copies"])


def load(path: Path) -> tuple[ValueNet, dict[str, Any]]:
    """Read weights and their card; ValueError if anything is missing, damaged or does not fit."""
    return learned.load(path, KIND.name, num_inputs, of_layers)
