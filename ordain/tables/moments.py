"""Dates as people write them → days since the first of January 1970.

Year first, day and month by numbers in either order, or the month by its English name; then perhaps a clock. Whether
the day or the month comes first in 03/04/2025 is a question to the whole column: :attr:`Moments.fits` has every answer
that fits all of its cells. With points between them, 31.12.2024, the day does.
"""

from __future__ import annotations

from functools import cached_property

import polars as pl

from ordain._types import Mask
from ordain.tables.numbers import BLANK, is_missing
from ordain.tables.reading import DATES

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_MONTH = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|"
    "nov(?:ember)?|dec(?:ember)?"
)
_DAY, _YEAR = "[0-9]{1,2}", "[0-9]{4}|[0-9]{2}"
CELL = (
    r"^(?i)(?:(?P<y1>[0-9]{4})(?:-|/|\.)(?P<m1>[0-9]{1,2})(?:-|/|\.)(?P<d1>[0-9]{1,2})"
    rf"|(?P<a>{_DAY})(?P<mark>[-/.])(?P<b>{_DAY})[-/.](?P<y2>{_YEAR})"
    rf"|(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|satu?r?|sun)(?:day)?,? )?(?P<d3>{_DAY})(?:st|nd|rd|th)?[-. /]{{0,2}}"
    rf"(?P<m3>{_MONTH})[-., /]{{1,2}}(?P<y3>{_YEAR})"
    rf"|(?P<m4>{_MONTH})[. ]{{1,2}}(?P<d4>{_DAY})(?:st|nd|rd|th)?,? (?P<y4>[0-9]{{4}}))"
    r"(?:(?:T|,? +)(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}(?:\.[0-9]{1,9})?))?"
    r"(?: ?(?P<half>[ap])\.?m\.?)?(?: ?(?:(?P<zulu>Z|UTC|GMT)|(?P<ahead>[-+])(?P<zh>[0-9]{2}):?(?P<zm>[0-9]{2})))?)?$"
)
"""A date, and perhaps a clock and what it is ahead of Greenwich."""

DAY = (24.0, 24.0 * 60, 24.0 * 60 * 60)
"""Hours, minutes and seconds in a day."""


class Moments:
    """The cells of a column of text, taken apart as dates."""

    def __init__(self, series: pl.Series) -> None:
        self.series = series
        text = series.str.strip_chars(BLANK)
        self.missing: Mask = is_missing(text).to_numpy()
        first = text.filter(~self.missing).head(1)
        found = len(first) and first.str.contains(CELL)[0]  # the first cell tells most columns that hold none
        self.parts: pl.DataFrame | None = text.str.extract_groups(CELL).struct.unnest() if found else None

    @cached_property
    def _by(self) -> dict[str, pl.Series]:
        """Days by each order, null for what is no date."""
        if self.parts is None:
            nothing = pl.Series(self.series.name, [None] * len(self.series), pl.Float64)
            return dict.fromkeys(DATES, nothing)
        day, month = pl.coalesce("d1", "d3", "d4", "a"), pl.coalesce("m1", "m3", "m4", "b")
        first = self._days(day, month)
        turned = (pl.col("mark") != ".").fill_null(value=False)
        if not self.parts.select(turned.any()).item():
            return dict.fromkeys(DATES, first)
        turn = pl.when(turned)
        return {DATES[0]: first, DATES[1]: self._days(turn.then("b").otherwise(day), turn.then("a").otherwise(month))}

    def _days(self, day: pl.Expr, month: pl.Expr) -> pl.Series:
        names = {name: str(number) for number, name in enumerate(MONTHS, 1)}
        year = pl.coalesce("y1", "y2", "y3", "y4")
        # Two digits are of 1969 to 2068, as POSIX has it.
        century = pl.when(year.str.len_chars() == 4).then(pl.lit("")).when(year < "69").then(pl.lit("20"))
        number = month.str.to_lowercase().str.head(3).replace(names)
        text = pl.concat_str(century.otherwise(pl.lit("19")), year, pl.lit("-"), number, pl.lit("-"), day)
        assert self.parts is not None
        found = self.parts.select(day=text.str.to_date("%Y-%m-%d", strict=False).cast(pl.Int32).cast(pl.Float64))
        return (found["day"] + self._clock).alias(self.series.name)

    @cached_property
    def _clock(self) -> pl.Series:
        """What of a day has passed at Greenwich, null for a clock that no day has."""
        assert self.parts is not None
        names = ["hour", "minute", "second", "zh", "zm"]
        hour, minute, second, ahead, more = (pl.col(name).cast(pl.Float64).fill_null(0.0) for name in names)
        half = pl.col("half").str.to_lowercase()
        twelve = half.is_not_null()
        sound = (
            (hour < 24)
            & (minute < 60)
            & (second < 60)
            & (ahead < 24)
            & (more < 60)
            & (~twelve | hour.is_between(1, 12))
        )
        hour = pl.when(twelve).then(hour % 12 + 12 * (half == "p")).otherwise(hour)
        zone = (ahead / DAY[0] + more / DAY[1]) * pl.when(pl.col("ahead") == "-").then(-1.0).otherwise(1.0)
        passed = hour / DAY[0] + minute / DAY[1] + second / DAY[2] - zone
        return self.parts.select(pl.when(sound).then(passed)).to_series()

    @property
    def turns(self) -> Mask:
        """Which cells mean something else if the month comes first."""
        first, second = (self._by[order].to_numpy() for order in DATES)
        return (first != second) & self.known

    @cached_property
    def known(self) -> Mask:
        """Which cells are dates in one order or the other."""
        first, second = (self._by[order].is_not_null().to_numpy() for order in DATES)
        return (first | second) & ~self.missing

    @cached_property
    def fits(self) -> set[str]:
        """The orders in which every cell that is not missing is a date; none where there are no dates."""
        if not self.known.any():
            return set()
        found = {order: days.is_not_null().to_numpy() for order, days in self._by.items()}
        return {order for order, dates in found.items() if (dates | self.missing).all()}

    def days(self, order: str) -> pl.Series:
        """Days as float64, null where there is no date."""
        return self._by[order].set(pl.Series(self.missing), None)
