"""Compiled kernels: the decorator, bit tricks and random streams that the hot paths share."""

import hashlib
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from wslib._kernel_cache import KernelCache


def kernel(function: Callable[..., Any], **options: bool) -> Any:
    """A compiled function, kept on disk once it has been compiled."""
    compiled = numba.njit(nogil=True, error_model="numpy", _nrt=False, **options)(function)
    compiled._cache = KernelCache(function)
    return compiled


def inlined(function: Callable[..., Any]) -> Any:
    """One that becomes part of its callers: a call would copy every array's description."""
    return kernel(function, forceinline=True)


@intrinsic
def popcount(typingctx, word):
    """Number of set bits of a 64-bit word."""

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


@intrinsic
def lowest_bit(typingctx, word):
    """Index of the lowest set bit; 64 for an empty word."""

    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), codegen


@intrinsic
def leading_zeros(typingctx, word):
    """Number of zeros above the highest set bit; 64 for an empty word."""

    def codegen(context, builder, signature, args):
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), codegen


ONE = np.uint64(1)
ZERO = np.uint64(0)
GAMMA = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
S30, S27, S31, S32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


@kernel
def scramble(state):
    """SplitMix64's output function: the random word that belongs to a state of the generator."""
    z = (state ^ (state >> S30)) * MIX_1
    z = (z ^ (z >> S27)) * MIX_2
    return z ^ (z >> S31)


@kernel
def scaled(word, n):
    """A number in 0..n-1 from a random word (multiply and shift: the bias is below n / 2^32)."""
    return np.int64(((word >> S32) * np.uint64(n)) >> S32)


@kernel
def below(streams, i, n):
    """Draw uniformly from 0..n-1 and advance stream ``i``."""
    streams[i] += GAMMA
    return scaled(scramble(streams[i]), n)


@kernel
def uniform(streams, i):
    """Draw a float from [0, 1) and advance stream ``i``."""
    streams[i] += GAMMA
    return np.float64(scramble(streams[i]) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


def uniforms(state: np.uint64, count: int) -> np.ndarray:
    """The next numbers from [0, 1) of the stream with this state: (count,), float64; the state stays as it is."""
    with np.errstate(over="ignore"):
        words = scramble.py_func(state + np.arange(1, count + 1, dtype=np.uint64) * GAMMA)
    return (words >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel
def nth_bit(word, n, count):
    """The ``n``-th of the ``count`` set bits of a word (from 0), as a word with that one bit.

    ``n`` is random where this is hot, so no branch depends on it. Where there are many bits, halves, quarters and
    eighths of the word are first set aside by the number of their bits.
    """
    shift = ZERO
    if count > 8:
        for width in (np.uint64(32), np.uint64(16), np.uint64(8)):
            lower = word & ((ONE << width) - ONE)
            inside = np.int64(popcount(lower))
            above = n >= inside
            word = word >> width if above else lower
            shift += width if above else ZERO
            n -= inside if above else 0
        count = 8
    for passed in range(count - 1):
        rest = word & (word - ONE)
        word = rest if passed < n else word
    return (word & (ZERO - word)) << shift


def stream(seed: int, *names: object) -> np.uint64:
    """Initial state of the random stream with this name; ``stream(7, "selfplay", 3)`` depends on no other stream."""
    label = "/".join(str(part) for part in (seed, *names))
    return np.uint64(int.from_bytes(hashlib.blake2b(label.encode(), digest_size=8).digest(), "little"))
