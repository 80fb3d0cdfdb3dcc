"""A batch of questions: pairs, or lists of more items, and what an answer to each looks like.

Pairs are an (m, 2) array, answered by m numbers in [0, 1]. Lists are an (m, L) array of item numbers as shown, L > 2,
with -1 at the end of a shorter one, answered by an (m, L) array of *places*: 0 for the best, equal numbers for a tie,
NaN for what was not ranked and for the -1. Only the order of the places counts. So a batch of either kind is cut,
chosen from and put together by its rows. A list of two is a pair.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ordain._types import Answers, Pairs, Vector


def is_lists(batch: Pairs) -> bool:
    """Whether the questions are lists, not pairs."""
    return batch.shape[1] != 2


def blank(batch: Pairs) -> Answers:
    """An answer to every question, all missing."""
    return np.full(batch.shape if is_lists(batch) else len(batch), np.nan)


def texts(batch: Pairs) -> Vector:
    """How many items each question shows."""
    return np.count_nonzero(batch >= 0, axis=1)


def costs(batch: Pairs) -> Vector:
    """What each question takes from a budget: a pair is one call, a list as many texts as it shows."""
    return texts(batch) if is_lists(batch) else np.ones(len(batch), dtype=np.intp)


def as_shown(row: list[int]) -> tuple[int, ...]:
    """The items of one question as they were shown.

    Examples
    --------
    >>> as_shown([4, 2, 7, -1, -1])
    (4, 2, 7)
    """
    return tuple(item for item in row if item >= 0)


def padded(lists: list[Any], size: int) -> Any:
    """Lists of at most `size` items as one batch; places likewise, if they are floats.

    Examples
    --------
    >>> padded([[3, 1, 2], [0, 4]], 3)
    array([[ 3,  1,  2],
           [ 0,  4, -1]])
    """
    whole = all(np.asarray(one).dtype.kind in "iu" for one in lists)
    batch = np.full((len(lists), size), -1) if whole else np.full((len(lists), size), np.nan)
    for row, one in zip(batch, lists, strict=True):
        row[: len(one)] = one
    return batch


def lists_in(batch: Pairs) -> list[Vector]:
    """The items of each question as they were shown.

    Examples
    --------
    >>> lists_in(np.array([[3, 1, 2], [0, 4, -1]]))
    [array([3, 1, 2]), array([0, 4])]
    """
    return [row[row >= 0] for row in batch]


def places_in(batch: Pairs, answers: Answers) -> list[Vector]:
    """The place of each item of each question; that of a pair answered with a number p is 1 - p, and p.

    Examples
    --------
    >>> places_in(np.array([[3, 1], [0, 4]]), np.array([1.0, 0.5]))
    [array([0., 1.]), array([0.5, 0.5])]
    """
    places = answers if is_lists(batch) else np.column_stack((1 - answers, answers))
    return [given[row >= 0] for row, given in zip(batch, places, strict=True)]


def check_places(lists: Pairs, places: Any) -> Answers:
    """A finite number or NaN for every item of each list, as float64; NaN where there is none.

    Examples
    --------
    >>> check_places(np.array([[3, 1, 2, -1]]), [[1, 0, np.nan, 9]])
    array([[ 1.,  0., nan, nan]])
    """
    array = np.asarray(places)
    if array.shape != lists.shape or array.dtype.kind not in "fiu":
        raise ValueError(
            f"a judge of lists must give one place per item. Got {array.dtype} of shape {array.shape} for lists of "
            f"shape {lists.shape}."
        )
    numbers = np.where(lists >= 0, array.astype(np.float64), np.nan)
    if np.isinf(numbers).any():
        raise ValueError("places must be finite, or NaN for what was not ranked. Got inf.")
    return numbers


def only_pairs(batch: Pairs, what: str) -> Pairs:
    """The batch, unless it is one of lists."""
    if is_lists(batch):
        raise ValueError(f"{what} is for pairs. Got lists of up to {batch.shape[1]} items. Ask these as they are.")
    return batch
