"""What every child of the attack needs, loaded once: they are forked from a process that has imported this."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pechvogel.cli
import pechvogel.commands
import pechvogel.play.serve
import pechvogel.train.pechvogel.solve.layers
import pechvogel.train.run
import tests.wire
from pechvogel.play.hub import Hub
from pechvogel.play.store import Store

__all__ = ["pechvogel", "tests"]

with tempfile.TemporaryDirectory() as _folder:
    _hub = Hub(Store(Path(_folder) / "games.sqlite"))
    _hub.warm_up()
    _hub.store.close()
