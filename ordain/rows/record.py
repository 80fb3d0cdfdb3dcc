"""The record of rows that everything is learned from: features, labels, and what belongs to each row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from ordain._checks import check_codes
from ordain._types import Mask, Vector
from ordain.engine import LOCAL, Engine
from ordain.measure import auc
from ordain.measure.spread_area import spread_auc
from ordain.rows.draw import KINDS, SHARE, chosen_groups, drawn, drawn_groups, hashes, shared, strata
from ordain.rows.folds import Units, has_pair, sides


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
    def positives(self) -> int | None:
        """How many are positive; None of grades."""
        return None if self.graded else int(np.count_nonzero(self.labels))

    @property
    def grades(self) -> tuple[float, ...] | None:
        """The different grades; None of two classes."""
        return tuple(np.unique(self.labels).tolist()) if self.graded else None

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return self.weights is not None

    @property
    def grouped(self) -> bool:
        """Whether rows are in groups."""
        return self.groups is not None

    @property
    def is_list(self) -> bool:
        """Whether there is one list of two classes, all rows weighing the same."""
        return not self.graded and self.weights is None and self.groups is None

    @cached_property
    def units(self) -> Units:
        """What stays together in folds."""
        of = {"groups": self.groups, "clusters": self.clusters}
        if not self.engine.alone:
            if self.groups is not None and self.clusters is not None:
                raise ValueError("rows on many workers may have groups or clusters. Got both. Leave one of them out.")
            return Units.make(self.labels, self.weights, self.groups, self.clusters, self.engine)
        groups, clusters = (None if of is None else check_codes(of, len(self), name) for name, of in of.items())
        return Units.make(self.labels, self.weights, groups, clusters)

    def auc(self, scores: Vector) -> float:
        """The AUC of scores of these rows."""
        of: dict[str, Any] = {"weights": self.weights, "groups": self.groups, "graded": self.graded}
        if not self.engine.alone:
            return spread_auc(self.labels, scores, **of, engine=self.engine)
        return auc(self.labels, scores, **of)


def _gathered(rows: Rows, most: int, seed: int) -> Rows:
    """The rows that :meth:`Rows.some` draws from those of all workers, here."""
    assert rows.numbers is not None
    if rows.groups is not None:
        return _gathered_groups(rows, most, seed)
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
    few = _brought(rows.take(np.sort(np.concatenate(chosen))))
    if counts.sum() <= most:
        return few
    weights = (counts / np.maximum(taken, 1))[np.searchsorted(kinds, few.labels) if len(counts) > 1 else 0]
    weights = np.broadcast_to(weights, len(few)).copy()
    return replace(few, weights=weights if few.weights is None else weights * few.weights)


def _gathered_groups(rows: Rows, most: int, seed: int) -> Rows:
    """The same of rows in groups: whole groups."""
    engine, groups = rows.engine, rows.groups
    assert groups is not None
    size = int(engine.max(int(groups.max()))) + 1
    paired = np.bincount(groups, has_pair(groups, rows.labels)[groups], size)
    sizes, informative = engine.sum(np.bincount(groups, minlength=size)), engine.sum(paired) > 0
    chosen = chosen_groups(sizes, informative, most, seed) if sizes.sum() > most else np.ones(size, bool)
    return _brought(rows.take(np.flatnonzero(chosen[groups])))


def _brought(few: Any) -> Rows:
    """Rows of all workers here, in the order of their numbers."""
    order, found = np.argsort(few.engine.together(few.numbers)), dict[str, Any]()
    for name in ("features", "labels", "weights", "groups", "clusters"):
        of = getattr(few, name)
        found[name] = None if of is None else together(few.engine, of)[order]
    return Rows(**found, graded=few.graded)


def _held_rows(rows: Rows, share: float, seed: int) -> Mask | None:
    """What :meth:`Units.held` gives of single rows, for those of many workers: of each kind the smallest hashes."""
    assert rows.numbers is not None
    engine, keys, held = rows.engine, hashes(rows.numbers, seed), np.zeros(len(rows), bool)
    counts = np.ones(len(rows), bool) if rows.weights is None else rows.weights > 0
    high, codes = sides(rows.labels, counts, engine)
    few = engine.max(int(codes.max())) + 1 <= min(KINDS, max(2, rows.total // SHARE))
    kinds = np.where(counts, codes if few else high, -1)
    for kind in engine.distinct(kinds):
        own = kinds == kind
        total = int(engine.sum(int(np.count_nonzero(own))))
        last = _last_key(keys[own], min(max(1, round(share * total)), total - 1), engine)
        held |= own & (keys <= last) if total > 1 else False
    parts = [(side & part & counts).any() for side in (high, ~high) for part in (held, ~held)]
    return held if engine.max(np.array(parts, np.int64)).all() else None


def _last_key(keys: Vector, wanted: int, engine: Engine) -> Any:
    """The largest of the so many smallest keys of all workers."""
    low, high = 0, 2**64 - 1
    while low < high:
        middle = (low + high) // 2
        reached = engine.sum(int(np.count_nonzero(keys <= np.uint64(middle)))) >= wanted
        low, high = (low, middle) if reached else (middle + 1, high)
    return np.uint64(low)


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
    seed, engine = int(random.randint(2**31 - 1)), rows.engine
    single = not engine.alone and rows.groups is None and rows.clusters is None
    held = _held_rows(rows, share, seed) if single else rows.units.held(share, seed)
    if held is None:
        return rows, None
    if not engine.min(min(np.count_nonzero(held), np.count_nonzero(~held))):
        must = "every worker must have rows to learn from, and rows that are held out"
        raise ValueError(f"{must}. Got one without. Use fewer workers, or set early_stopping=None.")
    return rows.take(np.flatnonzero(~held)), rows.take(np.flatnonzero(held))
