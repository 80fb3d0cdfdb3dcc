"""Bayes-optimal scorers for bipartite ranking [MenonWilliamson14]_: the rows M."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.optimize import minimize_scalar
from scipy.special import expit, logit

from ordain.bounds.calibration import calibration
from ordain.losses import LINE, LOSSES, Loss, numeric_strength, p_classification, through_logit
from ordain.pairs import PairRisk
from ordain.theorems.exact.best_scorers import (
    bipartite_optimum,
    classification_optimum,
    decomposition_gap,
    distribution_link,
    fixed_point,
    is_auc_optimal,
    pair_chances,
    pair_optimum,
)
from ordain.theorems.exact.distributions import Finite, random_exact, random_finite
from ordain.theorems.row import Measured, row

FOR_PAIRS = tuple(loss for loss in LOSSES.values() if loss.fits_pairs)
SIGMOID: tuple[Loss, ...] = (
    *(loss for loss in LOSSES.values() if loss.sigmoid_slope is not None and loss.domain == LINE),
    through_logit("squared"),
    through_logit("spherical"),
    p_classification(2),
)


@row("M-risk", "bipartite surrogate risk of s = risk of s(x) - s(x') on the pair distribution", "numeric")
def bipartite_risk(rng: Generator, effort: int) -> Measured:
    """The risk of all pairs as learners compute it, against the classification risk under D̃."""
    largest, cases = 0.0, 0
    for finite in _some(rng, 8 * effort):
        scores = rng.normal(size=len(finite.mass))
        weights = np.concatenate([finite.positives, finite.negatives])
        for loss in FOR_PAIRS:
            value, _ = PairRisk(finite.labels, loss, weights=weights).value_gradient(np.tile(scores, 2))
            expected = finite.pairs.risk(loss, (scores[:, None] - scores).ravel())
            largest, cases = max(largest, abs(value / expected - 1)), cases + 1
    return Measured(cases, float(largest), "largest relative difference", largest < 1e-11)


@row("M-pair", "η_pair = σ(σ⁻¹η(x) - σ⁻¹η(x')); the optimal pair scorer is ψ∘η_pair", "numeric")
def pair_scorer(rng: Generator, effort: int) -> Measured:
    """Each pair's score by a search for the least risk of the pair and its mirror image."""
    largest, cases = 0.0, 0
    for finite in _some(rng, 2 * effort, points=3):
        odds = logit(finite.eta)
        largest = max(largest, np.abs(pair_chances(finite) - expit(odds[:, None] - odds)).max())
        for loss, (x, z) in product(FOR_PAIRS, product(range(3), repeat=2)):
            up, down = finite.positives[x] * finite.negatives[z], finite.positives[z] * finite.negatives[x]
            found = minimize_scalar(lambda t, a=up, b=down, loss=loss: a * loss.phi(t) + b * loss.phi(-t), (-1, 1))
            largest, cases = max(largest, abs(found.x - pair_optimum(finite, loss)[x, z])), cases + 1
    return Measured(cases, float(largest), "largest distance to the numeric minimiser", bool(largest < 1e-5))


@row("M-optimal", "S_class = ψ∘η; AUC-optimal are all s with η(x) > η(x') ⇒ s(x) > s(x'); the two meet", "numeric")
def optimal_scorers(rng: Generator, effort: int) -> Measured:
    """All weak orders of up to four points in fractions; the classification optimum, found numerically, among them."""
    cases, wrong = 0, 0
    for _ in range(3 * effort):
        finite = random_exact(rng, 4, levels=4)
        for scores in product(range(4), repeat=4):
            wrong += (finite.ranking_regret(np.array(scores)) == 0) != is_auc_optimal(finite, np.array(scores))
            cases += 1
    for finite, loss in product(_some(rng, effort), LOSSES.values()):
        found = classification_optimum(finite, loss)
        link = loss.link(finite.eta) if loss.domain == LINE else logit(finite.eta)
        wrong += bool(np.abs(found - link).max() > 1e-5) or not is_auc_optimal(finite, found)
        cases += 1
    return Measured(cases, wrong, "scorers that contradict it", wrong == 0)


