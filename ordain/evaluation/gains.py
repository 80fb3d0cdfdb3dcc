"""NDCG@10 of scored rows: the mean over groups, with an interval where they are enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

from ordain._checks import check_share
from ordain._types import Vector
from ordain.certificate import figure_and_interval
from ordain.evaluation.scored import Scored
from ordain.measure import group_ndcg

PLACES = 10
"""How many places of a group count."""

ENOUGH_GROUPS = 10
"""With fewer groups there is no interval: so few figures say little of how the others are spread."""


@dataclass(frozen=True)
class Gains:
    """The mean NDCG@10 of the groups that have one; `groups` is None for one list, the ends where there is no interval.

    Examples
    --------
    >>> print(Gains(0.6123, 0.5871, 0.6382, 0.95, groups=248, without=3))
    NDCG@10 0.612, 95% confidence interval 0.587 to 0.639 (Student's t, 248 groups drawn independently; 3 without a gain
    left out).
    """

    value: float
    low: float | None = None
    high: float | None = None
    level: float | None = None
    groups: int | None = None
    without: int = 0

    def as_json(self) -> dict[str, Any]:
        """Fields of a flat object."""
        return {"ndcg": self.value, "ndcg_low": self.low, "ndcg_high": self.high, "ndcg_groups": self.groups}

    def __str__(self) -> str:
        left_out = f"; {self.without:,} without a gain left out" if self.without else ""
        if self.low is None or self.high is None or self.level is None:
            over = "" if self.groups is None else f" (mean over {self.groups:,} groups{left_out})"
            return f"NDCG@{PLACES} {self.value:.4f}{over}."
        value, interval = figure_and_interval(self.value, self.low, self.high, self.level)
        how = f"Student's t, {self.groups:,} groups drawn independently{left_out}"
        return f"NDCG@{PLACES} {value}, {interval} ({how})."


def gains(table: Scored, scores: Vector, level: float = 0.95) -> Gains | None:
    """The NDCG@10 of graded rows, or of two classes in groups; None where rows weigh differently.

    The interval is that of Student's t for the mean of as many figures as there are groups, which must be drawn
    independently; so there is none where clusters tie groups together, nor where all groups have the same figure.
    """
    if table.rows.weights is not None or (table.rows.groups is None and table.positive is not None):
        return None
    each = group_ndcg(table.rows.labels, scores, PLACES, groups=table.rows.groups)
    if table.rows.groups is None:
        return Gains(float(each[0]))
    return mean_gains(each, level, independent=table.rows.clusters is None)


def mean_gains(each: Vector, level: float, *, independent: bool = True) -> Gains:
    """The mean of the figures of groups."""
    counted = each[~np.isnan(each)]
    value = float(counted.mean())
    known: dict[str, Any] = {"groups": len(counted), "without": len(each) - len(counted)}
    if len(counted) < ENOUGH_GROUPS or not independent or np.ptp(counted) == 0:
        return Gains(value, **known)
    half = mean_half_width(counted, check_share(level, "level"))
    return Gains(value, max(value - half, 0.0), min(value + half, 1.0), level, **known)


def mean_half_width(values: Vector, level: float) -> float:
    """How far the mean of independent figures may be from what it is on average, by Student's t.

    Examples
    --------
    >>> round(mean_half_width(np.array([0.5, 0.7, 0.6, 0.8]), 0.95), 3)
    0.205
    """
    error = values.std(ddof=1) / np.sqrt(len(values))
    return float(stdtrit(len(values) - 1, (1 + level) / 2) * error)
