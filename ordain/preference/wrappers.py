"""Preferences made from preferences: rounded, in both orders, in random order, counted, within a budget.

A :class:`Wrapper` hands on every answer the moment it arrives, so that whatever ends a batch early, a budget or an
error, the answers before it have passed through all wrappers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordain._types import Answers, Pairs
from ordain.preference.answers import Preference, Spent, Stream, arriving, ask, check_consistent
from ordain.preference.questions import costs, only_pairs


class Wrapper:
    """A preference made from `prefer`: a subclass says how the answers to a batch come `through` it.

    Examples
    --------
    >>> class Doubted(Wrapper):
    ...     def through(self, prefer, pairs):
    ...         for rows, answers in arriving(prefer, pairs):
    ...             yield rows, 0.25 + answers / 2
    >>> Doubted(lambda pairs: pairs[:, 0] < pairs[:, 1])(np.array([[0, 1], [2, 1]]))
    array([0.75, 0.25])
    """

    def __init__(self, prefer: Preference) -> None:
        self.prefer = prefer

    def through(self, prefer: Preference, pairs: Pairs) -> Stream:
        """Rows and answers as they arrive, made from those of `prefer`."""
        raise NotImplementedError

    def arriving(self, pairs: Pairs) -> Stream:
        """Rows and answers as they arrive."""
        return self.through(self.prefer, pairs)

    def __call__(self, pairs: Pairs) -> Answers:
        return ask(self, pairs)


class Mapped(Wrapper):
    """Every answer to a pair changed by itself."""

    def __init__(self, prefer: Preference, change: Callable[[Any], Any], what: str) -> None:
        super().__init__(prefer)
        self.change, self.what = change, what

    def through(self, prefer: Preference, pairs: Pairs) -> Stream:
        return ((rows, self.change(answers)) for rows, answers in arriving(prefer, only_pairs(pairs, self.what)))


class BothOrders(Wrapper):
    """(u, v) and (v, u) asked one after the other, and made into one answer as soon as both have come."""

    def __init__(self, prefer: Preference, change: Callable[[Pairs, Answers, Answers], Answers]) -> None:
        super().__init__(prefer)
        self.change = change

    def through(self, prefer: Preference, pairs: Pairs) -> Stream:
        both = np.full((len(only_pairs(pairs, "asking in both orders")), 2), np.nan)
        for rows, answers in arriving(prefer, np.stack([pairs, pairs[:, ::-1]], axis=1).reshape(-1, 2)):
            both.flat[rows] = answers
            done = np.unique(np.asarray(rows) // 2)
            done = done[~np.isnan(both[done]).any(axis=1)]
            yield done, self.change(pairs[done], both[done, 0], both[done, 1])


def rounded(prefer: Preference) -> Mapped:
    """Answers above ½ become one, below ½ zero; ½ stays a coin.

    Examples
    --------
    >>> rounded(lambda pairs: [0.7, 0.5, 0.1])(np.array([[0, 1], [1, 2], [2, 0]]))
    array([1. , 0.5, 0. ])
    """
    return Mapped(prefer, lambda answers: 0.5 + np.sign(answers - 0.5) / 2, "rounding")


def checked(prefer: Preference, *, consistent: bool = False) -> Wrapper:
    """Refuse what is no preference, with the pair; with `consistent` ask both orders and want h(u, v) + h(v, u) = 1.

    Examples
    --------
    >>> checked(lambda pairs: pairs[:, 0] < pairs[:, 1], consistent=True)(np.array([[0, 1]]))
    array([1.])
    """
    if not consistent:
        return Mapped(prefer, lambda answers: answers, "checking")

    def compared(pairs: Pairs, answers: Answers, mirrored: Answers) -> Answers:
        check_consistent(pairs, answers, mirrored)
        return answers

    return BothOrders(prefer, compared)


def symmetrised(prefer: Preference) -> BothOrders:
    """Both orders asked and averaged, ½ + (h(u, v) - h(v, u)) / 2: consistent, whatever the judge. Two calls a pair.

    Examples
    --------
    >>> symmetrised(lambda pairs: np.ones(len(pairs)))(np.array([[0, 1]]))  # always the first
    array([0.5])
    """
    return BothOrders(prefer, lambda pairs, answers, mirrored: 0.5 + (answers - mirrored) / 2)


@dataclass(frozen=True)
class Position:
    """How often the first shown of a pair won, over pairs shown in random order: ½ for a judge without position bias.

    `share` is the mean of the answers as shown, `error` its standard error. As the order is drawn by lot, whatever the
    items are, `share` - ½ is the judge's mean preference for the first place.

    Examples
    --------
    >>> print(Position(shown=100, share=0.6, error=0.049))
    The first shown won 60.0% of 100 answers (standard error 4.9%).
    """

    shown: int
    share: float
    error: float

    def __str__(self) -> str:
        return f"The first shown won {self.share:.1%} of {self.shown:,} answers (standard error {self.error:.1%})."


class Shown(Wrapper):
    """A preference that shows every pair in random order; `position` is what it saw of the judge's position bias."""

    def __init__(self, prefer: Preference, rng: np.random.Generator) -> None:
        super().__init__(prefer)
        self.rng, self.count, self.total, self.squares = rng, 0, 0.0, 0.0

    def through(self, prefer: Preference, pairs: Pairs) -> Stream:
        swap = self.rng.integers(0, 2, len(only_pairs(pairs, "showing either first")), dtype=bool)
        for rows, answers in arriving(prefer, np.where(swap[:, None], pairs[:, ::-1], pairs)):
            self.count += np.size(answers)
            self.total += float(np.sum(answers))
            self.squares += float(np.sum(answers * answers))
            yield rows, np.abs(answers - swap[rows])

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

    Examples
    --------
    >>> shown = shown_in_random_order(lambda pairs: pairs[:, 0] < pairs[:, 1], np.random.default_rng(0))
    >>> shown(np.array([[0, 1], [2, 1], [0, 2]]))
    array([1., 0., 1.])
    >>> shown.position.shown
    3
    """
    return Shown(prefer, rng)


class Counted(Wrapper):
    """A preference that counts its `calls` (answers received) and `batches` (times it was asked)."""

    def __init__(self, prefer: Preference) -> None:
        super().__init__(prefer)
        self.calls, self.batches = 0, 0

    def through(self, prefer: Preference, pairs: Pairs) -> Stream:
        self.batches += 1
        for rows, answers in arriving(prefer, pairs):
            self.calls += np.size(rows)
            yield rows, answers


def counted(prefer: Preference) -> Counted:
    """`prefer`, counting its `calls` and `batches`.

    Examples
    --------
    >>> from ordain.rank import play, quicksort
    >>> judge = counted(lambda pairs: pairs[:, 0] < pairs[:, 1])
    >>> order = play(quicksort(3, np.random.default_rng(0)), judge)
    >>> judge.calls, judge.batches
    (3, 2)
    """
    return Counted(prefer)


class Budgeted(Wrapper):
    """A preference with `left` calls, or texts to show in lists."""

    def __init__(self, prefer: Preference, budget: int) -> None:
        if not (budget >= 0 and budget % 1 == 0):
            raise ValueError(f"budget must be a whole number of calls, 0 or more. Got {budget}.")
        super().__init__(prefer)
        self.left = int(budget)

    def through(self, prefer: Preference, pairs: Pairs) -> Stream:
        spent = np.cumsum(costs(pairs))
        afforded = pairs[: np.searchsorted(spent, self.left, side="right")]
        self.left -= int(spent[len(afforded) - 1]) if len(afforded) else 0
        yield from arriving(prefer, afforded)
        if len(afforded) < len(pairs):
            raise Spent


def budgeted(prefer: Preference, budget: int) -> Budgeted:
    """At most `budget` calls; a batch that costs more is answered as far as it goes, then :class:`Spent` is raised.

    Of a judge of lists it is the number of texts shown, not of calls.

    Examples
    --------
    >>> from ordain.rank import play, quicksort
    >>> judge = budgeted(lambda pairs: pairs[:, 0] < pairs[:, 1], 100)
    >>> order = play(quicksort(5, np.random.default_rng(0)), judge)
    >>> judge.left
    94
    """
    return Budgeted(prefer, budget)


class WithProgress(Wrapper):
    """A preference that reports how many answers came, batch by batch or in parts of a batch."""

    def __init__(self, prefer: Preference, report: Callable[[int], None], every: int | None) -> None:
        super().__init__(prefer)
        self.report, self.every = report, every

    def through(self, prefer: Preference, pairs: Pairs) -> Stream:
        size = self.every or max(len(pairs), 1)
        for start in range(0, len(pairs), size):
            count = 0
            try:
                for rows, answers in arriving(prefer, pairs[start : start + size]):
                    count += np.size(rows)
                    yield start + rows, answers
            finally:
                self.report(count)


def with_progress(prefer: Preference, report: Callable[[int], None], *, every: int | None = None) -> WithProgress:
    """Call `report` with the number of new answers, after each batch or after `every` answers.

    Examples
    --------
    >>> with_progress(lambda pairs: pairs[:, 0] < pairs[:, 1], print, every=2)(np.array([[0, 1], [2, 1], [0, 2]]))
    2
    1
    array([1., 0., 1.])
    """
    return WithProgress(prefer, report, every)
