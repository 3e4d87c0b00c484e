"""A game in progress, from decision to decision: what is the same for every game. The environments stand on it.

A game's own `Game` brings its settings, positions and compiled functions. One of these, `advance`, carries out an
action, draws what chance decides from the seed, and plays forced actions until somebody has to decide. Games with dice
and nothing hidden have more in common: `DiceGame`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from operator import index
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from pechvogel.tabletop.bits import action_list, mask_of
from pechvogel.tabletop.checks import check_one_of, check_truths, check_whole
from pechvogel.tabletop.results import Results
from pechvogel.tabletop.rewards import REWARDS
from pechvogel.tabletop.seeds import check_seed, seeded_first_player

NEVER = 2**31 - 1  # a turn that is never reached: no truncation
CHANCE_NEXT = -1  # instead of legal actions as bits
NO_ACTION = -1
_FIRST = np.zeros(1, np.int64)  # the only game of an array of one


class Shown(Protocol):
    """A position, as far as it is looked at here."""

    phase: str

    def to_dict(self) -> dict[str, Any]:
        """The JSON form as plain dicts and lists."""
        ...


P = TypeVar("P", bound=Shown)


class Kernels(NamedTuple):
    """A game's own compiled functions."""

    # (states, i, action, seed, skip_forced, stop_turn, draw): the legal actions of the next decision as bits; 0 at the
    # end; with `draw` False CHANCE_NEXT where chance is next.
    advance: Callable[[NDArray[np.void], int, int, Any, bool, int, bool], int]
    put_observations: Callable[..., None]  # (states, games, start, stop, observers, out)
    results: Results


def check_play(reward: str, max_turns: int | None) -> None:
    """Refuse what no game can have."""
    check_one_of("reward", reward, REWARDS)
    if max_turns is not None:
        check_whole("max_turns", max_turns, 1, NEVER)


class Game(ABC):
    """One game that waits for a decision, is over, or was truncated."""

    kernels: ClassVar[Kernels]
    action_names: ClassVar[tuple[str, ...]]  # by id
    over_phase: ClassVar[int]

    def __init__(
        self,
        states: NDArray[np.void],
        observation_size: int,
        num_players: int,
        skip_forced: bool,
        max_turns: int | None,
    ) -> None:
        check_truths(skip_forced=skip_forced)
        self.num_players = num_players
        self.skip_forced = bool(skip_forced)
        self.max_turns = max_turns
        self.states = states
        self.started = False
        self.bits = 0  # legal actions of whoever is asked; 0: the game has ended
        self.seed = 0
        self.first_player = 0
        self.actions: list[int] = []  # real decisions only, whatever `skip_forced`: enough to rebuild
        self._seed = np.uint64(0)
        # Handed to compiled code at every decision, so made once.
        self._seats = [np.array([seat], np.int8) for seat in range(num_players)]
        self._to_act = self.states["to_act"]
        self._size = observation_size
        self._stop_turn = NEVER

    # ------------------------------------------------------------------------------ a game's own

    @abstractmethod
    def _go_on(self, action: int) -> None:
        """Carry out a legal action, unless it is NO_ACTION, and go on to the next decision."""

    @abstractmethod
    def view(self, seat: int) -> Any:
        """What a seat may know."""

    # ------------------------------------------------------------------------------ the same for all

    def _checked_first_player(self, seed: int, first_player: int | None, name: str = "first_player") -> int:
        """Who starts, by the seed if nobody says so."""
        if first_player is None:
            first_player = int(seeded_first_player(np.uint64(seed), self.num_players))
        check_whole(name, first_player, 0, self.num_players - 1)
        return int(first_player)

    def _begin_with(self, seed: int, first_player: int) -> None:
        """Note what makes this game what it is; nothing has happened yet."""
        self.seed, self.first_player, self.actions = seed, first_player, []
        self._seed = np.uint64(seed)
        self.started = True

    def _set_stop(self) -> None:
        """Turns count from now on."""
        turn = int(self.states["turn"][0])
        self._stop_turn = NEVER if self.max_turns is None else min(NEVER, turn + self.max_turns)

    def step(self, action: int) -> None:
        """Carry out an action of whoever is asked; ValueError, and nothing changed, if it is illegal."""
        bits = self.bits
        try:
            number = index(action)
        except TypeError:
            number = NO_ACTION
        if not 0 <= number < len(self.action_names) or not bits >> number & 1:
            raise ValueError(self._illegal(action))
        if bits & (bits - 1):
            self.actions.append(number)
        self._go_on(number)

    def _illegal(self, action: Any) -> str:
        if not self.bits:
            return f"action {action!r} is illegal: the game has ended"
        names = self.action_names
        known = isinstance(action, (int, np.integer)) and 0 <= action < len(names)
        name = f"{int(action)} ({names[int(action)]})" if known else repr(action)
        legal = ", ".join(f"{a} ({names[a]})" for a in action_list(self.bits))
        return f"action {name} is illegal for player_{self.to_act}; legal are {legal}"

    @property
    def to_act(self) -> int | None:
        """The seat that is asked, or None when the game has ended."""
        return int(self._to_act[0]) if self.bits else None

    @property
    def over(self) -> bool:
        """Ended by the rules."""
        return bool(self.states["phase"][0] == self.over_phase)

    @property
    def truncated(self) -> bool:
        """Ended by `max_turns`."""
        return self.bits == 0 and not self.over

    def _check_started(self) -> None:
        if not self.started:
            raise ValueError("there is no game yet: call reset() first")

    def mask(self) -> NDArray[np.int8]:
        """The legal actions of whoever is asked, as a fresh mask."""
        return mask_of(self.bits, len(self.action_names)).copy()

    def observe(self, seat: int) -> NDArray[np.float32]:
        """What a seat sees, as a fresh vector."""
        self._check_started()
        out = np.empty((1, self._size), np.float32)
        self.kernels.put_observations(self.states, _FIRST, 0, 1, self._seats[seat], out)
        return out[0]

    def scores(self) -> list[int]:
        """Points of every player as things stand."""
        self._check_started()
        return [int(self.kernels.results.score(self.states, 0, seat)) for seat in range(self.num_players)]

    def winners(self) -> list[int]:
        """The seats tied for the best score as things stand."""
        bits = self.kernels.results.winners(self.states, 0)
        return [seat for seat in range(self.num_players) if bits >> seat & 1]

    def rewards(self, kind: str) -> list[float]:
        """Rewards of every player by the position as it stands; zeros if it was truncated."""
        out = np.zeros((1, self.num_players), np.float64)
        if not self.truncated:
            results = self.kernels.results
            write = results.write_win_rewards if kind == "win" else results.write_score_rewards
            write(self.states, 0, out, 0)
        return [float(x) for x in out[0]]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_to_act"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._to_act = self.states["to_act"]  # a view, which a copy would cut off


