"""Sixteen floats side by side as a numba type, and the one tile of matrix multiplication.

Everything that a network computes here goes through these few instructions: sums, products, quotients, square roots and
fused multiply-adds of float32, each rounded as IEEE 754 says. Nothing is reordered, so the bits are the same on every
processor, whatever the width of its registers.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

LANES = 16
WIDTH = 32
"""Channels of a block; a block of activations is boards × 32, one of weights 32 × 32."""


def tile_for(features: str) -> tuple[int, int]:
    """Most rows, and vectors, of the tile whose sums fill a processor's registers: it changes speed, but no bit."""
    return (8, 2) if "+avx512f" in features else (4, 1)


ROWS, VECTORS = tile_for(cpu_target.target_context.codegen().magic_tuple()[2])

_VECTOR = ir.VectorType(ir.FloatType(), LANES)
_INDICES = ir.VectorType(ir.IntType(32), LANES)
_FLOATS, _INTEGERS = types.Array(types.float32, 1, "C"), types.Array(types.int64, 1, "C")


class LanesType(types.Type):
    """Sixteen float32 in registers."""

    def __init__(self) -> None:
        super().__init__("lanes")


lanes = LanesType()


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any):
        super().__init__(manager, kind, _VECTOR)


def _define(symbol: Callable[..., Any], instruction: str) -> None:
    """Let a Python operator between two lanes be an instruction of LLVM."""

    @infer_global(symbol)
    class _Typed(AbstractTemplate):
        def generic(self, args, kws):
            return signature(lanes, lanes, lanes) if args == (lanes, lanes) else None

    @lower_builtin(symbol, lanes, lanes)
    def _lowered(context, builder, sig, args):
        return getattr(builder, instruction)(*args)


_define(operator.add, "fadd")
_define(operator.sub, "fsub")
_define(operator.mul, "fmul")
_define(operator.truediv, "fdiv")


def _data(context, builder, kind, array):
    """The address of an array's first number."""
    return cgutils.create_struct_proxy(kind)(context, builder, value=array).data


def _vector_at(builder, base, offset):
    return builder.bitcast(builder.gep(base, [offset]), _VECTOR.as_pointer())


def _spread(builder, value):
    """One number in all lanes."""
    one = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), value, ir.IntType(32)(0))
    return builder.shuffle_vector(one, ir.Constant(_VECTOR, ir.Undefined), ir.Constant(_INDICES, [0] * LANES))


def _call(builder, name, *args):
    """LLVM's own function of lanes."""
    kind = ir.FunctionType(_VECTOR, [_VECTOR] * len(args))
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v{LANES}f32"), args)


@intrinsic
def load(typingctx, array, at):
    """The sixteen numbers of a flat array from ``at`` on."""

    def codegen(context, builder, sig, args):
        return builder.load(_vector_at(builder, _data(context, builder, sig.args[0], args[0]), args[1]), align=4)

    return lanes(_FLOATS, types.int64), codegen


@intrinsic
def store(typingctx, array, at, value):
    """Write sixteen numbers to a flat array from ``at`` on."""

    def codegen(context, builder, sig, args):
        builder.store(args[2], _vector_at(builder, _data(context, builder, sig.args[0], args[0]), args[1]), align=4)
        return context.get_dummy_value()

    return types.none(_FLOATS, types.int64, lanes), codegen


@intrinsic
def splat(typingctx, value):
    """The same number sixteen times."""

    def codegen(context, builder, sig, args):
        return _spread(builder, args[0])

    return lanes(types.float32), codegen


@intrinsic
def fma(typingctx, a, b, c):
    """``a b + c``, rounded once."""

    def codegen(context, builder, sig, args):
        return _call(builder, "fma", *args)

    return lanes(lanes, lanes, lanes), codegen


@intrinsic
def root(typingctx, a):
    """Square roots."""

    def codegen(context, builder, sig, args):
        return _call(builder, "sqrt", *args)

    return lanes(lanes), codegen


@intrinsic
def where_positive(typingctx, a, b):
    """``b`` where ``a > 0``, else 0; ``where_positive(a, a)`` is ReLU."""

    def codegen(context, builder, sig, args):
        zero = ir.Constant(_VECTOR, [0.0] * LANES)
        return builder.select(builder.fcmp_ordered(">", args[0], zero), args[1], zero)

    return lanes(lanes, lanes), codegen


