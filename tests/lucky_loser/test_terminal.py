"""The game in the terminal: whole games in the booklet's six languages, hints, taking back, real dice, leaving."""

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

from lucky_loser_env import record
from pechvogel.cli import main
from pechvogel.play import fair
from pechvogel.play.lucky_loser.terminal import PlayerQuitsError, TerminalGame
from pechvogel.play.lucky_loser.words import FOLDER, LANGUAGES, Words, usual_language

ROOT = Path(__file__).parents[2]
SHORT = (1, 1, 1, 1, 1, 1)


def game(read: Callable[[str], str | None], specs: tuple[str, ...] = ("heuristic",), **more: Any) -> TerminalGame:
    console = Console(file=io.StringIO(), width=110, highlight=False)
    more = {"language": "en", "row_lengths": SHORT, **more}
    return TerminalGame(specs, more.pop("language"), read=read, console=console, **more)


def output(found: TerminalGame) -> str:
    text: str = found.console.file.getvalue()  # type: ignore[attr-defined]
    return text


def chooser(*first: str) -> Callable[[str], str]:
    """What a person types: some words first, then always what is listed first."""
    lines = list(first)

    def read(prompt: str) -> str:
        assert re.match(r"1-\d+, h", prompt), prompt
        return lines.pop(0) if lines else "1"

    return read


@pytest.mark.parametrize("language", LANGUAGES)
def test_whole_games_in_every_language(language: str, tmp_path: Path) -> None:
    found = game(chooser("h", "?", "r", "1", "u"), ("heuristic", "random"), language=language, row_lengths=(4,) * 6)
    table = found.play()
    assert table.over and table.scores()
    text, words = output(found), Words(language)
    for key in ("row", "stack", "bonus", "throw", "score", "review.luck", "ask.group", "coach.best", "lucky"):
        assert words.say(key) in text, key
    assert words.say("log.taken_back_you") in text
    assert not re.search(r"\{[a-z]\w*\}", text), "a fact is missing in a sentence"
    assert re.search(r"^ +\d+  \{[\d,]+\}: \S", text, re.M), "what every group does is told"
    path = tmp_path / "games.jsonl"
    found.save(path)
    (kept,) = record.read(path)
    fair.verify(kept)
    assert kept["proof"]["promise"] in text and kept["scores"] == table.scores()


def test_all_languages_have_all_words() -> None:
    english = json.loads((FOLDER / "en.json").read_text(encoding="utf-8"))
    files = ["terminal.py", "words.py", "lucky_loser/words.py", "lucky_loser/terminal.py"]
    code = "\n".join((ROOT / "play" / name).read_text(encoding="utf-8") for name in files)
    page = "\n".join(path.read_text(encoding="utf-8") for path in (FOLDER.parent / "js").glob("*.js"))
    used = re.findall(r"""(?:say|about)\((?:\w+, )?["']([a-z_.]+)["']""", code)
    used += [key for pair in re.findall(r'say\("([a-z_.]+)" if [^\n]*? else "([a-z_.]+)"', code) for key in pair]
    used += ["log.throw_you", "log.group_you", "log.nothing_you", "did.home_you", "over.win", "over.share", "over.lose"]
    used += [f"review.{part}" for part in ("luck", "skill", "others", "drift")]
    used += [f"agent.{name}" for name in ("random", "heuristic", "ppo", "champion", "level")]
    own = re.findall(r"""own\(["']([a-z_.]+)["']""", page)
    assert len(set(used)) > 40 and len(set(own)) > 15
    for language in LANGUAGES:
        found = json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8"))
        assert list(found)[: len(english)] == list(english)
        for key, text in found.items():
            assert text.strip() == text and text, (language, key)
            facts = set(re.findall(r"\{\w+\}", text))
            assert facts == set(re.findall(r"\{\w+\}", Words("en").words[key])), (language, key)
        for key in [*used, *own]:
            assert key in Words(language).words, f"{language} has no words for {key}"


def test_the_words_are_those_of_the_booklets() -> None:
    """The table at the end of the rules."""
    for language, some in {
        "de": "spielplan, reihe, x-feld, zahlenfeld, spielstein, chip, stapel, bonusplättchen, gruppe,"
        " lucky-loser-kombination, wurf, runde",
        "fr": "plateau de jeu, rangée, case x, pion, jeton, pile, tuile bonus, groupe, combinaison lucky-loser, lancer,"
        " tour de table",
        "it": "tabellone, fila, casella x, casella numerata, segnalino, gettone, catasta, buono, gruppo, lucky-loser,"
        " lancio, giro",
        "nl": "speelbord, rij, x-vakje, vakje, speelsteen, chip, chipsstapel, bonuskaartje, groep,"
        " winst-verlies-combinatie, worp, beurt, ronde",
        "es": "tablero, fila, casilla x, casilla numerada, peón, ficha, pila, carta de bonificación, grupo,"
        " combinación del perdedor afortunado, tirada, turno, ronda",
    }.items():
        text = " ".join(Words(language).words.values()).lower()
        for word in some.split(", "):
            assert word in text, (language, word)


