"""The attack itself: it holds in small, and says what does not hold; and what an audit makes of reports."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("sb3_contrib")

from tests import attack, audit
from tests.attack import __main__ as command
from tests.attack.rows import Row, Setting, Tally


def test_a_small_part_of_it_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "attack.json"
    code = command.main(["--only", "tokens,malformed", "--quick", "--seed", "5", "--json", str(path)])
    found = json.loads(path.read_text())
    assert code == 0 and found["held"], found
    assert {row["kind"] for row in found["rows"]} == {"tokens", "malformed"} and found["seed"] == 5
    assert all(row["times"] > 10 and row["held"] for row in found["rows"])
    assert "forged" in capsys.readouterr().out


def test_what_does_not_hold_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(_: Setting) -> Iterator[Row]:
        yield Row("something", 3, "it broke", False)

    def worse(_: Setting) -> Iterator[Row]:
        yield Row("another", 1, "fine", True)
        raise RuntimeError("no more")

    for bad in (broken, worse):
        monkeypatch.setitem(attack.KINDS, "lines", bad)
        assert command.main(["--only", "lines"]) == 1
        assert "NO" in capsys.readouterr().out
    with pytest.raises(SystemExit) as stop:
        command.main(["--only", "sheep"])
    assert stop.value.code == 2 and "no kind 'sheep'" in capsys.readouterr().err


def test_a_tally_without_tries_does_not_hold() -> None:
    tally = Tally("x")
    assert not tally.row("fine").held
    tally.note(None)
    assert tally.row("fine") == Row("x", 1, "fine", True)
    tally.note("bad")
    assert tally.row("fine") == Row("x", 2, "1 times: bad", False)


def test_every_kind_has_its_file() -> None:
    files = {path.stem for path in Path(attack.__file__).parent.glob("*.py")}
    assert set(attack.KINDS) <= files and len(attack.KINDS) >= 11


def test_an_audit_that_could_look_up_nothing_is_none() -> None:
    clean = {"dependencies": [{"name": "a", "version": "1", "vulns": []}]}
    skipped = {"dependencies": [{"name": "a", "skip_reason": "not found"}]}
    bad = {"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "CVE-1", "fix_versions": ["2"]}]}]}
    page = {"vulnerabilities": {}}
    assert audit.verdict([audit.of_python(clean, 1), audit.of_page(page)])[0] == 0
    for report in (skipped, None, {}, []):
        code, lines = audit.verdict([audit.of_python(report, 1), audit.of_page(page)])
        assert code == audit.UNKNOWN and len(lines) == 1 and "1 of 1 Python packages" in lines[0]
    assert audit.verdict([audit.of_python(clean, 1), audit.of_page({"error": {}})])[0] == audit.UNKNOWN
    code, lines = audit.verdict([audit.of_python(bad, 1), audit.of_page(None)])
    assert code == audit.FOUND and lines[0] == "a 1: CVE-1, mended in 2"
    worse = {"vulnerabilities": {"left": {"severity": "high"}}}
    assert audit.verdict([audit.of_python(clean, 1), audit.of_page(worse)]) == (1, ["left: high"])
    assert audit.pinned((audit.ROOT / "constraints.txt").read_text(encoding="utf-8")) > 100
