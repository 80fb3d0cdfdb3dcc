"""A few rows that hold the cuts of every column, and the last category, in the form the rows have."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ordain._types import Vector
from ordain.engine import LOCAL, Engine
from ordain.learn.cuts import cuts


def reference(X: Any, weights: Vector | None, most: int, engine: Engine = LOCAL) -> Any:
    """Rows in which each column has where `most` bins at most begin and its greatest value, and nan below them.

    Examples
    --------
    >>> reference(np.column_stack([np.arange(9.0), np.arange(9) % 2]), None, 4)
    array([[ 0.,  0.],
           [ 2.,  1.],
           [ 4., nan],
           [ 6., nan],
           [ 8., nan]], dtype=float32)
    """
    found = cuts([partial(column, X, k) for k in range(X.shape[1])], weights, most, engine)
    few = np.full((max(1, X.shape[1] * hasattr(X, "columns"), *map(len, found)), len(found)), np.nan, np.float32)
    for values, own in zip(few.T, found, strict=True):
        values[: len(own)] = own
    return _framed(X, few) if hasattr(X, "columns") else few


def column(X: Any, k: int) -> Vector:
    """A column of an array or a frame as numbers, nan where missing; of categories their codes."""
    if not hasattr(X, "columns"):
        return X[:, k]
    if hasattr(X, "iloc"):
        series = X.iloc[:, k]
        codes = series.cat.codes.astype(float) if hasattr(series, "cat") else series
        return np.where(series.isna(), np.nan, codes.to_numpy(np.float32, na_value=np.nan))
    return X.to_series(k).to_physical().cast(float).to_numpy()


def _framed(X: Any, few: Vector) -> Any:
    """The same in a frame like X. Categories stay those of rows of X, among which each column has its last one."""
    kept = [k for k in range(X.shape[1]) if _is_category(X, k) and not np.isnan(few[0, k])]
    rows = np.zeros(len(few), int)
    rows[: len(kept)] = [np.nanargmax(column(X, k)) for k in kept]
    frame = (X.iloc[rows].copy() if hasattr(X, "iloc") else X[rows]) if len(X) else X
    for k in range(X.shape[1]):
        if _is_category(X, k):
            continue
        if hasattr(X, "iloc"):
            frame.isetitem(k, few[:, k])
        else:
            frame = frame.with_columns(**{X.columns[k]: few[:, k]})
    return frame


def _is_category(X: Any, k: int) -> bool:
    return str(X.dtypes.iloc[k] if hasattr(X, "iloc") else X.dtypes[k]).lower().startswith(("categor", "enum"))
