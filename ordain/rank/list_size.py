"""How long a list should be: a few of some sizes are asked about the same items, and the size that tells most is taken.

A judge may tire of long lists. If the score differences it goes by shrink to a_K times theirs in lists of K, a text
about alike items tells a_K² · 3(K - 1)/(4(K + 1)), see the row X-list of the theorems. But before lists can be of alike
items it must be known about where each belongs. Scores that spread τ times as far as a pair's noise take
log₂(1 + a_K τ) bits an item, and an order of K items has log₂ K! bits, so of t texts an item about

    t_K = K log₂(1 + a_K τ) / log₂ K!

are spent on that, 4 in pairs and 1.4 in lists of five at τ = 3, and the share 1 - t_K/t of what the texts tell is left.

One factor a per size tried and the scores of a few items drawn by lot are fitted together to the weighted pairs. It is
assumed that log a changes about as log K does, so that all sizes tell of the trend, and that a small trend is likelier
than a large one. Between the sizes tried log a is a line in log K, so any size between them may be taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, gammaln

from ordain._types import Vector
from ordain.rank.list_model import weighted_pairs

SIZES = (2, 5, 10)
"""What is tried."""

USUAL = 10
"""What is taken where the budget is too small to try."""

ENOUGH, SHARE = 4000, 0.05
"""The texts from which on it is tried, and the share of them that the trial has."""

SCORES, TREND, OWN = 5.0, 0.5, 0.1
"""Prior standard deviations of the scores; of log a from the shortest to the longest; and of each log a besides."""


@dataclass(frozen=True)
class ListSize:
    """Sizes, and what a text is taken to tell at each; for alike items a pair's tells ¼. `tried` are those asked."""

    sizes: tuple[int, ...]
    told: tuple[float, ...]
    tried: tuple[int, ...] = ()

    @property
    def best(self) -> int:
        """The size of which a text tells most."""
        return self.sizes[int(np.argmax(self.told))]

    def __str__(self) -> str:
        shortest, told = self.sizes[0], dict(zip(self.sizes, self.told, strict=True))
        named = sorted({*(self.tried or self.sizes), self.best} - {shortest})
        times = ", ".join(f"{told[size] / told[shortest]:.2g} times at {size}" for size in named)
        return f"Lists of {self.best}: a text tells {times} what it tells in lists of {shortest}."


def trial_lists(n: int, rng: np.random.Generator, texts: int, sizes: Sequence[int] = SIZES) -> list[Vector]:
    """Lists of each size among the same few items; half of the texts in the shortest, of which a text tells least.

    Examples
    --------
    >>> lists = trial_lists(100, np.random.default_rng(0), texts=80)
    >>> [len(shown) for shown in lists].count(2), len(np.unique(np.concatenate(lists)))
    (20, 20)
    """
    pool, lists = rng.permutation(n)[: 2 * max(sizes)], []
    for place, size in enumerate(sizes):
        share = texts / 2 if place == 0 else texts / (2 * (len(sizes) - 1))
        count, each = int(share // size), len(pool) // size
        turns = [rng.permutation(pool)[: each * size].reshape(each, size) for _ in range(-(-count // each))]
        lists += list(np.concatenate(turns)[:count]) if turns else []
    return lists


def told_by_size(
    lists: Sequence[Vector], places: Sequence[Vector], sizes: Sequence[int] = SIZES, *, showings: float = np.inf
) -> ListSize:
    """What a text tells at each size from the least tried to the most, an item being shown so many times in all.

    Examples
    --------
    >>> lists = trial_lists(40, np.random.default_rng(0), texts=600)
    >>> print(told_by_size(lists, [shown.astype(float) for shown in lists]))
    Lists of 10: a text tells 7.7 times at 5, 28 times at 10 what it tells in lists of 2.
    """
    pool, numbers = np.unique(np.concatenate(lists), return_inverse=True)
    splits = np.split(numbers, np.cumsum([len(shown) for shown in lists])[:-1])
    parts, which = [], []
    for place, size in enumerate(sizes):
        rows = [row for row, shown in enumerate(lists) if len(shown) == size]
        parts.append(weighted_pairs([splits[row] for row in rows], [places[row] for row in rows]))
        which.append(np.full(len(parts[-1].answers), place))
    pairs, answers, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
    size_of = np.concatenate(which)

    steps = np.log(np.divide(sizes, sizes[0])) / np.log(max(sizes) / sizes[0])
    precision = np.linalg.inv(np.diag([OWN**2] * len(sizes)) + TREND**2 * np.outer(steps, steps))

    def loss(x: Vector) -> tuple[float, Vector]:
        scores, logs = x[: len(pool)], x[len(pool) :]
        a = np.exp(logs)[size_of]
        d = a * (scores[pairs[:, 0]] - scores[pairs[:, 1]])
        slope = weights * (expit(d) - answers)
        value = weights @ (np.logaddexp(0, d) - answers * d) + (scores @ scores) / (2 * SCORES**2)
        gradient = np.bincount(pairs[:, 0], a * slope, len(pool)) - np.bincount(pairs[:, 1], a * slope, len(pool))
        prior = np.append(scores / SCORES**2, precision @ logs)
        gradient = np.append(gradient, np.bincount(size_of, slope * d, len(sizes)))
        return float(value + logs @ precision @ logs / 2), gradient + prior

    found = minimize(loss, np.zeros(len(pool) + len(sizes)), jac=True, method="L-BFGS-B").x
    between = np.arange(sizes[0], sizes[-1] + 1)
    a = np.exp(np.interp(np.log(between), np.log(sizes), found[len(pool) :]))
    told = a**2 * 3 * (between - 1) / (4 * (between + 1)) * refining(between, a * found[: len(pool)].std(), showings)
    return ListSize(tuple(between.tolist()), tuple(told.tolist()), tuple(sizes))


def refining(sizes: Vector, spreads: Vector, showings: float) -> Vector:
    """1 - t_K/t, the share of the texts that is left when it is known about where each item belongs.

    Below a half it goes to nothing as t/4t_K does, with the same value and slope at a half, so that the size that tells
    most of where items belong is best where the texts do not suffice for that.

    Examples
    --------
    >>> refining(np.array([2, 5, 10]), np.full(3, 3.0), showings=12).round(2)
    array([0.67, 0.88, 0.92])
    """
    bits = gammaln(np.asarray(sizes) + 1.0) / np.log(2)
    needed = np.maximum(sizes * np.log2(1 + spreads) / bits / showings, np.finfo(float).tiny)
    return np.where(needed <= 0.5, 1 - needed, 1 / (4 * needed))
