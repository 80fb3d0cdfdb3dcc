"""Preferences made from matrices, scores and functions."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from ordain._checks import check_numbers
from ordain._types import Answers, Pairs, Scores
from ordain.preference.answers import Preference, Stream, ask, check_matrix
from ordain.preference.awaited import Loop
from ordain.preference.wrappers import Wrapper


def from_matrix(h: ArrayLike, *, consistent: bool = True) -> Preference:
    """The preference h[u, v], a square array; h[u, v] + h[v, u] = 1 unless `consistent` is not claimed.

    Examples
    --------
    >>> from_matrix([[0.5, 0.9], [0.1, 0.5]])(np.array([[1, 0]]))
    array([0.1])
    """
    matrix = check_matrix(h, consistent=consistent)
    return _of_numbers(lambda pairs: matrix[pairs[:, 0], pairs[:, 1]], len(matrix))


def from_scores(scores: Scores) -> Preference:
    """The higher score wins, equal scores are a coin.

    1[s_u ≥ s_v] alone would let both win a tie, which is no preference [Balcan08]_. To rank by scores needs no
    comparison at all: :func:`ordain.rank.by_scores`.

    Examples
    --------
    >>> from_scores([3, 1, 1])(np.array([[0, 1], [1, 2]]))
    array([1. , 0.5])
    """
    values = check_numbers(scores, "scores")

    def answers(pairs: Pairs) -> Answers:
        first, second = values[pairs[:, 0]], values[pairs[:, 1]]
        return 0.5 * (first > second) + 0.5 * (first >= second)

    return _of_numbers(answers, len(values))


def _of_numbers(prefer: Any, n: int) -> Preference:
    """Mark `prefer` as a preference between n items, known by their numbers."""
    vars(prefer).update(numbered_items=n)
    return prefer


def batch(prefer: Callable[..., Any]) -> Callable[..., Any]:
    """Mark `prefer` as taking many pairs at once: the first items and the second items, two sequences of equal length.

    They are arrays where the items are an array, otherwise lists; one answer per pair comes back. A function that puts
    lists in order and is marked so takes many lists at once, and gives one back for each.

    Examples
    --------
    >>> from_function(np.array([3, 1, 2]), batch(lambda a, b: a > b))(np.array([[0, 1], [1, 2]]))
    array([1., 0.])
    """
    return marked(prefer, takes_batches=True)


def marked(function: Callable[..., Any], **marks: bool) -> Callable[..., Any]:
    """The function, with marks, which leave the one that was given alone."""

    @wraps(function)
    def same(*items: Any) -> Any:
        return function(*items)

    vars(same).update(marks)
    return same


class OfItems:
    """`prefer` asked about the items themselves; answers arrive one by one, or all at once if it takes batches.

    All batches are awaited in one `loop`: what a client holds open belongs to a loop.
    """

    def __init__(self, items: Any, prefer: Callable[[Any, Any], Any], loop: Loop) -> None:
        self.items, self.prefer, self.loop = items, prefer, loop
        self.numbered_items = len(items)

    def arriving(self, pairs: Pairs) -> Stream:
        """Rows and answers as they arrive."""
        firsts, seconds = self._chosen(pairs[:, 0]), self._chosen(pairs[:, 1])
        if getattr(self.prefer, "takes_batches", False):
            yield np.arange(len(pairs)), self.loop.settled(self.prefer(firsts, seconds))
        else:
            yield from self.loop.each(map(self.prefer, firsts, seconds))

    def __call__(self, pairs: Pairs) -> Answers:
        return ask(self, pairs)

    def _chosen(self, numbers: Any) -> Any:
        """An array where the items are one, otherwise a list."""
        return self.items[numbers] if isinstance(self.items, np.ndarray) else [self.items[i] for i in numbers.tolist()]


class Over(Wrapper):
    """A wrapper's ways, and what it counts and remembers, with another preference inside."""

    def __init__(self, wrapper: Wrapper, prefer: Preference) -> None:
        super().__init__(prefer)
        self.wrapper = wrapper

    def through(self, prefer: Preference, pairs: Pairs) -> Stream:
        return self.wrapper.through(prefer, pairs)


def from_function(items: Any, prefer: Callable[..., Any], *, loop: Loop | None = None) -> Preference:
    """`prefer(a, b)` on the items themselves, pair by pair, or all at once if marked with :func:`batch`.

    A function of items may be wrapped before, as ``remembering(prefer)``: what is remembered are item numbers. It may
    be asynchronous: all pairs of a batch are then awaited together, in a thread with an event loop of its own, which
    ends with the preference unless `loop` is given. What :func:`from_matrix`, :func:`from_scores` and this return knows
    the items by their numbers, and is taken as it is.

    Examples
    --------
    >>> from_function(["pear", "fig"], lambda a, b: len(a) < len(b))(np.array([[0, 1]]))
    array([0.])
    """
    if isinstance(prefer, Wrapper):
        return Over(prefer, from_function(items, prefer.prefer, loop=loop))
    known = getattr(prefer, "numbered_items", None)
    if known is None:
        _check_takes_two(prefer)
        return OfItems(items, prefer, loop or Loop())
    if known != len(items):
        raise ValueError(
            f"a preference of item numbers must know every item. Got one of {known} for {len(items)} items."
        )
    return prefer


def _check_takes_two(prefer: Any) -> None:
    """Refuse what cannot be called with two items; what does not tell may be."""
    try:
        signature(prefer, follow_wrapped=False).bind(0, 1)
    except TypeError as error:
        name = getattr(prefer, "__name__", repr(prefer))
        raise ValueError(
            f"prefer must be a function of two items, prefer(a, b). Got {name}, which cannot be called so. A function "
            "of pairs of item numbers is for ordain.rank.play."
        ) from error
    except ValueError:
        return


def pair_features(X: Any, pairs: Pairs, features: str = "difference") -> Any:
    """One row per pair: x_u - x_v (``difference``), x_u beside x_v (``concatenation``), or all three (``both``).

    Examples
    --------
    >>> pair_features(np.array([[1, 2], [3, 5]]), np.array([[1, 0]]), "both")
    array([[2, 3, 3, 5, 1, 2]])
    """
    first, second = X[pairs[:, 0]], X[pairs[:, 1]]
    beside = sparse.hstack if sparse.issparse(X) else np.hstack
    if features == "difference":
        return first - second
    if features == "concatenation":
        return beside([first, second])
    if features == "both":
        return beside([first - second, first, second])
    raise ValueError(f"features must be 'difference', 'concatenation' or 'both'. Got {features!r}.")
