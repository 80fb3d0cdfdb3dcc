"""Sums over all pairs of one large group: by sketches for an analytic φ, by sorted scores for the hinges."""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

import numpy as np

import ordain.pairs._hinge_kernels as _hinge_kernels
from ordain._compiled import PIECE
from ordain._types import Mask, Vector
from ordain.pairs._hinge_kernels import STEPS, Ladder
from ordain.sketch import Kernel, binned, node_sums

ALL = slice(0, 3)
FINENESS = 4
"""Buckets for each block of a ladder."""


class GroupSums(Protocol):
    """The sums of one group of rows at given scores."""

    def sums(self, coefficients: Vector, orders: slice = ALL) -> Vector:
        """Σ c k(s₊ - s₋) over the other class for some of k = φ, φ', φ'', as rows."""

    def derivatives(self, orders: int) -> tuple[float, Vector]:
        """The mean of φ over the pairs, and as rows the slopes and the curvatures of that mean."""


class Sketched:
    """An analytic φ: sketches of both classes."""

    def __init__(self, kernel: Kernel, scores: Vector, positive: Mask) -> None:
        self.positive = positive
        self.bins = binned(scores, positive, 2, kernel=kernel)

    def sums(self, coefficients: Vector, orders: slice = ALL) -> Vector:
        below, above = self.bins.sketches(coefficients)
        nodes = node_sums(below.places, above, sign=-1), node_sums(above.places, below)
        return self.bins.at_rows([values[orders] for values in nodes])

    def derivatives(self, orders: int) -> tuple[float, Vector]:
        """In one pass over the rows: the means are taken at the nodes."""
        positives = np.count_nonzero(self.positive)
        negatives = len(self.positive) - positives
        below, above = self.bins.sketches()
        # A quarter of each mean keeps sums finite whose terms are not.
        to_below = node_sums(below.places, above * (0.25 / positives), sign=-1)
        to_above = node_sums(above.places, below * (0.25 / negatives))
        mean = 4 * float(np.sum(above.weights / positives * to_above[0]))
        del below, above
        to_below *= np.array([[0], [-4 / negatives], [4 / negatives]])
        to_above *= 4 / positives
        return mean, self.bins.at_rows([to_below[1 : 1 + orders], to_above[1 : 1 + orders]])


class Swept:
    """φ(u) = max(0, 1 - u)^power: sums relative to a threshold that moves along the sorted scores."""

    def __init__(self, power: int, scores: Vector, positive: Mask) -> None:
        self.power, self.scores, self.positive = power, scores, positive

    @cached_property
    def orders(self) -> tuple[Vector, Vector]:
        """Negatives and positives, lowest score first."""
        order = np.argsort(self.scores)
        above = self.positive[order]
        return order[~above], order[above]

    def sums(self, coefficients: Vector, orders: slice = ALL) -> Vector:
        out, (below, above) = np.empty((3, len(self.scores))), self.orders
        for sign, here, there in ((1, below, above), (-1, above[::-1], below[::-1])):
            x, y = sign * self.scores[here], sign * self.scores[there]
            _hinge_kernels.sweep(x, here, y, coefficients[there], out)
        if self.power == 1:
            out[0], out[1], out[2] = out[1], -out[2], 0.0
        else:
            out[1] *= -2
            out[2] *= 2
        return out[orders]

    def derivatives(self, orders: int) -> tuple[float, Vector]:
        """From ladders of the sorted scores of each class, where every row looks up its sums: no rows are sorted."""
        ladders = _ladder(self.scores[self.positive]), _ladder(-self.scores[~self.positive])
        values, out = np.zeros(-(-len(self.scores) // PIECE)), np.empty((orders, len(self.scores)))
        _hinge_kernels.climb(self.power, self.scores, self.positive, *ladders, values, out)
        return float(values.sum()), out


def _ladder(y: Vector) -> Ladder:
    """The ladder of these scores, which are sorted in place."""
    y.sort()
    blocks = -(-len(y) // STEPS)
    before = np.empty(FINENESS * blocks + 1, np.int32)
    half = 0.5 * y[-1] - 0.5 * y[0]
    scale = (len(before) - 1) / half if half > 1e-290 else 0.0
    ladder = Ladder(np.empty((blocks, STEPS + 2)), before, 0.5 * y[0], scale, len(y))
    _hinge_kernels.raise_ladder(y, ladder)
    return ladder
