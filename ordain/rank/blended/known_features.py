"""What is known of every item before anything is asked: numbers in blocks, each of which has a spread of its own.

A block is columns of one kind, as the counts of a text or its embedding. Within it all weights have the same prior;
how much a block is worth the answers say. Every block is scaled so that its rows have a mean square of one about their
mean: its spread then is the standard deviation of what it adds to the scores, before anything is known.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ordain._types import Vector


@dataclass(frozen=True)
class Features:
    """Rows of numbers, one per item, how many of its columns each block has, and what the blocks are called.

    `units` and `centres` say what the columns were: X times the units, plus the centres.
    """

    X: Vector
    sizes: tuple[int, ...]
    names: tuple[str, ...]
    units: Vector | None = None
    centres: Vector | None = None

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

    def block(self, name: str) -> slice | None:
        """The columns of the block of this name; None where it was left out."""
        return dict(zip(self.names, self.parts(), strict=True)).get(name)


def nothing_known(n: int) -> Features:
    """No features at all: items alone."""
    return Features(np.empty((n, 0)), (), ())


def in_blocks(blocks: Mapping[str, Any], *, each: Collection[str] = ()) -> Features:
    """Blocks of columns, scaled as a whole, or `each` column by itself first; what is the same everywhere is left out.

    Examples
    --------
    >>> known = in_blocks({"length": [[1.0], [3.0]], "nothing": [[5.0], [5.0]]})
    >>> known.X.ravel(), known.names
    (array([-1.,  1.]), ('length',))
    """
    names, parts, units, centres = [], [], [], []
    for name, block in blocks.items():
        raw = np.asarray(block, dtype=float)
        centre, least = raw.mean(axis=0), np.finfo(float).eps * (1 + np.abs(raw).max(axis=0, initial=0))
        spread = raw.std(axis=0)
        unit = np.where(spread > least, spread if name in each else 1.0, np.inf)
        size = np.sqrt((((raw - centre) / unit) ** 2).sum(axis=1).mean())
        if size > 0:
            names.append(name)
            parts.append((raw - centre) / (unit * size))
            units.append(unit * size)
            centres.append(centre)
    n = len(next(iter(blocks.values())))
    X = np.concatenate([np.empty((n, 0)), *parts], axis=1)
    sizes = tuple(part.shape[1] for part in parts)
    return Features(X, sizes, tuple(names), np.concatenate([[], *units]), np.concatenate([[], *centres]))


def given_features(features: Any, n: int) -> Features:
    """Features as a caller gives them: an array or frame of a row per item, each column in units of its own spread.

    Examples
    --------
    >>> given_features([[1.0], [2.0]], 2).X
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
    return in_blocks({"features": X}, each=["features"])
