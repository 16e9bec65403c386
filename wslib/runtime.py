"""A trained network compiled for play: the same numbers whatever else is in the batch.

A general library picks other instructions for other batch sizes, so that the last bits of a position's evaluation depend
on its neighbours, and with them, now and then, a move. Here every output is one chain of fused multiply-adds in a fixed
order. That makes searches reproducible without any rule about batches, and it is faster on batches as small as ours.

Batch norm is folded into the weights. All layers are one kernel: a row of outputs ``y[p] = bias + sum_k x[p + k] w[k]``
for a few neighbouring positions ``p`` at once, kept in registers, 16 channels to a vector.
"""

from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from torch import nn

from wslib._compiled import kernel
from wslib.games import game
from wslib.network import Block, Network, folded

LANES = 16
_FLOAT = ir.FloatType()
_VECTOR = ir.VectorType(_FLOAT, LANES)


def _multiply_rows(rows: int, vectors: int):
    """An intrinsic for ``rows`` neighbouring positions and ``vectors`` times 16 channels.

    ``(x, x_step, w, w_step, length, y, y_step)``: for each row p and channel c, ``y[p, c] += sum_k x[p, k] w[k, c]``; steps
    are in floats.
    """

    @intrinsic
    def multiply(typingctx, x, x_step, w, w_step, length, y, y_step):
        def codegen(context, builder, signature, args):
            x, x_step, w, w_step, length, y, y_step = args
            kind = ir.FunctionType(_VECTOR, [_VECTOR] * 3)
            fma = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fma.v{LANES}f32")
            lanes = [(p, v) for p in range(rows) for v in range(vectors)]
            sums = {at: cgutils.alloca_once(builder, _VECTOR) for at in lanes}

            def place(base, offset):
                return builder.gep(base, [offset])

            def at_output(p, v):
                offset = builder.add(builder.mul(y_step, y_step.type(p)), y_step.type(v * LANES))
                return builder.bitcast(place(y, offset), _VECTOR.as_pointer())

            for p, v in lanes:
                builder.store(builder.load(at_output(p, v), align=4), sums[p, v])
            with cgutils.for_range(builder, length) as loop:
                weights = []
                row = builder.mul(loop.index, w_step)
                for v in range(vectors):
                    at = builder.bitcast(place(w, builder.add(row, row.type(v * LANES))), _VECTOR.as_pointer())
                    weights.append(builder.load(at, align=4))
                for p in range(rows):
                    value = builder.load(place(x, builder.add(loop.index, builder.mul(x_step, x_step.type(p)))))
                    one = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), value, ir.IntType(32)(0))
                    same = builder.shuffle_vector(
                        one, ir.Constant(_VECTOR, ir.Undefined), ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
                    )
                    for v in range(vectors):
                        builder.store(builder.call(fma, [same, weights[v], builder.load(sums[p, v])]), sums[p, v])
            for p, v in lanes:
                builder.store(builder.load(sums[p, v]), at_output(p, v), align=4)
            return context.get_dummy_value()

        pointer = types.CPointer(types.float32)
        step = types.int64
        return types.none(pointer, step, pointer, step, step, pointer, step), codegen

    return multiply


@intrinsic
def _address(typingctx, array, offset):
    """Pointer to an element of a flat float32 array."""

    def codegen(context, builder, signature, args):
        data = cgutils.create_struct_proxy(signature.args[0])(context, builder, value=args[0]).data
        return builder.gep(data, [args[1]])

    return types.CPointer(types.float32)(array, types.int64), codegen


_six_wide, _six = _multiply_rows(6, 2), _multiply_rows(6, 1)
_four_wide, _four = _multiply_rows(4, 2), _multiply_rows(4, 1)
_two_wide, _two = _multiply_rows(2, 2), _multiply_rows(2, 1)
_one_wide, _one = _multiply_rows(1, 2), _multiply_rows(1, 1)


@kernel
def _multiply(x, x_at, x_step, w, w_at, channels, length, y, y_at, y_step, count):
    """``count`` neighbouring rows of outputs, all channels: ``y[p, c] += sum_k x[p, k] w[k, c]``."""
    for channel in range(0, channels, 2 * LANES):
        wide = channel + LANES < channels
        w_here = _address(w, w_at + channel)
        p = 0
        while p < count:
            x_here, y_here = _address(x, x_at + p * x_step), _address(y, y_at + p * y_step + channel)
            if count - p >= 6:
                if wide:
                    _six_wide(x_here, x_step, w_here, channels, length, y_here, y_step)
                else:
                    _six(x_here, x_step, w_here, channels, length, y_here, y_step)
                p += 6
            elif count - p >= 4:
                if wide:
                    _four_wide(x_here, x_step, w_here, channels, length, y_here, y_step)
                else:
                    _four(x_here, x_step, w_here, channels, length, y_here, y_step)
                p += 4
            elif count - p >= 2:
                if wide:
                    _two_wide(x_here, x_step, w_here, channels, length, y_here, y_step)
                else:
                    _two(x_here, x_step, w_here, channels, length, y_here, y_step)
                p += 2
            else:
                if wide:
                    _one_wide(x_here, x_step, w_here, channels, length, y_here, y_step)
                else:
                    _one(x_here, x_step, w_here, channels, length, y_here, y_step)
                p += 1


