"""Preferences: a batch of index pairs in, numbers in [0, 1] out, how surely the first of each pair beats the second.

Everything that costs or changes something wraps a preference and gives a preference again, so that rankers know nothing
of it. What can run out raises :class:`Spent` with the answers it still has to the first pairs of the batch; every
wrapper hands these on in its own terms. A budget is therefore used up to its last call. What stands inside is what is
counted: ``budgeted(symmetrised(judge), 100)`` is 100 pairs, ``symmetrised(budgeted(judge, 100))`` is 100 questions.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from ordain._checks import check_numbers
from ordain._types import Scores

Pairs = NDArray[Any]
"""An (m, 2) array of item numbers 0 … n - 1."""

Answers = NDArray[Any]
"""m numbers in [0, 1]: how surely the first of each pair beats the second."""

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
        _check_consistent(apart, matrix[tuple(apart.T)], matrix.T[tuple(apart.T)])
    return matrix


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


def rounded(prefer: Preference) -> Preference:
    """Answers above ½ become one, below ½ zero; ½ stays a coin."""
    return _mapped(prefer, lambda pairs, answers: 0.5 * (answers > 0.5) + 0.5 * (answers >= 0.5))


def checked(prefer: Preference, *, consistent: bool = False) -> Preference:
    """Refuse what is no preference, with the pair; with `consistent` ask both orders and want h(u, v) + h(v, u) = 1."""
    if not consistent:
        return _mapped(prefer, lambda pairs, answers: answers)

    def compared(pairs: Pairs, answers: Answers) -> Answers:
        _check_consistent(pairs, answers[0::2], answers[1::2])
        return answers[0::2]

    return _both_orders(prefer, compared)


def symmetrised(prefer: Preference) -> Preference:
    """Both orders asked and averaged, ½ + (h(u, v) - h(v, u)) / 2: consistent, whatever the judge. Two calls a pair."""
    return _both_orders(prefer, lambda pairs, answers: 0.5 + (answers[0::2] - answers[1::2]) / 2)


@dataclass(frozen=True)
class Position:
    """How often the first shown of a pair won, over pairs shown in random order: ½ for a judge without position bias.

    `share` is the mean of the answers as shown, `error` its standard error. As the order is drawn by lot, whatever the
    items are, `share` - ½ is the judge's mean preference for the first place.
    """

    shown: int
    share: float
    error: float

    def __str__(self) -> str:
        return f"The first shown won {self.share:.1%} of {self.shown:,} answers (standard error {self.error:.1%})."


class Shown:
    """A preference that shows every pair in random order; `position` is what it saw of the judge's position bias."""

    def __init__(self, prefer: Preference, rng: np.random.Generator) -> None:
        self.prefer, self.rng = prefer, rng
        self.count, self.total, self.squares = 0, 0.0, 0.0

    def __call__(self, pairs: Pairs) -> Answers:
        swap = self.rng.integers(0, 2, len(pairs), dtype=bool)
        shown = np.where(swap[:, None], pairs[:, ::-1], pairs)

        def back(shown: Pairs, answers: Answers) -> Answers:
            self.count += len(answers)
            self.total += float(answers.sum())
            self.squares += float(answers @ answers)
            return np.abs(answers - swap[: len(answers)])

        return _mapped(self.prefer, back)(shown)

    @property
    def position(self) -> Position:
        """What was seen so far; half and half before the first answer."""
        if not self.count:
            return Position(0, 0.5, float("inf"))
        share = self.total / self.count
        return Position(self.count, share, float(np.sqrt(max(self.squares / self.count - share**2, 0) / self.count)))


def shown_in_random_order(prefer: Preference, rng: np.random.Generator) -> Shown:
    """Each pair is shown in random order, the answer is to the pair as asked.

    A sampled answer then is a coin with the chance of :func:`symmetrised`, at half its calls, and a sort has the same
    law with either; asking both orders measures the bias, it does not improve the sort [AilonMohri10]_.
    """
    return Shown(prefer, rng)


