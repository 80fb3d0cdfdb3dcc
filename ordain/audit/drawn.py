"""Pairs drawn by lot: kept back from the rankers, or the three of a triple."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ordain._types import Answers, Pairs, Vector
from ordain.preference import Preference, Stream, Wrapper, arriving, check_answers
from ordain.preference.questions import is_lists


def held_back(n: int, count: int, rng: np.random.Generator) -> Pairs:
    """`count` different pairs of n items by lot, each in random order.

    Examples
    --------
    >>> len(held_back(1000, 200, np.random.default_rng(0)))
    200
    """
    if not 0 < count <= n * (n - 1) // 2:
        raise ValueError(f"count must be from 1 to the {n * (n - 1) // 2} pairs of {n} items. Got {count}.")
    odd = n % 2
    around, circle = rng.choice(n * (n - 1) // 2, count, replace=False), n - 1 + odd
    # A round robin: u meets the one d places on around a circle of odd size; d = 0 is the item outside it.
    apart, first = around // circle + odd, around % circle
    return _swapped(np.column_stack((first, np.where(apart, (first + apart) % circle, n - 1))), rng)


def random_triples(n: int, count: int, rng: np.random.Generator) -> Pairs:
    """The 3 `count` pairs of random triples, each pair in random order: what :func:`cyclicity` needs to be shown."""
    triples = np.array([rng.choice(n, 3, replace=False) for _ in range(count)])
    return _swapped(triples[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), rng)


class Withheld(Wrapper):
    """A preference that answers ½ to the pairs that are `kept` and never asks them."""

    def __init__(self, prefer: Preference, kept: Vector) -> None:
        super().__init__(prefer)
        self.kept = kept

    def through(self, prefer: Preference, pairs: Pairs) -> Stream:
        if is_lists(pairs):  # other questions than the pairs that are kept
            yield from arriving(prefer, pairs)
            return
        kept = np.isin(pair_keys(pairs), self.kept)
        yield np.flatnonzero(kept), np.full(np.count_nonzero(kept), 0.5)
        free = np.flatnonzero(~kept)
        yield from ((free[rows], answers) for rows, answers in arriving(prefer, pairs[free]))


def withheld(prefer: Preference, pairs: Pairs) -> Withheld:
    """`prefer`, that answers ½ to the given pairs, in either order, and never asks them.

    A sort pays for it where they are many: with a faultless judge, 200 pairs kept back put .033 of the pairs of 100
    items in the wrong order, .004 of 300 items, and .0003 of 1000. Lists are asked as they are, whatever is in them:
    the pairs that are kept, asked as pairs, then also tell whether the judge says in lists what it says of two.

    Examples
    --------
    >>> withheld(lambda pairs: pairs[:, 0] < pairs[:, 1], np.array([[0, 1]]))(np.array([[1, 0], [1, 2]]))
    array([0.5, 1. ])
    """
    return Withheld(prefer, pair_keys(pairs))


def check_asked(pairs: Pairs, answers: ArrayLike) -> tuple[Pairs, Answers]:
    """Pairs of two different items as an array, and an answer to each."""
    asked = np.asarray(pairs)
    if asked.ndim != 2 or asked.shape[1] != 2 or asked.dtype.kind not in "iu" or not len(asked):
        raise ValueError(f"pairs must be rows of two item numbers. Got {asked.dtype} of shape {asked.shape}.")
    if (asked.min() < 0) or (asked[:, 0] == asked[:, 1]).any():
        raise ValueError("pairs must be of two different items, numbered from 0. Got one that is not.")
    return asked.astype(np.int64), check_answers(asked, answers)


def pair_keys(pairs: Pairs) -> Vector:
    """One number for a pair in either order."""
    asked = np.asarray(pairs, dtype=np.int64)
    return asked.min(axis=1) << 32 | asked.max(axis=1)


def _swapped(pairs: Pairs, rng: np.random.Generator) -> Pairs:
    """Each pair in random order."""
    return np.where(rng.integers(0, 2, (len(pairs), 1), dtype=bool), pairs[:, ::-1], pairs)
