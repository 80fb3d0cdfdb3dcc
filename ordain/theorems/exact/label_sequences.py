"""Regrets on a set whose labels are drawn: DEGREE's is at most twice that of its preference [Balcan08]_.

A distribution Q gives a probability to every label sequence of a fixed set of items 0 … n - 1, with any dependence
between the labels. The loss of a ranking, an order or a preference h, is the share of mixed pairs it has the wrong way
round, in expectation; a sequence without a mixed pair counts 0. Its regret is its loss beyond the least possible.

With M(y) the number of mixed pairs, let the *worth* of an item be s(u) = E[y_u / M(y)]. To put v before u costs
e(u, v) = E[1(y_u > y_v) / M(y)], and e(u, v) - e(v, u) = s(u) - s(v): all regrets come from one score per item, and a
preference that decides each pair as well as possible is the order by worth.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ordain._types import Vector
from ordain.theorems.exact.tournaments import order_mistakes, pair_mistakes

LabelLaw = Mapping[tuple[int, ...], Fraction]
"""The probability of every label sequence, 1 being a positive."""

DrawnSet = tuple[Fraction, tuple[int, ...], LabelLaw]
"""The probability of a set, its items, and the law of their labels."""


@dataclass(frozen=True)
class Decomposition:
    """Both regrets as sums over the cuts of the best order, behind its first item, its second, and so on.

    With r_k = s(k) - s(k + 1) ≥ 0 what swapping two neighbours of the best order costs, and the first k items taken for
    winners, r_class = Σ f_k r_k and r_AUC = Σ g_k r_k: f_k are the mistakes of the preference, g_k those of the order.
    For DEGREE g_k ≤ 2 f_k at every cut, by Theorem 2, so that r_AUC ≤ 2 r_class [Balcan08]_.
    """

    steps: tuple[Fraction, ...]  # r_k
    pairs: tuple[Any, ...]  # f_k
    ranks: tuple[int, ...]  # g_k

    @property
    def classification_regret(self) -> Any:
        """Σ f_k r_k."""
        return sum((f * r for f, r in zip(self.pairs, self.steps, strict=True)), Fraction(0))

    @property
    def auc_regret(self) -> Any:
        """Σ g_k r_k."""
        return sum((g * r for g, r in zip(self.ranks, self.steps, strict=True)), Fraction(0))


def pair_losses(law: LabelLaw) -> Any:
    """e(u, v) = E[1(y_u > y_v) / M(y)], what it costs to put v before u.

    Examples
    --------
    >>> pair_losses({(1, 0, 0): Fraction(1, 2), (0, 0, 0): Fraction(1, 2)})[0, 1]
    Fraction(1, 4)
    """
    n = len(next(iter(law)))
    losses = np.full((n, n), Fraction(0), dtype=object)
    for labels, chance in law.items():
        mixed = sum(labels) * (n - sum(labels))
        if mixed:
            losses += np.greater.outer(labels, labels).astype(int) * (Fraction(chance) / mixed)
    return losses


def worths(law: LabelLaw) -> Vector:
    """s(u) = E[y_u / M(y)], by which the best order goes.

    Lemma 1 of [Balcan08]_, that regrets add up along proper pairs, is s(u) - s(w) = s(u) - s(v) + s(v) - s(w). There it
    is shown by E[y_u - y_v] with M(y) cancelled, which holds for three items, where M(y) = 2; in general the order by
    the chance of a positive, E[y_u], is not the best.

    Examples
    --------
    >>> [str(s) for s in worths({(1, 1, 0): Fraction(1, 4), (0, 0, 1): Fraction(3, 4)})]
    ['1/8', '1/8', '3/8']
    """
    n = len(next(iter(law)))
    worth = np.full(n, Fraction(0), dtype=object)
    for labels, chance in law.items():
        mixed = sum(labels) * (n - sum(labels))
        if mixed:
            worth += np.array(labels) * (Fraction(chance) / mixed)
    return worth


def pair_regrets(law: LabelLaw) -> Any:
    """r(u, v) = max(0, s(v) - s(u)), what it costs to put u before v beyond the better of the two ways."""
    worth = worths(law)
    return np.maximum(np.subtract.outer(worth, worth).T, 0)


def best_order(law: LabelLaw) -> Vector:
    """The order by worth, which no preference beats; equal items by number.

    Lemma 2 of [Balcan08]_: in an order without regret no pair has any. By worth: it falls along the order, or two
    neighbours could be swapped with gain, and so r(u, v) = 0 for all u before v.
    """
    return np.argsort(-worths(law), kind="stable")


def expected_loss(h: Any, losses: Any) -> Any:
    """Σ h(v, u) e(u, v), the loss of a preference; that of an order if h is :func:`before` of it."""
    return (np.asarray(h).T * losses).sum()


def before(order: ArrayLike) -> Any:
    """An order as a preference: 1 where u comes before v."""
    place = np.argsort(np.asarray(order))
    return (place[:, None] < place).astype(int)


def regret(h: Any, law: LabelLaw) -> Any:
    """The loss of a preference, or of an order as a preference, beyond that of the best order, which is the least."""
    losses = pair_losses(law)
    return expected_loss(h, losses) - expected_loss(before(best_order(law)), losses)


def decomposition(h: Any, order: ArrayLike, law: LabelLaw) -> Decomposition:
    """The regrets of a preference and of an order made from it, cut by cut; see :class:`Decomposition`.

    Examples
    --------
    >>> parts = decomposition([[0, 1, 0], [0, 0, 1], [1, 0, 0]], [2, 1, 0], {(1, 0, 0): Fraction(1)})
    >>> parts.pairs, parts.ranks
    ((1, 1), (2, 2))
    >>> print(parts.classification_regret, parts.auc_regret)
    1/2 1
    """
    best, worth = best_order(law), worths(law)
    n = len(best)
    cuts = [np.isin(np.arange(n), best[:k]).astype(int) for k in range(1, n)]
    return Decomposition(
        steps=tuple(worth[best[k]] - worth[best[k + 1]] for k in range(n - 1)),
        pairs=tuple(pair_mistakes(h, cut) for cut in cuts),
        ranks=tuple(order_mistakes(order, cut) for cut in cuts),
    )


def pooled_losses(sets: Iterable[DrawnSet], n: int) -> Any:
    """e(u, v) in expectation over drawn sets, which is what a preference fixed for all of them pays for its pairs."""
    losses = np.full((n, n), Fraction(0), dtype=object)
    for chance, items, law in sets:
        losses[np.ix_(items, items)] += chance * pair_losses(law)
    return losses


def least_preference_loss(losses: Any) -> Any:
    """Σ min(e(u, v), e(v, u)) over pairs: the best that one preference for all sets can do."""
    return np.minimum(losses, losses.T)[np.triu_indices(len(losses), 1)].sum()


def least_order_loss(losses: Any) -> Any:
    """The least loss of one order for all sets, over all orders."""
    return min(expected_loss(before(order), losses) for order in permutations(range(len(losses))))
