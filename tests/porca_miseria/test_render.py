"""Pictures: everything can be drawn, and they show what there is."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import numpy as np
import pytest

from pechvogel.tabletop.bits import action_list
from porca_miseria_env import render
from porca_miseria_env.game import Game
from porca_miseria_env.scene import Scene, scene_of


def scenes() -> Iterator[Scene]:
    """One for each number of players and each look of the table."""
    seen = set()
    for num_players in (3, 5, 8):
        game = Game(num_players, tap_cards=25, max_cards=25, skip_forced=False)
        game.reset(num_players)
        rng = random.Random(num_players)
        while True:
            scene = scene_of(game.states, 0)
            key = (num_players, scene.phase, len(scene.taken) > 1, min(len(scene.hands), 7) // 4)
            if key not in seen:
                seen.add(key)
                yield scene
            if not game.bits:
                break
            game.step(rng.choice([*action_list(game.bits), 0, 0]))


def test_everything_is_drawn_at_every_size() -> None:
    phases = set()
    for scene in scenes():
        phases.add(scene.phase)
        picture = render.rgb_array(scene, scores=scene.loot)
        assert picture.shape == (480, 640, 3) and picture.dtype == np.uint8
        assert len(np.unique(picture[::3, ::3].reshape(-1, 3), axis=0)) > 50, "it is almost blank"
        text = render.ansi(scene, color=False, scores=scene.loot)
        assert all(len(line) <= 80 for line in text.splitlines())
        assert render.question(scene) in text
    assert phases >= {"symbols", "tap", "card"}
    assert render.rgb_array(scene, width=320).shape == (240, 320, 3)
    with pytest.raises(ValueError, match="width must be at least"):
        render.rgb_array(scene, width=10)


def example() -> Scene:
    return Scene(
        num_players=3, phase="symbols", to_act=None, turn=15, ticks=6, tick=2, dealer=2,
        lucky_numbers=[[2, 5, 8], [3, 6], [1, 4, 7]], shows=[6, 4, 1], symbol=None,
        glances=[[6, 4, 2], [6, 3, 1], [5, 3, 0]], middle=[1], hands=[],
        taken=[(0, 0, False), (2, 2, True)], loot=[0, 9, 4], pile=48, jackpot=5,
    )  # fmt: skip


def test_the_text_shows_the_table() -> None:
    text = render.ansi(example(), color=False, scores=[0, 9, 4])
    assert "card 16" in text and "A symbol card, tick 3 of 6: who takes what?" in text
    assert re.search(r"player_0 +2 5 8 +M6 +P4 +S2 +\. +0 +-mushroom", text)
    assert re.search(r"> +player_2 +1 4 7 +M5 +P3 +S0 +\. +4 +\+sweep", text)
    assert "6 mushrooms, 4 pigs, 1 sweep" in text and re.search(r"middle +pig\n", text)
    assert "pile 48, jackpot 5" in text
    named = render.ansi(example(), color=True, names=["Änne", "Bo", "Cy"])
    assert "Änne" in named and "\x1b[" in named
    with pytest.raises(ValueError, match="2 names for 3 players"):
        render.ansi(example(), names=["a", "b"])


def test_a_tap_card_shows_its_hands() -> None:
    game = Game(4, tap_cards=63, skip_forced=False)
    game.reset(1)
    for action in (0, 4, 4, 0, 4, 0, 0, 0):
        game.step(action)
    scene = scene_of(game.states, 0)
    text = render.ansi(scene, color=False)
    order = " < ".join(f"player_{seat}" for seat in scene.hands)
    assert len(scene.hands) == 3 and order in text and "TAP!" in text
    assert f"the lowest hand is player_{scene.hands[0]}'s" in text
