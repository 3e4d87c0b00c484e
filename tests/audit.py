"""Known vulnerabilities in the pinned dependencies: of Python (constraints.txt), and of the page's tools (npm).

    make audit              # or: python -m tests.audit

Exit code 0: all were looked up, and none has a known one. 1: some have; they are listed. 3: some could not be looked
up, as there is no network, or no service that knows; then nothing is known of these. (pip-audit itself says that all is
well when it could look up nothing.)
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SCANNER = "pip-audit==2.10.1"  # in an environment of its own: what it needs is none of ours
FOUND, UNKNOWN = 1, 3


def _run(command: list[str], folder: Path = ROOT) -> tuple[str, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"  # npm needs our node
    try:
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env={**os.environ, "PATH": path})
    except OSError as error:
        return "", str(error)
    return done.stdout, done.stderr


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def pinned(text: str) -> int:
    """How many versions a file of constraints pins."""
    return len(re.findall(r"(?m)^[\w.-]+==", text))


def of_python(report: Any, wanted: int) -> tuple[list[str], str | None]:
    """What pip-audit's report says: vulnerabilities, and why nothing is known, if so."""
    rows = report.get("dependencies", []) if isinstance(report, dict) else []
    found = [
        f"{row['name']} {row['version']}: {one['id']}"
        + (f", mended in {', '.join(one['fix_versions'])}" * bool(one["fix_versions"]))
        for row in rows
        for one in row.get("vulns", [])
    ]
    known = sum("vulns" in row for row in rows)
    return found, None if known >= wanted else f"{wanted - known} of {wanted} Python packages could not be looked up"


def of_page(report: Any) -> tuple[list[str], str | None]:
    """The same of npm's report."""
    if not isinstance(report, dict) or "vulnerabilities" not in report:
        return [], "the page's tools (npm) could not be looked up"
    return [f"{name}: {one['severity']}" for name, one in report["vulnerabilities"].items()], None


def _scan_python() -> tuple[list[str], str | None]:
    home = ROOT / "build" / "audit"
    scanner = home / "bin" / "pip-audit"
    constraints = ROOT / "constraints.txt"
    if not scanner.exists():
        venv.create(home, with_pip=True, clear=True)
        _run([str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", SCANNER])
    words = [
        "--requirement",
        str(constraints),
        "--no-deps",
        "--disable-pip",
        "--progress-spinner",
        "off",
        "--format",
        "json",
    ]
    out, _ = _run([str(scanner), *words])
    return of_python(_parsed(out), pinned(constraints.read_text(encoding="utf-8")))


def _scan_page() -> tuple[list[str], str | None]:
    out, _ = _run(["npm", "audit", "--package-lock-only", "--json"], ROOT / "tests" / "page")
    return of_page(_parsed(out))


def verdict(scans: list[tuple[list[str], str | None]]) -> tuple[int, list[str]]:
    """The exit code, and lines to print."""
    found = [line for lines, _ in scans for line in lines]
    unknown = [reason for _, reason in scans if reason is not None]
    lines = list(found)
    if unknown:
        lines.append(f"audit: {', and '.join(unknown)}: is there a network, and a service that knows vulnerabilities?")
    elif not found:
        lines.append("audit: no known vulnerabilities in what is pinned")
    return FOUND if found else UNKNOWN if unknown else 0, lines


def main() -> int:
    """The command."""
    code, lines = verdict([_scan_python(), _scan_page()])
    print("\n".join(lines))
    return code


if __name__ == "__main__":
    sys.exit(main())
