"""A share of successes with an interval and a p-value.

The interval is that of Clopper and Pearson: for s of m, unrounded,

    low = B⁻¹(δ/2; s, m - s + 1),   high = B⁻¹(1 - δ/2; s + 1, m - s),

and p = min(1, 2 I_½(max(s, m - s), min(s, m - s) + 1)) against one half, which for whole s is the exact sign test.
Answers between 0 and 1 count by their value, ½ as half a success. They vary less than coins of the same mean, so the
interval should cover more often with them; it does in every case enumerated, which is no proof.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, betaincinv

from ordain._checks import check_share
from ordain._types import Vector
from ordain.certificate import decimals, outward

TIE = 1e-9
"""Closer to ½ than this an answer decides nothing."""


@dataclass(frozen=True)
class Share:
    """`part` of `of`, with an interval at `level` and a p-value against one half; see the formulas of this module."""

    part: float
    of: int
    level: float = 0.95

    @property
    def value(self) -> float:
        """The share, nan of nothing."""
        return self.part / self.of if self.of else float("nan")

    @property
    def low(self) -> float:
        """The low end of the interval."""
        return _low(self.part, self.of, self.level)

    @property
    def high(self) -> float:
        """The high end of the interval."""
        return 1 - _low(self.of - self.part, self.of, self.level)

    @property
    def p_value(self) -> float:
        """How likely a coin is to be as far from one half, on either side."""
        more = max(self.part, self.of - self.part)
        return min(1.0, 2 * float(betainc(more, self.of - more + 1, 0.5))) if self.of else 1.0

    def __str__(self) -> str:
        digits = decimals(self.high - self.low)
        low, high = outward(self.low, self.high, digits)
        return f"{self.value:.{digits}f} of {self.of:,}, {self.level * 100:g}% confidence interval {low} to {high}"


def share(which: Vector, among: Vector, level: float) -> Share:
    """How many of `among` are `which`."""
    return Share(int(np.count_nonzero(which & among)), int(np.count_nonzero(among)), check_share(level, "level"))


def _low(part: float, of: int, level: float) -> float:
    return float(betaincinv(part, of - part + 1, (1 - level) / 2)) if part > 0 else 0.0
