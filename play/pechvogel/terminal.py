"""A game against agents in the terminal: `pechvogel play`. Works over ssh, with a keyboard alone, in four languages."""

from __future__ import annotations

import contextlib
import select
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from rich.console import Console
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from pechvogel.agents import registry
from pechvogel.play import fair
from pechvogel.play.pechvogel import coach
from pechvogel.play.pechvogel.review import review
from pechvogel.play.pechvogel.table import Table, TableError
from pechvogel.play.pechvogel.words import Words
from pechvogel.tabletop.seeds import check_seed
from pechvogel_env import record
from pechvogel_env.kind import KIND
from pechvogel_env.position import Position
from pechvogel_env.record import PROOF
from pechvogel_env.rules import FIRST_VALUE

Found = TypeVar("Found")
ME = 0
MISTAKES = 3  # that a review names
LEAVE = ("q", "quit", "exit")
COLOURS = {3: "yellow", 4: "green", 5: "blue", 6: "magenta", 7: "red"}


class PlayerQuitsError(Exception):
    """The player has had enough."""


class TerminalGame:
    """One person and agents at a table.

    `read` asks for a line (None: nothing more will come); tests hand in their own.
    """

    def __init__(
        self,
        specs: Sequence[str],
        language: str,
        *,
        copies: int = 3,
        italian_reading: bool = False,
        seed: int | None = None,
        position: Position | None = None,
        hints: bool = False,
        real_dice: bool = False,
        delay: float = 0.4,
        read: Callable[[str], str | None] | None = None,
        console: Console | None = None,
    ) -> None:
        num_players = 1 + len(specs)
        self.agents: list[Any] = [None, *[registry.make(spec) for spec in specs]]
        for agent in self.agents[1:]:
            registry.prepare(agent, KIND.variant(num_players, copies=copies, italian_reading=italian_reading))
        self.opponents = " ".join((*specs, "--language", language))  # as one would say it on the command line
        self.words = Words(language, mine=ME)
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
        self.table = Table(
            num_players,
            None if real_dice else self._seed_of,
            copies=copies,
            italian_reading=italian_reading,
            position=position,
        )
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
        record.append(path, self.record())

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
        position, legal = table.position(), table.legal()
        self.console.print(words.question(position), style="bold")
        self.console.print(words.because(position), style="dim")
        advised = self._patiently(lambda: self._advise(position)) if self.hints else {}
        for number, action in enumerate(legal, 1):
            self.console.print(f"  {number}  {words.action(action, position)}{advised.get(action, '')}")
        while True:
            line = self._ask(f"1-{len(legal)}, h, u, r, q, ?: ")
            if line == "h":
                self.practice = True
                advised = self._patiently(lambda: self._advise(position))
                for number, action in enumerate(legal, 1):
                    self.console.print(f"  {number}  {words.action(action, position)}{advised[action]}")
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

    def _advise(self, position: Position) -> dict[int, str]:
        words = self.words
        found = coach.advise(position)["actions"]
        texts = {}
        for row in found:
            costs = words.say("coach.costs", points=words.percent(row["costs"]))
            costs = words.say("coach.best") if row is found[0] else costs
            lines = [f"  [{words.percent(row['win_share'])}, {costs}] {words.reason(row['reason'], position)}"]
            if position.phase not in ("take", "discard"):  # those end the turn in one way only
                lines += [f"       {case}" for case in words.cases(row)]
            texts[row["action"]] = "\n".join(lines)
        return texts

    def _throw_real_dice(self) -> None:
        table, words = self.table, self.words
        while table.dice_due:
            due = table.dice_due
            active = words.name(table.position().active)
            line = self._ask(f"{active}: {words.say('dice.tap', count=due)} (0 = {words.say('raven')}) ")
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
        grid = Grid.grid(padding=(0, 2))
        for seat, player in enumerate(position.players):
            name = Text(words.name(seat), style="bold" if seat == position.active else "")
            badges = []
            if player.frustrations:
                badges.append(f"{words.say('frustrations')}: {player.frustrations}")
            if position.murphy == seat:
                badges.append(words.say("murphy"))
            points = f"{self.table.scores()[seat]} {words.say('score')}"
            grid.add_row(name, points, _markers(player.markers), Text(", ".join(badges), style="red"))
        grid.add_row(Text(words.say("middle"), style="italic"), "", _markers(position.middle), "")
        if position.phase != "over":
            dice = " ".join("^" if face == 0 else str(face) for face in position.last_throw)
            target = "-" if position.target is None else f"{position.target} x {position.targets}"
            board = f"{words.say('target')}: {target}   {words.say('ravens')}: {position.ravens}"
            grid.add_row(Text(words.say("board"), style="italic"), "", board, "")
            grid.add_row(Text(words.say("throw"), style="italic"), "", dice, "")
        self.console.print(Panel(grid, title=f"{words.say('turn')} {position.turn + 1}", expand=False))

    def _review(self) -> None:
        words = self.words
        found = review(self.table)
        for key in ("luck", "skill", "others", "drift"):
            self.console.print(f"  {words.say(f'review.{key}')}: {words.percent(found[key][ME], signed=True)}")
        mistakes = [row for row in found["decisions"] if row["seat"] == ME and row["mark"]]
        if not mistakes:
            self.console.print(words.say("review.no_mistakes"))
            return
        self.console.print(words.say("review.mistakes"), style="bold")
        for row in sorted(mistakes, key=lambda row: -row["costs"])[:MISTAKES]:
            position = Position.parse(row["position"])
            action, best = (words.action(row[key], position) for key in ("action", "best"))
            facts = {"turn": row["turn"] + 1, "action": action, "best": best, "points": words.percent(row["costs"])}
            self.console.print(f"  {words.say('review.mistake', **facts)}")
            told = next(found for found in coach.advise(position)["actions"] if found["action"] == row["action"])
            self.console.print(f"    {words.reason(told['reason'], position)}", style="dim")
            command = f"    pechvogel play {self.opponents} --position '{row['position']}'"
            self.console.print(command, style="dim", markup=False, soft_wrap=True)


def _drop_typed_ahead() -> None:
    """What was typed before a question could be read is no answer to it."""
    with contextlib.suppress(ImportError):  # only Unix has it
        import termios

        termios.tcflush(sys.stdin, termios.TCIFLUSH)


def _wait_for_a_line() -> None:
    """Ctrl-C just before a read blocks is noticed only after it: wait in short stretches, so that Python looks."""
    if sys.platform != "win32":  # there, only sockets can be waited for
        while not select.select([sys.stdin], [], [], 0.2)[0]:
            pass


def _markers(counts: Sequence[int]) -> Text:
    text = Text()
    for k, count in enumerate(counts):
        text.append(f"{k + FIRST_VALUE} " * count, style=COLOURS[k + FIRST_VALUE])
    return text
