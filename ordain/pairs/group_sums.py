"""Sums over all pairs of one large group: by sketches for an analytic φ, by sorted scores for the hinges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, reduce
from operator import add
from typing import NamedTuple, Protocol

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


class Extent(NamedTuple):
    """Of a group, wherever its rows are: the least and the greatest score, and how many rows each class has."""

    low: float
    high: float
    negatives: int
    positives: int


class Sketches(NamedTuple):
    """Sketches of both classes of a group: of the rows that are here, and of all."""

    here: list[Sketch]
    everywhere: list[Sketch]


class GroupSums(Protocol):
    """The sums of one group of rows at given scores, from its sketches if it has some."""

    on_grid: bool

    def sketches(self, coefficients: Vector | None = None) -> list[Sketch]:
        """Of the rows that are here; none where they are of no use."""

    def sums(self, coefficients: Vector, sketches: Sketches, orders: slice = ALL) -> Vector:
        """Σ c k(s₊ - s₋) over the other class for some of k = φ, φ', φ'', as rows."""

    def derivatives(self, sketches: Sketches, orders: int) -> tuple[float, Vector]:
        """The mean of φ over the pairs, and as rows the slopes and the curvatures of that mean.

        Of the mean it is the part of the positives that are here.
        """


def sketched(groups: Sequence[GroupSums], coefficients: Iterable[Vector | None], engine: Engine) -> Iterator[Sketches]:
    """The sketches of each group, one after the other where all rows are here; else all are added at once."""
    here = (group.sketches(of) for group, of in zip(groups, coefficients, strict=True))
    if engine.alone:
        return (Sketches(own, own) for own in here)
    found = list(here)
    return map(Sketches, found, _of_all(found, [group.on_grid for group in groups], engine))


def _of_all(here: list[list[Sketch]], on_grid: list[bool], engine: Engine) -> Iterator[list[Sketch]]:
    """The sketches of all rows: on a common grid their weights add, otherwise their points are merged."""
    even = [sketch for group, common in zip(here, on_grid, strict=True) if common for sketch in group]
    odd = [sketch for group, common in zip(here, on_grid, strict=True) if not common for sketch in group]
    added, merged = _added(even, engine), _merged(odd, engine)
    for group, common in zip(here, on_grid, strict=True):
        yield [next(added if common else merged) for _ in group]


def _added(sketches: list[Sketch], engine: Engine) -> Iterator[Sketch]:
    """With the weights of all workers; their points are the same."""
    if sketches:
        weights = engine.sum(np.concatenate([sketch.weights for sketch in sketches]))
        ends = np.cumsum([len(sketch.weights) for sketch in sketches])
        for sketch, row in zip(sketches, np.split(weights, ends[:-1]), strict=True):
            yield replace(sketch, weights=row)


def _merged(sketches: list[Sketch], engine: Engine) -> Iterator[Sketch]:
    """Each with those of the other workers."""
    if sketches:
        arrays = [sketch.to_array() for sketch in sketches]
        lengths = engine.parts(np.array([len(array) for array in arrays]))
        parts = zip(engine.parts(np.concatenate(arrays)), lengths, strict=True)
        for of in zip(*(np.split(part, np.cumsum(ends)[:-1]) for part, ends in parts), strict=True):
            yield reduce(add, map(Sketch.from_array, of))


class Sketched:
    """An analytic φ: sketches of both classes."""

    def __init__(self, pairing: Pairing, scores: Vector, positive: Mask, extent: Extent) -> None:
        self.extent, kernel = extent, ANALYTIC[pairing.name]
        rows = extent.negatives + extent.positives
        span = grid_span(kernel, extent.low, extent.high, rows, 2)
        self.on_grid = span is not None
        self.bins = binned(scores, positive, 2, kernel=kernel, span=span)

    def sketches(self, coefficients: Vector | None = None) -> list[Sketch]:
        return self.bins.sketches(coefficients)

    def sums(self, coefficients: Vector, sketches: Sketches, orders: slice = ALL) -> Vector:
        here, (below, above) = sketches
        nodes = node_sums(here[0].places, above, sign=-1), node_sums(here[1].places, below)
        return self.bins.at_rows([values[orders] for values in nodes])

    def derivatives(self, sketches: Sketches, orders: int) -> tuple[float, Vector]:
        """In one pass over the rows: the means are taken at the nodes."""
        here, (below, above) = sketches
        negatives, positives = self.extent.negatives, self.extent.positives
        # A quarter of each mean keeps sums finite whose terms are not.
        to_below = node_sums(here[0].places, above * (0.25 / positives), sign=-1)
        to_above = node_sums(here[1].places, below * (0.25 / negatives))
        mean = 4 * float(np.sum(here[1].weights / positives * to_above[0]))
        to_below *= np.array([[0], [-4 / negatives], [4 / negatives]])
        to_above *= 4 / positives
        return mean, self.bins.at_rows([to_below[1 : 1 + orders], to_above[1 : 1 + orders]])


class Swept:
    """φ(u) = max(0, 1 - u)^power: sums relative to a threshold that moves along the sorted scores."""

    on_grid = False

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

    def sketches(self, coefficients: Vector | None = None) -> list[Sketch]:
        return []

    def sums(self, coefficients: Vector, sketches: Sketches, orders: slice = ALL) -> Vector:
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

    def derivatives(self, sketches: Sketches, orders: int) -> tuple[float, Vector]:
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
