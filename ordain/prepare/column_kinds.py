"""One column of a table as features: how a column of numbers and a column of text become numbers for a learner.

What is learned about a column is plain data. A row's features depend on that row alone, so a batch of rows gets the
features it has in the whole table.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from ordain._types import Vector

KEPT_VALUES = 100
"""Of a text column the values with the most rows are kept, at most this many."""

KEPT_ROWS = 3
"""Values with fewer rows than this are not kept."""

LARGEST = 1e38
"""Numbers beyond ± this become it for trees: XGBoost computes in float32 and doubles the largest value."""

FAR = 1e100
"""Standardised numbers beyond ± this become it, so that no score is infinite."""


@dataclass(frozen=True)
class Number:
    """A column of numbers: (x/u - c)/s for linear learners, x for trees.

    The unit u is a power of two near the largest |x| of the training rows, so that dividing by it is exact, and mean c
    and deviation s of x/u cannot overflow.

    Parameters
    ----------
    name : str
        The column.
    unit, centre, scale : float
        u, c and s; s is 1 where all numbers are equal.
    missing : bool
        Whether some were missing in training: then a second feature says so. A missing number counts as the mean.

    Examples
    --------
    >>> column = Number.learn(pl.Series("age", [30.0, None, 50.0]))
    >>> [values.tolist() for _, values in column.slots(pl.Series("age", [60.0, None]))]
    [[2.0, 0.0], [0.0, 1.0]]
    """

    name: str
    unit: float
    centre: float
    scale: float
    missing: bool
    kind: ClassVar[str] = "number"

    @classmethod
    def learn(cls, series: pl.Series) -> Number:
        """What there is to learn from the training rows; at least one is not missing."""
        values = cls.read(series)
        known = values[~np.isnan(values)]
        missing = len(known) < len(values)
        unit = unit_of(float(np.abs(known).max()))
        known = known / unit
        if known.min() == known.max():
            return cls(series.name, unit, float(known[0]), 1.0, missing)
        return cls(series.name, unit, float(known.mean()), float(known.std()) or 1.0, missing)

    @property
    def features(self) -> list[str]:
        """The names of its features for linear learners."""
        return [self.name, f"{self.name} is missing"][: 1 + self.missing]

    def slots(self, series: pl.Series) -> Iterator[tuple[int | Vector, Vector]]:
        """Which feature, and its value in every row: what is not named is 0."""
        values = self.read(series)
        absent = np.isnan(values)
        with np.errstate(over="ignore"):
            standard = (values / self.unit - self.centre) / self.scale
        yield 0, np.where(absent, 0.0, np.clip(standard, -FAR, FAR))
        if self.missing:
            yield 1, absent.astype(float)

    def codes(self, series: pl.Series) -> Vector:
        """The column for trees: the numbers, nan where missing."""
        return np.clip(self.read(series), -LARGEST, LARGEST)

    @staticmethod
    def read(series: pl.Series) -> Vector:
        """The column as float64, nan where missing."""
        return numbers(series)

    def as_json(self) -> dict[str, Any]:
        """What is known of it, as plain data."""
        return {"kind": self.kind, **asdict(self)}


@dataclass(frozen=True)
class Text:
    """A column of text: one feature per value for linear learners, a code for trees.

    Parameters
    ----------
    name : str
        The column.
    values : tuple of str
        The values kept, in the order of their characters.
    other : bool
        Whether the training rows held others, too rare to keep: they are one value together, and so is one never seen.
        Otherwise a value never seen has no feature at all for linear learners, and counts as missing for trees.
    missing : bool
        Whether some were missing in training: then that is a value of its own for linear learners.

    Examples
    --------
    >>> column = Text.learn(pl.Series("city", ["Rome", "Oslo", "Rome", "Oslo", "Oslo", "Rome", "Bonn"]))
    >>> column.features
    ['city = Oslo', 'city = Rome', 'city is another']
    >>> column.codes(pl.Series(["Oslo", "Paris", None]))
    array([ 0.,  2., nan])
    """

    name: str
    values: tuple[str, ...]
    other: bool
    missing: bool
    kind: ClassVar[str] = "text"

    @classmethod
    def learn(cls, series: pl.Series) -> Text:
        """What there is to learn from the training rows; no values are kept where none is frequent."""
        counts = texts(series).drop_nulls().value_counts(name="rows")
        common = counts.filter(pl.col("rows") >= KEPT_ROWS)
        values = kept_values(dict(zip(common[series.name].to_list(), common["rows"].to_list(), strict=True)))
        return cls(series.name, values, len(values) < counts.height, series.null_count() > 0)

    @property
    def features(self) -> list[str]:
        """The names of its features for linear learners."""
        kept = [f"{self.name} = {value}" for value in self.values]
        return kept + [f"{self.name} is another"] * self.other + [f"{self.name} is missing"] * self.missing

    def slots(self, series: pl.Series) -> Iterator[tuple[Vector, Vector]]:
        """Which feature, and its value in every row: what is not named is 0."""
        found, absent = self._found(series)
        codes = np.where(absent, len(self.values) + self.other if self.missing else -1, found)
        yield np.maximum(codes, 0), (codes >= 0).astype(float)

    def codes(self, series: pl.Series) -> Vector:
        """The column for trees: the number of the value, nan where it has none."""
        found, absent = self._found(series)
        return np.where(absent | (found < 0), np.nan, found)

    def _found(self, series: pl.Series) -> tuple[Vector, Vector]:
        """The number of each row's value, -1 for none, and where it is missing."""
        places, absent = found(series, self.values)
        return np.where(places < 0, len(self.values) if self.other else -1, places), absent

    def as_json(self) -> dict[str, Any]:
        """What is known of it, as plain data."""
        return {"kind": self.kind, **asdict(self), "values": list(self.values)}


