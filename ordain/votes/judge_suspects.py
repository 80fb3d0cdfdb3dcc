"""Whose share is too far from what was expected of it, where honest judges differ too.

Judge j has m_j votes, of which a share y_j came out one way where π_j was expected. Honest judges are not all alike:
the share of one varies about π_j + μ, μ being common to all, with variance

    V_j = v_j + ρ π_j (1 - π_j) (1 - 1/m_j),

where v_j is that of independent votes and of the expectation itself, and ρ is the spread between judges. μ is the
median of y_j - π_j, weighted by 1/V_j. For each judge, ρ is the least, on a grid, for which the others have

    Σ w_i (min(z_i², c²) - κ) ≤ -q √(λ Σ w_i²),    z_i = (y_i - π_i - μ) / √V_i,    w_i = ∂ log V_i / ∂ρ,

κ and λ being the mean and the variance of min(z², c²) for normal z. With q = 0 and without c that is the likeliest ρ. c
bounds what a few dishonest judges can do to it; q makes it an upper limit, far up where the others are few, and 1, so
that nobody can be named, where they are too few for any.

A share is then tested by the tail of the beta-binomial law of that mean and spread. For ρ = 0 it is binomial, whose
tails are above those of votes with unequal chances of the same mean (Hoeffding, 1956), so it holds for few votes too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import betaln, gammaln, ndtr

from ordain._types import Vector

CUT, SURE = 1.5, 0.75
"""c and q above; `benchmarks/suspects.py` shows how often honest tables name anybody with them."""

SPREADS = np.append(0.0, np.geomspace(1e-5, 1.0, 64))
"""The values of ρ that are tried."""

LEAST = 1e-6
"""The smallest ρ for which the tails are taken; a judge of ten thousand votes does not feel it."""


class Shares(NamedTuple):
    """For each judge: votes m, share y that came out one way, expectation π, and variance v of it without spread."""

    votes: Vector
    seen: Vector
    expected: Vector
    variances: Vector


class Spread(NamedTuple):
    """How honest judges differ: μ, its variance, and ρ over the others of each judge."""

    shift: float
    shift_variance: float
    between: Vector


def spread_between(shares: Shares) -> Spread:
    """μ, and for each judge the upper limit of ρ over the others."""
    slopes = shares.expected * (1 - shares.expected) * (1 - 1 / shares.votes)
    between, known = np.ones(len(slopes)), np.zeros(len(slopes), dtype=bool)
    for rho in SPREADS:
        enough = _wide_enough(shares, slopes, rho) & ~known
        between[enough], known = rho, known | enough
    total = shares.variances + np.median(between) * slopes
    return Spread(_shift(shares, total), float(np.pi / 2 / (1 / total).sum()), between)


def tails(shares: Shares, spread: Spread) -> tuple[Vector, Vector]:
    """How likely an honest judge's share is at most, and at least, what was seen."""
    mean = np.clip(shares.expected + spread.shift, 0.001, 0.999)
    coin = mean * (1 - mean)
    unsure = np.maximum(shares.variances - coin / shares.votes, 0) + spread.shift_variance
    rho = np.clip(spread.between + unsure / coin, LEAST, 1 - LEAST)
    a, b = mean * (1 - rho) / rho, (1 - mean) * (1 - rho) / rho
    won = shares.votes * shares.seen
    lower = [_lower_tail(*each) for each in zip(shares.votes, np.ceil(won - 1e-9), a, b, strict=True)]
    upper = [_lower_tail(*each) for each in zip(shares.votes, np.ceil(shares.votes - won - 1e-9), b, a, strict=True)]
    return np.array(lower), np.array(upper)


def holm(p_values: Vector) -> Vector:
    """Holm's adjusted p-values: the i-th smallest of k times k + 1 - i, at least those before it, at most 1."""
    order = np.argsort(p_values, kind="stable")
    raised = np.maximum.accumulate(p_values[order] * np.arange(len(p_values), 0, -1))
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(raised, 1.0)
    return adjusted


def _wide_enough(shares: Shares, slopes: Vector, rho: float) -> Vector:
    """For each judge, whether the others spread no more than ρ allows."""
    total = shares.variances + rho * slopes
    weights, off = slopes / total, shares.seen - shares.expected - _shift(shares, total)
    mean, variance = _moments()
    terms = weights * (np.minimum(off**2 / total, CUT**2) - mean)
    others = np.maximum((weights**2).sum() - weights**2, 0)
    return terms.sum() - terms <= -SURE * np.sqrt(variance * others)


def _moments() -> tuple[float, float]:
    """Mean and variance of min(z², c²) for normal z."""
    beyond, density = 2 * ndtr(-CUT), np.exp(-(CUT**2) / 2) / np.sqrt(2 * np.pi)
    mean = 1 - beyond - 2 * CUT * density + CUT**2 * beyond
    fourth = 3 * (1 - beyond) - 2 * (CUT**3 + 3 * CUT) * density + CUT**4 * beyond
    return mean, fourth - mean**2


def _shift(shares: Shares, variances: Vector) -> float:
    """The median of y_j - π_j, weighted by 1/V_j."""
    off = shares.seen - shares.expected
    order = np.argsort(off, kind="stable")
    half = np.cumsum(1 / variances[order])
    return float(off[order][np.searchsorted(half, half[-1] / 2)])


def _lower_tail(m: float, most: float, a: float, b: float) -> float:
    """P(X ≤ most) for X beta-binomial of m votes."""
    k = np.arange(most + 1)
    logs = betaln(k + a, m - k + b) - betaln(a, b) - gammaln(k + 1) - gammaln(m - k + 1) + gammaln(m + 1)
    return min(1.0, float(np.exp(logs).sum()))
