"""The mode of the posterior of the scores, and the noise under which the answers are likeliest.

The spread τ and the lapse rate ε are those on a grid under which the answers are likeliest, the scores being integrated
out. The likelihood may be trusted also where earlier answers chose the later pairs, as in
:mod:`ordain.rank.averaging`; predicting answers that were held back may not.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from ordain._types import Vector
from ordain.rank.bradley_terry.links import FEW, Graph, Information
from ordain.rank.bradley_terry.noise import PLACES, Noise, answered, fisher, losses

MOVES = [(0, 1), (1, 0), (1, 1), (0, -1), (-1, 0), (-1, -1)]
"""From a place on that grid to its neighbours. Up or down with both is where the likelihood changes least."""

ROUGH, FINE = 0.1, 1e-10
"""The gain in log-likelihood below which a fit stops: while τ and ε are sought, and in the end."""


TINY = 1e-9
"""The least that answers are taken to say of the position term."""

NEAR = 0.04
"""Variance v of margins, root mean square, up to which two nodes do: they err by at most v²/96."""


class Fit(NamedTuple):
    """A fit under way: the unknowns and the noise assumed."""

    x: Vector
    noise: Noise = Noise(1.0, 0.0)
    converged: bool = False

    @property
    def scores(self) -> Vector:
        """The unknowns without the position term."""
        return self.x[:-1]


def information(graph: Graph, fit: Fit) -> Information:
    """Fisher information of the answers about the unknowns, with the prior."""
    weights = _informed(graph, graph.margins(fit.x), fit.noise)
    return Information(graph, weights, graph.prior(fit.noise))


def improved(graph: Graph, fit: Fit, tolerance: float, most: int = 1000) -> Fit:
    """The fit after Newton steps, at `most`, until one promises to gain no more than `tolerance` in log-likelihood.

    Lapses are missing data: an answer's weight in the Hessian is σ(d) σ(-d) times the chance that it was none. That is
    the curvature of the expected complete likelihood, never below that of the likelihood itself, so a step seldom
    overshoots. Without lapses they are the same.
    """
    (x, noise, _), prior = fit, graph.prior(fit.noise)

    def assessed(d: Vector, x: Vector) -> tuple[float, Vector, Vector]:
        value, slopes, weights = _assessed(graph, d, noise)
        return value + float((prior * x * x).sum() / 2), slopes, weights

    d, gain, converged = graph.margins(x), max(tolerance, 0.0) ** 0.5, False
    value, slopes, weights = assessed(d, x)
    while not converged and most > 0:
        gradient = graph.gathered(slopes) - prior * x
        step = _newton(Information(graph, weights, prior), gradient, min(0.1, max(1e-6, gain)))
        gain, change, length = float((gradient * step).sum()), graph.margins(step), 1.0
        while (trial := assessed(d + length * change, x + length * step))[0] > (
            value - 1e-4 * length * gain + 1e-12 * value
        ):
            length /= 2
        x, d, (value, slopes, weights) = x + length * step, d + length * change, trial
        converged, most = gain <= tolerance, most - 1
    return Fit(x, noise, converged)


def _newton(information: Information, gradient: Vector, tolerance: float) -> Vector:
    """H⁻¹ of the gradient; the scores' mean is zero at the optimum, and hardly curved."""
    if information.graph.n <= FEW:
        step = information.solved(gradient)
    else:
        step = information.iterated(gradient, tolerance)
    step[:-1] -= step[:-1].mean()
    return step


def _assessed(graph: Graph, d: Vector, noise: Noise) -> tuple[float, Vector, Vector]:
    """The sum of the losses, their downward slopes and expected curvatures, each times the weight of its question."""
    value, slopes, curvatures = 0.0, np.empty_like(d), np.empty_like(d)
    for part in graph.blocks():
        here, y, weights = d[part], graph.answers[part], graph.weights[part]
        loss, slope, curvature = answered(here, y, noise)
        value += float(weights @ loss)
        slopes[part], curvatures[part] = weights * slope, weights * curvature
    return value, slopes, curvatures


