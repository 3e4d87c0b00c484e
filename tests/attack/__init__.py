"""The whole attack on server, files, training and command line: `make attack`. A file for every kind of attack."""

from __future__ import annotations

from importlib import import_module

from tests.attack.rows import Attack

# In this order. Another kind is another file with a function `attack`.
NAMES = (
    "tokens",
    "races",
    "malformed",
    "slow",
    "listeners",
    "strangers",
    "memory",
    "kills",
    "training",
    "solving",
    "disk",
    "files",
    "lines",
)
KINDS: dict[str, Attack] = {name: import_module(f"tests.attack.{name}").attack for name in NAMES}
