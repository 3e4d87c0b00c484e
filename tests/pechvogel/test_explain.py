"""The coach explains truly: cases and parts as plain recursion finds them, and reasons that hold in their positions."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from pechvogel.agents.pechvogel import analysis, explain
from pechvogel.agents.pechvogel.turn.search import TurnSearch
from pechvogel.play.pechvogel.words import Words
from pechvogel.tabletop.bits import action_list
from pechvogel.tabletop.rewards import reward_of, win_share
from pechvogel_env.game import Game
from pechvogel_env.position import Position, position_of
from tests.pechvogel.plain_turn import VALUES, Between, Leaf, Outcome, PlainTurn

EXAMPLE = "2x3_32233_01100f2.00000f3_0_1_000_-_6566764_target1_8"
TILT = np.random.default_rng(11).uniform(-1, 1, (5, 16))  # by seat, so that nobody is indifferent between anything
PHASES = ("target", "reduce", "frustrate", "join", "take", "discard")


def decisions(seed: int, count: int) -> Iterator[Position]:
    """Positions of games between players who do anything: every phase about as often, two to five players."""
    rng = random.Random(seed)
    waiting: dict[tuple[int, str], list[Position]] = {}
    given = 0
    for number in range(100 * count):
        num_players = 2 + number % 4
        game = Game(num_players, rng.choice([1, 2, 3, 3]), rng.random() < 0.25)
        players = [{"frustrations": rng.choice([0, 0, 1, 2])} for _ in range(num_players)]
        game.reset(rng.randrange(2**60), position={"players": players})
        while game.bits:
            phase = PHASES[int(game.states["phase"][0])]
            if rng.random() < 0.2:
                waiting.setdefault((num_players, phase), []).append(position_of(game.states, 0))
            legal = action_list(game.bits)
            game.step(legal[0] if rng.random() < 0.5 else rng.choice(legal))
        if number % 4 == 3:
            for found in waiting.values():
                if found and given < count:
                    given += 1
                    yield found.pop(rng.randrange(len(found)))
        if given == count:
            return


# ------------------------------------------------------------------------------------------------ an evaluation, twice


def plain_worth(after: Between) -> tuple[float, ...]:
    """Rewards by points, frustrations that weigh less early, and a little that has no reason at all."""
    n = len(after.frustrations)
    scores = [after.score(seat) for seat in range(n)]
    if after.over:
        winners = [score == max(scores) for score in scores]
        return tuple(((win / sum(winners)) - 1 / n) * n / (n - 1) for win in winners)
    left = sum(after.middle)
    hopes = []
    for seat in range(n):
        markers = sum(value * count for value, count in zip(VALUES, after.markers[seat], strict=True))
        facts = [*after.middle, *after.markers[seat], *[after.frustrations[(seat + k) % n] for k in range(n)]]
        weighed = sum(float(tilt) * fact for tilt, fact in zip(TILT[seat], facts, strict=False))
        points = markers + (scores[seat] - markers) * (1 - left / 20) + 0.5 * weighed - 2 * (after.murphy == seat)
        hopes.append(math.exp(points / (4 + left)))
    return tuple((hope / sum(hopes) - 1 / n) * n / (n - 1) for hope in hopes)


def worth(states: np.ndarray) -> np.ndarray:
    """The same for the search."""
    n = int(states["num_players"][0])
    seats = np.arange(n)
    markers = (states["markers"][:, :n] @ np.array(VALUES)).astype(float)
    cost = np.where(states["murphy"][:, None] == seats, 7, 3)
    frustrations = states["frustrations"][:, :n]
    scores = markers - cost * frustrations
    left = states["middle"].sum(axis=1, keepdims=True)
    facts = [
        np.concatenate([states["middle"], states["markers"][:, k], np.roll(frustrations, -k, axis=1)], axis=1)
        for k in range(n)
    ]
    weighed = np.stack([(fact * TILT[k, : fact.shape[1]]).sum(axis=1) for k, fact in enumerate(facts)], axis=1)
    points = markers + (scores - markers) * (1 - left / 20) + 0.5 * weighed - 2 * (states["murphy"][:, None] == seats)
    hopes = np.exp(points / (4 + left))
    winners = scores == scores.max(axis=1, keepdims=True)
    shares = np.where(left == 0, winners / winners.sum(axis=1, keepdims=True), hopes / hopes.sum(axis=1, keepdims=True))
    return np.asarray(reward_of(shares, n))


# ------------------------------------------------------------------------------------------------ cases and parts


def plain_case(leaf: Leaf, before: Between) -> str:
    """Which of the exclusive ends a leaf is."""
    gained = sum(leaf.after.middle) < sum(before.middle)
    if leaf.ravens >= 3 and not (gained and leaf.targets >= 4):
        return "ravens_murphy" if leaf.ravens > 3 else "ravens"
    if leaf.ravens >= 3:
        return "both"
    return ("marker" if gained else "nothing") + ("_murphy" if leaf.targets > 4 else "")


def plain_cases(outcome: Outcome, before: Between, seat: int, n: int) -> dict[str, dict[str, float]]:
    sums: dict[str, list[float]] = {}
    for leaf, chance in outcome.leaves.items():
        share = win_share(plain_worth(leaf.after)[seat], n)
        points = leaf.after.score(seat) - before.score(seat)
        found = sums.setdefault(plain_case(leaf, before), [0.0] * 5)
        for k, fact in enumerate((1.0, share, points, leaf.after.over, bool(leaf.frustraters))):
            found[k] += chance * fact
    keys = ("win_share", "points", "over", "frustrated")
    return {
        case: {"chance": total[0], **{key: part / total[0] for key, part in zip(keys, total[1:], strict=True)}}
        for case, total in sums.items()
    }


def plain_parts(a: dict[str, dict[str, float]], b: dict[str, dict[str, float]]) -> dict[str, tuple[float, float]]:
    """By case: how much of the difference is chance, and how much is worth."""
    middle = sum(case["chance"] * case["win_share"] for cases in (a, b) for case in cases.values()) / 2
    parts = {}
    for end in {*a, *b}:
        p, q = (cases[end]["chance"] if end in cases else 0.0 for cases in (a, b))
        v = a.get(end, b.get(end))["win_share"]  # type: ignore[index]
        w = b.get(end, a.get(end))["win_share"]  # type: ignore[index]
        parts[end] = ((p - q) * ((v + w) / 2 - middle), (v - w) * (p + q) / 2)
    return parts


def compare(position: Position, search: TurnSearch, told: Counter[str]) -> None:
    """All that is shown about a decision against the recursion; counts the reasons."""
    assert position.to_act is not None
    n, seat = position.num_players, position.to_act
    turn = PlainTurn(position.to_dict(), plain_worth)
    actions = turn.actions()
    plain = {action: plain_cases(outcome, turn.before, seat, n) for action, outcome in actions.items()}
    rows = explain.explain(position, search, analysis.ranked(position, search))
    assert sorted(actions) == sorted(row["action"] for row in rows), position.to_text()
    for row in rows:
        cases = {case.pop("end"): case for case in row["cases"]}
        exact = plain[row["action"]]
        assert set(cases) == set(exact), position.to_text()
        for end, case in cases.items():
            for key, number in exact[end].items():
                assert case[key] == pytest.approx(number, abs=1e-9), (position.to_text(), row["name"], end, key)
        assert sum(case["chance"] for case in cases.values()) == pytest.approx(1, abs=1e-9)
        total = sum(case["chance"] * case["win_share"] for case in cases.values())
        assert total == pytest.approx(row["win_share"], abs=1e-9), "chances and shares add up to the action's"
    for row in rows[1:]:
        reason = row["reason"]
        exact_parts = plain_parts(plain[rows[0]["action"]], plain[row["action"]])
        found = {part["end"]: (part["chance"], part["worth"]) for part in reason["parts"]}
        assert set(found) == set(exact_parts)
        for end, numbers in exact_parts.items():
            assert found[end] == pytest.approx(numbers, abs=1e-9), (position.to_text(), end)
        assert math.fsum(number for pair in found.values() for number in pair) == pytest.approx(row["costs"], abs=1e-9)
        if row["costs"] > 1e-6:
            told[reason["kind"]] += 1
            check_reason(reason, position, turn, actions)
            largest = max(number for pair in exact_parts.values() for number in pair)
            assert exact_parts[reason["end"]][reason["by"] == "worth"] == pytest.approx(largest, abs=1e-9)


# ------------------------------------------------------------------------------------------------ reasons


def leaves_of(outcome: Outcome, end: str, before: Between) -> dict[Leaf, float]:
    return {leaf: chance for leaf, chance in outcome.leaves.items() if plain_case(leaf, before) == end}


def mean(leaves: dict[Leaf, float], fact: Callable[[Between], float]) -> float:
    return sum(chance * fact(leaf.after) for leaf, chance in leaves.items()) / sum(leaves.values())


def won_by(after: Between, before: Between, seat: int) -> int:
    """How much more a player's markers are worth."""
    pairs = zip(after.markers[seat], before.markers[seat], strict=True)
    return sum(value * (new - old) for value, (new, old) in zip(VALUES, pairs, strict=True))


