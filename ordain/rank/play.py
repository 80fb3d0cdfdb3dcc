"""How a ranker is driven: it yields batches of pairs, is sent the answers, and returns the order, best first.

A ranker does no input or output, and all its randomness comes from the generator it is given. The answers to its
questions therefore determine the run: with the same seed and the same answers it asks the same and returns the same,
which is how a run resumes from its log. Out of calls, :class:`Spent` is thrown into it with the answers that could
still be had, and it returns the best order it has.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from ordain._types import Answers, Pairs, Vector
from ordain.preference import Preference, Spent, check_answers

Order = Vector
"""The item numbers, best first."""

Ranker = Generator[Pairs, Answers, Order]
"""Yields pairs, is sent answers, returns the order."""

Log = Sequence[tuple[Pairs, Answers]]
"""What was asked and answered, in turn."""


def play(ranker: Ranker, judge: Preference) -> Order:
    """Let `judge` answer every batch of `ranker`; return its order.

    Examples
    --------
    >>> from ordain.rank import quicksort
    >>> play(quicksort(3, np.random.default_rng(0)), lambda pairs: pairs[:, 0] > pairs[:, 1])
    array([2, 1, 0])
    """
    reply: Answers | Spent | None = None
    while True:
        try:
            pairs = advance(ranker, reply)
        except StopIteration as finished:
            return finished.value
        if isinstance(reply, Spent):
            raise RuntimeError("a ranker must return its order when Spent is thrown into it. Got another batch.")
        try:
            reply = check_answers(pairs, judge(pairs))
        except Spent as spent:
            reply = spent


def advance(ranker: Generator[Pairs, Answers, Any], reply: Answers | Spent | None) -> Pairs:
    """The next batch of `ranker` after `reply`; StopIteration carries its result."""
    return ranker.throw(reply) if isinstance(reply, Spent) else ranker.send(reply)  # type: ignore[arg-type]


def fairly(first: Vector, second: Vector, rng: np.random.Generator) -> Generator[Pairs, Answers, Answers]:
    """Ask the pairs (first, second), each shown in random order; return the answers to them as given.

    Every ranker asks through this. A judge who leans to the first place then is a coin, not an order, and what is
    known of preferences with h(u, v) + h(v, u) = 1 holds of every judge.
    """
    swap = rng.integers(0, 2, len(first), dtype=bool)
    change = (first ^ second) * swap  # a ^ (a ^ b) = b
    shown = np.stack((first ^ change, second ^ change))
    try:
        answers = yield shown.T
    except Spent as spent:
        raise Spent(np.abs(spent.answers - swap[: len(spent.answers)])) from spent
    return np.abs(answers - swap)


def recorded(judge: Preference, log: list[tuple[Pairs, Answers]]) -> Preference:
    """`judge`, with everything it answers appended to `log`."""

    def answers(pairs: Pairs) -> Answers:
        try:
            given = check_answers(pairs, judge(pairs))
        except Spent as spent:
            log.append((pairs[: len(spent.answers)], spent.answers))
            raise
        log.append((pairs, given))
        return given

    return answers


class Replayed:
    """A judge that answers from a log, in its order, and then asks another."""

    def __init__(self, log: Log, then: Preference) -> None:
        self.pairs = np.concatenate([np.empty((0, 2), dtype=np.intp), *(pairs for pairs, _ in log)])
        self.answers = np.concatenate([np.empty(0), *(answers for _, answers in log)])
        self.then, self.place = then, 0

    def __call__(self, pairs: Pairs) -> Answers:
        known = slice(self.place, self.place + len(pairs))
        logged, answers = self.pairs[known], self.answers[known]
        if not np.array_equal(logged, pairs[: len(logged)]):
            raise ValueError(
                f"a log must belong to the ranker and seed it is replayed with. Got another pair at or after answer "
                f"{self.place}. Use the items, settings and seed of that run."
            )
        self.place += len(logged)
        if len(logged) == len(pairs):
            return answers
        try:
            return np.concatenate([answers, self.then(pairs[len(logged) :])])
        except Spent as spent:
            raise Spent(np.concatenate([answers, spent.answers])) from spent


def replayed(log: Log, then: Preference | None = None) -> Replayed:
    """The answers of a log again, then those of `then`; without it the log's end is the end of the budget.

    A log whose pairs are not the ones asked is refused: it belongs to another run.
    """
    return Replayed(log, _nothing if then is None else then)


def _nothing(pairs: Pairs) -> Answers:
    raise Spent
