"""One model of features and items: s_u = x_u·w + t_u, the features' part and a term of the item's own.

Answers are as in :mod:`ordain.rank.bradley_terry.posterior`, P(u before v) = ε + (1 - 2ε) σ(s_u - s_v + b), and

    w ~ N(0, ω_k²) in block k of the features,    t ~ N(0, τ²),    b ~ N(0, 1).

The spreads τ and ω and the lapse rate ε are those under which the answers are likeliest. So features lead where answers
are few, terms where they are many, and features that mean nothing get a spread of nothing. The unknowns (t, w, b), in
units of their spreads, have the prior N(0, 1); of all normal laws N(m, S) that one is sought which makes the bound

    -log P(answers) ≤ E losses + KL(N(m, S), N(0, 1)),    S⁻¹ = 1 + Dᵀ Λ D,

least, D being what the unknowns do to the margins and Λ the mean curvature of the losses. At its least the derivative
in a spread is zero: |m|² = γ over the unknowns of a block, γ being their number less the trace of S. So a spread is
multiplied by |m|/√γ until it stays [MacKay92]_. Only items that were asked about and features are in it, and only
questions that differ: what is never asked about has its prior term, and costs a product.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg

from ordain._one_thread import one_blas_thread
from ordain._types import Answers, Pairs, Vector
from ordain.rank.blended.known_features import Features
from ordain.rank.blended.own_terms import OwnTerms
from ordain.rank.bradley_terry.links import Graph
from ordain.rank.bradley_terry.mode import quadrature
from ordain.rank.bradley_terry.noise import LAPSES, Noise, answered, losses

NODES = 6
"""Points at which a mean over a margin is taken."""

PLACE = 1.0
"""The prior standard deviation of what the first place is worth."""

LEAST, MOST_SPREAD, FARTHEST = 1e-3, 30.0, 3.0
"""The least spread, which is none, the largest, for a judge who never errs, and the most it changes in a step."""

GOOD, STILL = 0.01, 0.05
"""The last step gains no more than this in log-likelihood and changes no spread by more than this share."""

HASTE, SLOWEST = 1.5, 0.1
"""The power of the factor that is taken: one creeps, two swings; halved, to the least, where the bound rises."""

SETTLING = 0.2
"""While spreads change by more the lapses stay: much noise and a small spread explain few answers nearly as well."""

MOST = 60
"""Most steps."""

STEPS = 6
"""Most steps of a fit after a round of questions, from the fit before; the last one takes as many as it needs."""

SHORTEST = 1e-3
"""The least part of a step."""

BLOCK = 1 << 14
"""Items of which variances are taken together."""


class Spreads(NamedTuple):
    """τ, ω of each block, and ε."""

    own: float
    features: Vector
    lapse: float = 0.0


class Means(NamedTuple):
    """The means of the unknowns, in units of their spreads: own terms, weights with the position term last."""

    own: Vector
    weights: Vector


class Asked(NamedTuple):
    """The answers as a graph of the items asked about, these items, and their features."""

    graph: Graph
    items: Vector
    features: Features

    @classmethod
    def of(cls, pairs: Pairs, answers: Answers, features: Features, weights: Vector | None = None) -> Asked:
        """Answers to pairs of items of which something is known."""
        items, compact = np.unique(pairs, return_inverse=True)
        graph = Graph(compact.reshape(-1, 2), answers, len(items), True, weights)
        return cls(graph, items, Features(features.X[items], features.sizes, features.names))


@dataclass(frozen=True)
class Blend:
    """The model, fitted: the spreads, the means, what is left open, and the bound on -log P(answers)."""

    asked: Asked
    features: Features = field(repr=False)
    spreads: Spreads
    means: Means = field(repr=False)
    bound: float
    law: Law = field(repr=False)
    steps: int = 0

    @property
    def weights(self) -> Vector:
        """w: the score of an item never asked about is its features, scaled as they are here, times these."""
        return self.features.spread_out(self.spreads.features) * self.means.weights[:-1]

    @property
    def position(self) -> float:
        """What the first place is worth, in log-odds."""
        return PLACE * float(self.means.weights[-1])

    @cached_property
    def scores(self) -> Vector:
        """Scores of all items, the higher the better, their mean being zero."""
        scores = self.features.X @ self.weights
        scores[self.asked.items] += self.spreads.own * self.means.own
        return scores - scores.mean()

    @property
    def determined(self) -> float:
        """γ, how many of the unknowns the answers determine."""
        return float(len(self.means.own) - self.law.own_trace + (1 - self.law.weight_variances).sum())

    @cached_property
    def _through(self) -> Vector:
        """What a row of features is multiplied with to be a row of F."""
        scale = self.features.spread_out(self.spreads.features)
        root = self.law.root
        return scale[:, None] * linalg.solve_triangular(root, np.eye(len(root)), lower=True, check_finite=False).T[:-1]

    @cached_property
    def _places(self) -> Vector:
        """Where each item stands among those asked about; -1 where it does not."""
        places = np.full(self.features.n, -1)
        places[self.asked.items] = np.arange(len(self.asked.items))
        return places

    def reach(self, items: Vector) -> Vector:
        """Rows of F: the part of the scores' covariance that features and the position term share is F Fᵀ."""
        with one_blas_thread():
            reach = self.features.X[items] @ self._through
        known = self._places[items] >= 0
        reach[known] = self.law.reach[self._places[items][known]]
        return reach

    @cached_property
    def own_variances(self) -> Vector:
        """Variances of the items' own terms, given the weights."""
        variances = np.full(self.features.n, self.spreads.own**2)
        variances[self.asked.items] *= self.law.own.diagonal
        return variances

    @cached_property
    def standard_errors(self) -> Vector:
        """Standard deviations of the scores about their mean. (M 1 = 1: own terms share τ²/n with their mean.)"""
        n, parts = self.features.n, range(0, self.features.n, BLOCK)
        whole = sum(self.reach(np.arange(start, min(start + BLOCK, n))).sum(axis=0) for start in parts)
        shared = [
            ((self.reach(np.arange(start, min(start + BLOCK, n))) - whole / n) ** 2).sum(axis=1) for start in parts
        ]
        return np.sqrt(np.maximum(self.own_variances - self.spreads.own**2 / n, 0.0) + np.concatenate(shared))

    def difference_variances(self, first: Vector, second: Vector) -> Vector:
        """Variances of the differences between the scores of some items and of others."""
        apart = self.reach(first) - self.reach(second)
        own = self.own_variances[first] + self.own_variances[second]
        return np.maximum(own - 2 * self.spreads.own**2 * self._shared(first, second), 0.0) + (apart**2).sum(axis=1)

    def _shared(self, first: Vector, second: Vector) -> Vector:
        """What the own terms of two items have in common: nothing where one was never asked about."""
        one, other = self._places[first], self._places[second]
        both, shared = (one >= 0) & (other >= 0), np.zeros(len(one))
        shared[both] = self.law.own.shared(one[both], other[both])
        return shared


