"""The network as torch has it (thesis section 5.3.1, Table 5.2).

The thesis does not print its network. ``author`` is the shape of the author's earlier code: four 3×3 convolutions (two
that keep the board's size, two that do not), two fully connected layers, each with batch norm and ReLU, dropout after
the fully connected ones, a softmax over all actions and a tanh value. ``residual`` and ``dense`` are compact
alternatives.

No layer before a batch norm has a bias: the norm takes it out again, so it has no gradient but rounding errors, which
Adam would blow up.

The value is seen by the player to move, in [-1, 1]. Initial weights come from a named stream of our own.
"""

import math
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from wslib._compiled import stream, uniforms
from wslib.games import Game, game
from wslib.network.settings import NetworkSettings
from wslib.parameters import ParameterError


class Block(nn.Module):
    """Two layers around which the input is added."""

    def __init__(self, layer: type[nn.Module], norm: type[nn.Module], width: int, **options: Any):
        super().__init__()
        self.layers = nn.Sequential(
            layer(width, width, bias=False, **options), norm(width), nn.ReLU(inplace=True),
            layer(width, width, bias=False, **options), norm(width),
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(x + self.layers(x))


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
            layers += [
                nn.Linear(features, width, bias=False), nn.BatchNorm1d(width), nn.ReLU(inplace=True),
                nn.Dropout(self.settings.dropout),
            ]  # fmt: skip
            features = width
        self.hidden = nn.Sequential(*layers)
        self.policy = nn.Linear(features, board.actions)
        self.value = nn.Linear(features, 1)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        x = self.hidden(self.trunk(planes).flatten(1))
        # With all bits, in mixed precision too.
        policy, value = self.policy(x).float(), self.value(x).float()
        return F.log_softmax(policy, dim=1), torch.tanh(value).squeeze(1)

    def evaluate(self, planes: np.ndarray, precision: str = "float32") -> tuple[np.ndarray, np.ndarray]:
        """Probabilities (n, actions) and values (n,) of planes (n, 1, rows, cols), without learning from them."""
        device = next(self.parameters()).device
        training = self.training
        self.eval()
        with torch.inference_mode(), mixed(device, precision):
            logs, values = self(torch.from_numpy(planes).to(device))
            found = logs.exp().cpu().numpy(), values.cpu().numpy()
        self.train(training)
        return found


def _trunk(settings: NetworkSettings, board: Game) -> tuple[nn.Sequential, int]:
    """The layers before the fully connected ones, and how many features leave them."""
    c = settings.channels

    def convolution(channels: int, padding: int) -> list[nn.Module]:
        return [nn.Conv2d(channels, c, 3, padding=padding, bias=False), nn.BatchNorm2d(c), nn.ReLU(inplace=True)]

    if settings.shape == "author":
        layers = convolution(1, 1) + convolution(c, 1) + convolution(c, 0) + convolution(c, 0)
        return nn.Sequential(*layers), c * (board.rows - 4) * (board.cols - 4)
    if settings.shape == "residual":
        blocks = [Block(nn.Conv2d, nn.BatchNorm2d, c, kernel_size=3, padding=1) for _ in range(settings.blocks)]
        return nn.Sequential(*convolution(1, 1), *blocks), c * board.cells
    first = [nn.Flatten(), nn.Linear(board.cells, c, bias=False), nn.BatchNorm1d(c), nn.ReLU(inplace=True)]
    return nn.Sequential(*first, *(Block(nn.Linear, nn.BatchNorm1d, c) for _ in range(settings.blocks))), c


def _initialise(network: Network, seed: int) -> None:
    """Torch's usual initial weights, uniform within 1/√inputs, from the stream of this seed; biases likewise."""
    for name, module in network.named_modules():
        if isinstance(module, nn.Conv2d | nn.Linear):
            bound = 1 / math.sqrt(module.weight[0].numel())
            for kind, tensor in module.named_parameters():
                drawn = uniforms(stream(seed, "network", name, kind), tensor.numel()) * (2 * bound) - bound
                tensor.data = torch.from_numpy(drawn.astype(np.float32)).reshape(tensor.shape)


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
