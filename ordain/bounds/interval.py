"""Confidence intervals for the AUC of a fixed scorer on independent test data.

Each method is a small function of :class:`~ordain.bounds.variance.Evidence` and the level 1 - δ. With U the AUC of m
positives and n negatives, r = min(m, n), and B⁻¹(p; a, b) the quantile of the Beta distribution:

- :func:`delong`: U ± z √V. Right for large samples only; it says [1, 1] when the classes are separated.
- :func:`exact`: Clopper–Pearson for rU successes of r, not rounded.
- :func:`guaranteed`: at least 1 - δ for every distribution and every m, n, by proof.
- :func:`effective`, the default: Clopper–Pearson at the number of comparisons N that the variance speaks for, as far
  as the sample shows its variance, and at r as far as it does not.

``benchmarks/interval_coverage.py`` prints how often each covers, and how wide it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import betainc, betaincinv, gammainccinv, ndtri, stdtrit

from ordain._checks import check_labels, check_scores, check_share, check_weights
from ordain._types import Labels, Scores
from ordain.bounds.blocks import block_low, block_means
from ordain.bounds.jackknife import check_units, clusters_evidence, groups_evidence
from ordain.bounds.variance import Evidence, plain_evidence, weighted_evidence
from ordain.certificate import Interval

Limits = tuple[Any, Any]
VOUCHING_ROWS = 10.0  # with this many rows behind them, losses vouch for all but 1/e of the variance
PROVIDENT = ("exact", "guaranteed")  # methods that allow for what was not met
SPARING = 1.02  # the power of δ/2 that remains where some of it is spent on blocks
MANY_EVENTS = 1e9  # more are as good as normal


def auc_interval(
    labels: Labels,
    scores: Scores,
    *,
    level: float = 0.95,
    method: str = "effective",
    groups: Any = None,
    clusters: Any = None,
    weights: Any = None,
    positive: Any = None,
) -> Interval:
    """AUC of a fixed scorer, with a confidence interval for its value on new data.

    The scorer must not have been fitted to these rows.

    Parameters
    ----------
    labels, scores : arrays of shape (n_items,)
        Higher scores mean: should come earlier. Labels are 0/1, -1/1 or False/True, or `positive` is named.
    level : float
        Confidence, in (0, 1).
    method : {"effective", "exact", "guaranteed", "delong"}
        Formulas in :mod:`ordain.bounds.interval`. "guaranteed" holds for every distribution by proof; "delong" is what
        is usually printed, and too narrow for small or well separated samples.
    groups : array, optional
        Only pairs within a group count; the variance is by jackknife over groups. Not for "exact" and "guaranteed".
    clusters : array, optional
        Rows of one person or unit. All pairs count; the variance is by jackknife over clusters. Not for "exact" and
        "guaranteed".
    weights : array, optional
        A pair weighs w_i w_j. Only for "effective" and "delong", without groups and clusters.
    positive : optional
        The label of the positive class, where it is not understood by itself.

    Examples
    --------
    >>> print(auc_interval([1, 1, 1, 1, 0, 0, 0, 0], [8, 7, 6, 3, 5, 4, 2, 1]))
    AUC 0.88, 95% confidence interval 0.30 to 1.00 (effective sample size, independent rows). It does not cover kinds
    of rows that are missing here (up to 60% of a class could be); method exact does.
    >>> print(auc_interval([1, 1, 1, 0, 0, 0], [6, 5, 4, 3, 2, 1], method="guaranteed"))
    AUC 1.00, 95% confidence interval 0.29 to 1.00 (distribution-free, finite sample, independent rows).
    """
    level = check_share(level, "level")
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}. Got {method!r}.")
    mask = check_labels(labels, positive)
    scores = check_scores(scores, len(mask))
    by_group, by_cluster = check_units(groups, clusters, len(mask))
    units = "groups" if by_group is not None else "clusters" if by_cluster is not None else "rows"
    check_method(method, units, weights is not None)
    if weights is not None:
        found, units = weighted_evidence(mask, scores, check_weights(weights, len(mask))), "weighted rows"
    elif by_group is not None:
        found = groups_evidence(mask, scores, by_group)
    elif by_cluster is not None:
        found = clusters_evidence(mask, scores, by_cluster)
    else:
        found = plain_evidence(mask, scores)
        if method == "guaranteed":
            found = replace(found, blocks=block_means(mask, scores))
    if method == "delong":
        check_variance(found, weights is not None)
    return certified(found, method, level, units)


def certified(found: Evidence, method: str, level: float, units: str) -> Interval:
    """The interval of a method for the evidence of independent units, with the share it does not cover."""
    low, high = METHODS[method](found, level)
    met = found.units if units == "weighted rows" else min(found.units, found.freedom + 1)
    unseen = None if method in PROVIDENT else float(1 - ((1 - level) / 2) ** (1 / met))
    return Interval(float(found.value), float(low), float(high), level, method, units, unseen)


def check_method(method: str, units: str, weighted: bool) -> None:
    """Refuse a method where it would not hold."""
    if weighted and (method in PROVIDENT or units != "rows"):
        raise ValueError(
            f"weights need method 'effective' or 'delong', without groups and clusters. Got method {method!r}"
            f"{'' if units == 'rows' else f' with {units}'}. No other is known to hold with weights."
        )
    if method in PROVIDENT and units != "rows":
        raise ValueError(
            f"method {method!r} needs independent rows. Got {units}. Use 'effective' or 'delong', which take {units}."
        )


def check_variance(found: Evidence, weighted: bool) -> None:
    """Refuse DeLong's interval where one row is, or weighs as much as, a whole class."""
    if found.units < 1 + 1e-9:
        way_out = "Is the weight column right?" if weighted else "Use 'effective', 'exact' or 'guaranteed'."
        raise ValueError(
            "method 'delong' needs each class, or its weight, to rest on two rows at least, as one row shows no "
            f"variance. Got one. {way_out}"
        )


