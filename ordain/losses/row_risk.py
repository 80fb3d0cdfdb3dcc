"""The mean loss over rows as an objective of the scores: the pointwise reductions of ranking to classification."""

from __future__ import annotations

import numpy as np

from ordain._types import Mask, Vector
from ordain.engine import LOCAL, Engine
from ordain.losses import LINE, Loss, through_logit
from ordain.solve.coarse import Coarse
from ordain.solve.objective import Objective


def on_the_line(loss: Loss) -> Loss:
    """The loss itself, or its cost behind the logit link where it does not take every score."""
    return loss if loss.domain == LINE else through_logit(loss)


class PointRisk(Objective):
    """Σ w_i ℓ(y_i, s_i) for weights that sum to one, over the rows of all workers.

    Examples
    --------
    >>> from ordain.losses import LOSSES
    >>> risk = PointRisk(np.array([True, False]), LOSSES["squared"], np.array([0.5, 0.5]))
    >>> risk.value_gradient(np.array([1.0, 0.0]))
    (0.5, array([0., 1.]))
    """

    def __init__(self, positive: Mask, loss: Loss, weights: Vector, engine: Engine = LOCAL) -> None:
        self.labels, self.loss, self.weights, self.engine = np.where(positive, 1, -1), loss, weights, engine

    def value_gradient(self, scores: Vector) -> tuple[float, Vector]:
        value = float(self.engine.sum(self.weights @ self.loss.value(self.labels, scores)))
        if not np.isfinite(value):
            raise OverflowError(f"the {self.loss.name} loss must be finite. Got an overflow. Scale the features down.")
        return value, self.weights * self.loss.gradient(self.labels, scores)

    def hessian_diagonal(self, scores: Vector) -> Vector:
        return self.weights * self.loss.hessian(self.labels, scores)

    def coarse_hessian(self, scores: Vector) -> Coarse:
        return Coarse(np.abs(self.hessian_diagonal(scores)))

    def hessp(self, scores: Vector, v: Vector) -> Vector:
        return self.hessian_diagonal(scores) * v


def class_shares(positive: Mask, weights: Vector | None, *, balanced: bool, engine: Engine = LOCAL) -> Vector:
    """Weights that sum to one over all workers; balanced, each class weighs one half."""
    weights = np.ones(len(positive)) if weights is None else weights
    if not balanced:
        return weights / engine.sum(weights.sum())
    above, below = engine.sum(np.array([weights[positive].sum(), weights[~positive].sum()]))
    if not min(above, below) > 0:
        raise ValueError(f"each class must have rows of positive weight. Got weights of {above:g} and {below:g}.")
    return weights / (2 * np.where(positive, above, below))
