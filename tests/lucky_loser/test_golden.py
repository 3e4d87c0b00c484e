"""Golden playthroughs are played again, line by line the same."""

from __future__ import annotations

import pytest

from tests.lucky_loser.golden import FOLDER, PLAYTHROUGHS, text_of


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_golden_playthrough(name: str) -> None:
    kept = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    for number, (now, then) in enumerate(zip(text_of(name).splitlines(), kept, strict=False), 1):
        assert now == then, f"line {number} differs; if that is meant: make golden"
    assert len(text_of(name).splitlines()) == len(kept)


def test_no_golden_file_is_left_over() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(PLAYTHROUGHS)
