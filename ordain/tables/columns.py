"""Columns of a table as arrays: numbers, and categories as codes, read without ever holding the table."""

from __future__ import annotations

import math
import os
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from ordain._types import Vector
from ordain.tables.batches import Batch, batches
from ordain.tables.growing import Growing, kind_name
from ordain.tables.header import BLANKS
from ordain.tables.messages import shown
from ordain.tables.reading import Reading

UNLABELLED = ("", "na", "n/a", "#n/a", "nan", "null")
"""What stands, in lower case, where a row has no label; words such as none may be labels."""


@dataclass(frozen=True)
class Category:
    """A column of values as codes: row i holds `values[codes[i]]`.

    Parameters
    ----------
    name : str
        The name of the column.
    codes : int32 array of shape (n_rows,)
        Which value each row holds.
    values : list
        The different values in the order of their first rows: text from CSV and TSV, else as the file types them.
    """

    name: str
    codes: Vector
    values: list[Any]


@dataclass(frozen=True)
class Columns:
    """The columns that were asked for, by name.

    Parameters
    ----------
    rows : int
        How many rows the table has, without those that lack a label.
    numbers : dict
        Name → float64 array; int64 if all are integers and one is beyond ±2⁵³, where float64 would merge some.
    categories : dict
        Name → :class:`Category`.
    unlabelled : int
        How many rows were left out because they have no label.
    """

    rows: int
    numbers: dict[str, Vector]
    categories: dict[str, Category]
    unlabelled: int = 0


def read_columns(
    path: str | os.PathLike[str],
    *,
    label: str | None = None,
    numbers: Sequence[str] = (),
    categories: Sequence[str] = (),
    reading: Reading | None = None,
) -> Columns:
    """Some columns of a table, each cell checked; the others are skipped.

    Every number must be finite and is rounded correctly to float64; no category may be empty. The memory it takes is
    that of the result and of one block of the file.

    Parameters
    ----------
    path : path
        A CSV, TSV, JSONL or Parquet file, packed with gzip or not, or a workbook; `-` is standard input.
    label : str, optional
        A column that becomes a category too; rows in which it is empty, NA or null are left out and counted.
    numbers, categories : sequences of str
        The names of the columns; one may be asked for twice.
    reading : Reading, optional
        How to read the table; it is told what was found.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "scores.csv")
    ...     _ = file.write_text("churned,score\\nyes,0.9\\nno,0.2\\nyes,0.4\\n")
    ...     columns = read_columns(file, numbers=["score"], categories=["churned"])
    >>> columns.numbers["score"]
    array([0.9, 0.2, 0.4])
    >>> columns.categories["churned"]
    Category(name='churned', codes=array([0, 1, 0], dtype=int32), values=['yes', 'no'])
    """
    reading = reading or Reading()
    gathered = Gathered(numbers, categories, label=label, reading=reading)
    for batch in batches(path, list(dict.fromkeys([*([label] if label else []), *numbers, *categories])), reading):
        gathered.add(batch)
    return gathered.columns


class Gathered:
    """Columns that grow with every batch."""

    def __init__(
        self, numbers: Sequence[str], categories: Sequence[str], *, label: str | None, reading: Reading
    ) -> None:
        self._rows, self._unlabelled, self._label, self._reading = 0, 0, label, reading
        self._numbers = {name: Growing(name, reading) for name in numbers}
        self._codes = {name: _Codes() for name in [*([label] if label else []), *categories]}

    def add(self, batch: Batch) -> Batch:
        """More rows; those of them that have a label."""
        batch = self._labelled(batch)
        if batch.frame.height:
            self._rows += batch.frame.height
            for growing in self._numbers.values():
                growing.add(batch)
            for name, codes in self._codes.items():
                codes.add(batch, name)
        return batch

    def _labelled(self, batch: Batch) -> Batch:
        """The rows that have a label."""
        if self._label is None:
            return batch
        series = _plain(batch, self._label)
        bare = series.fill_nan(None) if series.dtype.is_float() else series
        lacking = bare.cast(pl.String).str.strip_chars(BLANKS).str.to_lowercase().is_in(UNLABELLED)
        kept = np.flatnonzero(~lacking.fill_null(value=True).to_numpy())
        self._unlabelled += len(series) - len(kept)
        return batch if len(kept) == len(series) else batch.take(kept)

    @property
    def columns(self) -> Columns:
        """All that came."""
        if not self._rows:
            raise ValueError(
                f"column {self._label!r} must hold labels. Got none in {self._unlabelled:,} rows. Is it the right one?"
            )
        words = [growing.said for growing in self._numbers.values() if growing.said]
        if words:
            self._reading.note("decimal", ", ".join(dict.fromkeys(words)))
        return self.columns_so_far

    @property
    def columns_so_far(self) -> Columns:
        """The same, which may be no rows."""
        return Columns(
            self._rows,
            {name: growing.values for name, growing in self._numbers.items()},
            {name: Category(name, codes.codes, list(codes.known)) for name, codes in self._codes.items()},
            self._unlabelled,
        )


class _Codes:
    """Codes that grow at the end, and the values known so far."""

    def __init__(self) -> None:
        self._array, self.known = array("i"), dict[Any, int]()

    @property
    def codes(self) -> Vector:
        return np.frombuffer(self._array, np.int32)

    def add(self, batch: Batch, name: str) -> None:
        series = _plain(batch, name)
        different = series.unique(maintain_order=True)
        if any(map(_is_missing, different)):
            index = next(index for index, value in enumerate(series) if _is_missing(value))
            got = f"Got {shown(series[index])}. Fill it in, or remove the row."
            raise batch.fault(index, f"column {name!r} must not be empty. {got}")
        codes = [self.known.setdefault(value, len(self.known)) for value in different]
        coded = series.replace_strict(different, pl.Series(codes, dtype=pl.Int32), return_dtype=pl.Int32)
        self._array.frombytes(coded.to_numpy().tobytes())


def _plain(batch: Batch, name: str) -> pl.Series:
    """A category column of a type whose values are single Python scalars."""
    series = batch.frame[name]
    if isinstance(series.dtype, (pl.Categorical, pl.Enum)):
        return series.cast(pl.String)
    if series.dtype.is_nested() or series.dtype in (pl.Binary, pl.Object):
        got = f"Got {kind_name(series.dtype)}. Convert the column first."
        raise batch.fault(0, f"column {name!r} must hold text, numbers or true and false. {got}")
    return series


def _is_missing(value: Any) -> bool:
    """Whether a category is none: null, not finite, or nothing but blanks."""
    if isinstance(value, str):
        return not value.strip(BLANKS)
    return value is None or (isinstance(value, float) and not math.isfinite(value))
