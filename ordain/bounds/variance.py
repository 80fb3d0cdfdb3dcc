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
from ordain.engine import LOCAL, Engine
from ordain.measure.area import auc, staircase
from ordain.measure.spread_area import spread_auc
from ordain.measure.spread_ladder import ROUND, Ladder


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


def ladder_evidence(ladder: Ladder) -> Evidence:
    """Evidence of independent rows of all workers."""
    m, n = ladder.m, ladder.n
    value = ladder.wins() / (2 * m * n)
    sums = np.zeros((2, 2))
    for side, (positive, others) in enumerate(((True, n), (False, m))):
        for part in ladder.placed(positive=positive):
            moved = part / (2 * others) - value
            sums[side] += np.square(moved).sum(), (np.square(moved) * moved).sum()
    above, below = ladder.engine.sum(sums) / np.array([[m], [n]])
    return spread_evidence(value, tuple(above), tuple(below), m, n)


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


def weighted_evidence(mask: Mask, scores: Vector, weights: Vector, engine: Engine = LOCAL) -> Evidence:
    """Evidence of weighted independent rows of all workers; rows of weight 0 are left out.

    With p_i = w_i/Σw within a class, k = 1/Σp_i² is the number of equal rows that its weights amount to (Kish), and

        V = Σ over the classes of Σ p_i² (V_i - U)² · k/(k-1),   T = Σ over the classes of Σ p_i³ (V_i - U)³;

    losses and wins rest on rows by their weights, x_i = p_i (1 - V_i) and p_i V_i. Where few heavy rows make the
    variance it is known less well than from equal ones: 1/ν = Σp_i⁴/(Σp_i²)² - 1/(rows of the class) gives its degrees
    of freedom, those of the class that has fewer.
    """
    kept = weights > 0
    mask, scores, weights = mask[kept], scores[kept], weights[kept]
    value = (
        auc(mask, scores, weights=weights) if engine.alone else spread_auc(mask, scores, weights=weights, engine=engine)
    )
    above, below = (weights[side] / engine.sum(weights[side].sum()) for side in (mask, ~mask))
    beaten = _weight_below(scores[mask], scores[~mask], below, engine)
    beating = 1 - _weight_below(scores[~mask], scores[mask], above, engine)
    parts = [_weighted_class(above, beaten, value, engine), _weighted_class(below, beating, value, engine)]
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


def _weighted_class(shares: Vector, placed: Vector, value: float, engine: Engine) -> tuple[Any, ...]:
    """Kish's size, V, rows behind losses and behind wins, T and 1/ν of one class, whose weights sum to 1."""
    moved = shares * (placed - value)
    amounts = [shares, shares * (1 - placed), shares * placed, np.square(shares)]
    sums = np.array([[of.sum(), np.square(of).sum()] for of in amounts])
    rest = [len(shares), np.square(moved).sum(), (moved**3).sum()]
    sums, (rows, squares, cubes) = engine.sum(sums), engine.sum(np.array(rest, float))
    size, losing, winning, fourth = (float(total**2 / (square or 1.0)) for total, square in sums)
    variance = squares * size / (size - 1) if size > 1 + 1e-9 else 1.0
    return size, variance, losing, winning, cubes, 1 / fourth - 1 / rows


def _weight_below(scores: Vector, others: Vector, weights: Vector, engine: Engine) -> Vector:
    """Share of the others' weight below each score, half of what is tied with it; all scores go round."""
    order = np.argsort(others)
    ladder, sums = others[order], np.append(0.0, np.cumsum(weights[order]))
    below = np.empty(len(scores))
    for start in range(0, int(engine.max(len(scores))), ROUND):
        parts = engine.parts(scores[start : start + ROUND])
        first, sent = sum(map(len, parts[: engine.rank])), np.concatenate(parts)
        under = engine.sum(sums[np.searchsorted(ladder, sent, "left")] + sums[np.searchsorted(ladder, sent, "right")])
        below[start : start + ROUND] = under[first : first + len(parts[engine.rank])]
    return below / (2 * engine.sum(float(sums[-1])))
