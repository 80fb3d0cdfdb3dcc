"""Texts as points: hashed runs of letters, weighed by how rare they are, brought down to a few dimensions.

A bin, see :mod:`ordain.prepare.letter_bins`, weighs (1 + log count) times log((1 + n)/(1 + texts that have it)) + 1,
rows have length one, and the first singular vectors of some of the rows are the dimensions. How rare a text is, in the
mean over the bins it has, is kept beside its point: the length of one would hide it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import randomized_svd

from ordain._types import Vector
from ordain.prepare.letter_bins import BINS, hashed

DIMENSIONS = 60
"""The most that are kept."""

SAMPLE = 4000
"""Texts from which the dimensions are found, where there are more, and texts that are placed together."""


@dataclass(frozen=True)
class LetterSpace:
    """The weight of each bin for being rare, and the dimensions as columns."""

    rarity: Vector
    axes: Vector

    @classmethod
    def learn(cls, texts: Sequence[str], seed: int = 0) -> LetterSpace:
        """The space of these texts.

        Examples
        --------
        >>> texts = ["red fig", "red plum", "blue sky", "blue sea"]
        >>> points, rare = LetterSpace.learn(texts).placed(texts)
        >>> points.shape, bool(points[0] @ points[1] > points[0] @ points[2])
        ((4, 4), True)
        """
        few = len(texts) <= SAMPLE
        some = texts if few else [texts[k] for k in np.random.default_rng(seed).choice(len(texts), SAMPLE, False)]
        counts = hashed(some)
        having = np.bincount(counts.indices, minlength=BINS)
        rarity = np.log((1 + len(some)) / (1 + having)) + 1
        kept = min(DIMENSIONS, len(some))
        _, _, axes = randomized_svd(weighed(counts, rarity), kept, n_iter=4, random_state=seed)
        return cls(rarity, axes.T)

    def placed(self, texts: Sequence[str]) -> tuple[Vector, Vector]:
        """A row of coordinates per text, and how rare each is."""
        points, rare = np.empty((len(texts), self.axes.shape[1])), np.empty(len(texts))
        for start in range(0, len(texts), SAMPLE):
            part, counts = slice(start, start + SAMPLE), hashed(texts[start : start + SAMPLE])
            points[part], rare[part] = weighed(counts, self.rarity) @ self.axes, mean_rarity(counts, self.rarity)
        return points, rare


def weighed(counts: Any, rarity: Vector) -> Any:
    """Rows of length one: (1 + log count) times the rarity of the bin."""
    rows = sparse.csr_matrix(counts, dtype=float, copy=True)
    rows.data = (1 + np.log(rows.data)) * rarity[rows.indices]
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    rows.data /= np.repeat(np.where(lengths > 0, lengths, 1.0), np.diff(rows.indptr))
    return rows


def mean_rarity(counts: Any, rarity: Vector) -> Vector:
    """The mean rarity of the bins that each row has, each counted once; zero where it has none."""
    having = sparse.csr_matrix((np.ones(len(counts.data)), counts.indices, counts.indptr), counts.shape)
    return (having @ rarity) / np.maximum(np.diff(counts.indptr), 1)
