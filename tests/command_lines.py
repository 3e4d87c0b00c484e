"""Odd command lines, and what is wrong with an answer to one: it is a result, or one sentence and exit code 2."""

from __future__ import annotations

import io
import random
from contextlib import redirect_stderr, redirect_stdout

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
    ("puzzles --out p", "--count"),
    ("puzzles --out p", "--seed"),
    ("explorer --out e", "--games"),
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

LINES = [
    *([*line.split(), option, number] for line, option in COUNTED for number in NUMBERS),
    *([*line.split(), option, number] for line, option in TIMED for number in TIMES),
    *([word.format(odd) if "{}" in word else word for word in line.split()] for line in NAMED for odd in ODD),
    *([*line.split(), option] for line, option in (*COUNTED, *TIMED)),  # and nothing behind it
]


LETTERS = "aZ .:,=*{}[]%$'\"\\\0\x07\x1b\x7f\u0301éßλ🐦\udcff"  # no digits: what is wrong must not become right


def drawn(rng: random.Random) -> list[str]:
    """One of these lines with a word, or letters within one, that nobody expects there."""
    words = list(rng.choice(LINES))
    at = rng.randrange(len(words))
    letters = "".join(rng.choices(LETTERS, k=rng.randrange(1, 9)))
    odd = rng.choice((letters, *(word for word in (*ODD, *NUMBERS) if word != "--")))
    match rng.randrange(4):
        case 0:
            words.insert(at, odd)
        case 1:
            words[at] = odd
        case 2:
            cut = rng.randrange(len(words[at]) + 1)
            words[at] = words[at][:cut] + letters + words[at][cut:]
        case _:
            words.insert(at, "--" + odd)
    return words


def answer(words: list[str]) -> tuple[int, str, str]:
    """Exit code, output, and complaints."""
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        try:
            code = main(words)
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else -1
    # That the engine is compiled first is no complaint.
    lines = err.getvalue().splitlines(keepends=True)
    return code, out.getvalue(), "".join(line for line in lines if not line.startswith("pechvogel: compiling"))


def fault(code: int, output: str, error: str) -> str | None:
    """What is wrong with an answer."""
    if "Traceback" in output + error:
        return "a traceback"
    if code not in (0, 2):
        return f"exit code {code}"
    if error.count("\n") != (1 if code == 2 else 0):
        return f"{error.count(chr(10))} lines of complaints"
    if len(error) >= 3000 or not error[:-1].isprintable():
        return "no readable sentence"
    return None
