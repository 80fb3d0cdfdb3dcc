"""A column of dates as features: days since the first of January 1970, and from there on a column of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from ordain._types import Vector
from ordain.learn.prepare.columns import Number, is_text, shortened

ISO = r"^(\d{4}-\d\d-\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d(?:\.\d{1,9})?))?(?:(Z)|([+-])(\d\d):?(\d\d))?)?$"
"""Date, hour, minute, second, and what the clock is ahead of Greenwich, as ISO 8601 writes them."""

UNITS = (24, 24 * 60, 24 * 60 * 60)
"""Hours, minutes and seconds in a day."""


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


def dated(frame: pl.DataFrame) -> pl.DataFrame:
    """The table, with columns of text in which every value is a date as dates: all rows decide it, not some of them."""
    return frame.with_columns(
        (days * (UNITS[2] * 1e6)).round().cast(pl.Int64).cast(pl.Datetime("us"))
        for series in frame.iter_columns()
        if is_text(series.dtype) and (days := _days(series)) is not None
        if len(days) > days.null_count() == series.null_count()
    )


def _days(series: pl.Series) -> pl.Series | None:
    """Days as float64, null for what is no date; None for a column of another type."""
    if series.null_count() == len(series):
        return pl.Series(series.name, [None] * len(series), pl.Float64)
    if series.dtype == pl.Date:
        return series.cast(pl.Int32).cast(pl.Float64)
    if isinstance(series.dtype, pl.Datetime):
        return series.dt.epoch("us") / (UNITS[2] * 1e6)
    return _parsed(series.cast(pl.String)) if is_text(series.dtype) else None


def _parsed(text: pl.Series) -> pl.Series:
    """Days of text in the form of ISO 8601, null for other text, and for clocks that no day has."""
    if not text.drop_nulls().head(1).str.contains(ISO)[0]:
        return pl.Series(text.name, [None] * len(text), pl.Float64)
    found = [text.str.extract(ISO, group) for group in range(1, 9)]
    days = found[0].str.to_date("%Y-%m-%d", strict=False).cast(pl.Int32).cast(pl.Float64)
    clock = [part.cast(pl.Float64, strict=False).fill_null(0.0) for part in (*found[1:4], *found[6:8])]
    whole = (clock[0] < UNITS[0]) & (clock[1] < 60) & (clock[2] < 60) & (clock[3] < UNITS[0]) & (clock[4] < 60)
    ahead = np.where((found[5] == "-").fill_null(value=False), -1.0, 1.0)
    for part, unit in zip(clock[:3], UNITS, strict=True):
        days += part / unit
    for part, unit in zip(clock[3:], UNITS[:2], strict=True):
        days -= part / unit * ahead
    return days.set(~whole, None)
