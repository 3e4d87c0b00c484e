"""The solution of the two-player game: it is one, it survives being killed, and damaged tables are refused."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import registry, solution
from agents.optimal import OptimalAgent
from agents.solution import HEADER, NoTableError, Solution
from agents.turn import TurnSearch
from pechvogel.cli import main
from pechvogel_env import dice, rules
from pechvogel_env.game import Game
from pechvogel_env.position import Position
from pechvogel_env.rules import Phase
from tests.brute_force import BruteForce
from train import check_cap, exploit, findings, perfect, solve, tournament

ROOT = Path(__file__).parent.parent
CAP = 6


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the table of the smallest game."""
    path = tmp_path_factory.mktemp("tables")
    solve.solve(1, CAP, path / solution.file_name(1, CAP))
    return path


@pytest.fixture
def table(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Solution:
    monkeypatch.setenv("PECHVOGEL_TABLES", str(folder))
    return Solution(solution.find(1))


def random_states(num: int, copies: int, most: int, seed: int) -> rules.States:
    """Positions between turns, all kinds alike: anything may lie anywhere."""
    rng = np.random.default_rng(seed)
    states = rules.new_states(num)
    for i in range(num):
        rules.new_game(states, i, 2, copies, False, int(rng.integers(2)))
        s = states[i]
        while True:
            for value in range(5):
                where = rng.multinomial(copies, [0.25] * 4)
                s["middle"][value], s["markers"][0, value], s["markers"][1, value] = where[:3]
            if s["middle"].sum():
                break
        s["murphy"] = rng.integers(-1, 2)
        s["frustrations"][:2] = rng.integers(0, most + 1, 2)
    return states


def test_the_table_solves_the_engines_own_turns(table: Solution) -> None:
    """A turn played out exactly by the engine's rules, then the table: that must be the table again."""
    states = random_states(400, 1, CAP, seed=1)
    values = table.evaluate(states)
    assert values.min() < -0.5 and values.max() > 0.5
    backed_up = TurnSearch(table.evaluate).values(states)[:, :2]
    assert np.abs(backed_up - values).max() < 2e-5
    assert values.sum(axis=1) == pytest.approx(0)


def test_the_value_of_the_game_is_what_perfect_players_get(table: Solution) -> None:
    """Seat 0 starts in every game of these blocks; over both rotations it is each player once."""
    agent = OptimalAgent()
    from train.match import play_blocks

    results = play_blocks([agent, agent], 1, 3, 0, range(4000), 60.0)
    first = np.concatenate([results.shares[:, 0, 0], results.shares[:, 1, 1]])
    # With the same player on both places the two rotations of a block are the same game.
    mean, error = 2 * first.mean() - 1, 2 * first.std() / np.sqrt(len(results.shares))
    assert abs(mean - table.start_value) < 4 * error and error < 0.02
    assert table.start_value == pytest.approx(0.0279, abs=0.0002)


def test_nobody_beats_perfect_play(table: Solution) -> None:
    result = tournament.run(
        tournament.Setup(["optimal", "random", "heuristic", "planner"], copies=1, games=2000, first_against_rest=True)
    )
    for row in result["lineups"]:
        assert row["agents"][0]["ci95"][0] > 0.5, row["lineup"]


def test_beyond_the_cap_values_go_on(table: Solution) -> None:
    states = rules.new_states(1)
    rules.new_game(states, 0, 2, 1, False, 0)
    seen = []
    for count in range(20):
        states["frustrations"][0, :2] = (count, 1)
        seen.append(table.evaluate(states)[0, 0])
    steps = np.diff(seen)
    states["frustrations"][0, :2] = (CAP + 5, CAP + 3)  # both beyond: what counts is the difference
    both = table.evaluate(states)[0, 0]
    states["frustrations"][0, :2] = (CAP + 2, CAP)
    assert both == table.evaluate(states)[0, 0] < table.evaluate(states)[0, 1]
    assert steps[CAP] == pytest.approx(0.75 * steps[CAP - 1]) and steps[CAP + 1] == pytest.approx(0.75 * steps[CAP])
    assert min(seen) >= -1
    states["frustrations"][0, :2] = (30, 30)
    assert abs(table.evaluate(states)[0, 0]) <= 1


def test_optimal_is_an_agent(table: Solution) -> None:
    registry.check(registry.make("optimal"), 2, copies=1)
    for players, copies, message in ((3, 1, "only two-player games are solved"), (2, 2, "solve --copies 2")):
        with pytest.raises(ValueError, match=message):
            registry.check(registry.make("optimal"), players, copies=copies)
    with pytest.raises(ValueError, match="is for two players with 1 copies"):
        registry.check(registry.make(f"optimal:table={table.path}"), 2, copies=2)
    game = Game(2, 1, italian_reading=True)
    game.reset(1)
    with pytest.raises(ValueError, match="Italian"):
        OptimalAgent().action_values(game.position())


def solving(*words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "pechvogel", "solve", "--copies", "1", "--frustrations", "3", *words]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=ROOT)


