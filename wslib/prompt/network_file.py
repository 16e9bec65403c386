"""A network as a file: its weights with its settings and a checksum of both, in safetensors, which holds no code."""

import hashlib
import json
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor, nn

from wslib.games import Game, game
from wslib.network.model import Network
from wslib.network.settings import NetworkSettings
from wslib.parameters import ParameterError, canonical_json
from wslib.prompt.networks import LARGEST_FILE

FORMAT = "network 2"
ABOUT = "warm-start"
"""The entry of a file's metadata that says what it holds."""


def to_bytes(network: Network, half: bool = False) -> bytes:
    """The network as a safetensors file with its settings and a checksum of both; ``half``: rounded to float16."""
    weights = {name: tensor.detach().cpu().contiguous() for name, tensor in network.state_dict().items()}
    _refuse_what_is_no_number(weights)
    if half:
        weights = {name: tensor.half() if tensor.is_floating_point() else tensor for name, tensor in weights.items()}
        if not all(bool(tensor.isfinite().all()) for tensor in weights.values()):
            raise ParameterError("this network has numbers beyond 65504, the largest of float16: keep it as float32")
    settings = network.settings.canonical()
    about = {"format": FORMAT, "settings": settings, "checksum": _checksum(settings, weights)}
    # One entry: safetensors writes several in an order that changes from call to call.
    return save(weights, {ABOUT: canonical_json(about)})


def _refuse_what_is_no_number(weights: dict[str, Tensor]) -> None:
    """A network that has diverged is neither written nor read."""
    for name, tensor in weights.items():
        if not bool(tensor.isfinite().all()):
            raise ParameterError(
                f"the weights {name} are not all finite numbers: the network diverged while it learned"
            )


def _checksum(settings: dict[str, Any], weights: dict[str, Tensor]) -> str:
    """Of the settings in their canonical form and of the weights as safetensors writes them without metadata."""
    return hashlib.sha256(canonical_json(settings).encode() + save(weights)).hexdigest()


def from_bytes(content: bytes, board: Game | None = None) -> Network:
    """The network in a safetensors file; anything else is refused in one sentence."""
    about = _header(content)
    try:
        settings, weights = about["settings"], load(content)
        if about["checksum"] != _checksum(settings, weights):
            raise ValueError("the checksum differs")
        shape = NetworkSettings(**{k: v for k, v in settings.items() if v is not None})
        if _shapes(shape) != {name: tensor.shape for name, tensor in weights.items()}:
            raise ValueError("the weights are those of another network")
        network = Network(shape)
        network.load_state_dict(weights)
    except (KeyError, TypeError, ValueError, AttributeError, RuntimeError, SafetensorError):
        raise ParameterError("this file does not hold a whole network of this project: it is damaged") from None
    _refuse_what_is_no_number(weights)
    if board is not None and network.settings.game != board.id:
        raise ParameterError(f"this network plays {game(network.settings.game).title}, not {board.title}")
    return network


def _shapes(settings: NetworkSettings) -> dict[str, torch.Size]:
    """The shapes of a network's tensors, for which no memory is asked: a file may name the settings of a giant."""
    with torch.device("meta"):
        blank = Network.__new__(Network)
        nn.Module.__init__(blank)
        blank.settings = settings
        blank._build(game(settings.game))
    return {name: tensor.shape for name, tensor in blank.state_dict().items()}


def _header(content: bytes) -> dict[str, Any]:
    """What a safetensors file says of itself."""
    size = int.from_bytes(content[:8], "little") if len(content) > 8 else 0
    if not 2 <= size <= min(len(content) - 8, 1 << 20) or len(content) > LARGEST_FILE:
        raise ParameterError("this is not a safetensors file")
    try:
        metadata = json.loads(content[8 : 8 + size]).get("__metadata__") or {}
    except (ValueError, AttributeError, RecursionError):
        raise ParameterError("this is not a safetensors file") from None
    try:
        about = json.loads(metadata[ABOUT])
        if about["format"] == FORMAT:
            return about
    except (KeyError, TypeError, ValueError, RecursionError):
        pass
    raise ParameterError("this safetensors file does not hold a network of this project")
