"""A fitted model with all it needs to score a table, and its file, which is data and never code.

A `.ordain` file is a zip of `model.json` and, by the kind of ranker, arrays as `.npy`, XGBoost's `trees.json`, or a
scikit-learn classifier as `classifier.skops`. The same model gives the same bytes. `model.json` has the SHA-256 and the
size of every other entry; everything in it is checked before it is used, and nothing in it is ever run.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.utils import get_tags

import ordain
from ordain._as_python import in_python
from ordain._files import check_place
from ordain._json import parsed, record, written
from ordain._types import Vector
from ordain.choice.compared import Choice
from ordain.explain.explanation import Explanation
from ordain.learn.scorer import Chance
from ordain.model.archive import packed, read_file, unpacked, write_file
from ordain.model.fitted import Features, ranker_read, ranker_written
from ordain.model.listing import listed
from ordain.model.seen import Seen
from ordain.prepare import Preparation
from ordain.tables import Form, Forms, Table, reading_of
from ordain.tables.reading import DATES

FORMAT = 3
"""The version of the file format."""

MODEL, ESTIMATOR = "model.json", "estimator.json"
"""The first entry of a file: of a model of a table, or of a ranker of arrays."""


@dataclass(frozen=True)
class Model:
    """Everything that turns rows of a table into scores.

    Parameters
    ----------
    preparation : Preparation
        From columns to features.
    ranker : LinearRanker, BoostedRanker or PreferenceRanker
        From features to scores; fitted.
    label : str
        The column with the labels.
    positive : str or None
        The label that should come first; None where labels are grades.
    grades : tuple of numbers or None
        The grades, where labels are grades.
    goal : str
        What it was chosen for, such as ``auc``.
    forms : dict
        How numbers and dates of the training table were written, by column, where not plainly: new ones are read so.
    summary : dict
        Rows, positives, the comparison of reductions, seed, version: plain data, for people to read.
    seen : Seen or None
        A sketch of the training rows; None where they repeat too much for one, or none was made.
    rests_on : Explanation or None
        What each column is worth; None where there were too few rows to say, or none was asked.
    choice : Choice or None
        The comparison it came out of; None where it was loaded: the file has its figures in the summary.
    notices : tuple of str
        A sentence on everything about the training table that its owner may not expect; empty where it was loaded.

    Examples
    --------
    >>> import ordain
    >>> rows = pl.DataFrame({"age": [20, 25, 31, 38, 44, 52, 57, 63], "churned": [0, 0, 1, 0, 1, 0, 1, 1]})
    >>> model = ordain.fit(rows, "churned", model="linear", reduction="balanced")
    >>> model.score(pl.DataFrame({"age": [30, 60, 45]})).select("rank", "age").rows()
    [(1, 60), (2, 45), (3, 30)]
    """

    preparation: Preparation
    ranker: Any
    label: str
    positive: str | None = None
    grades: tuple[float, ...] | None = None
    goal: str = "auc"
    summary: dict[str, Any] = field(default_factory=dict)
    seen: Seen | None = None
    forms: Forms = field(default_factory=dict)
    rests_on: Explanation | None = None
    choice: Choice | None = field(default=None, repr=False, compare=False)
    notices: tuple[str, ...] = field(default=(), repr=False, compare=False)

    @property
    def learner(self) -> str:
        """What :meth:`Preparation.matrix` is asked for: "linear" or "boosted"."""
        return "boosted" if type(self.ranker).__name__ == "BoostedRanker" else "linear"

    @property
    def chance(self) -> Chance | None:
        """From scores to probabilities of the positive class; None for grades."""
        return None if self.positive is None else self.ranker.chance_

    def score(
        self,
        table: Table,
        *,
        top: int | None = None,
        separator: str | None = None,
        decimal: str | None = None,
        encoding: str | None = None,
        dates: str | None = None,
    ) -> Any:
        """The rows of a table, best first, with rank, score and, for two classes, probability before their columns.

        Parameters
        ----------
        table : frame or path
            A frame of pandas, polars or pyarrow, or what ``ordain score`` reads; it must have the columns of training.
        top : int, optional
            Only so many rows, the first.
        separator, decimal, encoding, dates : str, optional
            How a file is written, where it leaves that open, as for :func:`ordain.fit`.

        Returns
        -------
        frame
            Of pandas, with a new index, or pyarrow, where the table is; else of polars. Columns of a CSV or TSV file
            stay text, as ``ordain score`` writes them.

        Examples
        --------
        >>> import ordain
        >>> rows = pl.DataFrame({"age": [20, 25, 31, 38, 44, 52, 57, 63], "churned": [0, 0, 1, 0, 1, 0, 1, 1]})
        >>> ordain.fit(rows, "churned", model="linear", reduction="balanced").score(rows, top=2)["age"].to_list()
        [63, 57]
        """
        with in_python():
            options = {"separator": separator, "decimal": decimal, "encoding": encoding, "dates": dates}
            return listed(self, table, reading_of(table, **options), top)

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the model into a file that :func:`ordain.load` and ``ordain score`` read; data, never code.

        Parameters as for :func:`ordain.save`; an example is at :func:`ordain.load`.
        """
        with in_python():
            save(self, path, force=force)

    def scores(self, frame: pl.DataFrame) -> Vector:
        """Scores of the rows, best highest."""
        with np.errstate(over="ignore", invalid="ignore"):  # what comes of it is looked at
            X = self.preparation.matrix(frame, self.learner)
            if sparse.issparse(X) and not get_tags(self.ranker).input_tags.sparse:
                X = X.toarray()
            scores = self.ranker.decision_function(X)
        if not np.isfinite(scores).all():
            got = scores[~np.isfinite(scores)][0]
            raise ValueError(f"the scores of a model must be finite. Got {got} for a row. Fit the model again.")
        return scores

    def probabilities(self, frame: pl.DataFrame) -> Vector | None:
        """Probabilities of the positive class; None for grades."""
        return None if self.chance is None else self.chance(self.scores(frame))


