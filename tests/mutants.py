"""Mutation tests of the rules: whether a test notices when a rule is changed.

    make mutants                                  # 60 changes, about ten minutes on two cores
    python -m tests.mutants --number 0 --jobs 2   # all of them, hours

Every mutant is `pechvogel_env/rules.py` with one small change, in a copy of the repository; the tests of the rules run
on it without numba. A mutant that no test kills is shown: either a test is missing, or the change changes nothing.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from pechvogel.train.progress import bar

ROOT = Path(__file__).parent.parent
RULES = Path("pechvogel_env") / "rules.py"
OF_GAME = ("rules_turn", "rules_frustrations", "rules_game", "plain_model")
TESTS = [*(f"tests/pechvogel/test_{name}.py" for name in OF_GAME), "tests/test_batch_checks.py"]
LONGEST = 300  # seconds: a game that no longer ends is noticed, too

SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


def changes(tree: ast.Module) -> Iterator[tuple[int, str, ast.Module]]:
    """Every mutant: line, what was changed, and the changed module. Annotations and docstrings are left alone."""
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    for f, function in enumerate(functions):
        for k, node in enumerate(ast.walk(function)):
            for what in _possible(node):
                mutant = deepcopy(tree)
                copy = [node for node in mutant.body if isinstance(node, ast.FunctionDef)][f]
                _change(list(ast.walk(copy))[k], what)
                yield getattr(node, "lineno", 0), f"{function.name}: {what} in `{ast.unparse(node)[:60]}`", mutant


def _possible(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPPED:
        return ["other comparison"]
    if isinstance(node, ast.BinOp | ast.AugAssign | ast.BoolOp) and type(node.op) in SWAPPED:
        return ["other operator"]
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return ["one more"]
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        return ["never", "always"]
    return []


def _change(node: ast.AST, what: str) -> None:
    if isinstance(node, ast.Compare):
        node.ops[0] = SWAPPED[type(node.ops[0])]()  # type: ignore[assignment]
    elif isinstance(node, ast.BinOp | ast.AugAssign | ast.BoolOp):
        node.op = SWAPPED[type(node.op)]()  # type: ignore[assignment]
    elif isinstance(node, ast.Constant):
        node.value += 1  # type: ignore[operator]
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        node.test = ast.Constant(what == "always")


def survives(mutant: ast.Module, folder: Path) -> bool:
    """Whether the tests pass on it."""
    (folder / RULES).write_text(ast.unparse(mutant), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *TESTS]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=LONGEST, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def main() -> int:
    """Returns 1 if a mutant survives."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--number", type=int, default=60, help="how many mutants, drawn at random; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    tree = ast.parse((ROOT / RULES).read_text(encoding="utf-8"))
    mutants = list(changes(tree))
    total = len(mutants)
    if arguments.number:
        mutants = random.Random(arguments.seed).sample(mutants, min(arguments.number, total))
    table = Table(title=f"{len(mutants)} of {total} mutants of {RULES}")
    table.add_column("line", justify="right")
    table.add_column("survived")
    with TemporaryDirectory() as tmp, bar() as progress, ThreadPoolExecutor(arguments.jobs) as pool:
        ignored = shutil.ignore_patterns("__pycache__", "node_modules")
        folders = [Path(tmp) / str(number) for number in range(arguments.jobs)]
        for folder in folders:
            for name in ("pechvogel_env", "tests"):
                shutil.copytree(ROOT / name, folder / name, ignore=ignored)
            shutil.copy(ROOT / "pyproject.toml", folder)
        assert survives(tree, folders[0]), "the tests must pass on the rules as they are"
        task = progress.add_task("mutants", total=len(mutants))

        def work(number: int) -> list[tuple[int, str]]:
            found = []
            for line, what, mutant in mutants[number :: arguments.jobs]:
                found += [(line, what)] * survives(mutant, folders[number])
                progress.advance(task)
            return found

        survivors = sorted(row for rows in pool.map(work, range(arguments.jobs)) for row in rows)
    for line, what in survivors:
        table.add_row(str(line), what)
    table.caption = f"{len(mutants) - len(survivors)} killed, {len(survivors)} survived"
    Console().print(table)
    return int(bool(survivors))


if __name__ == "__main__":
    sys.exit(main())
