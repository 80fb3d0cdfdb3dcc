"""What is known of every item before anything is asked: numbers in blocks, each of which has a spread of its own.

A block is columns of one kind, as the counts of a text or its embedding. Within it all weights have the same prior;
how much a block is worth the answers say. Every block is scaled so that its rows have a mean square of one about their
mean: its spread then is the standard deviation of what it adds to the scores, before anything is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ordain._types import Vector


@dataclass(frozen=True)
class Features:
    """Rows of numbers, one per item, how many of its columns each block has, and what the blocks are called."""

    X: Vector
    sizes: tuple[int, ...]
    names: tuple[str, ...]

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.X)

    def spread_out(self, spreads: Vector) -> Vector:
        """For each column the spread of its block."""
        return np.repeat(np.asarray(spreads, dtype=float), self.sizes)

    def parts(self) -> list[slice]:
        """The columns of each block."""
        ends = np.cumsum([0, *self.sizes]).tolist()
        return [slice(start, end) for start, end in pairwise(ends)]


def nothing_known(n: int) -> Features:
    """No features at all: items alone."""
    return Features(np.empty((n, 0)), (), ())


def in_blocks(blocks: Mapping[str, Any]) -> Features:
    """Blocks of columns, each scaled as a whole; one whose rows are all the same is left out.

    Examples
    --------
    >>> known = in_blocks({"length": [[1.0], [3.0]], "nothing": [[5.0], [5.0]]})
    >>> known.X.ravel(), known.names
    (array([-1.,  1.]), ('length',))
    """
    parts, names = [], []
    for name, block in blocks.items():
        centred = np.asarray(block, dtype=float) - np.mean(block, axis=0)
        size = np.sqrt((centred**2).sum(axis=1).mean())
        if size > np.finfo(float).eps * (1 + np.abs(block).max(initial=0)):
            parts.append(centred / size)
            names.append(name)
    n = len(next(iter(blocks.values())))
    X = np.concatenate([np.empty((n, 0)), *parts], axis=1)
    return Features(X, tuple(part.shape[1] for part in parts), tuple(names))


def given_features(features: Any, n: int) -> Features:
    """Features as a caller gives them: an array or frame of a row per item, each column in units of its own spread.

    Examples
    --------
    >>> given_features([[1.0, 10.0], [2.0, 10.0]], 2).X
    array([[-1.],
           [ 1.]])
    """
    if isinstance(features, Features):
        return features
    try:
        X = np.asarray(features.toarray() if hasattr(features, "toarray") else features, dtype=float)
    except (TypeError, ValueError) as wrong:
        raise ValueError(f"features must be numbers, a row per item. Got otherwise: {wrong}.") from None
    X = X[:, None] if X.ndim == 1 else X
    if X.ndim != 2 or len(X) != n:
        raise ValueError(f"features must have a row for each of the {n} items. Got shape {X.shape}.")
    if not np.isfinite(X).all():
        raise ValueError("features must be finite numbers. Got nan or inf. Fill in what is missing.")
    return in_blocks({"features": standardised(X)})


def standardised(X: Vector) -> Vector:
    """Columns with mean 0 and standard deviation 1; those that are the same everywhere are left out."""
    spread = X.std(axis=0)
    some = spread > np.finfo(float).eps * (1 + np.abs(X).max(axis=0, initial=0))
    return (X[:, some] - X[:, some].mean(axis=0)) / spread[some]
