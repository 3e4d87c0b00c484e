"""Recorded games: rebuilt as they were, refused when damaged or tampered with."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from lucky_loser_env import record
from lucky_loser_env.game import Game
from lucky_loser_env.record import RecordError
from pechvogel.tabletop.bits import action_list
from pechvogel.tabletop.record import digest
from pechvogel_env import record as other


def played(seed: int, players: int = 3, **settings: Any) -> Game:
    reset = {name: settings.pop(name) for name in ("dice", "position") if name in settings}
    game = Game(players, **settings)
    game.reset(seed, **reset)
    rng = random.Random(seed)
    while game.bits:
        game.step(rng.choice(action_list(game.bits)))
    return game


def sealed(record_: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Tamper and make the checksum fit again."""
    changed = {**copy.deepcopy(record_), **changes}
    return {**changed, "sha256": digest(changed)}


GAMES = [
    played(1),
    played(2, 2, row_lengths=(1, 2, 3, 4, 5, 6)),
    played(3, 4, skip_forced=False),
    played(4, 4, max_turns=13),
    played(5, 2, dice=[1, 1, 1, 1, 6, 5]),
    played(6, 3, position={"turn": 30, "players": [{"places": [1, 2, 3, 0, 0, 0]}, {}, {"chips": [1, 0, 0, 0, 0, 2]}]}),
]


@pytest.mark.parametrize("game", GAMES, ids=range(len(GAMES)))
def test_a_record_rebuilds_the_whole_game(game: Game) -> None:
    kept = json.loads(json.dumps(record.of_game(game)))
    assert kept["format"] == "lucky-loser-game-1" and record.verify(kept) == kept
    *decisions, (rebuilt, last) = record.steps(kept)
    assert last is None and [action for _, action in decisions] == game.actions
    assert rebuilt.position() == game.position() and rebuilt.scores() == game.scores()
    assert len(kept["dice"]) == 4 * (game.position().turn - (30 if kept["position"] else 0))
    assert record.of_game(rebuilt) == kept


KEPT = record.of_game(GAMES[0])


@pytest.mark.parametrize(
    ("tampered", "message"),
    [
        ({**KEPT, "seed": 2}, "does not match its sha256"),
        ({**KEPT, "format": "pechvogel-game-1"}, "has the format 'pechvogel-game-1', but this reads 'lucky-loser-gam"),
        ({name: value for name, value in KEPT.items() if name != "row_lengths"}, "lacks the field 'row_lengths'"),
        ({**KEPT, "copies": 1}, "unknown field 'copies'"),
        (sealed(KEPT, seed=2), "can't be replayed|dice that its seed does not give|before the end|after the end"),
        (sealed(KEPT, scores=[99, 0, 0]), r"says scores \[99, 0, 0\]"),
        (sealed(KEPT, actions=KEPT["actions"][:-1]), "stops after .* before the end of the game"),
        (sealed(KEPT, actions=[*KEPT["actions"], 5]), "goes on after the end"),
        (sealed(KEPT, row_lengths=[4] * 5), "can't be replayed: row_lengths must be 6 whole numbers"),
        (sealed(KEPT, row_lengths=None), "can't be replayed: row_lengths must be"),
        (sealed(KEPT, dice=[*KEPT["dice"][:20], 9, *KEPT["dice"][21:]]), r"does not give \(die 21 of"),
        (sealed(KEPT, position={"turn": "x"}), "can't be replayed: position: turn"),
    ],
)
def test_a_tampered_record_is_refused(tampered: Any, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        record.verify(tampered)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    for game in GAMES:
        record.append(path, record.of_game(game))
    assert [kept["scores"] for kept in record.read(path)] == [game.scores() for game in GAMES]
    with pytest.raises(other.RecordError, match="line 1: the record has the format 'lucky-loser-game-1'"):
        other.read(path)


def test_an_unfinished_game_is_not_recorded() -> None:
    game = Game(2)
    game.reset(1)
    with pytest.raises(ValueError, match="has not ended"):
        record.of_game(game)
