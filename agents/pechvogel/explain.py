"""Why one action is better than another: the ends of a turn, how likely each is after an action, and what it is worth.

A turn ends in exactly one of a few cases (`ENDS`). For each action, a case has a chance and is worth a share of the win
to whoever decides, if all play as the search does from here on, interference included; chances times shares add up to
what the action is worth. So the difference between two actions a and b can be split, case by case, into

    chance    (p_a - p_b) * ((w_a + w_b) / 2 - m)     how much likelier it is, and how good, against the mean m of both
    worth     (w_a - w_b) * (p_a + p_b) / 2           how much better it is when it comes

which add up to the difference, as chances add up to one. The *reason* is the largest of these parts that has the sign
of the difference. A part of worth is split once more, by exchanging what differs between the most likely positions of
the two actions after such an end (markers, each player's frustrations) and asking the evaluation: the reason names what
counts most for it.
"""

from __future__ import annotations

from itertools import product
from math import factorial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pechvogel.agents.pechvogel.turn.ends import END_BOTH, END_GREEDY, END_MANY_RAVENS, END_RAVENS, NUM_ENDS, end_of
from pechvogel.agents.pechvogel.turn.search import Evaluation, TurnSearch
from pechvogel.tabletop.arrays import Floats, Ints
from pechvogel.tabletop.rewards import win_share
from pechvogel_env import rules
from pechvogel_env.position import Position
from pechvogel_env.rules import FIRST_VALUE, NO_TARGET, NUM_VALUES, Phase, States

# The cases, seen from the player at turn. `nothing`: four targets, but no such marker is to be had (R10).
ENDS = ("marker", "marker_murphy", "nothing", "nothing_murphy", "both", "ravens", "ravens_murphy")
MARKER, MARKER_MURPHY, NOTHING, NOTHING_MURPHY, BOTH, RAVENS, RAVENS_MURPHY = range(len(ENDS))
WITH_MARKER, WITH_RAVENS = (MARKER, MARKER_MURPHY, BOTH), (RAVENS, RAVENS_MURPHY)
WITH_MURPHY = (MARKER_MURPHY, NOTHING_MURPHY, RAVENS_MURPHY)
SAME = 1e-9  # share of the win: no difference


class Outlook(NamedTuple):
    """The positions in which the turn can end after an action; as arrays, a row each."""

    states: States
    chances: Floats
    shares: Floats  # of the win, for whoever decides
    cases: Ints  # which of ENDS
    frustrated: NDArray[np.bool_]  # whether opponents have forced a repeat by then


class Case(NamedTuple):
    """All positions of an outlook that are the same of ENDS."""

    chance: float
    share: float
    points: Floats  # by seat: what everybody's score has changed by, on average
    frustrations: Floats  # by seat, on average
    over: float  # how likely the game is over then
    stolen: float  # how likely the marker was stolen
    frustrated: float
    likeliest: int  # row of the outlook


# ------------------------------------------------------------------------------------------------ how a turn can end


def outlooks(position: Position, search: TurnSearch) -> dict[int, Outlook]:
    """For every legal action of whoever decides, the ends of the turn."""
    states = position.states()
    if states["phase"][0] in (Phase.TAKE, Phase.DISCARD):
        return _at_once(states, search)
    n, seat, active = position.num_players, int(states["to_act"][0]), int(states["active"][0])
    seen = search.foresee(states)
    groups = 1 << (n - 1)
    found = {}
    for action in np.flatnonzero(~np.isnan(seen.chances[:, 0])):
        target = int(action) + FIRST_VALUE if states["phase"][0] == Phase.TARGET else int(states["target"][0])
        value = 0 if target == NO_TARGET else target - FIRST_VALUE
        possible = np.flatnonzero(seen.chances[action])
        nodes = seen.nodes[possible]
        ends = nodes // (2 * groups)
        whole = nodes + np.where(ends >= END_RAVENS, 0, value) * NUM_ENDS * 2 * groups
        rows = [
            start + int(np.argmax(seen.values[start:stop, active]))
            for start, stop in zip(seen.starts[0, whole], seen.starts[0, whole + 1], strict=True)
        ]
        reached = seen.ends[rows]
        found[int(action)] = Outlook(
            reached,
            seen.chances[action, possible],
            win_share(seen.values[rows, seat], n),
            _cases(ends, states, reached),
            nodes % groups > 0,
        )
    return found


