"""Fixtures."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from agents import solution
from agents.solution import Solution
from tests.solved import CAP
from tests.tables import Table, start


@pytest.fixture(params=[True, False], ids=["skip_forced", "ask_all"])
def table(request: pytest.FixtureRequest) -> Table:
    return partial(start, skip_forced=request.param)


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the table of the smallest game."""
    from train import solve  # only where it is needed: it compiles

    path = tmp_path_factory.mktemp("tables")
    solve.solve(1, CAP, path / solution.file_name(1, CAP))
    return path


@pytest.fixture
def solved(tables: Path, monkeypatch: pytest.MonkeyPatch) -> Solution:
    monkeypatch.setenv("PECHVOGEL_TABLES", str(tables))
    return Solution(solution.find(1))
