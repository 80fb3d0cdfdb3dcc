"""A table in several parts that stay as they are: what a worker has of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ordain._types import Vector


class Stacked:
    """Matrices of as many columns, one below the other; only rows that are asked for are put together.

    Examples
    --------
    >>> stacked = Stacked([np.zeros((2, 1)), np.ones((3, 1))])
    >>> stacked.shape, stacked[np.array([1, 4])].ravel()
    ((5, 1), array([0., 1.]))
    """

    def __init__(self, parts: list[Any]) -> None:
        self.parts = parts
        self.starts = np.append(0, np.cumsum([part.shape[0] for part in parts]))
        self.shape = int(self.starts[-1]), int(parts[0].shape[1])
        self.dtype = np.result_type(*(part.dtype for part in parts))

    def __getitem__(self, rows: Vector) -> Any:
        home = np.searchsorted(self.starts, rows, "right") - 1
        found = [self.parts[k][rows[home == k] - self.starts[k]] for k in range(len(self.parts))]
        places = np.argsort(np.argsort(home, kind="stable"), kind="stable")
        both = sparse.vstack(found, "csr") if any(map(sparse.issparse, found)) else np.concatenate(found)
        return both[places]


def whole(X: Any) -> Any:
    """All rows of a table in one piece, where they are not."""
    return X[np.arange(X.shape[0])] if isinstance(X, Stacked) else X
