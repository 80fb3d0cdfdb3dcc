"""Pairs handed out to people, one at a time to whoever asks, and their answers, in whatever order they come.

What the ranker waits for is handed out nearest decisions first. A pair that is shown is leased: nobody else gets it
until the lease ends, by an answer, by the tab being closed or by silence. The audit's pairs are mixed in by lot, and so
are those that two people are to judge. While others have the last pairs of a batch, or the ranker makes the next, one
gets pairs that are likely to be asked then. An answer is on the disk before the next pair is shown; those that come at
the same time are written together.

No pair is asked that was answered, and no more answers are asked for than the budget has.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future

import numpy as np

from ordain.judge.pair_ledger import Ledger, OnItsWay, Said
from ordain.judge.person import Pair, Person, least_seconds
from ordain.judge.ranker_thread import RankerThread
from ordain.judge.run import Run
from ordain.judge.store import ANSWER, PASSED, Entry, Key, Replied

ANSWERS = {"left": 1.0, "right": 0.0, "tie": 0.5}
"""What can be said of two, and how surely the left one is better."""

LOOK = 4
"""Pairs of so many neighbours on either side in the order so far are handed out where nothing else is to be had."""

SECOND = 0.5
"""How often a pair that waits for its second judge is shown before one that the ranker waits for."""


class People:
    """A run that people judge together.

    Parameters
    ----------
    run, number, audit, overlap
        As for :class:`~ordain.judge.pair_ledger.Ledger`.
    names : list of str
        Who judges.
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
        self.run, self.number, self.markdown = run, number, markdown
        self.people = {name: Person(name) for name in names}
        self._lock = threading.RLock()
        self._ledger = Ledger(run, number, audit, self.people, overlap)
        # When the server is started again tabs may still show the pairs that were first then: they come last now.
        last = 2 * len(names) if self._ledger.answered and len(names) > 1 else 0
        self.ranker = RankerThread(self._ledger, self._lock, last)

    def start(self) -> People:
        """Let the ranker begin; itself."""
        self.ranker.start()
        return self

    def stop(self) -> None:
        """Ask nothing more, and wait for the ranker to end."""
        self.ranker.stop()

    def next(self, name: str) -> Key | None:
        """The pair to show to someone: the one they were shown, or another; None if there is none at the moment."""
        with self._lock:
            person, now = self.people[name], time.monotonic()
            person.heard = now
            if person.stopped or self.ranker.stopping:
                person.lease = None
            elif person.lease is None or not self._still_free(person.lease, person):
                person.lease, person.since = self._chosen(person), now
            return person.lease

    def _still_free(self, key: Key, person: Person) -> bool:
        """Whether nobody answered it since, nor looks at it."""
        return not self._ledger.is_answered(key) and frozenset(key[1]) not in self._taken(person)

    def _chosen(self, person: Person) -> Key | None:
        """A pair for this person."""
        taken, left, audits = self._taken(person), max(1, self.total - self.answered), self._ledger.audit

        def first(keys: Iterable[Key]) -> Key | None:
            pairs = ((key, frozenset(key[1])) for key in keys)
            return next((key for key, pair in pairs if pair not in taken and person.may_see(pair)), None)

        wanted, audit, second = first(self.ranker.open), first(audits), first(self._ledger.twice.values())
        idle = wanted is None and not self.ranker.thinking
        if audit is not None and (idle or self._ledger.rng.random() < len(audits) / left):
            return audit
        if second is not None and (wanted is None or self._ledger.rng.random() < SECOND):
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

    def _ahead(self, first: Callable[[Iterable[Key]], Key | None]) -> Key | None:
        """A pair of neighbours in the order so far that nobody was asked, while the budget has room for it.

        There is none before the ranker has asked something, which one that only runs over old answers never does.
        """
        plan, n, ranker = self._ledger.ahead, self.run.n, self.ranker
        out = sum(1 for person in self.people.values() if person.lease is not None and person.lease[0] == plan)
        room = self._ledger.room - len(ranker.open) - out
        if plan is None or ranker.finished or not ranker.begun or room <= 0:
            return None
        begin, flip = self._ledger.rng.randrange(n), 1 if self._ledger.rng.random() < 0.5 else -1
        places = ((place % n, apart) for apart in range(1, LOOK + 1) for place in range(begin, begin + n))
        order = ranker.order
        pairs = ((order[place], order[place + apart])[::flip] for place, apart in places if place + apart < n)
        asked = (self._ledger.asked, ranker.awaited, self._ledger.pairs_on_their_way)
        return first((plan, pair, 0) for pair in pairs if not any(frozenset(pair) in some for some in asked))

    def vote(self, name: str, key: Key, answer: str, seconds: float | None) -> None:
        """Keep an answer, and wait until it is on the disk; see :meth:`cast`."""
        if (done := self.cast(name, key, answer, seconds)) is not None:
            done.result()

    def cast(self, name: str, key: Key, answer: str, seconds: float | None) -> Future[None] | None:
        """Keep an answer; one that was kept already is kept once, and another one to the same pair corrects it.

        What is returned is done when it is on the disk; None if it was there before.
        """
        with self._lock:
            person = self.people[name]
            person.heard, person.looked_back = time.monotonic(), -np.inf
            key, value = self._ledger.meant(person, key, ANSWERS[answer])
            again, done = self._ledger.sent_before(name, key, value)
            if again:
                return done
            if seconds is not None and key not in person.answered:
                person.seconds.append(seconds)
                person.fast.append(seconds < least_seconds(self.run.store.items[item] for item in key[1]))
            return self._written(person, key, Replied(ANSWER, value, seconds=seconds))

    def _written(self, person: Person, key: Key, replied: Replied) -> Future[None]:
        """Let an answer be put on the disk; nobody else is shown the pair."""
        if person.lease is not None and frozenset(person.lease[1]) == frozenset(key[1]):
            person.lease = None
        self.ranker.open.pop(key, None)
        return self._ledger.write(person, key, replied, self._landed)

    def _landed(self, key: Key, on_way: OnItsWay, written: Future[Entry]) -> None:
        """An answer is on the disk: the ranker gets it, or, if it is a correction, begins anew."""
        if (error := written.exception()) is not None:
            on_way.done.set_exception(error)
            return
        with self._lock:
            feeds = self._ledger.landed(key, on_way)
            if feeds and on_way.corrects:
                self.ranker.run_again()
            elif feeds:
                self.ranker.give(Said(key[1], on_way.answer))
        on_way.done.set_result(None)

    def skip(self, name: str, key: Key) -> None:
        """Show someone another pair; one that nobody who is there can judge is given up, and no one won it."""
        with self._lock:
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
        waiting = (*self.ranker.open, *self._ledger.audit)
        for key in [key for key in waiting if frozenset(key[1]) in person.skipped]:
            if key not in self._ledger.writing and not any(one.may_see(frozenset(key[1])) for one in there):
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
        return self._ledger.given(name, key)

    def leave(self, name: str) -> None:
        """Someone's tab was closed: the pair is free for others."""
        self.people[name].heard = -np.inf

    def here(self, name: str) -> None:
        """A sign of life."""
        self.people[name].heard = time.monotonic()

    def ready(self, name: str) -> bool:
        """Whether this person has stopped, or nothing is left that they might be shown."""
        with self._lock:
            person = self.people[name]
            return person.stopped or self.ranker.stopping or (self.ranker.finished and not self._left_for(person))

    def _left_for(self, person: Person) -> bool:
        """Whether a pair of the audit, or one that two are to judge, may still be shown to someone."""
        waiting = (*self._ledger.audit, *self._ledger.twice.values())
        return any(person.may_see(frozenset(key[1])) for key in waiting)

    @property
    def _going_on(self) -> list[Person]:
        """Who has not stopped."""
        return [person for person in self.people.values() if not person.stopped]

    @property
    def done(self) -> bool:
        """Whether nothing is left for anybody who has not stopped, and nobody looks at a pair."""
        with self._lock:
            going_on, now = self._going_on, time.monotonic()
            if self.ranker.failed is not None or not going_on:
                return True
            if not self.ranker.finished or any(person.looks(now) for person in going_on):
                return False
            return not self._ledger.writing and not any(self._left_for(person) for person in going_on)

    @property
    def answered(self) -> int:
        """Answers that were given."""
        return self._ledger.answered

    @property
    def total(self) -> int:
        """Answers that are expected in all."""
        with self._lock:
            going_on = self._going_on
            seconds = sum(1 for pair in self._ledger.twice if any(person.may_see(pair) for person in going_on))
            further = 0 if self.ranker.finished else max(self._ledger.room, len(self.ranker.open))
            twice = seconds + round(self._ledger.overlap * further)
            return self.answered + len(self._ledger.audit) + further + twice
