"""Puzzles: one action is clearly best, somebody falls for another, and the same seed gives the same file."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pechvogel.agents import registry
from pechvogel.agents.pechvogel import analysis, solution
from pechvogel.agents.pechvogel.champion import ChampionAgent
from pechvogel.agents.pechvogel.explain import explain
from pechvogel.agents.pechvogel.solution import Solution
from pechvogel.agents.pechvogel.turn.search import TurnSearch
from pechvogel.cli import main
from pechvogel.tabletop.bits import action_list, mask_of
from pechvogel.train.pechvogel import puzzles
from pechvogel.train.pechvogel.puzzles import FALLIBLE, GAP, THEMES, THEMES_OF_TWO
from pechvogel_env import rules
from pechvogel_env.position import Position

PACKAGED = Path(__file__).parents[2] / "play" / "pechvogel" / "puzzles.json"
ROUNDED = 2e-6


HEAD = json.loads(PACKAGED.read_text())


def packaged() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = HEAD["puzzles"]
    return found


def check(puzzle: dict[str, Any], search: TurnSearch) -> None:
    """A puzzle is what it says, by whoever judges it."""
    position = Position.parse(puzzle["position"])
    rows = analysis.ranked(position, search)
    shown = puzzle["actions"]
    assert rows[0]["action"] == shown[0]["action"]
    assert rows[0]["win_share"] - rows[1]["win_share"] >= GAP - ROUNDED
    for row in explain(position, search, rows):
        (same,) = [one for one in shown if one["action"] == row["action"]]
        assert same["win_share"] == pytest.approx(row["win_share"], abs=1e-4)
        assert [case["end"] for case in same["cases"]] == [case["end"] for case in row["cases"]]


# ------------------------------------------------------------------------------------------------ what is packaged


def test_the_packaged_puzzles_are_many_and_all_different() -> None:
    found = packaged()
    assert len(found) >= 500
    assert len({puzzle["id"] for puzzle in found}) == len({puzzle["position"] for puzzle in found}) == len(found)
    of_two = [puzzle for puzzle in found if puzzle["position"].startswith(f"2x{HEAD['copies']}_")]
    assert len(of_two) == 400 and {puzzle["theme"] for puzzle in of_two} == set(THEMES_OF_TWO)
    others = [puzzle for puzzle in found if puzzle not in of_two]
    assert {puzzle["theme"] for puzzle in others} == set(THEMES)
    assert {puzzle["position"][0] for puzzle in others} == {"3", "4", "5"}
    assert {puzzle["judge"] for puzzle in of_two} == {"exact"} and {puzzle["judge"] for puzzle in others} == {
        "champion"
    }
    # No theme, level or answer is rare enough, or frequent enough, to be guessed.
    assert min(Counter(puzzle["theme"] for puzzle in of_two).values()) >= 80
    assert min(Counter(puzzle["level"] for puzzle in found).values()) >= 60
    for theme in ("reduce", "frustrate"):
        right = Counter(puzzle["actions"][0]["action"] for puzzle in found if puzzle["theme"] == theme)
        assert len(right) == 2 and max(right.values()) <= 2 * min(right.values())


def test_every_packaged_puzzle_has_one_clearly_best_action() -> None:
    for puzzle in packaged():
        position = Position.parse(puzzle["position"])
        assert puzzle["id"] == hashlib.sha256(puzzle["position"].encode()).hexdigest()[:8]
        assert position.to_text() == puzzle["position"] and position.phase == puzzle["theme"]
        rows = puzzle["actions"]
        legal = action_list(rules.legal_bits(position.states(), 0))
        assert sorted(row["action"] for row in rows) == legal and len(legal) > 1
        assert rows[0]["win_share"] - max(row["win_share"] for row in rows[1:]) >= GAP - 1e-9
        for row in rows:
            assert row["costs"] == pytest.approx(rows[0]["win_share"] - row["win_share"], abs=ROUNDED)
            assert sum(case["chance"] for case in row["cases"]) == pytest.approx(1, abs=1e-4)
            share = sum(case["chance"] * case["win_share"] for case in row["cases"])
            assert share == pytest.approx(row["win_share"], abs=1e-4)


def test_somebody_falls_for_every_packaged_puzzle() -> None:
    """Those of whom it is said; the one that plays by chance aside."""
    sure = [spec for spec in FALLIBLE if spec != "champion:level=1"]
    agents = {spec: registry.make(spec) for spec in sure}
    for puzzle in packaged():
        assert puzzle["level"] == min(puzzles.LEVELS, len(puzzle["falls"])) > 0 and set(puzzle["falls"]) <= {*FALLIBLE}
    for puzzle in packaged()[::5]:
        position = Position.parse(puzzle["position"])
        mask = mask_of(rules.legal_bits(position.states(), 0), rules.NUM_ACTIONS).copy()
        right = puzzle["actions"][0]["action"]
        wrong = {spec for spec in sure if agents[spec].act(position, mask, np.random.default_rng(0)) != right}
        assert wrong == set(puzzle["falls"]) & set(sure)


def test_packaged_puzzles_for_more_than_two_are_as_the_champion_says() -> None:
    champion = ChampionAgent()
    for puzzle in packaged():
        if puzzle["judge"] == "champion":
            check(puzzle, champion.search(Position.parse(puzzle["position"]).states()))


def test_the_champion_mostly_agrees_with_the_exact_values() -> None:
    """Without the table, its values are all that there is to compare with: a few points apart, and seldom otherwise."""
    champion, apart, agree = ChampionAgent(), [], []
    for puzzle in packaged():
        if puzzle["judge"] == "exact":
            position = Position.parse(puzzle["position"])
            rows = analysis.ranked(position, champion.search(position.states()))
            shares = {row["action"]: row["win_share"] for row in puzzle["actions"]}
            apart += [abs(row["win_share"] - shares[row["action"]]) for row in rows]
            agree.append(rows[0]["action"] == puzzle["actions"][0]["action"])
    assert np.mean(apart) < 0.02 and np.mean(agree) > 0.9


def _table() -> Solution | None:
    try:
        return Solution(solution.find(HEAD["copies"]))
    except ValueError:
        return None


@pytest.mark.slow
def test_all_packaged_puzzles_are_as_the_table_says() -> None:
    table = _table()
    if table is None:
        pytest.skip("that table is not installed: `pechvogel solve`")
    search = TurnSearch(table.evaluate)
    for puzzle in packaged():
        if puzzle["judge"] == "exact":
            check(puzzle, search)


@pytest.mark.slow
def test_the_packaged_puzzles_are_those_of_the_command(tmp_path: Path) -> None:
    if _table() is None:
        pytest.skip("that table is not installed: `pechvogel solve`")
    words = ["puzzles", "--copies", str(HEAD["copies"]), "--seed", str(HEAD["seed"])]
    assert main([*words, "--out", str(tmp_path / "again.json")]) == 0
    assert (tmp_path / "again.json").read_bytes() == PACKAGED.read_bytes()


# ------------------------------------------------------------------------------------------------ the command


def test_the_same_seed_gives_the_same_puzzles(
    solved: Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / name for name in ("a.json", "b.json", "c.json")]
    monkeypatch.setattr(puzzles, "GAMES", 64)
    for path, seed in zip(files, "778", strict=True):
        words = ["puzzles", "--players", "2", "--copies", "1", "--count", "6", "--seed", seed, "--out", str(path)]
        assert main(words) == 0
    assert "frustrate: " in capsys.readouterr().out
    assert files[0].read_bytes() == files[1].read_bytes() != files[2].read_bytes()
    found = json.loads(files[0].read_text())
    assert found["table"] == solved.path.name and len(found["puzzles"]) == 6
    search = TurnSearch(solved.evaluate)
    for puzzle in found["puzzles"]:
        check(puzzle, search)
        position = Position.parse(puzzle["position"])
        assert puzzle["theme"] in THEMES_OF_TWO and max(p.frustrations for p in position.players) <= solved.cap - 2


def test_puzzles_are_shared_out_among_tables() -> None:
    assert puzzles.shares(500, [2, 3, 4, 5]) == {2: 400, 3: 33, 4: 33, 5: 34}
    assert puzzles.shares(10, [2]) == {2: 10} and puzzles.shares(10, [3, 5]) == {3: 5, 5: 5}
    assert puzzles.shares(1, [2, 3]) == {2: 1}
    for count in range(1, 60):
        assert sum(puzzles.shares(count, [2, 3, 4, 5]).values()) == count


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--count", "0"], "--count must be from 1 to 10,000, not 0"),
        (["--count", "10001"], "--count must be from 1 to 10,000"),
        (["--seed", "-1"], "seed must be from 0"),
        (["--players", "6"], "6"),
        (["--copies", "4", "--players", "2"], "copies must be"),
        (["--copies", "2", "--players", "2"], "there is no table for 2 copies"),
        (["--table", "nowhere.table", "--players", "2"], "nowhere.table"),
        (["--game", "chess"], "there is no game 'chess'"),
        (["--out", "no/such/folder/x.json"], "there is no folder"),
    ],
)
def test_bad_wishes_get_a_sentence(
    words: list[str],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PECHVOGEL_TABLES", str(tmp_path))
    for command in ("puzzles", "explorer"):
        if command == "explorer" and {"--count", "--players", "--seed"} & {*words}:
            continue
        assert main([command, "--out", "x.json", *words]) == 2
        error = capsys.readouterr().err
        assert sentence in error and error.count("\n") == 1
    assert not list(tmp_path.iterdir())
