"""Files of weights: safetensors with a JSON card beside them that says for which game they are.

The card vouches for the weights with their SHA-256; what does not fit is refused with a sentence.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pechvogel.tabletop.files import replace_file, to_json
from pechvogel_env.rules import MAX_COPIES, MAX_PLAYERS, MIN_PLAYERS

ENVIRONMENT = "pechvogel_v0"  # the version of rules and observation
WEIGHTS = Path(__file__).parent / "pechvogel" / "weights"

Tensors = Mapping[str, NDArray[np.float32]]
Layers = list[tuple[NDArray[np.float32], NDArray[np.float32]]]  # weight and bias of each


def save(path: Path, tensors: Tensors, card: Mapping[str, Any], card_format: str) -> None:
    """Write weights and card; the card last, as it vouches for the weights."""
    from safetensors.numpy import save as to_bytes

    data = to_bytes({name: np.ascontiguousarray(array) for name, array in tensors.items()})
    fixed = {"format": card_format, "environment": ENVIRONMENT, "sha256": hashlib.sha256(data).hexdigest()}
    replace_file(path, data)
    replace_file(path.with_suffix(".json"), to_json({**card, **fixed}))


def read_card(path: Path) -> dict[str, Any]:
    """The card beside weights, as it is; ValueError if it can't be read."""
    try:
        card = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"weights {path}: {error.filename} can't be read ({error.strerror})") from None
    except ValueError:
        raise ValueError(f"weights {path}: the card beside them is not valid JSON") from None
    if not isinstance(card, dict):
        raise ValueError(f"weights {path}: the card beside them is not a card")
    return card


def load(path: Path, card_format: str) -> tuple[Tensors, dict[str, Any]]:
    """Read weights and their card; ValueError if anything is missing, damaged or does not fit."""
    from safetensors import SafetensorError
    from safetensors.numpy import load as from_bytes

    card = read_card(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ValueError(f"weights {path}: {error.filename} can't be read ({error.strerror})") from None
    if card.get("format") != card_format:
        raise ValueError(f"weights {path}: the card beside them is not of the format {card_format!r}")
    if card.get("environment") != ENVIRONMENT:
        raise ValueError(f"weights {path}: they are for {card.get('environment')}, not for {ENVIRONMENT}")
    if card.get("players") not in range(MIN_PLAYERS, MAX_PLAYERS + 1) or card.get("copies") not in range(
        1, MAX_COPIES + 1
    ):
        raise ValueError(f"weights {path}: the card beside them does not say for which game they are")
    if hashlib.sha256(data).hexdigest() != card.get("sha256"):
        raise ValueError(f"weights {path}: they don't match the SHA-256 of their card: damaged or exchanged")
    try:
        return from_bytes(data), card
    except SafetensorError as error:
        raise ValueError(f"weights {path}: they are not in the format of safetensors ({error})") from None


def named(layers: Layers) -> dict[str, NDArray[np.float32]]:
    """Layers as arrays named weight_0, bias_0, weight_1, ..."""
    tensors = {}
    for k, (weight, bias) in enumerate(layers):
        tensors[f"weight_{k}"], tensors[f"bias_{k}"] = weight, bias
    return tensors


def layers_of(tensors: Tensors, inputs: int, outputs: int) -> Layers:
    """The inverse of `named`; ValueError if they don't fit together, or to so many inputs and outputs."""
    try:
        layers = [(tensors[f"weight_{k}"], tensors[f"bias_{k}"]) for k in range(len(tensors) // 2)]
    except KeyError as error:
        raise ValueError(f"they have no {error.args[0]}") from None
    size = inputs
    for weight, bias in layers:
        if weight.ndim != 2 or weight.shape[1] != size or bias.shape != (weight.shape[0],):
            raise ValueError(f"their layers don't fit together, or not to {inputs} inputs")
        size = weight.shape[0]
    if size != outputs or not layers:
        raise ValueError(f"they have {size} outputs, not {outputs}")
    return layers


def for_game(card: Mapping[str, Any], path: Path, players: int, copies: int) -> None:
    """ValueError if weights that are found by name are of another game."""
    if (card["players"], card["copies"]) != (players, copies):
        raise ValueError(f"weights {path}: their card is of another game")
