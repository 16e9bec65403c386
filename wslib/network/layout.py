"""A network as blocks: what the kernels take, and where in it each weight of the torch network lies.

A block of activations holds 32 channels of one cell for all boards of a batch; a block of weights is a matrix of
32 × 32. Every layer, convolution or fully connected, is a list of triples (i, w, j) of blocks, which reads three ways::

    forward          y[j] += x[i] W[w]
    gradient of x    dx[i] += dy[j] W[w]ᵀ
    gradient of W    dW[w] += x[i]ᵀ dy[j]

What lies beyond the board has no triple. Channels are filled up with zeros to whole blocks, and stay 0.

Activations lie in memory as ``[cell][panel of 32 channels][board][channel]``, layer after layer. Offsets count floats
per board, so that one layout serves every size of batch.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from wslib.games import game
from wslib.network.lanes import WIDTH, aligned
from wslib.network.model import Block, Network
from wslib.network.settings import NetworkSettings

LAYER = np.dtype([(name, np.int64) for name in (
    "inputs", "depth", "blocks",          # blocks of the input, channels used of each, blocks of weights
    "cells", "panels",                    # of the output
    "x_at", "y_at",                       # where the layer's input and output lie among the activations
    "added_at",                           # where what is added before the ReLU lies, or -1
    "joins",                              # whether the input is also added later, so that its gradient is a sum
    "normed",                             # batch norm and ReLU follow; else a bias, and nothing
    "mask_at",                            # where its dropout's mask lies, or -1
    "w_at", "norm_at",                    # where its weights begin; where gamma and beta (or 0 and the bias) do
    "stats_at",                           # where its channels' statistics begin
    "forward", "backward", "gradient",    # where the tables of pairs begin, for the three products
)])  # fmt: skip
"""What the kernels know of a layer."""


class Plan(NamedTuple):
    """A layout as the kernels take it."""

    layers: np.ndarray
    tables: np.ndarray
    """For each product: bounds for each of its outputs, then pairs of blocks, all as places in this array."""


class _Place(NamedTuple):
    """Activations: cells, channels, where they lie."""

    rows: int
    cols: int
    channels: int
    at: int

    @property
    def cells(self) -> int:
        return self.rows * self.cols

    @property
    def panels(self) -> int:
        return -(-self.channels // WIDTH)


@dataclass
class _Step:
    """A layer as torch has it: the modules whose outputs lie side by side, what follows them."""

    modules: list[tuple[str, Any]]
    norm: tuple[str, Any] | None = None
    drops: bool = False
    opens_block: bool = False
    ends_block: bool = False


def _in_order(network: Network) -> list[_Step]:
    """The layers of a network in the order in which they are computed."""
    steps: list[_Step] = []
    blocks = {name: 0 for name, module in network.named_modules() if isinstance(module, Block)}
    for name, module in network.named_modules():
        block = name.split(".layers.")[0]
        if isinstance(module, nn.Conv2d | nn.Linear) and name not in ("policy", "value"):
            place = blocks.get(block)
            steps.append(_Step([(name, module)], opens_block=place == 0, ends_block=place == 1))
            if place is not None:
                blocks[block] += 1
        elif isinstance(module, nn.BatchNorm1d | nn.BatchNorm2d):
            steps[-1].norm = (name, module)
        elif isinstance(module, nn.Dropout):
            steps[-1].drops = True
    return [*steps, _Step([("policy", network.policy), ("value", network.value)])]


@dataclass
class Layout:
    """A network's layers, sizes of the arrays that they need, and where each tensor of torch's lies in them."""

    plan: Plan
    taps: np.ndarray
    """For each number of the input the cell of the board that it shows, or -1."""
    size: int
    """Floats for the activations of a board."""
    weights: int
    """Floats for all weights."""
    masks: int
    """Floats for the dropout of a board."""
    statistics: int
    """Floats for the channels' means and variances."""
    places: dict[str, np.ndarray] = field(repr=False)
    """For each parameter of the network, where its numbers lie among the weights; the array has the tensor's shape."""
    means: dict[str, np.ndarray] = field(repr=False)
    """For each batch norm by name, where its channels' means lie among the statistics."""
    variances: dict[str, np.ndarray] = field(repr=False)

    def seen(self, cells: np.ndarray) -> np.ndarray:
        """The cell that each number of the input shows, or -1, where turn ``t`` brings ``cells[t, c]`` to ``c``."""
        return np.where(self.taps >= 0, cells[:, self.taps], -1)

    def pack(self, network: Network) -> tuple[np.ndarray, np.ndarray]:
        """A network's weights and its running statistics, laid out."""
        weights, running = aligned(self.weights), aligned(self.statistics)
        with torch.no_grad():
            for name, parameter in network.named_parameters():
                weights[self.places[name]] = parameter.numpy()
            for name, norm in self._norms(network):
                running[self.means[name]] = norm.running_mean.numpy()
                running[self.variances[name]] = norm.running_var.numpy()
        return weights, running

    def unpack(self, network: Network, weights: np.ndarray, running: np.ndarray, steps: int) -> None:
        """Put weights and running statistics back into the network, which has learned by so many steps."""
        with torch.no_grad():
            for name, parameter in network.named_parameters():
                parameter.copy_(torch.from_numpy(weights[self.places[name]]))
            for name, norm in self._norms(network):
                norm.running_mean.copy_(torch.from_numpy(running[self.means[name]]))
                norm.running_var.copy_(torch.from_numpy(running[self.variances[name]]))
                norm.num_batches_tracked += steps

    def affine(self, weights: np.ndarray, running: np.ndarray, epsilon: np.float32) -> np.ndarray:
        """Each channel's scale and shift for play: batch norm by the running statistics, or the bias."""
        found = aligned(self.statistics)
        for layer in self.plan.layers:
            channels = int(layer["panels"]) * WIDTH
            first, second = (slice(at, at + channels) for at in (layer["stats_at"], layer["stats_at"] + channels))
            gamma, beta = weights[layer["norm_at"] :][: 2 * channels].reshape(2, channels)
            if layer["normed"]:
                found[first] = gamma / np.sqrt(running[second] + epsilon)
                found[second] = beta - running[first] * found[first]
            else:
                found[first], found[second] = 1, beta
        return found

    def _norms(self, network: Network) -> Iterator[tuple[str, Any]]:
        modules = dict(network.named_modules())
        return ((name, modules[name]) for name in self.means)


