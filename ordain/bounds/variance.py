"""What a sample says about an AUC: its value, its variance, and how many rows or units these rest on.

The *placement* of a positive is the share of negatives it beats, that of a negative the share of positives that beat
it, a tie counting one half. Both classes have the AUC U as their mean, and for independent rows DeLong's variance is

    V = S₊²/m + S₋²/n,   S² the unbiased variance of the placements of a class.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ordain._types import Mask, Vector
from ordain.measure.area import auc, staircase


@dataclass(frozen=True)
class Evidence:
    """All that the intervals need to know; every field may be an array, one entry per sample."""

    value: Any  # U
    variance: Any  # V
    losing: Any  # how many rows or units the losses 1 - U rest on
    winning: Any  # how many rows or units the wins U rest on
    units: Any  # r, how many independent comparisons the sample holds at least
    pairs: Any
    freedom: Any = np.inf  # degrees of freedom of the variance


def carriers(amounts: Any) -> Any:
    """How many of the amounts ≥ 0 carry their sum, (Σx)²/Σx² along the last axis: all if equal, 0 if there are none."""
    squares = np.square(amounts).sum(-1)
    return np.square(np.sum(amounts, -1)) / np.where(squares > 0, squares, 1)


def over_count(spread: Any, count: int) -> Any:
    """Variance of a mean from the mean squared deviation; one row shows none, and 1 is more than a share can have."""
    return spread / (count - 1) if count > 1 else np.ones_like(spread)


def plain_evidence(mask: Mask, scores: Vector) -> Evidence:
    """Evidence of independent rows; rows of one class with the same score have the same placement."""
    positives, negatives = staircase(mask, scores)
    m, n = int(positives.sum()), int(negatives.sum())
    beaten, beating = 2 * np.cumsum(negatives) - negatives, 2 * m - 2 * np.cumsum(positives) + positives
    # Sums of products, not dot products: for these BLAS may start threads that cost more than the sum.
    value = int((positives * beaten).sum()) / (2 * m * n)
    above = (positives * np.square(beaten / (2 * n) - value)).sum() / m
    below = (negatives * np.square(beating / (2 * m) - value)).sum() / n
    return spread_evidence(value, above, below, m, n)


def rows_evidence(positives: Any, negatives: Any) -> Evidence:
    """Evidence of independent rows from their placements, one class each, along the last axis: one sample or many."""
    m, n = positives.shape[-1], negatives.shape[-1]
    return spread_evidence(positives.mean(-1), positives.var(-1), negatives.var(-1), m, n)


def spread_evidence(value: Any, above: Any, below: Any, m: int, n: int) -> Evidence:
    """Evidence of m positives and n negatives from the mean squared deviation of their placements.

    With μ = 1 - U and the mean squared deviation σ² of a class of m rows, (Σx)²/Σx² of the losses is m μ²/(μ² + σ²).
    """

    def resting(mean: Any) -> Any:
        square = np.maximum(mean**2, np.finfo(float).tiny)
        return np.minimum(m * square / (square + above), n * square / (square + below)) * (mean > 0)

    variance = over_count(above, m) + over_count(below, n)
    return Evidence(value, variance, resting(1 - value), resting(value), min(m, n), m * n)


def weighted_evidence(mask: Mask, scores: Vector, weights: Vector) -> Evidence:
    """Evidence of weighted independent rows, for DeLong's interval; rows of weight 0 are left out.

    With p_i = w_i/Σw within a class, V = Σ over the classes of Σ p_i² (V_i - U)² · k/(k-1), k = 1/Σp_i².
    """
    kept = weights > 0
    mask, scores, weights = mask[kept], scores[kept], weights[kept]
    above, below = weights[mask], weights[~mask]
    m, n = float(carriers(above)), float(carriers(below))
    if min(m, n) < 1 + 1e-9:
        raise ValueError(
            "the weight of each class must rest on two rows at least. "
            f"Got it on {m:.3g} positives and {n:.3g} negatives. Is the weight column right?"
        )
    value = auc(mask, scores, weights=weights)
    beaten = _weight_below(scores[mask], scores[~mask], below)
    beating = 1 - _weight_below(scores[~mask], scores[mask], above)
    variance = np.square(above / above.sum() * (beaten - value)).sum() * m / (m - 1)
    variance += np.square(below / below.sum() * (beating - value)).sum() * n / (n - 1)
    return Evidence(value, variance, np.nan, np.nan, min(m, n), m * n)


def _weight_below(scores: Vector, others: Vector, weights: Vector) -> Vector:
    """Share of the others' weight below each score, half of what is tied with it."""
    order = np.argsort(others)
    sums = np.append(0.0, np.cumsum(weights[order]))
    left, right = (np.searchsorted(others[order], scores, side) for side in ("left", "right"))
    return (sums[left] + sums[right]) / (2 * sums[-1])
