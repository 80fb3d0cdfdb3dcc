"""A linear scorer fitted to all pairs, or row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from ordain._one_thread import one_blas_thread
from ordain._types import Vector
from ordain.learn.on_dask import fit_spread, is_spread, scores_spread
from ordain.learn.scorer import (
    CALIBRATING_ROWS,
    LARGE_TABLE,
    Scorer,
    Step,
    calibrating,
    calibration,
    check_reduction,
    checked_rows,
    only_numbers,
)
from ordain.learn.table_risk import risk_of_pairs, risk_of_rows
from ordain.losses import get_loss
from ordain.pairs import PairRisk
from ordain.rows.draw import worth_of
from ordain.rows.folds import folds
from ordain.rows.record import Rows
from ordain.solve.newton import (
    DENSE_LIMIT,
    Linear,
    Solution,
    WithHessian,
    linear_scores,
    minimise,
)
from ordain.solve.objective import Objective

Report = Callable[[Vector], None]

ALPHAS = np.logspace(1, -6, 15)
"""Penalties that are tried, the strongest first."""

TUNED, FOLDS = 10_000, 5
"""Rows by which the penalty is chosen, at most, and folds of them."""


class LinearRanker(Scorer):
    """Scores Xw + b that minimise a mean loss plus α/2 ‖w‖².

    Parameters
    ----------
    loss : str or Loss
        Pairwise: logistic, exponential, squared, squared_hinge, hinge, canonical_squared, canonical_exponential.
        Pointwise and balanced: every loss of :data:`ordain.losses.LOSSES`; those that do not take every score are
        composed with the logit link.
    reduction : {"pairwise", "balanced", "pointwise"}
        The mean over all pairs of a positive and a negative; over rows, each class weighing one half; over rows.
    push : float ≥ 1
        Pairwise only: the p-norm push, which looks harder at the top of the list.
    alpha : float or "auto"
        Strength of the penalty; "auto" takes the one with the least cross-validated loss over pairs, or 1/n for n rows
        where a class has fewer than three rows (or clusters), or fewer than three groups have pairs.
    graded : bool
        Pairwise only: labels are grades, larger being better.
    tol : float
        Largest entry of the gradient at which the fit is done.
    max_iter : int
        Most Newton steps.

    Attributes
    ----------
    coef_ : array of shape (1, n_features)
    intercept_ : array of shape (1,)
        Such that a score of 0 means probability ½.
    classes_ : array
        The larger of the two is the positive class.
    alpha_ : float
        The penalty used.
    n_iter_ : int
        Newton steps taken.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> ranker = LinearRanker().fit(X, [0, 0, 1, 1])
    >>> np.argsort(-ranker.decision_function(X))
    array([3, 2, 1, 0])
    """

    def __init__(
        self,
        loss: Any = "logistic",
        *,
        reduction: str = "pairwise",
        push: float = 1,
        alpha: Any = 1e-4,
        graded: bool = False,
        tol: float = 1e-9,
        max_iter: int = 100,
    ) -> None:
        self.loss = loss
        self.reduction = reduction
        self.push = push
        self.alpha = alpha
        self.graded = graded
        self.tol = tol
        self.max_iter = max_iter

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, clusters: Any = None) -> LinearRanker:
        """Fit to rows X with labels y; only pairs within a group count where groups are given.

        Rows of one cluster, such as a person, stay in one fold when the penalty is chosen.
        On a cluster all of these are collections of Dask; or X is the path of Parquet files, y and the others are names
        of columns in them, and every other column is a feature.
        """
        self._check(groups)
        if is_spread(X):
            return fit_spread(self, X, y, sample_weight, groups, clusters)
        with only_numbers():
            X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32])
        return self.fit_rows(checked_rows(X, self._classes(y), sample_weight, groups, clusters))

    def fit_rows(self, table: Rows, start: Vector | None = None, report: Report | None = None) -> LinearRanker:
        """Fit to checked rows, those of all workers where the rows are with many.

        It starts from weights that `report` was told before, where there are some.
        """
        width = table.features.shape[1]
        with one_blas_thread():
            self.alpha_ = self._best_alpha(table) if self.alpha == "auto" else float(self.alpha)
            solution = self._solution(table, start, report)
            self.n_iter_ = solution.iterations
            weight = solution.x[:width]
            self.coef_ = weight[None, :]
            scores = linear_scores(table.features, weight)
            shift = self._set_probabilities(table, lambda: calibration(*calibrating(table, scores)))
            self.intercept_ = np.array([solution.x[width:].sum() + shift])
        return self

    def decision_function(self, X: Any) -> Vector:
        """Scores, best highest; above 0 a row is more likely positive than not."""
        check_is_fitted(self)
        if is_spread(X):
            return scores_spread(self, X)
        with only_numbers():
            X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        return linear_scores(X, self.coef_[0]) + self.intercept_[0]

    def _check(self, groups: Any) -> None:
        check_reduction(self.reduction, graded=self.graded, push=self.push, groups=groups)
        if self.alpha != "auto" and not (isinstance(self.alpha, Real) and float(self.alpha) > 0):
            raise ValueError(f"alpha must be a number above 0, or 'auto'. Got {self.alpha!r}.")

    def _objective(self, table: Rows) -> Objective:
        if self.reduction == "pairwise":
            return self._pairs(table)
        return risk_of_rows(table, self.loss, balanced=self.reduction == "balanced")

    def _linear(self, table: Rows, alpha: float) -> Linear:
        return self._model(self._objective(table), table, alpha)

    def _model(self, objective: Objective, table: Rows, alpha: float) -> Linear:
        return Linear(objective, table.features, alpha, intercept=self.reduction != "pairwise", engine=table.engine)

    def _solution(self, table: Rows, start: Vector | None, report: Report | None) -> Solution:
        """The optimum; of many rows, from that of some of them, and with their Hessian as long as it serves."""
        settings: dict[str, Any] = {"tolerance": self.tol, "iterations": self.max_iter, "report": report}
        whole, rows, same = self._linear(table, self.alpha_), table.total, table.engine.same
        if start is not None:
            return minimise(whole, start, **settings)
        start = np.zeros(len(whole.penalty))
        if rows < LARGE_TABLE or table.groups is not None or len(start) > DENSE_LIMIT:
            return minimise(whole, start, **settings)
        part = self._linear(table.some(min(rows // 10, CALIBRATING_ROWS)), self.alpha_)
        near = same(minimise(part, start, tolerance=max(self.tol, 1e-3), iterations=self.max_iter).x)
        guess = WithHessian(whole, same(part.near_hessian(near)))
        found = minimise(guess, near, **settings | {"iterations": 8}, quiet=True)
        return found if found.converged else minimise(whole, found.x, **settings)

    def _best_alpha(self, table: Rows) -> float:
        """The penalty with the least cross-validated risk of pairs, of a path from strong to weak.

        The AUC of a few positives jumps; the mean loss of their pairs, which bounds it, hardly does, so the path ends
        where it rises. Some of the rows choose, all of a rare class among them, and what they choose is divided by how
        many times as many rows all are worth: what a mean over n rows wants falls as 1/n.
        """
        few = table if table.groups is not None and table.engine.alone else table.some(TUNED)
        splits = [(few.take(train), few.take(test)) for train, test in folds(few.units, FOLDS)]
        if not splits:
            return 1 / table.total
        found: list[float] = []
        for steps in zip(*(self.path(train, test) for train, test in splits), strict=True):
            found.append(sum(step.worth for step in steps))
            if found[-1] < max(found):
                break
        rows = table.total
        ratio = 1 if len(few) == rows else worth_of(table.counts, TUNED) if table.groups is None else rows / len(few)
        return float(table.engine.same(ALPHAS[np.argmax(found)])) / ratio

    def path(self, table: Rows, fresh: Rows) -> Iterator[Step]:
        """Every penalty from the strongest on, what it gives to fresh rows, and minus the risk of their pairs.

        Each fit starts from the one before, and is as near to the best weights as choosing a penalty needs.
        """
        risk, held_out, width = self._objective(table), self._pairs(fresh), table.features.shape[1]
        weights = np.zeros(width + (self.reduction != "pairwise"))
        settings: dict[str, Any] = {"tolerance": max(self.tol, 1e-4), "iterations": self.max_iter, "quiet": True}
        for alpha in ALPHAS:
            weights = minimise(self._model(risk, table, alpha), weights, **settings).x
            scores = linear_scores(fresh.features, weights[:width])
            yield Step(float(alpha), scores, -_value(held_out, scores))

    def _pairs(self, table: Rows) -> PairRisk:
        """The risk of pairs by the own loss, or by the logistic one where it has none."""
        loss = self.loss
        if self.reduction != "pairwise":
            loss = loss if get_loss(loss).fits_pairs else "logistic"
        return risk_of_pairs(table, loss, push=self.push, graded=self.graded)


def _value(risk: PairRisk, scores: Vector) -> float:
    """The risk, infinite where it overflows."""
    try:
        return risk.value_gradient(scores)[0]
    except OverflowError:
        return np.inf
