"""Cells of any type as text, as a CSV file would hold them; lists and objects as JSON.

Who voted for what is written in words, and the same word may come as text here and as a number there. So votes are read
from tables whose cells are all text, whichever file they come from.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

Rows = Sequence[dict[str, Any]]


HOLDERS = ("dict", "list", "ndarray", "tuple")
"""Python's types whose values a frame of pandas may hold: a struct with the one field of that name has them as JSON."""


def as_text(series: pl.Series) -> pl.Series:
    """A column of any type as text, null where there is nothing; whole numbers without a point, moments of Greenwich.

    Examples
    --------
    >>> as_text(pl.Series([1.0, None, 2.5])).to_list()
    ['1', None, '2.5']
    >>> as_text(pl.Series([["b", "a"], ["a"]])).to_list()
    ['["b", "a"]', '["a"]']
    """
    kind = series.dtype
    if kind == pl.String:
        return series
    if isinstance(kind, pl.Struct) and any(kind == pl.Struct({name: pl.String}) for name in HOLDERS):
        return series.struct.unnest().to_series().alias(series.name)
    if kind.is_nested() or kind in (pl.Object, pl.Binary):
        return pl.Series(series.name, [json_text(value) for value in series.to_list()], pl.String)
    if kind.is_float():
        return series.fill_nan(None).cast(pl.String).str.strip_suffix(".0")
    if isinstance(kind, pl.Datetime) and kind.time_zone:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return series.cast(pl.String)


def json_text(value: Any) -> str | None:
    """A value of JSON as text: text as it is, whole numbers without a point, None for null and NaN, else as JSON."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and not (math.isfinite(value) and value % 1):
        return None if math.isnan(value) else json.dumps(value).removesuffix(".0")
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    """What JSON can hold instead of an array, or of anything else."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def keys_of(rows: Rows) -> tuple[str, ...]:
    """The keys of all objects, in the order in which they come."""
    return tuple(dict.fromkeys(key for row in rows for key in row))


def text_column(name: str, rows: Rows, where: Callable[[int], str]) -> pl.Series:
    """The values of one key as text; null where an object lacks it."""
    values = [json_text(row.get(name)) for row in rows]
    try:
        return pl.Series(name, values, pl.String)
    except UnicodeEncodeError as error:
        place = where(values.index(error.object))
        raise ValueError(f"{place}: column {name!r} must be text. Got half a surrogate pair. Mend the cell.") from None
