"""Ratings: exact by Bayes' rule, and right about players whose level is known."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from pechvogel.cli import main
from pechvogel.play import rating as ratings
from pechvogel.play.pechvogel.summary import LEVELS, scale
from pechvogel.play.rating import Rated, Rating, Scale, rate
from pechvogel.train.pechvogel import calibrate
from tests.pechvogel import rating as simulation

KNOWN = scale()


def won(opponent: str, result: float = 1.0) -> Rated:
    return Rated(opponent, result, 0, 0.0, "champion")


# ------------------------------------------------------------------------------------------------ the calibration


def test_levels_are_measured_and_in_order() -> None:
    strengths = [KNOWN.strengths[level] for level in LEVELS]
    assert strengths == sorted(strengths) and strengths[-1] == 0
    assert {"random", "heuristic", "planner", "ppo"} < set(KNOWN.strengths)
    for judge in KNOWN.losses:
        losses = [KNOWN.losses[judge][level][0] for level in LEVELS]
        assert losses == sorted(losses, reverse=True), judge
    mean, _ = KNOWN.loss["champion"]
    assert (np.diff(mean) < 1e-12).all(), "the weaker, the more decisions lose, also below the first level"


def test_the_model_is_what_was_measured() -> None:
    """A chance is a function of two strengths: it must not be off by more than luck."""
    path = Path(ratings.__file__).parent / "pechvogel" / "strengths.json"
    found = json.loads(path.read_text())
    off = [
        (row["win_share"] - row["model"]) / math.sqrt(row["model"] * (1 - row["model"]) / found["games"])
        for row in found["pairs"]
    ]
    assert len(off) == len(calibrate.pairs()) and max(map(abs, off)) < 4
    assert sum(z * z for z in off) / len(off) < 1.5
    for row in found["pairs"]:
        a, b = KNOWN.strengths[row["agent"]], KNOWN.strengths[row["against"]]
        assert row["model"] == pytest.approx(1 / (1 + math.exp(b - a)), abs=2e-4)


def test_calibrating(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What the command writes can be read."""
    monkeypatch.setattr(calibrate, "pairs", lambda: [("random", LEVELS[0]), (LEVELS[0], "champion")])
    monkeypatch.setattr(calibrate, "worker_pool", _Here)
    path = tmp_path / "strengths.json"
    assert main(["levels", "--calibrate", "--games", "8", "--seed", "5", "--json", str(path)]) == 0
    found = Scale.read(path, LEVELS)
    assert {*LEVELS, "random"} < set(found.strengths) and found.strengths["random"] < found.strengths[LEVELS[0]] < 0
    assert found.losses["champion"]["champion"] == (0.0, 0.0)
    assert found.losses["champion"]["random"][0] > found.losses["champion"][LEVELS[0]][0] > 0
    assert "loss per decision" in capsys.readouterr().out


class _Here:
    """Instead of processes that would have to compile first."""

    def __init__(self, workers: int) -> None:
        self.map = map

    def __enter__(self) -> _Here:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def test_games_for_it_are_fair_and_priced() -> None:
    played = calibrate.play([("champion:level=1", "champion")] * 16, 3, 0)
    assert (played.shares.sum(axis=1) == 1).all() and played.shares[:, 1].mean() > 0.6
    assert not played.lost[:, 1].any() and (played.lost[:, 0] > 0).all()
    again = calibrate.play([("champion:level=1", "champion")] * 16, 3, 0)
    assert (played.shares == again.shares).all() and (played.lost == again.lost).all()


# ------------------------------------------------------------------------------------------------ Bayes' rule


