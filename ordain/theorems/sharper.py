"""Regret bounds beyond the papers: sharp constants and exponents, proved in docs/proofs.md. Rows X of regrets."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.random import Generator

from ordain.bounds.regret import (
    AT_PREVALENCE,
    balanced_bound,
    low_noise_bound,
    plug_in_bound,
    prevalence_bound,
    regret_bound,
)
from ordain.losses import LOSSES, Loss, p_classification
from ordain.theorems.exact.distributions import Finite, random_estimate, random_finite, reversal
from ordain.theorems.row import Measured, row

EVERY: tuple[Loss, ...] = (*LOSSES.values(), p_classification(3))


@row("X-sharp", "rank regret ≤ √(2/3λ) √(ℓ-regret) / p(1-p); on (P,Q,½), √(32/3λ) √(balanced regret)", "numeric")
def sharp(rng: Generator, effort: int) -> Measured:
    """Random estimates under every loss; uniform η ranked backwards attains it, as do other norms of the error."""
    largest, cases, attained = 0.0, 0, []
    for finite, estimate in _estimates(rng, 60 * effort):
        rank, even = finite.ranking_regret(estimate), finite.evened
        for loss in EVERY:
            scores = loss.link(estimate)
            bound = regret_bound(loss, loss_regret=_least(finite.regret(loss, scores)), prevalence=finite.prevalence)
            other = balanced_bound(loss, balanced_regret=_least(even.regret(loss, scores)))
            largest = max(largest, rank / bound.value, rank / other.value)
            cases += 2
        for power in (1.0, 1.5, 2.0, 4.0, np.inf):
            largest, cases = max(largest, rank / _plug_in(finite, estimate, power)), cases + 1
    for power in (1.5, 2.0, 4.0):
        finite, estimate = reversal(0.5, 0.02, 1000, power=power)
        attained.append(finite.ranking_regret(estimate) / _plug_in(finite, estimate, power))
    for name in ("squared", "logistic"):  # at one half, close around it, the weight is λ
        finite, estimate = reversal(0.5, 0.02, 1000)
        given = {"loss_regret": finite.regret(name, LOSSES[name].link(estimate)), "prevalence": finite.prevalence}
        attained.append(finite.ranking_regret(estimate) / regret_bound(name, **given).value)
        over = balanced_bound(name, balanced_regret=given["loss_regret"])
        attained.append(finite.ranking_regret(estimate) / over.value)
    passed = bool(largest <= 1 and min(attained) > 0.999)
    return Measured(cases, float(largest), "largest rank regret over the bound", passed)


@row(
    "X-lownoise",
    "rank regret ≤ C 2^{1+α}/p(1-p) · (2/λ · ℓ-regret)^{(1+α)/2}; at α = 1 the exponent 1 is best",
    "numeric",
)
def low_noise(rng: Generator, effort: int) -> Measured:
    """η uniform on widths 1, 0.1, 0.01; reversed in ever more blocks the ratio at α = 1 stays ¼."""
    largest, cases, ratios = 0.0, 0, []
    for width, alpha in product((1.0, 0.1, 0.01), (0.0, 0.5, 1.0)):
        for blocks in (1, 2, 4, 8, 16):
            finite, estimate = reversal(0.5, width, 320, blocks=blocks)
            ratio = _low_noise_ratio(finite, estimate, width, alpha)
            ratios += [ratio] if alpha == 1 else []
            largest, cases = max(largest, ratio), cases + 1
        for _ in range(4 * effort):
            noise = width * rng.exponential() * rng.normal(size=320)
            noisy = np.clip(finite.eta + noise, 0, 1)
            largest, cases = max(largest, _low_noise_ratio(finite, noisy, width, alpha)), cases + 1
    passed = bool(largest <= 1 and np.allclose(ratios, 0.25, rtol=0.01))
    return Measured(cases, float(largest), "largest rank regret over the bound", passed)


@row(
    "X-prevalence",
    "logistic, exponential: λ may be replaced by -H''(p), e.g. rank regret ≤ √(2 log-regret / 3p(1-p))",
    "numeric",
)
def at_prevalence(rng: Generator, effort: int) -> Measured:
    """Random estimates at shares of positives from 0.001 on; η uniform close around p, ranked backwards, attains it,
    and on no width up to all of [0, 1] is above it.
    """
    largest, cases, attained = 0.0, 0, []
    for _ in range(150 * effort):
        finite = random_finite(rng, int(rng.integers(2, 9)), offset=rng.uniform(-6, 3), spread=rng.exponential())
        estimate = random_estimate(rng, finite)
        for name in AT_PREVALENCE:
            largest, cases = max(largest, _at_prevalence_ratio(name, finite, estimate)), cases + 1
    for share, name in product((0.01, 0.1, 0.5, 0.9), AT_PREVALENCE):
        attained.append(_at_prevalence_ratio(name, *reversal(share, 0.01 * share * (1 - share), 200)))
    for share, part, name in product((0.05, 0.3, 0.5, 0.8), (0.2, 0.6, 0.999), AT_PREVALENCE):
        wide = reversal(share, part * 2 * min(share, 1 - share), 100)
        largest, cases = max(largest, _at_prevalence_ratio(name, *wide)), cases + 1
    largest = max(largest, *attained)
    return Measured(
        cases, float(largest), "largest rank regret over the bound", bool(largest <= 1 < min(attained) + 1e-3)
    )


def _estimates(rng: Generator, cases: int) -> Iterator[tuple[Finite, Any]]:
    """Random distributions with random estimates of their η, then the family that attains the constant."""
    for _ in range(cases):
        finite = random_finite(rng, int(rng.integers(2, 9)), offset=rng.normal())
        yield finite, random_estimate(rng, finite)
    yield from (reversal(centre, 0.02, 200) for centre in (0.1, 0.5, 0.7))


def _plug_in(finite: Finite, estimate: Any, power: float) -> float:
    """The bound from the error of the estimate in this norm, with room for rounding."""
    error = np.abs(estimate - finite.eta)
    size = error.max() if np.isinf(power) else (finite.mass @ error**power) ** (1 / power)
    return plug_in_bound(error=float(size), prevalence=finite.prevalence, power=power).value + 1e-12


def _low_noise_ratio(finite: Finite, estimate: Any, width: float, alpha: float) -> float:
    """Rank regret over the bound for η uniform on a width: P(|η - η(x)| ≤ t) ≤ min(1, 2t/width) ≤ (2t/width)^α."""
    regret = finite.regret("squared", 2 * estimate - 1)
    scale = (2 / width) ** alpha
    bound = low_noise_bound("squared", loss_regret=regret, prevalence=0.5, alpha=alpha, scale=scale)
    return finite.ranking_regret(estimate) / bound.value


def _at_prevalence_ratio(name: str, finite: Finite, estimate: Any) -> float:
    regret = _least(finite.regret(name, LOSSES[name].link(estimate)))
    return (
        finite.ranking_regret(estimate) / prevalence_bound(name, loss_regret=regret, prevalence=finite.prevalence).value
    )


def _least(regret: float) -> float:
    """A regret with room for rounding."""
    return max(regret, 0.0) + 1e-15
