"""Strongly proper losses and what their regrets say about rankings [Agarwal14]_: the rows S."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from math import cosh, isclose, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.special import expit

from ordain.bounds.calibration import balanced_to_pairs
from ordain.bounds.regret import balanced_bound, low_noise_bound, pair_bound, plug_in_bound, regret_bound
from ordain.learn.linear import LinearRanker
from ordain.losses import (
    LINE,
    LOSSES,
    Loss,
    balanced,
    from_bayes_risk,
    is_proper,
    is_regular,
    is_strictly_proper,
    mixture_cost,
    numeric_strength,
    p_classification,
)
from ordain.theorems.exact.distributions import Finite, crossing, random_estimate, random_exact, random_finite, reversal
from ordain.theorems.row import Measured, row

MORE: tuple[Loss, ...] = (*LOSSES.values(), balanced("logistic", 0.2), p_classification(3))
GRID = np.linspace(0.001, 0.999, 333)


@row("S-risks", "ranking error, ties at ½; its Bayes value; its regret is E|η-η'|(misranked + tied/2)/2p(1-p)", "exact")
def risks(rng: Generator, effort: int) -> Measured:
    """Against the definition over labelled pairs, and the best of all weak orders of the points."""
    cases, wrong = 0, 0
    for _ in range(8 * effort):
        finite = random_exact(rng, int(rng.integers(2, 4)))
        orders = [np.array(scores) for scores in product(range(len(finite.mass)), repeat=len(finite.mass))]
        errors = [_error_by_definition(finite, scores) for scores in orders]
        wrong += finite.bayes_ranking_error != min(errors)
        for scores, error in zip(orders, errors, strict=True):
            wrong += finite.ranking_error(scores) != error or finite.ranking_regret(scores) != error - min(errors)
        cases += len(orders)
    return Measured(cases, wrong, "scorers whose error or regret differs", wrong == 0)


@row(
    "S-cpe",
    "H is concave, c(1,·) falls, c(-1,·) rises; c is a mixture of cost-sensitive losses of weight -H''",
    "numeric",
)
def class_probability(rng: Generator, effort: int) -> Measured:
    """Every loss of the zoo, a balanced and a p-classification loss, on random announcements; between any two of them
    H bends by λ or more, and by λ under the squared loss.
    """
    q = np.sort(rng.uniform(0.001, 0.999, 200 * effort))
    a = rng.permutation(q)
    b = np.roll(a, 1)
    largest, least, proper = 0.0, np.inf, True
    for loss in MORE:
        bend = loss.entropy((a + b) / 2) - (loss.entropy(a) + loss.entropy(b)) / 2
        least = min(least, float((8 * bend / (a - b) ** 2).min()) / loss.strength)
        proper &= bool(np.all(np.diff(loss.cost(1, q)) < 0) and np.all(np.diff(loss.cost(-1, q)) > 0))
        proper &= is_proper(loss.cost, tolerance=1e-9) and is_strictly_proper(loss.cost) and is_regular(loss.cost)
        for y in (-1, 1):
            largest = max(largest, _relative(mixture_cost(loss, y, q), loss.cost(y, q)))
    passed = proper and largest < 1e-9 and isclose(least, 1, rel_tol=1e-6)
    return Measured(len(MORE) * len(q), largest, "largest relative gap of cost and mixture", passed)


@row("S-savage", "c(1,q) = H + (1-q)H' and c(-1,q) = H - qH' build a proper loss from any concave H", "numeric")
def savage(rng: Generator, effort: int) -> Measured:
    """Every loss of the zoo from its entropy alone, and random concave functions."""
    largest, cases, proper = 0.0, 0, True
    for loss in LOSSES.values():
        built = from_bayes_risk(loss.entropy)
        largest = max(largest, *(_relative(built.cost(y, GRID), loss.cost(y, GRID)) for y in (-1, 1)))
        cases += 2 * len(GRID)
    for a, b, c in rng.uniform(0.1, 1, (3 * effort, 3)):
        loss = from_bayes_risk(partial(_concave, a, b, c))
        proper &= is_strictly_proper(loss.cost) and is_regular(loss.cost)
        cases += 1
    return Measured(cases, float(largest), "largest relative gap to the cost in the zoo", proper and largest < 1e-7)


@row("S-zoo", "Table 1: λ = 4, 4, 8, 8, 1, 4, 2, 1, ψ⁻¹(ψ(q)) = q, and ℓ(y, ψ(q)) = c(y, q)", "numeric")
def zoo(rng: Generator, effort: int) -> Measured:
    """λ by a search over -H'', from differences of H; the link on random probabilities."""
    stated = dict(zip(LOSSES, (4, 4, 8, 8, 1, 4, 2, 1), strict=True))
    q = rng.uniform(0.001, 0.999, 200 * effort)
    strengths = max(abs(numeric_strength(loss.entropy) / stated[name] - 1) for name, loss in LOSSES.items())
    linked = max(_relative(loss.value(y, loss.link(q)), loss.cost(y, q)) for loss in LOSSES.values() for y in (-1, 1))
    same = all(loss.strength == stated[name] for name, loss in LOSSES.items())
    turned = max(_relative(loss.inverse(loss.link(q)), q) for loss in LOSSES.values())
    passed = same and strengths < 1e-6 and linked < 1e-9 and turned < 1e-9
    return Measured(len(LOSSES) * len(q), strengths, "largest relative gap of λ and the least -H''", passed)


@row("S-thm10", "a regular proper loss is λ-strongly proper exactly if H is λ-strongly concave", "numeric")
def strong_concavity(rng: Generator, effort: int) -> Measured:
    """Both hold with λ everywhere; with 1.01 λ both fail where -H'' is least."""
    smallest, tight = np.inf, True
    a, b, t = rng.uniform(0.001, 0.999, (3, 500 * effort))
    apart = np.abs(a - b) > 1e-2
    a, b, t = a[apart], b[apart], t[apart]
    for loss in MORE:
        half = loss.strength / 2 * (a - b) ** 2
        chord = loss.entropy(t * a + (1 - t) * b) - t * loss.entropy(a) - (1 - t) * loss.entropy(b)
        smallest = min(smallest, (loss.regret(a, b) / half).min(), (chord / (t * (1 - t) * half)).min())
        light = np.clip(GRID[np.argmin(loss.weight(GRID))], 0.003, 0.997)
        low, high = light - 2e-3, light + 2e-3
        bend = loss.entropy(light) - (loss.entropy(low) + loss.entropy(high)) / 2
        tight &= bool(loss.regret(low, high) < 1.02 * loss.strength / 2 * 16e-6)
        tight &= bool(bend < 1.02 * loss.strength / 8 * 16e-6)
    return Measured(
        2 * len(a) * len(MORE), float(smallest), "least regret over λ/2 (η-q)²", bool(tight and smallest > 1 - 1e-6)
    )


@row("S-thm13", "rank regret ≤ √2/(p(1-p)√λ) √(ℓ-regret), through E(ψ⁻¹f-η)² ≤ (2/λ) ℓ-regret", "numeric")
def theorem_13(rng: Generator, effort: int) -> Measured:
    """Random distributions and estimates under every loss, and uniform η ranked backwards, which reaches 1/√3."""
    largest, cases, strong = 0.0, 0, True
    for finite, estimate in _estimates(rng, 60 * effort):
        for loss in MORE:
            regret = finite.regret(loss, loss.link(estimate))
            strong &= finite.mass @ (estimate - finite.eta) ** 2 <= 2 / loss.strength * regret + 1e-12
            room = max(regret, 0) + 1e-15  # what rounding may have taken
            bound = regret_bound(loss, loss_regret=room, prevalence=finite.prevalence, sharp=False)
            largest, cases = max(largest, float(finite.ranking_regret(estimate) / bound.value)), cases + 1
    return Measured(
        cases, largest, "largest rank regret over the bound", bool(strong and 0.57 < largest <= 1 / sqrt(3))
    )


@row("S-cor12", "plug-in: rank regret ≤ E|η̂-η| / p(1-p), and no factor below 1 will do", "exact")
def corollary_12(rng: Generator, effort: int) -> Measured:
    """Random fractions with ties, and one point of little mass moved across the rest."""
    ratios = []
    for _ in range(150 * effort):
        finite = random_exact(rng, int(rng.integers(2, 6)))
        estimate = np.array([Fraction(int(x), 6) for x in rng.integers(0, 7, len(finite.mass))])
        ratios.append(_plug_in_ratio(finite, estimate))
    for mass in (Fraction(1, 10), Fraction(1, 1000)):
        ratios.append(_plug_in_ratio(*crossing(mass, Fraction(1, 4), Fraction(1, 10**9))))
    return Measured(len(ratios), float(max(ratios)), "largest rank regret over the bound", 0.99 < max(ratios) <= 1)


@row("S-pair", "pairs of different labels: η̃, p̃ = ½, and rank error = 0-1 error of sign(f(x)-f(x'))", "exact")
def pair_reduction(rng: Generator, effort: int) -> Measured:
    """The pair distribution and the error of the sign by enumeration of labelled pairs, ties guessed negative."""
    cases, wrong = 0, 0
    for _ in range(25 * effort):
        finite = random_exact(rng, int(rng.integers(2, 5)))
        scores = rng.integers(0, 3, len(finite.mass))
        law = _pairs_by_definition(finite)
        pairs = finite.pairs
        k = len(finite.mass)
        wrong += pairs.prevalence != Fraction(1, 2)
        wrong += any(pairs.mass[k * x + z] != sum(both) for (x, z), both in law.items())
        wrong += any(pairs.mass[k * x + z] * pairs.eta[k * x + z] != both[0] for (x, z), both in law.items())
        error = sum((both[1] if scores[x] > scores[z] else both[0]) for (x, z), both in law.items())
        wrong += finite.ranking_error(scores) != error
        signs = (scores[:, None] > scores).ravel()
        wrong += finite.ranking_regret(scores) != pairs.zero_one_regret(signs)
        cases += 1
    return Measured(cases, wrong, "distributions in which something differs", wrong == 0)


@row(
    "S-bartlett",
    "margin losses are calibrated, ψ(½) = 0; rank regret ≤ g(pair regret), g(z) ≤ √(2z) for λ = 4",
    "numeric",
)
def margin_calibration(rng: Generator, effort: int) -> Measured:
    """Scorers of random distributions under every margin loss on the line; the best score has the sign of η - ½."""
    losses = [loss for loss in LOSSES.values() if loss.is_margin and loss.domain == LINE]
    q = rng.uniform(0.01, 0.99, 200)
    calibrated = all(np.array_equal(np.sign(loss.link(q)), np.sign(q - 0.5)) for loss in losses)
    largest, cases = 0.0, 0
    for _ in range(40 * effort):
        finite = random_finite(rng, int(rng.integers(2, 7)))
        scores = rng.normal(size=len(finite.mass)) * rng.exponential()
        gaps, rank = (scores[:, None] - scores).ravel(), finite.ranking_regret(scores)
        for loss in losses:
            pair_regret = max(finite.pairs.regret(loss, gaps), 0.0) + 1e-15
            bound = pair_bound(loss, pair_regret=pair_regret).value
            calibrated &= bound <= sqrt(8 * pair_regret / loss.strength) + 1e-12
            largest, cases = max(largest, rank / bound), cases + 1
    return Measured(
        cases, float(largest), "largest rank regret over the bound", bool(calibrated and largest <= 1 + 1e-12)
    )


@row(
    "S-kotlowski",
    "pair-log regret ≤ 2r, pair-exp regret ≤ r(2+r), r balanced; rank regret ≤ 2√r and 3/√2 √r",
    "numeric",
)
def balanced_regrets(rng: Generator, effort: int) -> Measured:
    """Random scorers; and P = Q with scores ±k, where pair-exp over balanced regret is 1 + cosh k, above 9/4."""
    largest, cases, ranks = 0.0, 0, True
    for _ in range(200 * effort):
        finite = random_finite(rng, int(rng.integers(2, 6)))
        scores = rng.normal(size=len(finite.mass)) * rng.exponential() + rng.normal()
        for name in ("logistic", "exponential"):
            even = max(finite.regret(balanced(name, float(finite.prevalence)), scores), 0.0) + 1e-15
            over_pairs = finite.pairs.regret(name, (scores[:, None] - scores).ravel())
            largest, cases = max(largest, over_pairs / balanced_to_pairs(name, even)), cases + 1
            printed = balanced_bound(name, balanced_regret=even, sharp=False).value
            ranks &= finite.ranking_regret(scores) <= printed + 1e-12
            factor = {"logistic": 2.0, "exponential": 3 / sqrt(2)}[name]  # as stated above
            ranks &= isclose(printed, factor * sqrt(even))
            ranks &= isclose(balanced_to_pairs(name, even), even * (2 if name == "logistic" else 2 + even))
    same, k = Finite(np.array([0.5, 0.5]), np.array([0.5, 0.5])), 2.0
    ratio = same.pairs.regret("exponential", np.array([0, 2 * k, -2 * k, 0])) / same.regret(
        "exponential", np.array([k, -k])
    )
    passed = ranks and largest <= 1 + 1e-9 and isclose(ratio, 1 + cosh(k)) and ratio > 9 / 4
    return Measured(cases, float(largest), "largest pair regret over its bound", passed)


@row(
    "S-lownoise",
    "P(|η-η(x)| ≤ t) ≤ C t^α: rank regret ≤ C_α/p(1-p) (2/λ · ℓ-regret)^((1+α)/(2+α)), C_α grows with C",
    "numeric",
)
def low_noise(rng: Generator, effort: int) -> Measured:
    """η uniform on widths 1, 0.1 and 0.01, reversed in 1 to 16 blocks or noisy, under the squared loss."""
    largest, cases, needed = 0.0, 0, []
    for width, alpha in product((1.0, 0.1, 0.01), (0.0, 0.5, 0.9)):
        for finite, estimate in _uniform_estimates(rng, width, effort):
            regret, rank = finite.regret("squared", 2 * estimate - 1), finite.ranking_regret(estimate)
            bound = low_noise_bound(
                "squared", loss_regret=regret, prevalence=0.5, alpha=alpha, scale=(2 / width) ** alpha, sharp=False
            )
            largest, cases = max(largest, rank / bound.value), cases + 1
            needed.append((alpha, width, rank * bound.scale / bound.value))
    grows = [max(x for a, w, x in needed if a == 0.5 and w == width) for width in (1.0, 0.1, 0.01)]
    passed = largest <= 1 and grows[0] * 1.5 < grows[1] and grows[1] * 1.5 < grows[2]
    return Measured(cases, float(largest), "largest rank regret over the bound", bool(passed))


@row(
    "S-consistent",
    "in a class that holds every scorer, pointwise, balanced and pairwise training all find the best AUC",
    "sampled",
)
def consistency(rng: Generator, effort: int) -> Measured:
    """Eight points with one weight each; regret at 200 and at 20,000 rows, the mean over the three reductions; and
    the balanced one is that of rows whose weights even out the classes.
    """
    finite = Finite(np.full(8, 1 / 8), expit(np.linspace(-2, 1, 8)))
    regrets: dict[int, list[float]] = {200: [], 20_000: []}
    for rows, reduction, _ in product(regrets, ("pointwise", "balanced", "pairwise"), range(effort)):
        points = rng.choice(8, rows, p=finite.mass)
        labels = rng.random(rows) < finite.eta[points]
        ranker = LinearRanker(reduction=reduction, alpha=1e-6).fit(np.eye(8)[points], labels)
        regrets[rows].append(float(finite.ranking_regret(ranker.decision_function(np.eye(8)))))
    early, late = (float(np.mean(found)) for found in regrets.values())
    told = _classes_weigh_the_same(np.eye(8)[points[:500]], labels[:500])
    return Measured(6 * effort, late, "mean AUC regret at 20,000 rows", late < 5e-4 and late < early and told)


def _classes_weigh_the_same(X: Any, labels: Any) -> bool:
    """Whether the balanced reduction is the pointwise one with weights that even the classes out, and no other."""
    evened = np.where(labels, 0.5 / np.mean(labels), 0.5 / np.mean(~labels))
    found, plain, weighed = (
        LinearRanker(reduction=reduction, alpha=1e-2).fit(X, labels, weight).coef_
        for reduction, weight in (("balanced", None), ("pointwise", None), ("pointwise", evened))
    )
    return bool(np.allclose(found, weighed, atol=1e-6) and not np.allclose(found, plain, atol=1e-3))


def _concave(a: float, b: float, c: float, q: Any) -> Any:
    """An entropy of no named loss, bending without limit at 0 only."""
    return a * q * (1 - q) + b * np.sqrt(q) * (1 - q) + c


def _error_by_definition(finite: Finite, scores: Any) -> Fraction:
    """Over (x, y) and (x', y') with y ≠ y': the chance of the wrong order, one half for ties."""
    lost = Fraction(0)
    for (x, z), (first, second) in _pairs_by_definition(finite).items():
        if scores[x] == scores[z]:
            lost += (first + second) / 2
        else:
            lost += second if scores[x] > scores[z] else first
    return lost


