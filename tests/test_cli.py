"""The command line: what it prints and writes, and one sentence with exit code 2 for bad input."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pechvogel.cli import main
from pechvogel_env import record


def run(*words: str) -> int:
    return main(list(words))


def test_watch_draws_a_game_and_records_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games = tmp_path / "games.jsonl"
    assert run("watch", "--players", "3", "--copies", "1", "--seed", "4", "--record", str(games)) == 0
    first = capsys.readouterr().out
    assert first.count("is asked") > 10 and ("wins: " in first or "share the win: " in first)
    assert run("watch", "--players", "3", "--copies", "1", "--seed", "4") == 0
    assert capsys.readouterr().out == first, "the same seed must give the same game"
    assert run("replay", str(games)) == 0
    assert capsys.readouterr().out == first, "a replay shows what was seen"
    assert run("watch", "--copies", "1", "--italian-reading", "--record", str(games), "--json", "-") == 0
    assert json.loads(capsys.readouterr().out) == record.read(games)[1]
    assert run("replay", str(games), "--verify") == 0
    assert "2 recorded games, all verified" in capsys.readouterr().out
    assert run("replay", str(games), "--number", "2", "--json", str(tmp_path / "out.json")) == 0
    assert json.loads((tmp_path / "out.json").read_text())["games"] == 2
    assert "player_2" not in capsys.readouterr().out


def test_bench(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "bench.json"
    assert run("bench", "--peers", "--seconds", "0.07", "--players", "3", "--json", str(target)) == 0
    out = capsys.readouterr().out
    assert "kernel" in out and "raw_env/pettingzoo_connect_four_raw" in out
    result = json.loads(target.read_text())
    ours = ("kernel", "batch_1", "batch_all", "raw_env", "env")
    peers = ("pettingzoo_connect_four_raw", "pettingzoo_connect_four_env", "openspiel_pig", "openspiel_backgammon")
    assert all(result[name] > 0 for name in ours)
    assert tuple(result["peers"]) == peers
    for name, reason in result["missing"].items():
        assert result["peers"][name] is None and reason
    assert all(ratio > 0 for ratio in result["ratios"].values()) and "batch_all/batch_1" in result["ratios"]
    assert run("bench", "--agent", "heuristic", "--players", "3", "--seconds", "0.05", "--json", str(target)) == 0
    found = json.loads(target.read_text())
    assert 0 < found["median_ms"] <= found["max_ms"] and found["decisions"] > 0
    assert "3 players: a decision takes" in capsys.readouterr().out
    assert run("bench", "--seconds", "0.01", "--json", "-") == 0
    assert json.loads(capsys.readouterr().out)["peers"] == {}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["watch", "--players", "1"], "num_players must be from 2 to 5, not 1"),
        (["watch", "--players", "6"], "num_players must be from 2 to 5, not 6"),
        (["watch", "--copies", "4"], "copies must be from 1 to 3, not 4"),
        (["watch", "--seed", "-1"], "seed must be from 0 to 2**64 - 1, not -1"),
        (["watch", "--delay", "-1"], "--delay must be from 0 to 60 seconds"),
        (
            ["watch", "--copies", "1", "--record", "/no/such/folder/file"],
            "--record /no/such/folder/file: there is no folder",
        ),
        (["bench", "--players", "7"], "num_players must be from 2 to 5, not 7"),
        (["bench", "--agent", "nobody"], "nobody"),
        (["bench", "--seconds", "0"], "--seconds must be above 0"),
        (["bench", "--seconds", "nan"], "--seconds must be above 0"),
        (["bench", "--seconds", "inf"], "--seconds must be above 0"),
        (["bench", "--json", "."], "--json .: that is a folder, not a file"),
        (["watch", "--players", "200000000"], "num_players must be from 2 to 5"),
        (["evaluate", "nobody", "random"], "there is no agent 'nobody'"),
        (["evaluate", "no_such_module:Agent", "random"], "can't be made: ModuleNotFoundError"),
        (["evaluate", "random:speed=3", "random"], "'speed=3' is no option; random takes no options"),
        (["evaluate", "random", "--players", "3"], "a table of 3 needs 3 agents"),
        (["evaluate", "random", "random", "--games", "0"], "games must be at least 1"),
        (["evaluate", "random", "random", "--players", "6"], "num_players must be from 2 to 5, not 6"),
        (["evaluate", "random", "random", "--one-against-rest"], "needs at least two different agents"),
        (["evaluate", "random", "random", "--workers", "0"], "--workers must be at least 1"),
        (["replay", "no-such-file"], "no-such-file: No such file or directory"),
        (["replay", "."], "Is a directory"),
        (["replay", "{games}", "--number", "2"], "--number must be from 1 to 1"),
        (["replay", "{cut}"], "line 1: the record is not whole JSON"),
    ],
)
def test_bad_input(words: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games, cut = tmp_path / "games.jsonl", tmp_path / "cut.jsonl"
    run("watch", "--copies", "1", "--record", str(games))
    cut.write_bytes(games.read_bytes()[:300])
    capsys.readouterr()
    assert run(*(word.format(games=games, cut=cut) for word in words)) == 2
    printed = capsys.readouterr()
    assert sentence in printed.err
    assert printed.err.startswith("pechvogel: ") and printed.err.count("\n") == 1


@pytest.mark.parametrize("words", [[], ["dance"], ["watch", "--players", "two"], ["bench", "--sideways"]])
def test_unknown_words(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        run(*words)
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("pechvogel") and error.endswith("--help)\n") and error.count("\n") == 1


def python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    import os

    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **environment},
        check=False,
    )


def test_help_imports_no_engine() -> None:
    code = "import sys\nfrom pechvogel.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass\n"
    done = python(code + "print([m for m in ('numba', 'torch', 'rich', 'PIL') if m in sys.modules])")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_closed_pipe_is_no_traceback() -> None:
    command = f"{sys.executable} -m pechvogel watch --copies 1 | head -n 3"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=300, check=False)
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr
    assert len(done.stdout.splitlines()) == 3


def test_json_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out.json"
    target.write_text("precious")

    def die(self: Path, other: Any) -> None:
        raise KeyboardInterrupt

    (tmp_path / "out.json.tmp").write_text("precious, too")
    assert run("watch", "--copies", "1", "--json", str(target)) == 0
    assert json.loads(target.read_text())["num_players"] == 2
    target.write_text("precious")
    monkeypatch.setattr(Path, "replace", die)
    assert run("watch", "--copies", "1", "--json", str(target)) == 130
    assert target.read_text() == "precious"
    assert (tmp_path / "out.json.tmp").read_text() == "precious, too"


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_any_terminal_will_do(encoding: str) -> None:
    done = python("from pechvogel.cli import main; main(['watch', '--copies', '1'])", PYTHONIOENCODING=encoding)
    assert done.returncode == 0 and done.stderr == ""
    assert "wins: " in done.stdout or "share the win: " in done.stdout
