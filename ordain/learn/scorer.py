"""What every learned scorer shares: two classes or grades, a decision at score 0, and probabilities."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight

from ordain._checks import check_codes, check_weights
from ordain._types import Mask, Vector
from ordain.engine import LOCAL, Engine
from ordain.losses import Loss, balanced, get_loss
from ordain.losses.row_risk import PointRisk, class_shares, on_the_line
from ordain.measure import auc
from ordain.names import REDUCTIONS
from ordain.rows.record import Rows
from ordain.solve.newton import Linear, minimise

LARGE_TABLE, CALIBRATING_ROWS = 50_000, 16_384
"""With the first many rows or more, some of them are fitted first; so many are enough to calibrate."""

ADVICE = "Make it numbers or categories first; ordain fit does that for a table."


@dataclass(frozen=True)
class Chance:
    """The probability ψ⁻¹(a s + b) of the positive class at score s, ψ the link of a loss.

    Examples
    --------
    >>> Chance("logistic", slope=2.0)(np.array([0.0]))
    array([0.5])
    """

    loss: str | Loss = "logistic"
    share: float | None = None  # of positives, where the loss is balanced
    slope: float = 1.0
    middle: float = 0.0

    @property
    def link(self) -> Loss:
        """The loss whose link it is."""
        loss = on_the_line(get_loss(self.loss))
        return loss if self.share is None else balanced(loss, self.share)

    def __call__(self, scores: Vector) -> Vector:
        return self.link.inverse(self.slope * scores + self.middle)


class Step(NamedTuple):
    """One setting of a path from simple to complex models: what it gives to fresh rows, and how good that is."""

    setting: float  # the penalty, or the number of trees
    scores: Vector
    worth: float


class Scorer(ClassifierMixin, BaseEstimator):
    """A classifier that ranks. A subclass has `graded`, sets its probabilities in `fit`, and gives `decision_function`.

    One that fits a loss also has `loss` and `reduction`; the others are trained on pairs.
    """

    loss: Any = "logistic"
    reduction: str = "pairwise"
    graded: bool
    classes_: Vector
    chance_: Chance
    intercept_: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def decision_function(self, X: Any) -> Vector:
        """Scores, best highest; above 0 a row is more likely positive than not."""
        raise NotImplementedError

    def predict(self, X: Any) -> Vector:
        """The more likely class."""
        self._refuse_graded("predict")
        likely = self.decision_function(X) > 0
        return self.classes_[likely.astype(int)]

    def predict_proba(self, X: Any) -> Vector:
        """Probabilities of both classes: through the link, or calibrated on the training rows for pairwise."""
        self._refuse_graded("predict_proba")
        scores = self.decision_function(X)
        chance = self.chance_(scores)
        return np.column_stack([1 - chance, chance])

    def score(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> float:
        """How well rows X are ranked: the AUC, or with grades the share of pairs of different grades in right order.

        Scikit-learn's classifiers give the accuracy here. It is of no use to a ranker: at 2 % positives, predicting
        none has an accuracy of .98.

        Parameters
        ----------
        X : array of shape (n_rows, n_features)
        y : array of shape (n_rows,)
            Labels, or grades.
        sample_weight : array, optional
            A pair weighs the product of the weights of its rows.
        groups : array, optional
            Only pairs within a group count.

        Examples
        --------
        >>> from ordain import LinearRanker
        >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
        >>> LinearRanker().fit(X, [0, 0, 1, 1]).score(X, [0, 1, 0, 1])
        0.75
        """
        scores, labels = self.decision_function(X), column_or_1d(y)
        if not self.graded:
            if strangers := sorted({*np.unique(labels).tolist()} - {*self.classes_.tolist()}, key=str):
                known = " and ".join(map(repr, self.classes_.tolist()))
                raise ValueError(f"labels must be {known}, as in training. Got {strangers[0]!r}.")
            labels = labels == self.classes_[1]
        return auc(labels, scores, weights=sample_weight, groups=groups, graded=self.graded)

    def _classes(self, y: Any, engine: Engine = LOCAL) -> Vector:
        """The mask of positives, or grades; sets `classes_`."""
        if not self.graded and y.dtype.kind not in "biu":
            check_classification_targets(y)
        self.classes_ = np.unique(y) if engine.alone else engine.distinct(y)
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

    def _set_probabilities(self, table: Rows, calibrated: Callable[[], tuple[float, float]]) -> float:
        """Set the link through which scores become probabilities; return what to add to them so that 0 means ½.

        Row by row that is the link of the loss. Scores of pairs have none: `calibrated` gives a and b for them, such
        that the probability is 1/(1 + exp(-a s - b)). Grades have no probabilities.
        """
        self.chance_, shift = Chance(), 0.0
        if self.reduction != "pairwise":
            share = table.share if self.reduction == "balanced" else None
            middle = float(Chance(self.loss, share).link.link(0.5))
            self.chance_, shift = Chance(self.loss, share, 1.0, middle), -middle
        elif not self.graded:
            slope, shift = calibrated()
            self.chance_, shift = Chance(slope=slope), shift / slope
        return shift

    def calibrate(self, scores: Vector, labels: Vector, weights: Vector | None = None) -> None:
        """Fit the probabilities of a ranker of pairs anew, to scores that rows held out got before any shift.

        Trees rank the rows they have seen too well, and so do many weights: rows held out tell the truth. Probabilities
        that come through the link of a loss, row by row, are left alone, and so are grades, which have none.
        """
        if self.reduction == "pairwise" and not self.graded:
            slope, shift = calibration(np.asarray(scores, np.float64), labels, weights)
            self.chance_, self.intercept_ = Chance(slope=slope), 0 * self.intercept_ + shift / slope

    def _refuse_graded(self, what: str) -> None:
        if self.graded:
            raise ValueError(f"{what} needs two classes. Got a ranker fitted to grades. Use decision_function.")


def check_reduction(reduction: str, *, graded: bool, push: float, groups: Any) -> None:
    """The reduction is known, and what only pairs have is asked of pairs."""
    if reduction not in REDUCTIONS:
        raise ValueError(f"reduction must be one of {', '.join(REDUCTIONS)}. Got {reduction!r}.")
    if reduction != "pairwise" and (graded or push != 1 or groups is not None):
        raise ValueError(f"graded, push and groups need reduction='pairwise'. Got {reduction!r}. Change it.")


def generator(random_state: Any) -> np.random.Generator:
    """The generator of what scikit-learn takes as a random state; a whole number is its seed.

    Examples
    --------
    >>> generator(7).integers(100) == np.random.default_rng(7).integers(100)
    np.True_
    """
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31 - 1))
    if random_state is not None and not isinstance(random_state, (Integral, np.random.Generator)):
        check_random_state(random_state)  # says what is wrong with it
    return np.random.default_rng(random_state)


@contextmanager
def only_numbers() -> Iterator[None]:
    """Say in one line that text among the features must be made numbers or categories first."""
    try:
        yield
    except ValueError as wrong:
        if not str(wrong).startswith("could not convert string to float"):
            raise
        found = str(wrong).partition(": ")[2].removeprefix("np.str_(").removesuffix(")")
        raise ValueError(f"X must hold numbers. Got text such as {found}. {ADVICE}") from None


def checked_rows(X: Any, classes: Vector, sample_weight: Any, groups: Any, clusters: Any) -> Rows:
    """Checked rows with what belongs to each: weights that do not overflow, groups and clusters as whole numbers."""
    weights, n = None, len(classes)
    if sample_weight is not None:
        weights = check_weights(_check_sample_weight(sample_weight, X, dtype=np.float64), n)
    of = {"groups": groups, "clusters": clusters}
    codes = (None if values is None else check_codes(values, n, name) for name, values in of.items())
    return Rows(X, classes, weights, next(codes), clusters=next(codes))


def calibrating(table: Rows, scores: Vector) -> tuple[Vector, Mask, Vector | None]:
    """Scores, labels and weights of the rows that calibrate: of some of many, and of all where they are few."""
    rows = replace(table, features=scores, groups=None, clusters=None)
    few = rows.some(CALIBRATING_ROWS if table.total >= LARGE_TABLE else LARGE_TABLE)
    return few.features, few.labels, few.weights


def calibration(scores: Vector, positive: Mask, weights: Vector | None) -> tuple[float, float]:
    """a > 0 and b such that 1/(1 + exp(-a s - b)) fits the labels: logistic regression on the standardised score.

    Its penalty on a is in proportion to p(1 - p), as is the curvature of the mean loss: a rare class is not flattened.
    """
    if len(scores) >= LARGE_TABLE:
        few = Rows(scores, positive, weights).some(CALIBRATING_ROWS)
        scores, positive, weights = few.features, few.labels, few.weights
    shares = class_shares(positive, weights, balanced=False)
    mean = float(shares @ scores)
    spread = float(np.sqrt(shares @ (scores - mean) ** 2)) or 1.0
    risk = PointRisk(positive, get_loss("logistic"), shares)
    share = float(shares[positive].sum())
    model = Linear(risk, ((scores - mean) / spread)[:, None], 4e-3 * share * (1 - share), intercept=True)
    slope, shift = minimise(model, np.zeros(2), tolerance=1e-10).x
    slope = max(float(slope), 1e-6) / spread
    return slope, float(shift) - slope * mean