@intrinsic
def transpose(typingctx, source, source_at, target, target_at):
    """Turn a square of 16 × 16 numbers that lies in a block of 32 × 32."""

    def codegen(context, builder, sig, args):
        source, target = (_data(context, builder, sig.args[k], args[k]) for k in (0, 2))
        number = args[1].type
        steps = [number(r * WIDTH) for r in range(LANES)]
        rows = [builder.load(_vector_at(builder, source, builder.add(args[1], step)), align=4) for step in steps]
        # Swap the two off-diagonal quarters, then those of each quarter, and so on down to single numbers.
        for bit in (8, 4, 2, 1):
            low = [c if not c & bit else LANES + (c ^ bit) for c in range(LANES)]
            high = [c | bit if not c & bit else LANES + c for c in range(LANES)]
            for r in (r for r in range(LANES) if not r & bit):
                a, b = rows[r], rows[r | bit]
                rows[r] = builder.shuffle_vector(a, b, ir.Constant(_INDICES, low))
                rows[r | bit] = builder.shuffle_vector(a, b, ir.Constant(_INDICES, high))
        for row, step in zip(rows, steps, strict=True):
            builder.store(row, _vector_at(builder, target, builder.add(args[3], step)), align=4)
        return context.get_dummy_value()

    return types.none(_FLOATS, types.int64, _FLOATS, types.int64), codegen


@intrinsic
def tile(typingctx, rows, a, a_at, a_block, turned, b, b_at, b_block, depth, tables, first, last, c, c_at, adds):
    """``c[r, v] = sum over pairs (i, j) and k < depth of a[i][r, k] b[j][k, v]``, kept in registers.

    There are 1 to ``ROWS`` rows ``r`` and ``VECTORS`` times 16 columns ``v``; a block's rows are 32 numbers apart.
    ``turned`` reads ``a[i][k, r]`` instead; ``adds`` begins with what ``c`` holds instead of 0. ``tables[first:last]``
    holds the pairs, ``i`` before ``j``. Every number of ``c`` is one chain of fused multiply-adds in the order of the
    pairs, so the size of the tile changes no bit.
    """

    def codegen(context, builder, sig, args):
        rows, turned = args[0], args[4]
        a, b, tables, c = (_data(context, builder, sig.args[k], args[k]) for k in (1, 5, 9, 12))
        a, b, c = builder.gep(a, [args[2]]), builder.gep(b, [args[6]]), builder.gep(c, [args[13]])
        rest = (a, args[3], b, args[7], args[8], tables, args[10], args[11], c, args[14])
        with builder.if_then(turned):  # the rows of turned blocks are channels, which come in whole tiles
            _write_tile(builder, ROWS, True, *rest)
        with builder.if_then(builder.not_(turned)):
            for count in range(1, ROWS + 1):
                with builder.if_then(builder.icmp_signed("==", rows, rows.type(count))):
                    _write_tile(builder, count, False, *rest)
        return context.get_dummy_value()

    n = types.int64
    return types.none(n, _FLOATS, n, n, types.boolean, _FLOATS, n, n, n, _INTEGERS, n, n, _FLOATS, n,
                      types.boolean), codegen  # fmt: skip


def _write_tile(builder, rows, turned, a, a_block, b, b_block, depth, tables, first, last, c, adds):
    """The instructions of a tile with this many rows."""
    number = depth.type
    row_step, k_step = (number(1), number(WIDTH)) if turned else (number(WIDTH), number(1))
    many = [(r, v) for r in range(rows) for v in range(VECTORS)]
    out = {(r, v): _vector_at(builder, c, number(r * WIDTH + v * LANES)) for r, v in many}
    sums = {at: cgutils.alloca_once_value(builder, ir.Constant(_VECTOR, [0.0] * LANES)) for at in many}
    for at in many:  # a tile may be met again in a loop, when its sums are no longer 0
        builder.store(ir.Constant(_VECTOR, [0.0] * LANES), sums[at])
    with builder.if_then(adds):
        for at in many:
            builder.store(builder.load(out[at], align=4), sums[at])
    with cgutils.for_range_slice(builder, first, last, number(2)) as (pair, _):
        i, j = (builder.load(builder.gep(tables, [builder.add(pair, number(n))])) for n in (0, 1))
        a_here, b_here = builder.gep(a, [builder.mul(i, a_block)]), builder.gep(b, [builder.mul(j, b_block)])
        with cgutils.for_range_slice(builder, number(0), depth, number(1)) as (k, _):
            row = builder.mul(k, number(WIDTH))
            right = [
                builder.load(_vector_at(builder, b_here, builder.add(row, number(v * LANES))), align=4)
                for v in range(VECTORS)
            ]
            column = builder.gep(a_here, [builder.mul(k, k_step)])
            for r in range(rows):
                left = _spread(builder, builder.load(builder.gep(column, [builder.mul(row_step, number(r))])))
                for v in range(VECTORS):
                    builder.store(_call(builder, "fma", left, right[v], builder.load(sums[r, v])), sums[r, v])
    for at in many:
        builder.store(builder.load(sums[at]), out[at], align=4)


def aligned(size: int) -> np.ndarray:
    """Zeros that begin where a vector does in memory: unaligned, every load touches two cache lines."""
    room = np.zeros(size + LANES, np.float32)
    begin = -(room.ctypes.data // 4) % LANES
    return room[begin : begin + size]
