"""The observation: it determines the position, lies in [0, 1], and its tables are what the code does."""

from __future__ import annotations

import inspect
import random
import re
from pathlib import Path

import numpy as np
import pytest

from lucky_loser_env import observation, rules
from lucky_loser_env.game import Game
from lucky_loser_env.lucky_loser_v0 import raw_env
from pechvogel.tabletop.bits import action_list

PAGE = Path(__file__).parent.parent.parent / "docs" / "lucky-loser.md"


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("skip_forced", [True, False])
def test_observation_determines_the_position(num_players: int, skip_forced: bool) -> None:
    rng = random.Random(num_players)
    for seed in range(4):
        game = Game(num_players, [rng.randint(1, 8) for _ in range(6)], skip_forced, max_turns=200)
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


def test_what_is_said_again_is_true() -> None:
    game = Game(3)
    game.reset(4)
    rng = random.Random(4)
    parts = {part.name: slice(part.start, part.stop) for part in observation.layout(3)}
    while game.bits:
        p, vector = game.position(), game.observe(1)
        me = p.players[1]
        assert vector[parts["closed"]].tolist() == [float(stack == 0) for stack in p.stacks]
        assert vector[parts["ending"]][0] == (p.stacks.count(0) >= 3 or not p.bonus)
        assert vector[parts["observer.on_x"]].tolist() == [float(place == 4) for place in me.places]
        assert vector[parts["observer.lacking"]].tolist() == [float(n == min(me.chips)) for n in me.chips]
        assert vector[parts["observer.score"]][0] == pytest.approx(game.scores()[1] / 200)
        assert (vector[parts["faces_thrown"]] * 4).round().tolist() == [p.last_throw.count(f) for f in rules.FACES]
        game.step(rng.choice(action_list(game.bits)))


@pytest.mark.parametrize("num_players", [2, 4])
def test_layout_has_no_gaps(num_players: int) -> None:
    start = 0
    for part in observation.layout(num_players):
        assert part.start == start
        start = part.stop
    assert start == observation.size(num_players) == 37 + 28 * num_players


def table_rows(text: str, heading: str) -> list[list[str]]:
    """The rows of the table below a heading."""
    lines = re.split(rf"^ *#+ {heading}\n", text, flags=re.M)[1].split("\n#")[0].split("    ###")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines if line.strip()[:1] == "|"]
    return rows[2:]


@pytest.mark.parametrize("text", [raw_env.__doc__, PAGE.read_text(encoding="utf-8")], ids=["docstring", "page"])
def test_the_spec_pages_have_the_layout_of_the_code(text: str) -> None:
    spec = []
    for index, name, meaning in table_rows(text, "Observation"):
        block = index.startswith("block")
        first, _, last = index.removeprefix("block + ").partition("-")
        spec.append((block, name.strip("`"), int(first), int(last or first) + 1, meaning))
    code = []
    for part in observation.layout(2):
        who, _, name = part.name.rpartition(".")
        if who != "opponent_1":
            start = 37 if who else 0
            code.append((bool(who), name, part.start - start, part.stop - start, part.meaning))
    assert spec == code


@pytest.mark.parametrize("text", [raw_env.__doc__, PAGE.read_text(encoding="utf-8")], ids=["docstring", "page"])
def test_the_spec_pages_have_the_actions_of_the_code(text: str) -> None:
    counted = 0
    for ids, words in table_rows(text, "Actions"):
        first, _, last = ids.partition("-")
        wanted = rules.GROUPS[int(first) : int(last or first) + 1]
        counted += len(wanted)
        named = [tuple(map(int, found.split(","))) for found in re.findall(r"\{([\d,]+)\}", words)]
        assert (named[:1], named[-1:]) == (([], []) if wanted == ((),) else ([wanted[0]], [wanted[-1]]))
        assert set(named) <= set(wanted) and named == sorted(named)
    assert counted == rules.NUM_ACTIONS


def test_the_spec_page_has_the_arguments_of_the_code() -> None:
    assert raw_env.__doc__ is not None
    spec = {name.strip("`"): default for name, default, _ in table_rows(raw_env.__doc__, "Arguments")}
    code = {
        name: str(parameter.default) if parameter.default != "win" else '"win"'
        for name, parameter in inspect.signature(raw_env.__init__).parameters.items()
        if name != "self"
    }
    assert spec == code


def test_the_rules_page_has_every_number() -> None:
    page = PAGE.read_text(encoding="utf-8")
    numbered = re.findall(r'<a id="(\w+)"></a>\*\*(\w+)\*\*', page)
    assert [name for _, name in numbered] == [f"L{k}" for k in range(1, 17)] + [f"X{k}" for k in range(1, 5)]
    assert all(anchor == name.lower() for anchor, name in numbered)
    text = Path(rules.__file__).read_text(encoding="utf-8")
    cited = {int(number) for number in re.findall(r"\bL(\d{1,2})\b", text)}
    for low, high in re.findall(r"\bL(\d+)-L(\d+)\b", text):
        cited |= set(range(int(low), int(high) + 1))
    assert cited == set(range(1, 16)), "L16, truncation, is the environment's"
