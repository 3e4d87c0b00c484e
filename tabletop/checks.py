"""What is wrong with a value, in one sentence that names it (ValueError)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def check_whole(name: str, value: Any, low: int, high: int) -> None:
    """Refuse what is no whole number, or none from `low` to `high`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise ValueError(f"{name} must be a whole number, not {value!r}")
    if not low <= value <= high:
        raise ValueError(f"{name} must be from {low} to {high}, not {value}")


def check_truths(**settings: Any) -> None:
    """Refuse a setting that is neither true nor false: `bool("no")` would be True."""
    for name, value in settings.items():
        if not isinstance(value, (bool, np.bool_)):
            raise ValueError(f"{name} must be True or False, not {value!r}")


def check_one_of(name: str, value: Any, choices: Sequence[str]) -> None:
    """Refuse what is not among the choices."""
    if value not in choices:
        raise ValueError(f"{name} must be {' or '.join(map(repr, choices))}, not {value!r}")
