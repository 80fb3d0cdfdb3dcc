"""Is a loss proper, and how strongly? Tests by numbers, and every cost as a mixture of cost-sensitive losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from ordain.losses._numeric import KNOTS, Derivative, least, vectorised
from ordain.losses.base import Array, Loss, both, log_odds, times

Cost = Callable[[Any, Any], Array]
"""c(y, q): the cost for y in {-1, +1} of an array q of announced probabilities."""


def is_proper(cost: Cost, *, points: int = 201, tolerance: float = 1e-12) -> bool:
    """Whether announcing the truth is best: L(η, η) ≤ L(η, q) for all η and q of an even grid on [0, 1].

    False is a proof up to rounding, True is evidence.

    Parameters
    ----------
    cost : callable
        c(y, q), such as the method `cost` of a loss.
    points : int
        Size of the grid.
    tolerance : float
        What counts as rounding, relative to 1 + L(η, η).

    Examples
    --------
    >>> is_proper(lambda y, q: abs((y > 0) - q))
    False
    """
    return bool(np.all(_regrets(cost, points) >= -tolerance))


def is_strictly_proper(cost: Cost, *, points: int = 201, tolerance: float = 1e-12) -> bool:
    """Whether only the truth is best: L(η, η) < L(η, q) for q ≠ η on the grid; equivalent to a strictly concave H."""
    regrets = _regrets(cost, points)
    return bool(np.all(regrets[~np.eye(points, dtype=bool)] > tolerance))


def is_regular(cost: Cost) -> bool:
    """Whether c(1, q) is finite and ≥ 0 on (0, 1], and c(-1, q) on [0, 1); c(1, 0) and c(-1, 1) may be infinite."""
    inside = KNOTS[(KNOTS > 1e-100) & (KNOTS < 1)]  # √(1/q) and log(1/q) stay finite there, in floats too
    with np.errstate(divide="ignore"):
        values = np.r_[cost(1, np.r_[inside, 1.0]), cost(-1, np.r_[0.0, inside])]
    return bool(np.all(np.isfinite(values) & (values >= -1e-12)))


def numeric_strength(loss: Loss | Callable[[Any], Any]) -> float:
    """λ by a search: the least -H'' on [0, 1], from the weight of a loss or by differences of an entropy H.

    For an H that is smooth inside (0, 1) the result is good to about 1e-8.

    Examples
    --------
    >>> round(numeric_strength(lambda q: q * (1 - q)), 6)
    2.0
    """
    if isinstance(loss, Loss):
        return least(loss.weight)
    bend = Derivative(vectorised(loss), 2)
    return least(lambda q: -bend(q))


def mixture_cost(loss: Loss, y: ArrayLike, q: ArrayLike) -> Array:
    """c(y, q) as a mixture of cost-sensitive misclassification losses, 0 < q < 1.

    The cost-sensitive loss with threshold t charges 1 - t for a missed positive (q ≤ t) and t for a false alarm
    (q > t). With the weight w = -H'' over thresholds,

        c(1, q) = c(1, 1) + ∫_q^1 (1 - t) w(t) dt,    c(-1, q) = c(-1, 0) + ∫_0^q t w(t) dt.

    Computed by Gauss quadrature in log-odds; it serves to check a loss and to show what it cares about.
    """
    q, n = both(q)
    positive = np.asarray(y) > 0
    distance, weights = _tail_rule()
    wrong = np.where(positive, n, q)
    start = log_odds(wrong, np.where(positive, q, n))
    odds = np.expand_dims(np.broadcast_to(start, np.broadcast_shapes(positive.shape, q.shape)), -1) - distance
    small, large = expit(odds), expit(-odds)
    swapped = positive[..., None]
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        weight = loss._weight(np.where(swapped, large, small), np.where(swapped, small, large))
        integral = times(small**2 * large, weight) @ weights
    return loss.cost(positive, positive) + integral


def _regrets(cost: Cost, points: int) -> Array:
    """(L(η, q) - L(η, η)) / (1 + L(η, η)) with a row for each η."""
    q = np.linspace(0, 1, points)
    eta = q[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        risk = times(eta, cost(1, q)) + times(1 - eta, cost(-1, q))
        least_risk = np.diagonal(risk)[:, None]
        return (risk - least_risk) / (1 + least_risk)


def _tail_rule() -> tuple[Array, Array]:
    """Nodes and weights for ∫_0^∞ of a decaying smooth function: Gauss–Legendre on ever longer panels."""
    edges = np.r_[0, np.exp2(np.arange(-1.0, 10))]
    node, weight = np.polynomial.legendre.leggauss(24)
    half = np.diff(edges)[:, None] / 2
    return ((edges[:-1, None] + half) + half * node).ravel(), (half * weight).ravel()
