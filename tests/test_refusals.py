"""What the server refuses is said in the reader's language: what people may meet has a code, and codes have words."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

PLAY = Path(__file__).parents[1] / "play"
WEB = PLAY / "pechvogel" / "web"
LANGUAGES = ("en", "de", "fr", "it")
ERROR = "error."
POSITION = "position_"  # what is wrong with a position: tests of the editor look after these
# Of what has no code, the page says that the server can't accept it, or that something went wrong there: requests that
# it never sends (what they lack is said in English, for whoever writes a program), and what nobody hears.
FOR_PROGRAMS = {413, 415, 421, 422, 499}


def refusals() -> list[tuple[str, int, ast.expr | None]]:
    """Where, with which status, and the expression of the code, if there is one."""
    found = []
    for path in sorted(PLAY.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("RoomError", "error_answer"):
                status = node.args[0]
                if isinstance(status, ast.Constant) and isinstance(status.value, int):
                    named = [keyword.value for keyword in node.keywords if keyword.arg == "code"]
                    code = node.args[2] if len(node.args) > 2 else next(iter(named), None)
                    found.append((f"{path.name}:{node.lineno}", status.value, code))
    return found


def codes() -> set[str]:
    return {str(code.value) for _, _, code in refusals() if isinstance(code, ast.Constant) and code.value is not None}


def test_whatever_people_may_meet_has_a_code() -> None:
    found = refusals()
    assert len(found) > 40
    other_sites = {where for where, status, _ in found if status == 403 and where.startswith("guard.py")}
    assert len(other_sites) == 1  # another site's page shows nothing of ours
    without = {where for where, status, code in found if code is None and status not in FOR_PROGRAMS}
    assert without == other_sites


def test_every_code_has_words_and_no_words_are_idle() -> None:
    code = "\n".join(
        path.read_text(encoding="utf-8")
        for path in [*WEB.glob("js/*.js"), *PLAY.glob("*.py"), *PLAY.glob("pechvogel/*.py")]
    )
    used = codes() | set(re.findall(r'"error\.(\w+)"', code))
    assert len(codes()) > 20
    used = {name for name in used if not name.startswith(POSITION)}
    for language in LANGUAGES:
        words = json.loads((WEB / "words" / f"{language}.json").read_text(encoding="utf-8"))
        known = {key.removeprefix(ERROR) for key in words if key.startswith(ERROR)}
        assert {name for name in known if not name.startswith(POSITION)} == used, language
