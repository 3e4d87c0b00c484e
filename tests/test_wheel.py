"""The wheel, as somebody installs it: complete, and safe in a folder and beside packages that use the same names."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ENVIRONMENTS = ("pechvogel_env", "lucky_loser_env", "porca_miseria_env")
FOLDERS = ("pechvogel", *ENVIRONMENTS, "tabletop", "agents", "train", "play", "configs")
NOT_OURS = "raise RuntimeError('this belongs to somebody else, and must not be imported')"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of installed packages: our wheel, and a package that is called `agents`, as openai-agents has one."""
    tmp = tmp_path_factory.mktemp("wheel")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, tmp / "source" / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp / "source" / name)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    done = subprocess.run([*command, "-w", str(tmp), str(tmp / "source")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp.glob("pechvogel-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp / "site")
    (tmp / "site" / "agents").mkdir()
    (tmp / "site" / "agents" / "__init__.py").write_text(NOT_OURS)
    return tmp / "site"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with somebody's own `agents/`, `train.py` and `play/`, and an agent of theirs."""
    here = tmp_path_factory.mktemp("work")
    for name in ("agents", "play", "tabletop", "configs"):
        (here / name).mkdir()
        (here / name / "__init__.py").write_text(NOT_OURS)
    (here / "train.py").write_text(NOT_OURS)
    (here / "mine.py").write_text(
        "class Agent:\n"
        "    name = 'mine'\n"
        "    def act(self, position, mask, rng):\n"
        "        return int(mask.nonzero()[0][0])\n"
    )
    return here


def environment(site: Path) -> dict[str, str]:
    """The site's packages come first; what they depend on comes from the environment of this test."""
    return {**os.environ, "PYTHONPATH": str(site), "NUMBA_CACHE_DIR": str(site.parent / "cache")}


def run(site: Path, folder: Path, *words: str) -> str:
    command = [sys.executable, "-m", "pechvogel", *words]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=folder, env=environment(site), timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_installs_names_that_clash_with_nobody(site: Path) -> None:
    (record,) = site.glob("pechvogel-*.dist-info/RECORD")
    tops = {line.split("/")[0] for line in record.read_text().splitlines() if not line.startswith("pechvogel-")}
    assert tops == {"pechvogel", *ENVIRONMENTS}


def test_it_is_not_large(site: Path) -> None:
    (wheel,) = site.parent.glob("pechvogel-*.whl")
    assert wheel.stat().st_size < 15_000_000


def test_it_has_everything_that_the_repository_has(site: Path) -> None:
    for name in FOLDERS:
        alone = name == "pechvogel" or name.endswith("_env")
        installed = site / name if alone else site / "pechvogel" / name
        for path in (ROOT / name).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".md":
                assert (installed / path.relative_to(ROOT / name)).is_file(), path


def test_a_tournament_with_workers(site: Path, folder: Path) -> None:
    words = ("evaluate", "heuristic", "champion", "mine:Agent", "--games", "300", "--workers", "2", "--json", "-")
    result = json.loads(run(site, folder, *words))
    assert [row["name"] for row in result["agents"]] == ["heuristic", "champion", "mine:Agent"]
    assert all(row["forfeits"] == 0 for row in result["agents"])
    where = subprocess.run(
        [
            sys.executable,
            "-c",
            "import pechvogel, pechvogel.agents; print(pechvogel.__file__, pechvogel.agents.__file__)",
        ],
        capture_output=True,
        text=True,
        cwd=site.parent,
        env=environment(site),
        check=True,
    )
    assert where.stdout.count(str(site)) == 2, "this must have been the wheel, not the repository"


def test_training_by_the_name_of_a_config(site: Path, folder: Path) -> None:
    pytest.importorskip("sb3_contrib")
    run(site, folder, "train", "tiny", "--out", "runs/tiny")
    assert json.loads((folder / "runs" / "tiny" / "policy.json").read_text())["settings"] == {"copies": 1}


def test_the_page(site: Path, folder: Path) -> None:
    pytest.importorskip("fastapi")
    command = [sys.executable, "-m", "pechvogel", "serve", "--port", "0", "--games", str(folder / "games.sqlite")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder, env=environment(site)
    ) as server:
        try:
            assert server.stdout is not None
            line = server.stdout.readline()
            assert "http://" in line, "the server has ended"
            address = line.split()[1]
            for path, wanted in (("/", "<!doctype html>"), ("/web/js/main.js", "import"), ("/web/words/de.json", "{")):
                with urllib.request.urlopen(address + path, timeout=30) as answer:
                    assert wanted in answer.read().decode().lower()
        finally:
            server.kill()
