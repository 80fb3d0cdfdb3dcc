"""The record of rows that everything is learned from: features, labels, and what belongs to each row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ordain._checks import check_codes
from ordain._types import Vector
from ordain.measure import auc
from ordain.rows.draw import drawn, drawn_groups
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

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, rows: Vector) -> Rows:
        """Some of the rows."""
        features = (self.features.iloc if hasattr(self.features, "iloc") else self.features)[rows]
        parts = (None if of is None else of[rows] for of in (self.weights, self.groups, self.clusters))
        weights, groups, clusters = parts
        return Rows(features, self.labels[rows], weights, groups, self.graded, clusters)

    def some(self, most: int, seed: int = 0) -> Rows:
        """At most about so many rows that stand for all: of each class with weights, or whole groups."""
        if len(self) <= most:
            return self
        if self.groups is not None:
            groups = check_codes(self.groups, len(self), "groups")
            return self.take(drawn_groups(groups, has_pair(groups, self.labels), most, seed))
        rows, weights = drawn(self.labels, most, seed)
        part = self.take(rows)
        return replace(part, weights=weights if part.weights is None else weights * part.weights)

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
        return auc(self.labels, scores, weights=self.weights, groups=self.groups, graded=self.graded)


def parted(rows: Rows, share: float, random: Any) -> tuple[Rows, Rows | None]:
    """Rows to learn from, and rows held out: of each class, of the groups that have pairs, or whole clusters.

    None are held out where that would leave either part without a pair.
    """
    held = rows.units.held(share, int(random.randint(2**31 - 1)))
    return (rows, None) if held is None else (rows.take(np.flatnonzero(~held)), rows.take(np.flatnonzero(held)))
