"""Experiments as data: one short YAML file each; unknown keys are errors."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeAlias

from pechvogel_env.dice import check_seed
from pechvogel_env.game import check_settings

# The files of a run, in its folder.
CHECKPOINT = "checkpoint.safetensors"
WEIGHTS = "policy.safetensors"
HISTORY = "history.json"


@dataclass
class Config:
    """A training run of `train.ppo`."""

    players: int = 2
    copies: int = 3
    seed: int = 1
    steps: int = 5_000_000  # the learner's decisions in all
    tables: int = 512  # games played side by side
    rollout: int = 64  # decisions per table between two updates
    minibatch: int = 4096
    epochs: int = 4
    learning_rate: float = 0.0005  # at the start; falls linearly to a tenth
    entropy: float = 0.01
    clip: float = 0.2
    gae_lambda: float = 0.75  # the game is mostly luck: see docs/log.md
    hidden: list[int] = field(default_factory=lambda: [128, 128])
    # Who sits in the other seats, in which shares.
    current: float = 0.5  # the learner's own policy
    past: float = 0.2  # snapshots of it
    heuristic: float = 0.2
    planner: float = 0.0  # ten times as slow as the others
    random: float = 0.1
    alike: float = 0.0  # share of tables at which one of them fills all other seats
    # Instead of a league: the best response to an agent.
    frozen: str = ""  # who fills all other seats
    start: str = ""  # `ppo` or `ppo:weights=FILE`: the weights to begin with
    critic_first: int = 0  # updates in which only the critic learns, which is in no file of weights
    snapshot_every: int = 20  # updates between two snapshots
    snapshots: int = 10  # kept at most; then the oldest goes
    evaluate_every: int = 20  # updates between two evaluations
    evaluation_games: int = 1000
    checkpoint_minutes: float = 2.0


@dataclass
class ValueConfig:
    """A training run of `train.value`: what a position between turns is worth. In its file: `learner: value`."""

    players: int = 2
    copies: int = 3
    seed: int = 1
    turns: int = 5_000_000  # of all tables together
    tables: int = 1024  # games played side by side
    rollout: int = 16  # turns per table between two updates
    minibatch: int = 1024
    epochs: int = 2
    learning_rate: float = 0.001  # at the start; falls to a hundredth along a cosine
    trace: float = 0.9  # how far later turns correct the values of earlier ones: the lambda of TD(lambda)
    explore: float = 0.05  # chance of a random action at a decision
    heuristic: float = 0.0  # share of games in which all seats but one play like `heuristic`
    score_weight: float = 0.1  # of the scores in the loss
    average: float = 0.98  # of the weights over updates: the share of the past
    hidden: list[int] = field(default_factory=lambda: [128, 64])
    evaluate_every: int = 50  # updates between two evaluations
    evaluation_games: int = 1000
    checkpoint_minutes: float = 2.0


@dataclass
class ImitationConfig:
    """A run of `train.imitate`: doing at once what a search would find. In its file: `learner: imitate`."""

    players: int = 2
    copies: int = 3
    seed: int = 1
    teacher: str = "champion"  # any agent with action_values_batch
    decisions: int = 2_000_000  # of all tables together
    tables: int = 512  # games played side by side
    rollout: int = 16  # decisions per table between two updates
    minibatch: int = 512
    epochs: int = 2
    learning_rate: float = 0.001  # at the start; falls to a hundredth along a cosine
    temperature: float = 0.02  # of the softmax over the teacher's values that is learned
    average: float = 0.98  # of the weights over updates: the share of the past
    hidden: list[int] = field(default_factory=lambda: [256, 256])
    evaluate_every: int = 50  # updates between two evaluations
    evaluation_games: int = 1000
    checkpoint_minutes: float = 2.0


OwnConfig: TypeAlias = ValueConfig | ImitationConfig  # of loops of our own
AnyConfig: TypeAlias = Config | OwnConfig
LEARNERS: dict[str, type[AnyConfig]] = {"ppo": Config, "value": ValueConfig, "imitate": ImitationConfig}


def ended(folder: Path) -> bool:
    """Whether a run has written its weights: their card is what comes last."""
    return (folder / WEIGHTS).with_suffix(".json").exists()


def as_dict(config: AnyConfig) -> dict[str, Any]:
    """The inverse of `from_dict`."""
    learner = next(name for name, kind in LEARNERS.items() if isinstance(config, kind))
    return ({} if learner == "ppo" else {"learner": learner}) | asdict(config)


def read(path: Path) -> AnyConfig:
    """A config from a YAML file; ValueError names what is wrong."""
    import yaml

    try:
        source = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise ValueError(f"{path} is not valid YAML: {' '.join(str(error).split())}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not a text file") from None
    try:
        return from_dict(source or {})
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def from_dict(source: Any) -> AnyConfig:
    """A config from its keys; ValueError names what is wrong."""
    if not isinstance(source, dict):
        raise ValueError("a config is a list of `key: value` lines")
    settings = dict(source)
    learner = settings.pop("learner", "ppo")
    if not isinstance(learner, str) or learner not in LEARNERS:
        raise ValueError(f"learner must be {', '.join(LEARNERS)}, not {learner!r}")
    kind = LEARNERS[learner]
    known = {item.name: item for item in fields(kind)}
    for key, value in settings.items():
        if key not in known:
            raise ValueError(f"{key!r} is no setting; there are learner, {', '.join(known)}")
        wanted = known[key].type
        if wanted == "list[int]":
            fits = isinstance(value, list) and bool(value) and all(type(v) is int and v > 0 for v in value)
        elif wanted == "str":
            fits = isinstance(value, str)
        elif wanted == "int":
            fits = isinstance(value, int) and not isinstance(value, bool)
        else:
            fits = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not fits:
            raise ValueError(f"{key} must be of the kind {wanted}, not {value!r}")
    config = kind(**settings)
    check_settings(config.players, config.copies, "win", None)
    check_seed(config.seed)
    if isinstance(config, Config):
        _check_ppo(config)
    elif isinstance(config, ValueConfig):
        _check_value(config)
    else:
        _check_imitation(config)
    return config


def _check_ppo(config: Config) -> None:
    _at_least(config, 1, "steps", "tables", "rollout", "epochs", "snapshot_every", "snapshots", "evaluate_every")
    _at_least(config, 1, "evaluation_games")
    _at_least(config, 2, "minibatch")
    _at_least(config, 0, "checkpoint_minutes", "entropy", "critic_first")
    _above_0(config, "learning_rate", "clip")
    _shares(config, "gae_lambda", "alike")
    shares = [config.current, config.past, config.heuristic, config.planner, config.random]
    if not all(0 <= share < math.inf for share in shares) or sum(shares) == 0:
        raise ValueError("the shares current, past, heuristic, planner, random must not be negative, nor all 0")


def _check_value(config: ValueConfig) -> None:
    _at_least(config, 1, "turns", "tables", "rollout", "minibatch", "epochs", "evaluate_every", "evaluation_games")
    _at_least(config, 0, "checkpoint_minutes", "score_weight")
    _above_0(config, "learning_rate")
    _shares(config, "trace", "explore", "heuristic", "average")


def _check_imitation(config: ImitationConfig) -> None:
    _at_least(config, 1, "decisions", "tables", "rollout", "minibatch", "epochs", "evaluate_every", "evaluation_games")
    _at_least(config, 0, "checkpoint_minutes")
    _above_0(config, "learning_rate", "temperature")
    _shares(config, "average")


def _at_least(config: AnyConfig, least: int, *keys: str) -> None:
    for key in keys:
        if not least <= getattr(config, key) < math.inf:
            raise ValueError(f"{key} must be at least {least}, not {getattr(config, key)}")


def _above_0(config: AnyConfig, *keys: str) -> None:
    for key in keys:
        if not 0 < getattr(config, key) < math.inf:
            raise ValueError(f"{key} must be above 0, not {getattr(config, key)}")


def _shares(config: AnyConfig, *keys: str) -> None:
    for key in keys:
        if not 0 <= getattr(config, key) <= 1:
            raise ValueError(f"{key} must be from 0 to 1, not {getattr(config, key)}")
