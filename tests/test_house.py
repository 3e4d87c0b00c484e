"""The house: games by name, variants, batches that keep their states to themselves, and what was made before it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save as to_bytes

from pechvogel.agents import card, registry
from pechvogel.agents.games import GAMES, kind_of
from pechvogel.agents.pechvogel import judges
from pechvogel.agents.pechvogel.solution import Solution
from pechvogel.agents.policy import load
from pechvogel.cli import main
from pechvogel.tabletop.bits import count_actions, lowest_action, mask_of, nth_action, random_actions
from pechvogel_env.kind import KIND
from pechvogel_env.rules import Phase


def refused(words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    error = capsys.readouterr().err
    assert sentence in error and error.count("\n") == 1


# ------------------------------------------------------------------------------------------------ games and variants


def test_games_are_found_by_name() -> None:
    assert list(GAMES) == ["pechvogel", "lucky-loser", "porca-miseria"] and kind_of("pechvogel") is KIND
    for wrong in ("chess", "", None, 3):
        with pytest.raises(ValueError, match="there is no game"):
            kind_of(wrong)  # type: ignore[arg-type]


def test_a_variant_is_checked_and_told() -> None:
    usual, small = KIND.variant(2), KIND.variant(3, copies=1, italian_reading=True)
    assert usual == KIND.variant(2, copies=3, italian_reading=False) != small
    assert usual.settings == {"copies": 3, "italian_reading": False} and small["copies"] == 1
    assert KIND.told(usual) == {"copies": 3} and KIND.told(small) == {"copies": 1, "italian_reading": True}
    assert KIND.describe(usual) == "2 players, 3 copies"
    assert KIND.describe(small) == "3 players, 1 copies, the Italian reading"
    assert KIND.plain(small) == KIND.variant(3, copies=1) and len({usual, small, KIND.variant(2)}) == 2
    for players, settings, sentence in (
        (6, {}, "num_players must be from 2 to 5, not 6"),
        (True, {}, "num_players must be a whole number"),
        (2, {"copies": 0}, "copies must be from 1 to 3, not 0"),
        (2, {"italian_reading": "no"}, "italian_reading must be True or False"),
        (2, {"colour": 1}, "'colour' is no setting of pechvogel; there are copies, italian_reading"),
    ):
        with pytest.raises(ValueError, match=sentence):
            KIND.variant(players, **settings)


def test_the_command_line_knows_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "random", "random", "--games", "2", "--game", "pechvogel", "--json", "-"]) == 0
    with_game = json.loads(capsys.readouterr().out)
    assert main(["evaluate", "random", "random", "--games", "2", "--json", "-"]) == 0
    assert [row["win_share"] for row in with_game["agents"]] == [
        row["win_share"] for row in json.loads(capsys.readouterr().out)["agents"]
    ]
    for command in (
        ["bench"], ["train", "tiny", "--out", str(tmp_path / "run")], ["evaluate", "random", "random"],
        ["report", str(tmp_path)], ["analyse", "x"], ["play"], ["serve"], ["watch"], ["levels"], ["solve"],
        ["exploit", "random"], ["findings"], ["ablation"],
        ["puzzles", "--out", str(tmp_path / "p")], ["explorer", "--out", str(tmp_path / "e")],
    ):  # fmt: skip
        refused([*command, "--game", "chess"], "there is no game 'chess'", capsys)


def test_a_config_is_found_by_name_or_by_path(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from pechvogel.train import config as configs

    assert configs.find("tiny", "pechvogel").name == "tiny.yaml"
    own = tmp_path / "own.yaml"
    own.write_text("game: pechvogel\nsteps: 3\n")
    assert configs.find(str(own), "pechvogel") == own
    assert configs.read(own).game == configs.read(own, "pechvogel").game == "pechvogel"
    words = ["--out", str(tmp_path / "run")]
    refused(["train", "huge", *words], "there is no config 'huge' for pechvogel; there are apprentice-2,", capsys)
    refused(["train", "configs/ppo-2.yaml", *words], "No such file", capsys)
    own.write_text("game: chess\n")
    refused(["train", str(own), *words], "there is no game 'chess'", capsys)
    own.write_text("copies: 1\n")
    refused(["train", str(own), *words], "'copies' is now settings: {copies: N}", capsys)
    own.write_text("learner: value\nplanner: 1\n")
    refused(["train", str(own), *words], "'planner' is no setting", capsys)


def test_a_config_for_another_game_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--game` must not contradict what a file says."""
    from pechvogel.train import config as configs

    monkeypatch.setitem(GAMES, "other", "pechvogel_env")
    own = tmp_path / "own.yaml"
    own.write_text("game: pechvogel\n")
    with pytest.raises(ValueError, match=r"own.yaml is for pechvogel, not for other"):
        configs.read(own, "other")


# ------------------------------------------------------------------------------------------------ batches


