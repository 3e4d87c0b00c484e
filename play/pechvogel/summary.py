"""What is remembered of a finished game: for each seat its result, what its decisions cost, and what luck did."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pechvogel.agents.pechvogel.champion import TOP
from pechvogel.play.pechvogel.review import Review
from pechvogel.play.rating import Scale
from pechvogel.play.room import Room
from pechvogel_env.kind import KIND
from pechvogel_env.rules import Action

DIGITS = 6
MEASURED = KIND.variant(2)  # what levels have been measured in: other games don't count for a rating
LEVELS = (*[f"champion:level={level}" for level in range(1, TOP)], "champion")


def scale() -> Scale:
    """What the rating is measured against; `pechvogel levels --calibrate --json FILE` has written it."""
    return Scale.read(Path(__file__).with_name("strengths.json"), LEVELS)


def summarize(room: Room, review: Review) -> list[dict[str, Any]]:
    """A finished game, for each seat; the review must be whole."""
    table = room.table
    assert table is not None and table.over
    found, scores, winners = review.whole(), table.scores(), table.winners()
    stood_in = _stood_in(room)
    standard = room.opening.variant == MEASURED and not room.practice and not room.real_dice
    rows = []
    for seat in range(len(room.seats)):
        mine = [row for row in found["decisions"] if row["seat"] == seat]
        errors: dict[str, float] = {}
        for row in mine:
            if row["costs"] > 0:
                kind = error_kind(row["phase"], row["action"], row["best"])
                errors[kind] = errors.get(kind, 0.0) + row["costs"]
        others = [(seat + k) % len(room.seats) for k in range(1, len(room.seats))]
        rows.append(
            {
                "game": KIND.name,
                "players": len(room.seats),
                "opponents": [_opponent(room, other) for other in others],
                "result": 1 / len(winners) if seat in winners else 0.0,
                "score": scores[seat],
                "decisions": len(mine),
                "cost": round(sum(row["costs"] for row in mine), DIGITS),
                "luck": round(found["luck"][seat], DIGITS),
                "errors": {kind: round(cost, DIGITS) for kind, cost in errors.items() if cost > 10**-DIGITS},
                "judge": _judge(found["source"]),
                "counts": standard and not stood_in and room.seats[seat].kind == "person",
            }
        )
    return rows


def error_kind(phase: str, action: int, best: int) -> str:
    """What was wrong with a decision, as far as a person can do something about it."""
    if phase in ("reduce", "frustrate", "join"):
        return f"{phase}_missed" if action == Action.PASS else f"{phase}_needless"
    if phase == "take":
        if action == Action.TAKE:
            return "steal_missed"
        return "steal_needless" if best == Action.TAKE else "steal_victim"
    return phase  # target, discard


def _opponent(room: Room, seat: int) -> str:
    """An agent by its specification; of people no more than that they were some."""
    agent = room.seats[seat].agent
    return agent if room.seats[seat].kind == "agent" and agent is not None else "person"


def _stood_in(room: Room) -> bool:
    """Whether an agent has ever played for a person here."""
    people = [number for number, seat in enumerate(room.seats) if seat.kind == "person"]
    if any(room.opening.seats[seat].get("agent") is not None for seat in people):
        return True
    told = [json.loads(event) for event in room.events if '"kind":"seats"' in event]
    return any(event["seats"][seat]["agent"] is not None for event in told for seat in people)


def _judge(source: str) -> str:
    """Whose values they were, as the calibration of levels has them."""
    return "exact" if source.startswith("exact") else "champion" if source.endswith("(champion)") else "other"
