"""The turn search against brute force: the engine asked step by step, every throw, every decision."""

from __future__ import annotations

import random

import numpy as np
import pytest

from agents.turn import TurnSearch
from pechvogel_env import dice, rules
from pechvogel_env.game import Game, action_list
from pechvogel_env.position import Position, load
from pechvogel_env.rules import Phase

WEIGHTS = np.random.default_rng(5).normal(size=(5, 3, 41))


def features(states: np.ndarray) -> np.ndarray:
    return np.concatenate(
        [
            states["middle"],
            states["markers"].reshape(len(states), -1),
            states["frustrations"],
            states["murphy"][:, None] == np.arange(-1, 5),
        ],
        axis=1,
    ).astype(float)


def arbitrary_evaluation(states: np.ndarray) -> np.ndarray:
    """Any function of the position will do; this one has no symmetry at all."""
    n = int(states["num_players"][0])
    hidden = np.tanh(np.einsum("sf,phf->sph", features(states), WEIGHTS[:n]) / 3)
    return hidden.sum(axis=2)


class BruteForce:
    """Values by asking the engine, with nothing remembered but positions that were seen."""

    def __init__(self, turn: int) -> None:
        self.turn = turn
        self.seen: dict[bytes, np.ndarray] = {}

    def value(self, states: np.ndarray) -> np.ndarray:
        if states["turn"][0] > self.turn:
            return arbitrary_evaluation(states)[0]
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


def compare(states: np.ndarray) -> None:
    brute = BruteForce(int(states["turn"][0]))
    search = TurnSearch(arbitrary_evaluation)
    n = int(states["num_players"][0])
    assert search.values(states)[0, :n] == pytest.approx(brute.value(states), abs=1e-9)
    if states["to_act"][0] >= 0:
        exact = brute.action_values(states)
        found = search.action_values(states)[0]
        assert np.flatnonzero(~np.isnan(found)).tolist() == sorted(exact)
        for action, values in exact.items():
            assert found[action] == pytest.approx(values[states["to_act"][0]], abs=1e-9), rules.Action(action)


def random_decisions(num_players: int, copies: int, italian: bool, seed: int, count: int) -> list[np.ndarray]:
    """Decisions of random games, every phase about equally often, with few frustrations."""
    rng = random.Random(seed)
    found: dict[int, list[np.ndarray]] = {}
    for number in range(40):
        game = Game(num_players, copies, italian)
        players = [{"frustrations": rng.choice([0, 1, 2])} for _ in range(num_players)]
        game.reset(seed * 1000 + number, position={"players": players})
        while game.bits:
            found.setdefault(int(game.states["phase"][0]), []).append(game.states.copy())
            game.step(rng.choice(action_list(game.bits)))
    return [rng.choice(states) for _ in range(count) for states in found.values()]


@pytest.mark.parametrize(
    ("num_players", "copies", "italian"), [(2, 3, False), (2, 1, True), (3, 3, False), (3, 2, True)]
)
def test_values_are_those_of_brute_force(num_players: int, copies: int, italian: bool) -> None:
    for states in random_decisions(num_players, copies, italian, seed=num_players, count=3):
        compare(states)


@pytest.mark.slow
@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
@pytest.mark.parametrize("italian", [False, True])
def test_values_are_those_of_brute_force_at_every_size(num_players: int, italian: bool) -> None:
    for states in random_decisions(num_players, 3, italian, seed=10 + num_players, count=8):
        compare(states)


def test_a_turn_before_it_begins() -> None:
    for num_players, frustrations in ((2, [0, 0]), (2, [1, 2]), (3, [1, 0, 1])):
        states = rules.new_states(1)
        position = Position.complete(
            {"players": [{"frustrations": f} for f in frustrations]}, num_players=num_players, copies=2
        )
        load(position, states, 0)
        compare(states)


def test_forced_steps_have_values_too() -> None:
    """Positions of `skip_forced=False`: whoever can only pass is worth what comes after."""
    rng = random.Random(3)
    game = Game(3, 3, skip_forced=False)
    game.reset(4, position={"players": [{"frustrations": 1}, {}, {"frustrations": 1}]})
    for _ in range(60):
        compare(game.states.copy())
        game.step(rng.choice(action_list(game.bits)))
        if not game.bits:
            break


def test_many_games_at_once_are_the_games_one_by_one() -> None:
    states = np.concatenate(random_decisions(3, 3, False, seed=9, count=4))
    search = TurnSearch(arbitrary_evaluation)
    together = search.action_values(states)
    alone = np.concatenate([search.action_values(states[k : k + 1]) for k in range(len(states))])
    assert np.array_equal(together, alone, equal_nan=True)