def unit_of(largest: float) -> float:
    """The unit of a column, by the largest |x| in it."""
    # ldexp(1, k) with 2^(k-1) ≤ max |x| < 2^k would overflow at the top, so one less.
    return math.ldexp(1.0, max(math.frexp(largest)[1] - 1, -1022))


def kept_values(rows: Mapping[str, int]) -> tuple[str, ...]:
    """The values with the most rows, in the order of their characters, by how many rows each has."""
    common = [value for value in rows if rows[value] >= KEPT_ROWS]
    return tuple(sorted(sorted(common, key=lambda value: (-rows[value], value))[:KEPT_VALUES]))


def is_numbers(kind: Any) -> bool:
    """Whether a polars type is one of numbers, or of true and false."""
    return bool(kind.is_numeric() or kind == pl.Boolean)


def is_text(kind: Any) -> bool:
    """Whether a polars type is one of text."""
    return bool(kind == pl.String or isinstance(kind, (pl.Categorical, pl.Enum)))


def numbers(series: pl.Series) -> Vector:
    """A column of numbers as float64, nan where missing; infinities and text are refused."""
    if (is_text(series.dtype) or series.dtype.is_temporal()) and series.null_count() < len(series):
        kind, cell = "text" if is_text(series.dtype) else "date", str(series.drop_nulls()[0])
        raise ValueError(
            f"column {series.name!r} must hold numbers, as in training. Got the {kind} {shortened(cell)}. "
            "Correct the cell, or leave it empty."
        )
    values = series.cast(pl.Float64, strict=False).to_numpy()
    if np.isinf(values).any():
        infinite = values[np.argmax(np.isinf(values))]
        raise ValueError(f"column {series.name!r} must be finite or missing. Got {infinite}. Leave such cells empty.")
    return values


def texts(series: pl.Series) -> pl.Series:
    """A column of text, null where missing; whole numbers and true and false are written out."""
    if series.dtype.is_float():
        series = series.fill_nan(None)
        if series.null_count() < len(series):
            cell = series.drop_nulls()[0]
            raise ValueError(
                f"column {series.name!r} must hold text, as in training. Got the number {cell}. Store it as text."
            )
    return series.cast(pl.String)


def found(series: pl.Series, values: Sequence[str]) -> tuple[Vector, Vector]:
    """The place of each row's text among the values, -1 for none, and where it is missing."""
    series = texts(series)
    places = series.cast(pl.Enum(values), strict=False).to_physical().cast(pl.Int32)
    return places.fill_null(-1).to_numpy(), series.is_null().to_numpy()


def shortened(cell: str) -> str:
    """A cell as a message shows it."""
    return repr(cell if len(cell) <= 40 else cell[:39] + "…")
