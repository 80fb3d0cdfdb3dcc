"""Which model ranks best on a table: candidates compared on the same folds, and the simplest that is as good is picked.

On every fold each candidate is fitted to the other folds, preparation and penalty included, and its figure is taken on
the fold; :class:`ordain.choice.compared.Choice` says what follows.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ordain._types import Vector
from ordain.choice.candidates import Candidate
from ordain.choice.compared import Choice, Trial
from ordain.choice.goal import Goal, precision
from ordain.prepare import Preparation
from ordain.rows.folds import folds
from ordain.rows.record import Rows

FOLDS = 5
COMPARED_ROWS = 50_000
"""Rows that take part in the comparison, at most; all of a rare class up to half of them."""

RARE_ROWS, ROUNDS = 300, 2
"""With fewer rows than the first outside the largest class, the folds are drawn this often."""

TOP_SHARE = 0.01
"""The top of the list that is shown beside the goal."""

Report = Callable[[str], None]


def choose(rows: Rows, tried: list[Candidate], goal: Goal, *, seed: int = 0, report: Report | None = None) -> Choice:
    """Compare the candidates on the same folds; `report` is told what comes next.

    Without three rows (or clusters) of each class, or three groups that have pairs, nothing can be compared, and the
    simplest candidate is picked.
    """
    goal.check(len(rows), graded=rows.graded, parted=rows.weights is not None or rows.groups is not None)
    part = rows.some(COMPARED_ROWS, seed)
    found: list[list[tuple[float, ...]]] = [[] for _ in tried]
    seconds, splits = np.zeros(len(tried)), _splits(part, seed)
    for number, (_, train, test) in enumerate(splits, 1):
        fold = Fold(part.take(train), part.take(test))
        for k, candidate in enumerate(tried):
            if report:
                report(f"fold {number} of {len(splits)}, {candidate.name}")
            scores, taken = fold.scores(candidate, seed)
            seconds[k] += taken
            found[k].append(_figures(fold.test, scores, goal, rows))
    compared = zip(tried, found, seconds, strict=True) if splits else [(tried[0], [((), ())], 0.0)]
    rounds = np.array([number for number, *_ in splits], int)
    return Choice(goal, [_trial(*of) for of in compared], len(part), rounds)


def steps(rows: Rows, tried: list[Candidate]) -> int:
    """How often :func:`choose` reports."""
    return len(_splits(rows.some(COMPARED_ROWS, 0), 0)) * len(tried)


def fitted(candidate: Candidate, rows: Rows, seed: int) -> tuple[Preparation, Any]:
    """The preparation and the ranker, both learned from these rows."""
    preparation = Preparation.learn(rows.features, rows.labels)
    return preparation, _fitted(candidate, preparation, preparation.matrix(rows.features, candidate.model), rows, seed)


def _fitted(candidate: Candidate, preparation: Preparation, X: Any, rows: Rows, seed: int) -> Any:
    ranker = candidate.ranker(X.shape, preparation.categorical, seed)
    return ranker.fit(X, rows.labels, sample_weight=rows.weights, groups=rows.groups, clusters=rows.clusters)


class Fold:
    """Rows to fit to, and rows to measure on; candidates share what prepares them."""

    def __init__(self, train: Rows, test: Rows) -> None:
        self.train, self.test = train, test
        self.preparation = Preparation.learn(train.features, train.labels)
        self._matrices: dict[str, tuple[Any, Any]] = {}

    def matrices(self, model: str) -> tuple[Any, Any]:
        """Both as a model takes them."""
        if model not in self._matrices:
            both = (self.preparation.matrix(rows.features, model) for rows in (self.train, self.test))
            self._matrices = {model: (next(both), next(both))}
        return self._matrices[model]

    def scores(self, candidate: Candidate, seed: int) -> tuple[Vector, float]:
        """What a candidate gives to the rows to measure on, and the seconds it took.

        How well it ranks is measured here, so it need not say how near it came to the least loss.
        """
        known, fresh = self.matrices(candidate.model)
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            ranker = _fitted(candidate, self.preparation, known, self.train, seed)
        return ranker.decision_function(fresh), time.perf_counter() - start


def _figures(test: Rows, scores: Vector, goal: Goal, rows: Rows) -> tuple[float, ...]:
    """The goal, the AUC, and the precision at the top where there is one list."""
    units = {"weights": test.weights, "groups": test.groups, "graded": test.graded}
    figures = goal.of(test.labels, scores, len(rows), **units), test.auc(scores)
    return (*figures, precision(test.labels, scores, TOP_SHARE, test.weights)) if rows.is_list else figures


def _trial(candidate: Candidate, figures: list[tuple[Any, ...]], seconds: float) -> Trial:
    columns = [np.array(column) for column in zip(*figures, strict=True)]
    return Trial(candidate, columns[0], columns[1], columns[2] if len(columns) > 2 else None, seconds)


def _splits(rows: Rows, seed: int) -> list[tuple[int, Vector, Vector]]:
    """The round, rows to fit to and rows to measure on; none where they would leave no column of use."""
    outside = len(rows) - np.unique(rows.labels, return_counts=True)[1].max()
    dealings = range(ROUNDS if outside < RARE_ROWS else 1)
    splits = [(k, *fold) for k in dealings for fold in folds(rows.units, FOLDS, seed + k)]
    return splits if len(rows) >= RARE_ROWS or all(_of_use(rows, train) for _, train, _ in splits) else []


def _of_use(rows: Rows, train: Vector) -> bool:
    """Whether some of few rows have a column of use, where all of them have."""
    try:
        Preparation.learn(rows.features[train], rows.labels[train])
    except ValueError:
        return False
    return True
