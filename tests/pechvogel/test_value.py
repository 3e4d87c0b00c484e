"""The learned evaluation: what it sees, how turns are played with it, and that it learns."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

pytest.importorskip("tensorboard")
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from pechvogel.agents import registry
from pechvogel.agents.pechvogel import value
from pechvogel.agents.pechvogel.champion import BOUND, TEMPERATURES, ChampionAgent
from pechvogel.agents.pechvogel.heuristic import HeuristicAgent
from pechvogel.agents.pechvogel.planner import PlannerAgent
from pechvogel.agents.pechvogel.turn.ends import count_ends, expand, new_starts, turn_starts
from pechvogel.agents.pechvogel.turn.search import TurnSearch
from pechvogel.agents.pechvogel.value import ValueNet, features, num_features
from pechvogel.cli import main
from pechvogel.tabletop.bits import action_list
from pechvogel.train import config as configs
from pechvogel.train.config import ValueConfig
from pechvogel.train.networks import layers_of, make_network
from pechvogel.train.pechvogel import turns
from pechvogel.train.pechvogel.play_turns import play_turns
from pechvogel.train.value import ValueLearner, by_seat, lambda_targets
from pechvogel_env import rules
from pechvogel_env.batch import Batch, Buffers
from pechvogel_env.game import Game
from pechvogel_env.kind import KIND
from pechvogel_env.position import position_of
from pechvogel_env.rules import Phase
from tests.runs import digest, train_and_kill, train_to_the_end

ROOT = Path(__file__).parents[2]
TINY = ROOT / "configs" / "pechvogel" / "tiny-champion.yaml"


def untrained(players: int, copies: int, seed: int = 1) -> ValueNet:
    return turns.evaluation(layers_of(untrained_network(players, copies, seed)), KIND.variant(players, copies=copies))


def untrained_network(players: int, copies: int, seed: int = 1) -> torch.nn.Module:
    torch.manual_seed(seed)
    sizes = [turns.num_inputs(KIND.variant(players, copies=copies)), 32, 16, 2 * players]
    return make_network(sizes, torch.nn.ReLU)


def positions(players: int, copies: int, num: int, seed: int = 3) -> rules.States:
    """Positions between turns of random games."""
    buffers = Buffers.allocate(64, players)
    batch = Batch(buffers, num_players=players, copies=copies, seed=seed)
    rng = np.random.default_rng(seed)
    found = []
    while sum(map(len, found)) < num:
        chances = np.where(buffers.masks != 0, rng.random(buffers.masks.shape), -1)
        batch.step(chances.argmax(axis=1))
        if rng.random() < 0.1:
            found.append(turn_starts(batch.states))
    return np.concatenate(found)[:num]


@pytest.mark.parametrize(("players", "copies"), [(2, 1), (3, 3), (5, 2)])
def test_what_the_network_sees(players: int, copies: int) -> None:
    states = positions(players, copies, 300)
    rows = features(states, copies)
    assert rows.shape == (300, num_features(players, copies)) and np.isfinite(rows).all()
    # Everybody moves one seat on: nothing has changed for the player at turn.
    moved = states.copy()
    for field in ("markers", "frustrations"):
        moved[field][:, :players] = np.roll(states[field][:, :players], 1, axis=1)
    moved["active"] = (states["active"] + 1) % players
    moved["murphy"] = np.where(states["murphy"] < 0, -1, (states["murphy"] + 1) % players)
    assert (features(moved, copies) == rows).all()
    # Different positions look different.
    keys = ("middle", "markers", "frustrations", "murphy")
    told = {tuple(np.concatenate([np.ravel(s[key]) for key in keys])) for s in turned_to_seat_0(states, players)}
    assert len({row.tobytes() for row in rows}) == len(told)


def turned_to_seat_0(states: rules.States, players: int) -> rules.States:
    turned = states.copy()
    for i in range(len(states)):
        by = int(states["active"][i])
        for field in ("markers", "frustrations"):
            turned[field][i, :players] = np.roll(states[field][i, :players], -by, axis=0)
        turned["murphy"][i] = -1 if states["murphy"][i] < 0 else (states["murphy"][i] - by) % players
    return turned


@pytest.mark.parametrize("players", [2, 3, 5])
def test_the_network_without_torch_is_the_same(players: int) -> None:
    network = untrained_network(players, 3)
    net = turns.evaluation(layers_of(network), KIND.variant(players))
    states = positions(players, 3, 5000)
    with torch.no_grad():
        wanted = network(torch.from_numpy(features(states, 3))).numpy()
    assert net.outputs(states) == pytest.approx(wanted, abs=1e-5)
    found = net.evaluate(states)
    shares = torch.softmax(torch.from_numpy(wanted[:, :players]), dim=1).numpy()
    rows = np.arange(len(states))
    for k in range(players):
        seat = (states["active"] + k) % players
        assert ((players - 1) * found[rows, seat] + 1) / players == pytest.approx(shares[:, k], abs=1e-5)
        assert by_seat(net.outputs(states)[:, players:], states["active"])[rows, seat] == pytest.approx(
            wanted[:, players + k], abs=1e-5
        )
    assert found.sum(axis=1) == pytest.approx(0, abs=1e-6)
    with pytest.raises(ValueError, match=f"is for {players} players and up to 3 copies"):
        net.evaluate(positions(players % 4 + 2, 3, 5))
    with pytest.raises(ValueError, match="up to 1 copies"):
        untrained(players, 1).evaluate(states)


def test_games_that_are_over_have_their_result() -> None:
    game = Game(3, 1)
    game.reset(1)
    while game.bits:
        game.step(int(game.mask().argmax()))
    assert untrained(3, 1).evaluate(game.states)[0] == pytest.approx(game.rewards("win"))


@pytest.mark.parametrize(("players", "copies"), [(2, 1), (2, 3), (3, 2), (5, 3)])
def test_turns_are_played_as_the_planner_would(players: int, copies: int) -> None:
    """With the same evaluation and the same dice: the same positions after the turn, and their exact values before."""
    evaluate = untrained(players, copies).evaluate
    states = positions(players, copies, 60)
    states["turn"] = 0
    seeds = np.arange(60, dtype=np.uint64)
    before = states.copy()
    worth = played_turns(states, seeds, evaluate)
    assert worth[:, :players] == pytest.approx(TurnSearch(evaluate).values(before)[:, :players], abs=1e-12)
    planner = PlannerAgent(evaluate)
    asked = 0
    for i in range(60):
        game = Game(players, copies, skip_forced=False)  # so that the game stops soon after the turn
        game.reset(int(seeds[i]), position=position_of(before, i))
        while game.bits and game.states["turn"][0] == 0:
            game.step(planner.act(game.position(), game.mask(), np.random.default_rng(0)))
            asked += 1
        reached = states[i : i + 1] if states["phase"][i] == Phase.OVER else turn_starts(states[i : i + 1])
        played = game.states if game.states["phase"][0] == Phase.OVER else turn_starts(game.states)
        for field in ("middle", "markers", "frustrations", "murphy", "active", "phase"):
            assert np.array_equal(played[field], reached[field]), (i, field)
    assert asked > 120


@pytest.mark.parametrize(("players", "copies"), [(2, 3), (4, 2)])
def test_scripted_seats_play_like_heuristic(players: int, copies: int) -> None:
    """Every seat scripted: the turns that `heuristic` plays; and what they are worth is right on average."""
    evaluate = untrained(players, copies).evaluate
    num = 4000
    states = np.repeat(positions(players, copies, 40), num // 40)
    states["turn"] = 0
    seeds = np.arange(num, dtype=np.uint64)
    before = states.copy()
    worth = played_turns(states, seeds, evaluate, scripted=np.ones((num, rules.MAX_PLAYERS), bool))
    agent = HeuristicAgent()
    for i in range(0, num, 29):
        game = Game(players, copies, skip_forced=False)
        game.reset(int(seeds[i]), position=position_of(before, i))
        while game.bits and game.states["turn"][0] == 0:
            game.step(agent.act(game.position(), game.mask(), np.random.default_rng(0)))
        reached = states[i : i + 1] if states["phase"][i] == Phase.OVER else turn_starts(states[i : i + 1])
        played = game.states if game.states["phase"][0] == Phase.OVER else turn_starts(game.states)
        for field in ("middle", "markers", "frustrations", "murphy", "active", "phase"):
            assert np.array_equal(played[field], reached[field]), (i, field)
    # The same turns by what their ends are worth: equal on average, unlike what they would be worth with best play.
    after, best = evaluate(states), TurnSearch(evaluate).values(before)[:, :players]
    assert (errors_of(after - worth[:, :players]) < 4).all()
    assert (errors_of(after - best) > 5).any()


def errors_of(differences: np.ndarray) -> np.ndarray:
    """How many standard errors the means are away from 0."""
    return np.abs(differences.mean(axis=0)) / (differences.std(axis=0) / len(differences) ** 0.5)


def played_turns(
    states: rules.States, seeds: np.ndarray, evaluate: Any, explore: float = 0.0, scripted: Any = None
) -> np.ndarray:
    """Play a turn of every game; returns what it was worth."""
    players, num = int(states["num_players"][0]), len(states)
    starts = new_starts(states)
    ends = rules.new_states(count_ends(states, starts))
    expand(states, starts, ends)
    values = np.zeros((len(ends), rules.MAX_PLAYERS))
    values[:, :players] = evaluate(ends)
    worth = np.zeros((num, rules.MAX_PLAYERS))
    scripted = np.zeros(worth.shape, bool) if scripted is None else scripted
    keys = seeds + np.uint64(1)
    play_turns(states, starts, ends, values, seeds, keys, explore, scripted, worth, rules.new_states(1))
    return worth


def test_exploring_means_other_turns() -> None:
    evaluate = untrained(2, 3).evaluate
    reached = []
    for explore in (0.0, 1.0):
        states = positions(2, 3, 200)
        played_turns(states, np.arange(200, dtype=np.uint64), evaluate, explore)
        reached.append(states)
    same = (reached[0]["markers"] == reached[1]["markers"]).all(axis=(1, 2))
    assert 0.2 < same.mean() < 0.95


def test_targets_by_hand() -> None:
    """One table, two turns and then the end of a game, then one turn of the next; trace 1/2."""
    said = np.array([0.1, 0.2, 0.0, 0.3])[:, None, None] * np.array([1.0, -1.0])
    worth = np.array([0.3, 0.6, 0.1])[:, None, None] * np.array([1.0, -1.0])
    scores = np.array([0.0, 7.0, 0.0], np.float32)[:, None, None] * np.ones(2, np.float32)
    said_scores = np.array([1.0, 2.0, 3.0, 4.0], np.float32)[:, None, None] * np.ones(2, np.float32)
    ended = np.array([[False], [True], [False]])
    targets, score_targets = lambda_targets(0.5, said, said_scores, worth, ended, scores)
    # The last turn knows nothing later; the one before it ended a game; the first is corrected by (0.6 - 0.2) / 2.
    assert targets[:, 0, 0] == pytest.approx([0.5, 0.6, 0.1]) and targets[:, 0, 1] == pytest.approx([-0.5, -0.6, -0.1])
    assert score_targets[:, 0, 0] == pytest.approx([(2 + 7) / 2, 7, 4])


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "whole"
    train_to_the_end(str(TINY), "--out", str(folder))
    return folder


def test_it_learns(trained: Path) -> None:
    """Half a minute of the small game, and it beats the hand-made evaluations."""
    rows = json.loads((trained / "history.json").read_text())
    last = {row["against"]: row for row in rows}
    assert last["heuristic"]["ci95"][0] > 0.5 and last["planner"]["ci95"][0] > 0.5
    assert list((trained / "tensorboard").iterdir())
    card = json.loads((trained / "policy.json").read_text())
    assert configs.from_dict(card["config"]) == configs.read(TINY) and card["steps"] >= 100_000


def test_a_killed_run_ends_as_one_that_was_not(trained: Path, tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    train_and_kill(TINY, folder, kills=2, longest=2.0)
    assert digest(folder) == digest(trained)
    curves = EventAccumulator(str(folder / "tensorboard"))
    curves.Reload()
    assert [event.step for event in curves.Scalars("train/error")] == list(range(4096, 102_401, 4096)), "a gap"
    assert (folder / "history.json").read_text() == (trained / "history.json").read_text()


def test_threads_change_nothing(tmp_path: Path) -> None:
    config = ValueConfig(settings={"copies": 1}, tables=40, rollout=4, hidden=[16])
    states = []
    for threads in (1, 2):
        trainer = ValueLearner(config, tmp_path)
        trainer.pool = ThreadPoolExecutor(threads)
        for _ in range(2):
            trainer.update()
        states.append({name: tensor.clone() for name, tensor in trainer.network.state_dict().items()})
    for name, tensor in states[0].items():
        assert torch.equal(tensor, states[1][name])


def test_a_report_on_a_run(trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(trained), "--against", "random", "--games", "40"]) == 0
    assert "102,400 turns" in (trained / "report.html").read_text(encoding="utf-8")
    assert json.loads((trained / "policy.json").read_text())["results"][0]["against"] == "random"


# ------------------------------------------------------------------------------------------------ the agent


def test_the_weights_are_an_agent(trained: Path) -> None:
    spec = f"champion:weights={trained / 'policy.safetensors'}"
    for more in ("", ",level=3"):
        registry.check(registry.make(spec + more), 2, copies=1)
    with pytest.raises(ValueError, match="these weights are for 2 players, 1 copies, not for 3 players, 1 copies"):
        registry.check(registry.make(spec), 3, copies=1)


@pytest.mark.parametrize(
    "wrong",
    [
        "level=0",
        "level=11",
        "level=2.5",
        "level=true",
        "temperature=-1",
        "further=1",
        "level=3,temperature=1",
        "strength=3",
    ],
)
def test_wrong_options_are_refused(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", f"champion:{wrong}", "random", "--games", "2"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(("players", "copies"), [(2, 2), (3, 1), (4, 2), (5, 1)])
def test_a_small_game_is_a_whole_one_with_markers_in_the_box(players: int, copies: int) -> None:
    agent = ChampionAgent()
    game = Game(players, copies)
    game.reset(1)
    for _ in range(30):
        small, whole = game.states.copy(), game.states.copy()
        whole["copies"] = rules.MAX_COPIES
        values = agent.action_values_batch(small)
        assert values == pytest.approx(agent.action_values_batch(whole), nan_ok=True)
        game.step(int(np.nanargmax(values)))
        if not game.bits:
            break
    registry.check(registry.make("champion:level=3"), players, copies=copies, games=1)


def test_takes_and_discards_are_searched_a_turn_further() -> None:
    agent, rng = ChampionAgent(), np.random.default_rng(3)
    turn_only = ChampionAgent(further=False)
    seen = set()
    for seed in range(2):
        game = Game(2)
        game.reset(seed)
        while game.bits:
            position = game.position()
            mine = agent.action_values(position)
            if position.phase in ("take", "discard"):
                after = agent.search(game.states).values
                for action in action_list(game.bits):
                    best = _best_after(game.states, action, position.to_act, after)
                    assert mine[action] == pytest.approx(best, abs=1e-6)
                net = turn_only.search(game.states).evaluate
                for action in action_list(game.bits):
                    best = _best_after(game.states, action, position.to_act, net)
                    assert turn_only.action_values(position)[action] == pytest.approx(best, abs=1e-6)
                seen.add(position.phase)
            game.step(int(rng.choice(action_list(game.bits))))
    assert seen == {"take", "discard"}


def _best_after(states: rules.States, action: int, seat: int | None, after: Any) -> float:
    """What an action leads to: the turn that follows, or the best discard and the turn that follows that."""
    then = states.copy()
    rules.apply(then, 0, action)
    if then["phase"][0] != Phase.DISCARD:
        return float(after(then)[0, seat])
    return max(_best_after(then, discard, seat, after) for discard in action_list(rules.legal_bits(then, 0)))


def test_weaker_levels_err_a_little(trained: Path) -> None:
    """Chances fall with what an action loses, and what loses much is never played."""
    weights = str(trained / "policy.safetensors")
    game = Game(2, 1)
    game.reset(3)
    lost_by_level = []
    for level in (1, 5, 9, 10):
        agent = ChampionAgent(level=level, weights=weights)
        lost = []
        for seed in range(30):
            game.reset(seed)
            while game.bits:
                position, mask = game.position(), game.mask()
                values = agent.action_values(position)
                chances = agent.action_probabilities(position, mask)
                loss = np.nanmax(values) - values
                assert chances.sum() == pytest.approx(1) and not chances[mask == 0].any()
                if level < 10:
                    assert not chances[loss > BOUND * TEMPERATURES[level - 1]].any()
                    order = np.argsort(loss[mask == 1])
                    assert (np.diff(chances[mask == 1][order]) <= 1e-12).all()
                lost.append(float(np.nansum(chances * loss)))
                game.step(int(np.nanargmax(values)))
        lost_by_level.append(np.mean(lost))
    assert lost_by_level == sorted(lost_by_level, reverse=True) and lost_by_level[-1] == 0 < lost_by_level[-2]


def test_damaged_weights_are_refused(trained: Path, tmp_path: Path) -> None:
    path = tmp_path / "w.safetensors"
    data, card = (trained / "policy.safetensors").read_bytes(), json.loads((trained / "policy.json").read_text())

    def check(data: bytes, card: dict[str, Any], message: str) -> None:
        path.write_bytes(data)
        path.with_suffix(".json").write_text(json.dumps(card))
        with pytest.raises(ValueError, match=message):
            value.load(path)

    check(data[:-1], card, "SHA-256")
    check(data, {**card, "format": "pechvogel-policy-1"}, "format")
    check(data, {**card, "players": 3}, "not those of an evaluation")
    check(data, {**card, "environment": "pechvogel_v1"}, "pechvogel_v1")


def test_configs_name_their_learner(tmp_path: Path) -> None:
    for source, message in (
        ({"learner": "luck"}, "learner must be"),
        ({"learner": ["value"]}, "learner must be"),
        ({"learner": "value", "steps": 3}, "'steps' is no setting"),
        ({"learner": "value", "trace": 1.5}, "trace must be"),
        ({"learner": "value", "hidden": []}, "hidden must be"),
        ({"turns": 3}, "'turns' is no setting"),
    ):
        with pytest.raises(ValueError, match=message):
            configs.from_dict(source)
    config = configs.from_dict({"learner": "value", "players": 4})
    assert isinstance(config, ValueConfig) and configs.from_dict(configs.as_dict(config)) == config
