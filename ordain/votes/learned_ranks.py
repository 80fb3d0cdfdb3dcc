"""Ranks and tiers by bands of the scores that hold together, where something may be known of items never voted on.

How far apart the scores lie in all is doubted too, see :mod:`ordain.rank.blended.doubted`, but turns no order. So the
ranks are those of either fit, the one with likely spreads and the one with large ones, whichever are wider.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri

from ordain._types import Vector
from ordain.votes.rank_intervals import Ranks, Surely, by_bands


def learned_ranks(n: int, fits: Sequence[tuple[Vector, Vector]], level: float) -> Ranks:
    """Ranks of n items from the best down; those without a score come last, share a tier and may have any rank.

    `fits` are scores and their standard errors in this order, none of them where nothing is known.

    Examples
    --------
    >>> learned_ranks(4, [(np.array([9.0, 2.0, 1.0]), np.ones(3)), (np.array([18.0, 4.0, 2.0]), np.ones(3))], 0.95)
    Ranks(low=array([1., 2., 2., 1.]), high=array([2., 4., 4., 4.]), tier=array([1., 2., 2., 3.]))
    """
    known = len(fits[0][0]) if fits else 0
    low, high, tier = np.ones(n), np.full(n, float(n)), np.ones(n)
    if known:
        critical = float(ndtri((1 + level ** (1 / known)) / 2))
        found = _in_all([by_bands(scores, errors**2, critical) for scores, errors in fits]).ranks()
        low[:known], high[:known], tier[:known] = found.low, found.high + n - known, found.tier
        tier[known:] = tier[:known].max() + 1
    place = np.arange(1, n + 1)
    return Ranks(np.minimum(low, place), np.maximum(high, place), tier)


def _in_all(found: Sequence[Surely]) -> Surely:
    """What is sure by all fits."""
    return Surely(
        lambda item: np.logical_and.reduce([one.below(item) for one in found]),
        np.minimum.reduce([one.above_each for one in found]),
        np.minimum.reduce([one.below_each for one in found]),
    )
