"""Exponentials and logarithms from plain IEEE arithmetic: the same bits on every processor and with every library.

A library's ``exp`` and ``log`` may round differently from one version or processor to the next, and a last bit can turn
a search. These are sums and products of float64 in a fixed order, within two units in the last place.
"""

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from wslib._compiled import inlined, uniform


@intrinsic
def _as_float(typingctx, word):
    """The float64 with these bits."""

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.int64), codegen


@intrinsic
def _as_word(typingctx, number):
    """The bits of a float64."""

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.IntType(64))

    return types.int64(types.float64), codegen


LN_2_HIGH, LN_2_LOW, ONE_OVER_LN_2 = 0.693147180369123816490, 1.90821492927058770002e-10, 1.4426950408889634
"""ln 2 in two parts, the first with zeros at its end, so that a whole multiple of it is exact."""
_SERIES_OF_EXP = tuple(float(1 / np.prod(np.arange(1.0, n + 1))) for n in range(13, 1, -1))
_SERIES_OF_ATANH = tuple(1.0 / n for n in range(21, 2, -2))
_EXPONENT_BIAS, _FRACTION = 1023, (1 << 52) - 1


@inlined
def exp_(x):
    """e^x for -700 <= x <= 700 (beyond, that of the bound): 2^k e^r with |r| <= ln 2 / 2, the latter by its series."""
    x = min(max(x, -700.0), 700.0)
    k = np.floor(x * ONE_OVER_LN_2 + 0.5)
    r = (x - k * LN_2_HIGH) - k * LN_2_LOW
    series = 0.0
    for factor in _SERIES_OF_EXP:
        series = factor + series * r
    return (1.0 + (r + series * r * r)) * _as_float((np.int64(k) + _EXPONENT_BIAS) << 52)


@inlined
def log_(x):
    """ln x of a normal x > 0: k ln 2 + 2 atanh((m - 1) / (m + 1)) for x = m 2^k, m from √½ to √2."""
    word = _as_word(x)
    k = (word >> 52) - _EXPONENT_BIAS
    m = _as_float((word & _FRACTION) | (_EXPONENT_BIAS << 52))
    if m > 1.4142135623730951:
        m *= 0.5
        k += 1
    t = (m - 1.0) / (m + 1.0)
    q = t * t
    series = 0.0
    for factor in _SERIES_OF_ATANH:
        series = factor + series * q
    return k * LN_2_HIGH + (2.0 * t + (2.0 * t * q * series + k * LN_2_LOW))


@inlined
def normal(streams, i):
    """A number of the standard normal distribution (Marsaglia's polar method); advances stream ``i``."""
    while True:
        x, y = 2.0 * uniform(streams, i) - 1.0, 2.0 * uniform(streams, i) - 1.0
        square = x * x + y * y
        if 0.0 < square < 1.0:
            return x * np.sqrt(-2.0 * log_(square) / square)


@inlined
def gamma(streams, i, shape):
    """A number of the gamma distribution with this shape and scale 1 (Marsaglia and Tsang); advances stream ``i``."""
    # Below 1 their method takes the next higher shape, whose number a power of a uniform one scales down.
    boost = 1.0
    if shape < 1.0:
        boost = exp_(log_(1.0 - uniform(streams, i)) / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / np.sqrt(9.0 * d)
    while True:
        x = normal(streams, i)
        v = (1.0 + c * x) * (1.0 + c * x) * (1.0 + c * x)
        if v > 0.0 and log_(1.0 - uniform(streams, i)) < 0.5 * x * x + d - d * v + d * log_(v):
            return boost * d * v
