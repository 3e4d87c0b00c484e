"""The terminal and the page say the same: whole games, told in four languages by Python and by the page's code."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pechvogel.agents.pechvogel.explain import ENDS
from pechvogel.play.pechvogel.events import show_step
from pechvogel.play.pechvogel.table import Table
from pechvogel.play.pechvogel.words import LANGUAGES, Words
from pechvogel_env.position import Position
from pechvogel_env.rules import Action

ROOT = Path(__file__).parents[2]
NODE = shutil.which("node", path=Path(sys.executable).parent) or shutil.which("node")
if NODE is None and "CI" not in os.environ:
    pytest.skip("there is no node on this machine", allow_module_level=True)

NAMES = ["Ann", "Zoë", "{value}", "$& <b>", "{name} {other}"]
GAMES = [  # players, copies, whose eyes
    (2, 3, 0),
    (3, 2, None),
    (4, 1, 1),
    (5, 3, 2),
]
SHARES = [(k / 1000, digits) for k in range(1001) for digits in (0, 1, 2)] + [(1 / 3, 1), (2 / 3, 2), (0.00049, 1)]
YOU = {
    "en": ["you", "your"],
    "de": ["du", "dich", "dir", "dein"],
    "fr": ["tu", "te", "ton", "toi"],
    "it": ["tu", "te", "ti"],
}
LISTS = [NAMES[:count] for count in range(len(NAMES) + 1)]
# Sentences that a step or a question can bring; of the others, the room or the terminal tells.
KEYS = ("log.", "ask.", "because.", "act.", "reason.", "case.")
ELSEWHERE = {"log.other_dice", "log.abandoned", "log.begin", "log.title"}
ELSEWHERE |= {f"log.{told}{you}" for told in ("taken_back", "over", "over_shared") for you in ("", "_you")}
ELSEWHERE |= {"ask.you", "ask.wait"}
ELSEWHERE |= {f"case.{column}" for column in ("end", "chance", "points", "points_of", "share", "frustrated")}


class Played:
    """A game between players who do anything, and all that was asked."""

    def __init__(self, num_players: int, copies: int, mine: int | None) -> None:
        rng = np.random.default_rng(num_players)
        self.table = Table(num_players, lambda _: 100 + num_players, copies=copies)
        self.mine, self.names = mine, NAMES[:num_players]
        self.asked: list[tuple[Position, list[int]]] = []
        while not self.table.over:
            assert self.table.to_act is not None
            legal = self.table.legal()
            self.asked.append((self.table.position(), legal))
            self.table.act(self.table.to_act, int(rng.choice(legal)))

    def for_the_page(self) -> dict[str, Any]:
        return {
            "players": self.names,
            "mine": self.mine,
            "events": [{"kind": step.kind, **show_step(step)} for step in self.table.steps],
            "asked": [{"position": position.to_dict(), "legal": legal} for position, legal in self.asked],
        }

    def told(self, words: Words) -> dict[str, list[list[str]]]:
        words.names, words.mine = self.names, self.mine
        return {
            "happened": [words.happened(step) for step in self.table.steps],
            "asked": [
                [words.question(position), words.because(position), *(words.action(a, position) for a in legal)]
                for position, legal in self.asked
            ],
        }


@pytest.fixture(scope="module")
def games() -> list[Played | Ended]:
    return [*(Played(*game) for game in GAMES), *(Ended(mine) for mine in (None, 0, 1, 2))]


class Ended:
    """All ways in which turns of seat 0 can end, as steps tell them, from one's eyes."""

    def __init__(self, mine: int | None) -> None:
        self.mine, self.names = mine, NAMES[:3]
        turns = [
            {
                "targets": targets,
                "ravens": ravens,
                "frustraters": there,
                "frustrations": [change, 0, 0],
                "murphy": murphy,
            }
            for targets, ravens, murphy in [(4, 0, None), (7, 0, 0), (0, 3, None), (4, 3, None), (0, 6, 0)]
            for there in ([], [1], [2, 1])
            for change in ([max(1, len(there))] if ravens else range(-len(there), 1))
        ]
        asked = {"phase": "take", "active": 0, "target": 5, "num_players": 3, "frustraters": []}
        self.events: list[dict[str, Any]] = [
            {**event, "seat": 0, "turn": {"active": 0, **turn}}
            for turn in turns
            for event in ({"kind": "end"}, {"kind": "action", "action": int(Action.TAKE), "asked": asked})
        ]

    def for_the_page(self) -> dict[str, Any]:
        return {"players": self.names, "mine": self.mine, "events": self.events, "asked": []}

    def told(self, words: Words) -> dict[str, list[list[str]]]:
        words.names, words.mine = self.names, self.mine
        return {"happened": [words.told(event) for event in self.events], "asked": []}


Reason = tuple[Position, int | None, dict[str, Any]]


