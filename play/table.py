"""One game at a table, step by step: what people and pages watch. The same for every game.

The engine plays from decision to decision; here every throw and every action is a *step* of its own, with the position
before and after it, so that it can be shown, taken back and reviewed. Dice come from a function of the seed's number
(see `fair`) or from people who throw real ones. No clock, no files, no agents: a table is rebuilt from its moves.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pechvogel.tabletop.bits import action_list, lowest_action, mask_of
from pechvogel.tabletop.kind import Kind
from pechvogel.tabletop.seeds import seeded_first_player

Seeds = Callable[[int], int]  # the seed of the dice after so many moves were taken back
States: TypeAlias = NDArray[np.void]  # an array of one game
_NOBODY = -1


class TableError(ValueError):
    """Something that can't be done at this table now; nothing has changed."""


@dataclass(frozen=True, slots=True)
class Step:
    """A throw or an action, and what it changed. Passes without an alternative are no steps, but if they end a turn."""

    kind: str  # "throw", "action", or "end": of a turn, where nobody had a choice left
    seat: int  # who threw, acted, or was at turn
    faces: tuple[int, ...]  # of a throw, in the order thrown
    seeded: int  # of a throw: the number of its seed, that is how much had been taken back before it
    action: int | None
    forced: bool  # an action without an alternative
    before: States
    after: States


def copied(states: States) -> States:
    """As bytes: NumPy would copy field by field, which takes several times as long."""
    return states.view(np.uint8).copy().view(states.dtype)


