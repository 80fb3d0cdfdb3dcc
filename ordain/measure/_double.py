"""Sums of numbers in twice the working precision: each value is an unevaluated sum high + low [Dekker71]_."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ordain._types import Vector


class Double(NamedTuple):
    """Numbers high + low, |low| no more than half a unit in the last place of high."""

    high: Any
    low: Any

    @classmethod
    def zero(cls) -> Double:
        return cls(0.0, 0.0)

    def __getitem__(self, index: Any) -> Double:  # type: ignore[override]
        return Double(self.high[index], self.low[index])

    def __add__(self, other: Double) -> Double:  # type: ignore[override]
        high, error = _two_sum(self.high, other.high)
        return Double(*_fast_two_sum(high, error + (self.low + other.low)))

    def __sub__(self, other: Double) -> Double:
        return self + Double(-other.high, -other.low)

    def __truediv__(self, other: Double) -> float:
        """The quotient as one float: a first guess and one correction by the exact remainder."""
        quotient = self.high / other.high
        rest = self - product(other, Double(quotient, 0.0))
        return float(quotient + rest.high / other.high)


def prefix_sums(values: Vector) -> Double:
    """Sums of the first 0, 1, …, n values: the plain running sum, and the running sum of its rounding errors."""
    sums = np.append(0.0, np.cumsum(values))
    _, errors = _two_sum(sums[:-1], values)
    return Double(*_fast_two_sum(sums, np.append(0.0, np.cumsum(errors))))


def total(values: Double) -> Double:
    """The sum of all values."""
    sums = prefix_sums(values.high)
    return sums[-1] + Double(float(values.low.sum()), 0.0)


def product(a: Double, b: Double) -> Double:
    """Products a·b, the error of the leading part found by splitting the factors in halves of 26 bits."""
    high = a.high * b.high
    (a_top, a_rest), (b_top, b_rest) = _split(a.high), _split(b.high)
    error = ((a_top * b_top - high) + a_top * b_rest + a_rest * b_top) + a_rest * b_rest
    return Double(*_fast_two_sum(high, error + (a.high * b.low + a.low * b.high)))


def _two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    """a + b rounded, and the rounding error, whichever is larger."""
    high = a + b
    part = high - a
    return high, (a - (high - part)) + (b - part)


def _fast_two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    """The same for |a| ≥ |b|."""
    high = a + b
    return high, b - (high - a)


def _split(a: Any) -> tuple[Any, Any]:
    """Upper and lower half of the digits."""
    scaled = 134217729.0 * a  # 2^27 + 1
    top = scaled - (scaled - a)
    return top, a - top
