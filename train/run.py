"""Training runs: a folder each, started from a config or resumed from its checkpoint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from pechvogel.train import config as configs
from pechvogel.train import imitate, ppo, value
from pechvogel.train.config import CHECKPOINT, WEIGHTS, AnyConfig, Config, ValueConfig


def start(config_path: Path, folder: Path) -> None:
    """Train from nothing into a new folder."""
    _start(configs.read(config_path), folder)


def start_or_resume(config: AnyConfig, folder: Path) -> None:
    """Train into a folder, or go on with the run there, which must be of the same settings."""
    if (folder / CHECKPOINT).exists():
        if _read(folder / CHECKPOINT)[1].get("config") != configs.as_dict(config):
            raise ValueError(f"{folder} has a run with other settings")
        resume(folder)
    else:
        _start(config, folder)


def _start(config: AnyConfig, folder: Path) -> None:
    if (folder / CHECKPOINT).exists():
        raise ValueError(f"{folder} has a run already; go on with --resume {folder}, or choose another folder")
    if (folder / WEIGHTS).exists():
        raise ValueError(f"{folder} has weights already; choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    _trainer(config, folder).train()


def resume(folder: Path, finish: bool = False) -> None:
    """Go on from the last checkpoint of a folder; or end there, with what was learned so far."""
    path = folder / CHECKPOINT
    if finish and configs.ended(folder):
        raise ValueError(f"{folder} has ended already: its weights are there ({WEIGHTS})")
    if not path.is_file():
        raise ValueError(f"{folder} has no checkpoint ({CHECKPOINT}) to resume from")
    tensors, notes = _read(path)
    try:
        trainer = _trainer(configs.from_dict(notes["config"]), folder)
        trainer.restore(tensors, notes)
    except (KeyError, RuntimeError, ValueError, TypeError) as error:
        raise ValueError(f"{path} is no checkpoint of this version ({error})") from None
    if finish:
        trainer.write_weights()
    else:
        trainer.train()


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    try:
        with safe_open(path, "np") as file:
            notes = dict(json.loads(file.metadata()["notes"]))
            return {name: file.get_tensor(name) for name in file.keys()}, notes  # noqa: SIM118  not a dict
    except (SafetensorError, KeyError, TypeError, ValueError):
        raise ValueError(f"{path} is damaged or is no checkpoint") from None


def _trainer(config: AnyConfig, folder: Path) -> ppo.Trainer | value.Trainer | imitate.Trainer:
    if isinstance(config, Config):
        return ppo.Trainer(config, folder)
    return value.Trainer(config, folder) if isinstance(config, ValueConfig) else imitate.Trainer(config, folder)
