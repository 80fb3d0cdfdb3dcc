"""Frames in memory as tables: those of polars as they are, tables of pyarrow by polars, pandas column by column.

A column of text is looked at as one of a file is; a column that has a type keeps it. Neither pandas nor pyarrow is ever
imported here.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl

from ordain.tables.loosely import HOLDERS, json_text
from ordain.tables.reading import Reading

Table = Any
"""A path, or a frame of polars or pandas, or a table of pyarrow."""


def is_pandas(table: Any) -> bool:
    """Whether it is a frame of pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(table, pandas.DataFrame)


def is_arrow(table: Any) -> bool:
    """Whether it is a table of pyarrow."""
    pyarrow = sys.modules.get("pyarrow")
    return pyarrow is not None and isinstance(table, pyarrow.Table)


def is_frame(table: Any) -> bool:
    """Whether it is a frame of one of the three."""
    return isinstance(table, pl.DataFrame) or is_pandas(table) or is_arrow(table)


def name_of(table: Table) -> str:
    """What messages call it: its path, or that it is the table."""
    return str(table) if isinstance(table, (str, os.PathLike)) else "the table"


def frame_of(table: Table) -> pl.DataFrame | None:
    """The table as a frame of polars; None for a path.

    Examples
    --------
    >>> frame_of("rows.csv") is None
    True
    >>> frame_of(pl.DataFrame({"age": [30, 40]})).columns
    ['age']
    """
    if isinstance(table, (str, os.PathLike)):
        return None
    if isinstance(table, pl.DataFrame):
        return table
    if is_pandas(table):
        return _from_pandas(table)
    if is_arrow(table):
        _check_different(table.column_names)
        return pl.DataFrame(pl.from_arrow(table))
    kind = f"{type(table).__module__.partition('.')[0]}.{type(table).__name__}".removeprefix("builtins.")
    raise ValueError(
        f"the table must be a frame of pandas, polars or pyarrow, or a path. Got {kind}. Convert it first."
    )


def reading_of(table: Table, **asked: Any) -> Reading:
    """How a table is to be read; what only files have is refused for frames."""
    if not isinstance(table, (str, os.PathLike)):
        for name in ("separator", "encoding"):
            if asked.get(name) is not None:
                raise ValueError(f"{name} is for files. Got a frame, whose columns stand apart. Leave it out.")
    return Reading(**asked)


def _from_pandas(frame: Any) -> pl.DataFrame:
    """The same columns, without the index."""
    names = [str(name) for name in frame.columns]
    _check_different(names)
    return pl.DataFrame([_column(name, frame.iloc[:, place]) for place, name in enumerate(names)])


def _check_different(names: list[str]) -> None:
    """No two columns have one name."""
    for name, count in Counter(names).items():
        if count > 1:
            raise ValueError(f"the table must have different column names. Got {name!r} {count} times. Rename one.")


def _column(name: str, series: Any) -> pl.Series:
    """A column of pandas by its type."""
    kind = series.dtype
    if isinstance(kind, np.dtype) and kind.kind in "biuf":
        values = series.to_numpy()
        return pl.Series(name, values.astype(np.float32) if values.dtype == np.float16 else values)
    if getattr(kind, "kind", "") == "M" and not str(kind).startswith("date32"):
        zone = getattr(getattr(kind, "pyarrow_dtype", kind), "tz", None)
        plain = series if zone is None else series.dt.tz_convert("UTC").dt.tz_localize(None)
        return pl.Series(name, plain.to_numpy().astype("datetime64[us]"))
    missing = series.isna().to_numpy()
    values = [None if gone else cell for cell, gone in zip(series.astype(object).tolist(), missing, strict=True)]
    if str(kind) == "category":
        return _text(name, values).cast(pl.Categorical)
    return _objects(name, values)


def _objects(name: str, values: list[Any]) -> pl.Series:
    """A column of Python's values by their types; a mixture of text and numbers is text."""
    values = [value.item() if isinstance(value, np.generic) else value for value in values]
    kinds = {type(value) for value in values} - {type(None)}
    if kinds <= {str, int, float, bool} and (str in kinds or (bool in kinds and len(kinds) > 1)):
        return _text(name, values)
    if kinds <= {int, float, Decimal} and not (kinds <= {int} or kinds <= {float}):
        return pl.Series(name, [None if value is None else float(value) for value in values], pl.Float64)
    if kinds <= {bool} or kinds <= {int} or kinds <= {float} or all(issubclass(kind, date) for kind in kinds):
        return pl.Series(name, values, strict=False)
    kind = sorted(kind.__name__ for kind in kinds)[0]  # of no use as a feature, and refused as one by its type
    write = json_text if kind in HOLDERS else str
    cells = [None if value is None else {kind: write(value)} for value in values]
    return pl.Series(name, cells, pl.Struct({kind: pl.String}))


def _text(name: str, values: list[Any]) -> pl.Series:
    return pl.Series(name, [None if value is None else str(value) for value in values], pl.String)