@pytest.fixture(scope="module")
def reasons() -> list[Reason]:
    """Every kind of reason for a decision of seat 1, in its own turn and in another's, from everybody's eyes."""
    own = Position.parse("3x3_33333_00000f0.00000f0.00000f0_-_1_000_-_6566764_target1_1")
    others = Position.parse("3x3_33332_00001f2.00000f1.00000f1_-_0_642_-_663_frustrate1_9")
    chances = {"chances": [0.6, 0.25], "share": 0.45, "mean": 0.4321}
    near = {"chances": [0.5004, 0.5001], "share": 0.1, "mean": 0.1}
    worth: dict[str, dict[str, Any]] = {
        "steal": {"value": 5, "from": 0, "swing": 10},
        "steal_more": {"value": 5, "from": 0, "swing": 10, "instead": 3},
        "victim": {"value": 5, "from": 0, "swing": 10, "instead": 2},
        "value": {"values": [7, 4]},
        "box_high": {"gone": 7, "left": 3},
        "box_low": {"gone": 3, "left": 7},
        "afterwards": {"shares": [0.41, 0.4]},
    }
    for kind in ("mine_fewer", "mine_fewer_murphy", "mine_more"):
        worth[kind] = {"seat": 1, "counts": [1.0, 2.0], "left": 4}
    for kind in ("theirs_fewer", "theirs_more", "theirs_more_murphy"):
        worth[kind] = {"seat": 0, "counts": [1.23, 1.21], "left": 4}
    found: list[dict[str, Any]] = [{"kind": "same"}]
    for kind in ("likelier", "rarer", "likelier_share", "rarer_share", "murphy", "frustration"):
        found += [{"kind": kind, "end": end, "left": 9, **chances} for end in ENDS]
        found += [{"kind": kind, "end": "both", "left": 9, **near}]
    found += [{"kind": kind, "end": "marker", **chances} for kind in ("over_likelier", "over_rarer")]
    found += [{"kind": kind, "end": "marker", "shares": [0.5, 0.4], **facts} for kind, facts in worth.items()]
    taking = Position.parse("3x3_33323_00010f0.00000f0.00000f0_-_1_640_-_666543_take1_1")
    asked = (
        (own, Action.TARGET_6, Action.TARGET_5),
        (others, Action.FRUSTRATE, Action.PASS),
        (taking, Action.STEAL_2, Action.TAKE),
    )
    return [
        (position, mine, {"action": best, "other": other, **reason})
        for reason in found
        for position, best, other in asked
        for mine in (None, 0, 1, 2)
    ]


def told_reasons(reasons: list[Reason], language: str) -> list[str]:
    return [Words(language, NAMES[:3], mine).reason(reason, position) for position, mine, reason in reasons]


@pytest.fixture(scope="module")
def page(games: list[Played | Ended], reasons: list[Reason]) -> dict[str, Any]:
    """All of it in the page's words."""
    assert NODE is not None, "there is no node"
    tables = [game.for_the_page() for game in games]
    why = [
        {"players": NAMES[:3], "mine": mine, "position": position.to_dict(), "reason": reason}
        for position, mine, reason in reasons
    ]
    request = {"languages": LANGUAGES, "tables": tables, "reasons": why, "shares": SHARES, "names": LISTS}
    command = [NODE, str(ROOT / "tests" / "page" / "tell.js")]
    done = subprocess.run(command, input=json.dumps(request), capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_happens_and_what_is_asked(games: list[Played | Ended], page: dict[str, Any], language: str) -> None:
    for game, told in zip(games, page[language]["tables"], strict=True):
        own = game.told(Words(language))
        for key in ("happened", "asked"):
            for terminal, of_page in zip(own[key], told[key], strict=True):
                assert terminal == of_page


@pytest.mark.parametrize("language", LANGUAGES)
def test_why_an_action_is_good(reasons: list[Reason], page: dict[str, Any], language: str) -> None:
    assert told_reasons(reasons, language) == page[language]["reasons"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_and_lists(page: dict[str, Any], language: str) -> None:
    words, told = Words(language), page[language]
    assert [words.percent(share, digits) for share, digits in SHARES] == told["shares"]
    assert [[words.percent(change, signed=True) for change in (share, -share)] for share, _ in SHARES] == told[
        "changes"
    ]
    assert [words.listed(names) for names in LISTS] == told["lists"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_whole_sentences_with_the_right_person(games: list[Played | Ended], language: str) -> None:
    """Whoever reads is addressed ("You do not frustrate"), and whoever doesn't is named."""
    words = Words(language)
    you = re.compile(rf"\b({'|'.join(YOU[language])})\b", re.IGNORECASE)
    for game in games:
        for sentence in (sentence for some in game.told(words)["happened"] for sentence in some):
            assert sentence.endswith(".") and not sentence.startswith(f"{words.say('lobby.you')}:"), sentence
            assert game.mine is None or game.names[game.mine] not in sentence, sentence
            assert game.mine is not None or not you.search(sentence), sentence


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_rule_is_cited_that_nobody_can_look_up(language: str) -> None:
    assert not [key for key, text in Words(language).words.items() if re.search(r"\b[RQ]\d", text)]


def test_french_names_may_begin_with_a_vowel() -> None:
    """Before one, "de" and "que" would lose their own."""
    facts = re.compile(r"\b(de|que|le|la|ne|se|te) \{(name|names|other)\}")
    assert not [key for key, text in Words("fr").words.items() if facts.search(text)]


def test_these_games_need_every_sentence(
    games: list[Played | Ended], reasons: list[Reason], monkeypatch: pytest.MonkeyPatch
) -> None:
    words, said = Words("en"), set()
    say = Words.say

    def noting(self: Words, key: str, **facts: Any) -> str:
        said.add(key)
        return say(self, key, **facts)

    monkeypatch.setattr(Words, "say", noting)
    for game in games:
        game.told(words)
    told_reasons(reasons, "en")
    assert {key for key in words.words if key.startswith(KEYS)} - ELSEWHERE - said == set()
