"""Sums over the pairs of a positive and a negative in the same group, in O(n) or O(n log n), without the pairs.

For coefficients c, every row gets F_k = Σ c_o k(s₊ - s₋) over the rows o of the other class of its group, for k = φ,
φ', φ''. There are four ways, chosen by the loss: factors for the exponential, moments for the squared ones, a sweep
over sorted scores for the hinges, sketches for what is analytic.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ordain import _pair_kernels
from ordain._types import Mask, Vector
from ordain.sketch import CANONICAL_EXPONENTIAL, LOGISTIC, Kernel, binned, node_sums

SMALL = 1000
"""A group of at most this many rows is summed pair by pair: that is faster there."""

FAR = 1e300
"""Scores beyond this have differences that overflow; the sketch is made for that, direct sums are not."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Two classes of rows in groups, both in every group.

    Without codes all rows are one group; without masses all rows of a class weigh the same in its mean.
    """

    positive: Mask
    codes: Vector | None = None
    mass: Vector | None = None

    @property
    def size(self) -> int:
        return 1 if self.codes is None else int(self.codes.max()) + 1

    @cached_property
    def sizes(self) -> Vector:
        """How many rows each group has."""
        return np.array([len(self.positive)]) if self.codes is None else np.bincount(self.codes)

    @cached_property
    def arranged(self) -> Vector:
        """The rows by group, in each the positives first."""
        return np.lexsort((~self.positive, *([] if self.codes is None else [self.codes])))

    def masses(self) -> Vector:
        """The weight of each row in the mean over its class of its group."""
        if self.mass is not None:
            return self.mass
        positives = np.count_nonzero(self.positive)
        return np.where(self.positive, 1 / positives, 1 / (len(self.positive) - positives))

    def total(self, values: Vector, rows: Mask) -> Vector:
        """Sum of the values over the chosen rows of each group."""
        if self.codes is None:
            return values[rows].sum(keepdims=True)
        return np.bincount(self.codes[rows], values[rows], self.size)

    def largest(self, values: Vector, rows: Mask) -> Vector:
        """The largest of the values over the chosen rows of each group."""
        if self.codes is None:
            return values[rows].max(keepdims=True)
        out = np.full(self.size, -np.inf)
        np.maximum.at(out, self.codes[rows], values[rows])
        return out

    def own_other(self, of: Any, values: Vector) -> tuple[Vector, Vector]:
        """What `total` or `largest` gives for the row's own class, and for the other class of its group."""
        ups, downs = of(values, self.positive), of(values, ~self.positive)
        if self.codes is not None:
            ups, downs = ups[self.codes], downs[self.codes]
        return np.where(self.positive, ups, downs), np.where(self.positive, downs, ups)


class Sums(ABC):
    """Kernel sums at given scores."""

    def __init__(self, groups: Groups, scores: Vector) -> None:
        self.groups, self.scores = groups, scores

    @abstractmethod
    def sums(self, coefficients: Vector) -> Vector:
        """Σ c k(s₊ - s₋) over the other class of each row's group, k = φ, φ', φ'', as three rows."""

    @abstractmethod
    def squares(self, coefficients: Vector) -> Vector:
        """The same for k = (φ')², which the curvature of the push has."""

    def curvatures(self, coefficients: Vector) -> Vector:
        """The same for k = φ'' alone."""
        return self.sums(coefficients)[2]

    @cached_property
    def curvature(self) -> Vector:
        """`curvatures` of the means over the other class."""
        return self.curvatures(self.groups.masses())

    def derivatives(self, orders: int = 2) -> tuple[Vector, Vector]:
        """For the mean over the pairs of each group: its value, and as rows every row's slope and curvature."""
        mass, positive = self.groups.masses(), self.groups.positive
        sums = self.sums(mass)
        sums *= mass
        means = self.groups.total(sums[0], positive)
        np.negative(sums[1], out=sums[1], where=~positive)
        return means, sums[1 : 1 + orders]


