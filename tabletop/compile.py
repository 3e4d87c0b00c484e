"""How the engine is compiled: one decorator, one message, one cache that can't go stale.

Numba keeps compiled code on disk per function and looks only at the file in which that function stands.
Here kernels call each other across files, so a changed rule would not reach a kernel cached elsewhere. The
decorator therefore stamps every cached kernel with a hash of all the files that hold or speak of compiled code.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Callable, Mapping
from functools import cache
from inspect import get_annotations
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import config, event

F = TypeVar("F", bound=Callable[..., Any])

JIT = not config.DISABLE_JIT


_HERE = Path(__file__).parent
_ours: set[str] = set()  # modules with compiled code
WORDS = (b"compiled", b"inlined")


def _rooms(module: str) -> list[Path]:
    """The folders that hold what a kernel of this module may have inlined: its own room's and those of rooms below.

    Modules of a game are `<game>_env.*`, `pechvogel.agents.<game>.*` and `pechvogel.train.<game>.*`.
    """
    parts = module.split(".")
    if parts[0] != __package__.partition(".")[0]:
        return [_HERE, _folder(parts[0])]
    rooms = [_HERE.parent / room for room in ("tabletop", "agents", "train")]
    below = rooms[: rooms.index(_HERE.parent / parts[1]) + 1]
    return below if parts[1] == "tabletop" else [*below, _folder(f"{parts[2]}_env")]


def _folder(package: str) -> Path:
    found = importlib.util.find_spec(package)
    assert found is not None and found.submodule_search_locations is not None, package
    return Path(found.submodule_search_locations[0])


def stamped(room: Path) -> list[Path]:
    """The files of a room on which kernels may depend: those that speak of compiled code.

    A kernel keeps the constants of other files as they were, so these must be in such files, too: a test looks.
    """
    return [path for path in sorted(room.rglob("*.py")) if any(word in path.read_bytes() for word in WORDS)]


@cache
def _stamp(module: str) -> str:
    digest = hashlib.sha256()
    for room in _rooms(module):
        for path in stamped(room):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


class _Announcer(event.Listener):
    """Says once, on standard error, that the engine is being compiled and not hanging."""

    def __init__(self) -> None:
        self.announced = False

    def on_start(self, event: Any) -> None:
        name = getattr(event.data["dispatcher"].py_func, "__module__", "")
        if not self.announced and name in _ours:
            self.announced = True
            print(
                "pechvogel: compiling the engine for its first use on this machine (under half a minute) ...",
                file=sys.stderr,
                flush=True,
            )

    def on_end(self, event: Any) -> None:
        pass


if JIT:
    event.register("numba:compile", _Announcer())


def compiled(function: F) -> F:
    """Compile with numba on first call: cached on disk, without the GIL, exact floating point."""
    return _compile(function, forceinline=False)


def inlined(function: F) -> F:
    """As `compiled`, for small steps inside a kernel: a call would cost more than the step."""
    return _compile(function, forceinline=True)


def for_game(module: str, template: F, parts: Mapping[str, Callable[..., Any]], *, inline: bool = False) -> F:
    """Compile for one game what is the same for all: a template, with the game's own functions for those of its file.

    Numba knows the functions that a kernel calls when it compiles it, and can't cache those that it is handed at a
    call. So every game gets a copy of the template, in which names of functions mean its own; `module` is the game's.
    """
    assert all(name in template.__globals__ for name in parts), f"{template.__name__} has other parts than {[*parts]}"
    own = FunctionType(template.__code__, {**template.__globals__, **parts}, template.__name__, template.__defaults__)
    # Annotations as types: the game's module need not know their names.
    own.__doc__, own.__annotations__ = template.__doc__, get_annotations(template, eval_str=True)
    own.__module__, own.__qualname__ = module, f"{module}.{template.__name__}"  # also of its file in the cache
    return cast(F, _compile(own, forceinline=inline))


def _compile(function: F, forceinline: bool) -> F:
    if not JIT:
        # The seeded dice wrap around in 64 bits on purpose; plain NumPy would warn at every throw.
        return np.errstate(over="ignore")(function)
    dispatcher = numba.njit(cache=True, nogil=True, error_model="numpy", forceinline=forceinline)(function)
    _ours.add(function.__module__)
    files = getattr(dispatcher._cache, "_cache_file", None)
    if files is not None:  # None where numba finds no folder to cache in
        files._source_stamp = _stamp(function.__module__)
    return cast(F, dispatcher)
