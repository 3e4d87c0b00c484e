"""Files of weights: safetensors with a JSON card beside them that says for which game they are.

The card vouches for the weights with their SHA-256; what does not fit is refused with a sentence.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pechvogel.agents.games import DEFAULT, kind_of
from pechvogel.tabletop.files import replace_file, to_json
from pechvogel.tabletop.kind import Variant
from pechvogel.tabletop.untrusted import MAX_ARRAYS, parse_arrays, read_bytes, read_json, shown, shown_value

MAX_CARD = 1 << 22  # bytes
MAX_WEIGHT = 1e6  # beyond it, sums of a few of them are no numbers any more

Tensors = Mapping[str, NDArray[np.float32]]
Layers = list[tuple[NDArray[np.float32], NDArray[np.float32]]]  # weight and bias of each


def head(variant: Variant) -> dict[str, Any]:
    """What a card says about the game that its weights are for."""
    return {"game": variant.game, "players": variant.num_players, "settings": kind_of(variant.game).told(variant)}


def variant_of(card: Mapping[str, Any]) -> Variant:
    """The inverse of `head`; ValueError if a card does not say which game it is. Old cards know Pechvogel only."""
    old = {"settings": {"copies": card.get("copies")}} if "game" not in card else {}
    said = {"game": DEFAULT, **card, **old}
    try:
        return kind_of(said["game"]).variant(said["players"], **said["settings"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"{shown(error)} is missing or wrong") from None


def save(path: Path, tensors: Tensors, card: Mapping[str, Any], card_format: str) -> None:
    """Write weights and card; the card last, as it vouches for the weights."""
    from safetensors.numpy import save as to_bytes

    data = to_bytes({name: np.ascontiguousarray(array) for name, array in tensors.items()})
    environment = kind_of(card["game"]).environment
    fixed = {"format": card_format, "environment": environment, "sha256": hashlib.sha256(data).hexdigest()}
    replace_file(path, data)
    write_card(path, {**card, **fixed})


def write_card(path: Path, card: Mapping[str, Any]) -> None:
    """Write the card beside weights."""
    replace_file(path.with_suffix(".json"), to_json(dict(card)))


def read_card(path: Path) -> dict[str, Any]:
    """The card beside weights, as it is; ValueError if it can't be read."""
    try:
        card = read_json(path.with_suffix(".json"), MAX_CARD)
    except OSError as error:
        raise ValueError(f"weights {path}: {error.filename} can't be read ({error.strerror})") from None
    except ValueError as error:
        raise ValueError(f"weights {shown(path)}: the card beside them can't be used: {error}") from None
    if not isinstance(card, dict):
        raise ValueError(f"weights {path}: the card beside them is not a card")
    return card


def load(path: Path, card_format: str) -> tuple[Tensors, dict[str, Any]]:
    """Read weights and their card; ValueError if anything is missing, damaged or does not fit."""
    card = read_card(path)
    try:
        data = read_bytes(path, MAX_ARRAYS)
    except OSError as error:
        raise ValueError(f"weights {path}: {error.filename} can't be read ({error.strerror})") from None
    except ValueError as error:
        raise ValueError(f"weights {path}: {error}") from None
    if card.get("format") != card_format:
        raise ValueError(f"weights {path}: the card beside them is not of the format {card_format!r}")
    try:
        environment = kind_of(variant_of(card).game).environment
    except ValueError as error:
        raise ValueError(f"weights {path}: the card beside them does not say for which game ({shown(error)})") from None
    if card.get("environment") != environment:
        raise ValueError(f"weights {path}: they are for {shown(card.get('environment'))}, not for {environment}")
    if hashlib.sha256(data).hexdigest() != card.get("sha256"):
        raise ValueError(f"weights {path}: they don't match the SHA-256 of their card: damaged or exchanged")
    try:
        return _tensors(data), card
    except ValueError as error:
        raise ValueError(f"weights {path}: {error}") from None


def _tensors(data: bytes) -> Tensors:
    """The arrays of a file; ValueError if nobody could play with them."""
    arrays = parse_arrays(data)
    for name, array in arrays.items():
        if array.size == 0 or np.abs(array).max() > MAX_WEIGHT:
            raise ValueError(f"{shown_value(name)} is empty, or has numbers beyond {MAX_WEIGHT:,.0f}")
    return {name: array.astype(np.float32, copy=False) for name, array in arrays.items()}


def folder(game: str) -> Path:
    """Where the weights are that come with a game's agents."""
    return Path(__file__).parent / game.replace("-", "_") / "weights"


def in_repository(game: str, name: str) -> dict[Variant, Path]:
    """The weights called `name-...` that come with a game's agents, by what their cards say they are for."""
    return {variant_of(read_card(path)): path for path in sorted(folder(game).glob(f"{name}-*.safetensors"))}


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
