"""Means, intervals and ratings.

Every sequence of dice is played by all rotations of a line-up (a *block*), and intervals come from the blocks, not from
single games: their means are independent, single games are not. An interval is the mean plus or minus 1.96 standard
errors of the block means.

Ratings are a Bradley-Terry model of "who came out before whom" (a tie counts half), fitted by maximum likelihood to all
pairs of differently named agents in all games, on the Elo scale (400 points are 10 to 1), with mean 0. Standard errors
are the sandwich estimate by blocks, as pairs within a block are not independent.
"""

from __future__ import annotations

import math

import numpy as np

from pechvogel.tabletop.arrays import Floats

Z95 = 1.96
ELO = 400 / math.log(10)


def mean_and_interval(block_means: Floats) -> tuple[float, list[float]]:
    """The mean of independent blocks with its 95% interval."""
    mean = float(block_means.mean())
    if len(block_means) < 2:
        return mean, [math.nan, math.nan]
    half = Z95 * float(block_means.std(ddof=1)) / math.sqrt(len(block_means))
    return mean, [mean - half, mean + half]


def mean_over_lineups(shares: dict[tuple[int, int], Floats]) -> tuple[float, list[float]]:
    """The mean over several line-ups, weighted by seats, with its interval: blocks vary within line-ups only."""
    weights = {key: key[1] * len(blocks) for key, blocks in shares.items()}
    total = sum(weights.values())
    mean = sum(weights[key] * float(blocks.mean()) for key, blocks in shares.items()) / total
    if min(map(len, shares.values())) < 2:
        return mean, [math.nan, math.nan]
    variance = sum((weights[key] / total) ** 2 * blocks.var(ddof=1) / len(blocks) for key, blocks in shares.items())
    half = Z95 * math.sqrt(float(variance))
    return mean, [mean - half, mean + half]


def fit_ratings(wins: Floats, games: Floats) -> tuple[Floats, Floats]:
    """Bradley-Terry ratings and their standard errors.

    `wins[b, i, j]`: in how many games of block b agent i came out before agent j (ties half); `games[b, i, j]`: of how
    many. A pseudo-game, half won by each side, is added to every pair that met, so that ratings stay finite.
    """
    count = wins.shape[1]
    total_wins, total_games = wins.sum(axis=0), games.sum(axis=0)
    met = total_games > 0
    total_wins, total_games = total_wins + 0.5 * met, total_games + met
    strength = np.zeros(count)
    for _ in range(100):
        chance = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
        gradient = (total_wins - total_games * chance).sum(axis=1)
        weight = total_games * chance * (1 - chance)
        information = np.diag(weight.sum(axis=1)) - weight
        step = np.linalg.pinv(information) @ gradient
        strength += step
        if np.abs(step).max() < 1e-10:
            break
    chance = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    scores = (wins - games * chance).sum(axis=2)  # each block's part of the gradient
    inverse = np.linalg.pinv(information)
    covariance = inverse @ (scores.T @ scores) @ inverse
    return strength * ELO, np.sqrt(np.maximum(np.diag(covariance), 0)) * ELO
