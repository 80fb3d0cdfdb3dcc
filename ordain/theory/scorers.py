"""Optimal scorers on finite distributions: what each way of training aims at, computed and compared.

A distribution over finitely many points has masses and η(x), the chance of a positive at x. Its positives are drawn
from P ∝ mass · η, its negatives from Q ∝ mass · (1 - η). A scorer is one score per point.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ordain._types import Vector
from ordain.losses import Loss, get_loss
from ordain.measure import auc
from ordain.pairs import PairRisk
from ordain.points import PointRisk, on_the_line
from ordain.solve import Linear, minimise


@dataclass(frozen=True, eq=False)
class Finite:
    """A distribution over points 0 … k - 1: their masses, which sum to one, and η in (0, 1)."""

    mass: Vector
    eta: Vector

    @property
    def prevalence(self) -> float:
        """The share of positives."""
        return float(self.mass @ self.eta)

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

    def ranking_regret(self, scores: Vector) -> float:
        """AUC of the best scorer, η itself, minus AUC of this one."""
        weights = np.concatenate([self.positives, self.negatives])
        best, reached = (auc(self.labels, np.tile(s, 2), weights=weights) for s in (self.eta, scores))
        return best - reached


def classification_optimum(distribution: Finite, loss: str | Loss) -> Vector:
    """The scores that minimise E ℓ(Y, s(X)), found numerically; in theory ψ∘η [MenonWilliamson14]_."""
    weights = np.concatenate([distribution.mass * distribution.eta, distribution.mass * (1 - distribution.eta)])
    return _optimum(PointRisk(distribution.labels, on_the_line(get_loss(loss)), weights), len(distribution.mass))


def bipartite_optimum(distribution: Finite, loss: str | Loss, push: float = 1) -> Vector:
    """The scores that minimise E_Q (E_P φ(s(X) - s(X')))^push, centred, found numerically.

    If ψ⁻¹ is a sigmoid this is ψ∘η up to a shift; with the exponential loss and push p it is logit(η)/(p + 1)
    [MenonWilliamson14]_.
    """
    weights = np.concatenate([distribution.positives, distribution.negatives])
    scores = _optimum(PairRisk(distribution.labels, loss, weights=weights, push=push), len(distribution.mass))
    return scores - scores.mean()


def pair_optimum(distribution: Finite, loss: str | Loss) -> Any:
    """The antisymmetric pair scorer t(x, x') that minimises the pair risk: ψ∘η_pair, as a matrix.

    With η_pair = σ(logit η(x) - logit η(x')) [MenonWilliamson14]_. Antisymmetry must be asked for: without it only the
    first of each pair is seen and e^-t has no minimum.
    """
    odds = distribution.eta / (1 - distribution.eta)
    return np.asarray(get_loss(loss).link(odds[:, None] / (odds[:, None] + odds)))


def _optimum(objective: Any, points: int) -> Vector:
    """Scores of the points, each shared by its positive and its negative row."""
    model = Linear(objective, np.tile(np.eye(points), (2, 1)), 0.0)
    return minimise(model, np.zeros(points), tolerance=1e-14, iterations=200, quiet=True).x