class Law:
    """The normal law of the unknowns whose precision is 1 + Dᵀ Λ D, about means that are kept elsewhere.

    With the answers' Laplacian L and X in units of the spreads, the weights have precision P = 1 + Xᵀ M L X, bordered
    by the position term, and given them the own terms have covariance M, see :class:`OwnTerms`.
    """

    def __init__(self, asked: Asked, X: Vector, curvatures: Vector, spread: float) -> None:
        self.graph, self.X, self.spread = asked.graph, X, spread
        self.own = OwnTerms(asked.graph, curvatures, spread)
        self.Z = np.column_stack((self.own.laplacian(X), PLACE * self.own.leaning))
        self.MZ = self.own(self.Z)
        precision = np.empty((X.shape[1] + 1,) * 2)
        precision[:-1] = X.T @ self.MZ
        precision[-1, :-1] = precision[:-1, -1]
        precision[-1, -1] = PLACE**2 * curvatures.sum() - spread**2 * self.Z[:, -1] @ self.MZ[:, -1]
        precision[np.diag_indices_from(precision)] += 1
        self.root = linalg.cholesky((precision + precision.T) / 2, lower=True, check_finite=False)

    @cached_property
    def reach(self) -> Vector:
        """F of the items asked about: what weights and position, by what is left open of them, do to their scores."""
        does = np.column_stack((self.own(self.X), -(self.spread**2) * self.MZ[:, -1]))
        return linalg.solve_triangular(self.root, does.T, lower=True, check_finite=False).T

    def margin_variances(self) -> Vector:
        """Variances of the margins of all questions."""
        first, second = self.graph.first, self.graph.second
        place = linalg.solve_triangular(self.root, np.eye(len(self.root))[-1] * PLACE, lower=True, check_finite=False)
        apart = self.reach[first] - self.reach[second] + place
        left = self.own.diagonal[first] + self.own.diagonal[second] - 2 * self.own.shared(first, second)
        return self.spread**2 * np.maximum(left, 0.0) + (apart**2).sum(axis=1)

    def step(self, gradient: Means) -> Means:
        """S times a gradient."""
        first = self.own(gradient.own)
        right = gradient.weights - self.spread * (self.Z.T @ first)
        weights = linalg.cho_solve((self.root, True), right, check_finite=False)
        return Means(first - self.spread * (self.MZ @ weights), weights)

    @cached_property
    def own_trace(self) -> float:
        """The trace of S over the own terms."""
        through = linalg.solve_triangular(self.root, self.MZ.T, lower=True, check_finite=False)
        return float(self.own.diagonal.sum() + self.spread**2 * (through**2).sum())

    @cached_property
    def weight_variances(self) -> Vector:
        """The diagonal of S over weights and position."""
        inverse = linalg.solve_triangular(self.root, np.eye(len(self.root)), lower=True, check_finite=False)
        return (inverse**2).sum(axis=0)

    def divergence(self, means: Means) -> float:
        """KL(N(m, S), N(0, 1))."""
        trace = self.own_trace + self.weight_variances.sum() - len(means.own) - len(means.weights)
        log_det = self.own.log_det + 2 * np.log(np.diag(self.root)).sum()
        return float(means.own @ means.own + means.weights @ means.weights + trace + log_det) / 2


