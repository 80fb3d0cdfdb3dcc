"""Normalised discounted cumulative gain: how much of what the best order would show its readers a ranking shows them.

In a group whose items are put at places 1, 2, … an item of grade g gains 2^g - 1, discounted by 1 / log2(1 + place)
[Burges05]_. NDCG@k is the sum over the first k places divided by the largest sum that any order has [Jarvelin02]_. Tied
scores count by their expected gain: the mean over all orders of the tied items [McSherry08]_.

Gains are taken relative to the largest of the group, 2^(g - max) - 2^-max, so no grade is too large: only the ratio
counts. Grades from 0 on are taken as they are, half stars too; if some are below 0, all are raised till the least is 0.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ordain._checks import check_codes, check_numbers, check_scores
from ordain._types import Scores, Vector


def ndcg(grades: Any, scores: Scores, k: int | None = None, *, groups: Any = None) -> float:
    """Mean over the groups of the NDCG of their first k places; without groups all items are one list.

    Groups in which nothing gains, all grades being 0, have no best order and are left out of the mean. (LightGBM counts
    them as 1, scikit-learn as 0.) A group with all grades the same, and not 0, has 1 in any order.

    Parameters
    ----------
    grades, scores : arrays of shape (n_items,)
        Larger grades are better; False and True count as 0 and 1. Higher scores mean: should come earlier.
    k : int, optional
        How many places count; all of them by default, and where a group has fewer.
    groups : array, optional
        Which list an item is in, such as a query.

    Examples
    --------
    >>> round(ndcg([3, 2, 0, 1], [4.0, 1.0, 3.0, 2.0]), 4)
    0.936
    >>> ndcg([1, 0, 0, 1, 0, 0], [2, 1, 1, 2, 2, 1], k=1, groups=["a", "a", "a", "b", "b", "c"])
    0.75
    """
    values = group_ndcg(grades, scores, k, groups=groups)
    values = values[~np.isnan(values)]
    if not len(values):
        raise ValueError("a grade above 0 must exist. Got none, so no order is better than another.")
    return float(values.mean())


def group_ndcg(grades: Any, scores: Scores, k: int | None = None, *, groups: Any = None) -> Vector:
    """The NDCG@k of each group, in the order of their sorted names; nan where all grades are 0.

    Parameters
    ----------
    grades, scores, k, groups
        As for :func:`ndcg`, which is the mean of these.

    Examples
    --------
    >>> group_ndcg([1, 0, 0, 1, 0, 0], [2, 1, 1, 2, 2, 1], k=1, groups=["a", "a", "a", "b", "b", "c"])
    array([1. , 0.5, nan])
    """
    grades = check_numbers(grades, "grades").astype(np.float64)
    scores = check_scores(scores, len(grades))
    codes = np.zeros(len(grades), np.int64) if groups is None else check_codes(groups, len(grades), "groups")
    if k is not None and not (k >= 1 and k % 1 == 0):
        raise ValueError(f"k must be a whole number from 1 on, or None for all places. Got {k}.")
    gains, size = _gains(grades, codes), int(codes.max()) + 1
    best_first, by_score = (np.lexsort((by, codes))[::-1] for by in (grades, scores))
    codes = codes[by_score]
    ideal, shown = gains[best_first], _averaged(gains[by_score], _starts(codes, scores[by_score]))
    discounts = _discounts(_starts(codes), len(codes), len(codes) if k is None else int(k))
    best, lost = (np.bincount(codes, of * discounts, size) for of in (ideal, ideal - shown))
    with np.errstate(invalid="ignore"):
        return np.clip(1 - lost / best, 0.0, 1.0)


def _gains(grades: Vector, codes: Vector) -> Vector:
    """2^g - 1 in units of 2^max of the group, written so that neither large nor small grades lose digits."""
    grades = grades - min(grades.min(), 0.0)
    largest = np.zeros(int(codes.max()) + 1)
    np.maximum.at(largest, codes, grades)
    return np.exp2(grades - largest[codes]) * -np.expm1(-math.log(2) * grades)


def _averaged(gains: Vector, starts: Vector) -> Vector:
    """In each block of tied scores the mean gain; exactly the gain where all are the same."""
    if len(starts) == len(gains):
        return gains
    sizes = np.diff(starts, append=len(gains))
    first = gains[starts]
    return np.repeat(first + np.add.reduceat(gains - np.repeat(first, sizes), starts) / sizes, sizes)


def _discounts(heads: Vector, length: int, k: int) -> Vector:
    """1 / log2(1 + place) in rows whose groups begin at `heads`; 0 from place k + 1 on."""
    places = np.arange(1, length + 1) - np.repeat(heads, np.diff(heads, append=length))
    discounts = 1 / np.log2(1 + np.arange(1, places.max() + 1))
    discounts[k:] = 0.0
    return discounts[places - 1]


def _starts(*keys: Vector) -> Vector:
    """Where a new block begins in rows sorted by these keys."""
    changes = np.logical_or.reduce([key[1:] != key[:-1] for key in keys])
    return np.append(0, np.flatnonzero(changes) + 1)
