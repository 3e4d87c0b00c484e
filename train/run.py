"""Training runs: a folder each, started from a config or resumed from its checkpoint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from pechvogel.train import config as configs
from pechvogel.train.config import CHECKPOINT, WEIGHTS, Config
from pechvogel.train.imitate import ImitationLearner
from pechvogel.train.loop import Loop
from pechvogel.train.ppo import PpoLearner
from pechvogel.train.value import ValueLearner

LEARNERS: dict[str, Any] = {"ppo": PpoLearner, "value": ValueLearner, "imitate": ImitationLearner}


def start(config: Config, folder: Path) -> None:
    """Train from nothing into a new folder."""
    if (folder / CHECKPOINT).exists():
        raise ValueError(f"{folder} has a run already; go on with --resume {folder}, or choose another folder")
    if (folder / WEIGHTS).exists():
        raise ValueError(f"{folder} has weights already; choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    _learner(config, folder).train()


def start_or_resume(config: Config, folder: Path) -> None:
    """Train into a folder, or go on with the run there, which must be of the same settings."""
    if (folder / CHECKPOINT).exists():
        if _read(folder / CHECKPOINT)[1].get("config") != configs.as_dict(config):
            raise ValueError(f"{folder} has a run with other settings")
        resume(folder)
    else:
        start(config, folder)


def resume(folder: Path, finish: bool = False) -> None:
    """Go on from the last checkpoint of a folder; or end there, with what was learned so far."""
    path = folder / CHECKPOINT
    if finish and configs.ended(folder):
        raise ValueError(f"{folder} has ended already: its weights are there ({WEIGHTS})")
    if not path.is_file():
        raise ValueError(f"{folder} has no checkpoint ({CHECKPOINT}) to resume from")
    tensors, notes = _read(path)
    try:
        learner = _learner(configs.from_dict(notes["config"]), folder)
        learner.restore(tensors, notes)
    except (KeyError, RuntimeError, ValueError, TypeError) as error:
        raise ValueError(f"{path} is no checkpoint of this version ({error})") from None
    if finish:
        learner.write_weights()
    else:
        learner.train()


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    try:
        with safe_open(path, "np") as file:
            notes = dict(json.loads(file.metadata()["notes"]))
            return {name: file.get_tensor(name) for name in file.keys()}, notes  # noqa: SIM118  not a dict
    except (SafetensorError, KeyError, TypeError, ValueError):
        raise ValueError(f"{path} is damaged or is no checkpoint") from None


def _learner(config: Config, folder: Path) -> Loop[Any]:
    return LEARNERS[config.learner](config, folder)  # type: ignore[no-any-return]
