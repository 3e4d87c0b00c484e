"""A step of a game as everybody sees it: what a page is told."""

from __future__ import annotations

from typing import Any

from pechvogel.play.table import Step, Table
from pechvogel_env import rules
from pechvogel_env.position import Position, position_of


def show_step(step: Step) -> dict[str, Any]:
    """A step as everybody sees it; with what else changed hands, if it ended a turn."""
    after = position_of(step.after, 0)
    shown: dict[str, Any] = {"seat": step.seat, "position": after.to_dict(), "scores": scores_of(step.after)}
    if step.kind == "throw":
        shown["faces"] = list(step.faces)
    elif step.kind == "action":
        shown |= {"action": step.action, "forced": step.forced, "asked": show_asked(position_of(step.before, 0))}
    if step.after["turn"][0] > step.before["turn"][0]:
        shown["turn"] = _what_changed(position_of(step.before, 0), after)
    return shown


def show_choices(table: Table) -> dict[str, Any]:
    """What a room's state has of this game's own: nothing, as a position says what an action does."""
    return {}


def scores_of(states: rules.States) -> list[int]:
    """Everybody's points as things stand (R21)."""
    return [int(rules.score(states, 0, seat)) for seat in range(int(states["num_players"][0]))]


def show_asked(position: Position) -> dict[str, Any]:
    """As much of a position as it takes to put its actions into words."""
    return {key: position[key] for key in ("phase", "active", "target", "num_players", "frustraters")}


def _what_changed(before: Position, after: Position) -> dict[str, Any]:
    """Why a turn ended, and what that brings beside markers, which an action has told of: frustrations, and Murphy."""
    return {
        "active": before.active,
        "targets": before.targets if before.targets >= rules.TARGETS_NEEDED else 0,  # 0: it was not that
        "ravens": before.ravens if before.ravens >= rules.RAVENS_LIMIT else 0,
        "frustrations": [
            new.frustrations - old.frustrations for old, new in zip(before.players, after.players, strict=True)
        ],
        "frustraters": list(before.frustraters),  # whose frustrations lay on the board
        "murphy": after.murphy if after.murphy != before.murphy else None,
    }
