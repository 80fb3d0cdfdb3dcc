"""How many pairs QuickSort asks, whatever the preference: bounds with their constants [AilonMohri10]_.

With q(n) = 2(n + 1)H_n - 4n and H_n = 1 + ½ + … + 1/n, for every preference on n items, cyclic and fractional ones too,

    the whole sort asks at most q(n) pairs on average, and as many if the preference is transitive,
    the best item alone takes at most 2n - 2H_n, and as many if the preference is transitive,
    the first k take at most 2(n - 1) + 4√((k - 1)(n - k)) + q(k - 1), which is at most 4(n - 1) + q(k - 1).

For 1 < k < n a transitive preference is not the worst. Proofs in docs/proofs_sorting.md; exact values for a given
preference come from :func:`ordain.theorems.exact.quicksort_law.expected_calls`.
"""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

from numpy.typing import ArrayLike

from ordain.theorems.exact.quicksort_law import exact


def harmonic(n: int) -> Fraction:
    """H_n = 1 + ½ + … + 1/n."""
    return sum((Fraction(1, i) for i in range(1, n + 1)), Fraction(0))


def sort_calls(n: int) -> Fraction:
    """q(n) = 2(n + 1)H_n - 4n, the most that sorting n items asks on average.

    Examples
    --------
    >>> [str(sort_calls(n)) for n in range(1, 5)]
    ['0', '1', '8/3', '29/6']
    """
    return 2 * (n + 1) * harmonic(n) - 4 * n


def best_calls(n: int) -> Fraction:
    """2n - 2H_n, the most that finding the best of n items asks on average."""
    return 2 * n - 2 * harmonic(n)


def top_calls(n: int, k: int) -> float:
    """The most that is proved to be asked on average for the first k of n items: q(n), or path and q(k - 1) if less.

    Examples
    --------
    >>> round(top_calls(1000, 10)), round(in_order_calls(1000, 10)), round(sort_calls(1000))
    (2396, 2084, 10986)
    """
    if k == 1:
        return float(best_calls(n))
    return min(float(sort_calls(n)), path_calls(k - 1, n - k) + float(sort_calls(k - 1)))


def path_calls(above: int, below: int) -> float:
    """2(a + b) + 4√(ab): the most that the blocks which hold a place ask, with a places before it and b behind.

    Examples
    --------
    >>> path_calls(0, 9), path_calls(4, 4)
    (18.0, 32.0)
    """
    return 2 * (above + below) + 4 * sqrt(above * below)


def in_order_calls(n: int, k: int) -> Fraction:
    """What the first k of n items cost on average if the preference is transitive.

    2n + 2(n + 1)H_n - 2(n + 3 - k)H_{n+1-k} - 6k + 6: q(n) at k = n, and 2n - 2H_n at k = 1.
    """
    return 2 * n + 2 * (n + 1) * harmonic(n) - 2 * (n + 3 - k) * harmonic(n + 1 - k) - 6 * k + 6


def split_moments(h: ArrayLike) -> tuple[Fraction, Fraction]:
    """E n_L and E n_L², n_L being how many items go before the first pivot.

    Lemma 2 of [AilonMohri10]_ gives (n - 1)/2 and at most n²/2.9 for n > 100; the second is at most (n - 1)(2n - 1)/6
    for every n, which a transitive preference attains and which is below n²/3.
    """
    matrix = exact(h)
    n = len(matrix)
    means = matrix.sum(axis=0) - matrix.diagonal()
    spreads = (matrix * (1 - matrix)).sum(axis=0) - Fraction(1, 4)
    return means.sum() / Fraction(n), (spreads + means**2).sum() / Fraction(n)
