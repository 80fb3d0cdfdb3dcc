"""The other columns of a table, as features: numbers or dates where every cell is one, else text; empty is missing.

How the numbers and dates of a column are written is found by looking at all of its cells, where these leave it open at
the other columns, and where these do too it is asked for. What was found is a *form*, which a model remembers: new
tables are read in the same form, or refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import polars as pl
import polars.selectors as cs

from ordain.tables.batches import Batch, batches
from ordain.tables.columns import Columns, Gathered
from ordain.tables.dates import DAY, Moments
from ordain.tables.header import choose
from ordain.tables.messages import shown
from ordain.tables.numbers import BLANK, OTHER, PLAIN, Cells, Form, plain_numbers
from ordain.tables.reading import DATES, Reading

Forms = dict[str, Form | str]
"""How a column is written where that is not plain: a form of numbers, or which part of a date comes first."""

FIRST = 200
"""So many cells tell whether it is worth to take a column apart."""

MOSTLY = 0.5
"""A text column with a larger share of numbers, or dates, is named."""


def read_features(
    path: str | os.PathLike[str],
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
    text, without blanks around it, null where empty. JSONL and Parquet keep their types.

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
        choose(str(path), batch.frame.columns, [*taken, *drop] or None)
        batch = gathered.add(batch)
        frames.append(batch.frame.drop(cs.by_name(*taken, *drop)))
        text = batch.text
    frame = pl.concat(frames, how="vertical_relaxed")
    columns = gathered.columns
    if not text:
        reading.notices += [sentence for series in frame.select(cs.string()) for sentence in _numbers_as_text(series)]
        return columns, frame.with_columns(pl.col(pl.String).pipe(_stripped)), {}
    return columns, *typed(frame, reading, str(path))


def feature_batches(
    path: str | os.PathLike[str], kinds: Mapping[str, str], forms: Mapping[str, Form | str], reading: Reading
) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """Batches of all columns as they stand, and of the named ones as features of kind number, date or text."""
    for batch in batches(path, None, reading):
        choose(str(path), batch.frame.columns, list(kinds))
        found = [_feature(batch, name, kind, forms.get(name), reading) for name, kind in kinds.items()]
        yield batch.frame, pl.DataFrame(found)


def _feature(batch: Batch, name: str, kind: str, form: Form | str | None, reading: Reading) -> pl.Series:
    """One column of a batch, typed as the model wants it."""
    series = batch.frame[name]
    if series.dtype != pl.String:
        return series
    if kind == "text" or not batch.text:
        return pl.select(_stripped(series)).to_series()
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
    return _moments(days)


def typed(frame: pl.DataFrame, reading: Reading, name: str) -> tuple[pl.DataFrame, Forms]:
    """The table with its columns of text as numbers and dates, where all of a column is, and their forms."""
    found: dict[str, pl.Series] = {}
    odd: dict[str, Cells] = {}
    dates: dict[str, Moments] = {}
    for series in frame.iter_columns():
        if series.dtype != pl.String:
            continue
        if (values := plain_numbers(series)) is not None:
            found[series.name] = values
        elif (cells := _numbers_perhaps(series)) and (cells.fits or not cells.strange.any()):
            odd[series.name] = _of_one_mark(cells)
        elif (moments := Moments(series)).fits:
            dates[series.name] = moments
        else:
            found[series.name] = pl.select(_stripped(series)).to_series()
            reading.notices += _mixed(series, cells, moments)
    forms = _number_forms(frame, odd, [column for column in found if found[column].dtype == pl.Float64], reading, name)
    orders = _date_orders(dates, reading, name)
    found |= {column: odd[column].values(form) for column, form in forms.items() if column in odd}
    found |= {column: _moments(moments.days(orders[column] or DATES[0])) for column, moments in dates.items()}
    kept: Forms = {column: form for column, form in forms.items() if form != PLAIN}
    kept |= {column: order for column, order in orders.items() if order}
    return frame.with_columns(found.values()), kept


def _numbers_perhaps(series: pl.Series) -> Cells | None:
    """The cells taken apart, or None where the first of them are plainly no numbers."""
    first = Cells(series.head(FIRST))
    return None if first.strange.sum() > MOSTLY * len(first.strange) else Cells(series)


def _of_one_mark(cells: Cells) -> Cells:
    """The cells, if one decimal mark fits all of them."""
    if not cells.fits:
        both = [shown(cells.series[int(cells.only(mark).argmax())]) for mark in OTHER]
        raise ValueError(
            f"column {cells.series.name!r} must have one decimal mark. Got {both[0]} and {both[1]}. "
            "Write all alike, or leave the column out."
        )
    return cells


def _number_forms(
    frame: pl.DataFrame, odd: dict[str, Cells], plain: list[str], reading: Reading, name: str
) -> dict[str, Form]:
    """The form of every column of numbers; those that programs would write so are looked at again if need be."""
    votes = {next(iter(cells.fits)) for cells in odd.values() if len(cells.fits) == 1}
    open_ = [cells for cells in odd.values() if len(cells.fits) == 2 and (cells.bears(",") | cells.bears(".")).any()]
    european = reading.found.get("separator") == "separator ';'"
    again: dict[str, Cells] = {}
    if votes == {","} or open_ or european or reading.decimal == ",":
        pointed = [column for column in plain if frame[column].str.contains(".", literal=True).any()]
        again = {column: Cells(frame[column]) for column in pointed}
        votes |= {"." for cells in again.values() if "," not in cells.fits}
    decimal = reading.decimal or (next(iter(votes)) if len(votes) == 1 else None)
    forms = {}
    for column, cells in (odd | {column: cells for column, cells in again.items() if "," in cells.fits}).items():
        mark = next(iter(cells.fits)) if len(cells.fits) == 1 else decimal
        if mark is None and (cells.bears(",").any() or (european and cells.bears(".").any())):
            raise _either(name, column, cells)
        forms[column] = cells.form(mark or ".")
        odd[column] = cells
    whole = PLAIN if decimal != "," else Form(",")
    forms |= {column: whole for column in plain if column not in forms and column not in again}
    _say(forms, reading)
    return forms


def _either(name: str, column: str, cells: Cells) -> ValueError:
    """A column that may be read in two ways."""
    mark = "," if cells.bears(",").any() else "."
    cell = shown(cells.series[int(cells.bears(mark).argmax())])
    return ValueError(
        f"column {column!r} of {name} must tell its decimal mark. Got {cell}, which may be either. "
        f"Add --decimal {mark} if it is the decimal mark there, --decimal {OTHER[mark]} if it parts thousands."
    )


def _date_orders(dates: dict[str, Moments], reading: Reading, name: str) -> dict[str, str | None]:
    """Which part of a date comes first in each column of dates, None where it does not matter."""
    turning = {column: moments for column, moments in dates.items() if moments.turns.any()}
    votes = {next(iter(moments.fits)) for moments in turning.values() if len(moments.fits) == 1}
    usual = reading.dates or (next(iter(votes)) if len(votes) == 1 else None)
    orders: dict[str, str | None] = dict.fromkeys(dates)
    for column, moments in turning.items():
        orders[column] = next(iter(moments.fits)) if len(moments.fits) == 1 else usual
        if orders[column] is None:
            cell = moments.series[int(moments.turns.argmax())]
            what = f"column {column!r} of {name} must tell day from month. Got {shown(cell)}, which may be either"
            raise ValueError(f"{what}. Add --dates day-first or --dates month-first.")
    if found := sorted({f"dates {order}" for order in orders.values() if order}):
        reading.note("dates", ", ".join(found))
    return orders


def _say(forms: Mapping[str, Form], reading: Reading) -> None:
    """What is worth saying about the numbers of a table."""
    words = [word for form in forms.values() for word in str(form).split(", ") if word]
    if words:
        reading.note("decimal", ", ".join(dict.fromkeys(words)))


def _mixed(series: pl.Series, cells: Cells | None, moments: Moments) -> list[str]:
    """A sentence on a column of text most cells of which are numbers, or dates."""
    for parts, what in ((cells, "numbers"), (moments, "dates")):
        if parts is None:
            continue
        present, known = ~parts.missing, parts.known
        if known.sum() > MOSTLY * present.sum() and series.n_unique() > 20:
            strange = present & ~known
            some = shown(series[int(strange.argmax())]) if strange.any() else "of another form than the rest"
            share = f"{strange.sum():,} of {present.sum():,} cells are no {what}, such as {some}"
            hint = f"Leave them empty to have it read as {what}"
            return [f"Column {series.name!r} is read as categories: {share}. {hint}."]
    return []


def _numbers_as_text(series: pl.Series) -> list[str]:
    """A sentence on a column of numbers that is stored as text, where a table has types."""
    if series.n_unique() > 20 and (cells := _numbers_perhaps(series)) and cells.fits:
        return [f"Column {series.name!r} is stored as text and read as categories, though every cell is a number."]
    return []


def _moments(days: pl.Series) -> pl.Series:
    """Days as moments, to the microsecond."""
    return (days * (DAY[2] * 1e6)).round().cast(pl.Int64).cast(pl.Datetime("us"))


def _stripped(text: pl.Expr | pl.Series) -> pl.Expr:
    """Text without blanks around it, null where nothing is left."""
    bare = (pl.lit(text) if isinstance(text, pl.Series) else text).str.strip_chars(BLANK)
    return pl.when(bare != "").then(bare)
