"""Odd command lines: whatever is typed, the answer is a result or one sentence and exit code 2, never a traceback."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pechvogel.agents import registry
from pechvogel.cli import main

HUGE = "99999999999999999999999"
ENDLESS = "9" * 6000
ODD = ("", " ", "\0", "a\0b", "\n", "Pech\nvogel", "é", "🐦", "\udcff", "-", "--", ".", "/", "x" * 5000, ENDLESS, "nan")
NUMBERS = ("", "\0", "x", "1e23", "inf", "nan", "0x10", "1.5", "-1", "-" + HUGE, HUGE, ENDLESS, "٣x", "--", "1 2")

# Commands with what they need besides, and an option that takes a whole number or one that takes a time.
COUNTED = (
    ("watch", "--players"),
    ("watch", "--copies"),
    ("watch", "--seed"),
    ("bench", "--players"),
    ("evaluate random random", "--games"),
    ("evaluate random random", "--workers"),
    ("levels", "--games"),
    ("exploit random", "--copies"),
    ("solve", "--copies"),
    ("solve --copies 1", "--frustrations"),
    ("solve --copies 1", "--threads"),
    ("solve", "--check-games"),
    ("findings", "--games"),
    ("ablation", "--games"),
    ("serve", "--port"),
)
TIMED = (("watch", "--delay"), ("bench", "--seconds"), ("evaluate random random", "--time-limit"))
TIMES = ("", "\0", "x", "inf", "nan", "-1", "1e999", "1e300", ENDLESS)
NAMED = (
    "evaluate {} random --games 2 --workers 1",
    "bench --agent {} --seconds 0.01",
    "exploit {}",
    "train {} --out {}",
    "train --resume {}",
    "report {}",
    "replay {}",
    "analyse {}",
    "analyse 2x1_11111_00000f0.00000f0_-_0_000_-_-_throw_0 --table {}",
    "findings --data {}",
    "ablation --data {}",
    "play --language {} --position 2x1_11111_00000f0.00000f0_-_0_000_-_-_throw_0",
    "play --position {}",
    "watch --game {} --copies 1",
    "watch --copies 1 --json {}/x",
    "{}",
)

ALL = [
    *([*line.split(), option, number] for line, option in COUNTED for number in NUMBERS),
    *([*line.split(), option, number] for line, option in TIMED for number in TIMES),
    *([word.format(odd) if "{}" in word else word for word in line.split()] for line in NAMED for odd in ODD),
    *([*line.split(), option] for line, option in (*COUNTED, *TIMED)),  # and nothing behind it
]
LINES = ALL[::2]  # every number and every odd word is among them, too


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """In a folder where nothing is lost, with nobody at the keyboard, and with paths as they were."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PECHVOGEL_TABLES", str(tmp_path))
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    for name in ("leaving", "leaving_later", "leaving_at_play"):
        sys.modules.pop(name, None)


def answer(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    try:
        code = main(words)
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else -1
    printed = capsys.readouterr()
    assert "Traceback" not in printed.out + printed.err
    # That the engine is compiled first is no complaint.
    lines = printed.err.splitlines(keepends=True)
    return code, "".join(line for line in lines if not line.startswith("pechvogel: compiling"))


def test_odd_command_lines(capsys: pytest.CaptureFixture[str]) -> None:
    for words in LINES:
        code, error = answer(words, capsys)
        assert code in (0, 2), (words, code)
        assert error.count("\n") == (1 if code == 2 else 0), (words, error)
        assert len(error) < 3000 and error[:-1].isprintable(), words
    assert len(LINES) > 200


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["evaluate", "random", "random", "--games", HUGE], "--games: must be at most 100,000,000, not '9999"),
        (["evaluate", "random", "random", "--workers", HUGE], "--workers: must be at most 1,024"),
        (["levels", "--games", ENDLESS], "--games: must be a whole number"),
        (["evaluate", "random", "random", "--time-limit", "1e300"], "--time-limit: must be at most 1,000,000"),
        (["train", "a\nb", "--out", "x"], r"'a\nb'"),
        (["analyse", "/dev/zero"], "position"),
    ],
)
def test_the_sentence_says_what_is_wrong(words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, error = answer(words, capsys)
    assert code == 2 and sentence in error


def test_nobodys_factory_ends_our_process(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "leaving.py").write_text("import sys\nsys.exit('gone')\n")
    (tmp_path / "leaving_later.py").write_text("class Stop(BaseException): pass\ndef make(): raise Stop('over')\n")
    (tmp_path / "leaving_at_play.py").write_text(
        "import sys\nclass Agent:\n    name = 'x'\n    def act(self, position, mask, rng):\n        sys.exit(3)\n"
    )
    for spec, why in (
        ("sys:exit", "SystemExit"),
        ("leaving:Agent", "SystemExit: gone"),
        ("leaving_later:make", "Stop: over"),
    ):
        code, error = answer(["evaluate", spec, "random", "--games", "2"], capsys)
        assert code == 2 and f"agent '{spec}' can't be made: {why}" in error and error.count("\n") == 1
    with pytest.raises(ValueError, match="act failed: SystemExit: 3"):
        registry.check(registry.make("leaving_at_play:Agent"), copies=1)
    assert answer(["evaluate", "leaving_at_play:Agent", "random", "--games", "2", "--copies", "1"], capsys)[0] == 0
