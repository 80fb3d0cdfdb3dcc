"""Limits for the mean of independent values in [0, 1], of which only their mean and their number are known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import betainc

from ordain.bounds.interval import guaranteed
from ordain.bounds.variance import Evidence


def mean_limits(value: Any, count: int, level: float) -> tuple[Any, Any]:
    """The interval of Bentkus for the mean, at least at its level whatever the values are drawn from.

    A value in [0, 1] is below the coin of the same mean in convex order, and so is the sum of independent ones below
    the binomial; the rest of the proof is in :func:`~ordain.bounds.interval.guaranteed`. It also holds for values drawn
    without replacement, whose sums are below those of independent draws (Hoeffding 1963, §6).

    Examples
    --------
    >>> [round(float(end), 3) for end in mean_limits(0.9, 50, 0.95)]
    [0.772, 0.969]
    """
    unused = math.nan
    return guaranteed(Evidence(value, unused, unused, unused, count, unused), level)


def mean_tail(total: float, count: int, chance: float) -> float:
    """min over k < t of E(X - k)₊/(t - k), X ~ Bin(count, chance): how likely a sum is to be t or more, at most.

    Examples
    --------
    >>> round(mean_tail(9, 10, 0.5), 4), round(11 / 1024, 4)  # and what it is for coins
    (0.0117, 0.0107)
    """
    if total <= count * chance:
        return 1.0
    k = np.arange(math.ceil(total))
    more = np.where(k > 0, betainc(np.maximum(k, 1), count - k, chance), 1.0)  # P(Bin(count - 1) ≥ k)
    beyond = betainc(k + 1, count - k, chance)  # P(Bin(count) > k)
    return float(min(1.0, np.min((count * chance * more - k * beyond) / (total - k))))
