"""Experiments as data: one short YAML file each; unknown keys are errors.

Those in `configs/GAME/` come with the package and are found by name.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar, get_args, get_origin, get_type_hints

from pechvogel.agents.games import DEFAULT, kind_of
from pechvogel.tabletop.checks import check_one_of
from pechvogel.tabletop.kind import Variant
from pechvogel.tabletop.seeds import check_seed
from pechvogel.tabletop.untrusted import read_yaml, shown, shown_value

FOLDER = Path(__file__).parents[1] / "configs"  # beside this room, in the repository as where it is installed

# The files of a run, in its folder.
CHECKPOINT = "checkpoint.safetensors"
WEIGHTS = "policy.safetensors"
HISTORY = "history.json"

DEVICES = ("auto", "cpu", "cuda")

# More than any machine has memory or time for: a number beyond these is a slip, not a wish.
MOST = 10**12
MOST_BY_KEY = {
    "tables": 2**20,
    "rollout": 2**20,
    "minibatch": 2**24,
    "epochs": 10_000,
    "evaluation_games": 10**8,
    "snapshots": 1000,
}
MOST_DECISIONS = 2**24  # between two updates: tables x rollout
MOST_HIDDEN, MOST_LAYERS, MOST_NAMES = 4096, 16, 100


@dataclass
class Config:
    """What every training run has; a learner's own config adds to it."""

    learner: ClassVar[str]  # as its file says it
    game: str = DEFAULT
    players: int = 2
    settings: dict[str, Any] = field(default_factory=dict)  # of the game, where they are not the usual ones
    seed: int = 1
    device: str = "auto"  # auto (a GPU if there is one), cpu or cuda; cpu gives the same bits everywhere
    tables: int = 512  # games played side by side
    rollout: int = 16  # decisions or turns per table between two updates
    minibatch: int = 1024
    epochs: int = 2
    learning_rate: float = 0.001  # at the start
    hidden: list[int] = field(default_factory=lambda: [128, 128])
    evaluate_every: int = 50  # updates between two evaluations
    evaluate_against: list[str] = field(default_factory=lambda: ["heuristic", "planner"])
    evaluation_games: int = 1000
    checkpoint_minutes: float = 2.0

    @property
    def variant(self) -> Variant:
        """What is played."""
        try:
            return kind_of(self.game).variant(self.players, **self.settings)
        except TypeError:  # one that is called like an argument of the function
            raise ValueError(f"settings can't be {shown_value(self.settings)}") from None

    def check(self) -> None:
        """ValueError names the first key whose value makes no sense."""
        _ = self.variant
        check_seed(self.seed)
        check_one_of("device", self.device, DEVICES)
        self.at_least(1, "tables", "rollout", "minibatch", "epochs", "evaluate_every", "evaluation_games")
        self.at_least(0, "checkpoint_minutes")
        self.above_0("learning_rate")
        if min(self.hidden) < 1:
            raise ValueError(f"hidden must be whole numbers above 0, not {shown_value(self.hidden)}")
        if max(self.hidden) > MOST_HIDDEN or len(self.hidden) > MOST_LAYERS:
            raise ValueError(
                f"hidden must be at most {MOST_LAYERS} numbers of at most {MOST_HIDDEN}, not {shown_value(self.hidden)}"
            )
        if self.tables * self.rollout > MOST_DECISIONS:
            raise ValueError(f"tables x rollout must be at most {MOST_DECISIONS}, not {self.tables * self.rollout}")
        if len(self.evaluate_against) > MOST_NAMES:
            raise ValueError(f"evaluate_against must be at most {MOST_NAMES} names, not {len(self.evaluate_against)}")

    def at_least(self, least: int, *keys: str) -> None:
        """For `check`."""
        for key in keys:
            value, most = getattr(self, key), MOST_BY_KEY.get(key, MOST)
            if not least <= value < math.inf:
                raise ValueError(f"{key} must be at least {least}, not {shown_value(value)}")
            if value > most:
                raise ValueError(f"{key} must be at most {most}, not {shown_value(value)}")

    def above_0(self, *keys: str) -> None:
        """For `check`."""
        for key in keys:
            value = getattr(self, key)
            if not 0 < value < math.inf:
                raise ValueError(f"{key} must be above 0, not {shown_value(value)}")
            if value > MOST:
                raise ValueError(f"{key} must be at most {MOST}, not {shown_value(value)}")

    def from_0_to_1(self, *keys: str) -> None:
        """For `check`."""
        for key in keys:
            if not 0 <= getattr(self, key) <= 1:
                raise ValueError(f"{key} must be from 0 to 1, not {shown_value(getattr(self, key))}")


