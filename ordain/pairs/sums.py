"""Sums over the pairs of a positive and a negative in the same group, in O(n) or O(n log n), without the pairs.

For coefficients c, every row gets F_k = Σ c_o k(s₊ - s₋) over the rows o of the other class of its group, for k = φ,
φ', φ''. There are four ways, and the loss says which one is its own: factors for the exponential, moments for the
squared ones, a sweep over sorted scores for the hinges, sketches for what is analytic.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property, reduce

import numpy as np

import ordain.pairs._pair_kernels as _pair_kernels
from ordain._types import Vector
from ordain.losses import Pairing
from ordain.losses.pairing import Way
from ordain.pairs.group_sums import Extent, GroupSums, Sketched, Sketches, Swept, sketched
from ordain.pairs.groups import Groups

SMALL = 200
"""A group of at most this many rows is summed pair by pair: that is faster there."""

SHORT = 512
"""Rows of one group are summed so many at a time, then pairwise."""

BENT = slice(2, 3)
"""Of the sums with φ, φ' and φ'' the last."""

FAR = 1e300
"""Scores beyond this have differences that overflow; the sketch is made for that, direct sums are not."""


class Sums(ABC):
    """Kernel sums over the pairs of some groups at given scores of the table."""

    def __init__(self, pairing: Pairing, groups: Groups, table: Vector) -> None:
        self.pairing, self.groups, self.table = pairing, groups, table
        self._curvature: Vector | None = None

    @cached_property
    def scores(self) -> Vector:
        """The scores of the rows of the groups."""
        return self.table[self.groups.rows]

    @abstractmethod
    def sums(self, coefficients: Vector) -> Vector:
        """Σ c k(s₊ - s₋) over the other class of each row's group, k = φ, φ', φ'', as three rows."""

    def squares(self, coefficients: Vector) -> Vector:
        """The same for k = (φ')², which the curvature of the push has."""
        square = self.pairing.form.square
        if square is None:
            return self._square_by_square(coefficients)
        rows = zip(square, self.sums(coefficients), strict=True)
        return reduce(np.add, [factor * row for factor, row in rows if factor])

    def _square_by_square(self, coefficients: Vector) -> Vector:
        """Pair by pair, where (φ')² is no combination of φ, φ' and φ'': only the exact diagonal of a push needs it."""
        number, groups, engine = _pair_kernels.NUMBERS[self.pairing.name], self.groups, self.groups.engine
        scores, here = self.scores, slice(None)
        if not engine.alone:
            groups, here = groups.together()
            scores, coefficients = engine.together(scores), engine.together(coefficients)
        out = np.zeros(len(scores))
        _pair_kernels.direct_squares(number, groups.cut(len(scores)).few, scores, coefficients, out)
        return out[here]

    def curvatures(self, coefficients: Vector) -> Vector:
        """The same for k = φ'' alone."""
        return self.sums(coefficients)[2]

    def curvature(self) -> Vector:
        """`curvatures` of the means over the other class; kept, but by no lock that workers could wait at."""
        if self._curvature is None:
            self._curvature = self.curvatures(self.groups.mass)
        return self._curvature

    def derivatives(self, orders: int = 2) -> tuple[float, Vector]:
        """The risk, and as rows the slope and the curvature at every row of the table.

        Of the risk it is the part of the positives that are here.
        """
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
        return np.zeros((2 * self.groups.size, *shape, max(1, pieces)))

    def totals(self, pieces: Vector) -> Vector:
        """The sums of `classes` over all their pieces, and over all rows."""
        return self.groups.engine.sum(pieces.sum(axis=-1))

    def tops(self) -> Vector:
        """The largest -s of the positives and s of the negatives in each group."""
        tops = self.classes()
        _pair_kernels.class_tops(self.sides, tops)
        return self.groups.engine.max(tops.max(axis=-1))


class Factors(Sums):
    """φ(u) = e^-u: e^(-s₊) Σ c e^(s₋), the largest term taken out first, so that only a true overflow is one."""

    def sums(self, coefficients: Vector) -> Vector:
        tops, totals, out = self.tops(), self.classes(), np.empty((3, len(self.scores)))
        _pair_kernels.factor_totals(self.sides, coefficients, tops, totals)
        _pair_kernels.factor_sums(self.sides, tops, self.totals(totals), out)
        return out

    def squares(self, coefficients: Vector) -> Vector:
        return Factors(self.pairing, self.groups, 2 * self.table).sums(coefficients)[0]  # (φ')²(u) = φ(2u)


