"""`watch`, `analyse` and `replay` of Lucky Loser."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lucky_loser_env import record
from pechvogel import cli
from pechvogel.cli import main

GAME = ["--game", "lucky-loser"]


def refused(words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main(words)
    except SystemExit as left:
        code = int(left.code or 0)
    error = capsys.readouterr().err
    assert code == 2 and sentence in error and error.count("\n") == 1, error


def test_watch_record_and_replay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.jsonl"
    for number, players in enumerate((2, 4), 1):
        words = ["watch", *GAME, "--players", str(players), "--seed", str(number), "--row-lengths", "1,2,1,2,1,2"]
        assert main([*words, "--record", str(path)]) == 0
        text = capsys.readouterr().out
        assert " -> player_0: " in text and ("wins" in text or "share the win" in text)
    assert main(["replay", str(path), "--verify"]) == 0
    assert "2 recorded games, all verified" in capsys.readouterr().out
    assert main(["replay", str(path), "--number", "2"]) == 0
    assert "player_3" in capsys.readouterr().out
    assert main(["replay", str(path), "--json", "-"]) == 0
    assert [len(scores) for scores in json.loads(capsys.readouterr().out)["scores"]] == [2, 4]
    refused(["replay", str(path), "--number", "3"], "--number must be from 1 to 2", capsys)


def test_one_file_may_have_games_of_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.jsonl"
    for words in (["watch", *GAME, "--row-lengths", "1,1,1,1,1,1"], ["watch", "--copies", "1"]):
        assert main([*words, "--record", str(path)]) == 0
    capsys.readouterr()
    assert main(["replay", str(path), "--verify"]) == 0 and main(["replay", str(path), "--number", "2"]) == 0
    assert "2 recorded games, all verified" in capsys.readouterr().out
    lines = path.read_text().splitlines()
    changed: dict[str, Any] = json.loads(lines[0])
    changed["dice"][0] = changed["dice"][0] % 6 + 1
    for line, sentence in (
        (json.dumps(changed), "does not match its sha256"),
        (lines[0].replace("lucky-loser-game-1", "lucky-loser-game-9"), "has the format 'lucky-loser-game-9'"),
        ("{", "is not whole JSON"),
    ):
        path.write_text(f"{lines[1]}\n{line}\n")
        refused(["replay", str(path), "--verify"], sentence, capsys)


def test_analyse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["watch", *GAME, "--seed", "3", "--json", str(tmp_path / "game.json")])
    capsys.readouterr()
    kept = json.loads((tmp_path / "game.json").read_text())
    game, action = list(record.steps(record.verify(kept)))[-2]
    for _ in range(1):
        steps = record.steps(kept)
        game, action = next(steps)
    line = game.position().to_text()
    assert main(["analyse", *GAME, line, "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert action in [row["action"] for row in found["actions"]] and found["seat"] == game.to_act
    values = [row["value"] for row in found["actions"]]
    assert values == sorted(values, reverse=True) and found["value"] == values[0]
    (tmp_path / "position.json").write_text(game.position().to_json())
    assert main(["analyse", *GAME, str(tmp_path / "position.json")]) == 0
    text = capsys.readouterr().out
    assert "wins" in text and found["actions"][0]["name"] in text


def test_bad_input_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refused(["analyse", *GAME, "nonsense"], "must be JSON or nine parts", capsys)
    refused(["analyse", *GAME, str(tmp_path / "no.json")], "there is no file", capsys)
    refused(["watch", *GAME, "--players", "5"], "num_players must be from 2 to 4, not 5", capsys)
    refused(["watch", *GAME, "--row-lengths", "0,1,1,1,1,1"], "row_lengths[0] must be from 1 to 8", capsys)
    refused(["watch", "--game", "chess"], "there is no game 'chess'", capsys)
    refused(["replay", str(tmp_path / "none.jsonl")], "No such file", capsys)
    refused(["serve", "--game", "chess"], "there is no game 'chess'", capsys)


def test_matrices_get_one_thread_before_anything_imports_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The champion takes ten times as long with threads that wait for each other."""

    def parser(words: list[str]) -> Any:
        assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
        raise ValueError("seen")

    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    monkeypatch.setattr(cli, "parser", parser)
    with pytest.raises(ValueError, match="seen"):
        main(["watch", *GAME])
    code = "import sys, pechvogel.cli; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