class _Builder:
    """Puts layers behind each other."""

    def __init__(self, network: Network):
        board = game(network.settings.game)
        self.layers: list[dict[str, int]] = []
        self.tables: list[np.ndarray] = []
        self.size = self.weights = self.masks = self.statistics = self.entries = 0
        self.places: dict[str, np.ndarray] = {}
        self.means: dict[str, np.ndarray] = {}
        self.variances: dict[str, np.ndarray] = {}
        steps = _in_order(network)
        self.taps, x = self._input(board.rows, board.cols, isinstance(steps[0].modules[0][1], nn.Conv2d))
        before = x
        for number, step in enumerate(steps):
            before = x if step.opens_block else before
            x = self._layer(step, x, before.at if step.ends_block else -1, first=number == 0)

    def layout(self) -> Layout:
        """The layout of the layers so far, with the sizes of all arrays."""
        rows = [tuple(layer[name] for name in LAYER.names or ()) for layer in self.layers]
        plan = Plan(np.array(rows, LAYER), np.concatenate(self.tables))
        return Layout(plan, self.taps.ravel(), self.size, self.weights, self.masks, self.statistics, self.places,
                      self.means, self.variances)  # fmt: skip

    def _input(self, rows: int, cols: int, convolved: bool) -> tuple[np.ndarray, _Place]:
        """The board: for a convolution the nine cells around each cell are its channels, else all cells are."""
        cells = np.arange(rows * cols).reshape(rows, cols)
        if convolved:
            around = np.pad(cells, 1, constant_values=-1)
            taps = np.stack([around[r : r + rows, c : c + cols] for r in range(3) for c in range(3)], -1)
            place = _Place(rows, cols, 9, self._take("size", rows * cols * WIDTH))
            return taps.reshape(-1, 9), place
        place = _Place(1, 1, rows * cols, self._take("size", -(-rows * cols // WIDTH) * WIDTH))
        return np.pad(cells.ravel(), (0, place.panels * WIDTH - cells.size), constant_values=-1).reshape(
            -1, WIDTH
        ), place

    def _layer(self, step: _Step, x: _Place, added_at: int, first: bool) -> _Place:
        """Put a layer behind the others: from activations ``x`` to those that are returned."""
        outputs = sum(module.weight.shape[0] for _, module in step.modules)
        if isinstance(step.modules[0][1], nn.Conv2d):
            border = int(step.modules[0][1].padding[0])
            rows, cols = x.rows + 2 * border - 2, x.cols + 2 * border - 2
            links, taps = ([(q, 0, q) for q in range(x.cells)], 1) if first else (_links(x, rows, cols, border), 9)
        else:
            rows, cols, taps = 1, 1, x.cells
            links = [(q, q, 0) for q in range(x.cells)]
        y = _Place(rows, cols, outputs, self._take("size", rows * cols * -(-outputs // WIDTH) * WIDTH))
        blocks, channels = taps * x.panels * y.panels, y.panels * WIDTH
        w_at, norm_at = self._take("weights", blocks * WIDTH * WIDTH), self._take("weights", 2 * channels)
        stats_at = self._take("statistics", 2 * channels)
        triples = [
            (q * x.panels + i, (tap * x.panels + i) * y.panels + o, p * y.panels + o)
            for q, tap, p in links for o in range(y.panels) for i in range(x.panels)
        ]  # fmt: skip
        self._place(step, x, y, taps, w_at, norm_at, stats_at)
        self.layers.append({
            "inputs": x.cells * x.panels, "depth": min(x.channels, WIDTH), "blocks": blocks, "cells": y.cells,
            "panels": y.panels, "x_at": x.at, "y_at": y.at, "added_at": added_at, "joins": step.opens_block,
            "normed": step.norm is not None, "w_at": w_at, "norm_at": norm_at, "stats_at": stats_at,
            "mask_at": self._take("masks", y.cells * channels) if step.drops else -1,
            "forward": self._table(y.cells * y.panels, [(j, i, w) for i, w, j in triples]),
            "backward": self._table(x.cells * x.panels, [(i, j, w) for i, w, j in triples]),
            "gradient": self._table(blocks, [(w, i, j) for i, w, j in triples]),
        })  # fmt: skip
        return y

    def _place(self, step: _Step, x: _Place, y: _Place, taps: int, w_at: int, norm_at: int, stats_at: int) -> None:
        """Note where the tensors of a layer lie."""
        channel = np.arange(y.channels)
        begin = 0
        for name, module in step.modules:
            shape = tuple(module.weight.shape)
            # Torch has (output, input channel, tap or cell); the first convolution's nine taps are channels here.
            o, i, tap = np.ogrid[begin : begin + shape[0], 0 : x.channels, 0:taps]
            block = (tap * x.panels + i // WIDTH) * y.panels + o // WIDTH
            self.places[f"{name}.weight"] = (w_at + (block * WIDTH + i % WIDTH) * WIDTH + o % WIDTH).reshape(shape)
            if module.bias is not None:
                self.places[f"{name}.bias"] = norm_at + y.panels * WIDTH + channel[begin : begin + shape[0]]
            begin += shape[0]
        if step.norm:
            name = step.norm[0]
            self.places[f"{name}.weight"] = norm_at + channel
            self.places[f"{name}.bias"] = norm_at + y.panels * WIDTH + channel
            self.means[name], self.variances[name] = stats_at + channel, stats_at + y.panels * WIDTH + channel

    def _take(self, what: str, size: int) -> int:
        """So many numbers more of an array; where they begin."""
        begin = getattr(self, what)
        setattr(self, what, begin + size)
        return begin

    def _table(self, outputs: int, entries: list[tuple[int, int, int]]) -> int:
        """A table of the pairs that each output is summed from; where it begins."""
        pairs: list[list[int]] = [[] for _ in range(outputs)]
        for output, a, b in entries:
            pairs[output] += [a, b]
        at = self._take("entries", outputs + 1 + 2 * len(entries))
        bounds = at + outputs + 1 + np.cumsum([0, *map(len, pairs)])
        self.tables.append(np.concatenate([bounds, *map(np.array, pairs)]).astype(np.int64))
        return at


def _links(x: _Place, rows: int, cols: int, border: int) -> list[tuple[int, int, int]]:
    """Which cell of the input meets which tap of a 3×3 convolution for which cell of the output."""
    return [
        (q_row * x.cols + q_col, 3 * (q_row - row + border) + q_col - col + border, row * cols + col)
        for row in range(rows) for col in range(cols)
        for q_row in range(max(0, row - border), min(x.rows, row - border + 3))
        for q_col in range(max(0, col - border), min(x.cols, col - border + 3))
    ]  # fmt: skip


@lru_cache(maxsize=32)
def layout_of(settings: NetworkSettings) -> Layout:
    """The layout of all networks of this shape.

    >>> layout_of(NetworkSettings(game="connect4")).plan.layers["panels"].tolist()
    [1, 1, 1, 1, 8, 4, 1]
    """
    return _Builder(Network(settings)).layout()
