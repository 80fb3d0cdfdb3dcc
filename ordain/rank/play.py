"""How a ranker is driven: it yields batches of pairs, is sent the answers, and returns the order, best first.

A ranker does no input or output, and all its randomness comes from the generator it is given. The answers to its
questions therefore determine the run: with the same seed and the same answers it asks the same and returns the same,
which is how a run resumes from its journal, see :func:`ordain.preference.journalled`. Out of calls, :class:`Spent` is
thrown into it with one answer per question, NaN where none came, and it returns the best order it has.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from ordain._types import Answers, Pairs, Vector
from ordain.preference import Preference, Spent, ask

Order = Vector
"""The item numbers, best first."""

Ranker = Generator[Pairs, Answers, Order]
"""Yields pairs, is sent answers, returns the order."""


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
            reply = ask(judge, pairs)
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
        raise Spent(np.abs(spent.answers - swap)) from spent
    return np.abs(answers - swap)
