"""How sure an AUC is, and how many rows make it so."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from ordain._checks import check_share
from ordain.bounds.interval import guaranteed
from ordain.bounds.records import upward
from ordain.bounds.uniform import UniformBound, rows, width
from ordain.bounds.variance import Evidence
from ordain.certificate import Interval, decimals, outward
from ordain.commands.bound.answer import Answer, check_most, check_optional, check_smaller, check_width, count, split


@dataclass(frozen=True)
class Certainty(Answer):
    """How sure an AUC is on m positives and n negatives, for every distribution.

    With r = min(m, n), an AUC leaves its mean by √(ln(2/δ)/2r) or more with probability at most δ, as it is a mean of
    means of r independent comparisons (Hoeffding 1963, §5). If its value is known, the interval of
    :func:`~ordain.bounds.interval.guaranteed` lies inside this. Both are for a scorer that was not chosen by these
    rows; with `dimensions`, :class:`~ordain.bounds.uniform.UniformBound` is for linear scorers that were.

    Examples
    --------
    >>> print(Certainty(200, 2000))
    With 200 positives and 2,000 negatives, an AUC is within 0.0961 of its value on new rows, at 95%, whatever it is and
    whatever the rows are drawn from.
    That is for a scorer not fitted to these rows, and only the smaller class counts. The interval of ordain evaluate,
    which sees the scores, is usually narrower.
    """

    positives: int
    negatives: int
    level: float = 0.95
    auc: float | None = None
    dimensions: int | None = None

    def __post_init__(self) -> None:
        check_most(positives=self.positives, negatives=self.negatives)
        check_share(self.level, "level")
        check_optional(self.auc, self.dimensions)

    @property
    def half_width(self) -> float:
        """√(ln(2/δ)/2r), or how far the farther end of the guaranteed interval is from the AUC that was given."""
        return _reach(min(self.positives, self.negatives), self.level, self.auc)

    @cached_property
    def interval(self) -> Interval | None:
        """The guaranteed interval of the AUC that was given."""
        if self.auc is None:
            return None
        low, high = _limits(self.auc, min(self.positives, self.negatives), self.level)
        return Interval(self.auc, low, high, self.level, "guaranteed")

    @cached_property
    def uniformly(self) -> UniformBound | None:
        """What holds for every linear scorer chosen by these rows."""
        if self.dimensions is None:
            return None
        return UniformBound(self.positives, self.negatives, self.dimensions, 1 - self.level)

    @cached_property
    def corollary_1(self) -> float | None:
        """The same from Corollary 1 of [Agarwal05]_, patterns counted as in the paper."""
        if self.dimensions is None:
            return None
        return width(self.positives, self.negatives, self.dimensions, 1 - self.level, method="theorem 5")

    def sentences(self) -> list[str]:
        said = [f"With {split(self.positives, self.negatives)}, {self._claim()}"]
        said.append(
            "That is for a scorer not fitted to these rows, and only the smaller class counts. The interval of ordain "
            "evaluate, which sees the scores, is usually narrower."
        )
        if self.uniformly is not None and self.corollary_1 is not None:
            said.append(str(self.uniformly))
            said.append(f"Corollary 1 of Agarwal, Har-Peled and Roth has the width {upward(self.corollary_1)} here.")
        return said

    def _claim(self) -> str:
        at = f"at {100 * self.level:g}%"
        if self.interval is None and self.half_width >= 1:
            return f"nothing is known {at}: an AUC could be off by {upward(self.half_width)}, and lies in 0 to 1."
        if self.interval is None:
            return (
                f"an AUC is within {upward(self.half_width)} of its value on new rows, {at}, whatever it is and "
                "whatever the rows are drawn from."
            )
        low, high = outward(self.interval.low, self.interval.high, decimals(self.interval.high - self.interval.low))
        return (
            f"an AUC of {self.auc:g} stands for {low} to {high} on new rows, {at}, whatever the rows are drawn from: "
            f"at most {upward(self.half_width)} away."
        )

    def as_json(self) -> dict[str, Any]:
        found = self.interval
        ends = {"low": found and found.low, "high": found and found.high, "half_width": self.half_width}
        return asdict(self) | ends | {"uniform": self._uniform_json()}

    def _uniform_json(self) -> dict[str, Any] | None:
        bound = self.uniformly
        if bound is None:
            return None
        facts = {"width": bound.width, "vacuous": bound.vacuous, "method": bound.method}
        return facts | {"rows_needed": bound.needed, "corollary_1": self.corollary_1}


@dataclass(frozen=True)
class Need(Answer):
    """How many rows make an AUC sure to within a width, for every distribution: :class:`Certainty` turned round.

    Examples
    --------
    >>> print(Need(0.02, share=0.1))
    An AUC within 0.02 of its value on new rows, at 95%, whatever it is and whatever the rows are drawn from, takes
    46,120 rows: 4,612 positives and 41,508 negatives.
    That is for a scorer not fitted to these rows.
    """

    width: float
    share: float = 0.5
    level: float = 0.95
    auc: float | None = None
    dimensions: int | None = None

    def __post_init__(self) -> None:
        check_width(self.width, "width")
        check_smaller(self.share)
        check_share(self.level, "level")
        check_optional(self.auc, self.dimensions)

    @cached_property
    def smaller(self) -> int:
        """The size r of the smaller class: ⌈ln(2/δ)/2ε²⌉, or less if the AUC was given."""
        few, many = 0, math.ceil(math.log(2 / (1 - self.level)) / (2 * self.width**2))
        if self.auc is None:
            return many
        while many - few > 1:
            middle = (few + many) // 2
            enough = _reach(middle, self.level, self.auc) <= self.width
            few, many = (few, middle) if enough else (middle, many)
        return many

    @property
    def rows(self) -> tuple[int, int]:
        """Positives and negatives, in the given share."""
        return _in_share(self.smaller, self.share)

    @cached_property
    def uniformly(self) -> tuple[int, int] | None:
        """Positives and negatives for the same width over all linear scorers chosen by these rows."""
        if self.dimensions is None:
            return None
        return rows(self.width, self.dimensions, 1 - self.level, share=self.share)

    def sentences(self) -> list[str]:
        whatever = "whatever it is and whatever the rows are drawn from"
        if self.auc is not None:
            whatever = f"if it comes out at {self.auc:g}, whatever the rows are drawn from"
        said = [
            f"An AUC within {self.width:g} of its value on new rows, at {100 * self.level:g}%, {whatever}, takes "
            f"{sum(self.rows):,} rows: {split(*self.rows)}.",
            "That is for a scorer not fitted to these rows.",
        ]
        if self.uniformly is not None:
            said.append(
                f"For every linear scorer of {count(self.dimensions or 0, 'feature')} fitted to them it takes "
                f"{sum(self.uniformly):,}: {split(*self.uniformly)}."
            )
        return said

    def as_json(self) -> dict[str, Any]:
        names = ("positives", "negatives")
        found = None if self.uniformly is None else dict(zip(names, self.uniformly, strict=True))
        return asdict(self) | dict(zip(names, self.rows, strict=True)) | {"rows": sum(self.rows), "uniform": found}


def _limits(auc: float, r: int, level: float) -> tuple[float, float]:
    """The guaranteed interval of an AUC whose smaller class has r rows; it needs nothing else of the evidence."""
    unused = math.nan
    low, high = guaranteed(Evidence(auc, unused, unused, unused, r, unused), level)
    return float(low), float(high)


def _reach(r: int, level: float, auc: float | None) -> float:
    """How far the value on new rows can be: √(ln(2/δ)/2r) for every AUC, less for one that is known."""
    if auc is None:
        return math.sqrt(math.log(2 / (1 - level)) / (2 * r))
    low, high = _limits(auc, r, level)
    return max(auc - low, high - auc)


def _in_share(smaller: int, share: float) -> tuple[int, int]:
    """Positives and negatives in this share, the smaller class being of this size."""
    larger = math.ceil(smaller * max(share, 1 - share) / min(share, 1 - share) - 1e-9)
    return (smaller, larger) if share <= 0.5 else (larger, smaller)
