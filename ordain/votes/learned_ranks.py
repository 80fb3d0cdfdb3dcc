"""Ranks and tiers by bands of the scores that hold together, where something may be known of items never voted on."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from ordain._types import Vector
from ordain.votes.rank_intervals import Ranks, by_bands


def learned_ranks(scores: Vector, errors: Vector, level: float) -> Ranks:
    """Ranks of items from the best score down; those without one come last, share a tier and may have any rank.

    Examples
    --------
    >>> learned_ranks(np.array([9.0, 2.0, 1.0, np.nan]), np.array([1.0, 1.0, 1.0, np.nan]), 0.95)
    Ranks(low=array([1., 2., 2., 1.]), high=array([2., 4., 4., 4.]), tier=array([1., 2., 2., 3.]))
    """
    n, known = len(scores), int(np.count_nonzero(~np.isnan(scores)))
    low, high, tier = np.ones(n), np.full(n, float(n)), np.ones(n)
    if known:
        critical = float(ndtri((1 + level ** (1 / known)) / 2))
        found = by_bands(scores[:known], errors[:known] ** 2, critical).ranks()
        low[:known], high[:known], tier[:known] = found.low, found.high + n - known, found.tier
        tier[known:] = tier[:known].max() + 1
    place = np.arange(1, n + 1)
    return Ranks(np.minimum(low, place), np.maximum(high, place), tier)
