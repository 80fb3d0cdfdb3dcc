"""Columns of a table as arrays: numbers, and categories as codes, read without ever holding the table."""

from __future__ import annotations

import math
import os
import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from ordain._types import Vector
from ordain.tables.batches import Batch, batches
from ordain.tables.messages import shown

NUMBER = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
"""What a number looks like in text."""

MISSING = ("na", "n/a", "#n/a", "nan", "-nan", "null", "none", "nil", "missing", "?", "-", ".")
"""What people write, in lower case, where a value is missing."""

_BLANKS = " \t"
_EXACT = 2**53  # up to here every integer is a float64


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
        How many rows the table has.
    numbers : dict
        Name → float64 array; int64 if all are integers and one is beyond ±2⁵³, where float64 would merge some.
    categories : dict
        Name → :class:`Category`.
    """

    rows: int
    numbers: dict[str, Vector]
    categories: dict[str, Category]


def read_columns(
    path: str | os.PathLike[str], *, numbers: Sequence[str] = (), categories: Sequence[str] = ()
) -> Columns:
    """Some columns of a table, each cell checked; the others are skipped.

    Every number must be finite and is rounded correctly to float64; no category may be empty. The memory it takes is
    that of the result and of one block of the file.

    Parameters
    ----------
    path : path
        A CSV, TSV, JSONL or Parquet file, packed with gzip or not; `-` is standard input.
    numbers, categories : sequences of str
        The names of the columns; one may be asked for twice.

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
    gathered = Gathered(numbers, categories)
    for batch in batches(path, list(dict.fromkeys([*numbers, *categories]))):
        gathered.add(batch)
    return gathered.columns


class Gathered:
    """Columns that grow with every batch."""

    def __init__(self, numbers: Sequence[str], categories: Sequence[str]) -> None:
        self._rows = 0
        self._numbers = {name: _Numbers() for name in numbers}
        self._codes = {name: _Codes() for name in categories}

    def add(self, batch: Batch) -> None:
        """More rows."""
        self._rows += batch.frame.height
        for name, growing in self._numbers.items():
            growing.add(batch, name)
        for name, codes in self._codes.items():
            codes.add(batch, name)

    @property
    def columns(self) -> Columns:
        """All that came."""
        return Columns(
            self._rows,
            {name: growing.values for name, growing in self._numbers.items()},
            {name: Category(name, codes.codes, list(codes.known)) for name, codes in self._codes.items()},
        )


class _Numbers:
    """Numbers that grow at the end. A standard array grows in place, so that no second copy is ever made."""

    def __init__(self) -> None:
        self._array, self._whole = array("d"), True

    @property
    def values(self) -> Vector:
        return np.frombuffer(self._array, self._array.typecode)

    def add(self, batch: Batch, name: str) -> None:
        part = _finite(batch, name)
        self._whole &= part.dtype == np.int64
        large = self._whole and (self._array.typecode == "q" or part.max() > _EXACT or part.min() < -_EXACT)
        code = "q" if large else "d"
        if code != self._array.typecode:
            self._array = array(code, self.values.astype(code).tobytes())
        self._array.frombytes(part.astype(code, copy=False).tobytes())


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


def _finite(batch: Batch, name: str) -> Vector:
    """A number column as finite float64, or int64 if it is of integers that fit."""
    series = batch.frame[name]
    values = _from_text(series) if batch.text else _from_numbers(batch, name, series)
    if values.dtype == np.float64 and not (finite := np.isfinite(values)).all():
        index = int(np.argmin(finite))
        raise batch.fault(index, f"column {name!r} must be a finite number. {_hint(series[index])}")
    return values


def _from_text(series: pl.Series) -> Vector:
    """Text as float64, rounded correctly; nan where it is no number."""
    values = series.cast(pl.Float64, strict=False)
    if values.null_count():
        values = series.str.strip_chars(_BLANKS).cast(pl.Float64, strict=False)
    return values.to_numpy()


def _from_numbers(batch: Batch, name: str, series: pl.Series) -> Vector:
    """Typed numbers as float64 with nan for null, or as int64 if they are integers that fit."""
    kind = series.dtype
    if kind.is_integer() and not series.null_count():
        whole = series.cast(pl.Int64, strict=False)
        return (series.cast(pl.Float64) if whole.null_count() else whole).to_numpy()
    if not kind.is_numeric() and kind != pl.Null:
        index = int(series.is_not_null().arg_max() or 0)
        got = f"Got {_kind_name(kind)} such as {shown(series[index])}"
        raise batch.fault(index, f"column {name!r} must be a finite number. {got}. Store the column as numbers.")
    return series.cast(pl.Float64).to_numpy()


def _plain(batch: Batch, name: str) -> pl.Series:
    """A category column of a type whose values are single Python scalars."""
    series = batch.frame[name]
    if isinstance(series.dtype, (pl.Categorical, pl.Enum)):
        return series.cast(pl.String)
    if series.dtype.is_nested() or series.dtype in (pl.Binary, pl.Object):
        got = f"Got {_kind_name(series.dtype)}. Convert the column first."
        raise batch.fault(0, f"column {name!r} must hold text, numbers or true and false. {got}")
    return series


def _kind_name(kind: Any) -> str:
    """What a polars type is called in a message."""
    names = {pl.String: "text", pl.Boolean: "true or false", pl.Binary: "bytes"}
    return names.get(kind.base_type(), f"values of type {kind.base_type().__name__}")


def _is_missing(value: Any) -> bool:
    """Whether a category is none: null, not finite, or nothing but blanks."""
    if isinstance(value, str):
        return not value.strip(_BLANKS)
    return value is None or (isinstance(value, float) and not math.isfinite(value))


def _hint(cell: Any) -> str:
    """What came in place of a finite number, and what to do."""
    text = str(cell).strip(_BLANKS).lower() if cell is not None else "null"
    if not text:
        return "Got an empty cell. Fill it in, or remove the row."
    return f"Got {shown(cell)}. {_advice(text)}"


def _advice(text: str) -> str:
    """What to do about a cell that is no finite number."""
    if text in MISSING:
        return "That is a missing value: remove the row, or give a number."
    if re.fullmatch(r"[-+]?inf(inity)?", text):
        return "Remove the row, or give a finite number."
    if re.fullmatch(NUMBER, text):
        return "That is beyond ±1.8e308: rescale the column."
    if text in ("true", "false", "yes", "no"):
        return "Write 1 and 0 instead."
    if re.fullmatch(r"[-+]?[0-9][0-9.,' _\u00a0\u2009\u202f]*(e[-+]?[0-9]+)?", text):
        return "Write a decimal comma as a point, and leave out thousands separators."
    return "Is it the right column?"
