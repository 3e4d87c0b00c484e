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
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import config, event

F = TypeVar("F", bound=Callable[..., Any])

JIT = not config.DISABLE_JIT


def _package_stamp() -> str:
    """A hash of every module of this package: what any cached kernel may have inlined."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


_STAMP = _package_stamp()


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
        stamp = _STAMP
        source = inspect.getsourcefile(function)
        if source and Path(source).parent != Path(__file__).parent:  # a kernel of agents or train
            stamp += hashlib.sha256(Path(source).read_bytes()).hexdigest()
        files._source_stamp = stamp
    return cast(F, dispatcher)
