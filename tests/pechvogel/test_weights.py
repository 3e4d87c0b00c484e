"""The trained agents in the repository: complete cards, small files, and as strong as the cards say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pechvogel.agents import card as cards
from pechvogel.agents import registry
from pechvogel.agents.pechvogel import value
from pechvogel.agents.policy import load
from pechvogel.train import config as configs
from pechvogel.train.arena import tournament
from pechvogel_env.kind import KIND

WEIGHTS = cards.folder("pechvogel")
CONFIGS = Path(__file__).parents[2] / "configs" / "pechvogel"
# (players, copies): the config, and what the agent must win at a table of each.
TRAINED: dict[tuple[int, int], tuple[str, dict[str, float]]] = {
    (2, 3): ("ppo-2", {"random": 0.95, "heuristic": 0.53}),
    (3, 3): ("ppo-3", {"heuristic": 0.37}),
    (4, 3): ("ppo-4", {"heuristic": 0.28}),
    (5, 3): ("ppo-5", {"heuristic": 0.23}),
    (2, 2): ("ppo-2-copies-2", {"heuristic": 0.5}),
    (2, 1): ("ppo-2-copies-1", {"heuristic": 0.5}),
}


def card_of(players: int, copies: int) -> dict[str, Any]:
    return load(WEIGHTS / f"ppo-{players}-{copies}.safetensors")[1]


@pytest.mark.parametrize(("players", "copies"), TRAINED)
def test_every_card_is_complete(players: int, copies: int) -> None:
    path = WEIGHTS / f"ppo-{players}-{copies}.safetensors"
    assert path.stat().st_size <= 2_000_000
    card = card_of(players, copies)
    assert cards.variant_of(card) == KIND.variant(players, copies=copies) and card["environment"] == "pechvogel_v0"
    name, floors = TRAINED[players, copies]
    assert configs.from_dict(card["config"]) == configs.read(CONFIGS / f"{name}.yaml"), "can't be made anew"
    assert card["steps"] >= card["config"]["steps"] and card["seconds"] > 0 and card["version"]
    results = {row["against"]: row for row in card["results"]}
    assert {"random", "heuristic", "planner"} <= results.keys()
    for row in results.values():
        assert row["games"] >= 10_000 and row["ci95"][0] < row["win_share"] < row["ci95"][1]
    for opponent, floor in floors.items():
        assert results[opponent]["win_share"] >= floor


@pytest.mark.parametrize(("players", "copies"), TRAINED)
def test_they_play(players: int, copies: int) -> None:
    registry.check(registry.make("ppo"), players, copies=copies)
    registry.check(registry.make("ppo:sample=true"), players, copies=copies, games=1)


@pytest.mark.parametrize(("players", "copies"), TRAINED)
def test_a_few_games_agree_with_the_card(players: int, copies: int) -> None:
    check_results(players, copies, games=600)


@pytest.mark.slow
@pytest.mark.parametrize(("players", "copies"), TRAINED)
def test_many_games_agree_with_the_card(players: int, copies: int) -> None:
    check_results(players, copies, games=10_000)


def check_results(players: int, copies: int, games: int) -> None:
    """Other dice than the card's: shares differ by chance only."""
    setup = tournament.Setup(
        ["ppo", "random", "heuristic"],
        KIND.variant(players, copies=copies),
        games,
        seed=7,
        first_against_rest=True,
    )
    claimed = {row["against"]: row for row in card_of(players, copies)["results"]}
    for row in tournament.run(setup)["lineups"]:
        assert_same_share(row["agents"][0], claimed[row["lineup"][-1]])


def assert_same_share(mine: dict[str, Any], card: dict[str, Any]) -> None:
    error = sum(((row["ci95"][1] - row["ci95"][0]) / 2 / 1.96) ** 2 for row in (mine, card)) ** 0.5
    assert abs(mine["win_share"] - card["win_share"]) < 4 * error


# (players, copies): the config, and what the champion must win at a table of each.
CHAMPIONS: dict[tuple[int, int], tuple[str, dict[str, float]]] = {
    (2, 3): ("champion-2", {"heuristic": 0.64, "planner": 0.6, "ppo": 0.6}),
    (3, 3): ("champion-3", {"heuristic": 0.4, "planner": 0.39, "ppo": 0.38}),
    (4, 3): ("champion-4", {"heuristic": 0.3, "planner": 0.28, "ppo": 0.27}),
    (5, 3): ("champion-5", {"heuristic": 0.255, "planner": 0.22, "ppo": 0.25}),
    (2, 1): ("champion-2-copies-1", {"heuristic": 0.61, "planner": 0.58, "ppo": 0.6}),
}


@pytest.mark.parametrize(("players", "copies"), CHAMPIONS)
def test_every_champion_has_a_complete_card(players: int, copies: int) -> None:
    path = WEIGHTS / f"champion-{players}-{copies}.safetensors"
    card = value.load(path)[1]
    assert path.stat().st_size <= 2_000_000 and cards.variant_of(card) == KIND.variant(players, copies=copies)
    name, floors = CHAMPIONS[players, copies]
    assert configs.from_dict(card["config"]) == configs.read(CONFIGS / f"{name}.yaml"), "can't be made anew"
    assert card["steps"] >= card["config"]["turns"] and card["seconds"] > 0 and card["version"]
    results = {row["against"]: row for row in card["results"]}
    for opponent, floor in floors.items():
        assert results[opponent]["games"] >= 10_000 and results[opponent]["ci95"][0] > floor
    rival = {row["against"]: row for row in card_of(players, copies)["results"]}
    assert results["heuristic"]["ci95"][0] > rival["heuristic"]["ci95"][1], "no better than ppo against heuristics"
    assert results["ppo"]["ci95"][0] > 1 / players + 0.01, "no better than ppo"
    registry.check(registry.make("champion"), players, copies=copies, games=1)
    registry.check(registry.make("champion:level=4"), players, copies=copies, games=1)


@pytest.mark.parametrize(("players", "copies"), CHAMPIONS)
def test_a_few_games_of_champions_agree_with_their_cards(players: int, copies: int) -> None:
    claimed = {
        row["against"]: row for row in value.load(WEIGHTS / f"champion-{players}-{copies}.safetensors")[1]["results"]
    }
    setup = tournament.Setup(
        ["champion", "heuristic"], KIND.variant(players, copies=copies), 600, seed=7, first_against_rest=True
    )
    (row,) = tournament.run(setup)["lineups"]
    assert_same_share(row["agents"][0], claimed["heuristic"])


@pytest.mark.parametrize("players", [3, 4, 5])
def test_two_hours_of_learning_win_nothing_against_champions(players: int) -> None:
    card = load(WEIGHTS / f"response-{players}-3.safetensors")[1]
    assert configs.from_dict(card["config"]) == configs.read(CONFIGS / f"response-{players}.yaml")
    assert (
        card["config"]["league"] == {"champion": 1.0} and card["config"]["start"] == "ppo" and card["seconds"] >= 7200
    )
    (row,) = card["results"]
    assert row["against"] == "champion" and row["games"] >= 3000 and row["ci95"][1] < 1 / players + 0.02


@pytest.mark.slow
@pytest.mark.parametrize("players", [3, 4, 5])
def test_best_responses_win_what_their_cards_say(players: int) -> None:
    path = WEIGHTS / f"response-{players}-3.safetensors"
    (card,) = load(path)[1]["results"]
    setup = tournament.Setup(
        [f"ppo:weights={path}", "champion"], KIND.variant(players), games=1000, seed=7, first_against_rest=True
    )
    assert_same_share(tournament.run(setup)["lineups"][0]["agents"][0], card)
