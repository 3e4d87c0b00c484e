"""Pictures: every phase can be drawn, and they show what the position says."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest

from pechvogel_env import render
from pechvogel_env.position import PHASES, Position
from tests.pechvogel.test_position import EXAMPLE, random_positions

POSITIONS = random_positions(5, 10)


def one_of_each_phase_and_size() -> Iterator[Position]:
    seen = set()
    for position in POSITIONS:
        if (position.phase, position.num_players) not in seen:
            seen.add((position.phase, position.num_players))
            yield position


def test_every_phase_is_drawn_at_every_size() -> None:
    phases = set()
    for position in one_of_each_phase_and_size():
        phases.add(position.phase)
        picture = render.rgb_array(position, scores=[12] * position.num_players)
        assert picture.shape == (480, 640, 3) and picture.dtype == np.uint8
        assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 100, "it is almost blank"
        text = render.ansi(position, color=False)
        assert all(len(line) <= 80 for line in text.splitlines())
        assert render.question(position) in text
    assert phases == set(PHASES)


def test_without_labels_there_are_no_words(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    text = render.Canvas.text

    def note(self: render.Canvas, x: float, y: float, words: str, *args: object, **more: object) -> None:
        written.append(words)
        text(self, x, y, words, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(render.Canvas, "text", note)
    for position in one_of_each_phase_and_size():
        scores = [-12] * position.num_players
        render.rgb_array(position, "ABCDE"[: position.num_players], scores, labels=False)
    assert all(re.fullmatch(r"x?-?\d+|[A-E?]|MURPHY", words) for words in written), set(written)


def test_the_text_shows_the_position() -> None:
    text = render.ansi(Position.parse(EXAMPLE), color=False, scores=[1, -3, 0])
    assert "player_1 is asked: frustrate player_0's throw?" in text
    assert re.search(r"in the middle +3 +3 +3 +3 +2", text)
    assert re.search(r"> +player_0 +\. +\. +\. +\. +1 +2 +1", text)
    assert re.search(r"\? player_1 +\. +\. +\. +\. +\. +1 +-3", text)
    assert re.search(r"target 6: \[6\]\[6\]\[6\]\[6\] +ravens: +R +R +_", text)
    assert re.search(r"last throw +\[6\]\[6\] ?3", text)
    assert "turn 10" in text
    murphy = Position.parse({**EXAMPLE, "murphy": 2})
    assert re.search(r"player_2.*MURPHY", render.ansi(murphy, color=False))


def test_colours_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    position = Position.parse(EXAMPLE)
    assert "\x1b[" in render.ansi(position, color=True)
    assert "\x1b[" not in render.ansi(position), "a test's output is no terminal"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in render.ansi(position)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in render.ansi(position)
    assert re.sub(r"\x1b\[[\d;]*m", "", render.ansi(position, color=True)) == render.ansi(position, color=False)


def test_pictures_differ_where_positions_do() -> None:
    base = Position.parse(EXAMPLE)
    picture = render.rgb_array(base)
    assert (picture == render.rgb_array(base)).all()
    for change in (
        {"murphy": 0},
        {"turn": 10},
        {"to_act": 2},
        {"ravens": 1, "last_throw": [6, 6, 3, 4], "targets": 4},
        {"middle": [3, 3, 3, 2, 2]},
        {"frustraters": [2]},
        {"last_throw": [6, 6, 4]},
    ):
        assert (render.rgb_array(Position.parse({**EXAMPLE, **change})) != picture).any(), change


def test_names() -> None:
    position = Position.parse(EXAMPLE)
    names = ["Ann", "Björk-with-a-very-long-name-indeed", "C"]
    text = render.ansi(position, color=False, names=names)
    assert "Ann" in text and all(len(line) <= 80 for line in text.splitlines())
    assert render.rgb_array(position, names=names, width=320).shape == (240, 320, 3)
    with pytest.raises(ValueError, match="names"):
        render.ansi(position, names=["only", "two"])
