"""What must be known here of rows that workers hold: how many have each label, and those that were drawn of them."""

from __future__ import annotations

from dataclasses import dataclass

from ordain._types import Vector
from ordain.rows.draw import strata_counts
from ordain.rows.record import Rows


class Shape:
    """The size of a table that is elsewhere."""

    def __init__(self, rows: int, columns: int) -> None:
        self.shape = rows, columns


@dataclass(frozen=True)
class Elsewhere:
    """Rows of which a comparison needs no more than these counts, however many they are.

    Parameters
    ----------
    width : int
        How many columns are features.
    kinds, amounts : arrays
        The different labels in their order, and how many rows have each.
    drawn : Rows
        What :meth:`Rows.some` would draw of them.
    graded, weighted, grouped : bool
        Whether labels are grades, and what belongs to each row.

    Examples
    --------
    >>> import numpy as np
    >>> drawn = Rows(np.zeros((2, 1)), np.array([False, True]))
    >>> rows = Elsewhere(1, drawn.labels, np.array([6_000_000_000, 1_000_000]), drawn)
    >>> len(rows), rows.positives
    (6001000000, 1000000)
    """

    width: int
    kinds: Vector
    amounts: Vector
    drawn: Rows
    graded: bool = False
    weighted: bool = False
    grouped: bool = False

    def __len__(self) -> int:
        return int(self.amounts.sum())

    @property
    def features(self) -> Shape:
        """They are elsewhere, but for their size."""
        return Shape(len(self), self.width)

    def some(self, most: int, seed: int = 0) -> Rows:
        """Those that were drawn."""
        return self.drawn

    @property
    def counts(self) -> Vector:
        """How many rows there are of each class that is drawn from."""
        return strata_counts(self.kinds, self.amounts)

    @property
    def positives(self) -> int | None:
        """How many are positive; None of grades."""
        return None if self.graded else int(self.amounts[self.kinds].sum())

    @property
    def grades(self) -> tuple[float, ...] | None:
        """The different grades; None of two classes."""
        return tuple(self.kinds.tolist()) if self.graded else None

    @property
    def is_list(self) -> bool:
        """Whether there is one list of two classes, all rows weighing the same."""
        return not (self.graded or self.weighted or self.grouped)
