"""Optimal scorers on finite distributions: what each way of training aims at, computed and compared."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import root

from ordain._types import Vector
from ordain.losses import LINE, Loss, get_loss
from ordain.losses.row_risk import on_the_line
from ordain.solve.newton import minimise
from ordain.solve.objective import Objective
from ordain.theorems.exact.distributions import Finite as Finite


def classification_optimum(distribution: Finite, loss: str | Loss) -> Vector:
    """The scores that minimise E ℓ(Y, s(X)), found numerically; in theory ψ∘η [MenonWilliamson14]_."""
    return _optimum(ClassificationRisk(distribution, on_the_line(get_loss(loss))), len(distribution.mass))


def bipartite_optimum(distribution: Finite, loss: str | Loss, push: float = 1) -> Vector:
    """The scores that minimise the bipartite risk, centred, found numerically.

    The risk is E ½[ℓ(1, s(X) - s(X')) + ℓ(-1, s(X') - s(X))] over positives X and negatives X'; with push p > 1 it is
    E_Q (E_P ℓ(1, s(X) - s(X')))^p. If ψ⁻¹ is a sigmoid, the optimum is ψ∘η up to a shift; with the exponential loss and
    push p it is logit(η)/(p + 1) [MenonWilliamson14]_.
    """
    loss = get_loss(loss)
    risk = BipartiteRisk(distribution, loss) if push == 1 else PushRisk(distribution, loss, push)
    scores = _optimum(risk, len(distribution.mass))
    return scores - scores.mean()


def pair_chances(distribution: Finite) -> Any:
    """η_pair(x, z) = σ(logit η(x) - logit η(z)), the chance that x is the positive of a mixed pair, as a matrix.

    Written η(1-η') / (η(1-η') + η'(1-η)), so that fractions stay fractions [MenonWilliamson14]_.
    """
    return distribution.pairs.eta.reshape(len(distribution.mass), -1)


def pair_optimum(distribution: Finite, loss: str | Loss) -> Any:
    """The antisymmetric pair scorer t(x, z) that minimises the pair risk: ψ∘η_pair, as a matrix [MenonWilliamson14]_.

    Antisymmetry must be asked for: without it only the first of each pair is seen and e^-t has no minimum.
    """
    return np.asarray(get_loss(loss).link(np.asarray(pair_chances(distribution), dtype=float)))


def decomposition_gap(pair_scores: Any) -> float:
    """How far t(x, z) is from any s(x) - s(z): the largest |t(x, z) + t(z, w) - t(x, w)|."""
    return float(np.abs(pair_scores[:, :, None] + pair_scores - pair_scores[:, None, :]).max())


def is_auc_optimal(distribution: Finite, scores: Vector) -> bool:
    """Whether η(x) > η(z) ⇒ s(x) > s(z), which is all that the best AUC asks [MenonWilliamson14]_.

    Points of equal η may be scored apart, so this allows more than the increasing functions of η.
    """
    scores, held = np.asarray(scores), distribution.mass > 0
    ordered = (distribution.eta[:, None] > distribution.eta) & held[:, None] & held
    return bool(np.all(~ordered | (scores[:, None] > scores)))


def distribution_link(distribution: Finite, loss: str | Loss, scores: Vector, at: Vector) -> Vector:
    """The link v ↦ η that a bipartite optimum s of a margin loss obeys: η = f∘s [MenonWilliamson14]_.

    With π the prevalence and ℓ' derivatives in the score,

        f(v) = π E_P ℓ'(-1, v - s(X)) / (π E_P ℓ'(-1, v - s(X)) - (1-π) E_Q ℓ'(1, v - s(X'))),

    where the derivative of the risk in s(x) is set to zero. (On the poster the second term has ℓ'(-1, ·) too, which
    does not solve that equation.)
    """
    loss, prevalence = get_loss(loss), float(distribution.prevalence)
    gaps = np.asarray(at)[:, None] - scores
    up = prevalence * loss.gradient(-1, gaps) @ distribution.positives
    down = (1 - prevalence) * loss.gradient(1, gaps) @ distribution.negatives
    return up / (up - down)


def fixed_point(distribution: Finite, loss: str | Loss) -> Vector:
    """The centred scores with η = f∘s, f the link of :func:`distribution_link`, solved as equations."""

    def excess(free: Vector) -> Vector:
        scores = np.append(0.0, free)
        return (distribution_link(distribution, loss, scores, scores) - distribution.eta)[1:]

    start = (np.log(distribution.eta) - np.log1p(-distribution.eta)) / 2
    free = root(excess, start[1:] - start[0], tol=1e-13).x
    scores = np.append(0.0, free)
    return scores - scores.mean()


class ClassificationRisk(Objective):
    """E ℓ(Y, s(X)) as an objective of the scores."""

    def __init__(self, distribution: Finite, loss: Loss) -> None:
        self.loss = loss
        self.weights = (distribution.mass * distribution.eta, distribution.mass * (1 - distribution.eta))

    def value_gradient(self, scores: Vector) -> tuple[float, Vector]:
        up, down = self.weights
        value = up @ self.loss.value(1, scores) + down @ self.loss.value(-1, scores)
        return float(value), up * self.loss.gradient(1, scores) + down * self.loss.gradient(-1, scores)

    def hessp(self, scores: Vector, v: Vector) -> Vector:
        up, down = self.weights
        return (up * self.loss.hessian(1, scores) + down * self.loss.hessian(-1, scores)) * v


class BipartiteRisk(Objective):
    """E ½[ℓ(1, s(X) - s(X')) + ℓ(-1, s(X') - s(X))] by the double sum over points, for any loss on the whole line."""

    def __init__(self, distribution: Finite, loss: Loss) -> None:
        self.loss = _on_the_whole_line(loss)
        self.weight = np.outer(distribution.positives, distribution.negatives) / 2

    def value_gradient(self, scores: Vector) -> tuple[float, Vector]:
        gap = scores[:, None] - scores
        value = np.sum(self.weight * (self.loss.value(1, gap) + self.loss.value(-1, -gap)))
        return float(value), _net(self.weight * (self.loss.gradient(1, gap) - self.loss.gradient(-1, -gap)))

    def hessp(self, scores: Vector, v: Vector) -> Vector:
        gap = scores[:, None] - scores
        bend = self.weight * (self.loss.hessian(1, gap) + self.loss.hessian(-1, -gap))
        return _net(bend * (v[:, None] - v))


class PushRisk(Objective):
    """E_Q F^p, F(x') = E_P ℓ(1, s(X) - s(x')), by the double sum over points."""

    def __init__(self, distribution: Finite, loss: Loss, power: float) -> None:
        self.loss, self.power = _on_the_whole_line(loss), power
        self.positives, self.negatives = distribution.positives, distribution.negatives

    def value_gradient(self, scores: Vector) -> tuple[float, Vector]:
        level, slope, _ = self._parts(scores)
        factor = self.negatives * self.power * level ** (self.power - 1)
        return float(self.negatives @ level**self.power), _net(slope * factor)

    def hessp(self, scores: Vector, v: Vector) -> Vector:
        level, slope, bend = self._parts(scores)
        moved = v[:, None] - v
        factor = self.negatives * self.power * level ** (self.power - 1)
        change = (self.power - 1) / level * (slope * moved).sum(axis=0)
        return _net((bend * moved + slope * change) * factor)

    def _parts(self, scores: Vector) -> tuple[Vector, Any, Any]:
        """F at every negative, and the terms of its first two derivatives by positive."""
        gap, weight = scores[:, None] - scores, self.positives[:, None]
        level = self.positives @ self.loss.value(1, gap)
        return level, weight * self.loss.gradient(1, gap), weight * self.loss.hessian(1, gap)


def _net(pulls: Any) -> Vector:
    """What each point gets as a positive, minus what it gets as a negative."""
    return pulls.sum(axis=1) - pulls.sum(axis=0)


def _on_the_whole_line(loss: Loss) -> Loss:
    if loss.domain != LINE:
        raise ValueError(f"a bipartite risk needs a loss of every score. Got {loss.name}. through_logit of it is.")
    return loss


def _optimum(objective: Objective, points: int) -> Vector:
    """The minimum, then Newton's steps on the gradient to the last digits; a free shift of all scores is left alone."""
    x = minimise(objective, np.zeros(points), tolerance=1e-10, iterations=300, quiet=True).x
    for _ in range(3):
        hessian = np.column_stack([objective.hessp(x, unit) for unit in np.eye(points)])
        x = x - np.linalg.lstsq(hessian, objective.value_gradient(x)[1], rcond=1e-10)[0]
    return x
