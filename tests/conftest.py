"""Fixtures."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from pechvogel.agents.pechvogel import solution
from pechvogel.agents.pechvogel.solution import Solution
from tests.pechvogel.solved import CAP
from tests.pechvogel.tables import Table, start


@pytest.fixture(params=[True, False], ids=["skip_forced", "ask_all"])
def table(request: pytest.FixtureRequest) -> Table:
    return partial(start, skip_forced=request.param)


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the table of the smallest game."""
    from pechvogel.train.pechvogel.solve import layers as solve  # only where it is needed: it compiles

    path = tmp_path_factory.mktemp("tables")
    solve.solve(1, CAP, path / solution.file_name(1, CAP))
    return path


@pytest.fixture
def solved(tables: Path, monkeypatch: pytest.MonkeyPatch) -> Solution:
    monkeypatch.setenv("PECHVOGEL_TABLES", str(tables))
    return Solution(solution.find(1))
