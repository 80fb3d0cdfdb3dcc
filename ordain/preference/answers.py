"""What a preference may answer, how its answers arrive, and what it does when it cannot any more.

All of it holds for judges of lists too: see :mod:`ordain.preference.questions` for what they are asked and answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ordain._types import Answers, Pairs
from ordain.preference.questions import blank, check_places, is_lists

Preference = Callable[[Pairs], Any]
"""From pairs to answers; or, as they arrive, to an iterator over (row, answer), in any order."""

Stream = Iterator[tuple[Any, Any]]
"""Rows of a batch and their answers, the moment they arrive: a row and its answer, or an array of each."""

CONSISTENT = 1e-9
"""How far h(u, v) + h(v, u) may be from one by rounding."""


class Spent(Exception):  # noqa: N818
    """No call is left. `answers` has one number per pair of the batch that was asked, NaN where none came.

    A judge of your own that raises it without answers had none to this batch.

    Examples
    --------
    >>> from ordain.preference import budgeted
    >>> try:
    ...     budgeted(lambda pairs: pairs[:, 0] < pairs[:, 1], 2)(np.array([[0, 1], [2, 1], [0, 2]]))
    ... except Spent as spent:
    ...     print(spent.answers)
    [ 1.  0. nan]
    """

    def __init__(self, answers: ArrayLike = ()) -> None:
        super().__init__("the budget is spent")
        self.answers = np.asarray(answers, dtype=np.float64)


def ask(prefer: Preference, pairs: Pairs) -> Answers:
    """The answers of `prefer` to all pairs, checked; :class:`Spent` carries those that came.

    Examples
    --------
    >>> ask(lambda pairs: iter([(1, True), (0, 0.25)]), np.array([[0, 1], [1, 2]]))
    array([0.25, 1.  ])
    """
    given = blank(pairs)
    try:
        for rows, answers in arriving(prefer, pairs):
            given[rows] = answers
    except Spent as spent:
        raise Spent(given) from spent
    return given


def arriving(prefer: Preference, pairs: Pairs) -> Stream:
    """Rows and answers of `prefer`, checked, the moment they arrive; what ends them early is raised after them.

    A preference with a method `arriving` is asked through it. No preference is asked for nothing.

    Examples
    --------
    >>> list(arriving(lambda pairs: iter([(1, True), (0, 0.25)]), np.array([[0, 1], [1, 2]])))
    [(1, 1.0), (0, 0.25)]
    """
    if not len(pairs):
        return
    try:
        reply = getattr(prefer, "arriving", prefer)(pairs)
    except Spent as spent:
        reply = _last(pairs, spent)
    if not isinstance(reply, Iterator):
        reply = iter([(np.arange(len(pairs)), (check_places if is_lists(pairs) else check_answers)(pairs, reply))])
    answered = np.zeros(len(pairs), dtype=bool)
    for rows, answers in reply:
        yield rows, _checked(pairs, rows, answers)
        answered[rows] = True
    if not answered.all():
        raise ValueError(
            f"a preference must give one answer per question. Got {answered.sum()} answers for {len(pairs)} questions."
        )


def _last(pairs: Pairs, spent: Spent) -> Stream:
    """The answers that `spent` carries, then it."""
    if spent.answers.size:
        if spent.answers.shape != blank(pairs).shape:
            raise ValueError(
                f"Spent must carry one answer per question, NaN where none came. Got shape {spent.answers.shape} for "
                f"{len(pairs)} questions."
            )
        missing = np.isnan(spent.answers)
        came = np.flatnonzero(~(missing.all(axis=1) if is_lists(pairs) else missing))
        yield came, spent.answers[came]
    raise spent


def _checked(pairs: Pairs, rows: Any, answers: Any) -> Any:
    """One answer, or an answer to each of the rows."""
    if is_lists(pairs):
        return check_places(pairs[rows], answers)
    if isinstance(answers, float | int) and 0 <= answers <= 1:
        return float(answers)
    if isinstance(answers, np.ndarray) and answers.shape == np.shape(rows) and _valid(answers):
        return answers  # without a look at the pairs, which are many
    if np.ndim(rows):
        return check_answers(pairs[rows], answers)
    return float(check_answers(pairs[[rows]], [answers])[0])


def _valid(numbers: Answers) -> bool:
    return numbers.dtype == np.float64 and (not len(numbers) or bool(numbers.min() >= 0 and numbers.max() <= 1))


def check_answers(pairs: Pairs, answers: Any) -> Answers:
    """One number in [0, 1] for each pair, as float64; True and False are one and zero. Else the pair that fails.

    Examples
    --------
    >>> check_answers(np.array([[0, 1], [1, 2]]), [True, 0.25])
    array([1.  , 0.25])
    """
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
    """A square array of answers as float64, ½ on the diagonal; h[u, v] + h[v, u] = 1 where that is claimed.

    Examples
    --------
    >>> check_matrix([[0, 1], [0, 0]])
    array([[0.5, 1. ],
           [0. , 0.5]])
    """
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
