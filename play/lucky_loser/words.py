"""The words of the game in the booklet's six languages, and sentences made of them: for the terminal as for the page.

The page, which speaks the first four, has the same sentences in `web/js/sentences.js`; both read `web/words/`. Where
these lack a word that all games share, it is the page's; the files of the last two have these words as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lucky_loser_env.position import Position
from lucky_loser_env.rules import GROUPS, LUCKY_FACE
from pechvogel.play import words
from pechvogel.play.lucky_loser.events import show_step
from pechvogel.play.pechvogel.words import FOLDER as SHARED
from pechvogel.play.pechvogel.words import LANGUAGES as PAGE
from pechvogel.play.table import Step

FOLDER = Path(__file__).parent / "web" / "words"
LANGUAGES = ("en", "de", "fr", "it", "nl", "es")


def usual_language() -> str:
    """That of this computer, if we speak it."""
    return words.usual_language(LANGUAGES)


class Words(words.Words):
    """One language, and the names at a table."""

    files = {
        language: (*[SHARED / f"{language}.json"] * (language in PAGE), FOLDER / f"{language}.json")
        for language in LANGUAGES
    }

    def groups(self, sums: list[int]) -> str:
        """Groups by their sums: what an action is called."""
        return "{" + ",".join(map(str, sums)) + "}" if sums else self.say("act.nothing")

    def action(self, action: int, position: Position) -> str:
        """An action by its name; what it does is told by `choice`."""
        return self.groups(list(GROUPS[action]))

    def choice(self, choice: Mapping[str, Any]) -> str:
        """An action that can be chosen, with what it does."""
        did = self.did(choice)
        return f"{self.groups(choice['sums'])}: {did}" if did else self.groups(choice["sums"])

    def did(self, changed: Mapping[str, Any]) -> str:
        """What an action does: chips and bonus cards first, then who is sent home, and squares."""
        parts = []
        for row, count in changed.get("chips", ()):
            parts.append(self.say("did.chip" if count == 1 else "did.chips", sum=row, count=count))
        if changed.get("bonus"):
            parts.append(self.say("did.bonus", points=changed["bonus"]))
        parts += [self.say("did.closed", sum=row) for row in changed.get("closed", ())]
        for row, seat in changed.get("home", ()):
            parts.append(self.about(seat, "did.home", sum=row))
        parts += [self.say("did.square", sum=row, square=square) for row, square in changed.get("squares", ())]
        return ", ".join(parts)

    def question(self, position: Position) -> str:
        """What whoever decides is asked."""
        if position.to_act == self.mine:
            return self.say("ask.group")
        return self.say("ask.group_of", name=self.names[position.active])

    def because(self, position: Position) -> str:
        """Why they are asked: the rule."""
        lucky = position.last_throw.count(LUCKY_FACE) > 1
        return " ".join([self.say("because.group"), *[self.say("because.lucky")] * lucky])

    def happened(self, step: Step) -> list[str]:
        """A step as sentences."""
        return self.told({"kind": step.kind, **show_step(step)})

    def told(self, event: Mapping[str, Any]) -> list[str]:
        """An event as `events.show_step` shows it."""
        if event["kind"] == "throw":
            dice = ", ".join(map(str, event["faces"]))
            return [self.about(event["seat"], "log.throw", dice=dice), *[self.say("log.lucky")] * event["lucky"]]
        changed = event["did"]
        if not changed["sums"]:
            return [self.about(event["seat"], "log.nothing")]
        groups = self.groups(changed["sums"])
        return [self.about(event["seat"], "log.group", groups=groups, did=self.did(changed))]
