"""Who can be played against, and what is said of their strength."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
from pechvogel.play.pechvogel import opponents
from pechvogel.play.pechvogel.words import FOLDER, LANGUAGES

ROOT = Path(__file__).parents[2]


def test_strengths_are_those_that_were_measured() -> None:
    """Fitted to games of all against all, they come close to those against the champion alone in docs/champion.md."""
    found = opponents.strengths()
    rows = re.findall(
        r"\| (\d) \| [\d.]+ \| [\d.]+% \| ([\d.]+)% ± ([\d.]+)", (ROOT / "docs" / "champion.md").read_text()
    )
    assert len(rows) == 9
    for level, share, error in rows:
        assert found[f"champion:level={level}"] == pytest.approx(float(share) / 100, abs=0.01 + float(error) / 100)
    assert "champion" not in found and set(found) <= set(opponents.AGENTS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_everybody_who_is_offered_has_a_character_and_a_line(language: str) -> None:
    words = json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    faces = (FOLDER.parent / "js" / "faces.js").read_text(encoding="utf-8")
    for spec in opponents.AGENTS:
        assert f'"{spec}": {{' in faces or f"\n  {spec}: {{" in faces
        level = re.fullmatch(r"champion:level=(\d)", spec)
        assert words[f"face.level_{(int(level[1]) + 2) // 3}" if level else f"face.{spec}"]
