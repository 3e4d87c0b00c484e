"""Decisions per second: of the kernel, the batch engine and the environments, and of other projects' games.

All contenders are measured in turns, over and over, in one run. Machines are noisy, so only ratios mean something:
those of the medians, with the least and greatest ratio of a single round beside them. A decision is a point where
somebody has two or more legal actions (for others' games: every action of a player).
"""

from __future__ import annotations

import os
import random
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from pechvogel.agents import registry
from pechvogel.agents.games import DEFAULT, kind_of
from pechvogel.tabletop.bits import random_actions
from pechvogel.tabletop.kind import Variant
from pechvogel.train.timing import Contender, measure

ROUNDS = 25  # many short ones: noise comes in waves
BATCH_GAMES = 65536  # enough that starting threads does not matter
KERNEL_GAMES = 2000
MAX_TURNS = 500  # of a game of an environment: random players need not come to an end

LABELS = {
    "kernel": "kernel: random games inside compiled code, one core",
    "kernel_all": f"kernel: the same on {os.cpu_count()} cores, each for itself",
    "batch_1": f"batch of {BATCH_GAMES}: given actions, observations and masks, one core",
    "batch_all": f"batch of {BATCH_GAMES}: the same on {os.cpu_count()} cores",
    "raw_env": "raw_env() in the usual loop",
    "env": "env() in the usual loop",
    "parallel_env": "parallel_env() in the usual loop, actions of players",
    "pettingzoo_connect_four_raw": "PettingZoo connect_four_v3.raw_env()",
    "pettingzoo_connect_four_env": "PettingZoo connect_four_v3.env()",
    "openspiel_pig": "OpenSpiel pig, compiled random bots",
    "openspiel_backgammon": "OpenSpiel backgammon, compiled random bots",
    "pechvogel_kernel": "Pechvogel's kernel, one core",
    "pechvogel_raw_env": "Pechvogel's raw_env()",
    "pettingzoo_rps_parallel": "PettingZoo rps_v2.parallel_env(), actions of players",
}
RATIOS = (
    ("kernel", "openspiel_pig"),
    ("kernel", "openspiel_backgammon"),
    ("kernel", "pechvogel_kernel"),  # of another game
    ("kernel_all", "kernel"),  # what this machine's cores give at best
    ("batch_all", "batch_1"),
    ("raw_env", "pettingzoo_connect_four_raw"),
    ("raw_env", "pechvogel_raw_env"),
    ("env", "pettingzoo_connect_four_env"),
    ("parallel_env", "pettingzoo_rps_parallel"),
)


# Those that are compared are measured one right after the other.
_ORDER = [name for pair in RATIOS for name in reversed(pair)]


def time_agent(spec: str, variant: Variant, seconds: float) -> dict[str, Any]:
    """How long an agent thinks about one decision, in games against itself for so many seconds."""
    agent, batch = registry.make(spec, variant.game), kind_of(variant.game).batch(variant, 1)
    registry.prepare(agent, variant)  # loads and compiles
    rng, took, end, actions = np.random.default_rng(0), [], time.perf_counter() + seconds, np.zeros(1, np.int64)
    while time.perf_counter() < end:
        position, mask = batch.view(0, int(batch.buffers.to_act[0])), batch.buffers.masks[0].copy()
        began = time.perf_counter()
        actions[0] = agent.act(position, mask, rng)
        took.append(1000 * (time.perf_counter() - began))
        batch.step(actions)
    return {
        "agent": spec,
        "players": variant.num_players,
        "decisions": len(took),
        "median_ms": statistics.median(took),
        "max_ms": max(took),
    }


def show_agent(result: dict[str, Any]) -> None:
    """Print how long an agent thinks."""
    print(
        f"{result['agent']}, {result['players']} players: a decision takes {result['median_ms']:.2f} ms "
        f"(median of {result['decisions']:,}), at most {result['max_ms']:.1f} ms"
    )


