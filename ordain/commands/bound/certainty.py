"""How sure an AUC is, and how many rows make it so."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from ordain._checks import check_share
from ordain.bounds.bounded_mean import mean_limits
from ordain.bounds.records import upward
from ordain.bounds.uniform import CHANCE, UniformBound, rows, width
from ordain.certificate import Interval, decimals, outward
from ordain.commands.bound.answer import Answer, check_most, check_optional, check_smaller, check_width, count, split


@dataclass(frozen=True)
class Certainty(Answer):
    """How sure an AUC is on m positives and n negatives, for every distribution of independent rows.

    It is the interval of :func:`~ordain.bounds.interval.guaranteed`, which rests on r = min(m, n) alone: that of the
    AUC that is given, or the farthest it reaches from any. Both are for a scorer that was not chosen by these rows.
    With `models`, each of so many that were is covered at 1 - δ/models, so that all are at 1 - δ; with `dimensions`,
    :class:`~ordain.bounds.uniform.UniformBound` is for every linear scorer.

    Examples
    --------
    >>> print(Certainty(200, 2000, models=20))
    With 200 positives and 2,000 negatives, an AUC is within 0.0828 of its value on new rows, at 95%, whatever it is and
    whatever the rows are drawn from.
    That is for independent rows, which several of one person are not, and a scorer not fitted to them or chosen by
    them; only the smaller class counts. The interval of ordain evaluate, which sees the scores, is usually narrower.
    If these rows chose among 20 models, each is within 0.117.
    """

    positives: int
    negatives: int
    level: float = 0.95
    auc: float | None = None
    dimensions: int | None = None
    models: int | None = None

    def __post_init__(self) -> None:
        check_most(positives=self.positives, negatives=self.negatives)
        check_share(self.level, "level")
        check_optional(self.auc, self.dimensions, self.models)

    @property
    def half_width(self) -> float:
        """How far the guaranteed interval reaches from the AUC that was given, or from any."""
        return reach(min(self.positives, self.negatives), self.level, self.auc)

    @property
    def of_models(self) -> float | None:
        """The same for each of the models that these rows chose among, all of them together."""
        if self.models is None:
            return None
        return reach(min(self.positives, self.negatives), 1 - (1 - self.level) / self.models)

    @cached_property
    def interval(self) -> Interval | None:
        """The guaranteed interval of the AUC that was given."""
        if self.auc is None:
            return None
        low, high = mean_limits(self.auc, min(self.positives, self.negatives), self.level)
        return Interval(self.auc, float(low), float(high), self.level, "guaranteed")

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
            f"{INDEPENDENTLY}; only the smaller class counts. The interval of ordain evaluate, which sees the scores, "
            "is usually narrower."
        )
        if self.of_models is not None:
            chosen = f"If these rows chose among {count(self.models or 0, 'model')}"
            said.append(f"{chosen}, each is within {upward(self.of_models)}.")
        if self.uniformly is not None and self.corollary_1 is not None:
            said.append(str(self.uniformly))
            said.append(f"Corollary 1 of Agarwal, Har-Peled and Roth has the width {upward(self.corollary_1)} here.")
        return said

    def _claim(self) -> str:
        at = f"at {100 * self.level:g}%"
        if self.interval is None:
            little = "" if self.half_width < CHANCE else ": a perfect one cannot be told from chance"
            return (
                f"an AUC is within {upward(self.half_width)} of its value on new rows, {at}, whatever it is and "
                f"whatever the rows are drawn from{little}."
            )
        low, high = outward(self.interval.low, self.interval.high, decimals(self.interval.high - self.interval.low))
        return (
            f"an AUC of {self.auc:g} has the confidence interval {low} to {high}, {at} over all samples, not over "
            f"those of this AUC, whatever the rows are drawn from: at most {upward(self.half_width)} away."
        )

    def as_json(self) -> dict[str, Any]:
        found = self.interval
        ends = {"low": found and found.low, "high": found and found.high, "half_width": self.half_width}
        return asdict(self) | ends | {"of_models": self.of_models, "uniform": self._uniform_json()}

    def _uniform_json(self) -> dict[str, Any] | None:
        bound = self.uniformly
        if bound is None:
            return None
        facts = {"width": bound.width, "vacuous": bound.vacuous, "method": bound.method}
        return facts | {"rows_needed": bound.needed, "corollary_1": self.corollary_1}


@dataclass(frozen=True)
class Need(Answer):
    """How many rows are enough for an AUC that is sure to within a width: :class:`Certainty` turned round.

    Examples
    --------
    >>> print(Need(0.02, share=0.1))
    34,200 rows, 3,420 positives and 30,780 negatives, are enough for an AUC within 0.02 of its value on new rows, at
    95%, whatever it is and whatever the rows are drawn from. Fewer may do.
    That is for independent rows, which several of one person are not, and a scorer not fitted to them or chosen by
    them.
    """

    width: float
    share: float = 0.5
    level: float = 0.95
    auc: float | None = None
    dimensions: int | None = None
    models: int | None = None

    def __post_init__(self) -> None:
        check_width(self.width, "width")
        check_smaller(self.share)
        check_share(self.level, "level")
        check_optional(self.auc, self.dimensions, self.models)

    @cached_property
    def smaller(self) -> int:
        """The size r of the smaller class."""
        return _fewest(self.width, self.level, self.auc)

    @property
    def rows(self) -> tuple[int, int]:
        """Positives and negatives, in the given share."""
        return _in_share(self.smaller, self.share)

    @cached_property
    def of_models(self) -> tuple[int, int] | None:
        """Positives and negatives for the same width of each of the models that these rows choose among."""
        if self.models is None:
            return None
        return _in_share(_fewest(self.width, 1 - (1 - self.level) / self.models), self.share)

    @cached_property
    def uniformly(self) -> tuple[int, int] | None:
        """Positives and negatives for the same width over all linear scorers chosen by these rows."""
        if self.dimensions is None:
            return None
        return rows(self.width, self.dimensions, 1 - self.level, share=self.share)

    def sentences(self) -> list[str]:
        said = [self._claim(), f"{INDEPENDENTLY}."]
        if self.of_models is not None:
            chosen = f"If they choose among {count(self.models or 0, 'model')}, {sum(self.of_models):,} rows are enough"
            said.append(f"{chosen} for each: {split(*self.of_models)}.")
        if self.uniformly is not None:
            said.append(
                f"For every linear scorer of {count(self.dimensions or 0, 'feature')} fitted to them "
                f"{sum(self.uniformly):,} are enough: {split(*self.uniformly)}."
            )
        return said

    def _claim(self) -> str:
        rows, at = f"{sum(self.rows):,} rows, {split(*self.rows)},", f"at {100 * self.level:g}%"
        if self.auc is None:
            return (
                f"{rows} are enough for an AUC within {self.width:g} of its value on new rows, {at}, whatever it is "
                "and whatever the rows are drawn from. Fewer may do."
            )
        return (
            f"If the AUC of {rows} comes out at {self.auc:g}, its confidence interval reaches {self.width:g} at most, "
            f"whatever the rows are drawn from. It is {at} over all samples, not over those of this AUC."
        )

    def as_json(self) -> dict[str, Any]:
        found = asdict(self) | _counts(self.rows) | {"rows": sum(self.rows)}
        return found | {"of_models": _counts(self.of_models), "uniform": _counts(self.uniformly)}


TOOTH = 5e-4
INDEPENDENTLY = (
    "That is for independent rows, which several of one person are not, and a scorer not fitted to them or chosen by "
    "them"
)


def _counts(rows: tuple[int, int] | None) -> Any:
    return None if rows is None else dict(zip(("positives", "negatives"), rows, strict=True))


@lru_cache(maxsize=256)
def reach(r: int, level: float, auc: float | None = None) -> float:
    """How far the guaranteed interval reaches from an AUC, or from the AUC from which it reaches farthest.

    It is mirrored for 1 - U, and reaches farthest down from above ½. There the reach has many small teeth, so that the
    largest of those looked at is rounded up by more than a tooth.
    """
    if auc is not None:
        low, high = mean_limits(auc, r, level)
        return float(max(auc - low, high - auc))
    values = np.linspace(0.5, 1, 65)
    for _ in range(2):
        apart = values - mean_limits(values, r, level)[0]
        at = int(np.argmax(apart))
        values = np.linspace(values[max(at - 1, 0)], values[min(at + 1, len(values) - 1)], 33)
    return float(apart.max()) * (1 + TOOTH)


def _fewest(width: float, level: float, auc: float | None = None) -> int:
    """The smallest r at which the interval reaches no farther than the width; ⌈ln(2/δ)/2ε²⌉ always do (Hoeffding)."""
    many = math.ceil(math.log(2 / (1 - level)) / (2 * width**2))
    few = many // 2 if many > 1 and reach(many // 2, level, auc) > width else 0
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if reach(middle, level, auc) <= width else (middle, many)
    return many


def _in_share(smaller: int, share: float) -> tuple[int, int]:
    """Positives and negatives in this share, the smaller class being of this size."""
    larger = math.ceil(smaller * max(share, 1 - share) / min(share, 1 - share) - 1e-9)
    return (smaller, larger) if share <= 0.5 else (larger, smaller)