def test_bits_are_64_wide() -> None:
    rng = np.random.default_rng(1)
    for _ in range(300):
        actions = rng.choice(63, size=rng.integers(1, 40), replace=False)
        bits = int(sum(1 << int(action) for action in actions))
        assert count_actions(bits) == len(actions) and lowest_action(bits) == min(actions)
        assert np.flatnonzero(mask_of(bits, 63)).tolist() == sorted(actions)
        assert [nth_action(bits, n) for n in range(len(actions))] == sorted(actions)
    bits = np.full(30_000, (1 << 62) | (1 << 40) | 1, np.int64)
    drawn = np.zeros(len(bits), np.int64)
    random_actions(bits, np.uint64(5), drawn)
    assert {int(a): 0.31 < (drawn == a).mean() < 0.36 for a in (0, 40, 62)} == {0: True, 40: True, 62: True}


def test_a_batch_says_what_others_may_know() -> None:
    batch = KIND.batch(KIND.variant(3), 8, seed=2, auto_reset=False)
    games = np.array([1, 5])
    for number in range(40):
        actions = np.zeros(8, np.int64)
        random_actions(batch.bits, np.uint64(number), actions)
        batch.step(actions)
    position = batch.view(5, 0)
    assert batch.phases(games)[1] == Phase[position.phase.upper()] and batch.turns(games)[1] == position.turn
    assert batch.scores(games).shape == (2, 3) and (batch.shown(games) == batch.states[games]).all()
    points = [sum((v + 3) * n for v, n in enumerate(p.markers)) for p in position.players]
    costs = [7 if position.murphy == seat else 3 for seat in range(3)]
    expected = [a - c * p.frustrations for a, c, p in zip(points, costs, position.players, strict=True)]
    assert batch.scores(games)[1].tolist() == expected


def test_nobody_is_asked_in_a_retired_game() -> None:
    batch = KIND.batch(KIND.variant(2), 6, seed=1, auto_reset=False)
    gone = np.array([0, 4])
    before = batch.scores(gone)
    batch.retire(gone)
    assert batch.live().tolist() == [1, 2, 3, 5] and (batch.phases(gone) == Phase.OVER).all()
    b = batch.buffers
    assert (b.to_act[gone] == -1).all() and not b.masks[gone].any() and not b.observations[gone].any()
    states = batch.states[gone].copy()
    for number in range(5):
        actions = np.full(6, 99, np.int64)  # games that have ended take any action
        random_actions(batch.bits, np.uint64(number), actions)
        batch.step(actions)
    assert (batch.states[gone] == states).all() and (batch.scores(gone) == before).all() and not b.dones[gone].any()


def test_the_arrays_of_a_batch_are_all_that_it_is() -> None:
    first, second = (KIND.batch(KIND.variant(2), 16, seed=seed) for seed in (1, 2))

    def play(batch: Any, rounds: range) -> None:
        for number in rounds:
            actions = np.zeros(16, np.int64)
            random_actions(batch.bits, np.uint64(number), actions)
            batch.step(actions)

    play(first, range(30))
    for name, array in first.arrays().items():
        second.arrays()[name][...] = array
    second.base_seed = first.base_seed
    for batch in (first, second):
        play(batch, range(30, 200))
    for name, array in first.arrays().items():
        assert np.array_equal(array, second.arrays()[name]), name
    assert first.episodes.sum() > 0


# ------------------------------------------------------------------------------------------------ the Italian reading


def test_weights_play_both_readings(solved: Solution) -> None:
    for spec in ("ppo", "champion"):
        registry.check(registry.make(spec), 2, copies=3, italian_reading=True, games=1)
    policy, about = load(card.folder("pechvogel") / "ppo-2-1.safetensors")
    from pechvogel.agents.pechvogel.ppo import PpoAgent

    italian = KIND.variant(2, copies=1, italian_reading=True)
    agent = PpoAgent.of(policy, italian)
    assert agent.policy(italian) is policy and agent.policy(KIND.variant(2, copies=1)) is policy
    assert card.variant_of(card.head(italian)) == italian and card.variant_of(about) == KIND.variant(2, copies=1)
    # No judge knows it: the table is of the usual reading.
    assert judges.find(KIND.variant(2, copies=1), None) == str(solved.path) and judges.find(italian, None) is None


# ------------------------------------------------------------------------------------------------ what was made before


def test_cards_of_before_still_count(tmp_path: Path) -> None:
    """They had `copies` beside `players`, and no game."""
    for suffix in (".safetensors", ".json"):
        old = card.folder("pechvogel") / f"ppo-2-1{suffix}"
        (tmp_path / f"w{suffix}").write_bytes(old.read_bytes())
    about = json.loads((tmp_path / "w.json").read_text())
    del about["game"]
    about["copies"] = about.pop("settings")["copies"]
    (tmp_path / "w.json").write_text(json.dumps(about))
    assert card.variant_of(about) == KIND.variant(2, copies=1)
    registry.check(registry.make(f"ppo:weights={tmp_path / 'w.safetensors'}"), 2, copies=1, games=1)


def test_a_training_run_of_before_is_refused_with_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = {"config": {"players": 2, "copies": 1, "current": 0.5}, "steps": 5, "updates": 1}
    data = to_bytes({"bits": np.zeros(3, np.int32)}, {"notes": json.dumps(notes)})
    (tmp_path / "checkpoint.safetensors").write_bytes(data)
    refused(["train", "--resume", str(tmp_path)], "is no checkpoint of this version ('copies' is now", capsys)
