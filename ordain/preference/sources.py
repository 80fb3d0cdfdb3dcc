"""Preferences made from matrices, scores, functions and classifiers."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from ordain._checks import check_numbers
from ordain._types import Answers, Pairs, Scores
from ordain.preference.answers import Preference, check_answers, check_matrix
from ordain.preference.wrappers import rounded, symmetrised


def from_matrix(h: ArrayLike, *, consistent: bool = True) -> Preference:
    """The preference h[u, v], a square array; h[u, v] + h[v, u] = 1 unless `consistent` is not claimed.

    Examples
    --------
    >>> from_matrix([[0.5, 0.9], [0.1, 0.5]])(np.array([[1, 0]]))
    array([0.1])
    """
    matrix = check_matrix(h, consistent=consistent)
    return lambda pairs: matrix[pairs[:, 0], pairs[:, 1]]


def from_scores(scores: Scores) -> Preference:
    """The higher score wins, equal scores are a coin.

    1[s_u ≥ s_v] alone would let both win a tie, which is no preference [Balcan08]_. To rank by scores needs no
    comparison at all: :func:`ordain.rank.by_scores`.
    """
    values = check_numbers(scores, "scores")

    def answers(pairs: Pairs) -> Answers:
        first, second = values[pairs[:, 0]], values[pairs[:, 1]]
        return 0.5 * (first > second) + 0.5 * (first >= second)

    return answers


def batch(prefer: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Mark `prefer` as taking many pairs at once: the first items and the second items, two sequences of equal length.

    They are arrays where the items are an array, otherwise lists; one answer per pair comes back.

    Examples
    --------
    >>> from_function(np.array([3, 1, 2]), batch(lambda a, b: a > b))(np.array([[0, 1], [1, 2]]))
    array([1., 0.])
    """

    @wraps(prefer)
    def together(*items: Any) -> Any:
        return prefer(*items)

    vars(together).update(takes_batches=True)
    return together


def from_function(items: Any, prefer: Callable[[Any, Any], Any]) -> Preference:
    """`prefer(a, b)` on the items themselves, pair by pair, or all at once if marked with :func:`batch`.

    Examples
    --------
    >>> from_function(["pear", "fig"], lambda a, b: len(a) < len(b))(np.array([[0, 1]]))
    array([0.])
    """
    chosen: Callable[[Any], Any] = (
        items.__getitem__ if isinstance(items, np.ndarray) else lambda numbers: [items[i] for i in numbers.tolist()]
    )

    def answers(pairs: Pairs) -> Answers:
        firsts, seconds = chosen(pairs[:, 0]), chosen(pairs[:, 1])
        if getattr(prefer, "takes_batches", False):
            return check_answers(pairs, prefer(firsts, seconds))
        return check_answers(pairs, [prefer(first, second) for first, second in zip(firsts, seconds, strict=True)])

    return answers


def from_classifier(
    classifier: Any, X: Any, *, features: str = "difference", probabilities: bool = False, rows: int = 1 << 16
) -> Preference:
    """A fitted classifier of pairs: the chance it gives to its second class, *the first of the pair is better*.

    Both orders are predicted and averaged, so that the preference is consistent whatever the classifier. Then it is
    rounded at ½, because sorting by coins with the right chances loses up to twice as much as sorting by the likelier
    answers: a calibrated h(u, v) = p errs 2p(1 - p) of the time as a coin, and 1 - p if rounded.

    Parameters
    ----------
    classifier : object
        With `predict_proba` and two classes.
    X : array or sparse matrix of shape (n_items, n_features)
    features : str
        What it was trained on, see :func:`pair_features`.
    probabilities : bool
        Do not round.
    rows : int
        Pairs predicted at once, which bounds the memory.
    """
    if len(classifier.classes_) != 2:
        raise ValueError(f"a pair classifier must know two classes. Got {list(classifier.classes_)}.")

    def chances(pairs: Pairs) -> Answers:
        parts = [pairs[start : start + rows] for start in range(0, len(pairs), rows)]
        return np.concatenate([classifier.predict_proba(pair_features(X, part, features))[:, 1] for part in parts])

    return symmetrised(chances) if probabilities else rounded(symmetrised(chances))


def pair_features(X: Any, pairs: Pairs, features: str = "difference") -> Any:
    """One row per pair: x_u - x_v (``difference``), x_u beside x_v (``concatenation``), or all three (``both``)."""
    first, second = X[pairs[:, 0]], X[pairs[:, 1]]
    beside = sparse.hstack if sparse.issparse(X) else np.hstack
    if features == "difference":
        return first - second
    if features == "concatenation":
        return beside([first, second])
    if features == "both":
        return beside([first - second, first, second])
    raise ValueError(f"features must be 'difference', 'concatenation' or 'both'. Got {features!r}.")
