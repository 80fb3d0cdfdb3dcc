"""What one run of QuickSort can do: the law of its loss, negatives at the top, and what coins in the preference cost.

Theorem 2 of [AilonMohri10]_ is about the mean. Here is what it leaves for a single run, for labels of two classes, with
m positives, n negatives and L the loss of the preference. Proofs in docs/proofs_sorting.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ordain.theorems.exact.quicksort_law import exact, output_distribution


def loss_distribution(h: ArrayLike, labels: Sequence[int]) -> dict[Fraction, Fraction]:
    """The probability of every AUC loss that QuickSort can have.

    Its mean is L, so its variance is at most L(1 - L), and P(loss ≥ t) ≤ L/t. :func:`lone_positive` nearly attains
    both, so that no bound on the mean alone makes a single run safe.

    Examples
    --------
    >>> {str(loss): str(chance) for loss, chance in loss_distribution(*lone_positive(4)).items()}
    {'1/4': '1/5', '0': '3/5', '1': '1/5'}
    """
    mixed = sum(labels) * (len(labels) - sum(labels))
    law: dict[Fraction, Fraction] = defaultdict(Fraction)
    for order, chance in output_distribution(h).items():
        wrong = sum(labels[v] > labels[u] for u, v in combinations(order, 2))
        law[Fraction(wrong, mixed)] += chance
    return dict(law)


def lone_positive(n: int, wrong: int = 1) -> tuple[Any, list[int]]:
    """One good item 0, which beats the bad ones B; these beat the bad ones C, `wrong` in number, and these beat it.

    L = c/n. If the first pivot is in C, all bad ones come before the good one: loss 1 with probability
    c/(n + 1) = L n/(n + 1). If it is the good one, the loss is L; if it is in B, it is 0.
    """
    h = np.triu(np.ones((n + 1, n + 1), dtype=int), 1)
    h[0, n + 1 - wrong :], h[n + 1 - wrong :, 0] = 0, 1
    return h, [1] + [0] * n


def negatives_at_top(h: ArrayLike, labels: Sequence[int], k: int) -> tuple[Fraction, Fraction]:
    """E N_k and E N_k(m - k + N_k), N_k being the number of negatives among the first k of QuickSort, k ≤ m.

    The second is at most mn L, so the first is at most √(mn L).
    """
    m = sum(labels)
    if not 1 <= k <= m:
        raise ValueError(f"k must be from 1 to the number of positives, {m}. Got {k}.")
    mean, crossing = Fraction(0), Fraction(0)
    for order, chance in output_distribution(h).items():
        count = sum(not labels[item] for item in order[:k])
        mean += chance * count
        crossing += chance * count * (m - k + count)
    return mean, crossing


def shown_at_random(answers: ArrayLike) -> Any:
    """The preference of a judge who says with probability a(u, v) that u wins when u is shown first, shown by lot."""
    a = np.asarray(answers)
    return _preference(a / Fraction(2) + (1 - a.T) / Fraction(2))


def shown_both_ways(answers: ArrayLike) -> Any:
    """The preference of the same judge asked both ways, with a fair coin where the two answers disagree."""
    a = np.asarray(answers)
    first, second = a, 1 - a.T  # how likely each showing says that u wins
    disagree = first * (1 - second) + second * (1 - first)
    return _preference(first * second + disagree / Fraction(2))


def calibrated(risk: ArrayLike) -> Any:
    """h(u, v) = e(u, v)/(e(u, v) + e(v, u)), ½ where both are zero: the chance that u is the better one, if one is.

    As a coin it loses Σ 2ee'/(e + e'), which is between Σ min(e, e'), the loss of its rounding, and twice that.
    """
    e = np.asarray(risk)
    either = e + e.T
    h = np.full(e.shape, Fraction(1, 2), dtype=object)
    h[either > 0] = e[either > 0] / either[either > 0]
    return _preference(h)


def _preference(h: Any) -> Any:
    h = np.array(h, dtype=object)
    np.fill_diagonal(h, Fraction(1, 2))
    return exact(h)
