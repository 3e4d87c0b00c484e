"""Words and sentences for people, in the languages of a game: what is the same for every game.

The words are in JSON files that the page reads, too; a game's own `Words` puts them together.
"""

from __future__ import annotations

import json
import locale
import os
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any, ClassVar

# How numbers are written; browsers know it by themselves.
_POINT = {"en": "."}
_PERCENT = dict.fromkeys(("de", "fr", "es"), "\xa0%")


def usual_language(languages: Sequence[str]) -> str:
    """That of this computer, if a game speaks it."""
    name = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    tag = (name or locale.getlocale()[0] or "")[:2]
    return tag if tag in languages else "en"


class Words:
    """One language, and the names at a table."""

    files: ClassVar[Mapping[str, Sequence[Path]]]  # by language; what a later one says counts

    def __init__(self, language: str, names: Sequence[str] = (), mine: int | None = None) -> None:
        if language not in self.files:
            raise ValueError(f"there is no language {language!r}; there are {', '.join(self.files)}")
        self.words: dict[str, str] = {}
        for path in self.files[language]:
            self.words |= json.loads(path.read_text(encoding="utf-8"))
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
        return f"{rounded:{'+' if signed else ''}f}".replace(".", _POINT.get(self.language, ",")) + _PERCENT.get(
            self.language, "%"
        )

    def number(self, value: float, digits: int, *, signed: bool = False) -> str:
        """Any number, written as the language does."""
        rounded = Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
        return f"{rounded:{'+' if signed else ''}f}".replace(".", _POINT.get(self.language, ","))

    def listed(self, names: Sequence[str]) -> str:
        """Several names as part of a sentence."""
        *most, last = names or [""]
        return self.say("list", most=", ".join(most), last=last) if most else last

    def name(self, seat: int) -> str:
        """Whoever sits there."""
        return self.say("lobby.you") if seat == self.mine else self.names[seat]

    def agent(self, spec: str) -> str:
        """An agent's name for people; anybody's own keeps its own."""
        name, _, rest = spec.partition(":")
        if name == "champion" and rest.startswith("level="):
            return self.say("agent.level", level=rest.removeprefix("level="))
        return self.words.get(f"agent.{spec}", spec)

    def about(self, seat: int, key: str, **facts: Any) -> str:
        """A sentence about somebody, or about whoever reads it."""
        return self.say(f"{key}_you" if seat == self.mine else key, name=self.name(seat), **facts)


def apart(pair: Sequence[float], write: Callable[[float, int], str], fewest: int) -> list[str]:
    """Two numbers, with as many digits as it takes to tell them apart."""
    digits = next((count for count in range(fewest, 3) if write(pair[0], count) != write(pair[1], count)), 3)
    return [write(number, digits) for number in pair]
