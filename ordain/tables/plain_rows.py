"""Columns of arrays as rows of plain values, as JSON and people want them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np


def plain_rows(columns: Mapping[str, Iterable[Any]]) -> list[dict[str, Any]]:
    """A dictionary for each row: numbers of Python, None for NaN, and all else as it is.

    Examples
    --------
    >>> plain_rows({"item": ["x", "y"], "score": np.array([1.5, np.nan])})
    [{'item': 'x', 'score': 1.5}, {'item': 'y', 'score': None}]
    """
    return [dict(zip(columns, map(_plain, row), strict=True)) for row in zip(*columns.values(), strict=True)]


def _plain(value: Any) -> Any:
    if not isinstance(value, np.generic):
        return value
    return None if isinstance(value, np.floating) and np.isnan(value) else value.item()
