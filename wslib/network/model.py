"""The network: planes in, policy and value out; fitting; saving (thesis section 5.3.1, Table 5.2).

The thesis does not print its network. ``author`` is the shape of the author's earlier code: four 3×3 convolutions (two
that keep the board's size, two that do not), two fully connected layers, each with batch norm and ReLU, dropout after
the fully connected ones, a softmax over all actions and a tanh value. ``residual`` and ``dense`` are compact
alternatives.

The value is seen by the player to move, in [-1, 1]. Initial weights, shuffling and dropout draw from named streams.
"""

import hashlib
import json
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor, nn
from torch.nn import functional as F

from wslib._compiled import stream
from wslib.games import Game, game
from wslib.network.settings import NetworkSettings
from wslib.parameters import ParameterError, canonical_json

FORMAT = "network 1"
ABOUT = "warm-start"
"""The entry of a file's metadata that says what it holds."""
LARGEST_FILE = 1 << 30


class Layers(nn.Sequential):
    """Layers one after the other, called without torch's search for hooks around each: a fiftieth of a training."""

    def forward(self, x: Tensor) -> Tensor:
        for layer in self._modules.values():
            x = layer.forward(x)  # type: ignore[union-attr]
        return x


class Norm1d(nn.BatchNorm1d):
    """Batch norm without the questions torch's own asks at every call."""

    def forward(self, x: Tensor) -> Tensor:
        return _normalised(self, x)


class Norm2d(nn.BatchNorm2d):
    """The same for convolutions."""

    def forward(self, x: Tensor) -> Tensor:
        return _normalised(self, x)


def _normalised(norm: nn.BatchNorm1d | nn.BatchNorm2d, x: Tensor) -> Tensor:
    if norm.training:
        norm.num_batches_tracked.add_(1)  # type: ignore[union-attr, operator]
    return torch.batch_norm(
        x,
        norm.weight,
        norm.bias,
        norm.running_mean,
        norm.running_var,
        norm.training,
        norm.momentum or 0.0,
        norm.eps,
        True,
    )


