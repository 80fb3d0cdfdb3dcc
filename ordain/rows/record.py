"""The record of rows that everything is learned from: features, labels, and what belongs to each row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from ordain._checks import check_codes
from ordain._types import Vector
from ordain.engine import LOCAL, Engine
from ordain.measure import auc
from ordain.measure.spread_area import spread_auc
from ordain.rows.draw import KINDS, drawn, drawn_groups, hashes, shared, strata
from ordain.rows.folds import Units, has_pair


@dataclass(frozen=True)
class Rows:
    """Rows to learn from. Only pairs within a group count; rows of one cluster, such as a person, stay together.

    Parameters
    ----------
    features : frame or matrix
        One row each, as a table has them or as a learner takes them.
    labels : array
        True where a row is positive; or grades.
    weights, groups, clusters : arrays, optional
        What belongs to each row.
    graded : bool
        Whether labels are grades, larger being better.
    engine : Engine
        Where rows are combined: with one of many workers, these are the rows of one of them.
    numbers : array, optional
        Their numbers among the rows of all workers then.

    Examples
    --------
    >>> rows = Rows(np.arange(4.0)[:, None], np.array([True, False, True, False]))
    >>> len(rows.take(np.array([0, 3]))), rows.auc(np.array([3.0, 2.0, 1.0, 0.0]))
    (2, 0.75)
    """

    features: Any
    labels: Vector
    weights: Vector | None = None
    groups: Vector | None = None
    graded: bool = False
    clusters: Vector | None = None
    engine: Engine = LOCAL
    numbers: Vector | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, rows: Vector) -> Rows:
        """Some of the rows."""
        features = (self.features.iloc if hasattr(self.features, "iloc") else self.features)[rows]
        of = (self.weights, self.groups, self.clusters, self.numbers)
        weights, groups, clusters, numbers = (None if one is None else one[rows] for one in of)
        return Rows(features, self.labels[rows], weights, groups, self.graded, clusters, self.engine, numbers)

    @property
    def total(self) -> int:
        """How many there are with all workers."""
        return int(self.engine.sum(len(self)))

    def some(self, most: int, seed: int = 0) -> Rows:
        """At most about so many rows that stand for all: of each class with weights, or whole groups."""
        if not self.engine.alone:
            return _gathered(self, most, seed)
        if len(self) <= most:
            return self
        if self.groups is not None:
            groups = check_codes(self.groups, len(self), "groups")
            return self.take(drawn_groups(groups, has_pair(groups, self.labels), most, seed))
        rows, weights = drawn(self.labels, most, seed)
        part = self.take(rows)
        return replace(part, weights=weights if part.weights is None else weights * part.weights)

    @property
    def counts(self) -> Vector:
        """How many rows there are of each class that is drawn from."""
        if self.engine.alone:
            return np.bincount(strata(self.labels))
        kinds = self.engine.distinct(self.labels)
        if len(kinds) > KINDS:
            return np.array([self.total])
        return self.engine.sum(np.bincount(np.searchsorted(kinds, self.labels), minlength=len(kinds)))

    @property
    def share(self) -> float:
        """The share of the positives in the weight of all rows."""
        weights = np.ones(len(self)) if self.weights is None else self.weights
        shares = weights / self.engine.sum(weights.sum())
        return float(self.engine.sum(shares[self.labels].sum()))

    @property
    def is_list(self) -> bool:
        """Whether there is one list of two classes, all rows weighing the same."""
        return not self.graded and self.weights is None and self.groups is None

    @cached_property
    def units(self) -> Units:
        """What stays together in folds."""
        of = {"groups": self.groups, "clusters": self.clusters}
        codes = {name: None if of is None else check_codes(of, len(self), name) for name, of in of.items()}
        return Units.make(self.labels, self.weights, **codes)

    def auc(self, scores: Vector) -> float:
        """The AUC of scores of these rows."""
        of: dict[str, Any] = {"weights": self.weights, "groups": self.groups, "graded": self.graded}
        if not self.engine.alone:
            return spread_auc(self.labels, scores, **of, engine=self.engine)
        return auc(self.labels, scores, **of)


def _gathered(rows: Rows, most: int, seed: int) -> Rows:
    """The rows that :meth:`Rows.some` draws from those of all workers, here."""
    if rows.groups is not None:
        raise ValueError("rows with groups must be on one machine to draw from them. Got several. Name the settings.")
    assert rows.numbers is not None
    engine, kinds = rows.engine, rows.engine.distinct(rows.labels)
    codes = np.searchsorted(kinds, rows.labels) if len(kinds) <= KINDS else np.zeros(len(rows), np.int64)
    counts = engine.sum(np.bincount(codes, minlength=int(engine.max(codes.max())) + 1))
    taken = counts if counts.sum() <= most else shared(counts, most)
    keys, chosen = hashes(rows.numbers, seed), []
    for code, count in enumerate(taken.tolist()):
        own = np.flatnonzero(codes == code)
        own = own[np.argsort(keys[own])[:count]]
        last = np.sort(engine.together(keys[own]))[count - 1] if count else np.uint64(0)
        chosen.append(own[keys[own] <= last] if count else own[:0])
    few: Any = rows.take(np.sort(np.concatenate(chosen)))
    order = np.argsort(engine.together(few.numbers))
    of = {name: getattr(few, name) for name in ("features", "labels", "weights", "clusters")}
    found: dict[str, Any] = {name: None if one is None else together(engine, one)[order] for name, one in of.items()}
    if counts.sum() > most:
        weights = (counts / np.maximum(taken, 1))[np.searchsorted(kinds, found["labels"]) if len(counts) > 1 else 0]
        weights = np.broadcast_to(weights, len(order)).copy()
        found["weights"] = weights if found["weights"] is None else weights * found["weights"]
    return Rows(**found, graded=rows.graded)


def _parted_spread(rows: Rows, share: float, seed: int) -> tuple[Rows, Rows | None]:
    """The same for rows of many workers: of each class those with the smallest hashes."""
    if rows.groups is not None or rows.clusters is not None or len(rows.counts) != 2:
        must = "rows are held out on many workers by two classes alone"
        raise ValueError(f"{must}. Got groups, clusters or grades. Set early_stopping=None.")
    kinds, engine = rows.engine.distinct(rows.labels), rows.engine
    assert rows.numbers is not None
    keys, held = hashes(rows.numbers, seed), np.zeros(len(rows), bool)
    for kind, total in zip(kinds, rows.counts.tolist(), strict=True):
        own, wanted = rows.labels == kind, min(max(1, round(share * total)), total - 1)
        if not wanted:
            return rows, None
        low, high = 0, 2**64 - 1
        while low < high:
            middle = (low + high) // 2
            reached = engine.sum(int(np.count_nonzero(keys[own] <= np.uint64(middle)))) >= wanted
            low, high = (low, middle) if reached else (middle + 1, high)
        held |= own & (keys <= np.uint64(low))
    return rows.take(np.flatnonzero(~held)), rows.take(np.flatnonzero(held))


def together(engine: Engine, x: Any) -> Any:
    """What all workers have of a matrix, dense or not, or of an array."""
    if not sparse.issparse(x):
        return engine.together(np.ascontiguousarray(x))
    values, columns, lengths = (engine.together(part) for part in (x.data, x.indices, np.diff(x.indptr)))
    return sparse.csr_matrix((values, columns, np.append(0, np.cumsum(lengths))), (len(lengths), x.shape[1]))


def parted(rows: Rows, share: float, random: Any) -> tuple[Rows, Rows | None]:
    """Rows to learn from, and rows held out: of each class, of the groups that have pairs, or whole clusters.

    None are held out where that would leave either part without a pair.
    """
    if not rows.engine.alone:
        return _parted_spread(rows, share, int(random.randint(2**31 - 1)))
    held = rows.units.held(share, int(random.randint(2**31 - 1)))
    return (rows, None) if held is None else (rows.take(np.flatnonzero(~held)), rows.take(np.flatnonzero(held)))
