"""Which rows of a table form pairs, and what a pair weighs."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ordain._types import Mask, Vector
from ordain.engine import LOCAL, Engine
from ordain.pairs._pair_kernels import Arranged


class Cut(NamedTuple):
    """Small groups arranged for direct sums, also with rows of the table; large groups.

    Of each of these there are its rows that are here, and how many negatives and positives are anywhere.
    """

    few: Arranged
    in_table: Arranged
    large: Vector
    many: list[Any]
    counts: list[list[int]]


@dataclass(frozen=True, eq=False)
class Groups:
    """Rows of two classes in groups, both classes in every group; a pair weighs w_i w_j / whole.

    Without codes all rows are one group; without weights all rows weigh 1. The engine combines the rows of a group,
    which may be with several workers.
    """

    length: int  # of the table
    rows: Any  # which of its rows; a slice for all of them
    positive: Mask
    sides: Vector  # weight of the negatives and of the positives of each group, [group, class]
    codes: Vector | None = None
    weights: Vector | None = None
    whole: float = 1.0
    engine: Engine = LOCAL
    _cuts: dict[int, Cut] = field(default_factory=dict)

    @property
    def is_table(self) -> bool:
        """Whether these are all rows of the table in one group, all of the same weight."""
        return isinstance(self.rows, slice)

    @property
    def size(self) -> int:
        """How many groups there are."""
        return len(self.sides)

    @property
    def shares(self) -> Vector:
        """Weight of the pairs of each group."""
        return self.sides[:, 0] * self.sides[:, 1] / self.whole

    @cached_property
    def mass(self) -> Vector:
        """The weight of each row in the mean over its class of its group."""
        return (1.0 if self.weights is None else self.weights) / self._own(self.sides)

    @cached_property
    def held(self) -> Vector:
        """The weight of each row in the risk, as a sum over rows of means over the other class of their groups."""
        shares = self.shares
        if self.codes is None:
            return self.mass if shares[0] == 1 else shares[0] * self.mass
        return self.mass * shares[self.codes]

    def _own(self, sides: Vector) -> Vector:
        """For each row the number of its class in its group."""
        if self.codes is None:
            return np.where(self.positive, sides[0, 1], sides[0, 0])
        return sides[self.codes, self.positive.astype(np.int64)]

    def place(self, rows: Vector) -> Vector:
        """Where in the table these rows of the groups are."""
        return rows if self.is_table else self.rows[rows]

    def in_table(self, values: Vector) -> Vector:
        """Rows of numbers put where they stand in the table; a row of no pair has zeros."""
        if self.is_table:
            return values
        out = np.zeros((len(values), self.length))
        for row, part in zip(out, values, strict=True):
            row[self.rows] = part
        return out

    def together(self) -> tuple[Groups, slice]:
        """The rows of all workers in one place, and which of them are here."""
        parts = self.engine.parts(self.positive)
        start = sum(len(part) for part in parts[: self.engine.rank])
        codes = None if self.codes is None else self.engine.together(self.codes)
        everything = Groups(sum(map(len, parts)), slice(None), np.concatenate(parts), self.sides, codes)
        return everything, slice(start, start + len(self.positive))

    def cut(self, small: int) -> Cut:
        """The groups of at most `small` rows, and the others; kept, since only the classes and groups decide it.

        A group that is with several workers may have no rows here: with -1 for `small` all are among the others.
        """
        if small not in self._cuts:
            self._cuts[small] = self._cut(small)
        return self._cuts[small]

    def _cut(self, small: int) -> Cut:
        if self.codes is None and len(self.positive) > small:
            nothing = Arranged(*np.zeros((3, 0), np.int64))
            counts = self._counts([len(self.positive)], [np.count_nonzero(self.positive)])
            return Cut(nothing, nothing, np.zeros(1, np.int64), [slice(None)], counts)
        codes = np.zeros(len(self.positive), np.int64) if self.codes is None else self.codes
        order = np.lexsort((~self.positive, codes))
        sizes, positives = (np.bincount(part, minlength=self.size) for part in (codes, codes[self.positive]))
        bounds, few, large = np.append(0, np.cumsum(sizes)), sizes <= small, np.flatnonzero(sizes > small)
        starts = np.append(0, np.cumsum(sizes[few]))
        arranged = Arranged(order[np.repeat(few, sizes)], starts, starts[:-1] + positives[few])
        many = [order[bounds[g] : bounds[g + 1]] for g in large]
        in_table = arranged._replace(rows=self.place(arranged.rows))
        return Cut(arranged, in_table, large, many, self._counts(sizes[large], positives[large]))

    def _counts(self, sizes: Any, positives: Any) -> list[list[int]]:
        """Negatives and positives over all workers of groups that have so many rows and positives here."""
        found: list[list[int]] = self.engine.sum(np.stack([np.subtract(sizes, positives), positives], axis=1)).tolist()
        return found
