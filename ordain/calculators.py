"""What the theorems say about numbers of your own: frozen records that answer in sentences, for `ordain bound`.

Each record holds what was asked; its figures are properties of that, and `as_json` gives them all. Bounds are rounded
away from what would make them stronger.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from scipy.special import digamma

from ordain._checks import check_share
from ordain.bounds.interval import guaranteed
from ordain.bounds.records import PrevalenceBound, RegretBound, upward
from ordain.bounds.regret import AT_PREVALENCE, prevalence_bound, regret_bound
from ordain.bounds.shatter import check_counts
from ordain.bounds.uniform import UniformBound, rows, width
from ordain.bounds.variance import Evidence
from ordain.certificate import Interval, decimals, outward

MOST_DIMENSIONS = 1000  # patterns are counted in whole numbers of thousands of digits
LEAST_WIDTH = 1e-5  # ten thousand million rows
MOST = 10**12  # rows or items; n H_n has digits left behind the point


class Answer(ABC):
    """Sentences for people, figures for programs."""

    @abstractmethod
    def sentences(self) -> list[str]:
        """The answer, the main thing first."""

    @abstractmethod
    def as_json(self) -> dict[str, Any]:
        """What was asked, and every figure."""

    def __str__(self) -> str:
        return "\n".join(self.sentences())


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
        _check_most(positives=self.positives, negatives=self.negatives)
        check_share(self.level, "level")
        _check_optional(self.auc, self.dimensions)

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
        said = [f"With {_split(self.positives, self.negatives)}, {self._claim()}"]
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
        _check_width(self.width, "width")
        _check_smaller(self.share)
        check_share(self.level, "level")
        _check_optional(self.auc, self.dimensions)

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
            f"{sum(self.rows):,} rows: {_split(*self.rows)}.",
            "That is for a scorer not fitted to these rows.",
        ]
        if self.uniformly is not None:
            said.append(
                f"For every linear scorer of {_count(self.dimensions or 0, 'feature')} fitted to them it takes "
                f"{sum(self.uniformly):,}: {_split(*self.uniformly)}."
            )
        return said

    def as_json(self) -> dict[str, Any]:
        names = ("positives", "negatives")
        found = None if self.uniformly is None else dict(zip(names, self.uniformly, strict=True))
        return asdict(self) | dict(zip(names, self.rows, strict=True)) | {"rows": sum(self.rows), "uniform": found}


@dataclass(frozen=True)
class Excess(Answer):
    """What an excess loss would mean for the AUC, and what excess loss an AUC regret would need.

    The bound is Theorem 13 of [Agarwal14]_ with its sharp constant or, where it is proved, the smaller one with the
    weight of the loss at the share of positives; see :mod:`ordain.bounds.regret`.

    Examples
    --------
    >>> print(Excess("logistic", 0.2, regret=0.01, wanted=0.05))
    If the excess logistic loss were 0.01 and the share of positives 0.2, the AUC would be at most 0.205 below the best
    possible (the weight of the loss at this share is 6.25). Theorem 13 as printed says 0.442.
    An AUC at most 0.05 below the best possible would follow from an excess logistic loss of 0.0006.
    Excess is what exceeds the least possible mean loss, the Bayes risk. That is unknown, so it cannot be measured.
    """

    loss: str
    prevalence: float
    regret: float | None = None
    wanted: float | None = None

    def __post_init__(self) -> None:
        if self.regret is None and self.wanted is None:
            raise ValueError("an excess loss or a wanted AUC regret must be given. Got neither. Write --regret 0.01.")
        if self.wanted is not None:
            _check_width(self.wanted, "wanted")
        _check_smaller(self.prevalence)
        self.bound.needed(0.0)  # refuses a loss that is not known

    @property
    def bound(self) -> RegretBound | PrevalenceBound:
        """The smallest that is proved for the loss."""
        choice = prevalence_bound if self.loss in AT_PREVALENCE else regret_bound
        return choice(self.loss, loss_regret=self.regret or 0.0, prevalence=self.prevalence)

    @property
    def printed(self) -> RegretBound:
        """Theorem 13 as printed."""
        return regret_bound(self.loss, loss_regret=self.regret or 0.0, prevalence=self.prevalence, sharp=False)

    @property
    def needed(self) -> float | None:
        """The excess loss at which the bound is what is wanted."""
        return None if self.wanted is None else self.bound.needed(self.wanted)

    def sentences(self) -> list[str]:
        said = [] if self.regret is None else [self._claim()]
        if self.needed is not None:
            at_share = "" if said else f" if the share of positives is {self.prevalence:g}"
            said.append(
                f"An AUC at most {self.wanted:g} below the best possible would follow from an excess {self.loss} loss "
                f"of {_downward(self.needed)}{at_share}."
            )
        unknown = "That is unknown, so it cannot be measured."
        return [*said, f"Excess is what exceeds the least possible mean loss, the Bayes risk. {unknown}"]

    def _claim(self) -> str:
        bound = self.bound
        if bound.is_vacuous:
            claim = f"nothing would follow for the AUC, as the bound is {upward(bound.value)} and no AUC is above 1"
        else:
            claim = f"the AUC would be at most {upward(bound.value)} below the best possible"
        return (
            f"If {bound.premise}, {claim} ({bound.theorem}). Theorem 13 as printed says {upward(self.printed.value)}."
        )

    def as_json(self) -> dict[str, Any]:
        given = self.regret is not None
        bounds = {"auc_regret": self.bound.value, "vacuous": self.bound.is_vacuous, "theorem_13": self.printed.value}
        return asdict(self) | (bounds if given else dict.fromkeys(bounds)) | {"needed": self.needed}


@dataclass(frozen=True)
class Sorting(Answer):
    """What QuickSort makes of a judge who has a share L of the mixed pairs wrong [AilonMohri10]_.

    For two classes the expected loss is L, and its variance at most L(1 - L) because it lies in [0, 1]. Calls are at
    most 2(n + 1)H_n - 4n on average, for the best item 2n - 2H_n, for the first k 4(n - 1) + 2kH_{k-1} - 4(k - 1)
    (`docs/proofs_sorting.md`).

    Examples
    --------
    >>> print(Sorting(0.1, items=1000, top=10))
    If the judge puts 0.1 of the pairs of a good and a bad item in the wrong order, so does QuickSort on average: an
    expected AUC of 0.9. With more than two grades its loss is at most twice that of the judge, 0.2.
    This is a mean over the choices of pivots, not a promise about one run: the standard deviation is at most 0.3,
    and can come near it.
    Sorting 1,000 items takes at most 10,986 comparisons on average, whatever the judge; all pairs are 499,500.
    For the first 10 alone it is at most 4,017.
    """

    loss: float
    items: int | None = None
    top: int | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.loss <= 1:
            raise ValueError(f"loss must lie from 0 to 1. Got {self.loss}. It is the share of pairs judged wrongly.")
        if self.items is not None:
            _check_most(items=self.items)
        if self.top is not None and not 1 <= self.top <= (self.items or 0):
            raise ValueError(f"top must be from 1 to the number of items. Got {self.top} of {self.items or 'none'}.")

    @property
    def deviation(self) -> float:
        """√(L(1 - L))."""
        return math.sqrt(self.loss * (1 - self.loss))

    @property
    def calls(self) -> float | None:
        """2(n + 1)H_n - 4n."""
        return None if self.items is None else _sort_calls(self.items)

    @property
    def top_calls(self) -> float | None:
        """The same for the first k."""
        if self.items is None or self.top is None:
            return None
        if self.top == 1:
            return 2 * self.items - 2 * _harmonic(self.items)
        return min(_sort_calls(self.items), 4 * (self.items - 1) + _sort_calls(self.top - 1))

    def sentences(self) -> list[str]:
        said = [
            f"If the judge puts {self.loss:g} of the pairs of a good and a bad item in the wrong order, so does "
            f"QuickSort on average: an expected AUC of {1 - self.loss:g}. With more than two grades its loss is at "
            f"most twice that of the judge, {min(1, 2 * self.loss):g}.",
            "This is a mean over the choices of pivots, not a promise about one run: the standard deviation is at most "
            f"{upward(self.deviation)}, and can come near it.",
        ]
        if self.items is not None and self.calls is not None:
            pairs = self.items * (self.items - 1) // 2
            said.append(
                f"Sorting {_count(self.items, 'item')} takes at most {_count(_whole(self.calls), 'comparison')} on "
                f"average, whatever the judge; all pairs are {pairs:,}."
            )
        if self.top_calls is not None:
            said.append(f"For the first {self.top:,} alone it is at most {_whole(self.top_calls):,}.")
        return said

    def as_json(self) -> dict[str, Any]:
        figures = {"expected_auc": 1 - self.loss, "deviation": self.deviation}
        return asdict(self) | figures | {"calls": self.calls, "top_calls": self.top_calls}


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


def _split(positives: int, negatives: int) -> str:
    return f"{_count(positives, 'positive')} and {_count(negatives, 'negative')}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _whole(calls: float) -> int:
    """The next whole number, unless it is one but for rounding."""
    return math.ceil(calls - 1e-9)


def _harmonic(n: int) -> float:
    """H_n = 1 + ½ + … + 1/n."""
    return float(digamma(n + 1) - digamma(1))


def _sort_calls(n: int) -> float:
    """2(n + 1)H_n - 4n, and 0 for no more than one item."""
    return 2 * (n + 1) * _harmonic(n) - 4 * n if n > 1 else 0.0


def _downward(value: float) -> str:
    """Three digits, rounded down, so that what is asked for is enough."""
    if not 1e-300 < value < math.inf:
        return f"{value:g}"
    scale = 10.0 ** (2 - math.floor(math.log10(value)))
    return f"{math.floor(value * scale * (1 + 1e-12)) / scale:.10g}"


def _check_most(**counts: int) -> None:
    """Whole numbers from 1 on that a double can reckon with."""
    check_counts(**counts)
    for name, count in counts.items():
        if count > MOST:
            raise ValueError(f"{name} must be at most {MOST:,}. Got {count:,}.")


def _check_width(value: float, name: str) -> None:
    """A difference of AUCs that rows can show."""
    if not LEAST_WIDTH <= value < 1:
        raise ValueError(f"{name} must be from {LEAST_WIDTH:g} to below 1. Got {value}. For 2 % write 0.02.")


def _check_smaller(share: float) -> None:
    """A share of positives that leaves both classes some rows."""
    if not min(share, 1 - share) >= 1 / MOST:
        raise ValueError(
            f"the share of positives must lie between 0 and 1, {1 / MOST:g} or more from either. Got {share}. For 2 % "
            "write 0.02."
        )


def _check_optional(auc: float | None, dimensions: int | None) -> None:
    """An AUC from 0 to 1, and a number of features that can be counted with."""
    if auc is not None and not 0 <= auc <= 1:
        raise ValueError(f"auc must lie from 0 to 1. Got {auc}. For 80 % write 0.8.")
    if dimensions is not None:
        check_counts(dimensions=dimensions)
    if dimensions is not None and dimensions > MOST_DIMENSIONS:
        raise ValueError(
            f"dimensions must be at most {MOST_DIMENSIONS:,}. Got {dimensions:,}. Such a bound is vacuous unless there "
            "are millions of rows."
        )
