"""A policy that imitates an agent with values: it comes close to its teacher, and its runs can be killed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open

pytest.importorskip("tensorboard")

from pechvogel.agents import registry
from pechvogel.agents.policy import Policy
from pechvogel.cli import main
from pechvogel.train import config as configs
from pechvogel.train.config import ImitationConfig
from pechvogel.train.imitate import ImitationLearner, Tables
from pechvogel.train.networks import layers_of
from tests.runs import train_to_the_end

ROOT = Path(__file__).parent.parent
SMALL = {"copies": 1}
TINY = ROOT / "configs" / "pechvogel" / "tiny-apprentice.yaml"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("apprentice") / "run"
    train_to_the_end(str(TINY), "--out", str(folder))
    return folder


def test_it_learns(trained: Path) -> None:
    """Beyond its intervals better than a policy that knows nothing, which wins next to nothing."""
    results = {row["against"]: row for row in json.loads((trained / "history.json").read_text())}
    assert results["heuristic"]["ci95"][0] > 0.4 and results["planner"]["ci95"][0] > 0.3
    registry.check(registry.make(f"ppo:weights={trained / 'policy.safetensors'}"), 2, copies=1, games=1)


def test_a_checkpoint_holds_all_that_matters(tmp_path: Path) -> None:
    """Resumed in the middle, a run ends with the same weights, to the bit; other learners are killed in their tests."""
    config = ImitationConfig(settings=SMALL, teacher="planner", tables=24, rollout=6, hidden=[16], decisions=24 * 6 * 6)
    straight = ImitationLearner(config, tmp_path)
    for _ in range(3):
        straight.update()
    straight.checkpoint()
    with safe_open(tmp_path / "checkpoint.safetensors", "np") as file:
        notes = json.loads(file.metadata()["notes"])
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  not a dict
    resumed = ImitationLearner(config, tmp_path)
    resumed.restore(tensors, notes)
    for trainer in (straight, resumed):
        for _ in range(3):
            trainer.update()
    assert resumed.done == straight.done == config.decisions
    for name, tensor in straight.averaged.state_dict().items():
        assert torch.equal(tensor, resumed.averaged.state_dict()[name]), name


def test_it_learns_what_the_teacher_thinks_of_its_own_positions(tmp_path: Path) -> None:
    config = ImitationConfig(settings=SMALL, teacher="planner", tables=20, rollout=5, hidden=[16])
    teacher = registry.make("planner")
    policy = Policy(layers_of(ImitationLearner(config, tmp_path).network))
    tables = Tables(config, teacher, 0)
    data = tables.play(policy)
    assert len(data["seen"]) == 50 and (np.isfinite(data["values"]) == (data["masks"] == 1)).all()
    values = teacher.action_values_batch(tables.batch.states)
    again = tables.play(policy)["values"][:10]
    legal = np.isfinite(again)
    assert again[legal] == pytest.approx(values[legal], abs=1e-6)
    assert (data["lost"] >= 0).all() and data["lost"].max() > 0.05, "who knows nothing loses something"


def test_the_loss_is_least_for_the_teachers_own_chances(tmp_path: Path) -> None:
    config = ImitationConfig(settings=SMALL, teacher="planner", tables=8, rollout=4, hidden=[8], temperature=0.05)
    trainer = ImitationLearner(config, tmp_path)
    data, _ = trainer.play()
    chances = torch.softmax(data["values"] / config.temperature, dim=1)
    least = -(chances * torch.log(chances.clamp_min(1e-30))).sum(dim=1).mean()
    assert trainer.loss(data)[1] > float(least)
    trainer.network = lambda seen: data["values"] / config.temperature  # type: ignore[assignment]
    assert trainer.loss(data)[1] == pytest.approx(float(least), abs=1e-5)


def test_a_teacher_without_values_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("learner: imitate\nteacher: heuristic\n")
    assert main(["train", str(config), "--out", str(tmp_path / "run")]) == 2
    assert "can't say what actions are worth" in capsys.readouterr().err
    with pytest.raises(ValueError, match="temperature must be above 0"):
        configs.from_dict({"learner": "imitate", "temperature": 0})
