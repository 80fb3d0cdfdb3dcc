"""Distributions over finitely many points, and the risks and regrets of scorers under them.

A distribution over finitely many points has masses and η(x), the chance of a positive at x. Its positives are drawn
from P ∝ mass · η, its negatives from Q ∝ mass · (1 - η). A scorer is one score per point. Where masses and η are
fractions, everything but the risks of losses comes out as a fraction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isclose
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.special import expit

from ordain._types import Vector
from ordain.losses import Loss, get_loss
from ordain.losses.base import quiet, times


@dataclass(frozen=True, eq=False)
class Finite:
    """A distribution over points 0 … k - 1: their masses, which sum to one, and η in [0, 1].

    Examples
    --------
    >>> third = Fraction(1, 3)
    >>> finite = Finite(np.array([third, third, third]), np.array([Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)]))
    >>> finite.ranking_error(np.array([1, 2, 3])), finite.ranking_regret(np.array([2, 1, 3]))
    (Fraction(5, 18), Fraction(1, 9))
    """

    mass: Vector
    eta: Vector

    def __post_init__(self) -> None:
        mass, eta = self.mass, self.eta
        if np.ndim(mass) != 1 or np.shape(mass) != np.shape(eta):
            raise ValueError(f"mass and eta must be one number per point. Got shapes {mass.shape} and {eta.shape}.")
        if not (min(mass) >= 0 and isclose(sum(mass), 1, rel_tol=1e-9)):
            raise ValueError(f"masses must be at least 0 and sum to 1. Got a sum of {float(sum(mass)):g}.")
        if not 0 <= min(eta) <= max(eta) <= 1:
            raise ValueError(f"eta must lie in [0, 1]. Got {float(min(eta)):g} to {float(max(eta)):g}.")
        if not 0 < self.prevalence < 1:
            raise ValueError(f"both classes must be possible. Got a share of positives of {float(self.prevalence):g}.")

    @property
    def prevalence(self) -> Any:
        """p, the share of positives."""
        return self.mass @ self.eta

    @property
    def positives(self) -> Vector:
        """P, the distribution of the positives."""
        return self.mass * self.eta / self.prevalence

    @property
    def negatives(self) -> Vector:
        """Q, the distribution of the negatives."""
        return self.mass * (1 - self.eta) / (1 - self.prevalence)

    @property
    def labels(self) -> Vector:
        """Every point once as a positive and once as a negative."""
        return np.repeat([True, False], len(self.mass))

    @property
    def evened(self) -> Finite:
        """(P, Q, ½): the same classes, equally frequent. It has the same ranking regrets, and balanced loss regrets."""
        both = self.positives + self.negatives
        return Finite(both / 2, np.where(both > 0, self.positives / np.where(both > 0, both, 1), self.eta))

    @property
    def pairs(self) -> Finite:
        """The pair distribution D̃ of [Agarwal14]_: two draws with different labels, positive if the first one is.

        Pair (x, z) is point kx + z. It has mass m m' (η(1-η') + η'(1-η)) / 2p(1-p) and
        η̃ = η(1-η') / (η(1-η') + η'(1-η)); positives and negatives are equally frequent.
        """
        first = self.eta[:, None] * (1 - self.eta)
        either = first + first.T
        mass = self.mass[:, None] * self.mass * either / (2 * self.prevalence * (1 - self.prevalence))
        chance = np.where(either > 0, first / np.where(either > 0, either, 1), 0)
        return Finite(mass.ravel(), chance.ravel())

    def ranking_error(self, scores: Vector) -> Any:
        """P(positive scored below negative) + ½ P(scored alike): one minus AUC."""
        return self.positives @ doubled(scores) @ self.negatives / 2

    @property
    def bayes_ranking_error(self) -> Any:
        """The least ranking error, E min(η(1-η'), η'(1-η)) / 2p(1-p)."""
        first = self.eta[:, None] * (1 - self.eta)
        return self.mass @ np.minimum(first, first.T) @ self.mass / (2 * self.prevalence * (1 - self.prevalence))

    def ranking_regret(self, scores: Vector) -> Any:
        """The ranking error beyond the least one, E |η - η'| (1[misranked] + ½ 1[tied]) / 2p(1-p) [Agarwal14]_."""
        gap = self.eta[:, None] - self.eta
        lost = np.where(gap > 0, gap, 0) * doubled(scores)
        return self.mass @ lost @ self.mass / (2 * self.prevalence * (1 - self.prevalence))

    def zero_one_regret(self, guesses: Vector) -> Any:
        """E |2η - 1| over the points whose guess, True for positive, is not that of η; η = ½ costs nothing."""
        wrong = np.asarray(guesses, dtype=bool) != (self.eta > 1 - self.eta)
        return self.mass @ (np.abs(2 * self.eta - 1) * wrong)

    def risk(self, loss: str | Loss, scores: Vector) -> float:
        """E ℓ(Y, s(X))."""
        return self._mean(lambda loss, eta: _conditional(loss, eta, scores), loss)

    def bayes_risk(self, loss: str | Loss) -> float:
        """E H(η(X)), the least risk of all scorers."""
        return self._mean(lambda loss, eta: loss.entropy(eta), loss)

    def regret(self, loss: str | Loss, scores: Vector) -> float:
        """The risk beyond the least one."""
        return self._mean(lambda loss, eta: _conditional(loss, eta, scores) - loss.entropy(eta), loss)

    @quiet
    def _mean(self, function: Callable[[Loss, Vector], Vector], loss: str | Loss) -> float:
        """The mean of a function of the loss and η; points without mass do not count."""
        values = function(get_loss(loss), np.asarray(self.eta, dtype=float))
        return float(np.sum(times(np.asarray(self.mass, dtype=float), values)))


def doubled(scores: Vector) -> Any:
    """The matrix of 2 · 1[s(x) < s(z)] + 1[s(x) = s(z)], in whole numbers."""
    scores = np.asarray(scores)
    return 2 * (scores[:, None] < scores) + (scores[:, None] == scores)


def _conditional(loss: Loss, eta: Vector, scores: Vector) -> Vector:
    """η ℓ(1, s) + (1 - η) ℓ(-1, s)."""
    return times(eta, loss.value(1, scores)) + times(1 - eta, loss.value(-1, scores))


def random_finite(rng: Generator, points: int, offset: float = 0.0, spread: float = 1.5) -> Finite:
    """Masses from the simplex, log-odds of η normal."""
    return Finite(rng.dirichlet(np.ones(points)), expit(offset + spread * rng.normal(size=points)))


def random_exact(rng: Generator, points: int, levels: int = 6) -> Finite:
    """Masses and η as fractions of small numbers, so that ties and certain labels occur."""
    weights = rng.integers(1, 10, points).tolist()
    eta = rng.integers(0, levels + 1, points).tolist()
    eta[0] = levels // 2
    masses = [Fraction(weight, sum(weights)) for weight in weights]
    return Finite(np.array(masses), np.array([Fraction(chance, levels) for chance in eta]))


def random_estimate(rng: Generator, finite: Finite) -> Vector:
    """An estimate of η in (0, 1): noisy, unrelated, coarse with ties, or hardly varying and backwards."""
    kind, points = rng.integers(4), len(finite.eta)
    if kind == 0:
        return expit(np.log(finite.eta / (1 - finite.eta)) + rng.normal(size=points) * rng.exponential())
    if kind == 1:
        return rng.uniform(0.01, 0.99, points)
    if kind == 2:
        return np.clip(np.round(finite.eta, 1), 0.05, 0.95)
    return finite.prevalence - min(finite.prevalence, 1 - finite.prevalence) * 1e-6 * (finite.eta - finite.prevalence)


def reversal(centre: float, width: float, points: int, *, power: float = 2.0, blocks: int = 1) -> tuple[Finite, Vector]:
    """A continuous η around `centre`, and an estimate of it that is almost constant and ranks all points backwards.

    With t even on [-1, 1], η = centre + width/2 · sign(t) |t|^(1/(power - 1)); for power 2 it is uniform. As points
    become many and the estimate constant, this attains :func:`ordain.bounds.regret.plug_in_bound` of that power. With
    `blocks`, η of power 2 is reversed within each of so many parts of its range, which makes the errors small.
    """
    t = (2 * np.arange(points) + 1) / points - 1
    eta = centre + width / 2 * np.sign(t) * np.abs(t) ** (1 / (power - 1))
    middle = (2 * (np.arange(points) * blocks // points) + 1) / blocks - 1
    return Finite(np.full(points, 1 / points), eta), centre + width / 2 * (middle - 1e-6 * (t - middle))


def crossing(mass: Any, gap: Any, tiny: Any) -> tuple[Finite, Vector]:
    """One point of little mass and η = ½ + gap, estimated just below all others, where η = ½."""
    half = Fraction(1, 2)
    return Finite(np.array([1 - mass, mass]), np.array([half, half + gap])), np.array([half, half - tiny])
