"""A linear scorer fitted to all pairs, or row by row."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from ordain._types import Vector
from ordain.learn.held_out import Table
from ordain.learn.scorer import MANY, Chance, Scorer, calibration, check_reduction, some
from ordain.losses import get_loss
from ordain.pairs import PairRisk
from ordain.pairs.sums import WAYS
from ordain.points import PointRisk, class_shares, on_the_line
from ordain.solve import DENSE_LIMIT, Linear, Solution, WithHessian, minimise, one_blas_thread

ALPHAS = np.logspace(1, -6, 15)
"""Penalties that are tried, the strongest first."""

TUNED = 10_000
"""Rows by which the penalty is chosen, at most."""


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
        Strength of the penalty; "auto" takes the one with the least cross-validated loss over pairs.
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> LinearRanker:
        """Fit to rows X with labels y; only pairs within a group count where groups are given."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32])
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
        self._check(groups)
        classes = self._classes(y)
        groups = None if groups is None else np.asarray(groups)
        with one_blas_thread():
            self.alpha_ = self._best_alpha(X, classes, weights, groups) if self.alpha == "auto" else float(self.alpha)
            solution = self._solution(X, classes, weights, groups)
            self.n_iter_ = solution.iterations
            weight = solution.x[: X.shape[1]]
            self.coef_ = weight[None, :]
            self._set_probabilities(Linear(None, X, 0.0).scores(weight), solution, classes, weights)
        return self

    def decision_function(self, X: Any) -> Vector:
        """Scores, best highest; above 0 a row is more likely positive than not."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        return Linear(None, X, 0.0).scores(self.coef_[0]) + self.intercept_[0]

    def _check(self, groups: Any) -> None:
        check_reduction(self.reduction, graded=self.graded, push=self.push, groups=groups)
        if self.alpha != "auto" and not (isinstance(self.alpha, Real) and float(self.alpha) > 0):
            raise ValueError(f"alpha must be a number above 0, or 'auto'. Got {self.alpha!r}.")

    def _objective(self, classes: Vector, weights: Vector | None, groups: Any) -> Any:
        if self.reduction == "pairwise":
            return self._pairs(classes, weights, groups)
        shares = class_shares(classes, weights, balanced=self.reduction == "balanced")
        return PointRisk(classes, on_the_line(get_loss(self.loss)), shares)

    def _linear(self, X: Any, classes: Vector, weights: Any, groups: Any, alpha: float) -> Linear:
        objective = self._objective(classes, weights, groups)
        return Linear(objective, X, alpha, intercept=self.reduction != "pairwise")

    def _solution(self, X: Any, classes: Vector, weights: Any, groups: Any) -> Solution:
        """The optimum; of many rows, from that of some of them, and with their Hessian as long as it serves."""
        settings: dict[str, Any] = {"tolerance": self.tol, "iterations": self.max_iter}
        whole = self._linear(X, classes, weights, groups, self.alpha_)
        start, few = np.zeros(len(whole.penalty)), some(len(classes))
        if len(classes) < MANY or groups is not None or len(start) > DENSE_LIMIT or len(np.unique(classes[few])) < 2:
            return minimise(whole, start, **settings)
        own = None if weights is None else weights[few]
        part = self._linear(X[few].copy(), classes[few], own, None, self.alpha_)
        near = minimise(part, start, tolerance=max(self.tol, 1e-3), iterations=self.max_iter).x
        found = minimise(WithHessian(whole, part.near_hessian(near)), near, **settings | {"iterations": 8}, quiet=True)
        return found if found.converged else minimise(whole, found.x, **settings)

    def _set_probabilities(self, scores: Vector, solution: Solution, classes: Vector, weights: Vector | None) -> None:
        """The intercept, and the link through which scores become probabilities."""
        self.chance_, self.intercept_ = Chance(), np.zeros(1)
        if self.reduction != "pairwise":
            balancing = self.reduction == "balanced"
            share = float(class_shares(classes, weights, balanced=False)[classes].sum()) if balancing else None
            middle = float(Chance(self.loss, share).link.link(0.5))
            self.chance_, self.intercept_ = Chance(self.loss, share, 1.0, middle), solution.x[-1:] - middle
        elif not self.graded:
            slope, shift = calibration(scores, classes, weights)
            self.chance_, self.intercept_ = Chance(slope=slope), np.array([shift / slope])

    def _best_alpha(self, X: Any, classes: Vector, weights: Vector | None, groups: Any) -> float:
        """The penalty with the least cross-validated risk of pairs, of a path from strong to weak.

        The AUC of a few positives jumps; the mean loss of their pairs, which bounds it, hardly does, so the path ends
        where it rises. Some of the rows choose, and what they choose is divided by how many times more there are: what
        a mean over n rows wants falls as 1/n.
        """
        few = slice(0, None, 1 if groups is not None else -(-len(classes) // TUNED))
        table = Table(X[few], classes[few], None if weights is None else weights[few], groups)
        folds = StratifiedKFold(5) if groups is None else StratifiedGroupKFold(5)
        splits = list(folds.split(np.zeros(len(table.classes)), table.classes, groups))
        starts = [np.zeros(X.shape[1] + (self.reduction != "pairwise")) for _ in splits]
        found: list[float] = []
        for alpha in ALPHAS:
            found.append(0.0)
            for k, (train, test) in enumerate(splits):
                objective, held_out = self._linear(*table.take(train), alpha), table.take(test)
                starts[k] = minimise(objective, starts[k], tolerance=max(self.tol, 1e-4), iterations=self.max_iter).x
                scores = Linear(None, held_out.X, 0.0).scores(starts[k][: X.shape[1]])
                found[-1] += _value(self._pairs(*held_out[1:]), scores)
            if found[-1] > min(found):
                break
        return float(ALPHAS[np.argmin(found)]) / (few.step or 1)

    def _pairs(self, classes: Vector, weights: Vector | None, groups: Any) -> PairRisk:
        """The risk of pairs by the own loss, or by the logistic one where it has none."""
        loss = self.loss
        if self.reduction != "pairwise":
            name = get_loss(loss).name
            loss = name if name in WAYS else "logistic"
        return PairRisk(classes, loss, weights=weights, groups=groups, graded=self.graded, push=self.push)


def _value(risk: PairRisk, scores: Vector) -> float:
    """The risk, infinite where it overflows."""
    try:
        return risk.value_gradient(scores)[0]
    except OverflowError:
        return np.inf
