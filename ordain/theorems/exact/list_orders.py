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
    left = [Fraction(1, k - stage) for stage in range(k)]
    return _covariance([1 - sum(left[: place + 1], Fraction(0)) for place in range(k)])


def won_covariance(k: int) -> Vector:
    """Covariance of the numbers of items that each item comes before.

    Examples
    --------
    >>> print(won_covariance(2))
    [[Fraction(1, 4) Fraction(-1, 4)]
     [Fraction(-1, 4) Fraction(1, 4)]]
    """
    return _covariance([k - 1 - place - Fraction(k - 1, 2) for place in range(k)])


def _covariance(by_place: list[Fraction]) -> Vector:
    """That of what items get by their places, where these values have the mean 0."""
    k, values = len(by_place), np.array(by_place)
    total = np.full((k, k), Fraction(0))
    for order in permutations(range(k)):
        of_items = values[np.argsort(order)]
        total += np.outer(of_items, of_items)
    return total / factorial(k)
