"""The chance that one item beats another, with an interval: a certificate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ordain.certificate import figure_and_interval


@dataclass(frozen=True)
class WinChance:
    """How often the first item beats the second, whoever is shown first.

    Examples
    --------
    >>> print(WinChance("a", "b", 0.5812, 0.5134, 0.6461, 0.95))
    a beats b with chance 0.58, 95% confidence interval 0.51 to 0.65.
    """

    first: Any
    second: Any
    value: float
    low: float
    high: float
    level: float

    def __str__(self) -> str:
        value, interval = figure_and_interval(self.value, self.low, self.high, self.level)
        return f"{self.first} beats {self.second} with chance {value}, {interval}."