def test_a_killed_run_ends_with_the_same_table(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole.table", tmp_path / "killed.table"
    process = solving("--out", str(whole), "--threads", "1")
    process.communicate(timeout=300)
    assert process.returncode == 0
    rng = random.Random(2)
    kills = 0
    for _ in range(3):
        process = solving("--out", str(killed))
        deadline = time.monotonic() + 60
        partial = killed.with_name("killed.table.partial")
        while not partial.exists() and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(rng.uniform(0.0, 0.3))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        kills += not killed.exists()  # else it was faster
        if killed.exists():
            break
    if not killed.exists():
        solving("--out", str(killed)).communicate(timeout=300)
    assert kills and killed.read_bytes() == whole.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "killed.table",
        "killed.table.json",
        "whole.table",
        "whole.table.json",
    ]


def test_a_run_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped after two layers: the rest is not done again."""
    path = tmp_path / "a.table"
    layers: list[int] = []
    whole = solve._Run._layer

    def counted(self: Any, *arguments: Any) -> Any:
        layers.append(len(arguments[2]))
        if len(layers) == 3:
            raise KeyboardInterrupt
        return whole(self, *arguments)

    monkeypatch.setattr(solve._Run, "_layer", counted)
    with pytest.raises(KeyboardInterrupt):
        solve.solve(1, 2, path)
    assert json.loads((tmp_path / "a.table.partial.json").read_text())["layers"] == 2
    with pytest.raises(ValueError, match="is of another game or damaged"):
        (tmp_path / "b.table.partial").write_bytes(b"x")
        (tmp_path / "b.table.partial.json").write_text("{}")
        solve.solve(1, 2, tmp_path / "b.table")
    (tmp_path / "a.table.partial").write_bytes((tmp_path / "a.table.partial").read_bytes() + b"half of the checksums")
    solve.solve(1, 2, path)
    (tmp_path / "c.table.partial.json").write_text('{"layers": 5}')  # of a file that is gone
    solve.solve(1, 2, tmp_path / "c.table")
    assert (tmp_path / "c.table").read_bytes() == path.read_bytes()
    assert len(layers) == 11 and Solution(path).start_value == pytest.approx(0.030, abs=0.002)
    with pytest.raises(ValueError, match="is there already"):
        solve.solve(1, 2, path)


def test_damaged_and_foreign_tables_are_refused(table: Solution, tmp_path: Path) -> None:
    whole = table.path.read_bytes()
    path = tmp_path / "t.table"
    middle = HEADER + 4 * int(np.prod(table.values.shape)) // 2
    for data, message in (
        (b"", "is no table of this project"),
        (b"something else entirely", "is no table of this project"),
        (whole[:1000], "head is damaged"),
        (whole[:100] + b"#" + whole[101:], "head is damaged"),
        (whole[:-1], "incomplete"),
        (whole + b"x", "incomplete"),
        (whole[:-1] + bytes([whole[-1] ^ 1]), "checksums are damaged"),
    ):
        path.write_bytes(data)
        with pytest.raises(ValueError, match=message):
            Solution(path)
    path.write_bytes(whole[:middle] + bytes([whole[middle] ^ 64]) + whole[middle + 1 :])
    damaged = Solution(path)
    with pytest.raises(ValueError, match="is damaged"):
        damaged.evaluate(random_states(2000, 1, 2, seed=5))
    with pytest.raises(ValueError, match="is damaged"):
        damaged.verify()
    table.verify()
    with pytest.raises(ValueError, match="can't be read"):
        Solution(tmp_path / "nowhere.table")


def test_the_table_with_the_highest_cap_is_found(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PECHVOGEL_TABLES", str(tmp_path))
    with pytest.raises(NoTableError, match=r"no table for 1 copy in .*; make one with `pechvogel solve --copies 1`"):
        solution.find(1)
    for cap in (9, 10, 2):
        (tmp_path / solution.file_name(1, cap)).touch()
    assert solution.find(1).name == "copies-1-frustrations-10.table"


def test_solve_reports(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "new" / "t.table"
    words = ["solve", "--copies", "1", "--frustrations", "4", "--out", str(path), "--check-cap", "--check-games", "200"]
    assert main([*words, "--json", str(tmp_path / "r.json")]) == 0
    result = json.loads((tmp_path / "r.json").read_text())
    assert {"copies", "frustrations", "start_value", "residual", "sweeps", "seconds", "bytes"} <= result.keys()
    assert result["bytes"] == path.stat().st_size and 0 < result["residual"] < 1e-5 and result["sweeps"] > 3
    assert result["seconds"] > 0 and result["memory"] > 10_000_000 and result["threads"] >= 1
    cap = result["cap"]
    play, other = cap["by_play"], cap["by_another_cap"]
    assert 0 < play["games_beyond"] < 200 and play["positions"] == other["positions"] > 1000
    assert other["frustrations"] == 6 and 0 < other["mean_change"] < other["largest_change"] < 0.5
    assert abs(play["start_error"]) < 1e-3 and 0 < play["mean_turn_error"] < play["largest_turn_error"] < 0.5
    stages = play["stages"]
    assert sum(row["positions"] for name, row in stages.items() if "left" in name) == play["positions"]
    assert stages["more than 4 frustrations"]["positions"] >= play["games_beyond"]
    assert "value of the game" in capsys.readouterr().out
    assert main([*words, "--json", str(tmp_path / "again.json")]) == 0, (
        "the cap of a table that is there can be checked"
    )
    again = json.loads((tmp_path / "again.json").read_text())
    assert again == result
    assert sorted(path.parent.iterdir()) == [path, solve.note_of(path)], "nothing is left behind"
    solve.note_of(path).write_text("[]")
    assert main([*words[:-3], "--check-cap", "play"]) == 2 and "is damaged; delete it" in capsys.readouterr().err
    solve.note_of(path).unlink()
    assert solve.describe(path)["seconds"] is None
    play_only = ["--check-cap", "play", "--check-games", "20"]
    for _ in range(2):  # the second time there is a note again, without what solving took
        assert main([*words[:-3], *play_only]) == 0
    assert "by_another_cap" not in solve.describe(path)["cap"] and solve.describe(path)["seconds"] is None
    assert main(["solve", "--copies", "2", "--frustrations", "4", "--out", str(path), *play_only]) == 2
    assert "is the table of 1 copies" in capsys.readouterr().err
    assert main([*words, "--json", str(solve.note_of(path))]) == 2 and main([*words, "--seed", "-1"]) == 2
    assert "note on the table" in capsys.readouterr().err
    for wrong, message in ((["--copies", "4"], "copies must be"), (["--frustrations", "1"], "frustrations must be")):
        assert main(["solve", *wrong, "--out", str(tmp_path / "x")]) == 2
        assert message in capsys.readouterr().err


def test_two_runs_on_one_table(tmp_path: Path) -> None:
    path = tmp_path / "t.table"
    with solve._lock(path), pytest.raises(ValueError, match="another run is solving into"):
        solve.solve(1, 2, path)
    (tmp_path / "t.table.json").write_text("something of the user's")
    with pytest.raises(ValueError, match=r"t\.table\.json is there already"):
        solve.solve(1, 2, path)
    (tmp_path / "t.table.json").unlink()
    (tmp_path / "t.table.partial").touch()
    (tmp_path / "t.table.partial.json").write_text("[]")
    with pytest.raises(ValueError, match="is of another game or damaged"):
        solve.solve(1, 2, path)


def test_errors_of_a_table_are_found_by_play(table: Solution) -> None:
    """A table that is wrong by a known amount before the first marker is won."""
    games = perfect.play(table, 400, 2)
    assert np.bincount(games.game).tolist() == games.turns.tolist()

    class Wrong:
        cap = table.cap

        @staticmethod
        def evaluate(states: rules.States) -> np.ndarray:
            values = table.evaluate(states)
            values[states["middle"].sum(axis=1) == 5] += (0.01, -0.01)  # too much for seat 0, who starts
            return values

    found = check_cap.by_play(Wrong(), games)  # type: ignore[arg-type]
    assert found["start_error"] == pytest.approx(-0.01, abs=2 * found["start_error_half"])
    assert found["start_error_half"] < 0.002 and 0.001 < found["largest_turn_error"] < 0.011
    right = check_cap.by_play(table, games)
    assert abs(right["start_error"]) < 1e-4 and right["mean_turn_error"] < 1e-5
    assert found["start"]["table"] == pytest.approx(right["start"]["table"] + 0.01)
    # By hand: two games with one position of this kind, one with two.
    said, outcomes = np.array([0.0, 0.5, 0.0, 0.0, 9.0]), np.array([1.0, 1.0, -1.0, -1.0, 0.0])
    row = check_cap._compare(said, outcomes, np.array([0, 1, 2, 2, 3]), np.array([True] * 4 + [False]))
    assert (row["positions"], row["table"], row["play"]) == (4, 0.125, 0.0)
    off = np.array([1.125, 0.625, -1.75])  # per game, around the mean of -0.125
    assert row["half"] == pytest.approx(1.96 * np.sqrt((off**2).sum()) / 4)


def test_analyse(
    table: Solution, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
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
    assert main(["analyse", str(tmp_path / "p.json"), "--table", str(table.path), "--json", "-"]) == 0
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
    result, residual = exploit._solve_part((f"optimal:table={path}", 2, np.array([pair]), values))
    assert residual < 1e-5
    for role in (exploit.AGENT, exploit.RESPONDER):
        assert np.abs(result[role] - table.values[both].reshape(2, 3, 9)).max() < 1e-4
    # A worse player is worth less at turn, and more to the one who plays against it.
    worse, _ = exploit._solve_part(("random", 2, np.array([pair]), values * 0))
    assert (worse[exploit.AGENT] < result[exploit.AGENT] + 1e-4).all()
    assert (worse[exploit.RESPONDER] > result[exploit.RESPONDER] - 1e-4).all()
    assert (worse[exploit.RESPONDER] - worse[exploit.AGENT]).mean() > 0.1


def test_regret(
    table: Solution, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    perfect = exploit.regret("optimal", 1, 40, 1)["regret"]
    assert perfect["mean"] == 0 and perfect["decisions"] > 100
    found = {"exploitability": 0.5, "agent_starts": 0.4, "responder_starts": 0.6, "as_distribution": True}
    monkeypatch.setattr(exploit, "exploit", lambda *words: found)
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
    table: Solution, tmp_path: Path, capsys: pytest.CaptureFixture[str]
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
    assert f"{table.start_value:+.4f} to the player who starts" in text and "| 1 | `random` |" in text
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


def test_what_a_frustration_is_worth(table: Solution) -> None:
    """Against the table read by hand."""
    states = random_states(50, 1, 3, seed=9)
    found = {row["left"]: row for row in findings.worth_of_a_frustration(table, states)}
    assert sum(row["positions"] for row in found.values()) == 50
    left = int(states["middle"][0].sum())
    here = [i for i in range(50) if states["middle"][i].sum() == left]
    by_hand = []
    for i in here:
        s = states[i]
        digits = [
            table._codes.number[s["middle"][v], s["markers"][s["active"], v], s["markers"][1 - s["active"], v]]
            for v in range(5)
        ]
        number = sum(int(digit) * 4**v for v, digit in enumerate(digits))
        murphy = 0 if s["murphy"] < 0 else 1 if s["murphy"] == s["active"] else 2
        mine, theirs = s["frustrations"][s["active"]], s["frustrations"][1 - s["active"]]
        values = table.values[number, murphy]
        by_hand.append(
            (values[mine + 1, theirs] - values[mine, theirs], values[mine, theirs] - values[mine, theirs + 1])
        )
    assert (found[left]["at_turn"], found[left]["other"]) == pytest.approx(np.mean(by_hand, axis=0), abs=1e-6)


# ------------------------------------------------------------------------------------------------ other readings


def test_turns_are_those_of_brute_force(table: Solution) -> None:
    """Positions between turns, with the engine asked at every throw and every decision of the turn."""
    states = random_states(4, 1, 2, seed=3)
    states["frustrations"][0, :2] = (2, 1)
    for i in range(len(states)):
        brute = BruteForce(0, table.evaluate).value(states[i : i + 1].copy())
        assert brute == pytest.approx(table.evaluate(states)[i], abs=2e-5)


class ByHand:
    """A tiny game, read from the rules once more: the last marker is a 7, and nobody has any other.

    So whoever gets four sevens ends the game, and other targets only keep ravens away. Values are those of the player
    at turn, by (my frustrations, theirs, who has Murphy: 0 nobody, 1 me, 2 them).
    """

    def __init__(self, cap: int) -> None:
        self.cap = cap
        self.values = {(m, o, w): 0.0 for m in range(cap + 1) for o in range(cap + 1) for w in range(3)}

    def solve(self) -> None:
        change = 1.0
        while change > 1e-7:
            # A turn without the marker leads back with the sign reversed: half a step does not swing.
            new = {key: (self.turn(*key) + value) / 2 for key, value in self.values.items()}
            change = max(abs(new[key] - self.values[key]) for key in new)
            self.values = new

    def value(self, mine: int, theirs: int, murphy: int) -> float:
        if mine > self.cap or theirs > self.cap:  # one beyond: three quarters of the last step
            m, o = min(mine, self.cap), min(theirs, self.cap)
            last, before = self.values[m, o, murphy], self.values[m - (mine > m), o - (theirs > o), murphy]
            return max(-1.0, min(1.0, last + 0.75 * (last - before)))
        return self.values[mine, theirs, murphy]

    def end(self, seven: bool, targets: int, ravens: int) -> float:
        mine, theirs = self.mine - self.reduced, self.theirs - self.frustrated
        murphy = 1 if targets > 4 or ravens > 3 else self.murphy  # R12
        if ravens >= 3:  # R11
            mine += max(1, self.frustrated)
        elif self.frustrated:  # R13
            theirs += 2
            mine = max(0, mine - 1)
        if seven and targets >= 4:  # R10, R20
            scores = 7 - (7 if murphy == 1 else 3) * mine, -(7 if murphy == 2 else 3) * theirs
            return float(np.sign(scores[0] - scores[1]))
        return -self.value(theirs, mine, (0, 2, 1)[murphy])

    def turn(self, mine: int, theirs: int, murphy: int) -> float:
        self.mine, self.theirs, self.murphy = mine, theirs, murphy
        throws: dict[tuple[bool, int, int, int, int], float] = {}
        for self.frustrated in range(min(1, theirs), -1, -1):
            for self.reduced in range(min(1, mine), -1, -1):
                for seven in (True, False):
                    for targets in (3, 2, 1):
                        for ravens in (2, 1, 0):
                            place = (seven, targets, ravens, self.reduced, self.frustrated)
                            throws[place] = self.throw(throws, *place[:3])
        self.frustrated = self.reduced = 0
        total = 0.0
        for throw in dice.outcomes(7):
            ravens, *counts = throw.counts
            if ravens >= 3:
                worth = self.end(counts[4] == 4, 4 if 4 in counts else 0, ravens)
            else:
                worth = max(
                    throws[value == 4, count, ravens, 0, 0] if count < 4 else self.end(value == 4, count, ravens)
                    for value, count in enumerate(counts)
                    if count
                )
            total += throw.probability * worth
        return total

    def throw(self, throws: dict[Any, float], seven: bool, targets: int, ravens: int) -> float:
        total = certain = 0.0
        for throw in dice.reduced_outcomes(7 - targets - ravens):
            if throw.targets + throw.ravens == 0:
                continue  # R8: thrown again
            t, r = targets + throw.targets, ravens + throw.ravens
            ended = t >= 4 or r >= 3
            worth = self.end(seven, t, r) if ended else throws[seven, t, r, self.reduced, self.frustrated]
            if t <= 4 and r <= 3:  # R18
                if self.theirs and not self.frustrated:  # R15
                    worth = min(worth, throws[seven, targets, ravens, self.reduced, 1])
                if self.mine and not self.reduced:  # R14, and Q1: it comes first
                    worth = max(worth, throws[seven, targets, ravens, 1, self.frustrated])
            total += throw.probability * worth
            certain += throw.probability
        return total / certain


def test_a_tiny_game_by_hand(tmp_path: Path) -> None:
    solve.solve(1, 2, tmp_path / "t.table")
    table = Solution(tmp_path / "t.table")
    codes = solution.make_codes(1)
    values = table.values[int(codes.number[1, 0, 0]) * len(codes.swap) ** 4]
    by_hand = ByHand(2)
    by_hand.solve()
    for (mine, theirs, murphy), value in by_hand.values.items():
        assert values[murphy, mine, theirs] == pytest.approx(value, abs=2e-5), (mine, theirs, murphy)
    assert values[0, 0, 0] > 0.1 > values[1, 2, 0]


def test_a_turn_with_the_engines_dice_is_worth_what_the_table_says(table: Solution) -> None:
    """Perfect players play one turn from random positions: what the table says after it, on average."""
    positions, times = random_states(60, 1, CAP - 2, seed=11), 300
    states = np.repeat(positions, times)
    rng, agent = np.random.default_rng(12), OptimalAgent()
    playing = np.arange(len(states))
    while playing.size:
        for i in playing[states["phase"][playing] == Phase.THROW]:
            counts = np.bincount(rng.integers(0, 6, rules.dice_to_throw(states, i)), minlength=6)
            rules.apply_throw(states, i, counts.astype(np.int8))
        asked = playing[(states["phase"][playing] != Phase.THROW) & (states["phase"][playing] != Phase.OVER)]
        asked = asked[states["turn"][asked] == 0]
        for at in range(0, len(asked), 1000):
            some = asked[at : at + 1000]
            for i, action in zip(some, agent.act_batch(states[some], np.zeros(0, np.int8), []), strict=True):
                rules.apply(states, i, action)
        playing = playing[states["turn"][playing] == 0]
    seats = np.repeat(positions["active"], times)
    after = table.evaluate(states)[np.arange(len(states)), seats].reshape(-1, times)
    before = table.evaluate(positions)[np.arange(len(positions)), positions["active"]]
    errors = after.std(axis=1, ddof=1) / np.sqrt(times)
    certain = errors < 1e-9  # decided games
    assert np.allclose(after.mean(axis=1)[certain], before[certain], atol=2e-5) and (~certain).sum() > 50
    z = ((after.mean(axis=1) - before)[~certain]) / errors[~certain]
    assert np.abs(z).max() < 4 and 0.7 < z.std() < 1.3 and abs(z.mean()) < 4 / np.sqrt(len(z))


def test_the_best_response_to_a_perfect_player_gains_nothing(tmp_path: Path) -> None:
    """The whole small game, every position of it; and what an agent that errs gives away."""
    path = tmp_path / "t.table"
    solve.solve(1, 2, path)
    found = exploit.exploit(f"optimal:table={path}", cap=2)
    assert abs(found["exploitability"]) < 1e-4
    assert found["agent_starts"] == pytest.approx(-Solution(path).start_value, abs=1e-4)
    assert found["responder_starts"] == pytest.approx(Solution(path).start_value, abs=1e-4)


@pytest.mark.slow
def test_worse_agents_can_be_exploited_more(table: Solution) -> None:
    found = [exploit.exploit(spec, cap=3)["exploitability"] for spec in ("planner", "heuristic", "random")]
    assert 0.05 < found[0] < found[1] < found[2] < 1
