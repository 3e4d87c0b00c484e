"""The game in the terminal: whole games in four languages, hints, taking back, real dice, leaving."""

from __future__ import annotations

import io
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
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
        "de": "frustrat, pechplatte, rabe, zielzahl, punktemarker, tischmitte, vorrat, spieleschachtel, rabgier,"
        " nullwurf, frust abbauen, frustrieren, klauen, nichtverlierer",
        "fr": "marqueur poisse, plateau, corbeau, objectif, valeur choisie, tuile gain, milieu de la table, réserve,"
        " boîte, gourmandise, trop gourmand, lancer nul, chasser la poisse, porter la poisse, voler, non-perdant",
        "it": "tocchetto di iella, tavoletta, corvo, valore scelto, posta, centro del tavolo, riserva, scatola,"
        " lancio da ingordo, lancio nullo, esorcizzare la iella, fare lo iettatore, rubare, non perdente",
    }.items():
        text = (FOLDER / f"{language}.json").read_text(encoding="utf-8").lower()
        for word in some.split(", "):
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
    lines = ["1", "1", "u", "u", "u", "q", "q"]
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


def test_whoever_leaves_is_asked_once_more() -> None:
    lines = ["q", "1", "quit", "1", "exit", "q"]
    found = game(lambda _: lines.pop(0), seed=1)
    with pytest.raises(PlayerQuitsError):
        found.play()
    assert not lines and output(found).count("Leave this game?") == 3
    assert sum(step.seat == ME for step in found.table.decisions()) == 2


def test_lines_of_a_script_are_taken_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n" * 4))
    found = TerminalGame(("heuristic",), "en", copies=1, seed=1, console=Console(file=io.StringIO()))
    with pytest.raises(PlayerQuitsError):
        found.play()
    assert sum(step.seat == ME for step in found.table.decisions()) == 4


@pytest.mark.parametrize(("answer", "goes_on"), [("", True), ("q", False)])
def test_interrupted_while_an_agent_thinks(answer: str, goes_on: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    choose = chooser(7)
    found = game(lambda prompt: answer if prompt.startswith("q, ") else choose(prompt))
    think, thinking = found.agents[1].act, []

    def act(*facts: Any) -> int:
        thinking.append(facts)
        if len(thinking) == 3:
            raise KeyboardInterrupt
        return int(think(*facts))

    monkeypatch.setattr(found.agents[1], "act", act)
    if goes_on:
        table = found.play()
        assert len(thinking) == 1 + sum(step.seat != ME for step in table.decisions())
    else:
        with pytest.raises(PlayerQuitsError):
            found.play()
        assert len(thinking) == 3
    assert output(found).count("Leave this game?") == 1


class Keyboard:
    """`pechvogel play` in a terminal of its own."""

    ASKED = "1-\\d, h, u, r, q, \\?: "

    def __init__(self) -> None:
        self.terminal, tty = os.openpty()
        # The first terminal that the leader of a session opens becomes its own: then Ctrl-C is a signal.
        opens = 'exec "$@" <"$TTY" >"$TTY" 2>&1'
        command = ["play", "heuristic", "--copies", "1", "--seed", "1", "--language", "en", "--delay", "0"]
        self.process = subprocess.Popen(
            ["sh", "-c", opens, "sh", sys.executable, "-m", "pechvogel", *command],
            env={**os.environ, "TTY": os.ttyname(tty), "TERM": "dumb"},
            start_new_session=True,
            # A suite that runs in the background of a shell ignores Ctrl-C, and so would all that it starts.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        self.seen, self._tty = "", tty

    def type(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def listen(self, seconds: float, until: Callable[[str], bool]) -> bool:
        """Whether it has come to that in time."""
        end = time.monotonic() + seconds
        while not until(self.seen) and time.monotonic() < end:
            if select.select([self.terminal], [], [], 0.1)[0]:
                self.seen += os.read(self.terminal, 65536).decode(errors="replace")
        return until(self.seen)

    def asks(self, times: int, seconds: float = 90) -> bool:
        """Whether it asks so many times in all."""
        return self.listen(seconds, lambda seen: len(re.findall(self.ASKED, seen)) >= times)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._tty)
        os.close(self.terminal)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
def test_a_keyboard() -> None:
    """Keys that were pressed before a question came are no answers to it; Ctrl-C and Ctrl-D ask before they leave."""
    with closing(Keyboard()) as keyboard:
        assert keyboard.asks(1), keyboard.seen
        keyboard.type("1\n1\n1\n1\n1\n")
        assert keyboard.asks(2), keyboard.seen
        assert not keyboard.asks(3, seconds=1), "a question was answered that nobody had seen"
        for times, key in ((3, "q\n"), (5, "\x04"), (7, "\x03")):
            keyboard.type(key)
            assert keyboard.asks(times), keyboard.seen
            assert keyboard.seen.count("Leave this game?") == times // 2
            if times < 7:
                keyboard.type("1\n")  # it goes on
                assert keyboard.asks(times + 1), keyboard.seen
        keyboard.type("\x03")
        assert keyboard.process.wait(60) == 0


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
