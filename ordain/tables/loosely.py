"""Cells of any type as text, as a CSV file would hold them; lists and objects as JSON.

Who voted for what is written in words, and the same word may come as text here and as a number there. So votes are read
from tables whose cells are all text, whichever file they come from.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

Rows = Sequence[dict[str, Any]]


def as_text(series: pl.Series) -> pl.Series:
    """A column of any type as text, null where it is null; moments as at Greenwich.

    Examples
    --------
    >>> as_text(pl.Series([1, None, 3])).to_list()
    ['1', None, '3']
    >>> as_text(pl.Series([["b", "a"], ["a"]])).to_list()
    ['["b", "a"]', '["a"]']
    """
    kind = series.dtype
    if kind == pl.String:
        return series
    if kind.is_nested() or kind in (pl.Object, pl.Binary):
        return pl.Series(series.name, [json_text(value) for value in series.to_list()], pl.String)
    if isinstance(kind, pl.Datetime) and kind.time_zone:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return series.cast(pl.String)


def json_text(value: Any) -> str | None:
    """A value of JSON as text: text as it is, anything else as JSON writes it, None as it is."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


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
