"""The words of the game in four languages, and sentences made of them: for the terminal as for the page.

The page has the same sentences in `web/js/sentences.js`; both read `web/words/`.
"""

from __future__ import annotations

import json
import locale
import os
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

from pechvogel.play.pechvogel.events import show_step
from pechvogel.play.pechvogel.table import Step
from pechvogel_env.position import Position
from pechvogel_env.rules import FIRST_VALUE, NUM_VALUES, RAVEN, TARGETS_NEEDED, Action

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

    def number(self, value: float, digits: int, *, signed: bool = False) -> str:
        """Any number, written as the language does."""
        rounded = Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
        return f"{rounded:{'+' if signed else ''}f}".replace(".", _POINT[self.language])

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
        """What whoever decides is asked; to others it is somebody else's question, with everybody's own names."""
        name = self.name if position.to_act == self.mine else self.names.__getitem__
        names = self.listed([name(seat) for seat in position.frustraters])
        return self.say(f"ask.{position.phase}", name=name(position.active), names=names, value=position.target)

    def because(self, position: Position) -> str:
        """Why they are asked: the rule."""
        return self.say(f"because.{position.phase}")

    def happened(self, step: Step) -> list[str]:
        """A step, and what else it brought if it ended a turn."""
        return self.told({"kind": step.kind, **show_step(step)})

    def told(self, event: Mapping[str, Any]) -> list[str]:
        """An event as `events.show_step` shows it."""
        sentences = []
        if event["kind"] == "throw":
            sentences.append(self._about(event["seat"], "log.throw", dice=", ".join(map(self.face, event["faces"]))))
        elif event["kind"] == "action":
            sentences.append(self._taken(event["action"], event["seat"], event["asked"]))
        return sentences + (self._turn_over(event["kind"], event["turn"]) if "turn" in event else [])

    def _about(self, seat: int, key: str, **facts: Any) -> str:
        """A sentence about somebody, or about whoever reads it."""
        return self.say(f"{key}_you" if seat == self.mine else key, name=self.name(seat), **facts)

    def _taken(self, action: int, seat: int, asked: Mapping[str, Any]) -> str:
        if action < NUM_VALUES:
            return self._about(seat, "log.target", value=action + FIRST_VALUE)
        if action == Action.PASS:
            return self._about(seat, f"log.{_SAY_NO[asked['phase']]}")
        if action == Action.REDUCE:
            return self._about(seat, "log.reduce")
        if action == Action.FRUSTRATE and asked["phase"] == "join":
            return self._about(seat, "log.join")
        if action == Action.FRUSTRATE:
            key = "log.frustrate_against_you" if asked["active"] == self.mine else "log.frustrate"
            return self._about(seat, key, other=self.name(asked["active"]))
        if action == Action.TAKE:
            return self._about(seat, "log.take", value=asked["target"])
        if action <= Action.STEAL_4:
            other = _robbed(asked, action)
            key = "log.steal_from_you" if other == self.mine else "log.steal"
            return self._about(seat, key, value=asked["target"], other=self.name(other))
        return self._about(seat, "log.discard", value=action - Action.DISCARD_3 + FIRST_VALUE)

    def _turn_over(self, kind: str, turn: Mapping[str, Any]) -> list[str]:
        """What the end of a turn brings beside markers, and why."""
        active, targets, ravens, lying = turn["active"], turn["targets"], turn["ravens"], len(turn["frustraters"])
        sentences = []
        if targets and kind == "end":
            sentences.append(self._about(active, "log.nothing", dice=self.say(f"dice.count.{targets}")))
        if ravens:
            key = "log.ravens_all" if lying > 1 else "log.ravens_one" if lying else "log.ravens"
            sentences.append(self._about(active, key, dice=self.say(f"dice.count.{ravens}"), count=lying))
        else:
            sentences += [self._about(seat, "log.failed") for seat in turn["frustraters"]]
            given = -turn["frustrations"][active]
            if given > 0:
                sentences.append(self._about(active, "log.gives" if given == 1 else "log.gives_some", count=given))
        if turn["murphy"] is not None:
            key = "log.greedy_targets" if targets > TARGETS_NEEDED else "log.greedy_ravens"
            sentences.append(self._about(turn["murphy"], key))
        return sentences

    def reason(self, reason: Mapping[str, Any], position: Position) -> str:
        """Why one action is better than another, from what `agents.pechvogel.explain` found."""
        facts: dict[str, Any] = {}
        if "chances" in reason:
            facts["a"], facts["b"] = _apart(reason["chances"], self.percent, 0)
            facts["share"], facts["mean"] = _apart((reason["share"], reason["mean"]), self.percent, 1)
        elif "counts" in reason:
            whole = all(float(count).is_integer() for count in reason["counts"])
            facts["a"], facts["b"] = _apart(reason["counts"], self.number, 0 if whole else 1)
        elif "values" in reason:
            facts["a"], facts["b"] = reason["values"]
        elif "shares" in reason:
            facts["a"], facts["b"] = _apart(reason["shares"], self.percent, 1)
        if "end" in reason:
            facts["end"] = self.say(f"case.{reason['end']}")
        facts["best"], facts["other"] = (self.action(reason[key], position) for key in ("action", "other"))
        key, seat = self._wording(reason, position)
        return self.say(f"reason.{key}", **{**reason, **facts, "name": None if seat is None else self.name(seat)})

    def _wording(self, reason: Mapping[str, Any], position: Position) -> tuple[str, int | None]:
        """Some sentences speak of whoever decides, some of somebody else; both can be whoever reads it."""
        kind: str = reason["kind"]
        if kind.startswith(("over_", "mine_")):
            return (kind if position.to_act == self.mine else f"{kind}_of"), position.to_act
        if kind.startswith(("likelier", "rarer")):
            if position.to_act == position.active:
                return kind, None
            return f"{kind}_theirs_you" if position.active == self.mine else f"{kind}_theirs", position.active
        seat = None if kind == "steal_more" else reason.get("seat", reason.get("from"))
        if kind == "steal" and position.phase == "take":
            kind = "steal_now"  # no longer a mere chance
        return (f"{kind}_you" if seat is not None and seat == self.mine else kind), seat

    def cases(self, row: Mapping[str, Any]) -> list[str]:
        """The exclusive ends of a turn after an action: a line each, with chance, points and win share."""
        lines = []
        for case in row["cases"]:
            end, points = self.say(f"case.{case['end']}"), self.number(case["points"], 1, signed=True)
            share = f"{self.say('case.share')} {self.percent(case['win_share'])}"
            lines.append(f"{end}: {self.percent(case['chance'])}, {points} {self.say('score')}, {share}")
        return lines


def _apart(pair: Sequence[float], write: Callable[[float, int], str], fewest: int) -> list[str]:
    """Two numbers, with as many digits as it takes to tell them apart."""
    digits = next((count for count in range(fewest, 3) if write(pair[0], count) != write(pair[1], count)), 3)
    return [write(number, digits) for number in pair]


def _robbed(position: Position | Mapping[str, Any], action: int) -> int:
    return int((position["active"] + 1 + action - Action.STEAL_1) % position["num_players"])
