"""What a position of Lucky Loser between turns is worth, learned: what the network of `agents.value` sees of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from lucky_loser_env import rules
from lucky_loser_env.kind import KIND
from lucky_loser_env.rules import BONUS, CHIPS, NUM_CARDS, NUM_ROWS, ROWS_TO_END, Phase, States, ends, score_of
from pechvogel.agents import value as learned
from pechvogel.agents.card import Layers
from pechvogel.tabletop.arrays import Floats, Floats32
from pechvogel.tabletop.compile import compiled
from pechvogel.tabletop.kind import Variant
from pechvogel.tabletop.rewards import put_rewards_of_logits

POINTS = 50.0  # scores are seen, and learned, in units of so many points
CLOSE = 10.0  # points: differences up to so many are told apart in a number of their own
FEW = 4  # chips of a stack that are told apart; beyond them a number
SQUARES = 4  # of a row that are told apart, the X included; those before them by a number
OWN = 3  # chips of a player in a row that are told apart; beyond them a number

_ROW = FEW + 1  # of a row of the board
_PLACE = SQUARES + 1  # of a player's piece in a row
_CHIPS = OWN + 2  # of a player's chips in a row
_SEAT = NUM_ROWS * (_PLACE + _CHIPS + 1) + 4  # of a player


def num_features(players: int) -> int:
    """How many numbers describe a position to the network."""
    return NUM_ROWS * _ROW + ROWS_TO_END + NUM_CARDS + 1 + 2 * players + players * _SEAT


def features(states: States) -> Floats32:
    """Positions between turns as a network sees them; all of one number of players."""
    out = np.zeros((len(states), num_features(int(states["num_players"][0]))), np.float32)
    _features(states, out)
    return out


@compiled
def _features(states: States, out: Floats32) -> None:
    """Counts as rows of ones ("at least 1", "at least 2", ...) and numbers, the player at turn first."""
    for i in range(len(states)):
        s = states[i]
        n = s.num_players
        row = out[i]
        at = 0
        closed = 0
        for r in range(NUM_ROWS):
            left = s.stacks[r]
            closed += left == 0
            for k in range(min(left, FEW)):
                row[at + k] = 1
            row[at + FEW] = left / CHIPS[r]
            at += _ROW
        for k in range(min(closed, ROWS_TO_END)):
            row[at + k] = 1
        at += ROWS_TO_END
        for k in range(s.cards):
            row[at + k] = 1
        at += NUM_CARDS
        # Who has a turn left in this round, and whether it is the last one (L14).
        begun = s.active - s.first
        if begun < 0:
            begun += n
        row[at + begun] = 1
        at += n
        if ends(s):
            row[at + begun] = 1
            row[at + n] = 1
        at += n + 1
        card = BONUS[s.cards] / BONUS[0] if s.cards < NUM_CARDS else 0.0
        for distance in range(n):
            seat = s.active + distance
            if seat >= n:
                seat -= n
            lacking = 0
            for r in range(NUM_ROWS):
                chips = s.chips[seat, r]
                lacking += chips == s.sets[seat]
                place, length = s.places[seat, r], s.row_lengths[r]
                if place > 0:
                    for k in range(max(0, SQUARES - (length - place))):
                        row[at + k] = 1
                    row[at + SQUARES] = place / length
                at += _PLACE
                for k in range(min(chips, OWN)):
                    row[at + k] = 1
                row[at + OWN] = chips / CHIPS[r]
                row[at + OWN + 1] = chips > s.sets[seat]
                at += _CHIPS
            for k in range(NUM_ROWS - lacking):  # of the next set (L13)
                row[at + k] = card
            at += NUM_ROWS
            most = -1
            for other in range(n):
                if other != seat:
                    most = max(most, score_of(s, other))
            points = score_of(s, seat)
            row[at] = points / POINTS
            row[at + 1] = (points - most) / POINTS
            row[at + 2] = min(max((points - most) / CLOSE, -1.0), 1.0)
            row[at + 3] = s.bonus[seat] / POINTS
            at += 4


class ValueNet(learned.ValueNet):
    """See `agents.value`; `evaluate` is an evaluation for `turn.TurnSearch`."""

    def __init__(self, layers: Layers, variant: Variant) -> None:
        super().__init__(layers, variant.num_players)
        self.variant = variant

    def features(self, states: States) -> Floats32:
        """See `agents.value`."""
        return features(states)

    def rewards(self, outputs: Floats32, states: States) -> Floats:
        """See `agents.value`."""
        return rewards(outputs, states)

    def check(self, states: States) -> None:
        """See `agents.value`."""
        rows = states["row_lengths"] != self.variant["row_lengths"]
        if rows.any() or (states["num_players"] != self.players).any():
            raise ValueError(f"this evaluation is for {KIND.describe(self.variant)}")


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


save = learned.save


def num_inputs(variant: Variant) -> int:
    """How many numbers describe a position to the network."""
    return num_features(variant.num_players)


def load(path: Path) -> tuple[ValueNet, dict[str, Any]]:
    """Read weights and their card; ValueError if anything is missing, damaged or does not fit."""
    return learned.load(path, KIND.name, num_inputs, ValueNet)
