"""Agents: names and options, validation, and how the scripted ones play."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pechvogel.agents import registry
from pechvogel.agents.pechvogel.planner import PlannerAgent, evaluate_by_points
from pechvogel.tabletop.bits import action_list
from pechvogel_env.game import Game
from pechvogel_env.position import Position
from pechvogel_env.rules import Action

OURS = ["random", "heuristic", "planner"]


@pytest.mark.parametrize("spec", OURS)
@pytest.mark.parametrize("num_players", [2, 3, 5])
def test_our_agents_are_valid(spec: str, num_players: int) -> None:
    agent = registry.make(spec)
    assert agent.name == spec
    registry.check(agent, num_players, copies=1)


def test_anybodys_own_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_agent.py").write_text(
        "class First:\n"
        "    name = 'first'\n"
        "    def act(self, position, mask, rng):\n"
        "        return int(mask.argmax())\n"
        "class Nameless:\n"
        "    def act(self, position, mask, rng): return 0\n"
        "class Broken:\n"
        "    def __init__(self): raise RuntimeError('no luck')\n"
    )
    monkeypatch.chdir(tmp_path)
    agent = registry.make("my_agent:First")
    assert agent.name == "first"
    registry.check(agent)
    for spec, message in (
        ("my_agent:Second", "AttributeError"),
        ("my_agent:Nameless", "must have `name` and `act"),
        ("my_agent:Broken", "RuntimeError: no luck"),
        ("no_module_of_this_name:Agent", "ModuleNotFoundError"),
        ("nobody", "there is no agent 'nobody'; there are random, heuristic, planner"),
        ("random:speed=3", "takes no options"),
    ):
        with pytest.raises(ValueError, match=message):
            registry.make(spec)


class Wrong:
    name = "wrong"

    def __init__(self, **answers: Any) -> None:
        for name, answer in answers.items():
            setattr(self, name, lambda *_, answer=answer: answer)

    def act(self, position: Position, mask: np.ndarray, rng: np.random.Generator) -> Any:
        return int(mask.argmax())


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        (Wrong(act=17), "act returned 17; legal are"),
        (Wrong(act="pass"), "act returned 'pass'"),
        (Wrong(act=True), "act returned True"),
        (Wrong(act=-1), "act returned -1"),
        (Wrong(act_batch=[17]), "act_batch returned"),
        (Wrong(act_batch=[1, 2]), "act_batch returned"),
        (Wrong(action_probabilities=np.full(18, 1 / 18)), "action_probabilities must be"),
        (Wrong(action_values=np.zeros(18)), "action_values must be"),
        (object(), "an agent must have"),
    ],
)
def test_validation_says_what_is_wrong(agent: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        registry.check(agent)


def test_random_is_uniform_and_uses_only_its_generator() -> None:
    agent: Any = registry.make("random")
    game = Game(2)
    game.reset(1, 0, [3, 4, 5, 6, 7, 3, 0])
    masks = np.repeat(game.mask()[None], 20_000, axis=0)
    rngs = [np.random.default_rng(seed) for seed in range(20_000)]
    counts = np.bincount(agent.act_batch(np.repeat(game.states, 20_000), masks, rngs), minlength=18)
    assert counts[:5].sum() == 20_000
    assert (np.abs(counts[:5] - 4000) < 4 * np.sqrt(20_000 * 0.2 * 0.8)).all()
    position = game.position()
    assert agent.act(position, game.mask(), np.random.default_rng(3)) == agent.act(
        position, game.mask(), np.random.default_rng(3)
    )
    assert agent.action_probabilities(position, game.mask())[:5] == pytest.approx([0.2] * 5)


def decision(dice: list[int], **position: Any) -> Game:
    game = Game(2)
    game.reset(1, 0, dice, position)
    return game


def test_heuristic_prefers_many_of_a_kind_to_a_high_number() -> None:
    agent = registry.make("heuristic")
    game = decision([7, 4, 4, 4, 3, 5, 0])
    assert agent.act(game.position(), game.mask(), np.random.default_rng(0)) == Action.TARGET_4


def test_heuristic_steals_and_then_discards_the_lowest() -> None:
    agent = registry.make("heuristic")
    players = [{}, {"markers": [0, 0, 0, 1, 0]}]
    game = decision([6, 6, 6, 6, 3, 4, 0], players=players)
    game.step(Action.TARGET_6)
    assert agent.act(game.position(), game.mask(), np.random.default_rng(0)) == Action.STEAL_1
    game.step(Action.STEAL_1)
    assert agent.act(game.position(), game.mask(), np.random.default_rng(0)) == Action.DISCARD_3


def test_planner_takes_the_winning_marker() -> None:
    """One marker is left: the 7 of the middle loses by a point, stealing the other's 7 wins."""
    players = [{"markers": [0, 0, 0, 0, 0]}, {"markers": [0, 0, 0, 1, 1]}]
    game = decision([7, 7, 7, 7, 3, 4, 0], players=players, middle=[0, 0, 0, 0, 1])
    game.step(Action.TARGET_7)
    agent = PlannerAgent()
    values = agent.action_values(game.position())
    assert values[Action.TAKE] == -1 and values[Action.STEAL_1] == 1
    assert agent.act(game.position(), game.mask(), np.random.default_rng(0)) == Action.STEAL_1


def test_planner_values_are_rewards_of_whoever_decides() -> None:
    agent = PlannerAgent()
    for seed in range(3):
        game = Game(3, 1)
        game.reset(seed)
        rng = np.random.default_rng(seed)
        while game.bits:
            values = agent.action_values(game.position())
            assert np.flatnonzero(~np.isnan(values)).tolist() == action_list(game.bits)
            assert np.nanmin(values) >= -1 and np.nanmax(values) <= 1
            assert agent.act(game.position(), game.mask(), rng) == int(np.nanargmax(values))
            game.step(int(rng.choice(action_list(game.bits))))


def test_the_hand_made_evaluation_is_zero_sum_and_sensible() -> None:
    even = Position.complete({}, num_players=3, copies=3)
    assert evaluate_by_points(even.states())[0, :3] == pytest.approx([0, 0, 0])
    ahead = Position.complete({"players": [{"markers": [0, 0, 0, 0, 2]}, {}, {}]}, num_players=3, copies=3)
    values = evaluate_by_points(ahead.states())[0, :3]
    assert values[0] > 0 > values[1] == values[2] and values.sum() == pytest.approx(0)
    over = Position.complete(
        {"phase": "over", "middle": [0] * 5, "players": [{}, {"markers": [1, 0, 0, 0, 0]}]}, num_players=2, copies=1
    )
    assert evaluate_by_points(over.states())[0, :2].tolist() == [-1, 1]


def test_a_batch_of_decisions_is_the_decisions_one_by_one() -> None:
    states, masks = [], []
    for seed in range(40):
        game = Game(3)
        game.reset(seed)
        rng = np.random.default_rng(seed)
        for _ in range(seed):
            if game.bits:
                game.step(int(rng.choice(action_list(game.bits))))
        if game.bits:
            states.append(game.states.copy())
            masks.append(game.mask())
    for spec in OURS:
        agent: Any = registry.make(spec)
        rngs = [np.random.default_rng(k) for k in range(len(states))]
        shown = np.concatenate(states)
        together = agent.act_batch(shown, np.stack(masks), rngs)
        assert (shown == np.concatenate(states)).all(), "an agent changes nothing in the games that it looks at"
        rngs = [np.random.default_rng(k) for k in range(len(states))]
        alone = [agent.act_batch(s, m[None], [g])[0] for s, m, g in zip(states, masks, rngs, strict=True)]
        assert together.tolist() == alone
