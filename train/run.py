"""Training runs: a folder each, started from a config or resumed from its checkpoint."""

from __future__ import annotations

import json
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from pechvogel.tabletop.files import lock, replace_file
from pechvogel.train import config as configs
from pechvogel.train.config import CHECKPOINT, WEIGHTS, Config
from pechvogel.train.imitate import ImitationLearner
from pechvogel.train.loop import BEFORE, Loop, digest
from pechvogel.train.ppo import PpoLearner
from pechvogel.train.value import ValueLearner

LEARNERS: dict[str, Any] = {"ppo": PpoLearner, "value": ValueLearner, "imitate": ImitationLearner}


def start(config: Config, folder: Path) -> None:
    """Train from nothing into a new folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with _lock(folder):
        _start(config, folder)


def _start(config: Config, folder: Path) -> None:
    if _has_checkpoint(folder):
        raise ValueError(f"{folder} has a run already; go on with --resume {folder}, or choose another folder")
    if (folder / WEIGHTS).exists():
        raise ValueError(f"{folder} has weights already; choose another folder")
    _learner(config, folder).train()


def start_or_resume(config: Config, folder: Path) -> None:
    """Train into a folder, or go on with the run there, which must be of the same settings."""
    folder.mkdir(parents=True, exist_ok=True)
    with _lock(folder):
        if _has_checkpoint(folder):
            if _read_last(folder)[1].get("config") != configs.as_dict(config):
                raise ValueError(f"{folder} has a run with other settings")
            _resume(folder)
        else:
            _start(config, folder)


def resume(folder: Path, finish: bool = False) -> None:
    """Go on from the last checkpoint of a folder; or end there, with what was learned so far."""
    if not _has_checkpoint(folder):
        raise ValueError(f"{folder} has no checkpoint ({CHECKPOINT}) to resume from")
    with _lock(folder):
        _resume(folder, finish)


def _resume(folder: Path, finish: bool = False) -> None:
    path = folder / CHECKPOINT
    if finish and configs.ended(folder):
        raise ValueError(f"{folder} has ended already: its weights are there ({WEIGHTS})")
    tensors, notes = _read_last(folder)
    try:
        learner = _learner(configs.from_dict(notes["config"]), folder)
        learner.restore(tensors, notes)
    except (ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError) as error:
        what = " ".join(str(error).split())[:200]  # torch has long stories
        raise ValueError(f"{path} is no checkpoint of this version ({what})") from None
    if finish:
        learner.write_weights()
    else:
        learner.train()


def _lock(folder: Path) -> AbstractContextManager[None]:
    return lock(folder / ".lock", f"another run is training into {folder}")


def _has_checkpoint(folder: Path) -> bool:
    return any((folder / name).is_file() for name in (CHECKPOINT, BEFORE))


def _read_last(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The last checkpoint; if it is damaged, the one before, which becomes the last."""
    path, before = folder / CHECKPOINT, folder / BEFORE
    try:
        return _read(path)
    except ValueError as error:
        if not before.is_file():
            raise
        try:
            found = _read(before)
        except ValueError as other:
            raise ValueError(f"{error}, and {other}") from None
        print(f"pechvogel: {error}; going on from the one before ({BEFORE})", file=sys.stderr, flush=True)
    replace_file(path, before.read_bytes())  # else the next checkpoint would keep the damaged one instead of this
    return found


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    try:
        with safe_open(path, "np") as file:
            about = dict(file.metadata())
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  not a dict
        # Those of version 0.2.0 and before have notes and no checksum.
        if about.keys() != {"notes"} and about["sha256"] != digest(tensors, about["notes"]):
            raise ValueError
        return tensors, dict(json.loads(about["notes"]))
    except (SafetensorError, KeyError, OSError, RecursionError, TypeError, ValueError):
        raise ValueError(f"{path} is damaged or is no checkpoint") from None


def _learner(config: Config, folder: Path) -> Loop[Any]:
    return LEARNERS[config.learner](config, folder)  # type: ignore[no-any-return]
