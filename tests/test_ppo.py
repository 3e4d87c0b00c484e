"""Training: it learns, it can be killed and resumed, and what it writes is checked when it is read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

pytest.importorskip("sb3_contrib")

from pechvogel.agents import registry
from pechvogel.agents.pechvogel.ppo import PpoAgent
from pechvogel.agents.policy import Policy, load, save
from pechvogel.cli import main
from pechvogel.train import config as configs
from pechvogel.train.ppo import PpoLearner
from pechvogel_env import observation
from tests.runs import digest, train, train_and_kill, train_to_the_end

ROOT = Path(__file__).parent.parent
TINY = ROOT / "configs" / "pechvogel" / "tiny.yaml"


def tiny() -> configs.PpoConfig:
    config = configs.read(TINY)
    assert isinstance(config, configs.PpoConfig)
    return config


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "whole"
    train_to_the_end(str(TINY), "--out", str(folder))
    return folder


def test_it_learns(trained: Path, tmp_path: Path) -> None:
    """Within seconds, on the small game: better than random, and far better than the network it began with."""
    trainer = PpoLearner(tiny(), tmp_path)
    trainer.config.evaluation_games = 400
    trainer.evaluate()
    fresh = trainer.history[0]
    last = [row for row in json.loads((trained / "history.json").read_text()) if row["against"] == "random"][-1]
    assert fresh["against"] == "random" and last["games"] == fresh["games"] == 400
    assert last["ci95"][0] > 0.5 and last["ci95"][0] > fresh["ci95"][1]
    assert list((trained / "tensorboard").iterdir())


def test_the_policy_without_torch_is_the_same(tmp_path: Path) -> None:
    trainer = PpoLearner(tiny(), tmp_path)
    for _ in range(2):
        trainer.update()
    seen, masks = trainer.env.buffers.observations, trainer.env.action_masks()
    with torch.no_grad():
        wanted = trainer.model.policy.get_distribution(torch.from_numpy(seen), action_masks=masks).distribution.probs
    logits = trainer.policy().logits(seen, masks.astype(np.int8))
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    assert chances / chances.sum(axis=1, keepdims=True) == pytest.approx(wanted.numpy(), abs=1e-5)


def test_a_finished_run_keeps_its_card(trained: Path) -> None:
    card = (trained / "policy.json").read_bytes()
    changed = json.loads(card)
    changed["results"] = []
    (trained / "policy.json").write_text(json.dumps(changed))
    process = train("--resume", str(trained))
    process.communicate(timeout=300)
    assert process.returncode == 0 and json.loads((trained / "policy.json").read_text()) == changed
    (trained / "policy.json").write_bytes(card)


def test_the_weights_are_an_agent(trained: Path) -> None:
    agent = registry.make(f"ppo:weights={trained / 'policy.safetensors'}")
    registry.check(agent, 2, copies=1)
    registry.check(PpoAgent(weights=str(trained / "policy.safetensors"), sample=True), 2, copies=1)
    with pytest.raises(ValueError, match="these weights are for 2 players, 1 copies, not for 3 players, 1 copies"):
        registry.check(agent, 3, copies=1)


def test_a_killed_run_ends_as_one_that_was_not(trained: Path, tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    train_and_kill(TINY, folder, kills=3, longest=0.8)
    assert digest(folder) == digest(trained)
    assert (folder / "history.json").read_text() == (trained / "history.json").read_text()


def test_a_stopped_run_can_be_ended_there(trained: Path, tmp_path: Path) -> None:
    for name in ("checkpoint.safetensors", "history.json"):
        (tmp_path / name).write_bytes((trained / name).read_bytes())
    assert main(["train", "--resume", str(tmp_path), "--finish"]) == 0
    assert digest(tmp_path) == digest(trained)
    assert main(["train", "--resume", str(tmp_path), "--finish"]) == 2, "it has ended"
    # Killed after the weights, before their card: there is a way on.
    for words in (["--finish"], []):
        (tmp_path / "policy.json").unlink()
        assert main(["train", "--resume", str(tmp_path), *words]) == 0
        assert (tmp_path / "policy.json").read_bytes() == (trained / "policy.json").read_bytes()
    assert main(["train", str(TINY), "--out", str(tmp_path / "new"), "--finish"]) == 2


def test_a_run_is_not_overwritten_and_a_broken_one_not_resumed(trained: Path, tmp_path: Path) -> None:
    for words, sentence in (
        ((str(TINY), "--out", str(trained)), "has a run already"),
        (("--resume", str(tmp_path)), "has no checkpoint"),
        ((str(TINY),), "--out"),
        ((), "a config"),
    ):
        process = train(*words)
        _, error = process.communicate(timeout=120)
        assert process.returncode == 2 and sentence in error.decode() and error.count(b"\n") == 1
    (tmp_path / "checkpoint.safetensors").write_bytes((trained / "checkpoint.safetensors").read_bytes()[:1000])
    process = train("--resume", str(tmp_path))
    _, error = process.communicate(timeout=120)
    assert process.returncode == 2 and b"is damaged" in error


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"colour": 1}, "'colour' is no setting; there are learner, game, players"),
        ({"steps": "many"}, "steps must be a whole number"),
        ({"steps": 1.5}, "steps must be a whole number"),
        ({"players": 6}, "num_players must be from 2 to 5"),
        ({"tables": 0}, "tables must be at least 1"),
        ({"hidden": []}, "hidden must be a list of whole numbers"),
        ({"entropy": True}, "entropy must be a number"),
        ({"hidden": [True]}, "hidden must be a list of whole numbers"),
        ({"minibatch": 1}, "minibatch must be at least 2"),
        ({"evaluation_games": 0}, "evaluation_games must be at least 1"),
        ({"checkpoint_minutes": float("nan")}, "checkpoint_minutes must be at least 0"),
        ({"gae_lambda": 7}, "gae_lambda must be from 0 to 1"),
        ({"alike": -1}, "alike must be from 0 to 1"),
        ({"clip": -1}, "clip must be above 0"),
        ({"league": {"current": 0, "past": 0, "heuristic": 0, "random": 0}}, "shares of the league"),
        ({"league": {"current": "much"}}, "league must be names with numbers"),
        ({"league": [1]}, "league must be names with numbers"),
        ({"evaluate_against": []}, "evaluate_against must be a list of names"),
        ({"settings": {"colour": 1}}, "'colour' is no setting of pechvogel; there are copies, italian_reading"),
        ({"settings": {"copies": 4}}, "copies must be from 1 to 3"),
        ({"settings": 3}, "settings must be names with values"),
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"device": "tpu"}, "device must be 'auto' or 'cpu' or 'cuda'"),
        ({"copies": 1}, r"'copies' is now settings: \{copies: N\}"),
        ({"heuristic": 0.2}, r"'heuristic' is now league: \{heuristic: SHARE"),
        ({"frozen": "champion"}, r"'frozen' is now league: \{AGENT: 1\} with evaluate_against"),
    ],
)
def test_wrong_configs_are_refused(source: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        configs.from_dict(source)


def test_all_configs_are_valid(tmp_path: Path) -> None:
    for path in (ROOT / "configs").glob("*/*.yaml"):
        configs.read(path)
    (tmp_path / "bad.yaml").write_text("a: [")
    with pytest.raises(ValueError, match="not valid YAML"):
        configs.read(tmp_path / "bad.yaml")
    (tmp_path / "list.yaml").write_text("- 1")
    with pytest.raises(ValueError, match="a config is a list of"):
        configs.read(tmp_path / "list.yaml")


def small_policy() -> Policy:
    rng = np.random.default_rng(1)
    sizes = [observation.size(2), 8, 18]
    shapes = zip(sizes[1:], sizes[:-1], strict=True)
    return Policy([(rng.normal(size=shape).astype(np.float32), np.zeros(shape[0], np.float32)) for shape in shapes])


def test_weights_are_checked_when_loaded(tmp_path: Path) -> None:
    path = tmp_path / "w.safetensors"
    save(small_policy(), path, {"game": "pechvogel", "players": 2, "settings": {}})
    policy, card = load(path)
    assert card["players"] == 2 and (policy.layers[0][0] == small_policy().layers[0][0]).all()
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(ValueError, match="don't match the SHA-256"):
        load(path)
    path.write_bytes(whole)
    save(small_policy(), path, {"game": "pechvogel", "players": 3, "settings": {}})
    with pytest.raises(ValueError, match=f"or not to {observation.size(3)} inputs"):
        load(path)
    card = json.loads(path.with_suffix(".json").read_text())
    for change, message in (
        ({"environment": "pechvogel_v7"}, "they are for pechvogel_v7"),
        ({"players": None}, "for which game"),
        ({"settings": {"copies": 4}}, "for which game"),
        ({"settings": 4}, "for which game"),
        ({"game": "chess"}, "for which game"),
    ):
        path.with_suffix(".json").write_text(json.dumps({**card, **change}))
        with pytest.raises(ValueError, match=message):
            load(path)
    card["players"] = 2
    size = observation.size(2)
    for layers, message in (([(size, 8), (7, 18)], "don't fit together"), ([(size, 8), (8, 17)], "17 outputs, not 18")):
        save(Policy([(np.zeros(size[::-1], np.float32), np.zeros(size[1], np.float32)) for size in layers]), path, card)
        with pytest.raises(ValueError, match=message):
            load(path)
    path.with_suffix(".json").write_text("{}")
    with pytest.raises(ValueError, match="not of the format"):
        load(path)
    path.with_suffix(".json").unlink()
    with pytest.raises(ValueError, match="can't be read"):
        load(path)
    with pytest.raises(ValueError, match="can't be read"):
        registry.make("ppo:weights=nowhere.safetensors")


def test_sampling_follows_the_probabilities(tmp_path: Path) -> None:
    path = tmp_path / "w.safetensors"
    save(small_policy(), path, {"game": "pechvogel", "players": 2, "settings": {}})
    agent = PpoAgent(weights=str(path), sample=True)
    from pechvogel_env.game import Game

    game = Game(2)
    game.reset(1, 0, [3, 4, 5, 6, 7, 3, 0])
    chances = agent.action_probabilities(game.position(), game.mask())
    rngs = [np.random.default_rng(seed) for seed in range(5000)]
    actions = agent.act_batch(np.repeat(game.states, 5000), np.repeat(game.mask()[None], 5000, axis=0), rngs)
    counts = np.bincount(actions, minlength=18) / 5000
    assert (np.abs(counts - chances) < 4 * np.sqrt(0.25 / 5000)).all()


def test_without_weights_for_the_game_a_sentence_says_so() -> None:
    with pytest.raises(ValueError, match="there are no weights for 5 players, 1 copies; train some"):
        registry.check(registry.make("ppo"), 5, copies=1)


def test_the_report_of_a_run(trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "a <run>"
    folder.mkdir()
    for name in ("policy.safetensors", "policy.json", "history.json"):
        (folder / name).write_bytes((trained / name).read_bytes())
    words = ["report", str(folder), "--against", "random", "heuristic", "--games", "60", "--seed", "3"]
    assert main([*words, "--json", str(tmp_path / "report.json")]) == 0
    shown = capsys.readouterr().out
    result = json.loads((tmp_path / "report.json").read_text())
    assert [row["against"] for row in result["lineups"]] == ["random", "heuristic"]
    assert f"{result['lineups'][0]['agents'][0]['win_share']:.1%}" in shown
    card = load(folder / "policy.safetensors")[1]
    assert [row["win_share"] for row in card["results"]] == [row["agents"][0]["win_share"] for row in result["lineups"]]
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 4 and "a &lt;run&gt;" in page and "<run>" not in page
    outside = re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?(?!#|["']?#)([^"')\s>]+)""", page)
    assert not outside and "<script" not in page, "the page must open without a network"
    assert main(["report", str(tmp_path)]) == 2
    assert "has no trained weights" in capsys.readouterr().err
    card_before = (folder / "policy.json").read_bytes()
    row = '[{"steps": %s, "against": "random", "win_share": 0.5, "ci95": %s}]'
    strange = [row % (steps, ci95) for steps, ci95 in (("[1]", "[0, 1]"), ("NaN", "[0, 1]"), ("1", "[0]"), ("1", "3"))]
    for broken in ('[{"a": 1}]', "{", "[]", "{}", "7", "[7]", "[" * 100_000, *strange):
        (folder / "history.json").write_text(broken)
        assert main(["report", str(folder), "--against", "random", "--games", "2"]) == 2
        assert "is not the history of a training run" in capsys.readouterr().err
    assert (folder / "policy.json").read_bytes() == card_before
    with pytest.raises(ValueError, match="sample must be true or false"):
        registry.make("ppo:sample=no")


