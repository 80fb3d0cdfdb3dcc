"""Scores from orders of lists: the Plackett–Luce model, stage by stage, with places, lapses and a prior that is fitted.

A list of k items is ordered in k - 1 stages: of the r items that are left, u is taken next with chance

    q_u = 2ε/r + (1 - 2ε) exp(θ_u) / Σ exp(θ),    θ_u = s_u + b_p,    s ~ N(0, τ²),    b ~ N(0, σ²),

p being the place at which u was shown and 2ε how often the judge lapses and takes any. With two items this is the
Bradley–Terry model of :mod:`ordain.rank.bradley_terry.posterior`. Tied items are taken in the order shown and in the
opposite one, half of each, so that a tie of two is half a win and half a loss. What was not ranked says nothing.

The scores are the mode of the posterior. τ and ε are those on a grid under which the orders are likeliest, the scores
being integrated out, and σ² is what the b's and their variances average.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import NamedTuple

import numpy as np

from ordain._types import Vector
from ordain.rank.bradley_terry.conjugate import conjugated
from ordain.rank.bradley_terry.mode import MOVES, ROUGH
from ordain.rank.bradley_terry.noise import LAPSES, SPREADS, Noise

NODES = 8
"""Points at which a mean over the scores is taken, half of them the mirror images of the others."""

FLAT = 0.01
"""The least σ: places then are worth nothing."""

LOWEST = -300.0
"""Utilities this far below the list's highest are as low as any; their exponentials and squares still are numbers."""


class Luce(NamedTuple):
    """A fit under way: the unknowns (s, b), the noise assumed, the spread σ of the b's."""

    x: Vector
    noise: Noise = Noise(1.0, 0.0)
    places: float = 1.0


class Stages:
    """Orders of lists, one column each: the items from best to worst, where each was shown, and the order's weight."""

    def __init__(self, lists: Sequence[Vector], places: Sequence[Vector], n: int) -> None:
        self.n, self.size = n, max(map(len, lists), default=0)
        items, given = np.full((len(lists), self.size), n), np.full((len(lists), self.size), np.nan)
        for row, (shown, said) in enumerate(zip(lists, places, strict=True)):
            items[row, : len(shown)], given[row, : len(shown)] = shown, said
        forth = np.argsort(given, axis=1, kind="stable")
        back = self.size - 1 - np.argsort(given[:, ::-1], axis=1, kind="stable")
        ranked = np.sort(given, axis=1)
        tied = (ranked[:, 1:] == ranked[:, :-1]).any(axis=1)
        orders, rows = np.append(forth, back[tied], axis=0), np.append(np.arange(len(lists)), np.flatnonzero(tied))
        weights, there = np.where(tied, 0.5, 1.0)[rows], ~np.isnan(ranked[rows])
        told = there.sum(axis=1) >= 2
        self.present = there[told].T
        self.shown = np.where(self.present, orders[told].T, 0)
        self.items = np.where(self.present, items[rows[told], orders[told].T], n)
        self.weights = weights[told] * self.present
        self.left = np.maximum(self.present[::-1].cumsum(axis=0)[::-1], 1)

    def utilities(self, x: Vector) -> Vector:
        """θ = s + b, as far below the highest of the list as it is."""
        theta = np.append(x[: self.n], 0.0)[self.items] + x[self.n :][self.shown]
        theta = np.where(self.present, theta, -np.inf)
        return theta - theta.max(axis=0, initial=LOWEST)

    def spread_out(self, v: Vector) -> Vector:
        """What a change of the unknowns does to the utilities."""
        return (np.append(v[: self.n], 0.0)[self.items] + v[self.n :][self.shown]) * self.present

    def gathered(self, g: Vector) -> Vector:
        """The transpose of `spread_out`."""
        scores = np.bincount(self.items.ravel(), g.ravel(), self.n + 1)[: self.n]
        return np.append(scores, np.bincount(self.shown.ravel(), g.ravel() * self.present.ravel(), self.size))

    def parts(self, length: int) -> Iterator[Stages]:
        """The same orders, so many at a time."""
        for start in range(0, self.items.shape[1], length):
            part = copy(self)
            for name in ("present", "shown", "items", "weights", "left"):
                setattr(part, name, getattr(self, name)[:, start : start + length])
            yield part

    def prior(self, fit: Luce) -> Vector:
        """Prior precisions of the unknowns."""
        return np.append(np.full(self.n, fit.noise.spread**-2.0), np.full(self.size, fit.places**-2.0))


