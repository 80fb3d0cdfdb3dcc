"""The AUC with its interval, of rows that are with many workers: what one machine says."""

from __future__ import annotations

import numpy as np

from ordain._types import Mask, Vector
from ordain.bounds.interval import certified
from ordain.bounds.variance import Evidence, spread_evidence
from ordain.certificate import Interval
from ordain.engine import Engine
from ordain.measure.spread_area import exact_sum, spread_placements


def spread_interval(mask: Mask, scores: Vector, *, method: str, level: float, engine: Engine) -> Interval:
    """The interval of :func:`ordain.auc_interval` for independent rows of equal weight.

    The guaranteed one rests on the smaller class alone here: blocks of the larger one would have to be sent around.

    Examples
    --------
    >>> from ordain.engine import LOCAL
    >>> mask, scores = np.array([True, False, True, False]), np.array([3.0, 2, 1, 0])
    >>> spread_interval(mask, scores, method="guaranteed", level=0.95, engine=LOCAL).value
    0.75
    """
    return certified(_evidence(mask, scores, engine), method, level, "rows")


def _evidence(mask: Mask, scores: Vector, engine: Engine) -> Evidence:
    counts = spread_placements(mask, scores, engine)
    m, n = (int(engine.sum(int(np.count_nonzero(side)))) for side in (mask, ~mask))
    value = exact_sum(int(counts[mask].sum()), engine) / (2 * m * n)
    above, below = counts[mask] / (2 * n) - value, counts[~mask] / (2 * m) - value
    squares, cubes = engine.sum(np.array([[(side**power).sum() for side in (above, below)] for power in (2, 3)]))
    up, down = zip(squares / (m, n), cubes / (m, n), strict=True)
    return spread_evidence(value, up, down, m, n)
