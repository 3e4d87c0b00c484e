"""The tournament: paired dice, honest intervals, and agents that misbehave."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pechvogel.agents import registry
from pechvogel.cli import main
from pechvogel.train.arena import summary, tournament
from pechvogel.train.arena.match import Match
from pechvogel.train.arena.statistics import fit_ratings, mean_and_interval, mean_over_lineups
from pechvogel.train.arena.tournament import Setup
from pechvogel_env.kind import KIND


def shares(result: dict[str, Any]) -> dict[str, float]:
    return {row["name"]: row["win_share"] for row in result["agents"]}


def test_lineups() -> None:
    assert Setup(["a", "b"]).lineups() == [("a", "b")]
    assert Setup(["a", "b", "b"], KIND.variant(3)).lineups() == [("a", "b", "b")]
    assert Setup(["a", "b", "c"]).lineups() == [("a", "b"), ("a", "c"), ("b", "c")]
    assert Setup(["a", "b"], KIND.variant(4), one_against_rest=True).lineups() == [
        ("a", "b", "b", "b"),
        ("b", "a", "a", "a"),
    ]
    assert Setup(["a", "b", "c"], KIND.variant(3), first_against_rest=True).lineups() == [
        ("a", "b", "b"),
        ("a", "c", "c"),
    ]
    assert Setup(["a", "b", "c"], KIND.variant(3), games=10).blocks == 4, "rounded up to whole rotations"


def test_all_rotations_meet_the_same_dice_and_an_agent_is_even_with_itself() -> None:
    agent = registry.make("heuristic")
    results = Match([agent, agent, agent], KIND.variant(3, copies=3), 1, 0, range(20), 5.0).play()
    # The same player on every place: rotating changes nothing but names.
    for rotation in range(1, 3):
        assert (results.scores[:, rotation] == np.roll(results.scores[:, 0], -rotation, axis=1)).all()
    assert results.shares.mean(axis=1) == pytest.approx(np.full((20, 3), 1 / 3))
    assert results.shares.sum(axis=2) == pytest.approx(np.ones((20, 3)))


def test_the_result_does_not_depend_on_the_number_of_workers() -> None:
    setup = Setup(["random", "heuristic"], games=600, seed=3, workers=1)
    alone = tournament.run(setup)
    setup.workers = 2
    together = tournament.run(setup)
    for result in (alone, together):
        for row in result["agents"]:
            del row["ms_per_decision"]  # the only figure that is measured
    assert alone == together


def test_habits_and_lengths_are_those_of_the_games() -> None:
    """Counted again from the same games, played one by one in the environment's engine."""
    from pechvogel.tabletop.seeds import game_seed
    from pechvogel_env.game import Game
    from pechvogel_env.rules import Action, Phase

    agents = [registry.make("heuristic"), registry.make("random"), registry.make("random")]
    results = Match(agents, KIND.variant(3, copies=1), 7, 0, range(4), 5.0).play()
    choices, turns = np.zeros_like(results.choices), []
    for block in range(4):
        for rotation in range(3):
            rng = np.random.default_rng([7, 0, block, rotation])
            game = Game(3, 1)
            game.reset(int(game_seed(np.uint64(7), 0, block)), 0)
            while game.bits:
                place = (int(game.states["to_act"][0]) - rotation) % 3
                action = agents[place].act(game.position(), game.mask(), rng)
                choices[place, game.states["phase"][0], action] += 1
                game.step(action)
            turns.append(game.position().turn)
    assert (results.choices == choices).all() and results.turns.ravel().tolist() == turns
    found = summary.summarize(KIND, [("a", "b", "b")], [[results]])["lineups"][0]
    steals = choices[1:, Phase.TAKE, Action.STEAL_1 : Action.STEAL_4 + 1].sum()
    assert found["agents"][1]["habits"]["steal"] == [steals, choices[1:, Phase.TAKE].sum()]
    assert found["agents"][0]["habits"]["frustrate"] == [
        choices[0, Phase.FRUSTRATE, Action.FRUSTRATE],
        choices[0, Phase.FRUSTRATE].sum(),
    ]
    assert found["games"] == 12 and np.dot(found["turns"], np.arange(len(found["turns"]))) == sum(turns)


