"""Folds of rows by hashes of their numbers: each has a pair and its share of every class, and splits no unit."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ordain._types import Mask, Vector
from ordain.engine import LOCAL, Engine
from ordain.rows.draw import first, hashes, strata

LEAST = 3
"""With fewer units on one side of the pairs there are no folds: nothing could be compared."""


class Units(NamedTuple):
    """What stays together in folds: a row, a group whose pairs count, or a cluster such as all rows of a person.

    Every label is low or high, cut where the smaller side is largest: two classes are the two sides. A fold in which
    some unit has the low side and some unit the high one has a pair; only pairs within a group count where there are
    groups, so there a unit has both sides if a group in it has a pair, and none otherwise.
    """

    of: Vector  # the unit of every row
    low: Mask  # for every unit
    high: Mask
    kind: Vector  # units of one kind are dealt evenly; those with the low side come together, so do those with the high
    size: Vector  # of one kind those of about the same size

    @classmethod
    def make(
        cls, classes: Vector, weights: Any = None, groups: Any = None, clusters: Any = None, engine: Engine = LOCAL
    ) -> Units:
        """The units of rows; rows without weight are in no pair.

        With many workers a group or a cluster is with one of them, its number is the same everywhere, and all numbers
        occur: what is known of units is that of all workers, and `of` tells of the rows here.
        """
        counts = np.ones(len(classes), bool) if weights is None else weights > 0
        high, codes = sides(classes, counts, engine)
        if groups is not None:
            of = groups if clusters is None else _joined(groups, clusters)
            paired = _totals(of, has_pair(groups, codes, counts)[groups], engine) > 0
            return cls(of, paired, paired, np.where(paired, 1, -1), _digits(_totals(of, None, engine)))
        if clusters is not None:
            lows, highs = (_totals(clusters, side & counts, engine) for side in (~high, high))
            rare = highs if highs.sum() <= lows.sum() else lows
            kind = np.where(lows > 0, highs > 0, 2 - 3 * (highs == 0))  # low, both, high; none before all
            size = _digits(np.where(rare > 0, rare, _totals(clusters, None, engine)))
            return cls(clusters, lows > 0, highs > 0, kind, size)
        drawn_from = strata(classes)
        kind = np.where(counts, (drawn_from if drawn_from.any() else high).astype(np.intp), -1)
        return cls(np.arange(len(classes)), ~high & counts, high & counts, kind, np.zeros(len(classes)))

    @property
    def least(self) -> int:
        """The most folds of which each can have both sides."""
        return int(min(np.count_nonzero(self.low), np.count_nonzero(self.high)))

    def dealt(self, count: int, seed: int = 0) -> Vector:
        """The fold of every row: units are dealt by kind, size and hash, so each fold has its share of all."""
        fold = np.empty(len(self.kind), np.intp)
        order = np.lexsort((hashes(np.arange(len(fold)), seed), self.size, self.kind))
        fold[order] = np.arange(len(fold)) % count
        return fold[self.of]

    def held(self, share: float, seed: int = 0) -> Mask | None:
        """The rows of about this share of the units of each kind; None where a part would be without a pair."""
        held = np.zeros(len(self.kind), bool)
        for kind in np.unique(self.kind):
            members = np.flatnonzero(self.kind == kind)
            held[first(members, min(max(1, round(share * len(members))), len(members) - 1), seed)] = True
        paired = all(side[part].any() for side in (self.low, self.high) for part in (held, ~held))
        return held[self.of] if paired else None


def folds(units: Units, count: int, seed: int = 0) -> list[tuple[Vector, Vector]]:
    """Rows to fit to and rows to measure on, `count` times or as often as the rarer side has units.

    Each fold has a pair, and so have the others together. Empty with fewer than LEAST units on a side.
    """
    count = min(count, units.least)
    if count < LEAST:
        return []
    fold = units.dealt(count, seed)
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(count)]


def has_pair(groups: Vector, codes: Vector, counts: Mask | None = None) -> Mask:
    """For every group whether two rows in it differ in their label."""
    inside, codes = (groups, codes) if counts is None else (groups[counts], codes[counts])
    some = np.zeros(int(groups.max()) + 1, codes.dtype)
    some[inside] = codes
    return np.bincount(inside, codes != some[inside], len(some)) > 0


def sides(classes: Vector, counts: Mask, engine: Engine = LOCAL) -> tuple[Mask, Vector]:
    """Where the label is high, and labels as whole numbers in their order."""
    values = engine.distinct(classes)
    codes = np.searchsorted(values, classes)
    below = np.cumsum(engine.sum(np.bincount(codes[counts], minlength=len(values))))
    return codes > np.argmax(np.minimum(below, below[-1] - below)), codes


def _totals(codes: Vector, amounts: Any, engine: Engine) -> Vector:
    """The sum of amounts, or of ones, of every unit."""
    return engine.sum(np.bincount(codes, amounts, int(engine.max(int(codes.max()))) + 1))


def _joined(groups: Vector, clusters: Vector) -> Vector:
    """The parts of a table between which no group and no cluster is split."""
    from scipy.sparse.csgraph import connected_components

    nodes = int(groups.max()) + 1, int(clusters.max()) + 1
    edges = sparse.coo_array((np.ones(len(groups)), (groups, nodes[0] + clusters)), (sum(nodes), sum(nodes)))
    return np.unique(connected_components(edges, directed=False)[1][groups], return_inverse=True)[1]


def _digits(size: Vector) -> Vector:
    """How many binary digits a size has."""
    return np.frexp(size)[1]
