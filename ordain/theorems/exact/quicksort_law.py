"""QuickSort by a preference, exactly: the law of its output, what it compares, its loss and its calls [AilonMohri10]_.

A preference is a square array h of whole numbers or fractions with h[u, v] + h[v, u] = 1 off the diagonal, possibly
cyclic; everything comes out as a fraction. Costs grow like 3ⁿ, so n is at most 8 or so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ordain._types import Vector


def exact(h: ArrayLike) -> Any:
    """A preference as an array of fractions, ½ on the diagonal, refused where it is not consistent."""
    given = np.asarray(h)
    if given.ndim != 2 or given.shape[0] != given.shape[1]:
        raise ValueError(f"a preference matrix must be square. Got shape {given.shape}.")
    matrix = np.full(given.shape, Fraction(1, 2), dtype=object)
    for u, v in permutations(range(len(given)), 2):
        matrix[u, v] = Fraction(given[u, v])
        if not 0 <= given[u, v] <= 1 or matrix[u, v] + Fraction(given[v, u]) != 1:
            raise ValueError(
                f"h(u, v) must lie in [0, 1], with h(u, v) + h(v, u) = 1. Got {given[u, v]} and {given[v, u]} for the "
                f"pair ({u}, {v}). Give fractions where floats are not exact."
            )
    return matrix


def probability(h: ArrayLike, order: Any) -> Fraction:
    """The probability that QuickSort returns `order`.

    With P(i, j) that of the places from i to j - 1 among themselves, the pivot stands at one of them:
    P(i, j) = Σ_p P(i, p) P(p + 1, j) Π_{q<p} h(q, p) Π_{q>p} h(p, q) / (j - i).

    Examples
    --------
    >>> probability([[0, 1, 0], [0, 0, 1], [1, 0, 0]], [0, 1, 2])
    Fraction(1, 3)
    """
    g = exact(h)[np.ix_(order, order)]
    p = {(i, i): Fraction(1) for i in range(len(g) + 1)}
    for size in range(1, len(g) + 1):
        for i, j in ((i, i + size) for i in range(len(g) - size + 1)):
            splits = (p[i, at] * p[at + 1, j] * prod(g[i:at, at]) * prod(g[at, at + 1 : j]) for at in range(i, j))
            p[i, j] = sum(splits, Fraction(0)) / size
    return p[0, len(g)]


def output_distribution(h: ArrayLike) -> dict[tuple[int, ...], Fraction]:
    """The probability of every order that QuickSort can return, from the splits of each set of items."""
    matrix = exact(h)

    @cache
    def law(block: frozenset[int]) -> dict[tuple[int, ...], Fraction]:
        if len(block) < 2:
            return {tuple(block): Fraction(1)}
        orders: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
        for left, right, chance in _splits(matrix, block):
            pivot = tuple(block - left - right)
            for (first, p), (last, q) in product(law(left).items(), law(right).items()):
                orders[first + pivot + last] += chance * p * q
        return orders

    return dict(law(frozenset(range(len(matrix)))))


def visits(h: ArrayLike, k: int | None = None) -> dict[tuple[frozenset[int], int], Fraction]:
    """The probability that k-QuickSort sorts each block, that is, a set and how many of its first items are wanted.

    A block of n' items with k' wanted splits into n_L with min(k', n_L) and n_R with max(0, k' - n_L - 1) of them
    wanted; blocks of one item, or with none wanted, are not sorted. All items are wanted by default.
    """
    matrix = exact(h)
    n = len(matrix)
    met: dict[tuple[frozenset[int], int], Fraction] = defaultdict(Fraction)
    met[frozenset(range(n)), n if k is None else k] = Fraction(1)
    for size in range(n, 1, -1):
        for block, wanted in [key for key in met if len(key[0]) == size]:
            for left, right, chance in _splits(matrix, block):
                reached = met[block, wanted] * chance
                for part, rest in ((left, min(wanted, len(left))), (right, max(0, wanted - len(left) - 1))):
                    if len(part) > 1 and rest:
                        met[part, rest] += reached
    return {key: chance for key, chance in met.items() if len(key[0]) > 1 and key[1]}


def compared(h: ArrayLike) -> Any:
    """p_uv, the probability that QuickSort compares u with v: both are in a block of which one is the pivot."""
    n = len(np.asarray(h))
    p = np.full((n, n), Fraction(0), dtype=object)
    for (block, _), chance in visits(h).items():
        for pair in permutations(block, 2):
            p[pair] += chance * Fraction(2, len(block))
    return p


def met_together(h: ArrayLike) -> Any:
    """p_uvw, the probability that one of u, v, w becomes the pivot while all three are in its block."""
    n = len(np.asarray(h))
    p = np.full((n, n, n), Fraction(0), dtype=object)
    for (block, _), chance in visits(h).items():
        for triple in permutations(block, 3):
            p[triple] += chance * Fraction(3, len(block))
    return p


def precedence(h: ArrayLike) -> Any:
    """The probability that QuickSort puts u before v: p_uv h(u, v) + Σ_w p_uvw h(u, w) h(w, v) / 3.

    Losses that are linear in the ranking take it as they take h, and give the expected loss.
    """
    matrix = exact(h)
    by_third = met_together(h) * _paths(matrix).swapaxes(1, 2) / Fraction(3)
    before = compared(h) * matrix + by_third.sum(axis=2)
    np.fill_diagonal(before, Fraction(1, 2))
    return before


def expected_loss(h: ArrayLike, tau: Any) -> Fraction:
    """E L(QuickSort, τ*), by the decomposition (18): Σ p_uv α[h, τ*]_uv + Σ p_uvw β[τ*]_uvw, per pair of items.

    Examples
    --------
    >>> expected_loss([[0, 1, 0], [0, 0, 1], [1, 0, 0]], np.triu(np.ones((3, 3), dtype=int), 1))
    Fraction(4, 9)
    """
    pairs = over_pairs(compared(h) * alpha(exact(h), tau))
    triples = over_triples(met_together(h) * beta(h, tau))
    n = len(np.asarray(h))
    return (pairs + triples) / Fraction(n * (n - 1), 2)


def expected_calls(h: ArrayLike, k: int | None = None) -> Fraction:
    """The expected number of pairs that QuickSort asks, or k-QuickSort: a block of m items costs m - 1."""
    return sum((chance * (len(block) - 1) for (block, _), chance in visits(h, k).items()), Fraction(0))


def goes_left(h: ArrayLike) -> Vector:
    """The probability that each item goes before the first pivot, Σ_v h(u, v) / n: it may be the pivot itself."""
    matrix = exact(h)
    return (matrix.sum(axis=1) - matrix.diagonal()) / Fraction(len(matrix))


def alpha(X: Any, Y: Any) -> Any:
    """α[X, Y]_uv = X(u, v) Y(v, u) + X(v, u) Y(u, v)."""
    X, Y = np.asarray(X), np.asarray(Y)
    return X * Y.T + X.T * Y


def beta(h: ArrayLike, X: Any) -> Any:
    """β[X]_uvw: what is paid if a third item decides. Per pivot, ⅓ of h(u, v) h(v, w) X(w, u) both ways round."""
    return _over_pivots(_paths(exact(h)) * np.asarray(X).T[:, None, :])


def gamma(h: ArrayLike, Z: Any) -> Any:
    """γ[Z]_uvw: the same with Z_uw, the pair that the pivot v decides, whichever way round."""
    return _over_pivots(_paths(exact(h)) * np.asarray(Z)[:, None, :])


def over_pairs(Z: Any) -> Any:
    """Σ_{u<v} Z_uv."""
    return Z[np.triu_indices(len(Z), 1)].sum()


def over_triples(Z: Any) -> Any:
    """Σ_{u<v<w} Z_uvw."""
    u, v, w = np.indices(Z.shape)
    return Z[(u < v) & (v < w)].sum() + Fraction(0)


def _splits(matrix: Any, block: frozenset[int]) -> Iterator[tuple[frozenset[int], frozenset[int], Fraction]]:
    """What goes left and right of each pivot, with probability."""
    for pivot in block:
        lefts = {frozenset[int](): Fraction(1, len(block))}
        for item in block - {pivot}:
            stays = {left: chance * matrix[pivot, item] for left, chance in lefts.items()}
            goes = {left | {item}: chance * matrix[item, pivot] for left, chance in lefts.items()}
            lefts = {left: chance for left, chance in (stays | goes).items() if chance}
        yield from ((left, block - left - {pivot}, chance) for left, chance in lefts.items())


def _paths(matrix: Any) -> Any:
    """h(u, v) h(v, w)."""
    return matrix[:, :, None] * matrix[None, :, :]


def _over_pivots(terms: Any) -> Any:
    """⅓ of the sum over the six orders of three items."""
    return sum(terms.transpose(axes) for axes in permutations(range(3))) / Fraction(3)
