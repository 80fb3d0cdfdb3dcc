"""An audit that may be looked at after every answer and stopped at will.

Answers y₁, y₂, … in [0, 1] come one after another. If each has, given those before it, the mean μ_i, then

    E = B(s + ½, m - s + ½) / B(½, ½) / Π μ_i^y_i (1 - μ_i)^(1 - y_i),   s = Σ y_i,

is a supermartingale that starts at 1: the wealth of a gambler who spreads it over the coins θ by the Beta(½, ½) law.
Ever to see E ≥ 1/α has a probability of at most α (`docs/proofs_sorting.md`, 10), so that one may stop as soon as it
is. Against one half, E = 2^m B(s + ½, m - s + ½) / B(½, ½). All means that E does not refute make an interval.

For pairs drawn afresh from all pairs, repeats allowed, μ_i is the mean μ. For different pairs of N, and a judge who
would answer the same again, it is that of the pairs left, (Nμ - Σ before) / (N - i + 1): give `size` = N. Against one
half both draws are served by the first form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, xlogy

from ordain._checks import check_share
from ordain._types import Answers, Pairs, Vector
from ordain.audit.agreement import Verdict, better, puts_first
from ordain.audit.drawn import check_asked
from ordain.certificate import figure_and_interval

STEPS = 60
"""Halvings that find an end of an interval."""


@dataclass(frozen=True)
class SoFar:
    """The share of audit pairs that the order puts as the judge does, with an interval that holds at every time."""

    value: float
    low: float
    high: float
    of: int
    level: float

    def __str__(self) -> str:
        value, interval = figure_and_interval(self.value, self.low, self.high, self.level)
        return (
            f"The order agrees with the judge on {value} of {self.of:,} so far, {interval}, at whatever time one stops "
            "(Beta mixture)."
        )


@dataclass(frozen=True)
class VerdictSoFar:
    """Which of two orders agrees better with the judge, by evidence that may be looked at after every answer."""

    verdict: Verdict

    @property
    def evidence(self) -> float:
        """E against orders that agree equally well; 1/α or more has a probability of at most α, ever."""
        told = self.verdict.first
        return float(np.exp(log_wealth(told.part, told.of) + told.of * np.log(2.0)))

    @property
    def shown(self) -> bool:
        """Whether one may stop."""
        return self.evidence >= 1 / (1 - self.verdict.first.level)

    def __str__(self) -> str:
        found = f"The {('first', 'second')[self.verdict.pick or 0]} order agrees better with the judge"
        said = f"{found}: stop" if self.shown else "The audit cannot tell the orders apart yet: go on"
        return (
            f"{said}. Agreement differs by {self.verdict.difference:+.3f} on {self.verdict.pairs:,} pairs, "
            f"{self.verdict.first.of:,} of which tell; E = {self.evidence:.3g}, and "
            f"{1 / (1 - self.verdict.first.level):g} is enough, at whatever time it is reached."
        )


def agreement_so_far(
    order: Vector, pairs: Pairs, answers: ArrayLike, *, level: float = 0.95, size: int | None = None
) -> SoFar:
    """How far an order agrees with the answers to random pairs, with an interval that holds whenever one stops.

    Parameters
    ----------
    order : array of item numbers
        Best first.
    pairs, answers
        In the order in which they were asked; drawn by lot, one after another.
    level : float
        With this probability the interval holds at all times together.
    size : int, optional
        How many pairs there are, if none is drawn twice and the judge would answer the same again.

    Examples
    --------
    >>> pairs = np.array([[0, 1], [1, 2], [0, 2]] * 10)
    >>> print(agreement_so_far([0, 1, 2], pairs, np.ones(30)))
    The order agrees with the judge on 1.00 of 30 so far, 95% confidence interval 0.83 to 1.00, at whatever time one
    stops (Beta mixture).
    """
    pairs, given = check_asked(pairs, answers)
    right = np.where(puts_first(order, pairs), given, 1 - given)
    if size is not None and not size >= len(right):
        raise ValueError(f"size must be the number of all pairs, {len(right)} or more. Got {size}.")
    low, high = interval_so_far(right, check_share(level, "level"), size)
    return SoFar(float(right.mean()), low, high, len(right), level)


def better_so_far(
    first: Vector, second: Vector, pairs: Pairs, answers: ArrayLike, *, level: float = 0.95
) -> VerdictSoFar:
    """Which of two orders agrees better with the judge, as :func:`better`, but one may look after every answer.

    Examples
    --------
    >>> pairs, back = np.array([[0, 1]] * 12), [1, 0]
    >>> [better_so_far([0, 1], back, pairs[:count], np.ones(count)).shown for count in (6, 7, 12)]
    [False, True, True]
    """
    return VerdictSoFar(better(first, second, pairs, answers, level=level))


def log_wealth(part: float, of: int) -> float:
    """ln B(s + ½, m - s + ½) / B(½, ½): the likelihood of all coins together."""
    return float(betaln(part + 0.5, of - part + 0.5) - betaln(0.5, 0.5))


def interval_so_far(right: Answers, level: float, size: int | None = None) -> tuple[float, float]:
    """The least and the largest mean that the wealth does not refute; ln E is convex in the mean."""
    total, before = float(right.sum()), np.cumsum(right) - right
    limit = -np.log1p(-level) - log_wealth(total, len(right))

    def unlikely(mean: float) -> float:
        if size is None:
            return _unlikely(total, len(right) - total, mean)
        return _unlikely(right, 1 - right, (size * mean - before) / (size - np.arange(len(right))))

    likeliest = min([float(right.mean()), *(np.arange(101) / 100 if size else ())], key=unlikely)
    if unlikely(likeliest) >= limit:  # all means are refuted, which has a chance of 1 - level
        return likeliest, likeliest
    ends = []
    for end in (0.0, 1.0):
        inside, outside = likeliest, end
        for _ in range(STEPS if unlikely(end) >= limit else 0):
            middle = (inside + outside) / 2
            inside, outside = (inside, middle) if unlikely(middle) >= limit else (middle, outside)
        ends.append(outside)
    return ends[0], ends[1]


def _unlikely(right: Any, wrong: Any, means: Any) -> float:
    """-Σ y ln μ + (1 - y) ln(1 - μ); infinite where a mean leaves [0, 1]."""
    if np.min(means) < -1e-12 or np.max(means) > 1 + 1e-12:
        return np.inf
    return -float(np.sum(xlogy(right, np.clip(means, 0, 1)) + xlogy(wrong, np.clip(1 - means, 0, 1))))
