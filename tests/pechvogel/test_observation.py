"""The observation: it determines the position, lies in [0, 1], and its tables are what the code does."""

from __future__ import annotations

import random

import numpy as np
import pytest

from pechvogel.tabletop.bits import action_list
from pechvogel_env import observation
from pechvogel_env.game import Game
from pechvogel_env.pechvogel_v0 import raw_env


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
@pytest.mark.parametrize("skip_forced", [True, False])
def test_observation_determines_the_position(num_players: int, skip_forced: bool) -> None:
    rng = random.Random(num_players)
    for seed in range(4):
        game = Game(num_players, rng.randint(1, 3), seed % 2 == 1, skip_forced)
        game.reset(seed)
        while True:
            position = game.position()
            for seat in range(num_players):
                vector = game.observe(seat)
                assert vector.dtype == np.float32 and vector.shape == (observation.size(num_players),)
                assert vector.min() >= 0 and vector.max() <= 1
                decoded = observation.decode(vector, seat, num_players)
                decoded.turn = position.turn
                assert decoded == position
            if not game.bits:
                break
            game.step(rng.choice(action_list(game.bits)))


def test_frustrations_saturate_at_31() -> None:
    game = Game(2)
    vectors = []
    for frustrations in (30, 31, 32, 1000):
        game.reset(1, 0, position={"players": [{"frustrations": frustrations}, {}]})
        vectors.append(game.observe(0))
    assert (vectors[0] != vectors[1]).any()
    assert (vectors[1] == vectors[2]).all() and (vectors[1] == vectors[3]).all()


@pytest.mark.parametrize("num_players", [2, 5])
def test_layout_has_no_gaps(num_players: int) -> None:
    start = 0
    for part in observation.layout(num_players):
        assert part.start == start
        start = part.stop
    assert start == observation.size(num_players)


def table_rows(heading: str) -> list[list[str]]:
    """The rows of the table below a heading of the environment's spec page."""
    assert raw_env.__doc__ is not None
    lines = raw_env.__doc__.split(f"### {heading}\n")[1].split("###")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines if line.strip()[:1] == "|"]
    return rows[2:]


def test_the_spec_page_has_the_layout_of_the_code() -> None:
    spec = []
    for index, name, meaning in table_rows("Observation"):
        block = index.startswith("block")
        first, _, last = index.removeprefix("block + ").partition("-")
        spec.append((block, name.strip("`"), int(first), int(last or first) + 1, meaning))
    code = []
    for part in observation.layout(2):
        who, _, name = part.name.rpartition(".")
        if who == "opponent_1":
            continue
        start = 51 if who else 0
        code.append((bool(who), name, part.start - start, part.stop - start, part.meaning))
    assert spec == code
    assert observation.size(2) == 51 + 14 * 2


def test_the_spec_page_has_the_actions_of_the_code() -> None:
    from pechvogel_env.rules import Action

    spec: dict[int, str] = {}
    for ids, words, _ in table_rows("Actions"):
        first, _, last = ids.partition("-")
        for action in range(int(first), int(last or first) + 1):
            spec[action] = words.split()[0].strip(":")
    assert spec == {action.value: action.name.split("_")[0].lower() for action in Action}


def test_the_spec_page_has_the_arguments_of_the_code() -> None:
    import inspect

    spec = {name.strip("`"): default for name, default, _ in table_rows("Arguments")}
    code = {
        name: str(parameter.default) if parameter.default != "win" else '"win"'
        for name, parameter in inspect.signature(raw_env.__init__).parameters.items()
        if name != "self"
    }
    assert spec == code
