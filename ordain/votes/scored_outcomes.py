"""Who won, in numbers: points of both sides, a chance of one of them, or a one among zeros → answers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from ordain._types import Vector
from ordain.tables.messages import shown
from ordain.tables.numbers import BLANK
from ordain.votes.outcomes import DROPPED

Fault = Callable[[int, str], ValueError]
"""What is wrong with a row."""


def finite(cells: pl.Series, column: str, fault: Fault) -> Vector:
    """A column of text that must hold finite numbers."""
    values = plain(cells)
    if not np.isfinite(values).all():
        index = int(np.isfinite(values).argmin())
        raise fault(index, f"column {column!r} must be a finite number. Got {_cell(cells[index])}. Mend the cell.")
    return values


def plain(cells: pl.Series) -> Vector:
    """Text as float64, nan where it is no number."""
    return cells.str.strip_chars(BLANK).cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy()


def weights(cells: pl.Series, column: str, fault: Fault) -> Vector:
    """How many votes each row stands for: finite and not negative; rows of none are dropped later."""
    values = finite(cells, column, fault)
    if (values < 0).any():
        index = int((values < 0).argmax())
        raise fault(index, f"column {column!r} must not be negative. Got {_cell(cells[index])}. Mend the cell.")
    return values


def by_points(left: Vector, right: Vector) -> Vector:
    """1 where the left side has more points, 0 where it has fewer, ½ where they are level."""
    return (np.sign(left - right) + 1) / 2


def by_chance(cells: pl.Series, column: str, fault: Fault) -> Vector:
    """Answers of 1 + the chance of the second: 1 is the first, 2 the second, 1.5 and 0 a draw; NaN is dropped."""
    values = plain(cells)
    text = cells.str.strip_chars(BLANK).str.to_lowercase().fill_null("nan")
    nothing = text.is_in(["", "nan", "null", "none", "na"]).to_numpy()
    bad = ~nothing & ~((values == 0) | ((values >= 1) & (values <= 2)))
    if bad.any():
        index = int(bad.argmax())
        must = f"column {column!r} must be 1 for the first, 2 for the second, or between"
        raise fault(index, f"{must}; 0 or 1.5 is a draw. Got {_cell(cells[index])}. Mend the cell.")
    return np.select([nothing, values == 0], [DROPPED, 0.5], 2 - values)


def by_share(cells: pl.Series, column: str, fault: Fault) -> Vector:
    """Answers that are written as such: the chance of the left one, from 0 to 1."""
    values = finite(cells, column, fault)
    if ((values < 0) | (values > 1)).any():
        index = int(((values < 0) | (values > 1)).argmax())
        raise fault(index, f"column {column!r} must be from 0 to 1. Got {_cell(cells[index])}. Mend the cell.")
    return values


def by_ones(cells: list[pl.Series], fault: Fault) -> Vector:
    """Answers of one-hot columns: the left one, the right one, and all others are ties; one of them must be 1."""
    truth = [_truth(series, fault) for series in cells]
    total = np.sum(truth, axis=0)
    if (total != 1).any():
        index = int((total != 1).argmax())
        names = ", ".join(series.name for series in cells)
        raise fault(index, f"exactly one of {names} must be 1. Got {int(total[index])} of them. Mend the row.")
    return np.where(truth[0] == 1, 1.0, np.where(truth[1] == 1, 0.0, 0.5))


def _truth(cells: pl.Series, fault: Fault) -> Vector:
    """1 for true and 0 for false."""
    words = {"1": 1, "1.0": 1, "true": 1, "yes": 1, "0": 0, "0.0": 0, "false": 0, "no": 0}
    found = cells.str.strip_chars(BLANK).str.to_lowercase().replace_strict(words, default=-1, return_dtype=pl.Int64)
    values = found.fill_null(-1).to_numpy()
    if (values < 0).any():
        index = int((values < 0).argmax())
        raise fault(index, f"column {cells.name!r} must be 1 or 0. Got {_cell(cells[index])}. Mend the cell.")
    return values


def _cell(cell: str | None) -> str:
    """A cell in a message."""
    return shown(cell) if cell is not None and cell.strip() else "an empty cell"
