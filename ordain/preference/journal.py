"""The journal: every answer kept the moment it arrives, so that nothing is asked twice and a run can go on later.

An answer belongs to a question, the tuple of items as it was shown, and to which time it was asked: 0, 1, … A ranker
with the same seed asks the same questions if it gets the same answers. So a run resumes by running again over its
journal, whichever of its answers are in it and in whatever order they came; only what is missing is asked.

A journal is any mutable mapping, a dict or one that writes to disk. It stands right around the judge, who may give the
answers one by one as (row, answer): ``symmetrised(journalled(judge, journal))`` keeps each of the two answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import MutableMapping
from typing import Any

import numpy as np

from ordain._types import Pairs
from ordain.preference.answers import Preference, Spent, Stream, arriving
from ordain.preference.wrappers import Wrapper

Question = tuple[int, ...]
"""The items as they were shown: two, or the more of a list."""

Journal = MutableMapping[tuple[Question, int], float]
"""From a question and which time it is asked, from 0 on, to the answer."""


class Journalled(Wrapper):
    """A preference that answers from `journal`, and writes to it what it has to ask."""

    def __init__(self, prefer: Preference, journal: Journal) -> None:
        super().__init__(prefer)
        self.journal = journal
        self.times: Counter[Question] = Counter()

    def through(self, prefer: Preference, pairs: Pairs) -> Stream:
        here: Counter[Question] = Counter()
        keys = []
        for question in map(tuple, pairs.tolist()):
            keys.append((question, self.times[question] + here[question]))
            here[question] += 1
        known = [row for row, key in enumerate(keys) if key in self.journal]
        missing = np.setdiff1d(np.arange(len(keys)), known)
        yield np.array(known, dtype=np.intp), np.array([self.journal[keys[row]] for row in known], dtype=float)
        for rows, answers in arriving(prefer, pairs[missing]):
            for row, answer in _one_by_one(missing[rows], answers):
                self.journal[keys[row]] = answer
                yield row, answer
        self.times.update(here)  # a batch that failed can be asked again


def journalled(judge: Preference | None = None, journal: Journal | None = None) -> Journalled:
    """`judge`, whose answers are kept in `journal` as they arrive and are not asked for again.

    Parameters
    ----------
    judge : preference, optional
        Without one, the end of the journal is the end of the budget: a ranker returns the order so far.
    journal : mutable mapping, optional
        From (question, time) to answer. Wrap anew for every run: times are counted from the first question on.

    Examples
    --------
    >>> from ordain.rank import play, quicksort
    >>> journal = {}
    >>> judge = journalled(lambda pairs: pairs[:, 0] < pairs[:, 1], journal)
    >>> play(quicksort(3, np.random.default_rng(0)), judge)
    array([0, 1, 2])
    >>> journal
    {((0, 2), 0): 1.0, ((1, 2), 0): 1.0, ((0, 1), 0): 1.0}
    >>> play(quicksort(3, np.random.default_rng(0)), journalled(journal=journal))
    array([0, 1, 2])
    """
    return Journalled(_nothing if judge is None else judge, {} if journal is None else journal)


class Remembering(Wrapper):
    """A preference that never asks a pair twice, nor its mirror; `known` are the answers so far, to pairs as asked."""

    def __init__(self, prefer: Preference, known: MutableMapping[tuple[int, int], float]) -> None:
        super().__init__(prefer)
        self.known = known

    def through(self, prefer: Preference, pairs: Pairs) -> Stream:
        questions, new = pairs.tolist(), dict[frozenset[int], list[int]]()
        for row, (u, v) in enumerate(questions):
            if (u, v) in self.known or (v, u) in self.known:
                yield row, self._recalled(u, v)
            else:
                new.setdefault(frozenset((u, v)), []).append(row)
        alike = list(new.values())
        for places, answers in arriving(prefer, pairs[[rows[0] for rows in alike]]):
            for place, answer in _one_by_one(places, answers):
                u, v = questions[alike[place][0]]
                self.known[u, v] = answer
                yield from ((row, self._recalled(*questions[row])) for row in alike[place])

    def _recalled(self, u: int, v: int) -> float:
        return self.known[u, v] if (u, v) in self.known else 1 - self.known[v, u]


def remembering(prefer: Preference, known: MutableMapping[tuple[int, int], float] | None = None) -> Remembering:
    """No pair is asked twice, nor its mirror, of which the answer is one minus the other's.

    `known` is read and extended in place, answer by answer, so that it can be kept, also when the judge fails. Where
    the times are to be told apart, use :func:`journalled`.

    Examples
    --------
    >>> judge = remembering(lambda pairs: pairs[:, 0] < pairs[:, 1])
    >>> judge(np.array([[0, 1], [1, 0]]))
    array([1., 0.])
    >>> judge.known
    {(0, 1): 1.0}
    """
    return Remembering(prefer, {} if known is None else known)


def _one_by_one(rows: np.ndarray, answers: float | np.ndarray) -> list[tuple[int, float]]:
    """Rows and answers as Python's own numbers, which a file or a database can hold."""
    return list(zip(np.atleast_1d(rows).tolist(), np.atleast_1d(answers).tolist(), strict=True))


def _nothing(*asked: Any) -> Any:
    raise Spent
