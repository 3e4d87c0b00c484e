"""What the spec page of an environment says, the docstring of its `raw_env`, beside what the code says."""

from __future__ import annotations

import inspect
from collections.abc import Iterable

from pechvogel.tabletop.observation import Slice

Told = list[tuple[bool, str, int, int, str]]


def table_rows(env: type, heading: str) -> list[list[str]]:
    """The rows of the table below a heading."""
    assert env.__doc__ is not None
    lines = env.__doc__.split(f"### {heading}\n")[1].split("###")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines if line.strip()[:1] == "|"]
    return rows[2:]


def layout_told(env: type) -> Told:
    """Slices as the page has them: whether in a seat's block, name, start, stop, meaning."""
    told = []
    for index, name, meaning in table_rows(env, "Observation"):
        block = index.startswith("block")
        first, _, last = index.removeprefix("block + ").partition("-")
        told.append((block, name.strip("`"), int(first), int(last or first) + 1, meaning))
    return told


def layout_of(slices: Iterable[Slice], blocks: int) -> Told:
    """The same of the code; the first block starts at `blocks`."""
    code = []
    for part in slices:
        who, _, name = part.name.rpartition(".")
        if who in ("", "observer"):
            start = blocks if who else 0
            code.append((bool(who), name, part.start - start, part.stop - start, part.meaning))
    return code


def actions_of(env: type) -> dict[int, str]:
    """Actions as the page has them."""
    return {int(number): name for number, name, *_ in table_rows(env, "Actions")}


def arguments_of(env: type, page: type | None = None) -> tuple[dict[str, str], dict[str, str]]:
    """Arguments with their defaults: as the page has them, and as the code has them."""
    told = {name.strip("`"): default for name, default, _ in table_rows(page or env, "Arguments")}
    code = {
        name: str(parameter.default) if parameter.default != "win" else '"win"'
        for name, parameter in inspect.signature(env.__init__).parameters.items()  # type: ignore[misc]
        if name != "self"
    }
    return told, code
