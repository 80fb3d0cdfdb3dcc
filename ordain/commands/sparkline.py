"""Curves on one line of a terminal, by blocks of eight heights."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from ordain._types import Vector
from ordain.evaluation import Evaluation, Scored
from ordain.evaluation.along_list import along_list
from ordain.measure.roc import roc
from ordain.measure.spread_ladder import Ladder, first_rows, found_at

BLOCKS, WIDE = "▁▂▃▄▅▆▇█", 20
AT = (np.arange(WIDE) + 0.5) / WIDE


def sparkline(values: Sequence[float] | Vector, top: float | None = None) -> str:
    """Numbers from 0 on as heights, the largest one or `top` the highest.

    Examples
    --------
    >>> sparkline([0, 0.5, 1])
    '▁▅█'
    """
    heights = np.asarray(values, float)
    most = float(heights.max() if top is None else top) or 1.0
    return "".join(BLOCKS[round(7 * min(max(float(height) / most, 0), 1))] for height in heights)


def spark_lines(table: Scored, found: Evaluation, which: int = 0) -> list[str]:
    """The ROC curve and the lift along the list, a line each; none where there is no list, or no such signs."""
    if not _is_shown(found):
        return []
    labels, scores = table.rows.labels, table.scores[which]
    curve, lengths = roc(labels, scores), _lengths(found)
    return _lines(np.interp(AT, curve.alarms, curve.found), along_list(labels, scores, lengths).lift, lengths)


def ladder_lines(ladder: Ladder, found: Evaluation) -> list[str]:
    """The same of scores that are sorted by class."""
    if not _is_shown(found):
        return []
    lengths = _lengths(found)
    lift = first_rows(ladder, lengths).hits * found.rows / (lengths * ladder.m)
    return _lines(found_at(ladder, AT), lift, lengths)


def _is_shown(found: Evaluation) -> bool:
    return bool(found.top) and (sys.stdout.encoding or "").lower().startswith("utf")


def _lengths(found: Evaluation) -> Vector:
    """How many rows are looked at from the top."""
    return np.unique(np.maximum(1, np.round(np.arange(1, WIDE + 1) / WIDE * found.rows).astype(int)))


def _lines(found_there: Vector, lift: Vector, lengths: Vector) -> list[str]:
    return [
        f"ROC  {sparkline(found_there, 1)}  positives found as negatives are let in, 0 to 100%",
        f"lift {sparkline(lift)}  {lift[0]:.2f} in the first {lengths[0]:,} rows, 1 in all",
    ]
