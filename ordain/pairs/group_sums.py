"""Sums over all pairs of one large group: by sketches for an analytic φ, by sorted scores for the hinges."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, reduce
from operator import add
from typing import Protocol

import numpy as np

import ordain.pairs._hinge_kernels as _hinge_kernels
from ordain._compiled import PIECE
from ordain._types import Mask, Vector
from ordain.engine import Engine
from ordain.losses import Pairing
from ordain.pairs._hinge_kernels import STEPS, Ladder
from ordain.sketch import KERNELS, Sketch, binned, grid_span, node_sums

ALL = slice(0, 3)
ANALYTIC = {kernel.name: kernel for kernel in KERNELS}
FINENESS = 4
"""Buckets for each block of a ladder."""


class GroupSums(Protocol):
    """The sums of one group of rows at given scores."""

    def sums(self, coefficients: Vector, orders: slice = ALL) -> Vector:
        """Σ c k(s₊ - s₋) over the other class for some of k = φ, φ', φ'', as rows."""

    def derivatives(self, orders: int) -> tuple[float, Vector]:
        """The mean of φ over the pairs, and as rows the slopes and the curvatures of that mean.

        Of the mean it is the part of the positives that are here.
        """


class Sketched:
    """An analytic φ: sketches of both classes."""

    def __init__(self, pairing: Pairing, scores: Vector, positive: Mask, engine: Engine) -> None:
        self.positive, self.engine, kernel = positive, engine, ANALYTIC[pairing.name]
        low, high = engine.min(scores.min(initial=np.inf)), engine.max(scores.max(initial=-np.inf))
        self.span = grid_span(kernel, low, high, engine.sum(len(scores)), 2)
        self.bins = binned(scores, positive, 2, kernel=kernel, span=self.span)

    def sums(self, coefficients: Vector, orders: slice = ALL) -> Vector:
        here = self.bins.sketches(coefficients)
        below, above = self._of_all(here)
        nodes = node_sums(here[0].places, above, sign=-1), node_sums(here[1].places, below)
        return self.bins.at_rows([values[orders] for values in nodes])

    def derivatives(self, orders: int) -> tuple[float, Vector]:
        """In one pass over the rows: the means are taken at the nodes."""
        positives = np.count_nonzero(self.positive)
        positives, negatives = self.engine.sum(np.array([positives, len(self.positive) - positives]))
        here = self.bins.sketches()
        below, above = self._of_all(here)
        # A quarter of each mean keeps sums finite whose terms are not.
        to_below = node_sums(here[0].places, above * (0.25 / positives), sign=-1)
        to_above = node_sums(here[1].places, below * (0.25 / negatives))
        mean = 4 * float(np.sum(here[1].weights / positives * to_above[0]))
        del here, below, above
        to_below *= np.array([[0], [-4 / negatives], [4 / negatives]])
        to_above *= 4 / positives
        return mean, self.bins.at_rows([to_below[1 : 1 + orders], to_above[1 : 1 + orders]])

    def _of_all(self, here: list[Sketch]) -> list[Sketch]:
        """The sketches of all rows: on a common grid their weights add, otherwise their points are merged."""
        if self.engine.alone:
            return here
        if self.span is not None:
            weights = self.engine.sum(np.stack([sketch.weights for sketch in here]))
            return [replace(sketch, weights=row) for sketch, row in zip(here, weights, strict=True)]
        return [reduce(add, map(Sketch.from_array, self.engine.parts(sketch.to_array()))) for sketch in here]


class Swept:
    """φ(u) = max(0, 1 - u)^power: sums relative to a threshold that moves along the sorted scores."""

    def __init__(self, pairing: Pairing, scores: Vector, positive: Mask, engine: Engine) -> None:
        self.power, self.scores, self.positive, self.engine = pairing.form.power, scores, positive, engine
        self._all: tuple[Vector, tuple[Vector, Vector]] | None = None

    @cached_property
    def orders(self) -> tuple[Vector, Vector]:
        """Negatives and positives, lowest score first."""
        return _orders(self.scores, self.positive)

    def all(self) -> tuple[Vector, tuple[Vector, Vector]]:
        """The scores of all rows, and their orders; kept."""
        if self._all is None and self.engine.alone:
            self._all = self.scores, self.orders
        elif self._all is None:
            scores, positive = self.engine.together(self.scores), self.engine.together(self.positive)
            self._all = scores, _orders(scores, positive)
        return self._all

    def sums(self, coefficients: Vector, orders: slice = ALL) -> Vector:
        out, (below, above) = np.empty((3, len(self.scores))), self.orders
        scores, (all_below, all_above) = self.all()
        coefficients = self.engine.together(coefficients)
        for sign, here, there in ((1, below, all_above), (-1, above[::-1], all_below[::-1])):
            x, y = sign * self.scores[here], sign * scores[there]
            _hinge_kernels.sweep(x, here, y, coefficients[there], out)
        if self.power == 1:
            out[0], out[1], out[2] = out[1], -out[2], 0.0
        else:
            out[1] *= -2
            out[2] *= 2
        return out[orders]

    def derivatives(self, orders: int) -> tuple[float, Vector]:
        """From ladders of the sorted scores of each class, where every row looks up its sums: no rows are sorted."""
        together = self.engine.together
        ladders = _ladder(together(self.scores[self.positive])), _ladder(together(-self.scores[~self.positive]))
        values, out = np.zeros(-(-len(self.scores) // PIECE)), np.empty((orders, len(self.scores)))
        _hinge_kernels.climb(self.power, self.scores, self.positive, *ladders, values, out)
        return float(values.sum()), out


def _orders(scores: Vector, positive: Mask) -> tuple[Vector, Vector]:
    """Negatives and positives, lowest score first."""
    order = np.argsort(scores)
    above = positive[order]
    return order[~above], order[above]


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
