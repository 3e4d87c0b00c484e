"""A finished game of Lucky Loser, looked at again: see `play.review`."""

from __future__ import annotations

from pechvogel.agents.lucky_loser import analysis, luck
from pechvogel.play import review
from pechvogel.play.lucky_loser.events import show_step


class Review(review.Review):
    """A review in the making, by the champion where it has weights."""

    evaluation = staticmethod(analysis.evaluation)
    split = staticmethod(luck.split)
    show_step = staticmethod(show_step)