class Table(ABC):
    """A game from its start to its end, with real or seeded dice.

    `seeds(k)` is the seed of the dice after k take-backs: coming dice never return. It is None at a table with real
    dice. With the `line` and the take-backs of another table, this one is as that was.
    """

    kind: ClassVar[Kind]
    rules: ClassVar[Any]  # the game's modules `rules` and `record`
    recorded: ClassVar[Any]
    over_phase: ClassVar[int]  # as a plain number: looking at the class takes longer than many a rule
    faces: ClassVar[frozenset[str]]  # of a die, a character each

    def __init__(
        self,
        num_players: int,
        seeds: Seeds | None,
        *,
        first_player: int | None = None,
        position: Any = None,
        line: str | None = None,
        taken_back: int = 0,
        **settings: Any,
    ) -> None:
        self.seeds = seeds
        seed = 0 if seeds is None else seeds(0)
        self.variant = self.kind.variant(num_players, **settings)
        # A game of the engine, for its checks and for the record; it is played at the end only.
        game = self.kind.game(self.variant, skip_forced=False)
        if first_player is None:
            first_player = int(seeded_first_player(np.uint64(seed), num_players))
        game.reset(seed, first_player, position=position)
        self.num_players, self.first_player, self.start = num_players, first_player, game.start
        self.states: States = self.rules.new_states(1)
        self._lay()
        self.steps: list[Step] = []
        self.taken_back = 0
        self.bits = 0  # legal actions of whoever is asked; 0 if nobody is
        if line is None:
            self._go_on()
        else:
            self._follow(line, taken_back)

    # ------------------------------------------------------------------------------ a game's own

    @abstractmethod
    def _lay(self) -> None:
        """Set `states` to the start of the game, or to the position `start`."""

    @staticmethod
    @abstractmethod
    def position_of(states: States) -> Any:
        """What players see of a state."""

    @abstractmethod
    def _due(self) -> int:
        """How many dice are thrown next, where nobody is asked."""

    @abstractmethod
    def seeded(self, seed: int) -> list[int]:
        """The dice of a seed for the throw that is next."""

    @abstractmethod
    def _script(self, faces: Sequence[int]) -> list[int]:
        """Faces that somebody has thrown; ValueError if there are no such ones."""

    def _pass(self, before: States) -> bool:
        """Play passes that are no steps, as far as a game has any; True if that ended the turn of `before`."""
        return False

    # ------------------------------------------------------------------------------ what is

    def position(self) -> Any:
        """As it is now."""
        return self.position_of(self.states)

    @property
    def over(self) -> bool:
        """Ended by the rules."""
        return bool(self.states["phase"][0] == self.over_phase)

    @property
    def to_act(self) -> int | None:
        """The seat that decides, or None: the game is over, or real dice are to be thrown."""
        return int(self.states["to_act"][0]) if self.bits else None

    @property
    def dice_due(self) -> int:
        """How many real dice are to be thrown now; 0 at a table that throws its own."""
        due = self.bits == 0 and not self.over
        return self._due() if due else 0

    def legal(self) -> list[int]:
        """The actions of whoever decides."""
        return action_list(self.bits) if self.bits else []

    def mask(self) -> NDArray[np.int8]:
        """The same as a fresh mask."""
        return mask_of(self.bits, len(self.kind.actions)).copy()

    @classmethod
    def scores_of(cls, states: States) -> list[int]:
        """Everybody's points in a state, as things stand."""
        return [int(cls.rules.score(states, 0, seat)) for seat in range(int(states["num_players"][0]))]

    def scores(self) -> list[int]:
        """As things stand."""
        return self.scores_of(self.states)

    def winners(self) -> list[int]:
        """The seats with the best score."""
        bits = self.rules.winners(self.states, 0)
        return [seat for seat in range(self.num_players) if bits >> seat & 1]

    # ------------------------------------------------------------------------------ what is done

    def act(self, seat: int, action: int) -> None:
        """A decision."""
        if self.to_act is None:
            raise TableError("the game is over" if self.over else "the dice are next")
        if seat != self.to_act:
            raise TableError(f"it is player_{self.to_act} who decides, not player_{seat}")
        if isinstance(action, bool) or not isinstance(action, int) or not 0 <= action < len(self.kind.actions):
            raise TableError(f"{action!r} is no action")
        if not self.bits >> action & 1:
            raise TableError(f"action {action} is not legal now; legal are {', '.join(map(str, self.legal()))}")
        self._act(action, forced=False)
        self._go_on()

    def throw(self, faces: Sequence[int]) -> None:
        """Real dice, in any order."""
        if not self.dice_due:
            raise TableError("no dice are to be thrown now")
        try:
            dice = self._script(faces)
        except ValueError as error:
            raise TableError(str(error)) from None
        if len(dice) != self.dice_due:
            raise TableError(f"{self.dice_due} dice are to be thrown, not {len(dice)}")
        self._throw(dice)
        self._go_on()

    def take_back(self, seat: int) -> None:
        """Undo all since the last decision of a seat, that one included; other dice will come (`seeds`)."""
        for number in range(len(self.steps) - 1, -1, -1):
            step = self.steps[number]
            if step.kind == "action" and step.seat == seat and not step.forced:
                self.states = copied(step.before)
                del self.steps[number:]
                self.taken_back += 1
                self._go_on()
                return
        raise TableError("there is no decision of yours to take back")

    # ------------------------------------------------------------------------------ how it goes on

    def _act(self, action: int, forced: bool) -> None:
        before, seat = copied(self.states), int(self.states["to_act"][0])
        self.rules.apply(self.states, 0, action)
        self.steps.append(Step("action", seat, (), 0, action, forced, before, copied(self.states)))

    def _throw(self, faces: Sequence[int]) -> None:
        before, seat = copied(self.states), int(self.states["active"][0])
        self.rules.apply_dice(self.states, 0, np.array(faces, np.int8))
        thrown, seeded = tuple(map(int, faces)), self.taken_back
        self.steps.append(Step("throw", seat, thrown, seeded, None, False, before, copied(self.states)))

    def _go_on(self) -> None:
        """Throw dice and play what has no alternative, until somebody decides, or real dice are to be thrown."""
        before = self.rules.new_states(1)
        while not self.over:
            if self._pass(before):
                active = int(before["active"][0])
                self.steps.append(Step("end", active, (), 0, None, True, copied(before), copied(self.states)))
                continue
            self.bits = self.rules.legal_bits(self.states, 0)
            if self.bits & (self.bits - 1):
                return
            if self.bits:
                self._act(lowest_action(self.bits), forced=True)
            elif self.seeds is None:
                return
            else:
                self._throw(self.seeded(self.seeds(self.taken_back)))
        self.bits = 0

    def _follow(self, line: str, taken_back: int) -> None:
        seeds, self.seeds = self.seeds, None  # no dice but those of the line
        self._go_on()
        for word in line.split():
            seeded, thrown, faces = word.partition(":")
            if not thrown:
                self.act(_NOBODY if self.to_act is None else self.to_act, int(word))
                continue
            if not self.faces.issuperset(faces) or len(faces) != self.dice_due or not faces:
                raise TableError(f"{faces!r} can't be thrown now")
            self.taken_back = int(seeded)
            self._throw([*map(int, faces)])
            self._go_on()
        if seeds is not None and self.dice_due:
            raise TableError("the line ends before a throw")
        self.seeds, self.taken_back = seeds, taken_back

    # ------------------------------------------------------------------------------ afterwards

    def line(self) -> str:
        """All that was thrown and decided and not taken back; the rest follows from it.

        Words: of a decision its action, of a throw the number of its seed, ":" and the faces.
        """
        return " ".join(
            f"{step.seeded}:{''.join(map(str, step.faces))}" if step.kind == "throw" else str(step.action)
            for step in self.steps
            if step.kind == "throw" or (step.kind == "action" and not step.forced)
        )

    def decisions(self) -> list[Step]:
        """What somebody chose, in order."""
        return [step for step in self.steps if step.kind == "action" and not step.forced]

    def record(self) -> dict[str, Any]:
        """The finished game as a recorded game (see the game's `record`)."""
        if not self.over:
            raise TableError("the game is not over yet")
        dice = [face for step in self.steps for face in step.faces]
        own = self.seeds is not None and not self.taken_back  # then the seed alone says what the dice were
        game = self.kind.game(self.variant)
        seed = 0 if self.seeds is None else self.seeds(0)
        game.reset(seed, self.first_player, () if own else dice, self.start)
        for step in self.decisions():
            assert step.action is not None
            game.step(step.action)
        found: dict[str, Any] = self.recorded.of_game(game)
        return found
