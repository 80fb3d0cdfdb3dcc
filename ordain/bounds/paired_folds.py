"""How far apart figures taken on the same folds are.

Folds share what they were fitted to, so the standard error of a mean difference d over J folds, F of them a round, is
that of [NadeauBengio03]_, e = sd(d) √(1/J + 1/(F - 1)), and the interval is d ± t e with t at J - 1 degrees.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from ordain._types import Vector


@dataclass(frozen=True)
class Difference:
    """How far apart two rows of figures on the same folds are: mean, standard error and interval.

    Examples
    --------
    >>> apart = Difference.of(np.array([0.1, 0.3, 0.2]), folds=3)
    >>> print(f"{apart.mean:.2f} ± {apart.error:.3f}, {apart.low:.2f} to {apart.high:.2f}")
    0.20 ± 0.091, -0.19 to 0.59
    """

    mean: float
    error: float
    low: float
    high: float

    @classmethod
    def of(cls, apart: Vector, folds: int, level: float = 0.95) -> Difference:
        """Of the differences on each fold, so many folds a round."""
        mean, count = float(apart.mean()), len(apart)
        if count == 1:
            return cls(mean, math.nan, math.nan, math.nan)
        error = float(apart.std(ddof=1) * np.sqrt(1 / count + 1 / (folds - 1)))
        half = float(stdtrit(count - 1, (1 + level) / 2)) * error
        return cls(mean, error, mean - half, mean + half)


def best_elsewhere(figures: Vector, rounds: Vector) -> Vector:
    """On every fold the figure of the candidate that is best, highest, on the other folds of the round.

    The best of several looks better than it is on the folds that made it the best, on a fold that did not it cannot.

    Examples
    --------
    >>> best_elsewhere(np.array([[0.9, 0.7, 0.7], [0.8, 0.9, 0.8]]), np.zeros(3, int))
    array([0.8, 0.7, 0.8])
    """
    folds = np.arange(len(rounds))
    others = [(rounds == rounds[k]) & ((folds != k) | (len(folds) == 1)) for k in folds]
    return figures[[np.argmax(figures[:, of].mean(axis=1)) for of in others], folds]
