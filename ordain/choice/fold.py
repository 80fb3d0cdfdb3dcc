"""A fold: rows to fit to and rows to measure on, as each model takes them; candidates share what prepares them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ordain._types import Vector
from ordain.choice.candidates import MOST_TREES, Candidate, Manner
from ordain.choice.goal import Goal, precision
from ordain.learn.growth import bins
from ordain.learn.scorer import Step
from ordain.prepare import Preparation
from ordain.rows.elsewhere import Elsewhere
from ordain.rows.record import Rows

TOP_SHARE = 0.01
"""The top of the list that is shown beside the goal."""

PARTS, PART_ROWS = 5, 5
"""Parts of a fold by which a race is run, and rows of the rarer side that each must have."""


class Fold:
    """Rows to fit to, and rows to measure on."""

    def __init__(self, rows: Rows, train: Vector, test: Vector) -> None:
        self._rows, self._test = rows, test
        self._train = train if rows.weights is None else train[rows.weights[train] > 0]
        self._ready: dict[tuple[str, bool], tuple[Rows, Rows]] = {}
        self._learned: Preparation | None = None

    @cached_property
    def test(self) -> Rows:
        """The rows to measure on, without their features."""
        return replace(self._rows, features=np.empty((len(self._rows), 0))).take(self._test)

    @property
    def preparation(self) -> Preparation:
        """What the rows to fit to teach about the columns."""
        if self._learned is None:
            train = self._rows.take(self._train)
            self._learned = Preparation.learn(train.features, train.labels)
        return self._learned

    def prepare(self, model: str, manner: Manner) -> None:
        """Make the matrices that a kind of model takes."""
        if (model, manner.means) in self._ready:
            return
        preparation, (known, fresh) = self.preparation, (self._rows.take(of) for of in (self._train, self._test))
        if manner.means:
            preparation, matrix = preparation.with_means(known)
            known = replace(known, features=matrix)
        else:
            known = replace(known, features=preparation.matrix(known.features, model))
        fresh = replace(fresh, features=preparation.matrix(fresh.features, model))
        if model == "boosted":
            known, fresh = _binned(known, fresh, preparation.categorical, manner.bins)
        self._ready[model, manner.means] = known, fresh

    def release(self) -> None:
        """Forget the matrices."""
        self._ready.clear()

    def path(self, candidate: Candidate, manner: Manner, seed: int) -> Iterator[Step]:
        """What a candidate gives to the rows to measure on, along its path."""
        known, fresh = self._ready[candidate.model, manner.means]
        shape = len(known), len(self.preparation.columns)
        ranker = candidate.ranker(shape, self.preparation.categorical, seed, manner, MOST_TREES)
        if candidate.model == "boosted":
            ranker.n_jobs = 1
        return ranker.path(candidate.rows(known), fresh)

    def figures(self, scores: Vector, goal: Goal, table: Rows | Elsewhere) -> tuple[float, ...]:
        """The goal, the AUC, and the precision at the top where the table is one list."""
        figures = _figure(goal, self.test, scores, len(table)), self.test.auc(scores)
        top = (precision(self.test.labels, scores, TOP_SHARE, self.test.weights),) if table.is_list else ()
        return figures + top

    @cached_property
    def parts(self) -> list[Vector]:
        """Rows of the fold in PARTS parts, each with pairs of its own; none where they would be too few."""
        if self.test.units.least < PARTS * PART_ROWS:
            return []
        part = self.test.units.dealt(PARTS)
        return [np.flatnonzero(part == k) for k in range(PARTS)]

    def on_parts(self, scores: Vector, goal: Goal, table: Rows | Elsewhere) -> list[float]:
        """The goal on each part."""
        return [_figure(goal, self.test.take(part), scores[part], len(table)) for part in self.parts]


def _binned(known: Rows, fresh: Rows, categorical: list[int], most: int) -> tuple[Rows, Rows]:
    """Rows in the bins of those to fit to."""
    settings: dict[str, Any] = {"categorical": categorical, "n_jobs": 1, "max_bin": most}
    matrix = bins(known.features, known.weights, known.labels, **settings)
    like = bins(fresh.features, fresh.weights, **settings, like=matrix)
    return replace(known, features=matrix), replace(fresh, features=like)


def _figure(goal: Goal, rows: Rows, scores: Vector, total: int) -> float:
    units = {"weights": rows.weights, "groups": rows.groups, "graded": rows.graded}
    return goal.of(rows.labels, scores, total, **units)
