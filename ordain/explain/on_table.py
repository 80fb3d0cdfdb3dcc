"""What a model rests on, on the rows of a table: each column's worth there, and which columns moved a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from ordain._types import Vector
from ordain.explain.explanation import Explanation
from ordain.explain.pieces import pieces
from ordain.explain.shuffled import HeldOut, explanation, some_rows
from ordain.rows.record import Rows

SCORES, PARTS, DEALS = 500_000, 10, 10
"""Scores that are taken, at most, one for each row, column and shuffle; parts of the rows; shuffles of a column."""


@dataclass(frozen=True)
class Moved:
    """What moved the score of each row: base + Σ added = score.

    Parameters
    ----------
    names : list of str
        The columns of the table.
    added : array of shape (n_rows, n_columns)
        What each column adds to the score of each row, beside what it adds on average.
    base : float
        The score of a row to which every column adds what it does on average.
    scores : array of shape (n_rows,)
        The scores.
    """

    names: list[str]
    added: Vector
    base: float
    scores: Vector

    def frame(self) -> pl.DataFrame:
        """A row each: score, base, and a column for each column of the table."""
        own = {"score": self.scores, "base": np.full(len(self.scores), self.base)}
        clash = [name for name in own if name in self.names]
        columns = {name + "_" * (name in clash): self.added[:, k] for k, name in enumerate(self.names)}
        return pl.DataFrame(own | columns)

    def strongest(self, row: int, most: int) -> list[tuple[str, float]]:
        """The columns that moved a row most, either way, and by how much."""
        order = np.argsort(-np.abs(self.added[row]), kind="stable")[:most]
        return [(self.names[column], float(self.added[row, column])) for column in order if self.added[row, column]]


def moved(model: Any, features: pl.DataFrame) -> Moved:
    """Which columns moved the rows of a table up or down.

    Exact for linear models; for trees XGBoost's contributions, which add up in single precision.

    Parameters
    ----------
    model : Model
        What `ordain.fit` gave, or a file of it.
    features : polars.DataFrame
        Rows with the columns the model needs.

    Examples
    --------
    >>> import ordain
    >>> rows = pl.DataFrame({"age": [20, 25, 31, 38, 44, 52, 57, 63] * 5, "churned": [0, 0, 1, 0, 1, 0, 1, 1] * 5})
    >>> model = ordain.fit(rows, "churned", model="linear", reduction="balanced")
    >>> found = moved(model, rows)
    >>> bool(np.allclose(found.base + found.added.sum(axis=1), found.scores)), found.strongest(7, 1)[0][0]
    (True, 'age')
    """
    added, base = pieces(model.preparation, model.ranker, features).added()
    known = {} if model.rests_on is None else {of.name: of.mean for of in model.rests_on.columns}
    means = np.array([known.get(name, 0.0) for name in model.preparation.names])
    return Moved(model.preparation.names, added - means, base + float(means.sum()), model.scores(features))


def explained_on(model: Any, rows: Rows, *, level: float = 0.95, seed: int = 0) -> Explanation | None:
    """What a model rests on, by rows it was not fitted to; None where they are too few to say.

    Of many rows some are drawn.
    """
    some = some_rows(rows, min(len(model.preparation.columns), 60), SCORES, seed)
    held = HeldOut(some, pieces(model.preparation, model.ranker, some.features), model.preparation)
    deals = max(1, min(DEALS, SCORES // (len(some) * len(model.preparation.columns))))
    return explanation([held], held, parts=PARTS, deals=deals, level=level, seed=seed)
