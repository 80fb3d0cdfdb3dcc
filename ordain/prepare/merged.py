"""What is known of the columns of all rows from summaries of parts, which add: the sum is that of all rows together.

A summary does not grow with the rows. Of numbers it has how many there are, the mean and squares around it, which merge
without cancellation [Chan83]_, the ends, and whether they number the rows; of texts the values with the most rows; of
both about how many are different.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import polars as pl

from ordain._types import Vector
from ordain.prepare.column_kinds import Number, Text, found, is_text, kept_values, numbers, texts, unit_of
from ordain.prepare.date_column import Date, is_date
from ordain.prepare.distinct import Distinct
from ordain.prepare.frequent import Frequent
from ordain.prepare.preparation import check_kind
from ordain.prepare.suspects import CONSTANT, EMPTY, NAMES, NUMBERS, may_count_rows, names_rows, unit_notice

EXACT = 2.0**53
"""Whole numbers beyond this are not all floats."""


@dataclass(frozen=True)
class Numbers:
    """Of a column of numbers or dates: how many are missing and known, and of these what is said above.

    Mean and squares are of x/u, u the unit. Numbers that are whole have Σx and Σx² modulo 2⁶⁴, and `rising` and
    `falling` say how they go from the first to the last.
    """

    name: str
    dated: bool
    missing: int
    distinct: Distinct
    known: int = 0
    unit: float = 1.0
    mean: float = 0.0
    squares: float = 0.0
    low: float = math.inf
    high: float = -math.inf
    whole: bool = True
    sums: tuple[int, int] = (0, 0)
    rising: bool = True
    falling: bool = True
    ends: tuple[float, float] = (math.nan, math.nan)

    @classmethod
    def of(cls, series: pl.Series) -> Numbers:
        """Of the rows of a part."""
        dated = is_date(series.dtype)
        values = Date.read(series) if dated else numbers(series)
        known = values[~np.isnan(values)]
        empty = cls(series.name, dated, len(values) - len(known), Distinct.of_numbers(known))
        if not len(known):
            return empty
        low, high, steps = float(known.min()), float(known.max()), np.diff(known)
        unit = unit_of(max(abs(low), abs(high)))
        scaled = known / unit
        whole = bool((known == np.floor(known)).all()) and max(abs(low), abs(high)) < EXACT
        return replace(
            empty,
            known=len(known),
            unit=unit,
            mean=float(scaled.mean()),
            squares=float(np.square(scaled - scaled.mean()).sum()),
            low=low,
            high=high,
            whole=whole,
            sums=_sums(known) if whole else (0, 0),
            rising=bool((steps > 0).all()),
            falling=bool((steps < 0).all()),
            ends=(float(known[0]), float(known[-1])),
        )

    def __add__(self, other: Numbers) -> Numbers:
        """That of the rows of both, those of the other after these."""
        both = replace(self if self.known else other, missing=self.missing + other.missing)
        if not (self.known and other.known):
            return both
        unit, count = max(self.unit, other.unit), self.known + other.known
        first, second = self.mean * (self.unit / unit), other.mean * (other.unit / unit)
        squares = self.squares * (self.unit / unit) ** 2 + other.squares * (other.unit / unit) ** 2
        return replace(
            both,
            distinct=self.distinct + other.distinct,
            known=count,
            unit=unit,
            mean=first + (second - first) * (other.known / count),
            squares=squares + (second - first) ** 2 * self.known * (other.known / count),
            low=min(self.low, other.low),
            high=max(self.high, other.high),
            whole=(whole := self.whole and other.whole),
            sums=_modulo(*map(add, self.sums, other.sums)) if whole else (0, 0),
            rising=self.rising and other.rising and self.ends[1] < other.ends[0],
            falling=self.falling and other.falling and self.ends[1] > other.ends[0],
            ends=(self.ends[0], other.ends[1]),
        )

    @property
    def rows(self) -> int:
        """How many there are."""
        return self.known + self.missing

    @property
    def emptiness(self) -> str | None:
        """Why it says nothing, in words that follow its name."""
        return EMPTY if not self.known else CONSTANT if not self.missing and self.low == self.high else None

    @property
    def column(self) -> Number:
        """What it becomes."""
        kind, missing = Date if self.dated else Number, self.missing > 0
        if self.low == self.high:
            return kind(self.name, self.unit, self.low / self.unit, 1.0, missing)
        return kind(self.name, self.unit, self.mean, math.sqrt(self.squares / self.known) or 1.0, missing)

    def identity(self, column: Any) -> str | None:
        """Whether it numbers the rows."""
        counts = self.whole and not self.missing and may_count_rows(self.known, self.low, self.high)
        return NUMBERS if counts and (self.rising or self.falling or self._is_range) else None

    @property
    def _is_range(self) -> bool:
        """Whether they are all whole numbers from the lowest to the highest, by Σx and Σx² modulo 2⁶⁴."""
        n, low = self.known, int(self.low)
        first, second = n * (n - 1) // 2, (n - 1) * n * (2 * n - 1) // 6
        sums = n * low + first, n * low * low + 2 * low * first + second
        return self.high - self.low + 1 == n and self.sums == _modulo(*sums)


@dataclass(frozen=True)
class Texts:
    """Of a column of text: how many are missing and known, those with the most rows, and how many are different."""

    name: str
    missing: int
    known: int
    distinct: Distinct
    frequent: Frequent = field(default_factory=lambda: Frequent({}))

    @classmethod
    def of(cls, series: pl.Series) -> Texts:
        """Of the rows of a part."""
        series = texts(series)
        counts = series.drop_nulls().value_counts(name="rows")
        distinct, missing = Distinct.of(counts[series.name].hash().to_numpy()), series.null_count()
        return cls(series.name, missing, len(series) - missing, distinct, Frequent.of_counts(counts))

    def __add__(self, other: Texts) -> Texts:
        """That of the rows of both."""
        missing, known = self.missing + other.missing, self.known + other.known
        return Texts(self.name, missing, known, self.distinct + other.distinct, self.frequent + other.frequent)

    @property
    def rows(self) -> int:
        """How many there are."""
        return self.known + self.missing

    @property
    def emptiness(self) -> str | None:
        """Why it says nothing, in words that follow its name."""
        return EMPTY if not self.known else CONSTANT if not self.missing and self.distinct.count == 1 else None

    @property
    def column(self) -> Text:
        """What it becomes, once the values with the most rows are counted."""
        values = kept_values(self.frequent.rows)
        return Text(self.name, values, len(values) < self.distinct.count, self.missing > 0)

    def identity(self, column: Any) -> str | None:
        """Whether it names the rows."""
        return NAMES if names_rows(column, self.distinct.count, self.known) else None

    @property
    def uncounted(self) -> list[str]:
        """Values whose rows are to be counted in a second look, as there were too many to count them all at once."""
        return sorted(self.frequent.rows) if self.frequent.missed else []


Summary = Numbers | Texts


def summary(frame: pl.DataFrame) -> list[Summary]:
    """What a part tells of each column."""
    for series in frame.iter_columns():
        check_kind(series)
    return [Texts.of(series) if is_text(series.dtype) else Numbers.of(series) for series in frame.iter_columns()]


def merged(*parts: Sequence[Summary]) -> list[Summary]:
    """That of the rows of all parts, in their order."""
    return [reduce(add, of) for of in zip(*parts, strict=True)]


def counted(frame: pl.DataFrame, values: Mapping[str, Sequence[str]]) -> dict[str, Vector]:
    """How many rows of a part have each of some values of each column."""
    return {name: _counts(frame[name], of) for name, of in values.items()}


def with_counts(known: Sequence[Summary], counts: Mapping[str, Vector]) -> list[Summary]:
    """What is known, with the rows of each of the uncounted values as counted in all parts."""
    return [_with_counts(one, counts[one.name]) if one.name in counts else one for one in known]


def unit_notices(known: Sequence[Summary]) -> list[str]:
    """A sentence on each column that seems to name a person or unit with several rows."""
    said = [
        unit_notice(one.name, one.distinct.count + (one.missing > 0), one.rows, "" if one.distinct.exact else "about ")
        for one in known
    ]
    return [sentence for sentence in said if sentence]


def _counts(series: pl.Series, values: Sequence[str]) -> Vector:
    places = found(series, values)[0]
    return np.bincount(places[places >= 0], minlength=len(values))


def _with_counts(known: Any, counts: Vector) -> Texts:
    return replace(known, frequent=Frequent(dict(zip(known.uncounted, counts.tolist(), strict=True))))


def _sums(values: Vector) -> tuple[int, int]:
    bits = values.astype(np.int64).view(np.uint64)
    return int(bits.sum()), int((bits * bits).sum())


def _modulo(*sums: int) -> tuple[int, int]:
    first, second = sums
    return first % 2**64, second % 2**64
