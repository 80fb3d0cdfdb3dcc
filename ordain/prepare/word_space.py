"""Texts as points: hashed words, weighed by how rare they are, brought down to a few dimensions.

Words go into a fixed number of bins by a hash, so that no list of words is kept. A bin weighs (1 + log count) times
log((1 + n)/(1 + texts that have it)) + 1, rows have length one, and the first singular vectors of some of the rows are
the dimensions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.utils.extmath import randomized_svd

from ordain._types import Vector

BINS = 1 << 13
"""Bins of words."""

DIMENSIONS = 60
"""The most that are kept."""

SAMPLE = 4000
"""Texts from which the dimensions are found, where there are more."""


@dataclass(frozen=True)
class WordSpace:
    """The weight of each bin for being rare, and the dimensions as columns."""

    rarity: Vector
    axes: Vector

    @classmethod
    def learn(cls, texts: Sequence[str], seed: int = 0) -> tuple[WordSpace, Vector]:
        """The space of these texts, and their points.

        Examples
        --------
        >>> space, points = WordSpace.learn(["red fig", "red plum", "blue sky", "blue sea"])
        >>> points.shape, bool(points[0] @ points[1] > points[0] @ points[2])
        ((4, 4), True)
        """
        counts = hashed(texts)
        some = counts if len(texts) <= SAMPLE else counts[np.random.default_rng(seed).choice(len(texts), SAMPLE, False)]
        having = np.bincount(some.indices, minlength=BINS)
        rarity = np.log((1 + some.shape[0]) / (1 + having)) + 1
        kept = min(DIMENSIONS, some.shape[0])
        _, _, axes = randomized_svd(weighed(some, rarity), kept, n_iter=4, random_state=seed)
        space = cls(rarity, axes.T)
        return space, weighed(counts, rarity) @ space.axes

    def points(self, texts: Sequence[str]) -> Vector:
        """A row of coordinates per text."""
        return weighed(hashed(texts), self.rarity) @ self.axes


def hashed(texts: Sequence[str]) -> Any:
    """How often each bin is hit, a sparse row per text."""
    return HashingVectorizer(n_features=BINS, alternate_sign=False, norm=None).transform(texts)


def weighed(counts: Any, rarity: Vector) -> Any:
    """Rows of length one: (1 + log count) times the rarity of the bin."""
    rows = sparse.csr_matrix(counts, dtype=float, copy=True)
    rows.data = (1 + np.log(rows.data)) * rarity[rows.indices]
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    rows.data /= np.repeat(np.where(lengths > 0, lengths, 1.0), np.diff(rows.indptr))
    return rows