def test_figures() -> None:
    result = tournament.run(Setup(["random", "heuristic", "planner"], games=200, seed=5, workers=1))
    assert result["games"] == 600
    by_name = {row["name"]: row for row in result["agents"]}
    assert shares(result)["random"] < 0.12 and by_name["random"]["games"] == 400
    assert by_name["planner"]["rating"] > by_name["random"]["rating"] + 200
    assert sum(row["rating"] for row in result["agents"]) == pytest.approx(0, abs=1e-6)
    assert sum(row["win_share"] * row["games"] for row in result["agents"]) == pytest.approx(600)
    for row in result["agents"]:
        assert row["ci95"][0] < row["win_share"] < row["ci95"][1]
        assert 1 <= row["mean_rank"] <= 2 and row["forfeits"] == 0 and row["rating_error"] > 0
    pair = {(row["agent"], row["against"]): row["ahead"] for row in result["pairs"]}
    assert pair["random", "heuristic"] + pair["heuristic", "random"] == pytest.approx(1)


def test_calibration() -> None:
    """Two random agents are equally good: about 95% of the intervals must contain one half, and none be too wide."""
    agents = [registry.make("random"), registry.make("random")]
    covered, means, halves = 0, [], []
    for seed in range(100):
        results = Match(agents, KIND.variant(2, copies=1), seed, 0, range(60), 5.0).play()
        mean, (low, high) = mean_and_interval(results.shares[:, :, 0].mean(axis=1))
        covered += low <= 0.5 <= high
        means.append(mean)
        halves.append((high - low) / 2)
    assert 88 <= covered <= 100  # 95 expected, standard deviation 2.2
    # A standard deviation of 100 means is known to 7%.
    assert np.mean(halves) / 1.96 == pytest.approx(np.std(means, ddof=1), rel=0.25)


def test_ratings_recover_known_strengths() -> None:
    rng = np.random.default_rng(1)
    true = np.array([-150.0, 0.0, 150.0])
    wins, games = np.zeros((6000, 3, 3)), np.zeros((6000, 3, 3))
    for block in range(6000):
        i, j = [(0, 1), (0, 2), (1, 2)][block % 3]
        won = rng.random() < 1 / (1 + 10 ** ((true[j] - true[i]) / 400))
        wins[block, i, j], wins[block, j, i] = won, not won
        games[block, i, j] = games[block, j, i] = 1
    ratings, errors = fit_ratings(wins, games)
    assert (np.abs(ratings - true) < 4 * errors).all()
    assert (errors < 10).all() and (errors > 2).all()


def test_one_sided_results_stay_finite() -> None:
    wins, games = np.zeros((50, 2, 2)), np.zeros((50, 2, 2))
    wins[:, 0, 1] = games[:, 0, 1] = games[:, 1, 0] = 1
    ratings, _ = fit_ratings(wins, games)
    assert 0 < ratings[0] < 2000 and ratings[1] == pytest.approx(-ratings[0])


class Crashing:
    name = "crashing"

    def act(self, position: Any, mask: np.ndarray, rng: np.random.Generator) -> int:
        if position.turn > 3:
            raise RuntimeError("out of luck")
        return int(mask.argmax())


class Illegal:
    name = "illegal"

    def act_batch(self, states: Any, masks: np.ndarray, rngs: Any) -> np.ndarray:
        actions = masks.argmax(axis=1)
        actions[states["turn"] > 5] = 17
        return actions

    def act(self, position: Any, mask: np.ndarray, rng: np.random.Generator) -> int:
        return 17


class Slow:
    name = "slow"

    def act(self, position: Any, mask: np.ndarray, rng: np.random.Generator) -> int:
        if position.turn > 2:
            time.sleep(30)
        return int(mask.argmax())


@pytest.mark.parametrize(
    ("agent", "sentence"),
    [
        (Crashing(), "crashing crashed: RuntimeError: out of luck"),
        (Illegal(), "illegal played 17, which is illegal"),
        (Slow(), "slow took longer than 0.05 s for a decision"),
    ],
)
def test_an_agent_that_misbehaves_forfeits_and_the_tournament_goes_on(agent: Any, sentence: str) -> None:
    start = time.monotonic()
    good = registry.make("heuristic")
    results = Match([good, agent, good], KIND.variant(3, copies=3), 1, 0, range(4), 0.05).play()
    assert time.monotonic() - start < 25
    assert sentence in [message.replace("np.int64(17)", "17") for message in results.messages]
    assert results.forfeits[:, :, 1].all() and not results.forfeits[:, :, [0, 2]].any()
    assert (results.shares[:, :, 1] == 0).all() and (results.shares[:, :, 0] == 0.5).all()
    assert (results.ranks[:, :, 1] == 3).all() and (results.ranks[:, :, 0] == 1.5).all()


