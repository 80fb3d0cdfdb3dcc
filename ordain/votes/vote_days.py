"""When votes were cast, as whole days since the first of January 1970.

Whether the day or the month comes first in 03/04/2025 is told by the whole column, so both are kept until it is read.
Also 20250403, and seconds or milliseconds since 1970, are dates here.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from ordain._types import Vector
from ordain.tables.messages import shown
from ordain.tables.moments import Moments
from ordain.tables.reading import DATES

_DIGITS = r"^([12][0-9]{3})([01][0-9])([0-3][0-9])(?:\.0)?$"
_SECONDS, _MILLISECONDS = r"^[0-9]{9,10}(?:\.[0-9]+)?$", r"^[0-9]{12,13}(?:\.[0-9]+)?$"


class Days:
    """A column of dates, batch by batch; `usual` is the order to take where the column leaves it open."""

    def __init__(self, column: str, usual: str | None) -> None:
        self._column, self._usual = column, usual
        self._fits, self._turning = set(DATES), ""

    def read(self, cells: pl.Series, fault: Callable[[int, str], ValueError]) -> tuple[Vector, Vector]:
        """Days if the day comes first, and if the month does, nan where that is no date."""
        different = cells.unique(maintain_order=True)
        moments = Moments(pl.select(_plain(different)).to_series())
        place = cells.replace_strict(different, np.arange(len(different)), return_dtype=pl.Int64).to_numpy()
        if not moments.known.all():
            index = int(moments.known[place].argmin())
            must = f"column {self._column!r} must hold a date such as 2024-03-31"
            raise fault(index, f"{must}. Got {shown(cells[index])}. Correct the cell, or remove the row.")
        both = [np.floor(moments.days(order).to_numpy()) for order in DATES]
        wrong = {order: np.isnan(days) for order, days in zip(DATES, both, strict=True) if np.isnan(days).any()}
        self._fits -= wrong.keys()
        if not self._fits:
            index = max(int(nothing[place].argmax()) for nothing in wrong.values())
            must = f"column {self._column!r} must have one order of day and month, as the cells before"
            raise fault(index, f"{must}. Got {shown(cells[index])}. Write all cells alike.")
        if moments.turns.any():
            self._turning = self._turning or str(different[int(moments.turns.argmax())])
        return both[0][place], both[1][place]

    def order(self, name: str) -> int:
        """Which of the two it is."""
        if self._turning and len(self._fits) == 2 and self._usual is None:
            raise ValueError(
                f"column {self._column!r} of {name} must tell day from month. Got {shown(self._turning)}, which may be "
                "either. Add --dates day-first or --dates month-first."
            )
        order = self._usual if self._usual in self._fits else min(self._fits)
        return DATES.index(order)


def _plain(cells: pl.Series) -> pl.Expr:
    """Digits alone as dates with hyphens."""
    text = pl.lit(cells).str.strip_chars()
    seconds = text.cast(pl.Float64, strict=False)
    moment = (
        pl.when(text.str.contains(_SECONDS)).then(seconds).when(text.str.contains(_MILLISECONDS)).then(seconds / 1000)
    )
    day = (moment * 1000).cast(pl.Int64).cast(pl.Datetime("ms")).dt.strftime("%Y-%m-%d")
    return (
        pl.when(text.str.contains(_DIGITS))
        .then(text.str.replace(_DIGITS, "$1-$2-$3"))
        .when(day.is_not_null())
        .then(day)
        .otherwise(text)
    )
