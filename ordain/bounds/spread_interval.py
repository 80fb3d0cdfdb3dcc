"""The AUC with its interval, of rows that are with many workers: what one machine says."""

from __future__ import annotations

import numpy as np

from ordain._checks import check_codes
from ordain._types import Vector
from ordain.bounds.interval import certified, check_method, check_variance
from ordain.bounds.jackknife import (
    Clusters,
    Tally,
    check_apart,
    group_pairs,
    group_wins,
    pooled_evidence,
    tally_evidence,
)
from ordain.bounds.variance import Evidence, ladder_evidence, weighted_evidence
from ordain.certificate import Interval
from ordain.measure.spread_ladder import Ladder, row_placements
from ordain.rows.record import Rows


def ladder_interval(ladder: Ladder, *, method: str, level: float) -> Interval:
    """The interval of :func:`ordain.auc_interval` for independent rows of equal weight.

    The guaranteed one rests on the smaller class alone here: blocks of the larger one would have to be sent around.

    Examples
    --------
    >>> ladder_interval(Ladder(np.array([1.0, 3]), np.array([0.0, 2])), method="guaranteed", level=0.95).value
    0.75
    """
    return _told(ladder_evidence(ladder), method, level, "rows")


def units_interval(rows: Rows, *, method: str, level: float) -> Interval:
    """The same for rows with weights, groups or clusters, whose features are scores; a unit is with one worker."""
    scores = rows.features
    if rows.weights is not None:
        check_method(method, "rows" if rows.groups is None and rows.clusters is None else "units", True)
        return _told(weighted_evidence(rows.labels, scores, rows.weights, rows.engine), method, level, "weighted rows")
    if rows.groups is not None:
        check_method(method, "groups", False)
        codes = check_codes(rows.groups, len(rows), "groups")
        of = group_wins(rows.labels, scores, codes), group_pairs(rows.labels, codes)
        return _told(pooled_evidence(*map(rows.engine.together, of)), method, level, "groups")
    check_method(method, "clusters", False)
    return _told(_clusters(rows, scores), method, level, "clusters")


def _clusters(rows: Rows, scores: Vector) -> Evidence:
    mask, codes = rows.labels, check_codes(rows.clusters, len(rows), "clusters")
    counts, ladder = row_placements(mask, scores, rows.engine)
    size = int(codes.max()) + 1
    own = Clusters(mask, codes, *(np.bincount(codes[side], minlength=size) for side in (mask, ~mask)))
    tally = Tally(*map(rows.engine.together, own.tally(counts, scores)))
    check_apart(tally.positives, tally.negatives)
    return tally_evidence(tally, ladder_evidence(ladder))


def _told(found: Evidence, method: str, level: float, units: str) -> Interval:
    if method == "delong":
        check_variance(found, units == "weighted rows")
    return certified(found, method, level, units)
