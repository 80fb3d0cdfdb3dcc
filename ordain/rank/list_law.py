"""The normal law closest to what lists leave open: scores are expected at its mean, which is not the mode.

An item that lost wherever it was shown may be a little worse than the others there, or far worse. Its posterior has the
mode near them and a long tail, so the mode draws far items in, by a quarter where later lists leave them out, and the
curvature at the mode knows nothing of the tail. Of all normal laws N(m, S) the one with the least Kullback–Leibler
divergence from the posterior p has

    E ∇log p = 0,    S⁻¹ = -E ∇²log p,

the means being over N(m, S) itself. These are Newton's equations with means in place of values at a point. For a given
S the mean loss is convex in m and Newton's step, halved until the loss falls, goes down. S⁻¹ then goes half of the way
to the mean curvature there; it would swing between two values if it went all of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy import linalg

from ordain._one_thread import one_blas_thread
from ordain._types import Vector
from ordain.rank.bradley_terry.links import Graph, Information
from ordain.rank.bradley_terry.mode import quadrature
from ordain.rank.bradley_terry.noise import Noise, answered, fisher
from ordain.rank.bradley_terry.posterior import BradleyTerry
from ordain.rank.plackett_luce import Curve, Luce, Stages

MOST, GOOD = 40, 0.01
"""Most steps, and the squared length of a step, in standard errors and over all items, that is the last."""

WIDEST = 30.0
"""The spread beyond which the law about the mode has to do: few points then miss where the chances change."""

SHORTEST = 1e-3
"""The least part of a step."""

NODES = 6
"""Points at which a mean over the difference of two scores is taken."""

LEAST = 8
"""Least points, without their mirror images, at which a mean over the scores of a list is taken."""

BLOCK = 2048
"""Lists that are looked at together."""


class Normal(NamedTuple):
    """A normal law of the scores."""

    mean: Vector
    covariance: Vector

    def variances(self, first: Vector, second: Vector) -> Vector:
        """Those of the differences between some scores and others."""
        own = np.diag(self.covariance)
        return np.maximum(own[first] + own[second] - 2 * self.covariance[first, second], 0.0)


Told = Callable[[Normal], tuple[float, Vector, Vector]]
"""The loss, its downward slope and its Hessian in the scores, in the mean over a law."""


def luce_law(stages: Stages, fit: Luce) -> Normal:
    """The law closest to the posterior of Plackett–Luce, places, spread and lapses being as fitted."""

    def told(law: Normal) -> tuple[float, Vector, Vector]:
        loss, slope, hessian = 0.0, np.zeros(stages.n), np.zeros((stages.n, stages.n))
        for part in stages.parts(BLOCK):
            curve = Curve(part, _around(part, np.append(law.mean, fit.x[stages.n :]), law.covariance), fit.noise.lapse)
            loss += float(curve.loss.mean(axis=0).sum())
            slope += part.gathered(curve.slope.mean(axis=0))[: stages.n]
            hessian += curve.hessian
        return loss, slope, hessian

    return closest(told, fit.x[: stages.n], fit.noise.spread)


def pairs_law(fit: BradleyTerry) -> Normal:
    """The law closest to the posterior of Bradley–Terry, position, spread and lapses being as fitted."""
    graph, noise = fit.information.graph, Noise(fit.spread, fit.lapse)

    def told(law: Normal) -> tuple[float, Vector, Vector]:
        d, shares = _nodes(fit, law)
        loss, slopes, curvatures = (graph.weights * (shares @ of) for of in answered(d, graph.answers, noise))
        return float(loss.sum()), graph.gathered(slopes)[:-1], dense(graph, curvatures)

    return closest(told, fit.scores, fit.spread)


def informed(fit: BradleyTerry, law: Normal) -> Vector:
    """Fisher information of each question times its weight, in the mean over a law of the scores."""
    d, shares = _nodes(fit, law)
    return fit.information.graph.weights * (shares @ fisher(d, Noise(fit.spread, fit.lapse)))


def over(fit: BradleyTerry, law: Normal) -> Information:
    """The information that the answers hold in the mean over a law of the scores, with the prior of the fit."""
    return Information(fit.information.graph, informed(fit, law), fit.information.prior)


def dense(graph: Graph, weights: Vector) -> Vector:
    """Bᵀ diag(w) B as a matrix, of the scores only."""
    links = graph.links(weights).toarray()
    return np.diag(sum(graph.sums(weights))) - links - links.T


def closest(told: Told, mode: Vector, spread: float) -> Normal:
    """The law that solves the equations above, from the mode on; the prior of the scores is N(0, spread²)."""
    n, prior = len(mode), spread**-2.0

    def at(law: Normal) -> tuple[float, Vector, Vector]:
        loss, slope, hessian = told(law)
        precision = hessian + prior * np.eye(n)
        return loss + prior / 2 * float(law.mean @ law.mean), slope - prior * law.mean, precision

    law = Normal(mode, np.zeros((n, n)))
    precision = at(law)[2]
    for _ in range(MOST if spread <= WIDEST else 0):
        law = law._replace(covariance=inverse(precision))
        value, slope, now = at(law)
        law, gain, now = _lowered(at, law, value, inverse(now) @ slope, slope)
        precision = (precision + now) / 2
        if gain <= GOOD:
            break
    return Normal(law.mean - law.mean.mean(), inverse(precision))


def _lowered(at: Told, law: Normal, value: float, step: Vector, slope: Vector) -> tuple[Normal, float, Vector]:
    """The law a step further, halved until the value falls; what the step promised to gain; the curvature there."""
    gain, length = float(slope @ step), 1.0
    while True:
        moved = law._replace(mean=law.mean + length * step)
        there, _, now = at(moved)
        if there <= value - 1e-4 * length * gain + 1e-12 * abs(value) or length < SHORTEST:
            return moved, gain, now
        length /= 2


def inverse(matrix: Vector) -> Vector:
    """That of a positive definite matrix."""
    with one_blas_thread():
        lower, _ = linalg.lapack.dpotri(linalg.cholesky(matrix, lower=True, check_finite=False), lower=1)
    return np.tril(lower) + np.tril(lower, -1).T


def _nodes(fit: BradleyTerry, law: Normal) -> tuple[Vector, Vector]:
    """Points about the margins of all questions, and their shares in a mean over the law."""
    graph, (nodes, shares) = fit.information.graph, quadrature(NODES)
    spreads = np.sqrt(law.variances(graph.first, graph.second))
    return graph.margins(np.append(law.mean, fit.position)) + nodes[:, None] * spreads, shares


def _around(stages: Stages, x: Vector, covariance: Vector) -> Vector:
    """Utilities at points whose mean and covariance are those of the law, for each list."""
    whole = np.pad(covariance, (0, 1))[stages.items.T[:, :, None], stages.items.T[:, None, :]]
    least = np.finfo(float).eps ** 0.5 * max(float(np.diag(covariance).max()), np.finfo(float).tiny)
    roots = np.linalg.cholesky(whole + least * np.eye(stages.size))
    theta = stages.utilities(x) + np.einsum("luv,rv->rul", roots, _points(stages.size))
    return theta - theta.max(axis=1, keepdims=True)


@cache
def _points(size: int) -> Vector:
    """Points in as many dimensions as a list has items, and their mirror images: their mean is 0, their covariance 1.

    Means of polynomials up to the third degree are those over the standard normal law.
    """
    half = max(LEAST, size)
    columns, _ = np.linalg.qr(np.random.default_rng(0).standard_normal((half, size)))
    return np.sqrt(half) * np.concatenate((columns, -columns))
