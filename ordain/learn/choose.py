"""Which model ranks best on a table: candidates compared on the same folds, and the simplest that nothing beats.

On every fold each candidate is fitted to the other folds, preparation and penalty included, and its figure is taken on
the fold. d_k is the difference of two candidates on fold k of J. The standard error is sd(d)/√J; folds share training
rows, so the interval is that of [NadeauBengio03]_, d ± t sd(d) √(1/J + 1/(F - 1)) with t at J - 1 degrees and F folds a
round. The simplest candidate that the best one does not beat by more than a standard error is picked.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from scipy.special import stdtrit
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold, StratifiedKFold

from ordain._types import Vector
from ordain.learn.candidates import Candidate
from ordain.learn.goal import Goal
from ordain.learn.prepare import Preparation
from ordain.measure import auc, top

FOLDS = 5
MOST = 50_000
"""Rows that take part in the comparison, at most."""

FEW, ROUNDS = 300, 2
"""With fewer rows than the first outside the largest class, the folds are drawn this often."""

SHARE = 0.01
"""The top of the list that is shown beside the goal."""

Report = Callable[[str], None]


@dataclass(frozen=True)
class Rows:
    """A table to learn from: features, labels or grades, and what belongs to each row."""

    features: pl.DataFrame
    labels: Vector
    weights: Vector | None = None
    groups: Vector | None = None
    graded: bool = False
    clusters: Vector | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, rows: Vector) -> Rows:
        """Some of the rows."""
        weights, groups = (None if of is None else of[rows] for of in (self.weights, self.groups))
        return Rows(self.features[rows], self.labels[rows], weights, groups, self.graded)

    def auc(self, scores: Vector) -> float:
        """The AUC of scores of these rows."""
        return auc(self.labels, scores, weights=self.weights, groups=self.groups, graded=self.graded)


@dataclass(frozen=True)
class Trial:
    """A candidate, its figures on each fold, and the seconds it took."""

    candidate: Candidate
    goal: Vector
    auc: Vector
    top: Vector | None
    seconds: float

    def as_json(self) -> dict[str, Any]:
        """Means over folds."""
        return {
            "name": self.candidate.name,
            "goal": float(np.mean(self.goal)),
            "auc": float(np.mean(self.auc)),
            "top": None if self.top is None else float(np.mean(self.top)),
            "seconds": round(self.seconds, 2),
        }


@dataclass(frozen=True)
class Difference:
    """How far a candidate is above another on the goal: mean, standard error and interval."""

    mean: float
    error: float
    low: float
    high: float

    @classmethod
    def between(cls, first: Trial, second: Trial, level: float = 0.95) -> Difference:
        apart = first.goal - second.goal
        mean, spread, count = float(apart.mean()), float(apart.std(ddof=1)), len(apart)
        half = float(stdtrit(count - 1, (1 + level) / 2)) * spread * np.sqrt(1 / count + 1 / (FOLDS - 1))
        return cls(mean, spread / np.sqrt(count), mean - half, mean + half)


@dataclass(frozen=True)
class Choice:
    """All trials in the order of simplicity, and what follows from them."""

    goal: Goal
    trials: list[Trial]
    rows: int

    @property
    def best(self) -> Trial:
        """The one with the highest mean."""
        return max(self.trials, key=lambda trial: float(np.mean(trial.goal)))

    @property
    def picked(self) -> Trial:
        """The simplest that the best does not beat by more than a standard error."""
        return next(trial for trial in self.trials if not self._beaten(trial))

    def _beaten(self, trial: Trial) -> bool:
        apart = self.above(trial)
        return apart.mean > apart.error

    def above(self, trial: Trial) -> Difference:
        """The best minus a trial."""
        return Difference.between(self.best, trial)

    def __str__(self) -> str:
        picked, best = self.picked, self.best
        if len(self.trials) == 1:
            return f"{picked.candidate.name} was the only candidate: its {self.goal} is {np.mean(picked.goal):.4f}."
        if picked is best:
            why = "is the simplest" if best is self.trials[0] else "every simpler one is beaten"
            return f"{best.candidate.name} has the highest {self.goal}, and {why}: it is picked."
        apart = self.above(picked)
        return (
            f"{best.candidate.name} has the highest {self.goal}, by {apart.mean:.4f} (standard error "
            f"{apart.error:.4f}); {picked.candidate.name} is the simplest that it does not beat by more than that: "
            "it is picked."
        )

    def as_json(self) -> dict[str, Any]:
        """Everything, as plain data."""
        found = []
        for trial in self.trials:
            apart = self.above(trial)
            found.append(trial.as_json() | {"below_best": apart.mean, "low": apart.low, "high": apart.high})
        return {"goal": str(self.goal), "rows": self.rows, "picked": self.picked.candidate.name, "trials": found}


def choose(rows: Rows, tried: list[Candidate], goal: Goal, *, seed: int = 0, report: Report | None = None) -> Choice:
    """Compare the candidates on the same folds; `report` is told what comes next."""
    goal.check(len(rows), graded=rows.graded, parted=rows.weights is not None or rows.groups is not None)
    part = rows if len(rows) <= MOST else rows.take(_some(rows, np.random.default_rng(seed)))
    found: list[list[tuple[float, ...]]] = [[] for _ in tried]
    seconds = np.zeros(len(tried))
    splits = list(_splits(part, _rounds(rows), seed))
    for number, (train, test) in enumerate(splits, 1):
        fold = Fold(part.take(train), part.take(test))
        for k, candidate in enumerate(tried):
            if report:
                report(f"fold {number} of {len(splits)}, {candidate.name}")
            known, fresh = fold.matrices(candidate.model)
            start = time.perf_counter()
            scores = _fitted(candidate, fold.preparation, known, fold.train, seed).decision_function(fresh)
            seconds[k] += time.perf_counter() - start
            found[k].append(_figures(fold.test, scores, goal, len(rows)))
    return Choice(goal, [_trial(*of) for of in zip(tried, found, seconds, strict=True)], len(part))


def steps(rows: Rows, tried: list[Candidate]) -> int:
    """How often :func:`choose` reports."""
    return _rounds(rows) * FOLDS * len(tried)


def fitted(candidate: Candidate, rows: Rows, seed: int) -> tuple[Preparation, Any]:
    """The preparation and the ranker, both learned from these rows."""
    preparation = Preparation.learn(rows.features, rows.labels)
    return preparation, _fitted(candidate, preparation, preparation.matrix(rows.features, candidate.model), rows, seed)


def _fitted(candidate: Candidate, preparation: Preparation, X: Any, rows: Rows, seed: int) -> Any:
    ranker = candidate.ranker(X.shape, preparation.categorical, seed)
    return ranker.fit(X, rows.labels, sample_weight=rows.weights, groups=rows.groups)


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


def _figures(test: Rows, scores: Vector, goal: Goal, rows: int) -> tuple[float, ...]:
    """The goal, the AUC, and the precision at the top where there is one list."""
    units = {"weights": test.weights, "groups": test.groups, "graded": test.graded}
    figures = goal.of(test.labels, scores, rows, **units), test.auc(scores)
    if test.graded or test.weights is not None or test.groups is not None:
        return figures
    return (*figures, top(test.labels, scores, max(1, round(SHARE * len(test)))).precision)


def _trial(candidate: Candidate, figures: list[tuple[float, ...]], seconds: float) -> Trial:
    columns = [np.array(column) for column in zip(*figures, strict=True)]
    return Trial(candidate, columns[0], columns[1], columns[2] if len(columns) > 2 else None, seconds)


def _rounds(rows: Rows) -> int:
    """How often the folds are drawn."""
    counts = np.unique(rows.labels, return_counts=True)[1]
    outside = (len(rows) - counts.max()) * min(1, MOST / len(rows))
    return ROUNDS if outside < FEW else 1


def _splits(rows: Rows, rounds: int, seed: int) -> Iterator[tuple[Vector, Vector]]:
    """Folds, stratified by label, whole groups together."""
    nothing = np.zeros(len(rows))
    for number in range(rounds):
        options: dict[str, Any] = {"shuffle": True, "random_state": seed + number}
        if rows.groups is None:
            yield from StratifiedKFold(FOLDS, **options).split(nothing, rows.labels)
        else:
            folds = GroupKFold(FOLDS, **options) if rows.graded else StratifiedGroupKFold(FOLDS, **options)
            yield from folds.split(nothing, rows.labels, rows.groups)


def _some(rows: Rows, rng: np.random.Generator) -> Vector:
    """Rows drawn for the comparison, whole groups together."""
    if rows.groups is None:
        return np.sort(rng.choice(len(rows), MOST, replace=False))
    order = rng.permutation(np.unique(rows.groups))
    sizes = np.cumsum([np.count_nonzero(rows.groups == group) for group in order])
    return np.flatnonzero(np.isin(rows.groups, order[: max(1, int(np.searchsorted(sizes, MOST)))]))
