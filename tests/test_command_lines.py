"""Odd command lines: whatever is typed, the answer is a result or one sentence and exit code 2, never a traceback."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pechvogel.agents import registry
from tests.command_lines import ENDLESS, HUGE, LINES, answer, fault


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


def test_odd_command_lines() -> None:
    lines = LINES[::2]  # every number and every odd word is among them, too
    for words in lines:
        found = answer(words)
        assert fault(*found) is None, (words, found)
    assert len(lines) > 200


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
def test_the_sentence_says_what_is_wrong(words: list[str], sentence: str) -> None:
    code, _, error = answer(words)
    assert code == 2 and sentence in error


def test_nobodys_factory_ends_our_process(tmp_path: Path) -> None:
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
        code, _, error = answer(["evaluate", spec, "random", "--games", "2"])
        assert code == 2 and f"agent '{spec}' can't be made: {why}" in error and error.count("\n") == 1
    with pytest.raises(ValueError, match="act failed: SystemExit: 3"):
        registry.check(registry.make("leaving_at_play:Agent"), copies=1)
    assert answer(["evaluate", "leaving_at_play:Agent", "random", "--games", "2", "--copies", "1"])[0] == 0