class Curve:
    """What the orders say at utilities θ, a stage per row: chances, slopes and curvature.

    With e = exp(θ) and S_j = Σ e over what is left at stage j, the model's own chance of the item taken is e_j / S_j.
    γ_j is the chance that stage j was no lapse.
    """

    def __init__(self, stages: Stages, theta: Vector, lapse: float) -> None:
        self.stages = stages
        self.e = np.exp(np.maximum(theta, LOWEST)) * stages.present
        self.sums = np.maximum(self.e[..., ::-1, :].cumsum(axis=-2)[..., ::-1, :], np.finfo(float).tiny)
        own = np.where(stages.present, self.e / self.sums, 1.0)
        self.chance = own if lapse == 0 else 2 * lapse / stages.left + (1 - 2 * lapse) * own
        self.sure = np.ones_like(own) if lapse == 0 else (1 - 2 * lapse) * own / self.chance
        self.rates = stages.weights * self.sure / self.sums
        self.shares = self.e * self.rates.cumsum(axis=-2)

    @property
    def loss(self) -> Vector:
        """-Σ w log q, per list."""
        return -(self.stages.weights * np.log(np.maximum(self.chance, np.finfo(float).tiny))).sum(axis=-2)

    @property
    def slope(self) -> Vector:
        """Downward slope of the loss in θ: w γ less the sum of the shares e / S."""
        return self.stages.weights * self.sure - self.shares

    @property
    def complete(self) -> Vector:
        """Curvature of the loss in each θ alone, were it known which stages are lapses."""
        return self.shares - self.e**2 * (self.rates / self.sums).cumsum(axis=-2)

    @property
    def observed(self) -> Vector:
        """That curvature less what not knowing the lapses costs, γ (1 - γ) (1[taken] - p)² a stage."""
        doubt = self.rates * (1 - self.sure)
        lost = self.stages.weights * self.sure * (1 - self.sure) * (1 - 2 * self.e / self.sums)
        return self.complete - lost - self.e**2 * (doubt / self.sums).cumsum(axis=-2)

    @property
    def hessian(self) -> Vector:
        """Hessian of the loss in the scores, were the lapses known; in the mean where θ has several of each.

        Of u and v in a list it is -e_u e_v Σ γ/S² over the stages at which both are left.
        """
        n, items, flat = self.stages.n, self.stages.items, (self.rates / self.sums).cumsum(axis=-2)
        keys, values = [items * (n + 2)], [self._mean(self.complete)]
        for upper in range(self.stages.size - 1):
            later = self.e[..., upper + 1 :, :] * (self.e[..., upper, :] * flat[..., upper, :])[..., None, :]
            both = (items[upper] * (n + 1) + items[upper + 1 :], items[upper] + items[upper + 1 :] * (n + 1))
            keys, values = [*keys, *both], [*values, *[-self._mean(later)] * 2]
        places, weights = (np.concatenate([part.ravel() for part in parts]) for parts in (keys, values))
        return np.bincount(places, weights, (n + 1) ** 2).reshape(n + 1, n + 1)[:n, :n]

    def _mean(self, values: Vector) -> Vector:
        return values.reshape(-1, *values.shape[-2:]).mean(axis=0)


class Bend:
    """The Hessian of the loss with the prior, applied."""

    def __init__(self, curve: Curve, prior: Vector) -> None:
        self.curve, self.prior, self.stages = curve, prior, curve.stages
        self.diagonal = self.stages.gathered(curve.complete) + prior

    def __call__(self, v: Vector) -> Vector:
        curve, change = self.curve, self.stages.spread_out(v)
        means = (curve.e * change)[::-1].cumsum(axis=0)[::-1] / curve.sums
        image = curve.shares * change - curve.e * (curve.rates * means).cumsum(axis=0)
        return self.stages.gathered(image) + self.prior * v


