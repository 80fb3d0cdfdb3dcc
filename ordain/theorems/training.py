"""The row of training on pairs: what the classifier is shown, and that one who knows the truth ranks faultlessly."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from sklearn.base import BaseEstimator, ClassifierMixin

from ordain.learn.auc_train import PreferenceRanker
from ordain.measure import auc
from ordain.theorems.row import Measured, row

CASES = 50


class Knowing(ClassifierMixin, BaseEstimator):
    """A classifier that knows the grade of every row by its number, and keeps the examples it is shown."""

    def __init__(self, grades: Any = None) -> None:
        self.grades = grades

    def fit(self, pairs: Any, first_is_better: Any) -> Knowing:
        self.classes_ = np.unique(first_is_better)
        self.shown_ = np.column_stack((pairs, first_is_better)).astype(int).tolist()
        return self

    def predict(self, pairs: Any) -> Any:
        first, second = self.grades[pairs.astype(int)].T
        return (first > second).astype(int)


@row(
    "B-train",
    "AUC-TRAIN shows the classifier every mixed pair in both orders and nothing else; one that knows the truth ranks "
    "with AUC 1.",
    "exact",
)
def auc_train(rng: Generator, effort: int) -> Measured:
    """Two to four grades, one to three groups: the examples shown, and the AUC of QuickSort and of the scores."""
    cases, right, lowest = CASES * effort, True, 1.0
    for _ in range(cases):
        n = int(rng.integers(4, 25))
        grades, groups = rng.permutation(np.arange(n) % rng.integers(2, 5)), np.arange(n) % rng.integers(1, 4)
        if all(len(set(grades[groups == group])) == 1 for group in groups):
            grades[0] += 1  # else no pair of a group is mixed
        numbers = np.arange(n)[:, None]
        ranker = PreferenceRanker(Knowing(grades), features="concatenation", graded=True)
        ranker.fit(numbers, grades, groups=groups)
        right &= sorted(ranker.classifier_.shown_) == _mixed(grades.tolist(), groups.tolist())
        places = np.argsort(ranker.rank(numbers, seed=int(rng.integers(1 << 30))))
        for scores in (-places, ranker.decision_function(numbers)):
            lowest = min(lowest, auc(grades, scores, graded=True))
            right &= auc(grades, -scores, graded=True) == 0  # backwards every pair is wrong
    return Measured(cases, lowest, "lowest AUC of a classifier that knows the truth", right and lowest == 1)


def _mixed(grades: list[int], groups: list[int]) -> list[list[int]]:
    """Every ordered pair of one group with different grades, with whether the first is better."""
    rows = range(len(grades))
    return [
        [u, v, int(grades[u] > grades[v])]
        for u in rows
        for v in rows
        if groups[u] == groups[v] and grades[u] != grades[v]
    ]
