"""Pictures: complete, the same for the same position, different for different ones."""

from __future__ import annotations

import random
import re

import pytest

from lucky_loser_env import render
from lucky_loser_env.game import Game
from lucky_loser_env.position import Position
from pechvogel.tabletop.bits import action_list
from tests.lucky_loser.test_position import EXAMPLE, LINE


def test_every_position_of_a_game_can_be_drawn() -> None:
    for num_players, row_lengths in ((2, (4,) * 6), (4, (1, 8, 2, 3, 5, 7))):
        game = Game(num_players, row_lengths, max_turns=120)
        game.reset(1)
        rng = random.Random(1)
        number = 0
        while game.bits:
            if number % 9 == 0:
                position = game.position()
                assert render.rgb_array(position, scores=game.scores()).shape == (480, 640, 3)
                text = render.ansi(position, color=False, scores=game.scores())
                assert all(len(line) <= 80 for line in text.splitlines())
                assert render.question(position) in text
            number += 1
            game.step(rng.choice(action_list(game.bits)))
        assert "The game is over" in render.ansi(game.position(), color=False) or game.truncated


def test_the_text_has_it_all() -> None:
    text = render.ansi(Position.parse(EXAMPLE), color=False, scores=[0, 7])
    assert "player_1 is asked: which groups?" in text and "turn 10" in text
    assert re.search(r"^     6 +10   \. +\. +A +\[X\]$", text, re.M) and re.search(r"^     7 +8 .*\[B\]$", text, re.M)
    assert re.search(r"^>\? B player_1 .* 1 +\. +\. +\. +- +7$", text, re.M)
    assert "bonus cards  15  12  9  6" in text and "last throw  2  3  5  6" in text and "A begins every round" in text


def test_colours_are_decoration() -> None:
    position = Position.parse(LINE)
    coloured = render.ansi(position, color=True)
    assert "\x1b[" in coloured and re.sub(r"\x1b\[[\d;]*m", "", coloured) == render.ansi(position, color=False)


def test_what_changes_shows() -> None:
    base = Position.parse(EXAMPLE)
    picture = render.rgb_array(base)
    assert (picture == render.rgb_array(base)).all()
    for line in (
        LINE.replace("2356", "2256"),
        LINE.replace("130000", "230000"),
        LINE.replace("group1", "throw").replace("2356", "-"),
        LINE.replace("ba8876", "aa8876").replace("130000-000000", "130000-100000"),
        LINE.replace("_1_0_", "_1_1_").replace("_9", "_10"),
    ):
        assert (render.rgb_array(Position.parse(line)) != picture).any(), line
        assert render.ansi(Position.parse(line)) != render.ansi(base)


def test_names() -> None:
    position = Position.parse(EXAMPLE)
    names = ["Stefan", "Zoë with a very long name indeed"]
    assert "Stefan" in render.ansi(position, names=names)
    assert render.rgb_array(position, names=names, width=320).shape == (240, 320, 3)
    with pytest.raises(ValueError, match="1 names for 2 players"):
        render.ansi(position, names=["only"])
