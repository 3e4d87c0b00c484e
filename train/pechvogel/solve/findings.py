"""What perfect play looks like: `pechvogel findings` gathers it from solved games, `findings_page` writes it down.

Everything comes from tables, from games of perfect players and from games of agents against them; nothing is typed in.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from pechvogel.agents import registry
from pechvogel.agents.pechvogel import solution
from pechvogel.agents.pechvogel.solution import NoTableError, Solution
from pechvogel.agents.pechvogel.turn.search import TurnSearch
from pechvogel.tabletop.arrays import Floats, Truths
from pechvogel.tabletop.seeds import check_seed
from pechvogel.train.pechvogel.solve import exploit, layers, perfect
from pechvogel.train.pechvogel.solve.perfect import Games
from pechvogel.train.pechvogel.solve.response import COPIES, best_response
from pechvogel_env import rules
from pechvogel_env.kind import KIND
from pechvogel_env.rules import FIRST_VALUE, NUM_DICE, NUM_VALUES, RAVENS_LIMIT, TARGETS_NEEDED, Action, Phase, States


def gather(
    table: Solution, specs: Sequence[str], games: int, agent_games: int, seed: int, best_response_cap: int
) -> dict[str, Any]:
    """All figures, as JSON holds them. The smaller games are in it, too, where their tables are there."""
    check_seed(seed)
    if best_response_cap:
        layers.refuse_cap(best_response_cap)
    for spec in specs:
        registry.prepare(registry.make(spec), KIND.variant(2, copies=table.copies))
    played = perfect.play(table, games, seed)
    tables = {str(table.copies): table}
    for copies in range(1, table.copies):
        try:
            tables[str(copies)] = Solution(solution.find(copies))
        except NoTableError:
            continue
    return {
        "copies": table.copies,
        "games": games,
        "agent_games": agent_games,
        "seed": seed,
        "solved": {copies: _solved(tables[copies]) for copies in sorted(tables)},
        "first_player": {
            "value": table.start_value,
            "played": float(played.rewards.mean()),
            "half": float(1.96 * played.rewards.std() / np.sqrt(games)),
        },
        "frustration": worth_of_a_frustration(table, played.positions),
        "steals": stealing(played),
        "steals_by_value": stealing_by_value(played),
        "targets": first_targets(table).tolist(),
        "habits": habits(played, NUM_VALUES * table.copies),
        "turns": {
            "mean": float(played.turns.mean()),
            "quartiles": np.quantile(played.turns, [0.25, 0.75]).tolist(),
            "longest": int(played.turns.max()),
            "histogram": np.bincount(played.turns).tolist(),
        },
        "agents": {copies: _agents(tables[copies], specs, agent_games, seed) for copies in sorted(tables)},
        "best_responses": {spec: _best_response(spec, best_response_cap) for spec in specs if best_response_cap},
    }


def _solved(table: Solution) -> dict[str, Any]:
    found = layers.describe(table.path)
    return {key: value for key, value in found.items() if key != "file"}


def _agents(table: Solution, specs: Sequence[str], games: int, seed: int) -> dict[str, Any]:
    """How far agents are from perfect; those that can't play this game are left out, aloud."""
    found = {}
    for spec in specs:
        if not _can_play(spec, table.copies):
            continue
        found[spec] = exploit.regret(spec, table.copies, games, seed, str(table.path))
    return found


def _can_play(spec: str, copies: int) -> bool:
    try:
        registry.prepare(registry.make(spec), KIND.variant(2, copies=copies))
    except ValueError as error:
        print(f"pechvogel: left out with {copies} copies: {error}", file=sys.stderr)
        return False
    return True


def _best_response(spec: str, cap: int) -> dict[str, Any] | None:
    return best_response(spec, cap) if _can_play(spec, COPIES) else None


# ------------------------------------------------------------------------------------------------ what games show


