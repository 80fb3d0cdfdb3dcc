"""The mode of the posterior of the scores, and the noise under which the answers are likeliest.

The spread τ and the lapse rate ε are those on a grid under which the answers are likeliest, the scores being integrated
out. The likelihood may be trusted also where earlier answers chose the later pairs, as in
:mod:`ordain.rank.averaging`; predicting answers that were held back may not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ordain._types import Vector
from ordain.rank.bradley_terry.links import Graph, Information, solved
from ordain.rank.bradley_terry.noise import Noise, expected, fisher, losses

MOVES = [(0, 1), (1, 0), (1, 1), (0, -1), (-1, 0), (-1, -1)]
"""From a place on that grid to its neighbours. Up or down with both is where the likelihood changes least."""

ROUGH, FINE = 0.1, 1e-10
"""The gain in log-likelihood below which a fit stops: while τ and ε are sought, and in the end."""


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
    weights = graph.weights * fisher(graph.margins(fit.x), fit.noise)
    return Information(graph, weights, graph.prior(fit.noise.spread))


def improved(graph: Graph, fit: Fit, tolerance: float, most: int = 1000) -> Fit:
    """The fit after Newton steps, at `most`, until one promises to gain no more than `tolerance` in log-likelihood.

    Lapses are missing data: an answer's weight in the Hessian is σ(d) σ(-d) times the chance that it was none. That is
    the curvature of the expected complete likelihood, never below that of the likelihood itself, so a step seldom
    overshoots. Without lapses they are the same.
    """
    (x, noise, _), y, prior = fit, graph.answers, graph.prior(fit.noise.spread)

    def loss(d: Vector, x: Vector) -> float:
        return float((prior * x * x).sum() / 2 + graph.weights @ losses(d, y, noise))

    d, gain, converged = graph.margins(x), 1.0, False
    value = loss(d, x)
    while not converged and most > 0:
        slope, weights = expected(d, y, noise)
        gradient = graph.gathered(graph.weights * slope) - prior * x
        step = solved(Information(graph, graph.weights * weights, prior), gradient, min(0.1, max(1e-6, gain)))
        step[:-1] -= step[:-1].mean()  # the scores' mean is zero at the optimum, and hardly curved
        gain, change, length = float((gradient * step).sum()), graph.margins(step), 1.0
        while (trial := loss(d + length * change, x + length * step)) > value - 1e-4 * length * gain + 1e-12 * value:
            length /= 2
        x, d, value = x + length * step, d + length * change, trial
        converged, most = gain <= tolerance, most - 1
    return Fit(x, noise, converged)


def likeliest(graph: Graph, grid: Noise, start: Fit) -> Fit:
    """The fit whose spread and lapse rate on the grid make the answers likeliest, climbing from those of `start`.

    Few answers say little about τ, so it has a weak prior itself: log₁₀ τ ~ N(0, 1).
    """

    def tried(place: tuple[int, int], x: Vector) -> tuple[float, Fit]:
        noise = Noise(float(grid.spread[place[0]]), float(grid.lapse[place[1]]))
        fit = improved(graph, Fit(x, noise), ROUGH, 30)
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
    prior. The mean over d is by quadrature with an even number of nodes: one in the middle counts for too much.
    """
    nodes, shares = np.polynomial.hermite_e.hermegauss(6)
    d, noise, prior = graph.margins(fit.x), fit.noise, fit.noise.spread**-2.0

    def mean(function: Any, variances: Vector, *arguments: Any) -> Vector:
        around = d + nodes[:, None] * np.sqrt(variances[graph.first] + variances[graph.second])
        return (shares[:, None] * function(around, *arguments)).sum(axis=0) / shares.sum()

    variances = 1 / (graph.degrees(graph.weights * fisher(d, noise)) + prior)
    variances = 1 / (graph.degrees(graph.weights * mean(fisher, variances, noise)) + prior)
    ratios = prior * variances
    divergence = (prior * fit.scores**2 + ratios - np.log(ratios) - 1).sum() / 2
    return float(graph.weights @ mean(losses, variances, graph.answers, noise) + divergence)


def _nearest(values: Sequence[float], value: float) -> int:
    return int(np.argmin(np.abs(np.asarray(values) - value)))
