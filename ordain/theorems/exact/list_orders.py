"""All orders of a few alike items, each equally likely: what an order and its pairs tell of scores, in fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from math import factorial

import numpy as np

from ordain._types import Vector


def stage_information(k: int) -> Vector:
    """Expected curvature of the Plackett–Luce log-likelihood where all scores are zero: Σ over stages of I/r - J/r².

    Examples
    --------
    >>> print(stage_information(2))
    [[Fraction(1, 4) Fraction(-1, 4)]
     [Fraction(-1, 4) Fraction(1, 4)]]
    """
    total = np.full((k, k), Fraction(0))
    for order in permutations(range(k)):
        for stage in range(k):
            left = list(order[stage:])
            total[np.ix_(left, left)] += Fraction(-1, len(left) ** 2)
            total[left, left] += Fraction(1, len(left))
    return total / factorial(k)


def slope_covariance(k: int) -> Vector:
    """Covariance of that log-likelihood's slopes: 1 less the sum of 1/r over the stages an item was there.

    Examples
    --------
    >>> bool((slope_covariance(3) == stage_information(3)).all())
    True
    """
    total = np.full((k, k), Fraction(0))
    slopes = np.array([1 - sum(Fraction(1, k - stage) for stage in range(place + 1)) for place in range(k)])
    for order in permutations(range(k)):
        of_items = slopes[np.argsort(order)]
        total += np.outer(of_items, of_items)
    return total / factorial(k)


def won_covariance(k: int) -> Vector:
    """Covariance of the numbers of items that each item comes before.

    Examples
    --------
    >>> print(won_covariance(2))
    [[Fraction(1, 4) Fraction(-1, 4)]
     [Fraction(-1, 4) Fraction(1, 4)]]
    """
    total = np.full((k, k), Fraction(0))
    for order in permutations(range(k)):
        won = k - 1 - np.argsort(order) - np.full(k, Fraction(k - 1, 2))
        total += np.outer(won, won)
    return total / factorial(k)
