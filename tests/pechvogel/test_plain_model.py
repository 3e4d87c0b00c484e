"""The engine against the independent plain model: the same dice and actions, every position compared."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from pechvogel.tabletop.bits import action_list
from pechvogel_env.game import Game
from tests.pechvogel.plain_model import PlainGame

FACES = [0, 3, 4, 5, 6, 7]
FAIR = [1, 1, 1, 1, 1, 1]
MANY_RAVENS = [3, 1, 1, 1, 1, 1]
TWO_NUMBERS = [8, 1, 1, 1, 6, 6]  # crowded boards: greed, values that are gone, steals
MAX_TURNS = 150


@dataclass
class Table:
    num_players: int
    copies: int
    italian_reading: bool
    skip_forced: bool
    weights: list[int]


def random_table(rng: random.Random) -> Table:
    return Table(
        num_players=rng.randint(2, 5),
        copies=rng.randint(1, 3),
        italian_reading=rng.random() < 0.5,
        skip_forced=rng.random() < 0.5,
        weights=rng.choice([FAIR, MANY_RAVENS, TWO_NUMBERS]),
    )


def first_difference(ours: dict, theirs: dict, path: str = "") -> str | None:
    for name in theirs:
        a, b = ours[name], theirs[name]
        if name == "players":
            for seat, (mine, yours) in enumerate(zip(a, b, strict=True)):
                found = first_difference(mine, yours, f"players[{seat}].")
                if found:
                    return found
        elif a != b:
            return f"{path}{name}: engine {a!r}, plain model {b!r}"
    return None


def compare_game(seed: int) -> int:
    """Play one random game on both sides; returns the number of decisions compared."""
    rng = random.Random(seed)
    table = random_table(rng)
    first_player = rng.randrange(table.num_players)
    plain = PlainGame(table.num_players, table.copies, table.italian_reading, first_player)
    # The dice are drawn here, so far ahead that the game can't run out of them.
    dice = rng.choices(FACES, table.weights, k=MAX_TURNS * 60)
    engine = Game(table.num_players, table.copies, table.italian_reading, table.skip_forced, MAX_TURNS)
    engine.reset(seed, first_player, dice)
    used = decisions = 0
    while True:
        while plain.phase == "throw" and plain.position()["turn"] < MAX_TURNS:
            count = plain.dice_to_throw()
            plain.throw(dice[used : used + count])
            used += count
            while table.skip_forced and plain.phase not in ("throw", "over") and len(plain.legal_actions()) == 1:
                plain.act(plain.legal_actions()[0])
        where = f"seed {seed}, {table}, decision {decisions}"
        assert used == engine.scripted, f"{where}: the engine has thrown {engine.scripted} dice, not {used}"
        difference = first_difference(engine.position().to_dict(), plain.position())
        assert difference is None, f"{where}: {difference}"
        assert action_list(engine.bits) == plain.legal_actions(), f"{where}: legal actions differ"
        if not engine.bits:
            break
        action = rng.choice(plain.legal_actions())
        decisions += len(plain.legal_actions()) > 1
        plain.act(action)
        engine.step(action)
        while table.skip_forced and plain.phase not in ("throw", "over") and len(plain.legal_actions()) == 1:
            plain.act(plain.legal_actions()[0])
    assert engine.scores() == plain.scores() and engine.winners() == plain.non_losers()
    if engine.over:
        assert engine.rewards("win") == pytest.approx(plain.win_rewards())
        assert engine.rewards("score") == pytest.approx(plain.score_rewards())
    else:
        assert engine.rewards("win") == [0.0] * table.num_players
    return decisions


def compare_decisions(at_least: int, first_seed: int) -> None:
    compared, seed = 0, first_seed
    while compared < at_least:
        compared += compare_game(seed)
        seed += 1


def test_engine_agrees_with_the_plain_model() -> None:
    compare_decisions(20_000, first_seed=0)


@pytest.mark.slow
def test_engine_agrees_with_the_plain_model_over_a_million_decisions() -> None:
    compare_decisions(1_000_000, first_seed=1_000_000)


def test_a_difference_is_named() -> None:
    game = PlainGame(2)
    ours, theirs = game.position(), game.position()
    assert first_difference(ours, theirs) is None
    ours["players"][1]["frustrations"] = 1
    assert first_difference(ours, theirs) == "players[1].frustrations: engine 1, plain model 0"
