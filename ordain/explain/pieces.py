"""The score of a row as a sum of what each column of the table adds to it, and scores with a column changed.

For a linear model a column adds its features times their weights: one-hot columns and marks of missing values are the
one column that the user knows. For trees a column's part are XGBoost's own contributions (TreeSHAP).
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import polars as pl

from ordain._types import Vector
from ordain.prepare import Preparation

ALONG = 60
"""Rows of trees over which the score along a column is averaged."""


class Pieces(Protocol):
    """Rows as a model sees them."""

    scores: Vector

    def dealt(self, column: int, order: Vector) -> Vector:
        """The scores if every row had the value of another row, at this order, in a column."""

    def set_to(self, column: int, values: pl.Series) -> Vector:
        """The mean score if all rows had a value in a column, for each value."""

    def added(self) -> tuple[Vector, float]:
        """What each column adds to each row's score, and what is there without: they add up to the scores."""

    def means(self) -> Vector:
        """What each column adds on average, where its parts do not begin from that."""

    def spread(self) -> Vector:
        """How far each column moves the scores, in units of its own."""


def pieces(preparation: Preparation, ranker: Any, frame: pl.DataFrame) -> Pieces:
    """Rows of a table as a fitted model sees them.

    Parameters
    ----------
    preparation : Preparation
        From columns to features.
    ranker : LinearRanker or BoostedRanker
        Fitted to these features.
    frame : polars.DataFrame
        Rows with the columns of the preparation.

    Examples
    --------
    >>> from ordain import LinearRanker
    >>> frame = pl.DataFrame({"age": [20.0, 30, 40, 50], "city": ["Oslo", "Rome"] * 2})
    >>> labels = np.array([False, False, True, True])
    >>> preparation = Preparation.learn(frame, labels)
    >>> ranker = LinearRanker().fit(preparation.matrix(frame, "linear"), labels)
    >>> added, base = pieces(preparation, ranker, frame).added()
    >>> np.allclose(base + added.sum(axis=1), ranker.decision_function(preparation.matrix(frame, "linear")))
    True
    """
    kind = type(ranker).__name__
    if kind == "LinearRanker":
        return LinearPieces(preparation, ranker, frame)
    if kind == "BoostedRanker":
        return TreePieces(preparation, ranker, frame)
    raise ValueError(f"what a ranking rests on is known of linear and boosted models. Got a {kind}.")


class LinearPieces:
    """Rows of a linear model: each column's part is exact."""

    def __init__(self, preparation: Preparation, ranker: Any, frame: pl.DataFrame) -> None:
        self._columns, self._weights = preparation.columns, ranker.coef_[0]
        self._starts = np.append(0, np.cumsum([len(column.features) for column in preparation.columns]))
        self.parts = np.column_stack(
            [self._part(k, frame[column.name]) for k, column in enumerate(preparation.columns)]
        )
        self._base = float(ranker.intercept_[0])
        self.scores = self.parts.sum(axis=1) + self._base

    def _part(self, column: int, series: pl.Series) -> Vector:
        """What a column adds to the score of each row."""
        weights = self._weights[self._starts[column] : self._starts[column + 1]]
        part = np.zeros(len(series))
        for feature, values in self._columns[column].slots(series):
            part += weights[feature] * values
        return part

    def dealt(self, column: int, order: Vector) -> Vector:
        """The scores with a column dealt anew."""
        part = self.parts[:, column]
        return self.scores - part + part[order]

    def set_to(self, column: int, values: pl.Series) -> Vector:
        """The mean scores with a column set to each value."""
        return float((self.scores - self.parts[:, column]).mean()) + self._part(column, values)

    def added(self) -> tuple[Vector, float]:
        """The parts, and the intercept."""
        return self.parts, self._base

    def means(self) -> Vector:
        """Those of the parts."""
        return self.parts.mean(axis=0)

    def spread(self) -> Vector:
        """The standard deviations of the parts."""
        return self.parts.std(axis=0)


class TreePieces:
    """Rows of a model of trees."""

    def __init__(self, preparation: Preparation, ranker: Any, frame: pl.DataFrame) -> None:
        self._columns, self._ranker = preparation.columns, ranker
        self._rows = preparation.matrix(frame, "boosted")
        self.scores = ranker.decision_function(self._rows)

    def dealt(self, column: int, order: Vector) -> Vector:
        """The scores with a column dealt anew."""
        rows = self._rows.copy()
        rows[:, column] = rows[order, column]
        return self._ranker.decision_function(rows)

    def set_to(self, column: int, values: pl.Series) -> Vector:
        """The mean scores with a column set to each value."""
        codes = self._columns[column].codes(values)
        some = np.linspace(0, len(self._rows) - 1, min(ALONG, len(self._rows))).round().astype(int)
        rows = np.tile(self._rows[some], (len(codes), 1))
        rows[:, column] = np.repeat(codes, len(some))
        return self._ranker.decision_function(rows).reshape(len(codes), -1).mean(axis=1)

    def added(self) -> tuple[Vector, float]:
        """XGBoost's contributions."""
        found = self._ranker.contributions(self._rows)
        return found[:, :-1], float(found[0, -1])

    def means(self) -> Vector:
        """None: contributions are told from the mean of the rows that the trees were grown on."""
        return np.zeros(len(self._columns))

    def spread(self) -> Vector:
        """What the splits at a column gained."""
        return self._ranker.feature_importances_
