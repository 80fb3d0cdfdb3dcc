"""Rows X of the intervals for the AUC and for differences: the public functions against sums over whole laws."""

from __future__ import annotations

from itertools import product
from math import sqrt
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.special import ndtri
from scipy.stats import binom

from ordain.bounds.comparison import compare_auc
from ordain.bounds.interval import auc_interval
from ordain.measure import auc
from ordain.theorems.row import Measured, row

CHANCES = np.linspace(0.02, 0.98, 49)


@row(
    "X-guaranteed",
    "The guaranteed interval covers at its level, whatever the rows are drawn from independently.",
    "exact",
)
def guaranteed(rng: Generator, effort: int) -> Measured:
    """Positives that beat all negatives or none, where the AUC is as spread as it can be; and all samples of a few
    points, with ties.
    """
    least, cases = 1.0, 0
    for r, level in product((3, 10, 20), (0.8, 0.95)):
        coverage = _all_or_none(r, level, "guaranteed")
        least, cases = min(least, float((coverage - level).min())), cases + len(coverage)
        if r == 10 and not coverage.min() < 1 - (1 - level) / 2:  # else it is wider than it need be
            least = -1.0
    for _ in range(effort):
        above, below = rng.dirichlet(np.ones(3), 2)
        least, cases = min(least, _enumerated(above, below, 2, 2) - 0.8), cases + 1
    return Measured(cases, least, "least coverage above the level", least >= -1e-12)


@row(
    "X-exact",
    "The exact interval solves the binomial tails of rU, and covers where positives beat all or none.",
    "exact",
)
def exact(rng: Generator, effort: int) -> Measured:
    """The tails put back in at every count; coverage over the law."""
    worst, least, cases = 0.0, 1.0, 0
    for r, level in product((4, 15), (0.8, 0.95)):
        for x in range(r + 1):
            found = _of_count(x, r, level, "exact")
            tails = binom.sf(x - 1, r, found.low), binom.cdf(x, r, found.high)
            inside = [tail for tail, at_end in zip(tails, (x == 0, x == r), strict=True) if not at_end]
            worst = max(worst, *(abs(tail - (1 - level) / 2) for tail in inside))
            worst = worst if (found.low == 0) == (x == 0) and (found.high == 1) == (x == r) else 1.0
        coverage = _all_or_none(r, level, "exact")
        least, cases = min(least, float((coverage - level).min())), cases + r + 1
    return Measured(cases, least, "least coverage above the level", bool(least >= -1e-12 and worst < 1e-9))


@row(
    "X-effective",
    "The default interval covers small binormal samples at its level, and with many rows is DeLong's, U ± z√V.",
    "sampled",
)
def effective(rng: Generator, effort: int) -> Measured:
    """Coverage at 20 × 20 and AUC 0.9; V from placements counted pair by pair, and both intervals at 400 × 400."""
    runs, hits, truth = 300 * effort, 0, 0.9
    shift = sqrt(2) * ndtri(truth)
    labels = np.repeat([1, 0], 20)
    for _ in range(runs):
        found = auc_interval(labels, rng.normal(size=40) + shift * labels)
        hits += found.low <= truth <= found.high
    labels = np.repeat([1, 0], 400)
    scores = rng.normal(size=800) + shift * labels
    half = -ndtri(0.025) * sqrt(_delong(labels, scores)[1])
    value = auc(labels, scores)
    plain, found = auc_interval(labels, scores, method="delong"), auc_interval(labels, scores)
    same = np.allclose((plain.low, plain.high), (value - half, value + half), atol=1e-12)
    near = 0.95 < (found.high - found.low) / (2 * half) < 1.15
    share = hits / runs
    return Measured(runs + 1, share, "coverage at 95%", bool(share > 0.93 and same and near))


@row(
    "X-clusters",
    "With rows that repeat units, the interval by clusters covers; as if independent, .494 instead of .95.",
    "sampled",
)
def clusters(rng: Generator, effort: int) -> Measured:
    """Thirty units with six rows in each class; and, exactly, twenty people with ten alike rows as if independent."""
    runs, hits, units = 150 * effort, 0, np.repeat(np.arange(60), 6)
    labels, shift = (units < 30).astype(int), 2 * ndtri(0.8)
    for _ in range(runs):
        scores = np.repeat(rng.normal(size=60), 6) + rng.normal(size=360) + shift * labels
        found = auc_interval(labels, scores, clusters=units)
        hits += found.low <= 0.8 <= found.high
    alone = np.repeat([1, 0], [200, 300])
    taken = [
        auc_interval(alone, np.repeat([2, 0, 1], [10 * x, 200 - 10 * x, 300]), method="guaranteed") for x in range(21)
    ]
    chances = np.linspace(0.5, 0.95, 46)
    within = np.array([(found.low <= chances) & (chances <= found.high) for found in taken])
    ignored = (binom.pmf(np.arange(21)[:, None], 20, chances) * within).sum(axis=0).min()
    share = hits / runs
    return Measured(runs + 21, share, "coverage by clusters at 95%", bool(share > 0.9 and 0.3 < ignored < 0.55))


