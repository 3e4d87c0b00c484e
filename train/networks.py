"""Small networks for torch, and as plain arrays."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from pechvogel.agents.card import Layers


def make_network(sizes: Sequence[int], activation: type[torch.nn.Module]) -> torch.nn.Sequential:
    """Layers of so many inputs and outputs, with the activation between them."""
    layers: list[torch.nn.Module] = []
    for k in range(len(sizes) - 1):
        layers += [torch.nn.Linear(sizes[k], sizes[k + 1]), activation()]
    return torch.nn.Sequential(*layers[:-1])


def layers_of(network: torch.nn.Module) -> Layers:
    """Weights and biases, copied."""
    arrays = [tensor.detach().cpu().numpy().copy() for tensor in network.state_dict().values()]
    return list(zip(arrays[::2], arrays[1::2], strict=True))


def device_of(name: str) -> torch.device:
    """What `device:` in a config means here: `auto` is a GPU if there is one."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise ValueError("device is cuda, but torch finds none on this machine; say cpu or auto")
    return torch.device(name)