class Remembering:
    """A preference that never asks a pair twice, nor its mirror; `known` are the answers so far, to pairs as asked."""

    def __init__(self, prefer: Preference, known: MutableMapping[tuple[int, int], float]) -> None:
        self.prefer, self.known = prefer, known

    def __call__(self, pairs: Pairs) -> Answers:
        new: dict[frozenset[int], int] = {}
        for row, (u, v) in enumerate(pairs.tolist()):
            if (u, v) not in self.known and (v, u) not in self.known:
                new.setdefault(frozenset((u, v)), row)
        rows = list(new.values())
        try:
            self._store(pairs[rows], self.prefer(pairs[rows]) if rows else ())
        except Spent as spent:
            self._store(pairs[rows[: len(spent.answers)]], spent.answers)
            raise Spent(self._recall(pairs[: rows[len(spent.answers)]])) from spent
        return self._recall(pairs)

    def _store(self, pairs: Pairs, answers: Any) -> None:
        self.known.update(zip(map(tuple, pairs.tolist()), check_answers(pairs, answers).tolist(), strict=True))

    def _recall(self, pairs: Pairs) -> Answers:
        known = self.known
        return np.array([known[u, v] if (u, v) in known else 1 - known[v, u] for u, v in pairs.tolist()], dtype=float)


def remembering(prefer: Preference, known: MutableMapping[tuple[int, int], float] | None = None) -> Remembering:
    """No pair is asked twice, nor its mirror, of which the answer is one minus the other's.

    `known` is read and extended in place, so that it can be kept.
    """
    return Remembering(prefer, {} if known is None else known)


class Counted:
    """A preference that counts its `calls` (answers received) and `batches` (times it was asked)."""

    def __init__(self, prefer: Preference) -> None:
        self.prefer, self.calls, self.batches = prefer, 0, 0

    def __call__(self, pairs: Pairs) -> Answers:
        self.batches += 1
        return _mapped(self.prefer, self._seen)(pairs)

    def _seen(self, pairs: Pairs, answers: Answers) -> Answers:
        self.calls += len(answers)
        return answers


def counted(prefer: Preference) -> Counted:
    """`prefer`, counting."""
    return Counted(prefer)


class Budgeted:
    """A preference with `left` calls."""

    def __init__(self, prefer: Preference, budget: int) -> None:
        if budget < 0 or int(budget) != budget:
            raise ValueError(f"budget must be a whole number of calls, 0 or more. Got {budget}.")
        self.prefer, self.left = prefer, int(budget)

    def __call__(self, pairs: Pairs) -> Answers:
        afforded = pairs[: self.left]
        self.left -= len(afforded)
        answers = check_answers(afforded, self.prefer(afforded)) if len(afforded) else np.empty(0)
        if len(afforded) < len(pairs):
            raise Spent(answers)
        return answers


def budgeted(prefer: Preference, budget: int) -> Budgeted:
    """At most `budget` calls; a batch that costs more is answered as far as it goes, then :class:`Spent` is raised."""
    return Budgeted(prefer, budget)


def with_progress(prefer: Preference, report: Callable[[int], None], *, every: int | None = None) -> Preference:
    """Call `report` with the number of new answers, after each batch or after `every` answers."""

    def seen(pairs: Pairs, answers: Answers) -> Answers:
        report(len(answers))
        return answers

    def answers(pairs: Pairs) -> Answers:
        parts: list[Answers] = [np.empty(0)]
        for start in range(0, len(pairs), every or max(len(pairs), 1)):
            try:
                parts.append(_mapped(prefer, seen)(pairs[start : start + (every or len(pairs))]))
            except Spent as spent:
                raise Spent(np.concatenate([*parts, spent.answers])) from spent
        return np.concatenate(parts)

    return answers


def _mapped(prefer: Preference, change: Callable[[Pairs, Answers], Answers]) -> Preference:
    """The answers of `prefer`, checked and changed, also those that come before the budget ends."""

    def answers(pairs: Pairs) -> Answers:
        try:
            given = prefer(pairs)
        except Spent as spent:
            asked = pairs[: len(spent.answers)]
            raise Spent(change(asked, check_answers(asked, spent.answers))) from spent
        return change(pairs, check_answers(pairs, given))

    return answers


def _both_orders(prefer: Preference, change: Callable[[Pairs, Answers], Answers]) -> Preference:
    """(u, v) and (v, u) asked one after the other; `change` sees the pairs of which both answers came."""

    def whole(asked: Pairs, answers: Answers) -> Answers:
        complete = 2 * (len(answers) // 2)
        return change(asked[:complete:2], answers[:complete])

    return lambda pairs: _mapped(prefer, whole)(np.stack([pairs, pairs[:, ::-1]], axis=1).reshape(-1, 2))


def _check_consistent(pairs: Pairs, answers: Answers, mirrored: Answers) -> None:
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
