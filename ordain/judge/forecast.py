"""What a run will take, told before the first request is paid for: requests, tokens and, given a price, money."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ordain.judge.judged_items import Item
from ordain.judge.prompt import Prompt, shortened
from ordain.judge.shares import Shares
from ordain.judge.spending import Price

BYTES = 4
"""Bytes of text to a token, about."""

LABEL, REASON = 3, 40
"""Tokens of a reply for each item shown, and for a sentence of reason."""

MARK = "0" * 32


@dataclass(frozen=True)
class Forecast:
    """Requests of each kind, what they read and write in tokens, about, and what that costs if a price is known."""

    shares: Shares
    tokens: tuple[int, int]
    price: Price | None = None

    @property
    def cost(self) -> float | None:
        """Money, about; None without a price."""
        return None if self.price is None else self.price.of(self.tokens)

    def __str__(self) -> str:
        if not self.shares.requests:
            return "Nothing is left to be asked."
        kind = "pairs" if self.shares.size == 2 else f"lists of up to {self.shares.size}"
        parts = [f"{self.shares.ranker:,} {kind}"]
        if self.shares.audit:
            parts.append(f"{self.shares.audit:,} random pairs as an audit of the order")
        if self.shares.kept:
            parts.append(f"{self.shares.kept:,} kept for retries, else spent in the last round")
        cost = "" if self.cost is None else f", {money(self.cost)} in all"
        read, written = self.tokens
        tokens = f"Some {read:,} tokens to read and {written:,} to write{cost}"
        return f"About {self.shares.requests:,} requests: {', '.join(parts)}. {tokens}."


def forecast(texts: Sequence[str], prompt: Prompt, shares: Shares, price: Price | None = None) -> Forecast:
    """What so many requests about these texts take.

    Examples
    --------
    >>> print(forecast(["tea"] * 100, Prompt("Which is better?"), Shares(20, 120, 0, 10), Price(1, 2)))
    About 140 requests: 120 lists of up to 10, 20 random pairs as an audit of the order. Some 56,385 tokens to read and
    3,660 to write, 0.064 in all.
    """
    mean = float(np.mean([len(text.encode()) for text in texts]))
    pair, more = (_around(prompt, size) + size * mean for size in (2, shares.size))
    ranked = shares.ranker + shares.kept
    read = (shares.audit * pair + ranked * more) / BYTES
    reason = REASON if prompt.why else 0
    written = shares.audit * (LABEL + reason) + ranked * (LABEL * (shares.size if shares.size > 2 else 1) + reason)
    return Forecast(shares, (round(read), round(written)), price)


def request_cost(texts: Sequence[str], prompt: Prompt, size: int, price: Price) -> float:
    """What one request with so many items costs, about."""
    return forecast(texts, prompt, Shares(0, 1, 0, size), price).cost or 0.0


def request_reserve(texts: Sequence[str], prompt: Prompt, size: int, most: int) -> tuple[int, int]:
    """The most tokens that a request with so many items may take, and one to which at most `most` are written."""
    longest = sorted((len(json.dumps(text, ensure_ascii=False).encode()) for text in texts), reverse=True)[:size]
    return _around(prompt, size) + sum(longest), most


def longest_list(items: Sequence[Item], most: int, wanted: int) -> tuple[int, str | None]:
    """How many items fit in one request of so many characters, whichever they are, and a sentence where that is fewer.

    Examples
    --------
    >>> longest_list([Item("a", "x" * 90), Item("b", "y" * 20), Item("c", "z")], 120, 2)
    (3, None)
    """
    lengths = np.array([len(item.text) for item in items])
    order = np.argsort(-lengths, kind="stable")
    fit = int(np.searchsorted(np.cumsum(lengths[order]), most, side="right"))
    longest = items[int(order[0])]
    if fit < 2:
        raise ValueError(
            f"two items must fit in the {most:,} characters of a request. The longest, {longest.id!r}, has "
            f"{len(longest.text):,}. Add --cut to shorten such items, or raise --max-chars if the model can read more."
        )
    if fit >= min(wanted, len(items)):
        return max(fit, wanted), None
    return fit, (
        f"Lists have {fit} items, as more would not always fit in {most:,} characters: {longest.id!r} has "
        f"{len(longest.text):,}. --cut shortens such items, --max-chars allows more."
    )


def cut_items(items: Sequence[Item], most: int, size: int) -> tuple[list[Item], str | None]:
    """Items whose texts are shortened so that `size` of them fit in a request, and a sentence on how many were."""
    length = max(100, most // size)
    cut = [Item(item.id, shortened(item.text, length), item.rest) for item in items]
    many = sum(1 for before, after in zip(items, cut, strict=True) if before.text != after.text)
    return cut, f"{many:,} items are shown with their first {length:,} characters only." if many else None


def money(amount: float) -> str:
    """An amount with two digits that count.

    Examples
    --------
    >>> money(0.0123), money(3.14159), money(1234.5)
    ('0.012', '3.14', '1,234.50')
    """
    return f"{amount:,.2f}" if amount >= 1 or not amount else f"{amount:.2g}"


def _around(prompt: Prompt, size: int) -> int:
    """Bytes of a request besides the items."""
    return len(json.dumps(prompt.messages([""] * size, MARK), ensure_ascii=False).encode())
