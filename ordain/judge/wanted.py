"""What is wanted of a run, as it is typed, and the plan that gives it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from ordain.judge.known_beforehand import Learning
from ordain.judge.plan import Plan
from ordain.judge.shares import PAIRS, RETRIES, Shares, audit_requests, learning_shares, shares_of, usual_shares
from ordain.rank.list_size import ENOUGH
from ordain.rank.lists import Size, mean_length

USUAL = 10
"""The most items in a list, where nothing else is said."""


LEARNED = 500
"""The most requests from which it is learned to order all, where no budget is given."""


@dataclass(frozen=True)
class Wanted:
    """What is wanted.

    Parameters
    ----------
    top : int, optional
        How many of the best; all in order if not given.
    size : int or "auto"
        How many items are shown at a time: two are a pair.
    guarantee : bool
        Whether the promises of a sort are wanted.
    both_orders : bool
        Whether each pair is asked both ways round.
    budget : int, optional
        The most requests, all in all.
    longest : int
        The most items that fit in one request.
    learn : dict, optional
        From what it is learned to order also what is never asked about: not every item then need be shown.
    """

    top: int | None = None
    size: Size = "auto"
    guarantee: bool = False
    both_orders: bool = False
    budget: int | None = None
    longest: int = USUAL
    learn: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.top is not None and self.top < 1:
            raise ValueError(f"top must be 1 or more, the number of the best that are wanted. Got {self.top}.")
        if self.size != "auto" and (isinstance(self.size, str) or self.size < PAIRS or int(self.size) != self.size):
            raise ValueError(f"size must be a whole number of items, 2 or more, or 'auto'. Got {self.size}.")

    @property
    def kept(self) -> dict[str, Any]:
        """As plans keep it; what is learned from is there only if it is learned."""
        plain = asdict(self)
        return plain if self.learn is not None else {name: of for name, of in plain.items() if name != "learn"}

    @property
    def times(self) -> int:
        """How often each pair is asked."""
        return 2 if self.both_orders else 1

    @property
    def most(self) -> int:
        """The most items in a request."""
        return PAIRS if self.guarantee else min(USUAL if self.size == "auto" else self.size, self.longest)

    def shares(self, n: int, spent: int = 0) -> Shares:
        """How the requests are shared out; those of a sort are as many as it takes. `spent` of them are gone."""
        if self.guarantee:
            calls = expected_calls(n, self.top)
            if self.budget is not None and not spent:
                shares_of(self.budget, n, PAIRS)  # refuses one that is too small
            return Shares(audit_requests(n, min(calls, self.budget or calls)), calls, 0, PAIRS)
        if self.learn is not None and not spent:
            usual = usual_shares(n, self.most, top=self.top, times=self.times).requests
            return learning_shares(min(LEARNED, usual) if self.budget is None else self.budget, n, self.most)
        if self.budget is None:
            usual_ones = usual_shares(n, self.most, top=self.top, times=self.times)
            return replace(usual_ones, audit=0) if spent else usual_ones
        if not spent:
            return shares_of(self.budget, n, self.most, times=self.times)
        left = max(0, self.budget - spent)
        kept = int(RETRIES * left)
        return Shares(0, left - kept, kept, min(self.most, n))

    def plan(self, n: int, seed: int, shares: Shares) -> Plan:
        """The plan for these shares. Where requests are counted the longest lists tell most, and none are tried."""
        common: dict[str, Any] = {"n": n, "seed": seed, "top": self.top, "both_orders": self.both_orders}
        common |= {"wanted": self.kept, "learn": self.learn}
        if self.guarantee:
            return Plan("top_k" if self.top else "quicksort", **common)
        common["spare"] = bool(shares.kept)
        if self.most == PAIRS:
            return Plan("field" if self.top else "window", budget=shares.ranker // self.times, size=PAIRS, **common)
        texts = round(shares.ranker * mean_length(n, self.most, shares.ranker * self.most, self.top))
        tried = (
            self.size == "auto" and self.longest >= USUAL and texts >= ENOUGH and self.budget is None and not self.learn
        )
        size: Size = "auto" if tried else self.most
        return Plan("list_field" if self.top else "list_window", budget=texts, size=size, **common)


def kept_learning(learning: Learning | None) -> dict[str, Any] | None:
    """What is learned from, as plans keep it."""
    return None if learning is None else asdict(learning)


def expected_calls(n: int, top: int | None) -> int:
    """About how many pairs QuickSort asks for the first k of n items, as if the judge never contradicted himself.

    2n + 2(n + 1)H_n - 2(n + 3 - k)H_{n+1-k} - 6k + 6, which is 2(n + 1)H_n - 4n for all.

    Examples
    --------
    >>> expected_calls(1000, None), expected_calls(1000, 10)
    (10986, 2084)
    """
    k = min(top or n, n)
    harmonic = np.cumsum(1 / np.arange(1, n + 1))
    return round(2 * n + 2 * (n + 1) * harmonic[n - 1] - 2 * (n + 3 - k) * harmonic[n - k] - 6 * k + 6)
