"""What a solved game measures: prices of actions, regret, best responses, perfect play, and its own errors."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from pechvogel.agents.pechvogel import solution
from pechvogel.agents.pechvogel.optimal import OptimalAgent
from pechvogel.agents.pechvogel.solution import Solution
from pechvogel.cli import main
from pechvogel.train.pechvogel.solve import caps, exploit, findings, perfect, response
from pechvogel.train.pechvogel.solve import layers as solve
from pechvogel_env import rules
from pechvogel_env.game import Game
from pechvogel_env.position import Position
from tests.pechvogel.solved import CAP, random_states


def test_errors_of_a_table_are_found_by_play(solved: Solution) -> None:
    """A table that is wrong by a known amount before the first marker is won."""
    games = perfect.play(solved, 400, 2)
    assert np.bincount(games.game).tolist() == games.turns.tolist()

    class Wrong:
        cap = solved.cap

        @staticmethod
        def evaluate(states: rules.States) -> np.ndarray:
            values = solved.evaluate(states)
            values[states["middle"].sum(axis=1) == 5] += (0.01, -0.01)  # too much for seat 0, who starts
            return values

    found = caps.by_play(Wrong(), games)  # type: ignore[arg-type]
    assert found["start_error"] == pytest.approx(-0.01, abs=2 * found["start_error_half"])
    assert found["start_error_half"] < 0.002 and 0.001 < found["largest_turn_error"] < 0.011
    right = caps.by_play(solved, games)
    assert abs(right["start_error"]) < 1e-4 and right["mean_turn_error"] < 1e-5
    assert found["start"]["table"] == pytest.approx(right["start"]["table"] + 0.01)
    # By hand: two games with one position of this kind, one with two.
    said, outcomes = np.array([0.0, 0.5, 0.0, 0.0, 9.0]), np.array([1.0, 1.0, -1.0, -1.0, 0.0])
    row = caps._compare(said, outcomes, np.array([0, 1, 2, 2, 3]), np.array([True] * 4 + [False]))
    assert (row["positions"], row["table"], row["play"]) == (4, 0.125, 0.0)
    off = np.array([1.125, 0.625, -1.75])  # per game, around the mean of -0.125
    assert row["half"] == pytest.approx(1.96 * np.sqrt((off**2).sum()) / 4)


def test_analyse(
    solved: Solution, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = Game(2, 1)
    game.reset(5)
    while game.position().phase != "target":
        game.step(int(game.mask().argmax()))
    position = game.position()
    assert main(["analyse", position.to_text(), "--json", str(tmp_path / "a.json")]) == 0
    assert "exact: table copies-1" in capsys.readouterr().out
    far = position.to_json().replace('"frustrations": 0', '"frustrations": 40')
    assert main(["analyse", far]) == 0 and "estimated: beyond the 6 frustrations" in capsys.readouterr().out
    result = json.loads((tmp_path / "a.json").read_text())
    exact = OptimalAgent().action_values(position)
    assert [row["action"] for row in result["actions"]] == list(np.argsort(-exact, kind="stable")[: game.mask().sum()])
    assert result["value"] == pytest.approx(np.nanmax(exact)) and result["actions"][0]["loss"] == 0
    assert all(row["win_share"] == pytest.approx((row["value"] + 1) / 2) for row in result["actions"])
    (tmp_path / "p.json").write_text(position.to_json())
    assert main(["analyse", str(tmp_path / "p.json"), "--table", str(solved.path), "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out) == result
    monkeypatch.setenv("PECHVOGEL_TABLES", str(tmp_path))
    assert main(["analyse", position.to_text(), "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["source"].startswith("estimated")
    between = Position.complete({}, num_players=3, copies=3)
    assert main(["analyse", between.to_text()]) == 0
    assert "player_0: " in capsys.readouterr().out
    (tmp_path / "picture").write_bytes(b"\x89PNG\xff")
    table_file = ["--table", str(tmp_path / "p.json")]
    for words in (["nonsense"], [position.to_text(), *table_file], ["missing.json"], [str(tmp_path / "picture")]):
        assert main(["analyse", *words]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_nobody_exploits_a_perfect_player(tmp_path: Path) -> None:
    """Best responses to `optimal` are worth what the table says, whoever is at turn."""
    path = tmp_path / "t.table"
    solve.solve(1, 2, path)
    table = Solution(path)
    codes = solution.make_codes(1)
    # One marker left, a 5; the player at turn has the 7, the other the 6, two are out of the game.
    digits = [0, 0, codes.number[1, 0, 0], codes.number[0, 0, 1], codes.number[0, 1, 0]]
    pair = sum(int(digit) * len(codes.swap) ** value for value, digit in enumerate(digits))
    values = np.zeros((2, len(table.values), 3, 9), np.float32)
    both = sorted([pair, int(solution.arrangements(codes)[1][pair])])
    result, residual = response._solve_part((f"optimal:table={path}", 2, np.array([pair]), values))
    assert residual < 1e-5
    for role in (response.AGENT, response.RESPONDER):
        assert np.abs(result[role] - table.values[both].reshape(2, 3, 9)).max() < 1e-4
    # A worse player is worth less at turn, and more to the one who plays against it.
    worse, _ = response._solve_part(("random", 2, np.array([pair]), values * 0))
    assert (worse[response.AGENT] < result[response.AGENT] + 1e-4).all()
    assert (worse[response.RESPONDER] > result[response.RESPONDER] - 1e-4).all()
    assert (worse[response.RESPONDER] - worse[response.AGENT]).mean() > 0.1


def test_regret(
    solved: Solution, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    perfect = exploit.regret("optimal", 1, 40, 1)["regret"]
    assert perfect["mean"] == 0 and perfect["decisions"] > 100
    found = {"exploitability": 0.5, "agent_starts": 0.4, "responder_starts": 0.6, "as_distribution": True}
    monkeypatch.setattr(exploit, "best_response", lambda *words: found)
    assert main(["exploit", "heuristic", "--games", "100", "--json", str(tmp_path / "e.json")]) == 0
    result = json.loads((tmp_path / "e.json").read_text())
    lost = result["against_optimal"]["regret"]
    assert 0.005 < result["regret"] < 0.1 and lost["mean"] == result["regret"]
    total = sum(row["mean"] * row["decisions"] for row in lost["by_kind"].values())
    assert total / lost["decisions"] == pytest.approx(lost["mean"])
    assert {"target", "reduce", "frustrate"} <= lost["by_kind"].keys() and "exploitability" in capsys.readouterr().out
    monkeypatch.setenv("PECHVOGEL_TABLES", str(tmp_path))
    assert main(["exploit", "heuristic", "--copies", "2"]) == 2
    assert "pechvogel solve --copies 2" in capsys.readouterr().err
    for wrong in (["nobody"], ["heuristic", "--copies", "4"], ["heuristic", "--frustrations", "1"]):
        assert main(["exploit", *wrong]) == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert lost["ci95"][0] < lost["mean"] < lost["ci95"][1]


def test_findings_are_written_from_the_table(
    solved: Solution, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "found.md"
    words = [
        "findings",
        "--copies",
        "1",
        "--games",
        "100",
        "--agent-games",
        "20",
        "--agents",
        "random",
        "--best-response",
        "0",
        "--out",
        str(page),
    ]
    assert main([*words, "--json", str(tmp_path / "data.json")]) == 0
    text = page.read_text(encoding="utf-8")
    assert f"{solved.start_value:+.4f} to the player who starts" in text and "| 1 | `random` |" in text
    assert f"{781 * 3 * (CAP + 1) ** 2:,} of them" in text
    for name in re.findall(r"!\[.*?\]\((.*?)\)", text):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
    again = tmp_path / "again" / "found.md"
    again.parent.mkdir()
    assert main(["findings", "--data", str(tmp_path / "data.json"), "--out", str(again)]) == 0
    assert again.read_text(encoding="utf-8") == text
    (tmp_path / "other.json").write_text("[1]")
    (tmp_path / "more.json").write_text('{"agents": {"1": {}}, "copies": 1}')
    for name in ("other.json", "more.json", "nowhere.json"):
        assert main(["findings", "--data", str(tmp_path / name), "--out", str(again)]) == 2
    assert main(["findings", "--copies", "2", "--out", str(page)]) == 2
    assert main(["findings", "--copies", "1", "--games", "0"]) == 2
    assert main(["findings", "--copies", "1", "--best-response", "1"]) == 2
    assert main(["findings", "--copies", "1", "--agents", "optimal:table=nowhere"]) == 2
    before = capsys.readouterr()
    assert main(["findings", "--out", str(tmp_path / "no" / "page.md")]) == 2
    assert "--out" in capsys.readouterr().err and "Traceback" not in before.err


def test_what_a_frustration_is_worth(solved: Solution) -> None:
    """Against the table read by hand."""
    states = random_states(50, 1, 3, seed=9)
    found = {row["left"]: row for row in findings.worth_of_a_frustration(solved, states)}
    assert sum(row["positions"] for row in found.values()) == 50
    left = int(states["middle"][0].sum())
    here = [i for i in range(50) if states["middle"][i].sum() == left]
    by_hand = []
    for i in here:
        s = states[i]
        digits = [
            solved._codes.number[s["middle"][v], s["markers"][s["active"], v], s["markers"][1 - s["active"], v]]
            for v in range(5)
        ]
        number = sum(int(digit) * 4**v for v, digit in enumerate(digits))
        murphy = 0 if s["murphy"] < 0 else 1 if s["murphy"] == s["active"] else 2
        mine, theirs = s["frustrations"][s["active"]], s["frustrations"][1 - s["active"]]
        values = solved.values[number, murphy]
        by_hand.append(
            (values[mine + 1, theirs] - values[mine, theirs], values[mine, theirs] - values[mine, theirs + 1])
        )
    assert (found[left]["at_turn"], found[left]["other"]) == pytest.approx(np.mean(by_hand, axis=0), abs=1e-6)


# ------------------------------------------------------------------------------------------------ other readings


def test_the_best_response_to_a_perfect_player_gains_nothing(tmp_path: Path) -> None:
    """The whole small game, every position of it; and what an agent that errs gives away."""
    path = tmp_path / "t.table"
    solve.solve(1, 2, path)
    found = response.best_response(f"optimal:table={path}", cap=2)
    assert abs(found["exploitability"]) < 1e-4
    assert found["agent_starts"] == pytest.approx(-Solution(path).start_value, abs=1e-4)
    assert found["responder_starts"] == pytest.approx(Solution(path).start_value, abs=1e-4)


@pytest.mark.slow
def test_worse_agents_can_be_exploited_more(solved: Solution) -> None:
    found = [response.best_response(spec, cap=3)["exploitability"] for spec in ("planner", "heuristic", "random")]
    assert 0.05 < found[0] < found[1] < found[2] < 1
