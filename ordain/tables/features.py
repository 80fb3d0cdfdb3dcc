"""The other columns of a table, as features: numbers where every cell is one, else text; empty cells are missing."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from ordain.tables.batches import Batch, batches
from ordain.tables.columns import MISSING, Columns, Gathered
from ordain.tables.messages import shown

_BLANKS = " \t"


def read_features(
    path: str | os.PathLike[str],
    *,
    numbers: Sequence[str] = (),
    categories: Sequence[str] = (),
    drop: Sequence[str] = (),
) -> tuple[Columns, pl.DataFrame]:
    """Some columns as :func:`read_columns` gives them, and all others but `drop` as a frame of features.

    A column of a CSV or TSV file is of numbers if every cell is a number, empty, or a word for missing such as NA; then
    it becomes float64, and null where missing. Other columns stay text, null where empty. JSONL and Parquet keep their
    types.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "rows.csv")
    ...     _ = file.write_text("churned,age,city\\nyes,31,Oslo\\nno,NA,\\n")
    ...     columns, features = read_features(file, categories=["churned"])
    >>> features.rows()
    [(31.0, 'Oslo'), (None, None)]
    """
    gathered, frames = Gathered(numbers, categories), []
    taken, text = {*numbers, *categories}, False
    for batch in batches(path, None):
        _check_names(str(path), batch.frame.columns, [*taken, *drop])
        gathered.add(batch)
        frames.append(batch.frame.drop(*taken, *(name for name in drop if name not in taken)))
        text = batch.text
    frame = pl.concat(frames, how="vertical_relaxed")
    return gathered.columns, frame.with_columns(map(_typed, frame)) if text else frame


def feature_batches(
    path: str | os.PathLike[str], names: Sequence[str], numeric: Sequence[str]
) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """Batches of all columns as they stand, and of the named ones as features; `numeric` must hold numbers."""
    for batch in batches(path, None):
        _check_names(str(path), batch.frame.columns, names)
        yield batch.frame, batch.frame.select(_feature(batch, name, name in numeric) for name in names)


def _feature(batch: Batch, name: str, numeric: bool) -> pl.Series:
    """One column of a batch, typed as the model wants it."""
    series = batch.frame[name]
    if not batch.text:
        return series
    if not numeric:
        return _filled(series)
    values, bad = _as_numbers(series)
    if bad is not None:
        wrong = f"column {name!r} must hold numbers, as in training. Got {shown(series[bad])}"
        raise batch.fault(bad, f"{wrong}. Correct the cell, or leave it empty.")
    return values


def _typed(series: pl.Series) -> pl.Series:
    """A column of text as numbers, where all of it is."""
    values, bad = _as_numbers(series)
    return values if bad is None else _filled(series)


def _filled(series: pl.Series) -> pl.Series:
    """Text, null where it is empty or blank."""
    return series.set(series.str.strip_chars(_BLANKS) == "", None)


def _as_numbers(series: pl.Series) -> tuple[pl.Series, int | None]:
    """Text as float64, null where missing, and the first row that is neither a number nor missing."""
    values = series.cast(pl.Float64, strict=False)
    if values.null_count():
        text = series.str.strip_chars(_BLANKS)
        values = text.cast(pl.Float64, strict=False)
        strange = values.is_null() & ~text.str.to_lowercase().is_in(["", *MISSING])
        if strange.any():
            return values, int(np.argmax(strange.to_numpy()))
    return values.fill_nan(None), None


def _check_names(path: str, names: Sequence[str], asked: Sequence[str]) -> None:
    """Refuse a table that lacks columns, by name."""
    lacking = [name for name in asked if name not in names]
    if lacking:
        raise ValueError(
            f"{path} must have the columns {', '.join(map(repr, lacking))}. Got {', '.join(map(repr, names[:12]))}"
            f"{' and more' if len(names) > 12 else ''}. Are the names spelt the same?"
        )
