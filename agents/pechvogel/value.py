"""What a position between turns is worth, learned: a small network, run with NumPy alone.

It sees the table from the player at turn, seat by seat clockwise, and says two things about every seat: its share of
the win, and its final score. `train.value` trains it; `champion` plays with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pechvogel.agents import card
from pechvogel.agents.card import Layers
from pechvogel.tabletop.arrays import Floats, Floats32
from pechvogel.tabletop.compile import compiled
from pechvogel.tabletop.rewards import reward_of
from pechvogel_env import rules
from pechvogel_env.rules import FRUSTRATION_COST, MURPHY_COST, NUM_VALUES, Phase, States

CARD_FORMAT = "pechvogel-value-1"
MANY = 8  # frustrations that are told apart; beyond them a number that grows
POINTS = 20.0  # scores are seen, and learned, in units of so many points
EXTRA = 4  # of a seat: frustrations as a number, Murphy, what Murphy costs, the score as it stands
AT_ONCE = 4096  # rows of a layer that stay in a core's cache


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


class ValueNet:
    """Layers with rectifiers between them; the last gives a logit and a score for every seat, the player at turn first.

    `evaluate` is an evaluation for `turn.search.TurnSearch`. It also takes games with fewer copies of each marker than
    it has learned from: to the rules, the missing ones lie in the box.
    """

    def __init__(self, layers: Layers, players: int, copies: int) -> None:
        self.layers, self.players, self.copies = layers, players, copies
        self._turned = [(np.ascontiguousarray(weight.T), bias) for weight, bias in layers]

    def outputs(self, states: States) -> Floats32:
        """[state, 2 * players]: logits of shares, then scores in units of POINTS; the player at turn first."""
        out = np.empty((len(states), 2 * self.players), np.float32)
        for at in range(0, len(states), AT_ONCE):
            hidden = features(states[at : at + AT_ONCE], self.copies)
            for k, (weight, bias) in enumerate(self._turned):
                hidden = hidden @ weight
                hidden += bias
                if k < len(self._turned) - 1:
                    np.maximum(hidden, 0, out=hidden)
            out[at : at + AT_ONCE] = hidden
        return out

    def evaluate(self, states: States) -> Floats:
        """Rewards of every seat; games that are over have their result."""
        if len(states) == 0:
            return np.zeros((0, self.players))
        self._check(states)
        return rewards(self.outputs(states), states)

    def _check(self, states: States) -> None:
        if not ((states["num_players"] == self.players).all() and (states["copies"] <= self.copies).all()):
            raise ValueError(f"this evaluation is for {self.players} players and up to {self.copies} copies")


def rewards(outputs: Floats32, states: States) -> Floats:
    """What a network's outputs for positions mean: a reward="win" for every seat."""
    out = np.empty((len(states), outputs.shape[1] // 2))
    _rewards(outputs, states, out)
    return out


@compiled
def _rewards(outputs: Floats32, states: States, out: Floats) -> None:
    n = out.shape[1]
    for i in range(len(states)):
        s = states[i]
        if s.phase == Phase.OVER:
            rules.put_win_rewards(s, out, i)
            continue
        most = outputs[i, 0]
        for k in range(1, n):
            most = max(most, outputs[i, k])
        total = 0.0
        for k in range(n):
            total += np.exp(outputs[i, k] - most)
        for k in range(n):
            seat = s.active + k
            if seat >= n:
                seat -= n
            out[i, seat] = reward_of(np.exp(outputs[i, k] - most) / total, n)


def save(net: ValueNet, path: Path, about: Mapping[str, Any]) -> None:
    """Write weights and card."""
    card.save(path, card.named(net.layers), about, CARD_FORMAT)


def load(path: Path) -> tuple[ValueNet, dict[str, Any]]:
    """Read weights and their card; ValueError if anything is missing, damaged or does not fit."""
    tensors, about = card.load(path, CARD_FORMAT)
    variant = card.variant_of(about)
    players, copies = variant.num_players, variant["copies"]
    try:
        return ValueNet(card.layers_of(tensors, num_features(players, copies), 2 * players), players, copies), about
    except ValueError as error:
        raise ValueError(f"weights {path}: they are not those of an evaluation of this version ({error})") from None
