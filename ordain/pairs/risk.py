"""The risk of all pairs as an objective of the scores: value, gradient and curvature in one pass over the rows.

R(s) = Σ w_i w_j φ(s_i - s_j) / Σ w_i w_j over the pairs of a group in which i is better than j [MenonWilliamson14]_.
With `push` p it is the p-norm push Σ_j w_j (Σ_i w_i φ(s_i - s_j))^p, each sum a mean, which looks harder at the top.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from ordain._checks import check_codes, check_grades, check_labels, check_numbers, check_weights
from ordain._compiled import threads_for
from ordain._types import Labels, Mask, Vector
from ordain.engine import LOCAL, Engine
from ordain.losses import Loss, get_pairing
from ordain.measure.area import splits
from ordain.pairs.groups import Groups
from ordain.pairs.sums import WAYS, Sums
from ordain.solve.coarse import Coarse, in_cells, in_one_cell
from ordain.solve.objective import Objective


class PairRisk(Objective):
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
    engine : Engine
        Where rows are combined. With one of many workers, everything here is about the rows of this worker, but the
        risk, and the others its rows are paired with, are those of all; groups must be with one worker each.

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
        engine: Engine = LOCAL,
    ) -> None:
        classes = _classes(labels, graded, engine)
        self.pairing, self.engine = get_pairing(loss), engine
        self.push = _checked_push(push, graded)
        self.length = len(classes)
        weights = None if weights is None else _shares(check_weights(weights, self.length), weights, engine)
        codes = None if groups is None else _codes(groups, self.length, engine)
        self.problems = _problems(classes, weights, codes, engine)
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
            value, rows = next(parts, None) or (0.0, np.zeros((orders, self.length)))
            for part, more in parts:
                value += part
                rows += more
        value = float(self.engine.sum(value))
        if not np.isfinite(value):
            ends = f"{np.min(scores):g} to {np.max(scores):g}"
            raise OverflowError(
                f"the {self.pairing.name} loss must be finite at these scores, {ends}. Got an overflow. "
                "Scale them down, or use the logistic loss."
            )
        return value, rows

    def hessp(self, scores: Vector, v: Vector) -> Vector:
        """The Hessian times v. What the scores alone decide is kept: such products come many at the same place."""
        scores = self._checked(scores)
        product = hessian_product if self.push == 1 else push_product
        with threads_for(self.length):
            known = self._last is not None and np.array_equal(self._last[0], scores)
            if self._last is None or not self.engine.min(known):
                scores = scores.copy()
                self._last = scores, list(self._at(scores))
            parts = [
                sums.groups.in_table(product(sums, v[sums.groups.rows], self.push)[None])[0] for sums in self._last[1]
            ]
        return reduce(np.add, parts) if parts else np.zeros(self.length)

    def coarse_hessian(self, scores: Vector) -> Coarse:
        """Close to the Hessian, for solvers."""
        if self.push > 1 or not self._is_one_group:
            return in_one_cell(np.abs(self.hessian_diagonal(scores)), self.engine)
        groups = self.problems[0]
        positive, mass = np.zeros(self.length, bool), np.zeros(self.length)
        positive[groups.rows], mass[groups.rows] = groups.positive, groups.mass
        return in_cells(self.pairing.phi_curvature, positive, mass, scores, self.engine)

    @property
    def _is_one_group(self) -> bool:
        """Whether all pairs are of the same two classes of one group, whichever worker looks."""
        one = len(self.problems) == 1 and self.problems[0].codes is None
        return one and self.problems[0].engine is self.engine

    def _checked(self, scores: Vector) -> Vector:
        return check_numbers(scores, "scores", self.length).astype(float, copy=False)

    def _at(self, scores: Vector) -> Iterator[Sums]:
        """The kernel sums at these scores."""
        way = WAYS[self.pairing.form.way]
        return (way(self.pairing, groups, scores) for groups in self.problems)


def hessian_product(sums: Sums, v: Vector, _: float) -> Vector:
    """Σ over the pairs of a row of w φ''(s₊ - s₋) (v - v_other), weights those of the mean."""
    return sums.groups.held * (sums.curvature() * v - sums.curvatures(sums.groups.mass * v))


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


def _classes(labels: Labels, graded: bool, engine: Engine) -> Vector:
    """The mask of positives, or grades 0, 1, 2, …; a worker may have rows of one class only."""
    check: Callable[[Any], Vector] = check_grades if graded else check_labels
    if engine.alone:
        return check(labels)
    values = engine.distinct(np.asarray(labels))
    return check(values)[np.searchsorted(values, labels)]


def _shares(checked: Vector, weights: Any, engine: Engine) -> Vector:
    """Weights relative to the largest."""
    weights = checked if engine.alone else np.asarray(weights, dtype=np.float64)
    largest = float(engine.max(weights.max()))
    return weights / largest if largest else weights


def _codes(groups: Any, length: int, engine: Engine) -> Vector:
    """Groups as whole numbers, each with one worker."""
    codes = check_codes(groups, length, "groups")
    if not engine.alone and engine.sum(int(codes.max()) + 1) > len(engine.distinct(np.asarray(groups))):
        raise ValueError("a group must be with one worker. Got one with several. Shuffle the rows by group first.")
    return codes


def _problems(classes: Vector, weights: Vector | None, codes: Vector | None, engine: Engine) -> list[Groups]:
    """Two-class problems that hold every pair once, the weights of all pairs adding up to one.

    The rows of a group are combined by the engine where there is one group, and are with one worker otherwise.
    """
    within, between = (engine, LOCAL) if codes is None else (LOCAL, engine)
    top = None if classes.dtype == bool else int(within.max(classes.max()))
    found = [problem for mask, part in splits(classes, codes, top) for problem in _problem(mask, weights, part, within)]
    whole = between.sum(sum(float(problem.shares.sum()) for problem in found))
    if not whole:
        raise ValueError("a group with both classes must exist. Got none. Are groups and weights the right columns?")
    return [replace(problem, whole=whole) for problem in found]


def _problem(mask: Mask, weights: Vector | None, part: Vector | None, engine: Engine) -> list[Groups]:
    """The rows that have a partner, in their groups."""
    if weights is None and part is None:
        positives = np.count_nonzero(mask)
        sides = engine.sum(np.array([[len(mask) - positives, positives]], dtype=float))
        return [Groups(len(mask), slice(None), mask, sides, engine=engine)]
    weight = np.ones(len(mask)) if weights is None else weights
    code = np.zeros(len(mask), int) if part is None else part
    size = int(engine.max(int(code.max()) + 1))
    sides = engine.sum(np.column_stack([np.bincount(code[side], weight[side], size) for side in (~mask, mask)]))
    both = sides[:, 0] * sides[:, 1] > 0
    if not both.any():
        return []
    rows = np.flatnonzero(both[code] & (weight > 0))
    group = None if both.sum() == 1 else (np.cumsum(both) - 1)[code[rows]]
    own = None if weights is None else weight[rows]
    return [Groups(len(mask), rows, mask[rows], sides[both], group, own, engine=engine)]
