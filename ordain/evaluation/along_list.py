"""The first k rows of a scored list for any number of k at once: precision, recall and lift, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordain._checks import check_codes, check_labels, check_scores, check_share
from ordain._types import Labels, Mask, Scores, Vector
from ordain.bounds.interval import effective
from ordain.bounds.jackknife import share_evidence, sums
from ordain.bounds.top_share import precision_interval, recall_interval
from ordain.measure import Top
from ordain.measure.spread_ladder import Border
from ordain.rows.record import Rows

ENDS = ("precision_low", "precision_high", "recall_low", "recall_high")


@dataclass(frozen=True)
class FirstRows(Top):
    """The first k rows; the ends are None where the rows give no interval. The lift is n/k times the recall.

    Examples
    --------
    >>> print(FirstRows(30, 0.6, 0.2, 2.0, 0.41, 0.77, 0.13, 0.25))
    The first 30 are 60.0% positive, 2.00 times the average, and hold 20.0% of all positives.
    """

    precision_low: float | None = None
    precision_high: float | None = None
    recall_low: float | None = None
    recall_high: float | None = None
    lift_low: float | None = None
    lift_high: float | None = None


@dataclass(frozen=True)
class AlongList:
    """Figures of the first k rows, an entry per k, the ends NaN where there is no interval."""

    rows: int
    k: Vector
    precision: Vector
    recall: Vector
    lift: Vector
    precision_low: Vector
    precision_high: Vector
    recall_low: Vector
    recall_high: Vector

    def first_rows(self) -> tuple[FirstRows, ...]:
        """The same as records, one per k."""
        scale = self.rows / self.k
        ends = [*(getattr(self, name) for name in ENDS), self.recall_low * scale, self.recall_high * scale]
        known = [[None if np.isnan(end) else float(end) for end in of] for of in zip(*ends, strict=True)]
        figures = zip(self.k, self.precision, self.recall, self.lift, known, strict=True)
        return tuple(FirstRows(int(k), float(p), float(r), float(x), *of) for k, p, r, x, of in figures)


def along_list(
    labels: Labels, scores: Scores, sizes: Sequence[int] | Vector, *, level: float = 0.95, clusters: Any = None
) -> AlongList:
    """Precision and recall of the first k rows, with confidence intervals, for every k of `sizes`.

    The intervals are those of :mod:`ordain.bounds.top_share`: given the scores, for independent rows. With clusters
    they are the effective one by jackknife over the clusters that have rows, or positives, there. A tie across the
    border counts by its expected share and has no interval, as it leaves open which rows are meant.

    Parameters
    ----------
    labels, scores : arrays of shape (n_items,)
        Higher scores mean: should come earlier.
    sizes : whole numbers from 1 to n_items
        How many rows are taken, in any order.
    level : float
        Confidence of each interval by itself, in (0, 1).
    clusters : array, optional
        Rows of one person or unit.

    Examples
    --------
    >>> found = along_list([1, 1, 0, 1, 0, 0, 0, 0], [8, 7, 6, 5, 4, 3, 3, 1], [2, 4, 6])
    >>> found.precision.round(2).tolist(), found.precision_low.round(2).tolist()
    ([1.0, 0.75, 0.5], [0.16, 0.19, nan])
    """
    mask = check_labels(labels)
    scores = check_scores(scores, len(mask))
    k = np.asarray(sizes)
    if len(k) and not (np.all(k == np.floor(k)) and k.min() >= 1 and k.max() <= len(mask)):
        raise ValueError(f"sizes must be whole numbers from 1 to the number of rows, {len(mask)}. Got {sizes}.")
    order = np.argsort(scores)[::-1]
    hits, whole = _hits(mask[order], scores[order], k)
    level = check_share(level, "level")
    border, counts = Border(scores[order][k - 1], hits, whole), (int(np.count_nonzero(mask)), len(mask))
    if clusters is None:
        return along_borders(border, k, *counts, level=level)
    codes = check_codes(clusters, len(mask), "clusters")
    return along_borders(border, k, *counts, level=level, rows=Rows(scores, mask, clusters=codes))


def along_borders(
    border: Border, k: Vector, positives: int, rows_in_all: int, *, level: float, rows: Rows | None = None
) -> AlongList:
    """The same where it is known how the first k end; with clusters, from the rows that have them."""
    hits, n = border.hits, rows_in_all
    ends = _independent(border, k, positives, n, level) if rows is None else _by_clusters(border, rows, level)
    return AlongList(n, k, hits / k, hits / positives, hits * n / (k * positives), *ends)


def _hits(mask: Mask, scores: Vector, k: Vector) -> tuple[Vector, Mask]:
    """Expected positives among the first k of sorted rows, and whether no tie lies across the border."""
    total = np.append(0, np.cumsum(mask))
    start, end = (len(mask) - np.searchsorted(scores[::-1], scores[k - 1], side) for side in ("right", "left"))
    return total[start] + (k - start) * (total[end] - total[start]) / (end - start), end == k


def _independent(border: Border, k: Vector, positives: int, rows: int, level: float) -> list[Vector]:
    """The ends in the order of ENDS for independent rows."""
    hits = border.hits
    ends = precision_interval(hits, k, level) + recall_interval(hits, k, positives, rows, level)
    return [np.where(border.whole, end, np.nan) for end in ends]


def _by_clusters(border: Border, rows: Rows, level: float) -> list[Vector]:
    """The ends in the order of ENDS by jackknife over clusters; none where one cluster holds all."""
    mask, scores, together = rows.labels, rows.features, rows.engine.together
    codes = check_codes(rows.clusters, len(rows), "clusters")
    size = int(codes.max()) + 1
    positives = together(sums(mask, codes, size))
    ends = np.full((len(ENDS), len(border.score)), np.nan)
    for place in np.flatnonzero(border.whole):
        first = scores >= border.score[place]
        hits, taken = (together(sums(of[first], codes[first], size)) for of in (mask, np.ones(len(mask))))
        for row, among in ((0, taken), (2, positives)):
            held = among > 0
            if np.count_nonzero(held) > 1:
                ends[row : row + 2, place] = effective(share_evidence(hits[held], among[held]), level)
    return list(ends)
