"""The terminal and the page say the same: whole games, told in four languages by Python and by the page's code."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pechvogel.play.pechvogel import coach
from pechvogel.play.pechvogel.events import show_step
from pechvogel.play.pechvogel.table import Table
from pechvogel.play.pechvogel.words import LANGUAGES, Words
from pechvogel_env.position import Position

ROOT = Path(__file__).parents[2]
NODE = shutil.which("node", path=Path(sys.executable).parent) or shutil.which("node")
if NODE is None and "CI" not in os.environ:
    pytest.skip("there is no node on this machine", allow_module_level=True)

NAMES = ["Ann", "Zoë", "{value}", "$& <b>", "{name} {other}"]
GAMES = [  # players, copies, whose eyes
    (2, 3, 0),
    (3, 2, None),
    (4, 1, 1),
    (5, 3, 4),
]
SHARES = [(k / 1000, digits) for k in range(1001) for digits in (0, 1, 2)] + [(1 / 3, 1), (2 / 3, 2), (0.00049, 1)]
LISTS = [NAMES[:count] for count in range(len(NAMES) + 1)]
# Sentences that a step or a question can bring; of the others, the room or the terminal tells.
KEYS = ("log.", "ask.", "because.", "act.", "why.")
ELSEWHERE = {"log.over", "log.taken_back", "log.other_dice", "log.begin", "log.title", "ask.you", "ask.wait"}


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
def games() -> list[Played]:
    return [Played(*game) for game in GAMES]


@pytest.fixture(scope="module")
def whys(games: list[Played]) -> list[dict[str, Any]]:
    found = {}
    for game in games:
        for position, legal in game.asked:
            for action in legal:
                why = coach.why(position, action)
                found[json.dumps(why)] = why
    return list(found.values())


@pytest.fixture(scope="module")
def page(games: list[Played], whys: list[dict[str, Any]]) -> dict[str, Any]:
    """All of it in the page's words."""
    assert NODE is not None, "there is no node"
    tables = [game.for_the_page() for game in games]
    request = {"languages": LANGUAGES, "tables": tables, "whys": whys, "shares": SHARES, "names": LISTS}
    command = [NODE, str(ROOT / "tests" / "page" / "tell.js")]
    done = subprocess.run(command, input=json.dumps(request), capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_happens_and_what_is_asked(games: list[Played], page: dict[str, Any], language: str) -> None:
    for game, told in zip(games, page[language]["tables"], strict=True):
        own = game.told(Words(language))
        for key in ("happened", "asked"):
            for terminal, of_page in zip(own[key], told[key], strict=True):
                assert terminal == of_page


@pytest.mark.parametrize("language", LANGUAGES)
def test_why_an_action_is_good(whys: list[dict[str, Any]], page: dict[str, Any], language: str) -> None:
    words = Words(language)
    assert [words.reason(why) for why in whys] == page[language]["whys"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_and_lists(page: dict[str, Any], language: str) -> None:
    words, told = Words(language), page[language]
    assert [words.percent(share, digits) for share, digits in SHARES] == told["shares"]
    assert [[words.percent(change, signed=True) for change in (share, -share)] for share, _ in SHARES] == told[
        "changes"
    ]
    assert [words.listed(names) for names in LISTS] == told["lists"]


def test_these_games_need_every_sentence(
    games: list[Played], whys: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    words, said = Words("en"), set()
    say = Words.say

    def noting(self: Words, key: str, **facts: Any) -> str:
        said.add(key)
        return say(self, key, **facts)

    monkeypatch.setattr(Words, "say", noting)
    for game in games:
        game.told(words)
    for why in whys:
        words.reason(why)
    assert {key for key in words.words if key.startswith(KEYS)} - ELSEWHERE - said == set()
