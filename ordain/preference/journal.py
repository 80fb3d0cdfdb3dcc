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

from ordain._types import Pairs, Vector
from ordain.preference.answers import Preference, Spent, Stream, arriving
from ordain.preference.questions import as_shown, blank, is_lists
from ordain.preference.wrappers import Wrapper

Question = tuple[int, ...]
"""The items as they were shown: two, or the more of a list."""

Answer = float | tuple[float, ...]
"""To a pair a number, to a list the place of each item, NaN for what was not ranked."""

Journal = MutableMapping[tuple[Question, int], Answer]
"""From a question and which time it is asked, from 0 on, to the answer."""

Known = MutableMapping[Question, Answer]
"""From questions to answers."""


class Journalled(Wrapper):
    """A preference that answers from `journal`, and writes to it what it has to ask."""

    def __init__(self, prefer: Preference, journal: Journal) -> None:
        super().__init__(prefer)
        self.journal = journal
        self.times: Counter[Question] = Counter()

    def through(self, prefer: Preference, pairs: Pairs) -> Stream:
        here: Counter[Question] = Counter()
        keys = []
        for question in map(as_shown, pairs.tolist()):
            keys.append((question, self.times[question] + here[question]))
            here[question] += 1
        known = [row for row, key in enumerate(keys) if key in self.journal]
        missing = np.setdiff1d(np.arange(len(keys)), known)
        yield np.array(known, dtype=np.intp), recalled(pairs[known], [self.journal[keys[row]] for row in known])
        for rows, answers in arriving(prefer, pairs[missing]):
            for row, answer in one_by_one(missing[rows], answers):
                self.journal[keys[row]] = kept(answer, keys[row][0])
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
    """A judge who is never asked the same items twice; `known` are the answers so far, to questions as asked."""

    def __init__(self, prefer: Preference, known: Known) -> None:
        super().__init__(prefer)
        self.known, self._lists = known, {frozenset(question): question for question in known if len(question) > 2}

    def through(self, prefer: Preference, pairs: Pairs) -> Stream:
        questions, new = [as_shown(row) for row in pairs.tolist()], dict[frozenset[int], list[int]]()
        for row, question in enumerate(questions):
            if (before := self._before(question)) is not None:
                yield row, self._recalled(before, question, pairs[row])
            else:
                new.setdefault(frozenset(question), []).append(row)
        alike = list(new.values())
        for places, answers in arriving(prefer, pairs[[rows[0] for rows in alike]]):
            for place, answer in one_by_one(places, answers):
                first = questions[alike[place][0]]
                self.known[first] = kept(answer, first)
                self._lists[frozenset(first)] = first
                yield from ((row, self._recalled(first, questions[row], pairs[row])) for row in alike[place])

    def _before(self, question: Question) -> Question | None:
        """The same items as they were shown before, if they were."""
        if len(question) > 2:
            return self._lists.get(frozenset(question))
        return next((shown for shown in (question, question[::-1]) if shown in self.known), None)

    def _recalled(self, before: Question, question: Question, shown: Any) -> Any:
        """The answer to a question, from the one to the same items as they were shown before."""
        answer = self.known[before]
        if isinstance(answer, tuple):
            place_of = dict(zip(before, answer, strict=True))
            answer = tuple(place_of[item] for item in question)
        elif before != question:
            answer = 1 - answer
        return recalled(shown[None], [answer])[0]


def remembering(prefer: Preference, known: Known | None = None) -> Remembering:
    """No pair is asked twice, nor its mirror, of which the answer is one minus the other's; no list, in any order.

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


def one_by_one(rows: Any, answers: Any) -> list[tuple[int, Any]]:
    """Each row with its answer; to a pair as Python's own number, which a file or a database can hold."""
    if np.ndim(rows) == 0:
        return [(int(rows), answers if np.ndim(answers) else float(answers))]
    return list(zip(rows.tolist(), answers.tolist() if np.ndim(answers) == 1 else answers, strict=True))


def kept(answer: Any, question: Question) -> Answer:
    """An answer as it is kept: of a list, the place of each item as shown."""
    return tuple(answer[: len(question)].tolist()) if np.ndim(answer) else answer


def recalled(batch: Pairs, answers: list[Answer]) -> Any:
    """Answers that were kept, as a judge gives them."""
    if not is_lists(batch):
        return np.array([_number(answer) for answer in answers], dtype=float)
    given = blank(batch)
    for row, answer in zip(given, answers, strict=True):
        places = places_of(answer)
        row[: len(places)] = places
    return given


def places_of(answer: Answer) -> Vector:
    """The places of the items in an answer; those of a pair answered with p are 1 - p, and p."""
    return np.array(answer if isinstance(answer, tuple) else (1 - answer, answer), dtype=float)


def pairs_among(known: Known) -> dict[Question, float]:
    """What is known of pairs, whether asked as such or as lists of two; without those of which nothing was said.

    Examples
    --------
    >>> pairs_among({(0, 1): 0.75, (1, 2): (1.0, 0.0), (2, 0): (float("nan"), 0.0), (0, 1, 2): (0.0, 1.0, 2.0)})
    {(0, 1): 0.75, (1, 2): 0.0}
    """
    pairs = {question: answer for question, answer in known.items() if len(question) == 2}
    return {question: _number(answer) for question, answer in pairs.items() if not np.isnan(answer).any()}


def _number(answer: Answer) -> float:
    """The answer to a pair that was asked as a list of two."""
    if not isinstance(answer, tuple):
        return float(answer)
    ahead = answer[1] - answer[0]
    return 0.5 if np.isnan(ahead) else float(0.5 + np.sign(ahead) / 2)


def _nothing(*asked: Any) -> Any:
    raise Spent
