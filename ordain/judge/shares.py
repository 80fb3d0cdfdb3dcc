"""What a budget of requests is spent on: an audit, an order, and what may go wrong.

An audit of random pairs is kept back: a twentieth of the requests, at least 20, but at most a fifth of the budget and a
quarter of all pairs, and none below ten items. A twentieth of the rest is kept for requests that have to be repeated;
what is left of it is spent in the last round.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from ordain.rank.lists import mean_length

AUDIT, LEAST_AUDIT, MOST_AUDIT, MOST_PAIRS, FEW_ITEMS = 0.05, 20, 0.2, 0.25, 10
"""The share of the audit, its least number, the most of the budget and of all pairs, and the items it needs."""

RETRIES = 0.05
"""The share of the rest that is kept for requests that have to be repeated."""

SHOWINGS = {"all": 12, "top": 8}
"""How often each item is shown on average where no budget is given: for a whole order, and for the first few."""

TURNS = 3
"""In how many orders items that fit in one list are shown."""

LEARNED_AUDIT = 2
"""How many times as large the audit is where it is learned: it says whether that helped."""

LEAST_LEARNED = 20
"""The least requests from which anything can be learned."""

PAIRS = 2
"""The size of a list that is a pair."""


@dataclass(frozen=True)
class Shares:
    """Requests of the audit, of the ranker, and kept for retries; `size` items are shown in one of the ranker's."""

    audit: int
    ranker: int
    kept: int
    size: int

    @property
    def requests(self) -> int:
        """All of them."""
        return self.audit + self.ranker + self.kept


def audit_requests(n: int, requests: float) -> int:
    """How many random pairs of n items are asked besides so many requests in all.

    Examples
    --------
    >>> audit_requests(1000, 1200), audit_requests(12, 36), audit_requests(9, 100)
    (60, 7, 0)
    """
    if n < FEW_ITEMS:
        return 0
    return int(min(max(LEAST_AUDIT, AUDIT * requests), MOST_AUDIT * requests, MOST_PAIRS * n * (n - 1) / 2))


def usual_shares(n: int, size: int, *, top: int | None = None, times: int = 1) -> Shares:
    """What is asked where no budget is given; retries come on top. Each pair is asked `times`, and no more than all.

    Examples
    --------
    >>> usual_shares(1000, 10)
    Shares(audit=63, ranker=1200, kept=0, size=10)
    >>> usual_shares(8, 2), usual_shares(8, 10)
    (Shares(audit=0, ranker=28, kept=0, size=2), Shares(audit=0, ranker=3, kept=0, size=8))
    """
    texts, every = SHOWINGS["all" if top is None else "top"] * n, times * n * (n - 1) // 2
    ranker = ceil(texts / mean_length(n, size, texts, top)) if n > size else TURNS
    ranker = min(ranker, every) if size == PAIRS else ranker
    audit = audit_requests(n, ranker / (1 - AUDIT))
    return Shares(audit, min(ranker, every - times * audit) if size == PAIRS else ranker, 0, min(size, n))


def shares_of(budget: int, n: int, size: int, *, times: int = 1) -> Shares:
    """What a budget is spent on; refused where it cannot show every item once. Each pair is asked `times`.

    Examples
    --------
    >>> shares_of(1000, 1000, 10)
    Shares(audit=50, ranker=903, kept=47, size=10)
    """
    audit = audit_requests(n, budget)
    kept = int(RETRIES * (budget - audit))
    found = Shares(audit, budget - audit - kept, kept, min(size, n))
    if not _shows_all(budget, n, size, times):
        least = next(more for more in range(max(budget, 0) + 1, 10 * n + 10) if _shows_all(more, n, size, times))
        raise ValueError(
            f"--budget must be {least} requests or more, to show each of the {n} items once, {found.size} at a time, "
            f"beside an audit. Got {budget}."
        )
    return found


def learning_shares(budget: int, n: int, size: int) -> Shares:
    """What a budget is spent on where it is learned: the same, but not every item need be shown.

    Examples
    --------
    >>> learning_shares(500, 100_000, 10)
    Shares(audit=50, ranker=428, kept=22, size=10)
    """
    if budget < LEAST_LEARNED:
        raise ValueError(f"--budget must be {LEAST_LEARNED} requests or more to learn from. Got {budget}.")
    audit = audit_requests(n, LEARNED_AUDIT * budget)
    kept = int(RETRIES * (budget - audit))
    return Shares(audit, budget - audit - kept, kept, min(size, n))


def _shows_all(budget: int, n: int, size: int, times: int) -> bool:
    """Whether the requests of the ranker have room for every item."""
    audit = audit_requests(n, budget)
    return (budget - audit - int(RETRIES * (budget - audit))) // times * min(size, n) >= n
