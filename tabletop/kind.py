"""What a game offers to all that is shared: its `Kind`; and what is played: a `Variant`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from pechvogel.tabletop.batch import Batch
from pechvogel.tabletop.checks import check_whole


def _as_it_is(value: Any) -> Any:
    return value


def numbers(value: Any) -> Any:
    """A list of whole numbers, or a text like "4,4,3", as a tuple; what is neither stays, for a check to refuse."""
    if isinstance(value, str):
        parts = value.split(",")
        return tuple(map(int, parts)) if all(part.strip().isdecimal() and len(part) < 20 for part in parts) else value
    return tuple(value) if isinstance(value, list) else value


def in_line(value: Any) -> Any:
    """The value of a setting as it is written on a command line: numbers with commas between them."""
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else value


class Setting(NamedTuple):
    """A rule that can be chosen: an argument of the environment, and an option of the command line of the same name."""

    default: Any
    check: Callable[[str, Any], None]  # ValueError names the setting and says what is wrong with a value
    help: str
    text: str = "{}"  # a value in words: "{} copies"
    form: Callable[[Any], Any] = _as_it_is  # of a value from a file or a command line: the one that compares and hashes

    @property
    def switch(self) -> bool:
        """On or off, and off by default: worth a word only where it is on."""
        return self.default is False


@dataclass(frozen=True)
class Variant:
    """A game for so many players with settings of its own; `Kind.variant` makes and checks it."""

    game: str
    num_players: int
    pairs: tuple[tuple[str, Any], ...]  # all settings by name, in the game's order

    @property
    def settings(self) -> dict[str, Any]:
        """All settings by name."""
        return dict(self.pairs)

    def __getitem__(self, name: str) -> Any:
        return self.settings[name]


class Habit(NamedTuple):
    """Something that players do or don't: at decisions of a phase, one of some actions."""

    verb: str  # "reduces"
    phase: int
    actions: list[int]


class Kind(ABC):
    """A game."""

    name: ClassVar[str]  # "pechvogel": in configs, cards, records, and behind --game
    environment: ClassVar[str]  # "pechvogel_v0": the version of rules and observation
    players: ClassVar[range]  # how many can play
    settings: ClassVar[Mapping[str, Setting]]
    actions: ClassVar[tuple[str, ...]]  # their names by id
    phases: ClassVar[tuple[str, ...]]  # their names by number
    habits: ClassVar[Mapping[str, Habit]]
    perfect_information: ClassVar[bool]  # else agents get views and observations, never states
    simultaneous: ClassVar[bool] = False  # players decide at the same time: there is a `parallel_env`, too

    def variant(self, num_players: int, **settings: Any) -> Variant:
        """So many players, and settings that differ from the usual ones; ValueError says what is wrong."""
        check_whole("num_players", num_players, self.players[0], self.players[-1])
        for name in settings:
            if name not in self.settings:
                raise ValueError(f"{name!r} is no setting of {self.name}; there are {', '.join(self.settings)}")
        pairs = []
        for name, setting in self.settings.items():
            value = setting.form(settings.get(name, setting.default))
            setting.check(name, value)
            pairs.append((name, value))
        return Variant(self.name, int(num_players), tuple(pairs))

    def told(self, variant: Variant) -> dict[str, Any]:
        """The settings that are worth telling, for cards and results."""
        told = {name: value for name, value in variant.pairs if value or not self.settings[name].switch}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in told.items()}

    def plain(self, variant: Variant) -> Variant:
        """The same without its switches: for these, weights play as they are."""
        return self.variant(
            variant.num_players, **{name: value for name, value in variant.pairs if not self.settings[name].switch}
        )

    def describe(self, variant: Variant) -> str:
        """In words: "2 players, 3 copies"."""
        told = [self.settings[name].text.format(in_line(value)) for name, value in self.told(variant).items()]
        return ", ".join([f"{variant.num_players} players", *told])

    @abstractmethod
    def variant_of(self, states: NDArray[Any]) -> Variant:
        """What is played in some games, all of the same variant, as far as weights depend on it."""

    @abstractmethod
    def game(self, variant: Variant, **options: Any) -> Any:
        """One game, step by step."""

    @abstractmethod
    def batch(self, variant: Variant, num_games: int, **options: Any) -> Batch:
        """Many games at once, with buffers of their own."""

    @abstractmethod
    def observation_size(self, variant: Variant) -> int:
        """How many numbers an observation has."""

    @abstractmethod
    def observe(self, states: NDArray[Any]) -> NDArray[Any]:
        """What whoever is asked sees, a row for each of some games."""

    @abstractmethod
    def make(self, name: str, variant: Variant, **options: Any) -> Any:
        """An environment: `raw_env` and `env` for PettingZoo, `solo` for Gymnasium."""

    @abstractmethod
    def random_games(self, variant: Variant, num_games: int) -> Callable[[int], int]:
        """A function that plays so many games of random actions in compiled code, from a seed; returns decisions."""


OneGame = TypeVar("OneGame")


@dataclass(frozen=True)
class Parts(Generic[OneGame]):
    """What a game is made of."""

    game: Callable[..., OneGame]  # (num_players, **settings, **options)
    batch: Callable[..., Batch]  # (buffers, *, num_players, **settings, **options)
    buffers: Callable[[int, int], Any]  # (num_games, num_players)
    observation_size: Callable[[int], int]  # (num_players)
    observe: Callable[..., None]  # (states, games, start, stop, observers, out)
    environments: Mapping[str, Callable[..., Any]]  # by name: "raw_env", "env", "solo"


class PartsKind(Kind, Generic[OneGame]):
    """A game that is made of its parts."""

    parts: Parts[OneGame]
    max_turns = "max_turns"  # what the game itself calls that option

    def _named(self, options: dict[str, Any]) -> dict[str, Any]:
        return {self.max_turns if name == "max_turns" else name: value for name, value in options.items()}

    def game(self, variant: Variant, **options: Any) -> OneGame:
        """One game, step by step."""
        return self.parts.game(variant.num_players, **variant.settings, **self._named(options))

    def batch(self, variant: Variant, num_games: int, **options: Any) -> Any:
        """Many games at once."""
        buffers = self.parts.buffers(num_games, variant.num_players)
        settings = {**variant.settings, **self._named(options)}
        return self.parts.batch(buffers, num_players=variant.num_players, **settings)

    def observation_size(self, variant: Variant) -> int:
        """How many numbers an observation has."""
        return self.parts.observation_size(variant.num_players)

    def make(self, name: str, variant: Variant, **options: Any) -> Any:
        """An environment."""
        settings = {**variant.settings, **self._named(options)}
        return self.parts.environments[name](num_players=variant.num_players, **settings)


class OpenKind(PartsKind[OneGame]):
    """A game in which everything is public."""

    perfect_information = True

    def observe(self, states: NDArray[Any]) -> NDArray[np.float32]:
        """What whoever is asked sees."""
        out = np.empty((len(states), self.parts.observation_size(int(states["num_players"][0]))), np.float32)
        self.parts.observe(states, np.arange(len(states)), 0, len(states), states["to_act"].copy(), out)
        return out
