"""From the columns of a table to the matrix a learner takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import polars as pl
from scipy import sparse

from ordain._json import record
from ordain._types import Vector
from ordain.prepare.column_kinds import KEPT_VALUES, Number, Text, is_numbers, is_text
from ordain.prepare.date_column import Date, is_date
from ordain.prepare.suspects import emptiness, identity, leak
from ordain.prepare.target_means import MANY_VALUES, MEANT_VALUES, Means, Target
from ordain.prepare.word_column import Words
from ordain.rows.record import Rows

SPARSE = 0.2
"""Below this share of features that may differ from 0, the matrix is stored sparse."""

Column = Number | Text | Means | Words


@dataclass(frozen=True)
class Preparation:
    """How each column becomes features, learned from the training rows. It holds data only.

    Parameters
    ----------
    columns : tuple of Number, Date, Text and Means
        The columns that are used, in the order of the table.
    notices : tuple of str
        A sentence on each column that was dropped, holds dates, or may give the label away.

    Examples
    --------
    >>> frame = pl.DataFrame({"age": [20.0, 30, 40, 50], "city": ["Oslo", "Oslo", "Oslo", None], "year": [2020] * 4})
    >>> preparation = Preparation.learn(frame, np.array([0, 1, 0, 1]))
    >>> preparation.names
    ['age', 'city']
    >>> preparation.notices
    ("Column 'year' is not used: constant.",)
    >>> preparation.features("linear")
    ['age', 'city = Oslo', 'city is missing']
    >>> preparation.matrix(pl.DataFrame({"age": [35.0, None], "city": ["Oslo", "Rome"]}), "linear")
    array([[0., 1., 0.],
           [0., 0., 0.]])
    """

    columns: tuple[Column, ...]
    notices: tuple[str, ...] = ()

    @classmethod
    def learn(cls, frame: pl.DataFrame, labels: Vector) -> Preparation:
        """What the training rows teach.

        Parameters
        ----------
        frame : polars.DataFrame
            The columns that may be used: numbers (null or nan is missing), true and false, dates, or text.
        labels : array
            True where the row is positive; or grades.
        """
        for series in frame.iter_columns():
            check_kind(series)
        return cls.told([_Here(series) for series in frame.iter_columns()], frame, labels)

    @classmethod
    def told(cls, known: Sequence[Known], frame: pl.DataFrame, labels: Vector) -> Preparation:
        """What is known of each column teaches, wherever its rows are, and some rows that are here.

        By these, whose columns are the same ones, it is told which columns may give the label away.
        """
        labels = np.asarray(labels)
        columns_here = list(zip(known, frame.iter_columns(), strict=True))
        found = [_learned(one, series, labels) for one, series in columns_here]
        if all(column is None for column, _ in found):  # a column that counts the rows is better than none
            found = [_learned(one, series, labels, alone=True) for one, series in columns_here]
        columns = [column for column, _ in found if column]
        notices = [notice for _, notice in found if notice]
        if not columns:
            raise ValueError(
                "one column at least must be of use. Got " + (" ".join(notices) or "none. Give more columns.")
            )
        return cls(tuple(columns), tuple(notices))

    @property
    def names(self) -> list[str]:
        """The columns that :meth:`matrix` needs."""
        return [column.name for column in self.columns]

    @property
    def numeric(self) -> list[str]:
        """Those of them that must hold numbers; the others hold text or dates."""
        return [column.name for column in self.columns if column.kind == Number.kind]

    @property
    def many_valued(self) -> list[str]:
        """Those that hold text and keep so many values that trees may do better with their means."""
        return [one.name for one in self.columns if isinstance(one, Text) and len(one.values) > MANY_VALUES]

    def with_means(self, rows: Rows, seed: int = 0) -> tuple[Preparation, Any]:
        """The preparation in which each of :attr:`many_valued` is, for trees, the mean label of its value.

        For linear learners it stays as it is.

        Parameters
        ----------
        rows : Rows
            Those it was learned from.
        seed : int
            Draws the folds.

        Returns
        -------
        Preparation, array
            And these very rows for trees. Each has the means of the other four folds of five, in which none of its
            group or cluster is: learn from them, since :meth:`matrix` gives rows means that hold their own label.

        Examples
        --------
        >>> frame = pl.DataFrame({"city": [f"city {k % 40}" for k in range(400)]})
        >>> rows = Rows(frame, np.arange(400) % 40 < 20)
        >>> preparation, X = Preparation.learn(frame, rows.labels).with_means(rows)
        >>> preparation.matrix(pl.DataFrame({"city": ["city 3", "city 33", "city 333"]}), "boosted")[:, 0]
        array([1. , 0. , 0.5], dtype=float32)
        >>> X.shape, preparation.categorical
        ((400, 1), [])
        """
        target, columns, fitted = Target.of(rows, seed), dict[str, Column](), dict[str, Vector]()
        for one in self.columns:
            columns[one.name] = one
            if isinstance(one, Text) and one.name in self.many_valued:
                columns[one.name], fitted[one.name] = Means.learn(one, rows.features[one.name], target)
        found = Preparation(tuple(columns.values()), self.notices)
        return found, found.codes(rows.features, fitted)

    @property
    def categorical(self) -> list[int]:
        """Which columns of the matrix for trees hold codes of text."""
        return [k for k, column in enumerate(self.columns) if isinstance(column, Text)]

    def features(self, learner: str) -> list[str]:
        """The names of the columns of the matrix for a "linear" or a "boosted" learner."""
        _check_learner(learner)
        return self.names if learner == "boosted" else [name for column in self.columns for name in column.features]

    def matrix(self, frame: pl.DataFrame, learner: str) -> Any:
        """The rows as a learner takes them.

        Parameters
        ----------
        frame : polars.DataFrame
            Rows with all of :attr:`names`; others are ignored.
        learner : {"linear", "boosted"}
            Linear: float64 without gaps, dense or CSR, whichever is smaller. Boosted: float32, nan where missing, and
            codes in the columns :attr:`categorical`.
        """
        _check_learner(learner)
        if learner == "boosted":
            return self.codes(frame, {})
        filled = sum(1 + (isinstance(column, Number) and column.missing) for column in self.columns)
        width = len(self.features("linear"))
        return self._sparse(frame, filled, width) if filled < SPARSE * width else self._dense(frame, width)

    def codes(self, frame: pl.DataFrame, known: Mapping[str, Vector]) -> Any:
        """The rows for trees; of some columns what they are is known."""
        matrix = np.empty((frame.height, len(self.columns)), np.float32)
        for k, column in enumerate(self.columns):
            codes = known.get(column.name)
            matrix[:, k] = column.codes(frame[column.name]) if codes is None else codes
        return matrix

    def _slots(self, frame: pl.DataFrame) -> Any:
        """Which feature of the matrix, and its value in every row; what is not named is 0."""
        first = 0
        for column in self.columns:
            yield from ((first + feature, values) for feature, values in column.slots(frame[column.name]))
            first += len(column.features)

    def _dense(self, frame: pl.DataFrame, width: int) -> Any:
        matrix, rows = np.zeros((frame.height, width)), np.arange(frame.height)
        for feature, values in self._slots(frame):
            matrix[rows if isinstance(feature, np.ndarray) else slice(None), feature] = values
        return matrix

    def _sparse(self, frame: pl.DataFrame, filled: int, width: int) -> Any:
        """Every row has an entry for every slot, in order, so the matrix needs no assembling."""
        entries, places = np.empty((frame.height, filled)), np.empty((frame.height, filled), np.int32)
        for k, (feature, values) in enumerate(self._slots(frame)):
            places[:, k], entries[:, k] = feature, values
        starts = np.arange(0, frame.height * filled + 1, filled)
        return sparse.csr_matrix((entries.ravel(), places.ravel(), starts), (frame.height, width))

    def as_json(self) -> dict[str, Any]:
        """All of it as plain data; :meth:`from_json` takes it back."""
        return {"columns": [column.as_json() for column in self.columns], "notices": list(self.notices)}

    @classmethod
    def from_json(cls, plain: Any) -> Preparation:
        """What :meth:`as_json` gave; anything else is refused."""
        found = record(plain, "preparation", columns=list, notices=list)
        if not found["columns"] or any(type(notice) is not str for notice in found["notices"]):
            raise ValueError("preparation must have columns, and notices of text. Is the model file right?")
        columns = tuple(map(_column, found["columns"]))
        if len({column.name for column in columns}) < len(columns):
            raise ValueError("preparation must have different columns. Got one twice. Is the model file right?")
        return cls(columns, tuple(found["notices"]))


class Known(Protocol):
    """What is known of a column of all rows."""

    @property
    def emptiness(self) -> str | None:
        """Why it says nothing, in words that follow its name."""

    @property
    def column(self) -> Number | Text:
        """What it becomes; it says something."""

    def identity(self, column: Number | Text) -> str | None:
        """Why it only tells the rows apart, in words that follow its name."""


class _Here(NamedTuple):
    """A column whose rows are all here."""

    series: pl.Series

    @property
    def emptiness(self) -> str | None:
        return emptiness(self.series)

    @property
    def column(self) -> Number | Text:
        kind = self.series.dtype
        return (Date if is_date(kind) else Text if is_text(kind) else Number).learn(self.series)

    def identity(self, column: Number | Text) -> str | None:
        return identity(self.series, column)


def _learned(
    known: Known, series: pl.Series, labels: Vector, *, alone: bool = False
) -> tuple[Number | Text | None, str | None]:
    """What there is to learn from a column, if anything, and what there is to say about it, if anything.

    A column that counts the rows is used where no other is of use.
    """
    name = f"Column {series.name!r}"
    if reason := known.emptiness:
        return None, f"{name} is not used: {reason}."
    column, dated = known.column, is_date(series.dtype)
    counts = alone and isinstance(column, Number)
    if not dated and not counts and (reason := known.identity(column)):
        return None, f"{name} is not used: {reason}."
    if value := leak(series, column, labels):
        warning = "if it is known only once the label is, leave it out"
        return column, f"{name} alone ranks the rows with AUC {value:.4f}: {warning}."
    return column, f"{name} holds dates: they count as days." if dated else None


def _column(plain: Any) -> Column:
    """A column of a preparation from plain data."""
    if type(plain) is dict and plain.get("kind") == Means.kind:
        return _means(plain)
    if type(plain) is dict and plain.get("kind") == Words.kind:
        return Words.from_json(plain)
    if type(plain) is dict and plain.get("kind") in (Number.kind, Date.kind):
        found = record(plain, "a column", kind=str, name=str, unit=float, centre=float, scale=float, missing=bool)
        if not (found["unit"] > 0 and found["scale"] > 0):
            raise ValueError(f"column {found['name']!r} must have a positive scale. Is the model file right?")
        which = Date if found["kind"] == Date.kind else Number
        return which(*(found[name] for name in ("name", "unit", "centre", "scale", "missing")))
    return _text(plain)


def _text(plain: Any) -> Text:
    found = record(plain, "a column", kind=str, name=str, values=list, other=bool, missing=bool)
    if found["kind"] != Text.kind or not _are_values(found["values"], KEPT_VALUES):
        raise ValueError(f"column {found['name']!r} must be numbers, or text with sorted values. Is the file right?")
    return Text(found["name"], tuple(found["values"]), found["other"], found["missing"])


def _means(plain: Any) -> Means:
    found = record(plain, "a column", kind=str, text=dict, values=list, means=list, mean=float)
    text, means = _text(found["text"]), found["means"]
    shares = all(type(mean) is float and 0 <= mean <= 1 for mean in [*means, found["mean"]])
    if not shares or len(means) != len(found["values"]) or not _are_values(found["values"], MEANT_VALUES):
        raise ValueError(f"column {text.name!r} must have a mean in [0, 1] for each sorted value. Is the file right?")
    return Means(text, tuple(found["values"]), tuple(means), found["mean"])


def _are_values(values: list[Any], most: int) -> bool:
    """Whether these are different texts in order, and not too many."""
    if not 0 < len(values) <= most or any(type(value) is not str for value in values):
        return False
    return sorted(set(values)) == values


def check_kind(series: pl.Series) -> None:
    """Refuse a column of a type that has no meaning as a feature."""
    kind = series.dtype
    if not (is_numbers(kind) or is_text(kind) or is_date(kind) or kind == pl.Null):
        raise ValueError(
            f"column {series.name!r} must hold numbers, text, dates, or true and false. Got values of type {kind}. "
            "Leave it out, or convert it."
        )


def _check_learner(learner: str) -> None:
    if learner not in ("linear", "boosted"):
        raise ValueError(f"learner must be linear or boosted. Got {learner!r}.")
