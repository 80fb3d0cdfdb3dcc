"""Rows of a table, and some of them held out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import _safe_indexing

from ordain._types import Vector


class Table(NamedTuple):
    """Rows, and what belongs to each."""

    X: Any
    classes: Vector
    weights: Vector | None
    groups: Vector | None

    def take(self, rows: Vector) -> Table:
        parts: Any = (None if part is None else _safe_indexing(part, rows) for part in self)
        return Table(*parts)


def parted(table: Table, share: float, random: Any) -> tuple[Table, Table]:
    """Rows to learn from, and rows held out: of each class, or of the groups that have pairs, and of the others."""
    kinds, unit = table.classes, np.arange(len(table.classes))
    if table.groups is not None:
        unit = table.groups
        order = np.lexsort((kinds, unit))
        ends = np.append(np.flatnonzero(np.diff(unit[order])), len(unit) - 1)
        kinds = kinds[order[ends]] != kinds[order[np.append(0, ends[:-1] + 1)]]
    held = np.zeros(len(kinds), bool)
    for kind in np.unique(kinds):
        some = random.permutation(np.flatnonzero(kinds == kind))
        held[some[: min(max(1, round(share * len(some))), len(some) - 1)]] = True
    return table.take(np.flatnonzero(~held[unit])), table.take(np.flatnonzero(held[unit]))
