"""The engine against the model in C: they agree, and the comparison finds every rule that is got wrong on purpose."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest

from pechvogel_env import rules
from pechvogel_env.game import random_games
from tests.pechvogel.differential import compare
from tests.pechvogel.differential.compare import MODEL, Model, Run, compare_games, compiler, main, mistakes

pytestmark = pytest.mark.skipif(
    compiler() is None and not os.environ.get("CI"),
    reason="no C compiler: there is no cc, gcc or clang, and CC names none",
)

# Where each planted mistake shows first.
SHOWS_IN = {
    "R2_ONE_COPY_LESS": "middle[4]",
    "R3_THIRTEEN_IN_ALL": "frustrations",
    "R4_FIRST_PLAYER_HAS_MURPHY": "murphy",
    "R5_COUNTERCLOCKWISE": "to_act",
    "R6_ONE_DIE_ONLY": "targets",
    "R7_RAVENS_OF_FIRST_THROW_DO_NOT_COUNT": "ravens",
    "R8_EMPTY_THROW_ENDS_TURN": "active",
    "R9_FIVE_TARGETS": "phase",
    "R9_FOUR_RAVENS": "active",
    "R9_FOUR_ALIKE_ARE_NO_TARGET": "target",
    "R10_STEAL_ONLY_WHAT_THE_MIDDLE_LACKS": "phase",
    "R10_NEVER_HAS_TO_STEAL": "phase",
    "R10_NO_DISCARD": "phase",
    "R11_ONE_ONLY": "frustrations",
    "R11_SUPPLY_TOO": "frustrations",
    "R12_FOUR_TARGETS_ARE_GREEDY": "murphy",
    "R12_ONLY_WITH_A_MARKER": "murphy",
    "R12_ONLY_FROM_NOBODY": "murphy",
    "R13_NO_EXTRA": "frustrations",
    "R13_ALL_FROM_SUPPLY": "frustrations",
    "R13_DEBTS": "frustrations",
    "R13_ONLY_THE_STARTER": "frustrations",
    "R14_TWICE": "legal_actions",
    "R14_TO_THE_BOARD": "num_frustraters",
    "R15_EVERY_THROW": "legal_actions",
    "R15_NOBODY_JOINS": "phase",
    "R16_BOARD_STAYS": "targets",
    "R17_OPPONENTS_TOO": "phase",
    "R18A_FIRST_THROW": "legal_actions",
    "R18B_GREEDY_THROW": "legal_actions",
    "R18C_EMPTY_THROW": "legal_actions",
    "R19_LAST_THROW_IS_SAFE": "legal_actions",
    "R20_WITH_THE_TAKING": "phase",
    "R21_MURPHY_ON_TOP": "scores",
    "R22_FIRST_OF_TIED": "winning_seats",
    "Q1_OPPONENTS_FIRST": "phase",
    "Q2_FROM_THE_RIGHT": "to_act",
    "Q2_DECLINED_STAY_OUT": "phase",
    "Q2_JOIN_FROM_ACTIVE": "to_act",
    "Q3_BOTH_READINGS": "legal_actions",
    "Q3_REST_OF_TURN": "after_reduction",
    "Q5_LAST_TURN_IS_FREE": "murphy",
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return Model(tmp_path_factory.mktemp("model"))


def test_the_engine_agrees_with_the_model_in_c(model: Model) -> None:
    comparison = compare_games(model, 300_000)
    assert comparison.differences == 0, "\n".join(comparison.told)
    assert comparison.decisions >= 300_000
    assert comparison.counts.min() > 0, "every number of players, copies and reading of Q3 must occur"
    missing = [name for name, times in zip(model.rare, comparison.rare, strict=True) if times == 0]
    assert missing == []


@pytest.mark.parametrize("mistake", mistakes())
def test_a_planted_mistake_is_found_and_named(mistake: str, tmp_path: Path) -> None:
    comparison = compare_games(Model(tmp_path, mistake, optimise="-O0"), 300_000, most_differences=1)
    assert comparison.differences > 0
    where = r"seed 1, game \d+ \(players \d, copies \d, (german|italian) reading\), step \d+: "
    what = r"(?P<field>[\w\[\]]+): engine (?P<engine>\S+), model (?P<model>\S+), after "
    found = re.match(where + what, comparison.told[0])
    assert found and found["engine"] != found["model"]
    assert found["field"].startswith(SHOWS_IN[mistake])


def test_a_mistake_is_planted_in_every_rule_that_can_be_wrong() -> None:
    assert list(SHOWS_IN) == mistakes()
    rules_planted = {int(re.match(r"[RQ](\d+)", name)[1]) for name in mistakes() if name[0] == "R"}  # type: ignore[index]
    assert rules_planted == set(range(2, 23))  # R1: dice are an input here


def test_the_model_cites_its_rules() -> None:
    """Every rule that it follows, by its number; Q7 (endless games) and Q8 (slips) need no code."""
    cited = set(re.findall(r"\b[RQ]\d{1,2}\b", MODEL.read_text(encoding="utf-8")))
    assert cited >= {f"R{k}" for k in range(1, 23)} | {f"Q{k}" for k in range(1, 7)}


def test_the_same_seeds_give_the_same_games(model: Model) -> None:
    first, again, other = (compare_games(model, 20_000, seed) for seed in (5, 5, 6))
    assert np.array_equal(first.counts, again.counts) and np.array_equal(first.rare, again.rare)
    assert not np.array_equal(first.counts, other.counts)


def test_a_field_that_the_model_does_not_know_is_refused(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare, "STATE", np.dtype([*rules.STATE.descr, ("mood", np.int8)]))
    with pytest.raises(ValueError, match="mood"):
        model._check_layout()


def test_a_run_goes_on_where_it_was_stopped(model: Model, tmp_path: Path) -> None:
    def run(decisions: int = 50_000) -> Run:
        return Run(model, tmp_path, seed=1, decisions=decisions, part_decisions=20_000)

    stopped = run()
    stopped.stop.set()
    assert stopped.all(jobs=2) == [] and list(tmp_path.iterdir()) == []

    parts = run().all(jobs=2)
    assert [part.goal for part in parts] == [20_000, 20_000, 10_000]
    assert all(part.goal <= part.decisions < part.goal + 5000 for part in parts)
    assert all(part.games == part.next_game - part.first_game for part in parts)
    assert sum(part.differences for part in parts) == 0

    files = sorted(tmp_path.iterdir())
    text = [path.read_text(encoding="utf-8") for path in files]
    files[0].unlink()
    files[1].write_text(text[1][:100], encoding="utf-8")
    before = files[2].stat().st_mtime_ns
    again = run().all(jobs=1)
    assert files[2].stat().st_mtime_ns == before
    assert [(part.counts, part.rare) for part in again] == [(part.counts, part.rare) for part in parts]

    files[2].write_text(text[2].replace(parts[2].sources, "other"), encoding="utf-8")
    assert run().finished(2) is None, "made with other sources"
    assert len(run(60_000).all(jobs=2)) == 3 and run().finished(2) is None, "made for another goal"


def test_the_command_shows_what_it_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--decisions", "2e4", "--jobs", "2", "--out", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "0 differences" in shown and "four frustrated" in shown


def test_the_command_shows_speeds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--speed", "--seconds", "0"]) == 0
    assert "kernel / C" in capsys.readouterr().out


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_random_play_of_the_model_is_as_long_as_the_engines(model: Model, players: int) -> None:
    """Otherwise their speeds would not be comparable."""
    num_games = 4000
    ours = random_games(rules.new_states(num_games), players, 3, False, np.uint64(1))
    assert model.random_play(num_games, players, 3, False, 1) == pytest.approx(ours, rel=0.03)
