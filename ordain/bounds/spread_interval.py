"""The AUC with its interval, of rows that are with many workers: what one machine says."""

from __future__ import annotations

import numpy as np

from ordain._types import Mask, Vector
from ordain.bounds.interval import METHODS
from ordain.bounds.variance import Evidence, spread_evidence
from ordain.certificate import Interval
from ordain.engine import Engine
from ordain.measure.spread_area import exact_sum, spread_placements


def spread_interval(mask: Mask, scores: Vector, *, method: str, level: float, engine: Engine) -> Interval:
    """The interval of :func:`ordain.auc_interval` for independent rows of equal weight.

    Examples
    --------
    >>> from ordain.engine import LOCAL
    >>> mask, scores = np.array([True, False, True, False]), np.array([3.0, 2, 1, 0])
    >>> spread_interval(mask, scores, method="guaranteed", level=0.95, engine=LOCAL).value
    0.75
    """
    found = _evidence(mask, scores, engine)
    low, high = METHODS[method](found, level)
    return Interval(float(found.value), float(low), float(high), level, method)


def _evidence(mask: Mask, scores: Vector, engine: Engine) -> Evidence:
    counts = spread_placements(mask, scores, engine)
    m, n = (int(engine.sum(int(np.count_nonzero(side)))) for side in (mask, ~mask))
    value = exact_sum(int(counts[mask].sum()), engine) / (2 * m * n)
    above = engine.sum(float(np.square(counts[mask] / (2 * n) - value).sum())) / m
    below = engine.sum(float(np.square(counts[~mask] / (2 * m) - value).sum())) / n
    return spread_evidence(value, above, below, m, n)