def likeliest(graph: Graph, grid: Noise, start: Fit, rough: float = ROUGH) -> Fit:
    """The fit whose spread and lapse rate on the grid make the answers likeliest, climbing from those of `start`.

    Few answers say little about τ, so it has a weak prior itself: log₁₀ τ ~ N(0, 1). Each fit stops at a gain of
    `rough`, its last step included.
    """

    def tried(place: tuple[int, int], x: Vector) -> tuple[float, Fit]:
        noise = Noise(float(grid.spread[place[0]]), float(grid.lapse[place[1]]))
        fit = improved(graph, Fit(x, noise), rough, 30)
        return unlikelihood(graph, fit) + np.log10(noise.spread) ** 2 / 2, fit

    place = (_nearest(grid.spread, start.noise.spread), _nearest(grid.lapse, start.noise.lapse))
    known, moves = {place}, MOVES
    cost, best = tried(place, start.x)
    while moves:
        (move, *moves), there = moves, (place[0] + moves[0][0], place[1] + moves[0][1])
        if there in known or not (0 <= there[0] < len(grid.spread) and 0 <= there[1] < len(grid.lapse)):
            continue
        known.add(there)
        trial_cost, trial = tried(there, best.x)
        if trial_cost < cost:
            place, cost, best, moves = there, trial_cost, trial, [move, *MOVES]
    return best


def unlikelihood(graph: Graph, fit: Fit) -> float:
    """An upper bound on -log P(answers | τ, ε), the position being as fitted: E[losses] + KL(law of the scores, prior).

    It holds for every law of the scores; here they are independent normal about the fit, with variances that match the
    information around it. Laplace's approximation is no bound and, with few answers per item, would take the widest
    prior.
    """
    d, noise, prior = graph.margins(fit.x), fit.noise, fit.noise.spread**-2.0
    variances = 1 / (sum(graph.sums(_informed(graph, d, noise))) + prior)
    variances = 1 / (sum(graph.sums(_informed(graph, d, noise, variances))) + prior)
    ratios = prior * variances
    divergence = (prior * fit.scores**2 + ratios - np.log(ratios) - 1).sum() / 2
    loss = 0.0
    for part in graph.blocks():
        around, shares = _around(graph, d, variances, part)
        loss += float(graph.weights[part] @ (shares @ losses(around, graph.answers[part], noise)))
    return loss + float(divergence)


def _informed(graph: Graph, d: Vector, noise: Noise, variances: Vector | None = None) -> Vector:
    """Fisher information of each question times its weight, at d or in the mean over scores of these variances."""
    informed = np.empty_like(d)
    for part in graph.blocks():
        if variances is None:
            informed[part] = graph.weights[part] * fisher(d[part], noise)
        else:
            around, shares = _around(graph, d, variances, part)
            informed[part] = graph.weights[part] * (shares @ fisher(around, noise))
    return informed


def _around(graph: Graph, d: Vector, variances: Vector, part: slice) -> tuple[Vector, Vector]:
    """Nodes about the margins of some questions and their shares: a mean over normal scores by quadrature.

    Two nodes do where variances are small, six elsewhere; with an odd number the one in the middle counts for too much.
    """
    spreads = variances[graph.first[part]] + variances[graph.second[part]]
    nodes, shares = quadrature(2 if spreads @ spreads <= NEAR**2 * len(spreads) else 6)
    return d[part] + nodes[:, None] * np.sqrt(spreads), shares


@cache
def quadrature(count: int) -> tuple[Vector, Vector]:
    """Nodes of the standard normal law, and their shares in a mean over it."""
    nodes, shares = np.polynomial.hermite_e.hermegauss(count)
    return nodes, shares / shares.sum()


def placed(graph: Graph, fit: Fit) -> Fit:
    """The fit with a prior of the position term that the answers chose, those of PLACES being averaged.

    Where the answers alone would say b = m ± r, they are likely under b ~ N(0, σ²) as N(m; 0, σ² + r²) is high, and
    the posterior variance of b is 1/(σ⁻² + r⁻²). The prior taken is the one that has the mean of these variances, so it
    also shrinks b by the mean of what they do. The likeliest σ alone would be sure of b ≈ 0 after a few answers.
    """
    if not graph.shown:
        return fit
    unit = np.append(np.zeros(graph.n), 1.0)
    variance = float(information(graph, fit).solved(unit, 1e-3)[-1])
    precision = max(1 / variance - fit.noise.place**-2.0, TINY)  # r⁻²
    alone = fit.x[-1] / variance / precision  # m
    wide = PLACES**2 + 1 / precision
    likelihoods = np.log(wide) / -2 - alone**2 / wide / 2
    shares = np.exp(likelihoods - likelihoods.max())
    mean = (shares / (PLACES**-2.0 + precision)).sum() / shares.sum()
    return fit._replace(noise=fit.noise._replace(place=float((1 / mean - precision) ** -0.5)))


def _nearest(values: Sequence[float], value: float) -> int:
    return int(np.argmin(np.abs(np.asarray(values) - value)))
