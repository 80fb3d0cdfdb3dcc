"""A linear scorer fitted to all pairs, or row by row."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from ordain._types import Mask, Vector
from ordain.losses import balanced, get_loss
from ordain.measure import auc
from ordain.pairs import PairRisk
from ordain.points import PointRisk, class_shares, on_the_line
from ordain.solve import DENSE_LIMIT, Linear, Solution, WithHessian, minimise

REDUCTIONS = ("pairwise", "balanced", "pointwise")
ALPHAS = np.logspace(1, -6, 15)
MANY = 50_000
"""With this many rows or more, some of them are fitted first; some are also enough to calibrate."""


class LinearRanker(ClassifierMixin, BaseEstimator):
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
        Strength of the penalty; "auto" takes the one with the best cross-validated AUC.
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
        tol: float = 1e-8,
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
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> LinearRanker:
        """Fit to rows X with labels y; only pairs within a group count where groups are given."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32])
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
        self._check(groups)
        classes = self._classes(y)
        groups = None if groups is None else np.asarray(groups)
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

    def predict(self, X: Any) -> Vector:
        """The more likely class."""
        self._refuse_graded("predict")
        likely = self.decision_function(X) > 0
        return self.classes_[likely.astype(int)]

    def predict_proba(self, X: Any) -> Vector:
        """Probabilities of both classes: through the link, or calibrated on the training rows for pairwise."""
        self._refuse_graded("predict_proba")
        scores = self.decision_function(X)
        chance = self._link.inverse(self._slope * scores + self._middle)
        return np.column_stack([1 - chance, chance])

    def _check(self, groups: Any) -> None:
        if self.reduction not in REDUCTIONS:
            raise ValueError(f"reduction must be one of {', '.join(REDUCTIONS)}. Got {self.reduction!r}.")
        if self.reduction != "pairwise" and (self.graded or self.push != 1 or groups is not None):
            raise ValueError(f"graded, push and groups need reduction='pairwise'. Got {self.reduction!r}. Change it.")
        if self.alpha != "auto" and not (isinstance(self.alpha, Real) and float(self.alpha) > 0):
            raise ValueError(f"alpha must be a number above 0, or 'auto'. Got {self.alpha!r}.")

    def _classes(self, y: Any) -> Vector:
        """The mask of positives, or grades."""
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError(f"labels must contain two classes. Got one class: {self.classes_.tolist()}.")
        if self.graded:
            return np.asarray(y)
        if len(self.classes_) > 2:
            raise ValueError(
                f"Only binary classification is supported. The type of the target is {type_of_target(y)}. "
                "For grades, larger being better, set graded=True."
            )
        return np.asarray(y == self.classes_[1])

    def _objective(self, classes: Vector, weights: Vector | None, groups: Any) -> Any:
        if self.reduction == "pairwise":
            return PairRisk(classes, self.loss, weights=weights, groups=groups, graded=self.graded, push=self.push)
        shares = class_shares(classes, weights, balanced=self.reduction == "balanced")
        return PointRisk(classes, on_the_line(get_loss(self.loss)), shares)

    def _linear(self, X: Any, classes: Vector, weights: Any, groups: Any, alpha: float) -> Linear:
        objective = self._objective(classes, weights, groups)
        return Linear(objective, X, alpha, intercept=self.reduction != "pairwise")

    def _solution(self, X: Any, classes: Vector, weights: Any, groups: Any) -> Solution:
        """The optimum; of many rows, from that of some of them, and with their Hessian as long as it serves."""
        settings: dict[str, Any] = {"tolerance": self.tol, "iterations": self.max_iter}
        whole = self._linear(X, classes, weights, groups, self.alpha_)
        start, some = np.zeros(len(whole.penalty)), _some(len(classes))
        if len(classes) < MANY or groups is not None or len(start) > DENSE_LIMIT or len(np.unique(classes[some])) < 2:
            return minimise(whole, start, **settings)
        part = self._linear(
            X[some].copy(), classes[some], None if weights is None else weights[some], None, self.alpha_
        )
        near = minimise(part, start, tolerance=max(self.tol, 1e-3), iterations=self.max_iter).x
        found = minimise(WithHessian(whole, part.hessian(near)), near, **settings | {"iterations": 8}, quiet=True)
        return found if found.converged else minimise(whole, found.x, **settings)

    def _set_probabilities(self, scores: Vector, solution: Solution, classes: Vector, weights: Vector | None) -> None:
        """The intercept, and the link through which scores become probabilities."""
        self._slope, self._middle, self._link = 1.0, 0.0, get_loss("logistic")
        if self.reduction == "pairwise":
            self.intercept_ = np.zeros(1)
            if not self.graded:
                self._slope, shift = calibration(scores, classes, weights)
                self.intercept_ = np.array([shift / self._slope])
            return
        self._link = on_the_line(get_loss(self.loss))
        if self.reduction == "balanced":
            share = class_shares(classes, weights, balanced=False)[classes].sum()
            self._link = balanced(self._link, float(share))
        self._middle = float(self._link.link(0.5))
        self.intercept_ = solution.x[-1:] - self._middle

    def _best_alpha(self, X: Any, classes: Vector, weights: Vector | None, groups: Any) -> float:
        """The penalty with the best cross-validated AUC, of a path from strong to weak; at a tie the strongest."""
        folds = StratifiedKFold(5) if groups is None else StratifiedGroupKFold(5)
        found = np.zeros(len(ALPHAS))
        for train, test in folds.split(np.zeros(len(classes)), classes, groups):
            own, inside = (_parts(values, train, test) for values in (weights, groups))
            start = np.zeros(X.shape[1] + (self.reduction != "pairwise"))
            for k, alpha in enumerate(ALPHAS):
                objective = self._linear(X[train], classes[train], own[0], inside[0], alpha)
                start = minimise(objective, start, tolerance=self.tol, iterations=self.max_iter).x
                scores = Linear(None, X[test], 0.0).scores(start[: X.shape[1]])
                found[k] += auc(classes[test], scores, weights=own[1], groups=inside[1], graded=self.graded)
        return float(ALPHAS[np.argmax(found)])

    def _refuse_graded(self, what: str) -> None:
        if self.graded:
            raise ValueError(f"{what} needs two classes. Got a ranker fitted to grades. Use decision_function.")


def _some(n: int) -> slice:
    """Every sixteenth row, or fewer so that they are about 16,000."""
    return slice(0, None, max(16, n // 16_384))


def _parts(values: Any, train: Vector, test: Vector) -> tuple[Any, Any]:
    """What belongs to the rows of either side; nothing of nothing."""
    return (None, None) if values is None else (values[train], values[test])


def calibration(scores: Vector, positive: Mask, weights: Vector | None) -> tuple[float, float]:
    """a > 0 and b such that 1/(1 + exp(-a s - b)) fits the labels: logistic regression on the standardised score."""
    some = _some(len(scores)) if len(scores) >= MANY else slice(None)
    scores, positive, weights = scores[some], positive[some], None if weights is None else weights[some]
    shares = class_shares(positive, weights, balanced=False)
    mean = float(shares @ scores)
    spread = float(np.sqrt(shares @ (scores - mean) ** 2)) or 1.0
    risk = PointRisk(positive, get_loss("logistic"), shares)
    model = Linear(risk, ((scores - mean) / spread)[:, None], 1e-3, intercept=True)
    slope, shift = minimise(model, np.zeros(2), tolerance=1e-10).x
    slope = max(float(slope), 1e-6) / spread
    return slope, float(shift) - slope * mean
