"""What perfect play does, by the score and by what is left: figures for the page's explorer: `pechvogel explorer`.

The first throw of a game is computed exactly, for every throw. All else is counted over one population: the decisions
(or positions between turns) of games between two perfect players, with the engine's dice. So a figure says how things
stand in games as perfect players play them, not over all positions that one could set up.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pechvogel.agents.pechvogel.solution import Solution
from pechvogel.agents.pechvogel.turn.search import TurnSearch
from pechvogel.tabletop.arrays import Floats, Ints, Truths
from pechvogel.tabletop.files import replace_file
from pechvogel.tabletop.rewards import win_share
from pechvogel.tabletop.seeds import check_seed
from pechvogel.train.pechvogel.solve import perfect
from pechvogel_env import rules
from pechvogel_env.batch import write_scores
from pechvogel_env.rules import FIRST_VALUE, NUM_DICE, NUM_VALUES, RAVENS_LIMIT, Action, Phase, States

FORMAT = 1
DIGITS = 4
LEADS = (-10, -3, 4, 11)  # own points minus the other's: the least of every class but the first
MORE = (-1, 0, 1, 2)  # own frustrations minus the other's, likewise


@dataclass(frozen=True)
class Axis:
    """Classes into which positions fall: for each its least and its greatest number, None where there is none."""

    name: str
    classes: tuple[tuple[int | None, int | None], ...]

    def of(self, numbers: Ints) -> Ints:
        """Which class each number falls into."""
        return np.searchsorted([low for low, _ in self.classes[1:] if low is not None], numbers, side="right")


def classes(least: Sequence[int]) -> tuple[tuple[int | None, int | None], ...]:
    """Everything below the first number, then from each number to before the next."""
    highs = [low - 1 for low in least]
    return tuple(zip([None, *least], [*highs, None], strict=True))


def single(numbers: range) -> tuple[tuple[int | None, int | None], ...]:
    """A class for each number."""
    return tuple((number, number) for number in numbers)


def gather(table: Solution, games: int, seed: int) -> dict[str, Any]:
    """All figures, as the page's file holds them."""
    check_seed(seed)
    if games < 1:
        raise ValueError(f"--games must be at least 1, not {games}")
    played = perfect.play(table, games, seed)
    thirds = tuple((k * table.copies + 1, (k + 1) * table.copies) for k in range(NUM_VALUES))
    axes = {
        axis.name: axis
        for axis in (
            Axis("left", thirds),
            Axis("lead", classes(LEADS)),
            Axis("targets", single(range(1, rules.TARGETS_NEEDED + 1))),
            Axis("ravens", single(range(RAVENS_LIMIT + 1))),
            Axis("value", single(range(FIRST_VALUE, FIRST_VALUE + NUM_VALUES))),
            Axis("most", single(range(2, rules.TARGETS_NEEDED + 1))),
            Axis("more", classes(MORE)),
            Axis("murphy", single(range(3))),
        )
    }
    subjects = {
        "target": _targets(played),
        "reduce": _chosen(played, Phase.REDUCE, Action.REDUCE, Action.PASS, ("left", "lead", "targets", "ravens")),
        "frustrate": _chosen(
            played, Phase.FRUSTRATE, Action.FRUSTRATE, Action.PASS, ("left", "lead", "targets", "ravens", "value")
        ),
        "steal": _chosen(played, Phase.TAKE, Action.STEAL_1, Action.TAKE, ("left", "lead", "value")),
        "chances": _chances(table, played.positions),
    }
    return {
        "format": FORMAT,
        "copies": table.copies,
        "games": games,
        "seed": seed,
        "table": table.path.name,
        "first": first_throws(table),
        "axes": {name: [list(bounds) for bounds in axis.classes] for name, axis in axes.items()},
        "subjects": {name: subject.count(axes) for name, subject in subjects.items()},
    }


def write(path: Path, found: dict[str, Any]) -> None:
    """The file, without spaces: it travels to browsers."""
    replace_file(path, (json.dumps(found, separators=(",", ":")) + "\n").encode())