def check_reason(reason: dict[str, Any], position: Position, turn: PlainTurn, actions: dict[int, Outcome]) -> None:
    """Whether what a reason says is true, by the leaves of plain recursion."""
    kind, end, seat, active = reason["kind"], reason["end"], position.to_act, position.active
    assert seat is not None
    where = (position.to_text(), kind)
    before, n = turn.before, position.num_players
    a, b = (leaves_of(actions[reason[key]], end, before) for key in ("action", "other"))
    both = {**b, **a}
    if "chances" in reason:
        assert reason["by"] == "chance"
        p, q = sum(a.values()), sum(b.values())
        assert reason["chances"] == pytest.approx([p, q], abs=1e-9), where
        assert (p > q) == kind.startswith(("likelier", "over_likelier", "frustration")), where
        if kind.startswith("over_"):
            assert all(leaf.after.over for leaf in both), where
            likeliest = max(a or b, key=lambda leaf: (a or b)[leaf]).after
            own, most = likeliest.score(seat), max(likeliest.score(k) for k in range(n) if k != seat)
            assert own > most if kind == "over_likelier" else own < most, where
        elif kind == "murphy":
            assert seat == active and end.endswith("_murphy"), where
            assert all(leaf.after.murphy == seat for leaf in both), where
            assert any(leaf.after.frustrations[seat] for leaf in both), where
        elif kind == "frustration":
            likeliest = max(a, key=lambda leaf: a[leaf]).after
            held = list(likeliest.frustrations)
            held[seat] -= 1
            assert plain_worth(likeliest)[seat] > plain_worth(likeliest._replace(frustrations=tuple(held)))[seat], where
        elif kind.endswith("_share"):
            assert (reason["share"] > reason["mean"]) == (p > q), where
        else:
            good = end in ("marker", "marker_murphy", "both")
            assert good == ((p > q) == (seat == active)) and end != "nothing", where
        return
    assert reason["by"] == "worth"
    v, w = (mean(leaves, lambda after: win_share(plain_worth(after)[seat], n)) for leaves in (a, b))
    assert reason["shares"] == pytest.approx([v, w], abs=1e-9) and v > w, where
    if kind.startswith(("mine_", "theirs_")):
        who = reason["seat"]
        assert (who == seat) == kind.startswith("mine_"), where
        p, q = (mean(leaves, lambda after: after.frustrations[who]) for leaves in (a, b))
        assert reason["counts"] == pytest.approx([p, q], abs=1e-9), where
        assert (p > q) == ("_more" in kind), where
        if kind.endswith("_murphy"):
            assert all(leaf.after.murphy == who for leaf in both), where
        elif kind in ("mine_fewer", "theirs_more"):
            assert all(leaf.after.murphy != who for leaf in both), where
    elif kind in ("steal", "steal_more", "victim"):
        assert seat == active and reason["swing"] == 2 * reason["value"], where
        robbed = [leaf.after for leaf in a if won_by(leaf.after, before, reason["from"]) < 0]
        won = {won_by(after, before, seat) for after in robbed}
        assert won == {reason["value"]}, where
        likeliest = max(b, key=lambda leaf: b[leaf]).after
        losers = [k for k in range(n) if won_by(likeliest, before, k) < 0]
        if kind == "steal":
            assert not losers, where
        elif kind == "steal_more":
            assert won_by(likeliest, before, seat) == reason["instead"] < reason["value"], where
        else:
            assert losers == [reason["instead"]], where
            now = PlainTurn.best(actions, seat).values
            assert now[reason["from"]] > now[reason["instead"]], where
    elif kind == "value":
        for leaves, value in zip((a, b), reason["values"], strict=True):
            assert {won_by(leaf.after, before, seat) for leaf in leaves} == {value}, where
        assert reason["values"][0] > reason["values"][1], where
    elif kind.startswith("box_"):
        middles = [next(iter(leaves)).after.middle for leaves in (a, b)]
        sums = [sum(value * count for value, count in zip(VALUES, middle, strict=True)) for middle in middles]
        assert sums[1] - sums[0] == reason["gone"] - reason["left"], where
        assert (sums[0] < sums[1]) == (kind == "box_high"), where
    else:
        assert kind == "afterwards", where


