"""Fixtures."""

from __future__ import annotations

from functools import partial

import pytest

from tests.tables import Table, start


@pytest.fixture(params=[True, False], ids=["skip_forced", "ask_all"])
def table(request: pytest.FixtureRequest) -> Table:
    return partial(start, skip_forced=request.param)