class DiceGame(Game, Generic[P]):
    """A game with dice in which everything is public: it can start from any position and with given dice."""

    def __init__(
        self,
        states: NDArray[np.void],
        observation_size: int,
        num_players: int,
        skip_forced: bool,
        max_turns: int | None,
        keep_dice: bool,
    ) -> None:
        super().__init__(states, observation_size, num_players, skip_forced, max_turns)
        self.start: P | None = None  # where it was not a fresh game
        self.script: NDArray[np.int8] = np.empty(0, np.int8)
        self.scripted = 0  # how many of the dice so far came from the script
        self.keep_dice = keep_dice  # slower: for records and replays
        self.dice: list[int] = []  # with `keep_dice`: all faces so far, in the order thrown

    # ------------------------------------------------------------------------------ a game's own

    @abstractmethod
    def _checked_script(self, dice: Sequence[int]) -> NDArray[np.int8]:
        """Scripted dice; ValueError if there are no such faces."""

    @abstractmethod
    def _completed(self, position: Any, first_player: int) -> P:
        """A position to start from, from any of its forms; a partial one is completed."""

    @abstractmethod
    def _begin(self, first_player: int) -> None:
        """Set the state to the start of a game."""

    @abstractmethod
    def _load(self, position: P) -> None:
        """Set the state to a position."""

    @abstractmethod
    def _position(self) -> P:
        """The position of the state."""

    @abstractmethod
    def _seeded_throw(self) -> list[int]:
        """The seeded dice of the throw that is due."""

    @abstractmethod
    def _throw(self, faces: NDArray[np.int8]) -> None:
        """Let dice fall."""

    @abstractmethod
    def _own_settings(self) -> dict[str, Any]:
        """The game's settings by name."""

    # ------------------------------------------------------------------------------ the same for all

    def reset(
        self,
        seed: int,
        first_player: int | None = None,
        dice: Sequence[int] = (),
        position: P | Mapping[str, Any] | str | None = None,
    ) -> None:
        """Start anew. Nothing changes if an argument is wrong (ValueError)."""
        seed = check_seed(seed)
        script = self._checked_script(dice)
        first_player = self._checked_first_player(seed, first_player)
        start = None
        if position is not None:
            start = self._completed(position, first_player)
            if start.phase == "over":
                raise ValueError("position: phase is 'over', and there is nothing left to play")
        self._begin_with(seed, first_player)
        self.start, self.script, self.scripted, self.dice = start, script, 0, []
        if start is None:
            self._begin(first_player)
        else:
            self._load(start)
        self._set_stop()
        self._go_on(NO_ACTION)

    def _go_on(self, action: int) -> None:
        """To the next decision: with scripted dice while they last, then with the seeded ones."""
        seed, skip_forced, stop_turn = self._seed, self.skip_forced, self._stop_turn
        advance = self.kernels.advance
        while self.keep_dice or self.scripted < len(self.script):
            bits = advance(self.states, 0, action, seed, skip_forced, stop_turn, False)
            if bits != CHANCE_NEXT:
                self.bits = bits
                return
            action = NO_ACTION
            faces = np.array(self._seeded_throw(), np.int8)
            given = self.script[self.scripted :][: len(faces)]
            faces[: len(given)] = given
            self.scripted += len(given)
            self._throw(faces)
            if self.keep_dice:
                self.dice += faces.tolist()
        self.bits = advance(self.states, 0, action, seed, skip_forced, stop_turn, True)

    def settings(self) -> dict[str, Any]:
        """Everything but the players' actions and scripted dice that makes this game what it is."""
        return {
            "num_players": self.num_players,
            **self._own_settings(),
            "max_turns": self.max_turns,
            "position": None if self.start is None else self.start.to_dict(),
            "first_player": self.first_player,
            "seed": self.seed,
        }

    def position(self) -> P:
        """The position as it is now."""
        self._check_started()
        return self._position()

    def view(self, seat: int) -> P:
        """Everything is public: the position."""
        return self.position()
