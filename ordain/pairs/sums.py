"""Sums over the pairs of a positive and a negative in the same group, in O(n) or O(n log n), without the pairs.

For coefficients c, every row gets F_k = Σ c_o k(s₊ - s₋) over the rows o of the other class of its group, for k = φ,
φ', φ''. There are four ways, chosen by the loss: factors for the exponential, moments for the squared ones, a sweep
over sorted scores for the hinges, sketches for what is analytic.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np

import ordain.pairs._pair_kernels as _pair_kernels
from ordain._types import Mask, Vector
from ordain.pairs.group_sums import GroupSums, Sketched, Swept
from ordain.pairs.groups import Groups
from ordain.sketch import CANONICAL_EXPONENTIAL, LOGISTIC

SMALL = 200
"""A group of at most this many rows is summed pair by pair: that is faster there."""

SHORT = 512
"""Rows of one group are summed so many at a time, then pairwise."""

FAR = 1e300
"""Scores beyond this have differences that overflow; the sketch is made for that, direct sums are not."""


class Sums(ABC):
    """Kernel sums over the pairs of some groups at given scores of the table."""

    def __init__(self, groups: Groups, table: Vector) -> None:
        self.groups, self.table = groups, table

    @cached_property
    def scores(self) -> Vector:
        """The scores of the rows of the groups."""
        return self.table[self.groups.rows]

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
        return self.curvatures(self.groups.mass)

    def derivatives(self, orders: int = 2) -> tuple[float, Vector]:
        """The risk, and as rows the slope and the curvature at every row of the table."""
        sums = self.sums(self.groups.mass)
        sums *= self.groups.held
        value = float(sums[0][self.groups.positive].sum())
        np.negative(sums[1], out=sums[1], where=~self.groups.positive)
        return value, self.groups.in_table(sums[1 : 1 + orders])

    @property
    def sides(self) -> _pair_kernels.Sides:
        """The rows as the loops over both classes want them."""
        codes = np.zeros(1, np.int64) if self.groups.codes is None else self.groups.codes
        return _pair_kernels.Sides(self.scores, self.groups.positive, codes, int(self.groups.codes is not None))

    def classes(self, *shape: int) -> Vector:
        """Zeros for each class of each group, [class of group, …, piece]: a long sum of equal numbers drifts."""
        pieces = -(-len(self.scores) // SHORT) if self.groups.codes is None else 1
        return np.zeros((2 * self.groups.size, *shape, pieces))

    def tops(self) -> Vector:
        """The largest -s of the positives and s of the negatives in each group."""
        tops = self.classes()
        _pair_kernels.class_tops(self.sides, tops)
        return tops.max(axis=-1)


class Factors(Sums):
    """φ(u) = e^-u: e^(-s₊) Σ c e^(s₋), the largest term taken out first, so that only a true overflow is one."""

    def sums(self, coefficients: Vector) -> Vector:
        tops, totals, out = self.tops(), self.classes(), np.empty((3, len(self.scores)))
        _pair_kernels.factor_totals(self.sides, coefficients, tops, totals)
        _pair_kernels.factor_sums(self.sides, tops, totals.sum(axis=-1), out)
        return out

    def squares(self, coefficients: Vector) -> Vector:
        return Factors(self.groups, 2 * self.table).sums(coefficients)[0]


class Moments(Sums):
    """φ(u) = scale (1 - u)²: three moments of each class, about a middle of its group."""

    scale = 1.0

    def sums(self, coefficients: Vector) -> Vector:
        tops, totals, out = self.tops(), self.classes(3), np.empty((3, len(self.scores)))
        middles = tops[::2] / 2 - tops[1::2] / 2
        _pair_kernels.moment_totals(self.sides, coefficients, middles, totals)
        _pair_kernels.moment_sums(self.sides, middles, self.scale * totals.sum(axis=-1), out)
        return out

    def squares(self, coefficients: Vector) -> Vector:
        return 4 * self.scale * self.sums(coefficients)[0]


class QuarterMoments(Moments):
    """φ(u) = (1 - u)²/4."""

    scale = 0.25


class Grouped(Sums):
    """Any other φ: pair by pair in small groups, and one large group after the other."""

    number: int

    def __init__(self, groups: Groups, table: Vector) -> None:
        super().__init__(groups, table)
        small = SMALL if max(-table.min(), table.max()) <= FAR else 0
        self.cut = groups.cut(small)
        self.many = [self.group(self.scores[rows], groups.positive[rows]) for rows in self.cut.many]

    @abstractmethod
    def group(self, scores: Vector, positive: Mask) -> GroupSums:
        """The sums of one large group."""

    def sums(self, coefficients: Vector) -> Vector:
        return self._orders(coefficients, slice(0, 3))

    def curvatures(self, coefficients: Vector) -> Vector:
        return self._orders(coefficients, slice(2, 3))[0]

    def _orders(self, coefficients: Vector, orders: slice) -> Vector:
        """Some of the three rows of sums."""
        if self.groups.codes is None and self.many:
            return self.many[0].sums(coefficients, orders)
        out = np.zeros((3, len(self.scores)))
        _pair_kernels.direct_sums(self.number, self.cut.few, self.scores, coefficients, out)
        for rows, group in zip(self.cut.many, self.many, strict=True):
            out[orders, rows] = group.sums(coefficients[rows], orders)
        return out[orders]

    def derivatives(self, orders: int = 2) -> tuple[float, Vector]:
        """As in the base class; without weights straight into the table."""
        groups = self.groups
        if groups.weights is not None:
            return super().derivatives(orders)
        if groups.is_table and self.many:
            return self.many[0].derivatives(orders)
        values, out = np.zeros(_pair_kernels.PIECES), np.zeros((orders, groups.length))
        _pair_kernels.even_pairs(self.number, self.cut.in_table, self.table, 1 / groups.whole, values, out)
        value = float(values.sum())
        for share, rows, group in zip(groups.shares[self.cut.large], self.cut.many, self.many, strict=True):
            mean, slopes = group.derivatives(orders)
            value += share * mean
            out[:, groups.place(rows)] = share * slopes
        return value, out


class HingeSums(Grouped):
    """φ(u) = max(0, 1 - u), with (φ')² = -φ'."""

    number = _pair_kernels.HINGE

    def group(self, scores: Vector, positive: Mask) -> GroupSums:
        return Swept(1, scores, positive)

    def squares(self, coefficients: Vector) -> Vector:
        return -self.sums(coefficients)[1]


class SquaredHingeSums(Grouped):
    """φ(u) = max(0, 1 - u)², with (φ')² = 4φ."""

    number = _pair_kernels.SQUARED_HINGE

    def group(self, scores: Vector, positive: Mask) -> GroupSums:
        return Swept(2, scores, positive)

    def squares(self, coefficients: Vector) -> Vector:
        return 4 * self.sums(coefficients)[0]


class LogisticSums(Grouped):
    """φ(u) = log(1 + e^-u), with (φ')² = -φ' - φ''."""

    number = _pair_kernels.LOGISTIC

    def group(self, scores: Vector, positive: Mask) -> GroupSums:
        return Sketched(LOGISTIC, scores, positive)

    def squares(self, coefficients: Vector) -> Vector:
        _, slope, curvature = self.sums(coefficients)
        return -slope - curvature


class CanonicalExponentialSums(Grouped):
    """φ(u) = √(1 + u²/4) - u/2."""

    number = _pair_kernels.CANONICAL_EXPONENTIAL

    def group(self, scores: Vector, positive: Mask) -> GroupSums:
        return Sketched(CANONICAL_EXPONENTIAL, scores, positive)

    def squares(self, coefficients: Vector) -> Vector:
        """Pair by pair: (φ')² is no combination of φ, φ' and φ'', and only the exact diagonal of a push needs it."""
        out = np.zeros(len(self.scores))
        everything = self.groups.cut(len(self.scores)).few
        _pair_kernels.direct_squares(self.number, everything, self.scores, coefficients, out)
        return out


WAYS: dict[str, type[Sums]] = {
    "logistic": LogisticSums,
    "exponential": Factors,
    "squared": Moments,
    "squared_hinge": SquaredHingeSums,
    "hinge": HingeSums,
    "canonical_squared": QuarterMoments,
    "canonical_exponential": CanonicalExponentialSums,
}
