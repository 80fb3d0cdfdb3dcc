"""What a sample says about an AUC: its value, its variance, and how many rows or units these rest on.

The *placement* of a positive is the share of negatives it beats, that of a negative the share of positives that beat
it, a tie counting one half. Both classes have the AUC U as their mean, and for independent rows DeLong's variance is

    V = S₊²/m + S₋²/n,   S² the unbiased variance of the placements of a class,

and the third central moment of U is, up to smaller terms, T = κ₊/m² + κ₋/n², κ the mean cubed deviation in a class.
Where few rows lose much, T is far below zero, however many others lose a little.
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
    third: Any = 0.0  # T, the third central moment of U; 0 where it is not known
    freedom: Any = np.inf  # degrees of freedom of the variance
    blocks: Any = None  # shares won by each row of the smaller class in a block of its own, for `guaranteed`


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
    above, below = (
        tuple((rows * power).sum() / rows.sum() for power in (np.square(moved), np.square(moved) * moved))
        for rows, moved in ((positives, beaten / (2 * n) - value), (negatives, beating / (2 * m) - value))
    )
    return spread_evidence(value, above, below, m, n)


def rows_evidence(positives: Any, negatives: Any) -> Evidence:
    """Evidence of independent rows from their placements, one class each, along the last axis: one sample or many."""
    value = positives.mean(-1)
    moved = (placed - value[..., None] for placed in (positives, negatives))
    above, below = ((np.square(part).mean(-1), (np.square(part) * part).mean(-1)) for part in moved)
    return spread_evidence(value, above, below, positives.shape[-1], negatives.shape[-1])


def spread_evidence(value: Any, above: tuple[Any, ...], below: tuple[Any, ...], m: int, n: int) -> Evidence:
    """Evidence of m positives and n negatives from the mean squared and cubed deviations of their placements.

    With μ = 1 - U and the mean squared deviation σ² of a class of m rows, (Σx)²/Σx² of the losses is m μ²/(μ² + σ²).
    """

    def resting(mean: Any) -> Any:
        square = np.maximum(mean**2, np.finfo(float).tiny)
        return np.minimum(m * square / (square + above[0]), n * square / (square + below[0])) * (mean > 0)

    variance = over_count(above[0], m) + over_count(below[0], n)
    third = above[1] / m**2 + below[1] / n**2 if min(m, n) > 1 else np.zeros_like(value)
    return Evidence(value, variance, resting(1 - value), resting(value), min(m, n), m * n, third)


def weighted_evidence(mask: Mask, scores: Vector, weights: Vector) -> Evidence:
    """Evidence of weighted independent rows; rows of weight 0 are left out.

    With p_i = w_i/Σw within a class, k = 1/Σp_i² is the number of equal rows that its weights amount to (Kish), and

        V = Σ over the classes of Σ p_i² (V_i - U)² · k/(k-1),   T = Σ over the classes of Σ p_i³ (V_i - U)³;

    losses and wins rest on rows by their weights, x_i = p_i (1 - V_i) and p_i V_i. Where few heavy rows make the
    variance it is known less well than from equal ones: 1/ν = Σp_i⁴/(Σp_i²)² - 1/(rows of the class) gives its degrees
    of freedom, those of the class that has fewer.
    """
    kept = weights > 0
    mask, scores, weights = mask[kept], scores[kept], weights[kept]
    value = auc(mask, scores, weights=weights)
    above, below = weights[mask] / weights[mask].sum(), weights[~mask] / weights[~mask].sum()
    beaten = _weight_below(scores[mask], scores[~mask], below)
    beating = 1 - _weight_below(scores[~mask], scores[mask], above)
    parts = [_weighted_class(above, beaten, value), _weighted_class(below, beating, value)]
    size, variance, losing, winning, third, fewer = zip(*parts, strict=True)
    one_row = min(size) < 1 + 1e-9
    return Evidence(
        value=value,
        variance=sum(variance),
        losing=min(losing),
        winning=min(winning),
        units=min(size),
        pairs=size[0] * size[1],
        third=0.0 if one_row else sum(third),
        freedom=np.inf if one_row or max(fewer) < 1e-9 else 1 / max(fewer),
    )


def _weighted_class(shares: Vector, placed: Vector, value: float) -> tuple[Any, ...]:
    """Kish's size, V, rows behind losses and behind wins, T and 1/ν of one class, whose weights sum to 1."""
    size, moved = float(carriers(shares)), shares * (placed - value)
    variance = np.square(moved).sum() * size / (size - 1) if size > 1 + 1e-9 else 1.0
    fewer = 1 / carriers(np.square(shares)) - 1 / len(shares)
    return size, variance, carriers(shares * (1 - placed)), carriers(shares * placed), (moved**3).sum(), fewer


def _weight_below(scores: Vector, others: Vector, weights: Vector) -> Vector:
    """Share of the others' weight below each score, half of what is tied with it."""
    order = np.argsort(others)
    sums = np.append(0.0, np.cumsum(weights[order]))
    left, right = (np.searchsorted(others[order], scores, side) for side in ("left", "right"))
    return (sums[left] + sums[right]) / (2 * sums[-1])
