"""Recorded games: rebuilt as they were, refused when damaged or tampered with."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from pechvogel.tabletop.bits import action_list
from pechvogel.tabletop.record import digest
from porca_miseria_env import record
from porca_miseria_env.game import Game
from porca_miseria_env.record import RecordError


def played(seed: int, num_players: int = 3, cards: Any = (), **settings: Any) -> Game:
    game = Game(num_players, **settings)
    game.reset(seed, cards=cards)
    rng = random.Random(seed)
    while game.bits:
        game.step(rng.choice(action_list(game.bits)))
    return game


def sealed(record_: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Tamper and make the checksum fit again."""
    changed = {**copy.deepcopy(record_), **changes}
    return {**changed, "sha256": digest(changed)}


GAMES = [
    played(1, 8),
    played(2, 5, tap_cards=20, ticks=3, blur=0.3, moving_numbers=True, max_cards=15),
    played(3, 4, skip_forced=False, max_cards=15),
    played(4, 3, cards=[{"card": 5}, {"card": 60, "ticks": [{"order": [2, 1, 0]}]}, {"card": 5}], max_cards=10),
    played(5, 6, tap_cards=63, max_cards=10),
]


@pytest.mark.parametrize("game", GAMES, ids=range(len(GAMES)))
def test_a_record_rebuilds_the_whole_game(game: Game) -> None:
    kept = json.loads(json.dumps(record.of_game(game)))
    assert record.verify(kept) == kept
    *ticks, (rebuilt, last) = record.steps(kept)
    assert last is None and rebuilt.view(1) == game.view(1) and rebuilt.scores() == game.scores() == kept["scores"]
    assert rebuilt.actions == game.actions
    assert [actions for _, actions in ticks] == [tick["actions"] for card in kept["cards"] for tick in card["ticks"]]
    assert record.of_game(rebuilt) == kept


def test_a_record_has_all_chance_and_all_actions() -> None:
    kept = record.of_game(GAMES[0])
    assert list(kept) == [
        "format", "num_players", "settings", "seed", "first_dealer", "scripted", "cards", "scores", "sha256",
    ]  # fmt: skip
    assert kept["format"] == "porca-miseria-game-1"
    for card in kept["cards"]:
        for tick in card["ticks"]:
            assert list(tick) == ["glances", "order", "actions", "loot"]
            assert len(tick["glances"]) == (8 if card["card"] < 54 else 0)
            assert sorted(tick["order"]) == list(range(8)) and len(tick["actions"]) == 8
    other = Game(8, **kept["settings"])
    other.reset(12345, kept["first_dealer"], kept["cards"])  # another seed, the same chance
    for action in GAMES[0].actions:
        other.step(action)
    assert other.scores() == kept["scores"] and not other.bits


def test_only_finished_games_are_recorded() -> None:
    game = Game(3)
    for _ in range(2):
        with pytest.raises(ValueError, match="only finished games"):
            record.of_game(game)
        game.reset(1)


def changed(kept: dict[str, Any], change: Any) -> dict[str, Any]:
    other = copy.deepcopy(kept)
    change(other)
    return sealed(other)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda r: r.update(format="porca-miseria-game-2"), "has the format"),
        (lambda r: r.pop("cards"), "lacks the field 'cards'"),
        (lambda r: r.update(weather="fine"), "unknown field 'weather'"),
        (lambda r: r.update(cards=3), "a list of cards"),
        (lambda r: r.update(settings=[]), "an object of settings"),
        (lambda r: r["settings"].update(tap_cards=99), "can't be replayed: tap_cards must be"),
        (lambda r: r["settings"].update(colour="red"), "can't be replayed"),
        (lambda r: r["settings"].pop("max_cards"), "has 'settings' in a form|stops after|goes on after"),
        (lambda r: r.update(scripted=99), "cards with given chance"),
        (lambda r: r.update(seed=8), "chance that its seed does not give|can't be replayed|goes on|stops|illegal"),
        (lambda r: r["cards"].pop(), "stops after"),
        (lambda r: r["cards"].append(r["cards"][0]), "goes on after the end of the game"),
        (lambda r: r["cards"][0]["ticks"][0].update(order=[0, 1, 2, 3, 4, 5, 6, 6]), "chance that its seed"),
        (lambda r: r["cards"][0]["ticks"][0]["actions"].pop(), "an action for each of 8 seats"),
        (lambda r: r["cards"][0]["ticks"][0]["actions"].__setitem__(0, 9), "can't be replayed: action 9 is illegal"),
        (lambda r: r.update(scores=[0] * 8), "says scores"),
        (lambda r: r["cards"][0].update(card=True), "chance that its seed does not give|in a form that is not"),
    ],
)
def test_tampering_is_found(change: Any, sentence: str) -> None:
    with pytest.raises(RecordError, match=sentence):
        record.verify(changed(record.of_game(GAMES[0]), change))


def test_damage_is_found() -> None:
    kept = record.of_game(GAMES[1])
    kept["cards"][0]["card"] ^= 1
    with pytest.raises(RecordError, match="does not match its sha256"):
        record.verify(kept)
    for nothing in (None, 3, [], "x"):
        with pytest.raises(RecordError, match="is not a JSON object"):
            record.verify(nothing)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    for game in GAMES[1:3]:
        record.append(path, record.of_game(game))
    assert record.read(path) == [record.of_game(game) for game in GAMES[1:3]]
    path.write_text(path.read_text()[:-40])
    with pytest.raises(RecordError, match="line 2: the record is not whole JSON"):
        record.read(path)
