"""Preferences and labels of a few items in fractions, and their losses straight from the definitions."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb
from typing import Any

import numpy as np
from numpy.random import Generator

from ordain import measure
from ordain.theorems.exact import regrets
from ordain.theorems.exact.label_sequences import LabelLaw

VALUES = [Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(3, 4), Fraction(1)]
HALF = Fraction(1, 2)


def drawn(rng: Generator, n: int, values: list[Fraction] = VALUES) -> Any:
    """A random preference with entries from `values`."""
    h = np.full((n, n), HALF, dtype=object)
    for u, v in combinations(range(n), 2):
        h[u, v] = values[rng.integers(len(values))]
        h[v, u] = 1 - h[u, v]
    return h


def transitive(n: int) -> Any:
    return np.triu(np.ones((n, n), dtype=int), 1)


def one_back_edge(n: int) -> Any:
    """0, 1, …, n - 1 in order, except that the last beats the first."""
    h = transitive(n)
    h[0, n - 1], h[n - 1, 0] = 0, 1
    return h


def labellings(n: int) -> list[tuple[int, ...]]:
    """Every choice of winners and losers with at least one of each."""
    return [labels for labels in product([0, 1], repeat=n) if 0 < sum(labels) < n]


def parts(count: int) -> list[Fraction]:
    """The multiples of 1/count from 0 to 1."""
    return [Fraction(k, count) for k in range(count + 1)]


def drawn_labels(rng: Generator, n: int) -> tuple[int, ...]:
    every = labellings(n)
    return every[rng.integers(len(every))]


def importances_of(n: int) -> list[Any]:
    """Kemeny's, one that counts the first place only, two classes, all grades by their difference."""
    plain = [measure.kemeny(n), measure.top_heavy(n, 1), measure.bipartite(1, n - 1), measure.bipartite(n - 1, 1)]
    return [omega * Fraction(1) for omega in (*plain, measure.multipartite([1] * n, difference=True))]


def wrong(h: Any, labels: tuple[int, ...]) -> Fraction:
    """The share of mixed pairs that a preference has wrong, from its definition."""
    pairs = [(u, v) for u, v in permutations(range(len(labels)), 2) if labels[u] > labels[v]]
    return sum((Fraction(h[v, u]) for u, v in pairs), Fraction(0)) / len(pairs)


def weighed(h: Any, tau: Any) -> Fraction:
    """L(h, τ*), from its definition."""
    n = len(tau)
    return sum((h[u, v] * tau[v, u] for u, v in permutations(range(n), 2)), Fraction(0)) / comb(n, 2)


def tournaments(n: int) -> list[Any]:
    found = []
    for bits in product([0, 1], repeat=comb(n, 2)):
        h = np.zeros((n, n), dtype=int)
        h[np.triu_indices(n, 1)] = bits
        found.append(h + np.tril(1 - h.T, -1))
    return found


def drawn_outcomes(rng: Generator, n: int) -> list[regrets.Outcome]:
    """Three sets with two labellings each, the first being all items."""
    sizes = [n, *rng.integers(2, n + 1, 2).tolist()]
    sets = [tuple(sorted(rng.choice(n, size, replace=False).tolist())) for size in sizes]
    chances = rng.integers(1, 5, 6).tolist()
    pairs = zip(chances, [items for items in sets for _ in range(2)], strict=True)
    return [regrets.labelled(Fraction(c, sum(chances)), items, drawn_labels(rng, len(items))) for c, items in pairs]


def some_labels(rng: Generator, n: int) -> Any:
    """Winners and losers, at least one of each."""
    return rng.permutation((np.arange(n) < rng.integers(1, n)).astype(int))


def law(rng: Generator, n: int, sequences: int = 4) -> LabelLaw:
    """Probabilities of a few label sequences, which may lack a mixed pair, but not all."""
    drawn = [
        tuple(some_labels(rng, n).tolist()),
        *(tuple(rng.integers(0, 2, n).tolist()) for _ in range(sequences - 1)),
    ]
    weights = rng.integers(1, 9, sequences).tolist()
    chances: dict[tuple[int, ...], Fraction] = {}
    for sequence, weight in zip(drawn, weights, strict=True):
        chances[sequence] = chances.get(sequence, Fraction(0)) + Fraction(weight, sum(weights))
    return chances


def misplaced(order: Iterable[int], grades: Any) -> int:
    """Pairs that an order has the wrong way round, counted one by one."""
    return sum(1 for u, v in combinations(list(order), 2) if grades[u] < grades[v])


def order_loss(order: Iterable[int], chances: LabelLaw) -> Fraction:
    """The expected share of mixed pairs that an order has the wrong way round, sequence by sequence."""
    items, total = list(order), Fraction(0)
    for sequence, chance in chances.items():
        mixed = sum(sequence) * (len(sequence) - sum(sequence))
        total += chance * Fraction(misplaced(items, sequence), max(mixed, 1))
    return total


def preference_loss(h: Any, chances: LabelLaw) -> Fraction:
    """The expected share of mixed pairs in which the negative beats the positive, sequence by sequence."""
    total = Fraction(0)
    for sequence, chance in chances.items():
        mixed = [(u, v) for u, v in permutations(range(len(sequence)), 2) if sequence[u] > sequence[v]]
        total += chance * Fraction(sum(int(h[v, u]) for u, v in mixed), max(len(mixed), 1))
    return total
