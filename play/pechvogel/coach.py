"""The coach: what each action is worth and why, and afterwards what luck and what decisions did.

Values are those of the best evaluation at hand (`agents.pechvogel.analysis`): exact at two players where a table is
installed, else the strongest agent's. Win shares are of the player who decides.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pechvogel.agents.pechvogel import analysis
from pechvogel.agents.pechvogel.heuristic import chances
from pechvogel.agents.pechvogel.turn.search import TurnSearch
from pechvogel.play.pechvogel.events import show_asked
from pechvogel.play.pechvogel.table import Table
from pechvogel.tabletop.rewards import win_share
from pechvogel_env import rules
from pechvogel_env.position import Position, position_of
from pechvogel_env.rules import FIRST_VALUE, RAVEN, Action, States

MISTAKES = 3  # that a review names, per player
SMALLEST = 0.002  # share of the win below which a loss is no mistake


def advise(position: Position) -> dict[str, Any]:
    """Every legal action with its win share and the facts that speak for or against it, best first."""
    if position.to_act is None:
        raise ValueError("nobody is asked now")
    search, source = analysis.evaluation(position)
    rows = [{**row, "why": why(position, row["action"])} for row in analysis.ranked(position, search)]
    return {"seat": position.to_act, "source": source, "actions": rows}


def shares(position: Position) -> list[float]:
    """Everybody's win share."""
    values = analysis.evaluation(position)[0].values(position.states())[0]
    return [win_share(float(value), position.num_players) for value in values[: position.num_players]]


def analyse(position: Position) -> dict[str, Any]:
    """All that the coach can say about a position."""
    advice = None if position.to_act is None else advise(position)
    states = position.states()
    return {
        "position": position.to_dict(),
        "text": position.to_text(),
        "scores": [int(rules.score(states, 0, seat)) for seat in range(position.num_players)],
        "shares": shares(position),
        "source": analysis.evaluation(position)[1],
        "advice": advice,
    }


def why(position: Position, action: int) -> dict[str, Any]:
    """The facts for a sentence on an action: its kind, and numbers.

    Chances are those of a turn in which nobody interferes: what a person would reckon.
    """
    if action < len(rules.FACES) - 1:
        value = action + FIRST_VALUE
        shown = position.last_throw.count(value)
        targets, ravens = chances(shown, position.ravens)
        return {"kind": "target", "value": value, "shown": shown, "targets": targets, "ravens": ravens}
    if action in (Action.PASS, Action.REDUCE, Action.FRUSTRATE):
        now = chances(position.targets, position.ravens)
        again = chances(
            position.targets - position.last_throw.count(position.target or -1),
            position.ravens - position.last_throw.count(RAVEN),
        )
        targets, ravens = now if action == Action.PASS and position.phase != "join" else again
        kind = "keep" if action == Action.PASS else "repeat"
        if position.phase == "join":
            kind = "stay_out" if action == Action.PASS else "join"
        return {"kind": kind, "value": position.target, "targets": targets, "ravens": ravens}
    if action == Action.TAKE:
        return {"kind": "take", "value": position.target}
    if action <= Action.STEAL_4:
        seat = (position.active + 1 + action - Action.STEAL_1) % position.num_players
        return {"kind": "steal", "value": position.target, "from": seat}
    value = action - Action.DISCARD_3 + FIRST_VALUE
    return {"kind": "discard", "value": value, "left": position.middle[value - FIRST_VALUE] - 1}


def review(table: Table) -> dict[str, Any]:
    """A finished game: everybody's chances after every step, what each decision cost, and luck apart from skill."""
    steps, n = table.steps, table.num_players
    search, source = analysis.evaluation(table.position())
    line = np.concatenate([steps[0].before, *[step.after for step in steps]])
    shares = win_share(search.values(line)[:, :n], n)
    decisions = _decisions(table, search)
    costs = {row["step"]: row["costs"] for row in decisions}
    change = np.diff(shares, axis=0)  # by step and seat
    luck, skill, others = (np.zeros(n) for _ in range(3))
    for number, step in enumerate(steps):
        if step.kind != "action":
            luck += change[number]
            continue
        # A decision loses what it costs. If it ends the turn, its player's chances also move a little because the next
        # turn is seen better from here: nobody's merit, so it counts as luck.
        lost = costs.get(number, 0.0)
        mine = np.arange(n) == step.seat
        skill -= np.where(mine, lost, 0.0)
        luck += np.where(mine, change[number] + lost, 0.0)
        others += np.where(mine, 0.0, change[number])
    return {
        "source": source,
        "shares": np.round(shares, 5).tolist(),
        "turns": [number for number, step in enumerate(steps) if step.after["turn"][0] > step.before["turn"][0]],
        "decisions": decisions,
        "luck": luck.tolist(),
        "skill": skill.tolist(),
        "others": others.tolist(),
    }


def _decisions(table: Table, search: TurnSearch) -> list[dict[str, Any]]:
    chosen = [(k, step) for k, step in enumerate(table.steps) if step.kind == "action" and not step.forced]
    if not chosen:
        return []
    before: States = np.concatenate([step.before for _, step in chosen])
    values: NDArray[np.float64] = search.action_values(before)
    n = table.num_players
    rows: list[dict[str, Any]] = []
    for row, (number, step) in zip(values, chosen, strict=True):
        best = int(np.nanargmax(row))
        assert step.action is not None
        costs = float(win_share(row[best], n) - win_share(row[step.action], n))
        position = position_of(step.before, 0)
        rows.append(
            {
                "step": number,
                "seat": step.seat,
                "turn": position.turn,
                "action": step.action,
                "best": best,
                "costs": costs,
                "win_share": float(win_share(row[step.action], n)),
                "why": why(position, best),
                "asked": show_asked(position),
                "position": position.to_text(),
            }
        )
    for seat in range(n):
        dearest = sorted((row for row in rows if row["seat"] == seat), key=lambda row: -row["costs"])[:MISTAKES]
        for row in dearest:
            row["mistake"] = row["costs"] >= SMALLEST
    return rows