def test_cases_parts_and_reasons_are_those_of_plain_recursion() -> None:
    search, told = TurnSearch(worth), Counter[str]()
    for position in decisions(2, 300):
        compare(position, search, told)
    assert len(told) > 10 and sum(told.values()) > 300 and told["afterwards"] < 0.1 * sum(told.values()), told


@pytest.mark.slow
def test_cases_parts_and_reasons_are_those_of_plain_recursion_in_10000_positions() -> None:
    search, told = TurnSearch(worth), Counter[str]()
    for position in decisions(3, 10_000):
        compare(position, search, told)
    print(told)
    assert len(told) > 15 and sum(told.values()) > 10_000 and told["afterwards"] < 0.1 * sum(told.values()), told


def test_a_steal_is_told() -> None:
    """The best target comes less often than the certain one, and ends with ravens more often; but it can be stolen."""
    position = Position.parse(EXAMPLE)
    search, _ = analysis.evaluation(position)
    rows = {row["name"]: row for row in explain.explain(position, search, analysis.ranked(position, search))}
    assert next(iter(rows)) == "target 5"
    reason = rows["target 6"]["reason"]
    assert (reason["kind"], reason["value"], reason["from"], reason["swing"]) == ("steal", 5, 0, 10)
    words = Words("en", ["Ann", "Bob"], mine=1)
    assert words.reason(reason, position) == "“Target 5” can steal a 5 from Ann: a swing of 10 points."
    certain = rows["target 6"]["cases"]
    assert [(case["end"], case["chance"], case["points"]) for case in certain] == [("marker", 1.0, 6.0)]
    assert sum(case["frustrated"] * case["chance"] for case in rows["target 5"]["cases"]) > 0.5, "they interfere"