class Moments(Sums):
    """φ(u) = scale (1 - u)²: three moments of each class, about a middle of its group."""

    def sums(self, coefficients: Vector) -> Vector:
        tops, totals, out = self.tops(), self.classes(3), np.empty((3, len(self.scores)))
        middles = tops[::2] / 2 - tops[1::2] / 2
        _pair_kernels.moment_totals(self.sides, coefficients, middles, totals)
        _pair_kernels.moment_sums(self.sides, middles, self.pairing.form.scale * self.totals(totals), out)
        return out


class Grouped(Sums):
    """Any other φ: pair by pair in small groups, and one large group after the other."""

    def __init__(self, pairing: Pairing, groups: Groups, table: Vector) -> None:
        super().__init__(pairing, groups, table)
        self.number, self.cut = _pair_kernels.NUMBERS[pairing.name], groups.cut(self._small())
        large = [(pairing, self.scores[rows], groups.positive[rows]) for rows in self.cut.many]
        self.many: list[GroupSums]
        if pairing.form.way == "sweep":
            self.many = [Swept(*of, groups.engine) for of in large]
        else:
            self.many = [Sketched(*of, extent) for of, extent in zip(large, self._extents(), strict=True)]

    def _extents(self) -> list[Extent]:
        """The ends and the rows of each large group, over all workers; some may have none of its rows."""
        scores = [self.scores[rows] for rows in self.cut.many]
        ends = [[-np.min(part, initial=np.inf), np.max(part, initial=-np.inf)] for part in scores]
        ends = self.groups.engine.max(np.array(ends, dtype=float).reshape(-1, 2))
        return [Extent(-float(low), float(high), *of) for (low, high), of in zip(ends, self.cut.counts, strict=True)]

    def _sketched(self, coefficients: Sequence[Vector | None]) -> Iterator[Sketches]:
        """The sketches of each large group."""
        return sketched(self.many, coefficients, self.groups.engine)

    def _small(self) -> int:
        """The size up to which a group is small: none is that is with several workers, or has scores too far apart."""
        if not self.groups.engine.alone:
            return -1
        if self.groups.codes is None and len(self.groups.positive) > SMALL:
            return SMALL
        return SMALL if max(-self.table.min(), self.table.max()) <= FAR else 0

    def sums(self, coefficients: Vector) -> Vector:
        return self._orders(coefficients, slice(0, 3))

    def curvatures(self, coefficients: Vector) -> Vector:
        return self._orders(coefficients, BENT)[0]

    def _orders(self, coefficients: Vector, orders: slice) -> Vector:
        """Some of the three rows of sums."""
        if self.groups.codes is None and self.many:
            return self.many[0].sums(coefficients, next(self._sketched([coefficients])), orders)
        out, few = np.zeros((3, len(self.scores))), self.cut.few
        if orders == BENT:
            _pair_kernels.direct_curvatures(self.number, few, _largest(few), self.scores, coefficients, out[2])
        else:
            _pair_kernels.direct_sums(self.number, few, self.scores, coefficients, out)
        parts = [coefficients[rows] for rows in self.cut.many]
        for rows, part, group, of in zip(self.cut.many, parts, self.many, self._sketched(parts), strict=True):
            out[orders, rows] = group.sums(part, of, orders)
        return out[orders]

    def derivatives(self, orders: int = 2) -> tuple[float, Vector]:
        """As in the base class; without weights straight into the table."""
        groups = self.groups
        if groups.weights is not None:
            return super().derivatives(orders)
        if groups.is_table and self.many:
            return self.many[0].derivatives(next(self._sketched([None])), orders)
        values, out = np.zeros(_pair_kernels.PIECES), np.zeros((orders, groups.length))
        table = self.cut.in_table
        _pair_kernels.even_pairs(self.number, table, _largest(table), self.table, 1 / groups.whole, values, out)
        value = float(values.sum())
        shares, of_all = groups.shares[self.cut.large], self._sketched([None] * len(self.many))
        for share, rows, group, of in zip(shares, self.cut.many, self.many, of_all, strict=True):
            mean, slopes = group.derivatives(of, orders)
            value += share * mean
            out[:, groups.place(rows)] = share * slopes
        return value, out


def _largest(groups: _pair_kernels.Arranged) -> int:
    """The rows of the largest group."""
    return int(np.diff(groups.starts).max(initial=0))


WAYS: dict[Way, type[Sums]] = {"factors": Factors, "moments": Moments, "sweep": Grouped, "sketch": Grouped}
