"""Columns that should not be learned from: those that say nothing, those that number the rows, those that leak."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import polars as pl

from ordain._types import Vector
from ordain.measure import auc
from ordain.prepare.column_kinds import KEPT_VALUES, Number, Text, is_text, numbers, texts
from ordain.rows.draw import drawn

COUNTED_ROWS = 20
"""With fewer rows, different whole numbers are no sign of a row number."""

LEAK = 0.999
"""A column that alone ranks better than this is suspected to come from the label."""

CLASS_ROWS = 5
"""With fewer rows of a class, a column that separates them may do so by chance."""

EMPTY, CONSTANT = "every value is missing", "constant"
NAMES, NUMBERS = "like an id, hardly any value occurs twice", "like an id, it numbers the rows"
"""Why columns are not used, in words that follow their names."""

UNIT = re.compile(
    r"(?i)(?:^|[^a-z])(?:id|uid|uuid|guid|key|nr)$|(?-i:[a-z]I[Dd]$)|^id[_ .-]"
    r"|^(?:patient|customer|client|user|person|subject|member|account|household|student|employee)s?$"
)
"""How a column is called that names persons or units."""

SAMPLE = 16_384
"""About so many rows are looked at first; the others only if these look like a leak."""


def emptiness(series: pl.Series) -> str | None:
    """Why a column says nothing at all, in words that follow its name; None where it says something."""
    missing = int(np.isnan(series.to_numpy()).sum()) if series.dtype.is_float() else series.null_count()
    if missing == len(series):
        return EMPTY
    if missing:
        return None
    same = series.n_unique() == 1 if is_text(series.dtype) else series.min() == series.max()
    return CONSTANT if same else None


def identity(series: pl.Series, column: Number | Text) -> str | None:
    """Why a column only tells the rows apart, in words that follow its name; None where it does more."""
    if isinstance(column, Text):
        present = texts(series).drop_nulls()
        return NAMES if names_rows(column, present.n_unique(), len(present)) else None
    return NUMBERS if _counts_rows(numbers(series)) else None


def names_rows(column: Text, kinds: int, present: int) -> bool:
    """Whether hardly any text occurs twice, with so many different ones in so many rows."""
    return not column.values or kinds > 0.9 * present


def may_count_rows(n: int, low: float, high: float) -> bool:
    """Whether n numbers from here to there may number the rows; `nan` says that some are missing."""
    span = high - low + 1
    return n >= COUNTED_ROWS and (span == n or n <= span <= n * n / 40)


def _counts_rows(values: Vector) -> bool:
    """Whether n different whole numbers are a range, or rise or fall through one of at most n²/40.

    Of n numbers drawn from R, all are different with a chance near exp(-n²/2R): below exp(-20), so none was drawn.
    """
    n = len(values)
    low, high = float(values.min()), float(values.max())
    if not may_count_rows(n, low, high) or (values != np.floor(values)).any():
        return False
    steps = np.diff(values)
    return bool((steps > 0).all() or (steps < 0).all() or (high - low + 1 == n and len(np.unique(values)) == n))


def unit_notices(frame: pl.DataFrame) -> list[str]:
    """A sentence on each column that seems to name a person or unit with several rows."""
    named = [name for name in frame.columns if UNIT.search(name)]
    said = [unit_notice(name, frame[name].n_unique(), frame.height) for name in named]
    return [sentence for sentence in said if sentence]


def unit_notice(name: str, kinds: int, rows: int, about: str = "") -> str | None:
    """The sentence on a column called like a unit, by how many values it has, or about how many."""
    if not UNIT.search(name) or kinds < COUNTED_ROWS or 1.2 * kinds > rows:
        return None
    return (
        f"Column {name!r} looks like the unit that rows belong to ({about}{kinds:,} values in {rows:,} rows): with "
        f"--cluster {name} its rows stay in one fold, else the figures may be too good."
    )


def leak(series: pl.Series, column: Number | Text, labels: Vector) -> float | None:
    """The AUC of a column that alone almost tells the labels, by its values or by where they are missing."""
    if len(labels) >= 2 * SAMPLE:
        classes = labels if labels.dtype == bool else np.zeros(len(labels), bool)
        part, _ = drawn(classes, SAMPLE)
        if (first := _best(series[part], column, labels[part])) is not None and first < 0.99:
            return None
    best = _best(series, column, labels)
    return best if best is not None and best > LEAK else None


def _best(series: pl.Series, column: Number | Text, labels: Vector) -> float | None:
    """The largest max(AUC, 1 - AUC) of what a column says; None where there are too few rows of a class to tell."""
    found = []
    for scores, rows in _single_scores(series, column, labels):
        _, counts = np.unique(labels[rows], return_counts=True)
        if len(counts) > 1 and np.sort(counts)[-2] >= CLASS_ROWS:
            value = auc(labels[rows], scores, graded=True)
            found.append(max(value, 1 - value))
    return max(found, default=None)


def _single_scores(series: pl.Series, column: Number | Text, labels: Vector) -> Iterator[tuple[Vector, Vector]]:
    """Scores a column gives by itself, each with the rows that have one."""
    everywhere = np.ones(len(labels), bool)
    values = column.codes(series)
    absent = np.isnan(values)
    if absent.any():
        yield absent.astype(float), everywhere
    if isinstance(column, Text):
        codes = np.where(absent, KEPT_VALUES + 1, values).astype(int)
        yield (np.bincount(codes, labels) / np.maximum(np.bincount(codes), 1))[codes], everywhere
    else:
        yield values[~absent], ~absent
