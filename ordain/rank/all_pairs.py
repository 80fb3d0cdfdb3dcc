"""Rankers that ask every pair and add up: DEGREE, by all wins, and the greedy order, by wins over those left.

Their guarantees hold for every tournament: DEGREE makes at most twice the mistakes of the preference if the truth has
two grades [Balcan08]_, the greedy order keeps half of the best possible agreement [Cohen99]_. The pairs are asked in
random order. Those that had no answer when the budget ended count as ties.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from ordain._types import Answers, Pairs
from ordain.preference import Spent
from ordain.rank.play import Ranker, fairly


def degree(n: int, rng: np.random.Generator) -> Ranker:
    """Order by number of wins over all pairs, ties by lot [Balcan08]_. One batch.

    Examples
    --------
    >>> from ordain.rank import play
    >>> play(degree(3, np.random.default_rng(0)), lambda pairs: pairs[:, 0] > pairs[:, 1])
    array([2, 1, 0])
    """
    pairs, answers = yield from _all_pairs(n, rng)
    wins = np.bincount(pairs[:, 0], answers, n) + np.bincount(pairs[:, 1], 1 - answers, n)
    return np.lexsort((rng.random(n), -wins))


def greedy(n: int, rng: np.random.Generator) -> Ranker:
    """The item with the most wins over those left comes next, ties by lot [Cohen99]_. One batch.

    With l the share of disagreement with the preference, l(greedy) ≤ ½ + l(best)/2.

    Examples
    --------
    >>> from ordain.rank import play
    >>> play(greedy(3, np.random.default_rng(0)), lambda pairs: pairs[:, 0] > pairs[:, 1])
    array([2, 1, 0])
    """
    h = yield from preference_matrix(n, rng)
    lot = rng.permutation(n)
    potential = (h - h.T)[np.ix_(lot, lot)].sum(axis=1)
    order = np.empty(n, dtype=np.intp)
    for place in range(n):
        best = int(np.argmax(potential))
        order[place], potential[best] = lot[best], -np.inf
        potential += h[lot[best], lot] - h[lot, lot[best]]
    return order


def preference_matrix(n: int, rng: np.random.Generator) -> Generator[Pairs, Answers, Any]:
    """The preference matrix, asked: ½ on the diagonal and where no answer came."""
    pairs, answers = yield from _all_pairs(n, rng)
    h = np.full((n, n), 0.5)
    h[pairs[:, 0], pairs[:, 1]] = answers
    h[pairs[:, 1], pairs[:, 0]] = 1 - answers
    return h


def _all_pairs(n: int, rng: np.random.Generator) -> Generator[Pairs, Answers, tuple[Pairs, Answers]]:
    """All pairs in random order and their answers, ½ where none came."""
    pairs = np.column_stack(np.triu_indices(n, k=1))
    if not len(pairs):
        return pairs, np.empty(0)
    pairs = pairs[rng.permutation(len(pairs))]
    try:
        answers = yield from fairly(pairs[:, 0], pairs[:, 1], rng)
    except Spent as spent:
        answers = np.nan_to_num(spent.answers, nan=0.5)
    return pairs, answers
