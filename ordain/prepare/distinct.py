"""How many different values there are, from the smallest of their hashes: any parts of the rows give the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ordain._types import Vector
from ordain.rows.draw import mixed

SMALLEST = 4096
"""So many hashes are kept: with fewer different values the count is exact, else it errs by 1.6 % typically."""


@dataclass(frozen=True)
class Distinct:
    """The k smallest different hashes h₁ < … < hₖ of values; (k - 1)/hₖ is their number beyond k [Beyer07]_.

    Its relative error is about 1/√k. The sum of two is that of the rows of both.

    Examples
    --------
    >>> first, second = Distinct.of_numbers(np.arange(3.0)), Distinct.of_numbers(np.arange(2.0, 7.0))
    >>> (first + second).count
    7
    """

    hashes: Vector

    @classmethod
    def of(cls, hashes: Vector) -> Distinct:
        """Of hashes, of which those of equal values are equal."""
        near = np.uint64(min(4 * SMALLEST * 2**64 // max(len(hashes), 1), 2**64 - 1))
        few = np.unique(hashes[hashes <= near])  # nearly always they are among these, if they are so many
        return cls((few if len(few) >= SMALLEST else np.unique(hashes))[:SMALLEST])

    @classmethod
    def of_numbers(cls, values: Vector) -> Distinct:
        """Of numbers; -0.0 is 0.0."""
        return cls.of(mixed((values + 0.0).view(np.uint64)))

    def __add__(self, other: Distinct) -> Distinct:
        return Distinct.of(np.concatenate([self.hashes, other.hashes]))

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Distinct) and np.array_equal(self.hashes, other.hashes)

    @property
    def exact(self) -> bool:
        """Whether the count is no estimate."""
        return len(self.hashes) < SMALLEST

    @property
    def count(self) -> int:
        """How many different values there are, or about how many."""
        return len(self.hashes) if self.exact else round((SMALLEST - 1) * 2**64 / int(self.hashes[-1]))
