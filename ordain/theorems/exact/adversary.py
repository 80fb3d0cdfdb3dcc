"""Theorem 4 of [AilonMohri10]_ as a program: every deterministic ranker pays twice what its preference pays, somewhere.

The adversary shows a preference in which c items beat each other in a circle, each as many as it loses to, and all of
them beat b others. It looks where the ranker puts the circle and says: the last of it is the only positive one.
The preference lost (c - 1)/2 of the c - 1 + b pairs, the ranker at least c - 1 of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ordain._types import Vector
from ordain.measure import auc_loss
from ordain.preference import from_matrix
from ordain.rank import play


@dataclass(frozen=True, eq=False)
class Defeat:
    """A preference, the order that a ranker made of it, and labels for which that order loses twice as much."""

    preference: Any
    order: Vector
    labels: Vector

    @property
    def preference_loss(self) -> Fraction:
        """L(h): the share of pairs of a positive and a negative that the preference has wrong."""
        return Fraction(auc_loss(self.labels, self.preference * Fraction(1)))

    @property
    def ranking_loss(self) -> Fraction:
        """The same of the order."""
        place = np.argsort(self.order)
        before: Any = place[:, None] < place
        return Fraction(auc_loss(self.labels, before * Fraction(1)))


def circle(size: int, below: int = 0) -> Any:
    """A tournament: item i of the circle beats the (size - 1)/2 items after it, and every item of the circle the rest.

    The items below, if any, are in the order of their numbers.
    """
    if size < 3 or size % 2 == 0:
        raise ValueError(f"a circle must have an odd number of items, 3 or more. Got {size}.")
    h = np.triu(np.ones((size + below, size + below), dtype=int), 1)
    ahead = np.subtract.outer(-np.arange(size), -np.arange(size)) % size
    h[:size, :size] = (ahead > 0) & (ahead <= size // 2)
    return h


def defeat(
    ranker: Callable[[int, np.random.Generator], Any], seed: int = 0, *, size: int = 3, below: int = 0
) -> Defeat:
    """Labels for which `ranker` with this seed loses at least twice as much as the preference it was given.

    A ranker of :mod:`ordain.rank` with its seed fixed is deterministic. With the seed still to be drawn, QuickSort
    loses on average exactly what the preference loses, whatever the labels.

    Examples
    --------
    >>> from ordain.rank import degree
    >>> found = defeat(degree)
    >>> found.preference_loss, found.ranking_loss
    (Fraction(1, 2), Fraction(1, 1))
    """
    h = circle(size, below)
    order = play(ranker(size + below, np.random.default_rng(seed)), from_matrix(h + np.eye(len(h)) / 2))
    last = order[order < size][-1]
    return Defeat(h, order, (np.arange(size + below) == last).astype(int))
