"""A model of a table, or a ranker fitted to arrays, into a file and back.

The file of a ranker begins with `estimator.json`, which says how many columns it takes, what they are called and how
many categories they have; all else is as in the file of a model.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

import ordain
from ordain._as_python import in_python
from ordain._files import check_place
from ordain._json import parsed, record, written
from ordain.learn.by_name import KINDS
from ordain.model.archive import packed, read_file, write_file
from ordain.model.file import ESTIMATOR, Model, check_seals, model_read, opened, seals
from ordain.model.fitted import Features, ranker_read, ranker_written
from ordain.model.trees import most_categories

FORMAT = 1
"""The version of the file of a ranker."""

CATEGORIES = 4096
"""A column has at most this many: XGBoost takes a bit for each at every split."""


def save(estimator: Any, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write a fitted ranker, or a model of a table, into a file that :func:`ordain.load` reads.

    The file is data, never code. What could not be read back is not written: a loss of one's own, weights that are not
    finite, a classifier of a type that skops does not know to be safe.

    Parameters
    ----------
    estimator : LinearRanker, BoostedRanker, PreferenceRanker or Model
        Fitted.
    path : path
        By convention ending in ``.ordain``.
    force : bool
        Whether an existing file may be replaced.

    Examples
    --------
    >>> import ordain, pathlib, tempfile
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> ranker = ordain.LinearRanker().fit(X, [0, 0, 1, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ordain.save(ranker, pathlib.Path(folder, "ranker.ordain"))
    ...     same = ordain.load(pathlib.Path(folder, "ranker.ordain"))
    >>> bool((same.decision_function(X) == ranker.decision_function(X)).all())
    True
    """
    if isinstance(estimator, Model):
        estimator.save(path, force=force)
        return
    with in_python():
        check_place(path, force)
        data = _written(estimator)
        _read(data, "the ranker")
        write_file(path, data, force)


def load(path: str | os.PathLike[str]) -> Any:
    """What :func:`ordain.save`, :meth:`Model.save` or ``ordain fit`` wrote: a ranker, or a model of a table.

    Everything in the file is checked before it is used, and nothing in it is ever run.

    Parameters
    ----------
    path : path

    Examples
    --------
    >>> import ordain, pathlib, tempfile
    >>> import polars as pl
    >>> rows = pl.DataFrame({"age": [20, 25, 31, 38, 44, 52, 57, 63], "churned": [0, 0, 1, 0, 1, 0, 1, 1]})
    >>> model = ordain.fit(rows, "churned", model="linear", reduction="balanced")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(pathlib.Path(folder, "churn.ordain"))
    ...     same = ordain.load(pathlib.Path(folder, "churn.ordain"))
    >>> same.score(rows).equals(model.score(rows))
    True
    """
    return _read(read_file(path), str(path))


def _written(ranker: Any) -> bytes:
    """The bytes of the file of a ranker."""
    if type(ranker).__name__ not in KINDS or not hasattr(ranker, "n_features_in_"):
        kind = type(ranker).__name__
        raise ValueError(f"what is saved must be a Model or a fitted {', '.join(KINDS)}. Got {kind}. Fit one first.")
    names = getattr(ranker, "feature_names_in_", None)
    sizes = _sizes(ranker)
    plain, entries = ranker_written(ranker, Features(len(sizes), sizes))
    about = {
        "format": FORMAT,
        "ordain": ordain.__version__,
        "names": None if names is None else [str(name) for name in names],
        "sizes": sizes,
        "ranker": plain,
        "entries": seals(entries),
    }
    return packed({ESTIMATOR: written(about), **entries})


def _read(data: bytes, what: str) -> Any:
    """The ranker or model whose file has these bytes."""
    first, entries = opened(data, what)
    if first != ESTIMATOR:
        return model_read(data, what)
    about = parsed(entries.pop(ESTIMATOR), f"{ESTIMATOR} of {what}")
    if type(about) is not dict or type(about.get("format")) is not int or about["format"] != FORMAT:
        raise ValueError(f"{what} must be a ranker of format {FORMAT}. Got another. Update ordain?")
    kinds = {"format": int, "ordain": str, "names": (list, type(None)), "sizes": list, "ranker": dict, "entries": dict}
    about = record(about, f"{ESTIMATOR} of {what}", **kinds)
    check_seals(about["entries"], entries, what)
    names, sizes = about["names"], about["sizes"]
    if not sizes or any(type(size) is not int or not 0 <= size <= CATEGORIES for size in sizes):
        raise ValueError(f"{what} must have columns of at most {CATEGORIES:,} categories. Got others. Fit again.")
    if names is not None and (len(names) != len(sizes) or any(type(name) is not str for name in names)):
        raise ValueError(f"{what} must name each of its columns. Got others. Fit again.")
    ranker = ranker_read(about["ranker"], entries, Features(len(sizes), sizes))
    if names is not None:
        ranker.feature_names_in_ = np.array(names, object)
    return ranker


def _sizes(ranker: Any) -> list[int]:
    """Per column how many categories its trees know; 0 for numbers."""
    sizes = [0] * ranker.n_features_in_
    if getattr(ranker, "categorical", None) is None or not hasattr(ranker, "booster_"):
        return sizes
    for column, most in most_categories(ranker.booster_, ranker.categorical).items():
        if most > CATEGORIES:
            raise ValueError(f"a saved column must have at most {CATEGORIES:,} categories. Got {most:,}. Merge some.")
        sizes[column] = most
    return sizes
