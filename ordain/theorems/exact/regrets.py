"""Weak and strong regrets of rankings and preferences, when sets and their truths are drawn [AilonMohri10]_.

A distribution is a list of :class:`Outcome`: a set of the items 0 … N - 1, its truth τ*, and their chance.
The loss of a preference h is Σ chance · Σ h(u, v) τ*(v, u) / C(n, 2). A *strong* regret compares with the best single
order, or preference, of all items; a *weak* one with the best for each set. Orders of N items are all tried: N ≤ 7.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ordain.theorems.exact.quicksort_law import exact, precedence


@dataclass(frozen=True, eq=False)
class Outcome:
    """A set of items, its truth τ*, with τ*[i, j] for the i-th and j-th of them, and how likely the two are."""

    chance: Fraction
    items: tuple[int, ...]
    tau: Any


@dataclass(frozen=True)
class Regrets:
    """Losses of a ranking and of a preference above the best possible ones, each in its weak and strong sense."""

    weak_ranking: Fraction
    strong_ranking: Fraction
    weak_preference: Fraction
    strong_preference: Fraction


def labelled(chance: Fraction, items: Sequence[int], labels: Sequence[int], *, normalised: bool = True) -> Outcome:
    """The outcome in which items are positive or negative: τ*(u, v) = C(n, 2)/m₊m₋ for u positive, v negative, (3).

    Without a mixed pair τ* is zero. Not normalised, as (47), a mixed pair counts one.
    """
    mixed = sum(labels) * (len(labels) - sum(labels))
    pairs = len(labels) * (len(labels) - 1) // 2
    weight = Fraction(pairs, mixed) if normalised and mixed else Fraction(1)
    better = np.greater.outer(np.asarray(labels), np.asarray(labels))
    return Outcome(Fraction(chance), tuple(items), better * weight)


def risks(outcomes: Sequence[Outcome]) -> dict[tuple[int, ...], Any]:
    """For each set the expected loss, in this distribution, of putting v before u: Σ chance τ*(u, v)/C(n, 2)."""
    size = 1 + max(max(outcome.items) for outcome in outcomes)
    found: dict[tuple[int, ...], Any] = defaultdict(lambda: np.full((size, size), Fraction(0), dtype=object))
    for outcome in outcomes:
        n = len(outcome.items)
        found[tuple(sorted(outcome.items))][np.ix_(outcome.items, outcome.items)] += (
            outcome.chance * outcome.tau / Fraction(n * (n - 1), 2)
        )
    return dict(found)


def loss(preference: Any, risk: Any) -> Fraction:
    """Σ h(u, v) e(v, u) over all pairs, e being a risk; an order's preference has only zeros and ones."""
    apart = ~np.eye(len(risk), dtype=bool)
    return (np.asarray(preference) * risk.T)[apart].sum() + Fraction(0)


def best_order(risk: Any) -> Fraction:
    """The least loss of an order."""
    return min(sum((risk[v, u] for u, v in combinations(o, 2)), Fraction(0)) for o in permutations(range(len(risk))))


def local_optimum(risk: Any) -> Any:
    """The preference of least loss, found pair by pair: h(u, v) = 1 where e(u, v) > e(v, u); ties by number, (12)."""
    numbers = np.arange(len(risk))
    return (risk > risk.T) | ((risk == risk.T) & (numbers[:, None] > numbers))


def regrets(outcomes: Sequence[Outcome], h: ArrayLike, ranking: Callable[[Any], Any] = precedence) -> Regrets:
    """All four regrets of a preference on all items and of a ranking made from its restriction to each set.

    `ranking` takes the preference on a set and returns the probabilities of u before v; QuickSort by default.
    """
    matrix, by_set = exact(h), risks(outcomes)
    whole = sum(by_set.values())
    ranked = sum((loss(ranking(_part(matrix, s)), _part(e, s)) for s, e in by_set.items()), Fraction(0))
    preferred = loss(matrix, whole)
    return Regrets(
        ranked - sum((best_order(_part(e, s)) for s, e in by_set.items()), Fraction(0)),
        ranked - best_order(whole),
        preferred - sum((loss(local_optimum(e), e) for e in by_set.values()), Fraction(0)),
        preferred - loss(local_optimum(whole), whole),
    )


def irrelevant_alternatives(outcomes: Sequence[Outcome]) -> tuple[int, int] | None:
    """A pair whose mean τ*(u, v) differs between two sets that hold it, or None: the pairwise IIA of Definition 1."""
    means: dict[tuple[int, int], set[Fraction]] = defaultdict(set)
    for items, risk in risks(outcomes).items():
        chance = sum((o.chance for o in outcomes if set(o.items) == set(items)), Fraction(0))
        pairs = Fraction(len(items) * (len(items) - 1), 2)
        for u, v in permutations(items, 2):
            means[u, v].add(risk[u, v] * pairs / chance)
    return next((pair for pair, seen in means.items() if len(seen) > 1), None)


def _part(matrix: Any, items: tuple[int, ...]) -> Any:
    return matrix[np.ix_(items, items)]
