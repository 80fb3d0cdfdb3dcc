"""Learning in Python what `ordain fit` learns: from a frame or a file to a model, and which model suits arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from ordain import tables
from ordain._as_python import in_python
from ordain._checks import check_codes, check_labels, check_numbers, check_weights
from ordain.choice.compared import Choice
from ordain.choice.fitting import fit as fit_training
from ordain.choice.fitting import read_training
from ordain.choice.search import Search
from ordain.model import Model
from ordain.rows.record import Rows
from ordain.tables.frames import is_frame


def fit(
    table: tables.Table,
    label: str,
    *,
    positive: Any = None,
    graded: bool = False,
    weight: str | None = None,
    group: str | None = None,
    cluster: str | None = None,
    drop: str | Sequence[str] = (),
    goal: str = "auc",
    model: str = "auto",
    reduction: str = "auto",
    loss: str = "logistic",
    push: float | None = None,
    quick: bool = False,
    seconds: float | None = None,
    seed: int = 0,
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    dates: str | None = None,
) -> Model:
    """The model that ranks a table best, as ``ordain fit`` finds it.

    Linear and boosted models are compared on the same folds. Picked is the simplest that no simpler one outscores and
    that is at most half a standard error below the best; it is fitted to all rows. For the same rows and seed it gives
    the scores that the command's model gives.

    Parameters
    ----------
    table : frame or path
        A frame of pandas, polars or pyarrow, or a CSV, TSV, JSONL or Parquet file, gzipped or not, or a workbook. Text
        is looked at as in a CSV file: columns of numbers and dates are found. Every column not named is a feature.
    label : str
        The column with the labels. Rows without one are left out; `model.notices` says how many.
    positive : optional
        The label that should come first, where it is not 1, true or yes; it stands against all others.
    graded : bool
        Labels are grades, larger being better.
    weight, group, cluster : str, optional
        Columns: weights of the rows; groups, only pairs within which count; rows of one person or unit.
    drop : str or sequence of str
        Columns that must not be used.
    goal : str
        What to choose by: ``auc``, precision in ``top:100`` or ``top:1%``, ``pauc:0.05``, or for grades and groups
        ``ndcg:10``.
    model : {"auto", "linear", "boosted"}
        What to compare.
    reduction : {"auto", "pointwise", "balanced", "pairwise"}
        Row by row, each class weighing one half, or all pairs.
    loss : str
        A name of :data:`ordain.losses.LOSSES`.
    push : float, optional
        Only pairs, looking harder at the top as it grows from 1.
    quick : bool
        Compare one linear model and one with trees.
    seconds : float, optional
        A limit, kept by leaving out candidates and folds; the only option with which the same seed may give another
        model. `model.choice` says what was left out.
    seed : int
        The same seed gives the same model.
    separator, decimal, encoding, dates : str, optional
        What stands between fields, the decimal mark, the encoding, and ``day-first`` or ``month-first``, where a file
        leaves them open; `decimal` and `dates` are for text in frames too.

    Returns
    -------
    Model
        With `choice`, the comparison; `score(table)`; `save(path)`.

    Examples
    --------
    >>> rows = pl.DataFrame({"age": [20, 25, 31, 38, 44, 52, 57, 63], "churned": list("nynnynyy")})
    >>> model = fit(rows, "churned", positive="y", model="linear")
    >>> print(model.choice.picked.candidate.name)
    linear balanced
    >>> model.score(pl.DataFrame({"age": [30, 60]})).columns
    ['rank', 'score', 'probability', 'age']
    """
    named = {"weight": weight, "group": group, "cluster": cluster}
    columns = {name: None if column is None else str(column) for name, column in named.items()}
    columns |= {"label": str(label), "positive": None if positive is None else str(positive)}
    with in_python():
        search = Search(goal, model, reduction, loss, push, quick, seconds, seed)
        reading = tables.reading_of(table, separator=separator, decimal=decimal, encoding=encoding, dates=dates)
        unused = [drop] if isinstance(drop, str) else [str(name) for name in drop]
        asked: dict[str, Any] = {**columns, "graded": graded}
        training = read_training(table, drop=unused, reading=reading, **asked)
        return fit_training(training, search, asked=asked)[0]


def choose(
    X: Any,
    y: Any,
    *,
    positive: Any = None,
    graded: bool = False,
    weights: Any = None,
    groups: Any = None,
    clusters: Any = None,
    goal: str = "auc",
    model: str = "auto",
    reduction: str = "auto",
    loss: str = "logistic",
    push: float | None = None,
    quick: bool = False,
    seconds: float | None = None,
    seed: int = 0,
) -> Choice:
    """The comparison of models on arrays, by the rule of :func:`ordain.fit`; nothing is fitted to all rows.

    Parameters
    ----------
    X : array of shape (n_rows, n_features), or frame
        Numbers, nan where missing. A frame of pandas, polars or pyarrow may have text and dates too.
    y : array of shape (n_rows,)
        Labels: 0/1, -1/1 or False/True, or `positive` is named.
    positive : optional
        The label that should come first, where it is not understood by itself.
    graded : bool
        Labels are grades, larger being better.
    weights, groups, clusters : arrays of shape (n_rows,), optional
        Weights of the rows; groups, only pairs within which count; rows of one person or unit.
    goal, model, reduction, loss, push, quick, seconds, seed
        As for :func:`ordain.fit`.

    Returns
    -------
    Choice
        `str` of it is the sentence; `picked`, `best` and `trials` have the figures; `as_json()` has them all.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> found = choose(X, X[:, 0] + rng.normal(size=200) > 1, model="linear", reduction="pairwise", push=1)
    >>> print(found)
    linear pairwise was the only candidate: its AUC is 0.8378.
    """
    with in_python():
        features, n = _features(X), np.shape(y)[0] if np.ndim(y) else 0
        if features.height != n:
            raise ValueError(f"X and y must have as many rows. Got {features.height:,} and {n:,}.")
        labels = check_numbers(y, "grades") if graded else check_labels(y, positive)
        weighed = None if weights is None else check_weights(weights, n)
        codes = [
            None if of is None else check_codes(of, n, name)
            for name, of in (("groups", groups), ("clusters", clusters))
        ]
        rows = Rows(features, labels, weighed, codes[0], graded, clusters=codes[1])
        return Search(goal, model, reduction, loss, push, quick, seconds, seed).choose(rows)


def _features(X: Any) -> pl.DataFrame:
    """The columns of a frame, text looked at as in a file, or those of an array."""
    if is_frame(X):
        frame = tables.frame_of(X)
        assert frame is not None
        return tables.typed(frame, tables.Reading(), "X")[0]
    array = np.asarray(X)
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        of = X if hasattr(X, "dtype") else array
        got = f"Got {type(X).__name__} of shape {of.shape} and type {of.dtype}"
        raise ValueError(f"X must have rows and columns of numbers, or be a frame. {got}. Convert it first.")
    if np.isinf(array).any():
        raise ValueError("X must be finite, or nan where missing. Got an infinite number. Remove it, or give another.")
    return pl.DataFrame({f"x{k}": np.ascontiguousarray(column) for k, column in enumerate(array.T)})
