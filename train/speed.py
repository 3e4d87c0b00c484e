"""How fast training is: `pechvogel bench --training`.

MaskablePPO on our tables for a learner (hundreds of games per compiled call, opponents from the league) against
MaskablePPO on eight ordinary solo environments in a `DummyVecEnv` (opponents that play at random, which costs least).
Both have the same network and epochs (the eight play less between two updates, so their minibatches are smaller), and
both are measured in turns in one run: playing and learning.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.table import Table
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv

from pechvogel.agents.games import kind_of
from pechvogel.tabletop.kind import Variant
from pechvogel.train.config import PpoConfig
from pechvogel.train.ppo import PpoLearner, network
from pechvogel.train.timing import Contender, measure

ROUNDS = 5
SOLO_TABLES = 8
SOLO_ROLLOUT = 256  # decisions per solo environment between two updates


def run(variant: Variant, seconds: float) -> dict[str, Any]:
    """Learner decisions per second of both, for about so many seconds each."""
    config = PpoConfig(variant.game, variant.num_players, variant.settings)
    with TemporaryDirectory() as folder:
        contenders = {"selfplay": _selfplay(config, Path(folder)), "solo": _solo(config)}
        speeds = measure({name: _repeated(update) for name, update in contenders.items()}, seconds, ROUNDS)
    median = {name: statistics.median(values) for name, values in speeds.items()}
    return {
        "players": variant.num_players,
        "training": median,
        "ratio": median["selfplay"] / median["solo"],
        "ratio_by_round": [a / b for a, b in zip(speeds["selfplay"], speeds["solo"], strict=True)],
    }


def show(result: dict[str, Any]) -> None:
    """Print the result as a table."""
    table = Table(
        title=f"Training, {result['players']} players: learner decisions per second (median of {ROUNDS} rounds)"
    )
    table.add_column("MaskablePPO on")
    table.add_column("decisions/s", justify="right")
    table.add_row(f"{PpoConfig().tables} self-play tables in one batch", f"{result['training']['selfplay']:,.0f}")
    table.add_row(f"{SOLO_TABLES} solo environments in a DummyVecEnv", f"{result['training']['solo']:,.0f}")
    rounds = result["ratio_by_round"]
    table.caption = f"ratio {result['ratio']:.1f}x (single rounds {min(rounds):.1f} to {max(rounds):.1f})"
    Console().print(table)


def _repeated(update: Callable[[], int]) -> Contender:
    def work(seconds: float) -> tuple[int, float]:
        decisions, start = 0, time.perf_counter()
        while (elapsed := time.perf_counter() - start) < seconds or not decisions:
            decisions += update()
        return decisions, elapsed

    return work


def _selfplay(config: PpoConfig, folder: Path) -> Callable[[], int]:
    learner = PpoLearner(config, folder)

    def update() -> int:
        learner.update()
        return config.tables * config.rollout

    return update


def _solo(config: PpoConfig) -> Callable[[], int]:
    tables = DummyVecEnv(
        [lambda: kind_of(config.game).make("solo", config.variant, rotate_seats=True) for _ in range(SOLO_TABLES)]
    )
    model = MaskablePPO(
        "MlpPolicy",
        tables,
        n_steps=SOLO_ROLLOUT,
        batch_size=min(config.minibatch, SOLO_TABLES * SOLO_ROLLOUT),
        n_epochs=config.epochs,
        policy_kwargs=network(config),
        device="cpu",
    )
    _, callback = model._setup_learn(1_000_000)

    def update() -> int:
        model.collect_rollouts(tables, callback, model.rollout_buffer, SOLO_ROLLOUT)
        model.train()
        return SOLO_TABLES * SOLO_ROLLOUT

    return update
