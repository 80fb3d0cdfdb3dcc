"""What a run remembers, in memory and on disk: what it is about, its plans, and every request with its end.

A request is committed before it is sent, and its reply, with what was read from it, before the answer is used. So after
a crash every answer that was received is there, and what was sent but not answered is known: it is *uncertain*. Answers
are found by plan, by the question as it was shown, and by which time the plan asks it; of several attempts the last
that gave an answer counts.

All writing is done by one thread, which commits together what waits at the moment: at many requests a second the disk
is waited for once for several of them.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

from ordain._json import written
from ordain.judge.judged_items import Item
from ordain.judge.run_file import created, opened
from ordain.preference.journal import Answer, Question

Key = tuple[int, Question, int]
"""A plan, a question as it is shown, and which time the plan asks it, from 0 on."""

ANSWER, UNREADABLE, FAULT, UNSENT, REFUSED, SKIPPED = "answer", "unreadable", "fault", "unsent", "refused", "skipped"
PASSED = "passed"
"""How a request ends: with an answer, with one that cannot be read, with a fault of the line or the server, before it
could be sent, with a refusal that no further try can mend, or, uncertain, by being given up; and a pair that everybody
passed over."""

ENDS = {ANSWER, UNREADABLE, FAULT, UNSENT, REFUSED, SKIPPED, PASSED}
"""All of them."""


class StorageError(Exception):
    """The run cannot be written to any more; the message says why, in one line."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that is about to be sent: what is asked of whom, how often it was tried, and what it may cost."""

    key: Key
    attempt: int
    who: str
    prompt: str = ""
    reserved: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Replied:
    """How a request ended. `tokens` are those read and written, as the server counted them.

    `noted` is how many labels of a list were missing in the reply, there twice, and invented.
    """

    outcome: str
    answer: Answer | None = None
    tokens: tuple[int, int] | None = None
    noted: tuple[int, int, int] | None = None
    why: str | None = None
    seconds: float | None = None


@dataclass(slots=True)
class Entry:
    """A request and, once it is known, its end."""

    number: int
    asked: Asked
    at: float
    replied: Replied | None = None