def _at_once(states: States, search: TurnSearch) -> dict[int, Outlook]:
    """A take or a discard ends the turn for certain."""
    n, seat = int(states["num_players"][0]), int(states["to_act"][0])
    values = search.action_values(states)[0]
    end = np.array([end_of(int(states["targets"][0]), int(states["ravens"][0]))])
    found = {}
    for action in np.flatnonzero(~np.isnan(values)):
        reached = states.copy()
        rules.apply(reached, 0, int(action))
        if reached["phase"][0] == Phase.DISCARD and reached["to_act"][0] == seat:
            rules.apply(reached, 0, int(np.nanargmax(search.action_values(reached)[0])))
        share = np.array([win_share(values[action], n)])
        cases = np.where(end == END_BOTH, BOTH, np.where(end == END_GREEDY, MARKER_MURPHY, MARKER))
        found[int(action)] = Outlook(reached, np.ones(1), share, cases, states["num_frustraters"] > 0)
    return found


def _cases(ends: Ints, before: States, after: States) -> Ints:
    """Ends of the search as ENDS; every marker gained shrinks the middle."""
    gained = after["middle"].sum(axis=1) < before["middle"].sum()
    greedy = ends == END_GREEDY
    four = np.where(gained, np.where(greedy, MARKER_MURPHY, MARKER), np.where(greedy, NOTHING_MURPHY, NOTHING))
    both = np.where(gained, BOTH, RAVENS)  # without a marker, three ravens are all there is
    found = np.where(ends == END_BOTH, both, four)
    return np.where(ends == END_MANY_RAVENS, RAVENS_MURPHY, np.where(ends == END_RAVENS, RAVENS, found))


def cases(outlook: Outlook, before: States) -> dict[int, Case]:
    """The cases that can come, by their number in ENDS."""
    n = int(before["num_players"][0])
    change = _scores(outlook.states)[:, :n] - _scores(before)[:, :n]
    active = int(before["active"][0])
    lost = np.delete(outlook.states["markers"].sum(axis=2) < before["markers"].sum(axis=2), active, axis=1).any(axis=1)
    over = outlook.states["phase"] == Phase.OVER
    found = {}
    for case in np.unique(outlook.cases):
        rows = np.flatnonzero(outlook.cases == case)
        chance = outlook.chances[rows].sum()
        weights = outlook.chances[rows] / chance
        found[int(case)] = Case(
            float(chance),
            float(weights @ outlook.shares[rows]),
            weights @ change[rows],
            weights @ outlook.states["frustrations"][rows, :n],
            float(weights @ over[rows]),
            float(weights @ lost[rows]),
            float(weights @ outlook.frustrated[rows]),
            int(rows[np.argmax(weights)]),
        )
    return found


def _scores(states: States) -> Floats:
    """Everybody's points as things stand (R21)."""
    seats = np.arange(states["frustrations"].shape[1])
    cost = np.where(states["murphy"][:, None] == seats, rules.MURPHY_COST, rules.FRUSTRATION_COST)
    markers = states["markers"] @ np.arange(FIRST_VALUE, FIRST_VALUE + NUM_VALUES)
    return np.asarray(markers - cost * states["frustrations"], float)


# ------------------------------------------------------------------------------------------------ two actions


class Part(NamedTuple):
    """What a case contributes to the difference between two actions."""

    case: int
    chance: float
    worth: float


def split(a: dict[int, Case], b: dict[int, Case]) -> list[Part]:
    """The difference between two actions, case by case; the parts add up to it."""
    middle = (_share(a) + _share(b)) / 2
    parts = []
    for case in sorted({*a, *b}):
        p, q = (cases[case].chance if case in cases else 0.0 for cases in (a, b))
        v, w = ((cases.get(case) or other[case]).share for cases, other in ((a, b), (b, a)))
        parts.append(Part(case, (p - q) * ((v + w) / 2 - middle), (v - w) * (p + q) / 2))
    return parts


def _share(found: dict[int, Case]) -> float:
    return sum(case.chance * case.share for case in found.values())


# ------------------------------------------------------------------------------------------------ all about a decision


