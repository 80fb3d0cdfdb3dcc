"""Scores from comparisons: the Bradley–Terry model with a position term, lapses, and a prior that fits the noise.

A pair (u, v) is shown u first. With probability 2ε the judge lapses and tosses a coin; otherwise it prefers u with
log-odds d = s_u - s_v + b, b being what the first place is worth:

    P(u wins) = q(d) = ε + (1 - 2ε) σ(d),    s ~ N(0, τ²),    b ~ N(0, 3²).

The scores are the mode of the posterior. They are finite where an item always wins, always loses or is never compared.
An answer between 0 and 1 counts as that share of a win and the rest of a loss, so a tie is half of each.

The spread τ and the lapse rate ε, where not given, are those on a grid under which the answers are likeliest, the
scores being integrated out. So a noisy judge shrinks the scores by itself, and one who errs on easy pairs as often as
on hard ones is seen to lapse. The likelihood may be trusted also where earlier answers chose the later pairs, as in
:mod:`ordain.rank.averaging`; predicting answers that were held back may not.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, sparse
from scipy.special import expit

from ordain._types import Answers, Pairs, Vector
from ordain.preference import check_answers

SPREADS = 10.0 ** (np.arange(-8, 9) / 4)
"""The values of τ that are tried."""

LAPSES = np.array([0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4])
"""The values of ε that are tried."""

MOVES = [(0, 1), (1, 0), (1, 1), (0, -1), (-1, 0), (-1, -1)]
"""From a place on that grid to its neighbours. Up or down with both is where the likelihood changes least."""

POSITION_SPREAD = 3.0
"""Prior standard deviation of the position term."""

ROUGH, FINE = 0.1, 1e-10
"""The gain in log-likelihood below which a fit stops: while τ and ε are sought, and in the end."""

DENSE, DRAWS = 2000, 64
"""Most items for which the information is inverted, and the draws from the posterior that serve beyond."""


class Noise(NamedTuple):
    """τ, how the scores spread, and ε, how often the judge lapses; or the values of each that are tried."""

    spread: Any
    lapse: Any


@dataclass(frozen=True)
class BradleyTerry:
    """Scores, the higher the better, their mean being zero; what the first place is worth; and the noise assumed.

    `position` is in log-odds, zero if not fitted. `spread` is τ and `lapse` is ε. `converged` says whether the
    fit reached its tolerance.
    """

    scores: Vector
    position: float
    spread: float
    lapse: float
    converged: bool
    information: Information = field(repr=False, compare=False)

    @cached_property
    def standard_errors(self) -> Vector:
        """Standard deviations of the scores about their mean, in the normal approximation of the posterior.

        The inverse of the Fisher information plus the prior gives them, less the variance τ²/n of the common mean, of
        which comparisons say nothing. Beyond 2000 items they are estimated from 64 draws: an item's variance is 1/H_uu
        plus the variance of its conditional mean, and only the second, mostly smaller, is subject to chance.
        """
        return np.sqrt(self._variances[:-1])

    @property
    def position_error(self) -> float:
        """Standard deviation of the position term."""
        return float(np.sqrt(self._variances[-1])) if self.information.graph.shown else 0.0

    @cached_property
    def _variances(self) -> Vector:
        return self.information.variances()

    def __str__(self) -> str:
        text = f"Scores of {len(self.scores)} items from {len(self.information.graph.answers)} answers"
        text += f", spread {self.spread:.3g}, lapses {self.lapse:.3g}"
        if self.information.graph.shown:
            text += f"; log-odds of the first place {self.position:+.3g} ± {self.position_error:.2g}"
        return text + "."


def bradley_terry(
    pairs: ArrayLike,
    answers: ArrayLike,
    n: int | None = None,
    *,
    position: bool = True,
    spread: float | None = None,
    lapse: float | None = 0.0,
) -> BradleyTerry:
    """Scores of the items from compared pairs, with their standard errors.

    Minimises -Σ [y log q(d) + (1 - y) log q(-d)] + Σ s²/2τ² + b²/18, see the module. Without lapses this is convex
    and the minimum is found to rounding; with lapses it is a local one.

    Parameters
    ----------
    pairs : integer array of shape (m, 2)
        Item numbers 0 … n - 1, in the order shown.
    answers : array of shape (m,)
        How surely the first beat the second: 1, 0, ½ for a tie, or between.
    n : int, optional
        Number of items; the largest in `pairs` plus one if not given.
    position : bool
        Fit what the first place is worth. Say False if the pairs are not in the order shown: where winners are listed
        first, a judge who always says *first* would explain everything.
    spread : float, optional
        τ, the prior standard deviation of the scores. Fitted if not given.
    lapse : float, optional
        ε, from 0 to below ½. Zero is the usual model; None fits it.

    Examples
    --------
    >>> fit = bradley_terry([[0, 1], [2, 1], [1, 2], [2, 0]], [1, 0.5, 1, 0], spread=1.0)
    >>> print(fit.scores.round(2), fit.standard_errors.round(2))
    [ 0.59  0.01 -0.6 ] [0.64 0.61 0.6 ]
    >>> print(fit)
    Scores of 3 items from 4 answers, spread 1, lapses 0; log-odds of the first place +0.645 ± 1.1.
    """
    shown, given, items = _checked(pairs, answers, n)
    if spread is not None and not 0 < spread < np.inf:
        raise ValueError(f"spread must be a positive number. Got {spread}. Leave it out to have it fitted.")
    if lapse is not None and not 0 <= lapse < 0.5:
        raise ValueError(f"lapse must lie from 0 to below ½. Got {lapse}. Give None to have it fitted.")
    graph, fit = Graph(shown, given, items, position), Fit(np.zeros(items + 1))
    fit = likeliest(graph, Noise(SPREADS if spread is None else [spread], LAPSES if lapse is None else [lapse]), fit)
    fit = improved(graph, fit, FINE)
    if not fit.converged:
        warnings.warn("the Bradley-Terry fit did not converge. Try a smaller spread or lapse.", stacklevel=2)
    return BradleyTerry(fit.scores, float(fit.x[-1]), *fit.noise, fit.converged, information(graph, fit))


class Graph:
    """The answers as links between items. The unknowns are x = (s, b), the margins d = B x."""

    def __init__(self, pairs: Pairs, answers: Answers, n: int, position: bool) -> None:
        self.first, self.second = pairs[:, 0], pairs[:, 1]
        self.answers, self.n, self.shown = answers, n, float(position)
        rows, columns = np.append(self.first, self.second), np.append(self.second, self.first)
        self.places = np.argsort(rows, kind="stable")
        self.columns = columns[self.places]
        self.starts = np.append(0, np.cumsum(np.bincount(rows, minlength=n)))

    def margins(self, x: Vector) -> Vector:
        """B x: s_first - s_second + b, or without b if the position is not fitted."""
        return x[self.first] - x[self.second] + self.shown * x[-1]

    def gathered(self, g: Vector) -> Vector:
        """Bᵀ g."""
        return np.append(self.balances(g), self.shown * g.sum())

    def balances(self, g: Vector) -> Vector:
        """For each item, Σ g over answers in which it was first less Σ g where it was second."""
        return np.bincount(self.first, g, self.n) - np.bincount(self.second, g, self.n)

    def degrees(self, weights: Vector) -> Vector:
        """For each item, Σ of the weights of its answers."""
        return np.bincount(self.first, weights, self.n) + np.bincount(self.second, weights, self.n)

    def links(self, weights: Vector) -> Any:
        """The weights as a symmetric sparse matrix over the items."""
        return sparse.csr_array((np.tile(weights, 2)[self.places], self.columns, self.starts), shape=(self.n, self.n))

    def prior(self, spread: float) -> Vector:
        """Prior precisions of the unknowns."""
        return np.append(np.full(self.n, spread**-2.0), POSITION_SPREAD**-2.0)


class Information:
    """H = Bᵀ diag(w) B + diag(prior), applied along the last axis."""

    def __init__(self, graph: Graph, weights: Vector, prior: Vector) -> None:
        self.graph, self.weights, self.prior = graph, weights, prior
        self.links = graph.links(weights)
        self.border = graph.shown * graph.balances(weights)
        self.diagonal = np.append(graph.degrees(weights), graph.shown * weights.sum()) + prior

    def __call__(self, v: Vector) -> Vector:
        scores, position = v[..., :-1], v[..., -1:]
        product = self.diagonal * v
        product[..., :-1] += self.border * position - (self.links @ scores.T).T
        product[..., -1] += (self.border * scores).sum(axis=-1)
        return product

    def variances(self) -> Vector:
        """Variances of the scores about their mean and of the position term, see `BradleyTerry.standard_errors`."""
        return self._inverted() if self.graph.n <= DENSE else self._drawn()

    def _inverted(self) -> Vector:
        dense = np.diag(self.diagonal)
        dense[:-1, :-1] -= self.links.toarray()
        dense[-1, :-1] = dense[:-1, -1] = self.border
        root = linalg.solve_triangular(linalg.cholesky(dense, lower=True), np.eye(len(dense)), lower=True)
        variances = (root**2).sum(axis=0)  # H⁻¹ = L⁻ᵀ L⁻¹
        variances[:-1] -= 1 / self.prior[:-1].sum()  # (1, 0) is an eigenvector of H, its eigenvalue τ⁻²
        return np.maximum(variances, 0.0)

    def _drawn(self) -> Vector:
        rng = np.random.default_rng(0)
        spread = np.sqrt(self.weights)
        right = np.array([self.graph.gathered(spread * rng.standard_normal(len(spread))) for _ in range(DRAWS)])
        right += np.sqrt(self.prior) * rng.standard_normal(right.shape)
        draws = solved(self, right, 1e-3)  # N(0, H⁻¹)
        draws[:, :-1] -= draws[:, :-1].mean(axis=1, keepdims=True)
        means = draws - self(draws) / self.diagonal
        variances = 1 / self.diagonal + (means**2).mean(axis=0)
        # The common mean had a share of (1 - τ⁻²/H_uu)² τ²/n in the conditional means, and all of τ²/n in the whole.
        variances[:-1] -= (2 - self.prior[:-1] / self.diagonal[:-1]) / (self.graph.n * self.diagonal[:-1])
        return variances


def information(graph: Graph, fit: Fit) -> Information:
    """Fisher information of the answers about the unknowns, with the prior."""
    return Information(graph, _fisher(graph.margins(fit.x), fit.noise), graph.prior(fit.noise.spread))


def solved(information: Information, right: Vector, tolerance: float) -> Vector:
    """H⁻¹ of one or several vectors, by conjugate gradients preconditioned with the diagonal."""

    def inner(u: Vector, v: Vector) -> Vector:
        return (u * v).sum(axis=-1, keepdims=True)

    tiny = np.finfo(float).tiny
    x, residual = np.zeros_like(right), right
    direction = scaled = residual / information.diagonal
    size = inner(residual, scaled)
    goal = tolerance**2 * size
    for _ in range(10 * right.shape[-1]):
        if (size <= goal).all():
            break
        image = information(direction)
        length = size / np.maximum(inner(direction, image), tiny)
        x, residual = x + length * direction, residual - length * image
        scaled = residual / information.diagonal
        before, size = size, inner(residual, scaled)
        direction = scaled + size / np.maximum(before, tiny) * direction
    return x


class Fit(NamedTuple):
    """A fit under way: the unknowns and the noise assumed."""

    x: Vector
    noise: Noise = Noise(1.0, 0.0)
    converged: bool = False

    @property
    def scores(self) -> Vector:
        """The unknowns without the position term."""
        return self.x[:-1]


def improved(graph: Graph, fit: Fit, tolerance: float, most: int = 1000) -> Fit:
    """The fit after Newton steps, at `most`, until one promises to gain no more than `tolerance` in log-likelihood.

    Lapses are missing data: an answer's weight in the Hessian is σ(d) σ(-d) times the chance that it was none. That is
    the curvature of the expected complete likelihood, never below that of the likelihood itself, so a step seldom
    overshoots. Without lapses they are the same.
    """
    (x, noise, _), y, prior = fit, graph.answers, graph.prior(fit.noise.spread)

    def loss(d: Vector, x: Vector) -> float:
        return float((prior * x * x).sum() / 2 + _losses(d, y, noise).sum())

    d, gain, converged = graph.margins(x), 1.0, False
    value = loss(d, x)
    while not converged and most > 0:
        slope, weights = _expected(d, y, noise)
        gradient = graph.gathered(slope) - prior * x
        step = solved(Information(graph, weights, prior), gradient, min(0.1, max(1e-6, gain)))
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

    variances = 1 / (graph.degrees(_fisher(d, noise)) + prior)
    variances = 1 / (graph.degrees(mean(_fisher, variances, noise)) + prior)
    ratios = prior * variances
    divergence = (prior * fit.scores**2 + ratios - np.log(ratios) - 1).sum() / 2
    return float(mean(_losses, variances, graph.answers, noise).sum() + divergence)


def _losses(d: Vector, y: Vector, noise: Noise) -> Vector:
    """-y log q(d) - (1 - y) log q(-d)."""
    if noise.lapse == 0:
        return np.maximum(d, 0) - y * d - np.log(expit(np.abs(d)))
    won = noise.lapse + (1 - 2 * noise.lapse) * expit(d)
    return -y * np.log(won) - (1 - y) * np.log(1 - won)


def _expected(d: Vector, y: Vector, noise: Noise) -> tuple[Vector, Vector]:
    """Downward slope of the losses in d, and their curvature were it known which answers are lapses."""
    p = expit(d)
    if noise.lapse == 0:
        return y - p, p * (1 - p)
    won, slope = noise.lapse + (1 - 2 * noise.lapse) * p, (1 - 2 * noise.lapse) * p * (1 - p)
    up, down = y / won, (1 - y) / (1 - won)
    return slope * (up - down), slope * (up * p + down * (1 - p))


def _fisher(d: Vector, noise: Noise) -> Vector:
    """Information of an answer about d, q'² / (q (1 - q))."""
    p = expit(d)
    if noise.lapse == 0:
        return p * (1 - p)
    won = noise.lapse + (1 - 2 * noise.lapse) * p
    return ((1 - 2 * noise.lapse) * p * (1 - p)) ** 2 / (won * (1 - won))


def _nearest(values: Sequence[float], value: float) -> int:
    return int(np.argmin(np.abs(np.asarray(values) - value)))


def _checked(pairs: ArrayLike, answers: ArrayLike, n: int | None) -> tuple[Pairs, Answers, int]:
    """Pairs of different items below n, and an answer to each."""
    shown = np.asarray(pairs)
    if shown.size == 0:
        shown = np.empty((0, 2), dtype=np.intp)
    if shown.ndim != 2 or shown.shape[1] != 2 or shown.dtype.kind not in "iu":
        raise ValueError(f"pairs must be an (m, 2) array of item numbers. Got {shown.dtype} of shape {shown.shape}.")
    items = int(shown.max(initial=-1)) + 1 if n is None else n
    if items < 1:
        raise ValueError(f"there must be an item to score. Got n = {items} and {len(shown)} pairs. Give n.")
    wrong = (shown < 0).any(axis=1) | (shown >= items).any(axis=1) | (shown[:, 0] == shown[:, 1])
    if wrong.any():
        at = int(np.argmax(wrong))
        raise ValueError(
            f"a pair must be two items from 0 to {items - 1}. Got {tuple(shown[at].tolist())} at place {at}."
        )
    return shown.astype(np.intp), check_answers(shown, answers), items