def ascended(stages: Stages, fit: Luce, tolerance: float, most: int = 100) -> Luce:
    """The fit after Newton steps, at `most`, until one promises to gain no more than `tolerance` in log-likelihood."""
    x, prior, gain = fit.x, stages.prior(fit), np.inf

    def at(x: Vector) -> tuple[float, Curve]:
        curve = Curve(stages, stages.utilities(x), fit.noise.lapse)
        return float((prior * x * x).sum() / 2 + curve.loss.sum()), curve

    value, curve = at(x)
    while gain > tolerance and most > 0:
        gradient = stages.gathered(curve.slope) - prior * x
        bend = Bend(curve, prior)
        step = conjugated(bend, bend.diagonal, gradient, min(0.1, max(1e-6, gain)))
        gain, length, most = float(gradient @ step), 1.0, most - 1
        while (trial := at(x + length * step))[0] > value - 1e-4 * length * gain + 1e-12 * value:
            length /= 2
        x, (value, curve) = x + length * step, trial
    return fit._replace(x=x)


def unlikelihood(stages: Stages, fit: Luce) -> float:
    """An upper bound on -log P(orders | τ, ε), the places being as fitted, see `bradley_terry.mode.unlikelihood`."""
    theta, noise = stages.utilities(fit.x), fit.noise
    prior, nodes = noise.spread**-2.0, _nodes(stages.size)[:, :, None]

    def around(variances: Vector) -> Curve:
        return Curve(stages, theta + nodes * np.sqrt(np.append(variances, 0.0)[stages.items]), noise.lapse)

    variances = np.full(stages.n, 0.0)
    for _ in range(2):
        curvature = around(variances).observed.mean(axis=0)
        variances = 1 / (np.maximum(stages.gathered(curvature)[: stages.n], 0.0) + prior)
    ratios = prior * variances
    divergence = (prior * fit.x[: stages.n] ** 2 + ratios - np.log(ratios) - 1).sum() / 2
    return float(around(variances).loss.sum() / NODES + divergence)


def likeliest_order(stages: Stages, start: Luce, lapses: Vector = LAPSES) -> Luce:
    """The fit whose spread and lapse rate on the grid make the orders likeliest, climbing from those of `start`.

    It starts from a spread of one at least: where orders are few a spread of nothing is nearly as likely.
    """

    def tried(place: tuple[int, int], near: Luce) -> tuple[float, Luce]:
        noise = Noise(float(SPREADS[place[0]]), float(lapses[place[1]]))
        fit = ascended(stages, near._replace(noise=noise), ROUGH, 30)
        return unlikelihood(stages, fit) + np.log10(noise.spread) ** 2 / 2, fit

    place = (_nearest(SPREADS, max(start.noise.spread, 1.0)), _nearest(lapses, start.noise.lapse))
    known, moves = {place}, MOVES
    cost, best = tried(place, start)
    while moves:
        (move, *moves), there = moves, (place[0] + moves[0][0], place[1] + moves[0][1])
        if there in known or not (0 <= there[0] < len(SPREADS) and 0 <= there[1] < len(lapses)):
            continue
        known.add(there)
        trial_cost, trial = tried(there, best)
        if trial_cost < cost:
            place, cost, best, moves = there, trial_cost, trial, [move, *MOVES]
    return best._replace(places=_place_spread(stages, best))


def _place_spread(stages: Stages, fit: Luce) -> float:
    """σ, so that σ² is the mean of b² and its variance."""
    curve = Curve(stages, stages.utilities(fit.x), fit.noise.lapse)
    b, told = fit.x[stages.n :], np.maximum(stages.gathered(curve.observed)[stages.n :], 0.0)
    return max(FLAT, float(np.sqrt((b * b + 1 / (told + fit.places**-2.0)).mean()))) if b.size else FLAT


def _nodes(size: int) -> Vector:
    """Points of a standard normal law in as many dimensions as a list has items, with their mirror images."""
    points = np.random.default_rng(0).standard_normal((NODES // 2, size))
    points /= np.sqrt((points**2).mean(axis=0))
    return np.concatenate((points, -points))


def _nearest(values: Vector, value: float) -> int:
    return int(np.argmin(np.abs(values - value)))