def save(model: Model, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write a model file, whole or not at all, and only what can be read back."""
    check_place(path, force)
    data = _written(model)
    model_read(data, "the model")
    write_file(path, data, force)


def load(path: str | os.PathLike[str]) -> Model:
    """The model in a file. Whatever is not a model file as :func:`save` writes it is refused; nothing is ever run."""
    return model_read(read_file(path), str(path))


def _written(model: Model) -> bytes:
    """The bytes of the file of a model."""
    ranker, entries = ranker_written(model.ranker, Features.of(model.preparation))
    about = {
        "format": FORMAT,
        "ordain": ordain.__version__,
        "label": model.label,
        "positive": model.positive,
        "grades": None if model.grades is None else list(model.grades),
        "goal": model.goal,
        "summary": model.summary,
        "seen": None if model.seen is None else model.seen.as_json(),
        "rests_on": None if model.rests_on is None else model.rests_on.as_json(),
        "preparation": model.preparation.as_json(),
        "forms": {name: form if isinstance(form, str) else form.as_json() for name, form in model.forms.items()},
        "ranker": ranker,
        "entries": seals(entries),
    }
    try:
        head = written(about)
    except (TypeError, ValueError) as wrong:
        raise ValueError(f"the summary of a model must be plain, finite data. Got otherwise: {wrong}.") from None
    return packed({MODEL: head, **entries})


def model_read(data: bytes, what: str) -> Model:
    """The model whose file has these bytes."""
    first, entries = opened(data, what)
    if first == ESTIMATOR:
        raise ValueError(f"{what} must be a model of a table. Got a ranker of arrays. Load it in Python: ordain.load.")
    if first != MODEL:
        raise ValueError(f"{what} must begin with {MODEL}. Got {first!r}. Is it a model file?")
    about = parsed(entries.pop(MODEL), f"{MODEL} of {what}")
    _check_version(about, what)
    about = record(
        about, f"model.json of {what}", format=int, ordain=str, label=str, positive=(str, type(None)),
        grades=(list, type(None)), goal=str, summary=dict, seen=(dict, type(None)), forms=dict, preparation=dict,
        ranker=dict, rests_on=(dict, type(None)), entries=dict,
    )  # fmt: skip
    check_seals(about["entries"], entries, what)
    preparation = Preparation.from_json(about["preparation"])
    ranker = ranker_read(about["ranker"], entries, Features.of(preparation))
    grades = _grades(about["grades"], about["positive"], ranker, what)
    said = (about["label"], about["positive"], grades, about["goal"], about["summary"])
    seen = None if about["seen"] is None else Seen.from_json(about["seen"])
    rests_on = None if about["rests_on"] is None else Explanation.from_json(about["rests_on"])
    return Model(preparation, ranker, *said, seen, _forms(about["forms"], preparation, what), rests_on)


def _check_version(about: Any, what: str) -> None:
    version = about.get("format") if type(about) is dict else None
    if type(version) is int and version > FORMAT:
        raise ValueError(f"{what} must be of format {FORMAT}. Got the newer format {version:.20g}. Update ordain.")
    if type(version) is int and version == 1:  # which knew neither the training rows nor how a table was written
        about |= {"format": 2, "seen": None, "forms": {}}
    if type(version) is int and version in (1, 2):  # nor what a model rests on
        about |= {"format": FORMAT, "rests_on": None}
    elif type(version) is not int or version != FORMAT:
        raise ValueError(f"{what} must be a model of format {FORMAT}. Got something else. Is it a model file?")


def _forms(plain: dict[str, Any], preparation: Preparation, what: str) -> Forms:
    """How columns that the model uses were written: an order of dates, or a form of numbers."""
    kinds, forms = {column.name: column.kind for column in preparation.columns}, Forms()
    for name, form in plain.items():
        here, kind = f"the form of {name[:40]!r} in {what}", kinds.get(name)
        if kind == "date" and form in DATES:
            forms[name] = form
        elif kind == "number":
            forms[name] = Form.from_json(form, here)
        else:
            raise ValueError(f"{here} must belong to a column of numbers or dates. Got otherwise. Fit the model again.")
    return forms


def _grades(grades: Any, positive: str | None, ranker: Any, what: str) -> tuple[float, ...] | None:
    """The grades, if it has them and not a positive class."""
    if (grades is None) == (positive is None) or (grades is not None) != ranker.graded:
        raise ValueError(f"{what} must have a positive class or grades, as its ranker. Got otherwise. Fit again.")
    if grades is None:
        return None
    if len(grades) < 2 or any(type(grade) not in (int, float) for grade in grades) or sorted(set(grades)) != grades:
        raise ValueError(f"{what} must have different grades in order. Got otherwise. Fit again.")
    return tuple(grades)


def opened(data: bytes, what: str) -> tuple[str, dict[str, bytes]]:
    """The name of the first entry of a file that ordain wrote, and all its entries."""
    if data[:2] != b"PK":
        raise ValueError(
            f"{what} must be a model file that ordain wrote. Got another kind of file. Is it the right one?"
        )
    entries = unpacked(data, what)
    return next(iter(entries)), entries


def check_seals(said: Any, entries: Mapping[str, bytes], what: str) -> None:
    """The entries are those that the first one lists."""
    if said != seals(entries):
        raise ValueError(f"{what} must have the entries that it lists, unchanged. Got others. Copy it again.")


def seals(entries: Mapping[str, bytes]) -> dict[str, Any]:
    """By name what the other entries of a file must be."""
    return {name: _seal(data) for name, data in entries.items()}


def _seal(data: bytes) -> dict[str, Any]:
    return {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