def delong(evidence: Evidence, level: float) -> Limits:
    """U ± t √V within [0, 1]; t is the normal quantile z for independent rows, else Student's.

    Its degrees of freedom are G - 1 for G units; for weights see :func:`~ordain.bounds.variance.weighted_evidence`.
    """
    half = -stdtrit(evidence.freedom, (1 - level) / 2) * np.sqrt(evidence.variance)
    return np.maximum(evidence.value - half, 0), np.minimum(evidence.value + half, 1)


def exact(evidence: Evidence, level: float) -> Limits:
    """B⁻¹(δ/2; rU, r - rU + 1) and B⁻¹(1 - δ/2; rU + 1, r - rU).

    It has the stated coverage when a positive beats all negatives or none, since rU is then binomial; that this is
    the worst case is seen in every simulation and proved in none.
    """
    return _both_ends(lambda value, *_: _beta_low(value, evidence.units, 0.0, level), evidence)


def effective(evidence: Evidence, level: float) -> Limits:
    """Clopper–Pearson at N instead of r comparisons, for each end its own N.

    U(1-U)/V is the number of independent comparisons that would have the variance V; V can be trusted as far as many
    rows show it. The low end fears losses not yet seen: let q be the number of rows on which the losses rest, the
    smaller of (Σx)²/Σx² over the positives and over the negatives, x = 1 - placement. Then, with w = exp(-q/10),

        1/N = (1-w) V/U(1-U) + w/r,   r ≤ N ≤ mn,

    so that N is r when nothing was lost and U(1-U)/V when much was. The high end does the same with the wins. The
    half step of Clopper–Pearson is for whole numbers of successes; it goes as N leaves r:

        low = B⁻¹(δ/2; UN + κ, (1-U)N + 1 - κ),   κ = ½ √(1 - r/N).

    This counts the rows that lose, and not how the losses are spread. If every row loses a little and few lose much,
    these few make the variance, and their number is uncertain like that of rare events. Events of one size h, of which
    c were met, have the variance V = ch² and the third moment ch³; so with T < 0 the third central moment of U,
    h = -T/V, c = V³/T² and Γ⁻¹(p; a) the quantile of the gamma distribution, the low end is at most

        U - h (Γ⁻¹(1 - δ/2; c + 1) - c),

    the exact one if the losses beyond what all rows lose alike were such events. Where V is above U(1-U)/r, it is
    taken as that.

    For groups, clusters and weights, t being Student's quantile on the degrees of freedom of V, G - 1 for G units, V is
    multiplied by (t/z)² and what events may add by t/z; r is what the units amount to: for groups of unequal size, and
    for weights, (Σ size)²/Σ size².
    """
    tail = min((1 - level) / 2, 0.4999)  # at one half both quantiles are 0, and their ratio hardly moves before
    widening = (stdtrit(evidence.freedom, tail) / ndtri(tail)) ** 2
    units = evidence.units

    def low(value: Any, resting: Any, third: Any) -> Any:
        weight = np.exp(-resting / VOUCHING_ROWS)
        variance, most = evidence.variance * widening, value * (1 - value)
        share = variance / np.maximum(most, np.finfo(float).tiny)
        rate = np.maximum((1 - weight) * share + weight / units, np.finfo(float).tiny)
        size = np.clip(1 / rate, units, evidence.pairs)
        binomial = _beta_low(value, size, np.sqrt(1 - units / size) / 2, level)
        events = _events_beyond(np.minimum(evidence.variance, most / units), third, tail)
        return np.minimum(binomial, np.maximum(value - np.sqrt(widening) * events, 0.0))

    return _both_ends(low, evidence)


