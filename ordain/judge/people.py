"""Pairs handed out to people, one at a time to whoever asks, and their answers, in whatever order they come.

The ranker runs in a thread of its own and waits for the answers to its batch; what it asks is handed out nearest
decisions first. A pair that is shown is leased: nobody else gets it until the lease ends, by an answer, by the tab
being closed or by silence. The audit's pairs are mixed in by lot, and so are those that two people are to judge. While
others have the last pairs of a batch, or the ranker makes the next, one gets pairs that are likely to be asked then.
An answer is on the disk before the next pair is shown; those that come at the same time are written together.

A correction is appended like an answer; the ranker then runs again over the corrected answers, and those it no longer
asks for stay in the fit. No pair is asked that was answered, whichever way round and for whichever reason it was shown,
and no more answers are asked for than the budget has.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np

from ordain._types import Pairs
from ordain.judge.person import Pair, Person, least_seconds
from ordain.judge.plan import APART, Plan, audit_of
from ordain.judge.recorded import Missing
from ordain.judge.run import Run
from ordain.judge.store import ANSWER, PASSED, Asked, Entry, Key, Replied
from ordain.judge.top_so_far import place_error
from ordain.preference import Spent
from ordain.preference.journal import Answer, Question, pairs_among
from ordain.rank.bradley_terry.links import Graph
from ordain.rank.bradley_terry.mode import Fit, likeliest
from ordain.rank.bradley_terry.noise import LAPSES, SPREADS, Noise
from ordain.rank.list_model import PairsFit

ANSWERS = {"left": 1.0, "right": 0.0, "tie": 0.5}
"""What can be said of two, and how surely the left one is better."""

LOOK = 4
"""Pairs of so many neighbours on either side in the order so far are handed out where nothing else is to be had."""

SECOND = 0.5
"""How often a pair that waits for its second judge is shown before one that the ranker waits for."""


class Corrected(Exception):  # noqa: N818
    """An answer was corrected: the ranker runs again."""


class Said(NamedTuple):
    """A question as it was shown, and its answer."""

    question: Question
    answer: float

    def of(self, question: Question) -> float:
        """The answer to the same pair as it is shown now."""
        return self.answer if question == self.question else 1 - self.answer


class OnItsWay(NamedTuple):
    """An answer that is being written: whose it is, what it says, and what waits for it."""

    name: str
    answer: float
    done: Future[None]


class People:
    """A run that people judge together.

    Parameters
    ----------
    run : Run
        The run, whose plans were made.
    number : int
        The plan whose ranker asks.
    audit : int, optional
        The plan of the audit.
    names : list of str
        Who judges.
    overlap : float
        The share of pairs that two people judge, beyond the budget; none if there is one person.
    markdown : bool
        Whether the page sets texts as Markdown.
    """

    def __init__(
        self,
        run: Run,
        number: int,
        audit: int | None,
        names: list[str],
        overlap: float = 0.0,
        *,
        markdown: bool = False,
    ) -> None:
        self.run, self.number, self._plan, self.markdown = run, number, run.plans[number - 1], markdown
        if not 0 <= overlap <= 1:
            raise ValueError(f"--overlap must be a share of pairs, from 0 to 1. Got {overlap}.")
        self.overlap = overlap if len(names) > 1 and self._plan.orders else 0.0
        self.people = {name: Person(name) for name in names}
        self.lock = threading.RLock()
        self.finished, self.stopping = False, False
        self.failed: BaseException | None = None
        self._rng = random.Random(run.store.facts["seed"])
        pairs = audit_of(run.plans[audit - 1]).all.tolist() if audit is not None else []
        self._audit: dict[Key, None] = dict.fromkeys((audit or 0, (first, second), 0) for first, second in pairs)
        self._budget = self._plan.budget or 0
        if self._averages:
            most = (self._plan.wanted or {}).get("budget") or self._budget + len(pairs)
            self._budget = min(most, run.n * (run.n - 1) // 2)
        self._open: dict[Key, None] = {}
        self._awaited: dict[Pair, Key] = {}
        self._came: SimpleQueue[tuple[Key, Answer] | BaseException] = SimpleQueue()
        self._short, self._stale, self._begun = False, False, False
        self._asked = {frozenset(key[1]) for key in self._audit}
        self._said: dict[Pair, Said] = {}
        self._twice: dict[Pair, Key] = {}
        self._writing: dict[Key, OnItsWay] = {}
        self.answered, self._seconds = 0, 0
        self.scores, self.order = np.zeros(run.n), list(range(run.n))
        self.spread: float | None = None
        self._fit = Fit(np.zeros(run.n + 1))
        self._beside, self._ahead_plan = self._plan_of("overlap"), self._plan_of("ahead") if self._averages else None
        self._recall()
        # When the server is started again tabs may still show the pairs that were first then: they come last now.
        self._shown_before = 2 * len(names) if self.answered and len(names) > 1 else 0
        self._thread = threading.Thread(target=self._work, name="ordain ranker", daemon=True)

    @property
    def _averages(self) -> bool:
        """Whether the ranker has a budget of its own to keep to, and what is asked ahead of it helps."""
        return self._plan.ranker in ("window", "field")

    def _plan_of(self, kind: str) -> int | None:
        """The plan of pairs that no ranker asked; where one person judges only such that was made before."""
        known = [number for number, plan in enumerate(self.run.store.plans, 1) if plan["ranker"] == kind]
        if known or len(self.people) < 2 or not self._plan.orders:
            return known[0] if known else None
        return self.run.store.add_plan(Plan(kind, self.run.n, 0, wanted=self._plan.wanted).settings)

    def _recall(self) -> None:
        """Who answered what before."""
        seen = set()
        for entry in self.run.store.entries:
            key, replied = entry.asked.key, entry.replied
            if replied is None or not isinstance(replied.answer, float):
                continue
            if key not in seen:
                seen.add(key)
                self._count(key)
            if (person := self.people.get(entry.asked.who)) is not None and replied.outcome == ANSWER:
                person.answered[key] = None
                person.pairs[frozenset(key[1])] = key
            self._learn(key, replied.answer)

    def _count(self, key: Key) -> None:
        """Count an answer, if it is one of those expected: a budget is of all answers, else the plan's own count."""
        second = self._kind(key) == "overlap"
        counts = self._averages or second or key[0] == self.number
        self.answered += counts
        self._seconds += counts and second

    def _kind(self, key: Key) -> str:
        """What asked a question."""
        return str(self.run.store.plans[key[0] - 1]["ranker"])

    def start(self) -> People:
        """Let the ranker begin; itself."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Ask nothing more, and wait for the ranker to end."""
        with self.lock:
            self.stopping = True
            self._came.put(Spent())
        if self._thread.is_alive():
            self._thread.join()

    def _work(self) -> None:
        """Run the ranker, again after every correction, until it has its order or nothing more is asked."""
        try:
            while not self.stopping and not self.finished:
                with self.lock:
                    self._stale = False
                try:
                    self.run.play(self.number, HandedOut(self), spare=self._spare, tell=self._told)
                except Corrected:
                    continue
                with self.lock:
                    self.finished = not self._stale
                    self._open.clear()
        except BaseException as error:
            self.failed = error

    def _told(self, asked: list[Pairs], given: list[Any]) -> None:
        """Know the order so far."""
        before = pairs_among(self.run.known(self.number))
        pairs = np.concatenate([np.array(list(before), dtype=np.intp).reshape(-1, 2), *asked])
        graph = Graph(pairs, np.concatenate([[*before.values()], *given]), self.run.n, position=True)
        self._fit = likeliest(graph, Noise(SPREADS, LAPSES), self._fit)
        self.scores, self.spread = self._fit.scores, place_error(PairsFit(graph, self._fit))
        self.order = np.argsort(-self.scores, kind="stable").tolist()

    def _spare(self) -> int:
        """Answers of the budget that are left for the last round beyond those of the plan."""
        with self.lock:
            own = (self._plan.budget or 0) - sum(1 for _ in self.run.store.keys(self.number))
            return max(0, self._room - max(0, own))

    def asked_for(self, keys: list[Key]) -> SimpleQueue[tuple[Key, Answer] | BaseException]:
        """Hand out these questions of the ranker, nearest decisions first; where the answers come."""
        near = sorted(keys, key=lambda key: abs(self.scores[key[1][0]] - self.scores[key[1][1]]))
        shown, self._shown_before = self._shown_before, 0
        near = near[shown:] + near[:shown]
        with self.lock:
            if self.stopping:
                raise Spent
            if self._stale:
                raise Corrected
            written = {frozenset(key[1]) for key in self._writing}
            self._came = SimpleQueue()
            for key in near:
                if (said := self._said.get(frozenset(key[1]))) is not None:
                    self._came.put((key, said.of(key[1])))
            rest = [key for key in near if frozenset(key[1]) not in self._said]
            fresh = [key for key in rest if frozenset(key[1]) not in written]
            self._open = dict.fromkeys(fresh[: max(0, self._room)] if self._averages else fresh)
            self._awaited = {frozenset(key[1]): key for key in rest if key in self._open or key not in fresh}
            self._short = len(self._open) < len(fresh)
            self._begun |= bool(self._open)
            if self._short and not self._awaited:
                self._came.put(Spent())
            return self._came

    def next(self, name: str) -> Key | None:
        """The pair to show to someone: the one they were shown, or another; None if there is none at the moment."""
        with self.lock:
            person, now = self.people[name], time.monotonic()
            person.heard = now
            if person.stopped or self.stopping:
                person.lease = None
            elif person.lease is None or not self._still_free(person.lease, person):
                person.lease, person.since = self._chosen(person), now
            return person.lease

    def _still_free(self, key: Key, person: Person) -> bool:
        """Whether nobody answered it since, nor looks at it."""
        kept = self.run.store.answer(key) is None and key not in self._writing
        return kept and frozenset(key[1]) not in self._taken(person)

    def _chosen(self, person: Person) -> Key | None:
        """A pair for this person."""
        taken, left = self._taken(person), max(1, self.total - self.answered)

        def first(keys: Iterable[Key]) -> Key | None:
            pairs = ((key, frozenset(key[1])) for key in keys)
            return next((key for key, pair in pairs if pair not in taken and person.may_see(pair)), None)

        wanted, audit, second = first(self._open), first(self._audit), first(self._twice.values())
        idle = wanted is None and not self.thinking
        if audit is not None and (idle or self._rng.random() < len(self._audit) / left):
            return audit
        if second is not None and (wanted is None or self._rng.random() < SECOND):
            return second
        if wanted is None:
            self._pass_over(person)
            return self._ahead(first)
        return wanted

    def _taken(self, person: Person) -> set[Pair]:
        """What others are looking at."""
        now = time.monotonic()
        others = (one for one in self.people.values() if one is not person and one.holds(now))
        return {frozenset(one.lease[1]) for one in others if one.lease is not None}

    def _ahead(self, first: Any) -> Key | None:
        """A pair of neighbours in the order so far that nobody was asked, while the budget has room for it.

        There is none before the ranker has asked something, which one that only runs over old answers never does.
        """
        plan, n = self._ahead_plan, self.run.n
        out = sum(1 for person in self.people.values() if person.lease is not None and person.lease[0] == plan)
        if plan is None or self.finished or not self._begun or self._room - len(self._open) - out <= 0:
            return None
        begin, flip = self._rng.randrange(n), 1 if self._rng.random() < 0.5 else -1
        places = ((place % n, apart) for apart in range(1, LOOK + 1) for place in range(begin, begin + n))
        pairs = ((self.order[place], self.order[place + apart])[::flip] for place, apart in places if place + apart < n)
        asked = (self._asked, self._awaited, {frozenset(key[1]) for key in self._writing})
        return first((plan, pair, 0) for pair in pairs if not any(frozenset(pair) in some for some in asked))

    def vote(self, name: str, key: Key, answer: str, seconds: float | None) -> None:
        """Keep an answer, and wait until it is on the disk; see :meth:`cast`."""
        if (done := self.cast(name, key, answer, seconds)) is not None:
            done.result()

    def cast(self, name: str, key: Key, answer: str, seconds: float | None) -> Future[None] | None:
        """Keep an answer; one that was kept already is kept once, and another one to the same pair corrects it.

        What is returned is done when it is on the disk; None if it was there before.
        """
        with self.lock:
            person = self.people[name]
            person.heard, person.looked_back = time.monotonic(), -np.inf
            key, value = self._meant(person, key, ANSWERS[answer])
            if (on_way := self._writing.get(key)) is not None:
                if on_way.answer == value:
                    return on_way.done
            elif (kept := self._kept(key)) is not None and kept == (name, value):
                return None
            if seconds is not None and key not in person.answered:
                person.seconds.append(seconds)
                person.fast.append(seconds < least_seconds(self.run.store.items[item] for item in key[1]))
            return self._written(person, key, Replied(ANSWER, value, seconds=seconds))

    def _meant(self, person: Person, key: Key, value: float) -> tuple[Key, float]:
        """Where an answer belongs: where this person's to the pair is, or beside the one of somebody quicker."""
        if (mine := person.pairs.get(frozenset(key[1]))) is not None:
            return mine, Said(key[1], value).of(mine[1])
        beside = key[0] if self._kind(key) in APART else self._beside
        while beside is not None and (self._kept(key) is not None or key in self._writing):
            key = (beside, key[1], key[2] + 1 if key[0] == beside else 0)
        return key, value

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

    def _written(self, person: Person, key: Key, replied: Replied) -> Future[None]:
        """Let an answer be put on the disk; nobody else is shown the pair."""
        pair, done = frozenset(key[1]), Future[None]()
        before = key in self._writing or self.run.store.answer(key) is not None
        if not before:
            self._count(key)
        if replied.outcome == ANSWER:
            person.answered[key], person.pairs[pair] = None, key
        if person.lease is not None and frozenset(person.lease[1]) == pair:
            person.lease = None
        self._open.pop(key, None)
        self._audit.pop(key, None)
        if key[0] == self._beside:
            self._twice.pop(pair, None)
        on_way = OnItsWay(person.name, float(replied.answer), done)  # type: ignore[arg-type]
        self._writing[key] = on_way
        written = self.run.store.record(Asked(key, len(self.run.store.attempts(key)), person.name), replied)
        written.add_done_callback(lambda written: self._landed(key, on_way, written, before))
        return done

    def _landed(self, key: Key, on_way: OnItsWay, written: Future[Entry], before: bool) -> None:
        """An answer is on the disk: the ranker gets it, or, if it is a correction, begins anew."""
        if (error := written.exception()) is not None:
            on_way.done.set_exception(error)
            return
        with self.lock:
            if self._writing.get(key) is on_way:
                del self._writing[key]
            feeds = self._learn(key, on_way.answer)
            if feeds and before:
                self._run_again()
            elif feeds and (asked := self._awaited.pop(frozenset(key[1]), None)) is not None:
                self._open.pop(asked, None)
                self._came.put((asked, Said(key[1], on_way.answer).of(asked[1])))
                if self._short and not self._awaited:
                    self._came.put(Spent())
        on_way.done.set_result(None)

    def _learn(self, key: Key, answer: float) -> bool:
        """Know an answer; whether it is one from which the ranker orders."""
        pair, kind = frozenset(key[1]), self._kind(key)
        self._audit.pop(key, None)
        if kind == "overlap":
            self._twice.pop(pair, None)
        elif kind not in APART and pair not in self._asked and self._drawn(pair):
            shown = key[1] if self._rng.random() < 0.5 else key[1][::-1]
            self._twice[pair] = (self._beside or 0, shown, 0)
        self._asked.add(pair)
        if key[0] in (self.number, self._ahead_plan):
            self._said[pair] = Said(key[1], answer)
        return kind not in (*APART, "overlap") or key[0] == self.number

    def _drawn(self, pair: Pair) -> bool:
        """Whether two people are to judge a pair: by a lot that falls the same whenever it is drawn."""
        if not self.overlap:
            return False
        return random.Random(f"{self.run.store.facts['seed']} {sorted(pair)}").random() < self.overlap

    def _run_again(self) -> None:
        """Let the ranker begin anew over the corrected answers."""
        self._stale = True
        self._came.put(Corrected())
        if self.finished and not self.stopping:
            self.finished = False
            self._thread = threading.Thread(target=self._work, name="ordain ranker", daemon=True)
            self._thread.start()

    def skip(self, name: str, key: Key) -> None:
        """Show someone another pair; one that nobody who is there can judge is given up, and no one won it."""
        with self.lock:
            person = self.people[name]
            person.heard = time.monotonic()
            person.skipped.add(frozenset(key[1]))
            if person.lease == key:
                person.lease = None
            self._pass_over(person)

    def _pass_over(self, person: Person) -> None:
        """Give up the pairs that everybody who is there has skipped."""
        now = time.monotonic()
        there = [one for one in self.people.values() if one.is_there(now)]
        for key in [key for key in (*self._open, *self._audit) if frozenset(key[1]) in person.skipped]:
            if key not in self._writing and not any(one.may_see(frozenset(key[1])) for one in there):
                self._written(person, key, Replied(PASSED, 0.5))

    def before(self, name: str, key: Key | None) -> Key | None:
        """The pair that someone answered before this one; the last one before what is shown now."""
        mine = list(self.people[name].answered)
        place = mine.index(key) if key in self.people[name].answered else len(mine)
        return mine[place - 1] if place else None

    def look_back(self, name: str) -> None:
        """Someone looks at an earlier pair, and may correct it."""
        self.people[name].looked_back = self.people[name].heard = time.monotonic()

    def given(self, name: str, key: Key) -> float | None:
        """What someone answered to a pair."""
        if (on_way := self._writing.get(key)) is not None and on_way.name == name:
            return on_way.answer
        kept = self._kept(key)
        return kept[1] if kept is not None and kept[0] == name else None

    def leave(self, name: str) -> None:
        """Someone's tab was closed: the pair is free for others."""
        self.people[name].heard = -np.inf

    def here(self, name: str) -> None:
        """A sign of life."""
        self.people[name].heard = time.monotonic()

    def ready(self, name: str) -> bool:
        """Whether this person has stopped, or nothing is left that they might be shown."""
        with self.lock:
            person = self.people[name]
            return person.stopped or self.stopping or (self.finished and not self._left_for(person))

    def _left_for(self, person: Person) -> bool:
        """Whether a pair of the audit, or one that two are to judge, may still be shown to someone."""
        return any(person.may_see(frozenset(key[1])) for key in (*self._audit, *self._twice.values()))

    @property
    def done(self) -> bool:
        """Whether nothing is left for anybody who has not stopped, and nobody looks at a pair."""
        with self.lock:
            going_on, now = [person for person in self.people.values() if not person.stopped], time.monotonic()
            if self.failed is not None or not going_on:
                return True
            if any(person.looks(now) for person in going_on):
                return False
            return self.finished and not self._writing and not any(self._left_for(person) for person in going_on)

    @property
    def thinking(self) -> bool:
        """Whether the ranker makes its next batch."""
        return not (self.finished or self.stopping or self._open) and self.failed is None

    @property
    def _room(self) -> int:
        """Answers of the budget that are neither given nor kept for the audit."""
        return self._budget - (self.answered - self._seconds) - len(self._audit)

    @property
    def _seconds_left(self) -> int:
        """Pairs that wait for a second judge who has not stopped."""
        going_on = [person for person in self.people.values() if not person.stopped]
        return sum(1 for pair in self._twice if any(person.may_see(pair) for person in going_on))

    @property
    def total(self) -> int:
        """Answers that are expected in all."""
        with self.lock:
            further = 0 if self.finished else max(self._room, len(self._open))
            twice = self._seconds_left + round(self.overlap * further)
            return self.answered + len(self._audit) + further + twice


class HandedOut(Missing):
    """The ranker's questions, answered by people."""

    def __init__(self, people: People) -> None:
        super().__init__(people.run.store, people.number)
        self.people = people

    def asked(self, keys: list[Key], batch: Pairs) -> Iterator[tuple[int, Answer]]:
        """As they come."""
        came = self.people.asked_for(keys)
        places = {key: place for place, key in enumerate(keys)}
        while places:
            one = came.get()
            if isinstance(one, BaseException):
                raise one
            yield places.pop(one[0]), one[1]
