"""The risk of all pairs as an objective of the scores: value, gradient and curvature in one pass over the rows.

R(s) = Σ w_i w_j φ(s_i - s_j) / Σ w_i w_j over the pairs of a group in which i is better than j [MenonWilliamson14]_.
With `push` p it is the p-norm push Σ_j w_j (Σ_i w_i φ(s_i - s_j))^p, each sum a mean, which looks harder at the top.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from ordain._checks import check_codes, check_grades, check_labels, check_numbers, check_weights
from ordain._compiled import threads_for
from ordain._types import Labels, Mask, Vector
from ordain.losses import LOSSES, Loss, get_loss
from ordain.measure.area import splits
from ordain.pairs.groups import Groups
from ordain.pairs.sums import WAYS, Sums
from ordain.solve.coarse import Coarse, in_cells, in_one_cell


class PairRisk:
    """Mean loss over all pairs of a better and a worse item in the same group.

    Parameters
    ----------
    labels : array of shape (n_items,)
        0/1, -1/1 or False/True; grades with `graded=True`, then every pair of different grades counts.
    loss : str or Loss
        logistic, exponential, squared, squared_hinge, hinge, canonical_squared or canonical_exponential.
    weights : array, optional
        A pair weighs w_i w_j.
    groups : array, optional
        Only pairs within a group count.
    push : float ≥ 1
        The power of the p-norm push; for two classes.

    Examples
    --------
    >>> risk = PairRisk([1, 0, 1, 0], "squared")
    >>> value, gradient = risk.value_gradient(np.array([2.0, 0.0, 1.0, 1.0]))
    >>> value
    0.5
    """

    def __init__(
        self,
        labels: Labels,
        loss: str | Loss,
        *,
        weights: Any = None,
        groups: Any = None,
        graded: bool = False,
        push: float = 1,
    ) -> None:
        classes = check_grades(labels) if graded else check_labels(labels)
        self.way = way(loss)
        self.loss = loss if isinstance(loss, str) else loss.name
        self.push = _checked_push(push, graded)
        self.length = len(classes)
        weights = None if weights is None else check_weights(weights, self.length)
        codes = None if groups is None else check_codes(groups, self.length, "groups")
        self.problems = _problems(classes, weights, codes)
        self._last: tuple[Vector, list[Sums]] | None = None

    def value_gradient(self, scores: Vector) -> tuple[float, Vector]:
        """The risk and its gradient in the scores."""
        value, (gradient,) = self._derivatives(scores, 1)
        return value, gradient

    def hessian_diagonal(self, scores: Vector) -> Vector:
        """The diagonal of the Hessian."""
        return self.derivatives(scores)[2]

    def derivatives(self, scores: Vector) -> tuple[float, Vector, Vector]:
        """Value, gradient and diagonal of the Hessian, which cost little more than the first two."""
        value, (gradient, curvature) = self._derivatives(scores, 2)
        return value, gradient, curvature

    def _derivatives(self, scores: Vector, orders: int) -> tuple[float, Vector]:
        """The value, and the first derivatives as rows."""
        parts = (
            sums.derivatives(orders) if self.push == 1 else push_derivatives(sums, self.push, orders)
            for sums in self._at(self._checked(scores))
        )
        with threads_for(self.length):
            value, rows = next(parts)
            for part, more in parts:
                value += part
                rows += more
        if not np.isfinite(value):
            raise OverflowError(
                f"the {self.loss} loss must be finite at these scores, {np.min(scores):g} to {np.max(scores):g}. "
                "Got an overflow. Scale them down, or use the logistic loss."
            )
        return value, rows

    def hessp(self, scores: Vector, v: Vector) -> Vector:
        """The Hessian times v. What the scores alone decide is kept: such products come many at the same place."""
        scores = self._checked(scores)
        product = hessian_product if self.push == 1 else push_product
        with threads_for(self.length):
            if self._last is None or not np.array_equal(self._last[0], scores):
                scores = scores.copy()
                self._last = scores, list(self._at(scores))
            parts = [
                sums.groups.in_table(product(sums, v[sums.groups.rows], self.push)[None])[0] for sums in self._last[1]
            ]
        return reduce(np.add, parts)

    def coarse_hessian(self, scores: Vector) -> Coarse:
        """Close to the Hessian, for solvers."""
        groups = self.problems[0]
        if len(self.problems) > 1 or groups.codes is not None or self.push > 1 or self.loss == "hinge":
            return in_one_cell(np.abs(self.hessian_diagonal(scores)))
        positive, mass = np.zeros(self.length, bool), np.zeros(self.length)
        positive[groups.rows], mass[groups.rows] = groups.positive, groups.mass
        return in_cells(get_loss(self.loss).phi_curvature, positive, mass, scores)

    def _checked(self, scores: Vector) -> Vector:
        return check_numbers(scores, "scores", self.length).astype(float, copy=False)

    def _at(self, scores: Vector) -> Iterator[Sums]:
        """The kernel sums at these scores."""
        return (self.way(groups, scores) for groups in self.problems)


def way(loss: str | Loss) -> type[Sums]:
    """How the pair sums of a loss are made; refused where φ(s - t) is not defined for any two scores."""
    if loss == "hinge":
        return WAYS["hinge"]
    loss = get_loss(loss)
    if loss.name in WAYS and loss == LOSSES[loss.name]:
        return WAYS[loss.name]
    raise ValueError(
        f"a pair risk needs a margin loss φ(s - t) for any two scores: {', '.join(WAYS)}. Got {loss.name}. "
        "Use one of these, or the pointwise reduction."
    )


def hessian_product(sums: Sums, v: Vector, _: float) -> Vector:
    """Σ over the pairs of a row of w φ''(s₊ - s₋) (v - v_other), weights those of the mean."""
    return sums.groups.held * (sums.curvature * v - sums.curvatures(sums.groups.mass * v))


def push_derivatives(sums: Sums, p: float, orders: int) -> tuple[float, Vector]:
    """Of Σ_j w_j F_j^p, F_j = Σ_i w_i φ(s_i - s_j): the value; slope and curvature at every row of the table."""
    groups = sums.groups
    mass, positive = groups.mass, groups.positive
    level, slope, curvature = sums.sums(mass)
    once, twice = _powers(groups, level, p)
    _, to_slope, to_curvature = sums.sums(once)
    rows = [np.where(positive, mass * to_slope, -once * slope)]
    if orders == 2:
        up = mass * (mass * sums.squares(twice) + to_curvature)
        rows.append(np.where(positive, up, twice * slope**2 + once * curvature))
    return float(np.sum(groups.held * level**p, where=~positive)), sums.groups.in_table(np.stack(rows))


def push_product(sums: Sums, v: Vector, p: float) -> Vector:
    """The Hessian of the push times v."""
    groups = sums.groups
    mass, positive = groups.mass, groups.positive
    level, slope, curvature = sums.sums(mass)
    once, twice = _powers(groups, level, p)
    _, moved, bent = sums.sums(np.where(positive, mass * v, 0.0))
    change = np.where(positive, 0.0, twice * (moved - slope * v))  # of p F_j^(p-1), as v moves the scores
    down = -change * slope - once * (bent - curvature * v)
    up = mass * (sums.sums(change)[1] + sums.curvatures(once) * v - sums.curvatures(once * v))
    return np.where(positive, up, down)


def _powers(groups: Groups, level: Vector, p: float) -> tuple[Vector, Vector]:
    """w_j p F_j^(p-1) and w_j p (p-1) F_j^(p-2) at the negatives, 0 at the positives."""
    held = np.where(groups.positive, 0.0, groups.held)
    level = np.where(level > 0, level, 1.0) if p < 2 else level
    return held * p * level ** (p - 1), held * p * (p - 1) * level ** (p - 2)


def _checked_push(push: float, graded: bool) -> float:
    if not push >= 1 or not np.isfinite(push):
        raise ValueError(f"push must be a number ≥ 1. Got {push}. 1 is the plain mean over pairs.")
    if graded and push > 1:
        raise ValueError(f"push needs two classes. Got push={push} with graded=True. Leave one of them out.")
    return float(push)


def _problems(classes: Vector, weights: Vector | None, codes: Vector | None) -> list[Groups]:
    """Two-class problems that hold every pair once, the weights of all pairs adding up to one."""
    found = [problem for mask, part in splits(classes, codes) for problem in _problem(mask, weights, part)]
    whole = sum(float(problem.shares.sum()) for problem in found)
    if not whole:
        raise ValueError("a group with both classes must exist. Got none. Are groups and weights the right columns?")
    return [replace(problem, whole=whole) for problem in found]


def _problem(mask: Mask, weights: Vector | None, part: Vector | None) -> list[Groups]:
    """The rows that have a partner, in their groups."""
    if weights is None and part is None:
        return [Groups(len(mask), slice(None), mask)]
    weight = np.ones(len(mask)) if weights is None else weights / weights.max()
    code = np.zeros(len(mask), int) if part is None else part
    ups, downs = (np.bincount(code[side], weight[side], int(code.max()) + 1) for side in (mask, ~mask))
    both = ups * downs > 0
    rows = np.flatnonzero(both[code] & (weight > 0))
    if not len(rows):
        return []
    group = None if both.sum() == 1 else (np.cumsum(both) - 1)[code[rows]]
    return [Groups(len(mask), rows, mask[rows], group, None if weights is None else weight[rows])]
