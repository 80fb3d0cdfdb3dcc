"""Rows that a judge compared, as a learner takes them: checked once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ordain._checks import check_weights
from ordain._types import Answers, Pairs, Vector
from ordain.preference import check_answers


class Compared(NamedTuple):
    """Pairs of row numbers, how surely the first beat the second, and what each answer counts."""

    pairs: Pairs
    answers: Answers
    weights: Vector


def compared(pairs: Any, answers: Any, weights: Any, n: int) -> Compared:
    """The pairs that say something: ties and those without weight are left out.

    Examples
    --------
    >>> compared([[0, 1], [1, 2]], [1, 0.5], None, 3)
    Compared(pairs=array([[0, 1]]), answers=array([1.]), weights=array([1.]))
    """
    shown = np.asarray(pairs)
    if shown.ndim != 2 or shown.shape[1] != 2 or shown.dtype.kind not in "iu":
        raise ValueError(f"pairs must be an (m, 2) array of row numbers. Got {shown.dtype} of shape {shown.shape}.")
    if not len(shown) or shown.min() < 0 or shown.max() >= n or (shown[:, 0] == shown[:, 1]).any():
        raise ValueError(f"pairs must be of two rows from 0 to {n - 1}. Got {len(shown)}, not all of which are.")
    given = check_answers(shown, answers)
    counting = np.ones(len(shown)) if weights is None else check_weights(weights, len(shown))
    some = (given != 0.5) & (counting > 0)
    if not some.any():
        raise ValueError("an answer must say which of two rows is better. Got ties only. Ask more.")
    return Compared(shown[some].astype(np.intp), given[some], counting[some])
