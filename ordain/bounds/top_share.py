"""Intervals for the precision and the recall of the first k of n scored rows, functions of counts alone.

Given the scores, the first k rows are fixed, and the label of each row is a coin with a chance of its own. Of
*independent rows* the coins are independent, so the hits among the first k are a Poisson-binomial number; nothing else
is assumed. A tie across the border would leave open which rows are meant: the scores must differ there.

**Precision** is the mean chance of the first k, E hits/k. With s hits the ends of Clopper and Pearson hold for coins of
one chance p. For coins of different chances with mean p, P(S ≤ s) is at most that of equal coins wherever s ≤ kp - 1
[Hoeffding56]_, so the high end holds where it is (s+1)/k or more, and is raised to that. At s = k - 1 that would be 1;
there P(S ≤ k-1) = 1 - Π p_i ≤ k(1-p) gives 1 - δ/2k. The low end is the same for the misses.

**Recall** is the share of the positives to be expected that lies in the first k, a/(a+b) with a = E hits and b = E of
the positives after them. It is below R exactly if a < ρb, ρ = R/(1-R). With s and t the two counts, A how far s lies
above the low end for a, and B how far the high end for b lies above t, both by precision's interval, the low end solves

    s - ρt = √(A² + ρ²B²),   ρ = (s² - A²) / (st + √(t²A² + B²(s² - A²))):

the two uncertainties combined like standard errors, but each taken on the side that matters (Zou and Donner's method).
That is simulated (``benchmarks/top_coverage.py``), not proved. The **lift** is n/k times the recall and so are its
ends: the prevalence is that of the same rows, and not taken as known.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import betaincinv

Ends = tuple[Any, Any]


def precision_interval(hits: Any, k: Any, level: float = 0.95) -> Ends:
    """Interval for the chance that a row of the first k is positive, given the scores.

    It holds with probability ≥ level for independent rows, whatever the chances of the single rows, by proof.

    Parameters
    ----------
    hits, k : whole numbers or arrays of them
        Positives among the first k rows, k ≥ 1; no tie across the border.
    level : float
        Confidence, in (0, 1).

    Examples
    --------
    >>> low, high = precision_interval([18, 19, 30], [30, 20, 30])
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.406, 0.751, 0.884], [0.773, 0.999, 1.0])
    """
    hits, k = np.broadcast_arrays(np.asarray(hits, dtype=float), np.asarray(k, dtype=float))
    return _precision_low(hits, k, level), 1 - _precision_low(k - hits, k, level)


def recall_interval(hits: Any, k: Any, positives: Any, n: Any, level: float = 0.95) -> Ends:
    """Interval for the share of the positives that lies in the first k of n rows, given the scores.

    The target is E[hits]/E[positives], over labels drawn anew for rows with these scores. It holds as simulated, for
    independent rows.

    Parameters
    ----------
    hits, k, positives, n : whole numbers or arrays of them
        Positives among the first k rows, and among all n; no tie across the border.
    level : float
        Confidence, in (0, 1).

    Examples
    --------
    >>> low, high = recall_interval([18, 50], [30, 90], 93, 300)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.135, 0.453], [0.25, 0.621])
    """
    hits, k, positives, n = np.broadcast_arrays(*(np.asarray(count, dtype=float) for count in (hits, k, positives, n)))
    rest, missed = n - k, positives - hits
    ends = [_count_ends(hits, k, level), _count_ends(missed, rest, level)]
    return _share_low(hits, ends[0][0], missed, ends[1][1]), 1 - _share_low(missed, ends[1][0], hits, ends[0][1])


def _precision_low(hits: Any, k: Any, level: float) -> Any:
    """B⁻¹(δ/2; s, k-s+1), lowered to (s-1)/k; δ/2k at one hit and 0 at none."""
    tail = (1 - level) / 2
    equal = betaincinv(np.maximum(hits, 1), k - np.maximum(hits, 1) + 1, tail)
    return np.where(hits > 1, np.minimum(equal, (hits - 1) / k), np.where(hits == 1, tail / k, 0.0))


def _count_ends(hits: Any, k: Any, level: float) -> Ends:
    """Ends for the expected number of hits; there are none among no rows."""
    low, high = precision_interval(hits, np.maximum(k, 1), level)
    return k * low, k * high


def _share_low(s: Any, s_low: Any, t: Any, t_high: Any) -> Any:
    """R = ρ/(1+ρ) with s - ρt = √(A² + ρ²B²), A = s - s_low, B = t_high - t; 1 where nothing can lie outside."""
    room = s_low * (2 * s - s_low)  # s² - A²
    whole = room + s * t + np.sqrt(np.square(t * (s - s_low)) + np.square(t_high - t) * room)
    return np.where(t_high > 0, room / np.where(whole > 0, whole, 1), 1.0)
