"""Minimise smooth functions by trust-region Newton steps on Hessian–vector products.

An :class:`Objective` is a smooth function of a vector. :class:`Linear` turns one of scores into one of weights, so the
solver never learns what a pair, a link or a feature is.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, sparse
from sklearn.exceptions import ConvergenceWarning

from ordain._types import Vector
from ordain.engine import LOCAL, Engine
from ordain.solve.coarse import Coarse
from ordain.solve.gram import cell_sums, sparse_gram
from ordain.solve.objective import Objective
from ordain.solve.stacked import Stacked

BLOCK = 1 << 16
DENSE_LIMIT = 300
TINY = 1e-300


@dataclass(frozen=True)
class Solution:
    """Where the minimiser stopped, and whether it may be trusted."""

    x: Vector
    value: float
    gradient_norm: float
    iterations: int
    converged: bool


def minimise(
    objective: Objective,
    start: Vector,
    *,
    tolerance: float = 1e-6,
    iterations: int = 100,
    quiet: bool = False,
    report: Callable[[Vector], None] | None = None,
) -> Solution:
    """The minimum of an objective, reached from `start`.

    Each step minimises the quadratic model g·p + ½ p·Hp within a trust region by conjugate gradients that stop at the
    border and at negative curvature [Steihaug83]_. Done when the largest entry of the gradient is at most `tolerance`;
    if that is not reached the solution says so and, unless `quiet`, a warning is given. `report` is told every place.
    """
    x, radius, done = np.array(start, dtype=float), 0.0, 0
    value, gradient = objective.value_gradient(x)
    while _largest(gradient) > tolerance and done < iterations:
        inverse = objective.preconditioner(x)
        radius = radius or math.sqrt(float(gradient @ inverse(gradient)))
        step, length, gain = _steihaug(objective, x, gradient, radius, inverse)
        tried, tried_gradient = _tried(objective, x + step)
        done += 1
        # Below rounding the two values tell nothing; there the gradient decides.
        resolved = gain > 1e-14 * abs(value)
        ratio = (value - tried) / gain if resolved else float(_largest(tried_gradient) < _largest(gradient))
        if not ratio >= 0.25:
            radius = length / 4
        elif ratio > 0.75:
            radius = max(radius, 2 * length)
        if ratio > 1e-4:
            x, value, gradient = x + step, tried, tried_gradient
            if report:
                report(x)
        elif not resolved:
            break
    norm = _largest(gradient)
    if norm > tolerance and not quiet:
        warnings.warn(
            f"the solver must reach a gradient of {tolerance:.1g}. Got {norm:.1g} after {done} steps. "
            "Scale the features, allow more iterations or a larger tolerance.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return Solution(x, value, norm, done, norm <= tolerance)


def _tried(objective: Objective, x: Vector) -> tuple[float, Vector]:
    """Value and gradient, infinite where the loss overflows, so that the step is taken back."""
    try:
        return objective.value_gradient(x)
    except OverflowError:
        return math.inf, np.full_like(x, math.inf)


def _steihaug(
    objective: Objective, x: Vector, gradient: Vector, radius: float, inverse: Callable[[Vector], Vector]
) -> tuple[Vector, float, float]:
    """A step, its length and the fall of the model along it; lengths are in the norm of the preconditioner."""
    step, residual = np.zeros_like(x), gradient.copy()
    steepest = inverse(residual)
    direction = -steepest
    fall = first = float(residual @ steepest)
    target = first * min(0.01, first)
    square, cross, across = 0.0, 0.0, fall  # ‖p‖², ⟨p, d⟩, ‖d‖²
    for _ in range(2 * len(x) + 10):
        curved = objective.hessp(x, direction)
        curvature = float(direction @ curved)
        alpha = fall / curvature if curvature > 0 else math.inf
        if curvature <= 0 or square + 2 * alpha * cross + alpha**2 * across >= radius**2:
            alpha = (math.sqrt(max(cross**2 + across * (radius**2 - square), 0.0)) - cross) / across
            step, residual = step + alpha * direction, residual + alpha * curved
            square = square + 2 * alpha * cross + alpha**2 * across
            break
        step, residual = step + alpha * direction, residual + alpha * curved
        square = square + 2 * alpha * cross + alpha**2 * across
        steepest = inverse(residual)
        beta, fall = float(residual @ steepest) / fall, float(residual @ steepest)
        if fall <= target:
            break
        cross, across = beta * (cross + alpha * across), fall + beta**2 * across
        direction = beta * direction - steepest
    return step, math.sqrt(square), -0.5 * float(step @ (gradient + residual))


class Linear(Objective):
    """(w, b) ↦ F(Xw + b) + α/2 ‖w‖², F an objective of scores; without intercept there is no b.

    X is dense or CSR, float64 or float32, or :class:`Stacked`; products are made in blocks of rows with sums in
    float64, so no copy of X is ever made. With an engine of many workers X is what is here of it, F knows all rows.
    """

    def __init__(
        self, objective: Objective, X: Any, alpha: float, *, intercept: bool = False, engine: Engine = LOCAL
    ) -> None:
        self.objective, self.X, self.alpha, self.intercept, self.engine = objective, X, alpha, intercept, engine
        self.penalty = np.append(np.full(X.shape[1], float(alpha)), [0.0] * intercept)
        self._last: tuple[Vector, Vector] | None = None

    def scores(self, w: Vector) -> Vector:
        if self._last is None or not np.array_equal(self._last[0], w):
            self._last = w.copy(), self._forward(w)
        return self._last[1]

    def value_gradient(self, w: Vector) -> tuple[float, Vector]:
        value, gradient = self.objective.value_gradient(self.scores(w))
        return value + float(self.penalty @ w**2) / 2, self._backward(gradient) + self.penalty * w

    def hessp(self, w: Vector, v: Vector) -> Vector:
        return self._backward(self.objective.hessp(self.scores(w), self._forward(v))) + self.penalty * v

    def near_hessian(self, w: Vector) -> Any:
        """Close to the Hessian, from the objective's coarse one."""
        near = self.objective.coarse_hessian(self.scores(w))
        gram = self._gram(near.diagonal)
        if near.cells is not None:
            sums = self._sums(near)
            gram -= sums.T @ near.coupling @ sums
        return gram + np.diag(self.penalty)

    def preconditioner(self, w: Vector) -> Callable[[Vector], Vector]:
        """v ↦ H⁻¹v for a matrix close to the Hessian; only its diagonal, without coupling, where X is wide."""
        if len(self.penalty) <= DENSE_LIMIT:
            return inverse_of(self.near_hessian(w))
        h = self.objective.coarse_hessian(self.scores(w)).diagonal
        square = sum((_squared(rows).T @ h[at] for at, rows in blocks(self.X)), np.zeros(self.X.shape[1]))
        diagonal = self.engine.sum(np.append(square, [h.sum()] * self.intercept)) + self.penalty
        return lambda v: v / np.maximum(diagonal, 1e-12 * diagonal.max())

    def _gram(self, h: Vector) -> Any:
        """Xᵀ diag(h) X, the intercept being a last column of ones."""
        d, gram = self.X.shape[1], np.zeros((len(self.penalty), len(self.penalty)))
        for at, rows in blocks(self.X):
            gram[:d, :d] += sparse_gram(rows, h[at]) if sparse.issparse(rows) else _dense_gram(rows, h[at])
        gram = self.engine.sum(gram)
        if self.intercept:
            gram[d] = gram[:, d] = self._backward(h)
        return gram

    def _sums(self, near: Coarse) -> Any:
        """SᵀX, the intercept being a last column of ones."""
        total = np.zeros((len(near.coupling), self.X.shape[1]))
        for at, rows in blocks(self.X):
            cells, mass = near.cells[at], near.mass[at]
            if sparse.issparse(rows):
                total += cell_sums(rows, cells, mass, len(total))
            else:
                total += sparse.csr_array((mass, cells, np.arange(len(mass) + 1)), (len(mass), len(total))).T @ rows
        count = np.bincount(near.cells, near.mass, len(total))
        return self.engine.sum(np.column_stack([total, count]) if self.intercept else total)

    def _forward(self, w: Vector) -> Vector:
        w = self.engine.same(w)
        scores = linear_scores(self.X, w[: self.X.shape[1]])
        return scores + w[-1] if self.intercept else scores

    def _backward(self, gradient: Vector) -> Vector:
        total = np.zeros(self.X.shape[1])
        for at, rows in blocks(self.X):
            total += rows.T @ gradient[at]
        return self.engine.sum(np.append(total, gradient.sum()) if self.intercept else total)


