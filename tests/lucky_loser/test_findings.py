"""The study of what the game is like: `python -m pechvogel.train.lucky_loser.findings`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lucky_loser_env import rules
from lucky_loser_env.kind import KIND
from lucky_loser_env.rules import SORTED_THROWS
from pechvogel.agents.lucky_loser.analysis import evaluate_by_points
from pechvogel.agents.lucky_loser.heuristic import HeuristicAgent
from pechvogel.agents.lucky_loser.turn import TurnSearch
from pechvogel.agents.random import RandomAgent
from pechvogel.tabletop.files import to_json
from pechvogel.train.arena.tournament import against_table
from pechvogel.train.lucky_loser import findings


def test_a_whole_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "AGENTS", ("champion", "heuristic"))
    monkeypatch.setattr(findings, "CARELESS", (0.5,))
    data = findings.gather(20, 3, players=(2,))
    assert to_json(data) == to_json(findings.gather(20, 3, players=(2,))), "the seed decides"
    row = data["equals"]["2"]["heuristic"]
    assert sum(row["rounds"]["histogram"]) == 20 and row["stalled"]["mean"] == 0
    assert row["points"]["mean"] == pytest.approx(
        row["bonus_points"]["mean"] + sum(of["points"]["mean"] for of in row["rows"])
    )
    assert sum(of["chance"] for of in data["ones"]["2"][:5]) == pytest.approx(1)
    assert data["careless"][0]["win_share"] < 0.5
    assert any("heuristic" in line for line in findings.tables(data))
    assert all(path.stat().st_size > 10_000 for path in findings.draw(tmp_path, data))


def test_throws_are_priced_as_the_search_does() -> None:
    """A throw's price is the value of the position after it, and the mean of all is that of the one before."""
    variant = KIND.variant(3, row_lengths=(2, 3, 2, 1, 2, 2))
    played = findings.play(RandomAgent(), variant, 20, 5)
    search = TurnSearch(evaluate_by_points)
    positions = played.positions[::37]
    values, _ = findings.price(search, positions)
    at = np.arange(len(positions))
    assert values @ findings.CHANCES == pytest.approx(search.values(positions)[at, positions["active"]])
    for number in (0, 60, 125):
        thrown = positions.copy()
        for i in at:
            rules.apply_dice(thrown, int(i), np.array(SORTED_THROWS[number], np.int8))
        assert values[:, number] == pytest.approx(np.nanmax(search.action_values(thrown), axis=1))


def test_carelessness_costs_and_the_heuristic_knows_long_rows() -> None:
    heuristic = HeuristicAgent()
    for lengths in ((4,) * 6, (8,) * 6):
        variant = KIND.variant(2, row_lengths=lengths)
        assert against_table(heuristic, findings.Careless(heuristic, 0.5), variant, 400, 2)["ci95"][0] > 0.6


def test_bad_input_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, sentence in (
        (["--games", "3"], "--games must be at least 20"),
        (["--seed", "-1"], "seed"),
        (["--out", str(tmp_path / "nowhere")], "is no folder"),
    ):
        assert findings.main(words) == 2
        error = capsys.readouterr().err
        assert sentence in error and error.count("\n") == 1
