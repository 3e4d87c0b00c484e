"""The notebook runs from its first to its last cell, and shows what it promises."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parent.parent


def shown(cell: Any) -> str:
    """All that a cell has printed or displayed, as text; pictures by their kind."""
    texts = [output.get("text", "") for output in cell.outputs]
    texts += [f"{kind}: {text}" for output in cell.outputs for kind, text in output.get("data", {}).items()]
    return "\n".join(texts)


def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    kernel = tmp_path / "kernels" / "ours" / "kernel.json"
    kernel.parent.mkdir(parents=True)
    kernel.write_text(json.dumps({"argv": argv, "display_name": "ours", "language": "python"}), encoding="utf-8")
    for name in ("JUPYTER_PATH", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(tmp_path))
    notebook = nbformat.read(ROOT / "examples" / "first-steps.ipynb", as_version=4)
    cells = {cell.id: cell for cell in notebook.cells if cell.cell_type == "code"}
    assert not any(cell.outputs for cell in cells.values()), "outputs are not kept in the repository"

    NotebookClient(notebook, timeout=300, kernel_name="ours", resources={"metadata": {"path": str(tmp_path)}}).execute()

    assert [cell.execution_count for cell in cells.values()] == list(range(1, len(cells) + 1))
    found = {name: shown(cell) for name, cell in cells.items()}
    assert "Warning" not in "".join(found.values())
    assert re.search(r"\d+ decisions, rewards: \{'player_\d': ", found["play"])
    assert "image/png" in found["picture"] and "image/png" in found["curve"]
    assert re.search(r"champion .*%.*heuristic .*%.*random .*%", found["tournament"], re.S)
    first, last = map(int, re.findall(r"against random: (\d+)% .*, (\d+)% at the end", found["training"])[0])
    assert last > first + 5
    won = dict(re.findall(r"(\w+) wins ([\d.]+)% of 400 games", found["after"]))
    assert float(won["ppo"]) > 60 > float(won["random"])
    assert re.findall(r"(\w+): player_2 wins", found["analysis"]) == ["frustrate", "pass"]