def test_the_benchmark_of_training(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from pechvogel.train import speed

    monkeypatch.setattr(speed, "ROUNDS", 1)
    monkeypatch.setattr(speed, "SOLO_ROLLOUT", 16)
    assert main(["bench", "--training", "--seconds", "0.01", "--json", "-"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["training"]["selfplay"] > 0 and result["training"]["solo"] > 0
    assert result["ratio"] == pytest.approx(result["training"]["selfplay"] / result["training"]["solo"])


def test_a_best_response_begins_with_weights_and_faces_one_agent(trained: Path, tmp_path: Path) -> None:
    start = f"ppo:weights={trained / 'policy.safetensors'}"
    config = tiny()
    config.league, config.evaluate_against = {"heuristic": 1.0}, ["heuristic"]
    config.start, config.critic_first = start, 2
    trainer = PpoLearner(config, tmp_path)
    began = load(trained / "policy.safetensors")[0]
    critic = trainer.model.policy.value_net.weight.detach().clone()
    for update in range(3):
        trainer.update()
        same = all(
            np.array_equal(a, b)
            for now, then in zip(trainer.policy().layers, began.layers, strict=True)
            for a, b in zip(now, then, strict=True)
        )
        assert same == (update < 2)
    assert not torch.equal(critic, trainer.model.policy.value_net.weight)
    drawn = {trainer.league.opponents[number] for number in np.unique(trainer.env.members)}
    assert drawn == {trainer.scripted["heuristic"]}
    trainer.evaluate()
    assert [row["against"] for row in trainer.history] == ["heuristic"]
    for key, wrong, message in (
        ("start", "random", "start must be ppo"),
        ("start", "ppo:weights=nowhere", "can't be read"),
        ("league", {"nobody": 1.0}, "there is no agent"),
        ("hidden", [32], r"hidden must be \[64, 64\]"),
    ):
        with pytest.raises(ValueError, match=message):
            wrong_config = configs.from_dict({**configs.as_dict(config), key: wrong})
            assert isinstance(wrong_config, configs.PpoConfig)
            PpoLearner(wrong_config, tmp_path)
