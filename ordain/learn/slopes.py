"""What trees are grown on: slope and curvature of a risk in every score, in the float32 that XGBoost keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import prange

from ordain._compiled import ALONE, PIECE, compiled
from ordain._types import Vector

STEP = 8.0
"""No leaf moves by more than this, times the learning rate: a curvature counts as |slope| / STEP at least."""

REACH, LARGEST = 300.0, 1e30
"""Where a risk of pairs overflows, scores are cut off at ± the first / push; slopes and curvatures at ± the second."""

KEPT = 0xFFFFFFF0
"""The bits of a float32 that are kept."""


class Slopes:
    """Slope and curvature of a risk in every score, times the weight of the rows.

    They have 20 bits for a row of weight 1, so that small whole weights give to the bit what repeated rows give.
    """

    def __init__(self, risk: Any, rows: int, weights: Vector | None) -> None:
        self.risk, self.weights, self.size = risk, weights, 1.0
        self.out = np.empty((2, rows), np.float32)
        used = np.any(self(np.zeros(rows, np.float32)), axis=0)  # rows without a partner have neither
        self.size = float(risk.engine.sum(float(np.count_nonzero(used) if weights is None else weights[used].sum())))

    def __call__(self, scores: Vector) -> Vector:
        factor, *rows = self.derivatives(scores.astype(np.float64))
        if self.weights is not None:
            rows = [row / self.weights for row in rows]
        shorten = _shorten if len(scores) < ALONE else _shorten_all
        shorten(*rows, factor * self.size, *self.out)
        if self.weights is not None:
            np.multiply(self.out, self.weights, out=self.out, casting="same_kind")
        return self.out

    def derivatives(self, scores: Vector) -> tuple[float, Vector, Vector]:
        """A factor, and the slopes and curvatures it is for."""
        risk = self.risk
        return 1.0, risk.weights * risk.loss.gradient(risk.labels, scores), risk.hessian_diagonal(scores)


class LogisticSlopes(Slopes):
    """The same of the logistic loss of rows, in one pass.

    With u = y s and e = exp(-|u|) the slope is -y σ(-u), and σ(-u) is e/(1 + e) for u ≥ 0, else 1/(1 + e); the
    curvature is σ(u) σ(-u) = e/(1 + e)².
    """

    def __call__(self, scores: Vector) -> Vector:
        risk = self.risk
        shares = risk.weights if self.weights is None else risk.weights / self.weights
        pass_over = _logistic if len(scores) < ALONE else _logistic_all
        pass_over(risk.labels, np.asarray(scores), shares, self.size, *self.out)
        if self.weights is not None:
            np.multiply(self.out, self.weights, out=self.out, casting="same_kind")
        return self.out


class PairSlopes(Slopes):
    """The same of ½ R^(1/p), R the risk of pairs with a push p, but for its curvature's term in the squared slope."""

    def derivatives(self, scores: Vector) -> tuple[float, Vector, Vector]:
        power = 1 / self.risk.push
        with np.errstate(over="ignore", invalid="ignore"):
            try:
                value, slope, curvature = self.risk.derivatives(scores)
            except OverflowError:
                value, slope, curvature = self.risk.derivatives(np.clip(scores, -REACH * power, REACH * power))
        return power / 2 * max(value, 1e-300) ** (power - 1), slope, curvature


@compiled()
def _short(value: Any) -> Any:
    """The number with fewer bits, and not too large."""
    bits = np.float32(min(max(value, -LARGEST), LARGEST)).view(np.uint32)
    return np.uint32(bits & np.uint32(KEPT)).view(np.float32)


@compiled()
def _logistic(labels: Any, scores: Any, shares: Any, size: Any, first: Any, second: Any) -> None:
    """Slopes and curvatures of the logistic loss, times shares and size, shortened."""
    for i in range(len(scores)):
        margin = labels[i] * np.float64(scores[i])
        small = np.exp(-abs(margin))
        wrong = (small if margin >= 0 else 1.0) / (1.0 + small)
        factor = shares[i] * size
        first[i] = _short(-labels[i] * wrong * factor)
        second[i] = max(_short(small / (1.0 + small) ** 2 * factor), abs(first[i]) * np.float32(1 / STEP))


@compiled(parallel=True)
def _logistic_all(labels: Any, scores: Any, shares: Any, size: Any, first: Any, second: Any) -> None:
    """The same, some rows on each thread."""
    for piece in prange((len(scores) + PIECE - 1) // PIECE):
        some = slice(piece * PIECE, (piece + 1) * PIECE)
        _logistic(labels[some], scores[some], shares[some], size, first[some], second[some])


@compiled()
def _shorten(slope: Any, curvature: Any, factor: Any, first: Any, second: Any) -> None:
    """Slopes and curvatures times the factor, shortened."""
    for i in range(len(slope)):
        first[i] = _short(slope[i] * factor)
        second[i] = max(_short(curvature[i] * factor), abs(first[i]) * np.float32(1 / STEP))


@compiled(parallel=True)
def _shorten_all(slope: Any, curvature: Any, factor: Any, first: Any, second: Any) -> None:
    """The same, some rows on each thread."""
    for piece in prange((len(slope) + PIECE - 1) // PIECE):
        some = slice(piece * PIECE, (piece + 1) * PIECE)
        _shorten(slope[some], curvature[some], factor, first[some], second[some])