def guaranteed(evidence: Evidence, level: float) -> Limits:
    """Limits that hold with probability ≥ 1 - δ for every distribution, ties included.

    U is the average, over all ways to give each row of the smaller class its own row of the other, of the mean of r
    independent comparisons in [0, 1] with mean A. By Jensen's inequality, and because a variable in [0, 1] is below
    the coin of the same mean in convex order, E f(U) ≤ E f(X/r) for convex f and X ~ Bin(r, A) (Hoeffding 1963, §5).
    Since 1[u ≥ x] ≤ (u - h)₊/(x - h) for h < x, with t = rx,

        P(U ≥ x) ≤ min over k < t of E(X - k)₊/(t - k),

    the minimum over real k being at a whole number, because on [k, k+1] the ratio is monotone. The right side grows
    with A, so A is below its root at δ/2 with probability ≤ δ/2; the high end is the same for 1 - U.

    Where one class is at least four times the other, a little of δ is spent on the ends of
    :mod:`ordain.bounds.blocks`, which are narrower where a row wins much the same share whatever its block: each end is
    the better of that one at α = δ/2 - (δ/2)^1.02 and the one above at the remaining (δ/2)^1.02. So where no pair is
    lost the interval is 1 - (δ/2)^(1.02/r) wide and not 1 - (δ/2)^(1/r): 2 % more at most, and elsewhere about 1 %.
    """
    tail = (1 - level) / 2
    spared = tail if evidence.blocks is None else tail**SPARING
    low, high = _both_ends(lambda value, *_: _bentkus_low(value, evidence.units, spared), evidence)
    if evidence.blocks is None:
        return low, high
    return block_low(evidence.blocks, tail - spared, low), 1 - block_low(1 - evidence.blocks, tail - spared, 1 - high)


METHODS: dict[str, Callable[[Evidence, float], Limits]] = {
    "effective": effective,
    "exact": exact,
    "guaranteed": guaranteed,
    "delong": delong,
}


def mcdiarmid(value: Any, positives: int, negatives: int, level: float) -> Limits:
    """U ± √((m+n) ln(2/δ)/2mn), from McDiarmid's inequality: one row moves U by at most 1/m or 1/n [Agarwal05]_.

    For the theorem's sake: :func:`guaranteed` lies inside it for all m, n.
    """
    half = np.sqrt(np.log(2 / (1 - level)) / 2 * (1 / positives + 1 / negatives))
    return np.maximum(value - half, 0), np.minimum(value + half, 1)


