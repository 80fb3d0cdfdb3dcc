"""Which of several ways to do the same thing again and again is the quickest, while it is done.

How many threads are best depends on what else the machine does, which nobody tells and which changes. Threads that wait
for each other may take forty times as long on a busy machine, so the slow way must be tried seldom and left at once.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Generic, TypeVar

Way = TypeVar("Way")


class Quickest(Generic[Way]):
    """Ways to do something. Each is tried, then the quickest is taken, and now and then the slowest is tried again.

    One that took r times as long as the quickest is tried again after r times as many times, twice as many at least.
    How long a way takes is what it took when it was tried, and halfway from that to what it took each time since.

    Examples
    --------
    >>> clock = iter([0, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 11, 11, 12]).__next__
    >>> ways, taken = Quickest(["slow", "quick"], clock), []
    >>> for _ in range(8):
    ...     with ways.trial() as way:
    ...         taken.append(way)
    >>> taken
    ['slow', 'quick', 'quick', 'quick', 'quick', 'quick', 'slow', 'quick']
    """

    def __init__(self, ways: Sequence[Way], clock: Callable[[], float] = time.perf_counter) -> None:
        self.ways, self.clock, self.count, self.due = ways, clock, 0, len(ways)
        self.taken = dict[Way, float]()

    @contextmanager
    def trial(self) -> Iterator[Way]:
        """The way to do it this time; it takes as long as the context lasts."""
        trying = self.count < len(self.ways) or self.count == self.due
        way = self._next(trying)
        start = self.clock()
        yield way
        seconds = self.clock() - start
        self.taken[way] = seconds if trying else (self.taken[way] + seconds) / 2
        self.count += 1
        if trying and self.count >= len(self.ways):
            slower = max(self.taken.values()) / max(min(self.taken.values()), 1e-9)
            self.due = math.ceil(self.count * max(slower, 2))

    def _next(self, trying: bool) -> Way:
        if self.count < len(self.ways):
            return self.ways[self.count]
        return (max if trying else min)(self.taken, key=self.taken.__getitem__)