def test_endless_games_are_truncated_and_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pechvogel.train.arena.match.MAX_TURNS", 4)
    agent = registry.make("heuristic")
    results = Match([agent, agent], KIND.variant(2, copies=3), 1, 0, range(10), 5.0).play()
    assert results.truncated == 20 and (results.turns == 4).all()
    assert results.shares.sum(axis=2) == pytest.approx(np.ones((10, 2)))


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "entrant.py").write_text(
        "class Entrant:\n"
        "    name = 'entrant'\n"
        "    def act(self, position, mask, rng):\n"
        "        return int(mask.argmax())\n"
    )
    monkeypatch.chdir(tmp_path)
    words = ["evaluate", "heuristic", "random", "entrant:Entrant", "--players", "3", "--games", "30", "--seed", "2"]
    assert main([*words, "--json", "out.json", "--plot", "out.png", "--workers", "1"]) == 0
    out = capsys.readouterr().out
    assert "win share" in out and "comes out before" in out
    result = json.loads((tmp_path / "out.json").read_text())
    assert (result["players"], result["copies"], result["games"], result["seed"]) == (3, 3, 30, 2)
    keys = {"name", "games", "win_share", "ci95", "mean_score", "mean_rank", "rating", "ms_per_decision", "forfeits"}
    assert all(keys <= set(row) for row in result["agents"])
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")
    assert (
        main(["evaluate", "heuristic", "random", "--players", "3", "--one-against-rest", "--games", "9", "--json", "-"])
        == 0
    )
    assert len(json.loads(capsys.readouterr().out)["lineups"]) == 2


class ShortAnswers:
    name = "short"

    def act(self, position: Any, mask: Any, rng: Any) -> int:
        return int(mask.argmax())

    def act_batch(self, states: Any, masks: Any, rngs: Any) -> Any:
        return masks.argmax(axis=1)[:-1] if len(masks) > 3 else None


class Leaves:
    name = "leaves"

    def act(self, position: Any, mask: Any, rng: Any) -> int:
        raise SystemExit(0)


class Hangs:
    """Waits for ever, and catches what it can."""

    name = "hangs"

    def act_batch(self, states: Any, masks: Any, rngs: Any) -> Any:
        while True:
            try:
                time.sleep(10)
            except Exception:
                continue


@pytest.mark.parametrize("agent", [ShortAnswers(), Leaves(), Hangs()])
def test_whatever_an_agent_does_the_tournament_goes_on(agent: Any) -> None:
    start = time.monotonic()
    results = Match([agent, registry.make("random")], KIND.variant(2, copies=1), 1, 0, range(20), 0.02).play()
    assert results.forfeits[:, :, 0].all() and results.shares[:, :, 1].all()
    assert len(results.messages) == 1 and time.monotonic() - start < 20


def test_who_cannot_play_a_game_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        ["evaluate", "--players", "3", "ppo", "heuristic", "heuristic", "--copies", "2"],
        ["evaluate", "random", "heuristic", "--time-limit", "nan"],
        ["evaluate", "random", "heuristic", "--plot", str(tmp_path / "x.foo")],
    ):
        assert main(words) == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert main(["evaluate", "random", "heuristic", "--games", "2", "--json", str(tmp_path / "r.json")]) == 0
    assert "NaN" not in (tmp_path / "r.json").read_text()


def test_intervals_over_several_opponents_see_only_the_blocks() -> None:
    rng = np.random.default_rng(1)
    shares = {(0, 1): 0.9 + 0.1 * rng.random(400), (1, 1): 0.1 + 0.1 * rng.random(400)}
    mean, (low, high) = mean_over_lineups(shares)
    assert mean == pytest.approx(0.55, abs=0.01)
    assert (high - low) / 2 == pytest.approx(1.96 * 0.1 / 12**0.5 / 800**0.5, rel=0.1)


@pytest.mark.skipif(
    not Path("/proc/self/task").exists() or (os.cpu_count() or 1) < 2, reason="needs /proc, and more than one core"
)
def test_no_process_outlives_a_killed_tournament() -> None:
    words = ["evaluate", "random", "heuristic", "--games", "100000000"]
    process = subprocess.Popen(
        [sys.executable, "-m", "pechvogel", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")

    def workers() -> set[str]:
        found = set(children.read_text().split())
        return {pid for pid in found if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()}

    try:
        seen: set[str] = set()
        until = time.monotonic() + 120
        while len(seen) < 2 and time.monotonic() < until:
            time.sleep(0.2)
            seen = workers()
        assert len(seen) >= 2
        time.sleep(3)  # until they have begun
    finally:
        process.kill()
        process.wait()
    until = time.monotonic() + 60
    while any(Path(f"/proc/{pid}").exists() for pid in seen) and time.monotonic() < until:
        time.sleep(0.2)
    assert not [pid for pid in seen if Path(f"/proc/{pid}").exists()]
