"""Equal questions counted together: all that a fit needs of a million answers are the pairs that differ.

The loss -y log q(d) - (1 - y) log q(-d) is linear in y, with lapses too, so answers to the same question are as one
whose weight is their total and whose answer is their weighted mean. Without a position term a pair shown the other way
round is the same question, the answer being 1 - y.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from ordain._types import Answers, Pairs, Vector

ROOM = 1 << 21
"""Most pairs of items for which every pair has a place of its own; where they are more, pairs are brought together."""


class Counted(NamedTuple):
    """Different questions in the order of their items, the mean answer to each, and what it weighs."""

    first: Vector
    second: Vector
    answers: Answers
    weights: Vector


def counted(pairs: Pairs, answers: Answers, weights: Vector | None, n: int, position: bool) -> Counted:
    """The questions that differ, those without weight left out.

    Examples
    --------
    >>> counted(np.array([[0, 1], [1, 0], [0, 1]]), np.array([1.0, 0.0, 0.5]), None, 2, position=True)
    Counted(first=array([0, 1]), second=array([1, 0]), answers=array([0.75, 0.  ]), weights=array([2., 1.]))
    >>> counted(np.array([[0, 1], [1, 0], [0, 1]]), np.array([1.0, 0.0, 0.5]), None, 2, position=False)
    Counted(first=array([0]), second=array([1]), answers=array([0.83333333]), weights=array([3.]))
    """
    first, second = pairs[:, 0], pairs[:, 1]
    if not position:
        turned = first > second
        first, second = np.where(turned, second, first), np.where(turned, first, second)
        answers = np.where(turned, 1 - answers, answers)
    wins = answers if weights is None else weights * answers
    first, second, totals, won = (_placed if n * n <= ROOM else _together)(first, second, wins, weights, n)
    return Counted(first, second, won / totals, totals)


def _placed(first: Vector, second: Vector, wins: Vector, weights: Vector | None, n: int) -> tuple[Vector, ...]:
    """The questions, their weights and wins, each having a place."""
    keys = first * n + second
    totals, won = np.bincount(keys, weights, n * n), np.bincount(keys, wins, n * n)
    seen = np.flatnonzero(totals)
    return seen // n, seen % n, totals[seen].astype(np.float64, copy=False), won[seen]


def _together(first: Vector, second: Vector, wins: Vector, weights: Vector | None, n: int) -> tuple[Vector, ...]:
    """The same where the places are too many, as a sparse matrix: weights are its real part, wins its imaginary one."""
    both = (1.0 if weights is None else weights) + 1j * wins
    matrix = sparse.csr_array((both, (first, second)), shape=(n, n))
    first, second = np.repeat(np.arange(n), np.diff(matrix.indptr)), matrix.indices.astype(np.intp)
    totals, won = matrix.data.real.copy(), matrix.data.imag.copy()
    seen = slice(None) if weights is None else totals > 0
    return first[seen], second[seen], totals[seen], won[seen]
