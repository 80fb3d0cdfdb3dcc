"""Rows of a table, some of them for all, and some of them held out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import _safe_indexing

from ordain._types import Vector
from ordain.rows.draw import drawn
from ordain.rows.folds import Units


class Table(NamedTuple):
    """Rows, and what belongs to each."""

    X: Any
    classes: Vector
    weights: Vector | None
    groups: Vector | None
    clusters: Vector | None = None

    def take(self, rows: Vector) -> Table:
        parts: Any = (None if part is None else _safe_indexing(part, rows) for part in self)
        return Table(*parts)

    def some(self, most: int) -> Table:
        """At most so many rows, weighted to stand for all."""
        if len(self.classes) <= most:
            return self
        rows, weights = drawn(self.classes, most)
        part = self.take(rows)
        return part._replace(weights=weights if part.weights is None else weights * part.weights)

    @property
    def units(self) -> Units:
        """What stays together in folds."""
        return Units.make(self.classes, self.weights, self.groups, self.clusters)


def parted(table: Table, share: float, random: Any) -> tuple[Table, Table | None]:
    """Rows to learn from, and rows held out: of each class, of the groups that have pairs, or whole clusters.

    None are held out where that would leave either part without a pair.
    """
    held = table.units.held(share, int(random.randint(2**31 - 1)))
    return (table, None) if held is None else (table.take(np.flatnonzero(~held)), table.take(np.flatnonzero(held)))