class Block(nn.Module):
    """Two layers around which the input is added."""

    def __init__(self, layer: type[nn.Module], norm: type[nn.Module], width: int, **options: Any):
        super().__init__()
        self.layers = Layers(
            layer(width, width, bias=False, **options), norm(width), nn.ReLU(inplace=True),
            layer(width, width, bias=False, **options), norm(width),
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(x + self.layers(x))


class Dropout(nn.Module):
    """Dropout that draws from a generator of its own, so that nothing else can shift its random numbers."""

    def __init__(self, share: float):
        super().__init__()
        self.share = share
        self.generator: torch.Generator | None = None

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or not self.share:
            return x
        kept = torch.rand(x.shape, generator=self.generator, device=x.device) >= self.share
        return x * kept / (1 - self.share)


class Network(nn.Module):
    """Policy and value of positions: (n, 1, rows, cols) to log-probabilities (n, actions) and values (n,)."""

    def __init__(self, settings: NetworkSettings, seed: int = 0):
        super().__init__()
        self.settings = settings
        # Torch's layers fill themselves from its global generator when they are made; it is left as it was.
        with torch.random.fork_rng(devices=[]):
            self._build(game(settings.game))
        _initialise(self, seed)

    def _build(self, board: Game) -> None:
        self.trunk, features = _trunk(self.settings, board)
        layers: list[nn.Module] = []
        for width in self.settings.hidden:
            layers += [nn.Linear(features, width), Norm1d(width), nn.ReLU(inplace=True), Dropout(self.settings.dropout)]
            features = width
        self.hidden = Layers(*layers)
        self.policy = nn.Linear(features, board.actions)
        self.value = nn.Linear(features, 1)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        x = self.hidden(self.trunk(planes).flatten(1))
        # With all bits, in mixed precision too.
        policy, value = self.policy(x).float(), self.value(x).float()
        return F.log_softmax(policy, dim=1), torch.tanh(value).squeeze(1)

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities and values of a batch of planes, without learning from it."""
        device = next(self.parameters()).device
        training = self.training
        self.eval()
        with torch.inference_mode():
            logs, values = self(torch.from_numpy(planes).to(device))
            found = logs.exp().cpu().numpy(), values.cpu().numpy()
        self.train(training)
        return found


def _trunk(settings: NetworkSettings, board: Game) -> tuple[Layers, int]:
    """The layers before the fully connected ones, and how many features leave them."""
    c = settings.channels

    def convolution(channels: int, padding: int) -> list[nn.Module]:
        return [nn.Conv2d(channels, c, 3, padding=padding, bias=False), Norm2d(c), nn.ReLU(inplace=True)]

    if settings.shape == "author":
        layers = convolution(1, 1) + convolution(c, 1) + convolution(c, 0) + convolution(c, 0)
        return Layers(*layers), c * (board.rows - 4) * (board.cols - 4)
    if settings.shape == "residual":
        blocks = [Block(nn.Conv2d, Norm2d, c, kernel_size=3, padding=1) for _ in range(settings.blocks)]
        return Layers(*convolution(1, 1), *blocks), c * board.cells
    first = [nn.Flatten(), nn.Linear(board.cells, c, bias=False), Norm1d(c), nn.ReLU(inplace=True)]
    return Layers(*first, *(Block(nn.Linear, Norm1d, c) for _ in range(settings.blocks))), c


def _initialise(network: Network, seed: int) -> None:
    """Torch's usual initial weights, drawn from the stream of this seed."""
    generator = torch.Generator().manual_seed(int(stream(seed, "network")) >> 1)
    for module in network.modules():
        if isinstance(module, nn.Conv2d | nn.Linear):
            nn.init.kaiming_uniform_(module.weight, a=5**0.5, generator=generator)
            if module.bias is not None:
                bound = module.weight[0].numel() ** -0.5
                nn.init.uniform_(module.bias, -bound, bound, generator=generator)


def folded(network: Network) -> Network:
    """A copy for play, each batch norm folded into the layer before it; it cannot be trained."""
    copy = Network(network.settings)
    copy.load_state_dict(network.state_dict())
    copy.to(next(network.parameters()).device).eval()
    for sequence in [m for m in copy.modules() if isinstance(m, nn.Sequential)]:
        children = list(sequence)
        fused: list[nn.Module] = []
        for module in children:
            if isinstance(module, nn.BatchNorm1d | nn.BatchNorm2d):
                before = fused[-1]
                if isinstance(before, nn.Conv2d):
                    fused[-1] = nn.utils.fusion.fuse_conv_bn_eval(before, module)  # type: ignore[type-var]
                else:
                    fused[-1] = nn.utils.fusion.fuse_linear_bn_eval(before, module)  # type: ignore[type-var]
            elif not isinstance(module, Dropout):
                fused.append(module)
        # Replace the children in place, so that the copy keeps its own forward().
        while len(sequence):
            del sequence[0]
        sequence.extend(fused)
    return copy.requires_grad_(False)


def pick_device(device: str = "auto") -> torch.device:
    """``auto`` is the first GPU where there is one, else the CPU."""
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        found = torch.device(device)
    except RuntimeError:
        raise ParameterError(f"device = {device!r} is not allowed: it should be 'auto', 'cpu' or 'cuda'") from None
    if found.type == "cuda" and not torch.cuda.is_available():
        raise ParameterError(f"device = {device!r} is not here: torch finds no GPU, and device 'cpu' needs none")
    return found


def mixed(device: torch.device, precision: str) -> AbstractContextManager[Any]:
    """Torch's mixed precision, within which matrices are multiplied with fewer bits; 'float32' leaves all as it is."""
    return nullcontext() if precision == "float32" else torch.autocast(device.type, getattr(torch, precision))


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
    for name, tensor in weights.items():
        if not bool(tensor.isfinite().all()):
            raise ParameterError(
                f"the weights {name} are not all finite numbers: the network diverged while it learned"
            )


def _checksum(settings: dict[str, Any], weights: dict[str, Tensor]) -> str:
    return hashlib.sha256(canonical_json(settings).encode() + save(weights)).hexdigest()


def from_bytes(content: bytes, board: Game | None = None) -> Network:
    """The network in a safetensors file; anything else is refused in one sentence."""
    about = _header(content)
    try:
        settings, weights = about["settings"], load(content)
        if about["checksum"] != _checksum(settings, weights):
            raise ValueError("the checksum differs")
        network = Network(NetworkSettings(**{k: v for k, v in settings.items() if v is not None}))
        network.load_state_dict(weights)
    except (KeyError, TypeError, ValueError, AttributeError, RuntimeError, SafetensorError):
        raise ParameterError("this file does not hold a whole network of this project: it is damaged") from None
    _refuse_what_is_no_number(weights)
    if board is not None and network.settings.game != board.id:
        raise ParameterError(f"this network plays {game(network.settings.game).title}, not {board.title}")
    return network


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
