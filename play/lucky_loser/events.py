"""A step of a game as everybody sees it, and what can be chosen: what pages and terminals are told.

What an action does is found by letting the engine do it and looking at what has changed: no rule stands here.
"""

from __future__ import annotations

from typing import Any

from lucky_loser_env import rules
from lucky_loser_env.position import Position, position_of
from lucky_loser_env.rules import GROUPS, SUMS, States
from pechvogel.play.table import Step, Table, copied


def show_step(step: Step) -> dict[str, Any]:
    """A step as everybody sees it."""
    after = position_of(step.after, 0)
    scores = [int(rules.score(step.after, 0, seat)) for seat in range(after.num_players)]
    shown: dict[str, Any] = {"seat": step.seat, "position": after.to_dict(), "scores": scores}
    if step.kind == "throw":
        shown |= {"faces": list(step.faces), "lucky": _is_lucky(after)}
    else:
        assert step.action is not None
        shown |= {
            "action": step.action,
            "forced": step.forced,
            "did": what_changed(step.before, step.after, step.action),
        }
    return shown


def show_choices(table: Table) -> dict[str, Any]:
    """What a room's state has of this game's own: what every legal action would do, the promising ones first."""
    return {"choices": choices(table.states, table.legal())}


def choices(states: States, legal: list[int]) -> list[dict[str, Any]]:
    """What actions would do: those that bring most points first, then those that get pieces farthest."""
    found = []
    for action in legal:
        after = copied(states)
        rules.apply(after, 0, action)
        found.append({"action": action, **what_changed(states, after, action)})
    return sorted(found, key=_promise)


def _promise(choice: dict[str, Any]) -> tuple[int, ...]:
    squares = sum(square for _, square in choice.get("squares", ()))
    return -choice["points"], -len(choice.get("home", ())), -squares, -len(choice["sums"]), choice["action"]


def what_changed(before: States, after: States, action: int) -> dict[str, Any]:
    """What an action has brought to whoever acted; lists name rows by their sums, and empty ones are left out."""
    old, new = position_of(before, 0), position_of(after, 0)
    seat = old.active
    was, now = old.players[seat], new.players[seat]
    rows = range(len(SUMS))
    closed = [row for row in rows if old.stacks[row] and not new.stacks[row]]
    on_x = [now.places[row] == new.row_lengths[row] for row in rows]
    found: dict[str, Any] = {
        "sums": list(GROUPS[action]),
        "points": int(rules.score(after, 0, seat)) - int(rules.score(before, 0, seat)),
        "chips": [[SUMS[row], now.chips[row] - was.chips[row]] for row in rows if now.chips[row] > was.chips[row]],
        "squares": [
            [SUMS[row], now.places[row]]
            for row in rows
            if now.places[row] != was.places[row] and not on_x[row] and row not in closed
        ],
        "home": [
            [SUMS[row], other]
            for row in rows
            for other in range(new.num_players)
            if other != seat and row not in closed and new.players[other].places[row] < old.players[other].places[row]
        ],
        "closed": [SUMS[row] for row in closed],
        "bonus": now.bonus - was.bonus,
    }
    return {name: value for name, value in found.items() if value or name in ("sums", "points")}


def _is_lucky(position: Position) -> bool:
    """Whether a throw is the combination that the game is named after (L7)."""
    return position.last_throw.count(rules.LUCKY_FACE) > 1
