"""A column of text with many values as one number for trees: how good the rows with a value were.

The mean ȳ_v over the n_v rows with a value is drawn towards the mean ȳ of all, as far as these rows leave it open:
λ ȳ_v + (1 - λ) ȳ, λ = n_v σ² / (n_v σ² + σ_v²), σ² the variance of all rows and σ_v² that of rows with the value
[MicciBarreca01]_. A row to learn from gets what the rows of the other folds give, since its own label would tell it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
from scipy.stats import rankdata

from ordain._types import Vector
from ordain.prepare.column_kinds import Text, found, texts
from ordain.rows.record import Rows

MANY_VALUES = 30
"""A column of text that keeps more values than this may be one of means."""

MEANT_VALUES = 10_000
"""The values with the most rows have a mean, at most this many."""

MEANT_ROWS = 2
"""Values with fewer rows than this have none."""

FOLDS = 5


@dataclass(frozen=True)
class Means:
    """A column of text: for trees the mean of each value, for linear learners what it is without.

    Parameters
    ----------
    text : Text
        The column.
    values : tuple of str
        The values that have a mean, in the order of their characters.
    means : tuple of float
        Their means.
    mean : float
        That of all rows, which every other value has; a missing one too, where training had none missing.

    Examples
    --------
    >>> text = Text("city", ("Oslo", "Rome"), other=False, missing=True)
    >>> column = Means(text, ("Oslo", "Rome"), (0.25, 0.75), 0.5)
    >>> column.codes(pl.Series("city", ["Rome", "Paris", None]))
    array([0.75, 0.5 ,  nan])
    """

    text: Text
    values: tuple[str, ...]
    means: tuple[float, ...]
    mean: float
    kind: ClassVar[str] = "means"

    @classmethod
    def learn(cls, text: Text, series: pl.Series, target: Target) -> tuple[Means, Vector]:
        """What there is to learn from the training rows, and what these very rows are for trees."""
        counts = texts(series).drop_nulls().value_counts(name="rows").filter(pl.col("rows") >= MEANT_ROWS)
        values = meant_values(dict(zip(counts[series.name].to_list(), counts["rows"].to_list(), strict=True)))
        sums = value_sums(series, values, target)
        column = cls.of(text, values, sums, target)
        return column, column.of_others(series, sums, target)

    @classmethod
    def of(cls, text: Text, values: Sequence[str], sums: Vector, target: Target) -> Means:
        """By what :func:`value_sums` gave, which adds over parts of the rows."""
        return cls(text, tuple(values), tuple(target.smoothed(sums.sum(0))[:-1].tolist()), target.mean)

    def of_others(self, series: pl.Series, sums: Vector, target: Target) -> Vector:
        """What rows learned from, those of a target, are for trees: the means of the other folds."""
        places, absent = found(series, self.values)
        others = np.stack([target.smoothed(np.delete(sums, fold, 0).sum(0)) for fold in range(FOLDS)])
        return self._with_gaps(others[target.fold, np.where(places < 0, len(self.values), places)], places, absent)

    @property
    def name(self) -> str:
        """That of the column."""
        return self.text.name

    @property
    def features(self) -> list[str]:
        """The names of its features for linear learners."""
        return self.text.features

    def slots(self, series: pl.Series) -> Any:
        """Which feature, and its value in every row: what is not named is 0."""
        return self.text.slots(series)

    def codes(self, series: pl.Series) -> Vector:
        """The column for trees: the mean of the value, nan where it is missing as some were in training."""
        places, absent = found(series, self.values)
        return self._with_gaps(np.append(self.means, self.mean)[places], places, absent)

    def known(self, series: pl.Series) -> int:
        """How many rows have a value that has a mean."""
        return int(np.count_nonzero(found(series, self.values)[0] >= 0))

    def _with_gaps(self, codes: Vector, places: Vector, absent: Vector) -> Vector:
        """The mean of all rows where the value has none of its own; a gap where it is missing, if training had some."""
        codes = np.where(places < 0, self.mean, codes)
        return np.where(absent, np.nan, codes) if self.text.missing else codes

    def as_json(self) -> dict[str, Any]:
        """What is known of it, as plain data."""
        numbers = {"means": list(self.means), "mean": self.mean}
        return {"kind": self.kind, "text": self.text.as_json(), "values": list(self.values), **numbers}


@dataclass(frozen=True)
class Target:
    """What means are taken of: 0 and 1, or the ranks of grades as shares of the rows, so that only their order counts.

    Parameters
    ----------
    mean, variance : float
        Those of all rows.
    values, weights, fold : arrays
        Of the rows that are here. Weights are relative: n_v is the weight of its rows, that of a row being 1 on average
        over all.
    """

    mean: float
    variance: float
    values: Vector
    weights: Vector
    fold: Vector

    @classmethod
    def of(cls, rows: Rows, seed: int = 0) -> Target:
        """Of rows that are all here; the seed draws the folds, which split no group and no cluster."""
        labels, n = np.asarray(rows.labels), len(rows)
        values = labels.astype(float) if labels.dtype == bool else (rankdata(labels) - 0.5) / n
        weights = np.ones(n) if rows.weights is None else rows.weights / rows.weights.max()
        weights = weights * (n / weights.sum())
        mean = float(weights @ values / n)
        return cls(mean, float(weights @ (values - mean) ** 2 / n), values, weights, rows.units.dealt(FOLDS, seed))

    def sums(self, cells: Vector, count: int) -> Vector:
        """Σ w, Σ wy and Σ wy² over the rows of each fold and cell, y less its mean, as an array [fold, sum, cell]."""
        y = self.values - self.mean
        at = self.fold * count + cells
        of = (np.bincount(at, part, FOLDS * count) for part in (self.weights, self.weights * y, self.weights * y**2))
        return np.stack([part.reshape(FOLDS, count) for part in of], axis=1)

    def smoothed(self, sums: Vector) -> Vector:
        """The smoothed mean of each cell; that of all rows where there are none."""
        n, total, squares = sums
        mean = np.divide(total, n, out=np.zeros_like(n), where=n > 0)
        spread = np.maximum(squares - total * mean, 0.0)
        known = n**2 * self.variance
        share = np.divide(known, known + spread, out=np.zeros_like(n), where=known > 0)
        return np.clip(self.mean + share * mean, 0.0, 1.0)


def meant_values(rows: Mapping[str, int]) -> list[str]:
    """The values that have a mean, in the order of their characters, by how many rows each has."""
    common = [value for value in rows if rows[value] >= MEANT_ROWS]
    return sorted(sorted(common, key=lambda value: (-rows[value], value))[:MEANT_VALUES])


def value_sums(series: pl.Series, values: Sequence[str], target: Target) -> Vector:
    """What :meth:`Target.sums` gives of each value, and of all others together in a last cell."""
    places, _ = found(series, values)
    return target.sums(np.where(places < 0, len(values), places), len(values) + 1)