@row(
    "M-decomp",
    "the optimal pair scorer is a difference, and {ψ∘η + b} optimal, if ψ⁻¹ is a sigmoid; else not",
    "numeric",
)
def decomposable(rng: Generator, effort: int) -> Measured:
    """Bipartite optima by minimisation on four values of η; with two values every odd link decomposes."""
    largest, smallest, cases, two = 0.0, np.inf, 0, 0.0
    for finite in _some(rng, 10 * effort, points=4):
        finite = Finite(finite.mass, np.clip(finite.eta, 0.05, 0.95))
        for loss in SIGMOID:
            largest = max(largest, _apart(bipartite_optimum(finite, loss), loss.link(finite.eta)))
            largest, cases = max(largest, decomposition_gap(pair_optimum(finite, loss))), cases + 1
    spread = Finite(np.full(4, 0.25), np.array([0.1, 0.3, 0.6, 0.9]))
    for loss in FOR_PAIRS:
        two = max(two, decomposition_gap(pair_optimum(Finite(np.full(2, 0.5), np.array([0.2, 0.9])), loss)))
        if loss.sigmoid_slope is None:
            gap = decomposition_gap(pair_optimum(spread, loss))
            smallest = min(smallest, gap, _apart(bipartite_optimum(spread, loss), loss.link(spread.eta)))
            cases += 1
    passed = bool(largest < 1e-9 and smallest > 1e-2 and two < 1e-12)
    return Measured(cases, float(largest), "largest distance from ψ∘η + b with a sigmoid", passed)


@row(
    "M-regret",
    "F(rank regret) ≤ pair regret, F(θ) = H(½) - ½[H((1+θ)/2) + H((1-θ)/2)]; exponential 1-√(1-θ²)",
    "numeric",
)
def regret_transform(rng: Generator, effort: int) -> Measured:
    """Random scorers, with ties, under every loss with a sigmoid link; two almost certain points attain it."""
    theta = rng.uniform(0, 1, 50)
    shape = np.abs(calibration("exponential", theta) - (1 - np.sqrt(1 - theta**2))).max() < 1e-12
    largest, cases = 0.0, 0
    certain = Finite(np.array([0.5, 0.5]), np.array([0.001, 0.999]))
    for finite in (certain, *_some(rng, 60 * effort)):
        scores = np.round(rng.normal(size=len(finite.mass)) * rng.exponential(), 1)
        scores = np.array([1e-9, 0]) if finite is certain else scores
        for loss in SIGMOID:
            pair_regret = finite.pairs.regret(loss, (scores[:, None] - scores).ravel())
            rank = finite.ranking_regret(scores)
            largest, cases = max(largest, float(calibration(loss, rank)) / max(pair_regret, 1e-12)), cases + 1
            shape &= _midpoint_convex(loss, theta)
    return Measured(
        cases, float(largest), "largest F(rank regret) over pair regret", bool(shape and 0.9 < largest <= 1 + 1e-9)
    )


@row("M-nondecomp", "other margin losses: η = f∘s* with a link f that depends on the distribution", "numeric")
def distribution_dependent(rng: Generator, effort: int) -> Measured:
    """The equations η = f∘s solved, against the minimiser of the risk; f rises; the printed f does not fit."""
    largest, cases, rises, printed = 0.0, 0, True, np.inf
    losses = [loss for loss in FOR_PAIRS if loss.sigmoid_slope is None and loss.name != "squared_hinge"]
    for finite, loss in product(_some(rng, 10 * effort, points=4, spread=0.8), losses):
        best = bipartite_optimum(finite, loss)
        largest = max(largest, _apart(fixed_point(finite, loss), best))
        largest = max(largest, np.abs(distribution_link(finite, loss, best, best) - finite.eta).max())
        at = np.linspace(best.min(), best.max(), 50)
        rises &= bool(np.all(np.diff(distribution_link(finite, loss, best, at)) > 0))
        printed = min(printed, float(np.abs(_printed_link(finite, loss, best) - finite.eta).max()))
        cases += 1
    passed = bool(largest < 1e-9 and rises and printed > 1e-3)
    return Measured(cases, float(largest), "largest distance of fixed point and minimiser", passed)


@row("M-push", "p-norm push with the exponential loss has the optimum σ⁻¹∘η/(p+1) + b", "numeric")
def push(rng: Generator, effort: int) -> Measured:
    """The push minimised for p = 1, 2, 3.5 and 8; the risk that learners use has the value of its definition and no
    slope at σ⁻¹∘η/(p+1).
    """
    largest, cases, steepest = 0.0, 0, 0.0
    for finite, p in product(_some(rng, 4 * effort, points=4), (1, 2, 3.5, 8)):
        expected = logit(finite.eta) / (p + 1)
        largest = max(largest, _apart(bipartite_optimum(finite, "exponential", push=p), expected))
        weights = np.concatenate([finite.positives, finite.negatives])
        risk = PairRisk(finite.labels, "exponential", weights=weights, push=p)
        value, gradient = risk.value_gradient(np.tile(expected, 2))
        steepest = max(steepest, float(np.abs(gradient[:4] + gradient[4:]).max()))
        levels = finite.positives @ np.exp(expected - expected[:, None])  # of each negative, over the positives
        steepest = max(steepest, abs(value / float(finite.negatives @ levels**p) - 1) / 100)
        cases += 1
    passed = largest < 1e-9 and steepest < 1e-12
    return Measured(cases, largest, "largest distance from σ⁻¹∘η/(p+1)", passed)


