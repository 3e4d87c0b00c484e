"""The turn search against brute force."""

from __future__ import annotations

import random

import numpy as np
import pytest

from pechvogel.agents.pechvogel.turn.ends import group_turns
from pechvogel.agents.pechvogel.turn.search import TurnSearch
from pechvogel.tabletop.bits import action_list
from pechvogel_env import rules
from pechvogel_env.game import Game
from pechvogel_env.position import Position, load
from pechvogel_env.rules import Phase
from tests.pechvogel.brute_force import BruteForce

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


def compare(states: np.ndarray) -> None:
    brute = BruteForce(int(states["turn"][0]), arbitrary_evaluation)
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


@pytest.mark.parametrize(("num_players", "italian"), [(2, False), (2, True), (3, True), (5, False)])
def test_states_of_one_turn_are_searched_together(num_players: int, italian: bool) -> None:
    """Many decisions of the same turn, of several turns, with others in between: the same numbers to the bit."""
    rng = random.Random(num_players)
    found = []
    for number in range(6):
        players = [{"frustrations": rng.choice([0, 1, 2])} for _ in range(num_players)]
        for seed in range(12):  # the same turn with other dice
            game = Game(num_players, 3, italian, skip_forced=rng.random() < 0.5)
            game.reset(100 * number + seed, position={"players": players}, first_player=number % num_players)
            while game.bits and game.states["turn"][0] == 0:
                found.append(game.states.copy())
                game.step(rng.choice(action_list(game.bits)))
    states = np.concatenate(found)
    turns, first = rules.new_states(len(states)), np.zeros(len(states) + 1, np.int64)
    assert group_turns(states, turns, first) < len(states) / 3
    assert len({Phase(phase) for phase in states["phase"]}) >= 4
    calls = []

    def evaluate(ends: np.ndarray) -> np.ndarray:
        calls.append(len(ends))
        return arbitrary_evaluation(ends)

    search = TurnSearch(evaluate)
    together = search.search(states)
    alone = [search.search(states[k : k + 1]) for k in range(len(states))]
    assert calls[0] < sum(calls[1:]) / 2
    for part in range(2):
        assert np.array_equal(together[part], np.concatenate([one[part] for one in alone]), equal_nan=True)
