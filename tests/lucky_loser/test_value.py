"""The learned evaluation: what it sees, how turns are played with it, and that it learns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

pytest.importorskip("tensorboard")

from lucky_loser_env import rules
from lucky_loser_env.dice import seeded_throw
from lucky_loser_env.kind import KIND
from lucky_loser_env.rules import Phase, States
from pechvogel.agents import registry
from pechvogel.agents.lucky_loser.heuristic import HeuristicAgent
from pechvogel.agents.lucky_loser.turn import TurnSearch, ends_of
from pechvogel.agents.lucky_loser.value import ValueNet, features, num_features
from pechvogel.cli import main
from pechvogel.train import config as configs
from pechvogel.train.lucky_loser import turns
from pechvogel.train.networks import layers_of, make_network
from tests.lucky_loser.test_turn import between_turns, positions
from tests.runs import digest, train_and_kill, train_to_the_end

ROOT = Path(__file__).parents[2]
TINY = ROOT / "configs" / "lucky_loser" / "tiny-champion.yaml"


def untrained_network(players: int) -> torch.nn.Module:
    torch.manual_seed(1)
    return make_network([turns.num_inputs(KIND.variant(players)), 32, 16, 2 * players], torch.nn.ReLU)


def untrained(players: int) -> ValueNet:
    return turns.evaluation(layers_of(untrained_network(players)), KIND.variant(players))


@pytest.mark.parametrize(
    ("players", "row_lengths"), [(2, (4,) * 6), (3, (4,) * 6), (4, (1, 2, 3, 4, 5, 8)), (4, (8,) * 6)]
)
def test_what_the_network_sees(players: int, row_lengths: tuple[int, ...]) -> None:
    states = between_turns(positions(players, 300, row_lengths=row_lengths))
    rows = features(states)
    assert rows.shape == (300, num_features(players)) and np.isfinite(rows).all() and np.abs(rows).max() < 10
    # Everybody moves one seat on: nothing has changed for the player at turn.
    moved = states.copy()
    for field in ("places", "chips", "sets", "bonus"):
        moved[field][:, :players] = np.roll(states[field][:, :players], 1, axis=1)
    moved["active"], moved["first"] = (states["active"] + 1) % players, (states["first"] + 1) % players
    assert (features(moved) == rows).all()
    # Different positions look different.
    turned = states.copy()
    for i in range(len(states)):
        for field in ("places", "chips", "bonus"):
            turned[field][i, :players] = np.roll(states[field][i, :players], -int(states["active"][i]), axis=0)
    keys = ("stacks", "places", "chips", "bonus")
    begun = (states["active"] - states["first"]) % players
    told = {(k, *np.concatenate([np.ravel(s[key]) for key in keys])) for k, s in zip(begun, turned, strict=True)}
    assert len({row.tobytes() for row in rows}) == len(told) > 100


@pytest.mark.parametrize("players", [2, 4])
def test_the_network_without_torch_is_the_same(players: int) -> None:
    network, states = untrained_network(players), between_turns(positions(players, 500))
    net = turns.evaluation(layers_of(network), KIND.variant(players))
    with torch.no_grad():
        wanted = network(torch.from_numpy(features(states))).numpy()
    assert net.outputs(states) == pytest.approx(wanted, abs=1e-5)
    found, rows = net.evaluate(states), np.arange(len(states))
    shares = torch.softmax(torch.from_numpy(wanted[:, :players]), dim=1).numpy()
    for k in range(players):
        seat = (states["active"] + k) % players
        assert ((players - 1) * found[rows, seat] + 1) / players == pytest.approx(shares[:, k], abs=1e-5)
    with pytest.raises(ValueError, match=f"this evaluation is for {players} players, rows of 4,4,4,4,4,4"):
        net.evaluate(positions(3, 5))
    with pytest.raises(ValueError, match="this evaluation is for"):
        net.evaluate(positions(players, 5, row_lengths=(4, 4, 4, 4, 4, 5)))


def played_turns(states: States, seeds: np.ndarray, evaluate: Any, explore: float, scripted: bool) -> np.ndarray:
    """Play a turn of every game; returns what it was worth."""
    players, num = int(states["num_players"][0]), len(states)
    ends = ends_of(states)
    worth = np.zeros((num, players))
    scripts = np.full((num, players), scripted)
    more = (seeds, seeds + np.uint64(1), explore, scripts, worth, rules.new_states(1))
    turns.play_turns(states, *ends, evaluate(ends.states), *more)
    return worth


@pytest.mark.parametrize("players", [2, 3])
def test_turns_are_played_with_their_dice_and_the_best_action(players: int) -> None:
    evaluate, seeds = untrained(players).evaluate, np.arange(100, dtype=np.uint64)
    states = between_turns(positions(players, 100))
    before = states.copy()
    worth = played_turns(states, seeds, evaluate, 0.0, False)
    search = TurnSearch(evaluate)
    assert worth == pytest.approx(search.values(before)[:, :players], abs=1e-12)
    thrown = before.copy()
    thrown["phase"], thrown["to_act"] = Phase.GROUP, before["active"]
    thrown["thrown"] = [seeded_throw(seed, turn) for seed, turn in zip(seeds, before["turn"], strict=True)]
    best = np.nanargmax(search.action_values(thrown), axis=1)
    for i in range(100):
        rules.apply(thrown, i, int(best[i]))
    assert (thrown == states).all()


def test_scripted_seats_play_like_heuristic() -> None:
    """The turns that `heuristic` plays; and what they are worth is right on average."""
    evaluate, num = untrained(2).evaluate, 4000
    states = np.repeat(between_turns(positions(2, 40)), num // 40)
    seeds = np.arange(num, dtype=np.uint64)
    before = states.copy()
    worth = played_turns(states, seeds, evaluate, 0.0, True)
    thrown = before.copy()
    thrown["phase"], thrown["to_act"] = Phase.GROUP, before["active"]
    thrown["thrown"] = [seeded_throw(seed, turn) for seed, turn in zip(seeds, before["turn"], strict=True)]
    for i, action in enumerate(HeuristicAgent().act_batch(thrown, np.zeros((num, 49), np.int8), [])):
        rules.apply(thrown, i, int(action))
    assert (thrown == states).all()
    after, best = evaluate(states), TurnSearch(evaluate).values(before)[:, :2]
    assert (errors_of(after - worth) < 4).all() and (errors_of(after - best) > 5).any()


def errors_of(differences: np.ndarray) -> np.ndarray:
    """How many standard errors the means are away from 0."""
    return np.abs(differences.mean(axis=0)) / (differences.std(axis=0) / len(differences) ** 0.5)


def test_exploring_means_other_turns() -> None:
    reached = []
    for explore in (0.0, 1.0):
        states = between_turns(positions(2, 200))
        played_turns(states, np.arange(200, dtype=np.uint64), untrained(2).evaluate, explore, False)
        reached.append(states)
    assert 0.02 < (reached[0] == reached[1]).mean() < 0.5


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "whole"
    train_to_the_end(str(TINY), "--out", str(folder))
    return folder


def test_it_learns(trained: Path) -> None:
    """Seconds of a short game, and it is far better than random."""
    last = json.loads((trained / "history.json").read_text())[-1]
    assert last["against"] == "random" and last["ci95"][0] > 0.9
    card = json.loads((trained / "policy.json").read_text())
    assert configs.from_dict(card["config"]) == configs.read(TINY) and card["game"] == "lucky-loser"


def test_a_killed_run_ends_as_one_that_was_not(trained: Path, tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    train_and_kill(TINY, folder, kills=1, longest=2.0)
    assert digest(folder) == digest(trained)


def test_a_report_on_a_run(trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(trained), "--games", "40", "--game", "lucky-loser", "--against", "random"]) == 0
    assert "61,440 turns" in (trained / "report.html").read_text(encoding="utf-8")
    assert main(["report", str(trained), "--games", "40", "--game", "pechvogel"]) == 2
    assert "has weights for lucky-loser, not for pechvogel" in capsys.readouterr().err


def test_the_weights_are_an_agent(trained: Path) -> None:
    """For the rows that they have learned about, and no others."""
    spec, short = f"champion:weights={trained / 'policy.safetensors'}", (2,) * 6
    for more in ("", ",level=3"):
        registry.check(registry.make(spec + more, "lucky-loser"), 2, game="lucky-loser", row_lengths=short)
    for players, rows in ((3, short), (2, (4,) * 6)):
        with pytest.raises(ValueError, match=r"these weights are for 2 players, rows of 2,2,2,2,2,2, not for"):
            registry.check(registry.make(spec, "lucky-loser"), players, game="lucky-loser", row_lengths=rows)
    with pytest.raises(ValueError, match="they are for lucky-loser, not for pechvogel"):
        registry.make(spec)
