"""A share of successes with an interval and a p-value.

The interval is that of Clopper and Pearson: for s of m, unrounded,

    low = B⁻¹(δ/2; s, m - s + 1),   high = B⁻¹(1 - δ/2; s + 1, m - s),

and p = min(1, 2 I_½(max(s, m - s), min(s, m - s) + 1)) against one half, which for whole s is the exact sign test.
Answers between 0 and 1 count by their value, ½ as half a success. Where there are some, the interval is that of Bentkus
(:func:`~ordain.bounds.bounded_mean.mean_limits`), a little wider, and p twice his bound of the tail: both by proof.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, betaincinv

from ordain._checks import check_share
from ordain._types import Vector
from ordain.bounds.bounded_mean import mean_limits, mean_tail
from ordain.certificate import figure_and_interval

TIE = 1e-9
"""Closer to ½ than this an answer decides nothing."""


@dataclass(frozen=True)
class Share:
    """`part` of `of`, with an interval at `level` and a p-value against one half; see the formulas of this module."""

    part: float
    of: int
    level: float = 0.95
    whole: bool = True  # whether every answer was 0 or 1

    @property
    def value(self) -> float:
        """The share, nan of nothing."""
        return self.part / self.of if self.of else float("nan")

    @property
    def low(self) -> float:
        """The low end of the interval."""
        return self._low(self.part)

    @property
    def high(self) -> float:
        """The high end of the interval."""
        return 1 - self._low(self.of - self.part)

    @property
    def p_value(self) -> float:
        """How likely a coin is to be as far from one half, on either side; at most so if some answers are fractions."""
        more = max(self.part, self.of - self.part)
        if not self.of:
            return 1.0
        return min(1.0, 2 * (float(betainc(more, self.of - more + 1, 0.5)) if self.whole else self._tail(more)))

    def _low(self, part: float) -> float:
        if not part > 0:
            return 0.0
        if self.whole:
            return float(betaincinv(part, self.of - part + 1, (1 - self.level) / 2))
        return float(mean_limits(min(part / self.of, 1.0), self.of, self.level)[0])

    def _tail(self, more: float) -> float:
        return mean_tail(min(more, self.of), self.of, 0.5)

    def __str__(self) -> str:
        value, interval = figure_and_interval(self.value, self.low, self.high, self.level)
        return f"{value} of {self.of:,}, {interval}"


def is_whole(answers: Vector) -> bool:
    """Whether every answer is 0 or 1."""
    return bool(((answers == 0) | (answers == 1)).all())


def share(which: Vector, among: Vector, level: float) -> Share:
    """How many of `among` are `which`."""
    return Share(int(np.count_nonzero(which & among)), int(np.count_nonzero(among)), check_share(level, "level"))
