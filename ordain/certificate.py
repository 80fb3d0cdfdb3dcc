"""Frozen records that carry a figure, its assumptions and its method, and print themselves as one sentence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape

from ordain.names import INTERVALS


def decimals(width: float) -> int:
    """How many decimals an interval of this width supports: two digits of the width, at least two, at most six."""
    return 3 if width <= 0 else min(6, max(2, 1 - math.floor(math.log10(width))))


def outward(low: float, high: float, digits: int) -> tuple[str, str]:
    """Both ends as text, rounded away from each other, so that rounding never makes a claim stronger."""
    scale = 10**digits
    return (
        f"{max(math.floor(low * scale + 1e-9), -scale) / scale:.{digits}f}",
        f"{min(math.ceil(high * scale - 1e-9), scale) / scale:.{digits}f}",
    )


def figure_and_interval(value: float, low: float, high: float, level: float) -> tuple[str, str]:
    """A figure with as many decimals as its interval supports, and the interval, as text.

    Examples
    --------
    >>> figure_and_interval(0.8124, 0.7711, 0.8482, 0.95)
    ('0.812', '95% confidence interval 0.771 to 0.849')
    """
    digits = decimals(high - low)
    ends = " to ".join(outward(low, high, digits))
    return f"{value:.{digits}f}", f"{level * 100:g}% confidence interval {ends}"


def percent(share: float) -> str:
    """A share above 0 in percent, with two digits."""
    return f"{100 * share:.{max(0, -1 - math.floor(math.log10(share)))}f}%"


@dataclass(frozen=True)
class Interval:
    """A value and a confidence interval for it, with what is taken as independent.

    `unseen` is the share of rows of a kind of its own that a sample misses as often as an end may be wrong: where it is
    given, the interval rests on what was met and does not cover them.

    Examples
    --------
    >>> print(Interval(0.8124, 0.7711, 0.8482, 0.95, "exact", "rows"))
    AUC 0.812, 95% confidence interval 0.771 to 0.849 (Clopper–Pearson at the smaller class, independent rows).
    """

    value: float
    low: float
    high: float
    level: float
    method: str
    units: str | None = None
    unseen: float | None = None

    def __str__(self) -> str:
        value, within = figure_and_interval(self.value, self.low, self.high, self.level)
        independent = f", independent {self.units}" if self.units else ""
        method = INTERVALS.get(self.method, self.method)
        return f"AUC {value}, {within} ({method}{independent}).{self._blind}"

    @property
    def _blind(self) -> str:
        """What it does not cover, as a sentence."""
        if self.unseen is None:
            return ""
        share, exact = percent(self.unseen), "; method exact does" if self.units == "rows" else ""
        missing = f"kinds of {self.units} that are missing here (up to {share} of a class could be)"
        return f" It does not cover {missing}{exact}."

    def _repr_html_(self) -> str:
        return f"<p>{escape(str(self))}</p>"


@dataclass(frozen=True)
class Comparison:
    """The difference in AUC of two scorers on the same items, first minus second.

    Examples
    --------
    >>> print(Comparison(0.0213, 0.0052, 0.0371, 0.95, 0.0094))
    The first ranks better: AUC difference +0.021, 95% confidence interval +0.005 to +0.038, p = 0.0094 (paired).
    """

    difference: float
    low: float
    high: float
    level: float
    p_value: float
    method: str = "paired"

    @property
    def verdict(self) -> str:
        """What the interval allows to say: it decides only if zero lies outside."""
        if self.low > 0:
            return "The first ranks better"
        if self.high < 0:
            return "The second ranks better"
        return "Neither is shown to rank better"

    def __str__(self) -> str:
        digits = decimals(self.high - self.low)
        low, high = (text if text.startswith("-") else "+" + text for text in outward(self.low, self.high, digits))
        p_value = f"p = {self.p_value:.2g}" if self.p_value >= 1e-4 else "p < 0.0001"
        return (
            f"{self.verdict}: AUC difference {self.difference:+.{digits}f}, {self.level * 100:g}% confidence interval "
            f"{low} to {high}, {p_value} ({self.method})."
        )

    def _repr_html_(self) -> str:
        return f"<p>{escape(str(self))}</p>"
