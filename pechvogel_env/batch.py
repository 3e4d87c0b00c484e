"""Thousands of games stepped by one compiled call, in arrays that the caller owns.

    buffers = Buffers.allocate(4096, num_players=2)
    batch = Batch(buffers, num_players=2, seed=7)
    while training:
        actions[:] = policy(buffers.observations, buffers.masks)   # for whoever acts: buffers.to_act
        batch.step(actions)                                        # fills the buffers again

Game i, episode k has the dice of the seed `game_seed(seed, i, k)` (`tabletop.seeds`), whatever the number of games and
threads: `pechvogel_v0` reset with that seed plays the same game.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pechvogel.tabletop import batch as tabletop
from pechvogel.tabletop.arrays import Ints
from pechvogel.tabletop.batch import Rows, Running, count_games
from pechvogel.tabletop.bits import first_illegal, write_masks
from pechvogel.tabletop.bits import random_actions as random_actions  # for who steps a batch by hand
from pechvogel.tabletop.checks import check_truths, check_whole
from pechvogel.tabletop.compile import compiled
from pechvogel.tabletop.guards import check_array, check_games, check_writeable, checked
from pechvogel.tabletop.seeds import game_seed, seeded_first_player
from pechvogel_env import observation, rules
from pechvogel_env.game import NEVER, check_settings, go_on
from pechvogel_env.position import Position, position_of
from pechvogel_env.rules import NOBODY, NUM_ACTIONS, Phase, States, act, put_score_rewards, put_scores, start_game


class Buffers(tabletop.Buffers):
    """What a step writes; a row per game."""

    @classmethod
    def allocate(cls, num_games: int, num_players: int = 2) -> Buffers:
        """Fresh arrays of the right shapes."""
        return cls.of_sizes(num_games, num_players, observation.size(num_players), NUM_ACTIONS)


def _check_scores(states: Any, games: Any, scores: Any) -> None:
    check_array("states", states, rules.STATE)
    check_array("games", games, np.int64)
    check_array("scores", scores, np.int32, 2)
    if len(games) != len(scores):
        raise ValueError(f"scores must have a row for each of {len(games)} games, not {len(scores)}")
    if not len(games):
        return
    if not 0 <= games.min() <= games.max() < len(states) or states["num_players"][games].max() > scores.shape[1]:
        raise ValueError("games must be numbers of states, with no more players than a row of scores has numbers")
    check_writeable("scores", scores)


@checked(_check_scores)
@compiled
def write_scores(states: States, games: Ints, scores: NDArray[np.int32]) -> None:
    """The points of everybody in some games as they stand, a row each."""
    for row in range(len(games)):
        put_scores(states[games[row]], scores, row)


@compiled
def step_games(
    games: Ints,
    start: int,
    stop: int,
    running: Running,
    actions: Ints,
    rows: Rows,
    base_seed: Any,
    by_score: bool,
    skip_forced: bool,
    max_turns: int,
    auto_reset: bool,
    check: bool,
) -> int:
    """Carry out one action in each of the games games[start..stop-1] and fill their rows of the buffers.

    With `check`, an illegal action is found before anything changes; returns its game, else -1.
    """
    states, bits, seeds, episodes = running
    observations, masks, to_act, rewards, scores, turns, dones, truncations = rows
    if check:
        illegal = first_illegal(bits, actions, games)
        if illegal >= 0:
            return illegal
    for i in games[start:stop]:
        if dones[i]:  # rows of an ended episode are cleared by the next step
            dones[i] = False
            truncations[i] = False
            turns[i] = 0
            for seat in range(rewards.shape[1]):
                rewards[i, seat] = 0
                scores[i, seat] = 0
        if bits[i] == 0:
            continue
        s = states[i]
        act(s, actions[i])
        legal = go_on(s, seeds[i], skip_forced, max_turns, True)
        if legal == 0:
            dones[i] = True
            turns[i] = s.turn
            put_scores(s, scores, i)
            if s.phase != Phase.OVER:
                truncations[i] = True  # rewards stay 0 (Q7)
            elif by_score:
                put_score_rewards(s, rewards, i)
            else:
                rules.put_win_rewards(s, rewards, i)
            if auto_reset:
                # Until somebody is asked: with few `max_turns` a game may be truncated before.
                while legal == 0:
                    episodes[i] += 1
                    seeds[i] = game_seed(base_seed, i, episodes[i])
                    first_player = seeded_first_player(seeds[i], s.num_players)
                    start_game(s, s.num_players, s.copies, s.italian_reading == 1, first_player)
                    legal = go_on(s, seeds[i], skip_forced, max_turns, True)
        bits[i] = legal
        to_act[i] = s.to_act if legal else NOBODY
    write_masks(bits, games, start, stop, masks)
    observation.put_observations(states, games, start, stop, to_act, observations)
    return -1


@compiled
def start_games(
    running: Running,
    first_players: Ints,
    rows: Rows,
    num_players: int,
    copies: int,
    italian_reading: bool,
    base_seed: Any,
    skip_forced: bool,
    max_turns: int,
    auto_reset: bool,
) -> None:
    """Start every game with its seed and first player, up to its first decision."""
    states, bits, seeds, episodes = running
    games = np.arange(len(states))
    for i in range(len(states)):
        s = states[i]
        start_game(s, num_players, copies, italian_reading, first_players[i])
        bits[i] = go_on(s, seeds[i], skip_forced, max_turns, True)
        while bits[i] == 0 and auto_reset:
            episodes[i] += 1
            seeds[i] = game_seed(base_seed, i, episodes[i])
            start_game(s, num_players, copies, italian_reading, seeded_first_player(seeds[i], num_players))
            bits[i] = go_on(s, seeds[i], skip_forced, max_turns, True)
        rows.to_act[i] = s.to_act if bits[i] else NOBODY
    write_masks(bits, games, 0, len(states), rows.masks)
    observation.put_observations(states, games, 0, len(states), rows.to_act, rows.observations)


class Batch(tabletop.Batch):
    """Many games at once. Finished games start again by themselves unless `auto_reset` is False.

    `threads` splits every step over that many threads; games don't depend on it. It pays from some thousand games on.
    """

    def __init__(
        self,
        buffers: tabletop.Buffers,
        *,
        num_players: int = 2,
        copies: int = 3,
        reward: str = "win",
        skip_forced: bool = True,
        italian_reading: bool = False,
        max_turns: int | None = None,
        seed: int = 0,
        threads: int = 1,
        auto_reset: bool = True,
    ) -> None:
        check_settings(num_players, copies, reward, max_turns)
        check_truths(skip_forced=skip_forced, italian_reading=italian_reading)
        self.copies, self.italian_reading = copies, italian_reading
        self.reward, self.skip_forced, self.max_turns = reward, skip_forced, max_turns
        num_games = count_games(buffers)
        shapes = tabletop.shapes(num_games, num_players, observation.size(num_players), NUM_ACTIONS)
        states = rules.new_states(num_games)
        super().__init__(buffers, shapes, states, num_players, seed, threads, auto_reset)

    @property
    def _stop_turn(self) -> int:
        return NEVER if self.max_turns is None else self.max_turns

    def _start(self, first_players: Ints) -> None:
        settings = (self.num_players, self.copies, self.italian_reading, self.base_seed, self.skip_forced)
        start_games(self.running, first_players, self.rows(), *settings, self._stop_turn, self.auto_reset)

    def _step_range(self, games: Ints, start: int, stop: int, actions: Ints, check: bool) -> int:
        settings = (self.base_seed, self.reward == "score", self.skip_forced, self._stop_turn, self.auto_reset)
        return step_games(games, start, stop, self.running, actions, self._rows, *settings, check)

    def shown(self, games: Ints) -> States:
        """Everything is public: the states."""
        return self.states[check_games(games, self.num_games)]

    def view(self, game: int, seat: int) -> Position:
        """Everything is public: the position."""
        check_whole("game", game, 0, self.num_games - 1)
        check_whole("seat", seat, 0, self.num_players - 1)
        return position_of(self.states, game)

    def scores(self, games: Ints) -> NDArray[np.int32]:
        """Points of everybody as things stand (R21), a row for each of some games."""
        games = check_games(games, self.num_games)
        out = np.zeros((len(games), self.num_players), np.int32)
        write_scores(self.states, games, out)
        return out

    def _end(self, games: Ints) -> None:
        self.states["phase"][games] = Phase.OVER
