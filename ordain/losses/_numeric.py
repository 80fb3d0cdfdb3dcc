"""Calculus by numbers for functions on [0, 1]: derivatives, the least value, and where a rising function crosses zero.

All of it is built for functions that may bend without limit at the two ends, as entropies do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from math import factorial
from typing import Any

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]
Function = Callable[[Array], Array]

REACH = 6  # points of the difference formula on either side
CLOSEST = 2.0**-40  # distance to an end above which the points of the difference formula are exact
NOISE = {1: 1.4e-14, 2: 3e-12}  # rounding in the k-th difference of a function of size 1, times dᵏ
KNOTS = np.r_[0, np.exp2(np.arange(-1000.0, -9)), np.arange(1, 512) / 512, 1 - np.exp2(np.arange(-10.0, -47, -1)), 1]
"""Points that cut [0, 1] finely everywhere: evenly inside, each half as far from the end as the last one outside."""


@dataclass(frozen=True)
class Derivative:
    """f' or f'' on [0, 1] by central differences of order 12.

    Let d be the distance to the nearer end. If f is analytic in the disc of radius d, the error is rounding, about
    1e-14/d of the size of f for f' and 3e-12/d² for f''. Where f goes on smoothly through an end, a polynomial takes
    over close to it. Where it does not, differences stop when rounding would drown them, and the values at d, d/2, …
    are continued as a geometric series, which is exact for powers and the logarithm of d. At an end the result is the
    limit, which may be infinite.
    """

    function: Function
    order: int = 1

    @np.errstate(divide="ignore", over="ignore", invalid="ignore")
    def __call__(self, q: ArrayLike) -> Array:
        q = np.asarray(q, dtype=float)
        points = q.ravel()
        result = _central(self.function, np.clip(points, CLOSEST, 1 - CLOSEST), self.order)
        for end, (start, formula) in zip((0, 1), self._ends, strict=True):
            distance = np.abs(points - end)
            near = distance < start
            result[near] = formula(distance[near])
        return result.reshape(q.shape)[()]

    @cached_property
    def _ends(self) -> list[tuple[float, Function]]:
        """For either end the distance below which another formula holds, and that formula in the distance."""
        return [
            _polynomial(self.function, end, self.order) or _geometric(self.function, end, self.order) for end in (0, 1)
        ]


def least(function: Function) -> float:
    """The least value on [0, 1] of a function whose valleys are wider than 1/256, to about 1e-12."""
    values = function(KNOTS)
    best = int(np.argmin(values))
    low, high = KNOTS[max(best - 1, 0)], KNOTS[min(best + 1, len(KNOTS) - 1)]
    lowest = float(values[best])
    for _ in range(12):
        grid = np.linspace(low, high, 17)
        values = function(grid)
        best = int(np.argmin(values))
        low, high = grid[max(best - 1, 0)], grid[min(best + 1, 16)]
        lowest = min(lowest, float(values[best]))
    return lowest


@np.errstate(divide="ignore", over="ignore", invalid="ignore")
def crossing(rising: Function, target: Array, low: Array, high: Array) -> Array:
    """Where a rising function reaches each target between `low` and `high`, to the last digit it can tell apart.

    False position that halves the excess at an end which stays twice (Illinois), with a bisection at every fourth step,
    so that the bracket shrinks whatever the function does. Targets that are reached drop out.
    """
    found, active = low.copy(), np.arange(len(low))
    state = np.array([target, low, high, rising(low) - target, rising(high) - target, np.zeros(len(low))])
    for step in range(200):
        target, low, high, below, above, side = state
        middle = low - below * ((high - low) / (above - below))
        inside = (middle > low) & (middle < high) & (step % 4 < 3)
        middle = np.where(inside, middle, low + (high - low) / 2)
        excess = rising(middle) - target
        left = excess < 0
        below = np.where(left, excess, np.where(side > 0, below / 2, below))
        above = np.where(left, np.where(side < 0, above / 2, above), excess)
        low, high, side = np.where(excess <= 0, middle, low), np.where(left, high, middle), np.where(left, -1, 1)
        found[active] = low + (high - low) / 2
        wide = high - low > np.spacing(low)
        active, state = active[wide], np.array([target, low, high, below, above, side])[:, wide]
        if not len(active):
            break
    return found


def vectorised(function: Callable[[Any], Any]) -> Function:
    """The function itself if it takes arrays, else applied to one number at a time."""
    try:
        takes_arrays = np.shape(function(np.array([0.25, 0.5, 0.75]))) == (3,)
    except (TypeError, ValueError):
        takes_arrays = False
    return function if takes_arrays else OneByOne(function)


@dataclass(frozen=True)
class OneByOne:
    """A function of one number, applied to every number of an array."""

    function: Callable[[Any], Any]

    def __call__(self, q: Array) -> Array:
        return np.vectorize(self.function, otypes=[float])(q)


@cache
def _stencil(order: int) -> Array:
    """Weights of f(q + jδ), j = -6 … 6, in the central difference for δᵏ f⁽ᵏ⁾(q), k = 1 or 2."""
    m = REACH
    side = [
        order * (-1) ** (j + 1) * factorial(m) ** 2 / (j**order * factorial(m - j) * factorial(m + j))
        for j in range(1, m + 1)
    ]
    middle = 0.0 if order == 1 else -2 * sum(side)
    return np.array([*((-1) ** order * weight for weight in reversed(side)), middle, *side])


def _central(function: Function, q: Array, order: int) -> Array:
    """The central difference whose step is a power of two near 1/32 of the distance to the nearer end."""
    step = np.exp2(np.floor(np.log2(np.minimum(q, 1 - q) / 32)))
    nodes = q[:, None] + step[:, None] * np.arange(-REACH, REACH + 1)
    values = function(nodes.ravel()).reshape(nodes.shape)
    return values @ _stencil(order) / step**order


def _polynomial(function: Function, end: int, order: int) -> tuple[float, Function] | None:
    """The derivative of a polynomial in the distance to the end, if one fits on an interval that is not too short."""
    for width in (1 / 8, 1 / 32, 1 / 128):
        series = Chebyshev.interpolate(lambda d: function(np.abs(end - d)), 15, domain=[0, width])
        size = np.abs(series.coef)
        if size[-2:].max() <= 1e-13 * size.max():
            return width / 4, (-1) ** (end * order) * series.deriv(order)
    return None


def _geometric(function: Function, end: int, order: int) -> tuple[float, Function]:
    """The derivative at d, d/2, d/4, … as a geometric series, from where its steps are last seen clearly."""
    distance = np.exp2(-np.arange(3.0, 41))
    points = np.abs(end - distance)
    values = _central(function, points, order)
    steps = np.diff(values)
    rounding = NOISE[order] * np.abs(function(points)).max() / distance[1:] ** order
    clear = np.flatnonzero(rounding[1:] <= 1e-6 * np.abs(steps[1:])) + 1
    if not len(clear):
        return distance[2], Geometric(distance[2], values[2], 0.0, 0.0)
    last = clear[-1]
    ratio = float(np.clip(steps[last] / steps[last - 1], 0, 4))
    ratio = 1.0 if abs(ratio - 1) < 1e-4 else ratio
    return distance[last + 1], Geometric(distance[last + 1], values[last + 1], steps[last], ratio)


@dataclass(frozen=True)
class Geometric:
    """A function that changes by step · ratioᵏ when the distance is halved for the k-th time."""

    start: float
    value: float
    step: float
    ratio: float

    def __call__(self, distance: Array) -> Array:
        halvings = np.log2(self.start) - np.log2(distance)
        if self.step == 0 or self.ratio == 0:
            return np.full_like(distance, self.value)
        if self.ratio == 1:
            return self.value + self.step * halvings
        return self.value + self.step * self.ratio * (self.ratio**halvings - 1) / (self.ratio - 1)