def blended(
    asked: Asked, features: Features, start: Blend | None = None, *, own: bool = True, most: int = MOST
) -> Blend:
    """The model of features and items that makes the answers likeliest, from an earlier fit of the same items on.

    Parameters
    ----------
    asked : Asked
        The answers.
    features : Features
        What is known of all items; nothing for items alone.
    start : Blend, optional
        A fit to fewer answers.
    own : bool
        Whether items have terms of their own; if not, the features alone order.
    most : int
        Most steps.

    Examples
    --------
    >>> from ordain.rank.blended.known_features import given_features
    >>> known = given_features([[0.0], [1.0], [2.0], [3.0], [4.0]], 5)
    >>> asked = Asked.of(np.array([[1, 0], [3, 2], [3, 0], [2, 1]] * 3), np.ones(12), known)
    >>> np.argsort(-blended(asked, known).scores).tolist()
    [4, 3, 2, 1, 0]
    """
    spreads, means = _begun(asked, features, start, own)
    with one_blas_thread():
        climb, haste = _Climb(asked, spreads, means), HASTE
        best = climb.stand
        for steps in range(1, most + 1):
            gain = climb.step()
            if climb.stand.bound > best.bound + GOOD and haste > SLOWEST:
                haste /= 2
                climb.stand = best
                climb.adapt(haste)
                continue
            best = min(best, climb.stand, key=lambda stand: stand.bound)
            if climb.adapt(haste) <= STILL and gain <= GOOD and steps > 1:
                break
    return Blend(asked, features, best.spreads, best.means, best.bound, best.law, steps)


def at_spreads(fit: Blend, spreads: Spreads, most: int = MOST) -> Blend:
    """The fit to the same answers with other spreads, which stay."""
    climb = _Climb(fit.asked, spreads, fit.means)
    with one_blas_thread():
        for steps in range(1, most + 1):
            if climb.step() <= GOOD and steps > 1:
                break
    return Blend(fit.asked, fit.features, spreads, climb.means, climb.stand.bound, climb.stand.law, steps)


def _begun(asked: Asked, features: Features, start: Blend | None, own: bool) -> tuple[Spreads, Means]:
    """Spreads of one and means of zero, or those of an earlier fit."""
    ones, width = np.ones(len(features.sizes)), features.X.shape[1] + 1
    if start is None:
        return Spreads(float(own), ones), Means(np.zeros(len(asked.items)), np.zeros(width))
    terms = np.zeros(features.n)
    terms[start.asked.items] = start.means.own
    spread = max(start.spreads.own, STILL) if own else 0.0
    again = Spreads(spread, np.maximum(start.spreads.features, STILL), start.spreads.lapse)
    return again, Means(terms[asked.items], start.means.weights)


class Stand(NamedTuple):
    """Where a climb is: the law about these means, the margins' variances under it, and the bound there."""

    spreads: Spreads
    means: Means
    variances: Vector
    law: Any = None
    bound: float = np.inf