def test_equal_actions_are_said_to_be_equal() -> None:
    position = Position.parse(EXAMPLE)
    search = TurnSearch(lambda states: np.zeros((len(states), 2)))
    rows = explain.explain(position, search, analysis.ranked(position, search))
    assert {row["reason"]["kind"] for row in rows} == {"same"}


def test_nothing_that_is_shown_points_against_the_advice() -> None:
    """By the champion: shares add up to the advice, and the numbers of a reason are in the order that it claims."""
    for position in decisions(4, 60):
        search, _ = analysis.evaluation(position)
        rows = explain.explain(position, search, analysis.ranked(position, search))
        for row in rows:
            total = sum(case["chance"] * case["win_share"] for case in row["cases"])
            assert total == pytest.approx(row["win_share"], abs=1e-9)
        for row in rows[1:]:
            reason = row["reason"]
            if reason["kind"] != "same":
                assert reason["amount"] > 0 and reason["difference"] == pytest.approx(row["costs"], abs=1e-9)
                pair = reason.get("chances") or reason.get("counts") or reason.get("values") or reason["shares"]
                lower = reason["kind"].startswith(("rarer", "over_rarer", "murphy")) or "_fewer" in reason["kind"]
                assert (pair[0] < pair[1]) == lower, (position.to_text(), reason)