def _pairs_by_definition(finite: Finite) -> dict[tuple[int, int], tuple[Fraction, Fraction]]:
    """For every pair of points the chances that its first or its second is positive, given that the labels differ."""
    chance = {
        (x, y): mass * (eta if y else 1 - eta)
        for x, (mass, eta) in enumerate(zip(finite.mass, finite.eta, strict=True))
        for y in (True, False)
    }
    points = range(len(finite.mass))
    either = sum(p * q for (_, y), p in chance.items() for (_, v), q in chance.items() if y != v)
    return {
        (x, z): (chance[x, True] * chance[z, False] / either, chance[x, False] * chance[z, True] / either)
        for x, z in product(points, repeat=2)
    }


def _estimates(rng: Generator, cases: int) -> Iterator[tuple[Finite, Any]]:
    """Random distributions with random estimates of their η, then the family that attains the sharp constant."""
    for _ in range(cases):
        finite = random_finite(rng, int(rng.integers(2, 9)), offset=rng.normal())
        yield finite, random_estimate(rng, finite)
    yield from (reversal(centre, 0.02, 100) for centre in (0.1, 0.5, 0.7))


def _uniform_estimates(rng: Generator, width: float, effort: int) -> Iterator[tuple[Finite, Any]]:
    """η uniform around ½ on many points, reversed in blocks, or known up to noise."""
    for blocks in (1, 2, 4, 16):
        yield reversal(0.5, width, 320, blocks=blocks)
    for _ in range(4 * effort):
        finite, _ = reversal(0.5, width, 320)
        noise = width * rng.exponential() * rng.normal(size=320)
        yield finite, np.clip(finite.eta + noise, 0, 1)


def _plug_in_ratio(finite: Finite, estimate: Any) -> Fraction:
    """Rank regret over the bound of Corollary 12, in fractions; 0 where both are 0."""
    error = finite.mass @ np.abs(estimate - finite.eta)
    if error == 0:
        return Fraction(0)
    bound = error / (finite.prevalence * (1 - finite.prevalence))
    stated = plug_in_bound(error=float(error), prevalence=float(finite.prevalence)).value
    if not isclose(stated, bound, rel_tol=1e-12):
        return Fraction(2)
    return finite.ranking_regret(estimate) / bound


def _relative(got: Any, want: Any) -> float:
    """The largest difference relative to 1 + the wanted size."""
    return float(np.max(np.abs(got - want) / (1 + np.abs(want))))