class Layers(NamedTuple):
    """A network as the kernels take it: flat weights, and a row of numbers per layer."""

    weights: np.ndarray
    convolutions: np.ndarray
    """Per 3×3 convolution: columns and channels of its input (border included); rows, columns, channels and border of its
    output; where its weights and its bias begin; whether the input of the layer before is added (end of a block)."""
    dense: np.ndarray
    """Per fully connected layer: inputs, outputs, where weights and bias begin, added input as above, ReLU or not."""


@kernel
def _convolve(layers, planes, buffers, features, width):
    """The convolutions, board by board; the last one's output becomes a row of ``features``."""
    weights, count = layers.weights, len(layers.convolutions)
    for board in range(len(planes)):
        rows, cols = planes.shape[1], planes.shape[2]
        channels, border = 1, (layers.convolutions[0, 0] - cols) // 2 if count else 0
        y = buffers[0]
        y[: (rows + 2 * border) * (cols + 2 * border)] = 0
        for r in range(rows):
            for c in range(cols):
                y[(r + border) * (cols + 2 * border) + c + border] = planes[board, r, c]
        for number in range(count):
            x_cols, x_channels, rows, cols, channels, border, w_at, b_at, added = layers.convolutions[number]
            x, y, before = buffers[number % 3], buffers[(number + 1) % 3], buffers[(number + 2) % 3]
            if border:
                y[: (rows + 2) * (cols + 2) * channels] = 0
            for r in range(rows):
                y_at = ((r + border) * (cols + 2 * border) + border) * channels
                for p in range(y_at, y_at + cols * channels, channels):
                    for c in range(channels):
                        y[p + c] = weights[b_at + c]
                for line in range(3):
                    x_at, length = (r + line) * x_cols * x_channels, 3 * x_channels
                    _multiply(x, x_at, x_channels, weights, w_at + line * length * channels, channels, length,
                              y, y_at, channels, cols)  # fmt: skip
                if added:
                    for at in range(y_at, y_at + cols * channels):
                        y[at] += before[at]
                for at in range(y_at, y_at + cols * channels):
                    y[at] = max(y[at], np.float32(0))
        line = cols * channels
        for r in range(rows):
            y_at = ((r + border) * (cols + 2 * border) + border) * channels
            for at in range(line):
                features[board * width + r * line + at] = y[y_at + at]


@kernel
def _connect(layers, boards, width, x, y, before):
    """The fully connected layers, for all boards together; the outputs are in the buffer that is returned by number."""
    for number in range(len(layers.dense)):
        inputs, outputs, w_at, b_at, added, bends = layers.dense[number]
        for board in range(0, boards * width, width):
            for c in range(outputs):
                y[board + c] = layers.weights[b_at + c]
        _multiply(x, 0, width, layers.weights, w_at, outputs, inputs, y, 0, width, boards)
        for board in range(0, boards * width, width):
            if added:
                for c in range(board, board + outputs):
                    y[c] += before[c]
            if bends:
                for c in range(board, board + outputs):
                    y[c] = max(y[c], np.float32(0))
        x, y, before = y, before, x


@kernel
def _heads(x, boards, width, actions, priors, values):
    """Softmax over the actions, and tanh of the value, which stands behind them."""
    for board in range(boards):
        at = board * width
        largest, total = x[at], np.float32(0)
        for a in range(actions):
            largest = max(largest, x[at + a])
        for a in range(actions):
            priors[board, a] = np.exp(x[at + a] - largest)
            total += priors[board, a]
        for a in range(actions):
            priors[board, a] /= total
        values[board] = np.tanh(x[at + actions])


