"""A game against agents in the terminal: `pechvogel play`. Works over ssh, with a keyboard alone; for every game.

A game's own `TerminalGame` draws its table, lists what can be chosen, and has its words.
"""

from __future__ import annotations

import contextlib
import select
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
from rich.console import Console, RenderableType
from rich.panel import Panel

from pechvogel.agents import registry
from pechvogel.agents.games import DEFAULT
from pechvogel.play import fair
from pechvogel.play.games import Offer
from pechvogel.play.review import whole
from pechvogel.play.table import Table, TableError
from pechvogel.tabletop.record import PROOF, append
from pechvogel.tabletop.seeds import check_seed

Found = TypeVar("Found")
ME = 0
MISTAKES = 3  # that a review names
LEAVE = ("q", "quit", "exit")


class PlayerQuitsError(Exception):
    """The player has had enough."""


class TerminalGame(ABC):
    """One person and agents at a table.

    `read` asks for a line (None: nothing more will come); tests hand in their own.
    """

    game: ClassVar[Offer]

    def __init__(
        self,
        specs: Sequence[str],
        language: str,
        *,
        seed: int | None = None,
        position: Any = None,
        hints: bool = False,
        real_dice: bool = False,
        delay: float = 0.4,
        read: Callable[[str], str | None] | None = None,
        console: Console | None = None,
        **settings: Any,
    ) -> None:
        num_players, game = 1 + len(specs), self.game
        self.words: Any = game.part("words").Words(language, mine=ME)
        self.agents: list[Any] = [None, *[registry.make(spec, game.name) for spec in specs]]
        for agent in self.agents[1:]:
            registry.prepare(agent, game.kind.variant(num_players, **settings))
        named = [f"--game {game.name}"] * (game.name != DEFAULT)
        self.opponents = " ".join((*specs, *named, "--language", language))  # as one would say it on the command line
        names = [self.words.agent(spec) for spec in specs]
        letters = [f" {'ABCD'[names[:k].count(name)]}" * (names.count(name) > 1) for k, name in enumerate(names)]
        self.words.names = ["", *map(str.__add__, names, letters)]
        self.secret = fair.new_secret()
        self.numbers = ["0", *[None] * len(specs)]  # nobody to distrust: the secret is this machine's own
        self.seed = None if seed is None else check_seed(seed)
        self.hints, self.delay, self.real_dice = hints, delay, real_dice
        self.console = console or Console(highlight=False)
        self.read = read or self._read_line
        self.practice = hints
        seeds = None if real_dice else self._seed_of
        self.table = game.table(num_players, seeds, position=position, **settings)
        self.rng = np.random.default_rng(self.seed)
        self._told = 0

    def _seed_of(self, taken_back: int) -> int:
        if self.seed is None:
            return fair.seed(self.secret, self.numbers, taken_back)
        return (self.seed + 0x9E3779B97F4A7C15 * taken_back) % 2**64

    # ------------------------------------------------------------------------------ the game

    def play(self) -> Table:
        """To the end; PlayerQuitsError if the player leaves."""
        say, table = self.words.say, self.table
        if self.seed is None and not self.real_dice:
            self.console.print(f"{say('fair.title')}: {fair.promise(self.secret)}", style="dim")
        while not table.over:
            self._patiently(self._tell)
            if table.dice_due:
                self._throw_real_dice()
            elif table.to_act == ME:
                self._decide()
            else:
                assert table.to_act is not None
                table.act(table.to_act, self._patiently(self._agents_choice))
        self._tell()
        self._draw()
        won = ME in table.winners()
        names = self.words.listed([self.words.name(seat) for seat in table.winners()])
        key = ("over.share" if len(table.winners()) > 1 else "over.win") if won else "over.lose"
        self.console.print(Panel(say(key, names=names), style="bold green" if won else "bold"))
        self._review()
        return table

    def record(self) -> dict[str, Any]:
        """The finished game, with the proof of its dice if they were drawn for it."""
        found = self.table.record()
        if self.seed is None and not self.real_dice:
            found[PROOF] = fair.proof(self.table, self.secret, self.numbers, drawn=self.table.start is None)
        return found

    def save(self, path: Path) -> None:
        """Add the game to a file of recorded games."""
        append(path, self.record())

    def _tell(self) -> None:
        """What has happened since we last told."""
        for step in self.table.steps[self._told :]:
            for sentence in self.words.happened(step):
                self.console.print(f"  {sentence}", style="dim" if step.seat != ME else "")
            self._told += 1
            if self.delay and self.console.is_terminal:
                time.sleep(self.delay)

    def _agents_choice(self) -> int:
        table = self.table
        assert table.to_act is not None
        return int(self.agents[table.to_act].act(table.position(), table.mask(), self.rng))

    # ------------------------------------------------------------------------------ decisions

    def _decide(self) -> None:
        table, words = self.table, self.words
        self._draw()
        position = table.position()
        listed = self._choices(position)
        legal = [action for action, _ in listed]
        self.console.print(words.question(position), style="bold")
        self.console.print(words.because(position), style="dim")
        advised = self._patiently(lambda: self._advise(position)) if self.hints else {}
        self._list(listed, advised)
        while True:
            line = self._ask(f"1-{len(legal)}, h, u, r, q, ?: ")
            if line == "h":
                self.practice = True
                self._list(listed, self._patiently(lambda: self._advise(position)))
            elif line == "u":
                try:
                    table.take_back(ME)
                except TableError:
                    self.console.print(words.say("error.nothing_to_take_back"), style="red")
                    continue
                self.practice = True
                self._told = len(table.steps)
                self.console.print(words.say("log.taken_back_you"), style="yellow")
                if not self.real_dice:
                    self.console.print(words.say("log.other_dice"), style="yellow")
                return
            elif line == "r":
                self.console.print(Panel(words.say("rules.text"), title=words.say("rules")))
            elif line.isdigit() and 1 <= int(line) <= len(legal):
                table.act(ME, legal[int(line) - 1])
                return
            else:
                keys = {"h": "coach.title", "u": "take_back", "r": "rules", "q": "leave"}
                known = [f"1-{len(legal)}", *(f"{letter}: {words.say(key)}" for letter, key in keys.items())]
                self.console.print(" | ".join(known), style="yellow")

    def _list(self, listed: Sequence[tuple[int, str]], advised: Mapping[int, str]) -> None:
        """What can be chosen, by numbers that are as wide as the last."""
        wide = len(str(len(listed)))
        for number, (action, words) in enumerate(listed, 1):
            self.console.print(f"  {number:{wide}}  {words}{advised.get(action, '')}", markup=False)

    def _advise(self, position: Any) -> dict[int, str]:
        """What the coach says of every action, to stand behind it."""
        found = self.game.part("coach").advise(position)["actions"]
        return {row["action"]: self._advised(row, row is found[0], position) for row in found}

    def _advised(self, row: Mapping[str, Any], best: bool, position: Any) -> str:
        words = self.words
        costs = words.say("coach.best") if best else words.say("coach.costs", points=words.percent(row["costs"]))
        return f"  [{words.percent(row['win_share'])}, {costs}]"

    def _throw_real_dice(self) -> None:
        table, words = self.table, self.words
        while table.dice_due:
            due = table.dice_due
            active = words.name(table.position().active)
            line = self._ask(f"{active}: {words.say('dice.tap', count=due)}{self._faces()} ")
            try:
                table.throw([int(letter) for letter in line.replace(",", " ").replace(" ", "")])
                return
            except ValueError:
                self.console.print(words.say("dice.wrong", count=due), style="red")

    # ------------------------------------------------------------------------------ the keyboard

    def _ask(self, prompt: str) -> str:
        """An answer; whoever wants to leave is asked once more, and by any other answer goes on."""
        line = self._typed(prompt)
        if line in LEAVE:
            self.console.print(self.words.say("leave.sure"), style="yellow")
            line = self._typed(prompt)
            if line in LEAVE:
                raise PlayerQuitsError
        return line

    def _typed(self, prompt: str) -> str:
        line = self.read(prompt)
        if line is None:
            raise PlayerQuitsError
        return line.strip().lower()

    def _patiently(self, work: Callable[[], Found]) -> Found:
        """Do what may take a while, and changes nothing: if it is interrupted, and nobody leaves, do it again."""
        while True:
            try:
                return work()
            except KeyboardInterrupt:
                if not sys.stdin.isatty():
                    raise
                self.console.print()
                self.console.print(self.words.say("leave.sure"), style="yellow")
                if self._typed("q, Enter: ") in LEAVE:
                    raise PlayerQuitsError from None

    def _read_line(self, prompt: str) -> str | None:
        at_keyboard = sys.stdin.isatty()
        try:
            if at_keyboard:
                _drop_typed_ahead()
            self.console.print(prompt, end="", markup=False)
            sys.stdout.flush()
            if at_keyboard:
                _wait_for_a_line()
            line = sys.stdin.readline()
        except KeyboardInterrupt:
            if not at_keyboard:
                raise
            line = ""
        if line or not at_keyboard:
            return line or None
        self.console.print()
        return LEAVE[0]  # Ctrl-C and Ctrl-D: a keyboard can still say no

    # ------------------------------------------------------------------------------ pictures

    def _draw(self) -> None:
        position, words = self.table.position(), self.words
        title = f"{words.say('turn')} {position.turn + 1}"
        self.console.print(Panel(self._picture(position), title=title, expand=False))

    # ------------------------------------------------------------------------------ a game's own

    @abstractmethod
    def _picture(self, position: Any) -> RenderableType:
        """The table."""

    @abstractmethod
    def _choices(self, position: Any) -> list[tuple[int, str]]:
        """What can be chosen, in the order in which it is listed: actions, and what they are called."""

    def _faces(self) -> str:
        """What somebody who types in dice has to know beside their numbers."""
        return ""

    def _because(self, row: Mapping[str, Any], position: Any) -> str | None:
        """Why a decision of a review was a mistake, if that can be said in words."""
        return None

    # ------------------------------------------------------------------------------ afterwards

    def _review(self) -> None:
        words = self.words
        found = whole(self.game.part("review").Review(self.table))
        for key in ("luck", "skill", "others", "drift"):
            self.console.print(f"  {words.say(f'review.{key}')}: {words.percent(found[key][ME], signed=True)}")
        mistakes = [row for row in found["decisions"] if row["seat"] == ME and row["mark"]]
        if not mistakes:
            self.console.print(words.say("review.no_mistakes"))
            return
        self.console.print(words.say("review.mistakes"), style="bold")
        for row in sorted(mistakes, key=lambda row: -row["costs"])[:MISTAKES]:
            position = self.game.engine("position").Position.parse(row["position"])
            action, best = (words.action(row[key], position) for key in ("action", "best"))
            facts = {"turn": row["turn"] + 1, "action": action, "best": best, "points": words.percent(row["costs"])}
            self.console.print(f"  {words.say('review.mistake', **facts)}", markup=False)
            because = self._because(row, position)
            if because is not None:
                self.console.print(f"    {because}", style="dim")
            command = f"    pechvogel play {self.opponents} --position '{row['position']}'"
            self.console.print(command, style="dim", markup=False, soft_wrap=True)


def _drop_typed_ahead() -> None:
    """What was typed before a question could be read is no answer to it."""
    with contextlib.suppress(ImportError):  # only Unix has it
        import termios

        termios.tcflush(sys.stdin, termios.TCIFLUSH)


def _wait_for_a_line() -> None:
    """Ctrl-C just before a read blocks is noticed only after it: wait in short stretches between looks."""
    if sys.platform != "win32":  # there, only sockets can be waited for
        while not select.select([sys.stdin], [], [], 0.2)[0]:
            pass
