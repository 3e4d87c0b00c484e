"""A finished game, looked at again: everybody's chances after every step, what decisions cost, and what luck did.

A review is made piece by piece, so that a server's one coach can answer others in between. Values are those of the best
evaluation at hand (`analysis` of the game's agents); all numbers are shares of the win. The same for every game.
"""

from __future__ import annotations

import json
import zlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from pechvogel.agents.luck import Split
from pechvogel.play.table import States, Step, Table
from pechvogel.tabletop.arrays import Floats
from pechvogel.tabletop.rewards import win_share

PIECE = 64  # steps that are looked at in one go
# What a decision must cost for its mark, each twice the one before. With two players one decision in ten of `heuristic`
# costs as much as the first, of random ones one in three.
MARKS = {"?!": 0.01, "?": 0.02, "??": 0.04}
DIGITS = 6  # of shares that are sent
SMALLEST = 1e-9  # up to which a difference is the computer's own


class Review(ABC):
    """A review in the making."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._made: bytes | None = None  # all of it: a server keeps a thousand
        self._search: Any = None  # with `values(states)`
        self._source = ""
        self._shares: list[list[float]] = []  # of every seat, before the first step and after every one
        self._steps: list[dict[str, Any]] = []
        self._decisions: list[dict[str, Any]] = []
        self._sums = {name: np.zeros(table.num_players) for name in ("luck", "skill", "others", "drift")}

    @staticmethod
    @abstractmethod
    def evaluation(position: Any) -> tuple[Any, str]:
        """The best search for a position, and a sentence on where its values come from."""

    @staticmethod
    @abstractmethod
    def split(search: Any, before: States, after: States, actions: Sequence[int | None]) -> Split:
        """How steps changed everybody's share of the win."""

    @staticmethod
    @abstractmethod
    def show_step(step: Step) -> dict[str, Any]:
        """A step as everybody sees it."""

    @property
    def text(self) -> str | None:
        """All of it as JSON, once it is made."""
        return None if self._made is None else zlib.decompress(self._made).decode()

    def go_on(self) -> str | None:
        """The next piece; after the last one, all of it as JSON."""
        if self._made is None and self._look_on():
            self._made = zlib.compress(json.dumps(self._whole(), separators=(",", ":")).encode())
            self._search, self._shares, self._steps, self._decisions = None, [], [], []
        return self.text

    def whole(self) -> dict[str, Any]:
        """All of it; ValueError if it is not made yet."""
        text = self.text
        if text is None:
            raise ValueError("the review is not made yet")
        found: dict[str, Any] = json.loads(text)
        return found

    def _whole(self) -> dict[str, Any]:
        start = self.table.steps[0].before
        return {
            "source": self._source,
            "marks": MARKS,
            "start": {"position": self.table.position_of(start).to_text(), "scores": self.table.scores_of(start)},
            "steps": self._steps,
            "shares": self._shares,
            "decisions": self._decisions,
            **{name: values.tolist() for name, values in self._sums.items()},
        }

    def _look_on(self) -> bool:
        """Look at the next steps; True if there are no others."""
        if self._search is None:
            self._search, self._source = self.evaluation(self.table.position())
            n = self.table.num_players
            self._shares += _rounded(win_share(self._search.values(self.table.steps[0].before)[:, :n], n))
        first = len(self._steps)
        # The first step of the next piece is needed to see what the last of this one has led to.
        self._look(first, self.table.steps[first : first + PIECE + 1], self._search)
        return len(self._steps) == len(self.table.steps)

    def _look(self, first: int, steps: Sequence[Step], search: Any) -> None:
        before, after = (np.concatenate([getattr(step, side) for step in steps]) for side in ("before", "after"))
        found = self.split(search, before, after, [None if step.forced else step.action for step in steps])
        for name, values in self._sums.items():
            values += getattr(found, name)[:PIECE].sum(axis=0)
        self._shares += _rounded(found.shares[1 : PIECE + 1])
        for k, step in enumerate(steps[:PIECE]):
            self._steps.append(self._shown(step, found.drift[k]))
            if step.kind == "action" and not step.forced:
                self._decisions.append(self._decision(first + k, step, found.actions[k]))

    def _shown(self, step: Step, drift: Floats) -> dict[str, Any]:
        """A step as the page shows it; positions as lines, since there are hundreds of them."""
        shown = {**self.show_step(step), "kind": step.kind, "position": self.table.position_of(step.after).to_text()}
        if (abs(drift) > SMALLEST).any():
            shown["drift"] = _rounded(drift)
        return shown

    def _decision(self, number: int, step: Step, shares: Floats) -> dict[str, Any]:
        """What somebody chose, among what, and what that cost them."""
        legal = [int(action) for action in np.flatnonzero(~np.isnan(shares))]
        ranked = sorted(legal, key=lambda action: (-shares[action], action))
        position = self.table.position_of(step.before)
        assert step.action is not None
        costs = float(shares[ranked[0]] - shares[step.action])
        return {
            "step": number,
            "seat": step.seat,
            "turn": position.turn,
            "phase": position.phase,
            "action": step.action,
            "best": ranked[0],
            "costs": costs,
            "mark": mark_of(costs),
            "actions": [[action, round(float(shares[action]), DIGITS)] for action in ranked],
            "position": position.to_text(),
        }


def whole(found: Review) -> dict[str, Any]:
    """A whole review at once."""
    while found.go_on() is None:
        pass
    return found.whole()


def mark_of(costs: float) -> str | None:
    """The mark of a decision, as chess has them."""
    reached = [mark for mark, least in MARKS.items() if costs >= least]
    return reached[-1] if reached else None


def _rounded(shares: Floats) -> Any:
    return np.round(shares, DIGITS).tolist()