class CompiledNetwork:
    """A network for play on a CPU; each position's evaluation depends on that position alone.

    >>> from wslib.network import Network, NetworkSettings
    >>> compiled = CompiledNetwork(Network(NetworkSettings(game="connect4")))
    >>> compiled.evaluate(np.zeros((2, 1, 6, 6), np.float32))[0].shape
    (2, 6)
    """

    def __init__(self, network: Network):
        board = game(network.settings.game)
        self.actions = board.actions
        writer = _Writer(board.rows, board.cols)
        for module in _in_order(folded(network)):
            writer.add(*module)
        self.layers = writer.layers()
        self.width = max(board.cells, int(self.layers.dense[:, :2].max()))
        self.buffers = np.zeros((3, writer.largest), np.float32)
        self.features = np.zeros((3, 0), np.float32)

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities and values of a batch of planes (n, 1, rows, cols)."""
        boards = len(planes)
        if self.features.shape[1] < boards * self.width:
            self.features = np.zeros((3, boards * self.width), np.float32)
        _convolve(self.layers, planes[:, 0], self.buffers, self.features[0], self.width)
        _connect(self.layers, boards, self.width, *self.features)
        priors, values = np.empty((boards, self.actions), np.float32), np.empty(boards, np.float32)
        outputs = self.features[len(self.layers.dense) % 3]
        _heads(outputs, boards, self.width, self.actions, priors, values)
        return priors, values


def _in_order(network: Network) -> list[tuple[list[nn.Module], bool, bool]]:
    """The layers of a folded network: the modules side by side, whether a block ends with them, whether ReLU follows."""
    found: list[tuple[list[nn.Module], bool, bool]] = []
    for module in [*network.trunk, *network.hidden]:
        if isinstance(module, Block):
            first, second = (m for m in module.layers if isinstance(m, nn.Conv2d | nn.Linear))
            found += [([first], False, True), ([second], True, True)]
        elif isinstance(module, nn.Conv2d | nn.Linear):
            found.append(([module], False, True))
    return [*found, ([network.policy, network.value], False, False)]


class _Writer:
    """Writes layers down for the kernels; channels are filled up with zeros to whole vectors."""

    def __init__(self, rows: int, cols: int):
        self.rows, self.cols, self.channels, self.filled = rows, cols, 1, 1
        self.weights: list[np.ndarray] = []
        self.convolutions: list[list[int]] = []
        self.dense: list[list[int]] = []
        self.largest = (rows + 2) * (cols + 2)

    def add(self, modules: list[nn.Module], ends_block: bool, bends: bool) -> None:
        """One layer, or several fully connected ones with the same inputs as one."""
        weight = np.concatenate([np.asarray(m.weight.numpy()) for m in modules])
        bias = np.concatenate([np.asarray(m.bias.numpy()) for m in modules])
        outputs, filled = len(bias), -(-len(bias) // LANES) * LANES
        bias = np.pad(bias, (0, filled - outputs))
        if isinstance(modules[0], nn.Conv2d):
            border = modules[0].padding[0]
            if self.convolutions and not self.convolutions[-1][5]:
                self.convolutions[-1][5] = border
            rows, cols = self.rows + 2 * border - 2, self.cols + 2 * border - 2
            # (out, in, 3, 3) to (3, 3, in, out), both channels filled up
            kernels = np.pad(weight, ((0, filled - outputs), (0, self.filled - self.channels), (0, 0), (0, 0)))
            w_at, b_at = self._keep(kernels.transpose(2, 3, 1, 0)), self._keep(bias)
            x_cols = self.cols + 2 * border
            # A block's end is added to its beginning, which has a border.
            self.convolutions.append([x_cols, self.filled, rows, cols, filled, int(ends_block), w_at, b_at, int(ends_block)])
            self.rows, self.cols, self.channels, self.filled = rows, cols, outputs, filled
            self.largest = max(self.largest, (rows + 2) * (cols + 2) * filled)
            return
        if not self.dense:
            # From torch's (channel, row, column) to our (row, column, channel), channels filled up
            maps = weight.reshape(outputs, self.channels, self.rows * self.cols).transpose(2, 1, 0)
            matrix = np.pad(maps, ((0, 0), (0, self.filled - self.channels), (0, filled - outputs)))
            matrix = matrix.reshape(-1, filled)
        else:
            matrix = np.pad(weight.T, ((0, self.filled - self.channels), (0, filled - outputs)))
        w_at, b_at = self._keep(matrix), self._keep(bias)
        self.dense.append([len(matrix), filled, w_at, b_at, int(ends_block), int(bends)])
        self.channels, self.filled = outputs, filled

    def _keep(self, weights: np.ndarray) -> int:
        begin = sum(w.size for w in self.weights)
        self.weights.append(np.ascontiguousarray(weights, np.float32).ravel())
        return begin

    def layers(self) -> Layers:
        """What was written."""
        convolutions = np.array(self.convolutions, np.int64).reshape(-1, 9)
        return Layers(np.concatenate(self.weights), convolutions, np.array(self.dense, np.int64))