def _both_ends(low: Callable[[Any, Any, Any], Any], evidence: Evidence) -> Limits:
    """The low end, and the high end as the low end of 1 - U, where wins and losses change places."""
    value = np.asarray(evidence.value, dtype=float)
    below = low(value, evidence.losing, evidence.third)
    above = 1 - low(1 - value, evidence.winning, -np.asarray(evidence.third))
    return np.minimum(below, value), np.maximum(above, value)


def _beta_low(value: Any, size: Any, step: Any, level: float) -> Any:
    """B⁻¹(δ/2; UN + κ, (1-U)N + 1 - κ), and 0 at U = 0."""
    successes = np.where(value > 0, value * size + step, 1.0)
    return np.where(value > 0, betaincinv(successes, (1 - value) * size + 1 - step, (1 - level) / 2), 0.0)


def _events_beyond(variance: Any, third: Any, tail: float) -> Any:
    """h (Γ⁻¹(1 - δ/2; c + 1) - c), h = -T/V, c = V³/T²: what may be lost beyond what was; 0 where T ≥ 0."""
    rare = (np.asarray(third) < 0) & (np.asarray(variance) > 0)
    variance = np.where(rare, variance, 1.0)
    size = np.where(rare, -third, 0.0) / variance
    count = variance / np.maximum(np.square(size), variance / MANY_EVENTS)
    return size * (gammainccinv(count + 1, tail) - count)


@np.errstate(over="ignore")  # near 0 and 1 a step may overflow, and is then not taken
def _bentkus_low(value: Any, r: int, tail: float) -> Any:
    """Root A in [0, U] of min_k E(X - k)₊/(t - k) = tail, X ~ Bin(r, A), t = rU: Newton's steps kept in a bracket."""
    t = r * np.asarray(value, dtype=float)
    low, high = np.zeros_like(t), t / r
    chance = _beta_low(t / r, r, 0.0, 1 - 2 * tail)
    for _ in range(200):
        bound, slope = _bentkus(chance, r, t)
        low, high = np.where(bound <= tail, chance, low), np.where(bound > tail, chance, high)
        step = chance - (bound - tail) / np.where(slope > 0, slope, np.inf)
        after = np.where((step > low) & (step < high), step, (low + high) / 2)
        if np.all(np.abs(after - chance) <= 1e-13 * high):
            break
        chance = after
    return after


def _bentkus(chance: Any, r: int, t: Any) -> tuple[Any, Any]:
    """min_k E(X - k)₊/(t - k) over k = 0, 1, … < t, and its slope in the chance.

    The ratio falls in k as long as E[X | X > k] < t, and that mean grows with k, so bisection finds the minimum. With
    X' ~ Bin(r-1, A): E[X; X > k] = rA P(X' ≥ k), and E(X - k)₊ has the slope r P(X' ≥ k).
    """
    first, last = np.zeros_like(t), np.maximum(np.ceil(t) - 1, 0)
    while np.any(first < last):
        middle = np.floor((first + last) / 2)
        enough = r * chance * _at_least(middle, r - 1, chance) >= t * _at_least(middle + 1, r, chance)
        first, last = np.where(enough, first, np.minimum(middle + 1, last)), np.where(enough, middle, last)
    rest = r * _at_least(first, r - 1, chance)
    room = np.where(t > 0, t - first, 1)
    return (chance * rest - first * _at_least(first + 1, r, chance)) / room, rest / room


def _at_least(k: Any, size: int, chance: Any) -> Any:
    """P(Bin(size, chance) ≥ k) by the incomplete beta function."""
    inside = (k > 0) & (k <= size)
    return np.where(inside, betainc(np.where(inside, k, 1), np.where(inside, size - k + 1, 1), chance), k <= 0)
