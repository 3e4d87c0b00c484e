"""The project as a whole: imports, compilation, running without numba, and docs that match the code."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest

import pechvogel_env
from pechvogel.tabletop.compile import stamped
from tests.test_cli import python

ROOT = Path(__file__).parent.parent
RULE_NUMBERS = [f"R{k}" for k in range(1, 23)] + [f"Q{k}" for k in range(1, 9)] + [f"E{k}" for k in range(1, 4)]
LUCKY_LOSER_NUMBERS = [f"L{k}" for k in range(1, 17)] + [f"X{k}" for k in range(1, 5)]
PORCA_MISERIA_NUMBERS = [f"P{k}" for k in range(1, 19)] + [f"Y{k}" for k in range(1, 5)]


def test_the_environments_import_no_training_packages() -> None:
    code = "import sys, " + ", ".join(module for module in MODULES if room_of(module) in ENVIRONMENTS) + "\n"
    done = python(code + "print([m for m in ('torch', 'stable_baselines3', 'pechvogel.agents') if m in sys.modules])")
    assert done.stdout.strip() == "[]", done.stderr


def test_importing_pechvogel_changes_nothing() -> None:
    code = "import os, sys\nbefore = dict(os.environ), list(sys.path), set(sys.modules)\nimport pechvogel\n"
    code += "print(before[:2] == (dict(os.environ), list(sys.path)), set(sys.modules) - before[2])"
    assert python(code).stdout.strip() == "True {'pechvogel'}"


def test_help_loads_neither_torch_nor_numba() -> None:
    code = "import sys\nfrom pechvogel.cli import main\ntry:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
    code += "print([name for name in ('torch', 'numba', 'numpy') if name in sys.modules])"
    assert python(code).stdout.strip().endswith("[]")


def test_importing_the_package_loads_no_compiler() -> None:
    """`import pechvogel_env` takes well under a second because numba waits until the engine is used."""
    code = f"import sys, {', '.join(ENVIRONMENTS)}\n"
    done = python(code + "print('numba' in sys.modules, 'PIL' in sys.modules)")
    assert done.stdout.strip() == "False False", done.stderr


# The rooms in the order in which they may depend on each other: each may import those before it.
ENVIRONMENTS = ["pechvogel_env", "lucky_loser_env", "porca_miseria_env"]
ROOMS = ["tabletop", *ENVIRONMENTS, "agents", "train", "play", "pechvogel"]
NOT_EACH_OTHER = [{"train", "play"}, *map(set, combinations(ENVIRONMENTS, 2))]


def module_of(path: Path) -> str:
    """The name under which a file is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    name = ".".join(part for part in parts if part != "__init__")
    return name if parts[0] in ("pechvogel", *ENVIRONMENTS) else f"pechvogel.{name}"


def room_of(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in ROOMS and parts[0] == "pechvogel" else parts[0]


MODULES = {module_of(path): path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))}


def imports(path: Path, late: bool = True) -> set[tuple[str, str]]:
    """What a file imports of ours: modules, and names in them ("" for the module itself); `late`: in functions, too."""
    found: set[tuple[str, str]] = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree) if late else tree.body:
        if isinstance(node, ast.ImportFrom) and node.module and room_of(node.module) in ROOMS:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                found.add((whole, "") if whole in MODULES else (node.module, alias.name))
        elif isinstance(node, ast.Import):
            found |= {(alias.name, "") for alias in node.names if room_of(alias.name) in ROOMS}
    return found


def test_every_package_is_installed() -> None:
    """A folder that pyproject.toml does not list would be missing from the wheel."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    listed = set(re.findall(r'^  "((?:pechvogel|lucky_loser|porca_miseria)[\w.]*)",$', text, re.M))
    assert listed == {module for module, path in MODULES.items() if path.name == "__init__.py"} | {"pechvogel.configs"}


def test_rooms_depend_in_one_direction_only() -> None:
    for module, path in MODULES.items():
        room = room_of(module)
        for other, name in imports(path):
            if (other, name) == ("pechvogel", "__version__"):
                continue
            below = ROOMS[: ROOMS.index(room) + 1]
            assert room_of(other) in below, f"{module} imports {other}"
            assert {room, room_of(other)} not in NOT_EACH_OTHER, f"{module} imports {other}"


def test_what_is_shared_knows_no_game() -> None:
    """Only folders that carry a game's name know it: nothing else in agents and train imports them."""
    of_game = re.compile(r"\.(pechvogel|lucky_loser|porca_miseria)\.")
    for module, path in MODULES.items():
        if room_of(module) in ("tabletop", "agents", "train") and not of_game.search(f"{module}."):
            for other, _ in imports(path):
                assert room_of(other) not in ENVIRONMENTS and not of_game.search(f"{other}."), f"{module}: {other}"


