"""Equal questions counted together: all that a fit needs of a million answers are the pairs that differ.

The loss -y log q(d) - (1 - y) log q(-d) is linear in y, with lapses too, so answers to the same question are as one
whose weight is their total and whose answer is their weighted mean. Without a position term a pair shown the other way
round is the same question, the answer being 1 - y.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ordain._types import Answers, Pairs, Vector

ROOM = 1 << 21
"""Most pairs of items for which every pair has a place of its own; where they are more, keys are sorted."""


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
    keys, totals, won = (_placed if n * n <= ROOM else _sorted)(first * n + second, wins, weights, n * n)
    return Counted(keys // n, keys % n, won / totals, totals.astype(np.float64, copy=False))


def _placed(keys: Vector, wins: Vector, weights: Vector | None, places: int) -> tuple[Vector, Vector, Vector]:
    """The keys that differ, their weights and wins: each key has a place."""
    totals, won = np.bincount(keys, weights, places), np.bincount(keys, wins, places)
    seen = np.flatnonzero(totals)
    return seen, totals[seen], won[seen]


def _sorted(keys: Vector, wins: Vector, weights: Vector | None, places: int) -> tuple[Vector, Vector, Vector]:
    """The same where the places are too many: equal keys are brought together."""
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    if weights is None:
        return keys[starts], np.diff(starts, append=len(keys)), np.add.reduceat(wins[order], starts)
    totals = np.add.reduceat(weights[order], starts)
    seen = totals > 0
    return keys[starts[seen]], totals[seen], np.add.reduceat(wins[order], starts)[seen]