def test_the_same_seed_is_the_same_game() -> None:
    games = [game(chooser(), seed=5) for _ in range(2)]
    assert games[0].play().record() == games[1].play().record()
    assert "proof" not in games[0].record()


def test_hints_price_every_action() -> None:
    found = game(chooser(), hints=True)
    found.play()
    text = output(found)
    assert found.practice and len(re.findall(r"\[\d+\.\d%, best\]", text)) > 5
    assert re.search(r"\{[\d,]+\}: chip of \d+\S*.*\[\d+\.\d%, costs \d+\.\d%\]", text)


def test_taking_back() -> None:
    lines = ["1", "1", "u", "u", "u", "q", "q"]
    found = game(lambda _: lines.pop(0), seed=1)
    with pytest.raises(PlayerQuitsError):
        found.play()
    assert found.table.taken_back == 2 and found.practice
    assert not [step for step in found.table.decisions() if step.seat == 0]
    assert "no decision of yours to take back" in output(found) and "Other dice will come" in output(found)


def test_real_dice() -> None:
    rng = np.random.default_rng(1)
    choose = chooser()

    def read(prompt: str) -> str:
        due = re.search(r"Throw (\d) dice", prompt)
        if due is None:
            return choose(prompt)
        if rng.random() < 0.1:
            return "7 7"  # refused with a sentence, and asked again
        return " ".join(map(str, rng.integers(1, 7, int(due[1]))))

    found = game(read, real_dice=True)
    assert found.play().over and "4 faces, each from 1 to 6" in output(found)
    kept = found.record()
    assert record.verify(kept)["scripted"] == len(kept["dice"]) and "proof" not in kept


def test_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.jsonl"
    words = ["play", "--game", "lucky-loser", "heuristic", "random", "--row-lengths", "1,1,1,1,1,1", "--seed", "1"]
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n" * 200))
    assert main([*words, "--language", "nl", "--record", str(path)]) == 0
    assert "worp" in capsys.readouterr().out
    assert main(["replay", str(path), "--verify"]) == 0
    assert "1 recorded game, all verified" in capsys.readouterr().out
    monkeypatch.setattr("sys.stdin", io.StringIO("nonsense\n99\n-1\nq\nq\n"))
    assert main([*words, "--language", "es"]) == 0
    assert "Salir" in capsys.readouterr().out
    position = record.read(path)[0]
    assert position["row_lengths"] == [1] * 6


def test_a_mistake_can_be_played_again_from_its_position(monkeypatch: pytest.MonkeyPatch) -> None:
    """A review names the command for it, with the game."""
    found = game(lambda prompt: str(int(prompt.split("-")[1].split(",")[0])), language="en")  # the worst: nothing
    limited = iter(range(12))

    def read(prompt: str) -> str | None:
        return str(int(prompt.split("-")[1].split(",")[0])) if next(limited, None) is not None else "1"

    found.read = read
    found.play()
    command = re.search(r"pechvogel (play .*--game lucky-loser.*) --position '(\S+)'", output(found))
    assert command is not None
    monkeypatch.setattr("sys.stdin", io.StringIO("q\nq\n"))
    assert main([*command[1].split(), "--position", command[2]]) == 0


def test_bad_words_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for words, sentence in (
        (["heuristic", "--language", "pt"], "there is no language 'pt'; there are en, de, fr, it, nl, es"),
        (["nobody"], "there is no agent 'nobody'"),
        (["random"] * 4, "there are 1 to 3 opponents, not 4"),
        (["random", "--row-lengths", "4,4"], "row_lengths must be 6 whole numbers"),
        (["random", "--row-lengths", "9,4,4,4,4,4"], r"row_lengths\[0\] must be from 1 to 8, not 9"),
        (["random", "--copies", "2"], "unrecognized arguments: --copies"),
        (["random", "--position", "2x3_33333"], "must be JSON or nine parts"),
        (["random", "--real-dice", "--seed", "1"], "real dice have no seed"),
    ):
        try:
            code = main(["play", "--game", "lucky-loser", *words])
        except SystemExit as left:
            code = int(left.code or 0)
        error = capsys.readouterr().err
        assert code == 2 and error.count("\n") == 1 and re.search(sentence, error), (words, error)


def test_the_usual_language(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, tag in (("nl_NL.UTF-8", "nl"), ("es_ES", "es"), ("pt_BR", "en"), ("fr_CH", "fr")):
        monkeypatch.setenv("LC_ALL", name)
        assert usual_language() == tag