def test_no_module_imports_itself_by_a_detour() -> None:
    graph = {module: {other for other, _ in imports(path) if other != module} for module, path in MODULES.items()}
    done: set[str] = set()

    def visit(module: str, way: tuple[str, ...]) -> None:
        assert module not in way, " -> ".join((*way, module))
        if module not in done:
            for other in graph[module]:
                visit(other, (*way, module))
            done.add(module)

    for module in graph:
        visit(module, ())


def test_no_module_uses_private_names_of_another() -> None:
    for module, path in MODULES.items():
        names = {other.rpartition(".")[2] for other, name in imports(path) if not name}
        private = [f"{other}.{name}" for other, name in imports(path) if re.match("_[^_]", name)]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in names:
                private += [f"{node.value.id}.{node.attr}"] * bool(re.match("_[^_]", node.attr))
        assert private == [], module


@pytest.mark.parametrize(
    ("folder", "numbers"),
    [
        ("pechvogel", RULE_NUMBERS),
        ("lucky_loser", LUCKY_LOSER_NUMBERS),
        ("porca_miseria", PORCA_MISERIA_NUMBERS),
    ],
)
def test_every_rule_is_cited_by_a_test(folder: str, numbers: list[str]) -> None:
    """By the name of a test, or by what it says of itself or of its cases: not by a word anywhere in a file."""
    cited: set[str] = set()
    for path in (ROOT / "tests" / folder).glob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                text = f"{node.name} {ast.get_docstring(node) or ''} {' '.join(map(ast.unparse, node.decorator_list))}"
                cited |= {match.upper() for match in re.findall(r"(?<![A-Za-z\d])[RQELXPYrqelxpy]\d{1,2}(?!\d)", text)}
    assert [number for number in numbers if number not in cited] == []


def test_the_rules_page_has_every_number_and_code_cites_no_other() -> None:
    page = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    numbered = re.findall(r'<a id="([rqe]\d+)"></a>\*\*([RQE]\d+)\*\*', page)
    assert sorted(name for _, name in numbered) == sorted(RULE_NUMBERS)
    assert all(anchor == name.lower() for anchor, name in numbered)
    for path in (ROOT / "pechvogel_env").glob("*.py"):
        cited = set(re.findall(r"\b([RQ]\d{1,2})\b", path.read_text(encoding="utf-8")))
        assert cited <= set(RULE_NUMBERS), path


def test_the_rules_module_cites_its_rules() -> None:
    """Every rule that needs code stands in rules.py by its number; the others say why not."""
    text = (ROOT / "pechvogel_env" / "rules.py").read_text(encoding="utf-8")
    cited = set(re.findall(r"\b[RQ]\d{1,2}\b", text))
    for low, high in re.findall(r"\bR(\d+)-R(\d+)\b", text):
        cited |= {f"R{k}" for k in range(int(low), int(high) + 1)}
    no_code = {
        "R19": "nothing forbids answering a throw that would end the turn",
        "Q4": "no option",
        "Q7": "truncation is the environment's",
        "Q8": "slips that are not followed",
    }
    assert [n for n in RULE_NUMBERS if n[0] != "E" and n not in cited and n not in no_code] == []


def test_kernels_take_constants_only_from_files_that_their_cache_looks_at() -> None:
    """A constant that is changed elsewhere would not reach a kernel that was compiled before."""
    looked_at = {path for room in ROOMS for path in stamped(ROOT / room)}
    kernels = {
        module: path
        for module, path in MODULES.items()
        if re.search(r"^@(compiled|inlined)$|for_game\(", path.read_text(), re.M)
    }
    assert len(kernels) > 15 and set(kernels.values()) <= looked_at
    for module, path in kernels.items():
        for other, name in imports(path, late=False):
            assert not name.isupper() or MODULES[other] in looked_at or name in ("JIT", "KIND"), (
                f"{module}: {other}.{name}"
            )


def test_first_use_says_that_it_compiles_and_later_starts_are_quick(tmp_path: Path) -> None:
    code = "from pechvogel_env.game import Game\ngame = Game(2)\ngame.reset(1)\nprint(game.bits)"
    first = python(code, NUMBA_CACHE_DIR=str(tmp_path))
    assert first.stderr.count("compiling the engine for its first use") == 1
    later = python(code, NUMBA_CACHE_DIR=str(tmp_path))
    assert later.stderr == "" and later.stdout == first.stdout