def run(variant: Variant, seconds: float, peers: bool) -> dict[str, Any]:
    """Measure; the result has the documented keys, and `ratios`."""
    kind, cores = kind_of(variant.game), os.cpu_count() or 1
    contenders: dict[str, Contender] = {
        "kernel": _kernel(variant, 1),
        "kernel_all": _kernel(variant, cores),
        "batch_1": _batch(variant, 1),
        "batch_all": _batch(variant, cores),
        "raw_env": _environment(lambda: kind.make("raw_env", variant, max_turns=MAX_TURNS)),
        "env": _environment(lambda: kind.make("env", variant, max_turns=MAX_TURNS)),
    }
    if kind.simultaneous:
        contenders["parallel_env"] = _parallel(lambda: kind.make("parallel_env", variant, max_turns=MAX_TURNS))
    missing = {}
    first = {} if variant.game == DEFAULT else _our_first_game()
    at_once = {"pettingzoo_rps_parallel": _rps} if kind.simultaneous else {}
    others = {**_PEERS, **first, **at_once} if peers else {}
    for name, make in others.items():
        try:
            contenders[name] = make()
        except ImportError as error:
            missing[name] = str(error)
    in_order = {name: contenders[name] for name in _ORDER if name in contenders}
    speeds = measure(in_order, seconds, ROUNDS)
    median: dict[str, float | None] = {name: statistics.median(values) for name, values in speeds.items()}
    median.update(dict.fromkeys(missing))
    ours = {name: speed for name, speed in median.items() if name not in others}
    return {
        **ours,
        "peers": {name: median[name] for name in others},
        "ratios": {
            f"{ours}/{theirs}": statistics.median(speeds[ours]) / statistics.median(speeds[theirs])
            for ours, theirs in RATIOS
            if theirs in speeds
        },
        "ratios_by_round": {
            f"{ours}/{theirs}": [a / b for a, b in zip(speeds[ours], speeds[theirs], strict=True)]
            for ours, theirs in RATIOS
            if theirs in speeds
        },
        "game": variant.game,
        "players": variant.num_players,
        "cores": os.cpu_count(),
        "missing": missing,
    }


def show(result: dict[str, Any]) -> None:
    """Print the result as tables."""
    console = Console()
    what = f"{result['game']}, {result['players']} players"
    table = Table(title=f"Decisions per second, {what} (median of {ROUNDS} rounds)")
    table.add_column("what")
    table.add_column("decisions/s", justify="right")
    for name, label in LABELS.items():
        speed = result.get(name, result["peers"].get(name))
        if speed is not None:
            table.add_row(label, f"{speed:,.0f}")
    console.print(table)
    table = Table(title="Ratios in this run")
    table.add_column("ours / theirs")
    table.add_column("ratio of medians", justify="right")
    table.add_column("in single rounds", justify="right")
    for name, ratio in result["ratios"].items():
        rounds = result["ratios_by_round"][name]
        table.add_row(name, f"{ratio:.2f}x", f"{min(rounds):.2f} to {max(rounds):.2f}")
    console.print(table)
    for name, reason in result["missing"].items():
        console.print(f"{LABELS[name]}: not measured ({reason}); install open_spiel and pygame", markup=False)


# ------------------------------------------------------------------------------------- contenders


def _kernel(variant: Variant, threads: int) -> Contender:
    games = [kind_of(variant.game).random_games(variant, KERNEL_GAMES) for _ in range(threads)]
    pool = ThreadPoolExecutor(threads)

    def play_on_one(thread: int, seconds: float) -> int:
        decisions, start, seed = 0, time.perf_counter(), 0
        while time.perf_counter() - start < seconds or not seed:
            decisions += games[thread](seed)
            seed += 1
        return decisions

    def play(seconds: float) -> tuple[int, float]:
        start = time.perf_counter()
        decisions = sum(pool.map(play_on_one, range(threads), [seconds] * threads))
        return decisions, time.perf_counter() - start

    return play


