"""The explorer's figures: counted over the decisions of perfect games, and exact for first throws."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pechvogel.agents.pechvogel import analysis, solution
from pechvogel.agents.pechvogel.solution import Solution
from pechvogel.agents.pechvogel.turn.search import TurnSearch
from pechvogel.cli import main
from pechvogel.train.pechvogel.solve import explorer, perfect
from pechvogel_env.position import Position, position_of
from pechvogel_env.rules import Action

PACKAGED = Path(__file__).parents[2] / "play" / "pechvogel" / "web" / "explorer.json"
GAMES, SEED = 60, 5


@pytest.fixture(scope="module")
def found(tables: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = tmp_path_factory.mktemp("explorer") / "figures.json"
    table = next(tables.glob("*.table"))
    words = ["explorer", "--table", str(table), "--games", str(GAMES), "--seed", str(SEED), "--out", str(path)]
    assert main(words) == 0
    first = path.read_bytes()
    assert main(words) == 0 and path.read_bytes() == first, "the same seed must give the same figures"
    return dict(json.loads(first))


def points(position: Position, seat: int) -> int:
    player = position.players[seat]
    cost = 7 if position.murphy == seat else 3
    return sum((k + 3) * count for k, count in enumerate(player.markers)) - cost * player.frustrations


def within(number: int, bounds: list[int | None]) -> bool:
    low, high = bounds
    return (low is None or low <= number) and (high is None or number <= high)


def test_every_decision_is_counted_in_its_field(found: dict[str, Any], solved: Solution) -> None:
    """Again, decision by decision and in plain Python."""
    played = perfect.play(solved, GAMES, SEED)
    wanted = {
        "frustrate": ("frustrate", Action.FRUSTRATE, Action.PASS),
        "reduce": ("reduce", Action.REDUCE, Action.PASS),
        "steal": ("take", Action.STEAL_1, Action.TAKE),
    }
    for subject, (phase, action, other) in wanted.items():
        counted = found["subjects"][subject]
        axes = [found["axes"][name] for name in counted["axes"]]
        fields = {place: [0, 0, 0.0] for place in product(*(range(len(axis)) for axis in axes))}
        for k in range(len(played.decisions)):
            position = position_of(played.decisions, k)
            gain = (played.values[k, action] - played.values[k, other]) / 2
            if position.phase != phase or np.isnan(gain):
                continue
            assert position.to_act is not None
            me = position.to_act
            numbers = {
                "left": sum(position.middle),
                "lead": points(position, me) - points(position, 1 - me),
                "targets": position.targets,
                "ravens": position.ravens,
                "value": position.target,
            }
            place = tuple(
                next(c for c, bounds in enumerate(axis) if within(numbers[name] or 0, bounds))
                for name, axis in zip(counted["axes"], axes, strict=True)
            )
            fields[place][0] += 1
            fields[place][1] += int(gain > 0)
            fields[place][2] += gain
        assert counted["number"] == [field[0] for field in fields.values()]
        # With one marker of each value, it is either in the middle or with the other.
        assert (sum(counted["number"]) > 0) == (subject != "steal")
        assert counted["best"] == [field[1] for field in fields.values()]
        assert counted["gain"] == pytest.approx([field[2] for field in fields.values()], abs=1e-3)


def test_targets_are_those_with_a_real_choice(found: dict[str, Any], solved: Solution) -> None:
    played = perfect.play(solved, GAMES, SEED)
    number = best = 0
    for k in range(len(played.decisions)):
        position = position_of(played.decisions, k)
        if position.phase != "target":
            continue
        lying = {value: position.last_throw.count(value) for value in range(3, 8) if value in position.last_throw}
        most = max(lying, key=lambda value: (lying[value], value))
        higher = [value for value in lying if value > most]
        if higher and 2 <= lying[most] <= 4:
            number += 1
            worth = {value: played.values[k, value - 3] for value in lying}
            best += all(worth[most] > worth[value] for value in higher)
    counted = found["subjects"]["target"]
    assert (sum(counted["number"]), sum(counted["best"])) == (number, best) and number > 20


def test_all_positions_between_turns_are_counted(found: dict[str, Any], solved: Solution) -> None:
    played = perfect.play(solved, GAMES, SEED)
    seats = played.positions["active"]
    worth = solved.evaluate(played.positions)[np.arange(len(seats)), seats]
    counted = found["subjects"]["chances"]
    assert sum(counted["number"]) == len(seats) and "best" not in counted
    assert sum(counted["gain"]) == pytest.approx(((1 + worth) / 2).sum(), abs=0.2)


def test_first_throws_are_exact(found: dict[str, Any], solved: Solution) -> None:
    """What else lies does not matter; five of a kind are greedy, and that costs."""
    search = TurnSearch(solved.evaluate)
    for dice in ("7733456", "3330456", "4444405", "0055567", "0033333", "6666666"):
        position = Position.parse(f"2x1_11111_00000f0.00000f0_-_0_00{dice.count('0')}_-_{dice}_target0_0")
        rows = analysis.ranked(position, search)
        for row in rows:
            value = row["action"] + 3
            share = found["first"][dice.count("0")][dice.count(str(value)) - 1][row["action"]]
            assert share == pytest.approx(row["win_share"], abs=1e-4)
    first = found["first"]
    assert [len(rows) for rows in first] == [7, 7, 7] and first[2][4][0] is not None and first[2][5] == [None] * 5


def test_what_is_packaged_is_whole() -> None:
    data = json.loads(PACKAGED.read_text())
    assert data["copies"] >= 2 and data["games"] >= 10_000 and PACKAGED.stat().st_size < 60_000
    for counted in data["subjects"].values():
        size = int(np.prod([len(data["axes"][name]) for name in counted["axes"]]))
        assert len(counted["number"]) == len(counted["gain"]) == size and sum(counted["number"]) > 10_000
        assert all(best <= number for best, number in zip(counted.get("best", []), counted["number"], strict=False))
    # As `docs/solution.md` says of perfect play: the first player wins a little more than half.
    assert 0.50 < np.mean([share for row in data["first"][0] for share in row]) < 0.53


@pytest.mark.slow
def test_what_is_packaged_is_what_the_command_finds(tmp_path: Path) -> None:
    data = json.loads(PACKAGED.read_text())
    try:
        solution.find(data["copies"])
    except ValueError:
        pytest.skip("that table is not installed: `pechvogel solve`")
    words = ["explorer", "--copies", str(data["copies"]), "--games", str(data["games"]), "--seed", str(data["seed"])]
    assert main([*words, "--out", str(tmp_path / "again.json")]) == 0
    assert (tmp_path / "again.json").read_bytes() == PACKAGED.read_bytes()


def test_classes_leave_no_gap() -> None:
    axis = explorer.Axis("lead", explorer.classes(explorer.LEADS))
    numbers = np.arange(-60, 61)
    for number, place in zip(numbers, axis.of(numbers), strict=True):
        inside = [k for k, bounds in enumerate(axis.classes) if within(int(number), list(bounds))]
        assert inside == [place]
