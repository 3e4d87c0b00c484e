"""The game in the terminal: whole games in four languages, hints, taking back, real dice, leaving."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from pechvogel.cli import main
from pechvogel.play import fair
from pechvogel.play.pechvogel.terminal import ME, PlayerQuitsError, TerminalGame
from pechvogel.play.pechvogel.words import FOLDER, LANGUAGES, Words, usual_language
from pechvogel_env import record

ROOT = Path(__file__).parents[2]


def game(read: Callable[[str], str | None], specs: tuple[str, ...] = ("heuristic",), **more: Any) -> TerminalGame:
    console = Console(file=io.StringIO(), width=100, highlight=False)
    more = {"language": "en", "copies": 1, **more}
    return TerminalGame(specs, more.pop("language"), read=read, console=console, **more)


def output(found: TerminalGame) -> str:
    text: str = found.console.file.getvalue()  # type: ignore[attr-defined]
    return text


def chooser(seed: int, *first: str) -> Callable[[str], str]:
    """What a person types: some words first, then any action."""
    rng = np.random.default_rng(seed)
    lines = list(first)

    def read(prompt: str) -> str:
        if lines:
            return lines.pop(0)
        most = re.match(r"1-(\d)", prompt)
        assert most, prompt
        return str(rng.integers(1, int(most[1]) + 1))

    return read


@pytest.mark.parametrize("language", LANGUAGES)
def test_whole_games_in_every_language(language: str, tmp_path: Path) -> None:
    found = game(chooser(1, "h", "?", "r"), ("heuristic", "random"), language=language)
    table = found.play()
    assert table.over and table.scores()
    text = output(found)
    words = Words(language)
    for key in ("middle", "frustrations", "review.luck", "ask.target", "coach.best"):
        assert words.say(key) in text, key
    assert not re.search(r"\{\w+\}", text), "a fact is missing in a sentence"
    path = tmp_path / "games.jsonl"
    found.save(path)
    (kept,) = record.read(path)
    fair.verify(kept)
    assert kept["proof"]["promise"] in text and kept["scores"] == table.scores()


def test_all_languages_have_the_same_words() -> None:
    english = json.loads((FOLDER / "en.json").read_text(encoding="utf-8"))
    code = "\n".join(path.read_text(encoding="utf-8") for path in (FOLDER.parent / "js").glob("*.js"))
    code += "\n".join(
        (ROOT / "play" / "pechvogel" / name).read_text(encoding="utf-8") for name in ("words.py", "terminal.py")
    )
    for language in LANGUAGES:
        found = json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8"))
        assert list(found) == list(english)
        for key, text in found.items():
            assert text.strip() == text and text, (language, key)
            assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", english[key])), (language, key)
    for key in re.findall(r"""say\(["']([\w.]+)["']""", code):
        assert key in english, f"no words for {key}"


def test_the_words_are_those_of_the_booklets() -> None:
    """The table at the end of the rules."""
    page = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8").lower()
    for language, some in {
        "de": ["frustrat", "pechplatte", "rabe", "zielzahl", "punktemarker", "tischmitte", "vorrat", "spieleschachtel"],
        "fr": ["marqueur poisse", "plateau", "corbeau", "objectif", "tuile gain", "milieu de la table", "réserve"],
        "it": ["tocchetto di iella", "tavoletta", "corvo", "valore scelto", "posta", "centro del tavolo", "riserva"],
    }.items():
        text = (FOLDER / f"{language}.json").read_text(encoding="utf-8").lower()
        for word in some:
            assert word in page and word in text, (language, word)


def test_the_same_seed_is_the_same_game() -> None:
    games = [game(chooser(2), seed=5) for _ in range(2)]
    assert games[0].play().record() == games[1].play().record()
    assert "proof" not in games[0].record()


def test_hints_price_every_action() -> None:
    found = game(chooser(3), hints=True)
    found.play()
    assert found.practice and len(re.findall(r"\[\d+\.\d%, best\]", output(found))) > 5


def test_taking_back() -> None:
    lines = ["1", "1", "u", "u", "u", "q"]
    found = game(lambda _: lines.pop(0), seed=1)
    with pytest.raises(PlayerQuitsError):
        found.play()
    assert found.table.taken_back == 2 and found.practice and not found.table.decisions()
    assert "no decision of yours to take back" in output(found)


def test_real_dice() -> None:
    rng = np.random.default_rng(1)
    choose = chooser(4)

    def read(prompt: str) -> str:
        due = re.search(r"Throw (\d) dice", prompt)
        if due is None:
            return choose(prompt)
        if rng.random() < 0.1:
            return "9 9"  # refused with a sentence, and asked again
        return " ".join(map(str, rng.choice([0, 3, 4, 5, 6, 7], int(due[1]))))

    found = game(read, real_dice=True)
    assert found.play().over
    kept = found.record()
    assert record.verify(kept)["scripted"] == len(kept["dice"]) and "proof" not in kept


def test_leaving(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for typed in ("", "nonsense\n99\n-1\nq\n"):
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        assert main(["play", "heuristic", "--copies", "1", "--seed", "1", "--language", "de"]) == 0
    assert "Welche Zahl ist deine Zielzahl?" in capsys.readouterr().out


def test_bad_words_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for words, sentence in [
        (["nobody"], "no agent 'nobody'"),
        (["--language", "xx"], "no language 'xx'"),
        (["random"] * 5, "1 to 4 opponents"),
        (["--position", "x"], "position"),
        (["--seed", "-1"], "seed"),
        (["--seed", "1", "--real-dice"], "real dice have no seed"),
    ]:
        assert main(["play", *words]) == 2
        assert sentence in capsys.readouterr().err


def test_the_usual_language(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for value, language in (("de_CH.UTF-8", "de"), ("it", "it"), ("ja_JP", "en")):
        monkeypatch.setenv("LANG", value)
        assert usual_language() == language


def test_you_decide_for_yourself_only() -> None:
    asked: list[int] = []
    choose = chooser(6)

    def read(prompt: str) -> str:
        assert found.table.to_act == ME
        asked.append(1)
        return choose(prompt)

    found = game(read)
    found.play()
    assert len(asked) == sum(step.seat == ME for step in found.table.decisions())