class Factors(Sums):
    """φ(u) = e^-u: e^(-s₊) Σ c e^(s₋), the largest term taken out first, so that only a true overflow is one."""

    def sums(self, coefficients: Vector) -> Vector:
        toward = np.where(self.groups.positive, -self.scores, self.scores)
        own, other = self.groups.own_other(self.groups.largest, toward)
        _, shares = self.groups.own_other(self.groups.total, coefficients * np.exp(toward - own))
        with np.errstate(over="ignore"):
            shares *= np.exp(toward + other)
        return shares * np.array([[1.0], [-1.0], [1.0]])

    def squares(self, coefficients: Vector) -> Vector:
        return Factors(self.groups, 2 * self.scores).sums(coefficients)[0]


class Moments(Sums):
    """φ(u) = scale (1 - u)²: three moments of each class, about the middle of its group."""

    scale = 1.0

    def sums(self, coefficients: Vector) -> Vector:
        groups, all_rows = self.groups, np.ones(len(self.scores), dtype=bool)
        middle = groups.largest(self.scores, all_rows) / 2 - groups.largest(-self.scores, all_rows) / 2
        x = self.scores - (middle if groups.codes is None else middle[groups.codes])
        toward = np.where(groups.positive, 1 - x, x)  # 1 - u is the sum of both rows' numbers
        with np.errstate(over="ignore", invalid="ignore"):
            out = np.empty((3, len(toward)))
            for power in range(3):
                out[2 - power] = groups.own_other(groups.total, coefficients * toward**power)[1]
            out[1] += toward * out[2]
            out[0] += toward * (2 * out[1] - toward * out[2])
        return out * (self.scale * np.array([[1.0], [-2.0], [2.0]]))

    def squares(self, coefficients: Vector) -> Vector:
        return 4 * self.scale * self.sums(coefficients)[0]


class QuarterMoments(Moments):
    """φ(u) = (1 - u)²/4."""

    scale = 0.25


class Sweep(Sums):
    """The hinges, functions of v = max(0, 1 - u): sums relative to a threshold that moves along the sorted scores."""

    def __init__(self, groups: Groups, scores: Vector) -> None:
        super().__init__(groups, scores)
        order = np.argsort(scores) if groups.codes is None else np.lexsort((scores, groups.codes))
        above = groups.positive[order]
        self.up, self.down = (self._side(rows) for rows in (order[above], order[~above]))

    def _side(self, rows: Vector) -> tuple[Vector, Vector, Vector]:
        """Rows of a class by group and score, their scores, and where the groups begin."""
        codes = self.groups.codes
        sizes = [len(rows)] if codes is None else np.bincount(codes[rows], minlength=self.groups.size)
        return rows, self.scores[rows], np.append(0, np.cumsum(sizes))

    def swept(self, coefficients: Vector) -> Vector:
        """Σ c v², Σ c v and Σ c over the pairs of each row with v > 0."""
        out = np.empty((3, len(self.scores)))
        for sign, here, there in ((-1.0, self.up, self.down), (1.0, self.down, self.up)):
            rows, found = here[0], np.empty((3, len(here[0])))
            if self.groups.codes is None:
                _pair_kernels.hinge_sweep(sign, here[1], there[1], coefficients[there[0]], found)
            else:
                _pair_kernels.hinge_sweeps(sign, *here[1:], *there[1:], coefficients[there[0]], found)
            for power, values in enumerate(found):
                out[power, rows] = values
        return out


class HingeSweep(Sweep):
    """φ(u) = max(0, 1 - u)."""

    def sums(self, coefficients: Vector) -> Vector:
        out = self.swept(coefficients)
        out[0], out[1], out[2] = out[1], -out[2], 0.0
        return out

    def squares(self, coefficients: Vector) -> Vector:
        return self.swept(coefficients)[2]


class SquaredHingeSweep(Sweep):
    """φ(u) = max(0, 1 - u)²."""

    def sums(self, coefficients: Vector) -> Vector:
        out = self.swept(coefficients)
        out[1] *= -2
        out[2] *= 2
        return out

    def squares(self, coefficients: Vector) -> Vector:
        return 4 * self.swept(coefficients)[0]


