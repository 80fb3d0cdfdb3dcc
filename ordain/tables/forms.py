"""How the columns of a table of text are written, found by looking at all of their cells.

A column is of numbers, or of dates, if every cell that is not missing is one. What its cells leave open, the decimal
mark or whether the day comes first, is told by the other columns of the table, and else it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ordain.tables.messages import shown
from ordain.tables.moments import DAY, Moments
from ordain.tables.numbers import BLANK, OTHER, PLAIN, Cells, Form, plain_numbers
from ordain.tables.reading import DATES, Reading

Forms = dict[str, Form | str]
"""How a column is written where that is not plain: a form of numbers, or which part of a date comes first."""

FIRST = 200
"""So many cells tell whether it is worth to take a column apart."""

MOSTLY = 0.5
"""A text column with a larger share of numbers, or dates, is named."""


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
            found[series.name] = pl.select(stripped(series)).to_series()
            reading.notices += _mixed(series, cells, moments)
    forms = _number_forms(frame, odd, [column for column in found if found[column].dtype == pl.Float64], reading, name)
    orders = _date_orders(dates, reading, name)
    found |= {column: odd[column].values(form) for column, form in forms.items() if column in odd}
    found |= {column: moments_of(moments.days(orders[column] or DATES[0])) for column, moments in dates.items()}
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
    """The form of every column of numbers; what a program could have written is looked at again where it matters."""
    votes = {next(iter(cells.fits)) for cells in odd.values() if len(cells.fits) == 1}
    doubtful = reading.decimal == "," or reading.separated_by == ";" or any(cells.either for cells in odd.values())
    if doubtful or votes == {","}:
        pointed = {column: Cells(frame[column]) for column in plain if _has_points(frame[column])}
        votes |= {"." for cells in pointed.values() if "," not in cells.fits}
        odd |= {column: cells for column, cells in pointed.items() if "," in cells.fits}
        plain = [column for column in plain if column not in pointed]
    decimal = reading.decimal or (next(iter(votes)) if len(votes) == 1 else None)
    forms = dict.fromkeys(plain, Form(",") if decimal == "," else PLAIN)
    for column, cells in odd.items():
        mark = next(iter(cells.fits)) if len(cells.fits) == 1 else decimal
        if mark is None and (cells.bears(",").any() or (reading.separated_by == ";" and cells.bears(".").any())):
            raise _either(name, column, cells)
        forms[column] = cells.form(mark or ".")
    _say(forms, reading)
    return forms


def _has_points(series: pl.Series) -> bool:
    return bool(series.str.contains(".", literal=True).any())


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


def numbers_as_text(series: pl.Series) -> list[str]:
    """A sentence on a column of numbers that is stored as text, where a table has types."""
    if series.n_unique() > 20 and (cells := _numbers_perhaps(series)) and cells.fits:
        return [f"Column {series.name!r} is stored as text and read as categories, though every cell is a number."]
    return []


def moments_of(days: pl.Series) -> pl.Series:
    """Days as moments, to the microsecond."""
    return (days * (DAY[2] * 1e6)).round().cast(pl.Int64).cast(pl.Datetime("us"))


def stripped(text: pl.Expr | pl.Series) -> pl.Expr:
    """Text without blanks around it, null where nothing is left."""
    bare = (pl.lit(text) if isinstance(text, pl.Series) else text).str.strip_chars(BLANK)
    return pl.when(bare != "").then(bare)