def explain(position: Position, search: TurnSearch, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of `analysis.ranked` with what else can be said.

    `cases`: the exclusive ends of the turn, each with its `chance`, the `points` that whoever decides gains by then on
    average, and their `win_share`. `reason`: why the best action is better than this one (or, if it is the best, than
    the second).
    """
    states = position.states()
    seat = int(states["to_act"][0])
    found = outlooks(position, search)
    of_actions = {action: cases(outlook, states) for action, outlook in found.items()}
    explained = []
    for number, row in enumerate(rows):
        action = row["action"]
        shown = [
            {
                "end": ENDS[end],
                "chance": case.chance,
                "points": float(case.points[seat]),
                "win_share": case.share,
                "active_points": float(case.points[position.active]),
                "over": case.over,
                "stolen": case.stolen,
                "frustrated": case.frustrated,
            }
            for end, case in of_actions[action].items()
        ]
        reason = None
        if len(rows) > 1:
            better, worse = (row, rows[1]) if number == 0 else (rows[0], row)
            pair = (better["action"], worse["action"])
            reason = _Comparison(states, search, found, of_actions, pair).reason()
        explained.append({**row, "cases": shown, "reason": reason})
    return explained


class _Comparison:
    """Of the better of two actions with the other."""

    def __init__(
        self,
        states: States,
        search: TurnSearch,
        found: dict[int, Outlook],
        of_actions: dict[int, dict[int, Case]],
        pair: tuple[int, int],
    ) -> None:
        self.states, self.search, self.pair = states, search, pair
        self.seat, self.active = int(states["to_act"][0]), int(states["active"][0])
        self.n = int(states["num_players"][0])
        self.outlooks = [found[action] for action in pair]
        self.cases = [of_actions[action] for action in pair]

    def reason(self) -> dict[str, Any]:
        """The largest part, and what it consists of in the game's terms."""
        parts = split(*self.cases)
        difference = sum(part.chance + part.worth for part in parts)
        best = max(parts, key=lambda part: max(part.chance, part.worth))
        by = "chance" if best.chance >= best.worth else "worth"
        found: dict[str, Any] = {
            "action": self.pair[0],
            "other": self.pair[1],
            "difference": difference,
            "parts": [{"end": ENDS[part.case], "chance": part.chance, "worth": part.worth} for part in parts],
        }
        if difference < SAME:
            return {**found, "kind": "same"}
        found |= {"end": ENDS[best.case], "by": by, "amount": max(best.chance, best.worth)}
        return {**found, **(self._chance(best.case) if by == "chance" else self._worth(best.case))}

    # -------------------------------------------------------------------------- a case is likelier, or less likely

    def _chance(self, case: int) -> dict[str, Any]:
        a, b = (cases.get(case) for cases in self.cases)
        chances = [0.0 if found is None else found.chance for found in (a, b)]
        shown = a or b
        assert shown is not None
        likelier, mine = chances[0] > chances[1], self.seat == self.active
        kind = "likelier" if likelier else "rarer"
        share, mean = ((a or shown).share + (b or shown).share) / 2, sum(_share(cases) for cases in self.cases) / 2
        facts: dict[str, Any] = {"kind": kind, "chances": chances, "share": share, "mean": mean}
        after = self.outlooks[0 if a else 1].states[[shown.likeliest]]
        if case in (WITH_MARKER if likelier == mine else (*WITH_RAVENS, NOTHING_MURPHY)):
            if mine and case in WITH_MURPHY and not likelier and after["frustrations"][0, self.seat] > 0:
                return {**facts, "kind": "murphy"}
            return facts  # what is good for the player at turn is good for nobody else: no need to say why
        if case in WITH_MARKER and after["phase"][0] == Phase.OVER and self._ahead(after) == likelier:
            return {**facts, "kind": f"over_{kind}"}
        if mine and likelier and case == RAVENS and self._last_frustration_helps(after):
            return {**facts, "kind": "frustration", "left": int(after["middle"].sum())}
        return {**facts, "kind": f"{kind}_share"}

    def _ahead(self, after: States) -> bool | None:
        """Whether whoever decides would win alone; None if they would share the win."""
        points = _scores(after)[0, : self.n]
        most = np.delete(points, self.seat).max()
        return None if points[self.seat] == most else bool(points[self.seat] > most)

    def _last_frustration_helps(self, after: States) -> bool:
        """Whether the last of their frustrations is good for whoever decides."""
        without = after.copy()
        without["frustrations"][0, self.seat] -= 1
        values = self.search.evaluate(np.concatenate([after, without]))[:, self.seat]
        return bool(values[0] > values[1])

    # -------------------------------------------------------------------------- a case is better when it comes

    def _worth(self, case: int) -> dict[str, Any]:
        a, b = (cases[case] for cases in self.cases)
        shares = {"shares": [a.share, b.share]}
        fallback = {"kind": "afterwards", **shares}
        pairs = list(zip(self.outlooks, (a, b), strict=True))
        after = [outlook.states[[found.likeliest]] for outlook, found in pairs]
        worth = [float(outlook.shares[found.likeliest]) for outlook, found in pairs]
        credit = attribute(after[0], after[1], worth, self.search.evaluate, self.seat)
        if not credit:
            return fallback
        what = max(credit, key=lambda key: credit[key])
        if credit[what] <= 0:
            return fallback
        if what == "markers":
            return {**self._markers(after[0][0], after[1][0]), **shares}
        seat = int(what)
        counts = [found.frustrations[seat] for found in (a, b)]  # on average, as opponents have a say in it
        more = bool(after[0]["frustrations"][0, seat] > after[1]["frustrations"][0, seat])
        if counts[0] == counts[1] or more != (counts[0] > counts[1]):
            return fallback
        kind = ("mine" if seat == self.seat else "theirs") + ("_more" if more else "_fewer")
        if more == (seat != self.seat) and after[0]["murphy"][0] == seat:
            kind += "_murphy"
        facts = {"seat": seat, "counts": [float(count) for count in counts], "left": int(after[0]["middle"].sum())}
        return {"kind": kind, **facts, **shares}

    def _markers(self, a: Any, b: Any) -> dict[str, Any]:
        robbed = [self._robbed(after) for after in (a, b)]
        values = [self._gained(after, self.active) for after in (a, b)]
        if robbed[0] is not None and self.seat == self.active:
            facts = {"value": values[0], "from": robbed[0], "swing": 2 * values[0]}
            if robbed[1] is None:
                return {**facts, "kind": "steal"}
            if values[0] > values[1]:
                return {**facts, "kind": "steal_more", "instead": values[1]}
            chances = self.search.values(self.states)[0]
            if chances[robbed[0]] > chances[robbed[1]]:
                return {**facts, "kind": "victim", "instead": robbed[1]}
        if values[0] > values[1] and self.seat == self.active:
            return {"kind": "value", "values": values}
        if self.states["phase"][0] == Phase.DISCARD:
            fewer = int(np.argmax(b["middle"] - a["middle"])) + FIRST_VALUE  # what only the better action takes away
            more = int(np.argmax(a["middle"] - b["middle"])) + FIRST_VALUE
            return {"kind": "box_high" if fewer > more else "box_low", "gone": fewer, "left": more}
        return {"kind": "afterwards"}

    def _robbed(self, after: Any) -> int | None:
        """From whom a marker was stolen."""
        lost = after["markers"].sum(axis=1) < self.states["markers"][0].sum(axis=1)
        return int(np.argmax(lost)) if lost.any() else None

    def _gained(self, after: Any, seat: int) -> int:
        """The value of the marker that somebody has won; 0 if none."""
        won = after["markers"][seat] - self.states["markers"][0, seat]
        return int(won @ np.arange(FIRST_VALUE, FIRST_VALUE + NUM_VALUES))


def attribute(a: States, b: States, worth: list[float], evaluate: Evaluation, seat: int) -> dict[str, float]:
    """What a seat wins by position a instead of b, split by what differs: "markers", a seat's frustrations.

    Both are ends of the same turn and kind, so Murphy is where it is in both. `worth` are their shares of the win. Each
    part gets the mean of what it changes over all orders in which one could exchange them (Shapley's value), so they
    add up. Every exchange is a possible position, as markers and middle stay together.
    """
    differing = []
    if (a["middle"] != b["middle"]).any() or (a["markers"] != b["markers"]).any():
        differing.append("markers")
    differing += [str(k) for k in range(int(a["num_players"][0])) if a["frustrations"][0, k] != b["frustrations"][0, k]]
    if len(differing) < 2:
        return dict.fromkeys(differing, worth[0] - worth[1])
    mixed = np.repeat(b, 2 ** len(differing))
    chosen = list(product((False, True), repeat=len(differing)))
    for number, which in enumerate(chosen):
        for what, taken in zip(differing, which, strict=True):
            if taken and what == "markers":
                for field in ("middle", "markers", "phase"):
                    mixed[field][number] = a[field][0]
            elif taken:
                mixed["frustrations"][number, int(what)] = a["frustrations"][0, int(what)]
    n = int(a["num_players"][0])
    shares = win_share(evaluate(mixed)[:, seat], n)
    m = len(differing)
    of = {which: float(share) for which, share in zip(chosen, shares, strict=True)}
    found = {}
    for k, what in enumerate(differing):
        total = 0.0
        for which in chosen:
            if not which[k]:
                size = sum(which)
                weight = factorial(size) * factorial(m - size - 1) / factorial(m)
                total += weight * (of[(*which[:k], True, *which[k + 1 :])] - of[which])
        found[what] = total
    return found
