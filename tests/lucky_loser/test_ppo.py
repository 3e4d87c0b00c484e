"""Training of a policy: the shared learner takes this game, too."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from lucky_loser_env import observation
from pechvogel.agents import registry
from pechvogel.agents.policy import load
from pechvogel.train import config as configs
from pechvogel.train.ppo import PpoLearner
from tests.runs import train_to_the_end

TINY = configs.find("tiny", "lucky-loser")


def test_it_learns(tmp_path: Path) -> None:
    """Within seconds, on short rows: better than random, and than the network it began with."""
    config = configs.read(TINY)
    assert isinstance(config, configs.PpoConfig)
    fresh = PpoLearner(config, tmp_path)
    fresh.evaluate()
    folder = tmp_path / "run"
    train_to_the_end("tiny", "--game", "lucky-loser", "--out", str(folder))
    last = [row for row in json.loads((folder / "history.json").read_text()) if row["against"] == "random"][-1]
    assert last["ci95"][0] > 0.6 and last["ci95"][0] > fresh.history[0]["ci95"][1]
    policy, card = load(folder / "policy.safetensors")
    assert card["game"] == "lucky-loser" and card["settings"] == {"row_lengths": [2] * 6}
    assert policy.layers[0][0].shape[1] == observation.size(2) and policy.layers[-1][1].shape == (49,)
    agent = registry.make(f"ppo:weights={folder / 'policy.safetensors'}", "lucky-loser")
    registry.check(agent, 2, game="lucky-loser", row_lengths=(2,) * 6, games=1)


def test_the_learner_sees_its_masks() -> None:
    """Whoever is asked has two legal actions or more: forced ones are skipped."""
    config = configs.read(TINY)
    assert isinstance(config, configs.PpoConfig)
    learner = PpoLearner(config, Path("unused"))
    learner.env.reset()
    for _ in range(5):
        masks = learner.env.action_masks()
        assert masks.shape == (64, 49) and (masks.sum(axis=1) >= 2).all()
        learner.env.step_async(np.array([np.flatnonzero(row)[-1] for row in masks]))
        learner.env.step_wait()
