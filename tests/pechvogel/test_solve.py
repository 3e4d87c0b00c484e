"""The solution of the two-player game: it is one, it survives being killed, and damaged tables are refused."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pechvogel.agents import registry
from pechvogel.agents.pechvogel import solution
from pechvogel.agents.pechvogel.optimal import OptimalAgent
from pechvogel.agents.pechvogel.solution import HEADER, NoTableError, Solution
from pechvogel.agents.pechvogel.turn.search import TurnSearch
from pechvogel.cli import main
from pechvogel.train.arena import tournament
from pechvogel.train.pechvogel.solve import layers as solve
from pechvogel_env import dice, rules
from pechvogel_env.game import Game
from pechvogel_env.kind import KIND
from pechvogel_env.rules import Phase
from tests.pechvogel.brute_force import BruteForce
from tests.pechvogel.solved import CAP, random_states

ROOT = Path(__file__).parents[2]


def test_the_table_solves_the_engines_own_turns(solved: Solution) -> None:
    """A turn played out exactly by the engine's rules, then the table: that must be the table again."""
    states = random_states(400, 1, CAP, seed=1)
    values = solved.evaluate(states)
    assert values.min() < -0.5 and values.max() > 0.5
    backed_up = TurnSearch(solved.evaluate).values(states)[:, :2]
    assert np.abs(backed_up - values).max() < 2e-5
    assert values.sum(axis=1) == pytest.approx(0)


def test_the_value_of_the_game_is_what_perfect_players_get(solved: Solution) -> None:
    """Seat 0 starts in every game of these blocks; over both rotations it is each player once."""
    agent = OptimalAgent()
    from pechvogel.train.arena.match import Match

    results = Match([agent, agent], KIND.variant(2, copies=1), 3, 0, range(4000), 60.0).play()
    first = np.concatenate([results.shares[:, 0, 0], results.shares[:, 1, 1]])
    # With the same player on both places the two rotations of a block are the same game.
    mean, error = 2 * first.mean() - 1, 2 * first.std() / np.sqrt(len(results.shares))
    assert abs(mean - solved.start_value) < 4 * error and error < 0.02
    assert solved.start_value == pytest.approx(0.0279, abs=0.0002)


def test_nobody_beats_perfect_play(solved: Solution) -> None:
    result = tournament.run(
        tournament.Setup(
            ["optimal", "random", "heuristic", "planner"],
            KIND.variant(2, copies=1),
            games=2000,
            first_against_rest=True,
        )
    )
    for row in result["lineups"]:
        assert row["agents"][0]["ci95"][0] > 0.5, row["lineup"]


def test_beyond_the_cap_values_go_on(solved: Solution) -> None:
    states = rules.new_states(1)
    rules.new_game(states, 0, 2, 1, False, 0)
    seen = []
    for count in range(20):
        states["frustrations"][0, :2] = (count, 1)
        seen.append(solved.evaluate(states)[0, 0])
    steps = np.diff(seen)
    states["frustrations"][0, :2] = (CAP + 5, CAP + 3)  # both beyond: what counts is the difference
    both = solved.evaluate(states)[0, 0]
    states["frustrations"][0, :2] = (CAP + 2, CAP)
    assert both == solved.evaluate(states)[0, 0] < solved.evaluate(states)[0, 1]
    assert steps[CAP] == pytest.approx(0.75 * steps[CAP - 1]) and steps[CAP + 1] == pytest.approx(0.75 * steps[CAP])
    assert min(seen) >= -1
    states["frustrations"][0, :2] = (30, 30)
    assert abs(solved.evaluate(states)[0, 0]) <= 1


def test_optimal_is_an_agent(solved: Solution) -> None:
    registry.check(registry.make("optimal"), 2, copies=1)
    for players, copies, message in ((3, 1, "only two-player games are solved"), (2, 2, "solve --copies 2")):
        with pytest.raises(ValueError, match=message):
            registry.check(registry.make("optimal"), players, copies=copies)
    with pytest.raises(ValueError, match="is for two players with 1 copies"):
        registry.check(registry.make(f"optimal:table={solved.path}"), 2, copies=2)
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
    note = tmp_path / "a.table.partial.json"
    whole_note = json.loads(note.read_text())
    assert whole_note["layers"] == 2
    strange: list[Any] = [{**whole_note, "layers": value} for value in ("2", 2.0, -1, 99, None, True, 10**30)]
    for broken in (*map(json.dumps, [*strange, {**whole_note, "residual": "x"}]), "[" * 100_000, "NaN", ""):
        note.write_text(broken)
        with pytest.raises(ValueError, match="is of another game or damaged"):
            solve.solve(1, 2, path)
    note.write_text(json.dumps(whole_note))
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


def test_damaged_and_foreign_tables_are_refused(solved: Solution, tmp_path: Path) -> None:
    whole = solved.path.read_bytes()
    path = tmp_path / "t.table"
    middle = HEADER + 4 * int(np.prod(solved.values.shape)) // 2
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
    solved.verify()
    with pytest.raises(ValueError, match="can't be read"):
        Solution(tmp_path / "nowhere.table")


def test_the_table_with_the_highest_cap_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    for broken in ("[]", "[" * 100_000, '{"seconds": 1e999}'):
        solve.note_of(path).write_text(broken)
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


def test_turns_are_those_of_brute_force(solved: Solution) -> None:
    """Positions between turns, with the engine asked at every throw and every decision of the turn."""
    states = random_states(4, 1, 2, seed=3)
    states["frustrations"][0, :2] = (2, 1)
    for i in range(len(states)):
        brute = BruteForce(0, solved.evaluate).value(states[i : i + 1].copy())
        assert brute == pytest.approx(solved.evaluate(states)[i], abs=2e-5)


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


def test_a_turn_with_the_engines_dice_is_worth_what_the_table_says(solved: Solution) -> None:
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
    after = solved.evaluate(states)[np.arange(len(states)), seats].reshape(-1, times)
    before = solved.evaluate(positions)[np.arange(len(positions)), positions["active"]]
    errors = after.std(axis=1, ddof=1) / np.sqrt(times)
    certain = errors < 1e-9  # decided games
    assert np.allclose(after.mean(axis=1)[certain], before[certain], atol=2e-5) and (~certain).sum() > 50
    z = ((after.mean(axis=1) - before)[~certain]) / errors[~certain]
    assert np.abs(z).max() < 4 and 0.7 < z.std() < 1.3 and abs(z.mean()) < 4 / np.sqrt(len(z))