@row("X-weights", "Equal weights change nothing, nor does their scale; a row of weight 0 is not there.", "numeric")
def weights(rng: Generator, effort: int) -> Measured:
    """DeLong's interval with and without weights, on rows with ties."""
    worst = 0.0
    for _ in range(10 * effort):
        m, n = rng.integers(3, 30, 2)
        labels, scores = np.repeat([1, 0], [m, n]), rng.integers(0, 8, m + n) + np.repeat([1, 0], [m, n])
        plain = auc_interval(labels, scores, method="delong")
        heavy = rng.uniform(0.5, 2, m + n)
        gone, kept = np.append(heavy, [0.0, 0.0]), auc_interval(labels, scores, method="delong", weights=heavy)
        more = np.append(labels, [1, 0]), np.append(scores, [-9, 99])
        for one, other in (
            (plain, auc_interval(labels, scores, method="delong", weights=np.full(m + n, 0.3))),
            (kept, auc_interval(labels, scores, method="delong", weights=7 * heavy)),
            (kept, auc_interval(*more, method="delong", weights=gone)),
        ):
            worst = max(worst, abs(one.low - other.low), abs(one.high - other.high), abs(one.value - other.value))
    return Measured(30 * effort, worst, "largest difference of an end", worst < 1e-12)


@row(
    "X-compared",
    "A difference of AUCs has the paired variance; p is the level at which its interval touches 0.",
    "numeric",
)
def compared(rng: Generator, effort: int) -> Measured:
    """The variance from placements counted pair by pair; the interval at the levels on both sides of 1 - p."""
    worst, held = 0.0, True
    for _ in range(5 * effort):
        labels = np.repeat([1, 0], [150, 200])
        first = rng.normal(size=350) + labels
        second = first + rng.normal(size=350)
        found = compare_auc(labels, first, second)
        (a, _, by_a), (b, _, by_b) = _delong(labels, first), _delong(labels, second)
        variance = sum(np.var(x - y, ddof=1) / len(x) for x, y in zip(by_a, by_b, strict=True))
        worst = max(
            worst, abs(found.difference - (a - b)), abs((found.high - found.low) / 3.919928 / sqrt(variance) - 1)
        )
        wide, narrow = (compare_auc(labels, first, second, level=1 - found.p_value * f) for f in (0.999, 1.001))
        held &= (wide.low <= 0 <= wide.high) and not narrow.low <= 0 <= narrow.high
    return Measured(10 * effort, worst, "largest relative gap of the width", bool(held and worst < 0.01))


def _of_count(x: int, r: int, level: float, method: str) -> Any:
    """The interval of r positives, of which x beat all of r negatives and the others none."""
    scores = np.concatenate((np.where(np.arange(r) < x, 2, 0), np.ones(r)))
    return auc_interval(np.repeat([1, 0], r), scores, level=level, method=method)


def _all_or_none(r: int, level: float, method: str) -> Any:
    """Coverage, for every chance, where a positive beats all negatives or none."""
    found = [_of_count(x, r, level, method) for x in range(r + 1)]
    within = np.array([(one.low <= CHANCES) & (one.high >= CHANCES) for one in found])
    return (binom.pmf(np.arange(r + 1)[:, None], r, CHANCES) * within).sum(axis=0)


def _enumerated(above: Any, below: Any, m: int, n: int) -> float:
    """Coverage of the guaranteed interval at 80 % over all samples of m positives and n negatives from three scores."""
    covered, labels = 0.0, np.repeat([1, 0], [m, n])
    truth = sum(
        p * q * (x > z) + p * q * (x == z) / 2 for (x, p), (z, q) in product(enumerate(above), enumerate(below))
    )
    for scores in product(range(3), repeat=m + n):
        found = auc_interval(labels, scores, level=0.8, method="guaranteed")
        chance = np.prod([above[x] for x in scores[:m]]) * np.prod([below[x] for x in scores[m:]])
        covered += chance * (found.low <= truth <= found.high)
    return float(covered)


def _delong(labels: Any, scores: Any) -> tuple[float, float, tuple[Any, Any]]:
    """AUC, DeLong's variance and the placements of both classes, from all pairs."""
    above, below = scores[labels == 1][:, None], scores[labels == 0]
    won = (above > below) + (above == below) / 2
    placed = won.mean(axis=1), won.mean(axis=0)
    return float(won.mean()), sum(np.var(of, ddof=1) / len(of) for of in placed), placed