class Store:
    """A run that is open; `entries` are its requests in the order in which they were made."""

    def __init__(self, path: str | os.PathLike[str], connection: sqlite3.Connection) -> None:
        self.path, self._connection = os.fspath(path), connection
        self.entries: list[Entry] = []
        self._of: dict[Key, list[Entry]] = {}
        try:
            connection.execute("BEGIN")  # all is read as it is at one moment, also while another process writes
            self._read(connection)
            connection.execute("COMMIT")
        except (sqlite3.Error, ValueError, TypeError, LookupError, RecursionError) as error:
            connection.close()
            raise ValueError(
                f"{self.path} must be a whole run. It is damaged ({error}). Take a copy that is not."
            ) from None
        places = (self.path, f"{self.path}-wal")
        self._files = {place: os.stat(place) for place in places if os.path.exists(place)}
        self._waiting: SimpleQueue[_Job | None] = SimpleQueue()
        self._adding, self._starting = threading.Lock(), threading.Lock()
        self._thread: threading.Thread | None = None
        self._broken: StorageError | None = None

    def _read(self, connection: sqlite3.Connection) -> None:
        """All that the file holds but the raw replies."""
        self.facts: dict[str, Any] = {name: _plain(value) for name, value in connection.execute("SELECT * FROM facts")}
        rows = connection.execute("SELECT number, id, text, rest FROM items ORDER BY number").fetchall()
        self.items = [Item(id, text, _plain(rest)) for id, text, rest in _counted(rows, "items", 0)]
        rows = connection.execute("SELECT number, settings FROM plans ORDER BY number").fetchall()
        self.plans: list[dict[str, Any]] = [_plain(settings) for (settings,) in _counted(rows, "plans", 1)]
        self.decisions = {
            (plan, name): _plain(value)
            for plan, name, value in connection.execute("SELECT plan, name, value FROM decisions")
        }
        for entry in _entries(connection):
            self._add(entry)

    def attempts(self, key: Key) -> list[Entry]:
        """The requests that were made for a question, one after the other."""
        return self._of.get(key, [])

    def answer(self, key: Key) -> Answer | None:
        """The answer to a question; None if there is none yet."""
        for entry in reversed(self.attempts(key)):
            if entry.replied is not None and entry.replied.answer is not None:
                return entry.replied.answer
        return None

    def keys(self, plan: int) -> Iterator[Key]:
        """The questions of a plan, in the order in which they were first asked."""
        return (key for key in list(self._of) if key[0] == plan)

    def answered(self, plan: int) -> Iterator[tuple[Question, Answer]]:
        """The questions of a plan that were answered, in the order in which they were first asked, and the answers."""
        return ((question, answer) for question, answer, _ in self.told(plan))

    def told(self, plan: int) -> Iterator[tuple[Question, Answer, str]]:
        """The same with who gave each answer; what a person passed over is left out."""
        for key in self.keys(plan):
            for entry in reversed(self.attempts(key)):
                if entry.replied is not None and entry.replied.answer is not None:
                    if entry.replied.outcome != PASSED:
                        yield key[1], entry.replied.answer, entry.asked.who
                    break

    @property
    def uncertain(self) -> list[Entry]:
        """Requests that were sent, or were about to be, of which nothing is known and that were not repeated since."""
        return [tries[-1] for tries in self._of.values() if tries[-1].replied is None]

    def intend(self, asked: Asked) -> Future[Entry]:
        """Write down a request; once the future is done it may be sent."""
        return self._put(_intended(self._begun(asked)))

    def record(self, asked: Asked, replied: Replied) -> Future[Entry]:
        """Write down a question that was answered, both in one."""
        entry = self._begun(asked)
        return self._put(_ended(entry, replied, first=_intended(entry)))

    def _begun(self, asked: Asked) -> Entry:
        """A request that is known from now on."""
        with self._adding:
            entry = Entry(self.entries[-1].number + 1 if self.entries else 1, asked, time.time())
            self._add(entry)
        return entry

    def end(self, entry: Entry, replied: Replied, raw: str | None = None) -> Future[Entry]:
        """Write down how a request ended; once the future is done the answer may be used."""
        return self._put(_ended(entry, replied, raw))

    def add_plan(self, settings: dict[str, Any]) -> int:
        """Append a plan; its number."""
        number = len(self.plans) + 1
        self._put(_Job("plans", (number, json.dumps(settings), time.time()))).result()
        self.plans.append(settings)
        return number

    def add_items(self, items: Sequence[Item]) -> None:
        """Append items."""
        for item in items:
            number = len(self.items)
            self._put(_Job("items", (number, item.id, item.text, json.dumps(item.rest)))).result()
            self.items.append(item)

    def decide(self, plan: int, name: str, value: Any) -> Any:
        """What the plan has settled under this name: what it settled before, or the value, which is kept."""
        if (plan, name) not in self.decisions:
            self._put(_Job("decisions", (plan, name, json.dumps(value)))).result()
            self.decisions[plan, name] = value
        return self.decisions[plan, name]

    def close(self) -> None:
        """Write what waits, and let go of the file."""
        if self._thread is not None:
            self._waiting.put(None)
            self._thread.join()
            self._thread = None
        self._connection.close()

    def _add(self, entry: Entry) -> None:
        self.entries.append(entry)
        self._of.setdefault(entry.asked.key, []).append(entry)

    def _put(self, job: _Job) -> Future[Entry]:
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._write, name="ordain run", daemon=True)
                self._thread.start()
        self._waiting.put(job)
        return job.done

    def _write(self) -> None:
        """Commit what waits, all of it together, again and again."""
        while (job := self._waiting.get()) is not None:
            jobs, last = [job], False
            while True:
                try:
                    further = self._waiting.get_nowait()
                except Empty:
                    break
                if further is None:
                    last = True
                    break
                jobs.append(further)
            self._commit(jobs)
            if last:
                return

    def _commit(self, jobs: Sequence[_Job]) -> None:
        """Write all together. Once that failed nothing new is asked, and what was paid for is kept where it can be."""
        if self._broken is None:
            self._broken = self._failure(jobs)
            if self._broken is None:
                for job in jobs:
                    job.succeed()
                return
        for job in jobs:
            error = self._broken if job.replied is None else self._failure([job])
            if error is None:
                job.succeed()
            else:
                job.done.set_exception(error)

    def _failure(self, jobs: Sequence[_Job]) -> StorageError | None:
        """Write in one transaction; why that was not possible, if it was not."""
        try:
            self._check_there()
            self._connection.execute("BEGIN IMMEDIATE")
            for one in (part for job in jobs for part in (job.first, job) if part is not None):
                self._connection.execute(f"INSERT INTO {one.table} VALUES ({', '.join('?' * len(one.row))})", one.row)
            self._connection.execute("COMMIT")
        except Exception as error:  # whatever it is, somebody waits to be told
            with suppress(sqlite3.Error):
                self._connection.rollback()
            return StorageError(_in_words(self.path, error))
        return None

    def _check_there(self) -> None:
        """A file that was removed or replaced still takes what is written to it, and then is gone."""
        for place, before in self._files.items():
            try:
                same = os.path.samestat(before, os.stat(place))
            except FileNotFoundError:
                same = False
            if not same:
                raise StorageError(f"{place} must stay where it is. It was moved, removed or replaced.")


