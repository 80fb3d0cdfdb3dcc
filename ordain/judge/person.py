"""Someone who judges: what is kept for them, what they have seen, and whether they can have read it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from ordain.judge.judged_items import Item
from ordain.judge.store import Key

LEASE, LONGEST = 45.0, 300.0
"""Seconds after the last sign of life of a tab, and after a pair was shown, in which it is kept for who sees it."""

LOOKING = 60.0
"""Seconds in which somebody who looks at a pair is waited for when all is done."""

Pair = frozenset[int]
"""Two items, whichever way round they are shown."""


@dataclass
class Person:
    """Someone who judges: what was shown last, when they were last heard of, and what they answered, in order."""

    name: str
    lease: Key | None = None
    since: float = 0.0
    heard: float = -np.inf
    looked_back: float = -np.inf
    answered: dict[Key, None] = field(default_factory=dict)
    pairs: dict[Pair, Key] = field(default_factory=dict)
    skipped: set[Pair] = field(default_factory=set)
    seconds: deque[float] = field(default_factory=lambda: deque(maxlen=20))
    fast: deque[bool] = field(default_factory=lambda: deque(maxlen=10))
    stopped: bool = False

    def may_see(self, pair: Pair) -> bool:
        """Whether they have neither judged nor skipped a pair."""
        return pair not in self.pairs and pair not in self.skipped

    def is_there(self, now: float) -> bool:
        """Whether a tab of theirs is open."""
        return not self.stopped and now - self.heard < LEASE

    def looks(self, now: float) -> bool:
        """Whether they look at a pair that they have not answered, or at an earlier one."""
        return now - self.looked_back < LOOKING or (self.holds(now) and now - self.since < LOOKING)

    def holds(self, now: float) -> bool:
        """Whether what they were shown is kept for them."""
        return self.lease is not None and now - self.heard < LEASE and now - self.since < LONGEST


def least_seconds(shown: Iterable[Item]) -> float:
    """Seconds in which texts can hardly be read, at 150 characters a second and not more than three.

    Examples
    --------
    >>> least_seconds([Item("a", "x" * 90), Item("b", "y" * 30)])
    1.1
    """
    return min(3.0, 0.3 + sum(len(item.text) for item in shown) / 150)
