"""Losses of a ranking against the truth: labels, or a true order with an importance for every pair of positions.

A *ranking* here is an order (item numbers, best first) or a preference matrix h, h[u, v] being the belief in [0, 1]
that u comes before v. Importance is a square array over positions of the true order, 0 being the best. Fractions stay
fractions: arrays of objects are summed as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ordain._checks import check_grades, check_labels, check_numbers
from ordain._types import Labels, Vector


def auc_loss(
    labels: Labels, ranking: Any, *, positive: Any = None, graded: bool = False, difference: bool = False
) -> Any:
    """Share of the pairs with different labels that the ranking puts in the wrong order [Balcan08]_.

    Σ h(v, u) g(u, v) / Σ g(u, v) over pairs in which u is better than v; g is 1, or the difference of the grades.

    Parameters
    ----------
    labels : array
        Two classes, or grades with `graded=True`.
    ranking : array
        An order, best first, or a preference matrix.
    difference : bool
        Weigh a pair by the difference of its grades, for which the factor 2 of DEGREE holds [Balcan08]_.

    Examples
    --------
    >>> auc_loss([1, 0, 0], [1, 0, 2])
    0.5
    """
    if graded:
        check_grades(labels)
        grades = check_numbers(labels, "labels")
    else:
        grades = check_labels(labels, positive).astype(int)
    h = _matrix(ranking, len(grades))
    gain = np.maximum(np.subtract.outer(grades, grades), 0)
    weight = gain if difference else gain > 0
    if h.dtype == object:
        weight = np.where(weight, weight, 0).astype(object)
    return _plain((h.T * weight).sum() / weight.sum())


def importance_loss(truth: Any, ranking: Any, importance: Any) -> Any:
    """L_ω of a ranking: the importance of the pairs it inverts, per pair of items [AilonMohri10]_.

    L_ω(h, σ*) = Σ_{u≠v} h(u, v) τ*(v, u) / C(n, 2), τ* being :func:`generalised_ranking` of the truth.

    Examples
    --------
    >>> float(importance_loss([0, 1, 2], [0, 2, 1], kemeny(3)))
    0.3333333333333333
    """
    tau = generalised_ranking(truth, importance)
    n = len(tau)
    h = _matrix(ranking, n)
    return _plain((h * tau.T).sum() / (n * (n - 1) // 2))


def generalised_ranking(truth: Any, importance: Any) -> Any:
    """τ*(u, v) = ω(σ*(u), σ*(v)) where u comes before v in the true order, else 0 [AilonMohri10]_."""
    importance = check_importance(importance)
    truth = _order(truth, len(importance))
    tau = np.zeros_like(importance)
    tau[np.ix_(truth, truth)] = np.triu(importance, 1)
    return tau


def check_importance(importance: Any) -> Any:
    """An importance array that satisfies the axioms P1-P3 of [AilonMohri10]_; else the axiom and where it fails.

    P1, symmetry: ω(i, j) = ω(j, i). P2, monotonicity: ω(i, j) ≤ ω(i, k) where j lies between i and k.
    P3, triangle inequality: ω(i, j) ≤ ω(i, k) + ω(k, j). Whole numbers and fractions are compared exactly, floats
    with a slack of 1e-12 of the largest.
    """
    w = np.asarray(importance)
    if w.ndim != 2 or w.shape[0] != w.shape[1] or len(w) < 2:
        raise ValueError(f"importance must be a square array over two or more positions. Got shape {w.shape}.")
    apart = ~np.eye(len(w), dtype=bool)
    slack = 1e-12 * w.max() if w.dtype.kind == "f" else 0
    _hold(w >= 0, "not be negative", "ω({0}, {1}) = {2}", w)
    _hold(~apart | (w == w.T), "satisfy P1, symmetry", "ω({0}, {1}) = {2} and ω({1}, {0}) = {3}", w, w.T)
    near, far = w[:, :-1], w[:, 1:]
    i, j = np.indices(near.shape)
    outward = (j <= i) | (near <= far + slack)
    _hold(outward, "satisfy P2, monotonicity", "ω({0}, {1}) = {2} above its right neighbour {3}", near, far)
    inward = (j >= i - 1) | (near + slack >= far)
    _hold(inward, "satisfy P2, monotonicity", "ω({0}, {1}) = {2} below its right neighbour {3}", near, far)
    for k in range(len(w)):
        detour = w[:, [k]] + w[[k], :]
        text = "ω({0}, {1}) = {2}, by way of " + str(k) + " only {3}"
        _hold(~apart | (w <= detour + slack), "satisfy P3, the triangle inequality", text, w, detour)
    return w


def kemeny(n: int) -> Any:
    """Every pair counts one: ω(i, j) = 1 for i ≠ j."""
    return 1 - np.eye(n, dtype=int)


def top_heavy(n: int, k: int) -> Any:
    """Pairs with one of the first k count one, all others nothing."""
    first = np.arange(n) < k
    return kemeny(n) * (first[:, None] | first)


def bipartite(positives: int, negatives: int, *, normalised: bool = True) -> Any:
    """Pairs of a positive and a negative count, the true order putting the positives first.

    Normalised, as (3) of [AilonMohri10]_, L_ω is the AUC loss; otherwise, as (47), each counts one.
    """
    return multipartite([positives, negatives], normalised=normalised)


def multipartite(sizes: Sequence[int], *, difference: bool = False, normalised: bool = True) -> Any:
    """Pairs of different grades count, `sizes` being the numbers of items of each grade, best first.

    A pair counts one, or with `difference` by how many grades it is apart. Normalised, L_ω is at most one and equals
    :func:`auc_loss`; fractions keep it exact.
    """
    grade = np.repeat(np.arange(len(sizes)), sizes)
    apart = np.abs(np.subtract.outer(grade, grade))
    importance = apart if difference else np.minimum(apart, 1)
    if not normalised:
        return importance
    n = len(grade)
    return importance.astype(object) * Fraction(n * (n - 1), int(importance.sum()))


def _hold(holds: Any, what: str, shown: str, *values: Any) -> None:
    """Refuse importance with the first place where `holds` is false."""
    if not holds.all():
        at = tuple(int(index) for index in np.argwhere(~holds.astype(bool))[0])
        raise ValueError(f"importance must {what}. Got {shown.format(*at, *(value[at] for value in values))}.")


def _matrix(ranking: Any, n: int) -> Any:
    """A ranking as a preference matrix with an empty diagonal."""
    h = np.asarray(ranking)
    if h.ndim == 1:
        position = np.argsort(_order(h, n))
        return (position[:, None] < position).astype(int)
    if h.shape != (n, n):
        raise ValueError(f"a preference must be a square array over the {n} items. Got shape {h.shape}.")
    if not ((h >= 0) & (h <= 1)).all():
        u, v = np.argwhere(~((h >= 0) & (h <= 1)))[0]
        raise ValueError(f"preferences must lie in [0, 1]. Got {h[u, v]} for the pair ({u}, {v}).")
    return np.where(np.eye(n, dtype=bool), 0, h)


def _order(order: Any, n: int) -> Vector:
    """An order as an array of the item numbers 0 … n - 1, each once."""
    array = np.asarray(order)
    if array.shape != (n,) or array.dtype.kind not in "iu" or not (np.sort(array) == np.arange(n)).all():
        raise ValueError(f"an order must list the item numbers 0 to {n - 1}, each once. Got {array.tolist()[:8]}.")
    return array


def _plain(value: Any) -> Any:
    """A numpy number as a Python one; fractions stay."""
    return value.item() if isinstance(value, np.generic) else value
