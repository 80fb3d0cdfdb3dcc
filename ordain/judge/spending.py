"""What a run has spent and may still spend, in requests and in money, told before a request is sent.

A request that is out counts with all it may cost, its reserve; so does one whose reply does not say what it cost, and
one of which nothing is known. So neither limit is ever passed, however many requests are out at a time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ordain.judge.store import UNSENT, Entry

MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """Money for a million tokens read, and for a million written.

    Examples
    --------
    >>> Price(3, 15).of((1000, 100))
    0.0045
    """

    read: float
    written: float

    def of(self, tokens: tuple[int, int]) -> float:
        """What so many tokens cost."""
        return (tokens[0] * self.read + tokens[1] * self.written) / MILLION


def price_of(text: str) -> Price:
    """The price as typed: two numbers with a comma between.

    Examples
    --------
    >>> price_of("0.15,0.6")
    Price(read=0.15, written=0.6)
    """
    try:
        read, written = (float(part) for part in text.split(","))
    except ValueError:
        read = written = -1.0
    if not (0 <= read < float("inf") and 0 <= written < float("inf")):
        raise ValueError(
            f"--price must be two numbers, for a million tokens read and written, as 0.15,0.6. Got {text!r}."
        )
    return Price(read, written)


class Spending:
    """Requests and money of a run; `budget` and `most` are their limits, None for none."""

    def __init__(self, *, budget: int | None = None, price: Price | None = None, most: float | None = None) -> None:
        self.budget, self.price, self.most = budget, price or Price(0.0, 0.0), most
        self.requests, self.cost = 0, 0.0
        self.tokens = (0, 0)

    def began(self, entry: Entry) -> None:
        """Count a request that is about to be sent."""
        self.requests += 1
        self.cost += self.price.of(entry.asked.reserved)

    def ended(self, entry: Entry) -> None:
        """Put what it cost in the place of its reserve, where that is known; what could not be sent cost nothing."""
        replied = entry.replied
        if replied is not None and replied.outcome == UNSENT:
            self.requests -= 1
            self.cost -= self.price.of(entry.asked.reserved)
        elif replied is not None and replied.tokens is not None:
            self.cost += self.price.of(replied.tokens) - self.price.of(entry.asked.reserved)
            self.tokens = (self.tokens[0] + replied.tokens[0], self.tokens[1] + replied.tokens[1])

    def recall(self, entries: Iterable[Entry]) -> Spending:
        """Count what was spent before; itself."""
        for entry in entries:
            self.began(entry)
            self.ended(entry)
        return self

    def allows(self, reserved: tuple[int, int]) -> bool:
        """Whether one more request with this reserve keeps within both limits."""
        if self.budget is not None and self.requests + 1 > self.budget:
            return False
        return self.most is None or self.cost + self.price.of(reserved) <= self.most

    @property
    def left(self) -> int | None:
        """Requests that are left; None without a budget."""
        return None if self.budget is None else max(0, self.budget - self.requests)
