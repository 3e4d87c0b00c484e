"""Odd command lines: each gets a result, or one sentence and exit code 2."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tests.attack.children import Child
from tests.attack.rows import Row, Setting, Tally
from tests.command_lines import LINES, drawn, fault

SECONDS = 60.0  # in which something must have come of it


def attack(given: Setting) -> Iterator[Row]:
    """Those that somebody thought of, and others that are drawn."""
    rng = given.rng("lines")
    known = rng.sample(LINES, given.times(len(LINES) // 2, 15))
    for tried, lines in (
        ("odd command lines that somebody thought of", known),
        ("such lines with words and letters that nobody expects", [drawn(rng) for _ in range(given.times(250, 15))]),
    ):
        tally, codes = Tally(tried), Counter[int | None]()
        for number, words in enumerate(lines):
            given.say(f"line {number} of {len(lines)}")
            code, wrong = _answer(words, given, number)
            codes[code] += 1
            tally.note(wrong and f"{wrong} for {[word[:60] for word in words]}")
        yield tally.row(f"exit code 2 and one sentence {codes[2]} times, 0 and a result {codes[0]} times; no traceback")


def _answer(words: list[str], given: Setting, number: int) -> tuple[int | None, str | None]:
    folder = given.folder / f"{number}"
    folder.mkdir(exist_ok=True)
    out, err = folder / ".out", folder / ".err"
    child = Child(words, folder, out, err)
    code = child.wait(SECONDS)
    child.kill()
    if code is None:
        return None, f"no answer within {SECONDS:.0f} s"
    output, error = (path.read_text(encoding="utf-8", errors="replace") for path in (out, err))
    for path in (out, err):
        path.unlink()
    return code, fault(code, output, error)
