"""A trained network compiled for play: the same numbers whatever else is in the batch.

A general library picks other instructions for other batch sizes, so that the last bits of a position's evaluation
depend on its neighbours, and with them, now and then, a move. Here every output is one chain of fused multiply-adds in
a fixed order. That makes searches reproducible without any rule about batches, and is faster on batches as small as
ours.

Batch norm is folded into the weights. All layers are one kernel: a row of outputs ``y[p] = bias + sum_k x[p + k] w[k]``
for a few neighbouring positions ``p`` at once, kept in registers, 16 channels to a vector.
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from torch import nn

from wslib._compiled import kernel
from wslib.games import game
from wslib.network.model import Block, Network, folded, mixed, pick_device

LANES = 16
MOST_ROWS = 7
_FLOAT = ir.FloatType()
_VECTOR = ir.VectorType(_FLOAT, LANES)


@intrinsic
def _outputs(typingctx, rows, x, x_step, x_line, lines, w, w_step, length, left, right, bias, added, adds, y, y_step,
             bends):  # fmt: skip
    """``rows`` neighbouring outputs of a layer, 1 to 7, for one or two vectors of channels (``w_step``), in registers.

    Steps are in floats: ``y[p, c] = bias[c] + sum over lines and k < length of x[line, p, k] w[line, k, c]``, plus
    ``added[p, c]`` if ``adds``, and nothing below 0 if ``bends``. What lies beyond the board is neither read nor
    multiplied: ``k < left`` for the first output, the last ``right`` of ``k`` for the last one.
    """

    def codegen(context, builder, signature, args):
        rows, w_step = args[0], args[6]
        for wide in (True, False):
            width = w_step.type((1 + wide) * LANES)
            with builder.if_then(builder.icmp_signed("==", w_step, width)):
                for count in range(1, MOST_ROWS + 1):
                    with builder.if_then(builder.icmp_signed("==", rows, rows.type(count))):
                        _write_outputs(builder, count, 1 + wide, *args[1:])
        return context.get_dummy_value()

    pointer, step, flag = types.CPointer(types.float32), types.int64, types.boolean
    inputs = (step, pointer, *3 * (step,), pointer, *4 * (step,), pointer, pointer, flag, pointer, step, flag)
    return types.none(*inputs), codegen


def _write_outputs(builder, rows, vectors, x, x_step, x_line, lines, w, w_step, length, left, right, bias, added, adds,
                   y, y_step, bends):  # fmt: skip
    """The instructions of ``_outputs`` for this many rows and vectors."""
    many = [(p, v) for p in range(rows) for v in range(vectors)]
    zero = ir.Constant(_VECTOR, [0.0] * LANES)
    undefined = ir.Constant(_VECTOR, ir.Undefined)
    everywhere = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    kind = ir.FunctionType(_VECTOR, [_VECTOR] * 3)
    fma = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fma.v{LANES}f32")
    number = x_step.type

    def vector_at(base, offset):
        return builder.bitcast(builder.gep(base, [offset]), _VECTOR.as_pointer())

    def output_at(base, p, v):
        return vector_at(base, builder.add(builder.mul(y_step, number(p)), number(v * LANES)))

    sums = {}
    for p, v in many:
        start = builder.load(vector_at(bias, number(v * LANES)), align=4)
        more = builder.select(adds, builder.load(output_at(added, p, v), align=4), zero)
        sums[p, v] = cgutils.alloca_once_value(builder, builder.fadd(start, more))
    inner = builder.sub(length, right)
    parts = ((number(0), left, range(1, rows)), (left, inner, range(rows)), (inner, length, range(rows - 1)))
    with cgutils.for_range(builder, lines) as line:
        x_here = builder.gep(x, [builder.mul(line.index, x_line)])
        w_here = builder.gep(w, [builder.mul(builder.mul(line.index, length), w_step)])
        for begin, end, outputs in parts:
            with cgutils.for_range_slice(builder, begin, end, number(1)) as (k, _):
                row = builder.mul(k, w_step)
                weights = [
                    builder.load(vector_at(w_here, builder.add(row, number(v * LANES))), align=4)
                    for v in range(vectors)
                ]
                for p in outputs:
                    at = builder.gep(x_here, [builder.add(k, builder.mul(x_step, number(p)))])
                    one = builder.insert_element(undefined, builder.load(at), ir.IntType(32)(0))
                    value = builder.shuffle_vector(one, undefined, everywhere)
                    for v in range(vectors):
                        total = builder.call(fma, [value, weights[v], builder.load(sums[p, v])])
                        builder.store(total, sums[p, v])
    for p, v in many:
        total = builder.load(sums[p, v])
        below = builder.and_(builder.fcmp_ordered("<", total, zero), _spread(builder, bends))
        builder.store(builder.select(below, zero, total), output_at(y, p, v), align=4)


def _spread(builder, flag):
    """A condition for every lane."""
    mask = ir.VectorType(ir.IntType(1), LANES)
    one = builder.insert_element(ir.Constant(mask, ir.Undefined), flag, ir.IntType(32)(0))
    indices = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(one, ir.Constant(mask, ir.Undefined), indices)


@intrinsic
def _address(typingctx, array, offset):
    """Pointer to an element of a flat float32 array."""

    def codegen(context, builder, signature, args):
        data = cgutils.create_struct_proxy(signature.args[0])(context, builder, value=args[0]).data
        return builder.gep(data, [args[1]])

    return types.CPointer(types.float32)(array, types.int64), codegen


@kernel
def _rows(x, x_at, x_step, x_line, lines, top, bottom, w, w_at, channels, length, side, b_at, added, adds, y, y_at,
          y_step, count, bends):  # fmt: skip
    """``count`` neighbouring outputs of a layer, all channels, as many at once as fit the registers.

    The first ``top`` and the last ``bottom`` lines of the input are beyond the board, and so are ``side`` numbers at
    either end of the others: they are neither read nor multiplied.
    """
    for channel in range(0, channels, 2 * LANES):
        # Weights lie in panels of as many channels as are computed together, so that they are read straight through.
        panel = 2 * LANES if channel + LANES < channels else LANES
        weights = _address(w, w_at + channel * lines * length + top * length * panel)
        bias = _address(w, b_at + channel)
        p = 0
        while p < count:
            x_p, at = _address(x, x_at + top * x_line + p * x_step), y_at + p * y_step + channel
            left = count - p
            # Rows that would leave one or two over are split evenly: few rows at once do not fill the processor.
            rows = left if left <= MOST_ROWS else 4 if left == 8 else 5 if left <= 10 else 6
            _outputs(rows, x_p, x_step, x_line, lines - top - bottom, weights, panel, length,
                     side if p == 0 else 0, side if rows == left else 0, bias,
                     _address(added, at), adds, _address(y, at), y_step, bends)  # fmt: skip
            p += rows


class Layers(NamedTuple):
    """A network as the kernels take it: flat weights, and a row of numbers per layer."""

    weights: np.ndarray
    convolutions: np.ndarray
    """Per 3×3 convolution: columns and channels of its input; rows, columns and channels of its output; where its
    weights and its bias begin; whether the input of the layer before is added (a block's end); how wide a border of
    zeros is thought around its input."""
    dense: np.ndarray
    """Per fully connected layer: inputs, outputs, where weights and bias begin, added input as above, ReLU or not."""


@kernel
def _convolve(layers, planes, buffers, features, width):
    """The convolutions, board by board; the last one's output becomes a row of ``features``."""
    weights, count = layers.weights, len(layers.convolutions)
    for board in range(len(planes)):
        rows, cols, channels = planes.shape[1], planes.shape[2], 1
        y = buffers[0]
        for r in range(rows):
            for c in range(cols):
                y[r * cols + c] = planes[board, r, c]
        for number in range(count):
            x_cols, x_channels, rows, cols, channels, w_at, b_at, added, border = layers.convolutions[number]
            x, y, before = buffers[number % 3], buffers[(number + 1) % 3], buffers[(number + 2) % 3]
            x_line, length, y_line = x_cols * x_channels, 3 * x_channels, cols * channels
            for r in range(rows):
                top, bottom = border * (r == 0), border * (r == rows - 1)
                _rows(x, (r - border) * x_line - border * x_channels, x_channels, x_line, 3, top, bottom,
                      weights, w_at, channels, length, border * x_channels, b_at,
                      before, added != 0, y, r * y_line, channels, cols, True)  # fmt: skip
        size = rows * cols * channels
        for at in range(size):
            features[board * width + at] = y[at]


@kernel
def _connect(layers, boards, width, x, y, before):
    """The fully connected layers, for all boards together; the outputs are in the buffer that is returned by number."""
    for number in range(len(layers.dense)):
        inputs, outputs, w_at, b_at, added, bends = layers.dense[number]
        _rows(x, 0, width, 0, 1, 0, 0, layers.weights, w_at, outputs, inputs, 0, b_at,
              before, added != 0, y, 0, width, boards, bends != 0)  # fmt: skip
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


def _aligned(*shape: int) -> np.ndarray:
    """Zeros that begin where a vector does in memory: unaligned, every load touches two cache lines."""
    size = int(np.prod(shape))
    room = np.zeros(size + LANES, np.float32)
    begin = -(room.ctypes.data // 4) % LANES
    return room[begin : begin + size].reshape(shape)


class CompiledNetwork:
    """A network for play on a CPU; each position's evaluation depends on that position alone.

    >>> from wslib.network.model import Network, NetworkSettings
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
        widest = max(board.cells, int(self.layers.dense[:, :2].max()))
        self.width = -(-widest // LANES) * LANES
        self.buffers = _aligned(3, -(-writer.largest // LANES) * LANES)
        self.features = _aligned(3, 0)

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities and values of a batch of planes (n, 1, rows, cols)."""
        boards = len(planes)
        if self.features.shape[1] < boards * self.width:
            self.features = _aligned(3, boards * self.width)
        _convolve(self.layers, planes[:, 0], self.buffers, self.features[0], self.width)
        _connect(self.layers, boards, self.width, *self.features)
        priors, values = np.empty((boards, self.actions), np.float32), np.empty(boards, np.float32)
        outputs = self.features[len(self.layers.dense) % 3]
        _heads(outputs, boards, self.width, self.actions, priors, values)
        return priors, values


class TorchNetwork:
    """A network for play by torch, for a GPU; last bits depend on what else is in the batch.

    That does no harm where the batches are a function of the games alone, as in self-play and the arena.

    >>> from wslib.network.model import Network, NetworkSettings
    >>> by_torch = TorchNetwork(Network(NetworkSettings(game="connect4")), "cpu")
    >>> by_torch.evaluate(np.zeros((2, 1, 6, 6), np.float32))[0].shape
    (2, 6)
    """

    def __init__(self, network: Network, device: str = "auto", precision: str = "float32"):
        self.device, self.precision = pick_device(device), precision
        self.network = folded(network)
        self.network.to(self.device, memory_format=torch.channels_last)  # type: ignore[call-overload]

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities and values of a batch of planes (n, 1, rows, cols)."""
        with torch.inference_mode(), mixed(self.device, self.precision):
            logs, values = self.network(torch.from_numpy(planes).to(self.device))
            return logs.exp().cpu().numpy(), values.cpu().numpy()


def _in_order(network: Network) -> list[tuple[list[Any], bool, bool]]:
    """The layers of a folded network: modules side by side, whether a block ends with them, whether ReLU follows."""
    found: list[tuple[list[Any], bool, bool]] = []
    for module in [*network.trunk, *network.hidden]:
        if isinstance(module, Block):
            first, second = (m for m in module.layers if isinstance(m, nn.Conv2d | nn.Linear))
            found += [([first], False, True), ([second], True, True)]
        elif isinstance(module, nn.Conv2d | nn.Linear):
            found.append(([module], False, True))
    return [*found, ([network.policy, network.value], False, False)]


def _panels(matrix: np.ndarray) -> list[np.ndarray]:
    """A matrix in panels of two vectors' columns (the last may have one)."""
    return [matrix[:, column : column + 2 * LANES] for column in range(0, matrix.shape[1], 2 * LANES)]


class _Writer:
    """Writes layers down for the kernels; channels are filled up with zeros to whole vectors."""

    def __init__(self, rows: int, cols: int):
        self.rows, self.cols, self.channels, self.filled = rows, cols, 1, 1
        self.weights: list[np.ndarray] = []
        self.convolutions: list[list[int]] = []
        self.dense: list[list[int]] = []
        self.largest = rows * cols

    def add(self, modules: list[Any], ends_block: bool, bends: bool) -> None:
        """One layer, or several fully connected ones with the same inputs as one."""
        weight = np.concatenate([np.asarray(m.weight.numpy()) for m in modules])
        bias = np.concatenate([np.asarray(m.bias.numpy()) for m in modules])
        outputs, filled = len(bias), -(-len(bias) // LANES) * LANES
        bias = np.pad(bias, (0, filled - outputs))
        if isinstance(modules[0], nn.Conv2d):
            border = int(modules[0].padding[0])
            rows, cols = self.rows + 2 * border - 2, self.cols + 2 * border - 2
            # (out, in, 3, 3) to (3, 3, in, out), both channels filled up
            kernels = np.pad(weight, ((0, filled - outputs), (0, self.filled - self.channels), (0, 0), (0, 0)))
            matrix = kernels.transpose(2, 3, 1, 0).reshape(-1, filled)
            w_at, b_at = self._keep(*_panels(matrix)), self._keep(bias)
            at, added = (w_at, b_at), int(ends_block)
            self.convolutions.append([self.cols, self.filled, rows, cols, filled, *at, added, border])
            self.rows, self.cols, self.channels, self.filled = rows, cols, outputs, filled
            self.largest = max(self.largest, rows * cols * filled)
            return
        if not self.dense:
            # From torch's (channel, row, column) to our (row, column, channel), channels filled up
            maps = weight.reshape(outputs, self.channels, self.rows * self.cols).transpose(2, 1, 0)
            matrix = np.pad(maps, ((0, 0), (0, self.filled - self.channels), (0, filled - outputs)))
            matrix = matrix.reshape(-1, filled)
        else:
            matrix = np.pad(weight.T, ((0, self.filled - self.channels), (0, filled - outputs)))
        w_at, b_at = self._keep(*_panels(matrix)), self._keep(bias)
        self.dense.append([len(matrix), filled, w_at, b_at, int(ends_block), int(bends)])
        self.channels, self.filled = outputs, filled

    def _keep(self, *parts: np.ndarray) -> int:
        begin = sum(w.size for w in self.weights)
        self.weights += [np.ascontiguousarray(part, np.float32).ravel() for part in parts]
        return begin

    def layers(self) -> Layers:
        """What was written."""
        convolutions = np.array(self.convolutions, np.int64).reshape(-1, 9)
        weights = _aligned(sum(w.size for w in self.weights))
        np.concatenate(self.weights, out=weights)
        return Layers(weights, convolutions, np.array(self.dense, np.int64))
