"""The trainer's part of the API: puzzles that come with the package (`pechvogel puzzles` makes them).

A puzzle is shown without its answer; whoever has chosen is told what every action wins, and why. Nothing is kept here:
what somebody has solved is remembered by their browser.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI
from fastapi import Path as InPath
from pydantic import BaseModel, ConfigDict, Field

from pechvogel.play.room import RoomError
from pechvogel.tabletop.untrusted import read_json
from pechvogel_env import rules
from pechvogel_env.position import Position
from pechvogel_env.rules import NUM_ACTIONS

PUZZLES = Path(__file__).parent / "puzzles.json"
MAX_FILE = 1 << 24  # bytes

PuzzleId = Annotated[str, InPath(pattern="^[0-9a-f]{8}$", description="as the list of puzzles has it")]


class Choice(BaseModel):
    """What somebody would do."""

    model_config = ConfigDict(extra="forbid")

    action: int = Field(ge=0, lt=NUM_ACTIONS)


@lru_cache(maxsize=1)
def puzzles() -> dict[str, dict[str, Any]]:
    """All puzzles by id, in the order of the file."""
    return {puzzle["id"]: puzzle for puzzle in read_json(PUZZLES, MAX_FILE)["puzzles"]}


def question(puzzle: dict[str, Any]) -> dict[str, Any]:
    """A puzzle without its answer."""
    position = Position.parse(puzzle["position"])
    states = position.states()
    return {
        **{key: puzzle[key] for key in ("id", "theme", "level", "judge")},
        "position": position.to_dict(),
        "scores": [int(rules.score(states, 0, seat)) for seat in range(position.num_players)],
        "legal": sorted(row["action"] for row in puzzle["actions"]),
    }


def answer(puzzle: dict[str, Any], action: int) -> dict[str, Any]:
    """Whether an action is right; what all of them win, and who else is wrong."""
    rows = puzzle["actions"]
    if action not in {row["action"] for row in rows}:
        raise RoomError(422, f"action {action} is not legal here")
    return {"right": action == rows[0]["action"], "actions": rows, "falls": puzzle["falls"], "text": puzzle["position"]}


def add_trainer(app: FastAPI) -> None:
    """Add these requests to the application."""

    def find(name: str) -> dict[str, Any]:
        found = puzzles().get(name)
        if found is None:
            raise RoomError(404, f"there is no puzzle {name}", "no_puzzle")
        return found

    @app.get("/api/puzzles")
    async def all_puzzles() -> dict[str, list[dict[str, Any]]]:
        """What there is, in an order that stays: id, theme, level from 1 (easy) to 3, and players."""
        return {
            "puzzles": [
                {"id": name, "theme": puzzle["theme"], "level": puzzle["level"], "players": int(puzzle["position"][0])}
                for name, puzzle in puzzles().items()
            ]
        }

    @app.get("/api/puzzles/{puzzle}")
    async def one_puzzle(puzzle: PuzzleId) -> dict[str, Any]:
        """A puzzle: who is asked what, and what they may do."""
        return question(find(puzzle))

    @app.post("/api/puzzles/{puzzle}")
    async def choose(puzzle: PuzzleId, wish: Choice) -> dict[str, Any]:
        """Choose, and be told what is right, and why."""
        return answer(find(puzzle), wish.action)
