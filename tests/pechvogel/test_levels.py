"""How strong the champion's levels are, and which temperatures would space them evenly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pechvogel.agents.pechvogel.champion import TEMPERATURES, TOP
from pechvogel.cli import main
from pechvogel.train import levels


def test_levels_play_the_champion(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "levels.json"
    assert main(["levels", "--games", "40", "--seed", "3", "--json", str(path)]) == 0
    rows = json.loads(path.read_text())["levels"]
    assert [row["level"] for row in rows] == list(range(1, TOP))
    assert [row["wanted"] for row in rows] == pytest.approx(np.linspace(0.2, 0.5, TOP)[:-1])
    assert all(row["ci95"][0] < row["win_share"] < row["ci95"][1] and row["games"] == 40 for row in rows)
    assert rows[0]["win_share"] < 0.4, "it is the champion's share, not the level's"
    assert f"{TEMPERATURES[0]:g}" in capsys.readouterr().out


def test_temperatures_are_fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where shares fall straight from a half by 0.1 per factor of e, the fitted temperatures are known."""

    def straight(specs: list[str], games: int, seed: int, game: str) -> list[dict[str, Any]]:
        temperatures = [float(spec.split("=")[1]) for spec in specs]
        lowest = levels.GRID[0] / 4
        return [{"games": games, "win_share": 0.5 - 0.1 * np.log(t / lowest)} for t in temperatures]

    monkeypatch.setattr(levels, "_against_champion", straight)
    found = levels.fit(100, 1)["temperatures"]
    wanted = [levels.GRID[0] / 4 * np.exp((0.5 - levels.wanted(level)) / 0.1) for level in range(1, TOP)]
    assert found == pytest.approx(wanted, abs=1e-3)
    assert list(found) == sorted(found, reverse=True)


def test_a_grid_that_is_too_narrow_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(
        levels,
        "_against_champion",
        lambda specs, games, seed, game: [{"games": games, "win_share": 0.3} for _ in specs],
    )
    assert main(["levels", "--fit", "--games", "10"]) == 2
    assert "even the hottest temperature wins 30.0%" in capsys.readouterr().err
