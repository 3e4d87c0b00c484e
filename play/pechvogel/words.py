"""The words of the game in four languages, and sentences made of them: for the terminal as for the page.

The page has the same sentences in `web/js/sentences.js`; both read `web/words/`.
"""

from __future__ import annotations

import json
import locale
import os
import re
from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

from pechvogel.play.pechvogel.table import Step
from pechvogel_env.position import Position, position_of
from pechvogel_env.rules import FIRST_VALUE, NUM_VALUES, RAVEN, RAVENS_LIMIT, TARGETS_NEEDED, Action

FOLDER = Path(__file__).parent / "web" / "words"
LANGUAGES = ("en", "de", "fr", "it")
# How numbers are written; browsers know it by themselves.
_POINT = {"en": ".", "de": ",", "fr": ",", "it": ","}
_PERCENT = {"en": "%", "de": "\N{NO-BREAK SPACE}%", "fr": "\N{NO-BREAK SPACE}%", "it": "%"}
_SAY_NO = {"reduce": "keep", "frustrate": "let", "join": "stay_out"}


def usual_language() -> str:
    """That of this computer, if we speak it."""
    name = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    tag = (name or locale.getlocale()[0] or "")[:2]
    return tag if tag in LANGUAGES else "en"


class Words:
    """One language, and the names at a table."""

    def __init__(self, language: str, names: Sequence[str] = (), mine: int | None = None) -> None:
        if language not in LANGUAGES:
            raise ValueError(f"there is no language {language!r}; there are {', '.join(LANGUAGES)}")
        self.words: dict[str, str] = json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8"))
        self.language, self.names, self.mine = language, list(names), mine

    def say(self, key: str, **facts: Any) -> str:
        """The words of a key, with what stands in braces filled in."""

        def fill(found: re.Match[str]) -> str:
            fact = facts.get(found[1])
            return found[0] if fact is None else str(fact)

        return re.sub(r"\{(\w+)\}", fill, self.words[key])

    def percent(self, share: float, digits: int = 1, *, signed: bool = False) -> str:
        """A share, written as the language does."""
        rounded = (100 * Decimal(repr(float(share)))).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
        return f"{rounded:{'+' if signed else ''}f}".replace(".", _POINT[self.language]) + _PERCENT[self.language]

    def listed(self, names: Sequence[str]) -> str:
        """Several names as part of a sentence."""
        *most, last = names or [""]
        return self.say("list", most=", ".join(most), last=last) if most else last

    def name(self, seat: int) -> str:
        """Whoever sits there."""
        return self.say("lobby.you") if seat == self.mine else self.names[seat]

    def face(self, face: int) -> str:
        """A die."""
        return self.say("raven") if face == RAVEN else str(face)

    def agent(self, spec: str) -> str:
        """An agent's name for people; anybody's own keeps its own."""
        name, _, rest = spec.partition(":")
        if name == "champion" and rest.startswith("level="):
            return self.say("agent.level", level=rest.removeprefix("level="))
        return self.words.get(f"agent.{spec}", spec)

    # ------------------------------------------------------------------------------ sentences

    def action(self, action: int, position: Position) -> str:
        """An action that can be chosen."""
        if action < NUM_VALUES:
            return self.say("act.target", value=action + FIRST_VALUE)
        if action == Action.PASS:
            return self.say(f"act.{_SAY_NO[position.phase]}")
        if action == Action.REDUCE:
            return self.say("act.reduce")
        if action == Action.FRUSTRATE:
            return self.say("act.join" if position.phase == "join" else "act.frustrate")
        if action == Action.TAKE:
            return self.say("act.take")
        if action <= Action.STEAL_4:
            other = _robbed(position, action)
            return self.say("act.steal_you") if other == self.mine else self.say("act.steal", name=self.name(other))
        return self.say("act.discard", value=action - Action.DISCARD_3 + FIRST_VALUE)

    def question(self, position: Position) -> str:
        """What whoever decides is asked."""
        names = self.listed([self.name(seat) for seat in position.frustraters])
        return self.say(f"ask.{position.phase}", name=self.name(position.active), names=names, value=position.target)

    def because(self, position: Position) -> str:
        """Why they are asked: the rule."""
        return self.say(f"because.{position.phase}")

    def happened(self, step: Step) -> list[str]:
        """A step, and what changed hands if it ended a turn."""
        before, after = position_of(step.before, 0), position_of(step.after, 0)
        if step.kind == "throw":
            dice = ", ".join(map(self.face, step.faces))
            sentences = [self.say("log.throw", name=self.name(step.seat), dice=dice)]
        else:
            sentences = [] if step.action is None else [self._taken(step.action, step.seat, before)]
        if after.turn > before.turn:
            name = self.name(before.active)
            if before.targets >= TARGETS_NEEDED and step.kind == "end":
                sentences.append(self.say("log.nothing", name=name, count=before.targets))
            if before.ravens >= RAVENS_LIMIT:
                sentences.append(self.say("log.ravens", name=name, count=before.ravens))
            for seat, (old, new) in enumerate(zip(before.players, after.players, strict=True)):
                count = new.frustrations - old.frustrations
                if count:
                    key = "log.gains" if count > 0 else "log.loses"
                    sentences.append(self.say(key, name=self.name(seat), count=abs(count)))
            if after.murphy is not None and after.murphy != before.murphy:
                sentences.append(self.say("log.murphy", name=self.name(after.murphy)))
        return sentences

    def _taken(self, action: int, seat: int, position: Position) -> str:
        name = self.name(seat)
        if action < NUM_VALUES:
            return self.say("log.target", name=name, value=action + FIRST_VALUE)
        if action == Action.PASS:
            return self.say(f"log.{_SAY_NO[position.phase]}", name=name)
        if action == Action.REDUCE:
            return self.say("log.reduce", name=name)
        if action == Action.FRUSTRATE:
            if position.phase == "join":
                return self.say("log.join", name=name)
            if position.active == self.mine:
                return self.say("log.frustrate_you", name=name)
            return self.say("log.frustrate", name=name, other=self.name(position.active))
        if action == Action.TAKE:
            return self.say("log.take", name=name, value=position.target)
        if action <= Action.STEAL_4:
            other = _robbed(position, action)
            if other == self.mine:
                return self.say("log.steal_you", name=name, value=position.target)
            return self.say("log.steal", name=name, value=position.target, other=self.name(other))
        return self.say("log.discard", name=name, value=action - Action.DISCARD_3 + FIRST_VALUE)

    def reason(self, why: Mapping[str, Any]) -> str:
        """Why an action is good or bad, from the coach's facts."""
        facts = {
            **why,
            "shown": f"{why.get('shown')} \N{MULTIPLICATION SIGN} {why.get('value')}",
            "targets": self.percent(why.get("targets", 0), 0),
            "ravens": self.percent(why.get("ravens", 0), 0),
        }
        return self.say(f"why.{why['kind']}", **facts)


def _robbed(position: Position, action: int) -> int:
    return (position.active + 1 + action - Action.STEAL_1) % position.num_players
