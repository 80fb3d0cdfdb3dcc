"""Examples that show where the bounds of [Balcan08]_ end: families that attain them, and what no bound can promise."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ordain._types import Vector
from ordain.theorems.exact.feedback import Blocks
from ordain.theorems.exact.label_sequences import DrawnSet, LabelLaw


@dataclass(frozen=True, eq=False)
class Example:
    """A tournament, the labels of its items, and an order of them."""

    h: Any
    labels: Vector
    order: Vector


def round_robin(n: int) -> Any:
    """Items on a circle, each beating those that come next within half of it; opposite ones, the first of them wins.

    For odd n every score is (n - 1)/2; for even n the first half has n/2 and the second half n/2 - 1.

    Examples
    --------
    >>> round_robin(3).tolist()
    [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    """
    ahead = np.subtract.outer(np.arange(n), np.arange(n)).T % n
    opposite = (2 * ahead == n) & (np.arange(n) < n // 2)[:, None]
    return ((ahead > 0) & (2 * ahead < n) | opposite).astype(int)


def regular(n: int) -> Example:
    """Example 1: DEGREE makes twice the mistakes of its tournament, so no smaller factor holds [Balcan08]_.

    The first (n + 1)/2 of a round robin of odd n are losers. All scores are equal, and with ties against us the losers
    come first: g = (n² - 1)/4 = 2f. Any other choice of losers would do. With n even there are no ties between winners
    and losers that could be broken for us: n/2 losers have n/2 wins, g = n²/4, f = n(n + 2)/8, g/f = 2 - 4/(n + 2).
    """
    return Example(round_robin(n), (np.arange(n) >= (n + 1) // 2).astype(int), np.arange(n))


def three_components(n: int, first: int) -> Blocks:
    """Example 2: minimum feedback arc set does not do better than a factor 2 either [Balcan08]_.

    V₃ has n losers, V₁ `first` = δn² winners, V₂ 2n blocks B₁, …, B₂ₙ of n winners; each is transitive. V₃ → V₁ → V₂,
    B_i → B_j for i < j, odd blocks beat V₃ and V₃ beats even ones. The blocks here are V₃, V₁, B₁, …, B₂ₙ, and in this
    order there are n³ back edges, f = n³ + n·first = (1 + δ)n³ and g = 2n³ + n·first = (2 + δ)n³, so that
    g/f = (2 + δ)/(1 + δ) is as near to 2 as δ is small.

    That order is optimal exactly if first ≥ n, and all optima have that g exactly if first > n. The paper looks for n³
    edge-disjoint 3-cycles in V₂ ∪ V₃ alone. But an odd block, V₃ and the next block are transitive, and B₁, V₃, B₂, …
    has only n³ - n² back edges: V₃ → B_j → B_{j+1} → V₃, j even, are n²(n - 1) cycles. The other n² run
    V₃ → V₁ → B₁ → V₃, by a Latin square if V₁ has n items; if it has fewer, V₁, B₁, V₃, B₂, … with
    n³ - n² + n·first back edges is better.
    """
    odd = np.arange(2 * n) % 2 == 0
    size = 2 * n + 2
    h = np.zeros((size, size), dtype=int)
    h[2:, 2:] = np.triu(np.ones((2 * n, 2 * n), dtype=int), 1)
    h[0, 1] = h[1, 2:] = 1
    h[0, 2:], h[2:, 0] = ~odd, odd
    sizes = np.array([n, first] + [n] * (2 * n))
    return Blocks(h, sizes, np.array([0] + [1] * (size - 1)))


def near_optimal(cycles: int) -> Example:
    """A perfect preference whose near-optimal order errs: no approximation factor bounds the mistakes [Balcan08]_.

    `cycles` 3-cycles of winners, one above the other, all above one loser: f = 0, and the fewest back edges are one per
    cycle. The order that puts the loser before the last winner has one more, a factor 1 + 1/cycles, and one mistake.
    """
    n = 3 * cycles + 1
    h = np.triu(np.ones((n, n), dtype=int), 1)
    for start in range(0, n - 1, 3):
        h[start : start + 3, start : start + 3] = round_robin(3)
    return Example(h, (np.arange(n) < n - 1).astype(int), np.array([*range(n - 2), n - 1, n - 2]))


def lone_positive(n: int, chance: Fraction = Fraction(1)) -> LabelLaw:
    """One item is positive with `chance`, n - 1 are negative: pointwise predictions are not robust [Balcan08]_.

    Who predicts *negative* everywhere errs on one of n items: pointwise regret r = (2·chance - 1)/n for chance > ½. All
    predictions tie, and if the item comes last the AUC regret is chance ≥ n·r. See :func:`pointwise_regret`.
    """
    return {(1,) + (0,) * (n - 1): chance, (0,) * n: 1 - chance}


def pointwise_regret(predicted: Any, law: LabelLaw) -> Fraction:
    """The expected share of wrong labels beyond that of the likeliest label of every item.

    Examples
    --------
    >>> pointwise_regret([0, 0, 0, 0], lone_positive(4))
    Fraction(1, 4)
    """
    n = len(next(iter(law)))
    eta = [sum((chance for labels, chance in law.items() if labels[u]), Fraction(0)) for u in range(n)]
    wrong = [eta[u] if not predicted[u] else 1 - eta[u] for u in range(n)]
    return sum((paid - min(p, 1 - p) for paid, p in zip(wrong, eta, strict=True)), Fraction(0)) / n


def one_for_all_sets() -> tuple[Any, list[DrawnSet]]:
    """A preference without regret among those fixed for all sets, whose DEGREE orders have some [Balcan08]_.

    The preference is the cycle 0 → 1 → 2 → 0. The set {0, 1, 2} comes half of the time with 0 the only positive,
    {0, 2} with 2 positive, and {1, 2}, rarely, with 1 positive. No other preference for all sets loses less, since the
    pair (0, 2) is mostly drawn alone. But in the set of three DEGREE has ties, against us it puts 0 last and loses 1/2,
    and the order 2, 0, 1 for all sets loses only 3/8. Theorem 1 speaks of one set, or of regrets taken set by set.
    """
    sets: list[DrawnSet] = [
        (Fraction(1, 2), (0, 1, 2), {(1, 0, 0): Fraction(1)}),
        (Fraction(3, 8), (0, 2), {(0, 1): Fraction(1)}),
        (Fraction(1, 8), (1, 2), {(1, 0): Fraction(1)}),
    ]
    return round_robin(3), sets


def graded_cycle(n: int) -> Example:
    """Grades, every pair weighing one: DEGREE's factor is 3 for n = 3 and 10/3 for n = 5, beyond the 2 of two grades.

    A round robin of odd n, all grades different and falling, errs on (n² - 1)/8 pairs. All scores are equal, and with
    ties against us DEGREE errs on all n(n - 1)/2, which is 4n/(n + 1) times as many. With each pair weighing the
    difference of its grades the factor is 2 again: (a - b)₊ = Σ_t 1(a ≥ t > b) makes it a sum over thresholds t, each
    of them a choice of winners and losers.
    """
    return Example(round_robin(n), np.arange(n, 0, -1), np.arange(n)[::-1])


def marginals_mislead() -> LabelLaw:
    """Labels of four items for which the order by chance of a positive, E[y_u], is not that by worth, E[y_u / M(y)].

    The printed proof of Lemma 1 in [Balcan08]_ cancels M(y), which needs three items. Here item 0 is positive more
    often than item 3, but in company, when each pair weighs less.
    """
    return {(1, 1, 0, 0): Fraction(11, 20), (0, 0, 0, 1): Fraction(9, 20)}
