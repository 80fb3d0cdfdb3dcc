"""What is combined over rows, wherever they are.

What is made from more than one row, a sum, an extreme, or rows that must be seen together, is made by an
:class:`Engine`. Everything else looks at one row after the other, so the same lines serve one machine and many.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ordain._types import Vector


class Engine:
    """All rows are here: what there is of them is all there is.

    An engine of many workers says so by `alone`, has its number among them as `rank`, and overrides the four methods.
    Each takes the same kind of thing from every worker, waits for all, and gives the same result to all: so every
    worker must make the same calls in the same order, and has at least one row.

    Examples
    --------
    >>> Engine().sum(3.0)
    3.0
    """

    alone = True
    rank = 0

    def sum(self, x: Any) -> Any:
        """The sum over the workers of numbers, or of arrays of one shape."""
        return x

    def max(self, x: Any) -> Any:
        """The largest over the workers, entry by entry."""
        return x

    def min(self, x: Any) -> Any:
        """The least over the workers, entry by entry."""
        return x

    def same(self, x: Any) -> Any:
        """What the first worker has, for all: numbers that must not differ in the last digit."""
        return x if self.alone else self.sum(x if self.rank == 0 else np.zeros_like(x))

    def parts(self, x: Vector) -> list[Vector]:
        """The arrays of all workers, which may have different lengths, in the order of the workers."""
        return [x]

    def together(self, x: Vector) -> Vector:
        """The arrays of all workers, one after the other; to be changed at will if that of this worker is."""
        parts = self.parts(x)
        return x if self.alone else np.concatenate(parts)

    def distinct(self, x: Vector) -> Vector:
        """The different values that any worker has, in their order."""
        return np.unique(self.together(np.unique(x)))


LOCAL = Engine()
"""All rows are here."""
