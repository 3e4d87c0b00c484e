"""A finished game of Pechvogel, looked at again: see `play.review`."""

from __future__ import annotations

from typing import Any

from pechvogel.agents.pechvogel import analysis, luck
from pechvogel.play import review as shared
from pechvogel.play.pechvogel.events import show_step
from pechvogel.play.pechvogel.table import Table
from pechvogel.play.review import MARKS as MARKS
from pechvogel.play.review import mark_of as mark_of


class Review(shared.Review):
    """A review in the making, by the solution or the champion."""

    evaluation = staticmethod(analysis.evaluation)
    split = staticmethod(luck.split)
    show_step = staticmethod(show_step)


def review(table: Table) -> dict[str, Any]:
    """A whole review at once."""
    return shared.whole(Review(table))