def first_throws(table: Solution) -> list[list[list[float | None]]]:
    """In the first turn of a game: the win share with a target that lies so many times, by ravens, times and value.

    What else lies does not matter: it is thrown again.
    """
    states = rules.new_states(1)
    search = TurnSearch(table.evaluate)
    found: list[list[list[float | None]]] = []
    for ravens in range(RAVENS_LIMIT):
        rows: list[list[float | None]] = [[None] * NUM_VALUES for _ in range(NUM_DICE)]
        for times in range(1, NUM_DICE - ravens + 1):
            for value in range(NUM_VALUES):
                counts = np.zeros(NUM_VALUES + 1, np.int8)
                counts[0], counts[value + 1] = ravens, times
                counts[(value + 1) % NUM_VALUES + 1] = NUM_DICE - ravens - times
                rules.new_game(states, 0, 2, table.copies, False, 0)
                rules.apply_throw(states, 0, counts)
                worth = search.action_values(states)[0, Action.TARGET_3 + value]
                rows[times - 1][value] = None if np.isnan(worth) else round(float(win_share(worth, 2)), DIGITS)
        found.append(rows)
    return found


# ------------------------------------------------------------------------------------------------ what is counted


@dataclass(frozen=True)
class Subject:
    """A population, what tells its members apart, and what is measured of each."""

    numbers: Mapping[str, Ints]  # by axis
    gain: Floats  # share of the win: what the action in question wins more, or the share itself
    best: Truths | None  # whether the action in question is best

    def count(self, axes: Mapping[str, Axis]) -> dict[str, Any]:
        """By cells, the last axis fastest: how many, how often it is best, and what it gains in all."""
        names = list(self.numbers)
        shape = [len(axes[name].classes) for name in names]
        cells = np.ravel_multi_index([axes[name].of(self.numbers[name]) for name in names], shape)
        num = int(np.prod(shape))
        found = {
            "axes": names,
            "number": np.bincount(cells, minlength=num).tolist(),
            "gain": [round(gain, 3) for gain in np.bincount(cells, self.gain, num).tolist()],
        }
        if self.best is not None:
            found["best"] = np.bincount(cells[self.best], minlength=num).tolist()
        return found


def _numbers(states: States, seats: Ints, names: Sequence[str]) -> dict[str, Ints]:
    """What positions are like for some seats, by the names of axes."""
    rows = np.arange(len(states))
    scores = np.zeros((len(states), 2), np.int32)
    write_scores(states, rows, scores)
    held = states["frustrations"].astype(np.int64)
    murphy = states["murphy"]
    known = {
        "left": states["middle"].sum(axis=1),
        "lead": scores[rows, seats] - scores[rows, 1 - seats],
        "targets": states["targets"],
        "ravens": states["ravens"],
        "value": states["target"],
        "more": held[rows, seats] - held[rows, 1 - seats],
        "murphy": np.where(murphy == rules.NOBODY, 0, np.where(murphy == seats, 1, 2)),
    }
    return {name: known[name].astype(np.int64) for name in names}


def _chosen(games: perfect.Games, phase: Phase, action: Action, other: Action, names: Sequence[str]) -> Subject:
    """Decisions with a choice between two actions."""
    asked = games.decisions["phase"] == phase
    states = games.decisions[asked]
    gain = (games.values[asked, action] - games.values[asked, other]) / 2
    both = ~np.isnan(gain)
    states, gain = states[both], gain[both]
    return Subject(_numbers(states, states["to_act"].astype(np.int64), names), gain, gain > 0)


def _targets(games: perfect.Games) -> Subject:
    """Choices between the number that lies most often, of several the highest, and a still higher one."""
    asked = games.decisions["phase"] == Phase.TARGET
    states, values = games.decisions[asked], games.values[asked, :NUM_VALUES]
    fallen = np.stack([_fallen(states, FIRST_VALUE + value) for value in range(NUM_VALUES)], axis=1)
    most = fallen.max(axis=1)
    often = NUM_VALUES - 1 - (fallen[:, ::-1] == most[:, None]).argmax(axis=1)
    higher = (np.arange(NUM_VALUES) > often[:, None]) & (fallen > 0)
    fits = higher.any(axis=1) & (most > 1) & (most <= rules.TARGETS_NEEDED)
    states, values, often, higher = states[fits], values[fits], often[fits], higher[fits]
    gain = (values[np.arange(len(values)), often] - np.where(higher, values, -np.inf).max(axis=1)) / 2
    numbers = _numbers(states, states["to_act"].astype(np.int64), ("left", "lead", "ravens"))
    return Subject(numbers | {"most": most[fits]}, gain, gain > 0)


def _fallen(states: States, face: int) -> Ints:
    """How many dice of the last throw show a face."""
    return (states["last_throw"] == face).sum(axis=1)


def _chances(table: Solution, positions: States) -> Subject:
    """Positions between turns, and how they stand for the player at turn."""
    seats = positions["active"].astype(np.int64)
    worth = table.evaluate(positions)[np.arange(len(positions)), seats]
    return Subject(_numbers(positions, seats, ("left", "lead", "more", "murphy")), win_share(worth, 2), None)
