"""The values with the most rows, and how many each has, of texts that are spread and may have any number of values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

MOST = 10_000
"""So many values are counted at a time, at most."""


@dataclass(frozen=True)
class Frequent:
    """Counts of at most m values, each too low by `missed` rows at most.

    Where there are more, the count of the next one is taken from each [MisraGries82]_; so `missed` is at most n/(m + 1)
    of n rows, and a value with more rows is always among them. Those that came down to 0 stay as long as there is room.
    The sum of two is one of the rows of both [Agarwal12]_.

    Examples
    --------
    >>> Frequent.of({"Oslo": 3, "Rome": 2}) + Frequent.of({"Rome": 2})
    Frequent(rows={'Rome': 4, 'Oslo': 3}, missed=0)
    """

    rows: dict[str, int]
    missed: int = 0

    @classmethod
    def of(cls, rows: Mapping[str, int], missed: int = 0) -> Frequent:
        """Of the rows of each value."""
        order = sorted(rows, key=lambda value: (-rows[value], value))
        next_one = rows[order[MOST]] if len(order) > MOST else 0
        return cls({value: max(rows[value] - next_one, 0) for value in order[:MOST]}, missed + next_one)

    @classmethod
    def of_counts(cls, counts: pl.DataFrame) -> Frequent:
        """The same of a frame of values and rows."""
        name = counts.columns[0]
        most = counts.sort("rows", name, descending=[True, False]).head(MOST + 1)
        return cls.of(dict(zip(most[name].to_list(), most["rows"].to_list(), strict=True)))

    def __add__(self, other: Frequent) -> Frequent:
        rows = dict(self.rows)
        for value, count in other.rows.items():
            rows[value] = rows.get(value, 0) + count
        return Frequent.of(rows, self.missed + other.missed)
