"""What is worth telling of rows that are scored: how many were trained on, and values never seen in training."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl

from ordain._types import Vector
from ordain.model import Model, Overlap, summed
from ordain.prepare.column_kinds import Text, texts
from ordain.prepare.target_means import Means


class Noticed:
    """Counts over rows that come in parts, in little memory.

    Parameters
    ----------
    model : Model
        What scores them.
    """

    def __init__(self, model: Model) -> None:
        self.rows = 0
        self.names: list[str] = []
        self.unseen: Counter[str] = Counter()
        self._columns = model.preparation.columns
        self._texts = [column for column in self._columns if isinstance(column, (Text, Means))]
        self._overlap = None if model.seen is None else Overlap(model.seen)

    def add(self, names: list[str], features: pl.DataFrame) -> None:
        """Some more rows of a table with columns of these names, and their features."""
        self.rows += features.height
        self.names = names
        needed = self._columns if self._overlap else self._texts
        codes = {column.name: column.codes(features[column.name]) for column in needed}
        for column in self._texts:
            self.unseen[column.name] += strangers(column, features[column.name], codes[column.name])
        if self._overlap:
            self._overlap.add(summed(codes.values()))

    @property
    def trained_on(self) -> float | None:
        """About which share of the rows the model was fitted to; None where that cannot be told."""
        return None if self._overlap is None else self._overlap.share

    @property
    def notices(self) -> list[str]:
        """A sentence on everything that should be known of the rows."""
        said = [_strange(column, self.unseen[column.name], self.rows) for column in self._texts]
        if self.trained_on:
            said.append(
                f"About {self.trained_on:.0%} of these rows were trained on: what ordain evaluate says of them is too "
                "good."
            )
        return [sentence for sentence in said if sentence]


def strangers(column: Text | Means, series: pl.Series, codes: Vector) -> int:
    """How many rows have a value that was not kept: one never seen in training or, if there were such, a rare one.

    Examples
    --------
    >>> column, cities = Text("city", ("Oslo", "Rome"), other=False, missing=False), pl.Series(["Oslo", "Bonn", None])
    >>> strangers(column, cities, column.codes(cities))
    1
    """
    known = column.known(series) if isinstance(column, Means) else int(np.count_nonzero(codes < len(column.values)))
    return len(series) - texts(series).null_count() - known


def _strange(column: Text | Means, count: int, rows: int) -> str:
    """How many rows have a value of a text column that the model does not know."""
    if not count:
        return ""
    how = "never or rarely seen" if (column.text if isinstance(column, Means) else column).other else "never seen"
    return f"Column {column.name!r}: {count:,} of {rows:,} rows have a value {how} in training."
