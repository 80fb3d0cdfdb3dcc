"""Curves on one line of a terminal, by blocks of eight heights."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from ordain._types import Vector
from ordain.evaluation import Evaluation, Scored
from ordain.evaluation.along_list import along_list
from ordain.measure.roc import roc

BLOCKS, WIDE = "▁▂▃▄▅▆▇█", 20


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
    if not found.top or not (sys.stdout.encoding or "").lower().startswith("utf"):
        return []
    labels, scores = table.rows.labels, table.scores[which]
    curve = roc(labels, scores)
    at = (np.arange(WIDE) + 0.5) / WIDE
    lengths = np.unique(np.maximum(1, np.round(np.arange(1, WIDE + 1) / WIDE * len(labels)).astype(int)))
    lift = along_list(labels, scores, lengths).lift
    found_there = sparkline(np.interp(at, curve.alarms, curve.found), 1)
    return [
        f"ROC  {found_there}  positives found as negatives are let in, 0 to 100%",
        f"lift {sparkline(lift)}  {lift[0]:.2f} in the first {lengths[0]:,} rows, 1 in all",
    ]