def linear_scores(X: Any, w: Vector) -> Vector:
    """Xw in float64, X as for :class:`Linear`."""
    scores = np.empty(X.shape[0])
    for at, rows in blocks(X):
        scores[at] = rows @ w
    return scores


def blocks(X: Any) -> Iterator[tuple[slice, Any]]:
    """Blocks of rows in float64; all at once where X is float64 already."""
    if isinstance(X, Stacked):
        for start, part in zip(X.starts, X.parts, strict=False):
            yield from ((slice(start + at.start, start + at.stop), rows) for at, rows in blocks(part))
        return
    if X.dtype == np.float64:
        yield slice(0, X.shape[0]), X
        return
    for start in range(0, X.shape[0], BLOCK):
        at = slice(start, min(start + BLOCK, X.shape[0]))
        yield at, X[at].astype(np.float64)


class WithHessian(Objective):
    """An objective whose Hessian is replaced by a matrix close to it, such as that of a sample of the rows.

    Every look at the gradient mends the matrix along the step since the last one [Broyden70]_: with step s and change
    of the gradient y, H becomes H + yyᵀ/yᵀs - Hs(Hs)ᵀ/sᵀHs, which takes s to y.
    """

    def __init__(self, objective: Objective, hessian: Any) -> None:
        self.objective, self.matrix = objective, hessian
        self._last: tuple[Vector, Vector] | None = None

    def value_gradient(self, x: Vector) -> tuple[float, Vector]:
        value, gradient = self.objective.value_gradient(x)
        if self._last is not None:
            self._mend(x - self._last[0], gradient - self._last[1])
        self._last = x, gradient
        return value, gradient

    def _mend(self, step: Vector, change: Vector) -> None:
        taken, seen = self.matrix @ step, float(change @ step)
        if seen > 0:
            self.matrix = self.matrix + np.outer(change, change) / seen - np.outer(taken, taken) / (taken @ step)

    def hessp(self, x: Vector, v: Vector) -> Vector:
        return self.matrix @ v

    def preconditioner(self, x: Vector) -> Callable[[Vector], Vector]:
        return inverse_of(self.matrix)


def inverse_of(matrix: Any) -> Callable[[Vector], Vector]:
    """v ↦ M⁻¹v for a symmetric matrix, made positive definite if it is not."""
    scale = max(float(np.trace(matrix)) / len(matrix), TINY)
    try:
        factor = linalg.cho_factor(matrix + 1e-10 * scale * np.eye(len(matrix)))
    except linalg.LinAlgError:
        diagonal = np.maximum(np.diag(matrix), 1e-6 * scale)
        return lambda v: v / diagonal
    return lambda v: linalg.cho_solve(factor, v)


def _dense_gram(rows: Any, h: Vector) -> Any:
    """Xᵀ diag(h) X for h ≥ 0, as AᵀA: BLAS then finds only one half of it."""
    scaled = rows * np.sqrt(h)[:, None]
    return scaled.T @ scaled


def _squared(rows: Any) -> Any:
    return rows.power(2) if sparse.issparse(rows) else rows**2


def _largest(gradient: Vector) -> float:
    return float(np.abs(gradient).max(initial=0.0))
