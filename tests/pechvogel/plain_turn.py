"""The rest of a turn by plain recursion: every throw, every decision, every end with its chance.

It shares no code with the turn search, nor with the engine: it was written from the rules page alone, on positions as
their JSON form has them. Whoever decides takes what is worth most to them, the lowest action among equals.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import comb
from typing import Any, NamedTuple

VALUES = (3, 4, 5, 6, 7)
PASS, REDUCE, FRUSTRATE, TAKE, STEAL, DISCARD = 5, 6, 7, 8, 9, 13


class Between(NamedTuple):
    """A position between turns, or after the end."""

    middle: tuple[int, ...]
    markers: tuple[tuple[int, ...], ...]
    frustrations: tuple[int, ...]
    murphy: int | None
    active: int

    @property
    def over(self) -> bool:
        return sum(self.middle) == 0  # R20

    def score(self, seat: int) -> int:
        cost = 7 if self.murphy == seat else 3  # R21
        markers = sum(value * count for value, count in zip(VALUES, self.markers[seat], strict=True))
        return markers - cost * self.frustrations[seat]


class Leaf(NamedTuple):
    """An end of the turn: what lay on the board, who had frustrated, and what came of it."""

    targets: int
    ravens: int
    frustraters: frozenset[int]
    after: Between


class Outcome(NamedTuple):
    """What comes of a decision or a throw: a value for every seat, and the chance of every leaf."""

    values: tuple[float, ...]
    leaves: dict[Leaf, float]


class PlainTurn:
    """A turn from a position on; `evaluate` says what a position between turns is worth to every seat."""

    def __init__(self, position: dict[str, Any], evaluate: Callable[[Between], tuple[float, ...]]) -> None:
        self.position, self.evaluate = position, evaluate
        self.n, self.active = position["num_players"], position["active"]
        self.held = [player["frustrations"] for player in position["players"]]
        self.before = Between(
            tuple(position["middle"]),
            tuple(tuple(player["markers"]) for player in position["players"]),
            tuple(self.held),
            position["murphy"],
            self.active,
        )
        self.was_reduced = position["reduced"]
        self.had_frustrated = frozenset(position["frustraters"])
        self.throw = cache(self._throw)
        self.end = cache(self._end)
        self.leaf = cache(self._leaf)

    def actions(self) -> dict[int, Outcome]:
        """Every legal action of whoever is asked."""
        p = self.position
        target, targets, ravens = p["target"], p["targets"], p["ravens"]
        who, reduced, repeated = self.had_frustrated, p["reduced"], p["after_reduction"]
        if p["phase"] == "target":
            shown = {value: p["last_throw"].count(value) for value in VALUES if value in p["last_throw"]}
            return {
                value - 3: self.kept(value, count, ravens, reduced, who)  # R18 (a): nobody may answer it
                for value, count in shown.items()
            }
        hits, crows = p["last_throw"].count(target), p["last_throw"].count(0)
        last = (target, targets, ravens, hits, crows, reduced, who, repeated)
        if p["phase"] == "reduce":
            return self.reducing(*last)
        if p["phase"] == "frustrate":
            return self.starting(p["to_act"], *last)
        if p["phase"] == "join":
            board = (target, targets - hits, ravens - crows, reduced)
            return self.joining(p["to_act"], p["frustraters"][0], who, board)
        if p["phase"] == "take":
            return self.taking(target, targets, ravens, reduced, who)
        return self.discarding(self.before.middle, self.before.markers, targets, ravens, reduced, who)

    # ---------------------------------------------------------------------------------------- dice

    def _throw(
        self, target: int, targets: int, ravens: int, reduced: bool, who: frozenset[int], repeated: bool
    ) -> Outcome:
        dice = 7 - targets - ravens
        parts: list[tuple[float, Outcome]] = []
        again = 0.0
        for hits in range(dice + 1):
            for crows in range(dice + 1 - hits):
                rest = dice - hits - crows
                chance = comb(dice, hits) * comb(dice - hits, crows) * 4**rest / 6**dice
                if hits or crows:
                    answers = self.reducing(target, targets + hits, ravens + crows, hits, crows, reduced, who, repeated)
                    parts.append((chance, self.best(answers, self.active)))
                elif repeated and self.position["italian_reading"]:  # Q3 protects that one throw only
                    parts.append((chance, self.throw(target, targets, ravens, reduced, who, False)))
                else:
                    again = chance  # R8: simply thrown again
        return mix([(chance / (1 - again), outcome) for chance, outcome in parts])

    # ---------------------------------------------------------------------------------------- answers to a throw

    def has(self, seat: int, reduced: bool, who: frozenset[int]) -> bool:
        spent = (seat == self.active and reduced and not self.was_reduced) + (seat in who - self.had_frustrated)
        return bool(self.held[seat] - spent > 0)

    def reducing(
        self,
        target: int,
        targets: int,
        ravens: int,
        hits: int,
        crows: int,
        reduced: bool,
        who: frozenset[int],
        repeated: bool,
    ) -> dict[int, Outcome]:
        first = (self.active + 1) % self.n
        last = (target, targets, ravens, hits, crows, reduced, who, repeated)
        found = {PASS: self.best(self.starting(first, *last), first)}
        if answerable(targets, ravens, hits, crows) and not reduced and self.has(self.active, reduced, who):  # R14
            found[REDUCE] = self.throw(target, targets - hits, ravens - crows, True, who, True)
        return found

    def starting(
        self,
        seat: int,
        target: int,
        targets: int,
        ravens: int,
        hits: int,
        crows: int,
        reduced: bool,
        who: frozenset[int],
        repeated: bool,
    ) -> dict[int, Outcome]:
        following = (seat + 1) % self.n
        last = (target, targets, ravens, hits, crows, reduced, who, repeated)
        if following == self.active:
            found = {PASS: self.kept(target, targets, ravens, reduced, who)}
        else:
            found = {PASS: self.best(self.starting(following, *last), following)}
        safe = repeated and self.position["italian_reading"]
        if answerable(targets, ravens, hits, crows) and not who and not safe and self.has(seat, reduced, who):  # R15
            board = (target, targets - hits, ravens - crows, reduced)
            found[FRUSTRATE] = self.after_joining(seat, seat, frozenset({seat}), board)
        return found

    def joining(
        self, seat: int, starter: int, who: frozenset[int], board: tuple[int, int, int, bool]
    ) -> dict[int, Outcome]:
        found = {PASS: self.after_joining(seat, starter, who, board)}
        if self.has(seat, board[3], who):
            found[FRUSTRATE] = self.after_joining(seat, starter, who | {seat}, board)
        return found

    def after_joining(self, seat: int, starter: int, who: frozenset[int], board: tuple[int, int, int, bool]) -> Outcome:
        """Q2: clockwise from the starter, everybody else is asked once; then the throw is repeated."""
        following = (seat + 1) % self.n
        if following == self.active:
            following = (following + 1) % self.n
        if following == starter:
            return self.throw(*board, who, False)
        return self.best(self.joining(following, starter, who, board), following)

    def kept(self, target: int, targets: int, ravens: int, reduced: bool, who: frozenset[int]) -> Outcome:
        if targets >= 4 or ravens >= 3:  # R9
            return self.end(target, targets, ravens, reduced, who)
        return self.throw(target, targets, ravens, reduced, who, False)

    # ---------------------------------------------------------------------------------------- the end

    def _end(self, target: int, targets: int, ravens: int, reduced: bool, who: frozenset[int]) -> Outcome:
        if targets >= 4:
            takes = self.taking(target, targets, ravens, reduced, who)
            if takes:
                return self.best(takes, self.active)
        return self.leaf(self.before.middle, self.before.markers, targets, ravens, reduced, who)

    def taking(self, target: int, targets: int, ravens: int, reduced: bool, who: frozenset[int]) -> dict[int, Outcome]:
        value = target - 3
        middle, markers = self.before.middle, self.before.markers
        won = moved(markers, self.active, value, 1)
        found = {}
        if middle[value]:
            found[TAKE] = self.leaf(less(middle, value), won, targets, ravens, reduced, who)
        for distance in range(1, self.n):
            victim = (self.active + distance) % self.n
            if markers[victim][value]:
                ways = self.discarding(middle, moved(won, victim, value, -1), targets, ravens, reduced, who)
                found[STEAL + distance - 1] = self.best(ways, self.active)
        return found

    def discarding(
        self,
        middle: tuple[int, ...],
        markers: tuple[tuple[int, ...], ...],
        targets: int,
        ravens: int,
        reduced: bool,
        who: frozenset[int],
    ) -> dict[int, Outcome]:
        return {
            DISCARD + value: self.leaf(less(middle, value), markers, targets, ravens, reduced, who)
            for value in range(5)
            if middle[value]
        }

    def _leaf(
        self,
        middle: tuple[int, ...],
        markers: tuple[tuple[int, ...], ...],
        targets: int,
        ravens: int,
        reduced: bool,
        who: frozenset[int],
    ) -> Outcome:
        held = [self.held[seat] - (seat in who - self.had_frustrated) for seat in range(self.n)]
        held[self.active] -= reduced and not self.was_reduced
        if ravens >= 3:
            held[self.active] += max(1, len(who))  # R11
        else:
            for seat in who:  # R13
                held[seat] += 2
            held[self.active] = max(0, held[self.active] - len(who))
        murphy = self.active if targets > 4 or ravens > 3 else self.before.murphy  # R12
        after = Between(middle, markers, tuple(held), murphy, (self.active + 1) % self.n)
        return Outcome(self.evaluate(after), {Leaf(targets, ravens, who, after): 1.0})

    @staticmethod
    def best(found: dict[int, Outcome], seat: int) -> Outcome:
        return found[max(sorted(found), key=lambda action: found[action].values[seat])]


def answerable(targets: int, ravens: int, hits: int, crows: int) -> bool:
    """R18 (b) and (c); here no throw is a first one."""
    return targets <= 4 and ravens <= 3 and hits + crows > 0


def mix(parts: list[tuple[float, Outcome]]) -> Outcome:
    leaves: dict[Leaf, float] = {}
    for chance, outcome in parts:
        for leaf, share in outcome.leaves.items():
            leaves[leaf] = leaves.get(leaf, 0.0) + chance * share
    columns = zip(*[outcome.values for _, outcome in parts], strict=True)
    chances = [chance for chance, _ in parts]
    return Outcome(tuple(sum(p * v for p, v in zip(chances, column, strict=True)) for column in columns), leaves)


def less(counts: tuple[int, ...], value: int) -> tuple[int, ...]:
    return tuple(count - (k == value) for k, count in enumerate(counts))


def moved(markers: tuple[tuple[int, ...], ...], seat: int, value: int, by: int) -> tuple[tuple[int, ...], ...]:
    return tuple(
        tuple(count + by * (k == value) for k, count in enumerate(own)) if other == seat else own
        for other, own in enumerate(markers)
    )
