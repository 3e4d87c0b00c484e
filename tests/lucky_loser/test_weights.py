"""The agents that come with weights: cards that say how they were made, and strength that agrees with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from lucky_loser_env.game import Game
from lucky_loser_env.kind import KIND
from pechvogel.agents import card as cards
from pechvogel.agents import policy, registry
from pechvogel.agents.levels import TOP
from pechvogel.agents.lucky_loser import value
from pechvogel.agents.lucky_loser.champion import TEMPERATURES, ChampionAgent
from pechvogel.cli import main
from pechvogel.train import config as configs
from pechvogel.train.arena import tournament

WEIGHTS = cards.folder(KIND.name)
GAME = ["--game", "lucky-loser"]
# What must be won at a table of each, by agent and players; the interval on the card is above it.
FLOORS = {
    ("champion", 2): {"random": 0.99, "heuristic": 0.6, "ppo": 0.55},
    ("champion", 3): {"heuristic": 1 / 3 + 0.06, "ppo": 1 / 3 + 0.02},
    ("champion", 4): {"heuristic": 1 / 4 + 0.06, "ppo": 1 / 4 + 0.02},
    ("ppo", 2): {"random": 0.98, "heuristic": 0.5},
    ("ppo", 3): {"random": 0.9, "heuristic": 1 / 3},
    ("ppo", 4): {"random": 0.9, "heuristic": 1 / 4},
}


def path_of(name: str, players: int) -> Path:
    return WEIGHTS / f"{name}-{players}.safetensors"


def card_of(name: str, players: int) -> dict[str, Any]:
    load: Any = value.load if name == "champion" else policy.load
    return load(path_of(name, players))[1]  # type: ignore[no-any-return]


@pytest.mark.parametrize(("name", "players"), FLOORS)
def test_every_card_is_complete(name: str, players: int) -> None:
    card = card_of(name, players)
    assert path_of(name, players).stat().st_size <= 2_000_000
    assert cards.variant_of(card) == KIND.variant(players) and card["environment"] == "lucky_loser_v0"
    config = configs.read(configs.find(f"{name}-{players}", KIND.name))
    assert configs.from_dict(card["config"]) == config, "can't be made anew"
    assert card["steps"] >= card["config"]["turns" if name == "champion" else "steps"]
    assert card["seconds"] > 0 and card["version"]
    results = {row["against"]: row for row in card["results"]}
    for opponent, floor in FLOORS[name, players].items():
        assert results[opponent]["games"] >= 10_000 and results[opponent]["ci95"][0] > floor, opponent


@pytest.mark.parametrize(("name", "players"), FLOORS)
def test_they_play_what_their_cards_say(name: str, players: int) -> None:
    """A few games, with other dice: shares differ by chance only."""
    for options in ("", ":level=4" if name == "champion" else ":sample=true"):
        registry.check(registry.make(name + options, KIND.name), players, game=KIND.name, games=1)
    setup = tournament.Setup([name, "heuristic"], KIND.variant(players), 600, seed=7, first_against_rest=True)
    mine = tournament.run(setup)["lineups"][0]["agents"][0]
    (card,) = [row for row in card_of(name, players)["results"] if row["against"] == "heuristic"]
    error = sum(((row["ci95"][1] - row["ci95"][0]) / 2 / 1.96) ** 2 for row in (mine, card)) ** 0.5
    assert abs(mine["win_share"] - card["win_share"]) < 4 * error


@pytest.mark.parametrize("name", ["champion", "ppo"])
def test_other_rows_are_refused_with_a_sentence(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", name, "random", "--games", "2", *GAME, "--row-lengths", "4,4,4,4,4,5"]) == 2
    error = capsys.readouterr().err
    assert "there are no weights for 2 players, rows of 4,4,4,4,4,5; train some" in error and error.count("\n") == 1
    assert f"{name}:weights=FILE" in error


def test_weights_of_the_other_game_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("champion", "ppo"):
        theirs = f"{name}:weights={cards.folder('pechvogel') / name}-2-3.safetensors"
        assert main(["evaluate", theirs, "random", "--games", "2", *GAME]) == 2
        ours = f"{name}:weights={path_of(name, 2)}"
        assert main(["evaluate", ours, "random", "--games", "2"]) == 2
        errors = capsys.readouterr().err.splitlines()
        assert len(errors) == 2 and all("for" in error for error in errors)


def test_the_champion_knows_the_end() -> None:
    """Whoever ends the game knew what that is worth (L14, L15); two champions may also wait for ever (L16)."""
    champion, rng, game = ChampionAgent(), np.random.default_rng(1), Game(2, max_turns=300)
    worth = []
    for seed in range(20):
        game.reset(seed)
        while game.bits:
            seat, values = game.to_act, champion.action_values(game.position())
            action = champion.act(game.position(), game.mask(), rng)
            assert values[action] == np.nanmax(values) and seat is not None
            game.step(action)
        if game.over:
            worth.append(float(values[action]))
            assert game.rewards("win")[seat] == pytest.approx(worth[-1])
    assert -1 in worth and 1 in worth and len(worth) > 10


def test_levels_are_weaker_the_lower_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert list(TEMPERATURES) == sorted(TEMPERATURES, reverse=True) and len(TEMPERATURES) == TOP - 1
    path = tmp_path / "levels.json"
    assert main(["levels", *GAME, "--games", "60", "--seed", "3", "--json", str(path)]) == 0
    rows = json.loads(path.read_text())["levels"]
    assert [row["temperature"] for row in rows] == list(TEMPERATURES)
    assert rows[0]["win_share"] < 0.35 < rows[-1]["win_share"] and f"{TEMPERATURES[0]:g}" in capsys.readouterr().out
    assert main(["levels", *GAME, "--calibrate"]) == 2


def test_a_position_is_analysed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = Game(2)
    game.reset(3)
    text, target = game.position().to_text(), tmp_path / "found.json"
    assert main(["analyse", text, *GAME, "--json", str(target)]) == 0
    found = json.loads(target.read_text())
    assert [row["action"] for row in found["actions"]] != [] and found["seat"] == game.to_act
    assert sorted(row["action"] for row in found["actions"]) == np.flatnonzero(game.mask()).tolist()
    assert found["value"] == found["actions"][0]["value"] == max(row["value"] for row in found["actions"])
    assert KIND.actions[found["actions"][0]["action"]] in capsys.readouterr().out
    assert main(["analyse", text, *GAME, "--table", "x"]) == 2
    assert "there are no solution tables for lucky-loser" in capsys.readouterr().err
