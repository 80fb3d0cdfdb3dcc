"""A column of texts as one feature: what a judge was learned to make of their counts and letters, a sum of weights.

It is learned from a judge's answers and not from labels, see :mod:`ordain.judge.learned_model`, and holds numbers only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from ordain._json import record
from ordain._types import Vector
from ordain.prepare.letter_bins import BINS
from ordain.prepare.letter_space import LetterSpace
from ordain.prepare.text_counts import COUNTS, text_counts


@dataclass(frozen=True)
class Words:
    """Counts times weights, how rare the text is last, plus the row of its bins of letters, weighed, times weights.

    Examples
    --------
    >>> column = Words("text", (1.0, *[0.0] * 19), (1.0,) * BINS, (0.0,) * BINS)
    >>> column.codes(pl.Series(["fig", None])).round(2)
    array([1.39, 0.  ])
    """

    name: str
    counts: tuple[float, ...]
    rarity: tuple[float, ...]
    bins: tuple[float, ...]
    kind: ClassVar[str] = "words"

    @property
    def features(self) -> list[str]:
        """The name of its feature for linear learners."""
        return [f"{self.name}, as learned"]

    def codes(self, series: pl.Series) -> Vector:
        """The feature in every row."""
        texts = series.cast(pl.String).fill_null("").str.strip_chars().to_list()
        letters, rare = LetterSpace(np.array(self.rarity), np.array(self.bins)[:, None]).placed(texts)
        return text_counts(texts) @ np.array(self.counts[:-1]) + self.counts[-1] * rare + letters[:, 0]

    def slots(self, series: pl.Series) -> Iterator[tuple[int | Vector, Vector]]:
        """Which feature, and its value in every row."""
        yield 0, self.codes(series)

    def as_json(self) -> dict[str, Any]:
        """What is known of it, as plain data."""
        numbers = {"counts": list(self.counts), "rarity": list(self.rarity), "bins": list(self.bins)}
        return {"kind": self.kind, "name": self.name, **numbers}

    @classmethod
    def from_json(cls, plain: Any) -> Words:
        """What :meth:`as_json` gave; anything else is refused."""
        found = record(plain, "a column", kind=str, name=str, counts=list, rarity=list, bins=list)
        for name, length in (("counts", len(COUNTS) + 1), ("rarity", BINS), ("bins", BINS)):
            if len(found[name]) != length or not all(type(value) is float for value in found[name]):
                raise ValueError(f"column {found['name']!r} must have {length} {name}. Is the model file right?")
        return cls(found["name"], *(tuple(found[name]) for name in ("counts", "rarity", "bins")))