def test_a_changed_rule_reaches_kernels_cached_from_other_files(tmp_path: Path) -> None:
    """The cache of a kernel in game.py must not outlive a change in rules.py."""
    import shutil

    for room in ("pechvogel_env", "pechvogel"):
        shutil.copytree(ROOT / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__"))
    for room in ("tabletop", "agents", "train"):
        shutil.copytree(ROOT / room, tmp_path / "pechvogel" / room, ignore=shutil.ignore_patterns("__pycache__"))
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "from pechvogel_env.game import Game\n"
        "game = Game(2); game.reset(1, 0, [0, 0, 3, 4, 5, 6, 7]); print(game.position().phase)"
    )
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert python(code, **cache).stdout.strip() == "target"
    rules = tmp_path / "pechvogel_env" / "rules.py"
    text = rules.read_text(encoding="utf-8")
    assert "RAVENS_LIMIT = 3" in text
    stat = rules.stat()
    rules.write_text(text.replace("RAVENS_LIMIT = 3", "RAVENS_LIMIT = 2"), encoding="utf-8")
    os.utime(rules, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    changed = python(code.replace("game.position().phase", "game.position().turn > 0"), **cache)
    assert changed.stdout.strip() == "True", changed.stderr


@pytest.mark.parametrize(
    "name",
    [
        *(f"pechvogel/test_{name}" for name in ("rules_turn", "rules_frustrations", "rules_game")),
        *(f"pechvogel/test_{name}" for name in ("golden", "observation", "dice", "env")),
        *(f"lucky_loser/test_{name}" for name in ("rules", "golden", "observation", "dice", "env", "engine")),
        *(f"porca_miseria/test_{name}" for name in ("rules", "record")),
    ],
)
def test_the_engine_runs_without_numba(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"tests/{name}.py"],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]


def test_versions_agree() -> None:
    """pyproject.toml reads its version off the package."""
    assert f"version: {pechvogel_env.__version__}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"## {pechvogel_env.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_changelog_keeps_its_headings() -> None:
    parts = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1:]
    for part in parts:
        assert re.findall(r"^### (.+)$", part, re.M) == [
            "Breaking changes", "New", "Fixed", "Documentation", "Other",
        ]  # fmt: skip


def test_the_readmes_file_tree_is_the_real_one() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    tree = readme.split("```text\n")[1].split("```")[0]
    folder, named = "", set()
    for line in tree.splitlines():
        match = re.match(r"( *)([\w.]+/?)", line)
        if match and match[2].endswith("/") and not match[1]:
            folder = match[2]
            named.add(folder)
        elif match:
            named.add((folder if match[1] else "") + match[2])
    for entry in named:
        assert (ROOT / entry).exists(), f"{entry} is in the README, but not in the repository"
    for path in (path for room in ("tabletop", "pechvogel_env") for path in (ROOT / room).glob("*.py")):
        if path.name != "__init__.py":
            assert f"{path.parent.name}/{path.name}" in named, f"{path.name} is missing in the README"
    files = [{path.name for path in (ROOT / room).glob("*.py")} - {f"{room[:-4]}_v0.py"} for room in ENVIRONMENTS]
    assert files[0] == files[1], "who has read one game has read all"


def test_the_readmes_example_runs() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    example = readme.split("```python\n")[1].split("```")[0]
    assert len(example.splitlines()) <= 12
    done = python(example)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_every_example_of_the_guide_runs(tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "using.md").read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```", guide, re.S)
    assert len(examples) >= 7
    code = f"import os; os.chdir({str(tmp_path)!r})\n" + "\n".join(examples)
    done = python(code)
    assert done.returncode == 0, done.stderr


def test_links_in_the_docs_lead_somewhere() -> None:
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        text = path.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)]+)\)", text):
            name, _, anchor = target.partition("#")
            if "://" in name:
                continue
            linked = path if not name else path.parent / name
            assert linked.exists(), f"{path.name} links to {target}"
            if anchor and linked.suffix == ".md":
                page = linked.read_text(encoding="utf-8")
                headings = [
                    re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in re.findall(r"^#+ (.+)$", page, re.M)
                ]
                assert f'id="{anchor}"' in page or anchor in headings, f"{path.name} links to {target}"
