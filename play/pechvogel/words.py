"""The words of the game in four languages, and sentences made of them: for the terminal as for the page.

The page has the same sentences in `web/js/sentences.js`; both read `web/words/`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pechvogel.play import words
from pechvogel.play.pechvogel.events import show_step
from pechvogel.play.table import Step
from pechvogel.play.words import apart
from pechvogel_env.position import Position
from pechvogel_env.rules import FIRST_VALUE, NUM_VALUES, RAVEN, TARGETS_NEEDED, Action

FOLDER = Path(__file__).parent / "web" / "words"
LANGUAGES = ("en", "de", "fr", "it")
_SAY_NO = {"reduce": "keep", "frustrate": "let", "join": "stay_out"}


def usual_language() -> str:
    """That of this computer, if we speak it."""
    return words.usual_language(LANGUAGES)


class Words(words.Words):
    """One language, and the names at a table."""

    files = {language: (FOLDER / f"{language}.json",) for language in LANGUAGES}

    def face(self, face: int) -> str:
        """A die."""
        return self.say("raven") if face == RAVEN else str(face)

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
            sentences.append(self.about(event["seat"], "log.throw", dice=", ".join(map(self.face, event["faces"]))))
        elif event["kind"] == "action":
            sentences.append(self._taken(event["action"], event["seat"], event["asked"]))
        return sentences + (self._turn_over(event["kind"], event["turn"]) if "turn" in event else [])

    def _taken(self, action: int, seat: int, asked: Mapping[str, Any]) -> str:
        if action < NUM_VALUES:
            return self.about(seat, "log.target", value=action + FIRST_VALUE)
        if action == Action.PASS:
            return self.about(seat, f"log.{_SAY_NO[asked['phase']]}")
        if action == Action.REDUCE:
            return self.about(seat, "log.reduce")
        if action == Action.FRUSTRATE and asked["phase"] == "join":
            return self.about(seat, "log.join")
        if action == Action.FRUSTRATE:
            key = "log.frustrate_against_you" if asked["active"] == self.mine else "log.frustrate"
            return self.about(seat, key, other=self.name(asked["active"]))
        if action == Action.TAKE:
            return self.about(seat, "log.take", value=asked["target"])
        if action <= Action.STEAL_4:
            other = _robbed(asked, action)
            key = "log.steal_from_you" if other == self.mine else "log.steal"
            return self.about(seat, key, value=asked["target"], other=self.name(other))
        return self.about(seat, "log.discard", value=action - Action.DISCARD_3 + FIRST_VALUE)

    def _turn_over(self, kind: str, turn: Mapping[str, Any]) -> list[str]:
        """What the end of a turn brings beside markers, and why."""
        active, targets, ravens, lying = turn["active"], turn["targets"], turn["ravens"], len(turn["frustraters"])
        sentences = []
        if targets and kind == "end":
            sentences.append(self.about(active, "log.nothing", dice=self.say(f"dice.count.{targets}")))
        if ravens:
            key = "log.ravens_all" if lying > 1 else "log.ravens_one" if lying else "log.ravens"
            sentences.append(self.about(active, key, dice=self.say(f"dice.count.{ravens}"), count=lying))
        else:
            sentences += [self.about(seat, "log.failed") for seat in turn["frustraters"]]
            given = -turn["frustrations"][active]
            if given > 0:
                sentences.append(self.about(active, "log.gives" if given == 1 else "log.gives_some", count=given))
        if turn["murphy"] is not None:
            key = "log.greedy_targets" if targets > TARGETS_NEEDED else "log.greedy_ravens"
            sentences.append(self.about(turn["murphy"], key))
        return sentences

    def reason(self, reason: Mapping[str, Any], position: Position) -> str:
        """Why one action is better than another, from what `agents.pechvogel.explain` found."""
        facts: dict[str, Any] = {}
        if "chances" in reason:
            facts["a"], facts["b"] = apart(reason["chances"], self.percent, 0)
            facts["share"], facts["mean"] = apart((reason["share"], reason["mean"]), self.percent, 1)
        elif "counts" in reason:
            whole = all(float(count).is_integer() for count in reason["counts"])
            facts["a"], facts["b"] = apart(reason["counts"], self.number, 0 if whole else 1)
        elif "values" in reason:
            facts["a"], facts["b"] = reason["values"]
        elif "shares" in reason:
            facts["a"], facts["b"] = apart(reason["shares"], self.percent, 1)
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


def _robbed(position: Position | Mapping[str, Any], action: int) -> int:
    return int((position["active"] + 1 + action - Action.STEAL_1) % position["num_players"])
