"""A game step by step: the engine's own games, dice that never come back, records that verify."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pechvogel.agents.random import RandomAgent
from pechvogel.cli import main
from pechvogel.play import fair
from pechvogel.play.pechvogel import words
from pechvogel.play.pechvogel.table import Table, TableError
from pechvogel_env import dice, record, rules
from pechvogel_env.game import Game
from pechvogel_env.position import Position, position_of


def play_on(table: Table, seed: int = 0, decisions: int = 10**6) -> None:
    """Random decisions, and random dice where they are thrown by hand."""
    rng = np.random.default_rng(seed)
    while not table.over and decisions:
        if table.dice_due:
            table.throw(rng.choice([0, 3, 4, 5, 6, 7], table.dice_due).tolist())
        else:
            assert table.to_act is not None
            table.act(table.to_act, int(rng.choice(table.legal())))
            decisions -= 1


@pytest.mark.parametrize(("players", "copies", "italian"), [(2, 3, False), (3, 2, True), (5, 1, False)])
def test_it_is_the_game_of_the_engine(players: int, copies: int, italian: bool) -> None:
    """The same seed and decisions: the same dice, positions and end, whatever stands between two decisions."""
    for seed in range(5):
        table = Table(players, lambda _, seed=seed: seed, copies=copies, italian_reading=italian)
        game = Game(players, copies, italian)
        game.reset(seed)
        agent, rng = RandomAgent(), np.random.default_rng(seed)
        while game.bits:
            assert table.position() == game.position() and table.bits == game.bits and table.to_act == game.to_act
            action = agent.act(game.position(), game.mask(), rng)
            game.step(action)
            table.act(table.to_act, action)
        assert table.over and table.scores() == game.scores() and table.winners() == game.winners()
        assert table.record() == record.of_game(game)
        assert [step.action for step in table.decisions()] == game.actions


def test_every_throw_is_a_step() -> None:
    """E1: after the choice of 7s three dice remain; they end the turn, and the next player throws three ravens."""
    table = Table(2, None, first_player=0)
    assert table.dice_due == 7 and table.to_act is None
    table.throw([7, 7, 0, 0, 3, 4, 5])
    assert table.dice_due == 0 and table.legal() == [0, 1, 2, 4]
    table.act(0, 4)
    assert table.dice_due == 3
    table.throw([6, 7, 7])
    assert table.dice_due == 7 and table.position().active == 1
    table.throw([0, 0, 0, 3, 4, 5, 6])
    kinds = [(step.kind, step.seat, step.faces or step.action, step.forced) for step in table.steps]
    assert kinds == [
        ("throw", 0, (7, 7, 0, 0, 3, 4, 5), False),
        ("action", 0, 4, False),
        ("throw", 0, (6, 7, 7), False),
        ("action", 0, 8, True),  # the only marker to be had is in the middle
        ("throw", 1, (0, 0, 0, 3, 4, 5, 6), False),
        ("end", 1, None, True),  # nobody may answer a first throw
    ]
    assert table.position().players[1].frustrations == 1 and table.position().active == 0
    for step, after in zip(table.steps, table.steps[1:], strict=False):
        assert position_of(step.after, 0).turn == position_of(after.before, 0).turn, "a turn has ended unseen"


def test_what_is_refused_changes_nothing() -> None:
    table = Table(3, lambda _: 4)
    before = table.states.copy(), len(table.steps)
    seat = table.to_act
    assert seat is not None
    illegal = next(action for action in range(18) if action not in table.legal())
    for act in [
        lambda: table.act((seat + 1) % 3, table.legal()[0]),
        lambda: table.act(seat, illegal),
        lambda: table.act(seat, 99),
        lambda: table.act(seat, True),
        lambda: table.throw([3]),
        lambda: table.take_back(seat),
        lambda: table.record(),
    ]:
        with pytest.raises(TableError):
            act()
        assert table.states == before[0] and len(table.steps) == before[1]
    real = Table(2, None)
    for faces in ([3] * 6, [3] * 8, [1] * 7, ["x"] * 7):
        with pytest.raises(TableError):
            real.throw(faces)  # type: ignore[arg-type]
    with pytest.raises(TableError, match="dice are next"):
        real.act(0, 5)
    play_on(table)
    with pytest.raises(TableError, match="game is over"):
        table.act(0, 5)


def test_taking_back_brings_other_dice() -> None:
    asked: list[int] = []

    def seeds(taken_back: int) -> int:
        asked.append(taken_back)
        return 1000 + taken_back

    table = Table(2, seeds)
    play_on(table, decisions=20)
    mine = table.decisions()[-1]
    others = [step for step in table.decisions() if step.seat != mine.seat][-1]
    number = table.steps.index(others)
    thrown = [step.faces for step in table.steps[number:] if step.kind == "throw"]
    table.take_back(others.seat)
    assert table.taken_back == 1 and len(table.steps) == number
    assert table.states == others.before and table.to_act == others.seat and others.action in table.legal()
    table.act(others.seat, others.action)  # type: ignore[arg-type]
    play_on(table, decisions=3)
    again = [step.faces for step in table.steps[number:] if step.kind == "throw"]
    assert again[: len(thrown)] != thrown[: len(again)] and max(asked) == 1, "the same dice came back"
    play_on(table)
    found = table.record()
    assert record.verify(found) and found["scripted"] == len(found["dice"]), "no seed gives these dice"


def test_a_game_can_begin_anywhere() -> None:
    table = Table(3, lambda _: 1)
    play_on(table, decisions=15)
    again = Table(3, lambda _: 2, position=table.position())
    assert again.position() == table.position() and again.legal() == table.legal()
    play_on(again)
    assert record.verify(again.record())["position"] == table.position().to_dict()


SECRET, NUMBERS = bytes(range(32)), ["ab", "1"]


def proven(take_back: bool, players: int = 2) -> dict[str, Any]:
    """A finished game with its proof."""
    table = Table(players, lambda taken_back: fair.seed(SECRET, NUMBERS, taken_back))
    if take_back:
        play_on(table, decisions=9)
        table.take_back(table.decisions()[-1].seat)
        play_on(table, seed=1, decisions=4)
        table.take_back(table.decisions()[-1].seat)
    play_on(table, seed=2)
    return {**table.record(), "proof": fair.proof(table, SECRET, NUMBERS, drawn=True)}


@pytest.mark.parametrize("take_back", [False, True])
def test_a_promise_binds(take_back: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = proven(take_back)
    assert record.verify(found) == found and ("seeded" in found["proof"]) == take_back
    fair.verify(found)

    def change(**proof: Any) -> dict[str, Any]:
        return {**found, "proof": {**found["proof"], **proof}}

    refusals = [
        (change(secret=bytes(32).hex()), "another secret"),
        (change(promise="0" * 64), "another secret"),
        (change(numbers=["ab", "2"]), "does not follow"),
        (change(numbers=["ab1", None]), "does not follow"),
        (change(numbers=["ab1"]), "for every seat"),
        (change(numbers=["ab", "1", "2"]), "for every seat"),
        (change(numbers=["G", None]), "no whole proof"),
        (change(numbers=[None, None]), "for every seat"),
        (change(taken_back=-1), "no whole proof"),
        ({**found, "proof": None}, "no whole proof"),
        ({**found, "proof": {}}, "no whole proof"),
    ]
    if take_back:
        seeded = found["proof"]["seeded"]
        refusals += [
            (change(seeded=seeded[:-1]), "dice that do not follow"),
            (change(seeded=[*seeded, seeded[-1]]), "dice that do not follow"),
            (change(seeded=[number + 1 for number in seeded], taken_back=9), "dice that do not follow"),
            (change(seeded=[number + 1 for number in seeded]), "no whole proof"),  # more than was taken back
            (change(taken_back=0, seeded=[]), "do not follow from its seed"),
            (change(seeded=["x"]), "no whole proof"),
        ]
    else:
        refusals += [(change(taken_back=3), "dice that do not follow")]
    for wrong, sentence in refusals:
        with pytest.raises(record.RecordError, match=sentence):
            fair.verify(wrong)
    path = tmp_path / "games.jsonl"
    record.append(path, found)
    assert main(["replay", str(path), "--verify"]) == 0
    said = capsys.readouterr().out
    assert "game 1: its dice follow from the promise" in said and "who began: the dice decided" in said
    assert f"taken back: {2 if take_back else 0}" in said
    record.append(path, refusals[0][0])
    assert main(["replay", str(path), "--verify"]) == 2
    assert "game 2 shows another secret" in capsys.readouterr().err


def test_a_promise_says_who_begins() -> None:
    drawn = fair.seed(SECRET, NUMBERS)
    other = 1 - int(dice.seeded_first_player(np.uint64(drawn), 2))
    table = Table(2, lambda _: drawn, first_player=other)
    play_on(table)
    chosen = {**table.record(), "proof": fair.proof(table, SECRET, NUMBERS, drawn=False)}
    fair.verify(chosen)
    with pytest.raises(record.RecordError, match="first player"):
        fair.verify({**chosen, "proof": fair.proof(table, SECRET, NUMBERS, drawn=True)})


def test_a_game_whose_last_decision_was_taken_back_verifies() -> None:
    """Other dice would have come, but none were thrown any more."""
    for seed in range(100):
        table = Table(2, lambda taken_back, seed=seed: fair.seed(bytes([seed] * 32), NUMBERS, taken_back), copies=1)
        agent, rng, last = RandomAgent(), np.random.default_rng(seed), None
        while not table.over:
            last = table.to_act
            table.act(last, agent.act(table.position(), table.mask(), rng))
        if table.steps[-1].kind == "throw":
            continue
        again = Table(2, table.seeds, copies=1)
        chosen = [(step.seat, step.action) for step in table.decisions()]
        for number, (seat, action) in enumerate(chosen):
            again.act(seat, action)
            if number == len(chosen) - 1 and not again.over:
                break
            if number == len(chosen) - 2 and again.steps[-1].kind == "action":
                again.take_back(seat)
                again.act(seat, action)
        if again.over and again.taken_back and not any(step.seeded for step in again.steps):
            proven = {**again.record(), "proof": fair.proof(again, bytes([seed] * 32), NUMBERS, drawn=True)}
            fair.verify(record.verify(proven))
            return
    raise AssertionError("no such game was found")


def test_every_part_of_a_seed_matters() -> None:
    seeds = [
        fair.seed(SECRET, NUMBERS),
        fair.seed(SECRET, NUMBERS, 1),
        fair.seed(bytes(32), NUMBERS),
        fair.seed(SECRET, ["a", "b1"]),
        fair.seed(SECRET, ["ab1"]),
        fair.seed(SECRET, ["ab", None, "1"]),
    ]
    assert len(set(seeds)) == len(seeds) and all(0 <= seed < 2**64 for seed in seeds)
    assert fair.new_secret() != fair.new_secret()


def test_the_guided_turn_of_the_page_is_what_the_engine_does() -> None:
    steps = json.loads((Path(words.__file__).parent / "web" / "tour.json").read_text(encoding="utf-8"))
    tables = [Table(2, None, position=step["position"]) for step in steps[:-1]]
    assert [step["position"]["turn"] for step in steps] == [0, 0, 0, 7, 7, 31]  # three scenes
    for number in (0, 1, 3):
        step, table = steps[number], tables[number]
        assert table.position().to_dict() == step["position"]
        if "legal" in step:
            assert table.legal() == step["legal"]
            table.act(0, step["right"])
        if "throw" in step:
            table.throw(step["throw"])
        seen = [position_of(state, 0) for played in table.steps for state in (played.before, played.after)]
        assert steps[number + 1]["position"] in [place.to_dict() for place in (*seen, table.position())]
    (taken,) = tables[2].steps  # without a choice
    assert [taken.action] == steps[2]["legal"] == [steps[2]["right"]]
    last = Position.parse(json.dumps(steps[-1]["position"]))
    assert [rules.score(last.states(), 0, seat) for seat in range(2)] == steps[-1]["scores"]