def worth_of_a_frustration(table: Solution, positions: States) -> list[dict[str, Any]]:
    """By markers left: what one frustration more is worth to the player at turn and to the other; positions."""
    left = positions["middle"].sum(axis=1)
    seats = positions["active"]
    rows = np.arange(len(positions))
    now = table.evaluate(positions)
    change = []
    for seat in (seats, 1 - seats):
        more = positions.copy()
        more["frustrations"][rows, seat] += 1
        change.append(table.evaluate(more)[rows, seat] - now[rows, seat])
    return [
        {
            "left": int(count),
            "at_turn": float(change[0][left == count].mean()),
            "other": float(change[1][left == count].mean()),
            "positions": int((left == count).sum()),
        }
        for count in np.unique(left)[::-1]
    ]


def _steals(games: Games) -> tuple[States, Floats]:
    """Decisions with the choice to take or to steal, and what stealing is worth more."""
    asked = games.decisions["phase"] == Phase.TAKE
    gain = games.values[asked, Action.STEAL_1] - games.values[asked, Action.TAKE]
    both = ~np.isnan(gain)
    return games.decisions[asked][both], gain[both]


def _steal_row(gain: Floats) -> dict[str, Any]:
    return {"decisions": len(gain), "best": float((gain > 0).mean()), "gain": float(gain.mean())}


def stealing(games: Games) -> list[dict[str, Any]]:
    """By markers left: how often stealing is better than taking, and what it is worth more on average."""
    states, gain = _steals(games)
    left = states["middle"].sum(axis=1)
    return [{"left": int(count)} | _steal_row(gain[left == count]) for count in np.unique(left)[::-1]]


def stealing_by_value(games: Games) -> list[dict[str, Any]]:
    """The same by the marker's value."""
    states, gain = _steals(games)
    return [
        {"value": int(value)} | _steal_row(gain[states["target"] == value]) for value in np.unique(states["target"])
    ]


def first_targets(table: Solution) -> Floats:
    """In the first turn: what it is worth to choose a value of which so many fell, [ravens, count, value]."""
    states = rules.new_states(1)
    worth = np.full((RAVENS_LIMIT, TARGETS_NEEDED + 1, NUM_VALUES), np.nan)
    search = TurnSearch(table.evaluate)
    for ravens in range(RAVENS_LIMIT):
        for count in range(1, TARGETS_NEEDED + 1):
            for value in range(NUM_VALUES):
                counts = np.zeros(NUM_VALUES + 1, np.int8)
                counts[0], counts[value + 1] = ravens, count
                counts[(value + 1) % NUM_VALUES + 1] = NUM_DICE - ravens - count
                rules.new_game(states, 0, 2, table.copies, False, 0)
                rules.apply_throw(states, 0, counts)
                worth[ravens, count, value] = search.action_values(states)[0, Action.TARGET_3 + value]
    return worth


def habits(games: Games, markers: int) -> dict[str, Any]:
    """How often perfect players do what they may: in all, and by thirds of the game."""
    left = games.decisions["middle"].sum(axis=1)
    third = np.minimum(3 * (markers - left) // markers, 2)
    found = {}
    for name, phase, action in (
        ("reduce", Phase.REDUCE, Action.REDUCE),
        ("frustrate", Phase.FRUSTRATE, Action.FRUSTRATE),
        ("steal rather than take", Phase.TAKE, Action.STEAL_1),
    ):
        asked = games.decisions["phase"] == phase
        best = np.nanargmax(games.values[asked], axis=1) == action if asked.any() else np.zeros(0, bool)
        found[name] = {
            "chances": int(asked.sum()),
            "times": int(best.sum()),
            "thirds": [_mean(best[third[asked] == k]) for k in range(3)],
        }
    return found


def _mean(values: Truths) -> float | None:
    return float(values.mean()) if len(values) else None


def lower_numbers(targets: Sequence[Any]) -> list[str]:
    """What one die more makes up for: for each count, the pairs in which the lower number is the better target."""
    return [
        ", ".join(
            f"{low + FIRST_VALUE} over {high + FIRST_VALUE}"
            for low in range(NUM_VALUES)
            for high in range(low + 1, NUM_VALUES)
            if targets[0][count + 1][low] > targets[0][count][high]
        )
        for count in range(1, TARGETS_NEEDED)
    ]
