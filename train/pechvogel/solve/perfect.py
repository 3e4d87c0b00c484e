"""Games of perfect players, with everything that happened in them: for the findings, and to check a table by play."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pechvogel.agents.pechvogel.solution import Solution
from pechvogel.agents.pechvogel.turn.ends import turn_starts
from pechvogel.agents.pechvogel.turn.search import TurnSearch
from pechvogel.train.progress import bar
from pechvogel_env.batch import Batch, Buffers
from pechvogel_env.rules import States


@dataclass
class Games:
    """Positions between turns, and every decision with the values of its actions."""

    turns: NDArray[np.int64]  # per game
    most: NDArray[np.int64]  # frustrations that anybody held, per game
    rewards: NDArray[np.float64]  # of the first player (seat 0), per game
    positions: States  # between turns, all of them
    game: NDArray[np.int64]  # which game a position is of
    decisions: States
    values: NDArray[np.float64]  # of every action, NaN: illegal

    def outcomes(self) -> NDArray[np.float64]:
        """How the games of the positions ended for the player at turn."""
        ended = self.rewards[self.game]
        return np.where(self.positions["active"] == 0, ended, -ended)


def play(table: Solution, games: int, seed: int) -> Games:
    """Let perfect players play with the engine, which counts any number of frustrations."""
    search = TurnSearch(table.evaluate)
    buffers = Buffers.allocate(games, 2)
    # Nothing is skipped, so that every turn is seen, also those without a decision.
    batch = Batch(buffers, num_players=2, copies=table.copies, seed=seed, auto_reset=False, skip_forced=False)
    batch.reset(first_players=np.zeros(games, np.int64))
    turns, most, rewards = np.zeros(games, np.int64), np.zeros(games, np.int64), np.zeros(games)
    seen = np.full(games, -1)
    actions = np.zeros(games, np.int64)
    positions, game, decisions, values = [], [], [], []
    with bar() as progress:
        task = progress.add_task("perfect games", total=games)
        while (live := np.flatnonzero(batch.bits)).size:
            new = live[batch.states["turn"][live] > seen[live]]
            seen[new] = batch.states["turn"][new]
            positions.append(turn_starts(batch.states[new]))
            game.append(new)
            actions[live] = buffers.masks[live].argmax(axis=1)
            asked = live[batch.bits[live] & (batch.bits[live] - 1) != 0]
            if asked.size:
                states = batch.states[asked]
                worth = search.action_values(states)
                decisions.append(states)
                values.append(worth)
                actions[asked] = np.nanargmax(worth, axis=1)
            batch.step(actions)
            most = np.maximum(most, batch.states["frustrations"][:, :2].max(axis=1))
            ended = np.flatnonzero(buffers.dones)
            turns[ended], rewards[ended] = buffers.turns[ended], buffers.rewards[ended, 0]
            progress.advance(task, len(ended))
    return Games(
        turns,
        most,
        rewards,
        np.concatenate(positions),
        np.concatenate(game),
        np.concatenate(decisions),
        np.concatenate(values),
    )
