"""One game at a table, step by step: what people and pages watch.

The engine plays from decision to decision; here every throw and every action is a *step* of its own, with the position
before and after it, so that it can be shown, taken back and reviewed. Dice come from a function of the seed's number
(see `fair`) or from people who throw real ones. No clock, no files, no agents: a table is rebuilt from its moves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pechvogel.tabletop.bits import action_list, lowest_action, mask_of
from pechvogel.tabletop.seeds import seeded_first_player
from pechvogel_env import record, rules
from pechvogel_env.dice import script, throw_of
from pechvogel_env.game import Game, play_passes
from pechvogel_env.position import Position, load, position_of
from pechvogel_env.rules import NOBODY, NUM_ACTIONS, Phase, States

Seeds = Callable[[int], int]  # the seed of the dice after so many moves were taken back
_FACES = frozenset("034567")
_OVER = int(Phase.OVER)  # looking at the class takes longer than many a rule


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


def _copy(states: States) -> States:
    """As bytes: NumPy would copy field by field, which takes several times as long."""
    return states.view(np.uint8).copy().view(states.dtype)


class Table:
    """A game from its start to its end, with real or seeded dice.

    `seeds(k)` is the seed of the dice after k take-backs: coming dice never return. It is None at a table with real
    dice. With the `line` and the take-backs of another table, this one is as that was.
    """

    def __init__(
        self,
        num_players: int,
        seeds: Seeds | None,
        *,
        copies: int = 3,
        italian_reading: bool = False,
        first_player: int | None = None,
        position: Position | Mapping[str, Any] | str | None = None,
        line: str | None = None,
        taken_back: int = 0,
    ) -> None:
        self.seeds = seeds
        seed = 0 if seeds is None else seeds(0)
        # A game of the engine, for its checks and for the record; it is played at the end only.
        self._settings = (num_players, copies, italian_reading)
        game = Game(num_players, copies, italian_reading, skip_forced=False)
        if first_player is None:
            first_player = int(seeded_first_player(np.uint64(seed), num_players))
        game.reset(seed, first_player, position=position)
        self.num_players, self.first_player, self.start = num_players, first_player, game.start
        self.states = rules.new_states(1)
        if game.start is None:
            rules.new_game(self.states, 0, num_players, copies, italian_reading, first_player)
        else:
            load(game.start, self.states, 0)
        self.steps: list[Step] = []
        self.taken_back = 0
        self.bits = 0  # legal actions of whoever is asked; 0 if nobody is
        if line is None:
            self._go_on()
        else:
            self._follow(line, taken_back)

    # ------------------------------------------------------------------------------ what is

    def position(self) -> Position:
        """As it is now."""
        return position_of(self.states, 0)

    @property
    def over(self) -> bool:
        """Ended by the rules (R20)."""
        return bool(self.states["phase"][0] == _OVER)

    @property
    def to_act(self) -> int | None:
        """The seat that decides, or None: the game is over, or real dice are to be thrown."""
        return int(self.states["to_act"][0]) if self.bits else None

    @property
    def dice_due(self) -> int:
        """How many real dice are to be thrown now; 0 at a table that throws its own."""
        due = self.bits == 0 and not self.over
        return rules.dice_to_throw(self.states, 0) if due else 0

    def legal(self) -> list[int]:
        """The actions of whoever decides."""
        return action_list(self.bits) if self.bits else []

    def mask(self) -> NDArray[np.int8]:
        """The same as a fresh mask."""
        return mask_of(self.bits, NUM_ACTIONS).copy()

    def scores(self) -> list[int]:
        """As things stand (R21)."""
        return [int(rules.score(self.states, 0, seat)) for seat in range(self.num_players)]

    def winners(self) -> list[int]:
        """The seats with the best score (R22)."""
        bits = rules.winners(self.states, 0)
        return [seat for seat in range(self.num_players) if bits >> seat & 1]

    # ------------------------------------------------------------------------------ what is done

    def act(self, seat: int, action: int) -> None:
        """A decision."""
        if self.to_act is None:
            raise TableError("the game is over" if self.over else "the dice are next")
        if seat != self.to_act:
            raise TableError(f"it is player_{self.to_act} who decides, not player_{seat}")
        if isinstance(action, bool) or not isinstance(action, int) or not 0 <= action < NUM_ACTIONS:
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
            dice = script(faces).tolist()
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
                self.states = _copy(step.before)
                del self.steps[number:]
                self.taken_back += 1
                self._go_on()
                return
        raise TableError("there is no decision of yours to take back")

    # ------------------------------------------------------------------------------ how it goes on

    def _act(self, action: int, forced: bool) -> None:
        before, seat = _copy(self.states), int(self.states["to_act"][0])
        rules.apply(self.states, 0, action)
        self.steps.append(Step("action", seat, (), 0, action, forced, before, _copy(self.states)))

    def _throw(self, faces: Sequence[int]) -> None:
        before, seat = _copy(self.states), int(self.states["active"][0])
        rules.apply_dice(self.states, 0, np.array(faces, np.int8))
        thrown, seeded = tuple(map(int, faces)), self.taken_back
        self.steps.append(Step("throw", seat, thrown, seeded, None, False, before, _copy(self.states)))

    def _go_on(self) -> None:
        """Throw dice and play what has no alternative, until somebody decides, or real dice are to be thrown."""
        before = rules.new_states(1)
        while not self.over:
            if play_passes(self.states, 0, before):
                active = int(before["active"][0])
                self.steps.append(Step("end", active, (), 0, None, True, _copy(before), _copy(self.states)))
                continue
            self.bits = rules.legal_bits(self.states, 0)
            if self.bits & (self.bits - 1):
                return
            if self.bits:
                self._act(lowest_action(self.bits), forced=True)
            elif self.seeds is None:
                return
            else:
                turn, throws = int(self.states["turn"][0]), int(self.states["throws"][0])
                due = rules.dice_to_throw(self.states, 0)
                self._throw(throw_of(self.seeds(self.taken_back), turn, throws, due))
        self.bits = 0

    def _follow(self, line: str, taken_back: int) -> None:
        seeds, self.seeds = self.seeds, None  # no dice but those of the line
        self._go_on()
        for word in line.split():
            seeded, thrown, faces = word.partition(":")
            if not thrown:
                self.act(NOBODY if self.to_act is None else self.to_act, int(word))
                continue
            if not _FACES.issuperset(faces) or len(faces) != self.dice_due or not faces:
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
        """The finished game as a recorded game (see `pechvogel_env.record`)."""
        if not self.over:
            raise TableError("the game is not over yet")
        dice = [face for step in self.steps for face in step.faces]
        own = self.seeds is not None and not self.taken_back  # then the seed alone says what the dice were
        num_players, copies, italian_reading = self._settings
        game = Game(num_players, copies, italian_reading)
        seed = 0 if self.seeds is None else self.seeds(0)
        game.reset(seed, self.first_player, () if own else dice, self.start)
        for step in self.decisions():
            assert step.action is not None
            game.step(step.action)
        return record.of_game(game)