@dataclass
class PpoConfig(Config):
    """A training run of `train.ppo`."""

    learner = "ppo"
    steps: int = 5_000_000  # the learner's decisions in all
    rollout: int = 64
    minibatch: int = 4096
    epochs: int = 4
    learning_rate: float = 0.0005  # falls linearly to a tenth
    entropy: float = 0.01
    clip: float = 0.2
    gae_lambda: float = 0.75  # the game is mostly luck: see docs/log.md
    # Who sits in the other seats, in which shares: `current`, the learner's own policy; `past`, snapshots of it; and
    # any agents by their specifications.
    league: dict[str, float] = field(
        default_factory=lambda: {"current": 0.5, "past": 0.2, "heuristic": 0.2, "random": 0.1}
    )
    alike: float = 0.0  # share of tables at which one of them fills all other seats
    start: str = ""  # `ppo` or `ppo:weights=FILE`: the weights to begin with
    critic_first: int = 0  # updates in which only the critic learns, which is in no file of weights
    snapshot_every: int = 20  # updates between two snapshots
    snapshots: int = 10  # kept at most; then the oldest goes
    evaluate_every: int = 20
    evaluate_against: list[str] = field(default_factory=lambda: ["random", "heuristic"])

    def check(self) -> None:
        """See `Config`."""
        super().check()
        self.at_least(1, "steps", "snapshot_every", "snapshots")
        self.at_least(2, "minibatch")
        self.at_least(0, "entropy", "critic_first")
        self.above_0("clip")
        self.from_0_to_1("gae_lambda", "alike")
        shares = self.league.values()
        if not all(0 <= share <= MOST for share in shares) or sum(shares) == 0:
            raise ValueError(
                f"the shares of the league must not be negative, nor endless, nor all 0: {shown_value(self.league)}"
            )
        if len(shares) > MOST_NAMES:
            raise ValueError(f"the league must have at most {MOST_NAMES} names, not {len(shares)}")


@dataclass
class ValueConfig(Config):
    """A training run of `train.value`: what a position between turns is worth. In its file: `learner: value`."""

    learner = "value"
    turns: int = 5_000_000  # of all tables together
    tables: int = 1024
    trace: float = 0.9  # how far later turns correct the values of earlier ones: the lambda of TD(lambda)
    explore: float = 0.05  # chance of a random action at a decision
    heuristic: float = 0.0  # share of games in which all seats but one play like `heuristic`
    score_weight: float = 0.1  # of the scores in the loss
    average: float = 0.98  # of the weights over updates: the share of the past
    hidden: list[int] = field(default_factory=lambda: [128, 64])

    def check(self) -> None:
        """See `Config`."""
        super().check()
        self.at_least(1, "turns")
        self.at_least(0, "score_weight")
        self.from_0_to_1("trace", "explore", "heuristic", "average")


@dataclass
class ImitationConfig(Config):
    """A run of `train.imitate`: doing at once what a search would find. In its file: `learner: imitate`."""

    learner = "imitate"
    teacher: str = "champion"  # any agent with action_values_batch
    decisions: int = 2_000_000  # of all tables together
    minibatch: int = 512
    temperature: float = 0.02  # of the softmax over the teacher's values that is learned
    average: float = 0.98  # of the weights over updates: the share of the past
    hidden: list[int] = field(default_factory=lambda: [256, 256])

    def check(self) -> None:
        """See `Config`."""
        super().check()
        self.at_least(1, "decisions")
        self.above_0("temperature")
        self.from_0_to_1("average")


