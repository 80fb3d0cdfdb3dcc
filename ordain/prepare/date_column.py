"""A column of dates as features: days since the first of January 1970, and from there on a column of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from ordain._types import Vector
from ordain.prepare.column_kinds import Number, is_text, shortened
from ordain.tables.moments import DAY, Moments
from ordain.tables.reading import DATES


@dataclass(frozen=True)
class Date(Number):
    """A column of dates, with or without a time of day: text such as 2024-03-31 or 2024-03-31T17:05, or polars' types.

    Examples
    --------
    >>> column = Date.learn(pl.Series("joined", ["2024-02-28", "2024-03-01"]))
    >>> column.codes(pl.Series("joined", ["1970-01-02 12:00", None]))
    array([1.5, nan])
    """

    kind: ClassVar[str] = "date"

    @staticmethod
    def read(series: pl.Series) -> Vector:
        """Days, nan where missing; what is no date is refused."""
        days = _days(series)
        if days is None or (days.is_null() & series.is_not_null()).any():
            known = series.drop_nulls() if days is None else series.filter(days.is_null() & series.is_not_null())
            raise ValueError(
                f"column {series.name!r} must hold dates such as 2024-03-31, as in training. "
                f"Got {shortened(str(known[0]))}. Correct the cell, or leave it empty."
            )
        return days.to_numpy()


def is_date(kind: Any) -> bool:
    """Whether a polars type is one of dates."""
    return bool(kind == pl.Date or isinstance(kind, pl.Datetime))


def _days(series: pl.Series) -> pl.Series | None:
    """Days as float64, null for what is no date; None for a column of another type, or whose days may be months."""
    if series.null_count() == len(series):
        return pl.Series(series.name, [None] * len(series), pl.Float64)
    if series.dtype == pl.Date:
        return series.cast(pl.Int32).cast(pl.Float64)
    if isinstance(series.dtype, pl.Datetime):
        return series.dt.epoch("us") / (DAY[2] * 1e6)
    if not is_text(series.dtype) or (moments := Moments(series.cast(pl.String))).turns.any():
        return None
    return moments.days(DATES[0])