@row(
    "M-pclass",
    "p-classification: ℓ = (e^{pv}/p, e^{-v}), its weight, the optimum of the push; λ = 4, 2.618, 1.237",
    "numeric",
)
def p_class(rng: Generator, effort: int) -> Measured:
    """Weight by differences of H, λ by a search, the optimum by minimisation."""
    largest, cases, weights = 0.0, 0, True
    q = rng.uniform(0.05, 0.95, 100)
    for p, strength in ((1, 4.0), (2, 2.618), (5, 1.237)):
        loss, a = p_classification(p), 1 / (p + 1)
        weights &= np.allclose(loss.weight(q), 1 / ((p + 1) * q ** (1 + a) * (1 - q) ** (2 - a)), rtol=1e-12)
        bend = (2 * loss.entropy(q) - loss.entropy(q - 1e-4) - loss.entropy(q + 1e-4)) / 1e-8
        weights &= np.allclose(bend, loss.weight(q), rtol=1e-3)
        weights &= abs(loss.strength - strength) < 5e-4 and abs(numeric_strength(loss) / loss.strength - 1) < 1e-8
        for finite in _some(rng, 10 * effort):
            largest = max(largest, float(np.abs(classification_optimum(finite, loss) - logit(finite.eta) * a).max()))
            cases += 1
    return Measured(cases, float(largest), "largest distance from σ⁻¹∘η/(p+1)", bool(weights and largest < 1e-9))


@row(
    "M-equiv",
    "pointwise, pairwise, pair scorer and push, all exponential, have one optimum up to shift and scale",
    "numeric",
)
def equivalence(rng: Generator, effort: int) -> Measured:
    """The four minimisers for p = 1, 2 and 5. Only an antisymmetric pair scorer has one: as printed it runs away."""
    largest, cases = 0.0, 0
    for finite, p in product(_some(rng, 10 * effort, points=4), (1, 2, 5)):
        pointwise = classification_optimum(finite, "exponential")
        gaps = pointwise[:, None] - pointwise
        largest = max(
            largest,
            _apart(bipartite_optimum(finite, "exponential"), pointwise),
            _apart(bipartite_optimum(finite, "exponential", push=p) * (p + 1) / 2, pointwise),
            float(np.abs(pair_optimum(finite, "exponential") - gaps).max()),
        )
        cases += 1
    return Measured(cases, float(largest), "largest distance of the four", largest < 1e-9)


def _some(rng: Generator, cases: int, points: int | None = None, spread: float = 1.2) -> Iterator[Finite]:
    """Random distributions with η not too close to 0 and 1, so that scores stay moderate."""
    for _ in range(cases):
        finite = random_finite(rng, points or int(rng.integers(3, 6)), spread=spread)
        yield Finite((finite.mass + 0.05) / (1 + 0.05 * len(finite.mass)), np.clip(finite.eta, 0.03, 0.97))


def _apart(scores: Any, others: Any) -> float:
    """The largest difference after both are centred."""
    return float(np.abs(scores - np.mean(scores) - others + np.mean(others)).max())


def _midpoint_convex(loss: Loss, theta: Any) -> bool:
    """Whether F is below its chords at the middle of random intervals."""
    ends = (calibration(loss, theta[:-1]) + calibration(loss, theta[1:])) / 2
    return bool(np.all(calibration(loss, (theta[:-1] + theta[1:]) / 2) <= ends + 1e-12))


def _printed_link(finite: Finite, loss: Loss, scores: Any) -> Any:
    """The link as it stands on the poster, with ℓ'(-1, ·) in both terms."""
    gaps = loss.gradient(-1, scores[:, None] - scores)
    up, down = finite.prevalence * gaps @ finite.positives, (1 - finite.prevalence) * gaps @ finite.negatives
    with np.errstate(divide="ignore"):
        return up / (up - down)
