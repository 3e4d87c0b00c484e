"""Many games at once: the same as single ones; and what arena and training make of them."""

from __future__ import annotations

import hashlib
import random
from typing import Any

import numpy as np
import pytest

from pechvogel.agents.random import RandomAgent
from pechvogel.tabletop.seeds import game_seed
from pechvogel.train.arena.match import Match
from porca_miseria_env.batch import Batch, Buffers, random_actions
from porca_miseria_env.game import Game, random_games
from porca_miseria_env.kind import KIND
from porca_miseria_env.rules import Action, Phase, new_states
from porca_miseria_env.view import View

SETTINGS = [
    {"num_players": 3, "max_cards": 20},
    {"num_players": 8, "reward": "score"},
    {"num_players": 5, "tap_cards": 40, "ticks": 3, "blur": 0.3, "moving_numbers": True, "max_cards": 9},
    {"num_players": 4, "skip_forced": False, "tap_cards": 63, "max_cards": 9},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=range(len(SETTINGS)))
def test_single_and_batch_play_give_the_same_games(settings: dict[str, Any]) -> None:
    num_games, n = 3, settings["num_players"]
    buffers = Buffers.allocate(num_games, n)
    batch = Batch(buffers, seed=3, **settings)
    own = {name: value for name, value in settings.items() if name != "reward"}
    games, episodes = [Game(**own) for _ in range(num_games)], [0] * num_games
    for i, game in enumerate(games):
        game.reset(int(game_seed(np.uint64(3), i, 0)))
    rng, actions = random.Random(1), np.zeros(num_games, np.int64)
    for _ in range(1200 if n == 8 else 500):
        for i, game in enumerate(games):
            assert buffers.to_act[i] == game.to_act and (buffers.masks[i] == game.mask()).all()
            assert buffers.observations[i].tobytes() == game.observe(int(game.to_act or 0)).tobytes()
            actions[i] = rng.choice(np.flatnonzero(buffers.masks[i]))
            game.step(actions[i])
        batch.step(actions)
        for i, game in enumerate(games):
            assert buffers.dones[i] == (game.bits == 0)
            if not game.bits:
                assert buffers.scores[i].tolist() == game.scores() and buffers.truncations[i] == game.truncated
                assert buffers.rewards[i] == pytest.approx(game.rewards(settings.get("reward", "win")), abs=1e-5)
                assert buffers.turns[i] == game.states["turn"][0]
                episodes[i] += 1
                game.reset(int(game_seed(np.uint64(3), i, episodes[i])))
    assert max(episodes) >= 1


def test_whoever_can_only_wait_is_not_asked() -> None:
    batch = KIND.batch(KIND.variant(3, tap_cards=30), 200)
    actions = np.zeros(200, np.int64)
    for step in range(100):
        assert ((batch.buffers.masks.sum(axis=1)) > 1).all()
        random_actions(batch.bits, np.uint64(step), actions)
        batch.step(actions)


def test_games_do_not_depend_on_threads() -> None:
    def digest(threads: int) -> str:
        batch, found = KIND.batch(KIND.variant(4), 300, seed=5, threads=threads), hashlib.sha256()
        actions = np.zeros(300, np.int64)
        for step in range(60):
            random_actions(batch.bits, np.uint64(step), actions)
            batch.step(actions)
            found.update(batch.buffers.observations.tobytes() + batch.buffers.masks.tobytes())
        batch.close()
        return found.hexdigest()

    assert digest(1) == digest(3)


def test_fingerprint_of_random_games() -> None:
    """Changes with any change of rules or chance; then `porca_miseria_v0` is another version."""
    found = []
    for num_players in (3, 5, 8):
        states = new_states(100, num_players)
        decisions = random_games(states, 100, np.uint64(7))
        loot = states["loot"].astype(np.int64)
        found.append((decisions, int(states["turn"].sum()), int((loot * np.arange(1, 9)).sum())))
    assert found == FINGERPRINT


FINGERPRINT = [(68353, 10000, 2909), (69265, 7889, 16191), (50275, 4538, 26310)]


def test_the_kind() -> None:
    usual = KIND.variant(3)
    assert KIND.describe(usual) == "3 players, 9 tap cards, 6 ticks, blur 0.1"
    assert not KIND.perfect_information and KIND.players == range(3, 9)
    assert KIND.variant(3, blur=0) == KIND.variant(3, blur=0.0)
    moving = KIND.variant(4, moving_numbers=True, ticks=2)
    assert KIND.plain(moving) == KIND.variant(4, ticks=2)
    batch = KIND.batch(moving, 3, max_turns=50)
    shown = batch.shown(np.arange(3))
    assert KIND.variant_of(shown) == moving and KIND.observe(shown) is shown
    assert shown.shape == (3, KIND.observation_size(moving))
    assert KIND.phases[batch.phases(np.arange(3))[0]] in ("symbols", "tap")
    assert KIND.game(usual, max_turns=4).max_turns == 4
    assert KIND.random_games(usual, 5)(1) > 100
    for name in ("raw_env", "env", "parallel_env", "solo"):
        KIND.make(name, usual).reset(seed=1)
    assert {phase for habit in KIND.habits.values() for phase in [habit.phase]} == {Phase.SYMBOLS, Phase.TAP}


class Looker:
    """An agent that looks at its view, and taps and takes what it can."""

    name = "looker"

    def __init__(self) -> None:
        self.views: list[View] = []

    def act(self, position: View, mask: np.ndarray, rng: np.random.Generator) -> int:
        self.views.append(position)
        return int(np.flatnonzero(mask)[-1])


def test_agents_get_views_and_observations_never_states() -> None:
    """At the arena's tables, which are the same for all games."""
    looker = Looker()
    match = Match([looker, RandomAgent(), RandomAgent()], KIND.variant(3), 1, 0, range(1), 1.0)
    for _ in range(60):
        live = match.batch.live()
        place = (match.buffers.to_act[live] - match.rotation[live]) % 3
        actions = np.zeros(3, np.int64)
        for k in range(3):
            games = live[place == k]
            if len(games):
                actions[games] = match._decide(k, games)
        match.batch.step(actions)
    assert len(looker.views) > 20 and all(type(view) is View for view in looker.views)
    assert all(view["lucky_numbers"][view["seat"]] for view in looker.views)


def test_a_learner_sits_at_these_tables() -> None:
    """Self-play, which is the same for all games."""
    pytest.importorskip("stable_baselines3")
    from pechvogel.train.selfplay import League, Scripted, SelfPlayVecEnv

    tables = SelfPlayVecEnv(6, League({Scripted(RandomAgent()): 1.0}), KIND.variant(8))
    observations = tables.reset()
    dones = 0
    for _ in range(150):
        masks = tables.action_masks()
        assert observations.shape == (6, KIND.observation_size(KIND.variant(8))) and (masks.sum(axis=1) > 1).all()
        tables.step_async(np.array([np.flatnonzero(mask)[0] for mask in masks]))
        observations, rewards, done, _ = tables.step_wait()
        assert (rewards[~done] == 0).all() and (rewards[done] != 0).all()
        dones += int(done.sum())
    assert dones > 0
    assert Action.WAIT == 0