class _Job:
    """A row to be written, and what waits for it; with a reply, the entry has it once it is written.

    `first` is a row that is written with it, before it.
    """

    def __init__(
        self,
        table: str,
        row: tuple[Any, ...],
        entry: Any = None,
        replied: Replied | None = None,
        first: _Job | None = None,
    ) -> None:
        self.table, self.row, self.entry, self.replied, self.first = table, row, entry, replied, first
        self.done: Future[Any] = Future()
        self.done.set_running_or_notify_cancel()  # who waits may be cancelled, what is written may not

    def succeed(self) -> None:
        """Tell that it is written."""
        if self.replied is not None:
            self.entry.replied = self.replied
        self.done.set_result(self.entry)


def _intended(entry: Entry) -> _Job:
    """The row of a request."""
    asked = entry.asked
    row = (entry.number, asked.key[0], _written(asked.key[1]), asked.key[2], asked.attempt, asked.who, asked.prompt)
    return _Job("asked", (*row, json.dumps(asked.reserved), entry.at), entry)


def _ended(entry: Entry, replied: Replied, raw: str | None = None, first: _Job | None = None) -> _Job:
    """The row of a request's end."""
    answer = None if replied.answer is None else _answer_written(replied.answer)
    noted, tokens = (None if value is None else json.dumps(value) for value in (replied.noted, replied.tokens))
    row = (entry.number, replied.outcome, answer, noted, replied.why, raw, tokens, replied.seconds, time.time())
    return _Job("replied", row, entry, replied, first)


def made(path: str | os.PathLike[str], items: Sequence[Item], facts: dict[str, Any]) -> Store:
    """A new run on some items; its file appears whole or not at all."""
    try:
        with created(path) as connection:
            connection.executemany(
                "INSERT INTO facts VALUES (?, ?)", [(name, json.dumps(of)) for name, of in facts.items()]
            )
            rows = [(number, item.id, item.text, json.dumps(item.rest)) for number, item in enumerate(items)]
            connection.executemany("INSERT INTO items VALUES (?, ?, ?, ?)", rows)
    except sqlite3.Error as error:
        raise StorageError(_in_words(os.fspath(path), error)) from None
    return Store(path, opened(path))


def _entries(connection: sqlite3.Connection) -> Iterator[Entry]:
    """All requests, with their ends; raw replies stay on the disk."""
    rows = connection.execute(
        "SELECT number, plan, shown, time, attempt, who, prompt, reserved, asked.at,"
        " outcome, answer, tokens, noted, why, seconds"
        " FROM asked LEFT JOIN replied ON replied.asked = number ORDER BY number"
    )
    for number, plan, shown, times, attempt, who, prompt, reserved, at, *end in rows:
        key = (plan, _question_read(shown), times)
        entry = Entry(number, Asked(key, attempt, who, prompt, _numbers(reserved)), at)
        if end[0] is not None:
            outcome, answer, tokens, noted, why, seconds = end
            given = None if answer is None else _answer_read(answer)
            entry.replied = Replied(outcome, given, _numbers(tokens), _numbers(noted), why, seconds)
        yield entry


def _counted(rows: Sequence[tuple[Any, ...]], what: str, first: int) -> list[tuple[Any, ...]]:
    """Rows without their numbers, which must count from the first on."""
    if [row[0] for row in rows] != list(range(first, first + len(rows))):
        raise ValueError(f"{what} are lacking")
    return [row[1:] for row in rows]


def _plain(text: str) -> Any:
    """JSON of finite numbers and whole characters."""
    value = json.loads(text)
    written(value)
    return value


def _numbers(text: str | None) -> Any:
    """A tuple of numbers as it was written; None for none."""
    return None if text is None else tuple(json.loads(text))


def _written(question: Question) -> str:
    return ",".join(map(str, question))


def _question_read(text: str) -> Question:
    if not isinstance(text, str):
        raise TypeError("a question must be text")
    return tuple(map(int, text.split(",")))


def _answer_written(answer: Answer) -> str:
    """A number, or the places of a list with null for what was not ranked."""
    if isinstance(answer, tuple):
        return json.dumps([None if math.isnan(place) else place for place in answer])
    return json.dumps(answer)


def _answer_read(text: str) -> Answer:
    value = json.loads(text)
    return tuple(math.nan if place is None else place for place in value) if isinstance(value, list) else float(value)


def _in_words(path: str, error: Exception) -> str:
    """Why a run cannot be written, in one line."""
    if isinstance(error, StorageError):
        return f"{error} Nothing more is asked. Put it back, and start the command again."
    hint = "Make room" if "full" in str(error) else "Mend that"
    return f"the run {path} must be writable. Got: {error}. Nothing more is asked. {hint}, and start the command again."
