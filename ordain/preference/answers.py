"""What a preference may answer, and what it does when it cannot any more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ordain._types import Answers, Pairs

Preference = Callable[[Pairs], Any]
"""From pairs to answers."""

CONSISTENT = 1e-9
"""How far h(u, v) + h(v, u) may be from one by rounding."""


class Spent(Exception):  # noqa: N818
    """No call is left. `answers` are those to the first pairs of the batch that was asked, possibly none."""

    def __init__(self, answers: ArrayLike = ()) -> None:
        super().__init__("the budget is spent")
        self.answers = np.asarray(answers, dtype=np.float64)


def check_answers(pairs: Pairs, answers: Any) -> Answers:
    """One number in [0, 1] for each pair, as float64; True and False are one and zero. Else the pair that fails."""
    array = np.asarray(answers)
    if array.shape != (len(pairs),):
        raise ValueError(f"a preference must give one answer per pair. Got shape {array.shape} for {len(pairs)} pairs.")
    numbers = array.astype(np.float64) if array.dtype.kind in "fiubO" else np.full(len(pairs), np.nan)
    if len(numbers) and not (numbers.min() >= 0 and numbers.max() <= 1):
        where = int(np.argmin((numbers >= 0) & (numbers <= 1)))
        raise ValueError(
            f"answers must be True, False or a number from 0 to 1. Got {array.tolist()[where]!r} for the pair "
            f"{_shown(pairs[where])}. If the judge could not tell, answer 0.5."
        )
    return numbers


def check_matrix(h: ArrayLike, *, consistent: bool = True) -> Any:
    """A square array of answers as float64, ½ on the diagonal; h[u, v] + h[v, u] = 1 where that is claimed."""
    matrix = np.array(h, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"a preference matrix must be square. Got shape {matrix.shape}.")
    np.fill_diagonal(matrix, 0.5)
    outside = np.argwhere(~((matrix >= 0) & (matrix <= 1)))
    check_answers(outside, matrix[tuple(outside.T)])
    if consistent:
        apart = np.argwhere(np.abs(matrix + matrix.T - 1) > CONSISTENT)
        check_consistent(apart, matrix[tuple(apart.T)], matrix.T[tuple(apart.T)])
    return matrix


def check_consistent(pairs: Pairs, answers: Answers, mirrored: Answers) -> None:
    """Refuse the first pair with h(u, v) + h(v, u) ≠ 1."""
    holds = np.abs(answers + mirrored - 1) <= CONSISTENT
    if not holds.all():
        where = int(np.argmin(holds))
        raise ValueError(
            f"h(u, v) + h(v, u) must be 1. Got {answers[where]:g} + {mirrored[where]:g} for the pair "
            f"{_shown(pairs[where])}. Symmetrise the preference first."
        )


def _shown(pair: Any) -> str:
    return f"({', '.join(map(str, np.asarray(pair).tolist()))})"