LEARNERS: dict[str, type[Config]] = {kind.learner: kind for kind in (PpoConfig, ValueConfig, ImitationConfig)}

# What keys were called before version 0.2.
_LEAGUE = "league: {{{}: SHARE, ...}}"
OLD_KEYS = {
    "copies": "settings: {copies: N}",
    **{name: _LEAGUE.format(name) for name in ("current", "past", "heuristic", "planner", "random")},
    "frozen": "league: {AGENT: 1} with evaluate_against: [AGENT]",
}


def ended(folder: Path) -> bool:
    """Whether a run has written its weights: their card is what comes last."""
    return (folder / WEIGHTS).with_suffix(".json").exists()


def as_dict(config: Config) -> dict[str, Any]:
    """The inverse of `from_dict`."""
    return {"learner": config.learner, **asdict(config)}


def find(name: str, game: str) -> Path:
    """A config by its path, or by its name among those of a game."""
    if Path(name).suffix or Path(name).is_file():
        return Path(name)
    folder = FOLDER / game.replace("-", "_")
    found = folder / f"{name}.yaml"
    if not found.is_file():
        known = sorted(path.stem for path in folder.glob("*.yaml"))
        raise ValueError(f"there is no config {name!r} for {game}; there are {', '.join(known)}, or name a file")
    return found


def read(path: Path, game: str | None = None) -> Config:
    """A config from a YAML file; ValueError names what is wrong. A given game must not contradict the file's own."""
    try:
        source = read_yaml(path)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if not isinstance(source, dict | None):
        raise ValueError(f"{path}: a config is a list of `key: value` lines")
    try:
        config = from_dict({"game": game or DEFAULT} | (source or {}))
    except ValueError as error:
        raise ValueError(f"{path}: {shown(error, 1000)}") from None
    if game not in (None, config.game):
        raise ValueError(f"{path} is for {config.game}, not for {game}")
    return config


def from_dict(source: dict[str, Any]) -> Config:
    """A config from its keys; ValueError names what is wrong."""
    values = dict(source)
    learner = values.pop("learner", "ppo")
    if not isinstance(learner, str) or learner not in LEARNERS:
        raise ValueError(f"learner must be {', '.join(LEARNERS)}, not {shown_value(learner)}")
    kind = LEARNERS[learner]
    known, types = [item.name for item in fields(kind)], get_type_hints(kind)
    for key, value in values.items():
        if key not in known:
            old = key in OLD_KEYS and (key == "copies" or learner == "ppo")
            renamed = f"{key!r} is now {OLD_KEYS[key]}" if old else f"{shown_value(key)} is no setting"
            raise ValueError(f"{renamed}; there are learner, {', '.join(known)}")
        if not _fits(value, types[key]):
            raise ValueError(f"{key} must be {_NAMES[types[key]]}, not {shown_value(value)}")
    config = kind(**values)
    config.check()
    return config


# In words, by the type of a field.
_NAMES: dict[Any, str] = {
    int: "a whole number",
    float: "a number",
    str: "text",
    list[int]: "a list of whole numbers",
    list[str]: "a list of names",
    dict[str, float]: "names with numbers",
    dict[str, Any]: "names with values",
}


def _fits(value: Any, wanted: Any) -> bool:
    if wanted is Any:
        return True
    parts = get_args(wanted)
    if get_origin(wanted) is list:
        return isinstance(value, list) and bool(value) and all(_fits(part, parts[0]) for part in value)
    if get_origin(wanted) is dict:
        return isinstance(value, dict) and all(_fits(k, str) and _fits(v, parts[1]) for k, v in value.items())
    return isinstance(value, (int, float) if wanted is float else wanted) and not isinstance(value, bool)