class _Climb:
    """Steps to the law: of the means by Newton, of the spreads by [MacKay92]_, of the lapses by neighbours."""

    def __init__(self, asked: Asked, spreads: Spreads, means: Means) -> None:
        self.asked, self.spreads, self.means = asked, spreads, means
        self.variances = np.zeros(len(asked.graph.first))
        self.stand = Stand(spreads, means, self.variances)

    def margins(self, means: Means) -> Vector:
        """Of all questions, in the mean."""
        features = self.asked.features
        scores = features.X @ (features.spread_out(self.spreads.features) * means.weights[:-1])
        scores += self.spreads.own * means.own
        return self.asked.graph.margins(np.append(scores, PLACE * means.weights[-1]))

    def expected(self, means: Means) -> tuple[float, Vector, Vector]:
        """The losses with the prior, slopes and curvatures in the mean over the law."""
        graph, noise = self.asked.graph, Noise(1.0, self.spreads.lapse)
        around, shares = _around(self.margins(means), self.variances)
        loss, slopes, curvatures = (graph.weights * (shares @ of) for of in answered(around, graph.answers, noise))
        prior = means.own @ means.own + means.weights @ means.weights
        return float(loss.sum() + prior / 2), slopes, curvatures

    def step(self) -> float:
        """A Newton step, halved until the expected loss falls; what it promised to gain."""
        value, slopes, curvatures = self.expected(self.means)
        X = self.asked.features.X * self.asked.features.spread_out(self.spreads.features)
        law = Law(self.asked, X, curvatures, self.spreads.own)
        pull = self.asked.graph.gathered(slopes)
        pulled = np.append(X.T @ pull[:-1], PLACE * pull[-1])
        gradient = Means(self.spreads.own * pull[:-1] - self.means.own, pulled - self.means.weights)
        step, length = law.step(gradient), 1.0
        gain = float(gradient.own @ step.own + gradient.weights @ step.weights)
        while True:
            moved = Means(*(of + length * by for of, by in zip(self.means, step, strict=True)))
            if self.expected(moved)[0] <= value - 1e-4 * length * gain + 1e-9 * abs(value) or length < SHORTEST:
                break
            length /= 2
        self.means, self.variances = moved, law.margin_variances()
        prior = (self.means.own @ self.means.own + self.means.weights @ self.means.weights) / 2
        bound = self.expected(self.means)[0] - prior + law.divergence(self.means) + _doubt(self.spreads)
        self.stand = Stand(self.spreads, self.means, self.variances, law, bound)
        return gain

    def adapt(self, haste: float) -> float:
        """Other spreads and lapses than where it stands, the unknowns staying; the largest change, in logarithms."""
        self.spreads, self.means, self.variances, law, _ = self.stand
        before, (own, weights) = self.spreads, self.means
        left, sizes = law.weight_variances, self.asked.features
        blocks = [
            _changed(spread, weights[part] @ weights[part], (1 - left[part]).sum(), haste)
            for spread, part in zip(before.features, sizes.parts(), strict=True)
        ]
        spread = _changed(before.own, own @ own, len(own) - law.own_trace, haste) if before.own else 0.0
        old, now = np.append(before.features, before.own), np.append(blocks, spread)
        kept = np.where(now > 0, old / np.where(now > 0, now, 1.0), 1.0)
        change = float(np.abs(np.log(kept[now > LEAST])).max(initial=0.0))
        self.spreads = Spreads(spread, np.array(blocks), before.lapse if change > SETTLING else self._lapse())
        self.means = Means(own * kept[-1], weights * np.append(sizes.spread_out(kept[:-1]), 1.0))
        return change

    def _lapse(self) -> float:
        """The lapse rate, of the one so far and its neighbours, that makes the answers likeliest."""
        graph, (around, shares) = self.asked.graph, _around(self.margins(self.means), self.variances)
        here = int(np.argmin(np.abs(LAPSES - self.spreads.lapse)))
        rates = LAPSES[max(here - 1, 0) : here + 2]
        costs = [graph.weights @ (shares @ losses(around, graph.answers, Noise(1.0, rate))) for rate in rates]
        return float(rates[int(np.argmin(costs))])


def _around(margins: Vector, variances: Vector) -> tuple[Vector, Vector]:
    """Points about the margins, and their shares in a mean."""
    nodes, shares = quadrature(NODES)
    return margins + nodes[:, None] * np.sqrt(variances), shares


def _changed(spread: float, square: Any, number: Any, haste: float) -> float:
    """The spread times a power of |m|/√γ, within bounds; log₁₀ of it has the prior N(0, 1)."""
    told = max(float(number) + np.log10(spread) / np.log(10), np.finfo(float).tiny)
    factor = (float(square) / told) ** (haste / 2)
    return float(np.clip(spread * np.clip(factor, 1 / FARTHEST, FARTHEST), LEAST, MOST_SPREAD))


def _doubt(spreads: Spreads) -> float:
    """What the prior of the spreads takes from the bound."""
    some = np.append(spreads.features, spreads.own)
    return float((np.log10(some[some > 0]) ** 2).sum() / 2)
