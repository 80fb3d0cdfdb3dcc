"""A preparation of all rows from summaries of their parts, which add.

Which columns are used, and how, some rows tell; means, deviations and the values that are kept are those of all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from ordain.prepare.column_kinds import Text, kept_values, texts
from ordain.prepare.preparation import Preparation


class Numbers(NamedTuple):
    """Of a column of numbers: how many there are, their sum, the squares around a centre, the ends, those missing."""

    known: int
    total: float
    squares: float
    low: float
    high: float
    missing: int


def summary(preparation: Preparation, frame: pl.DataFrame) -> list[Any]:
    """What a part tells of each column: numbers in the units and around the centres that are known, counts of texts."""
    return [
        _texts(column, frame) if isinstance(column, Text) else _numbers(column, frame) for column in preparation.columns
    ]


def merged(preparation: Preparation, summaries: Sequence[list[Any]]) -> Preparation:
    """The preparation with what all parts tell; told twice, it has the deviations around the means of all."""
    columns = [_merged(column, parts) for column, *parts in zip(preparation.columns, *summaries, strict=True)]
    return replace(preparation, columns=tuple(columns))


def _numbers(column: Any, frame: pl.DataFrame) -> Numbers:
    values = column.read(frame[column.name])
    known = values[~np.isnan(values)]
    missing = len(values) - len(known)
    if not len(known):
        return Numbers(0, 0.0, 0.0, math.inf, -math.inf, missing)
    ends = float(known.min()), float(known.max())
    with np.errstate(over="ignore"):
        scaled = known / column.unit
        return Numbers(len(known), float(scaled.sum()), float(np.square(scaled - column.centre).sum()), *ends, missing)


def _texts(column: Text, frame: pl.DataFrame) -> tuple[dict[str, int], int]:
    series = texts(frame[column.name])
    counts = series.drop_nulls().value_counts(name="rows")
    return dict(zip(counts[series.name].to_list(), counts["rows"].to_list(), strict=True)), series.null_count()


def _merged(column: Any, parts: list[Any]) -> Any:
    if isinstance(column, Text):
        counts: dict[str, int] = {}
        for part, _ in parts:
            for value, rows in part.items():
                counts[value] = counts.get(value, 0) + rows
        values = kept_values(counts)
        return Text(column.name, values, len(values) < len(counts), any(missing for _, missing in parts))
    low, high = min(part.low for part in parts), max(part.high for part in parts)
    count, missing = sum(part.known for part in parts), any(part.missing for part in parts)
    unit = math.ldexp(1.0, max(math.frexp(max(abs(low), abs(high)))[1] - 1, -1022))
    if low == high:
        return replace(column, unit=unit, centre=low / unit, scale=1.0, missing=missing)
    centre = math.fsum(part.total for part in parts) / count * (column.unit / unit)
    scale = math.sqrt(math.fsum(part.squares for part in parts) / count) * (column.unit / unit)
    return replace(column, unit=unit, centre=centre, scale=scale or 1.0, missing=missing)
