"""A plan's part of a run as a journal, and who asks what is not in it yet.

:func:`ordain.preference.journalled` with a :class:`PlanJournal` answers a ranker from the run and has asked only what
is missing, by a preference that writes down each question before it is asked and each answer before it is used:
:class:`SideBySide` for questions that are awaited one by one, :class:`InBatches` for a judge of one's own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping

import numpy as np

from ordain._types import Answers, Pairs
from ordain.judge.pool import Pool
from ordain.judge.store import ANSWER, Asked, Key, Replied, Store
from ordain.preference import Preference, Stream, arriving, ask
from ordain.preference.journal import Answer, Question, kept, one_by_one, recalled
from ordain.preference.questions import as_shown


class PlanJournal(MutableMapping[tuple[Question, int], Answer]):
    """From a question as shown, and which time the plan asks it, to the answer in the run.

    What was `known` before the plan is answered from there the first time. Setting one does nothing: whoever asked has
    written it down already, with all that belongs to it.
    """

    def __init__(self, store: Store, plan: int, known: Mapping[Question, Answer] | None = None) -> None:
        self.store, self.plan, self.known = store, plan, known or {}

    def _found(self, question: Question, time: int) -> Answer | None:
        answer = self.store.answer((self.plan, question, time))
        return self.known.get(question) if answer is None and not time else answer

    def __contains__(self, key: object) -> bool:
        return isinstance(key, tuple) and self._found(*key) is not None

    def __getitem__(self, key: tuple[Question, int]) -> Answer:
        answer = self._found(*key)
        if answer is None:
            raise KeyError(key)
        return answer

    def __setitem__(self, key: tuple[Question, int], answer: Answer) -> None:
        pass

    def __delitem__(self, key: tuple[Question, int]) -> None:
        raise TypeError("a journal is only appended to.")

    def __iter__(self) -> Iterator[tuple[Question, int]]:
        return (key[1:] for key in self.store.keys(self.plan) if key[1:] in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Missing:
    """A preference for questions of a plan that have no answer yet; a subclass says how they are `asked`."""

    def __init__(self, store: Store, plan: int) -> None:
        self.store, self.plan = store, plan

    def asked(self, keys: list[Key], batch: Pairs) -> Iterator[tuple[int, Answer]]:
        """The place of each question and its answer, as they come and are kept."""
        raise NotImplementedError

    def __call__(self, batch: Pairs) -> Answers:
        return ask(self, batch)

    def arriving(self, pairs: Pairs) -> Stream:
        """Rows and answers, as they come."""
        for row, answer in self.asked(self._keys(pairs), pairs):
            yield row, recalled(pairs[row][None], [answer])[0]

    def _keys(self, batch: Pairs) -> list[Key]:
        """Each question with the first time that has no answer; one that stands here twice has the first two."""
        keys = dict[Key, None]()
        for question in map(as_shown, batch.tolist()):
            time = 0
            while (key := (self.plan, question, time)) in keys or self.store.answer(key) is not None:
                time += 1
            keys[key] = None
        return list(keys)


class SideBySide(Missing):
    """Each question is awaited by itself, several at a time; `ask_one` keeps its answer."""

    def __init__(self, store: Store, plan: int, pool: Pool, ask_one: Callable[[Key], Awaitable[Answer]]) -> None:
        super().__init__(store, plan)
        self.pool, self.ask_one = pool, ask_one

    def asked(self, keys: list[Key], batch: Pairs) -> Iterator[tuple[int, Answer]]:
        """As they arrive."""
        return self.pool.answers(self.ask_one, keys)


class InBatches(Missing):
    """All questions are given to a preference at once; what comes is kept, one by one."""

    def __init__(self, store: Store, plan: int, prefer: Preference, who: str) -> None:
        super().__init__(store, plan)
        self.prefer, self.who = prefer, who

    def asked(self, keys: list[Key], batch: Pairs) -> Iterator[tuple[int, Answer]]:
        """As they arrive."""
        begun = [self.store.intend(Asked(key, len(self.store.attempts(key)), self.who)) for key in keys]
        entries = [one.result() for one in begun]
        for rows, answers in arriving(self.prefer, batch):
            given = {row: kept(answer, keys[row][1]) for row, answer in one_by_one(np.asarray(rows), answers)}
            ended = [self.store.end(entries[row], Replied(ANSWER, answer)) for row, answer in given.items()]
            for one in ended:
                one.result()
            yield from given.items()
