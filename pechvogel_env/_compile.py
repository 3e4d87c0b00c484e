"""How the engine is compiled: one decorator, one message, one cache that can't go stale.

Numba keeps compiled code on disk per function and looks only at the file in which that function stands.
Here kernels call each other across files, so a changed rule would not reach a kernel cached elsewhere. The
decorator therefore stamps every cached kernel with a hash of all the files that hold compiled code.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import config, event

F = TypeVar("F", bound=Callable[..., Any])

JIT = not config.DISABLE_JIT


_HERE = Path(__file__).parent
_ROOMS = (_HERE, _HERE.parent / "agents", _HERE.parent / "train")  # in the order in which they depend on each other


@cache
def _stamp(folder: Path) -> str:
    """A hash of every module that a kernel in this folder may have inlined: its own room's and those of rooms below."""
    digest = hashlib.sha256()
    rooms = _ROOMS[: _ROOMS.index(folder) + 1] if folder in _ROOMS else (*_ROOMS, folder)
    for room in rooms:
        for path in sorted(room.glob("*.py")):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


class _Announcer(event.Listener):
    """Says once, on standard error, that the engine is being compiled and not hanging."""

    def __init__(self) -> None:
        self.announced = False

    def on_start(self, event: Any) -> None:
        name = getattr(event.data["dispatcher"].py_func, "__module__", "")
        if not self.announced and name.partition(".")[0] in ("pechvogel_env", "agents", "train"):
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


def _compile(function: F, forceinline: bool) -> F:
    if not JIT:
        # The seeded dice wrap around in 64 bits on purpose; plain NumPy would warn at every throw.
        return np.errstate(over="ignore")(function)
    dispatcher = numba.njit(cache=True, nogil=True, error_model="numpy", forceinline=forceinline)(function)
    files = getattr(dispatcher._cache, "_cache_file", None)
    if files is not None:  # None where numba finds no folder to cache in
        source = inspect.getsourcefile(function)
        files._source_stamp = _stamp(Path(source).parent if source else _HERE)
    return cast(F, dispatcher)
