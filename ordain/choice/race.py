"""Who need not run on: candidates that are clearly behind another, by their figures on parts of the folds so far.

A part is some of the rows of a fold, with pairs of its own. The differences of two candidates on J parts have mean d
and standard error e = sd/√J; behind is who has d < -t e, t the quantile of Student's law on J - 1 degrees. Since the
simplest of equals is picked, a little is enough to be behind a simpler one, and it takes a lot to be behind another.
Who follows a simpler one at great cost, as trees on pairs follow those on rows, must not be below it by much.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import stdtrit

from ordain._types import Vector

CHANCE = {"simpler": 0.01, "followed": 0.25, "other": 0.001, "manner": 0.1}
"""How often one that is as good as a simpler one, as one it follows, or as another, is taken to be behind; and a manner
of growing trees as good as the best one, which need not be tried on a second fold."""


def behind(figures: Vector, follows: Sequence[bool] | None = None) -> list[int | None]:
    """For every candidate, the simplest first, the one it is clearly behind, or None.

    Parameters
    ----------
    figures : array of shape (candidates, parts)
    follows : sequence of bool, optional
        Who follows a simpler one at great cost.

    Examples
    --------
    >>> figures = np.array([[0.70, 0.72, 0.71], [0.80, 0.83, 0.81], [0.80, 0.82, 0.81]])
    >>> behind(figures)
    [1, None, None]
    >>> behind(figures, [False, False, True])
    [1, None, 1]
    """
    best = int(np.argmax(figures.mean(axis=1)))
    following = follows or [False] * len(figures)
    return [_leader(figures, k, best, "followed" if following[k] else "simpler") for k in range(len(figures))]


def _leader(figures: Vector, k: int, best: int, how: str) -> int | None:
    """The candidate that k is clearly behind: the best, or a simpler one."""
    for other in dict.fromkeys((best, *range(k))):
        chance = CHANCE[how if other < k else "other"]
        if other != k and surely_below(figures[k] - figures[other], chance):
            return other
    return None


def surely_below(apart: Vector, chance: float) -> bool:
    """Whether differences on parts have a mean that is clearly below 0."""
    error = apart.std(ddof=1) / np.sqrt(len(apart))
    return bool(apart.mean() < float(stdtrit(len(apart) - 1, chance)) * error)
