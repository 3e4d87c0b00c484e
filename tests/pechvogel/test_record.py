"""Recorded games: rebuilt as they were, refused when damaged or tampered with."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from pechvogel.tabletop.bits import action_list
from pechvogel_env import record
from pechvogel_env.game import Game
from pechvogel_env.record import RecordError


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
    return {**changed, "sha256": record._digest(changed)}


GAMES = [
    played(1),
    played(2, 2, copies=1, italian_reading=True),
    played(3, 5, skip_forced=False),
    played(4, 4, max_turns=7),
    played(5, 2, dice=[7, 7, 0, 0, 3, 4, 5, 6, 7, 7]),
    played(6, 3, position={"turn": 30, "players": [{"frustrations": 4}, {}, {"markers": [1, 0, 0, 0, 2]}]}),
]


@pytest.mark.parametrize("game", GAMES, ids=range(len(GAMES)))
def test_a_record_rebuilds_the_whole_game(game: Game) -> None:
    kept = json.loads(json.dumps(record.of_game(game)))
    assert record.verify(kept) == kept
    *decisions, (rebuilt, last) = record.steps(kept)
    assert last is None
    assert [action for _, action in decisions] == game.actions
    assert rebuilt.position() == game.position()
    assert rebuilt.scores() == game.scores()
    assert len(kept["dice"]) > 50
    assert record.of_game(rebuilt) == kept


def test_steps_show_every_decision() -> None:
    game = played(1)
    fresh = Game(3)
    fresh.reset(1)
    for replayed, action in record.steps(record.of_game(game)):
        assert replayed.position() == fresh.position()
        if action is not None:
            fresh.step(action)


def test_an_unfinished_game_is_not_recorded() -> None:
    game = Game(2)
    game.reset(1)
    with pytest.raises(ValueError, match="has not ended"):
        record.of_game(game)


KEPT = record.of_game(GAMES[0])


@pytest.mark.parametrize(
    ("tampered", "message"),
    [
        ({**KEPT, "seed": 2}, "does not match its sha256"),
        ({**KEPT, "scores": [99, 0, 0]}, "does not match its sha256"),
        ({**KEPT, "format": "pechvogel-game-9"}, "has the format 'pechvogel-game-9'"),
        ({name: value for name, value in KEPT.items() if name != "dice"}, "lacks the field 'dice'"),
        ({**KEPT, "luck": 1}, "unknown field 'luck'"),
        ([], "is not a JSON object"),
        (sealed(KEPT, seed=2), "can't be replayed|dice that its seed does not give|before the end|after the end"),
        (sealed(KEPT, scores=[99, 0, 0]), r"says scores \[99, 0, 0\]"),
        (sealed(KEPT, actions=KEPT["actions"][:-1]), "stops after .* before the end of the game"),
        (sealed(KEPT, actions=[*KEPT["actions"], 5]), "goes on after the end"),
        (sealed(KEPT, actions=[17, *KEPT["actions"][1:]]), r"can't be replayed: action 17 \(discard_7\) is illegal"),
        (sealed(KEPT, actions=["0", *KEPT["actions"][1:]]), "can't be replayed: action '0' is illegal"),
        (sealed(KEPT, dice=KEPT["dice"][:-1]), "dice that its seed does not give"),
        (sealed(KEPT, dice=[*KEPT["dice"][:20], 9, *KEPT["dice"][21:]]), r"does not give \(die 21 of"),
        (sealed(KEPT, scripted=-1), "scripted dice"),
        (sealed(KEPT, scripted=10**6), "scripted dice"),
        (sealed(KEPT, dice=5), "must have lists"),
        (sealed(KEPT, num_players=9), "can't be replayed: num_players must be from 2 to 5"),
        (sealed(KEPT, position={"targets": 99}), "can't be replayed: position: targets"),
        (sealed(KEPT, first_player="me"), "can't be replayed: first_player"),
        (sealed(KEPT, max_turns=3), "goes on after the end"),
        (sealed(KEPT, italian_reading=None), "italian_reading must be True or False"),
        (sealed(KEPT, first_player=None), "has 'first_player' in a form that is not its own"),
        (sealed(KEPT, scores=[float(score) for score in KEPT["scores"]]), "has 'scores' in a form"),
        (sealed(KEPT, dice=[float(face) for face in KEPT["dice"]]), "has 'dice' in a form"),
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
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    with pytest.raises(RecordError, match=r"games.jsonl, line 6: the record is not whole JSON; was the file cut off\?"):
        record.read(path)
    lines = whole.splitlines()
    lines[2] = lines[2].replace(b'"seed":3', b'"seed":4')
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(RecordError, match="line 3: the record does not match its sha256"):
        record.read(path)
    path.write_bytes(whole[:-40])
    record.append(path, record.of_game(GAMES[0]))
    assert json.loads(path.read_bytes().splitlines()[-1]) == record.of_game(GAMES[0]), "a stump must not swallow it"
    path.write_bytes(b'{"seed": ' + b"9" * 6000 + b"}")
    with pytest.raises(RecordError, match="line 1"):
        record.read(path)
    path.write_bytes(b"\xff\xfe\n")
    with pytest.raises(RecordError, match="line 1"):
        record.read(path)
    path.write_bytes(b"\n\n")
    with pytest.raises(RecordError, match="no recorded game"):
        record.read(path)
