"""What compiled code takes from a caller, looked at before: it checks neither bounds nor types itself.

Everything that is wrong is a ValueError of one sentence that names it, raised before anything has changed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from pechvogel.tabletop.arrays import Ints
from pechvogel.tabletop.compile import JIT, compiled

INT64 = np.dtype(np.int64)  # to compare with a type, NumPy would make one of it every time

F = TypeVar("F", bound=Callable[..., Any])


def checked(check: Callable[..., None]) -> Callable[[F], F]:
    """Let a compiled function be called from Python only after `check`, which gets the same arguments.

    Compiled code calls it as if nothing stood before it: numba takes the wrapper for what is behind.
    """

    def wrap(function: F) -> F:
        names = signature(function)

        @wraps(function)
        def call(*args: Any, **named: Any) -> Any:
            if named or len(args) != len(names.parameters):
                args = names.bind(*args, **named).args
            check(*args)
            return function(*args)

        if JIT:
            call._numba_type_ = function._numba_type_  # type: ignore[attr-defined]
        return cast(F, call)

    return wrap


def check_array(name: str, array: Any, dtype: DTypeLike, dimensions: int = 1) -> None:
    """Refuse what is no array of this type and so many dimensions."""
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{name} must be an array of {np.dtype(dtype)}, not {type(array).__name__}")
    if array.dtype != dtype or array.ndim != dimensions:
        kind = "" if dimensions == 1 else f" with {dimensions} dimensions"
        raise ValueError(
            f"{name} must be an array of {np.dtype(dtype)}{kind}, not of {array.dtype} and shape {array.shape}"
        )


def check_whole_numbers(name: str, array: Any) -> None:
    """Refuse what is no array of whole numbers in a row."""
    if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind not in "iu":
        raise ValueError(f"{name} must be an array of whole numbers in a row")


def check_writeable(name: str, array: NDArray[Any]) -> None:
    """Refuse an array that can't be written to."""
    if not array.flags.writeable:
        raise ValueError(f"{name} must not be read-only")


def plain(array: NDArray[Any]) -> NDArray[Any]:
    """The array, or a copy as most are: every other layout would be compiled for anew."""
    return array if type(array) is np.ndarray and array.flags.carray else np.array(array, copy=True, order="C")


@compiled
def first_wrong_game(games: Ints, num_games: int) -> int:
    """The place of the first number that is no game's, or is there for the second time; -1 if there is none."""
    if len(games) == 0:
        return -1
    falls = 0
    for k in range(1, len(games)):  # a sum and no way out of the loop: so it takes several at once
        falls += games[k] <= games[k - 1]
    if falls == 0 and games[0] >= 0 and games[len(games) - 1] < num_games:  # as nearly all callers have them
        return -1
    seen = np.zeros(num_games, np.bool_)
    for k in range(len(games)):
        i = games[k]
        if i < 0 or i >= num_games or seen[i]:
            return k
        seen[i] = True
    return -1


def check_games(games: Any, num_games: int) -> Ints:
    """Refuse what are not numbers of games, all different; returns them as compiled code takes them."""
    if type(games) is not np.ndarray or games.dtype != INT64 or games.ndim != 1 or not games.flags.carray:
        check_array("games", games, INT64)
        games = plain(games)
    wrong = int(first_wrong_game(games, num_games))
    if wrong >= 0:
        number = int(games[wrong])
        why = f"are from 0 to {num_games - 1}" if not 0 <= number < num_games else "must all be different"
        raise ValueError(f"games {why}, but games[{wrong}] is {number}")
    return cast(Ints, games)
