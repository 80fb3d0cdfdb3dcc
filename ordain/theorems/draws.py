"""Random instances in fractions, and counts straight from the definitions, for the checks to compare with."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
from numpy.random import Generator

from ordain.theory.label_sequences import LabelLaw


def preference(rng: Generator, n: int, parts: int) -> Any:
    """A preference whose answers are multiples of 1/parts."""
    h = np.full((n, n), Fraction(1, 2), dtype=object)
    for u, v in combinations(range(n), 2):
        h[u, v] = Fraction(int(rng.integers(parts + 1)), parts)
        h[v, u] = 1 - h[u, v]
    return h


def labels(rng: Generator, n: int) -> Any:
    """Winners and losers, at least one of each."""
    return rng.permutation((np.arange(n) < rng.integers(1, n)).astype(int))


def labellings(n: int) -> Any:
    """Every choice of winners and losers with at least one of each, as rows."""
    return np.array([row for row in product((0, 1), repeat=n) if 0 < sum(row) < n])


def law(rng: Generator, n: int, sequences: int = 4) -> LabelLaw:
    """Probabilities of a few label sequences, which may lack a mixed pair, but not all."""
    drawn = [tuple(labels(rng, n).tolist()), *(tuple(rng.integers(0, 2, n).tolist()) for _ in range(sequences - 1))]
    weights = rng.integers(1, 9, sequences).tolist()
    chances: dict[tuple[int, ...], Fraction] = {}
    for sequence, weight in zip(drawn, weights, strict=True):
        chances[sequence] = chances.get(sequence, Fraction(0)) + Fraction(weight, sum(weights))
    return chances


def wrong(order: Iterable[int], grades: Any) -> int:
    """Pairs that an order has the wrong way round, counted one by one."""
    return sum(1 for u, v in combinations(list(order), 2) if grades[u] < grades[v])


def order_loss(order: Iterable[int], chances: LabelLaw) -> Fraction:
    """The expected share of mixed pairs that an order has the wrong way round, sequence by sequence."""
    items, total = list(order), Fraction(0)
    for sequence, chance in chances.items():
        mixed = sum(sequence) * (len(sequence) - sum(sequence))
        total += chance * Fraction(wrong(items, sequence), max(mixed, 1))
    return total


def preference_loss(h: Any, chances: LabelLaw) -> Fraction:
    """The expected share of mixed pairs in which the negative beats the positive, sequence by sequence."""
    total = Fraction(0)
    for sequence, chance in chances.items():
        mixed = [(u, v) for u, v in permutations(range(len(sequence)), 2) if sequence[u] > sequence[v]]
        total += chance * Fraction(sum(int(h[v, u]) for u, v in mixed), max(len(mixed), 1))
    return total
