"""How long a list should be: a few of each size are asked about the same items, and the size that tells most is taken.

A judge may tire of long lists. If the score differences it goes by shrink to a_K times theirs in lists of K, a text
tells a_K² · 3(K - 1)/(4(K + 1)), see the row X-list of the theorems. One factor a per size and the scores of a few
items drawn by lot are fitted together to the weighted pairs. It is assumed that log a changes about as log K does, so
that all sizes tell of the trend, and that a small trend is likelier than a large one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

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
    """The sizes that were tried, and what a text told at each; for alike items a pair's tells ¼."""

    sizes: tuple[int, ...]
    told: tuple[float, ...]

    @property
    def best(self) -> int:
        """The size of which a text tells most."""
        return self.sizes[int(np.argmax(self.told))]

    def __str__(self) -> str:
        times = ", ".join(
            f"{told / self.told[0]:.2g} times at {size}"
            for size, told in zip(self.sizes[1:], self.told[1:], strict=True)
        )
        return f"Lists of {self.best}: a text tells {times} what it tells in lists of {self.sizes[0]}."


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


def told_by_size(lists: Sequence[Vector], places: Sequence[Vector], sizes: Sequence[int] = SIZES) -> ListSize:
    """What a text tells at each size, by the factors a under which the answers are likeliest.

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

    found = minimize(loss, np.zeros(len(pool) + len(sizes)), jac=True, method="L-BFGS-B").x[len(pool) :]
    told = [np.exp(2 * log) * 3 * (size - 1) / (4 * (size + 1)) for log, size in zip(found, sizes, strict=True)]
    return ListSize(tuple(sizes), tuple(map(float, told)))
