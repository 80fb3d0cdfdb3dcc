"""What people were asked and have answered, what is on its way to the disk, and what is still expected of them.

A pair counts as asked whichever way round and for whichever reason it was shown. Those of the audit wait here until
they are answered, and so do those that two people are to judge, which a lot draws. A correction is appended like an
answer, and the last one holds.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import NamedTuple

from ordain.judge.person import Pair, Person
from ordain.judge.plan import APART, Plan, audit_of
from ordain.judge.run import Run
from ordain.judge.store import ANSWER, Asked, Entry, Key, Replied
from ordain.preference.journal import Question


class Said(NamedTuple):
    """A question as it was shown, and its answer."""

    question: Question
    answer: float

    def of(self, question: Question) -> float:
        """The answer to the same pair as it is shown now."""
        return self.answer if question == self.question else 1 - self.answer


class OnItsWay(NamedTuple):
    """An answer that is being written: whose it is, what it says, whether it corrects one, and what waits for it."""

    name: str
    answer: float
    corrects: bool
    done: Future[None]


Landed = Callable[[Key, OnItsWay, Future[Entry]], None]
"""What is called when an answer has been written, or could not be."""


class Ledger:
    """The questions of a run that people judge, and their answers.

    Parameters
    ----------
    run : Run
        The run, whose plans were made.
    number : int
        The plan whose ranker asks.
    audit : int, optional
        The plan of the audit.
    people : mapping of str to Person
        Who judges; what they answered before is recalled.
    overlap : float
        The share of pairs that two people judge, beyond the budget; none if there is one person.
    """

    def __init__(self, run: Run, number: int, audit: int | None, people: Mapping[str, Person], overlap: float) -> None:
        if not 0 <= overlap <= 1:
            raise ValueError(f"--overlap must be a share of pairs, from 0 to 1. Got {overlap}.")
        self.run, self.number, self.plan = run, number, run.plans[number - 1]
        self.rng = random.Random(run.store.facts["seed"])
        several = len(people) > 1 and self.plan.orders
        self.overlap = overlap if several else 0.0
        pairs = audit_of(run.plans[audit - 1]).all.tolist() if audit is not None else []
        self.audit: dict[Key, None] = dict.fromkeys((audit or 0, (first, second), 0) for first, second in pairs)
        self._budget = self.plan.budget or 0
        if self.averages:
            most = (self.plan.wanted or {}).get("budget") or self._budget + len(pairs)
            self._budget = min(most, run.n * (run.n - 1) // 2)
        self.asked = {frozenset(key[1]) for key in self.audit}
        self.said: dict[Pair, Said] = {}
        self.twice: dict[Pair, Key] = {}
        self.writing: dict[Key, OnItsWay] = {}
        self.answered, self._seconds = 0, 0
        self.beside = self._plan_of("overlap", several)
        self.ahead = self._plan_of("ahead", several) if self.averages else None
        self._recall(people)

    @property
    def averages(self) -> bool:
        """Whether the ranker has a budget of its own to keep to, and what is asked ahead of it helps."""
        return self.plan.ranker in ("window", "field")

    def _plan_of(self, kind: str, several: bool) -> int | None:
        """The plan of pairs that no ranker asked; where one person judges only such that was made before."""
        known = [number for number, plan in enumerate(self.run.store.plans, 1) if plan["ranker"] == kind]
        if known or not several:
            return known[0] if known else None
        return self.run.store.add_plan(Plan(kind, self.run.n, 0, wanted=self.plan.wanted).settings)

    def _recall(self, people: Mapping[str, Person]) -> None:
        """Who answered what before."""
        seen = set()
        for entry in self.run.store.entries:
            key, replied = entry.asked.key, entry.replied
            if replied is None or not isinstance(replied.answer, float):
                continue
            if key not in seen:
                seen.add(key)
                self._count(key)
            if (person := people.get(entry.asked.who)) is not None and replied.outcome == ANSWER:
                person.answered[key] = None
                person.pairs[frozenset(key[1])] = key
            self._learn(key, replied.answer)

    def _count(self, key: Key) -> None:
        """Count an answer, if it is one of those expected: a budget is of all answers, else the plan's own count."""
        second = self._kind(key) == "overlap"
        counts = self.averages or second or key[0] == self.number
        self.answered += counts
        self._seconds += counts and second

    def _kind(self, key: Key) -> str:
        """What asked a question."""
        return str(self.run.store.plans[key[0] - 1]["ranker"])

    def _learn(self, key: Key, answer: float) -> bool:
        """Know an answer; whether it is one from which the ranker orders."""
        pair, kind = frozenset(key[1]), self._kind(key)
        self.audit.pop(key, None)
        if kind == "overlap":
            self.twice.pop(pair, None)
        elif kind not in APART and pair not in self.asked and self._drawn(pair):
            shown = key[1] if self.rng.random() < 0.5 else key[1][::-1]
            self.twice[pair] = (self.beside or 0, shown, 0)
        self.asked.add(pair)
        if key[0] in (self.number, self.ahead):
            self.said[pair] = Said(key[1], answer)
        return kind not in (*APART, "overlap") or key[0] == self.number

    def _drawn(self, pair: Pair) -> bool:
        """Whether two people are to judge a pair: by a lot that falls the same whenever it is drawn."""
        if not self.overlap:
            return False
        return random.Random(f"{self.run.store.facts['seed']} {sorted(pair)}").random() < self.overlap

    @property
    def room(self) -> int:
        """Answers of the budget that are neither given nor kept for the audit."""
        return self._budget - (self.answered - self._seconds) - len(self.audit)

    @property
    def pairs_on_their_way(self) -> set[Pair]:
        """Pairs whose answers are being written."""
        return {frozenset(key[1]) for key in self.writing}

    def is_answered(self, key: Key) -> bool:
        """Whether a question has an answer, on the disk or on its way there."""
        return key in self.writing or self.run.store.answer(key) is not None

    def given(self, name: str, key: Key) -> float | None:
        """What someone answered to a question."""
        if (on_way := self.writing.get(key)) is not None and on_way.name == name:
            return on_way.answer
        kept = self._kept(key)
        return kept[1] if kept is not None and kept[0] == name else None

    def _kept(self, key: Key) -> tuple[str, float] | None:
        """Who answered a question, and what; None if nobody did."""
        for entry in reversed(self.run.store.attempts(key)):
            if (
                entry.replied is not None
                and entry.replied.outcome == ANSWER
                and isinstance(entry.replied.answer, float)
            ):
                return entry.asked.who, entry.replied.answer
        return None

    def meant(self, person: Person, key: Key, value: float) -> tuple[Key, float]:
        """Where an answer belongs: where this person's to the pair is, or beside the one of somebody quicker."""
        if (mine := person.pairs.get(frozenset(key[1]))) is not None:
            return mine, Said(key[1], value).of(mine[1])
        beside = key[0] if self._kind(key) in APART else self.beside
        while beside is not None and (self._kept(key) is not None or key in self.writing):
            key = (beside, key[1], key[2] + 1 if key[0] == beside else 0)
        return key, value

    def sent_before(self, name: str, key: Key, value: float) -> tuple[bool, Future[None] | None]:
        """Whether the same answer is kept or on its way already, and then what is done when it is on the disk."""
        if (on_way := self.writing.get(key)) is not None:
            return on_way.answer == value, on_way.done
        return self._kept(key) == (name, value), None

    def write(self, person: Person, key: Key, replied: Replied, landed: Landed) -> Future[None]:
        """Let an answer be put on the disk; what is returned is for `landed` to end."""
        pair, corrects = frozenset(key[1]), self.is_answered(key)
        if not corrects:
            self._count(key)
        if replied.outcome == ANSWER:
            person.answered[key], person.pairs[pair] = None, key
        self.audit.pop(key, None)
        if key[0] == self.beside:
            self.twice.pop(pair, None)
        on_way = OnItsWay(person.name, float(replied.answer), corrects, Future[None]())  # type: ignore[arg-type]
        self.writing[key] = on_way
        written = self.run.store.record(Asked(key, len(self.run.store.attempts(key)), person.name), replied)
        written.add_done_callback(lambda written: landed(key, on_way, written))
        return on_way.done

    def landed(self, key: Key, on_way: OnItsWay) -> bool:
        """Know an answer that is on the disk; whether it is one from which the ranker orders."""
        if self.writing.get(key) is on_way:
            del self.writing[key]
        return self._learn(key, on_way.answer)