def _batch(variant: Variant, threads: int) -> Contender:
    batch = kind_of(variant.game).batch(variant, BATCH_GAMES, threads=threads)
    actions = np.zeros(BATCH_GAMES, np.int64)

    def play(seconds: float) -> tuple[int, float]:
        steps, elapsed = 0, 0.0
        while elapsed < seconds or not steps:
            random_actions(batch.bits, np.uint64(steps), actions)  # not timed: the caller's part
            start = time.perf_counter()
            batch.step(actions)
            elapsed += time.perf_counter() - start
            steps += 1
        return steps * BATCH_GAMES, elapsed

    return play


def _environment(make: Callable[[], Any]) -> Contender:
    """The usual loop of PettingZoo: last(), a random legal action, step()."""
    env = make()

    def play(seconds: float) -> tuple[int, float]:
        decisions, games, start = 0, 0, time.perf_counter()
        while (elapsed := time.perf_counter() - start) < seconds or not games:
            env.reset(seed=games)
            games += 1
            while env.agents:
                observation, _, termination, truncation, _ = env.last()
                if termination or truncation:
                    env.step(None)
                    continue
                legal = observation["action_mask"].nonzero()[0]
                env.step(legal[int(random.random() * len(legal))])
                decisions += 1
        return decisions, elapsed

    return play


def _parallel(make: Callable[[], Any]) -> Contender:
    """The usual loop of parallel environments: a random legal action of everybody, step()."""
    env = make()

    def play(seconds: float) -> tuple[int, float]:
        actions, games, start = 0, 0, time.perf_counter()
        while (elapsed := time.perf_counter() - start) < seconds or not games:
            observations, _ = env.reset(seed=games)
            games += 1
            while env.agents:
                chosen = {agent: _any_legal(env, agent, observations[agent]) for agent in env.agents}
                observations, *_ = env.step(chosen)
                actions += len(chosen)
        return actions, elapsed

    return play


def _any_legal(env: Any, agent: str, observation: Any) -> int:
    if not isinstance(observation, dict):
        return int(random.random() * env.action_space(agent).n)
    legal = observation["action_mask"].nonzero()[0]
    return int(legal[int(random.random() * len(legal))])


def _rps() -> Contender:
    from pettingzoo.classic.rps import rps

    return _parallel(rps.parallel_env)


def _connect_four(kind: str) -> Contender:
    from pettingzoo.classic.connect_four import connect_four

    return _environment(getattr(connect_four, kind))


def _openspiel(name: str) -> Contender:
    import pyspiel

    game = pyspiel.load_game(name)
    bots = [pyspiel.make_uniform_random_bot(player, player + 1) for player in range(game.num_players())]

    def play(seconds: float) -> tuple[int, float]:
        decisions, elapsed, seed = 0, 0.0, 0
        while elapsed < seconds or not seed:
            start = time.perf_counter()
            state = game.new_initial_state()
            pyspiel.evaluate_bots(state, bots, seed)
            elapsed += time.perf_counter() - start
            decisions += sum(step.player >= 0 for step in state.full_history())  # not timed
            seed += 1
        return decisions, elapsed

    return play


_PEERS: dict[str, Callable[[], Contender]] = {
    "pettingzoo_connect_four_raw": lambda: _connect_four("raw_env"),
    "pettingzoo_connect_four_env": lambda: _connect_four("env"),
    "openspiel_pig": lambda: _openspiel("pig"),
    "openspiel_backgammon": lambda: _openspiel("backgammon"),
}


def _our_first_game() -> dict[str, Callable[[], Contender]]:
    """What another game of this house is measured against, too."""
    kind = kind_of(DEFAULT)
    variant = kind.variant(2)
    return {
        f"{DEFAULT}_kernel": lambda: _kernel(variant, 1),
        f"{DEFAULT}_raw_env": lambda: _environment(lambda: kind.make("raw_env", variant)),
    }