def test_results_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without drift a posterior is the product of chances, whatever the order."""
    monkeypatch.setattr(ratings, "DRIFT", 0.0)
    still = scale()
    games = [won("champion", 0.0), won("champion:level=4"), won("random"), won("champion:level=4", 0.5)]
    expected = np.ones(len(still.grid))
    for game in games:
        for k, strength in enumerate(still.logits):
            chance = 1 / (1 + math.exp(still.strengths[game.opponent] - strength))
            expected[k] *= chance**game.result * (1 - chance) ** (1 - game.result)
    for order in (games, games[::-1]):
        found = rate(still, order)
        assert found.by_results == pytest.approx(expected / expected.sum()) and found.results == 4


def test_time_blurs_a_posterior() -> None:
    middle = len(KNOWN.grid) // 2
    sharp = np.zeros(len(KNOWN.grid))
    sharp[middle] = 1
    for _ in range(100):
        sharp = KNOWN.blur @ sharp
    mean = sharp @ KNOWN.grid
    assert mean == pytest.approx(KNOWN.grid[middle])
    assert sharp @ (KNOWN.grid - mean) ** 2 == pytest.approx(100 * ratings.DRIFT**2)
    assert KNOWN.blur.sum(axis=0) == pytest.approx(1)


def test_levels_and_logits_are_one_scale() -> None:
    for number, level in enumerate(LEVELS, start=1):
        assert KNOWN.level_of(level) == pytest.approx(number)
        at = int(np.abs(KNOWN.grid - number).argmin())
        assert KNOWN.logits[at] == pytest.approx(KNOWN.strengths[level])
        assert KNOWN.chances(level)[at] == pytest.approx(0.5)
    assert (np.diff(KNOWN.logits) > 0).all() and KNOWN.level_of("random") < -5


def test_costs_by_hand() -> None:
    """Decisions that cost what those of a level do speak for that level."""
    for number, level in list(enumerate(LEVELS, start=1))[:-1]:
        mean, spread = KNOWN.losses["champion"][level]
        found = rate(KNOWN, [Rated("person", 1.0, 50, 50 * mean, "champion")] * 30)
        at = int(np.abs(KNOWN.grid - number).argmin())
        assert found.by_costs.argmax() == pytest.approx(at, abs=2) and found.results == 0
        deviation = math.sqrt(spread**2 / 30 + ratings.INACCURACY**2)
        beside, other = KNOWN.loss["champion"][0][at + 3], KNOWN.loss["champion"][1][at + 3]
        there = math.sqrt(other**2 / 30 + ratings.INACCURACY**2)
        ratio = math.exp(-0.5 * ((mean - beside) / there) ** 2) * deviation / there
        assert found.by_costs[at + 3] / found.by_costs[at] == pytest.approx(ratio)


def test_costs_are_of_the_last_games() -> None:
    early, late = (50 * KNOWN.losses["champion"][level][0] for level in (LEVELS[0], LEVELS[8]))
    games = [Rated("person", 1.0, 50, early, "champion")] * 100 + [Rated("person", 1.0, 50, late, "champion")] * 50
    found = rate(KNOWN, games).show()
    assert found["costs"]["level"] == pytest.approx(9, abs=0.3) and found["costs"]["games"] == ratings.RECENT


def test_nobody_is_better_than_perfect_and_contradictions_are_survived() -> None:
    best = rate(KNOWN, [won("champion")] * 300)
    assert best.level == len(LEVELS) and best.show()["results"]["high"] < len(LEVELS) + ratings.ABOVE + 1e-9
    odd = rate(KNOWN, [Rated("champion", 1.0, 100, 100.0, "champion")] * 300)
    assert np.isfinite(odd.together).all() and odd.together.sum() == pytest.approx(1)


# ------------------------------------------------------------------------------------------------ known players


def test_players_are_placed_by_results() -> None:
    """With results drawn from measured chances; the slow suite has real games."""
    assert simulation.by_chances(KNOWN, 20, simulation.BY_RESULTS, 1) >= 0.8


def test_players_are_placed_by_costs() -> None:
    """In real games, all at once; the slow suite has them one after another, against others of their strength."""
    players = [level for level in (1, 4, 7, 9) for _ in range(simulation.BY_COSTS)]
    played = calibrate.play([(LEVELS[level - 1], "champion:level=5") for level in players], 4, 0)
    for level in set(players):
        games = [k for k, other in enumerate(players) if other == level]
        rows = [Rated("person", 0, int(played.decisions[k, 0]), float(played.lost[k, 0]), "champion") for k in games]
        assert simulation.Run(level, rating := rate(KNOWN, rows)).off(rating.by_costs) < simulation.NEAR


def test_a_new_player_meets_somebody_whom_beginners_can_beat() -> None:
    assert LEVELS[Rating(KNOWN).level - 1] == "champion:level=3", "as the page does before the first game"


@pytest.mark.slow
def test_players_of_every_level_are_placed_within_one() -> None:
    """200 runs of 150 real games against whoever the rating proposes."""
    found = simulation.simulate(20, simulation.BY_RESULTS, 11)
    assert simulation.placed(found["results"][-1]) >= 0.8
    assert simulation.placed(found["costs"][simulation.BY_COSTS - 1]) >= 0.8
