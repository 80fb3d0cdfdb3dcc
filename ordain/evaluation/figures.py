"""All that the commands say about scored rows: AUC with its interval, the top of the list, the paired difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ordain._types import Vector
from ordain.bounds.comparison import compare_auc
from ordain.bounds.interval import auc_interval
from ordain.certificate import Comparison, Interval
from ordain.evaluation.along_list import FirstRows, along_list
from ordain.evaluation.gains import PLACES, Gains, gains
from ordain.evaluation.scored import Scored
from ordain.measure import auc, partial_auc

TOP_SHARES = (0.01, 0.05, 0.1, 0.2)
MAX_FPR = 0.05
GRADED_NOTE = "Intervals of the AUC and top-of-list figures are for two classes, so graded labels have none."


@dataclass(frozen=True)
class Evaluation:
    """Figures of one scorer. What a setting leaves undefined is None or empty, and `note` says why."""

    rows: int
    classes: dict[str, int]
    positive: str | None
    auc: float
    interval: Interval | None = None
    partial_auc: float | None = None
    top: tuple[FirstRows, ...] = ()
    note: str | None = None
    gains: Gains | None = None

    def as_json(self) -> dict[str, Any]:
        """One flat object: the ends, level and method of the interval stand beside the AUC, those of NDCG beside it."""
        facts = asdict(self)
        interval = facts.pop("interval") or dict.fromkeys(("low", "high", "level", "method", "units", "unseen"))
        interval.pop("value", None)
        facts.pop("gains")
        found = self.gains.as_json() if self.gains else dict.fromkeys(("ndcg", "ndcg_low", "ndcg_high", "ndcg_groups"))
        return facts | interval | {"partial_auc_max_fpr": MAX_FPR} | found | {"ndcg_places": PLACES}


@dataclass(frozen=True)
class Duel:
    """Two scorers on the same rows: the name and AUC of each, and the paired difference."""

    rows: int
    positive: str | None
    auc: dict[str, float]
    comparison: Comparison

    def as_json(self) -> dict[str, Any]:
        """One flat object."""
        facts = asdict(self)
        return facts | facts.pop("comparison")


def evaluate(table: Scored, *, which: int = 0, method: str = "effective", level: float = 0.95) -> Evaluation:
    """The figures of one column of scores, the first unless said otherwise.

    The AUC of graded labels has no interval; weights and groups leave no single list, so no top of it. Grades and
    groups have NDCG@10.
    """
    scores = table.scores[which]
    found = gains(table, scores, level)
    if table.positive is None:
        return _evaluate_grades(table, scores, found)
    mask = table.rows.labels
    weights = table.rows.weights
    interval = auc_interval(mask, scores, level=level, method=method, weights=weights, **table.units)
    positives = int(np.count_nonzero(mask))
    classes = {"positive": positives, "negative": len(mask) - positives}
    if weights is not None or table.rows.groups is not None:
        note = no_list_note(grouped=table.rows.groups is not None)
        return Evaluation(len(mask), classes, table.positive, interval.value, interval, note=note, gains=found)
    sizes = top_sizes(len(mask))
    tops = along_list(mask, scores, sizes, level=level, clusters=table.rows.clusters).first_rows()
    note = top_note(tops, clustered=table.rows.clusters is not None)
    partial = partial_auc(mask, scores, max_fpr=MAX_FPR)
    return Evaluation(len(mask), classes, table.positive, interval.value, interval, partial, tops, note)


def top_sizes(rows: int) -> list[int]:
    """How many rows are looked at from the top."""
    return sorted({math.ceil(share * rows) for share in TOP_SHARES})


def no_list_note(*, grouped: bool) -> str:
    """Why there is no top of the list."""
    note = "The variance is by jackknife over groups. " if grouped else ""
    return note + "Top-of-list figures are for one unweighted list, so they are left out."


def top_note(tops: Sequence[FirstRows], *, clustered: bool) -> str:
    """What the intervals at the top of the list take for granted, and where there is none."""
    variance, units = ("The variance is by jackknife over clusters. ", "clusters") if clustered else ("", "rows")
    note = f"{variance}Intervals at the top are each by itself, given the scores, for independent {units}."
    if any(top.recall_low is None or top.precision_low is None for top in tops):
        alone = ", or one cluster holds all of them," if clustered else ""
        note += f" Where rows of equal score lie across the border{alone} there is none."
    return note


def compare(table: Scored, names: Sequence[str], *, level: float = 0.95) -> Duel:
    """The paired difference of the two columns of scores."""
    first, second = table.scores
    comparison = compare_auc(table.rows.labels, first, second, level=level, **table.units)
    areas = {
        name: auc(table.rows.labels, scores, groups=table.rows.groups)
        for name, scores in zip(names, table.scores, strict=True)
    }
    return Duel(len(table.rows.labels), table.positive, areas, comparison)


def _evaluate_grades(table: Scored, scores: Vector, found: Gains | None) -> Evaluation:
    value = auc(table.rows.labels, scores, graded=True, weights=table.rows.weights, groups=table.rows.groups)
    grades, counts = np.unique(table.rows.labels, return_counts=True)
    classes = {f"{grade:g}": int(count) for grade, count in zip(grades[::-1], counts[::-1], strict=True)}
    return Evaluation(len(table.rows.labels), classes, None, value, note=GRADED_NOTE, gains=found)
