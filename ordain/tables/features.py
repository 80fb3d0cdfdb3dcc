"""The other columns of a table, as features: numbers or dates where every cell is one, else text; empty is missing.

How the numbers and dates of a column are written is its *form*, found by `forms`; a model remembers it, and new tables
are read in the same form, or refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import polars as pl
import polars.selectors as cs

from ordain.tables.batches import Batch, batches
from ordain.tables.columns import Columns, Gathered
from ordain.tables.forms import Forms, moments_of, numbers_as_text, stripped, typed
from ordain.tables.frames import Table, name_of
from ordain.tables.header import choose
from ordain.tables.messages import shown
from ordain.tables.moments import Moments
from ordain.tables.numbers import PLAIN, Cells, Form, plain_numbers
from ordain.tables.reading import DATES, Reading


def read_features(
    path: Table,
    *,
    label: str | None = None,
    numbers: Sequence[str] = (),
    categories: Sequence[str] = (),
    drop: Sequence[str] = (),
    reading: Reading | None = None,
) -> tuple[Columns, pl.DataFrame, Forms]:
    """Some columns as :func:`read_columns` gives them, all others but `drop` as a frame of features, and their forms.

    A column of a CSV or TSV file or a workbook is of numbers if every cell is a number, empty, or a word for missing
    such as NA; then it becomes float64, and null where missing. It is of dates if every cell is one. Other columns stay
    text, without blanks around it, null where empty. JSONL and Parquet keep their types. Of a frame, which may stand in
    the place of a path, columns of text are taken so, and the others keep their types.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "rows.csv")
    ...     _ = file.write_text("churned;paid;city\\nyes;1.031,50 €;Oslo\\nno;NA;\\n")
    ...     columns, features, forms = read_features(file, categories=["churned"])
    >>> features.rows()
    [(1031.5, 'Oslo'), (None, None)]
    >>> forms
    {'paid': Form(decimal=',', thousands='.', percent=False, currency='€')}
    """
    reading = reading or Reading()
    gathered, frames = Gathered(numbers, categories, label=label, reading=reading), []
    taken, text = {*numbers, *categories, *([label] if label else [])}, False
    for batch in batches(path, None, reading):
        choose(name_of(path), batch.frame.columns, [*taken, *drop] or None)
        batch = gathered.add(batch)
        frames.append(batch.frame.drop(cs.by_name(*taken, *drop)))
        text = batch.text
    frame = pl.concat(frames, how="vertical_relaxed")
    columns = gathered.columns
    if not text:
        reading.notices += [sentence for series in frame.select(cs.string()) for sentence in numbers_as_text(series)]
        return columns, frame.with_columns(pl.col(pl.String).pipe(stripped)), {}
    return columns, *typed(frame, reading, name_of(path))


def feature_batches(
    path: Table, kinds: Mapping[str, str], forms: Mapping[str, Form | str], reading: Reading
) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """Batches of all columns as they stand, and of the named ones as features of kind number, date, text or words."""
    for batch in batches(path, None, reading):
        choose(name_of(path), batch.frame.columns, list(kinds))
        found = [_feature(batch, name, kind, forms.get(name), reading) for name, kind in kinds.items()]
        yield batch.frame, pl.DataFrame(found)


def _feature(batch: Batch, name: str, kind: str, form: Form | str | None, reading: Reading) -> pl.Series:
    """One column of a batch, typed as the model wants it."""
    series = batch.frame[name]
    if series.dtype != pl.String:
        return series
    if kind in ("text", "words") or not batch.text:
        return pl.select(stripped(series)).to_series()
    if kind == "date":
        return _dates(batch, series, form if isinstance(form, str) else None, reading)
    return _numbers(batch, series, form if isinstance(form, Form) else PLAIN, reading)


def _numbers(batch: Batch, series: pl.Series, form: Form, reading: Reading) -> pl.Series:
    """Numbers written in a form, or the fault of the first cell that is not."""
    if form.decimal == "." and not form.percent and (values := plain_numbers(series)) is not None:
        return values
    asked = reading.decimal is not None
    form = replace(form, decimal=reading.decimal) if reading.decimal else form
    cells = Cells(series)
    if fault := cells.against(form, asked=asked):
        index, must = fault
        raise batch.fault(index, f"column {series.name!r} {must}, as in training. Got {shown(series[index])}. Mend it.")
    return cells.values(form)


def _dates(batch: Batch, series: pl.Series, order: str | None, reading: Reading) -> pl.Series:
    """Dates in an order, or the fault of the first cell that is none."""
    moments = Moments(series)
    order = reading.dates or order
    if order is None and moments.turns.any():
        index = int(moments.turns.argmax())
        got = f"Got {shown(series[index])}, where day or month may come first"
        raise batch.fault(index, f"column {series.name!r} must hold dates as in training. {got}. Add --dates.")
    days = moments.days(order or DATES[0])
    strange = days.is_null() & ~pl.Series(moments.missing)
    if strange.any():
        index = int(strange.arg_max() or 0)
        first = f", {order}" if order else ""
        must = f"column {series.name!r} must hold dates such as 2024-03-31{first}, as in training"
        raise batch.fault(index, f"{must}. Got {shown(series[index])}. Correct the cell, or leave it empty.")
    return moments_of(days)
