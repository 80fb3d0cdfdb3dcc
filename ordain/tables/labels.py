"""Which rows are positive: labels as people write them in files, and grades."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from ordain._near import did_you_mean
from ordain._types import Mask, Vector
from ordain.tables.columns import Category
from ordain.tables.header import BLANKS
from ordain.tables.messages import listed, shown
from ordain.tables.numbers import NUMBER, Cells
from ordain.tables.reading import Reading

_UNDERSTOOD: tuple[tuple[Hashable, set[Hashable]], ...] = ((1, {0, -1}), ("true", {"false"}), ("yes", {"no"}))
"""Positive labels that need no naming, and the negative ones that may stand beside each."""


def labels(column: Category, positive: str | None = None) -> tuple[Mask, str]:
    """True where the row is positive, and how the column writes the positive class.

    0/1, -1/1, true/false and yes/no are understood in any case and number format. Any other two values need `positive`,
    since which of *fraud* and *ok* is wanted must not be guessed; with `positive` it may be one class against several.

    Parameters
    ----------
    column : Category
        The label column; it must hold two classes.
    positive : str, optional
        The positive class as text; `1` also names 1.0.

    Examples
    --------
    >>> labels(Category("churned", np.array([0, 1, 0]), ["Yes", "no"]))
    (array([ True, False,  True]), 'Yes')
    >>> labels(Category("state", np.array([0, 1, 0]), ["ok", "fraud"]), "fraud")
    (array([False,  True, False]), 'fraud')
    """
    keys = [_key(value) for value in column.values]
    if len(set(keys)) > 2 and positive is None:
        raise ValueError(_too_many(column, keys))
    chosen = _understood(column, keys) if positive is None else _named(column, keys, positive)
    mask = np.array([key == chosen for key in keys])[column.codes]
    count = int(np.count_nonzero(mask))
    if count in (0, len(mask)):
        raise ValueError(
            f"labels must contain both classes. Got {'positives' if count else 'negatives'} only. "
            f"Is {column.name!r} the label column?"
        )
    return mask, str(column.values[keys.index(chosen)]).strip(BLANKS)


def label_notices(column: Category, positive: str | None, unlabelled: int) -> list[str]:
    """Sentences on rows that have no label, and on several classes that count as one.

    Examples
    --------
    >>> label_notices(Category("kind", np.array([0, 1, 2]), ["fraud", "ok", "late"]), "fraud", 1)
    ['1 row without a label was left out.', "'fraud' stands against the rest, 2 other labels."]
    """
    rows = "1 row without a label was" if unlabelled == 1 else f"{unlabelled:,} rows without a label were"
    others = len({_key(value) for value in column.values}) - 1
    said = [f"{rows} left out."] if unlabelled else []
    against = positive is not None and others > 1
    return said + ([f"{positive!r} stands against the rest, {others} other labels."] if against else [])


class Meaning(NamedTuple):
    """For each label whether it is positive, or its grade; how the positive one is written; what there is to say."""

    of: dict[Any, Any]
    positive: str | None
    notices: list[str]


def meaning(name: str, values: list[Any], unlabelled: int, *, positive: str | None, graded: bool) -> Meaning:
    """What the different labels of a column mean, whose rows are elsewhere.

    Examples
    --------
    >>> meaning("churned", ["Yes", "no"], 0, positive=None, graded=False)
    Meaning(of={'Yes': True, 'no': False}, positive='Yes', notices=[])
    """
    if not values:
        raise ValueError(f"column {name!r} must hold labels. Got none. Is it the right one?")
    column = Category(name, np.arange(len(values), dtype=np.int32), values)
    found, chosen = (grades(column, of_rows=False), None) if graded else labels(column, positive)
    return Meaning(dict(zip(values, found.tolist(), strict=True)), chosen, label_notices(column, chosen, unlabelled))


def grades(column: Category, reading: Reading | None = None, *, of_rows: bool = True) -> Vector:
    """Graded labels as float64, larger being better; every value must be a finite number, else its first row is told.

    Examples
    --------
    >>> grades(Category("stars", np.array([0, 1, 0]), ["5", "3,5"]))
    array([5. , 3.5, 5. ])
    """
    numbers = _numbers(column.values, (reading or Reading()).decimal)
    finite = np.isfinite(numbers)
    if not finite.all():
        code = int(np.argmin(finite))
        row = f" in row {int(np.argmax(column.codes == code)) + 1}" if of_rows else ""
        got = f"Got {shown(column.values[code])}{row}"
        hint = "Give each grade a number, larger being better."
        raise ValueError(f"grades in column {column.name!r} must be finite numbers. {got}. {hint}")
    return numbers[column.codes]


def _numbers(values: list[Any], decimal: str | None) -> Vector:
    """The numbers of grades, nan for what is none."""
    found = np.array([_grade(value) for value in values])
    if np.isfinite(found).all() or not all(isinstance(value, str) for value in values):
        return found
    cells = Cells(pl.Series(values))
    mark = decimal if decimal in cells.fits else max(cells.fits, default=None)  # a half star is 3.5 or 3,5, never 3500
    return found if mark is None else cells.values(cells.form(mark)).to_numpy()


def _key(value: Any) -> Hashable:
    """What classes are compared by: the exact number if it is one, words for truth in lower case, else the text."""
    text = str(value).strip(BLANKS)
    if re.fullmatch(NUMBER, text):
        with suppress(InvalidOperation):  # an exponent beyond all bounds
            return Decimal(text)
    return text.lower() if text.lower() in ("true", "false", "yes", "no") else text


def _grade(value: Any) -> float:
    """The number of a grade; nan if it has none."""
    text = str(value).strip(BLANKS)
    return float(text) if re.fullmatch(NUMBER, text) else math.nan


def _understood(column: Category, keys: list[Hashable]) -> Hashable:
    """The class that is positive without being named."""
    for positive, negatives in _UNDERSTOOD:
        others = set(keys) - {positive}
        if others <= negatives and len(others) <= 1:
            return positive
    raise ValueError(
        f"column {column.name!r} must hold 0/1, -1/1, true/false or yes/no, or the positive class must be named. "
        f"Got {listed(column.values, 4)}. Add --positive with one of them."
    )


def _named(column: Category, keys: list[Hashable], positive: str) -> Hashable:
    """The class that the caller named."""
    if (key := _key(positive)) in keys:
        return key
    raise ValueError(
        f"the positive class must be one of the values in column {column.name!r}, {listed(column.values, 4)}. "
        f"Got {shown(positive)}.{did_you_mean(positive, map(str, column.values))} Name one of them."
    )


def _too_many(column: Category, keys: list[Hashable]) -> str:
    """What to do about more than two classes."""
    graded = all(isinstance(key, Decimal) for key in keys)
    hint = "Add --positive with the one that should come first; it stands against the rest"
    hint = f"If larger is better, add --graded. {hint}" if graded else hint
    return f"labels in column {column.name!r} must have two values. Got {listed(column.values, 4)}. {hint}."