class Sketched(Sums):
    """An analytic φ: sketches of both classes in large groups, pair by pair in small ones."""

    kernel: Kernel
    number: int

    def __init__(self, groups: Groups, scores: Vector) -> None:
        super().__init__(groups, scores)
        sizes = groups.sizes
        large = (sizes > SMALL) | (np.abs(scores).max() > FAR)
        self.few: tuple[Vector, Vector] | None = None
        if groups.codes is None and large[0]:
            self.many: list[Any] = [slice(None)]
        else:
            order, bounds = groups.arranged, np.append(0, np.cumsum(sizes))
            self.many = [order[bounds[g] : bounds[g + 1]] for g in np.flatnonzero(large)]
            self.few = order[np.repeat(~large, sizes)], np.append(0, np.cumsum(sizes[~large]))
        self.binned = [binned(scores[rows], groups.positive[rows], 2, kernel=self.kernel) for rows in self.many]

    def sums(self, coefficients: Vector) -> Vector:
        return self._orders(coefficients, slice(0, 3))

    def curvatures(self, coefficients: Vector) -> Vector:
        return self._orders(coefficients, slice(2, 3))[0]

    def _orders(self, coefficients: Vector, orders: slice) -> Vector:
        """Some of the three rows of sums."""
        out = np.zeros((3, len(self.scores)))
        if self.few is not None:
            state = self.groups.positive, self.scores, coefficients
            _pair_kernels.direct_sums(self.number, *self.few, *state, out)
        for rows, bins in zip(self.many, self.binned, strict=True):
            below, above = bins.sketches(coefficients[rows])
            nodes = node_sums(below.places, above, sign=-1), node_sums(above.places, below)
            out[orders, rows] = bins.at_rows([values[orders] for values in nodes])
        return out[orders]

    def derivatives(self, orders: int = 2) -> tuple[Vector, Vector]:
        """As in the base class; for one large group of equal rows in one pass, the means taken at the nodes."""
        if self.groups.mass is not None or self.few is not None:
            return super().derivatives(orders)
        (bins,) = self.binned
        positives = np.count_nonzero(self.groups.positive)
        negatives = len(self.scores) - positives
        below, above = bins.sketches()
        # A quarter of each mean keeps sums finite whose terms are not.
        to_below = node_sums(below.places, above * (0.25 / positives), sign=-1)
        to_above = node_sums(above.places, below * (0.25 / negatives))
        mean = 4 * float(np.sum(above.weights / positives * to_above[0]))
        chosen = slice(1, 1 + orders)
        signs = np.array([[-4 / negatives], [4 / negatives]])[:orders]
        return np.array([mean]), bins.at_rows([to_below[chosen] * signs, to_above[chosen] * (4 / positives)])


class LogisticSums(Sketched):
    """φ(u) = log(1 + e^-u), with (φ')² = -φ' - φ''."""

    kernel, number = LOGISTIC, _pair_kernels.LOGISTIC

    def squares(self, coefficients: Vector) -> Vector:
        _, slope, curvature = self.sums(coefficients)
        return -slope - curvature


class CanonicalExponentialSums(Sketched):
    """φ(u) = √(1 + u²/4) - u/2."""

    kernel, number = CANONICAL_EXPONENTIAL, _pair_kernels.CANONICAL_EXPONENTIAL

    def squares(self, coefficients: Vector) -> Vector:
        """Pair by pair: (φ')² is no combination of φ, φ' and φ'', and only the exact diagonal of a push needs it."""
        out, starts = np.zeros(len(self.scores)), np.append(0, np.cumsum(self.groups.sizes))
        state = self.groups.positive, self.scores, coefficients
        _pair_kernels.direct_squares(self.number, self.groups.arranged, starts, *state, out)
        return out


WAYS: dict[str, type[Sums]] = {
    "logistic": LogisticSums,
    "exponential": Factors,
    "squared": Moments,
    "squared_hinge": SquaredHingeSweep,
    "hinge": HingeSweep,
    "canonical_squared": QuarterMoments,
    "canonical_exponential": CanonicalExponentialSums,
}
