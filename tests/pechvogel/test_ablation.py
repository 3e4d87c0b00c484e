"""The page on where the champion's strength comes from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("matplotlib")

from pechvogel.agents import card
from pechvogel.cli import main
from pechvogel.train.config import ValueConfig
from pechvogel.train.loop import Loop
from pechvogel.train.pechvogel import ablation


def test_what_is_missing_is_trained_and_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    configs = tmp_path / "configs" / "pechvogel"
    configs.mkdir(parents=True)
    tiny = "tables: 16\nrollout: 4\nhidden: [8]\nevaluation_games: 10\n"
    (configs / "champion-2.yaml").write_text(f"learner: value\nturns: 500\n{tiny}")
    (configs / "apprentice-2.yaml").write_text(f"learner: imitate\nteacher: planner\ndecisions: 100\n{tiny}")
    monkeypatch.setattr("pechvogel.train.config.FOLDER", configs.parent)
    monkeypatch.setattr(ablation, "LENGTHS", (100, 200))
    page, figures = tmp_path / "page.md", tmp_path / "figures.json"
    words = ["ablation", "--players", "2", "--games", "40", "--runs", str(tmp_path / "runs"), "--out", str(page)]
    assert main([*words, "--json", str(figures)]) == 0
    full = json.loads((card.folder("pechvogel") / "champion-2-3.json").read_text())["steps"]
    rows = json.loads(figures.read_text())["tables"]["2"]
    assert [(row["evaluation"], row["search"], row["turns"]) for row in rows] == [
        ("hand-made", "none", None),
        ("hand-made", "the turn", None),
        ("learned from results", "none", None),
        ("learned from the champion", "none", None),
        ("learned", "the turn", full),
        ("learned", "a turn further", 128),  # whole updates of 64
        ("learned", "a turn further", 256),
        ("learned", "a turn further", full),
    ]
    assert rows[1]["win_share"] == 0.5 and rows[-1]["win_share"] > rows[-3]["win_share"]
    text = page.read_text()
    assert f"| learned | a turn further | {full:,} turns | " in text and "`planner` itself" in text
    assert page.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    assert "`pechvogel ablation --players 2 --games 40 --seed 1`" in text
    # What lies in a folder is used only if it is what would be trained.
    (configs / "apprentice-2.yaml").write_text(f"learner: imitate\nteacher: planner\ndecisions: 164\n{tiny}")
    capsys.readouterr()
    assert main(words) == 2
    assert "apprentice-2 has a run with other settings; name another folder" in capsys.readouterr().err
    (tmp_path / "runs" / "apprentice-2" / "policy.json").unlink()
    assert main(words) == 2
    assert "apprentice-2 has a run with other settings" in capsys.readouterr().err
    # Again from the figures, with nothing trained.
    monkeypatch.setattr(ablation, "gather", None)
    page.unlink()
    assert main(["ablation", "--data", str(figures), "--out", str(page)]) == 0
    assert page.read_text() == text
    capsys.readouterr()
    assert main(["ablation", "--data", str(page), "--out", str(tmp_path / "other.md")]) == 2
    assert "is no file of `pechvogel ablation --json`" in capsys.readouterr().err


def test_a_run_that_was_stopped_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = ValueConfig(turns=300, tables=16, rollout=4, hidden=[8], evaluation_games=10, checkpoint_minutes=0)
    seen: list[Any] = []
    restore = Loop.restore
    monkeypatch.setattr(Loop, "restore", lambda loop, *saved: [seen.append(loop.folder), restore(loop, *saved)])
    ablation._trained(config, tmp_path / "run")
    assert not seen and (tmp_path / "run" / "policy.safetensors").is_file()
    card = (tmp_path / "run" / "policy.json").read_bytes()
    (tmp_path / "run" / "policy.json").unlink()
    ablation._trained(config, tmp_path / "run")
    assert seen == [tmp_path / "run"] and (tmp_path / "run" / "policy.json").read_bytes() == card
