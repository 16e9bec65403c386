"""Networks for play: planes in, probabilities and values out.

A general library picks other instructions for other batch sizes, so that the last bits of a position's evaluation
depend on its neighbours, and with them, now and then, a move. :class:`CompiledNetwork` computes every output by one
chain of fused multiply-adds in a fixed order, on every processor alike. That makes searches reproducible without any
rule about batches. :class:`TorchNetwork` is for a GPU.
"""

from copy import deepcopy
from threading import get_ident

import numpy as np
import torch

from wslib.games import game
from wslib.network.fit import refuse_flushed_numbers
from wslib.network.kernels import EPSILON, Batch, evaluate
from wslib.network.lanes import aligned
from wslib.network.layout import layout_of
from wslib.network.model import Network, pick_device

MOST_BOARDS = 64
"""Evaluated together; more boards would crowd each other out of the cache."""


class CompiledNetwork:
    """A copy of a network for play on a processor; each position's evaluation depends on that position alone.

    >>> from wslib.network.model import Network, NetworkSettings
    >>> compiled = CompiledNetwork(Network(NetworkSettings(game="connect4")))
    >>> compiled.evaluate(np.zeros((2, 1, 6, 6), np.float32))[0].shape
    (2, 6)
    """

    def __init__(self, network: Network):
        refuse_flushed_numbers()
        board = game(network.settings.game)
        self.actions, self.layout = board.actions, layout_of(network.settings)
        self.weights, running = self.layout.pack(network)
        self.affine = self.layout.affine(self.weights, running, EPSILON)
        self.cells = self.layout.seen(np.arange(board.cells)[None])
        # Each thread has room of its own: kernels let other threads run, which may ask the same network meanwhile.
        self.activations: dict[int, np.ndarray] = {}
        self.order = np.stack([np.arange(MOST_BOARDS), np.zeros(MOST_BOARDS, int)], axis=1)

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities (n, actions) and values (n,) of a batch of planes (n, 1, rows, cols)."""
        count = len(planes)
        room = self.activations.get(get_ident())
        if room is None or len(room) < min(count, MOST_BOARDS) * self.layout.size:
            room = self.activations[get_ident()] = aligned(min(count, MOST_BOARDS) * self.layout.size)
        # Batch norm is a scale and a shift here, so a layer's outputs may take the place of its products.
        batch, chances = Batch(room, room, self.affine), np.empty(self.actions)
        cells = np.ascontiguousarray(planes, np.float32).reshape(count, -1)
        priors, values = np.empty((count, self.actions), np.float32), np.empty(count, np.float32)
        for start in range(0, count, MOST_BOARDS):
            part = slice(start, min(start + MOST_BOARDS, count))
            evaluate(self.layout.plan, part.stop - start, batch, self.weights, cells[part], self.cells, self.order,
                     priors[part], values[part], chances)  # fmt: skip
        return priors, values


class TorchNetwork:
    """A copy of a network for play by torch, for a GPU; last bits depend on what else is in the batch.

    That does no harm where the batches are a function of the games alone, as in self-play and the arena. A GPU is fast
    with large batches only, so those who play with this network play all their games at once (``at_once``).

    >>> from wslib.network.model import Network, NetworkSettings
    >>> by_torch = TorchNetwork(Network(NetworkSettings(game="connect4")), "cpu")
    >>> by_torch.evaluate(np.zeros((2, 1, 6, 6), np.float32))[0].shape
    (2, 6)
    """

    at_once = True

    def __init__(self, network: Network, device: str = "auto", precision: str = "float32"):
        self.device, self.precision = pick_device(device), precision
        self.network = deepcopy(network).eval()
        self.network.to(self.device, memory_format=torch.channels_last)  # type: ignore[call-overload]

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities (n, actions) and values (n,) of a batch of planes (n, 1, rows, cols)."""
        return self.network.evaluate(planes, self.precision)
